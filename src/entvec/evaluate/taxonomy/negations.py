"""How much it helps to say what a hidden noun does not entail: its first wrong answers are denied, the rest is ranked.

Denied words are ranked in no row. `left out with all below` also leaves out what WordNet has below them, as
`entvec.taxonomy.place` does with a taxonomy. The other rows change the vector by the paper's message of a negated
entailment, with a C_ijk that is constant or computed from all other features.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from entvec.array_types import AnyFloats
from entvec.bundled import isa
from entvec.evaluate.metrics import rank_measures
from entvec.evaluate.taxonomy.candidates import Nouns
from entvec.evaluate.taxonomy.placement import FACTS, HITS, Term, ranks, terms
from entvec.evaluate.taxonomy.results import StudyResult
from entvec.evaluate.taxonomy.wordnet_trees import Tree, words_of
from entvec.model.model import OTHER
from entvec.space import EntailmentSpace
from entvec.taxonomy.placing import geometry, infer
from entvec.theory.elementwise import log_entailed, unknown

STUDY = "negations"
DENIED = (1, 3)
KNOWN = ("its vector", "two siblings")
"""What is known of the terms before wrong answers are denied."""
LISTED = 50
"""The length of the list that wrong answers are taken from."""


def evaluate(space: EntailmentSpace, trees: Sequence[Tree]) -> list[StudyResult]:
    """Return a row for each set of facts, number of denied words, and way to use these."""
    return of_terms(space, terms(words_of(trees)))


def of_terms(space: EntailmentSpace, asked: Sequence[Term], n_denied: Sequence[int] = DENIED) -> list[StudyResult]:
    """Return the rows of `evaluate` for these terms and numbers of denied words."""
    nouns = Nouns(space)
    asked = [term for term in asked if term.known_in(nouns)]
    found = []
    for known in KNOWN:
        vectors = [infer(space, FACTS[known](term)) for term in asked]
        measures = rank_measures(ranks(nouns, asked, nouns.scores(np.stack(vectors))), HITS)
        found.append(StudyResult.of_means(STUDY, f"{known}, none denied", measures, baseline=True))
        for n in n_denied:
            wrong = [_wrong(nouns, term, vector, n) for term, vector in zip(asked, vectors, strict=True)]
            for name, deny in DENIALS.items():
                scores = np.stack([deny(nouns, *each) for each in zip(vectors, wrong, strict=True)])
                measures = rank_measures(ranks(nouns, asked, scores, wrong), HITS)
                title = f"{known}, {n} denied, {name}"
                found.append(StudyResult.of_means(STUDY, title, measures, baseline=name == "left out"))
    return found


def _left_out(nouns: Nouns, vector: AnyFloats, _denied: list[str]) -> AnyFloats:
    return np.asarray(nouns.scores(vector[None])[0])


def _by_message(bound: float | None) -> Callable[[Nouns, AnyFloats, list[str]], AnyFloats]:
    """Return a way to deny: the paper's message of a negated entailment, with C_ijk = bound, or computed if None."""

    def scores(nouns: Nouns, vector: AnyFloats, denied: list[str]) -> AnyFloats:
        if not denied:
            return _left_out(nouns, vector, denied)
        space = nouns.space
        log_odds = {side: space.model.log_odds(side, vector) for side in OTHER}
        for hyper in space.model.log_odds("hyper", nouns.vectors(denied)):
            obeys = log_entailed(log_odds["hypo"], hyper)
            c = np.exp(obeys.sum() - obeys) if bound is None else np.full(len(hyper), bound)
            log_odds["hypo"] = log_odds["hypo"] + np.log1p(-c) - np.log1p(-c * unknown(hyper))
        return _left_out(nouns, geometry(space).vector(log_odds), denied)

    return scores


def _with_all_below(nouns: Nouns, vector: AnyFloats, denied: list[str]) -> AnyFloats:
    scores = _left_out(nouns, vector, denied)
    below = [nouns.at[word] for each in denied for word in isa().hyponyms(each) if word in nouns.at]
    scores[below] = -np.inf
    return scores


DENIALS: dict[str, Callable[[Nouns, AnyFloats, list[str]], AnyFloats]] = {
    "left out": _left_out,
    "left out with all below": _with_all_below,
    "C computed": _by_message(None),
    "C = 0.1": _by_message(0.1),
    "C = 0.5": _by_message(0.5),
    "C = 0.9": _by_message(0.9),
}
"""Ways to use the denied words."""


def _wrong(nouns: Nouns, term: Term, vector: AnyFloats, n: int) -> list[str]:
    """Return the first wrong answers, which a person would see and deny."""
    scores = nouns.scores(vector[None])[0]
    first = (nouns.words[i] for i in np.argsort(-scores)[:LISTED].tolist())
    return [word for word in first if word not in term.hypernyms and word not in term.left_out][:n]
