"""The backend of a vocabulary in memory: exact search, or another searcher where a side has one."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput, Remedy
from entvec.model.model import OTHER, Side
from entvec.runtime import blocks
from entvec.search.exact import top
from entvec.search.key_table import KeyTable
from entvec.search.request import Hits, Request
from entvec.search.scan import scan
from entvec.vectors.dtypes import DtypeName

EXACT = "exact"
SEARCHERS: dict[str, str] = {
    "faiss": "entvec.search.faiss",
    "usearch": "entvec.search.usearch",
    "device": "entvec.search.device",
    "scan": "entvec.search.scan",
}
"""The module of each searcher. It has two functions: `build(table, side, **options)` returns a searcher for the keys of
one side, and `load(table, side, path, options)` opens a saved one."""
PAIRS_AT_ONCE = 1 << 14
"""Pairs are scored in blocks of this many, so that temporary arrays stay small."""
LARGEST_BOUND = 1e29
"""With a larger error bound, products may overflow float32."""


class Searcher(Protocol):
    """Finds the best words of one side; one of these for each row of `SEARCHERS`."""

    @property
    def name(self) -> str:
        """The name in `SEARCHERS`."""
        ...

    @property
    def options(self) -> dict[str, Any]:
        """The options it was built with and the recall measured then, as values for JSON."""
        ...

    def search(self, request: Request, k: int) -> Hits:
        """Return about the k best words of each query, with exact scores, best first."""
        ...

    def save(self, path: Path) -> None:
        """Write the searcher to a new folder."""
        ...


class LocalBackend:
    """Searches the keys of a vocabulary in memory.

    The searcher of a side finds its words, if there is one. A search among some rows is always exact, and so is one for
    vectors outside the range in which the maps of the model are valid.

    >>> from entvec.bundled import toy_world
    >>> from entvec.model import choose
    >>> from entvec.vectors import Vectors
    >>> toys = Vectors(toy_world().words, toy_world().log_odds())
    >>> LocalBackend(KeyTable(choose(toys, interpretation="log_odds"), toys)).dtype
    'float32'

    Parameters
    ----------
    table
        The keys.
    searchers
        The searchers by side; a side without one is searched exactly.
    """

    def __init__(self, table: KeyTable, searchers: Mapping[Side, Searcher] | None = None) -> None:
        self.table = table
        self.searchers: dict[Side, Searcher] = dict(searchers or {})

    @property
    def dtype(self) -> DtypeName:
        """The dtype that keys are stored in."""
        return self.table.dtype

    def __str__(self) -> str:
        return next((searcher.name for searcher in self.searchers.values()), "")

    def search(self, request: Request, k: int, *, among: Rows | None = None, where: Any = None) -> Hits:
        """Return the k best words of the other side for each query, best first.

        >>> from entvec.bundled import toy_world
        >>> from entvec.model import choose
        >>> from entvec.vectors import Vectors
        >>> toys = Vectors(toy_world().words, toy_world().log_odds())
        >>> backend = LocalBackend(KeyTable(choose(toys, interpretation="log_odds"), toys))
        >>> backend.search(Request("hypo", toys[["dog"]], specificity=0.0), 3).rows.shape
        (1, 3)

        Parameters
        ----------
        request, k, among
            As in `Backend.search`.
        where
            Must be None: conditions are for spaces in a database.
        """
        if where is not None:
            raise InvalidInput("a condition is for a space in a database", remedy=Remedy.ASK_DATABASE)
        inside = self.table.model.in_range(request.side, request.vectors)
        if not inside.any():
            return scan(self.table, request, k, among)
        if not inside.all():
            parts = [self.search(request.take(mask), k, among=among) for mask in (inside, ~inside)]
            order = np.argsort(np.concatenate([np.flatnonzero(inside), np.flatnonzero(~inside)]))
            return Hits(*(np.concatenate(column)[order] for column in zip(*parts, strict=True)))
        searcher = self.searchers.get(OTHER[request.side])
        if among is None and searcher is not None:
            return searcher.search(request, k)
        return exact(self.table, request, k, among)

    @property
    def most(self) -> None:
        """There is no limit to how many words a search returns."""

    def scores(self, request: Request, queries: Rows, rows: Rows) -> AnyFloats:
        """Return the exact scores of pairs: the scores by which hits are ordered.

        >>> from entvec.bundled import toy_world
        >>> from entvec.model import choose
        >>> from entvec.vectors import Vectors
        >>> toys = Vectors(toy_world().words, toy_world().log_odds())
        >>> backend = LocalBackend(KeyTable(choose(toys, interpretation="log_odds"), toys))
        >>> request = Request("hypo", toys[["dog"]], specificity=0.0)
        >>> backend.scores(request, np.array([0, 0]), toys.rows(["animal", "cat"])).round(2)
        array([-0.13, -4.05])

        Parameters
        ----------
        request, queries, rows
            As in `Backend.scores`.
        """
        table, found = self.table, np.empty(len(rows))
        if table.model.indexable and table.model.in_range(request.side, request.vectors).all():
            mapped = table.queries(request)
            if table.error_bound(request, mapped).max(initial=0.0) < LARGEST_BOUND:
                rescore = table.rescorer(request, mapped)
                for some in blocks(len(rows), PAIRS_AT_ONCE):
                    found[some] = rescore(queries[some], rows[some])
                return found
        for query in np.unique(queries).tolist():
            own = queries == query
            hits = scan(table, request.take([query]), int(own.sum()), np.sort(rows[own]))
            found[own] = hits.scores[0][np.argsort(hits.rows[0])][np.argsort(np.argsort(rows[own]))]
        return found

    def hubness(self, side: Side, rows: Rows) -> AnyFloats:
        """Return the hubness of the words of these rows."""
        return self.table[side].hubness(rows)


def exact(table: KeyTable, request: Request, k: int, among: Rows | None = None) -> Hits:
    """Return the k best words of each query, by products with all keys; exact scores decide what these leave open.

    `Backend.search` has the parameters.
    """
    queries = table.queries(request)
    bound = table.error_bound(request, queries)
    if not bound.max(initial=0.0) < LARGEST_BOUND:
        return scan(table, request, k, among)
    keys = table[OTHER[request.side]]
    return top(keys, queries, k, error_bound=bound, rescore=table.rescorer(request, queries), among=among)


def build_searcher(name: str, table: KeyTable, side: Side, **options: Any) -> Searcher:
    """Return a new searcher for the words of one side.

    Parameters
    ----------
    name
        The name of the searcher in `SEARCHERS`.
    table, side
        The keys: "hyper" to search for hypernyms, "hypo" for hyponyms.
    options
        The options of the `build` function of the searcher.
    """
    if side not in OTHER:
        raise InvalidInput(f"no side {side!r}, expected hypo or hyper")
    build = _module(name).build
    known = [key for key, value in inspect.signature(build).parameters.items() if value.kind == value.KEYWORD_ONLY]
    if unknown := sorted(set(options) - set(known)):
        raise InvalidInput(f"no option {unknown[0]!r} of the backend {name}, expected {', '.join(known) or 'none'}")
    searcher: Searcher = build(table, side, **options)
    return searcher


def load_searcher(name: str, table: KeyTable, side: Side, path: Path, options: dict[str, Any]) -> Searcher:
    """Return a saved searcher; raise SpaceFileError if its files do not fit the keys or the options.

    Parameters
    ----------
    name
        The name of the searcher in `SEARCHERS`.
    table, side
        The keys that it was built for.
    path
        The folder it was saved to.
    options
        The options it had when it was saved.
    """
    searcher: Searcher = _module(name).load(table, side, path, options)
    return searcher


def _module(name: str) -> Any:
    if name not in SEARCHERS:
        raise InvalidInput(f"no backend {name!r}, expected one of {', '.join([EXACT, *SEARCHERS])}")
    return import_module(SEARCHERS[name])
