"""A version of a space on its way into Milvus."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from entvec.errors import StoreError
from entvec.model.model import Side
from entvec.stores.contract import FLAT, HNSW, IVF, Block, Manifest, hubness_column, in_blocks
from entvec.stores.milvus_connection import library
from entvec.stores.milvus_manifest import PIECE, Index, pieces_of
from entvec.stores.milvus_tables import BYTES_AT_ONCE, NARROWEST, MilvusTables, as_folded, as_written, widened

if TYPE_CHECKING:
    from entvec.stores.milvus import MilvusStore

INDEXES = {IVF: "IVF_FLAT", HNSW: "HNSW", FLAT: "FLAT"}
POINTS_A_CLUSTER = 64
WITHOUT_VECTORS = ("about", "spellings")
NOTHING = "nothing"
"""The vector of such a collection: each must have one."""
LONGEST = 65_535
"""How many bytes a text may have; that of a spelling begins with a letter more."""
PAUSE = 0.1
"""In seconds, before an index is asked again whether it is built."""
TYPES: dict[type, str] = {bool: "BOOL", int: "INT64", float: "DOUBLE", str: "VARCHAR"}


class MilvusLoading(MilvusTables):
    """A version that is being loaded, and serves nobody yet."""

    def __init__(self, store: MilvusStore, manifest: Manifest) -> None:
        super().__init__(store, secrets.token_hex(8), manifest, Index(FLAT))
        self.serves = False
        self._begun = False
        self._folded: set[str] = set()
        """The folded forms so far, of which the first row counts."""
        self._n_spellings = 0

    def begin(self) -> None:
        """Make the collections."""
        self._in(self._tables, self._create)
        self._store.claim(self.collection("about"))
        self._begun = True

    @property
    def _tables(self) -> list[str]:
        return ["about", "words", "spellings", *self.manifest.widths]

    def undo(self) -> None:
        """Leave nothing behind."""
        self._store.give_up(self.collection("about"))

    def _in(self, tables: list[str], work: Callable[[str], None]) -> None:
        """Do something with collections: at the same time, since a server takes seconds for each, idle or not."""
        with ThreadPoolExecutor(1 if self._store.embedded else len(tables)) as pool:
            list(pool.map(work, tables))

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
        self._ask("create_collection", table, schema=schema)

    def write(self, block: Block) -> None:
        """Add words."""
        _check_lengths(self._store.where, block)
        rows = range(block.first, block.first + len(block.words))
        numbers = [(hubness_column(side), each.hubness.tolist()) for side, each in block.keys.items()]
        self._insert("words", [("row", rows), ("word", block.words), *numbers, ("vector", block.vectors)])
        spelled = list(self._spelled(block))
        nothing = np.zeros((len(spelled), NARROWEST), np.float32)
        spellings, their_rows = zip(*spelled, strict=True)
        self._insert("spellings", [("spelling", spellings), ("row", their_rows), (NOTHING, nothing)])
        self._n_spellings += len(spelled)
        for side, keys in block.keys.items():
            columns = [("row", rows), ("word", block.words), *block.columns.items(), ("coordinates", keys.coordinates)]
            self._insert(side, columns)

    def _spelled(self, block: Block) -> Iterator[tuple[str, int]]:
        """Each word as it is written, and its folded form if that is none of the words before, nor itself."""
        for row, (word, folded) in enumerate(zip(block.words, block.folded, strict=True), start=block.first):
            yield as_written(word), row
            if folded not in self._folded:
                self._folded.add(folded)
                if folded != word:
                    yield as_folded(folded), row

    def _insert(self, table: str, columns: Sequence[tuple[str, Any]]) -> None:
        """Some rows, column by column; the vectors come last."""
        names = [name for name, _ in columns]
        wide = widened(columns[-1][1])
        others = [values for _, values in columns[:-1]]
        texts = [values for values in others if isinstance(values[0], str)]
        largest = 2 * wide[:1].nbytes + sum(max(len(text.encode()) for text in values) for values in texts)
        for some in in_blocks(len(wide), max(1, BYTES_AT_ONCE // largest)):
            parts = [*(values[some] for values in others), wide[some]]
            self._ask("insert", table, [dict(zip(names, row, strict=True)) for row in zip(*parts, strict=True)])

    def index(self, kind: str) -> None:
        """Build the indexes, after the last word."""
        n = self.manifest.n_words
        clusters = max(1, min(n // POINTS_A_CLUSTER, 1 << round(np.log2(2 * np.sqrt(max(1, n))))))
        self._index = Index(kind, clusters if kind == IVF else 0)
        self._in(self._tables, self._finish)

    def _finish(self, table: str) -> None:
        """Index and load a collection; none of its rows is left to be loaded later."""
        # What is known is written last, into what is loaded then.
        n = {"about": 0, "spellings": self._n_spellings}.get(table, self.manifest.n_words)
        indexes = self._indexes(table)
        if n and self._store.embedded:  # it builds an index while it is told, of what is flushed by then
            self._ask("flush", table)
        if indexes:
            self._ask("create_index", table, indexes, sync=False)
        # A server was told first, and builds while it flushes: told later, it may look at that only after a minute.
        if n and not self._store.embedded:
            self._ask("flush", table)
            for each in indexes:
                self._wait_for(table, each.index_name)
        self._complete(table, n)

    def _complete(self, table: str, n: int) -> None:
        self._ask("load_collection", table)
        if (found := self._count(table, consistency_level="Strong")) != n:
            problem = f"{self.collection(table)} has {found:,} rows, expected {n:,}; export the space again"
            raise StoreError(self._store.where, problem)

    def _indexes(self, table: str) -> Any:
        """A server wants one of each vector."""
        indexes = library().MilvusClient.prepare_index_params()
        if table in self.manifest.widths:
            options = {"params": {"params": self._index.options}}  # so nested, all versions read them
            kind = INDEXES[self._index.kind]
            indexes.add_index("coordinates", kind, index_name="coordinates", metric_type="L2", **options)
        elif not self._store.embedded:
            field = NOTHING if table in WITHOUT_VECTORS else "vector"
            indexes.add_index(field, INDEXES[FLAT], index_name=field, metric_type="L2")
        return indexes

    def _wait_for(self, table: str, index: str) -> None:
        while (told := self._ask("describe_index", table, index))["state"] != "Finished":
            if told["state"] == "Failed":
                raise StoreError(self._store.where, f"Milvus cannot build the index of {index}; its log says why")
            time.sleep(PAUSE)

    def serve(self, description: Mapping[str, Any]) -> None:
        """Take the place of the version that serves; the description is final now."""
        if (gone := self._gone()) is not None:
            raise gone
        self.manifest = replace(self.manifest, description=description)
        pieces = [
            {"piece": name, "content": content, NOTHING: [0.0] * NARROWEST}
            for name, content in pieces_of(self.manifest, self._index)
        ]
        for some in in_blocks(len(pieces), max(1, BYTES_AT_ONCE // PIECE)):
            self._ask("insert", "about", pieces[some])
        self._ask("flush", "about")
        self._complete("about", len(pieces))
        self._store.hand_over(self.collection("about"))
        self.serves = True

    def _gone(self) -> StoreError | None:
        """The error if another load has begun, which drops what this one has made."""
        with suppress(StoreError):
            if self._begun and not self._store.claimed(self.collection("about")):
                return overtaken(self._store)
        return None


def _check_lengths(where: str, block: Block) -> None:
    texts = {"word": block.words, "folded form of a word": block.folded}
    texts |= {f"value of the column {name}": each for name, each in block.columns.items()}
    for what, values in texts.items():
        for value in values:
            if isinstance(value, str) and len(value) > LONGEST // 4 and (n := len(value.encode())) >= LONGEST:
                raise StoreError(
                    where, f"a {what} has {n:,} bytes, {value[:20]!r}..., expected fewer than {LONGEST:,}; leave it out"
                )


def _side(table: str) -> Side:
    return "hyper" if table == "hyper" else "hypo"


def overtaken(store: MilvusStore) -> StoreError:
    """The error of a load that another one has taken the place of."""
    return StoreError(
        store.where, f"another export of {store.name!r} has begun, and this one is given up; wait for that one"
    )
