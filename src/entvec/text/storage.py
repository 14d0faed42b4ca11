"""Files of entailment encoders: named tensors and texts, no pickle.

Matrices are int8 with a scale for each row, the table of pieces may be packed more tightly (see `piece_table`);
`vocabulary` has a piece a line. The metadata hold the name and the kind of
the encoder and, under `digest`, the SHA-256 hash of all tensors. What a kind needs is a row of SHAPES.

A name without a suffix is that of a folder with this file, a configuration and a model card (see `model_folders`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from entvec import tensors
from entvec.errors import EncoderFileError, EncoderFileNotFound, InvalidInput
from entvec.files import replacing
from entvec.model_folders import Card, file_of, local_path, write_folder
from entvec.tensors import LAYOUT, Expected, Unsound
from entvec.text import piece_table
from entvec.text.entailment_encoder import EntailmentEncoder
from entvec.text.piece_table import Parts, is_packed
from entvec.text.transformer import HEADS, LAYER, n_layers
from entvec.text.wordpiece import LONGEST_TEXT, WordPiece
from entvec.vectors.words import Words

VERSION = "encoder 1"
FILE = "encoder.safetensors"
"""The name of the file in a folder."""
NAME, KIND, DIGEST = "name", "kind", "digest"
MOST_LAYERS = 24
FLOATS, BYTES = frozenset({"F32"}), frozenset({"I8"})
PACKED, HALVES = frozenset({"I8", "U8"}), frozenset({"F16"})
OFFSETS = ("hypo_offset", "hyper_offset", "generality")

Shapes = dict[str, tuple[int, ...]]


def _matrix(name: str, rows: int, columns: int) -> Shapes:
    return {name: (rows, columns), f"{name}.scales": (rows,)}


def _words(parts: Parts) -> Shapes:
    n, columns = parts["words"].shape
    if not is_packed(parts):
        return _matrix("words", n, columns)
    groups = parts["words.groups"].shape[1] if "words.groups" in parts else 0
    if not groups or 2 * columns % groups:
        raise Unsound(f"expected groups of equal length in rows of {2 * columns} numbers, found {groups} groups")
    return {"words": (n, columns), "words.groups": (n, groups)}


def _heads(width: int, components: int, same: int) -> Shapes:
    found: Shapes = {"map.decision": (2,), **{f"map.{name}": (width + 1,) for name in OFFSETS}}
    for side in ("hypo", "hyper"):
        found |= {**_matrix(f"map.{side}_weights", width, components), f"map.{side}_bias": (components,)}
    return found | _matrix("map.same_weights", width, same)


def _transformer(parts: Parts, width: int) -> Shapes:
    found = _matrix("positions", LONGEST_TEXT, width) | {"norm.weight": (width,), "norm.bias": (width,)}
    for number in range(n_layers(parts)):
        for name, (high, wide) in LAYER.items():
            found |= _matrix(f"{number}.{name}.weight", high * width, wide * width)
            found[f"{number}.{name}.bias"] = (high * width,)
        found |= {f"{number}.{name}.{end}": (width,) for name in ("norm1", "norm2") for end in ("weight", "bias")}
    return found


def _static(parts: Parts, width: int) -> Shapes:
    apart = parts["gains"].shape[1] if "gains" in parts else 0
    return {"gains": (2, max(1, apart), width)}


SHAPES: dict[str, Callable[[Parts, int], Shapes]] = {"transformer": _transformer, "static": _static}
"""What the tensors of a kind of encoder must look like, apart from the table of pieces and the heads."""


def _expected() -> dict[str, Expected]:
    """Return all tensors that any encoder may have."""
    layers = {"words": np.zeros((1, 1))} | {f"{number}.qkv.weight": np.zeros((1, 1)) for number in range(MOST_LAYERS)}
    known = {**_matrix("words", 1, 1), **_heads(1, 1, 1), **_transformer(layers, 1), **_static({}, 1)}
    common = {"words", *_heads(1, 1, 1)}
    found = {
        name: Expected(BYTES if f"{name}.scales" in known else FLOATS, len(shape), needed=name in common)
        for name, shape in known.items()
    }
    table = {"words": Expected(PACKED, 2), "words.groups": Expected(HALVES, 2, needed=False)}
    return {"vocabulary": Expected(frozenset({"U8"}), 1), **found, **table}


TENSORS = _expected()


def save_encoder(encoder: EntailmentEncoder, path: str | Path) -> None:
    """Write an encoder atomically, or raise InvalidInput if it could not be loaded again.

    Parameters
    ----------
    encoder
        The encoder.
    path
        A file such as "encoder.safetensors"; or, without a suffix, a folder that has a model card, too, and can be
        pushed to the Hugging Face Hub.
    """
    if not Path(path).suffix:
        _save_folder(encoder, path)
        return
    parts = {**encoder.parts, "vocabulary": Words.of(encoder.pieces.vocabulary).text}
    kinds = {np.dtype(LAYOUT[kind]): kind for kind in ("F32", "F16", "I8", "U8")}
    try:
        _check(parts, encoder.kind)
        columns = {name: (kinds[part.dtype], np.ascontiguousarray(part)) for name, part in parts.items()}
        # Wide numbers first, so that all are aligned.
        columns = dict(sorted(columns.items(), key=lambda item: (-LAYOUT[item[1][0]].itemsize, item[0])))
        digest = hashlib.sha256()
        for _, column in columns.values():
            digest.update(column.data)
        own = {NAME: encoder.name, KIND: encoder.kind, DIGEST: digest.hexdigest()}
        header = tensors.encode(columns, {**encoder.metadata, **own}, VERSION)
    except Unsound as problem:
        raise InvalidInput(str(problem)) from None
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(header)
        for _, column in columns.values():
            file.write(column.data)


def _save_folder(encoder: EntailmentEncoder, path: str | Path) -> None:
    facts = {"name": encoder.name, "kind": encoder.kind, "dimension": encoder.dimension}
    about = (
        "It reads words, phrases and definitions, and was trained so that the vectors of two texts tell whether one "
        "is a kind of the other. Say here what it was trained with, and under which licence it is."
    )
    code = 'from entvec.text import named_encoder\n\nencoder = named_encoder("hub:OWNER/NAME")'
    card = Card("An entailment encoder of entvec", about, facts, code)
    write_folder(path, FILE, lambda file: save_encoder(encoder, file), {tensors.MARK: VERSION, **facts}, card)


def load_encoder(path: str | Path) -> EntailmentEncoder:
    """Return the encoder of a file, memory-mapped, after checking its hash and every shape.

    The file may be in a folder, or in a folder of the hub ("hub:OWNER/NAME").
    """
    path = local_path(path)
    try:
        path = file_of(path, "encoder", FILE)
        found, metadata, content = tensors.mapped(path, TENSORS, version=VERSION, what="an encoder")
        if metadata.pop(DIGEST, "") != hashlib.sha256(content.data).hexdigest():
            raise Unsound("it is damaged: its content does not have the hash that it was saved with; get it again")
        parts = {name: tensor.of(content) for name, tensor in found.items()}
        kind, name = metadata.pop(KIND, ""), metadata.pop(NAME, path.stem)
        _check(parts, kind)
        pieces = WordPiece(list(Words(parts.pop("vocabulary"))))
    except FileNotFoundError:
        raise EncoderFileNotFound(path, "there is no such file") from None
    except (OSError, ValueError) as error:  # ValueError: an empty file, no UTF-8, no piece for unknown words
        raise EncoderFileError(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    except Unsound as problem:
        raise EncoderFileError(path, str(problem), byte=problem.byte) from None
    return EntailmentEncoder(name, kind, pieces, parts, metadata)


def _check(parts: Parts, kind: str) -> None:
    """Raise Unsound if the tensors do not fit each other or their kind, or if a number is not finite."""
    if kind not in SHAPES:
        raise Unsound(f"expected an encoder of the kind {' or '.join(SHAPES)}, found {kind[:40]!r}")
    n, width = len(parts["words"]), piece_table.width(parts)
    components, same = parts["map.hypo_bias"].shape[0], parts["map.same_weights"].shape[1]
    wanted = {**_words(parts), **_heads(width, components, same), **SHAPES[kind](parts, width)}
    found = {name: part.shape for name, part in parts.items() if name != "vocabulary"}
    if found != wanted:
        name = next(name for name in {**wanted, **found} if wanted.get(name) != found.get(name))
        raise Unsound(f"expected the tensor {name} to have the shape {wanted.get(name)}, found {found.get(name)}")
    if not (n and width and components and same) or (kind == "transformer" and width % HEADS):
        raise Unsound(f"expected pieces and a width that {HEADS} divides, found {n:,} and {width}")
    if len(Words(parts["vocabulary"])) != n:
        raise Unsound(f"expected {n:,} pieces in the vocabulary, found {len(Words(parts['vocabulary'])):,}")
    floats = (part for part in parts.values() if part.dtype.kind == "f")
    if not all(np.isfinite(part).all() for part in floats) or not parts["map.decision"][0] > 0:
        raise Unsound("expected finite numbers and a positive scale, found others")
