"""A job: its partitions, the part of the result that each of them becomes, its progress and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from entvec import __version__
from entvec.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLES = 3
VERSION = __version__


Content: TypeAlias = "bytes | pa.Buffer"


class Part(NamedTuple):
    """The rows that one partition became."""

    content: Content
    """A file of its own, in the format of parts of the output."""
    rows: int
    unknown: int = 0
    """How many pairs have a word without a vector."""
    examples: tuple[str, ...] = ()
    """A few of these words."""


Partition = Any
"""A few numbers that say which rows of the input to work on."""
Work = Callable[[Partition], Part]
"""Turns a partition into a part, which is the same whenever and wherever it is computed."""


class Job(Protocol):
    """The description of a job: small, hashable, and pickled for other processes."""

    def __hash__(self) -> int: ...

    def open(self) -> Work:
        """Open the files of the job and return the function that computes its parts."""
        ...

    @property
    def needs(self) -> Sequence[str]:
        """The files and folders that a worker must be able to read."""
        ...


@dataclass(frozen=True)
class JobProgress:
    """How much of a job is done: the argument of a progress callback.

    >>> f"{JobProgress(0.5, 1000, 200).part:.0%}"
    '50%'

    Parameters
    ----------
    part
        The fraction of the whole, between 0 and 1.
    rows
        The rows done so far, including those of earlier runs.
    earlier
        The rows that earlier runs had done when this run began.
    """

    part: float
    rows: int
    earlier: int


ProgressCallback = Callable[[JobProgress], object]


@dataclass(frozen=True)
class Done:
    """What a job has written.

    >>> Done("scores.tsv", rows=3, size=42, seconds=0.1, unknown=1, examples=("qqq",)).unknown
    1

    Parameters
    ----------
    path
        The output.
    rows
        The number of its rows.
    size
        Its size in bytes.
    seconds
        How long the job took.
    earlier
        How many rows earlier runs had done: all of them, if the output existed already.
    unknown
        How many rows have a word without a vector, and so no score.
    examples
        Some of these words.
    """

    path: str
    rows: int
    size: int
    seconds: float
    earlier: int = 0
    unknown: int = 0
    examples: tuple[str, ...] = ()


def check_partition_size(size: int | None) -> int | None:
    """Return the size of partitions; raise an error if it makes no sense."""
    if size is not None and size < 1:
        raise InvalidInput(f"partition_size is {size}, expected 1 or more")
    return size


def first_examples(*several: Sequence[str]) -> tuple[str, ...]:
    """Return the first few different words."""
    return tuple(dict.fromkeys(word for words in several for word in words))[:EXAMPLES]
