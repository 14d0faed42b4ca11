"""Build a first taxonomy of a list of words: each word under the one that it most probably entails.

Every word is in it. An edge has the probability that `space.probability` gives it, one half or more unless less is
asked for; words without such a parent stay on top, with guesses beside the tree. All words of the list decide which of
two words is more general, and an edge only leads to a more general one, so that edges cannot close a cycle: by what is
known of the pairs (`known_parents`), or by vectors alone (`Among.standing`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput, Remedy
from entvec.graphs.structure import Reachability, cycles, transitive_reduction
from entvec.graphs.taxonomy import Edge, Taxonomy
from entvec.interchange import word_list
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.space.queries import EvidenceUsed
from entvec.taxonomy.evidence import Among, asked_words, log_odds_of, reading, why_unread
from entvec.taxonomy.known_parents import KnownParents
from entvec.taxonomy.names import Names
from entvec.theory.elementwise import known

LEAST, FURTHER = 0.5, 0.5
"""The least probability of the edge to the best parent, and of edges to other parents."""
LIST_LEAST = 0.1
"""Where vectors alone decide, the least probability by all evidence of the list."""
GUESSES, GUESSED = 3, 0.1
"""How many guesses a word without a parent has, and their least probability."""
ALONE = "no word of the list is its parent with the probability that is asked for"
CANDIDATES = 64
"""The number of possible parents of each word that are tried, if some are denied or several are wanted."""
HYPERNYMS_EACH = 10
"""The number of hypernyms of each word that are candidates for missing concepts."""
SEARCHED_AT_ONCE = 64
LEAST_CHILDREN = 2
"""An added concept needs at least this many children."""

Pairs = Iterable[tuple[str, str]]


class Guess(NamedTuple):
    """A parent that is not probable enough for an edge."""

    hypo: str
    hyper: str
    probability: float
    """NaN if nothing is known of the word, and the guess rests on its last words."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A first taxonomy, and what is beside it."""

    taxonomy: Taxonomy
    """Every word, with the edges that are probable enough."""
    guesses: tuple[Guess, ...]
    """Less probable parents of words that have none, the most probable first for each."""
    unplaced: Mapping[str, str]
    """Words without an edge, and why."""
    imported: frozenset[tuple[str, str]]
    """Edges that were given, not found."""
    space: EntailmentSpace = field(repr=False)
    """The space that was asked."""

    @cached_property
    def list_evidence(self) -> Mapping[tuple[str, str], float]:
        """What the list itself adds for each edge between words with vectors, in log-odds; its probability lacks this.

        That is how general the other words make the hyper, how near the two vectors are, and the prior.
        """
        space = reading(self.space, self.taxonomy.terms)
        names = _with_vectors(space, list(self.taxonomy.terms))
        place = {name: i for i, name in enumerate(names)}
        there = [edge[:2] for edge in self.taxonomy.edges() if edge.hypo in place and edge.hyper in place]
        if not there:
            return {}
        among = _among(space, names, len(names))
        hypo, hyper = (np.array([place[pair[side]] for pair in there], dtype=np.int64) for side in (0, 1))
        added = among.total(np.zeros(len(there)), among.standing[hyper], among.nearness(hypo, hyper))
        return dict(zip(there, added.tolist(), strict=True))


def induce(
    words: Sequence[str],
    space: EntailmentSpace,
    *,
    shape: str = "tree",
    least: float = LEAST,
    entails: Pairs = (),
    not_entails: Pairs = (),
    add: bool = False,
    root: str | None = None,
    roots: Sequence[str] = (),
    evidence: EvidenceUsed = "all",
    progress: Progress | None = None,
) -> Taxonomy:
    """Return a taxonomy of the words, in which every edge has its probability; `draft` has what is beside it, too.

    >>> from entvec.space.default import default_space
    >>> found = induce(["dog", "cat", "animal", "car", "truck", "vehicle"], default_space())
    >>> sorted((edge.hypo, edge.hyper) for edge in found.edges())
    [('car', 'vehicle'), ('cat', 'animal'), ('dog', 'animal'), ('truck', 'vehicle')]

    Parameters
    ----------
    words
        The words; all of them are in the taxonomy.
    space
        A calibrated space.
    shape
        In a "tree" a word has at most one parent. In a "dag" it may have others, if their probability is at least one
        half and no other parent implies them.
    least
        The least probability of an edge; a word without such an edge stays on top.
    entails, not_entails
        Pairs (hypo, hyper) that are known to hold, or not to hold; also a DataFrame of two columns. Their words need no
        vector.
    add
        Add concepts of the vocabulary that two or more words have as their parent.
    root
        The name of a term above all words that would stay on top.
    roots
        Words that get no parent.
    evidence
        "all" asks what the space knows, if it knows something; "vectors" rests on the vectors alone.
    progress
        A callback that gets the number of words compared so far and the number of all. What it raises ends the work.
    """
    found = draft(
        words,
        space,
        shape=shape,
        least=least,
        entails=entails,
        not_entails=not_entails,
        add=add,
        root=root,
        roots=roots,
        evidence=evidence,
        progress=progress,
    )
    return found.taxonomy


def draft(
    words: Sequence[str],
    space: EntailmentSpace,
    *,
    shape: str = "tree",
    least: float = LEAST,
    entails: Pairs = (),
    not_entails: Pairs = (),
    add: bool = False,
    root: str | None = None,
    roots: Sequence[str] = (),
    evidence: EvidenceUsed = "all",
    progress: Progress | None = None,
) -> Draft:
    """Return what `induce` returns, with guesses for words on top, and why words have no edge.

    >>> from entvec.space.default import default_space
    >>> found = draft(["dog", "animal", "piano", "qqqqqzz"], default_space())
    >>> [edge[:2] for edge in found.taxonomy.edges()], len(found.taxonomy), "piano" in found.unplaced
    ([('dog', 'animal')], 4, True)

    Parameters
    ----------
    words, space, shape, least, entails, not_entails, add, root, roots, evidence, progress
        As for `induce`.
    """
    if shape not in ("tree", "dag"):
        raise InvalidInput(f"shape is {shape!r}, expected 'tree' or 'dag'")
    if not 0 <= least <= 1:
        raise InvalidInput(f"least is {least}, expected a probability, 0 to 1")
    words = word_list(words)
    report = progress or (lambda *_: None)
    said = _said(entails, not_entails)
    spoken = list(dict.fromkeys(word for edge in said.edges() for word in edge[:2]))
    # Words of pairs come first: the list may spell them in another way.
    asked = asked_words(space, [*(word for word in spoken if word != root), *words])
    if root is not None and root in words:
        raise InvalidInput(f"root is {root!r}, which is one of the words; leave it out, or name it otherwise")
    if space.calibration is None:
        raise InvalidInput("this space has no probabilities, expected a calibrated one", remedy=Remedy.CALIBRATE)
    informed = space.knowledge is not None and evidence == "all"
    if not informed:  # a space that knows something reads what has no vector where it is asked for a probability
        space = reading(space, asked)
    names = asked if informed else _with_vectors(space, asked)
    n = len(names)
    if add and names:
        names = [*names, *(word for word in _missing(space, names, report) if word != root)]
    parents: KnownParents | Among = KnownParents(space, names, report) if informed else _among(space, names, n)
    settled = {*roots}
    while True:
        edges, rank = _edges(parents, names, said, settled, shape=shape, least=least, progress=report)
        children = Counter(edge.hyper for edge in edges)
        idle = {name for name in names[n:] if children[name] < LEAST_CHILDREN}  # added in vain
        if not idle:
            break
        kept = [i for i, name in enumerate(names) if name not in idle]
        names = [names[i] for i in kept]
        parents = parents.keeping(kept) if isinstance(parents, KnownParents) else _among(space, names, n)
    edges += [Edge(hypo, hyper, 1.0) for hypo, hyper, _ in said.edges()]  # also those whose words have no vector
    terms = dict.fromkeys([*([] if root is None else [root]), *_in_order(asked, names), *spoken])
    if root is not None:
        edges += _to_root(root, Taxonomy.from_edges(dict.fromkeys(edges), terms=terms), said)
    denied = [pair for pair in said.denied() if terms.keys() >= set(pair)]
    made = Taxonomy.from_edges(dict.fromkeys(edges), terms=terms, negations=denied).replaced(duplicates=())
    return Draft(
        made,
        _guesses(parents, names, made, {*said.denied()}, rank, least, root),
        {term: _why(space, parents, names, term) for term in made.orphans},
        frozenset(edge[:2] for edge in said.edges()),
        space,
    )


def _in_order(asked: list[str], names: list[str]) -> list[str]:
    """Return the words that were asked for, and those that were added."""
    there = set(asked)
    return [*asked, *(name for name in names if name not in there)]


def _with_vectors(space: EntailmentSpace, asked: list[str]) -> list[str]:
    """Return the words that have a vector, one for each vector."""
    rows = space.vocabulary.rows(asked)
    _, first = np.unique(rows, return_index=True)
    return [asked[i] for i in np.sort(first[rows[first] >= 0]).tolist()]


def _among(space: EntailmentSpace, names: list[str], n: int) -> Among:
    return Among(space, space.vocabulary.rows(names), n)


def _guesses(
    parents: KnownParents | Among,
    names: list[str],
    made: Taxonomy,
    denied: set[tuple[str, str]],
    rank: Rows,
    least: float,
    root: str | None,
) -> tuple[Guess, ...]:
    """Return the best parents of words that have none; where vectors alone decide there are none."""
    if not isinstance(parents, KnownParents):
        return ()
    found = []
    heads = Names(Taxonomy.from_edges([], terms=names))
    for i in parents.unread:  # a name of several words may be a kind of what its last words say
        found += [Guess(names[i], names[j], float("nan")) for j in heads.heads(names[i]) if j != i]
    for i, name in enumerate(names):
        if set(made.parents(name)) <= {root}:
            some = [Guess(name, names[j], p) for j, p in parents.guesses(i, least, rank) if p >= GUESSED]
            found += [guess for guess in some if guess[:2] not in denied][:GUESSES]
    return tuple(found)


def _why(space: EntailmentSpace, parents: KnownParents | Among, names: list[str], term: str) -> str:
    """Return why a word has no edge, and which words are spelled like it."""
    unread = term not in names if isinstance(parents, Among) else term in {names[i] for i in parents.unread}
    return why_unread(space, term) if unread else ALONE


def _to_root(root: str, draft: Taxonomy, said: Taxonomy) -> list[Edge]:
    """Return edges to the root from all terms without a parent, except those that are known not to be below it."""
    refused = {hypo for hypo, hyper in said.denied() if hyper == root}
    over = {root, *(said.ancestors(root) if root in said else ())}
    tops = [term for term in draft.terms if term not in over and not draft.parents(term)]
    return [Edge(term, root) for term in tops if refused.isdisjoint({term, *draft.descendants(term)})]


def _said(entails: Pairs, not_entails: Pairs) -> Taxonomy:
    """Return the known pairs as a taxonomy; raise InvalidInput if they contradict each other."""
    said = Taxonomy.from_edges(entails, negations=not_entails)
    if said.self_loops:
        raise InvalidInput(f"{said.self_loops[0]!r} entails itself: that says nothing, expected two words")
    for _, circle in cycles(len(said), said.hypo, said.hyper):
        path = " => ".join(said.terms[node] for node in [*circle, circle[0]])
        raise InvalidInput(f"what is known goes round in a circle, {path}; leave one of these out")
    lows, highs = said.negations.T
    follows = (lows == highs) | Reachability(len(said), said.hypo, said.hyper).pairs(lows, highs)
    for hypo, hyper in said.negations[follows].tolist():
        path = " => ".join(said.path(said.terms[hypo], said.terms[hyper]))
        raise InvalidInput(
            f"{said.terms[hypo]!r} does not entail {said.terms[hyper]!r}, but {path} is known; leave one of them out"
        )
    return said


def _edges(
    parents: KnownParents | Among,
    names: list[str],
    said: Taxonomy,
    roots: set[str],
    *,
    shape: str,
    least: float,
    progress: Progress,
) -> tuple[list[Edge], Rows]:
    """Return edges to the best parents of words, without the known ones, and the rank of each word."""
    place = {name: i for i, name in enumerate(names)}
    spoken = [name for name in said.terms if name in place]
    over = {place[name]: {place[each] for each in said.ancestors(name) if each in place} for name in spoken}
    progress(0, len(names))
    under = {place[name]: {place[each] for each in said.descendants(name) if each in place} for name in spoken}
    progress(0, len(names))
    has_parent = {place[name] for name in spoken if said.parents(name)}
    refused = {(place[y], place[x]) for y, x in said.denied() if y in place and x in place}
    firm = [(i, j) for i, several in over.items() for j in several]
    progress(0, len(names))
    rank = _ranks(parents.standing, firm)
    progress(0, len(names))
    if isinstance(parents, KnownParents):
        candidates = parents.candidates(least, rank)
    else:
        candidates = _candidates(parents, rank, least, progress)
    above: list[set[int]] = [set() for _ in names]
    found: list[tuple[int, int]] = []
    for i in np.argsort(rank).tolist():  # general words first, so that the ancestors of a parent are known
        progress(len(names), len(names))
        above[i] = over.get(i, set()).union(*(above[j] for j in over.get(i, ())))
        settled = i in has_parent
        for j, probable in candidates[i] if names[i] not in roots else ():
            if settled and not (shape == "dag" and probable):
                continue
            follows = {j, *above[j]}
            affected = {i, *under.get(i, ())}
            if j not in above[i] and not any((y, x) in refused for y in affected for x in follows):
                found.append((i, j))
                above[i] |= follows
                settled = True
    low, high = (np.array([pair[side] for pair in (*found, *firm)], dtype=np.int64) for side in (0, 1))
    stays = transitive_reduction(len(names), low, high)[: len(found)]
    if isinstance(parents, KnownParents):
        probability = np.array([parents.probability[pair] for pair in found])
    else:
        probability = known(parents.log_odds(low[: len(found)], high[: len(found)])) if found else np.empty(0)
    edges = [
        Edge(names[i], names[j], float(p)) for (i, j), p, stay in zip(found, probability, stays, strict=True) if stay
    ]
    return edges, rank


def _candidates(among: Among, rank: Rows, least: float, progress: Progress) -> list[list[tuple[int, bool]]]:
    """Return the best parents of each word, the best first, each with True if the list says so more than not."""
    floor, further = (log_odds_of(p) for p in (LIST_LEAST, FURTHER))
    found: list[list[tuple[int, bool]]] = []
    for block, evidence in among.matrix():
        possible = (rank[None] < rank[block, None]) & (evidence >= floor)
        wanted = np.where(possible, among.as_parents(evidence), -np.inf)
        best = np.argsort(-wanted, axis=1, kind="stable")[:, :CANDIDATES]
        rows, columns = np.nonzero(np.take_along_axis(possible, best, axis=1))
        sure = np.zeros(best.shape, dtype=bool)
        if len(rows):
            sure[rows, columns] = known(among.log_odds(block[rows], best[rows, columns])) >= least
        for row, fits, places in zip(evidence, sure, best, strict=True):
            found.append([(j, bool(row[j] >= further)) for j, fit in zip(places.tolist(), fits, strict=True) if fit])
        progress(len(found), len(among))
    return found


def _ranks(standing: AnyFloats, edges: Iterable[tuple[int, int]]) -> Rows:
    """Return the rank of each word: by standing, the highest first, but every hyper before its hypos."""
    waiting = Counter(hypo for hypo, _ in edges)
    below: dict[int, list[int]] = {}
    for hypo, hyper in edges:
        below.setdefault(hyper, []).append(hypo)
    ready = [(-value, i) for i, value in enumerate(standing.tolist()) if not waiting[i]]
    heapify(ready)
    rank = np.empty(len(standing), dtype=np.int64)
    for place in range(len(standing)):
        _, i = heappop(ready)
        rank[i] = place
        for hypo in below.get(i, []):
            waiting[hypo] -= 1
            if not waiting[hypo]:
                heappush(ready, (-float(standing[hypo]), hypo))
    return rank


def _missing(space: EntailmentSpace, names: list[str], progress: Progress) -> list[str]:
    """Return concepts of the vocabulary that two or more words entail and that are no form of one of them.

    Of a word that is known, only what is known to be above it counts, if anything is.
    """
    spelled = zip(names, space.spelled(names, missing="nan"), strict=True)
    there = {form(found or name) for name, found in spelled}
    found: Counter[str] = Counter()
    for first in range(0, len(names), SEARCHED_AT_ONCE):
        progress(0, len(names))
        some = names[first : first + SEARCHED_AT_ONCE]
        for name, matches in zip(some, space.hypernyms(some, HYPERNYMS_EACH, group=True, missing="nan"), strict=True):
            above = [word for word in matches.words if form(word) not in there]
            found.update(_known_above(space, name, above) or above)
    return [word for word, count in found.items() if count >= LEAST_CHILDREN]


def _known_above(space: EntailmentSpace, name: str, words: list[str]) -> list[str]:
    """Return the words that are known to be above a name."""
    if space.knowledge is None:
        return []
    meanings = space.judge.evidence.meanings
    above = {concept for sense, _ in meanings.of(name) for concept in meanings.above(sense.concept)}
    return [word for word in words if above.intersection(sense.concept for sense, _ in meanings.of(word))]
