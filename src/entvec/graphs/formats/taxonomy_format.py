"""The interface of a taxonomy format, and the file that its reader gets."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from entvec.errors import TaxonomyFileError, shown
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress

Part = Literal["probability", "negation", "label", "synonym", "definition"]
"""What a taxonomy may contain besides terms and edges."""

LONGEST_MESSAGE = 500
LINES_AT_ONCE = 1 << 10


class Unwritable(Exception):
    """Raised by a writer for something that its format cannot represent; the text describes it."""


class Stopped(BaseException):
    """Carries an exception of a progress callback through parsers that catch every Exception."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def check_writable(text: str, kind: str, *, one_line: bool = True) -> None:
    """Raise Unwritable if a format cannot keep the white space around a text, or a tab or line break inside it."""
    if text != text.strip():
        raise Unwritable(f"{text!r} begins or ends with white space, which {kind} do not keep; rename it or use json")
    if one_line and any(mark in text for mark in "\t\n\r"):
        raise Unwritable(f"{text!r} has a tab or a line break in it; json and csv can hold it")


class File(NamedTuple):
    """The decompressed content of a file, or of a text that has a name."""

    path: Path | str
    content: bytes
    progress: Progress
    warnings: list[str]
    """Problems that a reader found with `warn`; the user is warned of them when the file has been read."""
    columns: tuple[str, ...] = ()
    """For tables: the columns of the hypo and the hyper, as names or as numbers from 1."""

    def warn(self, problem: str, *, line: int | None = None) -> None:
        """Add a warning about something that can be read, but is probably a mistake."""
        self.warnings.append(str(self.error(problem, line=line)))

    def error(self, problem: str, *, line: int | None = None) -> TaxonomyFileError:
        """Return an error about this file, to be raised by the caller."""
        # The message may quote the file: a very long name, a lone surrogate, or control characters for a terminal.
        return TaxonomyFileError(self.path, shown(problem[:LONGEST_MESSAGE]), line=line)

    def lines(self) -> Iterator[str]:
        """Yield the lines, each with its line end."""
        done = 0
        for number, line in enumerate(io.BytesIO(self.content), start=1):
            done += len(line)
            if number % LINES_AT_ONCE == 0:
                self.progress(done, len(self.content))
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                found = line.rstrip(b"\r\n")[:40]
                raise self.error(
                    f"expected text in UTF-8, found {found!r} ({error.reason}); save the file as UTF-8", line=number
                ) from None

    def text(self) -> str:
        """Return the whole content as text."""
        try:
            return self.content.decode()
        except UnicodeDecodeError:
            return "".join(self.lines())  # raises, and says in which line


class Format(NamedTuple):
    """A row of the table of formats: how files of the format are recognised, read and written."""

    title: str
    """The name for people."""
    suffixes: tuple[str, ...]
    """The suffixes of file names in this format, the preferred one first."""
    matches: Callable[[bytes], bool]
    """Returns True if a file that begins with these bytes may be in this format."""
    read: Callable[[File], Taxonomy] | None
    """None if the format is only written."""
    write: Callable[[Taxonomy], Iterable[str]]
    holds: frozenset[Part] = frozenset()
    """The parts that the format can represent besides terms and edges."""
    library: Callable[[], object] = lambda: None
    """Imports the library that the format needs, or raises MissingExtra."""
    rest: str = ""
    """The `Rest.format` that `write` can use."""
    marked: bool = True
    """False if the format has no signature at its beginning, so that `matches` needs the whole content and is tried
    last.
    """
    shared: tuple[str, ...] = ()
    """Suffixes of another format: a file with one of them is in this format if `matches` accepts its content."""
