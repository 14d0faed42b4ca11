"""WordNet's plain files, as Debian's package wordnet-base has them."""

import re
import sys
from pathlib import Path

HEADER = "  "  # how the lines of the licence begin


def lines(folder: Path, name: str) -> list[str]:
    """The lines of one of the files, without the licence at its head."""
    return [line for line in _read(folder, name) if not line.startswith(HEADER)]


def licence(folder: Path) -> str:
    """WordNet's licence: the numbered lines at the head of data.noun, without their numbers."""
    header = (line for line in _read(folder, "data.noun") if line.startswith(HEADER))
    return "\n".join(re.sub(r"^ +\d+ ?", "", line).rstrip() for line in header) + "\n"


def _read(folder: Path, name: str) -> list[str]:
    path = folder / name
    if not path.is_file():
        sys.exit(f"no file {path}, expected WordNet 3.0's: apt-get install wordnet-base, or name its folder: --wordnet")
    return path.read_text(encoding="utf-8").splitlines()
