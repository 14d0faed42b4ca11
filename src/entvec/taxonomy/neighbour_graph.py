"""The neighbourhood of words as a taxonomy to draw: hypernyms above them, hyponyms below.

A search alone is not enough. Among the best hypernyms of *dog* is *cat*, which entails *dog* more readily than *dog*
entails it: the two are siblings. So a word that a search finds is above or below only if that direction is clearly the
more probable one. `entvec.taxonomy.inducing` then finds the edges between those words, with these pairs as known edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.graphs.structure import break_cycles, transitive_reduction
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.taxonomy.evidence import asked_words, log_odds_of, reading
from entvec.taxonomy.inducing import FURTHER, induce
from entvec.taxonomy.review_rows import Pair
from entvec.theory.elementwise import known

SURE, LEAST = 0.75, 0.7
"""The least probability of an edge of a query word, and of an edge between neighbours. The probabilities of the best of
many words are too high: with 0.75 instead of 0.5, the share of WordNet's hyponyms among the words that remain is half
as large again, and one in ten of them is lost."""
CLEARLY, BESIDE = 1.0, 0.8
"""The least difference between the log-odds of an edge of a query word and of its reverse, and the largest probability
of the reverse; otherwise the two are siblings."""
LOSS, CERTAIN = 0.5, 0.97
"""The log-odds that a word may lose if its parent is a neighbour instead of the query word; an edge that is certain is
kept in any case."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """A taxonomy of some words and their neighbours, with the side of each neighbour."""

    taxonomy: Taxonomy
    """The transitive reduction, without cycles. Probabilities are those of the space, NaN if it is not calibrated."""
    centre: tuple[str, ...]
    """The query words, as the vocabulary spells them."""
    above: tuple[str, ...]
    """The words that they entail, in the order of the search."""
    below: tuple[str, ...]
    """The words that entail them."""

    def __repr__(self) -> str:
        return f"Neighbourhood({', '.join(self.centre)}: {len(self.above)} above, {len(self.below)} below)"

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON; a probability that is not known is None."""
        edges = [
            {"hypo": hypo, "hyper": hyper, "probability": None if np.isnan(probability) else probability}
            for hypo, hyper, probability in self.taxonomy.edges()
        ]
        return {"centre": list(self.centre), "above": list(self.above), "below": list(self.below), "edges": edges}


def neighbourhood(
    words: str | Sequence[str],
    space: EntailmentSpace,
    *,
    above: int = 8,
    below: int = 8,
    specificity: float | None = None,
    progress: Progress | None = None,
) -> Neighbourhood:
    """Return the taxonomy of a word, or of several, with the best hypernyms above and the best hyponyms below.

    >>> from entvec.space.default import default_space
    >>> found = neighbourhood("dog", default_space(), above=3, below=3)
    >>> found.above, found.below
    (('animal', 'mammal', 'organism'), ('puppy', 'pooch', 'pit_bull'))
    >>> found.taxonomy.path("puppy", "organism")
    ('puppy', 'dog', 'mammal', 'animal', 'organism')

    Only words with a direction that is clearly the more probable one are taken, so there may be fewer than asked for.
    Each of them is connected with its query word by a path of edges. In a space that is not calibrated, each is
    connected by one edge, and there are no other edges.

    Parameters
    ----------
    words
        One word, or several that share a taxonomy. Inflected forms of a word count as one.
    space
        The space to search.
    above, below
        The number of hypernyms and of hyponyms to search for each word.
    specificity
        The hubness penalty of both searches; by default that of the space.
    progress
        A callback that gets the number of words compared so far and the number of all. What it raises ends the work.
    """
    for name, count in (("above", above), ("below", below)):
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 0:
            raise InvalidInput(f"{name} is {count!r}, expected a whole number, 0 or more")
    space = reading(space, asked_words(space, [words] if isinstance(words, str) else words))
    centre = _asked(words, space)
    report = progress or (lambda *_: None)
    report(0, len(centre))
    looked_at = _looked_at(space, centre, int(above), int(below), specificity)
    report(0, len(centre))
    found = _found(space, looked_at)
    # A word may be above one query word and below another: the more probable side counts.
    as_hyper, as_hypo = _best(found, 1), _best(found, 0)
    others = [word for word in dict.fromkeys(chain(*found)) if word not in centre]
    over = [word for word in others if as_hyper.get(word, -np.inf) >= as_hypo.get(word, -np.inf)]
    under = [word for word in others if word not in over]
    pairs = dict(found)
    if space.calibration is not None:
        everything = list(dict.fromkeys([*centre, *chain(*looked_at)]))
        drafted = induce(
            everything, space, shape="dag", least=FURTHER, entails=found, evidence="vectors", progress=progress
        )
        report(0, len(centre))
        pairs |= _between(space, over, under, found, drafted)
    taxonomy = _reduced(space, [*centre, *over, *under], pairs)
    return Neighbourhood(taxonomy, tuple(centre), tuple(over), tuple(under))


def _asked(words: str | Sequence[str], space: EntailmentSpace) -> list[str]:
    """Return the words as the vocabulary spells them, one form of each."""
    several = asked_words(space, [words] if isinstance(words, str) else words)
    forms: dict[str, str] = {}
    for row in space.vocabulary.rows_of_all(several).tolist():
        word = space.vocabulary.words[row]
        forms.setdefault(form(word), word)
    return list(forms.values())


def _looked_at(
    space: EntailmentSpace, centre: list[str], above: int, below: int, specificity: float | None
) -> list[Pair]:
    """Return the pairs (hypo, hyper) of query words and what a search finds for them, in one form of each word."""
    options: Any = {"specificity": specificity, "group": True, "evidence": "vectors"}  # edges rest on the vectors, too
    ups = space.hypernyms(centre, above, **options).words
    downs = space.hyponyms(centre, below, **options).words
    forms = {form(word): word for word in centre}

    def shown(word: str) -> str:
        return forms.setdefault(form(word), word)

    pairs: list[Pair] = []
    for word, highs, lows in zip(centre, ups, downs, strict=True):  # a query word added last changes no form
        pairs += [(word, shown(high)) for high in highs if high.strip()]
        pairs += [(shown(low), word) for low in lows if low.strip()]
    pairs += permutations(centre, 2)
    return list(dict.fromkeys(pairs))  # a vocabulary may have a space as a word, which cannot be a term


def _found(space: EntailmentSpace, looked_at: list[Pair]) -> dict[Pair, float]:
    """Return the pairs with a clear direction, and their log-odds; they close no cycle."""
    there, back = _sureness(space, looked_at), _sureness(space, [(hyper, hypo) for hypo, hyper in looked_at])
    if space.calibration is None:
        clear = there > back
    else:
        clear = (there >= log_odds_of(SURE)) & (there - back >= CLEARLY) & (back <= log_odds_of(BESIDE))
    kept = np.flatnonzero(clear).tolist()
    draft = Taxonomy.from_edges([looked_at[i] for i in kept])
    stays = break_cycles(len(draft), draft.hypo, draft.hyper, there[kept])
    return {looked_at[i]: float(there[i]) for i, stay in zip(kept, stays.tolist(), strict=True) if stay}


def _between(
    space: EntailmentSpace, over: list[str], under: list[str], found: dict[Pair, float], drafted: Taxonomy
) -> dict[Pair, float]:
    """Return edges between neighbours: paths of a draft, which also has the words that were not taken.

    The standing of words in a short list of one kind would say little. Words below reach those above only through the
    query words: other edges would hide which of these a word belongs to.
    """
    low, high = set(under), {*over, *under}
    paths = [(hypo, hyper) for hypo in (*over, *under) for hyper in drafted.ancestors(hypo)]
    paths = [(hypo, hyper) for hypo, hyper in paths if hyper in (low if hypo in low else high)]
    own = _best(found, 0)

    def good(hypo: str, value: float) -> bool:
        enough = min(own.get(hypo, -np.inf) - LOSS, log_odds_of(CERTAIN))
        return value >= max(enough, log_odds_of(LEAST))

    values = zip(paths, _sureness(space, paths).tolist(), strict=True)
    return {(hypo, hyper): value for (hypo, hyper), value in values if good(hypo, value)}


def _reduced(space: EntailmentSpace, terms: list[str], pairs: dict[Pair, float]) -> Taxonomy:
    """Return the transitive reduction of the pairs as a taxonomy."""
    sureness = np.array(list(pairs.values()), dtype=np.float64)
    probability = np.full(len(pairs), np.nan) if space.calibration is None else known(sureness)
    edges = [(*pair, p) for pair, p in zip(pairs, probability.tolist(), strict=True)]
    whole = Taxonomy.from_edges(edges, terms=terms)
    return whole.keeping(transitive_reduction(len(whole), whole.hypo, whole.hyper))


def _best(found: dict[Pair, float], side: int) -> dict[str, float]:
    """Return the largest value of the pairs of each word on one side."""
    best: dict[str, float] = {}
    for pair, value in found.items():
        best[pair[side]] = max(value, best.get(pair[side], -np.inf))
    return best


def _sureness(space: EntailmentSpace, pairs: list[Pair]) -> NDArray[np.float64]:
    """Return the log-odds of pairs (hypo, hyper), or their scores if the space is not calibrated."""
    if not pairs:
        return np.empty(0)
    hypo, hyper = zip(*pairs, strict=True)
    scores = np.asarray(space.score(list(hypo), list(hyper)), dtype=np.float64)
    if space.calibration is None:
        return scores
    return np.asarray(space.calibration.log_odds(scores))
