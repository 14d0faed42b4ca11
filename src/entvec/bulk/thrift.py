"""Thrift's compact protocol, as Parquet writes its footers: read into a tree of field numbers, and written again.

Nothing here knows what the fields mean, so whatever a footer has is kept. A struct is a dict from the number of a
field to its kind and value; the kinds are those of the protocol.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from entvec.errors import InvalidInput

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
SIZES = {BYTE: 1, DOUBLE: 8, UUID: 16}
"""Of kinds that are kept as the bytes they are."""
DEEPEST = 32
LARGEST_NUMBER = 1 << 64


class Field(NamedTuple):
    """The kind and the value of a field."""

    kind: int
    value: Any


Struct = dict[int, Field]


class Items(NamedTuple):
    """A list: the kind of its elements, and their values. An element of kind STRUCT may be its bytes as well."""

    kind: int
    values: list[Any]


def read_struct(content: bytes) -> Struct:
    """The struct that these bytes are."""
    reader = _Reader(content)
    try:
        found = reader.struct(0)
    except IndexError:
        raise InvalidInput(f"a footer of {len(content):,} bytes ends too early") from None
    if reader.at != len(content):
        raise InvalidInput(f"a footer ends at byte {reader.at:,} of {len(content):,}")
    return found


class _Reader:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def taken(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self.content):
            raise IndexError
        return self.content[self.at - size : self.at]

    def unsigned(self) -> int:
        found = shift = 0
        while True:
            byte = self.byte()
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > 63:
                raise InvalidInput(f"a number of more than 64 bits at byte {self.at:,} of a footer")
        if found >= LARGEST_NUMBER:
            raise InvalidInput(f"a number of more than 64 bits at byte {self.at:,} of a footer")
        return found

    def signed(self) -> int:
        found = self.unsigned()
        return (found >> 1) ^ -(found & 1)

    def struct(self, depth: int) -> Struct:
        found: Struct = {}
        number = 0
        while (head := self.byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self.signed()
            found[number] = Field(head & 15, self.value(head & 15, depth))
        return found

    def value(self, kind: int, depth: int, *, in_list: bool = False) -> Any:
        if depth > DEEPEST:
            raise InvalidInput(f"a footer has structs in more than {DEEPEST} others")
        if kind in (TRUE, FALSE):  # the kind of a field is its value already
            return self.byte() if in_list else kind == TRUE
        if kind in (I16, I32, I64):
            return self.signed()
        if kind in SIZES:
            return self.taken(SIZES[kind])
        if kind == BINARY:
            return self.taken(self.unsigned())
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            return self.items(depth)
        raise InvalidInput(f"a value of kind {kind} at byte {self.at:,} of a footer, expected one that Parquet has")

    def items(self, depth: int) -> Items:
        head = self.byte()
        size = head >> 4 if head >> 4 < 15 else self.unsigned()
        if size > len(self.content) - self.at:  # each takes a byte at least
            raise IndexError
        return Items(head & 15, [self.value(head & 15, depth + 1, in_list=True) for _ in range(size)])


def write_struct(struct: Struct) -> bytes:
    """The bytes of a struct; its fields are written in the order of their numbers."""
    out = bytearray()
    _write_struct(out, struct)
    return bytes(out)


def _write_struct(out: bytearray, struct: Struct) -> None:
    before = 0
    for number, (kind, value) in sorted(struct.items()):
        if 0 < number - before < 16:
            out.append((number - before) << 4 | kind)
        else:
            out.append(kind)
            _write_signed(out, number)
        before = number
        if kind not in (TRUE, FALSE):
            _write_value(out, kind, value)
    out.append(0)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in (TRUE, FALSE):  # of a list
        out.append(value)
    elif kind in (I16, I32, I64):
        _write_signed(out, value)
    elif kind in SIZES:
        out += value
    elif kind == BINARY:
        _write_unsigned(out, len(value))
        out += value
    elif kind == STRUCT:
        if isinstance(value, bytes):
            out += value
        else:
            _write_struct(out, value)
    else:
        size = len(value.values)
        out.append(min(size, 15) << 4 | value.kind)
        if size >= 15:
            _write_unsigned(out, size)
        for each in value.values:
            _write_value(out, value.kind, each)


def _write_unsigned(out: bytearray, number: int) -> None:
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _write_signed(out: bytearray, number: int) -> None:
    _write_unsigned(out, number << 1 if number >= 0 else (-number << 1) - 1)
