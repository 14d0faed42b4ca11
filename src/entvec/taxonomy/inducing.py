"""Build a first taxonomy of a list of words: each word under the one that it most probably entails.

All words of the list decide which of two words is more general (`Among.standing`), and an edge only leads to a word of
higher standing. So edges cannot close a cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from entvec.errors import InvalidInput
from entvec.graphs.structure import Reachability, cycles, transitive_reduction
from entvec.graphs.taxonomy import Edge, Taxonomy
from entvec.interchange import word_list
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.taxonomy.evidence import Among, Floats, Rows, known_words, log_odds_of, reading
from entvec.theory.elementwise import known

LEAST, FURTHER = 0.1, 0.5
"""The least probability of the edge to the best parent, and of edges to other parents."""
CANDIDATES = 64
"""The number of possible parents of each word that are tried, if some are denied or several are wanted."""
HYPERNYMS_EACH = 10
"""The number of hypernyms of each word that are candidates for missing concepts."""
SEARCHED_AT_ONCE = 64
LEAST_CHILDREN = 2
"""An added concept needs at least this many children."""

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
    progress: Progress | None = None,
) -> Taxonomy:
    """Return a taxonomy of the words, in which every edge has its probability.

    >>> from entvec.space.default import default_space
    >>> found = induce(["dog", "cat", "animal", "car", "truck", "vehicle"], default_space())
    >>> sorted((edge.hypo, edge.hyper) for edge in found.edges())
    [('car', 'vehicle'), ('cat', 'animal'), ('dog', 'animal'), ('truck', 'vehicle')]

    Parameters
    ----------
    words
        The words; those without a vector are ignored with a warning.
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
    progress
        A callback that gets the number of words compared so far and the number of all. What it raises ends the work.
    """
    if shape not in ("tree", "dag"):
        raise InvalidInput(f"shape is {shape!r}, expected 'tree' or 'dag'")
    if not 0 <= least <= 1:
        raise InvalidInput(f"least is {least}, expected a probability, 0 to 1")
    words = word_list(words)
    report = progress or (lambda *_: None)
    said = _said(entails, not_entails)
    spoken = list(dict.fromkeys(word for edge in said.edges() for word in edge[:2]))
    space = reading(space, [*(word for word in spoken if word != root), *words])
    # Words of pairs come first: the list may spell them in another way.
    names, rows = known_words(space, [*(word for word in spoken if word != root and word in space), *words])
    if root is not None and root in words:
        raise InvalidInput(f"root is {root!r}, which is one of the words; leave it out, or name it otherwise")
    n = len(names)
    if add:
        missing = [word for word in _missing(space, names, report) if word != root]
        names, rows = [*names, *missing], np.concatenate([rows, space.vocabulary.rows_of_all(missing)])
    while True:
        edges = _edges(Among(space, rows, n), names, said, shape=shape, least=least, progress=report)
        children = Counter(edge.hyper for edge in edges)
        idle = {name for name in names[n:] if children[name] < LEAST_CHILDREN}  # added in vain
        if not idle:
            break
        kept = [i for i, name in enumerate(names) if name not in idle]
        names, rows = [names[i] for i in kept], rows[kept]
    edges += [Edge(hypo, hyper, 1.0) for hypo, hyper, _ in said.edges()]  # also those whose words have no vector
    terms = dict.fromkeys([*([] if root is None else [root]), *names, *spoken])
    if root is not None:
        edges += _to_root(root, Taxonomy.from_edges(dict.fromkeys(edges), terms=terms), said)
    denied = [pair for pair in said.denied() if terms.keys() >= set(pair)]
    return Taxonomy.from_edges(dict.fromkeys(edges), terms=terms, negations=denied).replaced(duplicates=())


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
    among: Among, names: list[str], said: Taxonomy, *, shape: str, least: float, progress: Progress
) -> list[Edge]:
    """Return edges to the best parents of words, without the known ones."""
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
    rank = _ranks(among.standing, firm)
    progress(0, len(names))
    candidates = _candidates(among, rank, least, progress)
    above: list[set[int]] = [set() for _ in names]
    found: list[tuple[int, int]] = []
    for i in np.argsort(rank).tolist():  # general words first, so that the ancestors of a parent are known
        progress(len(names), len(names))
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
    low, high = (np.array([pair[side] for pair in (*found, *firm)], dtype=np.int64) for side in (0, 1))
    stays = transitive_reduction(len(names), low, high)[: len(found)]
    probability = known(among.pairs(low[: len(found)], high[: len(found)]))
    return [
        Edge(names[i], names[j], float(p)) for (i, j), p, stay in zip(found, probability, stays, strict=True) if stay
    ]


def _candidates(among: Among, rank: Rows, least: float, progress: Progress) -> list[list[tuple[int, bool]]]:
    """Return the best parents of each word, the best first, each with True if its probability is at least one half."""
    floor, further = (log_odds_of(p) for p in (least, FURTHER))
    found: list[list[tuple[int, bool]]] = []
    for block, evidence in among.matrix():
        possible = (rank[None] < rank[block, None]) & (evidence >= floor)
        wanted = np.where(possible, among.as_parents(evidence), -np.inf)
        best = np.argsort(-wanted, axis=1, kind="stable")[:, :CANDIDATES]
        for row, fits, places in zip(evidence, possible, best, strict=True):
            found.append([(j, bool(row[j] >= further)) for j in places.tolist() if fits[j]])
        progress(len(found), len(among))
    return found


def _ranks(standing: Floats, edges: Iterable[tuple[int, int]]) -> Rows:
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
    """Return concepts of the vocabulary that two or more words entail and that are no form of one of them."""
    there = set(map(form, space.spelled(names)))
    found: Counter[str] = Counter()
    for first in range(0, len(names), SEARCHED_AT_ONCE):
        progress(0, len(names))
        for matches in space.hypernyms(
            names[first : first + SEARCHED_AT_ONCE], HYPERNYMS_EACH, group=True, evidence="vectors"
        ):
            found.update(word for word in matches.words if form(word) not in there)
    return [word for word, count in found.items() if count >= LEAST_CHILDREN]
