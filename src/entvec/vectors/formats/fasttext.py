"""fastText's binary models (.bin), read with gensim: the vectors of the words in the vocabulary.

A fastText vector is the mean over a word and its character n-grams, which gensim computes. Vectors for words outside
the vocabulary, which consist of n-grams alone, are not supported. gensim trusts all sizes in the file, and hangs on a
file that is cut off among its words, so the file is checked before gensim reads it.
"""

import mmap
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from entvec.errors import MissingExtra
from entvec.vectors.formats.base import LONGEST_WORD, Block, Wanted, check_dimension, in_blocks
from entvec.vectors.source import HARMLESS, Source

MAGIC = struct.pack("<i", 793712314)
ARGUMENTS = struct.Struct("<8x12id")
DICTIONARY = struct.Struct("<3i2q")
ENTRY = struct.Struct("<qb")
MATRIX = struct.Struct("<?2q")
LONGEST_PIECE = 100


def matches(head: bytes) -> bool:
    """Return whether the file has fastText's signature."""
    return head.startswith(MAGIC)


def library() -> Any:
    """Import gensim's reader."""
    try:
        from gensim.models.fasttext import load_facebook_vectors
    except ImportError:
        raise MissingExtra("reading fastText's .bin", needs="gensim", extra="fasttext") from None
    return load_facebook_vectors


def blocks(source: Source, _: Wanted) -> Iterator[Block]:
    """Yield the words with their rows and counts."""
    load_facebook_vectors = library()
    with tempfile.TemporaryDirectory() as folder:
        path = source.path if source.plain else _unpacked(source, Path(folder) / "model.bin")
        # Overflow in gensim's means becomes infinite, and is refused as such.
        with source.converting_errors(Exception, what="a damaged fastText model"), np.errstate(all="ignore"):
            with path.open("rb") as file:
                words = _check(source, file)
            found: Any = load_facebook_vectors(str(path))
    matrix, counts = found.vectors, found.expandos.get("count")
    if len(matrix) != len(words):
        raise source.error(f"expected {len(words):,} different words, found {len(matrix):,}")
    yield from in_blocks(source, words, matrix, counts)


def _unpacked(source: Source, path: Path) -> Path:
    with path.open("wb") as file:
        while data := source.read(HARMLESS):
            file.write(data)
    return path


def _check(source: Source, file: BinaryIO) -> list[bytes]:
    """Check the header and the sizes in the file against its content, up to the numbers; return the words."""
    words = []
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        (dimension, *_, bucket, shortest, longest, _, _), at = _take(source, content, ARGUMENTS, 0)
        (n_entries, n_words, n_labels, _, n_pruned), at = _take(source, content, DICTIONARY, at)
        check_dimension(source, dimension)
        if n_labels:
            raise source.error(f"a fastText model of {n_labels:,} labels for classification, expected one of words")
        if n_entries != n_words or n_words < 1 or bucket < 0 or not 0 <= longest <= LONGEST_PIECE or shortest < 0:
            raise source.error(
                f"expected a plausible fastText model, found {n_words:,} words of {n_entries:,} entries, "
                f"{bucket:,} buckets, and pieces of {shortest} to {longest} letters"
            )
        for i in range(n_words):
            end = content.find(b"\0", at, at + LONGEST_WORD)
            if end < 0:
                raise source.error(f"expected word {i + 1:,} of {n_words:,}, found no end of it", byte=at)
            words.append(content[at:end])
            _, at = _take(source, content, ENTRY, end + 1)
        (quantised, n_rows, width), start = _take(source, content, MATRIX, at + 8 * max(0, n_pruned))
        if quantised:
            raise source.error("a quantised fastText model (.ftz), expected the full one (.bin)", byte=at)
        if (n_rows, width) != (n_words + bucket, dimension) or len(content) - start < 4 * n_rows * width:
            raise source.error(
                f"expected {n_words + bucket:,} rows of {dimension} numbers, "
                f"found {n_rows:,} rows of {width} promised and {len(content) - start:,} bytes for them",
                byte=at,
            )
    return words


def _take(source: Source, content: mmap.mmap, layout: struct.Struct, at: int) -> tuple[tuple[Any, ...], int]:
    end = at + layout.size
    if end > len(content):
        raise source.error(f"expected {layout.size} more bytes, found the end of the file", byte=at)
    return layout.unpack(content[at:end]), end
