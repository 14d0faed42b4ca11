"""Approximate search: an index of a library finds candidates, and exact scores rank them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.errors import EntvecError, InvalidInput, SpaceFileError
from entvec.model.model import OTHER, Side
from entvec.search.coordinates import FORMS, Coordinates, Form, fit
from entvec.search.exact import top
from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.search.request import Hits, Request
from entvec.vectors.vocabulary import sample

RECALL = 0.98
CANDIDATES = 3
SMALL = 4096
"""With fewer keys, a product with each of them is as fast as any other index."""
MEASURED = 512
"""The number of queries that recall is measured on."""
K = 10
"""Recall is measured on this many words for each query, and a search for fewer gets the candidates of this many."""
EXPANSIONS = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""The efforts of a search in a neighbour graph: how many nodes it keeps."""
SMALLEST, LARGEST = 1e-6, 6e4
"""The sizes of numbers that an index with 16 bits can compare."""
INDEX, COORDINATES = "index", "coordinates.safetensors"
MARK = "index"


class Index(Protocol):
    """An index that a library has built."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        ...

    def efforts(self, *, last: bool) -> Sequence[int]:
        """Return the efforts of a search to try, in rising order; all there are if this is the last kind of index."""
        ...

    def nearest(self, queries: NDArray[np.float32], n: int, effort: int) -> Rows:
        """Return about the n best rows of each query; -1 where the index finds fewer.

        Parameters
        ----------
        queries
            The queries, in the coordinates of the index.
        n
            How many rows to return for each query.
        effort
            One of `efforts`: more takes longer and finds more of the best rows.
        """
        ...

    def save(self, path: Path) -> None:
        """Write the index to a file."""
        ...


class Library(NamedTuple):
    """A library that builds indexes."""

    name: str
    """The name in `SEARCHERS`."""
    kinds: Sequence[str]
    """The kinds of index: the first for a small vocabulary, the others in the order in which to try them."""
    effort: Mapping[str, str]
    """The name of the option that holds the effort of a search, for each kind of index."""
    check_installed: Callable[[], Any]
    """Raises MissingExtra if the library is not installed."""
    build: Callable[[str, NDArray[np.float32], Form, int], Index]
    """Returns an index of a kind for keys in its coordinates, which are compared with queries in one form; the last
    argument is the seed of everything random."""
    open: Callable[[Path, str], Index]
    """Returns the index of a file, of this kind, as a memory map; raises RuntimeError or ValueError if it is none."""


@dataclass(frozen=True, eq=False)
class IndexSearcher:
    """Searches an index for candidates and ranks them by exact scores."""

    name: str
    table: KeyTable
    index: Index
    coordinates: Coordinates
    effort: int
    options: dict[str, Any]

    def search(self, request: Request, k: int) -> Hits:
        """Return about the k best words of each query, with exact scores, best first."""
        hits = Hits.empty(len(request), min(k, self.index.shape[0]))
        if not hits.rows.size:
            return hits
        queries = self.table.queries(request)
        rescore = self.table.rescorer(request, queries)
        changed = self.coordinates.queries(queries)
        found = _candidates(self.index, changed, hits.rows.shape[1], self.options["candidates"], self.effort)
        for query, candidates in enumerate(found):
            rows = np.sort(candidates[candidates >= 0])
            hits.fill(query, rows, rescore(query, rows))
        return hits

    def save(self, path: Path) -> None:
        """Write the index and its coordinates to a new folder."""
        path.mkdir()
        try:
            self.index.save(path / INDEX)
        except RuntimeError as error:  # of faiss and usearch, such as for a full disk
            raise OSError(f"{self.name} cannot save its index: {error}") from error
        self.coordinates.save(path / COORDINATES, {MARK: _mark(path / INDEX)})


def _candidates(index: Index, queries: NDArray[np.float32], k: int, times: int, effort: int) -> Rows:
    """Return `times` as many rows as a search wants; raise the effort for queries for which the index finds fewer."""
    n = index.shape[0]
    wanted = times * max(k, K)
    if wanted >= n:
        return np.broadcast_to(np.arange(n), (len(queries), n))
    rows = index.nearest(queries, wanted, effort)
    while effort < n and len(few := np.flatnonzero(rows[:, -1] < 0)):
        effort *= 4
        rows[few] = index.nearest(queries[few], wanted, effort)
    if rows.size and not -1 <= rows.min() <= rows.max() < n:
        raise EntvecError(f"the index names row {rows.max()} or {rows.min()} of {n:,} words; build it again")
    return rows


# Building


class Tuned(NamedTuple):
    """An index, the least effort that reaches the recall, or else the largest, and the measured recall."""

    built: Index
    kind: str
    coordinates: Coordinates
    effort: int
    recall: float


def build(
    library: Library,
    table: KeyTable,
    side: Side,
    *,
    index: str | None = None,
    form: Form | None = None,
    recall: float = RECALL,
    candidates: int = CANDIDATES,
    seed: int = 0,
) -> IndexSearcher:
    """Return a searcher with the first kind and form of index that reaches the recall, or else with the best of them.

    Parameters
    ----------
    library
        Builds the indexes.
    table, side
        The words to index: "hyper" to search for hypernyms, "hypo" for hyponyms.
    index, form
        The kind of index and how it compares keys and queries; by default the first that reach the recall.
    recall
        The share of the ten best words that the index must find, measured on a sample of queries.
    candidates
        How many candidates get exact scores, for each word that a search returns.
    seed
        The seed of everything random in an index.
    """
    _check(library, index, form, recall, candidates, seed)
    library.check_installed()
    keys = table[side]
    queries = table.queries(sample_request(table, side))
    if len(keys) == 0:
        raise InvalidInput("there are no keys, so there is nothing to index; search exactly")
    small, *others = library.kinds
    kinds = [index] if index is not None else [small] if len(keys) < SMALL else others
    forms = [form] if form is not None else FORMS
    measured = queries[:: max(1, -(-len(queries) // MEASURED))]
    trial = Trial(measured, best_keys(keys, measured), recall, candidates)
    tuned: list[Tuned] = []
    for kind, each in product(kinds, forms):
        with np.errstate(over="ignore", invalid="ignore"):  # the check of the sizes tells it
            coordinates = fit(keys, queries, each)
            rows = coordinates.keys(keys)
            sizes = [float(np.abs(some).max()) for some in (rows, coordinates.queries(measured))]
        if not np.isfinite(sizes).all():
            raise _unfit(sizes)
        built = library.build(kind, rows, each, seed)
        tuned.append(trial.tuned(built, kind, coordinates, last=kind == kinds[-1]))
        if tuned[-1].recall >= recall:
            break
    best = max(tuned, key=lambda one: one.recall)
    if best.recall < recall and sizes[0] > 0 and not LARGEST >= max(sizes) >= min(sizes) >= SMALLEST:
        raise _unfit(sizes)  # with 0, all words have the same score, and any are the best
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
    return IndexSearcher(library.name, table, best.built, best.coordinates, best.effort, options)


def _unfit(sizes: Sequence[float]) -> InvalidInput:
    return InvalidInput(
        f"keys and queries have numbers up to {sizes[0]:.2g} and {sizes[1]:.2g} in an index, expected {SMALLEST:g} to "
        f"{LARGEST:g}, which 16 bits can hold; scale the vectors, or search exactly"
    )


def sample_request(table: KeyTable, side: Side) -> Request:
    """Return a request for the best words of this side, with a sample of the vocabulary as queries."""
    return Request(OTHER[side], sample(table.vocabulary), table.model.penalty(OTHER[side]))


class Trial(NamedTuple):
    """Queries whose best keys are known, to measure the recall of an index."""

    queries: AnyFloats
    best: Rows
    recall: float
    candidates: int

    def found(self, index: Index, coordinates: Coordinates, effort: int) -> float:
        """Return the recall: the part of the best keys that is among the candidates."""
        if not self.best.size:
            return 1.0
        rows = _candidates(index, coordinates.queries(self.queries), K, self.candidates, effort)
        return float((self.best[:, :, None] == rows[:, None, :]).any(axis=2).mean())

    def tuned(self, index: Index, kind: str, coordinates: Coordinates, *, last: bool) -> Tuned:
        """Return the index with the least effort that reaches the recall, or else with the largest."""
        for effort in index.efforts(last=last):
            measured = self.found(index, coordinates, effort)
            if measured >= self.recall:
                break
        return Tuned(index, kind, coordinates, effort, measured)


def best_keys(keys: Keys, queries: AnyFloats) -> Rows:
    """Return the best keys of each query, by products in the dtype of the keys."""

    def rescore(query: int, rows: Rows) -> AnyFloats:
        return np.asarray(keys.decoded(rows).astype(np.float64) @ queries[query])

    return top(keys, queries, K, error_bound=np.zeros(len(queries)), rescore=rescore).rows


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
    """Raise InvalidInput if this is not a recall."""
    if type(recall) not in (int, float) or not 0 < recall <= 1:
        raise InvalidInput(f"recall is {recall!r}, expected a number above 0 and at most 1")


# Files


def load(library: Library, table: KeyTable, side: Side, path: Path, options: dict[str, Any]) -> IndexSearcher:
    """Return a saved searcher, whose index the library opens; `local.load_searcher` has the other parameters."""
    library.check_installed()
    shape = (len(table), table.width(side))
    kind, effort, times = options.get("index"), None, options.get("candidates")
    if isinstance(kind, str) and kind in library.kinds:
        effort = options.get(library.effort[kind])
    if type(effort) is not int or effort < 1 or type(times) is not int or times < 1:
        raise SpaceFileError(path, f"expected the options that an index was saved with, found {str(options)[:80]}")
    coordinates, metadata = Coordinates.load(path / COORDINATES)
    if coordinates.digest != options.get("digest"):
        raise SpaceFileError(
            path / COORDINATES,
            "expected the coordinates that the index was saved with, found others; build it again",
        )
    if metadata.get(MARK) != _mark(path / INDEX):
        raise SpaceFileError(
            path / INDEX, "expected the index that was saved, found another or a damaged one; build it again"
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
    return IndexSearcher(library.name, table, index, coordinates, effort, options)


def _mark(path: Path) -> str:
    """Return a hash of a file: all of it, because a library may crash in an index of which one bit has changed."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise SpaceFileError(path, "the file is missing, expected an index") from None
    except OSError as error:
        raise SpaceFileError(path, error.strerror or str(error)) from error
