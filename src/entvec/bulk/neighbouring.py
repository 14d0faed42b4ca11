"""The hypernyms, or hyponyms, of every word of a vocabulary, in a Parquet file."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from entvec.bulk.arrow import numbers_of, strings_of
from entvec.bulk.executors import here
from entvec.bulk.folder import Settings, check_output, open_folder
from entvec.bulk.parquet import Encoder
from entvec.bulk.pieces import VERSION, Done, Piece, Work
from entvec.bulk.running import Tell, run, there_already
from entvec.bulk.spaces import digest, given, prepare, with_keys
from entvec.bulk.where import Where
from entvec.errors import InvalidInput
from entvec.model.model import OTHER
from entvec.search.exact import Rows
from entvec.space import EntailmentSpace
from entvec.space.matches import BatchMatches
from entvec.space.neighbours import AHEAD, SIDES
from entvec.space.verbs import checked_k
from entvec.vectors.formats.parquet import library

WORDS_AT_ONCE = 1 << 12
"""A multiple of how many questions are made together, so that the answers are those of larger blocks too."""


class Span(NamedTuple):
    """Rows of a vocabulary."""

    first: int
    last: int


@dataclass(frozen=True)
class NeighboursJob:
    """What words entail, or what entails them."""

    space: str
    direction: str
    k: int
    specificity: float

    @property
    def needs(self) -> tuple[str, ...]:
        """What must be seen where it is done."""
        return (self.space,)

    def open(self) -> Work:
        """Get ready, from what lies in files."""
        return self.work(EntailmentSpace.load(self.space))

    def work(self, space: EntailmentSpace) -> Work:
        """Get ready, with a space that is there already."""
        return _Neighbours(space, self)


class _Neighbours:
    """Searches blocks; several threads may use it."""

    def __init__(self, space: EntailmentSpace, job: NeighboursJob) -> None:
        self._space, self._job = space, job
        pa = library()
        columns = [("word", pa.string()), ("rank", pa.int32()), ("neighbour", pa.string()), ("score", pa.float64())]
        if space.calibration is not None:
            columns.append(("probability", pa.float64()))
        self._encoder = Encoder(pa.schema(columns), words=("word", "neighbour"), floats=("score", "probability"))

    def __call__(self, block: Span) -> Piece:
        rows, side = np.arange(*block), SIDES[self._job.direction]
        found = self._space.neighbours_of(side, rows, self._job.k, specificity=self._job.specificity)
        columns = self._columns(rows, found)
        return Piece(self._encoder(columns), len(columns[0]))

    def _columns(self, rows: Rows, found: BatchMatches) -> list[Any]:
        pa = library()
        there = found.indices >= 0
        query, rank = np.nonzero(there)
        used, at = np.unique(found.indices[there], return_inverse=True)
        words = self._space.vectors.words
        columns = [
            pa.DictionaryArray.from_arrays(query.astype(np.int32), strings_of(words.take(rows))),
            numbers_of((rank + 1).astype(np.int32)),
            pa.DictionaryArray.from_arrays(at.astype(np.int32), strings_of(words.take(used))),
            numbers_of(found.scores[there]),
        ]
        if found.probabilities is not None:
            columns.append(numbers_of(found.probabilities[there]))
        return columns


def neighbours(
    space: EntailmentSpace | str | Path,
    output: str | Path,
    direction: str = "up",
    k: int = 10,
    *,
    specificity: float | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    device: str | None = None,
    precision: str | None = None,
    restart: bool = False,
    progress: Tell | None = None,
) -> Done:
    """Write the hypernyms ("up") or hyponyms ("down") of every word to a Parquet file, k rows a word.

    The columns are word, rank (1 is the best), neighbour, score and, if the space is calibrated, probability. The work
    is done by `processes` of this machine, one for each processor if none are named and there are many words; by the
    workers of the Dask `cluster` at an address; or in this process on a `device` of PyTorch. A run that was stopped
    goes on where it was when it is started again, unless `restart` is true.

    >>> import tempfile
    >>> import pyarrow.parquet
    >>> import entvec
    >>> from entvec.bundled import toy_world
    >>> toys = entvec.Vectors(toy_world().words, toy_world().log_odds())
    >>> space = entvec.EntailmentSpace.from_vectors(toys, interpretation="log_odds")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = neighbours(space, Path(folder, "up.parquet"), k=2, specificity=0)
    ...     found = pyarrow.parquet.read_table(done.path).to_pylist()
    >>> [row["neighbour"] for row in found if row["word"] == "poodle"]
    ['unk', 'animal']
    """
    begun = time.monotonic()
    where = Where(processes, cluster)
    check_output(output)
    if direction not in SIDES:
        raise InvalidInput(f"direction is {direction!r}, expected up (what words entail) or down (what entails them)")
    found = given(space)
    side = SIDES[direction]
    if device is not None and where.elsewhere:
        raise InvalidInput("a device is used by one process, expected no other processes and no cluster")
    specificity = found.space.taken_off(side, specificity)
    settings: Settings = {
        "job": "neighbours",
        "entvec": VERSION,
        "space": digest(found.space),
        "direction": direction,
        "k": checked_k(k),
        "specificity": specificity,
        "words at once": WORDS_AT_ONCE,
    }
    words = len(found.space)
    blocks = [Span(first, min(first + WORDS_AT_ONCE, words)) for first in range(0, words, WORDS_AT_ONCE)]
    if device is None and all(engine.name != "device" for engine in found.space.engines.values()):
        # Less work than threads of one process, which wait for each other between products: 14 s instead of 19 s of the
        # processor for the words of the default space.
        where = where.unless_told(len(blocks))
    if (done := there_already(output, settings, restart=restart)) is not None:
        return done
    with where.reached() as where, open_folder(output, settings, restart=restart) as folder:
        job = NeighboursJob(str(found.path), direction, k, specificity)
        keys = (OTHER[side],) if found.space.model.indexable else ()
        if where.elsewhere:
            executor = where.executor(replace(job, space=str(with_keys(found, keys, folder))))
        else:
            searched = found.space
            if device is not None:
                searched = searched.on(device, precision=precision, sides=keys)
            prepare(searched, keys)
            executor = here(job.work(searched), 1 if device is None else AHEAD)  # threads make a device's questions
        return run(
            folder,
            blocks or [Span(0, 0)],
            executor,
            size=lambda block: block.last - block.first,
            progress=progress,
            begun=begun,
        )
