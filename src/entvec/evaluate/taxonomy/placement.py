"""How well a term is placed that has no vector, from a fact or two; how phrases are composed; what denials are worth.

Each term is a noun whose hypernyms are known: the `specific` ones of `entvec.evaluate.discovery`, of its first
sense. It is hidden: it is no candidate, and unless a row says so its vector is not looked at. One fact is its nearest
hypernym, the parent; others are two nouns with the same parent, its siblings. None of these is an answer, in any row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from entvec.bundled import IsA, isa
from entvec.evaluate.taxonomy.measured import Floats, Nouns, Row, from_places, row
from entvec.model.model import OTHER, sample
from entvec.space import EntailmentSpace
from entvec.taxonomy.evidence import directions
from entvec.taxonomy.placing import HEAD, Fact, geometry, infer
from entvec.theory.elementwise import log_entailed, unknown

TERMS = 500
FARTHEST, LEAST_DEPTH = 4, 4
DENIED = (1, 3)
CORRECTED = ("its vector", "two siblings")
"""What is known of the terms whose wrong answers are denied."""
SEEN = 50
"""How far down the ranking wrong answers are looked for, to deny them."""


@dataclass(frozen=True)
class Term:
    """A hidden noun: what is known of it, and what is to be found."""

    word: str
    parent: str
    siblings: tuple[str, str]
    right: frozenset[str]
    hypernyms: frozenset[str]
    """In any sense: whatever is none of these may be denied."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """No candidates: the term, and what is told of it."""
        return (self.word, self.parent, *self.siblings)

    def known_in(self, nouns: Nouns) -> bool:
        """Whether all that is told of it, and an answer, have a vector."""
        return all(word in nouns.at for word in self.left_out) and any(word in nouns.at for word in self.right)


def terms(words: Collection[str], n: int = TERMS, seed: int = 0) -> list[Term]:
    """Terms to place, drawn from these words.

    >>> [(term.word, term.parent, term.siblings) for term in terms(["poodle"])]
    [('poodle', 'dog', ('pooch', 'puppy'))]
    """
    rng = np.random.default_rng(seed)
    table = isa()
    near = table.select("is-a", max_hypo_sense=1, max_distance=FARTHEST, min_depth=LEAST_DEPTH)
    right, every, siblings = (
        _lists(part) for part in (near, table.select(["is-a", "instance"]), table.select("co-hyponym"))
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


def _lists(table: IsA) -> dict[str, list[tuple[int, str]]]:
    """For each hypo its hypers with their distances."""
    found: dict[str, list[tuple[int, str]]] = {}
    for hypo, hyper, distance in zip(table.hypo.tolist(), table.hyper.tolist(), table.distance.tolist(), strict=True):
        found.setdefault(table.words[hypo], []).append((distance, table.words[hyper]))
    return found


# With and without facts

KNOWN: dict[str, Callable[[Term], list[Fact]]] = {
    "a parent": lambda term: [Fact(term.parent, "entails")],
    "two siblings": lambda term: [Fact(word, "like") for word in term.siblings],
    "a parent and two siblings": lambda term: KNOWN["a parent"](term) + KNOWN["two siblings"](term),
    "its vector": lambda term: [Fact(term.word, "own")],
    "its vector and a parent": lambda term: KNOWN["its vector"](term) + KNOWN["a parent"](term),
    "its vector and two siblings": lambda term: KNOWN["its vector"](term) + KNOWN["two siblings"](term),
    "all of these": lambda term: KNOWN["its vector"](term) + KNOWN["a parent and two siblings"](term),
}
"""What is known of a term."""


def evaluate(space: EntailmentSpace, asked: Sequence[Term]) -> list[Row]:
    """A row for each thing that may be known; the first knows nothing, and gives every term the same answer."""
    nouns = Nouns(space)
    asked = [term for term in asked if term.known_in(nouns)]
    average = sample(space.vectors).mean(axis=0)
    found = [_row(nouns, "nothing", asked, [average] * len(asked), baseline=True)]
    for name, known in KNOWN.items():
        found.append(_row(nouns, name, asked, [infer(space, known(term)) for term in asked]))
    return found


def _row(
    nouns: Nouns,
    name: str,
    asked: Sequence[Term],
    vectors: Sequence[Floats],
    *,
    baseline: bool = False,
    study: str = "placement",
) -> Row:
    scores = nouns.scores(np.stack(vectors))
    places = [nouns.place(each, term.right, term.left_out) for each, term in zip(scores, asked, strict=True)]
    return row(study, name, from_places(np.array(places)), baseline=baseline)


# Phrases


@dataclass(frozen=True)
class Phrase:
    """A noun of two words that has a vector of its own, and its hypernyms."""

    name: str
    words: tuple[str, str]
    right: frozenset[str]


def phrases(nouns: Nouns) -> list[Phrase]:
    """Every other noun of two words; the others are those on which HEAD was chosen. A map may have seen them."""
    near = isa().select(["is-a", "instance"], max_hypo_sense=1, max_distance=FARTHEST, min_depth=LEAST_DEPTH)
    found = []
    for name, hypers in sorted(_lists(near).items()):
        words = name.split("_")
        right = frozenset(hyper for _, hyper in hypers if hyper in nouns.at) - set(words)
        if len(words) == 2 and name.islower() and right and {*words, name} <= nouns.vocabulary:
            found.append(Phrase(name, (words[0], words[1]), right))
    return found[1::2]


COMPOSITIONS: dict[str, Callable[[Nouns, Phrase], Floats]] = {
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
"""Vectors of a phrase."""
OURS = ("inferred from its words", "inferred, both words alike")


def evaluate_phrases(space: EntailmentSpace) -> list[Row]:
    """How well phrases are composed: what they entail, and where their own vector is among the neighbours."""
    nouns = Nouns(space)
    asked = phrases(nouns)
    found = []
    for name, compose in COMPOSITIONS.items():
        made = np.stack([compose(nouns, phrase) for phrase in asked])
        places = [
            nouns.place(scores, phrase.right, (phrase.name, *phrase.words))
            for scores, phrase in zip(nouns.scores(made), asked, strict=True)
        ]
        columns = from_places(np.array(places)) | {"neighbour_mrr": 1 / _neighbour_places(space, made, asked)}
        found.append(row("phrases", name, columns, baseline=name not in OURS))
    return found


def _neighbour_places(space: EntailmentSpace, made: Floats, asked: Sequence[Phrase]) -> Floats:
    """The place of each phrase among all words by the cosine with the composed vector; its words are left out."""
    cosine = directions(made) @ directions(space.vectors.matrix.astype(np.float64)).T
    for scores, phrase in zip(cosine, asked, strict=True):
        scores[space.vectors.rows(list(phrase.words))] = -np.inf
    own = cosine[np.arange(len(asked)), space.vectors.rows([phrase.name for phrase in asked])]
    return np.asarray(1.0 + (cosine > own[:, None]).sum(axis=1))


# Denials


def evaluate_negations(space: EntailmentSpace, asked: Sequence[Term], n_denied: Sequence[int] = DENIED) -> list[Row]:
    """What it is worth to say what a term does not entail: its first wrong answers are denied, and the rest is ranked.

    In every row the denied words are left out. `left out with all below` also leaves out what WordNet has below them,
    as `entvec.taxonomy.place` does with a taxonomy. The others tell the vector, by the paper's message, with a C_ijk
    that is computed from all other features or constant.
    """
    nouns = Nouns(space)
    asked = [term for term in asked if term.known_in(nouns)]
    found = []
    for known in CORRECTED:
        vectors = [infer(space, KNOWN[known](term)) for term in asked]
        found.append(_row(nouns, f"{known}, none denied", asked, vectors, baseline=True, study="negations"))
        for n in n_denied:
            wrong = [_wrong(nouns, term, vector, n) for term, vector in zip(asked, vectors, strict=True)]
            for name, tell in DENIALS.items():
                scores = np.stack([tell(nouns, *each) for each in zip(vectors, wrong, strict=True)])
                places = [
                    nouns.place(each, term.right, (*term.left_out, *denied))
                    for each, term, denied in zip(scores, asked, wrong, strict=True)
                ]
                title = f"{known}, {n} denied, {name}"
                found.append(row("negations", title, from_places(np.array(places)), baseline=name == "left out"))
    return found


def _left_out(nouns: Nouns, vector: Floats, _denied: list[str]) -> Floats:
    return np.asarray(nouns.scores(vector[None])[0])


def _by_message(bound: float | None) -> Callable[[Nouns, Floats, list[str]], Floats]:
    """The paper's messages of denied entailments, as they are; a bound of None is computed."""

    def scores(nouns: Nouns, vector: Floats, denied: list[str]) -> Floats:
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


def _with_all_below(nouns: Nouns, vector: Floats, denied: list[str]) -> Floats:
    scores = _left_out(nouns, vector, denied)
    below = [nouns.at[word] for each in denied for word in isa().hyponyms(each) if word in nouns.at]
    scores[below] = -np.inf
    return scores


DENIALS: dict[str, Callable[[Nouns, Floats, list[str]], Floats]] = {
    "left out": _left_out,
    "left out with all below": _with_all_below,
    "C computed": _by_message(None),
    "C = 0.1": _by_message(0.1),
    "C = 0.5": _by_message(0.5),
    "C = 0.9": _by_message(0.9),
}
"""What is done with words that are denied."""


def _wrong(nouns: Nouns, term: Term, vector: Floats, n: int) -> list[str]:
    """The first wrong answers: a person would see and deny these."""
    scores = nouns.scores(vector[None])[0]
    first = (nouns.words[i] for i in np.argsort(-scores)[:SEEN].tolist())
    return [word for word in first if word not in term.hypernyms and word not in term.left_out][:n]
