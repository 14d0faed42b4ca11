"""A version of a space, loaded into PostgreSQL in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, LiteralString

import numpy as np

from entvec.model.model import OTHER, Side
from entvec.stores.contract import FLAT, HNSW, IVF, VERSION, Block, Manifest, hubness_column
from entvec.stores.postgres_connection import Connections
from entvec.stores.postgres_tables import PREFIX, PostgresTables, lists
from entvec.stores.postgres_vectors import Extension, binary, pieces

if TYPE_CHECKING:
    from psycopg import Connection, sql

REGISTRY = "entvec_registry"
METHODS = {HNSW: "hnsw", IVF: "ivfflat"}
"""What pgvector calls the indexes."""
GRAPH_OPTIONS = {"m": 24, "ef_construction": 128}
"""With pgvector's 16 and 64 the default space needs an effort of 640 for a recall of 0.98, not 400."""
BUILD_MEMORY = (64, 2048)
"""In MB, the least and the most that building an index may take."""
BUILDERS = 4
TYPES: dict[type, LiteralString] = {bool: "bool", int: "int8", float: "float8", str: "text"}


class PostgresLoading(PostgresTables):
    """A version that is being loaded, in a transaction of its own."""

    def __init__(
        self,
        connections: Connections,
        name: str,
        manifest: Manifest,
        found: Extension,
        connection: Connection[Any],
    ) -> None:
        super().__init__(connections, name, manifest, found)
        self.connection = connection
        self.index_kind = FLAT
        self.served = False

    @contextmanager
    def _asking(self) -> Iterator[Connection[Any]]:
        yield self.connection

    def _kind(self, side: Side) -> str:  # noqa: ARG002
        return self.index_kind

    def _execute(self, statement: LiteralString, **parts: Any) -> None:
        from psycopg import sql

        self.connection.execute(sql.SQL(statement).format(**parts))

    def _create(self) -> None:
        """Make empty tables, and the registry if this is the first version."""
        from psycopg import sql

        schema = sql.Identifier(self.name)
        there = self.connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [self.name])
        if there.fetchone() is None:
            self._execute("CREATE SCHEMA {schema}", schema=schema)
        self._drop(tables_of_this=True)  # they are there if they were damaged, and are made again
        self._execute(
            "CREATE TABLE IF NOT EXISTS {registry} (layout text NOT NULL, version text NOT NULL, "
            "manifest jsonb NOT NULL, part_names text[] NOT NULL, parts bytea[] NOT NULL)",
            registry=sql.Identifier(self.name, REGISTRY),
        )
        # Text is compared byte by byte, whatever the language of the database.
        self._execute(
            'CREATE TABLE {table} ("row" integer NOT NULL, word text COLLATE "C" NOT NULL, '
            'folded text COLLATE "C" NOT NULL, vector bytea NOT NULL{hubness})',
            table=self._table("words"),
            hubness=_list([sql.Identifier(hubness_column(side)) for side in self.manifest.widths], "float8 NOT NULL"),
        )
        # Numbers are not compressed, and coordinates lie in the rows that are looked through.
        self._execute("ALTER TABLE {table} ALTER vector SET STORAGE EXTERNAL", table=self._table("words"))
        for side, width in self.manifest.widths.items():
            columns = [
                sql.SQL("{} {} NOT NULL").format(sql.Identifier(name), sql.SQL(TYPES[kind]))
                for name, kind in self.manifest.columns.items()
            ]
            self._execute(
                'CREATE TABLE {table} ("row" integer NOT NULL, word text COLLATE "C" NOT NULL, '
                "coordinates {vector}({width}) NOT NULL{columns})",
                table=self._table(side),
                vector=sql.Identifier(self.extension.schema, "vector"),
                width=sql.Literal(width),
                columns=_list(columns),
            )
            self._execute("ALTER TABLE {table} ALTER coordinates SET STORAGE PLAIN", table=self._table(side))

    def write(self, block: Block) -> None:
        """Add words; the tables are made with the first, since the same version may be there if none come."""
        if block.first == 0:
            self._create()
        rows = range(block.first, block.first + len(block.words))
        vectors = pieces(np.ascontiguousarray(block.vectors, dtype="<f4"))
        hubness = {hubness_column(side): keys.hubness.tolist() for side, keys in block.keys.items()}
        columns = {"row": rows, "word": block.words, "folded": block.folded, "vector": vectors, **hubness}
        types = ["int4", "text", "text", "bytea", *("float8" for _ in hubness)]
        self._copy("words", columns, types)
        for side, keys in block.keys.items():
            coordinates = pieces(binary(keys.coordinates))
            further = [TYPES[kind] for kind in self.manifest.columns.values()]
            self._copy(
                side,
                {"row": rows, "word": block.words, "coordinates": coordinates, **block.columns},
                ["int4", "text", self.extension.oid, *further],
            )

    def _copy(self, table: str, columns: Mapping[str, Sequence[Any]], types: Sequence[int | str]) -> None:
        from psycopg import sql

        self._dump.register(self.connection)
        statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY, FREEZE)").format(
            self._table(table), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        with self.connection.cursor().copy(statement) as copy:
            copy.set_types(types)
            for row in zip(*columns.values(), strict=True):
                copy.write_row(row)

    def index(self, kind: str) -> None:
        """Build the indexes, with the memory that they need."""
        from psycopg import sql

        self.index_kind = kind
        least, most = BUILD_MEMORY
        widest = max(self.manifest.widths.values(), default=0)
        memory = int(np.clip(self.manifest.n_words * (8 * widest + 400) >> 20, least, most))
        self.connection.execute("SELECT set_config('maintenance_work_mem', %s, true)", [f"{memory}MB"])
        self.connection.execute("SELECT set_config('max_parallel_maintenance_workers', %s, true)", [str(BUILDERS)])
        words = self._table("words")
        self._execute('ALTER TABLE {words} ADD PRIMARY KEY ("row")', words=words)
        self._execute(
            'CREATE INDEX ON {words} (left(folded, {prefix}), "row")', words=words, prefix=sql.Literal(PREFIX)
        )
        self._execute('ANALYZE {words} ("row", word, folded)', words=words)
        for side in self.manifest.widths:
            keys = self._table(side)
            self._execute('ALTER TABLE {keys} ADD PRIMARY KEY ("row")', keys=keys)
            for column, type_ in self.manifest.columns.items():
                if type_ is not str:
                    self._execute("CREATE INDEX ON {keys} ({column})", keys=keys, column=sql.Identifier(column))
            if kind != FLAT:
                self._index_keys(keys, kind)
            named = [sql.Identifier(name) for name in ("row", "word", *self.manifest.columns)]
            self._execute("ANALYZE {keys} ({named})", keys=keys, named=sql.SQL(", ").join(named))

    def _index_keys(self, keys: sql.Identifier, kind: str) -> None:
        """Index keys for searches; by one process if several have too little memory to share, as in a container."""
        from psycopg import errors, sql

        def build() -> None:
            self._execute(
                "CREATE INDEX ON {keys} USING {kind} (coordinates {operators}) WITH ({options})",
                keys=keys,
                kind=sql.Identifier(METHODS[kind]),
                operators=sql.Identifier(self.extension.schema, "vector_l2_ops"),
                options=_options(kind, self.manifest.n_words),
            )

        try:
            with self.connection.transaction():
                build()
        except errors.DiskFull:  # what PostgreSQL says of shared memory too
            self.connection.execute("SELECT set_config('max_parallel_maintenance_workers', '0', true)")
            build()

    def serve(self, description: Mapping[str, Any]) -> None:
        """Take the place of the version that serves, once this transaction ends."""
        from psycopg import sql
        from psycopg.types.json import Jsonb

        self.manifest = replace(self.manifest, description=description)
        made = self.manifest
        told = {
            "n_words": made.n_words,
            "dimension": made.dimension,
            "widths": dict(made.widths),
            "description": dict(description),
            "columns": {name: kind.__name__ for name, kind in made.columns.items()},
        }
        registry = sql.Identifier(self.name, REGISTRY)
        self._execute("DELETE FROM {registry}", registry=registry)
        self.connection.execute(
            sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, %s, %s)").format(registry),
            [VERSION, made.version, Jsonb(told), list(made.parts), list(made.parts.values())],
        )
        self._drop(tables_of_this=False)
        self.served = True

    def _drop(self, *, tables_of_this: bool) -> None:
        """Drop the tables of this version, or those of all others."""
        from psycopg import sql

        for table in tables_of(self.connection, self.name):
            if table.endswith(self.manifest.version) == tables_of_this:
                self._execute("DROP TABLE {table}", table=sql.Identifier(self.name, table))


def _list(items: Sequence[sql.Composable], after: LiteralString = "") -> sql.Composable:
    """Items of a list that has some already, each with the same words after it."""
    from psycopg import sql

    return sql.SQL("").join(sql.SQL(", {} {}").format(item, sql.SQL(after)) for item in items)


def _options(kind: str, n: int) -> sql.Composable:
    """How an index is built."""
    from psycopg import sql

    options = GRAPH_OPTIONS if kind == HNSW else {"lists": lists(n)}
    return sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.Literal(value)) for name, value in options.items()
    )


def tables_of(connection: Connection[Any], schema: str) -> list[str]:
    """The tables of versions in a schema."""
    found = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relkind = 'r' AND c.relname ~ %s",
        [schema, f"^(words|{'|'.join(OTHER)})_[0-9a-f]{{24}}$"],
    )
    return [name for (name,) in found]
