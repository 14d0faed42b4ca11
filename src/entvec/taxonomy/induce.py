"""A first taxonomy of a list of words: each under the one that it most probably entails.

Which of two words is the more general is not left to the pair: all words of the list have a say (`Among.standing`), and
an edge only leads to a word of higher standing. So the edges that are most probable together cannot close a cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.taxonomy.evidence import PAIR, STANDING, Among, Floats, Rows, known_words
from entvec.taxonomy.structure import break_cycles, redundant
from entvec.taxonomy.taxonomy import Edge, Taxonomy
from entvec.theory.elementwise import known

LEAST, FURTHER = 0.1, 0.5
"""How probable an edge must be: the one to the best parent, and those to others."""
LOW = 0.6 * STANDING
"""How much of its standing a word loses as a parent, beside the generality that it loses in every ranking."""
CANDIDATES = 64
"""Of each word: how many parents are looked at, if some are denied or several are wanted."""
HYPERNYMS_EACH = 10
"""Of each word: how many of its hypernyms are looked at as missing concepts."""
LEAST_CHILDREN = 2
"""Of a concept that is added: one that has fewer explains nothing."""

Pairs = Iterable[tuple[str, str]]


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
) -> Taxonomy:
    """A taxonomy of the words, every edge with its probability.

    In a "tree" a word has one parent; in a "dag" it may have others, if they are at least as probable as not and no
    parent implies them. `least` is the probability that an edge must have; a word without one stays on top. `entails`
    and `not_entails` are pairs that are known, and hold whatever the vectors say. `add` puts in concepts of the
    vocabulary that are missing, where two words or more hang under one; `root` is the name of a term over all that
    would stay on top.

    >>> from entvec.bundled import default_space
    >>> found = induce(["dog", "cat", "animal", "car", "truck", "vehicle"], default_space())
    >>> sorted((edge.hypo, edge.hyper) for edge in found.edges())
    [('car', 'vehicle'), ('cat', 'animal'), ('dog', 'animal'), ('truck', 'vehicle')]
    """
    if shape not in ("tree", "dag"):
        raise InvalidInput(f"shape is {shape!r}, expected 'tree' or 'dag'")
    if not 0 <= least <= 1:
        raise InvalidInput(f"least is {least}, expected a probability, 0 to 1")
    said, denied = list(dict.fromkeys(entails)), set(not_entails)
    names, rows = known_words(space, [*words, *(word for pair in said for word in pair)])
    said = [pair for pair in said if set(pair) <= set(names)]  # the others were warned of
    if root is not None and root in names:
        raise InvalidInput(f"root is {root!r}, which is one of the words; leave it out, or name it otherwise")
    _check_said(said, denied)
    n = len(names)
    if add:
        missing = _missing(space, names)
        names, rows = [*names, *missing], np.concatenate([rows, space.vectors.rows_of_all(missing)])
    while True:
        edges = _edges(Among(space, rows, n), names, said, denied, shape=shape, least=least)
        idle = _idle(names[n:], edges)
        if not idle:
            break
        kept = [i for i, name in enumerate(names) if name not in idle]
        names, rows = [names[i] for i in kept], rows[kept]
    if root is not None:
        below = {edge.hypo for edge in edges}
        edges += [Edge(name, root) for name in names if name not in below]
    terms = [root, *names] if root is not None else names
    return Taxonomy.from_edges(edges, terms=terms, negations=[pair for pair in denied if set(pair) <= set(names)])


def _check_said(said: list[tuple[str, str]], denied: set[tuple[str, str]]) -> None:
    for hypo, hyper in said:
        if hypo == hyper:
            raise InvalidInput(f"{hypo!r} entails itself: that says nothing, expected two words")
    claimed = Taxonomy.from_edges(said)
    for hypo, hyper in denied:
        if hypo in claimed and hyper in claimed and claimed.entails(hypo, hyper):
            raise InvalidInput(f"{hypo!r} is said to entail {hyper!r} and not to; leave one of them out")


def _edges(
    among: Among,
    names: list[str],
    said: list[tuple[str, str]],
    denied: set[tuple[str, str]],
    *,
    shape: str,
    least: float,
) -> list[Edge]:
    """Edges to the best parents."""
    n = len(names)
    place = {name: i for i, name in enumerate(names)}
    hypo, hyper = (np.array([place[pair[side]] for pair in said], dtype=np.int64) for side in (0, 1))
    consistent = break_cycles(n, hypo, hyper, among.pairs(hypo, hyper))
    firm = set(zip(hypo[consistent].tolist(), hyper[consistent].tolist(), strict=True))
    refused = {(place[y], place[x]) for y, x in denied if y in place and x in place}
    rank = _ranks(among.standing, firm)
    found: list[tuple[int, int]] = []
    above: list[set[int]] = [set() for _ in names]
    candidates = _candidates(among, rank, least)
    for i in np.argsort(rank).tolist():  # the general first, so that what a parent entails is known
        parents = [j for y, j in firm if y == i]
        for j, probable in candidates[i]:
            if parents and not (shape == "dag" and probable):
                break
            implied = {j} | above[j]
            if not any((i, x) in refused for x in implied) and not any(j in above[p] for p in parents):
                parents.append(j)
        found += [(i, j) for j in parents]
        above[i] = set(parents).union(*(above[j] for j in parents))
    low, high = (np.array([pair[side] for pair in found], dtype=np.int64) for side in (0, 1))
    stays = ~redundant(n, low, high)
    probability = known(among.pairs(low, high))
    return [
        Edge(names[i], names[j], 1.0 if (i, j) in firm else float(p))
        for (i, j), p, stay in zip(found, probability, stays, strict=True)
        if stay or (i, j) in firm
    ]


def _candidates(among: Among, rank: Rows, least: float) -> list[list[tuple[int, bool]]]:
    """For each word its best parents, the best first, and whether each is at least as probable as not."""
    floor, further = (_log_odds(p) for p in (least, FURTHER))
    found: list[list[tuple[int, bool]]] = []
    for block, evidence in among.matrix():
        possible = (rank[None] < rank[block, None]) & (evidence >= floor)
        # A word entails whatever is above its parent, too: what makes a parent is to be specific.
        wanted = np.where(possible, evidence - PAIR * among.generality - LOW * among.standing, -np.inf)
        best = np.argsort(-wanted, axis=1, kind="stable")[:, :CANDIDATES]
        for row, fits, places in zip(evidence, possible, best, strict=True):
            found.append([(j, bool(row[j] >= further)) for j in places.tolist() if fits[j]])
    return found


def _ranks(standing: Floats, edges: Iterable[tuple[int, int]]) -> Rows:
    """The places of words in the order of their standing, the highest first, but every hyper before its hypos."""
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


def _missing(space: EntailmentSpace, names: list[str]) -> list[str]:
    """Concepts of the vocabulary that two words or more entail, and that are no form of one of them."""
    there = {form(space.vectors.words[space.vectors.row(name)]) for name in names}
    found: Counter[str] = Counter()
    for matches in space.hypernyms(names, HYPERNYMS_EACH, group=True):
        found.update(word for word in matches.words if form(word) not in there)
    return [word for word, count in found.items() if count >= LEAST_CHILDREN]


def _idle(added: list[str], edges: list[Edge]) -> set[str]:
    """Those of the added concepts that do not bring two words together."""
    children = Counter(edge.hyper for edge in edges)
    return {name for name in added if children[name] < LEAST_CHILDREN}


def _log_odds(probability: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(probability) - np.log1p(-probability))
