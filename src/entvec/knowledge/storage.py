"""The file of a Knowledge: named tensors, opened by memory map; long texts are compressed in blocks.

A file is as small as can be without a step of unpacking: how many targets a concept has takes one byte, and the
places where they begin are summed up when they are first used. Every index is checked when a file is opened, since
anybody may have written it.
"""

import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec import tensors
from entvec.errors import KnowledgeFileError, KnowledgeFileNotFound
from entvec.files import replacing
from entvec.knowledge.knowledge import Connections, Knowledge
from entvec.knowledge.sense_names import PARTS_OF_SPEECH
from entvec.knowledge.texts import Texts, compressed
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
OPTIONAL = ("guesses", "judged", "origins", "part_origins", "denials")
"""Left out of a file if it is empty."""
NUMBERS = frozenset({"U8", "U16", "I32"})
TENSORS = {
    "terms": Expected(frozenset({"U8"}), 1),
    **{f"{name}.counts": Expected(NUMBERS, 1) for name in CONNECTIONS},
    **{f"{name}.targets": Expected(NUMBERS, 1) for name in CONNECTIONS},
    **{name: Expected(NUMBERS, 1) for name in ("numbers", "frequencies", "kinds")},
    "marks": Expected(NUMBERS, 2),
    "guesses": Expected(NUMBERS, 1, needed=False),
    "judged": Expected(NUMBERS, 1, needed=False),
    "origins": Expected(NUMBERS, 1, needed=False),
    "part_origins": Expected(NUMBERS, 1, needed=False),
    "denials": Expected(NUMBERS, 2, needed=False),
    **{name: Expected(frozenset({"U8"}), 1) for name in ("flat", "irregular")},
    **{name: Expected(frozenset({"U8"}), 1) for name in TEXTS},
    **{f"{name}.blocks": Expected(NUMBERS, 2) for name in TEXTS},
}
LARGEST_BLOCK = 1 << 26


def save(knowledge: Knowledge, path: str | Path) -> None:
    """Write a Knowledge to a file, atomically; the same Knowledge gives the same bytes."""
    parts = _facts(knowledge)
    for name in TEXTS:
        parts[name], parts[f"{name}.blocks"] = compressed(getattr(knowledge, name))
    columns = {name: (kind := _kind(part), np.ascontiguousarray(part, LAYOUT[kind])) for name, part in parts.items()}
    # Wide numbers first, so that all are aligned.
    columns = dict(sorted(columns.items(), key=lambda item: -LAYOUT[item[1][0]].itemsize))
    header = tensors.encode(columns, {SOURCE: "\n".join(knowledge.sources)}, VERSION)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(header)
        for _, column in columns.values():
            file.write(column.data)


def fingerprint(knowledge: Knowledge) -> str:
    """Return a hash of all facts and their sources: with the same fingerprint, the same is known.

    >>> from entvec.graphs import Taxonomy
    >>> from entvec.knowledge.sources import gathered
    >>> dogs, cats = (gathered(None, [Taxonomy.from_edges([(word, "pet")])]) for word in ("dog", "cat"))
    >>> fingerprint(dogs) == fingerprint(cats)
    False
    """
    digest = hashlib.sha256("\n".join(knowledge.sources).encode())
    for name, part in _facts(knowledge).items():
        digest.update(f"\n{name} {part.shape} ".encode())
        digest.update(np.ascontiguousarray(part, LAYOUT[_kind(part)]).data)
    return digest.hexdigest()[:32]


def _facts(knowledge: Knowledge) -> dict[str, NDArray[Any]]:
    """Return all tensors but the long texts, which decide nothing."""
    parts: dict[str, NDArray[Any]] = {"terms": knowledge.terms.text}
    for name in CONNECTIONS:
        connections: Connections = getattr(knowledge, name)
        parts |= {f"{name}.counts": connections.counts, f"{name}.targets": connections.targets}
    parts |= {name: getattr(knowledge, name) for name in ("numbers", "frequencies", "kinds", "marks")}
    parts |= {"flat": knowledge.flat.text, "irregular": Words.of(knowledge.irregular).text}
    return parts | {name: part for name in OPTIONAL if len(part := getattr(knowledge, name))}


def _kind(part: NDArray[Any]) -> str:
    """Return the narrowest kind of numbers that holds these."""
    largest = int(part.max(initial=0))
    return "U8" if largest < 1 << 8 else "U16" if largest < 1 << 16 else "I32"


def load(path: str | Path) -> Knowledge:
    """Return the Knowledge of a file, memory-mapped, after checking every index in it."""
    path = Path(path)
    try:
        found, metadata, content = tensors.mapped(path, TENSORS, version=VERSION, what="knowledge")
        parts = {name: tensor.of(content) for name, tensor in found.items()}
        sources = tuple(filter(None, metadata.get(SOURCE, path.name).split("\n")))
        _check(parts, len(sources))
    except FileNotFoundError:
        raise KnowledgeFileNotFound(path, "there is no such file") from None
    except (OSError, ValueError) as error:  # ValueError: an empty file, or a name with a zero byte
        raise KnowledgeFileError(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    except Unsound as problem:
        raise KnowledgeFileError(path, str(problem), byte=problem.byte) from None
    plain = ("numbers", "frequencies", "kinds", "marks", *OPTIONAL)
    fields: dict[str, Any] = {name: parts[name] for name in plain if name in parts}
    fields |= {name: Connections(parts[f"{name}.counts"], parts[f"{name}.targets"]) for name in CONNECTIONS}
    fields |= {name: Words(parts[name]) for name in ("terms", "flat", "irregular")}
    fields |= {name: Texts(parts[name], parts[f"{name}.blocks"], path) for name in TEXTS}
    return Knowledge(sources=sources, **fields)


def _check(parts: dict[str, NDArray[Any]], sources: int) -> None:
    """Raise Unsound if an index leads nowhere or the lengths of the tensors do not fit each other."""
    sizes = {"terms": len(Words(parts["terms"])), "concepts": len(parts["kinds"])}
    for name, (here, there) in CONNECTIONS.items():
        counts, targets = parts[f"{name}.counts"], parts[f"{name}.targets"]
        if len(counts) != sizes[here] or counts.sum(dtype=np.int64) != len(targets) or (counts < 0).any():
            raise Unsound(f"expected {name} for {sizes[here]:,} {here}, found {len(counts):,} or another sum")
        if not _below(targets, sizes[there]):
            raise Unsound(f"expected the targets of {name} to be below {sizes[there]:,}, found others")
    senses = len(parts["senses_of.targets"])
    if any(len(parts[name]) != senses for name in ("numbers", "frequencies", "guesses", "judged") if name in parts):
        raise Unsound(f"expected numbers, frequencies, guesses and judgements of {senses:,} senses")
    if not _below(parts["kinds"], len(PARTS_OF_SPEECH)) or not parts["members.counts"].all():
        raise Unsound(f"expected kinds below {len(PARTS_OF_SPEECH)} and a term for each concept")
    if not _below(parts["marks"], (sizes["terms"], sizes["concepts"], sizes["concepts"])):
        raise Unsound("expected marks of terms by concepts, found others")
    _check_sources(parts, sizes["concepts"], sources)
    for name in TEXTS:
        _check_blocks(name, parts[name], parts[f"{name}.blocks"], sizes["concepts"])


def _check_sources(parts: dict[str, NDArray[Any]], concepts: int, sources: int) -> None:
    """Raise Unsound if what is known is from no source."""
    for name, what in (("origins", "is_a"), ("part_origins", "part_of")):
        origins = parts.get(name)
        if origins is not None and not (len(origins) == len(parts[f"{what}.targets"]) and _below(origins, sources)):
            raise Unsound(f"expected the source of each {what}, one of {sources:,}, found others")
    denials = parts.get("denials")
    if denials is not None and not _below(denials, (concepts, concepts, sources)):
        raise Unsound("expected denials of two concepts by a source, found others")


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
