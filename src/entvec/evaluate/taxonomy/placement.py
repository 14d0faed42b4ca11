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
from entvec.space import EntailmentSpace
from entvec.space.reading import OTHER, sample
from entvec.taxonomy.place import HEAD, Fact, denial, geometry, infer
from entvec.theory.elementwise import log_entailed, unknown

TERMS = 500
FARTHEST, LEAST_DEPTH = 4, 4
DENIED = (1, 3, 5)
LOOKED_AT = 50
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


def phrases(space: EntailmentSpace) -> list[tuple[str, tuple[str, str], frozenset[str]]]:
    """Nouns of two words that have a vector of their own, their words, and their hypernyms: every other one of them.

    The others are those on which HEAD was chosen.
    """
    near = isa().select(["is-a", "instance"], max_hypo_sense=1, max_distance=FARTHEST, min_depth=LEAST_DEPTH)
    right = _lists(near)
    found = []
    for phrase in sorted(right):
        words = phrase.split("_")
        answers = frozenset(hyper for _, hyper in right[phrase]) - set(words)
        if len(words) == 2 and phrase.islower() and answers and all(word in space.vectors.words for word in words):
            found.append((phrase, (words[0], words[1]), answers))
    return found[1::2]


def evaluate_phrases(space: EntailmentSpace) -> list[Row]:
    """How well phrases are composed: what they entail, and where their own vector is among the neighbours."""
    nouns, asked = Nouns(space), phrases(space)
    compositions: dict[str, Callable[[str, tuple[str, str]], list[Fact]]] = {
        "its own vector": lambda phrase, _: [Fact(phrase, "own")],
        "inferred from its words": lambda _, words: [
            Fact(words[0], "entails", 1 - HEAD),
            Fact(words[1], "entails", HEAD),
        ],
        "inferred, both words alike": lambda _, words: [Fact(word, "entails") for word in words],
        "average of its words": lambda _, words: [Fact(word, "own") for word in words],
        "its last word": lambda _, words: [Fact(words[1], "own")],
    }
    found = []
    for name, facts in compositions.items():
        made = np.stack([infer(space, facts(phrase, words)) for phrase, words, _ in asked])
        if name == "average of its words":  # the plain mean of vectors, as everybody computes it
            made = np.stack([nouns.vectors(words).mean(axis=0) for _, words, _ in asked])
        places = [
            nouns.place(scores, right, (phrase, *words))
            for scores, (phrase, words, right) in zip(nouns.scores(made), asked, strict=True)
        ]
        columns = from_places(np.array(places)) | {"neighbour_mrr": 1 / _neighbour_places(space, made, asked)}
        found.append(row("phrases", name, columns, baseline=name not in list(compositions)[1:3]))
    return found


def _neighbour_places(
    space: EntailmentSpace, made: Floats, asked: Sequence[tuple[str, tuple[str, str], frozenset[str]]]
) -> Floats:
    """The place of each phrase among all words by the cosine with the composed vector; its words are left out."""
    from entvec.taxonomy.evidence import directions

    cosine = directions(made) @ directions(space.vectors.matrix.astype(np.float64)).T
    for scores, (_, words, _) in zip(cosine, asked, strict=True):
        scores[space.vectors.rows(list(words))] = -np.inf
    own = cosine[np.arange(len(asked)), space.vectors.rows([phrase for phrase, _, _ in asked])]
    return np.asarray(1.0 + (cosine > own[:, None]).sum(axis=1))


# Denials


def evaluate_negations(space: EntailmentSpace, asked: Sequence[Term], n_denied: Sequence[int] = DENIED) -> list[Row]:
    """What it is worth to say what a term does not entail: its first wrong answers are denied, and the rest is ranked.

    In every row the denied words are left out. `left out only` stops there. Others tell the vector, by the paper's
    message, with a C_ijk that is computed from all other features or constant. `what is alike loses` is what
    `entvec.taxonomy.place` does.
    """
    nouns = Nouns(space)
    before = {term.word: infer(space, KNOWN["two siblings"](term)) for term in asked}
    after: dict[str, Callable[[Floats, list[str]], Floats]] = {
        "left out only": lambda vector, _: vector,
        "C computed": lambda vector, denied: _told(space, vector, denied, None),
        "C = 0.1": lambda vector, denied: _told(space, vector, denied, 0.1),
        "C = 0.5": lambda vector, denied: _told(space, vector, denied, 0.5),
        "C = 0.9": lambda vector, denied: _told(space, vector, denied, 0.9),
        "what is alike loses": lambda vector, _: vector,
    }
    found = [_row(nouns, "none denied", asked, [before[term.word] for term in asked], baseline=True, study="negations")]
    for n in n_denied:
        wrong = [_wrong(nouns, term, before[term.word], n) for term in asked]
        for name, tell in after.items():
            vectors = [tell(before[term.word], denied) for term, denied in zip(asked, wrong, strict=True)]
            scores = nouns.scores(np.stack(vectors))
            if name == "what is alike loses":
                scores -= np.stack([denial(space, nouns.rows, denied) for denied in wrong])
            places = [
                nouns.place(each, term.right, (*term.left_out, *denied))
                for each, term, denied in zip(scores, asked, wrong, strict=True)
            ]
            columns = from_places(np.array(places))
            found.append(row("negations", f"{n} denied, {name}", columns, baseline=name == "left out only"))
    return found


def _wrong(nouns: Nouns, term: Term, vector: Floats, n: int) -> list[str]:
    """The first wrong answers: a person would see and deny these."""
    scores = nouns.scores(vector[None])[0]
    first = (nouns.words[i] for i in np.argsort(-scores)[:LOOKED_AT].tolist())
    return [word for word in first if word not in term.hypernyms and word not in term.left_out][:n]


def _told(space: EntailmentSpace, vector: Floats, denied: Sequence[str], bound: float | None) -> Floats:
    """The vector with the paper's messages of denied entailments, as they are; a bound of None is computed."""
    log_odds = {side: space.reading.log_odds(side, vector) for side in OTHER}
    words = space.vectors.take(space.vectors.rows_of_all(list(denied))).matrix.astype(np.float64)
    hypers = space.reading.log_odds("hyper", words)
    for hyper in hypers:
        obeys = log_entailed(log_odds["hypo"], hyper)
        c = np.exp(obeys.sum() - obeys) if bound is None else np.full(len(hyper), bound)
        log_odds["hypo"] = log_odds["hypo"] + np.log1p(-c) - np.log1p(-c * unknown(hyper))
    return geometry(space).vector(log_odds)
