"""What a database must be able to do to keep a space: the contract of all stores.

A store keeps versions of a space: tables of words with their vectors, and for each side a table of keys in coordinates
in which indexes find what they are asked for (engines/coordinates.py). One version serves, whatever happens to the next
one while it is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from entvec.errors import StoreError
from entvec.model.model import Floats, Side
from entvec.vectors.vocabulary import Rows

VERSION = "store 1"
"""Of the tables; a store with another one is refused."""
HNSW, IVF, FLAT = "hnsw", "ivf", "flat"
"""A graph, clusters, and the index that is none: every key is looked at."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""The names that columns and spaces may have."""


class Damaged(StoreError):
    """A version that nobody can ask any more; the next export takes its place, whatever it was."""


@dataclass(frozen=True)
class Manifest:
    """What is known of a version beside its tables."""

    version: str
    """A digest of all that it is made of: the same space has the same one."""
    n_words: int
    dimension: int
    widths: Mapping[Side, int]
    """How many coordinates the keys of each side have; a side that is not here cannot be searched."""
    description: Mapping[str, Any]
    """How vectors are read, and how an index is asked, as JSON can hold it."""
    parts: Mapping[str, bytes]
    """The learned map and the coordinates, as their files have them."""
    columns: Mapping[str, type] = field(default_factory=dict)
    """Further columns of words, to choose by: bool, int, float or str."""

    @property
    def recall(self) -> dict[Side, float]:
        """Which part of the ten best words a search found when the version was loaded."""
        return {side: float(each["recall"]) for side, each in self.description["sides"].items()}


class KeyBlock(NamedTuple):
    """Keys of one side."""

    coordinates: NDArray[np.float32]
    hubness: NDArray[np.float64]


class Block(NamedTuple):
    """Some words that follow each other, from row `first` on."""

    first: int
    words: Sequence[str]
    folded: Sequence[str]
    """The words as they are looked for if they are not found as they are written."""
    vectors: NDArray[np.float32]
    keys: Mapping[Side, KeyBlock]
    columns: Mapping[str, Sequence[Any]]


class Lookup(NamedTuple):
    """The rows of words that were found; those that were not are left out."""

    written: Mapping[str, int]
    """Of words that are there exactly so."""
    folded: Mapping[str, int]
    """Of folded forms: the first row that has it."""


class Filter(NamedTuple):
    """What a search is limited to: rows, and what a condition in the language of the store is true of."""

    rows: Rows | None = None
    where: str | None = None
    values: Mapping[str, Any] | None = None
    """What the names in the condition stand for; they are bound, never written into it."""


class Words(NamedTuple):
    """What is kept of some rows."""

    words: list[str]
    vectors: NDArray[np.float32]
    hubness: Mapping[Side, Floats]


class Tables(Protocol):
    """A version of a space in a store."""

    manifest: Manifest
    most: int | None
    """How many rows a search finds, if there is a limit."""

    def efforts(self, side: Side) -> Sequence[int]:
        """How hard a search may try, in rising order."""
        ...

    def nearest(
        self, side: Side, queries: NDArray[np.float32], n: int, effort: int, only: Filter | None = None
    ) -> Rows:
        """About the n nearest keys of each query, in coordinates; -1 where fewer were found."""
        ...

    def words(self, rows: Rows) -> Words:
        """What is kept of these rows, in their order."""
        ...

    def find(self, words: Sequence[str], folded: Sequence[str]) -> Lookup:
        """The rows of these words, and of these folded forms; all of them can be written in UTF-8, without NUL."""
        ...

    def near(self, folded: str, n: int) -> list[str]:
        """Up to n words whose folded form begins like this one and is about as long, the first rows first."""
        ...


class Loading(Tables, Protocol):
    """A version that is being loaded, and serves nobody yet."""

    def write(self, block: Block) -> None:
        """Add words."""
        ...

    def index(self, kind: str) -> None:
        """Build the indexes, after the last word."""
        ...

    def serve(self, description: Mapping[str, Any]) -> None:
        """Take the place of the version that serves; the description is final now."""
        ...


class Store(Protocol):
    """A database, and the name of a space in it."""

    where: str
    """The URL without the password, for messages."""
    kinds: Sequence[str]
    """The indexes it can build, the usual one first; `flat`, which looks at every key, is one of them."""
    widest: int
    """How many coordinates a key may have."""

    def current(self) -> Tables | None:
        """The version that serves; None if there is none."""
        ...

    def loading(self, manifest: Manifest) -> AbstractContextManager[Loading]:
        """Load another version: whole, or not at all if the block fails or ends without `serve`."""
        ...

    def names(self) -> list[str]:
        """The names of the spaces that are there."""
        ...

    def size(self) -> int:
        """How many bytes the version that serves takes; 0 if the store cannot tell."""
        ...

    def remove(self) -> None:
        """Remove the space, all versions."""
        ...

    def close(self) -> None:
        """Let the connection go."""
        ...


def hubness_column(side: Side) -> str:
    """The column with how readily everything entails a word of this side, or it entails everything."""
    return f"hubness_{side}"


def in_blocks(n: int, at_once: int) -> Iterator[slice]:
    """Consecutive parts of n rows."""
    return (slice(first, min(first + at_once, n)) for first in range(0, n, at_once))
