"""Finds which terms of a list may be above a name, without asking about all pairs.

Three sources find candidates: what is known of the name (its ancestors among the terms), the ranking of the space among
the terms that have vectors and, in a space that reads any term, the static table of the reader among all terms. The
table is fast; the transformer is only asked about the pairs that are found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from entvec.errors import InvalidInput
from entvec.evidence.meanings import Meanings
from entvec.model.model import Side
from entvec.search.key_table import KeyTable
from entvec.search.local import LocalBackend
from entvec.search.request import Request
from entvec.space import EntailmentSpace
from entvec.taxonomy.weighing import texts_of
from entvec.vectors import Vectors

MEANT = 0.1
"""The least probability of a sense whose ancestors are candidates."""


class Candidates:
    """The terms of a list, searched for what is above or below a name.

    >>> from entvec.space.default import default_space
    >>> terms = ["furniture", "musical instrument", "memory foam pillow"]
    >>> found = Candidates(default_space(), terms)
    >>> [terms[best[0]] for best in found.above(["violin", "oak table"], 1)]
    ['musical instrument', 'furniture']

    Parameters
    ----------
    space
        A space.
    terms
        The names of the terms; each once.
    """

    def __init__(self, space: EntailmentSpace, terms: Sequence[str]) -> None:
        self.space, self.terms = space, list(terms)
        self._place = {term: i for i, term in enumerate(self.terms)}

    def above(
        self, names: Sequence[str], k: int, definitions: Mapping[str, str] | None = None, *, ranked: bool = True
    ) -> list[list[int]]:
        """Return the positions of the best candidates above each name, at most k by each source.

        Parameters
        ----------
        names
            The names that are asked about.
        k
            How many candidates each source may find for a name.
        definitions
            What some of the names mean, for spaces with an encoder.
        ranked
            Whether the ranking of the space is asked, too; where the space reads terms, facts and the table are faster.
        """
        return self._found("hypo", names, k, definitions or {}, ranked=ranked or not self.space.reads)

    def below(self, names: Sequence[str], k: int) -> list[list[int]]:
        """Return the positions of the best candidates below each name, at most k by each source."""
        return self._found("hyper", names, k, {}, ranked=True)

    def _found(
        self, side: Side, names: Sequence[str], k: int, definitions: Mapping[str, str], *, ranked: bool
    ) -> list[list[int]]:
        found: list[dict[int, None]] = [{} for _ in names]
        if side == "hypo" and self.space.knowledge is not None and self.space.encoder is None:
            for row, name in zip(found, names, strict=True):
                row |= dict.fromkeys(self._known_above(name)[:k])
        texts = texts_of(self.space, names, definitions)
        kinds = self.space.read_by(list(names)) if self.space.reads else []
        by_ranking = self._ranked(side, names, texts, kinds, k, definitions) if ranked else [[]] * len(names)
        by_table = self._by_table(side, names, texts, kinds, k) if self.space.reads else [[]] * len(names)
        for row, several, read in zip(found, by_ranking, by_table, strict=True):
            row |= dict.fromkeys([*several, *read])
        return [list(row) for row in found]

    # What is known

    @property
    def _meanings(self) -> Meanings:
        return self.space.judge.evidence.meanings

    @cached_property
    def _by_concept(self) -> dict[int, list[int]]:
        """The terms that each concept is called."""
        found: dict[int, list[int]] = {}
        for i, term in enumerate(self.terms):
            for sense, weight in self._meanings.of(term):
                if weight >= MEANT:
                    found.setdefault(sense.concept, []).append(i)
        return found

    def _known_above(self, name: str) -> list[int]:
        """Return the terms that are called like an ancestor of a name, the nearest first."""
        steps: dict[int, int] = {}
        for sense, weight in self._meanings.of(name):
            for concept, far in self._meanings.above(sense.concept).items() if weight >= MEANT else ():
                for i in self._by_concept.get(concept, ()):
                    steps[i] = min(far, steps.get(i, far))
        return sorted(steps, key=lambda i: steps[i])

    # The ranking of the space

    @cached_property
    def _ranked_terms(self) -> list[str]:
        """The terms that the space can rank without reading them."""
        if not self.space.reads:
            return self.terms
        rows = self.space.vocabulary.rows(self.terms)
        return [term for term, row in zip(self.terms, rows.tolist(), strict=True) if row >= 0]

    def _ranked(
        self,
        side: Side,
        names: Sequence[str],
        texts: Sequence[str],
        kinds: Sequence[str],
        k: int,
        definitions: Mapping[str, str],
    ) -> list[list[int]]:
        search = self.space.hypernyms if side == "hypo" else self.space.hyponyms
        asked = list(range(len(names)))
        if self.space.reads:  # the table finds what is read
            asked = [i for i in asked if kinds[i] in ("vector", "facts") and texts[i] == names[i]]
        found: list[list[int]] = [[] for _ in names]
        if not asked or not self._ranked_terms:
            return found
        told = [definitions.get(names[i]) for i in asked]
        options: Any = {"definition": told} if self.space.encoder is not None and any(told) else {}
        words = search([names[i] for i in asked], k, among=self._ranked_terms, missing="nan", **options).words
        spelled = self._spelled
        for i, several in zip(asked, words, strict=True):
            found[i] = [place for word in several for place in spelled.get(word, ())]
        return found

    @cached_property
    def _spelled(self) -> dict[str, list[int]]:
        """The places of terms by the word that a ranking calls them."""
        words = self.space.spelled(self.terms, missing="nan")
        found: dict[str, list[int]] = {}
        for i, (word, term) in enumerate(zip(words, self.terms, strict=True)):
            for name in {word or term, term}:
                found.setdefault(name, []).append(i)
        return found

    # The static table of the reader

    @cached_property
    def _table(self) -> LocalBackend:
        """All terms as the static table reads them."""
        reader = self.space.judge.evidence.reader
        if reader is None:
            raise InvalidInput("this space reads no terms")
        vectors = reader.table.encoder([reader.wording(self._meanings.plain(term)) for term in self.terms])
        return LocalBackend(KeyTable(reader.table.model, Vectors(self.terms, vectors)))

    def _by_table(
        self, side: Side, names: Sequence[str], texts: Sequence[str], kinds: Sequence[str], k: int
    ) -> list[list[int]]:
        reader = self.space.judge.evidence.reader
        if reader is None:
            return [[] for _ in names]
        vectors = reader.table.encoder([reader.wording(self._meanings.plain(text)) for text in texts])
        request = Request(side, vectors, reader.table.model.penalty(side))
        rows = self._table.search(request, k + 1).rows.tolist()
        return [
            [i for i in several if i >= 0 and self.terms[i] != name and kind != "nothing"][:k]
            for several, name, kind in zip(rows, names, kinds, strict=True)
        ]
