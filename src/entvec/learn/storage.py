"""Maps in files: named tensors and texts, no pickle.

Tensors: `weights` (a row for each dimension of the vectors), `bias`, and `decision` (scale and intercept). The metadata
hold the settings that the map was made with as JSON, under `settings`, and whatever else its maker said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from entvec import tensors
from entvec.errors import InvalidInput, MapFileError, MapFileNotFound
from entvec.files import replacing
from entvec.learn.objective import LEARNABLE
from entvec.tensors import LAYOUT, Expected, Unsound

if TYPE_CHECKING:
    from entvec.learn.map import EntailmentMap

VERSION = "map 1"
FLOATS = frozenset({"F64"})
TENSORS = {"weights": Expected(FLOATS, 2), "bias": Expected(FLOATS, 1), "decision": Expected(FLOATS, 1)}
LARGEST = 1 << 32
SETTINGS = "settings"


def save(learned: EntailmentMap, path: str | Path, metadata: Mapping[str, str]) -> None:
    """Write a fitted map, atomically."""
    if SETTINGS in metadata:
        raise InvalidInput(f"the metadata have an entry {SETTINGS!r}, which holds the settings of the map")
    decision = np.array([learned.scale_, learned.intercept_])
    parts = {"weights": learned.weights_, "bias": learned.bias_, "decision": decision}
    columns = {name: ("F64", np.ascontiguousarray(part, LAYOUT["F64"])) for name, part in parts.items()}
    try:
        settings = json.dumps(learned.get_params(), default=_plain)
        header = tensors.encode(columns, {**metadata, SETTINGS: settings}, VERSION)
    except Unsound as problem:
        raise InvalidInput(str(problem)) from None
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(header)
        for _, column in columns.values():
            file.write(column.data)


def _plain(setting: Any) -> Any:
    """A number of NumPy as one of Python; a generator of random numbers has no better name than its text."""
    return setting.item() if isinstance(setting, np.generic) else str(setting)


def load(kind: type[EntailmentMap], path: str | Path) -> EntailmentMap:
    """The map of a file; every number of it is checked."""
    path = Path(path)
    try:
        if path.stat().st_size > LARGEST:
            raise Unsound(f"expected at most {LARGEST:,} bytes, found {path.stat().st_size:,}")
        content = path.read_bytes()
        size = tensors.header_size(content)
        found, metadata = tensors.parse(content[8 : 8 + size], TENSORS, version=VERSION, what="maps")
        end = 8 + size + max(tensor.end for tensor in found.values())
        if len(content) != end:
            raise Unsound(f"expected {end:,} bytes in all, as the header promises, found {len(content):,}")
        parts = {
            name: tensor.of(np.frombuffer(content, np.uint8)[8 + size :]).astype(np.float64)
            for name, tensor in found.items()
        }
        _check(parts)
        settings = _settings(metadata.pop(SETTINGS, ""), parts["weights"].shape[1])
    except FileNotFoundError:
        raise MapFileNotFound(path, "there is no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise MapFileError(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    except Unsound as problem:
        raise MapFileError(path, str(problem), byte=problem.byte) from None
    learned = kind(**settings)
    learned.weights_, learned.bias_ = parts["weights"], parts["bias"]
    learned.scale_, learned.intercept_ = parts["decision"].tolist()
    learned.n_features_in_ = len(learned.weights_)
    learned.metadata_ = metadata
    return learned


def _settings(text: str, width: int) -> dict[str, Any]:
    """The settings, checked as far as the map is used with them; those of the optimiser if they are sound."""
    try:
        settings = json.loads(text)
        operator, n_components, strength = (settings[name] for name in ("operator", "n_components", "C"))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Unsound(f"expected the settings of a map as JSON, found {text[:40]!r}") from None
    if operator not in LEARNABLE:
        raise Unsound(f"expected one of the operators {', '.join(LEARNABLE)}, found {str(operator)[:40]!r}")
    if n_components not in (None, width):
        raise Unsound(f"expected n_components to be null or {width}, found {str(n_components)[:40]!r}")
    if type(strength) not in (int, float) or not 0 < strength < float("inf"):
        raise Unsound(f"expected C to be a positive number, found {str(strength)[:40]!r}")
    optimiser = {"max_iter": int, "tol": float, "random_state": int}
    sound = {name: settings[name] for name, kind in optimiser.items() if type(settings.get(name)) is kind}
    return {"operator": operator, "n_components": n_components, "C": strength, **sound}


def _check(parts: Mapping[str, np.ndarray]) -> None:
    dimension, n_components = parts["weights"].shape
    if not (dimension and n_components) or parts["bias"].shape != (n_components,) or parts["decision"].shape != (2,):
        shapes = {name: part.shape for name, part in parts.items()}
        raise Unsound(f"expected weights (d, n), bias (n) and decision (2), found {shapes}")
    if not all(np.isfinite(part).all() for part in parts.values()):
        raise Unsound("expected numbers, found NaN or infinity")
    if not parts["decision"][0] > 0:
        raise Unsound(f"expected a positive scale, found {parts['decision'][0]}")
