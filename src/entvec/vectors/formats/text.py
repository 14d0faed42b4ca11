"""Vectors as text: a line for each word, with the word and its numbers separated by spaces.

word2vec and fastText (.vec) write a line `words dimension` first, GloVe does not. A word may contain spaces
(GloVe 840B has `. . .`), so a line of known dimension is split from the right.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray

from entvec.vectors.formats.base import (
    LARGEST_DIMENSION,
    LONGEST_WORD,
    Block,
    Unwritable,
    Wanted,
    check_dimension,
    opening,
)
from entvec.vectors.source import HEAD, Source
from entvec.vectors.vectors import Vectors

CHUNK = 1 << 20
LONGEST_LINE = LONGEST_WORD + 32 * LARGEST_DIMENSION
LINES_TO_GUESS_BY = 1000
HEADER = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*(?:\n|$)")
NUMBER = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?(?:e[+-]?\d++)?|\.\d++(?:e[+-]?\d++)?|nan|inf(?:inity)?)", re.IGNORECASE)
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def begins_with_header(head: bytes) -> bool:
    """Return whether the first line is `words dimension`."""
    return bool(HEADER.match(head))


def matches_word2vec(head: bytes) -> bool:
    """Return whether a header is followed by lines of words and numbers, not by binary numbers."""
    header = HEADER.match(head)
    if not header:
        return False
    n_words, dimension = (int(number) for number in header.groups())
    content = head[header.end() :]
    if _numbers(content.partition(b"\n")[0]) == dimension:
        return True
    if CONTROL.search(content) or not _is_utf8(content):
        return False
    return len(head) == HEAD or not _is_binary(content, n_words, 4 * dimension)


def _numbers(line: bytes) -> int:
    """Return how many numbers stand at the end of a line, after a word."""
    fields = line.split()[1:]
    return next((i for i, field in enumerate(reversed(fields)) if not NUMBER.fullmatch(field)), len(fields))


def _is_utf8(content: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)  # the last character may be incomplete
    except UnicodeDecodeError:
        return False
    return True


def _is_binary(content: bytes, n_words: int, size: int) -> bool:
    """Return whether the content has exactly the size of so many words with binary numbers. It matters for tiny
    files.
    """
    at = 0
    for _ in range(n_words):
        space = content.find(b" ", at)
        if space < 0:
            return False
        at = space + 1 + size
        at += content[at : at + 1] == b"\n"
    return at == len(content)


def matches_glove(head: bytes) -> bool:
    """Return whether the content is text with a number after the first word of the first line."""
    fields = head.partition(b"\n")[0].split()
    return len(fields) > 1 and any(NUMBER.fullmatch(field) for field in fields[1:]) and not begins_with_header(head)


def read_header(source: Source) -> tuple[int, int]:
    """Return the number of words and the dimension in the first line. They are not trusted: nothing is allocated for
    them.
    """
    head = source.peek(HEAD)
    match = HEADER.match(head)
    if not match:
        found = _show(head.partition(b"\n")[0])
        raise source.error(f"expected two numbers, of words and of dimensions, found {found}", line=1)
    source.read(match.end())
    n_words, dimension = (int(number) for number in match.groups())
    return n_words, check_dimension(source, dimension, line=1)


def word2vec_blocks(source: Source, wanted: Wanted) -> Iterator[Block]:
    """Yield the words after the header, with their line numbers."""
    n_words, dimension = read_header(source)
    yield opening(dimension, np.float64 if wanted.double else np.float32)
    found = 0
    for block in _blocks(source, wanted, dimension, first_line=2):
        found += len(block.words)
        if found > n_words:
            raise source.error(f"expected {n_words:,} words, as the first line promises, found more", line=2 + n_words)
        yield block
    if found < n_words:
        raise source.error(
            f"expected {n_words:,} words, as the first line promises, found the end of the file", line=2 + found
        )


def glove_blocks(source: Source, wanted: Wanted) -> Iterator[Block]:
    """Yield the words of a file without a header. The dimension is that of most of its first lines."""
    return _blocks(source, wanted, None, first_line=1)


def _blocks(source: Source, wanted: Wanted, dimension: int | None, *, first_line: int) -> Iterator[Block]:
    dtype = np.dtype(np.float64 if wanted.double else np.float32)
    line, rest, left, blank = first_line, b"", wanted.limit, 0
    while True:
        data = source.read(CHUNK)
        chunk, newline, rest = (rest + data).rpartition(b"\n") if data else (rest, b"", b"")
        if (zero := chunk.find(b"\0")) >= 0:
            found = line + chunk.count(b"\n", 0, zero)
            raise source.error("expected text, found a byte that is zero", line=found)
        if len(rest) > LONGEST_LINE:
            raise source.error(f"expected a line of at most {LONGEST_LINE:,} bytes, found no end of it", line=line)
        lines = [each.rstrip(b" \r") for each in chunk.replace(b"\t", b" ").split(b"\n")] if chunk or newline else []
        if dimension is None and (dimension := _dimension(source, lines)):
            yield opening(dimension, dtype)
        lines = lines[:left]
        content = len(lines)
        while content and not lines[content - 1]:  # empty lines are allowed only at the end of the file
            content -= 1
        if content and dimension:
            if blank:
                raise source.error("expected a word and its numbers, found an empty line", line=line)
            words, values = _parse(source, lines[:content], dimension, dtype, line)
            yield Block(words, values, range(line, line + content))
            line += content
            left = None if left is None else left - content
        blank += len(lines) - content
        if not data or left == 0:
            return


def _dimension(source: Source, lines: list[bytes]) -> int | None:
    """Return how many numbers most lines end in; of two equally frequent ones the larger, since some lines may be
    damaged.
    """
    seen = Counter(_numbers(line) for line in islice(filter(None, lines), LINES_TO_GUESS_BY))
    return check_dimension(source, max(seen, key=lambda n: (seen[n], n)), line=1) if seen else None


def _parse(
    source: Source, lines: list[bytes], dimension: int, dtype: np.dtype[Any], first_line: int
) -> tuple[list[bytes], NDArray[Any]]:
    """Return the words and numbers of these lines: parsed together if they are regular, else one by one."""
    if all(line.count(b" ") == dimension for line in lines):
        try:
            values = np.loadtxt(
                b"\n".join(lines).decode("latin-1").split("\n"),
                dtype=dtype,
                delimiter=" ",
                comments=None,
                usecols=range(1, dimension + 1),
                ndmin=2,
            )
        except ValueError:
            pass  # one of them is not a number; parsing line by line finds it
        else:
            return [line[: line.index(b" ")] for line in lines], values
    values = np.empty((len(lines), dimension), dtype=dtype)
    words = []
    for i, line in enumerate(lines):
        word, numbers = _split(source, line, dimension, first_line + i)
        words.append(word)
        with np.errstate(over="ignore"):  # infinite values are reported later, with their position
            values[i] = numbers
    return words, values


def _split(source: Source, line: bytes, dimension: int, number: int) -> tuple[bytes, list[float]]:
    """Return the word and the numbers of a line, split from the right."""
    word, *fields = line.rsplit(None, dimension) or [b""]
    if len(fields) == dimension - 1 and line[:1] in (b" ", b"\t"):  # the word is empty
        word, fields = b"", [word, *fields]
    # A word may end in a space and a number, but far more often the line has one number too many.
    surplus = word.split()[1:]
    numbers = len(fields) + bool(surplus and NUMBER.fullmatch(surplus[-1]))
    if numbers != dimension:
        found = len(line.split()) - 1 if line.split() else "an empty line"
        raise source.error(f"expected a word and {dimension} numbers, found {found}", line=number)
    for i, field in enumerate(fields):
        if not NUMBER.fullmatch(field):
            raise source.error(f"expected a number in field {i + 2}, found {_show(field)}", line=number)
    return word, [float(field) for field in fields]


def _show(field: bytes) -> str:
    return repr(field[:40].decode(errors="replace"))


def write_word2vec(vectors: Vectors, file: BinaryIO, progress: Callable[[int], None]) -> None:
    """Write a line `words dimension`, then the lines."""
    file.write(f"{len(vectors)} {vectors.dimension}\n".encode())
    _write_lines(vectors, file, progress)


def write_glove(vectors: Vectors, file: BinaryIO, progress: Callable[[int], None]) -> None:
    """Write the lines without a header. There must be at least one, because the lines give the dimension."""
    if not len(vectors):
        raise Unwritable("there are no words, and an empty file would not be read back; choose .vec or another format")
    _write_lines(vectors, file, progress)


def _write_lines(vectors: Vectors, file: BinaryIO, progress: Callable[[int], None]) -> None:
    """Write each number with the fewest digits that restore exactly the same bits."""
    for first, values in vectors.blocks():
        lines = []
        for word, row in zip(vectors.words[first : first + len(values)], values, strict=True):
            if not _readable(word):
                raise Unwritable(
                    f"the word {word!r} would not be read back the same from text; "
                    "choose another format, .safetensors for example",
                )
            numbers = orjson.dumps(row, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].replace(b",", b" ")
            lines.append(b"%b %b\n" % (word.encode(), numbers))
        file.write(b"".join(lines))
        progress(first + len(values))


def _readable(word: str) -> bool:
    """Return whether a line with this word can be read back."""
    if not word or word != word.strip(" \t\r\v\f") or any(odd in word for odd in "\t\r\0"):
        return False
    surplus = word.encode().split()[1:]
    return not (surplus and NUMBER.fullmatch(surplus[-1]))
