"""Loads a version of a space into PostgreSQL in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, LiteralString

import numpy as np
from psycopg import Connection, errors, sql
from psycopg.types.json import Jsonb

from entvec.model.model import OTHER, Side
from entvec.stores.contract import FLAT, HNSW, IVF, VERSION, RowBatch, hubness_column
from entvec.stores.postgres.tables import PREFIX, PostgresTables, lists

REGISTRY = "entvec_registry"
METHODS = {HNSW: "hnsw", IVF: "ivfflat"}
"""The names of the indexes in pgvector."""
GRAPH_OPTIONS = {"m": 24, "ef_construction": 128}
"""The default space has a recall of 0.98 with an effort of 400; with pgvector's 16 and 64 it needs 640."""
BUILD_MEMORY = (64, 2048)
"""The smallest and the largest memory for building an index, in MB."""
BUILDERS = 4
TYPES: dict[type, LiteralString] = {bool: "bool", int: "int8", float: "float8", str: "text"}


@dataclass(eq=False, kw_only=True)
class PostgresLoading(PostgresTables):
    """The tables of a version that is being loaded, in a transaction of its own."""

    connection: Connection[Any]
    index_kind: str = FLAT
    served: bool = False

    @contextmanager
    def _connection(self) -> Iterator[Connection[Any]]:
        yield self.connection

    def _kind(self, side: Side) -> str:  # noqa: ARG002
        return self.index_kind

    def _execute(self, statement: LiteralString, **parts: Any) -> None:
        self.connection.execute(sql.SQL(statement).format(**parts))

    def _create(self) -> None:
        """Create empty tables, and the registry if this is the first version."""
        there = self.connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [self.name])
        if there.fetchone() is None:
            self._execute("CREATE SCHEMA {schema}", schema=sql.Identifier(self.name))
        self._drop(tables_of_this=True)  # damaged tables may be left
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
        # Numbers are not compressed, and coordinates are stored inside the rows, which a search reads.
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

    def write(self, batch: RowBatch) -> None:
        """Add rows. The first batch creates the tables; if there is none, they stay as they are, since this version may
        serve.
        """
        if batch.first == 0:
            self._create()
            self.extension.register(self.connection)
        rows = range(batch.first, batch.first + len(batch.words))
        vectors = [row.tobytes() for row in batch.vectors.astype("<f4", copy=False)]
        hubness = {hubness_column(side): keys.hubness.tolist() for side, keys in batch.keys.items()}
        columns = {"row": rows, "word": batch.words, "folded": batch.folded, "vector": vectors, **hubness}
        self._copy("words", columns, ["int4", "text", "text", "bytea", *("float8" for _ in hubness)])
        further = [TYPES[kind] for kind in self.manifest.columns.values()]
        for side, keys in batch.keys.items():
            coordinates = list(keys.coordinates)
            columns = {"row": rows, "word": batch.words, "coordinates": coordinates, **batch.columns}
            self._copy(side, columns, ["int4", "text", self.extension.oid, *further])

    def _copy(self, table: str, columns: Mapping[str, Sequence[Any]], types: Sequence[int | str]) -> None:
        statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY, FREEZE)").format(
            self._table(table), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        with self.connection.cursor().copy(statement) as copy:
            copy.set_types(types)
            for row in zip(*columns.values(), strict=True):
                copy.write_row(row)

    def index(self, kind: str) -> None:
        """Build the indexes, with as much memory as they need."""
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
        """Index the keys, with one process if several have too little shared memory, as in a container."""
        build = partial(
            self._execute,
            "CREATE INDEX ON {keys} USING {kind} (coordinates {operators}) WITH ({options})",
            keys=keys,
            kind=sql.Identifier(METHODS[kind]),
            operators=sql.Identifier(self.extension.schema, "vector_l2_ops"),
            options=_options(kind, self.manifest.n_words),
        )
        try:
            with self.connection.transaction():
                build()
        except errors.DiskFull:  # also raised for shared memory
            self.connection.execute("SELECT set_config('max_parallel_maintenance_workers', '0', true)")
            build()

    def serve(self, description: Mapping[str, Any]) -> None:
        """Replace the version that serves when this transaction ends."""
        self.manifest = made = replace(self.manifest, description=description)
        registry = sql.Identifier(self.name, REGISTRY)
        self._execute("DELETE FROM {registry}", registry=registry)
        self.connection.execute(
            sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, %s, %s)").format(registry),
            [VERSION, made.version, Jsonb(made.as_json()), list(made.parts), list(made.parts.values())],
        )
        self._drop(tables_of_this=False)
        self.served = True

    def _drop(self, *, tables_of_this: bool) -> None:
        """Drop the tables of this version, or those of all others."""
        for table in tables_of(self.connection, self.name):
            if table.endswith(self.manifest.version) == tables_of_this:
                self._execute("DROP TABLE {table}", table=sql.Identifier(self.name, table))


def _list(items: Sequence[sql.Composable], after: LiteralString = "") -> sql.Composable:
    """Return further items of a list, each followed by the same words."""
    return sql.SQL("").join(sql.SQL(", {} {}").format(item, sql.SQL(after)) for item in items)


def _options(kind: str, n: int) -> sql.Composable:
    """Return the options for building an index."""
    options = GRAPH_OPTIONS if kind == HNSW else {"lists": lists(n)}
    return sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.Literal(value)) for name, value in options.items()
    )


def tables_of(connection: Connection[Any], schema: str) -> list[str]:
    """Return the tables of all versions in a schema."""
    found = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s AND tablename ~ %s",
        [schema, f"^(words|{'|'.join(OTHER)})_[0-9a-f]{{24}}$"],
    )
    return [name for (name,) in found]
