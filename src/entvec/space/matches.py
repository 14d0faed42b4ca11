"""Results of a search: words with their scores, for one query or for many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from entvec.vectors.vocabulary import WordTable

Floats = NDArray[np.float64]


class Match(NamedTuple):
    """A word that was found."""

    word: str
    score: float
    probability: float | None
    """None in a space that is not calibrated."""
    variants: tuple[str, ...] = ()
    """Inflected forms of the word that were found too, if forms are grouped."""


@dataclass(frozen=True, eq=False)
class Matches(Sequence[Match]):
    """The words found for one query, best first.

    >>> found = Matches("dog", ["animal", "canine"], np.array([7, 2]), np.array([-1.0, -2.0]), np.array([0.9, 0.6]),
    ...                 np.array([-3.0, -3.5]))
    >>> print(found)
    animal  0.90  -1.0
    canine  0.60  -2.0
    >>> found.words, found[0].word, len(found)
    (['animal', 'canine'], 'animal', 2)
    """

    query: str | None
    """The query word; None if the query was a vector."""
    words: list[str]
    indices: NDArray[np.int64]
    """The row of each word in the vocabulary."""
    scores: Floats
    probabilities: Floats | None
    order: Floats
    """The values by which the words are sorted: scores less the hubness penalty."""
    variants: tuple[tuple[str, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    @overload
    def __getitem__(self, i: int) -> Match: ...
    @overload
    def __getitem__(self, i: slice) -> list[Match]: ...
    def __getitem__(self, i: int | slice) -> Match | list[Match]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        probability = None if self.probabilities is None else float(self.probabilities[i])
        return Match(self.words[i], float(self.scores[i]), probability, self.variants[i] if self.variants else ())

    def without(self, words: Collection[str]) -> Matches:
        """Return the matches whose words are none of these."""
        return self._take([i for i, word in enumerate(self.words) if word not in words])

    def first(self, k: int) -> Matches:
        """Return the k best matches."""
        return self._take(list(range(min(k, len(self)))))

    def _take(self, places: list[int]) -> Matches:
        return Matches(
            self.query,
            [self.words[i] for i in places],
            self.indices[places],
            self.scores[places],
            None if self.probabilities is None else self.probabilities[places],
            self.order[places],
            tuple(self.variants[i] for i in places) if self.variants else (),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON."""
        columns = {"indices": self.indices, "scores": self.scores, "probabilities": self.probabilities}
        columns["order"] = self.order
        content: dict[str, Any] = {"query": self.query, "words": list(self.words)}
        content |= {name: None if column is None else column.tolist() for name, column in columns.items()}
        return content | ({"variants": [list(group) for group in self.variants]} if self.variants else {})

    def __str__(self) -> str:
        width = max(map(len, self.words), default=0)
        lines = []
        for match in self:
            probability = "" if match.probability is None else f"  {match.probability:.2f}"
            lines.append(f"{match.word:<{width}}{probability}  {match.score:.1f}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        shown = ", ".join(self.words[:5]) + (", ..." if len(self) > 5 else "")
        return f"Matches({self.query!r}: {shown})"


@dataclass(frozen=True, eq=False)
class BatchMatches(Sequence[Matches]):
    """The words found for many queries: arrays with a row for each query. `batch[i]` is the `Matches` of query i.

    Rows with fewer than k matches are padded: indices with -1, scores with -inf, probabilities with 0.
    """

    queries: Sequence[str | None]
    vocabulary: WordTable
    indices: NDArray[np.int64]
    scores: Floats
    probabilities: Floats | None
    order: Floats
    variants: tuple[tuple[tuple[str, ...], ...], ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    @overload
    def __getitem__(self, i: int) -> Matches: ...
    @overload
    def __getitem__(self, i: slice) -> list[Matches]: ...
    def __getitem__(self, i: int | slice) -> Matches | list[Matches]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = range(len(self))[i]
        n = int((self.indices[i] >= 0).sum())
        rows = self.indices[i, :n]
        return Matches(
            self.queries[i],
            [self.vocabulary[row] for row in rows.tolist()],
            rows,
            self.scores[i, :n],
            None if self.probabilities is None else self.probabilities[i, :n],
            self.order[i, :n],
            self.variants[i] if self.variants else (),
        )

    @property
    def words(self) -> list[list[str]]:
        """The words found for each query."""
        used, at = np.unique(self.indices, return_inverse=True)
        spelled = [self.vocabulary[row] if row >= 0 else "" for row in used.tolist()]
        counts = (self.indices >= 0).sum(axis=1).tolist()
        table: Any = at.reshape(self.indices.shape).tolist()
        return [[spelled[i] for i in row[:n]] for row, n in zip(table, counts, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON."""
        return {"matches": [matches.to_dict() for matches in self]}

    def __str__(self) -> str:
        names = ("vector" if query is None else query for query in self.queries)
        return "\n".join(f"{name}\n{indent(str(each), '  ')}" for name, each in zip(names, self, strict=True))

    def __repr__(self) -> str:
        return f"BatchMatches({len(self):,} queries)"
