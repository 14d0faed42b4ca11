"""What the engines share: keys in other coordinates, an index of them, and exact scores for what it finds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput, SpaceFileError
from entvec.search.coordinates import FORMS, Coordinates, Form, fit
from entvec.search.exact import Floats, Hits, Keys, Rows, top
from entvec.search.request import Request

RECALL = 0.98
CANDIDATES = 3
SMALL = 4096
"""With fewer keys, looking at each of them is as fast as any index."""
MEASURED = 512
"""How many queries tell what an index finds."""
K = 10
"""Recall is measured among so many, and for no fewer are candidates looked for."""
INDEX, COORDINATES = "index", "coordinates.safetensors"
MARK = "index"
ENDS = 1 << 20
"""How many bytes of both ends of a file stand for the whole: to read all of it would undo the memory map."""


class Index(Protocol):
    """An index of rows, as a library makes it."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, and how many numbers each has."""
        ...

    def efforts(self, *, last: bool) -> Sequence[int]:
        """How hard a search may try, in rising order: while it is worth it, or to the end if nothing else is left."""
        ...

    def nearest(self, queries: NDArray[np.float32], n: int, effort: int) -> Rows:
        """About the n best rows of each query; -1 where fewer were found."""
        ...

    def save(self, path: Path) -> None:
        """Write the index to a file."""
        ...


class Library(Protocol):
    """A library that makes indexes."""

    name: str
    kinds: Sequence[str]
    """The indexes it makes: the first for a small vocabulary, the others in the order in which they are tried."""
    effort: dict[str, str]
    """What a search in an index of each kind has more of if it tries harder."""

    def build(self, kind: str, rows: NDArray[np.float32], form: Form, seed: int) -> Index:
        """An index of rows."""
        ...

    def open(self, path: Path, kind: str) -> Index:
        """An index in a file, by memory map; ValueError if there is none."""
        ...


@dataclass(frozen=True, eq=False)
class IndexedEngine:
    """An index asked in its coordinates, whose answers get exact scores."""

    name: str
    index: Index
    coordinates: Coordinates
    effort: int
    options: dict[str, Any]

    def search(self, posed: Request, k: int) -> Hits:
        """About the k best keys of each question, with exact scores, best first."""
        n, queries = self.index.shape[0], posed.queries
        k = min(k, n)
        found = Hits(np.full((len(queries), k), -1, np.int64), np.full((len(queries), k), -np.inf))
        if k == 0 or len(queries) == 0:
            return found
        rows = _candidates(self.index, self.coordinates.queries(queries), k, self.options["candidates"], self.effort)
        for query, of_query in enumerate(rows):
            some = np.sort(of_query[of_query >= 0])
            scores = posed.exact(query, some)
            best = np.argsort(-scores, kind="stable")[:k]
            found.rows[query, : len(best)] = some[best]
            found.scores[query, : len(best)] = scores[best]
        return found

    def save(self, path: Path) -> None:
        """Write the index and its coordinates to a folder."""
        path.mkdir()
        self.index.save(path / INDEX)
        self.coordinates.save(path / COORDINATES, {MARK: _mark(path / INDEX)})


def _candidates(index: Index, queries: NDArray[np.float32], k: int, times: int, effort: int) -> Rows:
    """A few times as many rows as are wanted; those of a query that finds fewer are looked for harder."""
    n = index.shape[0]
    wanted = times * max(k, K)
    if wanted >= n:
        return np.broadcast_to(np.arange(n), (len(queries), n))
    rows = index.nearest(queries, wanted, effort)
    while effort < n and len(few := np.flatnonzero(rows[:, -1] < 0)):
        effort *= 4
        rows[few] = index.nearest(queries[few], wanted, effort)
    return rows


# Building


class Tuned(NamedTuple):
    """An index, and the least effort with which it finds as much as it should, or the most."""

    made: Index
    kind: str
    coordinates: Coordinates
    effort: int
    recall: float


def build(
    library: Library,
    keys: Keys,
    queries: Floats,
    *,
    index: str | None = None,
    form: Form | None = None,
    recall: float = RECALL,
    candidates: int = CANDIDATES,
    seed: int = 0,
) -> IndexedEngine:
    """An engine with the first kind of index, in the first form, that reaches the recall; else with the best.

    `index` and `form` may be given. `recall` is that of the ten best, measured on a part of the queries; `candidates`
    is how many times as many keys as are asked for get exact scores.
    """
    _check(library, index, form, recall, candidates, seed)
    if len(keys) == 0:
        raise InvalidInput("there are no keys, so there is nothing to index; search exactly")
    small, *others = library.kinds
    kinds = [index] if index is not None else [small] if len(keys) < SMALL else others
    ways = [(kind, each) for kind in kinds for each in ([form] if form is not None else FORMS)]
    asked = queries[:: max(1, -(-len(queries) // MEASURED))]
    trial = Trial(asked, best_keys(keys, asked), recall, candidates)
    tried: list[Tuned] = []
    for kind, each in ways:
        made = fit(keys, queries, each)
        built = library.build(kind, made.keys(keys), each, seed)
        tried.append(trial.tuned(built, kind, made, last=kind == kinds[-1]))
        if tried[-1].recall >= recall:
            break
    best = max(tried, key=lambda tuned: tuned.recall)
    options = {
        "index": best.kind,
        "form": best.coordinates.form,
        library.effort[best.kind]: best.effort,
        "candidates": candidates,
        "recall": recall,
        "measured_recall": round(best.recall, 4),
        "seed": seed,
        "digest": best.coordinates.digest,
    }
    return IndexedEngine(library.name, best.made, best.coordinates, best.effort, options)


class Trial(NamedTuple):
    """Queries whose best keys are known."""

    queries: Floats
    best: Rows
    recall: float
    candidates: int

    def found(self, index: Index, coordinates: Coordinates, effort: int) -> float:
        """Which part of the best keys is among the candidates, so that exact scores will show them."""
        if not self.best.size:
            return 1.0
        rows = _candidates(index, coordinates.queries(self.queries), K, self.candidates, effort)
        return float((self.best[:, :, None] == rows[:, None, :]).any(axis=2).mean())

    def tuned(self, index: Index, kind: str, coordinates: Coordinates, *, last: bool) -> Tuned:
        """The index with the least effort that finds enough, or with the most."""
        for effort in index.efforts(last=last):
            found = self.found(index, coordinates, effort)
            if found >= self.recall:
                break
        return Tuned(index, kind, coordinates, effort, found)


def best_keys(keys: Keys, queries: Floats) -> Rows:
    """The best keys of each query, as far as the precision of the keys tells them."""

    def rescore(query: int, rows: Rows) -> Floats:
        return np.asarray(keys.decoded(rows).astype(np.float64) @ queries[query])

    return top(keys, queries, K, slack=np.zeros(len(queries)), rescore=rescore).rows


def _check(library: Library, index: str | None, form: Form | None, recall: float, candidates: int, seed: int) -> None:
    if index is not None and index not in library.kinds:
        raise InvalidInput(f"{library.name} has no index {index!r}, expected one of {', '.join(library.kinds)}")
    if form is not None and form not in FORMS:
        raise InvalidInput(f"no form {form!r}, expected {' or '.join(map(repr, FORMS))}")
    check_recall(recall)
    if type(candidates) is not int or candidates < 1:
        raise InvalidInput(f"candidates is {candidates!r}, expected a whole number, 1 or more")
    if type(seed) is not int or not 0 <= seed < 1 << 31:
        raise InvalidInput(f"seed is {seed!r}, expected a whole number from 0 to {(1 << 31) - 1}")


def check_recall(recall: float) -> None:
    """Refuse what is no part of the best keys."""
    if type(recall) not in (int, float) or not 0 < recall <= 1:
        raise InvalidInput(f"recall is {recall!r}, expected a number above 0 and at most 1")


# Files


def load(library: Library, path: Path, shape: tuple[int, int], options: dict[str, Any]) -> IndexedEngine:
    """An engine that was saved; what it was saved with is checked against its files."""
    kind, effort, times = options.get("index"), None, options.get("candidates")
    if isinstance(kind, str) and kind in library.kinds:
        effort = options.get(library.effort[kind])
    if type(effort) is not int or effort < 1 or type(times) is not int or times < 1:
        raise SpaceFileError(path, f"expected the options that an engine was saved with, found {str(options)[:80]}")
    coordinates, metadata = Coordinates.load(path / COORDINATES)
    if coordinates.digest != options.get("digest"):
        raise SpaceFileError(
            path / COORDINATES, "expected the coordinates that the engine was saved with, found others; build it again"
        )
    if metadata.get(MARK) != _mark(path / INDEX):
        raise SpaceFileError(
            path / INDEX, "expected the index that the engine was saved with, found another; build it again"
        )
    try:
        index = library.open(path / INDEX, str(kind))
    except (RuntimeError, ValueError) as error:
        raise SpaceFileError(path / INDEX, f"{library.name} cannot read it: {error}") from error
    n, width = index.shape
    if (n, len(coordinates.mean)) != shape or width != coordinates.width:
        expected = f"{shape[0]:,} keys of {shape[1]} numbers, {coordinates.width} in the index"
        found = f"{n:,} of {len(coordinates.mean)}, {width} in the index"
        raise SpaceFileError(path / INDEX, f"expected {expected}, found {found}; build it again")
    return IndexedEngine(library.name, index, coordinates, effort, options)


def _mark(path: Path) -> str:
    """The length of a file, and a digest of its ends."""
    try:
        with path.open("rb") as file:
            digest = hashlib.sha256(file.read(ENDS))
            size = file.seek(0, 2)
            file.seek(max(0, size - ENDS))
            digest.update(file.read(ENDS))
    except FileNotFoundError:
        raise SpaceFileError(path, "the file is missing, expected an index") from None
    except OSError as error:
        raise SpaceFileError(path, error.strerror or str(error)) from error
    return f"{size} {digest.hexdigest()}"
