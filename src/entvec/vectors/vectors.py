"""Words with a matrix, as read from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.array_types import Matrix, Rows
from entvec.errors import InvalidInput, VectorFileError, WordNotFound, not_found
from entvec.interchange import word_list
from entvec.vectors.dtypes import DTYPES, DtypeLike, DtypeName, check_dtype, decode, encode
from entvec.vectors.spelling import similar_spellings_of_all
from entvec.vectors.words import Words, consecutive, fold

ROW_BYTES_AT_ONCE = 1 << 20
SPACE, UNDERSCORE = b" _"


class SpellingRules(NamedTuple):
    """The differences that a lookup ignores: of case, and between `_` and a space."""

    case: bool = False
    space: bool = False


EXACT = SpellingRules()


class Similar(NamedTuple):
    """A word, and the cosine of its vector with the vector that was asked for."""

    word: str
    cosine: float


class Vectors:
    """Words with a matrix, one row per word. Immutable, and memory-mapped if opened from a native file.

    >>> v = Vectors(["dog", "Dog", "ice_cream"], np.eye(3))
    >>> v["dog"]
    array([1., 0., 0.])
    >>> v[["ice_cream", "dog"]].shape, "cat" in v, list(v.head(2))
    ((2, 3), False, ['dog', 'Dog'])

    Words are looked up exactly as they are written. `with_lookup` makes a view that also accepts other spellings:

    >>> lenient = v.with_lookup(case=True, space=True)
    >>> lenient["Ice Cream"], "DOG" in lenient
    (array([0., 0., 1.]), True)

    Parameters
    ----------
    words
        The words, each once.
    matrix
        A row of numbers for each word.
    counts
        How often each word occurred in the training text.
    ranks
        The position of each word by frequency, 0 for the most frequent. Files list frequent words first, so by default
        the row is the rank. `subset` and `head` preserve the ranks.
    metadata
        Names and values of strings, which the native format stores.
    """

    words: Words
    stored: Matrix
    dtype: DtypeName
    counts: NDArray[Any] | None
    metadata: Mapping[str, str]
    lookup: SpellingRules
    withheld: Callable[[str], bool] | None
    """Returns whether a word must not be suggested for a missing one; None if all words may be suggested."""
    _ranks: NDArray[Any] | None

    def __init__(
        self,
        words: Iterable[str],
        matrix: ArrayLike,
        *,
        counts: ArrayLike | None = None,
        ranks: ArrayLike | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        kept = words if isinstance(words, Words) else Words.of(word_list(words))
        values, dtype = _checked(matrix)
        if len(values) != len(kept):
            raise InvalidInput(f"{len(kept):,} words, but {len(values):,} rows of numbers; expected as many of both")
        if len(again := kept.repeated()):
            raise InvalidInput(f"the word {kept[int(again[0])]!r} occurs twice, expected each word once")
        checked = Vectors.of_stored(
            kept, values, dtype, counts=_column(counts, kept), ranks=_column(ranks, kept), metadata=metadata
        )
        self.__dict__.update(checked.__dict__)

    @classmethod
    def of_stored(
        cls,
        words: Words,
        stored: Matrix,
        dtype: DtypeName,
        *,
        counts: NDArray[Any] | None = None,
        ranks: NDArray[Any] | None = None,
        metadata: Mapping[str, str] | None = None,
        lookup: SpellingRules = EXACT,
        withheld: Callable[[str], bool] | None = None,
    ) -> Vectors:
        """Return vectors made of these arrays without copying or checking them.

        >>> words = Words.of(["dog", "cat"])
        >>> Vectors.of_stored(words, np.eye(2, dtype=np.float32), "float32")["cat"]
        array([0., 1.], dtype=float32)

        Parameters
        ----------
        words, counts, ranks, metadata
            As in `Vectors`.
        stored
            The matrix in its stored form, as `dtypes.encode` makes it.
        dtype
            The name of its number type.
        lookup
            The differences in spelling that a lookup ignores.
        withheld
            A function that returns whether a word must not be suggested for a missing one.
        """
        made = cls.__new__(cls)
        made.words = words
        made.stored = _read_only(stored)
        made.dtype = dtype
        made.counts = counts if counts is None else _read_only(counts)
        made._ranks = ranks if ranks is None else _read_only(ranks)
        made.metadata = MappingProxyType(dict(metadata or {}))
        made.lookup = lookup
        made.withheld = withheld
        return made

    def _parts(self) -> dict[str, Any]:
        """Return the arguments with which `of_stored` makes the same vectors."""
        return {
            "words": self.words,
            "stored": self.stored,
            "dtype": self.dtype,
            "counts": self.counts,
            "ranks": self._ranks,
            "metadata": dict(self.metadata),
            "lookup": self.lookup,
            "withheld": self.withheld,
        }

    def _with(self, **changes: Any) -> Vectors:
        return Vectors.of_stored(**(self._parts() | changes))

    def __reduce__(self) -> tuple[Any, ...]:  # copies and pickles leave out cached properties
        return partial(Vectors.of_stored, **self._parts()), ()

    # What there is

    def __len__(self) -> int:
        return len(self.stored)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        mapped = "" if _mapped_from(self.stored) is None else ", memory-mapped"
        return f"Vectors({len(self):,} words x {self.dimension}, {self.dtype}{mapped})"

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self.stored.shape[1])

    @property
    def has_ranks(self) -> bool:
        """True if the words are not sorted by frequency."""
        return self._ranks is not None

    @property
    def ranks(self) -> NDArray[Any]:
        """The position of each word by frequency, 0 for the most frequent."""
        return _read_only(np.arange(len(self))) if self._ranks is None else self._ranks

    @cached_property
    def matrix(self) -> Matrix:
        """All vectors, as float64 if they are stored so and else as float32. A 16-bit matrix is converted once, and
        cached.
        """
        return _read_only(decode(self.stored, self.dtype))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Matrix:  # noqa: FBT001
        """Return the matrix; without this method NumPy would make an array of the words."""
        return np.array(self.matrix, dtype=dtype, copy=copy)

    def words_at(self, rows: NDArray[np.integer[Any]]) -> Words:  # noqa: ARG002 - others fetch just these
        """Return a table for looking up the words of these rows. (A vocabulary in a database fetches just these.)"""
        return self.words

    def blocks(self, rows: int | None = None) -> Iterator[tuple[int, Matrix]]:
        """Yield the matrix in blocks of rows, with the number of the first row, so that memory stays bounded."""
        if rows is not None and rows < 1:
            raise InvalidInput(f"rows is {rows}, expected 1 or more")
        for first, block in _blocks(self.stored, rows):
            yield first, decode(block, self.dtype)

    def check(self) -> None:
        """Check a memory-mapped file for what was not checked when it was opened: finite numbers, and each word
        once.
        """
        origin = _mapped_from(self.stored) or "these vectors"
        for first, block in self.blocks():
            if not (finite := np.isfinite(block).all(axis=1)).all():
                word = self.words[first + int(np.argmin(finite))]
                raise VectorFileError(origin, f"expected finite numbers, found others in the vector of {word!r}")
        if len(again := self.words.repeated()):
            raise VectorFileError(origin, f"expected each word once, found {self.words[int(again[0])]!r} again")

    # Lookup

    def with_lookup(self, *, case: bool = False, space: bool = False) -> Vectors:
        """Return the same vectors with a lookup that ignores case, or the difference between `_` and a space.

        The exact spelling takes precedence, then the one with `_` for a space; among several variants, the first row.
        """
        return self._with(lookup=SpellingRules(case, space))

    def withholding(self, withheld: Callable[[str], bool]) -> Vectors:
        """Return the same vectors, with words that lookups find but never suggest for missing words."""
        return self._with(withheld=withheld)

    @cached_property
    def _folded(self) -> Words:
        return self.words.folded(**self.lookup._asdict())

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._find(word) is not None

    def _find(self, word: str) -> int | None:
        row = self.words.row(word)
        if row is None and self.lookup.space:
            row = self.words.row(word.replace(" ", "_"))
        if row is None and self.lookup != EXACT:
            row = self._folded.row(fold(word, **self.lookup._asdict()))
        return row

    def row(self, word: str) -> int:
        """Return the row of a word; raise WordNotFound with suggestions if it is missing."""
        if not isinstance(word, str):  # a number must not silently be used as a row
            raise InvalidInput(
                f"{word!r} is no word, expected a string or a list of strings; `head` and `take` give rows"
            )
        row = self._find(word)
        if row is None:
            raise self.not_found([word])
        return row

    def not_found(self, words: Iterable[str]) -> WordNotFound:
        """Return the error for missing words, which names all of them and suggests others."""
        return not_found(list(dict.fromkeys(words)), len(self), self._suggested)

    def _suggested(self, words: Sequence[str]) -> list[list[str]]:
        found = similar_spellings_of_all(words, self.words)
        withheld = self.withheld
        return found if withheld is None else [[word for word in some if not withheld(word)] for some in found]

    def rows(self, words: Iterable[str]) -> Rows:
        """Return the row of each word, -1 for missing ones. It is fast for millions of words."""
        listed = words if isinstance(words, Words) else word_list(words)
        try:
            wanted = listed if isinstance(listed, Words) else Words.of(listed)
        except InvalidInput:  # no vocabulary has words with a line break or half a surrogate pair
            found = map(self._find, listed)
            return np.array([-1 if row is None else row for row in found], dtype=np.int64)
        rows = self.words.rows(wanted)
        if self.lookup.space:
            missing = np.flatnonzero(rows < 0)
            text = wanted.take(missing).text
            rows[missing] = self.words.rows(Words(np.where(text == SPACE, UNDERSCORE, text).astype(np.uint8)))
        if self.lookup != EXACT:
            missing = np.flatnonzero(rows < 0)
            rows[missing] = self._folded.rows(wanted.take(missing).folded(**self.lookup._asdict()))
        return rows

    def __getitem__(self, words: str | Sequence[str]) -> Matrix:
        if isinstance(words, str) or not isinstance(words, Iterable):
            return np.array(decode(self.stored[self.row(words)], self.dtype))  # a copy, which the caller may change
        return decode(self.stored[self.rows_of_all(words)], self.dtype)

    def rows_of_all(self, words: Iterable[str]) -> Rows:
        """Return the row of each word; raise an error that names all missing words, with suggestions."""
        listed = words if isinstance(words, Words) else word_list(words)
        rows = self.rows(listed)
        if len(missing := np.flatnonzero(rows < 0)):
            raise self.not_found(listed[row] for row in missing.tolist())
        return rows

    # Parts

    def subset(self, words: Iterable[str], *, missing: Literal["error", "skip"] = "error") -> Vectors:
        """Return the vectors of these words in this order, each once. A missing word raises an error, or is skipped."""
        if missing not in ("error", "skip"):
            raise InvalidInput(f"missing is {missing!r}, expected 'error' or 'skip'")
        wanted = word_list(words)
        rows = self.rows(wanted) if missing == "skip" else self.rows_of_all(wanted)
        rows = rows[rows >= 0]
        _, first = np.unique(rows, return_index=True)
        return self.take(rows[np.sort(first)])

    def head(self, n: int) -> Vectors:
        """Return the first n words, the most frequent ones in most files; all words if there are fewer."""
        if n < 0:
            raise InvalidInput(f"n is {n}, expected 0 or more")
        return self.take(np.arange(min(n, len(self)))) if n < len(self) else self

    def take(self, rows: NDArray[np.integer[Any]]) -> Vectors:
        """Return the words and vectors of these rows."""
        if rows.dtype.kind not in "iu":  # a boolean mask would be used as rows 0 and 1
            raise InvalidInput(f"rows of {rows.dtype}, expected whole numbers; np.flatnonzero makes them of a mask")
        rows = rows.astype(np.int64, copy=False)
        start = int(rows[0]) if len(rows) else 0
        together = consecutive(rows)
        picked: Any = slice(start, start + len(rows)) if together else rows  # a slice does not copy
        return self._with(
            words=self.words.take(rows),
            stored=self.stored[picked],
            counts=None if self.counts is None else self.counts[picked],
            ranks=None if self._ranks is None and together and start == 0 else self.ranks[picked],
        )

    def joined(self, extra: Vectors) -> Vectors:
        """Return these vectors followed by the words that only `extra` has.

        >>> list(Vectors(["dog"], [[1.0]]).joined(Vectors(["cat", "dog"], [[2.0], [3.0]])))
        ['dog', 'cat']

        The result has counts only if both have them, and no ranks, because two files have no common order. Its metadata
        are those of these vectors.
        """
        if extra.dimension != self.dimension:
            raise InvalidInput(
                f"vectors of {self.dimension} and of {extra.dimension} numbers, expected as many of both"
            )
        new = extra.take(np.flatnonzero(self.words.rows(extra.words) < 0))
        counts = None if self.counts is None or new.counts is None else np.concatenate([self.counts, new.counts])
        words = Words(np.concatenate([self.words.text, new.words.text]))
        matrix = np.concatenate([self.matrix, new.matrix])
        return Vectors(words, matrix, counts=counts, metadata=self.metadata)

    def astype(self, dtype: DtypeLike) -> Vectors:
        """Return the same vectors stored in another number type; this object itself if that is its type."""
        name = check_dtype(dtype)
        if name == self.dtype:
            return self
        stored = np.empty(self.stored.shape, dtype=DTYPES[name].stored)
        for first, block in self.blocks():
            stored[first : first + len(block)] = encode(block, name)
        return self._with(stored=stored, dtype=name)

    def similar(self, word: str | ArrayLike, k: int = 10) -> list[Similar]:
        """Return the k words with the highest cosine. It helps to explore a vocabulary, and says nothing about
        entailment.

        >>> v = Vectors(["dog", "wolf", "piano"], [[3, 1], [2, 1], [-1, 5]])
        >>> [similar.word for similar in v.similar("dog", k=1)]
        ['wolf']
        """
        if k < 0:
            raise InvalidInput(f"k is {k}, expected 0 or more")
        own = self.row(word) if isinstance(word, str) else -1
        try:
            y = np.asarray(self[word] if isinstance(word, str) else word, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInput(f"{word!r:.60} is neither a word nor a vector, expected one of them") from None
        if y.shape != (self.dimension,):
            raise InvalidInput(f"the vector has shape {y.shape}, expected ({self.dimension},)")
        if not np.isfinite(y).all():
            raise InvalidInput("the vector has NaN or infinite entries, expected finite numbers")
        y = (y / (np.linalg.norm(y) or 1.0)).astype(self.matrix_dtype)
        cosines = np.concatenate([block @ y for _, block in self.blocks()] or [y[:0]]) / self._lengths
        if own >= 0:
            cosines[own] = -np.inf
        k = min(k, len(self) - (own >= 0))
        least = np.partition(cosines, len(self) - k)[len(self) - k] if k else np.inf
        best = np.flatnonzero(cosines >= least)  # in row order, which the stable sort preserves among equals
        best = best[np.argsort(-cosines[best], kind="stable")][:k]
        return [Similar(self.words[int(row)], float(cosines[row])) for row in best]

    @property
    def matrix_dtype(self) -> np.dtype[Any]:
        """The number type of vectors that are looked up."""
        return DTYPES[self.dtype].computed

    @cached_property
    def _lengths(self) -> NDArray[Any]:
        squares = [np.einsum("ij,ij->i", block, block, dtype=np.float64) for _, block in self.blocks()]
        lengths = np.sqrt(np.concatenate(squares or [np.empty(0)]))
        return np.where(lengths > 0, lengths, 1)

    # Our own file

    def save(self, path: str | Path) -> None:
        """Write the native file (.safetensors) atomically: an existing file stays until the new one is complete."""
        from entvec.vectors.writing import write

        write(self, path, format="native")

    @classmethod
    def load(cls, path: str | Path) -> Vectors:
        """Open a native file as a memory map, which takes no time, whatever its size."""
        from entvec.vectors.reading import read

        return read(path, format="native")


def _checked(matrix: ArrayLike) -> tuple[Matrix, DtypeName]:
    """Return a copy of the matrix as it is stored, so that the caller may change the original."""
    try:
        values = np.asarray(matrix)
    except ValueError as error:  # rows of different lengths
        raise InvalidInput(f"{error}; expected a row of numbers for each word") from None
    if values.dtype.kind in "iub":
        values = values.astype(np.float64)
    if values.ndim != 2 or values.dtype.name not in DTYPES:
        raise InvalidInput(
            f"the matrix is {values.ndim}-dimensional of {values.dtype}, expected a row of numbers for each word"
        )
    if not all(np.isfinite(block).all() for _, block in _blocks(values)):
        raise InvalidInput("the matrix has NaN or infinite entries, expected finite numbers")
    dtype = check_dtype(values.dtype.name)
    if dtype == "bfloat16":  # the type of ml_dtypes, which NumPy itself does not know
        return values.view(np.uint16).astype("<u2"), dtype
    return values.astype(values.dtype.newbyteorder("<")), dtype


def rows_at_once(dimension: int) -> int:
    """Return how many rows of this dimension to process at a time."""
    return max(1, ROW_BYTES_AT_ONCE // max(1, 4 * dimension))


def _blocks(stored: Matrix, rows: int | None = None) -> Iterator[tuple[int, Matrix]]:
    step = rows or rows_at_once(stored.shape[1])
    for first in range(0, len(stored), step):
        yield first, stored[first : first + step]


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _mapped_from(array: Any) -> object | None:
    """Return the file that the array is mapped from, or None."""
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return array.filename if isinstance(array, np.memmap) else None


def _column(numbers: ArrayLike | None, words: Words) -> NDArray[Any] | None:
    if numbers is None:
        return None
    column = np.array(numbers)
    if column.shape == (0,):
        column = column.astype(np.int64)  # NumPy makes an array of floats from an empty list
    whole = column.dtype.kind in "iu" and all(
        0 <= int(end) < 2**63 for end in (column.min(initial=0), column.max(initial=0))
    )
    if column.shape != (len(words),) or not whole:
        raise InvalidInput(
            f"counts or ranks of shape {column.shape} and {column.dtype}, "
            f"expected {len(words):,} whole numbers, none negative: one for each word"
        )
    return column.astype(np.int64)
