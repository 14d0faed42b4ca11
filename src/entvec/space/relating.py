"""Pairs of words whose relation is asked for, and base rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats
from entvec.errors import InvalidInput
from entvec.evidence.features import RELATIONS
from entvec.evidence.gathering import Evidence
from entvec.evidence.judge import Judge, entailing
from entvec.evidence.relation_model import with_rates
from entvec.evidence.relations import ENTAILING, Relation, Relations
from entvec.interchange import word_list
from entvec.space.queries import Missing, check_missing


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of words, of which some may be missing: neither known nor in the vocabulary."""

    first: list[str]
    second: list[str]
    found: NDArray[np.bool_]
    """False for a pair with a missing word."""
    several: bool
    """False for a single pair, which gets a single answer."""

    @classmethod
    def of(cls, evidence: Evidence, first: Any, second: Any, missing: Missing) -> Pairs:
        """Return the pairs of two lists of words, of which one may be a single word that stands beside all others.

        Words that are missing are an error that names all of them, unless `missing` is "nan".

        Parameters
        ----------
        evidence
            Knows which words there are.
        first, second
            One word or several on each side.
        missing
            With "nan", nothing is raised for missing words and empty cells.
        """
        sides = [_stripped(words, missing) for words in (first, second)]
        n, m = map(len, sides)
        if n != m and 1 not in (n, m):
            raise InvalidInput(f"{n:,} and {m:,} words, expected as many of both, or one of either")
        n = max(n, m) if n and m else 0
        one, other = ((side * n if len(side) == 1 else side)[:n] for side in sides)
        words = list(dict.fromkeys((*one, *other)))
        if missing == "error" and (unanswerable := evidence.unanswerable(words)):
            raise evidence.not_found(unanswerable)
        there = evidence.has(words)
        if evidence.reader is not None:  # what cannot be read is unknown, and the reason says why
            there = np.array([bool(word) for word in words], dtype=bool)
        is_there = dict(zip(words, there.tolist(), strict=True))
        found = np.array([is_there[a] and is_there[b] for a, b in zip(one, other, strict=True)], dtype=bool)
        return cls(one, other, found, several=not (isinstance(first, str) and isinstance(second, str)))

    def _answerable(self) -> tuple[list[str], list[str]]:
        kept = self.found.tolist()
        return list(compress(self.first, kept)), list(compress(self.second, kept))

    def relations(self, judge: Judge, precision: float, base_rates: Mapping[str, float] | None) -> Relation | Relations:
        """Return the relation of one pair, or those of many; unknown with NaN for pairs with a missing word."""
        answers = judge.relations(*self._answerable(), precision=precision, base_rates=base_rates)
        answers = answers.placed(self.found, self.first, self.second)
        return answers if self.several else answers[0]

    def entail(self, judge: Judge, base_rate: float | None) -> Any:
        """Return the probabilities that the first words entail the second, NaN for pairs with a missing word."""
        usual = sum(judge.model.base_rates[RELATIONS.index(name)] for name in ENTAILING)
        found = np.full(len(self.found), np.nan)
        found[self.found] = entailing(judge.probabilities(*self._answerable()))
        found = at_base_rate(found, float(usual), base_rate)
        return found if self.several else float(found[0])


@dataclass(frozen=True, eq=False)
class Listed:
    """Words that are asked about, of which some may have no answer."""

    all: list[str]
    there: NDArray[np.bool_]
    """False for a word that is missing, and for adjectives and adverbs, which have no hierarchy."""
    several: bool
    """False for a single word, which gets a single answer."""

    @classmethod
    def of(cls, evidence: Evidence, asked: Any, missing: Missing) -> Listed:
        """Return the words; those that are missing are an error that names all of them, unless `missing` is "nan".

        Parameters
        ----------
        evidence
            Knows which words there are.
        asked
            One word or several.
        missing
            With "nan", nothing is raised for missing words and empty cells.
        """
        words = _stripped(asked, missing)
        if missing == "error" and (unanswerable := evidence.unanswerable(words)):
            raise evidence.not_found(unanswerable)
        there = evidence.has(words)
        there &= ~np.array([evidence.is_flat(word) for word in words], dtype=bool)
        return cls(words, there, several=not isinstance(asked, str))

    @property
    def found(self) -> list[str]:
        """The words that have answers."""
        return list(compress(self.all, self.there.tolist()))


def _stripped(words: Any, missing: Missing) -> list[str]:
    """Return one word or several as a list, without spaces around them.

    An empty word raises InvalidInput, unless it is one of several that may be missing.
    """
    nulls = check_missing(missing) == "nan" and not isinstance(words, str)
    found = [word.strip() for word in ([words] if isinstance(words, str) else word_list(words, "words", nulls=nulls))]
    if not nulls and not all(found):
        raise InvalidInput("a word is empty, expected text")
    return found


def answers_to(
    judge: Judge,
    first: Sequence[str | None],
    second: Sequence[str | None],
    precision: float,
    base_rates: Mapping[str, float] | None,
) -> tuple[Relations, NDArray[np.bool_], list[str]]:
    """Return the relations of pairs that may lack a word, which pairs have both, and the words that are missing.

    Parameters
    ----------
    judge
        What decides.
    first, second
        The words of the pairs; None, or blank, where there is none. Such pairs are unknown, as are those with a missing
        word.
    precision, base_rates
        As for `EntailmentSpace.relation`.
    """
    whole = [all(word and word.strip() for word in pair) for pair in zip(first, second, strict=True)]
    one, other = ([str(word).strip() for word in compress(side, whole)] for side in (first, second))
    pairs = Pairs.of(judge.evidence, one, other, "nan")
    found = cast("Relations", pairs.relations(judge, precision, base_rates))
    words = list(dict.fromkeys((*one, *other)))
    missing = list(compress(words, ~judge.evidence.has(words)))
    there = np.array(whole, dtype=bool)
    found = found.placed(there, *([word or "" for word in side] for side in (first, second)))
    there[there] = pairs.found
    return found, there, missing


def assumed_rates(judge: Judge, base_rates: Mapping[str, float] | None) -> dict[str, float]:
    """Return the shares of the seven relations that probabilities assume if some of them are chosen."""
    rates = judge.model.base_rates if base_rates is None else with_rates(judge.model.base_rates, base_rates)
    return dict(zip(RELATIONS, rates.tolist(), strict=True))


def parsed_rates(texts: Sequence[str]) -> dict[str, float]:
    """Return base rates that are written as `RELATION=SHARE`.

    >>> parsed_rates(["narrower=0.5", "same=0.1"])
    {'narrower': 0.5, 'same': 0.1}
    """
    found: dict[str, float] = {}
    for text in texts:
        name, _, share = text.partition("=")
        try:
            found[name.strip()] = float(share)
        except ValueError:
            raise InvalidInput(f"base rate {text!r:.60}, expected RELATION=SHARE, such as narrower=0.5") from None
    return found


def check_precision(precision: float) -> float:
    """Return the precision, or raise InvalidInput."""
    if not 0.5 <= precision <= 1:
        raise InvalidInput(f"precision is {precision}, expected 0.5 (few answers are unknown) to 1")
    return float(precision)


def check_base_rate(base_rate: float | None) -> None:
    """Raise InvalidInput if a base rate is no probability."""
    if base_rate is not None and not 0 < base_rate < 1:
        raise InvalidInput(f"base_rate is {base_rate}, expected a number between 0 and 1")


def at_base_rate(probability: Floats, usual: float, base_rate: float | None) -> Floats:
    """Return probabilities for another base rate: the odds change by the same factor as those of the rate.

    >>> at_base_rate(np.array([0.5]), usual=0.25, base_rate=0.5).tolist()
    [0.75]
    """
    if base_rate is None:
        return probability
    factor = base_rate / (1 - base_rate) * (1 - usual) / usual
    return np.asarray(probability * factor / (probability * factor + 1 - probability))


def are_words(*queries: Any) -> bool:
    """Return whether all queries are words, and not vectors."""
    return all(isinstance(query, str) or _holds_text(query) for query in queries)


def _holds_text(query: Any) -> bool:
    if isinstance(query, Sequence):
        return any(isinstance(word, str) for word in query)
    kind = np.asarray(query).dtype.kind
    return kind in "TU" or (kind == "O" and any(isinstance(word, str) for word in np.asarray(query).flat))
