"""Reading a taxonomy from a file in whatever format it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

from entvec.errors import InvalidInput, TaxonomyFileError, TaxonomyFileNotFound, VectorFileError, VectorFileNotFound
from entvec.taxonomy.formats import FORMATS, File, FormatName, Progress, ReadableName
from entvec.taxonomy.taxonomy import Taxonomy
from entvec.vectors.source import COMPRESSIONS, Source

HEAD = 1 << 12
TABLES: tuple[FormatName, ...] = ("csv", "tsv")
"""Without a mark of their own: whatever is no stranger is one of them."""
STRANGERS = {
    b"<rdf:RDF": "RDF/XML; save it as Turtle first",
    b"<?xml": "XML, but not GraphML",
    b"<!": "a web page; the download may have failed, look at it with a text editor",
    b"<html": "a web page; the download may have failed, look at it with a text editor",
    b"version https://git-lfs": "a pointer to a large file that was not downloaded; run: git lfs pull",
    b"\xff\xfe": "text in UTF-16; save it as UTF-8",
    b"\xfe\xff": "text in UTF-16; save it as UTF-8",
}


def read(
    path: str | Path,
    *,
    format: FormatName | None = None,  # noqa: A002
    progress: Progress | None = None,
) -> Taxonomy:
    """Read a taxonomy. Its name tells the format, or else its content; it may be compressed (.gz .bz2 .xz .zst .zip).

    Parameters
    ----------
    path
        The file.
    format
        A name of `FORMATS`, to read the file as that whatever it is called.
    progress
        Called with the bytes of the content read so far and in all.
    """
    if format is not None and format not in FORMATS:
        raise InvalidInput(f"format is {format!r}, expected one of {', '.join(get_args(ReadableName))}")
    path = Path(path)
    if path.is_dir():
        raise TaxonomyFileError(path, "it is a folder, expected a file of a taxonomy")
    if format is not None:
        _reader(path, format)  # before any work is done
    try:
        with Source(path) as source:
            content = source.rest()
    except VectorFileNotFound as error:
        raise TaxonomyFileNotFound(path, error.problem) from None
    except VectorFileError as error:
        raise TaxonomyFileError(path, error.problem, line=error.line, byte=error.byte) from error
    tell = progress or (lambda *_: None)
    file = File(path, content, tell)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise file.error("this is text in UTF-16; save it as UTF-8")
    taxonomy = _reader(path, format or told_by(path) or sniff(file))(file)
    tell(len(content), len(content))
    return taxonomy


def told_by(path: Path) -> FormatName | None:
    """The name of the format that a file name tells, if it does."""
    endings = [suffix.lower() for suffix in path.suffixes]
    told = [ending for ending in endings[-2:] if ending not in (*COMPRESSIONS, ".zip")][-1:]
    return next((name for name, row in FORMATS.items() if set(told) & set(row.suffixes)), None)


def sniff(file: File) -> FormatName:
    """The name of the format of a file, from its first bytes."""
    head = file.content[:HEAD]
    if not head.strip():
        raise file.error("the file is empty, expected a taxonomy")
    if b"\0" in head:
        raise file.error("this is no text; expected a taxonomy in one of the formats " + ", ".join(FORMATS))
    for name, row in FORMATS.items():
        if name not in TABLES and row.matches(head):
            return name
    for beginning, what in STRANGERS.items():
        if head.lstrip().startswith(beginning):
            raise file.error(f"this is {what}")
    return next(name for name in TABLES if FORMATS[name].matches(head))


def _reader(path: Path, name: FormatName) -> Callable[[File], Taxonomy]:
    row = FORMATS[name]
    if row.read is None:
        raise TaxonomyFileError(
            path, f"{row.title} is a picture and is only written; expected one of {', '.join(get_args(ReadableName))}"
        )
    row.library()
    return row.read
