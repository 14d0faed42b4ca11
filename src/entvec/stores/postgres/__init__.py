"""Spaces in PostgreSQL, with the extension pgvector.

A space has a schema of its name, with the tables of one version:

entvec_registry   layout, version, manifest, parts: one row, for the version that serves
words_VERSION     row, word, folded, vector, hubness of each side
hyper_VERSION     row, word, coordinates, further columns: the keys of a search for hypernyms
hypo_VERSION      the same for hyponyms

A version is loaded in one transaction, which ends with the registry and the removal of the version before. Readers see
one version or the other, and a load that fails leaves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from psycopg import Connection, Rollback, errors, sql
from psycopg.rows import dict_row

from entvec.stores.contract import FLAT, HNSW, IVF, Damaged, Manifest, check_layout, dropped
from entvec.stores.postgres.connection import Connections, create_extension, find_extension
from entvec.stores.postgres.loading import REGISTRY, PostgresLoading, tables_of
from entvec.stores.postgres.tables import PostgresTables

WIDEST = 2000
"""The largest number of coordinates that pgvector indexes."""


def open(url: str, name: str) -> PostgresStore:  # noqa: A001 - every store has this function
    """Return the store of a URL; it connects when it is first used."""
    return PostgresStore(Connections(url), name)


class PostgresStore:
    """A database, and the name of a space in it."""

    kinds: Sequence[str] = (HNSW, IVF, FLAT)
    widest = WIDEST

    def __init__(self, connections: Connections, name: str) -> None:
        self.where = connections.where
        self.name = name
        self.connections = connections

    def current(self) -> PostgresTables | None:
        """Return the version that serves; None if there is none."""
        if not self.connections.exists:
            return None
        with self.connections.reading() as connection, connection.transaction():
            manifest = self._registered(connection)
            if manifest is None:
                return None
            tables = PostgresTables(self.connections, self.name, manifest, find_extension(connection, self.where))
            expected = {f"{table}_{manifest.version}" for table in ("words", *manifest.widths)}
            if missing := expected - set(tables_of(connection, self.name)):
                raise dropped(self.where, missing)
            return tables

    def _registered(self, connection: Connection[Any]) -> Manifest | None:
        if not connection.execute("SELECT to_regclass(%s)", [f'"{self.name}".{REGISTRY}']).fetchone()[0]:  # type: ignore[index]
            return None
        statement = sql.SQL("SELECT * FROM {}").format(sql.Identifier(self.name, REGISTRY))
        found = connection.cursor(binary=True, row_factory=dict_row).execute(statement).fetchone()
        if found is None:
            return None
        check_layout(self.where, found.get("layout", "something else"))
        parts = dict(zip(found["part_names"], found["parts"], strict=False))
        return Manifest.from_json(self.where, found["version"], found["manifest"], parts)

    @contextmanager
    def loading(self, manifest: Manifest) -> Iterator[PostgresLoading]:
        """Load another version; other loads under this name wait until this one ends."""
        connection = self.connections.new()
        with connection, self.connections.translating_errors(), connection.transaction() as transaction:
            # If the client is killed during a long command, the server notices and stops, on systems that support it.
            with suppress(errors.InvalidParameterValue), connection.transaction():
                connection.execute("SET LOCAL client_connection_check_interval = '1s'")
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"entvec {self.name}"])
            with suppress(Damaged):  # tables of another layout raise StoreError
                self._registered(connection)
            create_extension(connection, self.where)
            extension = find_extension(connection, self.where)
            loading = PostgresLoading(self.connections, self.name, manifest, extension, connection=connection)
            yield loading
            if not loading.served:
                raise Rollback(transaction)

    def names(self) -> list[str]:
        """Return the names of the spaces in the database."""
        if not self.connections.exists:
            return []
        with self.connections.reading() as connection:
            found = connection.execute("SELECT schemaname FROM pg_tables WHERE tablename = %s ORDER BY 1", [REGISTRY])
            return [name for (name,) in found]

    def size(self) -> int:
        """Return the number of bytes of the version that serves, with its indexes."""
        if not self.connections.exists:
            return 0
        with self.connections.reading() as connection:
            found = connection.execute(
                "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c JOIN pg_namespace n "
                "ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = ANY(%s)",
                [self.name, [*tables_of(connection, self.name), REGISTRY]],
            ).fetchone()
            return int(found[0]) if found else 0

    def remove(self) -> None:
        """Remove the space, and its schema if it holds nothing else."""
        if not self.connections.exists:
            return
        connection = self.connections.new()
        with connection, self.connections.translating_errors(), connection.transaction():
            for table in [*tables_of(connection, self.name), REGISTRY]:
                connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(self.name, table)))
            with suppress(errors.DependentObjectsStillExist), connection.transaction():
                connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {}").format(sql.Identifier(self.name)))

    def close(self) -> None:
        """Close the connection."""
        self.connections.close()
