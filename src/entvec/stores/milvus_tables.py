"""A version of a space in Milvus: what can be asked of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput, StoreError, VersionGone
from entvec.model.model import Floats, Side
from entvec.stores.contract import FLAT, HNSW, Filter, Lookup, Manifest, Words, hubness_column, in_blocks
from entvec.stores.milvus_connection import Refused
from entvec.stores.milvus_expressions import all_of, begins_with, bound, one_of
from entvec.stores.milvus_manifest import Index
from entvec.vectors.vocabulary import Rows

if TYPE_CHECKING:
    from entvec.stores.milvus import MilvusStore

MOST = 1 << 14
"""How many rows a search finds, and how many queries it takes, at most: limits of the server."""
BYTES_AT_ONCE = 1 << 24
"""In one message: a server takes 64 MB."""
ROWS_AT_ONCE = 1 << 12
EMBEDDED_QUERIES = 256
EMBEDDED_ROOM, DIFFERENCES = 1 << 28, 3
"""How many bytes, and how many copies of them, the embedded engine may need for a search without an index."""
NARROWEST = 2
"""A vector of Milvus has at least so many numbers; zeros are added."""
FORGIVEN = 2
"""By how many letters a similar word may be longer or shorter."""
EXPRESSION = (6, 1100)
"""Codes of errors in a condition, of the embedded engine and of newer servers."""


class MilvusTables:
    """A version of a space in Milvus."""

    most: int | None = MOST

    def __init__(self, store: MilvusStore, token: str, manifest: Manifest, index: Index) -> None:
        self.manifest = manifest
        self._store = store
        self._token = token
        self._index = index

    def collection(self, table: str) -> str:
        """What a table of this version is called."""
        return f"{self._store.name}_{self._token}_{table}"

    def efforts(self, side: Side) -> Sequence[int]:  # noqa: ARG002
        """How hard a search may try, in rising order."""
        return self._index.efforts

    def nearest(
        self, side: Side, queries: NDArray[np.float32], n: int, effort: int, only: Filter | None = None
    ) -> Rows:
        """About the n nearest keys of each query, in coordinates; -1 where fewer were found."""
        found = np.full((len(queries), n), -1, dtype=np.int64)
        wanted = min(n, self.manifest.n_words, MOST)
        filters = [""] if only is None else list(_filters(only))
        if not wanted or not filters:
            return found
        asked = widened(queries)
        for some in in_blocks(len(asked), self._queries_at_once(asked.shape[1])):
            with _refusals(only, self.manifest):
                _merge([self._searched(side, asked[some], wanted, effort, each) for each in filters], found[some])
        return found

    def _queries_at_once(self, width: int) -> int:
        most = min(MOST, max(1, BYTES_AT_ONCE // (4 * width)))
        if not self._store.embedded:
            return most
        # The embedded engine has the differences of each query and each key in memory if there is no index.
        room = EMBEDDED_ROOM // (DIFFERENCES * 4 * width * max(1, self.manifest.n_words))
        return max(1, min(room if self._index.kind == FLAT else EMBEDDED_QUERIES, most))

    def _searched(self, side: Side, queries: NDArray[np.float32], n: int, effort: int, condition: str) -> Any:
        if condition:
            effort = self._harder(side, effort, condition)
        return self._ask(
            "search",
            side,
            data=list(queries),
            limit=n,
            filter=condition,
            anns_field="coordinates",
            output_fields=["row"],  # the embedded engine would send everything
            search_params={"metric_type": "L2", "params": self._index.search(n, effort)},
            consistency_level="Eventually",  # nothing was written since the indexes were built
        )

    def _harder(self, side: Side, effort: int, condition: str) -> int:
        """The effort that meets as many keys as without a condition: clusters are all looked at, which is exact."""
        if self._index.kind != HNSW:
            return max(self._index.efforts)
        return effort * self.manifest.n_words // max(1, self._count(side, condition))

    def words(self, rows: Rows) -> Words:
        """What is kept of these rows, in their order."""
        hubness = [hubness_column(side) for side in self.manifest.widths]
        wanted = np.unique(rows)
        dimension = self.manifest.dimension
        words = np.empty(len(wanted), dtype=object)
        vectors = np.empty((len(wanted), dimension), dtype=np.float32)
        numbers = np.empty((len(wanted), len(hubness)))
        for some in in_blocks(len(wanted), max(1, min(ROWS_AT_ONCE, BYTES_AT_ONCE // (4 * dimension)))):
            found = self._rows("words", one_of("row", wanted[some].tolist()), ["row", "word", "vector", *hubness])
            if len(found) != some.stop - some.start:
                raise self._gone() or StoreError(
                    self._store.where, f"{self.collection('words')} lacks rows that it had; export under another name"
                )
            at = np.searchsorted(wanted, [each["row"] for each in found])
            words[at] = [each["word"] for each in found]
            vectors[at] = np.array([each["vector"] for each in found], dtype=np.float32)[:, :dimension]
            numbers[at] = [[each[name] for name in hubness] for each in found]
        back = np.searchsorted(wanted, rows)
        found_hubness: dict[Side, Floats] = {side: numbers[back, i] for i, side in enumerate(self.manifest.widths)}
        return Words(words[back].tolist(), vectors[back], found_hubness)

    def find(self, words: Sequence[str], folded: Sequence[str]) -> Lookup:
        """The rows of these words, and of these folded forms."""
        asked = {*map(as_written, words), *map(as_folded, folded), *map(as_written, folded)}
        found = self._rows("spellings", one_of("spelling", sorted(asked)), ["spelling", "row"])
        rows = {each["spelling"]: each["row"] for each in found}
        written = {word: rows[as_written(word)] for word in words if as_written(word) in rows}
        # A form that is no folded one, but a word, is that of this word first.
        either = {form: rows.get(as_folded(form), rows.get(as_written(form))) for form in folded}
        return Lookup(written, {form: row for form, row in either.items() if row is not None})

    def near(self, folded: str, n: int) -> list[str]:
        """Up to n words whose folded form begins like this one and is about as long, the first rows first."""
        starts = [begins_with("spelling", spelled(folded[:2])) for spelled in (as_written, as_folded)]
        some = self._rows("spellings", starts, ["spelling", "row"], limit=MOST)
        alike = {each["row"] for each in some if abs(len(each["spelling"]) - 1 - len(folded)) <= FORGIVEN}
        found = self._rows("words", one_of("row", sorted(alike)[:n]), ["row", "word"])
        return [each["word"] for each in sorted(found, key=lambda each: each["row"])]

    def _rows(self, table: str, conditions: Iterable[str], fields: list[str], **options: Any) -> list[dict[str, Any]]:
        options = {"output_fields": fields, "consistency_level": "Eventually", **options}
        return [row for each in conditions for row in self._ask("query", table, filter=each, **options)]

    def _count(self, table: str, condition: str = "", **options: Any) -> int:
        [counted] = self._rows(table, [condition], ["count(*)"], **options)
        return int(counted["count(*)"])

    def _ask(self, method: str, table: str, *args: Any, **options: Any) -> Any:
        try:
            return self._store.connection.ask(method, self.collection(table), *args, **options)
        except StoreError as error:
            raise self._gone() or error from None

    def _gone(self) -> StoreError | None:
        """The error if another version has taken the place of this one."""
        with suppress(StoreError):
            if self._store.serving() != self._token:
                return VersionGone(self._store.where, "another version serves now; open the space again")
        return None


def _filters(only: Filter) -> Iterator[str]:
    """Conditions of searches, one of which each row that is looked for fulfils."""
    where = [] if only.where is None else [bound(only.where, only.values)]
    if only.rows is None:
        yield all_of(where)
    else:
        for some in one_of("row", only.rows.tolist()):
            yield all_of([*where, some])


def _merge(parts: list[Any], found: Rows) -> None:
    """Write down the nearest of what several searches found for each query."""
    for query, row in enumerate(found):
        hits = [part[query] for part in parts]
        ids = np.array([each for some in hits for each in some.ids], dtype=np.int64)
        if len(hits) > 1:
            ids = ids[np.argsort([each for some in hits for each in some.distances], kind="stable")]
        row[: len(ids)] = ids[: len(row)]


@contextmanager
def _refusals(only: Filter | None, manifest: Manifest) -> Iterator[None]:
    """What Milvus refuses because of a condition is told in one line, without the rows that it was joined with."""
    try:
        yield
    except Refused as error:
        about_it = error.code in EXPRESSION or "expression" in error.reason or "query plan" in error.reason
        if only is None or only.where is None or not about_it:
            raise
        reason = error.reason.rsplit(", error: ", 1)[-1][:200]
        names = ", ".join(["word", *manifest.columns])
        raise InvalidInput(
            f"Milvus refuses what is given as where, {only.where!r:.200}: {reason}; expected a condition on {names}"
        ) from None


def as_written(word: str) -> str:
    """The spelling of a word as it is."""
    return f"w{word}"


def as_folded(form: str) -> str:
    """The spelling of the folded form of a word."""
    return f"f{form}"


def widened(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors that are not too short for Milvus."""
    lacking = max(0, NARROWEST - vectors.shape[1])
    return np.ascontiguousarray(np.pad(vectors, ((0, 0), (0, lacking))), dtype=np.float32)
