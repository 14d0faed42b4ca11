"""Where a term belongs that has no vector, or a poor one: a vector inferred from facts, and what it entails.

The inference is the paper's (section 2.2), for one unknown node among observed ones. A hyper x that the term entails
adds -log s(-X) to its log-odds, and a hypo y that entails it adds log s(Y). Three things are different for words:

leak       Their vectors are no sets of features: a hypo also resembles its hyper in what the hyper lacks. So an edge
           weighs 1 + ASYMMETRY in its own direction and 1 - ASYMMETRY in the other. What is merely `like` the term
           weighs the same in both, which makes its message linear.
centre     Their log-odds already are posteriors, so each message would bring the prior once more. What an average
           word would have said is taken off.
pool       Messages are averaged, not summed: facts about one term say much the same.

The log-odds found so, as a hypo and as a hyper, are then made those of one vector: the nearest to both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace, Matches
from entvec.space.reading import OTHER, Side, sample
from entvec.taxonomy.evidence import Rows, known_words
from entvec.taxonomy.taxonomy import Taxonomy
from entvec.theory.elementwise import log_known, log_unknown

Floats = NDArray[np.floating[Any]]

ASYMMETRY = {"own": 0.0, "like": 0.0, "entails": 0.25, "entailed_by": -0.25}
HEAD = 0.7
"""Of a phrase: the share of its last word, which says what it is; those before it say which."""
DENIAL = 0.3
"""How much words lose for being like one that is denied. The paper's message for denied edges does not help here: its
C, computed, is e^-40 or so, and nothing follows; as a constant it lowers what the term is, too (docs/taxonomy.md)."""
LOOKED_AT = 256
"""How many parents are ranked anew where some are denied."""
RIDGE = 0.1
"""How strongly an inferred vector is drawn to where vectors are."""


class Fact(NamedTuple):
    """A word with a vector, how the term is related to it, and how much it counts."""

    word: str
    relation: str
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a term belongs: its inferred vector, and the best of its parents and children, best first."""

    term: str
    facts: tuple[Fact, ...]
    not_entails: tuple[str, ...]
    vector: Floats
    parents: Matches
    children: Matches

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        return {
            "term": self.term,
            "facts": [fact._asdict() for fact in self.facts],
            "not_entails": list(self.not_entails),
            "parents": self.parents.to_dict(),
            "children": self.children.to_dict(),
            "vector": self.vector.tolist(),
        }


def place(
    term: str,
    space: EntailmentSpace,
    *,
    entails: Sequence[str] = (),
    entailed_by: Sequence[str] = (),
    like: Sequence[str] = (),
    not_entails: Sequence[str] = (),
    own: bool = True,
    taxonomy: Taxonomy | None = None,
    k: int = 10,
) -> Placement:
    """A vector for the term from what is known of it, and the parents and children that it then has.

    `entails` are hypers of the term, `entailed_by` hypos, `like` are words that share a parent with it, `not_entails`
    are no hypers. Its own vector, if it has one, is one more fact, unless `own` is False; a name of several words that
    has none is composed of theirs. With a `taxonomy`, parents and children are looked for among its terms, and the
    facts must agree with it.

    >>> from entvec.bundled import default_space
    >>> found = place("theremin", default_space(), like=["violin", "piano"])
    >>> "instrument" in found.parents.words
    True
    """
    if not term.strip():
        raise InvalidInput("the term is an empty name, expected one to place")
    given = {"entails": entails, "entailed_by": entailed_by, "like": like, "not_entails": not_entails}
    found = {relation: known_words(space, words)[0] if len(words) else [] for relation, words in given.items()}
    _check_agreement(term, found, taxonomy)
    denied = found.pop("not_entails")
    facts = [Fact(word, relation) for relation, words in found.items() for word in words]
    facts = [*(own_facts(term, space) if own else []), *facts]
    if not facts:
        raise InvalidInput(
            f"nothing is known of {term!r}, not even a vector: say what it entails, what entails it, or what it is like"
        )
    vector = infer(space, facts)
    among = None if taxonomy is None else _with_vectors(space, taxonomy)
    taken = {space.vectors.words[row] for row in space.vectors.rows_of_all([*(fact.word for fact in facts), *denied])}
    parents = space.hypernyms(vector, max(k + len(taken), LOOKED_AT if denied else 0), among=among).without(taken)
    if denied:
        parents = parents.reordered(parents.order - denial(space, parents.indices, denied))
    children = space.hyponyms(vector, k + len(taken), among=among).without(taken)
    return Placement(term, tuple(facts), tuple(denied), vector, parents.first(k), children.first(k))


def own_facts(term: str, space: EntailmentSpace) -> list[Fact]:
    """What the vocabulary knows of a term: its vector or, of a name of several words, theirs.

    >>> from entvec.bundled import default_space
    >>> own_facts("bass guitar", default_space())
    [Fact(word='bass', relation='entails', weight=0.3), Fact(word='guitar', relation='entails', weight=0.7)]
    """
    if term in space:
        return [Fact(term, "own")]
    words = term.replace("_", " ").replace("-", " ").split()
    before, head = [word for word in words[:-1] if word in space], words[-1]
    if len(words) < 2 or head not in space:
        return []
    share = HEAD if before else 1.0
    return [
        *(Fact(word, "entails", round((1 - share) / len(before), 6)) for word in before),
        Fact(head, "entails", share),
    ]


def infer(space: EntailmentSpace, facts: Sequence[Fact]) -> Floats:
    """The vector of a term of which these facts are known."""
    frame = geometry(space)
    vectors = _vectors_of(space, [fact.word for fact in facts])
    weights = np.array([fact.weight for fact in facts])
    asymmetry = np.array([ASYMMETRY[fact.relation] for fact in facts])[:, None]
    found = {}
    for side in OTHER:
        log_odds, centre = space.reading.log_odds(side, vectors), frame.centre[side]
        told = _message(log_odds, asymmetry) - _message(centre, asymmetry)
        found[side] = centre + weights @ told / weights.sum()
    return frame.vector(found)


def denial(space: EntailmentSpace, rows: Rows, denied: Sequence[str]) -> Floats:
    """What words lose as parents for being much the same as those that are denied, in units of the score.

    A term that does not entail x entails nothing that means the same. How much that is so is what the space thinks of
    both directions together, log(1 + e^L) with the mean L of their log-odds. Words below x need no more than that: they
    are not more like x than the term is. In a space without probabilities nothing is lost.
    """
    if space.calibration is None:
        return np.zeros(len(rows))
    scale, intercept = space.calibration
    here, there = space.vectors.take(rows).matrix.astype(np.float64), _vectors_of(space, denied)
    mapped = {side: (space.reading.mapped(side, here), space.reading.mapped(side, there)) for side in OTHER}
    both = mapped["hypo"][0] @ mapped["hyper"][1].T + mapped["hyper"][0] @ mapped["hypo"][1].T
    return np.asarray(DENIAL * -log_unknown(scale * both / 2 + intercept).mean(axis=1) / scale)


def _message(log_odds: Floats, asymmetry: Floats) -> Floats:
    """What a term hears of a word that it entails with weight 1 + asymmetry, and that entails it with 1 - asymmetry."""
    return np.asarray(-(1 + asymmetry) * log_unknown(log_odds) + (1 - asymmetry) * log_known(log_odds))


@dataclass(frozen=True, eq=False)
class Geometry:
    """How the vectors of a space lie, and what its readings make of them; these are affine."""

    average: Floats
    centre: dict[Side, Floats]
    """The log-odds of the average vector."""
    slopes: Floats
    """What each number of a vector adds to its log-odds as a hypo, and as a hyper."""
    normal: Floats
    """The matrix of the ridge regression of vectors on log-odds; the covariance of the vocabulary is its prior."""

    def vector(self, log_odds: dict[Side, Floats]) -> Floats:
        """The vector whose log-odds on both sides come nearest to these."""
        target = np.concatenate([log_odds[side] - self.centre[side] for side in OTHER])
        return np.asarray(self.average + np.linalg.solve(self.normal, self.slopes @ target))


@lru_cache(maxsize=2)
def geometry(space: EntailmentSpace) -> Geometry:
    """That of a space, kept for the next term."""
    words = sample(space.vectors)
    average = words.mean(axis=0)
    spread = np.atleast_2d((words - average).T @ (words - average) / len(words))
    axes = np.eye(len(average))
    spread += 1e-4 * max(float(np.trace(spread)) / len(axes), 1e-12) * axes
    centre = {side: space.reading.log_odds(side, average) for side in OTHER}
    origin = [space.reading.log_odds(side, np.zeros_like(average)) for side in OTHER]
    at_axes = [space.reading.log_odds(side, axes) for side in OTHER]
    slopes = np.concatenate([there - here for there, here in zip(at_axes, origin, strict=True)], axis=1)
    return Geometry(average, centre, slopes, slopes @ slopes.T + RIDGE * np.linalg.inv(spread))


def _vectors_of(space: EntailmentSpace, words: Sequence[str]) -> Floats:
    return space.vectors.take(space.vectors.rows_of_all(list(words))).matrix.astype(np.float64)


def _with_vectors(space: EntailmentSpace, taxonomy: Taxonomy) -> list[str]:
    """What the terms of the taxonomy are called, if that has a vector."""
    return [label for label in map(taxonomy.label, taxonomy.terms) if label in space]


def _check_agreement(term: str, facts: dict[str, list[str]], taxonomy: Taxonomy | None) -> None:
    """Refuse facts that contradict each other, or the taxonomy."""
    role: dict[str, str] = {}
    for relation, words in facts.items():
        for word in words:
            if word == term:
                raise InvalidInput(f"{term!r} is among its own facts ({relation}), expected other words")
            if word in role:
                raise InvalidInput(f"{word!r} is said in both {role[word]} and {relation}, which contradict each other")
            role[word] = relation
    if taxonomy is None:
        return
    edges = [(term, word) for word in facts["entails"]] + [(word, term) for word in facts["entailed_by"]]
    names = {taxonomy.label(each): each for each in taxonomy.terms}
    both = taxonomy.with_edges([(names.get(hypo, hypo), names.get(hyper, hyper)) for hypo, hyper in edges])
    own = names.get(term, term)
    for word in facts["not_entails"]:
        if own in both and names.get(word, word) in both and both.entails(own, names.get(word, word)):
            path = " => ".join(map(both.label, both.path(own, names.get(word, word))))
            raise InvalidInput(f"{term!r} does not entail {word!r}, but by the taxonomy and the other facts {path}")
    for word in (*facts["entails"], *facts["entailed_by"]):
        hypo, hyper = (own, names.get(word, word)) if word in facts["entails"] else (names.get(word, word), own)
        if both.entails(hyper, hypo):
            path = " => ".join(map(both.label, both.path(hyper, hypo)))
            said = f"{both.label(hypo)!r} entails {both.label(hyper)!r}"
            raise InvalidInput(f"{said}, but by the taxonomy and the other facts {path}")
