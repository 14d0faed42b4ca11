"""entvec's own files: named tensors after a JSON header. The format is safetensors, whose libraries can read them.

The header is read and written here because the safetensors library copies each tensor into memory, which a memory map
avoids. Every number in a header is checked, since the file may come from anyone. An entry of the metadata says
what the file is for: `entvec: vectors 1`.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MARK = "entvec"
LAYOUT: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}
LONGEST_HEADER = 1 << 20
ALIGNMENT = 64


class Unsound(Exception):
    """A problem of a header, and its byte offset in the file; callers turn it into an error of their own."""

    def __init__(self, problem: str, byte: int | None = None) -> None:
        super().__init__(problem)
        self.byte = byte


class Tensor(NamedTuple):
    """The header's entry of a tensor; its position is relative to the end of the header."""

    kind: str
    shape: tuple[int, ...]
    start: int
    end: int

    def of(self, content: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the tensor, given the bytes that follow the header."""
        return content[self.start : self.end].view(LAYOUT[self.kind]).reshape(self.shape)


class Expected(NamedTuple):
    """The types and the number of dimensions that a tensor may have."""

    kinds: frozenset[str]
    dimensions: int
    needed: bool = True


def header_size(head: bytes) -> int:
    """Return the length of the header, given the first eight bytes of a file."""
    if len(head) < 8:
        raise Unsound(f"expected a header, found the end of the file after {len(head)} bytes")
    size = int.from_bytes(head[:8], "little")
    if size > LONGEST_HEADER:
        raise Unsound(
            f"expected a header of at most {LONGEST_HEADER:,} bytes, found {size:,}: no safetensors file", byte=0
        )
    return size


def mapped(
    path: Path, expected: Mapping[str, Expected], *, version: str, what: str
) -> tuple[dict[str, Tensor], dict[str, str], NDArray[np.uint8]]:
    """Return the tensors and the metadata of a file, and the bytes after its header, memory-mapped."""
    content = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
    size = header_size(content[:8].tobytes())
    found, metadata = parse(content[8 : 8 + size].tobytes(), expected, version=version, what=what)
    end = 8 + size + max(tensor.end for tensor in found.values())
    if len(content) != end:
        raise Unsound(f"expected {end:,} bytes in all, as the header promises, found {len(content):,}")
    return found, metadata, content[8 + size :]


def parse(
    header: bytes, expected: Mapping[str, Expected], *, version: str, what: str
) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and the metadata of a header; raise Unsound if it is damaged.

    Parameters
    ----------
    header
        The JSON of the header.
    expected
        The tensors that the file must or may have.
    version
        The kind and version that the metadata must have, such as "vectors 1".
    what
        What the file is for, in the words of an error.
    """
    try:
        entries = json.loads(header)
        metadata = {str(key): str(value) for key, value in entries.pop("__metadata__", {}).items()}
        tensors = {
            name: Tensor(entry["dtype"], tuple(entry["shape"]), *entry["data_offsets"])
            for name, entry in entries.items()
        }
        json.dumps(metadata, ensure_ascii=False).encode()  # no half of a surrogate pair, which nobody could write again
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unsound(f"expected the JSON header of a safetensors file, found none ({error})", byte=8) from None
    found_version = metadata.pop(MARK, "")
    needed = [name for name, tensor in expected.items() if tensor.needed]
    if not found_version or not set(needed) <= tensors.keys() <= expected.keys():
        names = ", ".join(sorted(tensors)[:8]) or "none"
        raise Unsound(
            f"a safetensors file, but not one of {what} as entvec writes them: "
            f"expected the tensors {', '.join(needed[:-1])} and {needed[-1]}, found {names}"
        )
    if found_version != version:
        newer = "a newer entvec may have written this file"
        raise Unsound(f"expected {version!r}, found {found_version[:40]!r}; {newer}")
    for name, tensor in tensors.items():
        _check(name, tensor, expected[name])
    at = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: item[1][2:]):
        if tensor.start != at:
            raise Unsound(f"expected the tensor {name} to begin at byte {at:,} of the data, found {tensor.start:,}")
        at = tensor.end
    return tensors, metadata


def _check(name: str, tensor: Tensor, expected: Expected) -> None:
    numbers = (*tensor.shape, tensor.start, tensor.end)
    sound = (
        isinstance(tensor.kind, str)
        and tensor.kind in expected.kinds
        and len(tensor.shape) == expected.dimensions
        and all(type(number) is int and 0 <= number < 1 << 60 for number in numbers)
        and math.prod(tensor.shape) * LAYOUT[tensor.kind].itemsize == tensor.end - tensor.start
    )
    if not sound:
        kinds = "/".join(sorted(expected.kinds))
        raise Unsound(
            f"expected the tensor {name} to have {expected.dimensions} dimensions of {kinds} "
            f"that fill its bytes, found {_short(tensor.kind)} {_short(list(tensor.shape))} "
            f"in bytes {_short(tensor.start)} to {_short(tensor.end)}"
        )


def _short(found: object) -> str:
    return str(found)[:40]


def encode(columns: Mapping[str, tuple[str, NDArray[Any]]], metadata: Mapping[str, str], version: str) -> bytes:
    """Return the header of a file in which these tensors follow in this order; raise Unsound if it could not be read
    again.
    """
    if MARK in metadata:
        raise Unsound(f"the metadata have an entry {MARK!r}, which is the mark of the format")
    if not all(isinstance(text, str) for entry in metadata.items() for text in entry):
        raise Unsound("the metadata are no text")
    header: dict[str, Any] = {"__metadata__": {**metadata, MARK: version}}
    at = 0
    for name, (kind, column) in columns.items():
        size = column.size * LAYOUT[kind].itemsize
        header[name] = {"dtype": kind, "shape": list(column.shape), "data_offsets": [at, at + size]}
        at += size
    try:
        encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        raise Unsound(f"the metadata are no text ({error.reason})") from None
    encoded += b" " * (-(8 + len(encoded)) % ALIGNMENT)
    if len(encoded) > LONGEST_HEADER:
        raise Unsound(f"the metadata take {len(encoded):,} bytes, expected at most {LONGEST_HEADER:,} with the header")
    return len(encoded).to_bytes(8, "little") + encoded
