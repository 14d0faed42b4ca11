"""Reading a taxonomy from a file or a text in whatever format it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from entvec.errors import InvalidInput, TaxonomyFileError, TaxonomyFileNotFound, VectorFileError, VectorFileNotFound
from entvec.taxonomy.formats import FORMATS, File, FormatName, Progress, ReadableName
from entvec.taxonomy.taxonomy import Taxonomy
from entvec.vectors.source import COMPRESSIONS, Source

HEAD = 1 << 12
UNMARKED: tuple[FormatName, ...] = ("outline", "csv", "tsv")
"""Without a mark of their own: whatever is no stranger is one of them."""
ENCODING = re.compile(r"""(\s*<\?xml[^>]{0,99}?)\sencoding\s?=\s?["'][\w.-]*["']""")
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
    _check_format(format)
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
    taxonomy = _reader(path, format or _told_by(path, content) or sniff(file))(file)
    tell(len(content), len(content))
    return taxonomy


def from_text(text: str, format: FormatName | None = None, *, name: str = "text") -> Taxonomy:  # noqa: A002
    r"""What `read` would read in a file with this content; the content tells the format, unless `format` does.

    >>> from_text("animal\n  dog\n    poodle\n  cat").path("poodle", "animal")
    ('poodle', 'dog', 'animal')

    Parameters
    ----------
    text
        The content, as `to_text` gives it. It is never taken for the name of a file.
    format
        A name of `FORMATS`, to read the text as that.
    name
        What errors and warnings call it.
    """
    _check_format(format)
    if not isinstance(text, str):
        raise InvalidInput(f"expected the text of a taxonomy, found {type(text).__name__}; `read` takes files")
    # A text has no encoding any more, whatever it says. Half of a surrogate pair is found with its line, as in files.
    plain = text.removeprefix("\ufeff")
    if declared := ENCODING.match(plain):
        plain = declared[1] + plain[declared.end() :]
    file = File(name, plain.encode(errors="surrogatepass"), lambda *_: None)
    return _reader(name, format or sniff(file))(file)


def told_by(path: Path) -> FormatName | None:
    """The name of the format that a file name tells, if it does."""
    told = _ending(path)
    return next((name for name, row in FORMATS.items() if told in row.suffixes), None)


def _told_by(path: Path, content: bytes) -> FormatName | None:
    """The same of a file that is there: .txt tells a table of edges, unless it plainly is an outline."""
    return "outline" if _ending(path) == ".txt" and FORMATS["outline"].matches(content) else told_by(path)


def _ending(path: Path) -> str:
    """The suffix without those of compression."""
    endings = [suffix.lower() for suffix in path.suffixes[-2:]]
    return next((ending for ending in reversed(endings) if ending not in (*COMPRESSIONS, ".zip")), "")


def sniff(file: File) -> FormatName:
    """The name of the format of a file, from its first bytes."""
    head = file.content[:HEAD]
    if not head.strip():
        raise file.error("it is empty, expected a taxonomy")
    if b"\0" in head:
        raise file.error("this is no text; expected a taxonomy in one of the formats " + ", ".join(FORMATS))
    for name, row in FORMATS.items():
        if name not in UNMARKED and row.matches(head):
            return name
    for beginning, what in STRANGERS.items():
        if head.lstrip().startswith(beginning):
            raise file.error(f"this is {what}")
    return next(name for name in UNMARKED if FORMATS[name].matches(file.content))


def _check_format(name: FormatName | None) -> None:
    if name is not None and name not in FORMATS:
        raise InvalidInput(f"format is {name!r}, expected one of {', '.join(get_args(ReadableName))}")


def _reader(path: Path | str, name: FormatName) -> Callable[[File], Taxonomy]:
    row = FORMATS[name]
    if row.read is None:
        raise TaxonomyFileError(
            path, f"{row.title} is a picture and is only written; expected one of {', '.join(get_args(ReadableName))}"
        )
    row.library()
    return row.read
