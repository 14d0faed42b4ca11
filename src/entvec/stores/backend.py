"""The backend of a space in a database: the database finds candidates, and the client computes their exact scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput
from entvec.model.model import OTHER, Model, Side
from entvec.search.approximate import K
from entvec.search.coordinates import Coordinates
from entvec.search.request import Hits, Request
from entvec.stores.conditions import parse_condition
from entvec.stores.contract import Filter, Tables, in_blocks
from entvec.stores.vocabulary import RemoteVocabulary
from entvec.vectors.dtypes import DtypeName

QUERIES_AT_ONCE, CANDIDATES_AT_ONCE = 256, 1 << 16
"""Queries are answered in blocks, so that the vectors of their candidates fit in memory."""


class Index(NamedTuple):
    """An index of the keys of one side, and how it is searched."""

    coordinates: Coordinates
    effort: int
    """The effort of a search: a setting of the database. More finds more of the best words, and takes longer."""
    candidates: int
    """How many candidates are rescored for each word to return."""


@dataclass(frozen=True, eq=False)
class RemoteBackend:
    """Searches one version of a space in a database. The version never changes."""

    model: Model
    vocabulary: RemoteVocabulary
    tables: Tables
    indexes: Mapping[Side, Index]
    where: str
    candidates_at_once: int = CANDIDATES_AT_ONCE

    def __str__(self) -> str:
        return self.where

    @property
    def dtype(self) -> DtypeName:
        """The dtype of the keys of the space that was exported."""
        return cast("DtypeName", self.tables.manifest.description["dtype"])

    @property
    def version(self) -> str:
        """The fingerprint of what was exported: the same space has the same one."""
        return self.tables.manifest.version

    @property
    def columns(self) -> dict[str, type]:
        """The additional columns that `where` may name, with their types."""
        return dict(self.tables.manifest.columns)

    @property
    def recall(self) -> dict[Side, float]:
        """The share of the ten best words that a search found when the space was loaded, by the side of the words."""
        return self.tables.manifest.recall

    @property
    def most(self) -> int | None:
        """The largest number of words that a search can return; None if there is no limit."""
        return self.tables.most

    def scores(self, request: Request, queries: Rows, rows: Rows) -> AnyFloats:
        """Return the exact scores of pairs of a query and a row; `Backend.scores` has the parameters."""
        some, at = np.unique(rows, return_inverse=True)
        vectors, hubness = self.vocabulary.vectors_and_hubness(some, OTHER[request.side])
        here = request.vectors[queries].astype(np.float64)
        found = self.model.score_from(request.side, here, vectors[at])
        return np.asarray(found - request.specificity * hubness[at])

    def hubness(self, side: Side, rows: Rows) -> AnyFloats:
        """Return the hubness of these words."""
        return self.vocabulary.vectors_and_hubness(rows, side)[1]

    def search(self, request: Request, k: int, *, among: Rows | None = None, where: Any = None) -> Hits:
        """Return the k best words of the other side for each query; `Backend.search` has the parameters."""
        side, only = request.side, _filter(self.tables.manifest.condition_columns, among, where)
        index = self._index(side)
        vectors = request.vectors.astype(np.float64, copy=False)
        if not (inside := self.model.in_range(side, vectors)).all():
            raise InvalidInput(
                f"{int((~inside).sum()):,} of {len(vectors):,} vectors have log-odds outside of what the maps of "
                f"{self.model.operator.name} were made for, so an index cannot find their words; "
                "ask a space in a folder"
            )
        n = len(self.vocabulary)
        k = self._reachable(k, n if among is None else len(among))
        hits = Hits.empty(len(vectors), k)
        wanted = min(index.candidates * max(k, K), n)
        at_once = max(1, min(QUERIES_AT_ONCE, self.candidates_at_once // max(1, wanted)))
        for some in in_blocks(len(vectors) if k else 0, at_once):
            mapped = self.model.mapped(side, vectors[some])
            queries = np.concatenate([mapped, np.full((len(mapped), 1), -request.specificity)], axis=1)
            found = self.tables.nearest(OTHER[side], index.coordinates.queries(queries), wanted, index.effort, only)
            self._rank(side, vectors[some], queries, found, Hits(hits.rows[some], hits.scores[some]))
        return hits

    def _index(self, side: Side) -> Index:
        if OTHER[side] in self.indexes:
            return self.indexes[OTHER[side]]
        self.model.check_indexable("no database can search it; ask a space in a folder")
        verb = "hypernyms" if side == "hypo" else "hyponyms"
        raise InvalidInput(
            f"the space was exported without what {verb} need; "
            f"export it again with the side {OTHER[side]!r}, or --keys both"
        )

    def _reachable(self, k: int, n: int) -> int:
        most = self.tables.most
        if most is not None and min(k, n) > most:
            raise InvalidInput(
                f"a search for {k:,} words, the word that is asked about counted, but this database finds at most "
                f"{most:,} for a question; ask for fewer, or fetch all words with `in_memory()`"
            )
        return min(k, n)

    def _rank(self, side: Side, vectors: AnyFloats, queries: AnyFloats, candidates: Rows, hits: Hits) -> None:
        """Write the best candidates of each query into `hits`, by their exact scores."""
        rows, places = np.unique(candidates, return_inverse=True)
        missing = int((rows < 0).sum())  # -1 comes first, if there are fewer candidates than wanted
        stored, hubness = self.vocabulary.vectors_and_hubness(rows[missing:], OTHER[side])
        exact = self.model.low_rank is None
        keys = np.concatenate([self.model.mapped(OTHER[side], stored), hubness[:, None]], axis=1) if exact else None
        for i, own in enumerate(places.reshape(candidates.shape)):
            some = np.unique(own[own >= missing]) - missing
            if keys is not None:
                scores = np.vecdot(keys[some], queries[i])
            else:
                scores = self.model.score_from(side, vectors[i][None], stored[some])
                scores = scores + queries[i, -1] * hubness[some]
            best = np.argsort(-scores, kind="stable")[: hits.rows.shape[1]]
            hits.rows[i, : len(best)] = rows[missing:][some[best]]
            hits.scores[i, : len(best)] = scores[best]


def _filter(columns: Mapping[str, type], among: Rows | None, condition: Any) -> Filter | None:
    """Return the limits of a search, if any; `condition` is a text and the values of its placeholders."""
    where, values = condition or (None, None)
    if values and where is None:
        raise InvalidInput("values without `where`, expected the condition that they are for")
    parsed = None if where is None else parse_condition(where, columns, values)
    return None if among is None and parsed is None else Filter(among, parsed)
