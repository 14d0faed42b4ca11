"""Spaces in PostgreSQL, with the extension pgvector.

A space has a schema of its name, with tables of one version:

entvec_registry   layout, version, manifest, parts (one row: what serves)
words_VERSION     row, word, folded, vector, hubness of each side
hyper_VERSION     row, word, coordinates, further columns: the keys of a search for hypernyms
hypo_VERSION      the same for hyponyms

A version is loaded in one transaction, which ends with the registry and the removal of the version before. So whoever
asks sees one version or the other, and nothing is left of a load that fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from entvec.errors import StoreError
from entvec.stores.contract import FLAT, HNSW, IVF, VERSION, Damaged, Manifest
from entvec.stores.postgres_connection import Connections
from entvec.stores.postgres_loading import REGISTRY, TYPES, PostgresLoading, tables_of
from entvec.stores.postgres_tables import PostgresTables
from entvec.stores.postgres_vectors import CREATE, created, extension

if TYPE_CHECKING:
    from psycopg import Connection

WIDEST = 2000
"""Coordinates that pgvector indexes."""


def open(url: str, name: str) -> PostgresStore:  # noqa: A001
    """A store; the server is asked when something is asked of it."""
    return PostgresStore(Connections(url), name)


class PostgresStore:
    """A database, and the name of a space in it."""

    kinds: Sequence[str] = (HNSW, IVF, FLAT)
    widest = WIDEST

    def __init__(self, connections: Connections, name: str) -> None:
        self.where = connections.where
        self.name = name
        self._connections = connections

    def current(self) -> PostgresTables | None:
        """The version that serves; None if there is none."""
        if not self._connections.anything:
            return None
        with self._connections.reading() as connection, connection.transaction():
            manifest = self._registered(connection)
            if manifest is None:
                return None
            found = extension(connection, self.where)
        if found is None:
            raise StoreError(self.where, "the extension vector is gone; let an administrator create it: " + CREATE)
        return PostgresTables(self._connections, self.name, manifest, found)

    def _registered(self, connection: Connection[Any]) -> Manifest | None:
        from psycopg import errors, sql

        if not connection.execute("SELECT to_regclass(%s)", [f'"{self.name}".{REGISTRY}']).fetchone()[0]:  # type: ignore[index]
            return None
        registry = sql.Identifier(self.name, REGISTRY)
        try:
            layouts = connection.execute(sql.SQL("SELECT layout FROM {}").format(registry)).fetchall()
        except errors.UndefinedColumn:
            layouts = [("something else",)]
        if not layouts:
            return None
        if layouts != [(VERSION,)]:
            raise StoreError(
                self.where,
                f"expected tables of the layout {VERSION!r} in the schema {self.name}, found "
                f"{str(layouts[0][0])[:40]!r}: another version of entvec made them; export under another name, or drop "
                "the schema first",
            )
        columns = sql.SQL("SELECT version, manifest, part_names, parts FROM {}").format(registry)
        row = connection.cursor(binary=True).execute(columns).fetchone()
        version, told, names, parts = cast("tuple[str, dict[str, Any], list[str], list[bytes]]", row)
        types = {kind.__name__: kind for kind in TYPES}
        try:
            return Manifest(
                version,
                told["n_words"],
                told["dimension"],
                told["widths"],
                told["description"],
                dict(zip(names, parts, strict=True)),
                {name: types[kind] for name, kind in told["columns"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            problem = "what is known of the space there is damaged; export it again"
            raise Damaged(self.where, problem) from error

    @contextmanager
    def loading(self, manifest: Manifest) -> Iterator[PostgresLoading]:
        """Load another version; others that load one under this name wait until this is done."""
        from psycopg import Rollback, errors

        connection = self._connections.new()
        with connection, self._connections.telling(), connection.transaction() as transaction:
            # A server process whose client was killed in the middle of a long command finds out, and lets go; not all
            # systems can tell it.
            with suppress(errors.InvalidParameterValue), connection.transaction():
                connection.execute("SET LOCAL client_connection_check_interval = '1s'")
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"entvec {self.name}"])
            with suppress(Damaged):  # another layout is refused
                self._registered(connection)
            found = extension(connection, self.where) or created(connection, self.where)
            loading = PostgresLoading(self._connections, self.name, manifest, found, connection)
            yield loading
            if not loading.served:
                raise Rollback(transaction)

    def names(self) -> list[str]:
        """The names of the spaces that are there."""
        if not self._connections.anything:
            return []
        with self._connections.reading() as connection:
            found = connection.execute(
                "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE c.relname = %s AND c.relkind = 'r' ORDER BY 1",
                [REGISTRY],
            )
            return [name for (name,) in found]

    def size(self) -> int:
        """How many bytes the version that serves takes, with its indexes."""
        if not self._connections.anything:
            return 0
        with self._connections.reading() as connection:
            found = connection.execute(
                "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c JOIN pg_namespace n "
                "ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = ANY(%s)",
                [self.name, [*tables_of(connection, self.name), REGISTRY]],
            ).fetchone()
            return int(found[0]) if found else 0

    def remove(self) -> None:
        """Remove the space, and its schema if nothing else is in it."""
        from psycopg import errors, sql

        if not self._connections.anything:
            return
        connection = self._connections.new()
        with connection, self._connections.telling(), connection.transaction():
            for table in [*tables_of(connection, self.name), REGISTRY]:
                connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(self.name, table)))
            try:
                with connection.transaction():
                    connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {}").format(sql.Identifier(self.name)))
            except errors.DependentObjectsStillExist:
                pass  # somebody else's tables are there too

    def close(self) -> None:
        """Let the connection go."""
        self._connections.close()
