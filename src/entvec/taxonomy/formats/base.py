"""What a format of taxonomies is, and what its reader is given."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from entvec.errors import TaxonomyFileError
from entvec.taxonomy.taxonomy import Taxonomy

Progress = Callable[[int, int], None]
"""Called with what is done so far, and what there is in all."""

Part = Literal["probability", "negation", "label", "synonym", "definition", "statement"]
"""What a taxonomy may have beside terms and edges; a statement is what only the format it was read from knows."""

LONGEST_MESSAGE = 500
LINES_AT_ONCE = 1 << 14


class Unwritable(Exception):
    """What a format cannot hold; the text says what."""


class File(NamedTuple):
    """The content of a file, decompressed, or of a text that has a name."""

    path: Path | str
    content: bytes
    progress: Progress

    def error(self, problem: str, *, line: int | None = None) -> TaxonomyFileError:
        """The error to raise for this file."""
        # A file may put anything into a message: a name of a megabyte, half of a surrogate pair.
        shown = problem[:LONGEST_MESSAGE].encode(errors="replace").decode()
        return TaxonomyFileError(self.path, shown, line=line)

    def lines(self) -> Iterator[str]:
        """The lines one by one, each with its end."""
        done = 0
        for number, line in enumerate(io.BytesIO(self.content), start=1):
            done += len(line)
            if number % LINES_AT_ONCE == 0:
                self.progress(done, len(self.content))
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise self._undecodable(line, error, number) from None

    def text(self) -> str:
        """All of it."""
        try:
            return self.content.decode()
        except UnicodeDecodeError as error:
            before = self.content[: error.start]
            line = self.content[before.rfind(b"\n") + 1 :].split(b"\n", 1)[0]
            raise self._undecodable(line, error, before.count(b"\n") + 1) from None

    def _undecodable(self, line: bytes, error: UnicodeDecodeError, number: int) -> TaxonomyFileError:
        return self.error(
            f"expected text in UTF-8, found {line[:40]!r} ({error.reason}); save the file as UTF-8", line=number
        )


class Format(NamedTuple):
    """A file format: what it is, how it is known, read and written, and what it has a place for."""

    title: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    """Whether a file that begins so may be of this format."""
    read: Callable[[File], Taxonomy] | None
    write: Callable[[Taxonomy], Iterable[str]]
    holds: frozenset[Part]
    library: Callable[[], object] = lambda: None
    """Loads what reading and writing need, or raises MissingExtra."""
    rest: str = ""
    """The `Rest.format` that its writer understands."""


def holding(*parts: Part) -> frozenset[Part]:
    """What a format has a place for."""
    return frozenset(parts)
