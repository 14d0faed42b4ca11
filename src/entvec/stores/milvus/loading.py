"""Loads a version of a space into Milvus, and writes and reads its manifest."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymilvus import DataType, MilvusClient

from entvec.errors import StoreError
from entvec.stores.contract import FLAT, VERSION, Manifest, RowBatch, check_layout, damaged, hubness_column, in_blocks
from entvec.stores.milvus.tables import INDEXES, NARROWEST, Index, MilvusTables, as_folded, as_written, widened

LONGEST = 65_535
"""The largest number of bytes of a text; a spelling is one letter longer than its word."""
PIECE = 48_000
"""The bytes of a piece of the manifest: 64,000 letters."""
PAUSE = 0.1
"""The seconds between requests for the state of an index."""
TYPES = {bool: DataType.BOOL, int: DataType.INT64, float: DataType.DOUBLE, str: DataType.VARCHAR}


@dataclass(eq=False, kw_only=True)
class MilvusLoading(MilvusTables):
    """The tables of a version that is being loaded, and does not serve yet."""

    take_over: Callable[[], None]
    """Makes this version serve."""
    serves: bool = False
    _folded: set[str] = field(default_factory=set)
    """The folded forms so far: only the first row of each is stored."""
    _n_spellings: int = 0

    @property
    def _tables(self) -> list[str]:
        return ["about", "words", "spellings", *self.manifest.widths]

    def _in_all_tables(self, work: Callable[[str], None]) -> None:
        """Do something in all collections in parallel, since a server takes seconds for each of them."""
        with ThreadPoolExecutor(1 if self.connection.embedded else len(self._tables)) as pool:
            list(pool.map(work, self._tables))

    def create(self) -> None:
        """Create the collections."""
        self._in_all_tables(self._create)

    def _create(self, table: str) -> None:
        fields: dict[str, dict[str, type]] = {
            "about": {"piece": str, "content": str},
            "spellings": {"spelling": str, "row": int},
            "words": {"row": int, "word": str, **dict.fromkeys(map(hubness_column, self.manifest.widths), float)},
        }
        keys = {"row": int, "word": str, **self.manifest.columns}
        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        for i, (name, kind) in enumerate(fields.get(table, keys).items()):
            length = {"max_length": LONGEST} if kind is str else {}
            schema.add_field(name, TYPES[kind], is_primary=i == 0, **length)
        name, width = self._vector(table)
        schema.add_field(name, DataType.FLOAT_VECTOR, dim=max(NARROWEST, width))
        self.connection.call("create_collection", self.collection(table), schema=schema)

    def _vector(self, table: str) -> tuple[str, int]:
        """Return the name and the width of the vector of a table: Milvus requires one in each."""
        vectors: dict[str, tuple[str, int]] = {"words": ("vector", self.manifest.dimension)}
        vectors |= {side: ("coordinates", width) for side, width in self.manifest.widths.items()}
        return vectors.get(table, ("nothing", 0))

    def write(self, batch: RowBatch) -> None:
        """Add rows."""
        _check_lengths(self.connection.where, batch)
        rows = range(batch.first, batch.first + len(batch.words))
        hubness = {hubness_column(side): keys.hubness.tolist() for side, keys in batch.keys.items()}
        self._insert("words", {"row": rows, "word": batch.words, **hubness}, batch.vectors)
        spellings, their_rows = zip(*self._spelled(batch), strict=True)
        self._insert("spellings", {"spelling": spellings, "row": their_rows})
        self._n_spellings += len(spellings)
        for side, keys in batch.keys.items():
            self._insert(side, {"row": rows, "word": batch.words, **batch.columns}, keys.coordinates)

    def _spelled(self, batch: RowBatch) -> Iterator[tuple[str, int]]:
        """Yield each word as it is written, and its folded form if it is new and differs from the word."""
        for row, (word, folded) in enumerate(zip(batch.words, batch.folded, strict=True), start=batch.first):
            yield as_written(word), row
            if folded not in self._folded:
                self._folded.add(folded)
                if folded != word:
                    yield as_folded(folded), row

    def _insert(
        self, table: str, columns: Mapping[str, Sequence[Any]], vectors: NDArray[np.float32] | None = None
    ) -> None:
        """Insert rows, with vectors if the table has them, in messages of limited size."""
        n = len(next(iter(columns.values())))
        name, _ = self._vector(table)
        wide = widened(np.zeros((n, 0), np.float32) if vectors is None else vectors)
        texts = [values for values in columns.values() if isinstance(values[0], str)]
        largest = 2 * wide[:1].nbytes + sum(max(len(text.encode()) for text in values) for values in texts)
        for some in in_blocks(n, max(1, self.bytes_at_once // largest)):
            parts = zip(*(values[some] for values in columns.values()), wide[some], strict=True)
            self._call("insert", table, [dict(zip((*columns, name), row, strict=True)) for row in parts])

    def index(self, kind: str) -> None:
        """Build the indexes, after the last word."""
        self.key_index = Index.of(kind, self.manifest.n_words)
        self._in_all_tables(self._finish)

    def _finish(self, table: str) -> None:
        """Index a collection and load it completely."""
        # The manifest is written later, when the collection is already loaded.
        n = {"about": 0, "spellings": self._n_spellings}.get(table, self.manifest.n_words)
        indexes = self._indexes(table)
        if n and self.connection.embedded:  # it indexes immediately what has been flushed
            self._call("flush", table)
        if indexes:
            self._call("create_index", table, indexes, sync=False)
        # A server that knows the index first builds it while it flushes; otherwise it may begin a minute later.
        if n and not self.connection.embedded:
            self._call("flush", table)
            for each in indexes:
                self._wait_for(table, each.index_name)
        self._complete(table, n)

    def _complete(self, table: str, n: int) -> None:
        self._call("load_collection", table)
        if (found := self._count(table, consistency_level="Strong")) != n:
            problem = f"{self.collection(table)} has {found:,} rows, expected {n:,}; export the space again"
            raise StoreError(self.connection.where, problem)

    def _indexes(self, table: str) -> Any:
        """Return the indexes of a table; a server requires one for each vector."""
        indexes = MilvusClient.prepare_index_params()
        name, _ = self._vector(table)
        if table in self.manifest.widths:
            options = {"params": {"params": self.key_index.options}}  # all versions read them if nested like this
            indexes.add_index(name, INDEXES[self.key_index.kind], index_name=name, metric_type="L2", **options)
        elif not self.connection.embedded:
            indexes.add_index(name, INDEXES[FLAT], index_name=name, metric_type="L2")
        return indexes

    def _wait_for(self, table: str, index: str) -> None:
        while (described := self._call("describe_index", table, index))["state"] != "Finished":
            if described["state"] == "Failed":
                raise StoreError(self.connection.where, f"Milvus cannot build the index of {index}; its log says why")
            time.sleep(PAUSE)

    def serve(self, description: Mapping[str, Any]) -> None:
        """Replace the version that serves by this one, with its final description."""
        if (error := self.gone()) is not None:
            raise error
        self.manifest = replace(self.manifest, description=description)
        pieces = dict(pieces_of(self.manifest, self.key_index))
        self._insert("about", {"piece": list(pieces), "content": list(pieces.values())})
        self._call("flush", "about")
        self._complete("about", len(pieces))
        self.take_over()
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


# The manifest, in pieces of text that the collection `about` can hold


def pieces_of(manifest: Manifest, index: Index) -> Iterator[tuple[str, str]]:
    """Yield the names and contents of the pieces of a manifest."""
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
    """Return the manifest that was written as these pieces, and the index of its keys."""
    check_layout(where, pieces.get("layout"))

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
