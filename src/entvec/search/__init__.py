"""Approximate search: engines behind one contract.

An engine is built from keys and a sample of queries, is asked for candidates, and its answers get their exact scores,
so that only what it misses makes a difference.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from entvec.errors import InvalidInput
from entvec.search.exact import Floats, Hits, Keys
from entvec.search.request import Request

ENGINES: dict[str, str] = {"faiss": "Faiss", "usearch": "Usearch"}
"""The modules here, each with what wraps the library of that name."""


class Engine(Protocol):
    """What a space asks of an engine."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def options(self) -> dict[str, Any]:
        """What it was built with, and what was measured then, as JSON can hold it."""
        ...

    def search(self, posed: Request, k: int) -> Hits:
        """About the k best keys of each question, with exact scores, best first."""
        ...

    def save(self, path: Path) -> None:
        """Write the engine to a new folder."""
        ...


def build_engine(name: str, keys: Keys, queries: Floats, **options: Any) -> Engine:
    """An index of the keys, tuned on a sample of queries; `approximate.build` has the options."""
    from entvec.search import approximate

    module, library = _library(name, ["exact", *ENGINES])
    known = [
        name for name, each in inspect.signature(approximate.build).parameters.items() if each.kind == each.KEYWORD_ONLY
    ]
    if unknown := sorted(set(options) - set(known)):
        raise InvalidInput(f"no option {unknown[0]!r} of the engine {name}, expected some of {', '.join(known)}")
    module.library()  # or tell what is missing before any work is done
    return approximate.build(library, keys, queries, **options)


def load_engine(path: Path, /, name: str, *, shape: tuple[int, int], **options: Any) -> Engine:
    """An engine that was saved; `shape` is that of the space's keys, which it must fit."""
    from entvec.search import approximate

    module, library = _library(name, list(ENGINES))
    module.library()
    return approximate.load(library, path, shape, options)


def _library(name: str, known: list[str]) -> tuple[Any, Any]:
    if name not in ENGINES:
        raise InvalidInput(f"no engine {name!r}, expected one of {', '.join(known)}")
    module = import_module(f"entvec.search.{name}")
    return module, getattr(module, ENGINES[name])()
