"""What a job is made of: blocks of work, and the piece of the result that each becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple, Protocol

EXAMPLES = 3
VERSION = version("entvec")


class Piece(NamedTuple):
    """What a block became."""

    content: bytes
    """A whole Parquet file of one row group."""
    rows: int
    unknown: int = 0
    """Pairs with a word that has no vector."""
    examples: tuple[str, ...] = ()
    """Some of these words."""


Block = Any
"""Where a part of the work is: a few numbers."""
Work = Callable[[Block], Piece]
"""Makes a piece of a block; the same one whenever and wherever it is done."""


class Job(Protocol):
    """What is to be done with each block: small, hashable, and pickled for other processes."""

    def __hash__(self) -> int: ...

    def open(self) -> Work:
        """Get ready, from what lies in files."""
        ...

    @property
    def needs(self) -> Sequence[str]:
        """The files and folders that must be seen where the work is done."""
        ...


@dataclass(frozen=True)
class Progress:
    """How far a job is."""

    part: float
    """Of the whole, between 0 and 1."""
    rows: int
    """Written so far, those of earlier runs included."""
    earlier: int
    """Rows that were there when this run began."""


@dataclass(frozen=True)
class Done:
    """What a job has written.

    `earlier` rows were done by runs before this one: all of them, if the file was there already. `unknown` of the rows
    have a word without a vector, of which some are `examples`: their scores are null.
    """

    path: str
    rows: int
    size: int
    seconds: float
    earlier: int = 0
    unknown: int = 0
    examples: tuple[str, ...] = ()


def some_of(*several: Sequence[str]) -> tuple[str, ...]:
    """A few of these words, each once."""
    return tuple(dict.fromkeys(word for words in several for word in words))[:EXAMPLES]
