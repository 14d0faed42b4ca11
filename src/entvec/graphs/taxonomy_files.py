"""Read and write taxonomies: files and texts, in every format of the table `entvec.graphs.formats.FORMATS`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from entvec.errors import (
    CannotWrite,
    InvalidInput,
    TaxonomyFileError,
    TaxonomyFileNotFound,
    TaxonomyFileWarning,
    VectorFileError,
    VectorFileNotFound,
    shown,
)
from entvec.files import replacing
from entvec.graphs.annotations import DEFINITION, SYNONYM
from entvec.graphs.formats import FORMATS, File, Part, Stopped, Unwritable, readable_formats
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress
from entvec.vectors.source import COMPRESSIONS, Source
from entvec.vectors.writing import opened

TABLES = ("tsv", "csv")
PARTS_A_REPORT = 1 << 10
HEAD = 1 << 12
"""How many bytes are examined for the signature of a format."""
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
"""First bytes of files that are often mistaken for a taxonomy, and what these files are."""


def read(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    columns: Sequence[str | int] | None = None,
    progress: Progress | None = None,
) -> Taxonomy:
    r"""Read a taxonomy from a file, which may be compressed (.gz .bz2 .xz .zst .zip).

    The file name decides the format; if it does not, the content does.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "pets.csv").write_text("hypo,hyper,probability\ndog,animal,0.9\n")
    ...     read(f"{folder}/pets.csv").edge(0)
    Edge(hypo='dog', hyper='animal', probability=0.9)

    Parameters
    ----------
    path
        The file.
    format
        The name of a row of `FORMATS`: read the file in this format, whatever its name is.
    columns
        For tables: the columns of the narrower and the broader term, by the titles in the first line, or by numbers
        from 1 if there is no header.
    progress
        A callback that gets the number of bytes read so far and the number in all. What it raises ends the reading.
    """
    path = Path(path)
    if format is not None:
        _reader(path, format)  # raises before any work is done
    if path.is_dir():
        raise TaxonomyFileError(path, "it is a folder, expected a file of a taxonomy")
    try:
        with Source(path) as source:
            content = source.rest()
    except VectorFileNotFound as error:
        raise TaxonomyFileNotFound(path, error.what) from None
    except VectorFileError as error:
        raise TaxonomyFileError(path, error.what, line=error.line, byte=error.byte) from error
    report = progress or (lambda *_: None)
    file = File(path, content, report, [], _columns(columns))
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise file.error("this is text in UTF-16; save it as UTF-8")
    shared = None if columns is not None else _shared_suffix(path, content)
    name = format or shared or format_of_name(path) or sniff(file)
    if columns is not None and name not in TABLES:
        raise InvalidInput(f"{path} is no table but {FORMATS[name].title}, so it has no columns to choose")
    if shared == "outline" and format is None and _suffix(path) != ".txt":
        file.warn("the lines are indented or have bullets: read as an indented list, not as a table")
    taxonomy = _taxonomy(file, name)
    report(len(content), len(content))
    return taxonomy


def from_text(
    text: str,
    format: str | None = None,  # noqa: A002
    *,
    name: str = "text",
    progress: Progress | None = None,
) -> Taxonomy:
    r"""Read a taxonomy from a text. The content decides the format, unless `format` is given.

    >>> from_text("animal\n  dog\n    poodle\n  cat").path("poodle", "animal")
    ('poodle', 'dog', 'animal')

    Parameters
    ----------
    text
        The content of a file, as `to_text` returns it. It is never taken for the name of a file.
    format
        A name in `FORMATS`: read the text in this format.
    name
        The name of the text in errors and warnings.
    progress
        A callback, called with the number of bytes read so far and in all. If it raises an exception, reading ends.
    """
    file = _file_of(text, name, progress)
    return _taxonomy(file, format or sniff(file))


def recognised_format(text: str) -> str:
    r"""Return the format in which `from_text` reads a text, by its content.

    >>> recognised_format("animal\n  dog\n"), recognised_format("dog\tanimal\n")
    ('outline', 'tsv')
    """
    return sniff(_file_of(text, "text", None))


def _file_of(text: str, name: str, progress: Progress | None) -> File:
    if not isinstance(text, str):
        raise InvalidInput(f"expected the text of a taxonomy, found {type(text).__name__}; `read` takes files")
    # A string has no encoding, even if its XML declaration names one. A lone surrogate is reported with its line.
    plain = text.removeprefix("\ufeff")
    if declared := ENCODING.match(plain):
        plain = declared[1] + plain[declared.end() :]
    return File(name, plain.encode(errors="surrogatepass"), progress or (lambda *_: None), [])


def write(
    taxonomy: Taxonomy,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    progress: Progress | None = None,
) -> None:
    """Write a taxonomy to a file; the old file stays until the new one is complete.

    The file name decides the format unless `format` does, and the suffix after it the compression (.gz .bz2 .xz .zst).
    The file lacks what the format cannot represent; `left_out` counts that.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(Taxonomy.from_edges([("dog", "animal")]), f"{folder}/pets.tsv.gz")
    ...     read(f"{folder}/pets.tsv.gz")
    Taxonomy(2 terms, 1 edges)

    Parameters
    ----------
    taxonomy
        The taxonomy.
    path
        The file to write or replace.
    format
        The name of a row of `FORMATS`: write the file in this format, whatever its name is.
    progress
        A callback that gets the number of bytes written so far, and 0. What it raises ends the writing.
    """
    name = check_format(path, format)
    if not isinstance(taxonomy, Taxonomy):
        raise InvalidInput(f"expected a taxonomy and then a path, found {type(taxonomy).__name__} first")
    if format is None:
        name = format_of_origin(taxonomy, Path(path)) or name
    with replacing(path) as temporary, opened(temporary, Path(path).suffix.lower()) as file:
        try:
            for text in _parts(taxonomy, name, progress):
                file.write(text.encode())
        except Unwritable as error:
            raise CannotWrite(path, str(error)) from None


def to_text(taxonomy: Taxonomy, format: str, *, progress: Progress | None = None) -> str:  # noqa: A002
    """Return what `write` would write; `from_text` reads it.

    >>> print(to_text(Taxonomy.from_edges([("dog", "animal", 0.9)]), "csv"), end="")
    hypo,hyper,probability
    dog,animal,0.9

    Parameters
    ----------
    taxonomy
        The taxonomy.
    format
        The name of a row of `FORMATS`.
    progress
        A callback that gets the number of letters written so far, and 0. What it raises ends the writing.
    """
    name = check_format("text", format)
    try:
        return "".join(_parts(taxonomy, name, progress))
    except Unwritable as error:
        raise CannotWrite("text", str(error)) from None


def _parts(taxonomy: Taxonomy, name: str, progress: Progress | None) -> Iterator[str]:
    """Yield the parts of a text in a format, and report its length so far."""
    report = progress or (lambda *_: None)
    report(0, 0)
    done = 0
    for i, text in enumerate(FORMATS[name].write(taxonomy)):
        done += len(text)
        if i % PARTS_A_REPORT == 0:
            report(done, 0)
        yield text


def left_out(taxonomy: Taxonomy, format: str) -> dict[str, int]:  # noqa: A002
    """Return how many statements of each kind the format cannot represent.

    >>> left_out(Taxonomy.from_edges([("dog", "animal", 0.9)], negations=[("cat", "dog")]), "obo")
    {'probabilities': 1, 'negated entailments': 1}
    """
    row = FORMATS[format]

    def fields(name: str) -> int:
        return sum(len(found.get(name, ())) for found in taxonomy.about.values())

    counts: dict[Part, tuple[str, int]] = {
        "probability": ("probabilities", int((~np.isnan(taxonomy.probability)).sum())),
        "negation": ("negated entailments", len(taxonomy.negations)),
        "label": ("labels", len(taxonomy.labels)),
        "synonym": ("synonyms", fields(SYNONYM)),
        "definition": ("definitions", fields(DEFINITION)),
    }
    found = {name: n for part, (name, n) in counts.items() if n and part not in row.holds}
    if taxonomy.rest is not None and taxonomy.rest.format != row.rest and taxonomy.rest.n:
        found["other statements"] = taxonomy.rest.n
    return found


def _columns(columns: Sequence[str | int] | None) -> tuple[str, ...]:
    """Return the titles or numbers of two columns as texts."""
    if columns is None:
        return ()
    named = tuple(map(str, columns)) if isinstance(columns, list | tuple) else ()
    if len(named) != 2 or named[0] == named[1] or len({each.isdecimal() for each in named}) > 1:
        raise InvalidInput(f"columns are {columns!r}, expected two titles, or two numbers from 1: hypo and hyper")
    return named


def check_format(path: str | Path, name: str | None = None) -> str:
    """Return the name of the format to write; raise before any work if it is unknown or its library is missing."""
    path = Path(path)
    if name is not None and name not in FORMATS:
        raise InvalidInput(f"format is {name!r}, expected one of {', '.join(FORMATS)}")
    if path.suffix.lower() == ".zip":
        raise CannotWrite(path, f"zip archives are only read; expected one of {' '.join(COMPRESSIONS)}")
    name = name or format_of_name(path)
    if name is None:
        known = ", ".join(f"{row.suffixes[0]} ({name})" for name, row in FORMATS.items())
        raise CannotWrite(path, f"its name does not tell the format; expected a name ending in one of {known}")
    FORMATS[name].library()
    return name


def format_of_name(path: Path) -> str | None:
    """Return the format whose suffix the file name has, if there is one."""
    suffix = _suffix(path)
    return next((name for name, row in FORMATS.items() if suffix in row.suffixes), None)


def format_of_origin(taxonomy: Taxonomy, path: Path) -> str | None:
    """Return the format that the taxonomy was read from, if the suffix of the file name may mean that one, too."""
    origin = None if taxonomy.rest is None else taxonomy.rest.format
    return next((name for name, row in FORMATS.items() if row.rest == origin and _suffix(path) in row.shared), None)


def sniff(file: File) -> str:
    """Return the format that the content of a file is in."""
    head = file.content[:HEAD]
    if not head.strip():
        raise file.error("it is empty, expected a taxonomy")
    if b"\0" in head:
        raise file.error("this is no text; expected a taxonomy in one of the formats " + ", ".join(FORMATS))
    for name, row in reversed(FORMATS.items()):
        if row.marked and row.matches(head):
            return name
    for beginning, what in STRANGERS.items():
        if head.lstrip().startswith(beginning):
            raise file.error(f"this is {what}")
    return next(name for name, row in reversed(FORMATS.items()) if not row.marked and row.matches(file.content))


def _shared_suffix(path: Path, content: bytes) -> str | None:
    """Return the format that shares the suffix of another one and fits the content, or None."""
    suffix = _suffix(path)
    return next((name for name, row in FORMATS.items() if suffix in row.shared and row.matches(content)), None)


def _suffix(path: Path) -> str:
    """Return the last suffix that is not one of compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    return next((suffix for suffix in reversed(suffixes) if suffix not in (*COMPRESSIONS, ".zip")), "")


def _taxonomy(file: File, name: str) -> Taxonomy:
    reader = _reader(file.path, name)

    def progress(done: int, total: int) -> None:
        try:
            file.progress(min(done, total), total)
        except Exception as error:  # noqa: BLE001 - raised again below
            raise Stopped(error) from None

    try:
        progress(0, len(file.content))
        taxonomy = reader(file._replace(progress=progress))
    except InvalidInput as error:
        raise file.error(error.what) from None
    except Stopped as stopped:
        raise stopped.error from None
    for told in file.warnings:
        warnings.warn(shown(told), TaxonomyFileWarning, stacklevel=3)  # the caller of `read` or `from_text`
    return taxonomy


def _reader(path: Path | str, name: str) -> Callable[[File], Taxonomy]:
    """Return the reader of a format; raise if there is none, or its library is missing."""
    readable = ", ".join(readable_formats())
    if name not in FORMATS:
        raise InvalidInput(f"format is {name!r}, expected one of {readable}")
    row = FORMATS[name]
    if row.read is None:
        raise TaxonomyFileError(path, f"{row.title} is a picture and is only written; expected one of {readable}")
    row.library()
    return row.read
