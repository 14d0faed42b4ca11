"""The neighbourhood of words, for a picture: what they entail above them, what entails them below.

What a search finds is not yet a picture. Among the best hypernyms of *dog* is *cat*, which entails *dog* more readily
than *dog* entails it: it stands beside. So a word that was found is above or below only if that direction is clearly
the more probable one. How those that are left stand to each other is induced (`entvec.taxonomy.inducing`), with what
was found as known edges.
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
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.taxonomy.evidence import log_odds_of
from entvec.taxonomy.inducing import FURTHER, induce
from entvec.theory.elementwise import known

Pair = tuple[str, str]

SURE, LEAST = 0.75, 0.7
"""How probable an edge must be: one of an asked word, and one between its neighbours. Of the best of many words the
probability tells too much: with 0.75 in place of 0.5, the share of WordNet's hyponyms among those that are kept is half
as large again, and one in ten of them is lost."""
CLEARLY, BESIDE = 1.0, 0.8
"""How much more than its reverse an edge of an asked word must have, in log-odds, and how probable the reverse may be;
otherwise the two are beside each other."""
LOSS, CERTAIN = 0.5, 0.97
"""What a word below may lose in log-odds if it goes under a neighbour, compared with the asked word itself; what is
certain may be under both."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """A taxonomy of some words and their neighbours, and where each of its terms belongs."""

    taxonomy: Taxonomy
    """Without cycles, and without edges that others imply. Probabilities are those of the space, NaN if it has none."""
    centre: tuple[str, ...]
    """The words that were asked for, as the vocabulary spells them."""
    above: tuple[str, ...]
    """What they entail, in the order in which it was found."""
    below: tuple[str, ...]
    """What entails them."""

    def __repr__(self) -> str:
        return f"Neighbourhood({', '.join(self.centre)}: {len(self.above)} above, {len(self.below)} below)"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON; a probability that is not known is None."""
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
) -> Neighbourhood:
    """A word with the best of what it entails above it and the best of what entails it below; or several words.

    >>> from entvec.bundled import default_space
    >>> found = neighbourhood("dog", default_space(), above=3, below=3)
    >>> found.above, found.below
    (('animal', 'mammal', 'organism'), ('puppy', 'pooch', 'pit_bull'))
    >>> found.taxonomy.path("puppy", "organism")
    ('puppy', 'dog', 'mammal', 'animal', 'organism')

    Of what a search finds, only that is taken of which one direction is clearly the more probable, so there may be
    less of it. Whatever was found for a word is above or below that word, by a path of edges. A space that is not
    calibrated has an edge for each word that was found, and no others.

    Parameters
    ----------
    words
        One word, or several that share a picture. Other forms of a word are that word.
    space
        Where to search.
    above, below
        For each word, how many hypernyms and hyponyms to look at.
    specificity
        How much general words lose in the search for hypernyms, and words that entail anything in that for hyponyms;
        None is the setting of the space.
    """
    for name, count in (("above", above), ("below", below)):
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 0:
            raise InvalidInput(f"{name} is {count!r}, expected a whole number, 0 or more")
    centre = _asked(words, space)
    looked_at = _looked_at(space, centre, int(above), int(below), specificity)
    found = _found(space, looked_at)
    # Of several words, one may be below and another above what was found: that stands where it is more probable.
    as_hyper, as_hypo = _best(found, 1), _best(found, 0)
    others = [word for word in dict.fromkeys(chain(*found)) if word not in centre]
    over = [word for word in others if as_hyper.get(word, -np.inf) >= as_hypo.get(word, -np.inf)]
    under = [word for word in others if word not in over]
    pairs = dict(found)
    if space.calibration is not None:
        everything = list(dict.fromkeys([*centre, *chain(*looked_at)]))
        drafted = induce(everything, space, shape="dag", least=FURTHER, entails=found)
        pairs |= _between(space, over, under, found, drafted)
    taxonomy = _reduced(space, [*centre, *over, *under], pairs)
    return Neighbourhood(taxonomy, tuple(centre), tuple(over), tuple(under))


def _asked(words: str | Sequence[str], space: EntailmentSpace) -> list[str]:
    """The words as the vocabulary spells them, one form of each."""
    if not isinstance(space, EntailmentSpace):
        raise InvalidInput(f"space is {space!r:.40}, expected an EntailmentSpace, such as entvec.load() gives")
    several = [words] if isinstance(words, str) else list(words)
    if not several:
        raise InvalidInput("no words, expected at least one")
    odd = next((word for word in several if not isinstance(word, str) or not word.strip()), None)
    if odd is not None:
        raise InvalidInput(f"{odd!r:.40} is among the words, expected words that are not empty")
    forms: dict[str, str] = {}
    for row in space.vectors.rows_of_all(several).tolist():
        word = space.vectors.words[row]
        forms.setdefault(form(word), word)
    return list(forms.values())


def _looked_at(
    space: EntailmentSpace, centre: list[str], above: int, below: int, specificity: float | None
) -> list[Pair]:
    """Pairs of asked words, and of one and what a search has above or below it, in one form of each word."""
    ups = space.hypernyms(centre, above, specificity=specificity, group=True).words
    downs = space.hyponyms(centre, below, specificity=specificity, group=True).words
    forms = {form(word): word for word in centre}

    def shown(word: str) -> str:
        return forms.setdefault(form(word), word)

    pairs: list[Pair] = []
    for word, highs, lows in zip(centre, ups, downs, strict=True):  # so a word that is added last changes no form
        pairs += [(word, shown(high)) for high in highs if high.strip()]
        pairs += [(shown(low), word) for low in lows if low.strip()]
    pairs += permutations(centre, 2)
    return list(dict.fromkeys(pairs))  # files of vectors may have a space as a word, and a term must have a name


def _found(space: EntailmentSpace, looked_at: list[Pair]) -> dict[Pair, float]:
    """Those of the pairs whose direction is clear, and how sure each is; they close no cycle."""
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
    """Edges between neighbours: paths of a draft, which has also words that are not shown.

    In a short list of words of one kind, how they stand among themselves would say little. From below, edges lead to
    what is above only by way of the asked words: others would hide which of these a word belongs to.
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
    """A taxonomy of the pairs, without those that others imply."""
    sureness = np.array(list(pairs.values()), dtype=np.float64)
    probability = np.full(len(pairs), np.nan) if space.calibration is None else known(sureness)
    edges = [(*pair, p) for pair, p in zip(pairs, probability.tolist(), strict=True)]
    whole = Taxonomy.from_edges(edges, terms=terms)
    return whole.keeping(transitive_reduction(len(whole), whole.hypo, whole.hyper))


def _best(found: dict[Pair, float], side: int) -> dict[str, float]:
    """Of each word on one side of pairs: the surest of them."""
    best: dict[str, float] = {}
    for pair, value in found.items():
        best[pair[side]] = max(value, best.get(pair[side], -np.inf))
    return best


def _sureness(space: EntailmentSpace, pairs: list[Pair]) -> NDArray[np.float64]:
    """Log-odds that the first entails the second, or scores in a space that is not calibrated."""
    if not pairs:
        return np.empty(0)
    hypo, hyper = zip(*pairs, strict=True)
    scores = np.asarray(space.score(list(hypo), list(hyper)), dtype=np.float64)
    if space.calibration is None:
        return scores
    return space.calibration.scale * scores + space.calibration.intercept
