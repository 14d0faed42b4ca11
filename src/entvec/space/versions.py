"""Spaces in databases have versions, and a question is answered from one of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from entvec.errors import VersionGone
from entvec.model.model import Model
from entvec.search.request import Backend
from entvec.vectors.vocabulary import Vocabulary

P = ParamSpec("P")
S = TypeVar("S", bound="Follows")
T = TypeVar("T")

VERSIONS_TRIED = 5
"""How often a question is begun, if one version of a database after the other is replaced meanwhile."""


class Parts(NamedTuple):
    """What answers questions: for a space in a database, those of one version."""

    vocabulary: Vocabulary
    model: Model
    backend: Backend


class Remote(Protocol):
    """A database with versions of a space, of which one serves."""

    def current(self) -> tuple[Vocabulary, Model, Backend]:
        """Return the parts of the version that serves now."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class Follows(Protocol):
    """Something that can move on to the version that serves now."""

    def follow(self) -> None:
        """Ask the version that serves now."""
        ...

    def pinned(self: S) -> S:
        """Return a copy that stays with its version, so that the verbs inside of a verb answer from the same one."""
        ...


def of_one_version(verb: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Make a verb answer from one version: from the next one, if that takes its place meanwhile."""

    @wraps(verb)
    def answer(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(VERSIONS_TRIED - 1):
            try:
                return verb(self.pinned(), *args, **kwargs)
            except VersionGone:
                self.follow()
        return verb(self.pinned(), *args, **kwargs)

    return answer
