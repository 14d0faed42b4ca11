"""Results of a search: words with their scores, for one query or for many."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from textwrap import indent
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats
from entvec.interchange import data_frame
from entvec.vectors.vocabulary import WordTable

if TYPE_CHECKING:
    import pandas as pd


class Match(NamedTuple):
    """A word that was found."""

    word: str
    score: float
    probability: float | None
    """None in a space that is not calibrated."""
    variants: tuple[str, ...] = ()
    """Inflected forms of the word that were found too, if forms are grouped."""
    evidence: float | None = None
    """The sum of what all sources say, in log-odds; None if the vectors alone decide."""
    reason: str | None = None
    """What speaks most for the word."""
    sense: str | None = None
    """The sense of the query in which facts say so, as bank#2."""

    def to_dict(self, *, joined: bool = False) -> dict[str, Any]:
        """Return the match as one row of a table: None for a score that is NaN; joined, variants are one text."""
        row: dict[str, Any] = self._asdict() | {"score": None if math.isnan(self.score) else self.score}
        return row | ({"variants": " ".join(self.variants)} if joined else {})


class Weighing(Protocol):
    """Weighs the evidence for the words that were found for a query."""

    def behind(self, query: str) -> float:
        """Return how much less evidence than the best answer others may have if it speaks against them."""
        ...

    def probabilities(self, query: str, words: list[str]) -> Floats:
        """Return the probability that each word is the answer."""
        ...

    def reason(self, query: str, word: str) -> tuple[str, str | None]:
        """Return what speaks most for a word, and the sense of the query in which facts do."""
        ...


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
    """The scores of the operator; NaN for a word without a vector."""
    calibrated: Floats | None
    """The probabilities that the scores give alone; None in a space that is not calibrated."""
    order: Floats
    """The values by which the words are sorted: all evidence, or scores less the hubness penalty."""
    variants: tuple[tuple[str, ...], ...] = ()
    weighing: Weighing | None = None
    """Weighs all evidence, if the words are sorted by it."""

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def probabilities(self) -> Floats | None:
        """The probability of each entailment, as `space.probability` returns it; None if it is not calibrated."""
        if self.weighing is None or self.query is None:
            return self.calibrated
        return self.weighing.probabilities(self.query, self.words)

    @property
    def evidence(self) -> Floats | None:
        """The sum of what all sources say of each word, in log-odds; None if the vectors alone decide."""
        return None if self.weighing is None else self.order

    @overload
    def __getitem__(self, i: int) -> Match: ...
    @overload
    def __getitem__(self, i: slice) -> list[Match]: ...
    def __getitem__(self, i: int | slice) -> Match | list[Match]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        probability = None if self.probabilities is None else float(self.probabilities[i])
        variants = self.variants[i] if self.variants else ()
        if self.weighing is None or self.query is None:
            return Match(self.words[i], float(self.scores[i]), probability, variants)
        why = self.weighing.reason(self.query, self.words[i])
        return Match(self.words[i], float(self.scores[i]), probability, variants, float(self.order[i]), *why)

    def without(self, words: Collection[str]) -> Matches:
        """Return the matches whose words are none of these."""
        return self._take([i for i, word in enumerate(self.words) if word not in words])

    def first(self, k: int) -> Matches:
        """Return the k best matches."""
        return self._take(list(range(min(k, len(self)))))

    def likely(self, least: float) -> Matches:
        """Return the matches whose probability is at least this; all of them if the space is not calibrated.

        If all evidence counts, those that it speaks against are left out if it speaks for others, as far as `behind`
        says.
        """
        found = self.probabilities
        if found is None:
            return self
        likely = found >= least
        if self.weighing is not None and least > 0 and len(self):
            likely &= self.order >= min(float(self.order[0]) - self.weighing.behind(self.query or ""), 0.0)
        return self._take(np.flatnonzero(likely).tolist())

    def _take(self, places: list[int]) -> Matches:
        return Matches(
            self.query,
            [self.words[i] for i in places],
            self.indices[places],
            self.scores[places],
            None if self.calibrated is None else self.calibrated[places],
            self.order[places],
            tuple(self.variants[i] for i in places) if self.variants else (),
            self.weighing,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON."""
        columns = {"indices": self.indices, "scores": self.scores, "probabilities": self.probabilities}
        columns["order"] = self.order
        content: dict[str, Any] = {"query": self.query, "words": list(self.words)}
        content |= {name: None if column is None else _plain(column) for name, column in columns.items()}
        content |= {"variants": [list(group) for group in self.variants]} if self.variants else {}
        return content | ({} if self.weighing is None else {"reasons": [match.reason for match in self]})

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with the columns of `entvec hypernyms --format tsv`; this needs pandas."""
        return _frame([self.query] * len(self), self.words, self, slice(None))

    def __str__(self) -> str:
        width = max(map(len, self.words), default=0)
        lines = []
        for match in self:
            probability = "" if match.probability is None else f"  {match.probability:.2f}"
            number = f"{match.score:.1f}" if match.evidence is None else f"{match.evidence:+.1f}"
            lines.append(f"{match.word:<{width}}{probability}  {number}")
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
    calibrated: Floats | None
    order: Floats
    variants: tuple[tuple[tuple[str, ...], ...], ...] = ()
    weighing: Weighing | None = None

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def probabilities(self) -> Floats | None:
        """The probability of each entailment, computed when it is first asked for; None if it is not calibrated."""
        if self.weighing is None:
            return self.calibrated
        found = np.zeros(self.indices.shape)
        for i, one in enumerate(self):
            numbers = one.probabilities
            if numbers is not None:
                found[i, : len(one)] = numbers
        return found

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
            None if self.calibrated is None else self.calibrated[i, :n],
            self.order[i, :n],
            self.variants[i] if self.variants else (),
            self.weighing,
        )

    def placed(self, places: NDArray[np.bool_], queries: Sequence[str | None]) -> BatchMatches:
        """Return these matches at their places among more queries, for which nothing was found.

        Parameters
        ----------
        places
            True for each of the queries that has its matches here.
        queries
            All queries.
        """
        if places.all():
            return self

        def at_places(column: NDArray[Any], padding: float) -> NDArray[Any]:
            filled = np.full((len(queries), column.shape[1]), padding, dtype=column.dtype)
            filled[places] = column
            return filled

        variants = iter(self.variants)
        return BatchMatches(
            queries,
            self.vocabulary,
            at_places(self.indices, -1),
            at_places(self.scores, -np.inf),
            None if self.calibrated is None else at_places(self.calibrated, 0.0),
            at_places(self.order, -np.inf),
            tuple(next(variants) if place else () for place in places.tolist()) if self.variants else (),
            self.weighing,
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

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each match, in the columns of `Matches.to_frame`; this needs pandas."""
        there = self.indices >= 0
        queries = chain.from_iterable(map(repeat, self.queries, there.sum(axis=1).tolist()))
        return _frame(list(queries), list(chain.from_iterable(self.words)), self, there)

    def __str__(self) -> str:
        names = ("vector" if query is None else query for query in self.queries)
        return "\n".join(f"{name}\n{indent(str(each), '  ')}" for name, each in zip(names, self, strict=True))

    def __repr__(self) -> str:
        return f"BatchMatches({len(self):,} queries)"


def _plain(column: NDArray[Any]) -> list[Any]:
    """Return a column as JSON can hold it."""
    return [None if isinstance(value, float) and math.isnan(value) else value for value in column.tolist()]


def _frame(queries: list[str | None], words: list[str], found: Matches | BatchMatches, there: Any) -> pd.DataFrame:
    """Return the columns of matches, of which `there` chooses the places that are filled."""
    none = np.full(len(words), np.nan)
    variants = found.variants if isinstance(found, Matches) else tuple(chain.from_iterable(found.variants))
    weighing = found.weighing
    why: Any = repeat((None, None), len(words))
    if weighing is not None:  # not `map(str, queries)`, which would forget definitions
        why = map(weighing.reason, (query or "" for query in queries), words)
    reasons, senses = zip(*why, strict=True) if words else ((), ())
    return data_frame(
        {
            "query": queries,
            "word": words,
            "score": found.scores[there],
            "probability": none if found.probabilities is None else found.probabilities[there],
            "variants": [" ".join(forms) for forms in variants or repeat((), len(words))],
            "evidence": none if weighing is None else found.order[there],
            "reason": reasons,
            "sense": senses,
        }
    )
