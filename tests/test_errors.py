"""Errors are also the built-in errors that callers catch."""

import inspect
import pickle
import sys
import unicodedata
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entvec.errors import (
    CannotWrite,
    EntvecError,
    EntvecWarning,
    InvalidInput,
    MissingExtra,
    NodeNotFound,
    NotLogOdds,
    StoreError,
    TermNotFound,
    VectorFileError,
    VectorFileNotFound,
    WordNotFound,
    not_found,
    shown,
)

INSTALL = "install it with: pip install that (the extra entvec[e] has it too)"


@pytest.mark.parametrize(
    ("error", "built_in"),
    [
        (InvalidInput, ValueError),
        (NotLogOdds, TypeError),
        (NodeNotFound, KeyError),
        (MissingExtra, ImportError),
        (CannotWrite, OSError),
    ],
)
def test_each_error_is_a_built_in_one_too(error: type[Exception], built_in: type[Exception]) -> None:
    assert issubclass(error, built_in)
    assert issubclass(error, EntvecError)


def test_a_missing_node_reads_as_a_sentence_and_not_as_a_repr() -> None:
    assert str(NodeNotFound("no node 'dgo'; did you mean dog?")) == "no node 'dgo'; did you mean dog?"


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtra("drawing figures", needs="matplotlib", extra="plot")
    assert str(error).startswith("drawing figures needs matplotlib; install it with: pip install matplotlib")


@pytest.mark.parametrize(
    ("error", "what", "where", "remedy"),
    [
        (InvalidInput("k is -1"), "k is -1", None, None),
        (InvalidInput("k is -1", where="line 2", remedy="use 1"), "k is -1", "line 2", "use 1"),
        (NodeNotFound("no node 'dgo'"), "no node 'dgo'", None, None),
        (VectorFileError("v.txt", "expected 3", line=2_000), "expected 3", "v.txt, line 2,000", None),
        (VectorFileNotFound(Path("v.txt"), "none", byte=7), "none", "v.txt, byte 7", None),
        (CannotWrite("v.txt", "it is a folder"), "it is a folder", "v.txt", None),
        (StoreError("host/words", "gone", remedy="export it"), "gone", "host/words", "export it"),
        (WordNotFound("dgo", 5, lambda: ["dog"]), "no word 'dgo' among 5", None, "did you mean 'dog'?"),
        (not_found(["dgo"], 5, lambda _: [["dog"]]), "no word 'dgo' among 5", None, "did you mean 'dog'?"),
        (not_found(["q", "z"], 5, lambda _: [[], []]), "2 words are not among 5: 'q', 'z'", None, None),
        (TermNotFound("q", 5, list), "no term 'q' among 5, and none that looks like it", None, None),
        (MissingExtra("this", needs="that", extra="e"), "this needs that", None, INSTALL),
    ],
)
@pytest.mark.parametrize("copied", [lambda error: error, lambda error: pickle.loads(pickle.dumps(error))])  # noqa: S301
def test_errors_have_fields_of_which_their_text_is_made(
    error: EntvecError, what: str, where: str | None, remedy: str | None, copied: Callable[[EntvecError], EntvecError]
) -> None:
    found = copied(error)
    assert (found.what, found.where, found.remedy) == (what, where, remedy)
    opening = "cannot write " if isinstance(error, CannotWrite) else ""
    place = f"{opening}{where}: " if where else ""
    assert str(found) == place + what + (f"; {remedy}" if remedy else "")
    assert found.message("ask") == f"{place}{what}; ask"


def test_what_cannot_be_written_is_named() -> None:
    assert str(CannotWrite("ro/x.png", "Permission denied")) == "cannot write ro/x.png: Permission denied"


HOSTILE = "a\x1b]0;title\x07b\nentvec: forged\r\x7f\x9b31m\u2028\u202ec\u2066d\ud800\x00e"
ESCAPED = r"a\x1b]0;title\x07b\nentvec: forged\r\x7f\x9b31m\u2028\u202ec\u2066d\ud800\x00e"
OBEYED = {"Cc", "Cs", "Zl", "Zp"}
REVERSING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.mark.parametrize(
    "text", ["naïve", "犬", "👩\u200d🚀", "Ελλάδα", "سلام", "می\u200cخواهم", "a b\u00a0c", "\\x1b", "e\u0301"]
)
def test_words_of_any_language_are_shown_as_they_are(text: str) -> None:
    assert shown(text) == text


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert shown(HOSTILE) == ESCAPED
    letters = [letter for letter in map(chr, range(sys.maxunicode + 1)) if shown(letter) == letter]
    assert not {unicodedata.category(letter) for letter in letters} & OBEYED
    assert not {unicodedata.bidirectional(letter) for letter in letters} & REVERSING
    assert len(letters) > 1_100_000


def _kinds(kind: type[Exception]) -> list[type[Exception]]:
    return [kind, *(each for child in kind.__subclasses__() for each in _kinds(child))]


@pytest.mark.parametrize("kind", _kinds(EntvecError))
def test_no_error_passes_on_what_a_terminal_would_obey(kind: type[Any]) -> None:
    given: dict[str, Any] = {"word": HOSTILE, "words": [HOSTILE, "b"], "n_words": 3}
    given["suggest"] = lambda *words: [[HOSTILE] for _ in words[0]] if words else [HOSTILE]
    needed = [name for name, each in inspect.signature(kind).parameters.items() if each.default is each.empty]
    error = kind(**{name: given.get(name, HOSTILE) for name in needed})
    assert r"\x1b]0;title\x07b\nentvec: forged" in str(error)
    assert shown(str(error)) == str(error)
    assert shown(error.message(HOSTILE)) == error.message(HOSTILE)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 - our own bytes


@pytest.mark.parametrize("kind", _kinds(EntvecWarning))
def test_no_warning_passes_on_what_a_terminal_would_obey(kind: type[Warning]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(f"{HOSTILE} is odd", kind, stacklevel=1)
    assert warnings.formatwarning(caught[0].message, kind, "f", 1, "").endswith(f": {ESCAPED} is odd\n")
