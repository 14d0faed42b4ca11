"""How well a noun without a vector is placed from a fact or two.

Each term is a noun whose hypernyms are known: the `specific` ones of `entvec.evaluate.discovery`, of its first sense.
It is hidden: it is no candidate, and its vector is used only where a row says so. One fact is its nearest hypernym, the
parent; others are two nouns with the same parent, its siblings. None of these is an answer, in any row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from entvec.array_types import AnyFloats
from entvec.bundled import IsA, isa
from entvec.evaluate.metrics import rank_measures
from entvec.evaluate.taxonomy.candidates import Nouns
from entvec.evaluate.taxonomy.knowing import NEW, STRICT, knowing
from entvec.evaluate.taxonomy.results import StudyResult
from entvec.evaluate.taxonomy.wordnet_trees import Tree, trees, words_of
from entvec.space import EntailmentSpace
from entvec.taxonomy.placing import Fact, infer
from entvec.vectors.vocabulary import sample

STUDY = "placement"
TERMS = 500
FARTHEST, LEAST_DEPTH = 4, 4
HITS = (1, 10)
LISTED = 1000
"""The number of answers by all evidence among which a right one is looked for."""


@dataclass(frozen=True)
class Term:
    """A hidden noun, what is known of it, and the right answers."""

    word: str
    parent: str
    siblings: tuple[str, str]
    right: frozenset[str]
    hypernyms: frozenset[str]
    """In any sense; every other noun may be denied."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return the words that are no candidates: the term, and the words of its facts."""
        return (self.word, self.parent, *self.siblings)

    def known_in(self, nouns: Nouns) -> bool:
        """Return whether the words of its facts, and at least one answer, have a vector."""
        return all(word in nouns.at for word in self.left_out) and any(word in nouns.at for word in self.right)


def terms(words: Collection[str], n: int = TERMS, seed: int = 0) -> list[Term]:
    """Return random terms to place, drawn from these words.

    >>> [(term.word, term.parent, term.siblings) for term in terms(["poodle"])]
    [('poodle', 'dog', ('pooch', 'puppy'))]
    """
    rng = np.random.default_rng(seed)
    table = isa()
    near = table.select("is-a", max_hypo_sense=1, max_distance=FARTHEST, min_depth=LEAST_DEPTH)
    right, every, siblings = (
        hypers_by_hypo(part) for part in (near, table.select(["is-a", "instance"]), table.select("co-hyponym"))
    )
    found = []
    for word in sorted(words):
        if not right.get(word):
            continue
        near_by, parent = min(right[word])
        answers = frozenset(hyper for steps, hyper in right[word] if steps > near_by)  # no synonyms of the parent
        answers -= {hyper for steps, hyper in right[word] if steps == near_by}
        beside = sorted({other for _, other in siblings.get(word, []) if other.islower()} - answers - {parent})
        if answers and len(beside) >= 2:
            first, second = rng.choice(len(beside), size=2, replace=False)
            hypernyms = frozenset(hyper for _, hyper in every[word])
            found.append(Term(word, parent, (beside[first], beside[second]), answers, hypernyms))
    return [found[i] for i in rng.permutation(len(found))[:n]]


def hypers_by_hypo(table: IsA) -> dict[str, list[tuple[int, str]]]:
    """Return for each hypo its hypers, each with its distance."""
    found: dict[str, list[tuple[int, str]]] = {}
    for hypo, hyper, distance in zip(table.hypo.tolist(), table.hyper.tolist(), table.distance.tolist(), strict=True):
        found.setdefault(table.words[hypo], []).append((distance, table.words[hyper]))
    return found


FACTS: dict[str, Callable[[Term], list[Fact]]] = {
    "a parent": lambda term: [Fact(term.parent, "entails")],
    "two siblings": lambda term: [Fact(word, "like") for word in term.siblings],
    "a parent and two siblings": lambda term: FACTS["a parent"](term) + FACTS["two siblings"](term),
    "its vector": lambda term: [Fact(term.word, "own")],
    "its vector and a parent": lambda term: FACTS["its vector"](term) + FACTS["a parent"](term),
    "its vector and two siblings": lambda term: FACTS["its vector"](term) + FACTS["two siblings"](term),
    "all of these": lambda term: FACTS["its vector"](term) + FACTS["a parent and two siblings"](term),
}
"""Facts about a term, by the title of the row."""


def evaluate(space: EntailmentSpace, trees: Sequence[Tree]) -> list[StudyResult]:
    """Return a row for each set of facts; the baseline has none, and ranks the same nouns for every term."""
    return of_terms(space, terms(words_of(trees)))


def of_terms(space: EntailmentSpace, asked: Sequence[Term]) -> list[StudyResult]:
    """Return the rows of `evaluate` for these terms; if the space knows nothing, also those of worlds that know."""
    nouns = Nouns(space)
    asked = [term for term in asked if term.known_in(nouns)]
    average = sample(space.vocabulary).mean(axis=0)
    vectors = {"nothing": [average] * len(asked)}
    vectors |= {name: [infer(space, facts(term)) for term in asked] for name, facts in FACTS.items()}
    rows = []
    for name, each in vectors.items():
        measures = rank_measures(ranks(nouns, asked, nouns.scores(np.stack(each))), HITS)
        rows.append(StudyResult.of_means(STUDY, name, measures, baseline=name == "nothing"))
    for world, hidden in (
        (NEW, {term.word for term in asked}),
        (STRICT, words_of(trees())),
    ):
        if space.knowledge is None and asked:
            places = _by_evidence(knowing(space, hidden), nouns, asked)
            rows.append(StudyResult.of_means(STUDY, f"all evidence, {world}", rank_measures(places, HITS)))
    return rows


def _by_evidence(space: EntailmentSpace, nouns: Nouns, asked: Sequence[Term]) -> AnyFloats:
    """Return the rank of the first right answer of each term by its vector and all that is known of other words."""
    found = space.hypernyms([term.word for term in asked], LISTED, among=list(nouns.words)).words
    ranked = []
    for term, words in zip(asked, found, strict=True):
        others = [word for word in words if word not in term.left_out]
        places = [place for place, word in enumerate(others, start=1) if word in term.right]
        ranked.append(places[0] if places else np.inf)
    return np.array(ranked, dtype=np.float64)


def ranks(
    nouns: Nouns, asked: Sequence[Term], scores: AnyFloats, denied: Sequence[Sequence[str]] | None = None
) -> AnyFloats:
    """Return the rank of the first right answer of each term; denied words are not ranked."""
    without = denied or [()] * len(asked)
    each = zip(scores, asked, without, strict=True)
    return np.array([nouns.rank(row, term.right, (*term.left_out, *words)) for row, term, words in each])
