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

__version__ = "0.2.0"

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


def load(space: str | Path | None = None, **options: Any) -> EntailmentSpace:
    """Return the default space, with real vectors and a learned map that come with the package; or another one.

    >>> import entvec
    >>> entvec.load(interpretation="dup", operator="forward")
    EntailmentSpace(31,530 words x 300, dup forward)

    Parameters
    ----------
    space
        The folder of a saved space, `hub:OWNER/NAME` for one of the Hugging Face Hub, or the URL of a database.
    options
        Those of `entvec.space.SpaceOptions`: vectors, map, interpretation, operator, knowledge, evidence and others.
    """
    from entvec.space.options import SpaceOptions

    return SpaceOptions(space, **options).open()


def __getattr__(name: str) -> Any:
    """A room is imported when it is first used, so that `import entvec` stays fast."""
    if name in ROOMS:
        return import_module(f"entvec.{name}")
    if name in NAMES:
        return getattr(import_module(f"entvec.{NAMES[name]}"), name)
    raise AttributeError(f"module 'entvec' has no attribute {name!r}")
