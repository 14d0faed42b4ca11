"""entvec's own format: a safetensors file. It is memory-mapped, so opening it takes no time, whatever its size.

Tensors: `vectors` (F64, F32, F16 or BF16; a row for each word), `words` (U8: the words in UTF-8, a newline after
each) and, where known, `counts` and `ranks` (I64). Any safetensors library can read it.
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from entvec import tensors
from entvec.array_types import Rows
from entvec.errors import VectorFileError
from entvec.tensors import LAYOUT, Expected, Tensor, Unsound
from entvec.vectors.dtypes import DtypeName
from entvec.vectors.formats.base import Unwritable, check_dimension
from entvec.vectors.source import Source
from entvec.vectors.vectors import Vectors, rows_at_once
from entvec.vectors.words import Words

VERSION = "vectors 1"
DTYPE_OF: dict[str, DtypeName] = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
KIND_OF = {dtype: kind for kind, dtype in DTYPE_OF.items()}
TENSORS = {
    "vectors": Expected(frozenset(DTYPE_OF), 2),
    "words": Expected(frozenset({"U8"}), 1),
    "counts": Expected(frozenset({"I64"}), 1, needed=False),
    "ranks": Expected(frozenset({"I64"}), 1, needed=False),
}


def matches(head: bytes) -> bool:
    """Return whether the file begins with the length of the header in eight bytes and then JSON."""
    return int.from_bytes(head[:8], "little") < 1 << 40 and head[8:9] == b"{"


def open_(source: Source) -> Vectors:
    """Return the vectors of the file, memory-mapped unless it is compressed."""
    try:
        size = tensors.header_size(source.read(8))
        found, metadata = tensors.parse(source.read(size), TENSORS, version=VERSION, what="word vectors")
    except Unsound as problem:
        raise source.error(str(problem), byte=problem.byte) from None
    _check(source, found)
    start, end = 8 + size, 8 + size + max(tensor.end for tensor in found.values())
    if source.plain:
        if source.size != end:
            raise source.error(f"expected {end:,} bytes in all, as the header promises, found {source.size:,}")
        with source.converting_errors():
            content: NDArray[Any] = np.memmap(source.path, dtype=np.uint8, mode="r", offset=0)[start:].view(np.ndarray)
    else:
        content = np.frombuffer(source.rest(), dtype=np.uint8)
        if start + len(content) != end:
            raise source.error(f"expected {end:,} bytes in all, as the header promises, found {start + len(content):,}")
    parts = {name: tensor.of(content) for name, tensor in found.items()}
    return Vectors.of_stored(
        MappedWords(parts["words"], source.path, len(parts["vectors"])),
        parts["vectors"],
        DTYPE_OF[found["vectors"].kind],
        counts=parts.get("counts"),
        ranks=parts.get("ranks"),
        metadata=metadata,
    )


def _check(source: Source, found: dict[str, Tensor]) -> None:
    n_words, dimension = found["vectors"].shape
    check_dimension(source, dimension)
    for name in ("counts", "ranks"):
        if name in found and found[name].shape != (n_words,):
            raise source.error(f"expected {n_words:,} {name}, one for each word, found shape {found[name].shape}")


class MappedWords(Words):
    """The words of a memory-mapped file, which are checked on first use."""

    def __init__(self, text: NDArray[np.uint8], path: Path, count: int) -> None:
        super().__init__(text)
        self._path, self._count = path, count

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _starts(self) -> Rows:
        starts = Words(self.text)._starts
        if len(starts) - 1 != self._count or starts[-1] != len(self.text):
            found = f"{len(starts) - 1:,} lines"
            raise VectorFileError(self._path, f"expected {self._count:,} words, one a line, found {found}")
        try:
            self.text.tobytes().decode()
        except UnicodeDecodeError as error:
            raise VectorFileError(self._path, f"expected words in UTF-8, found {error}") from None
        return starts


def write(vectors: Vectors, file: BinaryIO, progress: Callable[[int], None]) -> None:
    """Write the matrix first, so that it is aligned, then the words, counts and ranks."""
    columns: dict[str, tuple[str, NDArray[Any]]] = {"vectors": (KIND_OF[vectors.dtype], vectors.stored)}
    if vectors.counts is not None:
        columns["counts"] = ("I64", vectors.counts)
    if vectors.has_ranks:
        columns["ranks"] = ("I64", vectors.ranks)
    columns["words"] = ("U8", vectors.words.text)
    try:
        file.write(tensors.encode(columns, vectors.metadata, VERSION))
    except Unsound as problem:
        raise Unwritable(str(problem)) from None
    step = rows_at_once(vectors.dimension)
    for first in range(0, len(vectors), step):
        file.write(np.ascontiguousarray(vectors.stored[first : first + step]).data)
        progress(min(first + step, len(vectors)))
    for name, (kind, column) in columns.items():
        if name != "vectors":
            file.write(np.ascontiguousarray(column, LAYOUT[kind]).data)
