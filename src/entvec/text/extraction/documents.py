"""Documents of a file: what each format takes for a document, and the plain text of it.

A text or Markdown file is read in blocks, each a document, that end between paragraphs, so that any part of it can be
read by itself. An HTML page is one document, and so is each row of JSON Lines and Parquet.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from entvec.errors import InvalidInput
from entvec.text.extraction.extractor import Document
from entvec.text.extraction.html_text import Unreadable, text_of_html
from entvec.vectors.formats.parquet import library
from entvec.vectors.source import COMPRESSIONS

BLOCK = 1 << 16
"""Bytes of a text that are a document."""
LARGEST_PAGE = 1 << 25
"""Bytes of an HTML page, of a line of JSON and of a text in a row."""
MOST_REPLACED = 0.001
"""The share of characters that may not be UTF-8."""
BINARY = b"\0"
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ENDS = (b"\n\n", b"\n", b" ")
"""Where a block may end, the best first."""
CONTINUATION = range(0x80, 0xC0)
"""Bytes that go on with a character of UTF-8."""


class Unit(NamedTuple):
    """A part of a file that can be read by itself."""

    path: str
    name: str
    """What examples call the file."""
    format: str
    start: int
    """A byte, a line or a row group, as the format has it."""
    stop: int


def format_of(path: Path) -> str:
    """Return the name of the format that the name of a file asks for; text if it asks for none.

    >>> format_of(Path("notes.md.gz")), format_of(Path("README"))
    ('markdown', 'text')
    """
    suffixes = [suffix.casefold() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1], "text") if suffixes else "text"


# Text and Markdown


def read_blocks(content: bytes, first: int, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """Yield the blocks of a text that begin between two bytes, and where they are.

    Parameters
    ----------
    content
        Bytes of the file from `first` on, at least up to a block after `stop` unless the file ends before.
    first
        The place of the content in the file.
    start, stop
        Multiples of BLOCK; `stop` may be the end of the file.
    """
    before = _boundary(content, start - first) if start else 0
    for at in range(start + BLOCK, stop + BLOCK, BLOCK):
        after = _boundary(content, min(at, stop) - first)
        if after > before:
            yield first + before, content[before:after]
            before = after


def _boundary(content: bytes, at: int) -> int:
    """Return where the block ends that goes on to a place at least."""
    if at >= len(content):
        return len(content)
    for end in ENDS:
        found = content.find(end, at, at + BLOCK - len(end))
        if found >= 0:
            return found + len(end)
    while at < len(content) and content[at] in CONTINUATION:
        at += 1
    return at


def _read_text(unit: Unit, column: str) -> Iterator[Document]:  # noqa: ARG001 - formats share their arguments
    with Path(unit.path).open("rb") as file:
        file.seek(unit.start)
        content = file.read(unit.stop - unit.start + BLOCK)
    if unit.start == 0:
        _check_text(content)
    for offset, block in read_blocks(content, unit.start, unit.start, unit.stop):
        yield Document(decoded(block), unit.name, offset, in_bytes=True)


def _check_text(head: bytes) -> None:
    if head.startswith(WIDE):
        raise Unreadable("it is text in UTF-16; save it as UTF-8")
    if BINARY in head[:BLOCK]:
        raise Unreadable("it is no text")


def decoded(content: bytes) -> str:
    """Return bytes as text, with U+FFFD for a few that are not UTF-8; raise Unreadable if many are not."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        text = content.decode(errors="replace")
        if BINARY in content or text.count("\ufffd") > 2 + MOST_REPLACED * len(text):
            raise Unreadable(f"it is no text in UTF-8 ({error.reason})") from None
        return text


FENCE = re.compile(r"^(```|~~~)[^\n]*\n(?:(?!\1)[^\n]*\n)*(?:\1[^\n]*)?", re.MULTILINE)
LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\](?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,100}\])")
MARKS = re.compile(r"`|(?<![^\W_])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![^\W_])|<[^<>\n]{1,200}>")


def without_marks(text: str) -> str:
    """Return Markdown with spaces instead of its marks and code, so that every letter stays where it is.

    >>> without_marks("See [dogs](dogs.md) and `cats`.")
    'See  dogs           and  cats .'
    """
    text = FENCE.sub(_blank, text)
    text = LINK.sub(lambda link: " " + link[1] + " " * (len(link[0]) - len(link[1]) - 1), text)
    return MARKS.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _read_markdown(unit: Unit, column: str) -> Iterator[Document]:
    for document in _read_text(unit, column):
        yield document._replace(text=without_marks(document.text), in_bytes=document.text.isascii())


# HTML


def _read_html(unit: Unit, column: str) -> Iterator[Document]:  # noqa: ARG001
    content = _whole(unit)
    _check_text(content)
    yield Document(text_of_html(decoded(content)), unit.name)


def _whole(unit: Unit) -> bytes:
    with Path(unit.path).open("rb") as file:
        content = file.read(LARGEST_PAGE + 1)
    if len(content) > LARGEST_PAGE:
        raise Unreadable(f"it is a page of more than {LARGEST_PAGE:,} bytes")
    return content


# Tables


def _read_jsonl(unit: Unit, column: str) -> Iterator[Document]:
    """Yield a document for each line that begins in the unit."""
    with Path(unit.path).open("rb") as file:
        if unit.start:
            file.seek(unit.start - 1)
            _skip_line(file)
        while (offset := file.tell()) < unit.stop and (line := file.readline(LARGEST_PAGE)):
            if len(line) == LARGEST_PAGE and not line.endswith(b"\n"):
                raise Unreadable(f"it has a line of more than {LARGEST_PAGE:,} bytes")
            if line.strip():
                yield Document(_field(line, column), unit.name, offset)


def _skip_line(file: Any) -> None:
    while (part := file.readline(BLOCK)) and not part.endswith(b"\n"):
        pass


def _field(line: bytes, column: str) -> str:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"it is not JSON Lines ({error})") from None
    text = row.get(column) if isinstance(row, dict) else None
    if text is not None and not isinstance(text, str):
        raise Unreadable(f"its field {column!r} is no text")
    if text is None and not (isinstance(row, dict) and column in row):
        raise Unreadable(f"it has a line without the field {column!r}")
    return text or ""


def _read_parquet(unit: Unit, column: str) -> Iterator[Document]:
    with open_parquet(unit.path, column) as file:
        row = sum(file.metadata.row_group(i).num_rows for i in range(unit.start))
        groups = list(range(unit.start, unit.stop))
        for batch in file.iter_batches(batch_size=256, row_groups=groups, columns=[column], use_threads=False):
            for text in batch[0].to_pylist():
                yield Document(text or "", unit.name, row)
                row += 1


def open_parquet(path: str, column: str) -> Any:
    """Return a Parquet file that has a column of texts."""
    pyarrow = library()
    try:
        file = pyarrow.parquet.ParquetFile(path, pre_buffer=False)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise Unreadable(f"it is no Parquet file ({error!s:.80})") from None
    types = pyarrow.types
    schema = file.schema_arrow
    if column not in schema.names:
        raise Unreadable(f"it has no column {column!r}, but {', '.join(schema.names[:8])}")
    kind = schema.field(column).type
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
        raise Unreadable(f"its column {column!r} has {kind}, not text")
    return file


class Format(NamedTuple):
    """How a format is read."""

    suffixes: tuple[str, ...]
    read: Callable[[Unit, str], Iterator[Document]]
    cut: str
    """The units of a file: `bytes` of it, `rows` for its row groups, or `no` for the whole."""


FORMATS = {
    "text": Format((".txt", ".text"), _read_text, "bytes"),
    "markdown": Format((".md", ".markdown"), _read_markdown, "bytes"),
    "html": Format((".html", ".htm", ".xhtml"), _read_html, "no"),
    "jsonl": Format((".jsonl", ".ndjson"), _read_jsonl, "bytes"),
    "parquet": Format((".parquet",), _read_parquet, "rows"),
}
SUFFIXES = {suffix: name for name, row in FORMATS.items() for suffix in row.suffixes}


def read_documents(unit: Unit, column: str) -> Iterator[Document]:
    """Yield the documents of a part of a file; raise Unreadable if it is to be skipped.

    Parameters
    ----------
    unit
        The part.
    column
        The name of the field or column that has the text, in JSON Lines and Parquet.
    """
    try:
        yield from FORMATS[unit.format].read(unit, column)
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from None


def check_format(name: str | None) -> str | None:
    """Return the name of a format; raise an error if there is none of this name."""
    if name is not None and name not in FORMATS:
        raise InvalidInput(f"format is {name!r}, expected one of {', '.join(FORMATS)}")
    return name
