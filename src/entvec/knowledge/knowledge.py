"""Knowledge: terms, their senses, and what holds between senses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.graphs.structure import Links
from entvec.knowledge import forms
from entvec.vectors.words import Words

TERM = "term"
PARTS_OF_SPEECH = (TERM, "noun", "verb")
"""What a concept can be; the concepts of a taxonomy are terms."""


class Sense(NamedTuple):
    """One meaning of a term."""

    term: str
    """As the source spells it, with `_` for a space."""
    part_of_speech: str
    number: int
    """The most frequent meaning of the term with this part of speech has the number 1."""
    concept: int
    """The index of the meaning, which all its synonyms share."""
    frequency: int
    """How often the term was met in this sense in tagged text; 0 if it is not known."""

    def __str__(self) -> str:
        return f"{self.term}#{self.number}"


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
    """Terms, their senses (concepts), and what holds between concepts; immutable.

    >>> from entvec.bundled import wordnet_knowledge
    >>> known = wordnet_knowledge()
    >>> print(known)
    WordNet 3.0: 126,503 terms, 171,394 senses, 95,882 concepts, 97,666 is-a
    >>> [str(sense) for sense in known.senses("Guitars")]
    ['guitar#1']
    """

    sources: tuple[str, ...]
    """Where this comes from, as reasons name it; the later ones outrank the earlier."""
    terms: Words
    """Distinct spellings, sorted by `forms.key`."""
    senses_of: Connections
    """From each term to its concepts, the most frequent first."""
    numbers: NDArray[Any]
    """The number of each sense, in the order of `senses_of`."""
    frequencies: NDArray[Any]
    """How often each sense was met in tagged text, in the order of `senses_of`."""
    members: Connections
    """From each concept to the terms that mean it, the best known first."""
    is_a: Connections
    """From each concept to those directly above it."""
    instance_of: Connections
    """From each concept that is an individual to the kinds that it is an instance of."""
    part_of: Connections
    """From each concept to those of which it is a part, a member or a substance."""
    implies: Connections
    """From each concept of a verb to those that happen with it: to snore implies to sleep."""
    marks: NDArray[Any]
    """Rows (term, concept, mark): in this sense the term is marked by another concept, as slang or as a trademark."""
    kinds: NDArray[Any]
    """The index of each concept's part of speech in PARTS_OF_SPEECH."""
    identifiers: Sequence[str]
    """How the source calls each concept."""
    glosses: Sequence[str]
    """What each concept means, in a sentence; empty if the source does not say."""
    flat: Words = field(default_factory=lambda: Words.of([]))
    """Adjectives and adverbs that are no terms, sorted by `forms.key`: they have no hierarchy."""
    irregular: Sequence[str] = ()
    """Irregular forms for `forms.base_forms`."""
    origins: NDArray[Any] = field(default_factory=lambda: np.empty(0, np.int32))
    """The source of each target of `is_a`; empty if all are of the first."""
    denials: NDArray[Any] = field(default_factory=lambda: np.empty((0, 3), np.int32))
    """Rows (hypo, hyper, source): concepts of which a source says that the first is not a kind of the second."""

    def __str__(self) -> str:
        is_a = len(self.is_a.targets) + len(self.instance_of.targets)
        return (
            f"{' + '.join(self.sources) or 'nothing'}: {len(self.terms):,} terms, {len(self.numbers):,} senses, "
            f"{len(self):,} concepts, {is_a:,} is-a"
        )

    def __repr__(self) -> str:
        return f"<Knowledge {self}>"

    def __len__(self) -> int:
        return len(self.kinds)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and bool(self.find(word))

    # Words

    def find(self, word: str) -> list[tuple[int, str]]:
        """Return the terms that a word stands for: their rows, and the part of speech that the word's form has.

        The closest spellings come alone, with "" for any part of speech. Only a word that is no term in any spelling is
        taken for a form of another: `geese` for the noun goose, `walked` for the verb walk.

        Parameters
        ----------
        word
            In any case, with spaces, `_` or hyphens, singular or plural.
        """
        found = [(row, "") for row in forms.spelled(self.terms, word)]
        if not found:
            bases = forms.base_forms(word, self.irregular)
            found = [(row, kind) for base, kind in bases for row in forms.spelled(self.terms, base)]
        return list(dict.fromkeys(found))

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
            In any case, with spaces, `_` or hyphens, singular or plural.
        """
        found = [
            sense
            for row, kind in self.find(word)
            for sense in self._senses(row)
            if not kind or sense.part_of_speech in (kind, TERM)
        ]
        # Several spellings share the numbers of their senses.
        return sorted(dict.fromkeys(found), key=lambda sense: (-sense.frequency, sense.number))

    def _senses(self, row: int) -> Iterator[Sense]:
        first, last = self.senses_of.links.starts[row : row + 2].tolist()
        term = self.terms[row]
        for at in range(first, last):
            concept = int(self.senses_of.targets[at])
            kind = PARTS_OF_SPEECH[self.kinds[concept]]
            yield Sense(term, kind, int(self.numbers[at]), concept, int(self.frequencies[at]))

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
    def _up(self) -> Links:
        """From each concept to all that are directly above it."""
        pairs = zip(self.is_a.pairs(), self.instance_of.pairs(), strict=True)
        return Links(len(self), *(np.concatenate(ends) for ends in pairs))

    def above(self, concept: int) -> list[int]:
        """Return the concepts directly above one: by is-a, then by instance."""
        above, starts = self._up.as_lists
        return above[starts[concept] : starts[concept + 1]]

    def ancestors(self, concepts: Iterable[int]) -> dict[int, int]:
        """Return all concepts above some, each with the fewest steps to it; the given ones are 0 steps away.

        >>> from entvec.bundled import wordnet_knowledge
        >>> known = wordnet_knowledge()
        >>> found = known.ancestors([known.senses("dog")[0].concept])
        >>> [f"{steps} {known.name(concept)}" for concept, steps in found.items()][:5]
        ['0 dog', '1 canine', '1 domestic_animal', '2 carnivore', '2 animal']
        """
        up, starts = self._up.as_lists
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
        return self._up.path(low, high)

    def common(self, first: Iterable[int], second: Iterable[int]) -> int | None:
        """Return the nearest concept above both of two groups of concepts, or None: the fewest steps in all.

        Of equally near ones it is the deepest, which says most.
        """
        low, high = self.ancestors(first), self.ancestors(second)
        shared = [(low[concept] + high[concept], -self.depth(concept), concept) for concept in low if concept in high]
        return min(shared)[2] if shared else None

    def depth(self, concept: int) -> int:
        """Return the fewest steps from a concept up to one that has nothing above it; 0 if none is, as in a cycle."""
        return min((steps for at, steps in self.ancestors([concept]).items() if not self.above(at)), default=0)
