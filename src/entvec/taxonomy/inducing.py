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
from entvec.graphs.structure import cycles, transitive_reduction
from entvec.graphs.taxonomy import Edge, Taxonomy
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.taxonomy.evidence import Among, Floats, Rows, known_words, log_odds_of
from entvec.theory.elementwise import known

LEAST, FURTHER = 0.1, 0.5
"""How probable an edge must be: the one to the best parent, and those to others."""
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
    would stay on top. Words of known pairs need no vector.

    >>> from entvec.bundled import default_space
    >>> found = induce(["dog", "cat", "animal", "car", "truck", "vehicle"], default_space())
    >>> sorted((edge.hypo, edge.hyper) for edge in found.edges())
    [('car', 'vehicle'), ('cat', 'animal'), ('dog', 'animal'), ('truck', 'vehicle')]
    """
    if shape not in ("tree", "dag"):
        raise InvalidInput(f"shape is {shape!r}, expected 'tree' or 'dag'")
    if not 0 <= least <= 1:
        raise InvalidInput(f"least is {least}, expected a probability, 0 to 1")
    if isinstance(words, str):
        raise InvalidInput(f"words is the text {words!r:.40}, expected a list of words")
    said = _said(entails, not_entails)
    spoken = list(dict.fromkeys(word for edge in said.edges() for word in edge[:2]))
    # Those first: in the list the same word may be spelled otherwise.
    names, rows = known_words(space, [*(word for word in spoken if word != root and word in space), *words])
    if root is not None and root in words:
        raise InvalidInput(f"root is {root!r}, which is one of the words; leave it out, or name it otherwise")
    n = len(names)
    if add:
        missing = [word for word in _missing(space, names) if word != root]
        names, rows = [*names, *missing], np.concatenate([rows, space.vectors.rows_of_all(missing)])
    while True:
        edges = _edges(Among(space, rows, n), names, said, shape=shape, least=least)
        idle = _idle(names[n:], edges)
        if not idle:
            break
        kept = [i for i, name in enumerate(names) if name not in idle]
        names, rows = [names[i] for i in kept], rows[kept]
    edges += [Edge(hypo, hyper, 1.0) for hypo, hyper, _ in said.edges()]  # those with a word that has no vector, too
    terms = dict.fromkeys([*([] if root is None else [root]), *names, *spoken])
    if root is not None:
        edges += _to_root(root, Taxonomy.from_edges(dict.fromkeys(edges), terms=terms), said)
    denied = [pair for pair in said.denied() if terms.keys() >= set(pair)]
    return Taxonomy.from_edges(dict.fromkeys(edges), terms=terms, negations=denied).replaced(duplicates=())


def _to_root(root: str, draft: Taxonomy, said: Taxonomy) -> list[Edge]:
    """Edges to the root from all that has nothing above it, unless it is known that they are not below it."""
    refused = {hypo for hypo, hyper in said.denied() if hyper == root}
    over = {root, *(said.ancestors(root) if root in said else ())}
    tops = [term for term in draft.terms if term not in over and not draft.parents(term)]
    return [Edge(term, root) for term in tops if refused.isdisjoint({term, *draft.descendants(term)})]


def _said(entails: Pairs, not_entails: Pairs) -> Taxonomy:
    """What is known already, if it does not contradict itself."""
    said = Taxonomy.from_edges(entails, negations=not_entails)
    if said.self_loops:
        raise InvalidInput(f"{said.self_loops[0]!r} entails itself: that says nothing, expected two words")
    for circle in cycles(len(said), said.hypo, said.hyper)[:1]:
        path = " => ".join(said.terms[node] for node in [*circle, circle[0]])
        raise InvalidInput(f"what is known goes round in a circle, {path}; leave one of these out")
    for hypo, hyper in said.denied():
        if said.entails(hypo, hyper):
            path = " => ".join(said.path(hypo, hyper))
            raise InvalidInput(f"{hypo!r} does not entail {hyper!r}, but {path} is known; leave one of them out")
    return said


def _edges(among: Among, names: list[str], said: Taxonomy, *, shape: str, least: float) -> list[Edge]:
    """Edges to the best parents of words, beside those that are known."""
    place = {name: i for i, name in enumerate(names)}
    spoken = [name for name in said.terms if name in place]
    over = {place[name]: {place[each] for each in said.ancestors(name) if each in place} for name in spoken}
    under = {place[name]: {place[each] for each in said.descendants(name) if each in place} for name in spoken}
    has_parent = {place[name] for name in spoken if said.parents(name)}
    refused = {(place[y], place[x]) for y, x in said.denied() if y in place and x in place}
    rank = _ranks(among.standing, [(i, j) for i, above in over.items() for j in above])
    candidates = _candidates(among, rank, least)
    above: list[set[int]] = [set() for _ in names]
    found: list[tuple[int, int]] = []
    for i in np.argsort(rank).tolist():  # the general first, so that what a parent entails is known
        above[i] = over.get(i, set()).union(*(above[j] for j in over.get(i, ())))
        settled = i in has_parent
        for j, probable in candidates[i]:
            if settled and not (shape == "dag" and probable):
                continue
            follows = {j, *above[j]}
            affected = {i, *under.get(i, ())}
            if j not in above[i] and not any((y, x) in refused for y in affected for x in follows):
                found.append((i, j))
                above[i] |= follows
                settled = True
    firm = [(i, j) for i, several in over.items() for j in several]
    low, high = (np.array([pair[side] for pair in (*found, *firm)], dtype=np.int64) for side in (0, 1))
    stays = transitive_reduction(len(names), low, high)[: len(found)]
    probability = known(among.pairs(low[: len(found)], high[: len(found)]))
    return [
        Edge(names[i], names[j], float(p)) for (i, j), p, stay in zip(found, probability, stays, strict=True) if stay
    ]


def _candidates(among: Among, rank: Rows, least: float) -> list[list[tuple[int, bool]]]:
    """For each word its best parents, the best first, and whether each is at least as probable as not."""
    floor, further = (log_odds_of(p) for p in (least, FURTHER))
    found: list[list[tuple[int, bool]]] = []
    for block, evidence in among.matrix():
        possible = (rank[None] < rank[block, None]) & (evidence >= floor)
        wanted = np.where(possible, among.as_parents(evidence), -np.inf)
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
