"""How well the vector of a noun of two words is composed from the vectors of its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from entvec.array_types import AnyFloats
from entvec.bundled import isa
from entvec.evaluate.metrics import rank_measures
from entvec.evaluate.taxonomy.candidates import Nouns
from entvec.evaluate.taxonomy.placement import FARTHEST, HITS, LEAST_DEPTH, hypers_by_hypo
from entvec.evaluate.taxonomy.results import StudyResult
from entvec.evaluate.taxonomy.wordnet_trees import Tree
from entvec.space import EntailmentSpace
from entvec.taxonomy.evidence import directions
from entvec.taxonomy.placing import HEAD, Fact, infer

STUDY = "phrases"


@dataclass(frozen=True)
class Phrase:
    """A noun of two words that has its own vector, and its hypernyms."""

    name: str
    words: tuple[str, str]
    right: frozenset[str]


def phrases(nouns: Nouns) -> list[Phrase]:
    """Return every second noun of two words; HEAD was chosen on the others. A map may have been fitted to them."""
    near = isa().select(["is-a", "instance"], max_hypo_sense=1, max_distance=FARTHEST, min_depth=LEAST_DEPTH)
    found = []
    for name, hypers in sorted(hypers_by_hypo(near).items()):
        words = name.split("_")
        right = frozenset(hyper for _, hyper in hypers if hyper in nouns.at) - set(words)
        if len(words) == 2 and name.islower() and right and {*words, name} <= nouns.vocabulary:
            found.append(Phrase(name, (words[0], words[1]), right))
    return found[1::2]


COMPOSITIONS: dict[str, Callable[[Nouns, Phrase], AnyFloats]] = {
    "its own vector": lambda nouns, phrase: nouns.vectors([phrase.name])[0],
    "inferred from its words": lambda nouns, phrase: infer(
        nouns.space,
        [Fact(word, "composed_of", share) for word, share in zip(phrase.words, (1 - HEAD, HEAD), strict=True)],
    ),
    "inferred, both words alike": lambda nouns, phrase: infer(
        nouns.space, [Fact(word, "composed_of") for word in phrase.words]
    ),
    "average of its words": lambda nouns, phrase: nouns.vectors(phrase.words).mean(axis=0),
    "its last word": lambda nouns, phrase: nouns.vectors(phrase.words[1:])[0],
}
"""Ways to make the vector of a phrase."""
OURS = ("inferred from its words", "inferred, both words alike")


def evaluate(space: EntailmentSpace, _trees: Sequence[Tree] = ()) -> list[StudyResult]:
    """Return a row for each composition: the ranks of the hypernyms, and of the phrase among the nearest neighbours."""
    nouns = Nouns(space)
    asked = phrases(nouns)
    found = []
    for name, compose in COMPOSITIONS.items():
        made = np.stack([compose(nouns, phrase) for phrase in asked])
        ranks = [
            nouns.rank(scores, phrase.right, (phrase.name, *phrase.words))
            for scores, phrase in zip(nouns.scores(made), asked, strict=True)
        ]
        measures = rank_measures(np.array(ranks), HITS) | {"neighbour_mrr": 1 / _neighbour_ranks(space, made, asked)}
        found.append(StudyResult.of_means(STUDY, name, measures, baseline=name not in OURS))
    return found


def _neighbour_ranks(space: EntailmentSpace, made: AnyFloats, asked: Sequence[Phrase]) -> AnyFloats:
    """Return the rank of each phrase among all words but its own, by the cosine with the composed vector."""
    cosine = directions(made) @ directions(space.vectors.matrix.astype(np.float64)).T
    for scores, phrase in zip(cosine, asked, strict=True):
        scores[space.vocabulary.rows(list(phrase.words))] = -np.inf
    own = cosine[np.arange(len(asked)), space.vocabulary.rows([phrase.name for phrase in asked])]
    return np.asarray(1.0 + (cosine > own[:, None]).sum(axis=1))
