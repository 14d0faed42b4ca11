"""Searches and lookups in a version of a space in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection, errors, sql

from entvec.array_types import Rows
from entvec.errors import StoreError, VersionGone
from entvec.model.model import Side
from entvec.stores.conditions import And, Comparison, Condition, Like, Not, OneOf, Or
from entvec.stores.contract import FLAT, HNSW, IVF, Filter, Manifest, StoredRow, WordRows, hubness_column
from entvec.stores.postgres.connection import Connections, Extension

LARGEST_SCAN = 1000
"""An index is asked for at most this many neighbours; for more, every key is compared."""
SHORT = 10_000
"""If a search is limited to at most this many rows, each of them is compared."""
LARGEST_EFFORT = 1000
PREFIX = 64
"""The number of indexed letters of a folded word: an index refuses texts of some thousand bytes."""
ALIKE = 2
"""Suggestions share this many first letters, and their lengths differ by at most this many."""
SET_ALL = "SELECT set_config(name, value, true) FROM unnest(%s::text[], %s::text[]) AS settings(name, value)"
"""Sets several settings, until the transaction ends."""
LAST = "\U0010ffff"
COMPARISONS: dict[str, LiteralString] = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
"""The operators of conditions in SQL."""


@dataclass(eq=False)
class PostgresTables:
    """The tables of one version."""

    connections: Connections
    name: str
    manifest: Manifest
    extension: Extension
    most: int | None = None

    @contextmanager
    def _connection(self) -> Iterator[Connection[Any]]:
        """Use the connection for requests; raise VersionGone if this version has been removed."""
        try:
            with self.connections.reading() as connection:
                yield connection
        except StoreError as error:
            if isinstance(error.__cause__, errors.UndefinedTable):
                raise VersionGone(self.connections.where, "another version was loaded; open the space again") from None
            raise

    def _table(self, name: str) -> sql.Identifier:
        return sql.Identifier(self.name, f"{name}_{self.manifest.version}")

    def _kind(self, side: Side) -> str:
        return str(self.manifest.description["sides"][side]["index"])

    def efforts(self, side: Side) -> Sequence[int]:
        """Return the efforts of a search: candidates in a graph, or lists of clusters that are read."""
        kind = self._kind(side)
        if kind == HNSW:
            return (40, 60, 100, 160, 250, 400, 640, LARGEST_EFFORT)
        if kind == IVF:
            most = lists(self.manifest.n_words)
            return (*(2**i for i in range(most.bit_length()) if 2**i < most), most)
        return (1,)

    def nearest(
        self, side: Side, queries: NDArray[np.float32], n: int, effort: int, only: Filter | None = None
    ) -> Rows:
        """Find about the n nearest keys of each query; compare all keys if an index finds too few."""
        few = only is not None and only.rows is not None and len(only.rows) <= SHORT
        everywhere = self._kind(side) == FLAT or n > LARGEST_SCAN or 4 * n >= self.manifest.n_words or few
        found = self._nearest(side, queries, n, None if everywhere else effort, only)
        again = np.flatnonzero(found[:, -1:].min(axis=1, initial=0) < 0)
        if len(again) and not everywhere:
            found[again] = self._nearest(side, queries[again], n, None, only)
        return found

    def _nearest(
        self, side: Side, queries: NDArray[np.float32], n: int, effort: int | None, only: Filter | None
    ) -> Rows:
        """Search an index with this effort, or, without one, compare all keys."""
        only = only or Filter()
        values: dict[str, Any] = {"queries": list(queries)}
        conditions: list[sql.Composable] = [sql.SQL("true")]
        if only.rows is not None:
            conditions.append(sql.SQL('"row" = ANY(%(rows)s)'))
            values["rows"] = only.rows.tolist()
        if only.condition is not None:
            conditions.append(condition_sql(only.condition, values))
        statement = sql.SQL(
            'SELECT ARRAY(SELECT "row" FROM {keys} WHERE {conditions} '
            "ORDER BY coordinates OPERATOR({schema}.<->) asked.query LIMIT {n}) "
            "FROM unnest(%(queries)b) WITH ORDINALITY AS asked(query, place) ORDER BY place"
        ).format(
            keys=self._table(side),
            conditions=sql.SQL(" AND ").join(conditions),
            schema=sql.Identifier(self.extension.schema),
            n=sql.Literal(n),
        )
        settings = _settings(self._kind(side), effort)
        with self._connection() as connection:
            self.extension.register(connection)
            cursor = connection.cursor(binary=True)
            with connection.pipeline(), connection.transaction():  # one round trip
                connection.execute(SET_ALL, [list(settings), list(settings.values())])
                cursor.execute(statement, values)
            several = cursor.fetchall()
        found = np.full((len(queries), n), -1, dtype=np.int64)
        for row, (rows,) in zip(found, several, strict=True):
            row[: len(rows)] = rows
        return found

    def words(self, rows: Rows) -> list[StoredRow]:
        """Fetch these rows, which are in rising order, each once; raise StoreError if some are gone."""
        columns = ["word", "vector", *map(hubness_column, self.manifest.widths)]
        statement = sql.SQL('SELECT {} FROM {} WHERE "row" = ANY(%s) ORDER BY "row"').format(
            sql.SQL(", ").join(map(sql.Identifier, columns)), self._table("words")
        )
        with self._connection() as connection:
            found = connection.cursor(binary=True).execute(statement, [rows.tolist()]).fetchall()
        if len(found) != len(rows):
            problem = f"words_{self.manifest.version} lacks rows that it had; drop the schema, and export again"
            raise StoreError(self.connections.where, problem)
        return [StoredRow(word, np.frombuffer(vector, "<f4"), tuple(hubness)) for word, vector, *hubness in found]

    def find(self, words: Sequence[str], folded: Sequence[str]) -> WordRows:
        """Find the rows of words and of folded forms; one index finds both."""
        statement = sql.SQL(
            'SELECT "row", word, folded FROM {table} JOIN unnest(%(forms)s::text[]) AS asked(form) '
            "ON left(folded, {prefix}) = left(form, {prefix}) AND folded = form ORDER BY 1 DESC"
        ).format(table=self._table("words"), prefix=sql.Literal(PREFIX))
        with self._connection() as connection:
            found = connection.execute(statement, {"forms": list(folded)}).fetchall()
        wanted = set(words)
        return WordRows({word: row for row, word, _ in found if word in wanted}, {form: row for row, _, form in found})

    def near(self, folded: str, n: int) -> list[str]:
        """Return up to n words that begin like this one and are about as long, the first rows first."""
        statement = sql.SQL(
            "SELECT word FROM {table} WHERE left(folded, {prefix}) >= %(least)s AND left(folded, {prefix}) < %(last)s "
            'AND length(folded) BETWEEN %(length)s - {alike} AND %(length)s + {alike} ORDER BY "row" LIMIT %(n)s'
        ).format(table=self._table("words"), prefix=sql.Literal(PREFIX), alike=sql.Literal(ALIKE))
        least = folded[:ALIKE]
        values = {"least": least, "last": least + LAST, "length": len(folded), "n": n}
        with self._connection() as connection:
            return [word for (word,) in connection.execute(statement, values)]


def condition_sql(condition: Condition, values: dict[str, Any]) -> sql.Composable:
    """Return a condition as SQL, and append its values to the parameters of the statement."""

    def parameter(value: Any) -> sql.Placeholder:
        name = f"value_{len(values)}"
        values[name] = value
        return sql.Placeholder(name)

    match condition:
        case Not(part):
            return sql.SQL("NOT {}").format(condition_sql(part, values))
        case And(parts) | Or(parts):
            word = sql.SQL(" AND " if isinstance(condition, And) else " OR ")
            return sql.SQL("({})").format(word.join(condition_sql(part, values) for part in parts))
        case OneOf(column, several):
            return sql.SQL("({} = ANY({}))").format(sql.Identifier(column), parameter(list(several)))
        case Like(column, pattern):
            return sql.SQL("({} LIKE {})").format(sql.Identifier(column), parameter(pattern))
        case Comparison(column, operator, value):
            # Text is compared byte by byte, as in Milvus, whatever the language of the database.
            left = sql.SQL('{} COLLATE "C"' if isinstance(value, str) else "{}").format(sql.Identifier(column))
            return sql.SQL("({} {} {})").format(left, sql.SQL(COMPARISONS[operator]), parameter(value))


def lists(n: int) -> int:
    """Return the number of lists of an IVF index of n keys."""
    return max(8, int(2 * n**0.5))


def _settings(kind: str, effort: int | None) -> dict[str, str]:
    """Return the settings of a transaction that searches an index with this effort or, without one, all keys."""
    if effort is None:
        return {"enable_indexscan": "off", "jit": "off"}
    # The rows that are found are ranked again, so their order makes no difference.
    if kind == HNSW:
        index = {"hnsw.ef_search": str(min(effort, LARGEST_EFFORT)), "hnsw.iterative_scan": "relaxed_order"}
    else:
        index = {"ivfflat.probes": str(effort), "ivfflat.iterative_scan": "relaxed_order"}
    return {**index, "enable_indexscan": "on", "jit": "off"}
