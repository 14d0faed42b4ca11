"""Searches and lookups in a version of a space in Milvus, and the expressions that they use.

Milvus has had templates for expressions since 2.5, but neither older servers nor the embedded engine support them. So
values are written into expressions here, as literals of checked types that cannot end before their values do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.errors import StoreError
from entvec.model.model import Side
from entvec.stores.conditions import And, Comparison, Condition, Like, Not, OneOf, Or
from entvec.stores.contract import FLAT, HNSW, IVF, Filter, Manifest, StoredRow, WordRows, hubness_column, in_blocks
from entvec.stores.milvus.connection import Connection

MOST = 1 << 14
"""The largest number of rows of a search result, and of queries of a search: limits of the server."""
BYTES_AT_ONCE = 1 << 24
"""The size of a message; a server accepts 64 MB."""
EMBEDDED_QUERIES = 256
EMBEDDED_ROOM, DIFFERENCES = 1 << 28, 3
"""The memory of a search without an index in the embedded engine: bytes, and the number of copies of them."""
NARROWEST = 2
"""The smallest width of a vector in Milvus; shorter vectors get additional zeros."""
LENGTH_DIFFERENCE = 2
"""The largest difference in length between a word and a suggestion."""
GRAPH_OPTIONS = {"M": 32, "efConstruction": 40}
"""The same as in search/faiss.py, for the same reasons."""
EXPANSIONS = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)
WIDEST_EXPANSION = 1 << 15
ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
"""The escapes that all versions support; other characters are written as they are."""
LENGTH_AT_ONCE = 1 << 18
"""The length of a list of literals. Milvus parses it again for each query."""


INDEXES = {IVF: "IVF_FLAT", HNSW: "HNSW", FLAT: "FLAT"}
"""The names of the indexes in Milvus."""
POINTS_A_CLUSTER = 64


class Index(NamedTuple):
    """An index of Milvus."""

    kind: str
    clusters: int = 0

    @classmethod
    def of(cls, kind: str, n: int) -> Index:
        """Return the index for n keys."""
        clusters = max(1, min(n // POINTS_A_CLUSTER, 1 << round(np.log2(2 * np.sqrt(max(1, n))))))
        return cls(kind, clusters if kind == IVF else 0)

    @property
    def options(self) -> dict[str, int]:
        """The options that it is built with."""
        return {IVF: {"nlist": self.clusters}, HNSW: GRAPH_OPTIONS, FLAT: {}}[self.kind]

    @property
    def efforts(self) -> Sequence[int]:
        """The possible efforts of a search: clusters that are read, or nodes of the graph that are candidates."""
        if self.kind == IVF:
            return [*(1 << i for i in range(self.clusters.bit_length() - 1)), self.clusters]
        return EXPANSIONS if self.kind == HNSW else (1,)

    def search(self, n: int, effort: int) -> dict[str, int]:
        """Return the options of a search for n rows."""
        if self.kind == IVF:
            return {"nprobe": min(effort, self.clusters)}
        return {"ef": min(WIDEST_EXPANSION, max(n, effort))} if self.kind == HNSW else {}


@dataclass(eq=False)
class MilvusTables:
    """The tables of one version."""

    connection: Connection
    prefix: str
    manifest: Manifest
    key_index: Index
    gone: Callable[[], StoreError | None]
    """Returns the error to raise if these tables have been dropped."""
    most: int | None = MOST
    bytes_at_once: int = BYTES_AT_ONCE
    length_at_once: int = LENGTH_AT_ONCE

    def collection(self, table: str) -> str:
        """Return the name of the collection of a table of this version."""
        return f"{self.prefix}{table}"

    def efforts(self, side: Side) -> Sequence[int]:  # noqa: ARG002
        """Return the efforts of a search, in rising order."""
        return self.key_index.efforts

    def nearest(
        self, side: Side, queries: NDArray[np.float32], n: int, effort: int, only: Filter | None = None
    ) -> Rows:
        """Find about the n nearest keys of each query, in coordinates; -1 where there are fewer."""
        found = np.full((len(queries), n), -1, dtype=np.int64)
        wanted = min(n, self.manifest.n_words, MOST)
        filters = [""] if only is None else list(self._filters(only))
        if not wanted or not filters:
            return found
        widened_queries = widened(queries)
        for some in in_blocks(len(queries), self._queries_at_once(widened_queries.shape[1])):
            parts = [self._search(side, widened_queries[some], wanted, effort, each) for each in filters]
            _merge(parts, found[some])
        return found

    def _queries_at_once(self, width: int) -> int:
        most = min(MOST, max(1, self.bytes_at_once // (4 * width)))
        if not self.connection.embedded:
            return most
        # Without an index, the embedded engine stores the differences of each query and each key in memory.
        room = EMBEDDED_ROOM // (DIFFERENCES * 4 * width * max(1, self.manifest.n_words))
        return max(1, min(room if self.key_index.kind == FLAT else EMBEDDED_QUERIES, most))

    def _search(self, side: Side, queries: NDArray[np.float32], n: int, effort: int, condition: str) -> Any:
        if condition:
            effort = self._effort_with(side, effort, condition)
        return self._call(
            "search",
            side,
            data=list(queries),
            limit=n,
            filter=condition,
            anns_field="coordinates",
            output_fields=["row"],  # otherwise the embedded engine returns all fields
            search_params={"metric_type": "L2", "params": self.key_index.search(n, effort)},
            consistency_level="Eventually",  # nothing was written since the indexes were built
        )

    def _effort_with(self, side: Side, effort: int, condition: str) -> int:
        """Return the effort that examines as many keys as without a condition; for clusters all of them, which is
        exact.
        """
        if self.key_index.kind != HNSW:
            return max(self.key_index.efforts)
        return effort * self.manifest.n_words // max(1, self._count(side, condition))

    def words(self, rows: Rows) -> list[StoredRow]:
        """Fetch these rows, which are in rising order, each once; raise StoreError if some are gone."""
        hubness = [hubness_column(side) for side in self.manifest.widths]
        found = self._rows("words", self._one_of("row", rows.tolist()), ["row", "word", "vector", *hubness])
        if len(found) != len(rows):
            problem = f"{self.collection('words')} lacks rows that it had; export under another name"
            raise self.gone() or StoreError(self.connection.where, problem)
        found.sort(key=itemgetter("row"))
        vectors = np.array([each["vector"] for each in found], dtype=np.float32)[:, : self.manifest.dimension]
        numbers = [tuple(each[name] for name in hubness) for each in found]
        return list(map(StoredRow, (each["word"] for each in found), vectors, numbers))

    def find(self, words: Sequence[str], folded: Sequence[str]) -> WordRows:
        """Find the rows of words and of folded forms."""
        wanted = {*map(as_written, words), *map(as_folded, folded), *map(as_written, folded)}
        found = self._rows("spellings", self._one_of("spelling", sorted(wanted)), ["spelling", "row"])
        rows = {each["spelling"]: each["row"] for each in found}
        written = {word: rows[as_written(word)] for word in words if as_written(word) in rows}
        # A word that is its own folded form has one spelling only.
        either = {form: rows.get(as_folded(form), rows.get(as_written(form))) for form in folded}
        return WordRows(written, {form: row for form, row in either.items() if row is not None})

    def near(self, folded: str, n: int) -> list[str]:
        """Return up to n words whose folded form begins like this one and is about as long, the first rows first."""
        starts = [begins_with("spelling", spelled(folded[:2])) for spelled in (as_written, as_folded)]
        some = self._rows("spellings", starts, ["spelling", "row"], limit=MOST)
        alike = {each["row"] for each in some if abs(len(each["spelling"]) - 1 - len(folded)) <= LENGTH_DIFFERENCE}
        found = self._rows("words", self._one_of("row", sorted(alike)[:n]), ["row", "word"])
        return [each["word"] for each in sorted(found, key=itemgetter("row"))]

    def _filters(self, only: Filter) -> Iterator[str]:
        """Yield the expressions of searches that together cover the rows that a filter allows."""
        condition = None if only.condition is None else condition_expression(only.condition)
        if only.rows is None:
            yield condition or ""
        else:
            for some in self._one_of("row", only.rows.tolist()):
                yield some if condition is None else f"({condition}) and ({some})"

    def _one_of(self, column: str, values: Iterable[int | str]) -> Iterator[str]:
        return one_of(column, values, self.length_at_once)

    def _rows(self, table: str, conditions: Iterable[str], fields: list[str], **options: Any) -> list[dict[str, Any]]:
        options = {"output_fields": fields, "consistency_level": "Eventually", **options}
        return [row for each in conditions for row in self._call("query", table, filter=each, **options)]

    def _count(self, table: str, condition: str = "", **options: Any) -> int:
        [counted] = self._rows(table, [condition], ["count(*)"], **options)
        return int(counted["count(*)"])

    def _call(self, method: str, table: str, *args: Any, **options: Any) -> Any:
        try:
            return self.connection.call(method, self.collection(table), *args, **options)
        except StoreError as error:
            gone = None
            with suppress(StoreError):
                gone = self.gone()
            raise gone or error from None


def _merge(parts: list[Any], found: Rows) -> None:
    """Write the nearest rows of several searches into `found`, for each query."""
    for query, row in enumerate(found):
        hits = [part[query] for part in parts]
        ids = np.array([each for some in hits for each in some.ids], dtype=np.int64)
        if len(hits) > 1:
            ids = ids[np.argsort([each for some in hits for each in some.distances], kind="stable")]
        row[: len(ids)] = ids[: len(row)]


def as_written(word: str) -> str:
    """Return the spelling key of a word as it is written."""
    return f"w{word}"


def as_folded(form: str) -> str:
    """Return the spelling key of the folded form of a word."""
    return f"f{form}"


def widened(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors with zeros added if they are too short for Milvus."""
    lacking = max(0, NARROWEST - vectors.shape[1])
    return np.ascontiguousarray(np.pad(vectors, ((0, 0), (0, lacking))), dtype=np.float32)


# Expressions


def condition_expression(condition: Condition) -> str:
    """Translate a condition into an expression of Milvus.

    >>> condition_expression(Not(And((Comparison("rank", "<", 3), Comparison("kind", "=", "noun")))))
    'not ((rank < 3) and (kind == "noun"))'
    """
    match condition:
        case Not(part):
            return f"not ({condition_expression(part)})"
        case And(parts) | Or(parts):
            return (" and " if isinstance(condition, And) else " or ").join(
                f"({condition_expression(part)})" for part in parts
            )
        case OneOf(column, values):
            return f"{column} in [{', '.join(map(literal, values))}]" if values else "row < 0"
        case Like(column, pattern):  # servers before 2.4 support only patterns that are prefixes
            return (
                f"{column} like {literal(pattern)}"
                if condition.prefix is None
                else begins_with(column, condition.prefix)
            )
        case Comparison(column, operator, value):
            return f"{column} {'==' if operator == '=' else operator} {literal(value)}"


def literal(value: bool | float | str) -> str:  # noqa: FBT001 - a value of any type
    """Return a value as a literal of Milvus.

    >>> literal(True), literal(-3), literal(0.5), literal("dog")
    ('true', '-3', '0.5', '"dog"')
    """
    if isinstance(value, str):
        return f'"{value.translate(ESCAPED)}"'
    return str(value).lower() if isinstance(value, bool) else repr(value)


def one_of(column: str, values: Iterable[int | str], length_at_once: int) -> Iterator[str]:
    """Yield expressions that a column has one of these values: several if one would be too long.

    >>> list(one_of("row", range(3), length_at_once=2))
    ['row in [0,1]', 'row in [2]']
    """
    some: list[str] = []
    length = 0
    for value in values:
        some.append(literal(value))
        length += len(some[-1])
        if length >= length_at_once:
            yield f"{column} in [{','.join(some)}]"
            some, length = [], 0
    if some:
        yield f"{column} in [{','.join(some)}]"


def begins_with(column: str, start: str) -> str:
    """Return an expression that a text has this prefix; `like` would interpret some characters as wildcards.

    >>> begins_with("word", "do")
    'word >= "do" and word < "dp"'
    """
    after = _after(start)
    least = f"{column} >= {literal(start)}"
    return least if after is None else f"{least} and {column} < {literal(after)}"


def _after(start: str) -> str | None:
    """Return the first text after all with this prefix, in the order of Unicode; None if there is none."""
    for end in range(len(start), 0, -1):
        following = ord(start[end - 1]) + 1
        if 0xD800 <= following < 0xE000:  # surrogates are not characters
            following = 0xE000
        if following <= 0x10FFFF:
            return start[: end - 1] + chr(following)
    return None
