"""Place a term that has no vector, or a poor one: infer a vector from facts, then search its parents and children.

The inference is the paper's (section 2.2), for one unknown node among observed ones. A hyper x that the term entails
adds -log s(-X) to its log-odds, and a hypo y that entails it adds log s(Y). For words, three things are different:

- *Leak*. Word vectors are not sets of features: a hypo also resembles its hyper in features that the hyper lacks. So an
  edge weighs 1 + ASYMMETRY in its own direction and 1 - ASYMMETRY in the other. A word that is merely `like` the term
  weighs the same in both directions, which makes its message linear.
- *Centre*. The log-odds of words are posteriors already, so each message would add the prior once more. The message of
  an average word is subtracted.
- *Pool*. Messages are averaged instead of summed, because facts about one term repeat each other.

The result is log-odds of the term as a hypo and as a hyper; its vector is the one whose log-odds are nearest to both.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput
from entvec.graphs.annotations import SYNONYM
from entvec.graphs.taxonomy import Taxonomy
from entvec.interchange import data_frame, word_list
from entvec.model import OTHER, Side
from entvec.progress import Progress
from entvec.space import EntailmentSpace, Matches
from entvec.taxonomy.evidence import UnknownWords, known_words, reading, rows_of_terms
from entvec.taxonomy.placing_in_graph import best, infer_node
from entvec.taxonomy.weighing import to_read
from entvec.theory.elementwise import log_known, log_unknown
from entvec.theory.inference import Inference
from entvec.vectors import forms
from entvec.vectors.vocabulary import sample

if TYPE_CHECKING:
    import pandas as pd


ASYMMETRY = {"own": 0.0, "composed_of": 0.25, "entails": 0.25, "entailed_by": -0.25, "like": 0.0}
"""The asymmetry of each relation; a name of several words is composed of them."""
HEAD = 0.7
"""The weight of the last word of a phrase, which says what it is; the words before it share the rest."""
STAGES = 4
"""The facts are checked, a vector is inferred, parents and then children are searched for."""
RIDGE = 0.1
"""The weight of the prior that an inferred vector is distributed like the vectors of words."""


class Fact(NamedTuple):
    """A word with a vector, the relation of the term to it, and its weight."""

    word: str
    relation: str
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Placement:
    """The inferred vector of a term, and its best parents and children, the best first."""

    term: str
    facts: tuple[Fact, ...]
    not_entails: tuple[str, ...]
    vector: AnyFloats
    """The log-odds of the term if it was placed in a graph."""
    parents: Matches
    children: Matches

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON."""
        return {
            "term": self.term,
            "facts": [fact._asdict() for fact in self.facts],
            "not_entails": list(self.not_entails),
            "parents": self.parents.to_dict(),
            "children": self.children.to_dict(),
            "vector": self.vector.tolist(),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame of parents and children, as `entvec taxonomy place --format tsv`; this needs pandas."""
        found = [("parent", match) for match in self.parents] + [("child", match) for match in self.children]
        return data_frame(
            {
                "term": [self.term] * len(found),
                "relation": [relation for relation, _ in found],
                "word": [match.word for _, match in found],
                "probability": [match.probability for _, match in found],
                "score": [match.score for _, match in found],
            }
        )


def place(
    term: str,
    where: EntailmentSpace | Inference,
    *,
    entails: Sequence[str] = (),
    entailed_by: Sequence[str] = (),
    like: Sequence[str] = (),
    not_entails: Sequence[str] = (),
    own: bool = True,
    definition: str | None = None,
    taxonomy: Taxonomy | None = None,
    k: int = 10,
    progress: Progress | None = None,
) -> Placement:
    """Infer a vector for the term from facts, and return it with the best parents and children.

    >>> from entvec.space.default import default_space
    >>> found = place("theremin", default_space(), like=["violin", "piano"])
    >>> "instrument" in found.parents.words
    True

    Parameters
    ----------
    term
        The term; it needs no vector.
    where
        A space, or the result of an inference in an `EntailmentGraph`. In a graph, facts and answers are nodes, and
        negated entailments have the paper's message.
    entails, entailed_by
        Hypers and hypos of the term.
    like
        Words that share a parent with it.
    not_entails
        Words that are not hypers of it; they are never among the answers.
    own
        Use the vector of the term, if it has one, as one more fact. If the space has an encoder, it reads a term
        without a vector; else a name of several words is composed of theirs.
    definition
        What the term means, in a sentence, which an encoder reads with it; by default that of the taxonomy, if nothing
        is known of the term.
    taxonomy
        A taxonomy whose terms are the only possible answers. Terms below a word of `not_entails` are excluded too, and
        the facts must not contradict it.
    k
        The number of parents and of children.
    progress
        A callback that gets the number of stages done so far and the number of all. What it raises ends the work.
    """
    if not isinstance(term, str) or not term.strip():
        raise InvalidInput(f"the term is {term!r:.40}, expected a name that is not empty")
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise InvalidInput(f"k is {k!r}, expected a whole number, 0 or more")
    stated = {"entails": entails, "entailed_by": entailed_by, "like": like, "not_entails": not_entails}
    given = {relation: word_list(several, relation) for relation, several in stated.items()}
    if isinstance(where, Inference):
        if definition is not None:
            raise InvalidInput("a definition beside a graph, expected it beside a space with an encoder")
        if taxonomy is not None:
            raise InvalidInput("a taxonomy beside a graph, expected it beside a space: a graph has its own edges")
        return _place_in_graph(term, where, given, own=own, k=k)
    report = progress or (lambda *_: None)
    report(0, STAGES)
    lacking = [word for several in given.values() for word in several]  # facts say more than a stand-in would
    if definition is None and own and not lacking and not all(word in where for word in forms.one_spaced(term).split()):
        lacking.append(term)  # it cannot be composed of its words
    where = reading(where, lacking)
    places = np.empty(0, dtype=np.int64) if taxonomy is None else rows_of_terms(taxonomy, where)
    if taxonomy is not None:
        called = _called(taxonomy, places, where)
        given = {relation: [called.get(word, word) for word in several] for relation, several in given.items()}
    said = {name: known_words(where, several)[0] if several else [] for name, several in given.items()}
    _check_agreement(term, said, where, taxonomy, places)
    if definition is None and taxonomy is not None:
        definition = (to_read(where, [term], taxonomy.definitions) or [None])[0]
    facts = own_facts(term, where) if own and definition is None else [Fact(term, "own")] if own else []
    facts += [Fact(word, relation) for relation in ASYMMETRY for word in said.get(relation, [])]
    _check_any(term, facts)
    report(1, STAGES)
    vector = infer(where, facts, definition)
    report(2, STAGES)
    words = where.vocabulary.words
    rows = where.vocabulary.rows([term, *(word for several in said.values() for word in several)])
    taken = {words[row] for row in rows.tolist() if row >= 0}
    parts = set(where.spelled([fact.word for fact in facts if fact.relation == "composed_of"]))
    below: set[str] = set()
    among = None
    if taxonomy is not None:
        among = [words[row] for row in np.unique(places[places >= 0]).tolist()]
        # A term that is no bird is no duck either.
        refused = np.isin(places, where.vocabulary.rows(said["not_entails"]))
        denied = {taxonomy.terms[i] for i in np.flatnonzero(refused)}
        lower = places[[taxonomy.index(each) for name in denied for each in taxonomy.descendants(name)]]
        below = {words[row] for row in lower[lower >= 0].tolist()}
    parents = where.hypernyms(vector, k + len(taken | below), among=among).without(taken | below)
    report(3, STAGES)
    children = where.hyponyms(vector, k + len(taken | parts), among=among).without(taken | parts)
    return Placement(term, tuple(facts), tuple(said["not_entails"]), vector, parents.first(k), children.first(k))


def _place_in_graph(term: str, where: Inference, given: dict[str, list[str]], *, own: bool, k: int) -> Placement:
    _check_roles(term, {word: word for words in given.values() for word in words}, given)
    facts = tuple(Fact(word, relation) for relation in ASYMMETRY for word in given.get(relation, []))
    mine = own and term in where.numbers
    _check_any(term, [*facts, *([Fact(term, "own")] if mine else [])])
    log_odds = infer_node(term, where, given, prior=where[term] if mine else 0.0)
    parents, children = best(log_odds, where, {term, *(word for words in given.values() for word in words)}, k)
    return Placement(term, facts, tuple(given["not_entails"]), log_odds, parents, children)


def _check_any(term: str, facts: Sequence[Fact]) -> None:
    if not facts:
        raise InvalidInput(
            f"nothing is known of {term!r}, not even a vector: say what it entails, what entails it, or what it is like"
        )


def own_facts(term: str, space: EntailmentSpace) -> list[Fact]:
    """Return the facts that the vocabulary has: the vector of the term or, for a phrase, those of its words.

    >>> from entvec.space.default import default_space
    >>> own_facts("bass guitar", default_space())
    [Fact(word='bass', relation='composed_of', weight=0.3), Fact(word='guitar', relation='composed_of', weight=0.7)]
    """
    if term in space or space.encoder is not None:
        return [Fact(term, "own")]
    words = term.replace("_", " ").replace("-", " ").split()
    before, head = [word for word in words[:-1] if word in space], words[-1]
    if len(words) < 2 or head not in space:
        return []
    if missing := [word for word in words[:-1] if word not in space]:
        told = f"of {term!r} only a part is known, {', '.join(missing)} is not; it is placed without"
        warnings.warn(told, UnknownWords, stacklevel=3)
    share = HEAD if before else 1.0
    others = [Fact(word, "composed_of", round((1 - share) / len(before), 6)) for word in before]
    return [*others, Fact(head, "composed_of", share)]


def infer(space: EntailmentSpace, facts: Sequence[Fact], definition: str | None = None) -> AnyFloats:
    """Return the vector of a term with these facts; a definition is one of the term itself."""
    frame = geometry(space)
    told = None if definition is None else [definition if fact.relation == "own" else None for fact in facts]
    vectors = space.vectors_of([fact.word for fact in facts], definition=told)
    weights = np.array([fact.weight for fact in facts])
    asymmetry = np.array([ASYMMETRY[fact.relation] for fact in facts])[:, None]
    found = {}
    for side in OTHER:
        log_odds, centre = space.model.log_odds(side, vectors), frame.centre[side]
        messages = _message(log_odds, asymmetry) - _message(centre, asymmetry)
        found[side] = centre + weights @ messages / weights.sum()
    return frame.vector(found)


def _message(log_odds: AnyFloats, asymmetry: AnyFloats) -> AnyFloats:
    """Return the message of a word that the term entails by 1 + asymmetry and is entailed by, by 1 - asymmetry."""
    return np.asarray(-(1 + asymmetry) * log_unknown(log_odds) + (1 - asymmetry) * log_known(log_odds))


@dataclass(frozen=True, eq=False)
class Geometry:
    """The distribution of the vectors of a space, and the affine functions that turn them into log-odds."""

    average: AnyFloats
    centre: dict[Side, AnyFloats]
    """The log-odds of the average vector."""
    back: AnyFloats
    """The matrix that maps log-odds of both sides, less the centre, to a vector, less the average."""

    def vector(self, log_odds: dict[Side, AnyFloats]) -> AnyFloats:
        """Return the vector whose log-odds on both sides are nearest to these."""
        target = np.concatenate([log_odds[side] - self.centre[side] for side in OTHER])
        return np.asarray(self.average + self.back @ target)


_geometries: WeakKeyDictionary[EntailmentSpace, Geometry] = WeakKeyDictionary()


def geometry(space: EntailmentSpace) -> Geometry:
    """Return how the vectors of a space lie: computed once, and remembered for as long as the space is in use."""
    if (found := _geometries.get(space)) is not None:
        return found
    words = sample(space.vocabulary)
    average = words.mean(axis=0)
    spread = np.atleast_2d((words - average).T @ (words - average) / len(words))
    axes = np.eye(len(average))
    spread += 1e-4 * max(float(np.trace(spread)) / len(axes), 1e-12) * axes
    centre = {side: space.model.log_odds(side, average) for side in OTHER}
    origin = [space.model.log_odds(side, np.zeros_like(average)) for side in OTHER]
    at_axes = [space.model.log_odds(side, axes) for side in OTHER]
    slopes = np.concatenate([there - here for there, here in zip(at_axes, origin, strict=True)], axis=1)
    # The ridge regression of vectors on log-odds; the covariance of the vocabulary is its prior.
    back = np.linalg.solve(slopes @ slopes.T + RIDGE * np.linalg.inv(spread), slopes)
    _geometries[space] = Geometry(average, centre, back)
    return _geometries[space]


def _called(taxonomy: Taxonomy, places: Rows, space: EntailmentSpace) -> dict[str, str]:
    """Return the word in the vocabulary for each identifier, label and synonym of a term."""
    found: dict[str, str] = {}
    for term, row in zip(taxonomy.terms, places.tolist(), strict=True):
        names = (term, taxonomy.labels.get(term, term), *taxonomy.about.get(term, {}).get(SYNONYM, ()))
        for name in names if row >= 0 else ():
            found.setdefault(name, space.vocabulary.words[row])
    return found


def _check_agreement(
    term: str, facts: dict[str, list[str]], space: EntailmentSpace, taxonomy: Taxonomy | None, places: Rows
) -> None:
    """Raise InvalidInput if facts contradict each other or the taxonomy."""
    words = [word for several in facts.values() for word in several]
    rows = space.vocabulary.rows([term, *words]).tolist()
    same = {word: str(row) for word, row in zip([term, *words], rows, strict=True) if row >= 0}
    _check_roles(term, same, facts)
    if taxonomy is None:
        return
    found = zip(taxonomy.terms, places.tolist(), strict=True)
    names = {space.vocabulary.words[row]: each for each, row in found if row >= 0}
    names |= {taxonomy.labels.get(each, each): each for each in taxonomy.terms}
    edges = [(term, word) for word in facts["entails"]] + [(word, term) for word in facts["entailed_by"]]
    both = taxonomy.with_edges([(names.get(hypo, hypo), names.get(hyper, hyper)) for hypo, hyper in edges])
    denied = [(term, word, f"{term!r} does not entail {word!r}") for word in facts["not_entails"]]
    turned = [(word, term, f"{term!r} entails {word!r}") for word in facts["entails"]]
    turned += [(term, word, f"{word!r} entails {term!r}") for word in facts["entailed_by"]]
    for hypo, hyper, told in (*denied, *turned):
        start, goal = names.get(hypo, hypo), names.get(hyper, hyper)
        if start in both and goal in both and (path := both.path(start, goal)):
            way = " => ".join(map(both.label, path))
            raise InvalidInput(f"{told}, but by the taxonomy and the other facts {way}")
    for hypo, hyper in taxonomy.denied():
        if not taxonomy.entails(hypo, hyper) and (path := both.path(hypo, hyper)):
            way = " => ".join(map(both.label, path))
            told = f"the taxonomy denies that {both.label(hypo)!r} entails {both.label(hyper)!r}"
            raise InvalidInput(f"{told}, but with the facts {way}")


def _check_roles(term: str, same: dict[str, str], facts: dict[str, list[str]]) -> None:
    """Raise InvalidInput if a word has two relations or is the term; `same` maps spellings of a word to one key."""
    role: dict[str, str] = {}
    for relation, words in facts.items():
        for word in words:
            key = same.get(word, word)
            if key == same.get(term, term):
                raise InvalidInput(f"{term!r} is among its own facts ({relation}), expected other words")
            if key in role:
                raise InvalidInput(f"{word!r} is said in both {role[key]} and {relation}, which contradict each other")
            role[key] = relation
