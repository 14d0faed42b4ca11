"""Parquet tables: a column of words and a column of vectors (or a column for each dimension)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from entvec.errors import MissingExtra
from entvec.vectors.formats.base import Block, Wanted, check_dimension, opening
from entvec.vectors.formats.parquet_pages import growth
from entvec.vectors.source import Source
from entvec.vectors.vectors import Vectors, rows_at_once

if TYPE_CHECKING:
    import pyarrow as pa

WORD, VECTOR, COUNT, RANK = "word", "vector", "count", "rank"
FOREIGN = (b"pandas", b"ARROW:schema")
"""Metadata of other programs, which is not taken over."""
STRINGS_AT_ONCE = 1 << 28
"""In bytes. With a dictionary or shared prefixes, a few bytes of a file can become this many."""


def matches(head: bytes) -> bool:
    """Return whether the file has Parquet's signature."""
    return head.startswith(b"PAR1")


def library() -> Any:
    """Import pyarrow with its Parquet module."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("reading and writing Parquet", needs="pyarrow", extra="parquet") from None
    return pyarrow


def blocks(source: Source, wanted: Wanted) -> Iterator[Block]:
    """Yield the words with their rows."""
    pyarrow = library()
    damaged = (pyarrow.ArrowException, LookupError, ValueError, TypeError, AttributeError, OverflowError, MemoryError)
    with source.converting_errors(*damaged, what="a damaged Parquet file"):
        # Unless told otherwise, pyarrow reads the whole file into memory before it returns the first row.
        content = source.seekable()
        file = pyarrow.parquet.ParquetFile(content, buffer_size=1 << 20, pre_buffer=False)
        schema = file.schema_arrow
        word, vectors = _columns(source, schema, pyarrow.types)
        extra = [name for name in (COUNT, RANK) if name in schema.names and name not in vectors]
        columns = [word, *vectors, *extra]
        expected = growth(content, file.schema, columns)
        source.refuse_growth(expected.size)
        first = grown = 0
        yield _opening(schema, vectors, pyarrow.types)
        rows = min(rows_at_once(len(vectors) if len(vectors) > 1 else 1000), STRINGS_AT_ONCE // (expected.longest or 1))
        size = max(1, min(rows, wanted.limit or 1 << 20))
        for batch in file.iter_batches(batch_size=size, columns=columns, use_threads=False):
            spelled = batch[word].to_pylist()
            if None in spelled:
                raise source.error(
                    f"expected a word in each row, found none at word {first + 1 + spelled.index(None):,}"
                )
            words = [each.encode() for each in spelled]
            grown += batch.nbytes + sum(map(len, words))  # a batch may store each word once, in a dictionary
            pyarrow.default_memory_pool().release_unused()  # or the pool retains half a matrix
            source.refuse_growth(grown)
            values = _values(source, [batch[name] for name in vectors], pyarrow, first)
            numbers: dict[str, Any] = {f"{name}s": _whole(source, batch[name], pyarrow) for name in extra}
            yield Block(words, values, range(first + 1, first + len(batch) + 1), **numbers)
            first += len(batch)


def _opening(schema: pa.Schema, vectors: list[str], types: Any) -> Block:
    kind = schema.field(vectors[0]).type
    dimension = len(vectors) if not _is_list(kind, types) else kind.list_size if types.is_fixed_size_list(kind) else 0
    dtype = (
        kind.value_type.to_pandas_dtype()
        if _is_list(kind, types)
        else np.result_type(*(schema.field(name).type.to_pandas_dtype() for name in vectors))
    )
    metadata = {
        key.decode(errors="replace"): value.decode(errors="replace")
        for key, value in (schema.metadata or {}).items()
        if key not in FOREIGN
    }
    return opening(dimension, dtype, metadata)


def _columns(source: Source, schema: pa.Schema, types: Any) -> tuple[str, list[str]]:
    """Return the name of the column of words, and the names of the columns of vectors."""
    strings = [f.name for f in schema if _is_string(f.type, types)]
    lists = [f.name for f in schema if _is_list(f.type, types) and types.is_floating(f.type.value_type)]
    numbers = [f.name for f in schema if types.is_floating(f.type)]
    words = [WORD] if WORD in strings else strings
    vectors = [[VECTOR]] if VECTOR in lists else [[name] for name in lists] or ([numbers] if numbers else [])
    if len(words) != 1 or len(vectors) != 1:
        found = ", ".join(f"{f.name} {f.type}" for f in list(schema)[:8])
        raise source.error(
            "expected one column of strings, the words, and one column of lists of floats, the vectors "
            f"(or a column of floats for each dimension), found {found}"
        )
    return words[0], vectors[0]


def _is_string(kind: Any, types: Any) -> bool:
    if types.is_dictionary(kind):  # a category of pandas
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_list(kind: Any, types: Any) -> bool:
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _values(source: Source, columns: list[Any], pyarrow: Any, first: int) -> NDArray[Any]:
    """Return the matrix of a batch of rows."""
    if not _is_list(columns[0].type, pyarrow.types):
        if any(column.null_count for column in columns):
            raise source.error(f"expected a number in each field, found none in a word from {first + 1:,} on")
        return np.stack(  # a column for each dimension
            [column.to_numpy(zero_copy_only=False) for column in columns], axis=1
        )
    lengths = columns[0].value_lengths().to_numpy(zero_copy_only=False)
    flat = columns[0].flatten()
    if columns[0].null_count or flat.null_count or (lengths != lengths[0]).any():
        vectors = columns[0].to_pylist()
        row = next(i for i, v in enumerate(vectors) if v is None or None in v or len(v) != len(vectors[0] or []))
        raise source.error(f"expected as many numbers in each vector, found others at word {first + 1 + row:,}")
    values: NDArray[Any] = flat.to_numpy(zero_copy_only=False)
    return values.reshape(len(lengths), check_dimension(source, int(lengths[0])))


def _whole(source: Source, column: Any, pyarrow: Any) -> NDArray[Any]:
    if not pyarrow.types.is_integer(column.type) or column.null_count:
        raise source.error(f"expected whole numbers as counts and ranks, found {column.type}")
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.int64)


def write(vectors: Vectors, file: BinaryIO, progress: Callable[[int], None]) -> None:
    """Write columns `word`, `vector` and, where known, `count` and `rank`; the metadata goes into the schema."""
    pa = library()
    kind = {"float64": pa.float64(), "float16": pa.float16()}.get(vectors.dtype, pa.float32())
    columns = {COUNT: vectors.counts} if vectors.counts is not None else {}
    if vectors.has_ranks:
        columns[RANK] = vectors.ranks
    fields = [
        (WORD, pa.string()),
        (VECTOR, pa.list_(kind, vectors.dimension)),
        *((name, pa.int64()) for name in columns),
    ]
    schema = pa.schema(fields, metadata=dict(vectors.metadata))
    # The floats of vectors are nearly all different, so a dictionary of them would only take time.
    with pa.parquet.ParquetWriter(file, schema, compression="zstd", use_dictionary=False) as writer:
        for first, values in vectors.blocks(rows_at_once(vectors.dimension) * 4):
            rows = slice(first, first + len(values))
            flat = pa.array(np.ascontiguousarray(values, kind.to_pandas_dtype()).ravel())
            arrays = [
                pa.array(list(vectors.words[rows]), pa.string()),
                pa.FixedSizeListArray.from_arrays(flat, vectors.dimension),
                *(pa.array(column[rows]) for column in columns.values()),
            ]
            writer.write_table(pa.table(arrays, schema=schema))
            progress(rows.stop)
