"""The space of a job, and the folder from which other processes open it by memory map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.bulk.checkpoint import Checkpoint
from entvec.bulk.jobs import Part, Partition, Work
from entvec.bulk.placement import Placement
from entvec.errors import InvalidInput
from entvec.model.model import OTHER, Side
from entvec.model_folders import local_path
from entvec.pairs.lookup import TextLookup
from entvec.pairs.scorer import Scorer, fill_table
from entvec.space import BatchMatches, EntailmentSpace
from entvec.space.queries import Query, check_k
from entvec.space.ranking import SearchOptions, rank

SIDES: dict[str, Side] = {"up": "hypo", "down": "hyper"}
"""The side of the words whose neighbours are found, for each direction."""


class OpenedSpace(NamedTuple):
    """A space, and the folder that it was loaded from, if it was."""

    space: EntailmentSpace
    path: Path | None


def checked_ranking(space: EntailmentSpace, direction: str, k: int, specificity: float | None) -> tuple[int, float]:
    """Return the number of neighbours and the specificity of a ranking; raise an error if they make no sense."""
    return check_k(k), space.model.penalty(SIDES[direction], specificity)


def search(
    space: EntailmentSpace, direction: str, rows: Rows, k: int, specificity: float, *, by_evidence: bool
) -> BatchMatches:
    """Return the neighbours of the words of these rows: by all evidence, or by the vectors, without making strings."""
    vocabulary = space.vectors
    if by_evidence:
        ask = space.hypernyms if direction == "up" else space.hyponyms
        found: BatchMatches = ask(list(vocabulary.words.take(rows)), k, specificity=specificity)
        return found
    query = Query(vocabulary.words.take(rows), vocabulary, rows, several=True)
    options = SearchOptions(k, specificity=specificity)
    return rank(vocabulary, space.model, space.backend, SIDES[direction], query, options)


def open_space(space: EntailmentSpace | str | Path) -> OpenedSpace:
    """Return a space, or load it from its folder."""
    if isinstance(space, EntailmentSpace):
        return OpenedSpace(space, None)
    if isinstance(space, str | Path):
        return OpenedSpace(EntailmentSpace.load(space), local_path(space).resolve())
    raise InvalidInput(f"space is {space!r:.60}, expected an EntailmentSpace or the folder of one")


def in_enough_digits(opened: OpenedSpace) -> OpenedSpace:
    """Return the space with keys of at least 32 bits, for scores."""
    if opened.space.backend.dtype in ("float32", "float64"):
        return opened
    return OpenedSpace(opened.space.with_dtype("float32"), None)


@dataclass(frozen=True)
class SpaceJob:
    """A job that needs a space."""

    space: str
    """The folder of the space, with the keys that the job needs."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The files and folders that a worker must be able to read."""
        return (self.space,)

    def open(self) -> Work:
        """Load the space, and return the function that computes parts."""
        return self.work(EntailmentSpace.load(self.space, verify=False))  # the process that sent this has done it

    def work(self, space: EntailmentSpace) -> Work:
        """Return the function that computes parts with a space that is loaded already."""
        raise NotImplementedError


# Preparation


@dataclass(frozen=True)
class _PrepareJob(SpaceJob):
    """Makes what the workers of another job open: keys, and tables of all words."""

    sides: tuple[Side, ...]
    keys_to: str | None
    tables_to: str | None
    knowledge: bool = False

    def work(self, space: EntailmentSpace) -> Work:
        def prepare(_: Partition) -> Part:
            for side in self.sides:
                space.keys[side]
            if self.keys_to is not None:
                _needed(space, knowledge=self.knowledge).save(self.keys_to)
            if self.tables_to is not None:
                _write_tables(space, Path(self.tables_to))
            return Part(b"", 0)

        return prepare


def prepare(
    opened: OpenedSpace,
    sides: Sequence[Side],
    checkpoint: Checkpoint,
    placement: Placement,
    *,
    tables: bool = False,
    knowledge: bool = False,
) -> str:
    """Make the keys of these sides, and tables of all words if wanted; return the folder of the space.

    They are made by a process whose BLAS has one thread, so that they are the same wherever the job runs. The folder is
    that of the opened space if it has all keys, else one in the checkpoint; it is made only if other processes need it,
    and has what the space knows if `knowledge` says so.
    """
    complete = opened.path is not None and set(sides) <= opened.space.keys.computed.keys()
    keys_to = None if complete or not placement.remote or checkpoint.space.exists() else str(checkpoint.space)
    tables_to = str(checkpoint.tables) if tables and not _has_tables(checkpoint.tables) else None
    job = _PrepareJob(str(opened.path), tuple(sides), keys_to, tables_to, knowledge)
    found = str(opened.path if complete else checkpoint.space)
    here = Placement()
    with checkpoint.resumable():
        if not here.remote:
            job.work(opened.space)(None)
        elif keys_to or tables_to:
            unprepared = checkpoint.path / "unprepared"
            if opened.path is None:
                _needed(opened.space, knowledge=knowledge).save(unprepared)
                job = replace(job, space=str(unprepared))
            with here.executor(job) as executor:
                executor.submit(None)()
    return found


def _needed(space: EntailmentSpace, *, knowledge: bool) -> EntailmentSpace:
    """Return the space as a job needs it: most jobs ask the vectors only."""
    return space if knowledge else space.with_evidence(None).with_knowledge(None)


# Tables of words


def open_scorer(space: EntailmentSpace, tables: Path | None) -> tuple[TextLookup, Scorer]:
    """Return what finds the rows of words, and what scores pairs of rows with the keys, or with tables of all words."""
    if tables is None:
        whole: dict[Side, NDArray[Any]] = {side: space.keys[side].stored for side in OTHER}
    else:
        whole = {side: np.load(tables / f"{side}.npy", mmap_mode="r") for side in OTHER}
    vocabulary = space.vectors
    return TextLookup(vocabulary), Scorer(space.model, vocabulary, tables=whole)


def _has_tables(folder: Path) -> bool:
    return all((folder / f"{side}.npy").exists() for side in OTHER)


def _write_tables(space: EntailmentSpace, folder: Path) -> None:
    """Write the mapped vectors of all words, for operators that need more than keys."""
    dtype = np.float64 if space.backend.dtype == "float64" else np.float32
    folder.mkdir(exist_ok=True)
    for side in OTHER:
        path = folder / f"{side}.npy"
        new = path.with_suffix(".new")

        def table(width: int, new: Path = new) -> NDArray[Any]:
            return np.lib.format.open_memmap(new, mode="w+", dtype=dtype, shape=(len(space), width))

        fill_table(space.model, space.vocabulary, side, table)
        new.replace(path)
