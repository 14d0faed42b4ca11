"""Explains a pair: why it is an entailment or not, and which dimensions carry or break it, with words to show them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats
from entvec.errors import InvalidInput
from entvec.interchange import data_frame
from entvec.model.model import Model, overflow
from entvec.space.queries import Query
from entvec.space.reasoning import Reasoning
from entvec.theory.operators import OPERATORS
from entvec.vectors.vocabulary import Vocabulary, sample

if TYPE_CHECKING:
    import pandas as pd

WORDS_SHOWN = 5
"""How many words illustrate a dimension."""
SAMPLE_SIZE = 1024
"""About how many words are averaged over."""
TIE = 1e-9
"""Scores that are closer than this differ only by rounding."""


class Dimension(NamedTuple):
    """One dimension of the space, and what it adds to the score of a pair."""

    number: int
    gain: float
    """What it adds to the score, compared with an average hypo."""
    hypo: float
    """The log-odds that the feature is known of the hypo."""
    hyper: float
    words: tuple[str, ...]
    """The words that have the feature with the highest log-odds."""


class Strip(NamedTuple):
    """The gain of every dimension, and the log-odds that it is known of the hypo and of the hyper."""

    gain: NDArray[np.float64]
    hypo: NDArray[np.float64]
    hyper: NDArray[np.float64]


class Compared(NamedTuple):
    """The scores of a pair and of the reversed pair under one operator."""

    operator: str
    score: float
    reversed_score: float
    beats: float
    """The share of other words that score lower in place of the hypo; unlike scores, it compares across operators."""
    reversed_beats: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a pair is an entailment or not, and its score as a sum: an average hypo's, gains of dimensions, an offset.

    Where there are reasons, dimensions may be missing, and their numbers NaN: if a word has no vector, or for k = 0.
    """

    hypo: str | None
    hyper: str | None
    score: float
    probability: float | None
    """By all evidence, as that of `reasoning`; by the score if there is none."""
    average: float
    """The score that the hyper has with an average hypo."""
    offset: float
    """What a learned map adds for the hypo itself, compared with an average hypo."""
    carrying: tuple[Dimension, ...]
    breaking: tuple[Dimension, ...]
    rest: float
    """The gain of all other dimensions together."""
    strip: Strip
    reasoning: Reasoning | None = None
    """Facts, neighbours and vectors, and the sum of what they say; None in a space that has only vectors."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON; without the strip, which is as long as a vector."""
        content = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "strip"}
        for name in ("score", "average", "offset", "rest"):
            content[name] = None if math.isnan(content[name]) else content[name]
        content["reasoning"] = None if self.reasoning is None else self.reasoning.to_dict()
        for name in ("carrying", "breaking"):
            content[name] = [row._asdict() | {"words": list(row.words)} for row in content[name]]
        return content

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each dimension, as `entvec explain --dimensions --format tsv`.

        This needs pandas.
        """
        sides = [("for", row) for row in self.carrying] + [("against", row) for row in self.breaking]
        return data_frame(
            {
                "side": [side for side, _ in sides],
                "dimension": [row.number for _, row in sides],
                "gain": [row.gain for _, row in sides],
                "hypo": [row.hypo for _, row in sides],
                "hyper": [row.hyper for _, row in sides],
                "words": [" ".join(row.words) for _, row in sides],
            }
        )

    def __str__(self) -> str:
        parts = [] if self.reasoning is None else [str(self.reasoning)]
        if self.reasoning is None or self.carrying or self.breaking:
            parts.append(self._dimensions())
        return "\n".join(parts)

    def _dimensions(self) -> str:
        hypo, hyper = ("vector" if word is None else word for word in (self.hypo, self.hyper))
        lines = [f"{hypo} -> {hyper}: score {self.score:.2f}, {self.average:.2f} for an average word"]
        for title, rows in (("carried by", self.carrying), ("broken by", self.breaking)):
            lines.append(title)
            lines += [f"  {row.gain:+.2f}  dimension {row.number}: {', '.join(row.words)}" for row in rows]
        lines.append(f"  {self.rest:+.2f}  all others")
        if self.offset:
            lines.append(f"  {self.offset:+.2f}  the hypo itself")
        return "\n".join(lines)


def explain(model: Model, vocabulary: Vocabulary, hypo: Query, hyper: Query, k: int) -> Explanation:
    """Return which dimensions carry or break the entailment of a pair.

    Parameters
    ----------
    model, vocabulary
        What scores the pair, and the words to compare it with.
    hypo, hyper
        The pair: one word or vector each.
    k
        How many carrying and how many breaking dimensions to return, at most.
    """
    if model.operator.parts is None:
        raise InvalidInput(
            f"{model.operator.name} weighs each dimension by all the others, so none has a share of its own"
        )
    if not len(vocabulary):
        raise InvalidInput("there are no words in this space, expected some to compare with")
    with np.errstate(over="ignore", invalid="ignore"):
        return _explained(model, vocabulary, hypo, hyper, k)


def without_dimensions(reasoning: Reasoning, score: float) -> Explanation:
    """Return the explanation of a pair by reasons alone; the score is NaN if a word has no vector."""
    pair = (reasoning.relation.first, reasoning.relation.second)
    numbers: Any = dict.fromkeys(("average", "offset", "rest"), math.nan)
    strip = Strip(*np.empty((3, 0)))
    return Explanation(*pair, score, probability=None, carrying=(), breaking=(), strip=strip, **numbers)


def _explained(model: Model, vocabulary: Vocabulary, hypo: Query, hyper: Query, k: int) -> Explanation:
    y, x = model.log_odds("hypo", hypo.vectors())[0], model.log_odds("hyper", hyper.vectors())[0]
    others = _sample(vocabulary)
    mean_offset = float(model.offset("hypo", others).mean())
    averages = model.operator.by_feature(model.log_odds("hypo", others), x[None]).mean(axis=0)
    gains = model.operator.by_feature(y[None], x[None])[0] - averages
    average = float(averages.sum() + mean_offset + model.offset("hyper", hyper.vectors())[0])
    offset = float(model.offset("hypo", hypo.vectors())[0]) - mean_offset
    score = average + float(gains.sum()) + offset
    if not np.isfinite(score):
        raise overflow(model.operator.name, f"{hypo.name_of(0)} with {hyper.name_of(0)}")
    order = np.argsort(-gains, kind="stable")
    best = [int(i) for i in order[:k] if gains[i] > 0]
    worst = [int(i) for i in order[::-1][:k] if gains[i] < 0]
    words = _extreme_words(model, vocabulary, [*best, *worst])
    rows = {i: Dimension(i, float(gains[i]), float(y[i]), float(x[i]), words[i]) for i in (*best, *worst)}
    found = model.probabilities(np.asarray(score))
    return Explanation(
        hypo.words[0],
        hyper.words[0],
        score,
        None if found is None else float(found),
        average,
        offset,
        tuple(rows[i] for i in best),
        tuple(rows[i] for i in worst),
        float(gains.sum() - sum(row.gain for row in rows.values())),
        Strip(gains, y, x),
    )


def compare(model: Model, vocabulary: Vocabulary, hypo: str, hyper: str) -> list[Compared]:
    """Return the scores of a pair of words under every operator, with the log-odds of this space.

    The operator of the space also gets the offsets of its map.

    Parameters
    ----------
    model, vocabulary
        What makes the log-odds, and the words to compare the pair with.
    hypo, hyper
        The words of the pair.
    """
    pair = vocabulary.take(vocabulary.rows_of_all([hypo, hyper])).matrix.astype(np.float64)
    as_hypo, as_hyper = model.log_odds("hypo", pair), model.log_odds("hyper", pair)
    others = _sample(vocabulary)
    others_as_hypo = model.log_odds("hypo", others)

    def score(name: str, i: int, j: int) -> tuple[float, float]:
        """Return the score of one word with the other, and the share of words that score lower in its place."""
        if name == model.operator.name:
            scores = model.score(np.concatenate([pair[i, None], others]), pair[j, None])
        else:
            scores = OPERATORS[name].score(np.concatenate([as_hypo[i, None], others_as_hypo]), as_hyper[j, None])
        if not np.isfinite(scores[0]):
            raise overflow(name, f"{(hypo, hyper)[i]!r} with {(hypo, hyper)[j]!r}")
        return float(scores[0]), float(np.mean(scores[1:] < scores[0] - TIE))

    found = []
    with np.errstate(over="ignore", invalid="ignore"):
        for name in OPERATORS:
            (there, beats), (back, reversed_beats) = score(name, 0, 1), score(name, 1, 0)
            found.append(Compared(name, there, back, beats, reversed_beats))
    return found


def _sample(vocabulary: Vocabulary) -> AnyFloats:
    """Return the vectors of words from all over the vocabulary, to compare with."""
    vectors = sample(vocabulary)
    return vectors[:: max(1, len(vectors) // SAMPLE_SIZE)]


def _extreme_words(model: Model, vocabulary: Vocabulary, dimensions: list[int]) -> dict[int, tuple[str, ...]]:
    """Return for each dimension the words whose log-odds are highest there, as hypers."""
    n = min(WORDS_SHOWN, len(vocabulary))
    values = np.full((len(dimensions), 0), -np.inf)
    rows = np.empty((len(dimensions), 0), dtype=np.int64)
    for first, block in vocabulary.blocks():
        here = model.log_odds("hyper", block)[:, dimensions].T
        values = np.concatenate([values, here], axis=1)
        rows = np.concatenate([rows, np.broadcast_to(np.arange(first, first + len(block)), here.shape)], axis=1)
        best = np.argsort(-values, axis=1, kind="stable")[:, :n]
        values, rows = np.take_along_axis(values, best, axis=1), np.take_along_axis(rows, best, axis=1)
    words = vocabulary.words_at(rows.ravel())
    return {d: tuple(words[int(row)] for row in rows[i]) for i, d in enumerate(dimensions)}
