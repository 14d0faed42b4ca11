"""The errors that entvec raises on purpose.

Each one is also the built-in error that a caller would catch anyway, so `except ValueError` keeps
working. Each text says what was found, what was expected and what to do next.

A text may quote a file, a database or a request. Errors and warnings escape control characters with `shown`; the
command line does the same for everything that it prints on stderr.
"""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, Unicode line breaks, characters that reverse the text direction, and halves of surrogate
pairs.
"""


def shown(text: str) -> str:
    r"""Return text from outside as one line in which control characters are escaped, for messages and drawings.

    >>> print(shown("naïve\x1b]0;title\x07\nentvec: forged"))
    naïve\x1b]0;title\x07\nentvec: forged
    """
    return UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class Remedy(StrEnum):
    """What to do about an error, phrased for Python. The command line has its own phrase for each."""

    SKIP_LINES = "on_error='skip' leaves such lines out"
    NAME_COLUMNS = "hypo='NAME', hyper='NAME' says which columns have the words"
    RESTART = "start anew with restart=True, which removes what was done so far"
    GO_ON = "go on as it was begun, or start anew with restart=True, which removes what was done so far"
    REPLACE = "choose another name, or replace it with restart=True"
    CALIBRATE = "`space.calibrated(hypo, hyper, labels)` fits probabilities to labelled pairs"
    TRUST_PICKLE = (
        "if you made this file or trust who did, read it with trust_pickle=True, "
        "or have gensim write it with save_word2vec_format and read that"
    )
    REPLACE_BYTES = "undecodable='replace' puts U+FFFD for such bytes"
    ASK_DATABASE = "`among` limits a search to some words"
    CHOOSE_DUPLICATE = "duplicates='first' or 'last' keeps one of them"
    KNOW_WORDNET = "`space.with_knowledge(entvec.bundled.bundled_knowledge())` gives it WordNet"
    FIT_ENCODER = "`entvec.space.fit_encoder(encoder)` makes a space that has one, and `space.with_encoder` adds one"
    MISSING_NAN = "missing='nan' answers for the others"


class EntvecError(Exception):
    """The base class of all errors that entvec raises on purpose.

    `what` is the problem, `where` its place (a file and line, a database) and `remedy` what to do, if these are known.
    `str` makes one sentence of them, in which text from outside is escaped.
    """

    opening = ""
    what: str
    where: str | None = None
    remedy: str | None = None

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None) -> None:
        self.what, self.where, self.remedy = what, where, remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        return self.message(self.remedy)

    def message(self, remedy: str | None) -> str:
        """Return the text of the error with another remedy."""
        where = f"{self.opening}{self.where}: " if self.where else ""
        return shown(where + self.what + (f"; {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[Any, ...]:  # for other processes; constructors do not take the text
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[EntvecError], args: tuple[Any, ...], state: dict[str, Any]) -> EntvecError:
    error: EntvecError = kind.__base__.__new__(kind, *args)  # `ValueError.__new__` refuses classes of OSError
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidInput(EntvecError, ValueError):
    """An argument has an invalid value: a wrong shape, a NaN, a damping of 2."""


class NotLogOdds(EntvecError, TypeError):
    """An argument is not an array of real floating-point numbers."""


class NodeNotFound(EntvecError, KeyError):
    """The graph has no node of this name."""


WORDS_NAMED = 10
"""How many missing words an error names."""


class WordNotFound(EntvecError, KeyError):
    """A word is missing from the vectors; the text suggests others."""

    kind = "word"

    def __init__(
        self, word: str, n_words: int, suggest: Callable[[], list[str]], *, looked_at_all: bool = True
    ) -> None:
        KeyError.__init__(self, word)
        self.word = word
        self.looked_at_all = looked_at_all
        self.n_words = n_words
        self._suggest = suggest

    def __reduce__(self) -> tuple[Any, ...]:
        found = {name: getattr(self, name) for name in ("word", "n_words", "suggestions", "looked_at_all")}
        return _again, (type(self), self.args, found)

    @cached_property
    def suggestions(self) -> list[str]:
        """Variants and close spellings. They are computed on first use, because a loop may catch millions of these
        errors.
        """
        return self._suggest()

    @cached_property
    def what(self) -> str:  # type: ignore[override]  # computed on first use, like the suggestions
        """The word that is missing."""
        word = str(self.word)  # without NumPy's type of strings
        unlike = ", and none that looks like it" if self.looked_at_all and not self.suggestions else ""
        return f"no {self.kind} {word!r} among {self.n_words:,}{unlike}"

    @cached_property
    def remedy(self) -> str | None:  # type: ignore[override]
        """The suggestions, as a question."""
        return f"did you mean {', '.join(map(repr, self.suggestions))}?" if self.suggestions else None


class WordsNotFound(WordNotFound):
    """Several words are missing from the vectors; the text names the first ten, with suggestions for each."""

    remedy: str | None = None

    def __init__(
        self,
        words: Sequence[str],
        n_words: int,
        suggest: Callable[[Sequence[str]], list[list[str]]],
        *,
        looked_at_all: bool = True,
    ) -> None:
        super().__init__(words[0], n_words, lambda: self.all_suggestions[self.word], looked_at_all=looked_at_all)
        self.words = tuple(words)
        self._suggest_all = suggest

    def __reduce__(self) -> tuple[Any, ...]:
        again, (kind, args, found), *_ = super().__reduce__()
        more = {name: getattr(self, name) for name in ("words", "all_suggestions", "remedy")}
        return again, (kind, args, found | more)

    @cached_property
    def all_suggestions(self) -> dict[str, list[str]]:
        """Variants and close spellings of the first ten words."""
        some = self.words[:WORDS_NAMED]
        return dict(zip(some, self._suggest_all(some), strict=True))

    @cached_property
    def what(self) -> str:  # type: ignore[override]
        """The missing words."""
        named = (
            f"{str(word)!r}" + (f" (did you mean {', '.join(map(repr, similar))}?)" if similar else "")
            for word, similar in self.all_suggestions.items()
        )
        more = len(self.words) - WORDS_NAMED
        rest = f" and {more:,} more" if more > 0 else ""
        return f"{len(self.words):,} {self.kind}s are not among {self.n_words:,}: {', '.join(named)}{rest}"


def not_found(
    words: Sequence[str],
    n_words: int,
    suggest: Callable[[Sequence[str]], list[list[str]]],
    *,
    looked_at_all: bool = True,
) -> WordNotFound:
    """Return the error for missing words: WordNotFound for one, WordsNotFound for several.

    >>> print(not_found(["dgo", "qqq"], 6, lambda words: [["dog"], []]))
    2 words are not among 6: 'dgo' (did you mean 'dog'?), 'qqq'

    Parameters
    ----------
    words
        The words, each once.
    n_words
        How many words there are.
    suggest
        Returns suggestions for each of some words.
    looked_at_all
        False if `suggest` does not compare all words.
    """
    if len(words) == 1:
        return WordNotFound(words[0], n_words, lambda: suggest(words)[0], looked_at_all=looked_at_all)
    return WordsNotFound(words, n_words, suggest, looked_at_all=looked_at_all)


class TermNotFound(WordNotFound):
    """A term is missing from the taxonomy; the text suggests others."""

    kind = "term"


class SenseNotFound(EntvecError, KeyError):
    """A word has no such sense; the text lists its senses."""


class _FileError(EntvecError, ValueError):
    """A file cannot be read: the text says where, what was expected and what was found."""

    def __init__(
        self, path: object, what: str, *, line: int | None = None, byte: int | None = None, remedy: str | None = None
    ) -> None:
        self.path = path
        self.line = line
        self.byte = byte
        place = f", line {line:,}" if line is not None else f", byte {byte:,}" if byte is not None else ""
        super().__init__(what, where=f"{path}{place}", remedy=remedy)


class VectorFileError(_FileError):
    """A file of vectors cannot be read."""


class BenchmarkFileError(_FileError):
    """A file of labelled pairs cannot be read."""


class PairsFileError(_FileError):
    """A table of pairs cannot be read."""


class MapFileError(_FileError):
    """A file of a learned map cannot be read."""


class KnowledgeFileError(_FileError):
    """A file of knowledge cannot be read."""


class EncoderFileError(_FileError):
    """A file of an encoder cannot be read."""


class EvidenceFileError(_FileError):
    """A file of evidence from text cannot be read."""


class RelationFileError(_FileError):
    """A file of a relation model cannot be read."""


class SpaceFileError(_FileError):
    """A folder of a saved space cannot be read."""


class TaxonomyFileError(_FileError):
    """A file of a taxonomy cannot be read."""


class TaxonomyFileNotFound(TaxonomyFileError, FileNotFoundError):
    """There is no file of a taxonomy at this path."""


class KnowledgeFileNotFound(KnowledgeFileError, FileNotFoundError):
    """There is no file of knowledge at this path."""


class EncoderFileNotFound(EncoderFileError, FileNotFoundError):
    """There is no file of an encoder at this path."""


class EvidenceFileNotFound(EvidenceFileError, FileNotFoundError):
    """There is no file of evidence at this path."""


class SpaceFileNotFound(SpaceFileError, FileNotFoundError):
    """There is no space at this path."""


class PairsFileNotFound(PairsFileError, FileNotFoundError):
    """There is no table of pairs at this path."""


class VectorFileNotFound(VectorFileError, FileNotFoundError):
    """There is no file of vectors at this path."""


class MapFileNotFound(MapFileError, FileNotFoundError):
    """There is no map at this path."""


class EntvecWarning(UserWarning):
    """The base class of all warnings of entvec; control characters in the text are escaped."""

    def __str__(self) -> str:
        return shown(super().__str__())


class VectorFileWarning(EntvecWarning):
    """Vectors were changed on request while they were read: bytes replaced, words left out."""


class TaxonomyFileWarning(EntvecWarning):
    """A file of a taxonomy has something that can be read, but is probably a mistake."""


class KnowledgeWarning(EntvecWarning):
    """Statements of knowledge contradict each other, or differ from those that were expected."""


class CannotWrite(EntvecError, OSError):
    """A file could not be written; an existing file is unchanged."""

    opening = "cannot write "

    def __init__(self, path: object, what: str, *, remedy: str | None = None) -> None:
        super().__init__(what, where=str(path), remedy=remedy)


class CannotFetch(EntvecError, OSError):
    """Public data could not be downloaded, or have another hash than expected."""


class EncoderError(EntvecError, OSError):
    """A service that computes vectors cannot be reached, or returns an error."""


class StoreError(EntvecError, OSError):
    """A database cannot be reached, refuses a request, or has unexpected content."""

    def __init__(self, where: str, what: str, *, remedy: str | None = None) -> None:
        super().__init__(what, where=where, remedy=remedy)


class VersionGone(StoreError):
    """The version of a space in a database has been replaced by another one."""


class ClusterError(EntvecError, OSError):
    """A cluster cannot be reached, or its workers cannot do a job."""


class WorkerLost(EntvecError, RuntimeError):
    """Worker processes died repeatedly at the same part of a job."""


class MissingExtra(EntvecError, ImportError):
    """The optional dependency of a feature is not installed."""

    def __init__(self, feature: str, *, needs: str, extra: str) -> None:
        remedy = f"install it with: pip install {needs} (the extra entvec[{extra}] has it too)"
        super().__init__(f"{feature} needs {needs}", remedy=remedy)
