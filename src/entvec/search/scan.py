"""Scan: score every word by the operator itself. This is slow, and exact for every operator and every vector."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from entvec.array_types import AnyFloats, Rows
from entvec.model.model import OTHER, Side, overflow
from entvec.runtime import blocks, in_threads
from entvec.search.key_table import KeyTable
from entvec.search.request import Hits, Request

WORDS_AT_ONCE = 1 << 12
SCORES_AT_ONCE = 1 << 22
"""The number of scores in memory, which limits how many queries are answered together."""


def scan(table: KeyTable, request: Request, k: int, among: Rows | None = None) -> Hits:
    """Return the k best words of each query; `Backend.search` has the parameters."""
    vectors = request.vectors.astype(np.float64, copy=False)
    rows = np.arange(len(table)) if among is None else among
    hits = Hits.empty(len(vectors), min(k, len(rows)))
    penalty: Any = 0.0
    if request.specificity and table.model.indexable:
        penalty = request.specificity * table[OTHER[request.side]].hubness(rows)

    def scores_of(queries: AnyFloats) -> AnyFloats:
        scores = np.empty((len(queries), len(rows)))

        def fill(block: slice) -> None:
            words = table.vocabulary.take(rows[block]).matrix.astype(np.float64)
            with np.errstate(over="ignore", invalid="ignore"):
                for i, query in enumerate(queries):
                    scores[i, block] = table.model.score_from(request.side, query[None], words)

        in_threads(fill, blocks(len(rows), WORDS_AT_ONCE))
        if not (finite := np.isfinite(scores).all(axis=0)).all():
            word = table.vocabulary.words[int(rows[~finite][0])]
            raise overflow(table.model.operator.name, f"{word!r} with the query")
        scores -= penalty
        return scores

    at_once = max(1, SCORES_AT_ONCE // max(1, len(rows)))
    for first in range(0, len(vectors), at_once):
        for i, scores in enumerate(scores_of(vectors[first : first + at_once]), start=first):
            hits.fill(i, rows, scores)
    return hits


@dataclass(frozen=True, eq=False)
class ScanSearcher:
    """Searches by a scan of all words."""

    table: KeyTable
    name: str = "scan"

    @property
    def options(self) -> dict[str, Any]:
        """A scan has no options."""
        return {}

    def search(self, request: Request, k: int) -> Hits:
        """Return the k best words of each query."""
        return scan(self.table, request, k)

    def save(self, path: Path) -> None:
        """Create an empty folder: a scan has nothing to save."""
        path.mkdir()


def build(table: KeyTable, side: Side) -> ScanSearcher:  # noqa: ARG001 - a scan is the same for both sides
    """Return a searcher for the words of one side."""
    return ScanSearcher(table)


def load(table: KeyTable, side: Side, path: Path, options: dict[str, Any]) -> ScanSearcher:  # noqa: ARG001
    """Return a saved searcher."""
    return ScanSearcher(table)
