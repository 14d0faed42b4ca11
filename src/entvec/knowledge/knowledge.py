"""Knowledge: terms, their senses, and what holds between senses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import SenseNotFound
from entvec.graphs.structure import Links
from entvec.knowledge.routes import Route, routes
from entvec.knowledge.sense_names import INFINITIVE, PARTS_OF_SPEECH, TERM, VERB, Selector, Sense, parse
from entvec.vectors import forms
from entvec.vectors.words import Words

COUNTS = ("terms", "senses", "concepts", "is_a")
"""The numbers of a summary that say how much is known."""
SENSES_NAMED = 12
"""How many senses an error lists."""
GUESSED = 2.5
"""How many meetings in tagged text a guess is worth."""
JUDGED = 20.0
"""How many meetings a judgement of all senses of a term counts as, in place of counts and guesses."""
NOT_JUDGED = 255
LEAST_SHARE = 1
"""The share of a sense that a judgement leaves out, in per cent."""
OWN_SHARE = 80
"""Where the senses of a term have less together, in per cent, it is looked up as a form of another, too."""


class Conflict(NamedTuple):
    """A contradiction between sources: one denies what others state.

    >>> Conflict("pets.tsv", ("dog", "canine"), ("WordNet 3.0",), reversed=False).source
    'pets.tsv'

    Parameters
    ----------
    source
        The source that denies it.
    path
        What the others state: names of concepts, from the narrowest up; each is a kind of the next.
    path_sources
        The sources of the path.
    reversed
        Whether the source states the reverse, rather than denying the path itself.
    """

    source: str
    path: tuple[str, ...]
    path_sources: tuple[str, ...]
    reversed: bool

    def __str__(self) -> str:
        low, high = self.path[0], self.path[-1]
        said = f"{high} is a kind of {low}" if self.reversed else f"{low} is no {high}"
        others = f"{' + '.join(self.path_sources)} {'say' if len(self.path_sources) > 1 else 'says'}"
        return f"{self.source} says that {said}, {others} {' > '.join(self.path)}"


@dataclass(frozen=True, eq=False, repr=False)
class Connections:
    """The nodes that each node leads to: how many, and which, in one array for all."""

    counts: NDArray[Any]
    targets: NDArray[Any]

    @classmethod
    def of_pairs(cls, n: int, here: NDArray[Any], there: NDArray[Any]) -> Connections:
        """Return the connections of n nodes from pairs in any order; the order of a node's targets is kept."""
        order = np.argsort(here, kind="stable")
        return cls(np.bincount(here, minlength=n).astype(np.int32), np.asarray(there)[order].astype(np.int32))

    @cached_property
    def sources(self) -> frozenset[int]:
        """The nodes that lead anywhere."""
        return frozenset(np.flatnonzero(self.counts).tolist())

    def pairs(self) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return both ends of each connection."""
        return np.repeat(np.arange(len(self.counts)), self.counts), self.targets

    @cached_property
    def links(self) -> Links:
        """The same, with the place where the targets of each node begin."""
        here, there = self.pairs()
        return Links(len(self.counts), here, there)

    def of(self, node: int) -> list[int]:
        """Return the targets of one node."""
        found: list[int] = self.links.of(node).tolist()
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge:
    """Immutable terms, their senses (concepts), and the relations between concepts.

    >>> from entvec.bundled import wordnet_knowledge
    >>> known = wordnet_knowledge()
    >>> print(known)
    WordNet 3.0: 126,503 terms, 171,394 senses, 95,882 concepts, 97,666 is-a
    >>> [str(sense) for sense in known.senses("Guitars")]
    ['guitar#1']

    Parameters
    ----------
    sources
        The names of the sources, for reasons; later ones outrank earlier ones.
    terms
        Distinct spellings, sorted by `forms.key`.
    senses_of
        From each term to its concepts, the most frequent first.
    numbers
        The number of each sense, in the order of `senses_of`.
    frequencies
        How often each sense occurs in sense-tagged text, in the order of `senses_of`.
    members
        From each concept to the terms that mean it, the best known first.
    is_a
        From each concept to those directly above it.
    instance_of
        From each concept that is an individual to the concepts that it is an instance of.
    part_of
        From each concept to those of which it is a part, a member or a substance.
    implies
        From each concept of a verb to those that it implies: to snore implies to sleep.
    marks
        Rows (term, concept, mark): in this sense another concept marks the term, for example as slang or as a
        trademark.
    kinds
        The part of speech of each concept, as a position in PARTS_OF_SPEECH.
    identifiers
        The identifier of each concept in its source.
    glosses
        The definition of each concept; empty if the source has none.
    flat
        Adjectives and adverbs that are not terms, sorted by `forms.key`: they have no hierarchy.
    irregular
        Irregular forms, for `forms.base_forms`.
    guesses
        Guessed probabilities of the senses of a term, in percent, for terms without counts; 0 if there is no guess.
    judged
        How often speakers mean each sense of a term, in percent, as people judged it; NOT_JUDGED without a judgement.
        The shares of a term add up to less than 100 if it is also a form of another term (*shoes* for shoe).
    origins
        The source of each target of `is_a`, as a position in `sources`; empty if all are from the first.
    part_origins
        The same for `part_of`.
    denials
        Rows (hypo, hyper, source): the source says that the first concept is not a kind of the second. A source that
        states the reverse of what was known denies it, too.
    """

    sources: tuple[str, ...]
    terms: Words
    senses_of: Connections
    numbers: NDArray[Any]
    frequencies: NDArray[Any]
    members: Connections
    is_a: Connections
    instance_of: Connections
    part_of: Connections
    implies: Connections
    marks: NDArray[Any]
    kinds: NDArray[Any]
    identifiers: Sequence[str]
    glosses: Sequence[str]
    flat: Words = field(default_factory=lambda: Words.of([]))
    irregular: Sequence[str] = ()
    guesses: NDArray[Any] = field(default_factory=lambda: np.empty(0, np.uint8))
    judged: NDArray[Any] = field(default_factory=lambda: np.empty(0, np.uint8))
    origins: NDArray[Any] = field(default_factory=lambda: np.empty(0, np.int32))
    part_origins: NDArray[Any] = field(default_factory=lambda: np.empty(0, np.int32))
    denials: NDArray[Any] = field(default_factory=lambda: np.empty((0, 3), np.int32))

    def __str__(self) -> str:
        counts = (f"{self.summary()[name]:,} {name.replace('_', '-')}" for name in COUNTS)
        return f"{' + '.join(self.sources) or 'nothing'}: {', '.join(counts)}"

    def __repr__(self) -> str:
        return f"<Knowledge {self}>"

    def __len__(self) -> int:
        return len(self.kinds)

    def summary(self) -> dict[str, Any]:
        """Return the sources, and how many terms, senses, concepts, is-a and denials there are.

        >>> from entvec.bundled import wordnet_knowledge
        >>> summary = wordnet_knowledge().summary()
        >>> summary["sources"], summary["is_a"], summary["denials"]
        (['WordNet 3.0'], 97666, 0)
        """
        return {
            "sources": list(self.sources),
            "terms": len(self.terms),
            "senses": len(self.numbers),
            "concepts": len(self),
            "is_a": len(self.is_a.targets) + len(self.instance_of.targets),
            "denials": len(self.denials),
        }

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and bool(self.find(word))

    # Words

    def find(self, word: str) -> list[tuple[int, str]]:
        """Return the terms that a word stands for: their rows, and the part of speech that the word's form has.

        The closest spellings come alone, with "" for any part of speech. Only a word that is no term in any spelling,
        or that speakers take for a form of another, has those of the other: `geese` has the noun goose, `walked`
        the verb walk, `shoes` its own term and shoe.

        Parameters
        ----------
        word
            In any case, with spaces, `_` or hyphens, singular or plural.
        """
        if self._verbs(word):
            return []  # to do, which names a verb, is not to-do
        found = [(row, "") for row in forms.spelled(self.terms, word)]
        if not found or all(row in self.inflected for row, _ in found):
            bases = forms.base_forms(word, self.irregular)
            found += [(row, kind) for base, kind in bases for row in forms.spelled(self.terms, base)]
        return list(dict.fromkeys(found))

    def is_flat(self, word: str) -> bool:
        """Return True if a word is known only as an adjective or an adverb, which have no hierarchy.

        >>> from entvec.bundled import wordnet_knowledge
        >>> known = wordnet_knowledge()
        >>> known.is_flat("quickly"), known.is_flat("dog"), known.is_flat("blorp")
        (True, False, False)
        """
        return not self.senses(word) and any(forms.spelled(self.flat, each) for each in (word, *forms.tidied(word)))

    def senses(self, word: str) -> list[Sense]:
        """Return the meanings of a word, the most frequent first; none if the word is not known.

        >>> from entvec.bundled import wordnet_knowledge
        >>> for sense in wordnet_knowledge().senses("geese"):
        ...     print(sense, wordnet_knowledge().glosses[sense.concept])  # doctest: +ELLIPSIS
        goose#1 web-footed long-necked typically gregarious migratory aquatic birds usually larger and less...
        goose#2 a man who is a stupid incompetent fool
        goose#3 flesh of a goose (domestic or wild)

        Parameters
        ----------
        word
            In any case, with spaces, `_` or hyphens, singular or plural. The name of a sense, such as `goose#2` or
            `goose:fool`, returns only that sense, and `to goose` those of the verb.
        """
        if verbs := self._verbs(word):
            return verbs
        found = [
            sense
            for row, kind in self.find(word)
            for sense in self.term_senses(row)
            if not kind or sense.part_of_speech in (kind, TERM)
        ]
        if not found:
            name, selector = parse(word)
            return [] if selector is None else self._selected(self.senses(name), selector)
        # Several spellings share the numbers of their senses.
        return sorted(dict.fromkeys(found), key=lambda sense: (-sense.frequency, sense.number))

    def _verbs(self, word: str) -> list[Sense]:
        """Return the senses of the verb that an infinitive names: those of run for `to run`."""
        if not INFINITIVE.match(word):
            return []
        name, selector = parse(word)
        return (
            []
            if selector is None
            else [sense for sense in self._selected(self.senses(name), selector) if sense.part_of_speech == VERB]
        )

    def _selected(self, senses: list[Sense], selector: Selector) -> list[Sense]:
        """Return the sense that a selector fits best, or all of a part of speech."""
        number, kind, description = selector
        if kind is not None:
            senses = [sense for sense in senses if sense.part_of_speech == kind]
        if description is not None:
            return self._described(senses, description)[:1]
        if number is None:
            return senses
        found = [sense for sense in senses if sense.number == number]
        return sorted(found, key=lambda sense: sense.part_of_speech == VERB)[:1]

    def _described(self, senses: list[Sense], description: str) -> list[Sense]:
        """Return the senses that a description fits, the best first."""
        wanted = forms.key(description)
        same = [sense for sense in senses if wanted in map(forms.key, self.synonyms(sense.concept))]
        above = {sense.concept: self.ancestors([sense.concept]) for sense in senses}
        kinds = [kind.concept for kind in self.senses(description)]
        below = [sense for kind in kinds for sense in senses if kind in above[sense.concept]]
        # A factory is a kind of plant, in the sense that `plant:factory` means.
        beyond = [sense for kind in kinds for sense in senses if sense.concept in self.ancestors([kind])]
        return same + below + beyond + [sense for sense in senses if self._defined_by(sense.concept, wanted)]

    def _defined_by(self, concept: int, wanted: str) -> bool:
        """Return whether the gloss of a concept has a word with this key, or a form of it."""
        words = re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*", self.glosses[concept])
        return any(
            wanted in (forms.key(word), *(forms.key(base) for base, _ in forms.base_forms(word, ()))) for word in words
        )

    def no_such_sense(self, word: str) -> SenseNotFound | None:
        """Return an error that lists the senses of a word if the name of a sense picks none of them; else None.

        >>> from entvec.bundled import wordnet_knowledge
        >>> known = wordnet_knowledge()
        >>> print(known.no_such_sense("guitar#2"))
        no sense 'guitar#2', expected guitar#1 (a stringed instrument usually having six strings; played...)
        >>> known.no_such_sense("guitar#1"), known.no_such_sense("blorp#1")
        (None, None)
        """
        name, selector = parse(word)
        if selector is None or not (senses := self.senses(name)) or self.senses(word):
            return None
        listed = [f"{sense} ({shorten(self.glosses[sense.concept], 60, placeholder='...')})" for sense in senses]
        more = f" and {len(listed) - SENSES_NAMED} more" if len(listed) > SENSES_NAMED else ""
        return SenseNotFound(f"no sense {word!r}, expected {', '.join(listed[:SENSES_NAMED])}{more}")

    def term_senses(self, row: int) -> Iterator[Sense]:
        """Yield the meanings of the term in this row."""
        first, last = self.senses_of.links.starts[row : row + 2].tolist()
        term = self.terms[row]
        for at, met in zip(range(first, last), self.meetings(slice(first, last)).tolist(), strict=True):
            concept = int(self.senses_of.targets[at])
            kind = PARTS_OF_SPEECH[self.kinds[concept]]
            yield Sense(term, kind, int(self.numbers[at]), concept, int(self.frequencies[at]), met)

    def meetings(self, some: slice = slice(None)) -> NDArray[np.float64]:
        """Return how often senses count as met: as often as in tagged text, and GUESSED meetings more for each term.

        These are shared out by `guesses`, or else the n-th sense gets 1/n of them. Where people judged the senses of a
        term, neither counts nor guesses matter: text of another time has other chairs and mice.

        Parameters
        ----------
        some
            Which senses, in the order of `senses_of`.
        """
        shares = 1 / np.maximum(np.asarray(self.numbers[some], np.float64), 1)
        if len(self.guesses):
            shares = np.where(self.guesses[some], self.guesses[some] / 100, shares)
        met = np.asarray(self.frequencies[some] + GUESSED * shares)
        if len(self.judged):
            judged = np.asarray(self.judged[some])
            met = np.where(judged == NOT_JUDGED, met, JUDGED / 100 * np.maximum(judged, LEAST_SHARE))
        return met

    @cached_property
    def inflected(self) -> frozenset[int]:
        """The terms that speakers often take for a form of another word."""
        if not len(self.judged):
            return frozenset()
        judged = np.asarray(self.judged, np.int64)
        terms, _ = self.senses_of.pairs()
        share = np.bincount(terms, judged, len(self.terms))  # of terms that nobody judged at least NOT_JUDGED
        return frozenset(np.flatnonzero((np.asarray(self.senses_of.counts) > 0) & (share < OWN_SHARE)).tolist())

    def synonyms(self, concept: int) -> list[str]:
        """Return the terms that mean a concept, the best known first.

        >>> from entvec.bundled import wordnet_knowledge
        >>> wordnet_knowledge().synonyms(wordnet_knowledge().senses("dog")[0].concept)
        ['dog', 'domestic_dog', 'Canis_familiaris']
        """
        return [self.terms[row] for row in self.members.of(concept)]

    def name(self, concept: int) -> str:
        """Return the best known term for a concept."""
        return self.terms[self.members.of(concept)[0]]

    # Concepts

    @cached_property
    def up(self) -> Links:
        """From each concept to all that are directly above it."""
        pairs = zip(self.is_a.pairs(), self.instance_of.pairs(), strict=True)
        return Links(len(self), *(np.concatenate(ends) for ends in pairs))

    def above(self, concept: int) -> list[int]:
        """Return the concepts directly above one: by is-a, then by instance."""
        above, starts = self.up.as_lists
        return above[starts[concept] : starts[concept + 1]]

    @cached_property
    def origins_up(self) -> list[int]:
        """The source of each target of `up`."""
        is_a = self.origins if len(self.origins) else np.zeros(len(self.is_a.targets), np.int32)
        both = np.concatenate([is_a, np.zeros(len(self.instance_of.targets), np.int32)])
        found: list[int] = both[self.up.order].tolist()
        return found

    @cached_property
    def _denied(self) -> dict[int, list[tuple[int, int]]]:
        """The hypers that are denied to each hypo, with the source of each denial."""
        found: dict[int, list[tuple[int, int]]] = {}
        for hypo, hyper, source in self.denials.tolist():
            found.setdefault(hypo, []).append((hyper, source))
        return found

    @property
    def denied_hypos(self) -> Collection[int]:
        """The concepts to which something is denied."""
        return self._denied.keys()

    def _routes(self, concept: int) -> dict[int, Route]:
        return routes(self.up, self.origins_up, self._denied, concept)

    def ancestors(self, concepts: Iterable[int]) -> dict[int, int]:
        """Return all concepts above some, each with the fewest steps to it; the given ones are 0 steps away.

        Ways that are denied do not count.

        >>> from entvec.bundled import wordnet_knowledge
        >>> known = wordnet_knowledge()
        >>> found = known.ancestors([known.senses("dog")[0].concept])
        >>> [f"{steps} {known.name(concept)}" for concept, steps in found.items()][:5]
        ['0 dog', '1 canine', '1 domestic_animal', '2 carnivore', '2 animal']
        """
        concepts = list(concepts)
        found = self._reached(concepts)
        if self._denied.keys().isdisjoint(found):
            return found
        several = [self._routes(concept).items() for concept in concepts]
        near: dict[int, int] = {}
        for concept, route in sorted(chain.from_iterable(several), key=lambda item: item[1].steps):
            near.setdefault(concept, route.steps)
        return near

    def _reached(self, concepts: Iterable[int]) -> dict[int, int]:
        """Return all concepts above some with the fewest steps, denied or not."""
        up, starts = self.up.as_lists
        found = dict.fromkeys(concepts, 0)
        ring, steps = list(found), 0
        while ring:
            steps += 1
            higher = [above for at in ring for above in up[starts[at] : starts[at + 1]]]
            ring = [above for above in dict.fromkeys(higher) if above not in found]
            found.update(dict.fromkeys(ring, steps))
        return found

    def path(self, low: int, high: int) -> list[int]:
        """Return a shortest path of concepts from `low` up to `high`, both included; none if there is none.

        >>> from entvec.bundled import wordnet_knowledge
        >>> known = wordnet_knowledge()
        >>> dog, animal = (known.senses(word)[0].concept for word in ("dog", "animal"))
        >>> [known.name(concept) for concept in known.path(dog, animal)]
        ['dog', 'domestic_animal', 'animal']
        """
        path = self.up.path(low, high)
        if not path or not self._denied or self._denied.keys().isdisjoint(path):
            return path
        route = self._routes(low).get(high)
        return route.path if route else []

    def denies(self, path: Sequence[int]) -> bool:
        """Return True if a concept of a path is denied to one before it."""
        return any(hyper in path[at + 1 :] for at, low in enumerate(path) for hyper, _ in self._denied.get(low, ()))

    def denied_by(self, low: int, high: int) -> str | None:
        """Return the last source that denies that one concept, or something above it, is a kind of another."""
        if not self._denied or high in (above := self.ancestors([low])):
            return None
        sources = [source for at in above for hyper, source in self._denied.get(at, ()) if hyper == high]
        return self.sources[max(sources)] if sources else None

    def common(self, first: Iterable[int], second: Iterable[int]) -> int | None:
        """Return the nearest concept above both of two groups of concepts, or None: the fewest steps in all.

        Of equally near ones it is the deepest, which says most.
        """
        low, high = self.ancestors(first), self.ancestors(second)
        shared = {concept: low[concept] + high[concept] for concept in low if concept in high}
        fewest = min(shared.values(), default=0)
        nearest = [concept for concept, steps in shared.items() if steps == fewest]
        return min(nearest, key=lambda concept: (-self.depth(concept), concept)) if nearest else None

    def depth(self, concept: int) -> int:
        """Return the fewest steps from a concept up to one that has nothing above it; 0 if none is, as in a cycle."""
        return min((steps for at, steps in self.ancestors([concept]).items() if not self.above(at)), default=0)

    # Sources

    def said_by(self, path: Sequence[int]) -> tuple[str, ...]:
        """Return the sources of the steps of a path, up, down or to a whole, each once.

        >>> from entvec.bundled import wordnet_knowledge
        >>> known = wordnet_knowledge()
        >>> known.said_by(known.path(*(known.senses(word)[0].concept for word in ("dog", "animal"))))
        ('WordNet 3.0',)
        """
        return tuple(dict.fromkeys(self.sources[source] for source in self._sources_of(path)))

    def _sources_of(self, path: Sequence[int]) -> list[int]:
        """Return the index of the source of each step."""
        return [max(self._said(here, there), self._said(there, here), 0) for here, there in pairwise(path)]

    def _said(self, low: int, high: int) -> int:
        """Return the last source that says that one concept is directly above another, or has it as a part, or -1."""
        up, starts = self.up.as_lists
        edges = range(starts[low], starts[low + 1])
        if said := [self.origins_up[edge] for edge in edges if up[edge] == high]:
            return max(said)
        way = self.part_of.links.path(low, high) if low in self.part_of.sources else []
        return max((self._part_origin(*step) for step in pairwise(way)), default=-1)

    def _part_origin(self, low: int, high: int) -> int:
        """Return the first source that says that one concept is directly a part of another."""
        links = self.part_of.links
        edges = range(*links.starts[low : low + 2].tolist())
        return min(self._part_origins[edge] for edge in edges if links.there[edge] == high)

    @cached_property
    def _part_origins(self) -> list[int]:
        """The source of each edge of `part_of.links`."""
        if not len(self.part_origins):
            return [0] * len(self.part_of.targets)
        found: list[int] = self.part_origins[self.part_of.links.order].tolist()
        return found

    def conflicts(self, first: int = 0) -> Iterator[Conflict]:
        """Yield what a source denies and others say, or the same one; a denial holds against earlier sources only.

        >>> from entvec.bundled import wordnet_knowledge
        >>> from entvec.graphs import Taxonomy
        >>> from entvec.knowledge.statements import with_taxonomy
        >>> mine = Taxonomy.from_edges([], negations=[("dog", "animal")])
        >>> print(*with_taxonomy(wordnet_knowledge(), mine, "mine.tsv").conflicts())
        mine.tsv says that dog is no animal, WordNet 3.0 says dog > domestic_animal > animal

        Parameters
        ----------
        first
            Contradictions among the sources before this one are left out.
        """
        for low, high, source in self.denials.tolist():
            path = self.up.path(low, high)
            if path and max(source, *self._sources_of(path)) >= first:
                reverse = self._said(high, low) == source
                yield Conflict(self.sources[source], tuple(map(self.name, path)), self.said_by(path), reverse)
