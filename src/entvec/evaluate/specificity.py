"""How much general words should lose in a ranking of hypernyms: discovery on a grid of specificities.

The words are nouns of the bundled table, drawn by chance, without those of benchmarks that are to stay unseen. A
learned map is fitted to pairs of WordNet of which none has a word that is asked about.
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
from entvec.evaluate.discovery import Places, Questions, ask, credit, mean, places, similarity
from entvec.evaluate.figure import new_figure
from entvec.evaluate.metrics import Interval
from entvec.space import EntailmentSpace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORDS = 1000
GRID = tuple(round(0.05 * i, 2) for i in range(25))
READINGS = tuple(product(("unk_dup", "dup", "log_odds"), ("backward", "factorised", "forward")))
MEASURES = {"mrr": "MRR", "hit_at_10": "hit@10"}


@dataclass(frozen=True, eq=False)
class Curve:
    """What a space reaches under each specificity, on words that have a specific hypernym."""

    name: str
    specificities: tuple[float, ...]
    measures: dict[str, tuple[Interval, ...]]
    """For each measure, one value a specificity."""

    @property
    def best(self) -> float:
        """The specificity with the highest MRR; of equals the lowest."""
        return self.specificities[int(np.argmax([reached.value for reached in self.measures["mrr"]]))]

    def at(self, specificity: float, measure: str = "mrr") -> Interval:
        """What is reached under a specificity of the grid."""
        return self.measures[measure][self.specificities.index(specificity)]


def draw_words(n: int = WORDS, *, without: Iterable[str] = (), seed: int = 0) -> list[str]:
    """Nouns that have a specific hypernym, n of them by chance; none of `without`, in any case.

    >>> drawn = draw_words(500, without=["Dog"])
    >>> len(drawn), "dog" in drawn
    (500, False)
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
    """The bundled vectors under an interpretation."""
    return EntailmentSpace.from_vectors(google_news(), interpretation=interpretation, operator=operator)


def learned_without(words: Sequence[str], operator: str = "backward") -> EntailmentSpace:
    """The bundled vectors under a map that was fitted to pairs of WordNet without these words: half a minute or so."""
    from entvec.evaluate.mapped import fitted_to_wordnet

    hold_out = Benchmark("words", tuple(words), tuple(words), np.ones(len(words)))
    return EntailmentSpace.from_vectors(google_news(), map=fitted_to_wordnet(hold_out, google_news(), operator))


def curve(space: EntailmentSpace, questions: Questions, specificities: Sequence[float] = GRID) -> Curve:
    """Discovery in a space, under each specificity."""
    rows = [_measured(found) for found in places(space, questions, specificities)]
    name = f"{space.model.interpretation or 'mapped'} {space.operator}"
    return Curve(name, tuple(specificities), {kind: tuple(row[kind] for row in rows) for kind in MEASURES})


def cosine(questions: Questions) -> dict[str, Interval]:
    """What similarity alone reaches on the same words."""
    return _measured(similarity(unsupervised("log_odds", "cosine"), questions))


def _measured(found: Places) -> dict[str, Interval]:
    credits_of = credit(found["specific"])
    return {kind: mean(credits_of[kind]) for kind in MEASURES}


def draw(curves: Sequence[Curve], similar: dict[str, Interval]) -> Figure:
    """A panel for each measure and a line for each space, with its interval; dotted is what similarity reaches."""
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
