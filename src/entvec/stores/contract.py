"""The contract of all stores: what a database must do to hold a space.

A store holds versions of a space: a table of words with their vectors, and for each side a table of keys in coordinates
that an index can search (search/coordinates.py). One version serves at a time. The next one is loaded beside it, and
then replaces it in one step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Rows
from entvec.errors import StoreError
from entvec.model.model import Side
from entvec.stores.conditions import Condition

VERSION = "store 1"
"""The layout of the tables; stores with another layout are refused."""
HNSW, IVF, FLAT = "hnsw", "ivf", "flat"
"""Kinds of index: a graph, clusters, and none, so that a search compares every key."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""The names that columns and spaces may have."""
CLOSED = "it was closed; open the space again"
COLUMN_TYPES: dict[str, type] = {kind.__name__: kind for kind in (bool, int, float, str)}


class Damaged(StoreError):
    """A version cannot be read; the next export replaces it."""


@dataclass(frozen=True)
class Manifest:
    """The description of a version: everything that is stored beside its tables."""

    version: str
    """A hash of the content: equal spaces have equal versions."""
    n_words: int
    dimension: int
    widths: Mapping[Side, int]
    """The number of coordinates of the keys, for each side that can be searched."""
    description: Mapping[str, Any]
    """The model and the search settings of each side, as JSON can hold them."""
    parts: Mapping[str, bytes]
    """The learned map and the coordinates, as their files have them."""
    columns: Mapping[str, type] = field(default_factory=dict)
    """Further columns beside the words, for conditions: bool, int, float or str."""

    @property
    def recall(self) -> dict[Side, float]:
        """The part of the ten best words that a search found when the version was loaded."""
        return {side: float(each["recall"]) for side, each in self.description["sides"].items()}

    @property
    def condition_columns(self) -> dict[str, type]:
        """The columns that a condition may name."""
        return {"word": str, "row": int, **self.columns}

    def as_json(self) -> dict[str, Any]:
        """Return everything but the version and the parts, which are bytes, as JSON can hold it."""
        return {
            "n_words": self.n_words,
            "dimension": self.dimension,
            "widths": dict(self.widths),
            "description": dict(self.description),
            "columns": {name: kind.__name__ for name, kind in self.columns.items()},
        }

    @classmethod
    def from_json(cls, where: str, version: str, content: Any, parts: Mapping[str, bytes]) -> Manifest:
        """Restore what `as_json` returned; raise Damaged for anything else.

        Parameters
        ----------
        where
            The store, for the message.
        version, parts
            What is stored beside the JSON.
        content
            The parsed JSON.
        """
        try:
            numbers = (content["n_words"], content["dimension"], content["widths"])
            columns = {name: COLUMN_TYPES[kind] for name, kind in content["columns"].items()}
            return cls(version, *numbers, content["description"], parts, columns)
        except (KeyError, TypeError, AttributeError) as error:
            raise damaged(where) from error


def check_layout(where: str, layout: object) -> None:
    """Raise StoreError unless the tables of a space have the layout that this version of entvec makes."""
    if layout != VERSION:
        raise StoreError(
            where,
            f"expected tables of the layout {VERSION!r}, found {str(layout)[:40]!r}: another version of entvec made "
            "them; use that one, or export under another name",
        )


def damaged(where: str) -> Damaged:
    """Return the error of a version whose manifest cannot be read."""
    return Damaged(where, "what is known of the space there is damaged; export it again")


def dropped(where: str, tables: Iterable[str]) -> Damaged:
    """Return the error of a version that lacks some of its tables."""
    return Damaged(where, f"{', '.join(sorted(tables))}: somebody has dropped it; export the space again")


class KeyBatch(NamedTuple):
    """The keys of one side, for the words of a batch."""

    coordinates: NDArray[np.float32]
    hubness: NDArray[np.float64]


class RowBatch(NamedTuple):
    """Consecutive rows to load, from row `first` on."""

    first: int
    words: Sequence[str]
    folded: Sequence[str]
    """The forms under which words are found in another spelling."""
    vectors: NDArray[np.float32]
    keys: Mapping[Side, KeyBatch]
    columns: Mapping[str, Sequence[Any]]


class WordRows(NamedTuple):
    """The rows of the words that were found; missing words are left out."""

    written: Mapping[str, int]
    """Words in exactly the spelling that the store has."""
    folded: Mapping[str, int]
    """Folded forms, with the first row of each."""


class Filter(NamedTuple):
    """Limits of a search: some rows, and a condition that the rows must fulfil."""

    rows: Rows | None = None
    condition: Condition | None = None


class StoredRow(NamedTuple):
    """The content of a row."""

    word: str
    vector: NDArray[np.float32]
    hubness: tuple[float, ...]
    """The hubness on each side, in the order of the manifest's `widths`."""


class Tables(Protocol):
    """The tables of one version."""

    manifest: Manifest
    most: int | None
    """The largest number of rows that a search can find, if there is a limit."""

    def efforts(self, side: Side) -> Sequence[int]:
        """Return the values that `effort` of a search may have, in rising order."""
        ...

    def nearest(
        self, side: Side, queries: NDArray[np.float32], n: int, effort: int, only: Filter | None = None
    ) -> Rows:
        """Find about the n nearest keys of each query, in coordinates; -1 where there are fewer."""
        ...

    def words(self, rows: Rows) -> list[StoredRow]:
        """Fetch these rows, which are in rising order, each once; raises StoreError if some are gone."""
        ...

    def find(self, words: Sequence[str], folded: Sequence[str]) -> WordRows:
        """Find the rows of words and of folded forms; all of them are UTF-8 without NUL."""
        ...

    def near(self, folded: str, n: int) -> list[str]:
        """Return up to n words whose folded form begins like this one and is about as long, the first rows first."""
        ...


class Loading(Tables, Protocol):
    """The tables of a version that is being loaded, and does not serve yet."""

    def write(self, batch: RowBatch) -> None:
        """Add rows."""
        ...

    def index(self, kind: str) -> None:
        """Build the indexes, after the last row."""
        ...

    def serve(self, description: Mapping[str, Any]) -> None:
        """Replace the version that serves by this one, with its final description."""
        ...


class Exported(NamedTuple):
    """The result of an export: what the store has now.

    >>> Exported("1f3a", loaded=False, n_words=9, recall={"hyper": 1.0}, size=8192, seconds=0.2).recall["hyper"]
    1.0

    Parameters
    ----------
    version
        A hash of the content.
    loaded
        False if the store had this version already, so that nothing was done.
    n_words
        The number of words.
    recall
        The fraction of the ten best words that a search finds, by side, measured on a sample of the vocabulary.
    size
        In bytes; 0 if the database does not report it.
    seconds
        How long the export took.
    lost
        Columns that the previous version had and this one does not have.
    """

    version: str
    loaded: bool
    n_words: int
    recall: Mapping[Side, float]
    size: int
    seconds: float
    lost: Sequence[str] = ()


class Store(Protocol):
    """A database, and the name of a space in it."""

    where: str
    """The URL without the password, for messages."""
    kinds: Sequence[str]
    """The indexes that it can build, the default first; `flat` is one of them."""
    widest: int
    """The largest number of coordinates of a key."""

    def current(self) -> Tables | None:
        """Return the version that serves; None if there is none."""
        ...

    def loading(self, manifest: Manifest) -> AbstractContextManager[Loading]:
        """Load another version: completely, or not at all if the block fails or ends without `serve`."""
        ...

    def names(self) -> list[str]:
        """Return the names of the spaces in the database."""
        ...

    def size(self) -> int:
        """Return the number of bytes of the version that serves; 0 if the store does not know."""
        ...

    def remove(self) -> None:
        """Remove the space, all versions."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


def hubness_column(side: Side) -> str:
    """Return the name of the column with the hubness of words on this side."""
    return f"hubness_{side}"


def in_blocks(n: int, at_once: int) -> Iterator[slice]:
    """Yield consecutive slices of n rows."""
    return (slice(first, min(first + at_once, n)) for first in range(0, n, at_once))
