"""Score pairs of words in lines of text, or answer them otherwise: bytes in, bytes out, some megabytes at a time.

A line has two words with a tab between them; further columns are copied. Array operations find tabs and line ends, look
up words, score pairs and write numbers for all lines of a block at once. One thread does all of this: two were measured
to be hardly faster, because they wait for each other between these operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.errors import InvalidInput, Remedy
from entvec.pairs.lookup import Bytes, TextLookup, padded
from entvec.pairs.scorer import Scorer
from entvec.search.key_table import KeyTable

OnError = Literal["fail", "skip"]
Answer = Callable[[list[str], list[str]], tuple[Sequence[Sequence[str] | None], Iterable[str]]]
"""Returns the fields of each pair of words, None for a pair with a missing word; and which words are missing."""

Read = Callable[[list[str], list[str]], NDArray[np.float64]]
"""Returns the scores of pairs of words, NaN for those that cannot be read."""

BYTES_AT_ONCE = 1 << 22
"""The size of blocks to read: about 200,000 pairs, many of which share a word."""
LONGEST_LINE = 1 << 20
TWO_WORDS = "two words with a tab between"
EXAMPLES = 3
LOOKED_AT = 100
TAB, NEWLINE, RETURN = b"\t\n\r"
MARK = b"\xef\xbb\xbf"
"""The byte order mark, which some programs write at the start of a text."""


@dataclass
class Tally:
    """Counts of the lines that have been scored.

    >>> Tally(lines=3, pairs=2, unknown=1).lines
    3

    Parameters
    ----------
    lines
        All lines.
    pairs
        Lines with two words, scored or not.
    unknown
        Pairs with a word that has no vector.
    skipped
        Bad lines that were not written.
    examples
        Some of the words without a vector.
    """

    lines: int = 0
    pairs: int = 0
    unknown: int = 0
    skipped: int = 0
    examples: list[str] = field(default_factory=list)

    def note(self, word: str) -> None:
        """Add a word without a vector to the examples."""
        if len(self.examples) < EXAMPLES and word not in self.examples:
            self.examples.append(word)


def score_lines(
    table: KeyTable,
    blocks: Iterable[bytes],
    write: Callable[[bytes], object],
    *,
    read: Read | None = None,
    on_error: OnError = "fail",
    header: bool = False,
    progress: Callable[[Tally], object] = lambda _: None,
) -> Tally:
    r"""Write each line of a text with the score of its pair, and its probability if the space is calibrated.

    The whole lines of each block are written before the next block is read. A pair with a word that has no vector gets
    empty fields. A bad line does not have two words, or is not UTF-8.

    >>> from entvec.bundled import toy_world
    >>> from entvec.model import choose
    >>> from entvec.vectors import Vectors
    >>> toys = Vectors(toy_world().words, toy_world().log_odds())
    >>> table = KeyTable(choose(toys, interpretation="log_odds"), toys)
    >>> tally = score_lines(table, [b"dog\tanimal\nanimal\tdog\n"], print)
    b'dog\tanimal\t-0.1261\nanimal\tdog\t-4.0716\n'
    >>> tally.pairs, tally.unknown
    (2, 0)

    Parameters
    ----------
    table
        The words and the model.
    blocks
        The text, in blocks of any size.
    write
        Writes some bytes.
    read
        Returns the scores of pairs with a word that has no vector; NaN where there is none.
    on_error
        With "fail", a bad line raises InvalidInput after all lines before it were written; "skip" omits such lines.
    header
        True if the first line has the titles of the columns.
    progress
        A progress callback, called after each block.
    """
    return _answer(_LineScorer(table, on_error, read), blocks, write, header=header, progress=progress)


def answer_lines(
    answer: Answer,
    titles: Sequence[str],
    blocks: Iterable[bytes],
    write: Callable[[bytes], object],
    *,
    on_error: OnError = "fail",
    header: bool = False,
    progress: Callable[[Tally], object] = lambda _: None,
) -> Tally:
    r"""Write each line of a text with the fields that a function returns for its pair.

    >>> tally = answer_lines(lambda first, _: ([[word[0]] for word in first], []), ["letter"], [b"dog\tcat\n"], print)
    b'dog\tcat\td\n'

    Parameters
    ----------
    answer
        Returns the fields of each pair of words, None for empty fields if a word is missing; and the missing words.
    titles
        The titles of the fields.
    blocks, write, on_error, header, progress
        As for `score_lines`.
    """
    return _answer(_LineAnswerer(answer, titles, on_error), blocks, write, header=header, progress=progress)


def _answer(
    answerer: _Answerer,
    blocks: Iterable[bytes],
    write: Callable[[bytes], object],
    *,
    header: bool,
    progress: Callable[[Tally], object],
) -> Tally:
    tally = Tally()
    texts = whole_lines(blocks)
    if header and (first := next(texts, None)):
        head, _, after = first.partition(b"\n")
        write(head.removesuffix(b"\r") + answerer.titles)
        tally.lines += 1
        texts = chain([after] if after else [], texts)
    for text in texts:
        answered, problem = answerer.answered(text, tally)
        write(answered)
        if problem:
            raise InvalidInput(problem, where=f"line {tally.lines:,}", remedy=Remedy.SKIP_LINES)
        progress(tally)
    return tally


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the same text in blocks of whole lines; add a line end to the last line if it has none.

    >>> list(whole_lines([b"a\nb", b"c\n", b"d"]))
    [b'a\n', b'bc\n', b'd\n']
    """
    rest: list[bytes] = []
    size = lines = 0
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if not cut:
            rest.append(block)
            size += len(block)
            if size > LONGEST_LINE:
                found = f"expected {TWO_WORDS}, found more than {LONGEST_LINE:,} bytes"
                raise InvalidInput(found, where=f"line {lines + 1:,}")
            continue
        text = b"".join([*rest, block[:cut]])
        rest, size = [block[cut:]], len(block) - cut
        yield text if lines else text.removeprefix(MARK)
        lines += text.count(b"\n")
    last = b"".join(rest)
    if last and (lines or last != MARK):
        yield (last if lines else last.removeprefix(MARK)) + b"\n"


class _Lines(NamedTuple):
    """The positions of the lines of a text and of their two words; those of bad lines have no meaning."""

    starts: Rows
    ends: Rows
    hypo_ends: Rows
    hyper_starts: Rows
    hyper_ends: Rows
    bad: NDArray[np.bool_]

    def take(self, rows: slice | NDArray[np.bool_]) -> _Lines:
        columns: Any = (column[rows] for column in self)
        return _Lines(*columns)


class _Answerer:
    """Returns lines with the answers to their pairs."""

    titles: bytes

    def __init__(self, on_error: OnError) -> None:
        self.on_error = on_error

    def answered(self, content: bytes, tally: Tally) -> tuple[bytes, str]:
        """Return some whole lines with their answers, and count them.

        If a bad line is an error, return the lines before the first one, and what is wrong with it; it is counted too.
        """
        text = padded(content)
        lines = find_words(content, text)
        n, problem = len(lines.starts), ""
        if lines.bad.any():
            if self.on_error == "fail":
                n = int(np.argmax(lines.bad)) + 1
                problem = _problem(content[int(lines.starts[n - 1]) : int(lines.ends[n - 1])])
                lines = lines.take(slice(n - 1))
            else:
                tally.skipped += int(lines.bad.sum())
                lines = lines.take(~lines.bad)
        written, known = self.write(content, text, lines, tally)
        tally.lines += n
        tally.pairs += len(known)
        tally.unknown += int((~known).sum())
        return written, problem

    def write(self, content: bytes, text: Bytes, lines: _Lines, tally: Tally) -> tuple[bytes, NDArray[np.bool_]]:
        """Return the lines with their answers, and which of them have one; remember some of the missing words."""
        raise NotImplementedError


class _LineScorer(_Answerer):
    """Returns lines with their scores."""

    def __init__(self, table: KeyTable, on_error: OnError, read: Read | None = None) -> None:
        super().__init__(on_error)
        self._read = read
        self._model = table.model
        self.titles = b"\tscore\n" if table.model.calibration is None else b"\tscore\tprobability\n"
        self._lookup = TextLookup(table.vocabulary)
        dtype = np.float64 if table.dtype == "float64" else np.float32
        self._scorer = Scorer(table.model, table.vocabulary, dtype, keys=table)

    def write(self, content: bytes, text: Bytes, lines: _Lines, tally: Tally) -> tuple[bytes, NDArray[np.bool_]]:
        from entvec.pairs.formatting import with_scores  # to import it makes tables, in 10 ms

        hypo = self._lookup.rows(text, lines.starts, lines.hypo_ends - lines.starts)
        hyper = self._lookup.rows(text, lines.hyper_starts, lines.hyper_ends - lines.hyper_starts)
        known = (hypo >= 0) & (hyper >= 0)
        scores = np.full(len(known), np.nan)
        scores[known] = self._scorer.score(hypo[known], hyper[known])
        if self._read is not None and not known.all():
            rest = ~known
            some = lines.take(rest)
            pairs = _words(content, some.starts, some.hypo_ends), _words(content, some.hyper_starts, some.hyper_ends)
            scores[rest] = self._read(*pairs)
            known = ~np.isnan(scores)
        probabilities = self._model.probabilities(scores)
        written = with_scores(text, lines.starts, lines.ends - lines.starts, scores, probabilities)
        for i in np.flatnonzero(~known)[:LOOKED_AT].tolist():
            start, end = (lines.starts, lines.hypo_ends) if hypo[i] < 0 else (lines.hyper_starts, lines.hyper_ends)
            tally.note(content[int(start[i]) : int(end[i])].decode())
        return written, known


class _LineAnswerer(_Answerer):
    """Returns lines with the fields of a function."""

    def __init__(self, answer: Answer, titles: Sequence[str], on_error: OnError) -> None:
        super().__init__(on_error)
        self._answer = answer
        self.titles = "".join(f"\t{title}" for title in titles).encode() + b"\n"
        self._empty = "\t" * len(titles)

    def write(self, content: bytes, text: Bytes, lines: _Lines, tally: Tally) -> tuple[bytes, NDArray[np.bool_]]:  # noqa: ARG002
        first = _words(content, lines.starts, lines.hypo_ends)
        second = _words(content, lines.hyper_starts, lines.hyper_ends)
        answers, missing = self._answer(first, second)
        for word in missing:
            tally.note(word)
        written = []
        for line, fields in zip(_words(content, lines.starts, lines.ends), answers, strict=True):
            written.append(line + (self._empty if fields is None else "".join(f"\t{field}" for field in fields)) + "\n")
        return "".join(written).encode(), np.array([fields is not None for fields in answers], dtype=bool)


def _words(content: bytes, starts: Rows, ends: Rows) -> list[str]:
    return [content[start:end].decode() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def find_words(content: bytes, text: Bytes) -> _Lines:
    """Return the positions of the lines and words of a text, and which lines are bad."""
    special = np.flatnonzero(text[: len(content)] <= RETURN)
    values = text[special]
    if (values[::2] == TAB).all() and (values[1::2] == NEWLINE).all():  # every line has two columns
        first, ends = special[::2], special[1::2]
        starts = np.concatenate([[0], ends[:-1] + 1])
        line_ends = second = ends
    else:
        ends, tabs = special[values == NEWLINE], special[values == TAB]
        starts = np.concatenate([[0], ends[:-1] + 1])
        line_ends = ends - ((text[ends - 1] == RETURN) & (ends > starts))
        after = np.append(tabs, [len(content)] * 2)
        at = np.searchsorted(tabs, starts)
        first = np.minimum(after[at], ends)
        second = np.minimum(after[at + 1], line_ends)
    bad = (first == starts) | (first + 1 >= second)
    if not content.isascii():
        bad |= _undecodable(content)
    return _Lines(starts, line_ends, first, first + 1, second, bad)


def _undecodable(content: bytes) -> NDArray[np.bool_] | np.bool_:
    """Return which lines are not UTF-8; decode lines one by one only if the whole is not."""
    return np.False_ if _is_utf8(content) else ~np.fromiter(map(_is_utf8, content.split(b"\n")[:-1]), dtype=bool)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _problem(line: bytes) -> str:
    """Return a message that says what is wrong with a line."""
    found = repr(line.decode(errors="replace"))
    found = f"{found[:60]}..." if len(found) > 60 else found
    if not _is_utf8(line):
        return f"expected UTF-8, found {found}"
    if not line:
        found = "an empty line"
    elif b"\t" not in line:
        found = f"no tab in {found}"
    else:
        found = f"an empty word in {found}"
    return f"expected {TWO_WORDS}, found {found}"
