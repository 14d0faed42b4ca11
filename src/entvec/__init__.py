"""Entailment in a vector space.

`load()` gives a space to ask:

>>> import entvec
>>> space = entvec.load()
>>> space.score("dog", "animal") > space.score("animal", "dog")
True
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it; importing `typing` would take longer than all the rest
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from entvec.space import EntailmentSpace

__version__ = "0.1.0"

ROOMS = (
    "bulk",
    "bundled",
    "evaluate",
    "explore",
    "graphs",
    "knowledge",
    "learn",
    "space",
    "taxonomy",
    "theory",
    "vectors",
)
NAMES = {"EntailmentSpace": "space", "Vectors": "vectors"}
"""What people use first, by the room that it is in."""


def load(path: str | Path | None = None) -> EntailmentSpace:
    """The default space: real vectors and a learned map that come with the package; or one that was saved."""
    if path is not None:
        from entvec.space import EntailmentSpace

        return EntailmentSpace.load(path)
    from entvec.space.default import default_space

    return default_space()


def __getattr__(name: str) -> Any:
    """A room is imported when it is first used, so that `import entvec` stays fast."""
    if name in ROOMS:
        return import_module(f"entvec.{name}")
    if name in NAMES:
        return getattr(import_module(f"entvec.{NAMES[name]}"), name)
    raise AttributeError(f"module 'entvec' has no attribute {name!r}")
