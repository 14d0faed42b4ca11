"""JSON files of weights: written atomically, and read with one kind of error."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from entvec.errors import RelationFileError
from entvec.files import read_whole, replacing

T = TypeVar("T")
LARGEST_FILE = 1 << 22


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
