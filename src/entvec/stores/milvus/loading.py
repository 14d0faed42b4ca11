"""Loads a version of a space into Milvus, and writes and reads its manifest."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from entvec.errors import StoreError
from entvec.model.model import Side
from entvec.stores.contract import (
    FLAT,
    HNSW,
    IVF,
    VERSION,
    Manifest,
    RowBatch,
    damaged,
    hubness_column,
    in_blocks,
)
from entvec.stores.milvus.connection import Connection, library
from entvec.stores.milvus.tables import BYTES_AT_ONCE, NARROWEST, Index, MilvusTables, as_folded, as_written, widened

INDEXES = {IVF: "IVF_FLAT", HNSW: "HNSW", FLAT: "FLAT"}
POINTS_A_CLUSTER = 64
WITHOUT_VECTORS = ("about", "spellings")
NOTHING = "nothing"
"""The vector of such a collection: Milvus wants one in each."""
LONGEST = 65_535
"""The largest number of bytes of a text; a spelling has one letter more than its word."""
PIECE = 48_000
"""The bytes of a piece of the manifest: 64,000 letters."""
PAUSE = 0.1
"""The seconds between questions whether an index is built."""
TYPES: dict[type, str] = {bool: "BOOL", int: "INT64", float: "DOUBLE", str: "VARCHAR"}


class MilvusLoading(MilvusTables):
    """The tables of a version that is being loaded, and does not serve yet."""

    def __init__(
        self,
        connection: Connection,
        prefix: str,
        manifest: Manifest,
        gone: Callable[[], StoreError | None],
        take_over: Callable[[], None],
    ) -> None:
        super().__init__(connection, prefix, manifest, Index(FLAT), gone)
        self.serves = False
        self._take_over = take_over
        self._folded: set[str] = set()
        """The folded forms so far: only the first row of each counts."""
        self._n_spellings = 0

    @property
    def _tables(self) -> list[str]:
        return ["about", "words", "spellings", *self.manifest.widths]

    def _in_all_tables(self, work: Callable[[str], None]) -> None:
        """Do something in all collections at the same time, since a server takes seconds for each, idle or not."""
        with ThreadPoolExecutor(1 if self._connection.embedded else len(self._tables)) as pool:
            list(pool.map(work, self._tables))

    def create(self) -> None:
        """Create the collections."""
        self._in_all_tables(self._create)

    def _create(self, table: str) -> None:
        schema = library().MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        kind = library().DataType
        text = {"datatype": kind.VARCHAR, "max_length": LONGEST}

        def vector(name: str, width: int) -> None:
            schema.add_field(name, kind.FLOAT_VECTOR, dim=max(NARROWEST, width))

        if table == "about":
            schema.add_field("piece", is_primary=True, **text)
            schema.add_field("content", **text)
        elif table == "spellings":
            schema.add_field("spelling", is_primary=True, **text)
            schema.add_field("row", kind.INT64)
        else:
            schema.add_field("row", kind.INT64, is_primary=True)
            schema.add_field("word", **text)
        if table == "words":
            vector("vector", self.manifest.dimension)
            for side in self.manifest.widths:
                schema.add_field(hubness_column(side), kind.DOUBLE)
        elif table in WITHOUT_VECTORS:
            vector(NOTHING, 0)
        else:
            for name, each in self.manifest.columns.items():
                schema.add_field(name, **(text if each is str else {"datatype": getattr(kind, TYPES[each])}))
            vector("coordinates", self.manifest.widths[_side(table)])
        self._connection.call("create_collection", self.collection(table), schema=schema)

    def write(self, batch: RowBatch) -> None:
        """Add rows."""
        _check_lengths(self._connection.where, batch)
        rows = range(batch.first, batch.first + len(batch.words))
        numbers = [(hubness_column(side), each.hubness.tolist()) for side, each in batch.keys.items()]
        self._insert("words", [("row", rows), ("word", batch.words), *numbers, ("vector", batch.vectors)])
        spelled = list(self._spelled(batch))
        nothing = np.zeros((len(spelled), NARROWEST), np.float32)
        spellings, their_rows = zip(*spelled, strict=True)
        self._insert("spellings", [("spelling", spellings), ("row", their_rows), (NOTHING, nothing)])
        self._n_spellings += len(spelled)
        for side, keys in batch.keys.items():
            columns = [("row", rows), ("word", batch.words), *batch.columns.items(), ("coordinates", keys.coordinates)]
            self._insert(side, columns)

    def _spelled(self, batch: RowBatch) -> Iterator[tuple[str, int]]:
        """Each word as it is written, and its folded form if it is new, and another than the word."""
        for row, (word, folded) in enumerate(zip(batch.words, batch.folded, strict=True), start=batch.first):
            yield as_written(word), row
            if folded not in self._folded:
                self._folded.add(folded)
                if folded != word:
                    yield as_folded(folded), row

    def _insert(self, table: str, columns: Sequence[tuple[str, Any]]) -> None:
        """Insert columns of rows, the last of which are vectors, in messages that are not too large."""
        names = [name for name, _ in columns]
        wide = widened(columns[-1][1])
        others = [values for _, values in columns[:-1]]
        texts = [values for values in others if isinstance(values[0], str)]
        largest = 2 * wide[:1].nbytes + sum(max(len(text.encode()) for text in values) for values in texts)
        for some in in_blocks(len(wide), max(1, BYTES_AT_ONCE // largest)):
            parts = [*(values[some] for values in others), wide[some]]
            self._call("insert", table, [dict(zip(names, row, strict=True)) for row in zip(*parts, strict=True)])

    def index(self, kind: str) -> None:
        """Build the indexes, after the last word."""
        n = self.manifest.n_words
        clusters = max(1, min(n // POINTS_A_CLUSTER, 1 << round(np.log2(2 * np.sqrt(max(1, n))))))
        self._index = Index(kind, clusters if kind == IVF else 0)
        self._in_all_tables(self._finish)

    def _finish(self, table: str) -> None:
        """Index a collection and load it completely."""
        # The manifest is written later, into a collection that is loaded by then.
        n = {"about": 0, "spellings": self._n_spellings}.get(table, self.manifest.n_words)
        indexes = self._indexes(table)
        if n and self._connection.embedded:  # it indexes at once what is flushed by then
            self._call("flush", table)
        if indexes:
            self._call("create_index", table, indexes, sync=False)
        # A server builds while it flushes if it knows of the index first; otherwise it may begin a minute later.
        if n and not self._connection.embedded:
            self._call("flush", table)
            for each in indexes:
                self._wait_for(table, each.index_name)
        self._complete(table, n)

    def _complete(self, table: str, n: int) -> None:
        self._call("load_collection", table)
        if (found := self._count(table, consistency_level="Strong")) != n:
            problem = f"{self.collection(table)} has {found:,} rows, expected {n:,}; export the space again"
            raise StoreError(self._connection.where, problem)

    def _indexes(self, table: str) -> Any:
        """The indexes of a table; a server wants one of each vector."""
        indexes = library().MilvusClient.prepare_index_params()
        if table in self.manifest.widths:
            options = {"params": {"params": self._index.options}}  # all versions read them if they are nested like this
            kind = INDEXES[self._index.kind]
            indexes.add_index("coordinates", kind, index_name="coordinates", metric_type="L2", **options)
        elif not self._connection.embedded:
            field = NOTHING if table in WITHOUT_VECTORS else "vector"
            indexes.add_index(field, INDEXES[FLAT], index_name=field, metric_type="L2")
        return indexes

    def _wait_for(self, table: str, index: str) -> None:
        while (described := self._call("describe_index", table, index))["state"] != "Finished":
            if described["state"] == "Failed":
                raise StoreError(self._connection.where, f"Milvus cannot build the index of {index}; its log says why")
            time.sleep(PAUSE)

    def serve(self, description: Mapping[str, Any]) -> None:
        """Replace the version that serves by this one, with its final description."""
        if (error := self._gone()) is not None:
            raise error
        self.manifest = replace(self.manifest, description=description)
        pieces = [
            {"piece": name, "content": content, NOTHING: [0.0] * NARROWEST}
            for name, content in pieces_of(self.manifest, self._index)
        ]
        for some in in_blocks(len(pieces), max(1, BYTES_AT_ONCE // PIECE)):
            self._call("insert", "about", pieces[some])
        self._call("flush", "about")
        self._complete("about", len(pieces))
        self._take_over()
        self.serves = True


def _check_lengths(where: str, batch: RowBatch) -> None:
    texts = {"word": batch.words, "folded form of a word": batch.folded}
    texts |= {f"value of the column {name}": each for name, each in batch.columns.items()}
    for what, values in texts.items():
        for value in values:
            if isinstance(value, str) and len(value) > LONGEST // 4 and (n := len(value.encode())) >= LONGEST:
                raise StoreError(
                    where, f"a {what} has {n:,} bytes, {value[:20]!r}..., expected fewer than {LONGEST:,}; leave it out"
                )


def _side(table: str) -> Side:
    return "hyper" if table == "hyper" else "hypo"


# The manifest, in pieces of text that the collection `about` can hold


def pieces_of(manifest: Manifest, index: Index) -> Iterator[tuple[str, str]]:
    """The names and contents of the pieces of a manifest."""
    content = {
        **manifest.as_json(),
        "version": manifest.version,
        "index": list(index),
        "parts": {name: len(part) for name, part in manifest.parts.items()},
    }
    parts = {f"part/{name}": part for name, part in manifest.parts.items()}
    yield "layout", VERSION
    for name, part in {"manifest": json.dumps(content).encode(), **parts}.items():
        for i, some in enumerate(in_blocks(len(part), PIECE)):
            yield f"{name}/{i:06}", base64.b64encode(part[some]).decode()


def manifest_of(where: str, pieces: Mapping[str, str]) -> tuple[Manifest, Index]:
    """The manifest that was written as these pieces, and the index of its keys."""
    if (layout := pieces.get("layout")) != VERSION:
        raise StoreError(
            where,
            f"expected the layout {VERSION!r}, found {str(layout)[:40]!r}; another version of entvec exported it: "
            "use that one, or export under another name",
        )

    def joined(name: str) -> bytes:
        chosen = sorted(each for each in pieces if re.fullmatch(rf"{re.escape(name)}/\d{{6}}", each))
        return b"".join(base64.b64decode(pieces[each]) for each in chosen)

    try:
        content = json.loads(joined("manifest"))
        parts = {name: joined(f"part/{name}") for name in content["parts"]}
        if {name: len(part) for name, part in parts.items()} != content["parts"]:
            raise ValueError("parts of another length")
        return Manifest.from_json(where, content["version"], content, parts), Index(*content["index"])
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(where) from error
