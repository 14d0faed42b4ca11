"""Questions that encoders are measured with, drawn from WordNet: hypernyms, synonyms and siblings, whole branches."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from entvec.bundled import google_news
from entvec.knowledge import Knowledge
from entvec.vectors import forms

NOUN, VERB = 1, 2
FARTHEST, LEAST_DEPTH = 4, 4
"""Of specific hypernyms, as in `entvec evaluate discovery`."""
DRAWN = {"known": 300, "lacking": 200, "phrases": 500, "verbs": 100}
DRAWN_MORE = {"known": 500, "lacking": 400, "phrases": 600}
BRANCHES, BRANCH_SIZES = 5, (50, 300)


class Node(NamedTuple):
    """A noun or a verb, and the rows of the terms that are spelled so, whatever their case."""

    text: str
    kind: int
    rows: tuple[int, ...]


class Questions(NamedTuple):
    """Nodes to ask about, each with the number of its first sense and its right answers."""

    nodes: list[int]
    concepts: list[int]
    right: list[list[int]]


class Asking:
    """Finds right answers: specific hypernyms in first senses, among candidates."""

    def __init__(self, nodes: Sequence[Node], known: Knowledge, candidates: Collection[int]) -> None:
        self.nodes, self.known, self.candidates = nodes, known, set(candidates)
        self.first: list[int] = []
        self.means: dict[int, list[int]] = defaultdict(list)
        for number, node in enumerate(nodes):
            senses = (sense for row in node.rows for sense in known.term_senses(row))
            kind = "noun" if node.kind == NOUN else "verb"
            least = min((sense for sense in senses if sense.part_of_speech == kind), key=lambda sense: sense.number)
            self.first.append(least.concept)
            self.means[least.concept].append(number)
        self._depth: dict[int, int] = {}
        self.below: dict[int, list[int]] = defaultdict(list)
        for low, high in zip(*(ends.tolist() for ends in known.is_a.pairs()), strict=True):
            self.below[high].append(low)

    def depth(self, concept: int) -> int:
        """The fewest steps from a concept up to a root."""
        if concept not in self._depth:
            above = self.known.above(concept)
            self._depth[concept] = 1 + min(map(self.depth, above)) if above else 0
        return self._depth[concept]

    def right(self, number: int) -> list[int]:
        """The right answers for a node."""
        least = LEAST_DEPTH if self.nodes[number].kind == NOUN else 0
        found = {
            answer
            for concept, steps in self.known.ancestors([self.first[number]]).items()
            if 0 < steps <= FARTHEST and self.depth(concept) >= least
            for answer in self.means[concept]
        }
        return sorted((found & self.candidates) - {number})

    def questions(self, numbers: Iterable[int]) -> Questions:
        """The questions of those nodes that have an answer."""
        right = {number: answers for number in numbers if (answers := self.right(number))}
        return Questions(list(right), [self.first[number] for number in right], list(right.values()))

    def lower(self, number: int) -> bool:
        """Whether a node is a term that WordNet writes in small letters."""
        return any(self.known.terms[row].islower() for row in self.nodes[number].rows)


def drawn(asking: Asking, verbs: Asking, rng: np.random.Generator) -> Iterator[tuple[str, Questions]]:
    """Questions of four kinds, twice: to choose constants with, and to report."""
    for name, pool in pools(asking, rng).items():
        mine, n = (verbs if name == "verbs" else asking), DRAWN[name]
        chosen = list(islice(filter(mine.right, pool), 2 * n))
        yield f"validation.{name}", mine.questions(chosen[:n])
        yield f"test.{name}", mine.questions(chosen[n:])


def more_drawn(asking: Asking, taken: Collection[int], rng: np.random.Generator) -> Iterator[tuple[str, Questions]]:
    """Further questions of three kinds, about none of the nodes that are taken: to fit weights with, and to choose."""
    for name, pool in pools(asking, rng).items():
        if name in DRAWN_MORE:
            free = (number for number in pool if number not in taken and asking.right(number))
            yield f"fusion.{name}", asking.questions(islice(free, DRAWN_MORE[name]))


def pools(asking: Asking, rng: np.random.Generator) -> dict[str, list[int]]:
    """Nodes to draw from, by kind, in an order by chance: words that the bundled vectors know or lack, and others."""
    vectors = google_news().with_lookup(case=True, space=True)
    nodes = asking.nodes
    order = rng.permutation(len(nodes)).tolist()
    lower = [number for number in order if nodes[number].kind == NOUN and asking.lower(number)]
    single = [number for number in lower if nodes[number].text.isalpha()]
    there = set(np.flatnonzero(vectors.rows([node.text for node in nodes]) >= 0).tolist())
    return {
        "known": [number for number in single if number in there],
        "lacking": [number for number in single if number not in there],
        "phrases": [number for number in lower if " " in nodes[number].text],
        "verbs": [number for number in order if nodes[number].kind == VERB],
    }


def branches(asking: Asking, rng: np.random.Generator) -> tuple[list[int], Questions]:
    """Nodes of whole sub-trees, their roots included, and questions about them."""
    known = asking.known
    below: dict[int, set[int]] = defaultdict(set)
    for concept in range(len(known)):
        if known.kinds[concept] == NOUN:
            for above in known.ancestors([concept]):
                below[above].add(concept)
    taken: set[int] = set()
    held: set[int] = set()
    by_row = {row: number for number, node in enumerate(asking.nodes) for row in node.rows if node.kind == NOUN}
    roots = []
    for root in rng.permutation(sorted(below)).tolist():
        terms = {by_row[row] for concept in below[root] for row in known.members.of(concept)}
        low, high = BRANCH_SIZES
        if low <= len(terms) <= high and asking.depth(root) >= LEAST_DEPTH and taken.isdisjoint(below[root]):
            asked = [number for number in terms if asking.first[number] in below[root] and asking.lower(number)]
            if len(asking.questions(asked).nodes) >= low:
                taken |= below[root]
                held |= terms
                roots.append(known.name(root))
        if len(roots) == BRANCHES:
            break
    print(f"branches: {', '.join(roots)}; {len(held):,} terms")
    asked = [number for number in sorted(held) if asking.first[number] in taken and asking.lower(number)]
    return sorted(held), asking.questions(asked)


def same_pairs(asking: Asking, asked: Iterable[int]) -> list[list[int]]:
    """Rows of three nodes: a word, a synonym in the first senses of both, and a sibling of it."""
    found = []
    for number in asked:
        concept = asking.first[number]
        others = [other for other in asking.means[concept] if other != number]
        children = (child for above in asking.known.is_a.of(concept) for child in asking.below[above])
        siblings = [at for child in children if child != concept for at in asking.means[child][:1]]
        if others and siblings:
            found.append([number, others[0], siblings[len(siblings) // 2]])
    return found


def other_head(asking: Asking, number: int) -> bool:
    """Whether the last word of a phrase is none of its hypernyms: a hot dog is no dog."""
    known = asking.known
    above = known.ancestors([asking.first[number]])
    names = {term.lower() for concept in above for term in known.synonyms(concept)}
    head = asking.nodes[number].text.rpartition(" ")[2]
    return names.isdisjoint([head, *(base for base, kind in forms.base_forms(head, known.irregular))])
