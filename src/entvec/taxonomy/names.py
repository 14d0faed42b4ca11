"""The names of the terms of a taxonomy: found in any case, in the plural, and as the last words of a longer name."""

from __future__ import annotations

from collections.abc import Iterator

from entvec.graphs.annotations import SYNONYM
from entvec.graphs.taxonomy import Taxonomy
from entvec.space.grouping import form
from entvec.vectors.spelling import similar_spellings
from entvec.vectors.words import Words

LONGEST = 200
"""Longer names are never suggested as another spelling."""


def plain(name: str) -> str:
    """Return what names that differ in case, separators or number have in common.

    >>> plain("Denim Jackets") == plain("denim-jacket")
    True
    """
    return form("_".join(name.replace("-", " ").replace("_", " ").split()))


class Names:
    """Finds terms by their names: identifier, label and synonyms.

    >>> names = Names(Taxonomy.from_edges([("jackets", "clothing")], labels={"jackets": "Jackets"}))
    >>> names.called("jacket"), names.heads("denim jacket")
    ([0], [0])
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.labels = [taxonomy.labels.get(term, term) for term in taxonomy.terms]
        self.by_label: dict[str, list[int]] = {}
        self._by_form: dict[str, dict[int, None]] = {}
        for i, term in enumerate(taxonomy.terms):
            self.by_label.setdefault(self.labels[i], []).append(i)
            for name in (self.labels[i], term, *taxonomy.about.get(term, {}).get(SYNONYM, ())):
                self._by_form.setdefault(plain(name), {})[i] = None
        self._words: Words | None = None

    def called(self, name: str) -> list[int]:
        """Return the terms that have this name."""
        return list(self._by_form.get(plain(name), ()))

    def heads(self, name: str) -> list[int]:
        """Return the terms that the last words of the name are called, those of most words first."""
        return list(dict.fromkeys(i for suffix in _suffixes(name) for i in self.called(suffix)))

    def like(self, name: str) -> list[str]:
        """Return labels that are spelled almost like the name."""
        if self._words is None:
            self._words = Words.of([label for label in self.by_label if "\n" not in label and len(label) <= LONGEST])
        return similar_spellings(name, self._words) if len(name) <= LONGEST else []


def _suffixes(name: str) -> Iterator[str]:
    words = name.replace("-", " ").replace("_", " ").split()
    for first in range(1, len(words)):
        yield " ".join(words[first:])
