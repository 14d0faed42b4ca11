"""How much general words should lose in a ranking of hypernyms: discovery on a grid of specificities.

The words are random nouns of the bundled table, without the words of benchmarks that are to stay unseen. A learned map
is fitted to pairs of WordNet without the words that are asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from entvec.bundled import google_news, isa
from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark
from entvec.evaluate.discovery import Questions, Ranks, answer_ranks, ask, similarity
from entvec.evaluate.metrics import Interval, mean_interval, rank_measures
from entvec.evaluate.plotting import new_figure
from entvec.space import EntailmentSpace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Curve", "cosine", "curve", "draw", "draw_words", "learned_without", "unsupervised"]

WORDS = 1000
GRID = tuple(round(0.05 * i, 2) for i in range(25))
COMBINATIONS = tuple(product(("unk_dup", "dup", "log_odds"), ("backward", "factorised", "forward")))
MEASURES = {"mrr": "MRR", "hit_at_10": "hit@10"}


@dataclass(frozen=True, eq=False)
class Curve:
    """The measures of a space under each specificity, on words that have a specific hypernym.

    >>> Curve("dup", (0.0, 0.5), {"mrr": (Interval(0.3, 0.2, 0.4), Interval(0.4, 0.3, 0.5))}).best
    0.5

    Parameters
    ----------
    name
        The name of the space.
    specificities
        The hubness penalties.
    measures
        For each measure, one value per specificity.
    """

    name: str
    specificities: tuple[float, ...]
    measures: dict[str, tuple[Interval, ...]]

    @property
    def best(self) -> float:
        """Return the specificity with the highest MRR; among equals the lowest."""
        return self.specificities[int(np.argmax([reached.value for reached in self.measures["mrr"]]))]

    def at(self, specificity: float, measure: str = "mrr") -> Interval:
        """Return a measure at a specificity of the grid."""
        return self.measures[measure][self.specificities.index(specificity)]


def draw_words(n: int = WORDS, *, without: Iterable[str] = (), seed: int = 0) -> list[str]:
    """Return n random nouns that have a specific hypernym.

    >>> drawn = draw_words(500, without=["Dog"])
    >>> len(drawn), "dog" in drawn
    (500, False)

    Parameters
    ----------
    n
        How many nouns.
    without
        Words that are not drawn, in upper or lower case.
    seed
        The seed of the random numbers.
    """
    unseen = {word.casefold() for word in without}
    questions = ask(isa().words, google_news())
    answered = zip(questions.words, questions.right["specific"], strict=True)
    pool = [word for word, right in answered if len(right) and word.casefold() not in unseen]
    if not 1 <= n <= len(pool):
        raise InvalidInput(f"{n:,} words, expected at least 1 and at most the {len(pool):,} that can be asked about")
    chosen = np.random.default_rng(seed).choice(len(pool), size=n, replace=False)
    return [pool[i] for i in np.sort(chosen).tolist()]


def unsupervised(interpretation: str, operator: str) -> EntailmentSpace:
    """Return a space of the bundled vectors under an interpretation."""
    return EntailmentSpace.from_vectors(google_news(), interpretation=interpretation, operator=operator)


def learned_without(words: Sequence[str], operator: str = "backward") -> EntailmentSpace:
    """Return a space of the bundled vectors under a map that is fitted without these words, in half a minute or so."""
    from entvec.evaluate.learned_maps import fitted_to_wordnet  # loads scikit-learn, which is an extra

    hold_out = Benchmark("words", tuple(words), tuple(words), np.ones(len(words)))
    return EntailmentSpace.from_vectors(google_news(), map=fitted_to_wordnet(hold_out, google_news(), operator))


def curve(space: EntailmentSpace, questions: Questions, specificities: Sequence[float] = GRID) -> Curve:
    """Measure discovery in a space under each specificity.

    >>> questions = ask(draw_words(20), google_news())
    >>> curve(unsupervised("unk_dup", "backward"), questions, [0.0, 0.7]).best
    0.7

    Parameters
    ----------
    space
        The space that ranks.
    questions
        Words and candidates of its vocabulary, see `entvec.evaluate.discovery.ask`.
    specificities
        The grid.
    """
    rows = [_measured(ranks) for ranks in answer_ranks(space, questions, specificities)]
    name = f"{space.model.interpretation or 'mapped'} {space.operator}"
    return Curve(name, tuple(specificities), {kind: tuple(row[kind] for row in rows) for kind in MEASURES})


def cosine(questions: Questions) -> dict[str, Interval]:
    """Return the measures of similarity alone on the same words."""
    return _measured(similarity(unsupervised("log_odds", "cosine"), questions))


def _measured(ranks: Ranks) -> dict[str, Interval]:
    values = rank_measures(ranks["specific"], hits=[10])
    return {kind: mean_interval(values[kind]) for kind in MEASURES}


def draw(curves: Sequence[Curve], similar: dict[str, Interval]) -> Figure:
    """Draw a panel for each measure with a line and its interval for each space, and a dotted line for similarity."""
    figure = new_figure(11, 4.2)
    for i, (kind, title) in enumerate(MEASURES.items(), start=1):
        axes: Any = figure.add_subplot(1, len(MEASURES), i)
        for found in curves:
            value, low, high = np.array(found.measures[kind]).T
            (line,) = axes.plot(found.specificities, value, label=found.name, linewidth=1.2)
            axes.fill_between(found.specificities, low, high, color=line.get_color(), alpha=0.1, linewidth=0)
        axes.axhline(similar[kind].value, color="0.4", linestyle=":", linewidth=1, label="similarity only")
        axes.set(xlabel="specificity", ylabel=f"{title}, specific hypernyms", ylim=(0, None))
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", fontsize="small", frameon=False)
    return figure
