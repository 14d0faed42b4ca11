"""What a text says of pairs of known terms, and of terms that only the text has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from entvec.array_types import Floats, Ints, Mask
from entvec.evidence.hierarchy import links_of
from entvec.knowledge import Knowledge
from entvec.knowledge.bare_terms import with_bare_terms
from entvec.knowledge.people import offensive_rows, people_rows
from entvec.remembering import remembered
from entvec.vectors import forms
from entvec.vectors.words import Words

if TYPE_CHECKING:
    from entvec.text import Example, TextEvidence


REPEATED = 0.25
"""What a further sentence of the same document counts, beside the first one of each document."""


class Said(NamedTuple):
    """What is said of pairs: columns of the same length."""

    owner: Ints
    """The number of the query."""
    term: Ints
    amount: Floats
    """How much is said for the pair: documents, and a quarter for each repetition."""


class TextFacts:
    """Pairs that texts name, by the terms of a knowledge that has also the terms which only the texts have.

    Nothing is taken of pairs with a group of people or with a term that offends: of these only facts answer.

    >>> from entvec.bundled import wordnet_knowledge
    >>> from entvec.text import TextEvidence, extract
    >>> text = "Guitars, theorbos and other instruments were sold. A theorbo is a lute."
    >>> facts = TextFacts(TextEvidence.of(extract(text, wordnet_knowledge())), wordnet_knowledge())
    >>> [theorbo] = [row for row, _ in facts.known.find("theorbo")]
    >>> found = facts.about("hypo", np.array([0]), np.array([theorbo]))
    >>> [facts.known.terms[term] for term in found.term], found.amount.tolist()
    (['instrument', 'lute'], [1.0, 1.0])

    Parameters
    ----------
    text
        What was counted.
    known
        What is known besides.
    """

    def __init__(self, text: TextEvidence, known: Knowledge) -> None:
        self.text = text
        spelled = Words(np.where(text.terms.text == ord(" "), np.uint8(ord("_")), text.terms.text))
        keys = forms.keys(spelled)
        usable = ~(offensive_rows(known, spelled) | people_rows(known, spelled))
        new = usable & (_rows(known.terms, spelled, keys) < 0) & (forms.keys(known.flat).rows(keys) < 0)
        bare = np.flatnonzero(new)
        bare = np.delete(bare, keys.take(bare).repeated())
        self.known = with_bare_terms(known, spelled.take(bare))
        """What is known, with the terms that only the texts have."""
        rows = _rows(self.known.terms, spelled, keys)
        rows[~usable] = -1
        self.only: Mask = np.zeros(len(self.known.terms), bool)
        """True for each term that only the texts have."""
        self.only[rows[bare]] = True
        hypo, hyper = rows[text.hypo], rows[text.hyper]
        kept = np.flatnonzero((hypo >= 0) & (hyper >= 0) & (hypo != hyper))
        self._n = len(self.known.terms)
        codes = hypo[kept] * self._n + hyper[kept]
        order = np.argsort(codes, kind="stable")
        self._rows = kept[order]
        self._codes, self._starts = np.unique(codes[order], return_index=True)
        count, documents = (
            np.add.reduceat(column[self._rows], self._starts) if len(self._starts) else column[:0]
            for column in (text.count, text.documents)
        )
        self._count = np.asarray(count, np.int64)
        self._said: Floats = np.asarray(documents + REPEATED * (count - documents), np.float64)
        self._hypo, self._hyper = self._codes // self._n, self._codes % self._n
        ends = (self._hypo, self._hyper)
        self._order = [np.argsort(end, kind="stable") for end in ends]
        self._first = [np.searchsorted(np.sort(end), np.arange(self._n + 1)) for end in ends]
        self._named = self.named("hypo") | self.named("hyper")

    def __len__(self) -> int:
        return len(self._codes)

    @remembered(1 << 16)
    def _found(self, word: str) -> tuple[int, ...]:
        return tuple(dict.fromkeys(row for row, _ in self.known.find(word)))

    def _place(self, hypo: Ints, hyper: Ints) -> Ints:
        """Return where pairs are; -1 for those that no text names."""
        codes = hypo * self._n + hyper
        if not len(self._codes):
            return np.full(len(codes), -1)
        at = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        return np.where(self._codes[at] == codes, at, -1)

    def named(self, side: str) -> Mask:
        """Return for each term whether a text names it on a side: "hypo" as the narrower of two."""
        return np.diff(self._first[side == "hyper"]) > 0

    def has(self, word: str) -> bool:
        """Return whether a text says something of a word."""
        return bool(self._named[list(self._found(word))].any())

    def about(self, side: str, owner: Ints, terms: Ints) -> Said:
        """Return what is said of some terms, a row for each pair that is named.

        Parameters
        ----------
        side
            "hypo" if these are the narrower terms, "hyper" if they are the broader ones.
        owner
            The number of the query that each term belongs to.
        terms
            The terms.
        """
        which = int(side == "hyper")
        at, edges = links_of(self._first[which], terms)
        pair = self._order[which][edges]
        other = (self._hypo if which else self._hyper)[pair]
        return Said(owner[at], other, self._said[pair])

    def of_pair(self, hypo: str, hyper: str) -> tuple[float, float]:
        """Return how much is said for a pair of words, and for the pair reversed."""
        there, back = self._places(hypo, hyper), self._places(hyper, hypo)
        return float(self._said[there].sum()), float(self._said[back].sum())

    def sentences(self, hypo: str, hyper: str) -> tuple[int, list[Example]]:
        """Return how many sentences say that a word is a kind of another, and examples of them."""
        places = self._places(hypo, hyper)
        ends = np.append(self._starts, len(self._rows))
        rows = [row for place in places.tolist() for row in self._rows[ends[place] : ends[place + 1]].tolist()]
        return int(self._count[places].sum()), [each for row in rows for each in self.text.examples(row)]

    def _places(self, hypo: str, hyper: str) -> Ints:
        pairs = [(low, high) for low in self._found(hypo) for high in self._found(hyper)]
        found = self._place(*np.array(pairs, np.int64).reshape(-1, 2).T)
        return found[found >= 0]


def _rows(terms: Words, spelled: Words, keys: Words) -> Ints:
    """Return the term that each word is: as it is spelled, else in another spelling, else -1."""
    found = terms.rows(spelled)
    other = np.flatnonzero(found < 0)
    found[other] = forms.keys(terms).rows(keys.take(other))
    return found
