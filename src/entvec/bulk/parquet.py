"""A table of Arrow as the bytes of a Parquet file of one row group."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from entvec.vectors.formats.parquet import library

if TYPE_CHECKING:
    import pyarrow as pa

SETTINGS: dict[str, Any] = {"compression": "zstd", "compression_level": 1, "store_schema": False}
ARROW = b"ARROW:schema"


class Encoder:
    """Writes columns of one schema. Words may come with a dictionary, and are read as the schema says all the same."""

    def __init__(self, schema: pa.Schema, *, words: Sequence[str], floats: Sequence[str]) -> None:
        self._pa = library()
        self._schema = schema
        # As pyarrow would write it, if it were not told by each table what words are.
        arrow = base64.b64encode(schema.serialize().to_pybytes())
        self._metadata = {**(schema.metadata or {}), ARROW: arrow}
        sink = self._pa.BufferOutputStream()
        self._pa.parquet.ParquetWriter(sink, schema).close()
        leaves = self._pa.parquet.read_metadata(self._pa.BufferReader(sink.getvalue())).schema
        paths = [leaves.column(i).path for i in range(len(leaves))]
        # Hardly two floats are equal: a dictionary of them only costs time. The first and the last of many words take
        # as long to find as all the rest, and tell a reader little.
        self._settings = {
            **SETTINGS,
            "use_dictionary": [path for path in paths if path not in floats],
            "write_statistics": [path for path in paths if path not in words],
        }

    def __call__(self, columns: Sequence[Any]) -> bytes:
        """The bytes of a table of these columns."""
        fields = [field.with_type(column.type) for field, column in zip(self._schema, columns, strict=True)]
        table = self._pa.Table.from_arrays(list(columns), schema=self._pa.schema(fields))
        sink = self._pa.BufferOutputStream()
        with self._pa.parquet.ParquetWriter(sink, table.schema, **self._settings) as writer:
            writer.add_key_value_metadata(self._metadata)
            writer.write_table(table, row_group_size=max(1, len(table)))
        return bytes(sink.getvalue())
