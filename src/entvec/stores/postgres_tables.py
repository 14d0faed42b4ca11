"""Questions to a version of a space in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, LiteralString, cast

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput, StoreError, VersionGone
from entvec.model.model import Side
from entvec.stores.contract import FLAT, HNSW, IVF, Filter, Lookup, Manifest, Words, hubness_column
from entvec.stores.postgres_connection import Connections, first_line
from entvec.stores.postgres_vectors import Extension, dumpers
from entvec.vectors.vocabulary import Rows

if TYPE_CHECKING:
    from psycopg import Connection, sql

LARGEST_SCAN = 1000
"""As many neighbours as an index is asked for; more are found by looking at each key."""
SHORT = 10_000
"""So few rows to choose from are looked at one by one."""
LARGEST_EFFORT = 1000
PREFIX = 64
"""Letters of a folded word that are indexed: an index refuses texts of some thousand bytes."""
ALIKE = 2
"""Letters in which suggestions begin alike, and by which their lengths may differ."""
LAST = "\U0010ffff"


class PostgresTables:
    """A version of a space."""

    most: int | None = None

    def __init__(self, connections: Connections, name: str, manifest: Manifest, found: Extension) -> None:
        self.manifest = manifest
        self.name = name
        self.extension = found
        self._connections = connections
        self._dump = dumpers(found)

    @contextmanager
    def _asking(self) -> Iterator[Connection[Any]]:
        """A connection to ask this version by; VersionGone if it is there no longer."""
        from psycopg import errors

        try:
            with self._connections.reading() as connection:
                yield connection
        except StoreError as error:
            if isinstance(error.__cause__, errors.UndefinedTable):
                raise VersionGone(self._connections.where, "another version was loaded; open the space again") from None
            raise

    def _table(self, name: str) -> sql.Identifier:
        from psycopg import sql

        return sql.Identifier(self.name, f"{name}_{self.manifest.version}")

    def _kind(self, side: Side) -> str:
        return str(self.manifest.description["sides"][side]["index"])

    def efforts(self, side: Side) -> Sequence[int]:
        """How hard a search may try: candidates of a graph, or lists that are looked through."""
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
        """About the n nearest keys of each query; all keys are looked at if a filter lets too few through."""
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
        """Those that an index finds with this effort, or, without one, all of them."""
        from psycopg import sql

        only = only or Filter()
        values: dict[str, Any] = {**(only.values or {}), "entvec_queries": self._dump.vectors(queries)}
        conditions: list[sql.Composable] = [sql.SQL("true")]
        if only.rows is not None:
            conditions.append(sql.SQL('"row" = ANY(%(entvec_rows)s)'))
            values["entvec_rows"] = only.rows.tolist()
        if only.where is not None:
            text = only.where if only.values else only.where.replace("%", "%%")
            # The line break ends a comment, if there is one; what the text can do, a transaction that only reads can.
            conditions.append(sql.SQL("({})").format(sql.SQL(cast("Any", f"{text}\n"))))
        statement = sql.SQL(
            'SELECT ARRAY(SELECT "row" FROM {keys} WHERE {conditions} '
            "ORDER BY coordinates OPERATOR({schema}.<->) asked.query LIMIT {n}) "
            "FROM unnest(%(entvec_queries)s) WITH ORDINALITY AS asked(query, place) ORDER BY place"
        ).format(
            keys=self._table(side),
            conditions=sql.SQL(" AND ").join(conditions),
            schema=sql.Identifier(self.extension.schema),
            n=sql.Literal(n),
        )
        settings = _settings(self._kind(side), effort)
        with self._asking() as connection, self._refusing(only, connection):
            self._dump.register(connection)
            cursor = connection.cursor(binary=True)
            with connection.pipeline(), connection.transaction():  # one way there and back
                connection.execute(settings[0], settings[1])
                cursor.execute(statement, values)
            several = cursor.fetchall()
        found = np.full((len(queries), n), -1, dtype=np.int64)
        for row, (rows,) in zip(found, several, strict=True):
            row[: len(rows)] = rows
        return found

    @contextmanager
    def _refusing(self, only: Filter, connection: Connection[Any]) -> Iterator[None]:
        """Say of a condition with an error in it that it has one."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            lost = error.sqlstate is None and connection.closed
            if only.where is None or lost or (error.sqlstate or "42")[:2] not in ("0A", "21", "22", "25", "42"):
                raise
            if isinstance(error, psycopg.errors.UndefinedTable) and self.manifest.version in str(error):
                raise
            names = ", ".join(["word", *self.manifest.columns])
            raise InvalidInput(
                f"where is {only.where!r:.200}, and PostgreSQL says: {first_line(error)}; "
                f"expected a condition on {names}"
            ) from None

    def words(self, rows: Rows) -> Words:
        """What is kept of these rows, in their order."""
        from psycopg import sql

        sides = list(self.manifest.widths)
        hubness = [sql.Identifier(hubness_column(side)) for side in sides]
        statement = sql.SQL('SELECT "row", {} FROM {} WHERE "row" = ANY(%s)').format(
            sql.SQL(", ").join([sql.Identifier("word"), sql.Identifier("vector"), *hubness]), self._table("words")
        )
        with self._asking() as connection:
            found = connection.cursor(binary=True).execute(statement, [rows.tolist()]).fetchall()
        by_row = {row[0]: row[1:] for row in found}
        if not by_row.keys() >= set(rows.tolist()):
            problem = f"words_{self.manifest.version} lacks rows that it had; drop the schema, and export again"
            raise StoreError(self._connections.where, problem)
        kept = [by_row[row] for row in rows.tolist()]
        vectors = np.frombuffer(b"".join(row[1] for row in kept), dtype="<f4").reshape(
            len(kept), self.manifest.dimension
        )
        return Words(
            [row[0] for row in kept],
            vectors,
            {side: np.array([row[2 + i] for row in kept], dtype=np.float64) for i, side in enumerate(sides)},
        )

    def find(self, words: Sequence[str], folded: Sequence[str]) -> Lookup:
        """The rows of words and of folded forms: a word and its folded form are found by the same index."""
        from psycopg import sql

        statement = sql.SQL(
            'SELECT "row", word, folded FROM {table} JOIN unnest(%(forms)s::text[]) AS asked(form) '
            "ON left(folded, {prefix}) = left(form, {prefix}) AND folded = form ORDER BY 1 DESC"
        ).format(table=self._table("words"), prefix=sql.Literal(PREFIX))
        with self._asking() as connection:
            found = connection.execute(statement, {"forms": list(folded)}).fetchall()
        wanted = set(words)
        return Lookup({word: row for row, word, _ in found if word in wanted}, {form: row for row, _, form in found})

    def near(self, folded: str, n: int) -> list[str]:
        """Up to n words that begin like this one and are about as long, the first rows first."""
        from psycopg import sql

        statement = sql.SQL(
            "SELECT word FROM {table} WHERE left(folded, {prefix}) >= %(least)s AND left(folded, {prefix}) < %(last)s "
            'AND length(folded) BETWEEN %(length)s - {alike} AND %(length)s + {alike} ORDER BY "row" LIMIT %(n)s'
        ).format(table=self._table("words"), prefix=sql.Literal(PREFIX), alike=sql.Literal(ALIKE))
        least = folded[:ALIKE]
        values = {"least": least, "last": least + LAST, "length": len(folded), "n": n}
        with self._asking() as connection:
            return [word for (word,) in connection.execute(statement, values)]


def lists(n: int) -> int:
    """Into how many lists an inverted index parts the keys."""
    return max(8, int(2 * n**0.5))


def _settings(kind: str, effort: int | None) -> tuple[LiteralString, list[str]]:
    """A statement that says how the transaction is to search."""
    if effort is None:
        return "SELECT set_config('enable_indexscan', 'off', true), set_config('jit', 'off', true)", []
    # What is found is ranked again, so the order in which it is found makes no difference.
    if kind == HNSW:
        return (
            "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true), "
            "set_config('enable_indexscan', 'on', true), set_config('jit', 'off', true)"
        ), [str(min(effort, LARGEST_EFFORT))]
    return (
        "SELECT set_config('ivfflat.probes', %s, true), set_config('ivfflat.iterative_scan', 'relaxed_order', true), "
        "set_config('enable_indexscan', 'on', true), set_config('jit', 'off', true)"
    ), [str(effort)]
