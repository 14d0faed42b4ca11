"""Our own format: a safetensors file that is opened by memory map, at once, whatever its size.

Tensors: `vectors` (F64, F32, F16 or BF16; a row for each word), `words` (U8: the words in UTF-8, a newline after
each) and, where known, `counts` and `ranks` (I64). Any safetensors library can read it. The header is read and written
here because the library copies each tensor into memory, which is what a memory map is there to avoid.
"""

import json
import math
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import VectorFileError
from entvec.vectors.dtypes import DTYPES, DtypeName
from entvec.vectors.formats.base import Unwritable, check_dimension
from entvec.vectors.source import Source
from entvec.vectors.vectors import Vectors, rows_at_once
from entvec.vectors.words import Rows, Words

MARK, VERSION = "entvec", "vectors 1"
DTYPE_OF: dict[str, DtypeName] = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
KIND_OF = {dtype: kind for kind, dtype in DTYPE_OF.items()}
LAYOUT = {kind: DTYPES[dtype].stored for kind, dtype in DTYPE_OF.items()} | {
    "U8": np.dtype("u1"),
    "I64": np.dtype("<i8"),
}
TENSORS = {"vectors": set(DTYPE_OF), "words": {"U8"}, "counts": {"I64"}, "ranks": {"I64"}}
LONGEST_HEADER = 1 << 20
ALIGNMENT = 64


class Tensor(NamedTuple):
    """What the header says of a tensor; its place is counted from the end of the header."""

    kind: str
    shape: tuple[int, ...]
    start: int
    end: int


def matches(head: bytes) -> bool:
    """The length of the header in eight bytes, then the header, which is JSON."""
    return int.from_bytes(head[:8], "little") < 1 << 40 and head[8:9] == b"{"


def open_(source: Source) -> Vectors:
    """The vectors of the file: mapped, not read, unless it is compressed."""
    size = int.from_bytes(source.read(8), "little")
    if size > LONGEST_HEADER:
        raise source.error(f"expected a header of at most {LONGEST_HEADER:,} bytes, found {size:,}", byte=0)
    tensors, metadata = _parse_header(source, source.read(size))
    start, end = 8 + size, 8 + size + max(tensor.end for tensor in tensors.values())
    if source.plain:
        if source.size != end:
            raise source.error(f"expected {end:,} bytes in all, as the header promises, found {source.size:,}")
        with source.converting_errors():
            content: NDArray[Any] = np.memmap(source.path, dtype=np.uint8, mode="r", offset=0)[start:].view(np.ndarray)
    else:
        content = np.frombuffer(source.rest(), dtype=np.uint8)
        if start + len(content) != end:
            raise source.error(f"expected {end:,} bytes in all, as the header promises, found {start + len(content):,}")
    parts = {
        name: content[tensor.start : tensor.end].view(LAYOUT[tensor.kind]).reshape(tensor.shape)
        for name, tensor in tensors.items()
    }
    return Vectors.of_stored(
        MappedWords(parts["words"], source.path, len(parts["vectors"])),
        parts["vectors"],
        DTYPE_OF[tensors["vectors"].kind],
        counts=parts.get("counts"),
        ranks=parts.get("ranks"),
        metadata=metadata,
    )


def _parse_header(source: Source, header: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and the metadata; every number in it is checked, since it may have been written by anybody."""
    try:
        entries = json.loads(header)
        metadata = {str(key): str(value) for key, value in entries.pop("__metadata__", {}).items()}
        tensors = {
            name: Tensor(entry["dtype"], tuple(entry["shape"]), *entry["data_offsets"])
            for name, entry in entries.items()
        }
        json.dumps(metadata, ensure_ascii=False).encode()  # no half of a surrogate pair, which nobody could write again
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise source.error(f"expected the JSON header of a safetensors file, found none ({error})", byte=8) from None
    version = metadata.pop(MARK, "")
    if not version or not {"vectors", "words"} <= tensors.keys() <= TENSORS.keys():
        found = ", ".join(sorted(tensors)[:8]) or "none"
        raise source.error(
            f"a safetensors file, but not one of word vectors as entvec writes them: "
            f"expected the tensors vectors and words, found {found}"
        )
    if version != VERSION:
        raise source.error(f"expected {VERSION!r}, found {version[:40]!r}; a newer entvec may have written this file")
    for name, tensor in tensors.items():
        _check(source, name, tensor)
    at = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: item[1][2:]):
        if tensor.start != at:
            raise source.error(
                f"expected the tensor {name} to begin at byte {at:,} of the data, found {tensor.start:,}"
            )
        at = tensor.end
    n_words = tensors["vectors"].shape[0]
    for name in ("counts", "ranks"):
        if name in tensors and tensors[name].shape != (n_words,):
            raise source.error(f"expected {n_words:,} {name}, one for each word, found shape {tensors[name].shape}")
    return tensors, metadata


def _check(source: Source, name: str, tensor: Tensor) -> None:
    dimensions = 2 if name == "vectors" else 1
    numbers = (*tensor.shape, tensor.start, tensor.end)
    sound = (
        isinstance(tensor.kind, str)
        and tensor.kind in TENSORS[name]
        and len(tensor.shape) == dimensions
        and all(type(number) is int and 0 <= number < 1 << 60 for number in numbers)
        and math.prod(tensor.shape) * LAYOUT[tensor.kind].itemsize == tensor.end - tensor.start
    )
    if not sound:
        raise source.error(
            f"expected the tensor {name} to have {dimensions} dimensions of {'/'.join(sorted(TENSORS[name]))} "
            f"that fill its bytes, found {tensor.kind} {list(tensor.shape)} in bytes {tensor.start} to {tensor.end}"
        )
    if name == "vectors":
        check_dimension(source, tensor.shape[1])


class MappedWords(Words):
    """The words of a memory map, checked when they are first used."""

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
    """The matrix first, so that it is aligned; then the words and what is known of their frequency."""
    columns: dict[str, tuple[str, NDArray[Any]]] = {"vectors": (KIND_OF[vectors.dtype], vectors.stored)}
    if vectors.counts is not None:
        columns["counts"] = ("I64", vectors.counts)
    if vectors.has_ranks:
        columns["ranks"] = ("I64", vectors.ranks)
    columns["words"] = ("U8", vectors.words.text)
    header: dict[str, Any] = {"__metadata__": {**vectors.metadata, MARK: VERSION}}
    at = 0
    for name, (kind, column) in columns.items():
        size = column.size * LAYOUT[kind].itemsize
        header[name] = {"dtype": kind, "shape": list(column.shape), "data_offsets": [at, at + size]}
        at += size
    encoded = _encoded(header, vectors)
    file.write(len(encoded).to_bytes(8, "little") + encoded)
    step = rows_at_once(vectors.dimension)
    for first in range(0, len(vectors), step):
        file.write(np.ascontiguousarray(vectors.stored[first : first + step]).data)
        progress(min(first + step, len(vectors)))
    for name, (kind, column) in columns.items():
        if name != "vectors":
            file.write(np.ascontiguousarray(column, LAYOUT[kind]).data)


def _encoded(header: dict[str, Any], vectors: Vectors) -> bytes:
    """The header as it is written; refuse what could not be read again."""
    if MARK in vectors.metadata:
        raise Unwritable(f"the metadata have an entry {MARK!r}, which is the mark of the format")
    try:
        encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        raise Unwritable(f"the metadata are no text ({error.reason})") from None
    encoded += b" " * (-(8 + len(encoded)) % ALIGNMENT)
    if len(encoded) > LONGEST_HEADER:
        raise Unwritable(
            f"the metadata take {len(encoded):,} bytes, expected at most {LONGEST_HEADER:,} with the header"
        )
    return encoded
