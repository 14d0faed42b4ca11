"""Pairs of words in lines of text, scored as they come: bytes in, bytes out, a few megabytes at a time.

A line has two words with a tab between; more columns are carried along. Nothing is done line by line: tabs and line
ends are found, words looked up, pairs scored and numbers written with array operations. All of it is done by one
thread: two were measured to be hardly faster, because they wait for each other between these operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput, Remedy
from entvec.pairs.formatting import with_scores
from entvec.pairs.lookup import Bytes, Lookup, Rows, padded
from entvec.pairs.scorer import Scorer
from entvec.search.key_table import KeyTable

OnError = Literal["fail", "skip"]

BYTES_AT_ONCE = 1 << 22
"""About 200,000 pairs, so that many of them share a word."""
LONGEST_LINE = 1 << 20
TWO_WORDS = "two words with a tab between"
EXAMPLES = 3
LOOKED_AT = 100
TAB, NEWLINE, RETURN = b"\t\n\r"
MARK = b"\xef\xbb\xbf"
"""Some programs write it at the beginning of a text."""


@dataclass
class Tally:
    """What has been done so far."""

    lines: int = 0
    pairs: int = 0
    """Lines with two words, scored or not."""
    unknown: int = 0
    """Pairs with a word that has no vector."""
    skipped: int = 0
    """Lines that were left out."""
    examples: list[str] = field(default_factory=list)
    """Some of the words without a vector."""


def score_lines(
    table: KeyTable,
    blocks: Iterable[bytes],
    write: Callable[[bytes], object],
    *,
    on_error: OnError = "fail",
    header: bool = False,
    tell: Callable[[Tally], object] = lambda _: None,
) -> Tally:
    r"""Write each line of a text with the score of its pair, and its probability if the space is calibrated.

    The text comes in blocks of any size, and the whole lines of each are written before the next one is asked for. A
    pair with a word that has no vector has empty fields. A line that has not two words, or is not UTF-8, is an error
    after everything before it was written, or is left out.

    >>> from entvec.bundled import toy_world
    >>> from entvec.model import choose
    >>> from entvec.vectors import Vectors
    >>> toys = Vectors(toy_world().words, toy_world().log_odds())
    >>> table = KeyTable(choose(toys, interpretation="log_odds"), toys)
    >>> tally = score_lines(table, [b"dog\tanimal\nanimal\tdog\n"], print)
    b'dog\tanimal\t-0.1261\nanimal\tdog\t-4.0716\n'
    >>> tally.pairs, tally.unknown
    (2, 0)
    """
    tally = Tally()
    scored = _Scored(table, on_error)
    texts = whole_lines(blocks)
    if header:
        texts = _after_header(texts, write, tally, scored.titles)
    for text in texts:
        done = scored(text)
        write(done.text)
        if done.problem:
            line = f"line {tally.lines + done.lines:,}"
            raise InvalidInput(done.problem, where=line, remedy=Remedy.SKIP_LINES)
        tally.lines += done.lines
        tally.pairs += done.pairs
        tally.unknown += done.unknown
        tally.skipped += done.skipped
        tally.examples += [word for word in done.examples if word not in tally.examples]
        del tally.examples[EXAMPLES:]
        tell(tally)
    return tally


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""The same text, cut at ends of lines; the last line has one too.

    >>> list(whole_lines([b"a\nb", b"c\n", b"d"]))
    [b'a\n', b'bc\n', b'd\n']
    """
    rest: list[bytes] = []
    size, lines, first = 0, 0, True
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
        lines += text.count(b"\n")
        yield text.removeprefix(MARK) if first else text
        first = False
    last = b"".join(rest)
    last = last.removeprefix(MARK) if first else last
    if last:
        yield last + b"\n"


def _after_header(
    texts: Iterator[bytes], write: Callable[[bytes], object], tally: Tally, titles: bytes
) -> Iterator[bytes]:
    """The text after its first line, which is written with the titles of the new columns."""
    for text in texts:
        head, _, after = text.partition(b"\n")
        write(head.removesuffix(b"\r") + titles)
        tally.lines += 1
        if after:
            yield after
        break
    yield from texts


class _Done(NamedTuple):
    text: bytes
    lines: int
    """Of which the last is the one with the problem, if there is one."""
    pairs: int
    unknown: int
    skipped: int
    examples: list[str]
    problem: str


class _Lines(NamedTuple):
    """Where in a text its lines and their two words are; those that are bad have any numbers."""

    starts: Rows
    ends: Rows
    hypo_ends: Rows
    hyper_starts: Rows
    hyper_ends: Rows
    bad: NDArray[np.bool_]

    def take(self, rows: slice | NDArray[np.bool_]) -> _Lines:
        columns: Any = (column[rows] for column in self)
        return _Lines(*columns)


class _Scored:
    """What makes lines with scores of lines without."""

    def __init__(self, table: KeyTable, on_error: OnError) -> None:
        self._model = table.model
        self.on_error = on_error
        self.titles = b"\tscore\n" if table.model.calibration is None else b"\tscore\tprobability\n"
        self._lookup = Lookup(table.vocabulary)
        dtype = np.float64 if table.dtype == "float64" else np.float32
        self._scorer = Scorer(table.model, table.vocabulary, dtype, keys=table)

    def __call__(self, content: bytes) -> _Done:
        text = padded(content)
        lines = find_words(content, text)
        n, problem, skipped = len(lines.starts), "", 0
        if lines.bad.any():
            if self.on_error == "fail":
                n = int(np.argmax(lines.bad)) + 1
                problem = _problem(content[int(lines.starts[n - 1]) : int(lines.ends[n - 1])])
                lines = lines.take(slice(n - 1))
            else:
                skipped = int(lines.bad.sum())
                lines = lines.take(~lines.bad)
        hypo = self._lookup.rows(text, lines.starts, lines.hypo_ends - lines.starts)
        hyper = self._lookup.rows(text, lines.hyper_starts, lines.hyper_ends - lines.hyper_starts)
        known = (hypo >= 0) & (hyper >= 0)
        scores = np.full(len(known), np.nan)
        scores[known] = self._scorer.score(hypo[known], hyper[known])
        probabilities = self._model.probabilities(scores)
        made = with_scores(text, lines.starts, lines.ends - lines.starts, scores, probabilities)
        return _Done(made, n, len(known), int((~known).sum()), skipped, _examples(content, lines, hypo, hyper), problem)


def _examples(content: bytes, lines: _Lines, hypo: Rows, hyper: Rows) -> list[str]:
    """A few of the words without a row."""
    found: list[str] = []
    for i in np.flatnonzero((hypo < 0) | (hyper < 0))[:LOOKED_AT].tolist():
        start, end = (lines.starts, lines.hypo_ends) if hypo[i] < 0 else (lines.hyper_starts, lines.hyper_ends)
        word = content[int(start[i]) : int(end[i])].decode()
        if word not in found:
            found.append(word)
        if len(found) == EXAMPLES:
            break
    return found


def find_words(content: bytes, text: Bytes) -> _Lines:
    """Where the lines and words of a text are, and which lines have not two words, or are not UTF-8."""
    special = np.flatnonzero(text[: len(content)] <= RETURN)
    letters = text[special]
    if (letters[::2] == TAB).all() and (letters[1::2] == NEWLINE).all():  # two columns, and nothing else
        first, ends = special[::2], special[1::2]
        starts = np.concatenate([[0], ends[:-1] + 1])
        line_ends = second = ends
    else:
        ends, tabs = special[letters == NEWLINE], special[letters == TAB]
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
    """Which lines are not UTF-8; looked at one by one only if there are any."""
    return np.False_ if _is_utf8(content) else ~np.fromiter(map(_is_utf8, content.split(b"\n")[:-1]), dtype=bool)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _problem(line: bytes) -> str:
    """What is wrong with a line."""
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
