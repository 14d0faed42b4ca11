"""The errors entvec raises on purpose.

Each one also is the built-in error that a caller would catch anyway, so `except ValueError` keeps
working, and each text says what was given, what is expected and what to do next.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any


class EntvecError(Exception):
    """Whatever entvec raises because of what it was given."""

    def __reduce__(self) -> tuple[Any, ...]:  # to another process; constructors take other things than the text
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[EntvecError], args: tuple[Any, ...], state: dict[str, Any]) -> EntvecError:
    error: EntvecError = kind.__base__.__new__(kind, *args)  # not that of ValueError, if it is an OSError too
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidInput(EntvecError, ValueError):
    """A value that cannot mean anything here: a wrong shape, a NaN, a damping of 2."""


class NotLogOdds(EntvecError, TypeError):
    """An argument that is not an array of real floating-point numbers."""


class NodeNotFound(EntvecError, KeyError):
    """A node name that the graph does not have."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class WordNotFound(EntvecError, KeyError):
    """A word that the vectors do not have; its text suggests some that they do have."""

    kind = "word"

    def __init__(self, word: str, n_words: int, suggest: Callable[[], list[str]]) -> None:
        super().__init__(word)
        self.word = word
        self.n_words = n_words
        self._suggest = suggest

    def __reduce__(self) -> tuple[Any, ...]:
        found = {"word": self.word, "n_words": self.n_words, "suggestions": self.suggestions}
        return _again, (type(self), self.args, found)

    @cached_property
    def suggestions(self) -> list[str]:
        """Variants and close spellings, found only when asked for: a loop may catch millions of these errors."""
        return self._suggest()

    def __str__(self) -> str:
        found = f"no {self.kind} {str(self.word)!r} among {self.n_words:,}"  # NumPy's strings would say that they are
        if not self.suggestions:
            return f"{found}, and none that looks like it"
        return f"{found}; did you mean {', '.join(map(repr, self.suggestions))}?"


class TermNotFound(WordNotFound):
    """A term that the taxonomy does not have; its text suggests some that it does have."""

    kind = "term"


class _FileError(EntvecError, ValueError):
    """A file that cannot be read: the text says where, what was expected and what was found."""

    def __init__(self, path: object, problem: str, *, line: int | None = None, byte: int | None = None) -> None:
        self.path = path
        self.problem = problem
        self.line = line
        self.byte = byte
        where = f", line {line:,}" if line is not None else f", byte {byte:,}" if byte is not None else ""
        super().__init__(f"{path}{where}: {problem}")


class VectorFileError(_FileError):
    """A file of vectors that cannot be read."""


class BenchmarkFileError(_FileError):
    """A file of labelled pairs that cannot be read."""


class PairsFileError(_FileError):
    """A table of pairs that cannot be read."""


class MapFileError(_FileError):
    """A file of a learned map that cannot be read."""


class SpaceFileError(_FileError):
    """A folder of a saved space that cannot be read."""


class TaxonomyFileError(_FileError):
    """A file of a taxonomy that cannot be read."""


class TaxonomyFileNotFound(TaxonomyFileError, FileNotFoundError):
    """A path at which there is no taxonomy."""


class SpaceFileNotFound(SpaceFileError, FileNotFoundError):
    """A path at which there is no space."""


class PairsFileNotFound(PairsFileError, FileNotFoundError):
    """A path at which there is no table of pairs."""


class VectorFileNotFound(VectorFileError, FileNotFoundError):
    """A path at which there is no file."""


class MapFileNotFound(MapFileError, FileNotFoundError):
    """A path at which there is no map."""


class VectorFileWarning(UserWarning):
    """Something in a file of vectors was changed on request: bytes replaced, words left out."""


class TaxonomyFileWarning(UserWarning):
    """Something in a file of a taxonomy that can be read, but was hardly meant."""


class CannotWrite(EntvecError, OSError):
    """A file that could not be written; the old one, if any, is untouched."""

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.reason = reason


class CannotFetch(EntvecError, OSError):
    """Public data that could not be downloaded, or is not what it should be."""


class StoreError(EntvecError, OSError):
    """A database that cannot be reached, refuses what is asked of it, or holds something else than expected."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem


class VersionGone(StoreError):
    """A version of a space in a database that another one has taken the place of."""


class ClusterError(EntvecError, OSError):
    """A cluster that cannot be reached, or whose workers cannot do a job."""


class WorkerLost(EntvecError, RuntimeError):
    """Processes that ended again and again while they did the same part of a job."""


class MissingExtra(EntvecError, ImportError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, *, needs: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs {needs}; install it with: pip install {needs} (the extra entvec[{extra}] has it too)"
        )


def shown(text: str) -> str:
    """Whatever a stranger put into a file, without what a terminal would obey: for messages and drawings."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
