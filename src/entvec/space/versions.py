"""Answers each question from one version of a space in a database."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar

from entvec.errors import VersionGone
from entvec.evidence.reader import Reader
from entvec.knowledge import Knowledge
from entvec.model.model import Model
from entvec.search.request import Backend
from entvec.text import Encoder
from entvec.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    from entvec.text import TextEvidence

P = ParamSpec("P")
S = TypeVar("S", bound="Versioned")
T = TypeVar("T")

Known: TypeAlias = Knowledge | Callable[[], Knowledge] | None
"""What a space knows, or a function that opens it when it is first asked for."""

ReaderOf: TypeAlias = Callable[[Knowledge], Reader]
"""Returns what reads terms that have no vector, given what is known."""

VERSIONS_TRIED = 5
"""How many versions are tried for a question, if each one is replaced before it has answered."""


class Parts(NamedTuple):
    """The parts of a space; for a space in a database, those of one version."""

    vocabulary: Vocabulary
    model: Model
    backend: Backend
    knowledge: Known = None
    encoder: Encoder | None = None
    text: TextEvidence | None = None
    reader: ReaderOf | None = None


class Remote(Protocol):
    """A space in a database, which serves one of its versions at a time."""

    def current(self) -> tuple[Vocabulary, Model, Backend]:
        """Return the parts of the version that serves now."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class Versioned(Protocol):
    """A space that can switch to the version that serves now."""

    def follow(self) -> None:
        """Switch to the version that serves now."""
        ...

    def pinned(self: S) -> S:
        """Return a copy that stays with its version, so that methods which call other methods use one version."""
        ...


def of_one_version(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Make a method answer from one version; if that version is replaced meanwhile, call it again with the next."""

    @wraps(method)
    def answer(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(VERSIONS_TRIED - 1):
            try:
                return method(self.pinned(), *args, **kwargs)
            except VersionGone:
                self.follow()
        return method(self.pinned(), *args, **kwargs)

    return answer
