"""Saves maps to files and loads them: named tensors and texts, no pickle.

Tensors: `weights` (a row for each dimension of the vectors), `bias`, and `decision` (scale and intercept); a map
may also have `hyper_weights` and `hyper_bias`, if it has two sides, and the offsets `hypo_offset`, `hyper_offset` and
`generality`. The metadata hold the operator and the parameters of the fit as JSON under `settings`, the metadata of the
map, and under `digest` the SHA-256 hash of the file as it would be with zeros there.

A name without a suffix is that of a folder with this file, a configuration and a model card (see `model_folders`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from entvec import tensors
from entvec.errors import InvalidInput, MapFileError, MapFileNotFound
from entvec.files import read_whole, replacing
from entvec.learn.fitted import FittedMap
from entvec.learn.objective import LEARNABLE
from entvec.model_folders import Card, file_of, local_path, write_folder
from entvec.tensors import LAYOUT, Expected, Unsound

VERSION = "map 2"
UNVERIFIED = "map 1"
"""The version before, which had no digest."""
FLOATS = frozenset({"F32", "F64"})
OFFSETS = ("hypo_offset", "hyper_offset", "generality")
TENSORS = {
    "weights": Expected(FLOATS, 2),
    "bias": Expected(FLOATS, 1),
    "decision": Expected(frozenset({"F64"}), 1),
    "hyper_weights": Expected(FLOATS, 2, needed=False),
    "hyper_bias": Expected(FLOATS, 1, needed=False),
    **{name: Expected(FLOATS, 1, needed=False) for name in OFFSETS},
}
FILE = "map.safetensors"
"""The name of the file in a folder."""
LARGEST = 1 << 32
SETTINGS, DIGEST = "settings", "digest"
NO_DIGEST = "0" * 64


def save(fitted: FittedMap, path: str | Path) -> None:
    """Write a map atomically, or raise InvalidInput if it could not be loaded again."""
    if not Path(path).suffix:
        _save_folder(fitted, path)
        return
    for name, held in ((SETTINGS, "the settings of the map"), (DIGEST, "the hash of the file")):
        if name in fitted.metadata:
            raise InvalidInput(f"the metadata have an entry {name!r}, which holds {held}")
    parts: dict[str, Any] = {
        "weights": fitted.hypo_weights,
        "bias": fitted.hypo_bias,
        "decision": np.array([fitted.scale, fitted.intercept]),
        **{name: getattr(fitted, name) for name in ("hyper_weights", "hyper_bias", *OFFSETS)},
    }
    parts = {name: np.asarray(part) for name, part in parts.items() if part is not None}
    columns = {name: _column(part) for name, part in parts.items()}
    try:
        _check(parts)
        settings = json.dumps({**fitted.settings, "operator": fitted.operator}, default=_plain)
        _settings(settings, parts["weights"].shape[1])
        header = tensors.encode(columns, {**fitted.metadata, SETTINGS: settings, DIGEST: NO_DIGEST}, VERSION)
    except Unsound as problem:
        raise InvalidInput(str(problem)) from None
    with replacing(path) as temporary, temporary.open("wb") as file:
        content = b"".join([header, *(column.tobytes() for _, column in columns.values())])
        file.write(_exchanged(content, len(header), NO_DIGEST, _digest(content)))


def _save_folder(fitted: FittedMap, path: str | Path) -> None:
    facts = {"operator": fitted.operator, "dimension": fitted.dimension, "n_components": fitted.n_components}
    about = (
        "It maps vectors of words to log-odds, of which an operator makes the probability that one is a kind of the "
        "other. Say here which vectors it was learned for, from which pairs, and under which licence."
    )
    card = Card("A learned map of entvec", about, facts, 'space = entvec.load(vectors="FILE", map="hub:OWNER/NAME")')
    write_folder(path, FILE, lambda file: save(fitted, file), {tensors.MARK: VERSION, **facts}, card)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _exchanged(content: bytes, end: int, digest: str, other: str) -> bytes:
    """Return a file with another digest in its header, which ends at this byte."""
    before, _, after = content[:end].rpartition(f'"{digest}"'.encode())
    return b"".join([before, f'"{other}"'.encode(), after, content[end:]])


def _column(part: np.ndarray) -> tuple[str, np.ndarray]:
    kind = "F32" if part.dtype == np.float32 else "F64"
    return kind, np.ascontiguousarray(part, LAYOUT[kind])


def _plain(setting: Any) -> Any:
    """Return a NumPy number as a Python number, and anything else, such as a random generator, as text."""
    return setting.item() if isinstance(setting, np.generic) else str(setting)


def load(path: str | Path) -> FittedMap:
    """Return the map of a file or a folder, after checking every number of it."""
    path = local_path(path)
    try:
        path = file_of(path, "map", FILE)
        if path.stat().st_size > LARGEST:
            raise Unsound(f"expected at most {LARGEST:,} bytes, found {path.stat().st_size:,}")
        content = read_whole(path, LARGEST)
        size = tensors.header_size(content)
        header = content[8 : 8 + size]
        version = UNVERIFIED if f'"{tensors.MARK}":"{UNVERIFIED}"'.encode() in header else VERSION
        found, metadata = tensors.parse(header, TENSORS, version=version, what="maps")
        end = 8 + size + max(tensor.end for tensor in found.values())
        if len(content) != end:
            raise Unsound(f"expected {end:,} bytes in all, as the header promises, found {len(content):,}")
        digest = metadata.pop(DIGEST, "")
        if version == VERSION and digest != _digest(_exchanged(content, 8 + size, digest, NO_DIGEST)):
            raise Unsound(
                "it is damaged: its content does not have the hash that it was saved with; save the map again"
            )
        data = np.frombuffer(content, np.uint8)[8 + size :]
        parts = {name: tensor.of(data) for name, tensor in found.items()}
        _check(parts)
        settings = _settings(metadata.pop(SETTINGS, ""), parts["weights"].shape[1])
    except FileNotFoundError:
        raise MapFileNotFound(path, "there is no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise MapFileError(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    except Unsound as problem:
        raise MapFileError(path, str(problem), byte=problem.byte) from None
    scale, intercept = parts.pop("decision").tolist()
    weights, bias = parts.pop("weights"), parts.pop("bias")
    return FittedMap(
        settings.pop("operator"),
        weights,
        bias,
        scale=scale,
        intercept=intercept,
        settings=settings,
        metadata=metadata,
        **parts,
    )


def _settings(text: str, width: int) -> dict[str, Any]:
    """Return the settings: the ones that a map depends on must be valid; invalid ones of the optimiser are left out."""
    try:
        settings = json.loads(text)
        operator = settings["operator"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Unsound(f"expected the settings of a map as JSON, found {text[:40]!r}") from None
    if operator not in LEARNABLE:
        raise Unsound(f"expected one of the operators {', '.join(LEARNABLE)}, found {str(operator)[:40]!r}")
    n_components, strength = settings.get("n_components"), settings.get("C", 1.0)
    if n_components not in (None, width):
        raise Unsound(f"expected n_components to be null or {width}, found {str(n_components)[:40]!r}")
    if type(strength) not in (int, float) or not 0 < strength < float("inf"):
        raise Unsound(f"expected C to be a positive number, found {str(strength)[:40]!r}")
    kinds = {"n_components": int, "C": type(strength), "max_iter": int, "tol": float, "random_state": int}
    sound = {name: settings[name] for name, kind in kinds.items() if type(settings.get(name)) is kind}
    return {"operator": operator, **sound}


def _check(parts: Mapping[str, np.ndarray]) -> None:
    """Raise Unsound if the shapes of the tensors do not fit each other, or if a number is not finite."""
    dimension, n_components = parts["weights"].shape
    wanted = {
        "bias": (n_components,),
        "decision": (2,),
        "hyper_weights": (dimension, n_components),
        "hyper_bias": (n_components,),
        **dict.fromkeys(OFFSETS, (dimension + 1,)),
    }
    fitting = all(parts[name].shape == shape for name, shape in wanted.items() if name in parts)
    if not (dimension and n_components and fitting):
        shapes = {name: part.shape for name, part in parts.items()}
        raise Unsound(f"expected weights (d, n), bias (n), decision (2) and offsets (d + 1), found {shapes}")
    if ("hyper_weights" in parts) != ("hyper_bias" in parts):
        raise Unsound("expected hyper_weights and hyper_bias together, found one of them")
    if not all(np.isfinite(part).all() for part in parts.values()):
        raise Unsound("expected numbers, found NaN or infinity")
    if not parts["decision"][0] > 0:
        raise Unsound(f"expected a positive scale, found {parts['decision'][0]}")
