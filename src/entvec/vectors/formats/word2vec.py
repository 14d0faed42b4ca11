"""word2vec's binary format: a line `words dimension`, then each word, a space, and its numbers as 32-bit floats."""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np

from entvec.errors import InvalidInput
from entvec.vectors.dtypes import encode
from entvec.vectors.formats.base import LONGEST_WORD, Block, Unwritable, Wanted, opening
from entvec.vectors.formats.text import begins_with_header, matches_word2vec, read_header
from entvec.vectors.source import Source
from entvec.vectors.vectors import Vectors

CHUNK = 1 << 20


def matches(head: bytes) -> bool:
    """Return whether a header is followed by something that is not text."""
    return begins_with_header(head) and not matches_word2vec(head)


def blocks(source: Source, wanted: Wanted) -> Iterator[Block]:
    """Yield the words with their byte offsets."""
    n_words, dimension = read_header(source)
    size = 4 * dimension
    least = min(n_words, n_words if wanted.limit is None else wanted.limit) * (size + 1)
    if source.plain and source.size - source.offset < least:
        raise source.error(
            f"the header promises {n_words:,} words of {dimension} numbers, at least {least:,} bytes more; "
            f"found {source.size - source.offset:,}: the file is cut off",
            byte=source.offset,
        )
    yield opening(dimension, np.float32)
    # A word extends to the first space, so each match begins where the previous one ended. The pattern matches
    # incomplete rows too: otherwise the search would start again at each of their bytes.
    rows = re.compile(rb"([^ ]*+ ).{%d}|.+" % size, re.DOTALL)
    left, buffer, origin = n_words, b"", source.offset
    while left:
        data = source.read(CHUNK + size)
        buffer += data
        words = [word[:-1] for word in rows.findall(buffer)[:left] if word]
        left -= len(words)
        if words:
            ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)) + 1 + size)
            windows = np.lib.stride_tricks.sliding_window_view(np.frombuffer(buffer, dtype=np.uint8), size)
            spelled = [word.lstrip(b"\n") for word in words]
            starts = origin + ends - size - 1 - np.fromiter(map(len, spelled), np.int64, len(words))
            yield Block(spelled, windows[ends - size].view("<f4"), starts)
            buffer, origin = buffer[ends[-1] :], origin + int(ends[-1])
        if left and b" " not in buffer[:LONGEST_WORD] and len(buffer) >= LONGEST_WORD:
            raise source.error(f"expected a word and a space, found no space in {LONGEST_WORD:,} bytes", byte=origin)
        if left and not data:
            raise source.error(
                f"expected {left:,} more words of {dimension} numbers, found the end of the file", byte=origin
            )
    if (buffer + source.read(CHUNK)).strip(b"\n"):
        raise source.error(f"expected the end of the file after {n_words:,} words, found more bytes", byte=origin)


def write(vectors: Vectors, file: BinaryIO, progress: Callable[[int], None]) -> None:
    """Write the vectors as word2vec itself does, with a newline after each."""
    file.write(f"{len(vectors)} {vectors.dimension}\n".encode())
    for first, values in vectors.blocks():
        try:
            rows = np.ascontiguousarray(encode(values, "float32")).view(np.uint8)
        except InvalidInput as error:
            raise Unwritable(
                f"{error}, and the format has nothing larger; choose another, .safetensors for example"
            ) from None
        words = vectors.words[first : first + len(rows)]
        if re.search(r"[ ]|^\n", words.text.tobytes().decode(), re.MULTILINE):
            odd = next(word for word in words if " " in word or not word)
            raise Unwritable(
                f"the format ends a word at a space, so it cannot hold {odd!r}; "
                "choose another format, .safetensors for example",
            )
        file.write(b"".join(b"%b %b\n" % pair for pair in zip(words.split(), rows, strict=True)))
        progress(first + len(rows))
