"""Long texts: compressed in blocks, or those of two sequences."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from entvec.errors import KnowledgeFileError
from entvec.remembering import remembered

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BYTES_AT_ONCE = 1 << 20
LEVEL = 19


class LazyTexts(Sequence[str]):
    """A sequence whose subclass returns one text at a time, given its place from 0 on; a slice is a list of them."""

    @abstractmethod
    def text(self, at: int) -> str:
        """Return the text at this place, which is neither negative nor beyond the end."""

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        places = range(len(self))[at]
        return self.text(places) if isinstance(places, int) else [self.text(place) for place in places]


class Texts(LazyTexts):
    """Many texts in a few compressed blocks; a block is unpacked when one of its texts is asked for.

    >>> texts = Texts(*compressed(["a tame wolf", "", "a small tiger"], bytes_at_once=12), Path("texts"))
    >>> texts[2], texts[0], len(texts)
    ('a small tiger', 'a tame wolf', 3)

    Parameters
    ----------
    content
        The blocks, one after the other.
    blocks
        For each block the number of its first text and the place of its first byte; at last the ends of both.
    path
        The file that has them, for errors.
    """

    def __init__(self, content: NDArray[np.uint8], blocks: NDArray[Any], path: Path) -> None:
        self.content, self.blocks, self.path = content, blocks, path

    def __reduce__(self) -> tuple[Any, ...]:
        return Texts, (self.content, self.blocks, self.path)

    def __len__(self) -> int:
        return int(self.blocks[-1, 0])

    def text(self, at: int) -> str:
        """Return the text at this place."""
        block = int(np.searchsorted(self.blocks[:, 0], at, side="right")) - 1
        return self._unpacked(block)[at - int(self.blocks[block, 0])]

    @remembered(16)
    def _unpacked(self, block: int) -> list[str]:
        (first, start), (last, end) = self.blocks[block : block + 2].tolist()
        try:
            texts = zstd.decompress(self.content[start:end].tobytes()).decode().split("\n")
        except (zstd.ZstdError, UnicodeDecodeError) as error:
            raise KnowledgeFileError(self.path, f"a text is damaged ({error}); get the file again") from None
        if len(texts) != last - first:
            raise KnowledgeFileError(self.path, f"expected {last - first:,} texts in a block, found {len(texts):,}")
        return texts


def compressed(texts: Sequence[str], bytes_at_once: int = BYTES_AT_ONCE) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Return texts as compressed blocks, and where each block begins; what is compressed already stays as it is.

    Parameters
    ----------
    texts
        Without line breaks.
    bytes_at_once
        The least size of a block before it is compressed, except for the last.
    """
    if isinstance(texts, Texts):
        return texts.content, texts.blocks
    if isinstance(texts, Chained):
        (content, blocks), (more, further) = (compressed(each, bytes_at_once) for each in (texts.first, texts.second))
        last = blocks[-1].astype(np.int32)
        return np.concatenate([content, more]), np.concatenate([blocks, further[1:] + last])
    places, parts, end = [(0, 0)], [], 0
    waiting, size = [], 0
    for at, text in enumerate(texts, 1):
        waiting.append(text)
        size += len(text.encode()) + 1
        if size >= bytes_at_once or at == len(texts):
            parts.append(zstd.compress("\n".join(waiting).encode(), LEVEL))
            end += len(parts[-1])
            places.append((at, end))
            waiting, size = [], 0
    return np.frombuffer(b"".join(parts), np.uint8), np.array(places, np.int32)


class Chained(LazyTexts):
    """Texts of two sequences, one after the other; the first may be a compressed file."""

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        self.first, self.second = first, second

    def __len__(self) -> int:
        return len(self.first) + len(self.second)

    def text(self, at: int) -> str:
        """Return the text at this place."""
        return self.first[at] if at < len(self.first) else self.second[at - len(self.first)]


class Beginning(LazyTexts):
    """The first n of some texts, which may be a compressed file."""

    def __init__(self, texts: Sequence[str], n: int) -> None:
        self.texts, self.n = texts, n

    def __len__(self) -> int:
        return self.n

    def text(self, at: int) -> str:
        """Return the text at this place."""
        return self.texts[at]
