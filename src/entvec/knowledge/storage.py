"""The file of a Knowledge: named tensors, opened by memory map; long texts are compressed in blocks.

A file is as small as can be without a step of unpacking: how many targets a concept has takes one byte, and the
places where they begin are summed up when they are first used. Every index is checked when a file is opened, since
anybody may have written it.
"""

import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from entvec import tensors
from entvec.errors import KnowledgeFileError, KnowledgeFileNotFound
from entvec.files import replacing
from entvec.knowledge.knowledge import PARTS_OF_SPEECH, Connections, Knowledge
from entvec.tensors import LAYOUT, Expected, Unsound
from entvec.vectors.words import Words

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

VERSION = "knowledge 1"
SOURCE = "source"
CONNECTIONS = {  # by name: what leads where
    "senses_of": ("terms", "concepts"),
    "members": ("concepts", "terms"),
    "is_a": ("concepts", "concepts"),
    "instance_of": ("concepts", "concepts"),
    "part_of": ("concepts", "concepts"),
    "implies": ("concepts", "concepts"),
}
TEXTS = ("identifiers", "glosses")
NUMBERS = frozenset({"U8", "U16", "I32"})
TENSORS = {
    "terms": Expected(frozenset({"U8"}), 1),
    **{f"{name}.counts": Expected(NUMBERS, 1) for name in CONNECTIONS},
    **{f"{name}.targets": Expected(NUMBERS, 1) for name in CONNECTIONS},
    **{name: Expected(NUMBERS, 1) for name in ("numbers", "frequencies", "kinds")},
    "marks": Expected(NUMBERS, 2),
    **{name: Expected(frozenset({"U8"}), 1) for name in ("flat", "irregular")},
    **{name: Expected(frozenset({"U8"}), 1) for name in TEXTS},
    **{f"{name}.blocks": Expected(NUMBERS, 2) for name in TEXTS},
}
BYTES_AT_ONCE = 1 << 20
LARGEST_BLOCK = 1 << 26
LEVEL = 19


class Texts(Sequence[str]):
    """Many texts in a few compressed blocks; a block is unpacked when one of its texts is asked for.

    >>> texts = Texts(*compressed(["a tame wolf", "", "a small tiger"], bytes_at_once=12))
    >>> texts[2], texts[0], len(texts)
    ('a small tiger', 'a tame wolf', 3)

    Parameters
    ----------
    content
        The blocks, one after the other.
    blocks
        For each block the number of its first text and the place of its first byte; at last the ends of both.
    """

    def __init__(self, content: NDArray[np.uint8], blocks: NDArray[Any]) -> None:
        self.content, self.blocks = content, blocks
        self._unpacked = lru_cache(maxsize=4)(self._unpack)

    def __len__(self) -> int:
        return int(self.blocks[-1, 0])

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        block = int(np.searchsorted(self.blocks[:, 0], at, side="right")) - 1
        return self._unpacked(block)[at - int(self.blocks[block, 0])]

    def _unpack(self, block: int) -> list[str]:
        (first, start), (last, end) = self.blocks[block : block + 2].tolist()
        try:
            texts = zstd.decompress(self.content[start:end].tobytes()).decode().split("\n")
        except (zstd.ZstdError, UnicodeDecodeError) as error:
            raise KnowledgeFileError(None, f"a text is damaged ({error}); get the file again") from None
        if len(texts) != last - first:
            raise KnowledgeFileError(None, f"expected {last - first:,} texts in a block, found {len(texts):,}")
        return texts


def compressed(texts: Sequence[str], bytes_at_once: int = BYTES_AT_ONCE) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return texts as compressed blocks, and where each block begins.

    Parameters
    ----------
    texts
        Without line breaks.
    bytes_at_once
        The least size of a block before it is compressed, except for the last.
    """
    blocks, content = [(0, 0)], b""
    waiting, size = [], 0
    for at, text in enumerate(texts, 1):
        waiting.append(text)
        size += len(text.encode()) + 1
        if size >= bytes_at_once or at == len(texts):
            content += zstd.compress("\n".join(waiting).encode(), LEVEL)
            blocks.append((at, len(content)))
            waiting, size = [], 0
    return np.frombuffer(content, np.uint8), np.array(blocks, np.int32)


def save(knowledge: Knowledge, path: str | Path) -> None:
    """Write a Knowledge of one source to a file, atomically; the same Knowledge gives the same bytes."""
    parts: dict[str, NDArray[Any]] = {"terms": knowledge.terms.text}
    for name in CONNECTIONS:
        connections: Connections = getattr(knowledge, name)
        parts |= {f"{name}.counts": connections.counts, f"{name}.targets": connections.targets}
    parts |= {name: getattr(knowledge, name) for name in ("numbers", "frequencies", "kinds", "marks")}
    parts |= {"flat": knowledge.flat.text, "irregular": Words.of(knowledge.irregular).text}
    for name in TEXTS:
        parts[name], parts[f"{name}.blocks"] = compressed(getattr(knowledge, name))
    columns = {name: (kind := _kind(part), np.ascontiguousarray(part, LAYOUT[kind])) for name, part in parts.items()}
    # Wide numbers first, so that all are aligned.
    columns = dict(sorted(columns.items(), key=lambda item: -LAYOUT[item[1][0]].itemsize))
    header = tensors.encode(columns, {SOURCE: knowledge.sources[0]}, VERSION)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(header)
        for _, column in columns.values():
            file.write(column.data)


def _kind(part: NDArray[Any]) -> str:
    """Return the narrowest kind of numbers that holds these."""
    largest = int(part.max(initial=0))
    return "U8" if largest < 1 << 8 else "U16" if largest < 1 << 16 else "I32"


def load(path: str | Path) -> Knowledge:
    """Return the Knowledge of a file, memory-mapped, after checking every index in it."""
    path = Path(path)
    try:
        content = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
        size = tensors.header_size(content[:8].tobytes())
        found, metadata = tensors.parse(content[8 : 8 + size].tobytes(), TENSORS, version=VERSION, what="knowledge")
        end = 8 + size + max(tensor.end for tensor in found.values())
        if len(content) != end:
            raise Unsound(f"expected {end:,} bytes in all, as the header promises, found {len(content):,}")
        parts = {name: tensor.of(content[8 + size :]) for name, tensor in found.items()}
        _check(parts)
    except FileNotFoundError:
        raise KnowledgeFileNotFound(path, "there is no such file") from None
    except (OSError, ValueError) as error:  # ValueError: an empty file, or a name with a zero byte
        raise KnowledgeFileError(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    except Unsound as problem:
        raise KnowledgeFileError(path, str(problem), byte=problem.byte) from None
    fields: dict[str, Any] = {name: parts[name] for name in ("numbers", "frequencies", "kinds", "marks")}
    fields |= {name: Connections(parts[f"{name}.counts"], parts[f"{name}.targets"]) for name in CONNECTIONS}
    fields |= {name: Words(parts[name]) for name in ("terms", "flat", "irregular")}
    fields |= {name: Texts(parts[name], parts[f"{name}.blocks"]) for name in TEXTS}
    return Knowledge(sources=(metadata.get(SOURCE, path.name),), **fields)


def _check(parts: dict[str, NDArray[Any]]) -> None:
    """Raise Unsound if an index leads nowhere or the lengths of the tensors do not fit each other."""
    sizes = {"terms": len(Words(parts["terms"])), "concepts": len(parts["kinds"])}
    for name, (here, there) in CONNECTIONS.items():
        counts, targets = parts[f"{name}.counts"], parts[f"{name}.targets"]
        if len(counts) != sizes[here] or counts.sum(dtype=np.int64) != len(targets) or (counts < 0).any():
            raise Unsound(f"expected {name} for {sizes[here]:,} {here}, found {len(counts):,} or another sum")
        if not _below(targets, sizes[there]):
            raise Unsound(f"expected the targets of {name} to be below {sizes[there]:,}, found others")
    senses = len(parts["senses_of.targets"])
    if not len(parts["numbers"]) == len(parts["frequencies"]) == senses:
        raise Unsound(f"expected numbers and frequencies of {senses:,} senses")
    if not _below(parts["kinds"], len(PARTS_OF_SPEECH)) or not parts["members.counts"].all():
        raise Unsound(f"expected kinds below {len(PARTS_OF_SPEECH)} and a term for each concept")
    if not _below(parts["marks"], (sizes["terms"], sizes["concepts"], sizes["concepts"])):
        raise Unsound("expected marks of terms by concepts, found others")
    for name in TEXTS:
        _check_blocks(name, parts[name], parts[f"{name}.blocks"], sizes["concepts"])


def _below(values: NDArray[Any], limit: int | tuple[int, ...]) -> bool:
    """Whether all values, or those of each column, are 0 or more and below the limit."""
    fits = values.ndim == np.ndim(limit) + 1 and values.shape[1:] == np.shape(limit)
    return fits and bool(((values >= 0) & (values < limit)).all())


def _check_blocks(name: str, content: NDArray[np.uint8], blocks: NDArray[Any], n: int) -> None:
    """Raise Unsound if the blocks do not hold n texts, or would grow out of proportion when they are unpacked."""
    if not len(blocks) or blocks.shape[1:] != (2,) or blocks[0].any() or blocks[-1].tolist() != [n, len(content)]:
        raise Unsound(f"expected {name} of {n:,} concepts, found blocks that do not fit")
    if (np.diff(blocks.astype(np.int64), axis=0) <= 0).any():
        raise Unsound(f"expected the blocks of {name} one after the other")
    for start in blocks[:-1, 1].tolist():
        try:
            size = zstd.get_frame_info(content[start : start + 64].tobytes()).decompressed_size
        except zstd.ZstdError:
            size = None
        if size is None or size > LARGEST_BLOCK:
            raise Unsound(f"expected compressed {name} in blocks of up to {LARGEST_BLOCK:,} bytes, found {size}")
