"""JSON files of weights: written atomically, and read with one kind of error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from entvec.errors import RelationFileError
from entvec.files import read_whole, replacing

T = TypeVar("T")
LARGEST_FILE = 1 << 22
CaseWeights: TypeAlias = Mapping[str, Mapping[str, float]]
"""By case, and by the name of what is weighed."""


def write_weights(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write weights to a JSON file, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read_weights(path: Path, parse: Callable[[Any], T], wrong: str) -> T:
    """Return what is made of the content of a JSON file; raise RelationFileError if that fails.

    Parameters
    ----------
    path
        The file.
    parse
        Makes something of the content. Errors that it raises about missing or wrong values are explained.
    wrong
        What the error says of a file whose content cannot be parsed.
    """
    try:
        return parse(json.loads(read_whole(path, LARGEST_FILE)))
    except OSError as error:
        raise RelationFileError(path, f"it cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RelationFileError(path, f"{wrong}: {error}") from None


def write_cases(path: str | Path, version: str, weights: CaseWeights, metadata: Mapping[str, Any]) -> None:
    """Write weights by case to a JSON file, atomically.

    Parameters
    ----------
    path
        The file.
    version
        What `read_cases` expects.
    weights
        By case, a number for each name.
    metadata
        What the weights were fitted to.
    """
    write_weights(path, {"version": version, "metadata": metadata, "weights": rounded(weights)})


def read_cases(
    path: str | Path, version: str, cases: Mapping[str, Iterable[str]], wrong: str
) -> tuple[CaseWeights, dict[str, Any]]:
    """Return the weights of a file by case, after checking every number of it, and its metadata.

    Parameters
    ----------
    path
        A file of `write_cases`.
    version
        That of the file.
    cases
        The names of the weights of each case.
    wrong
        What the error says of a file that has others.
    """

    def parse(content: Any) -> tuple[CaseWeights, dict[str, Any]]:
        if content["version"] != version:
            raise ValueError(f"expected {version!r}")
        return checked(content["weights"], cases), dict(content["metadata"])

    return read_weights(Path(path), parse, wrong)


def rounded(weights: CaseWeights) -> dict[str, dict[str, float]]:
    """Return weights with five digits."""
    return {case: {name: float(f"{number:.5g}") for name, number in row.items()} for case, row in weights.items()}


def checked(weights: Any, cases: Mapping[str, Iterable[str]]) -> dict[str, dict[str, float]]:
    """Return the weights that are expected; raise an error if one of them is missing or is no finite number.

    >>> checked({"new": {"said": 1, "old": 2}}, {"new": ["said"]})
    {'new': {'said': 1.0}}
    """
    found = {case: {name: float(weights[case][name]) for name in names} for case, names in cases.items()}
    if not all(np.isfinite(list(row.values())).all() for row in found.values()):
        raise ValueError("expected finite weights")
    return found
