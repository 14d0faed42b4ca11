"""Entailment in a vector space."""

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

ROOMS = ("bundled", "evaluate", "learn", "theory", "vectors")


def __getattr__(name: str) -> ModuleType:
    """A room is imported when it is first used, so that `import entvec` stays fast."""
    if name in ROOMS:
        return import_module(f"entvec.{name}")
    raise AttributeError(f"module 'entvec' has no attribute {name!r}")
