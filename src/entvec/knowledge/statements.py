"""Adds statements of your own, such as a taxonomy file, to what is known already."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from entvec.graphs.annotations import DEFINITION, SYNONYM
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge import forms
from entvec.knowledge.knowledge import Connections, Knowledge
from entvec.vectors.words import Words

Indices: TypeAlias = NDArray[np.int32]
NOTHING = Connections(np.empty(0, np.int32), np.empty(0, np.int32))


def empty() -> Knowledge:
    """Return a Knowledge of nothing, to which statements can be added."""
    none = np.empty(0, np.int32)
    return Knowledge(
        sources=(),
        terms=Words.of([]),
        senses_of=NOTHING,
        numbers=none,
        frequencies=none,
        members=NOTHING,
        is_a=NOTHING,
        instance_of=NOTHING,
        part_of=NOTHING,
        implies=NOTHING,
        marks=none.reshape(0, 3),
        kinds=none,
        identifiers=(),
        glosses=(),
    )


def with_taxonomy(known: Knowledge, taxonomy: Taxonomy, source: str) -> Knowledge:
    """Return what is known together with the edges and denials of a taxonomy.

    A term of the taxonomy that is known by its name or a synonym is that concept; of several senses it is the one that
    fits its parents and children in the taxonomy best, or else the most frequent. Other terms are new concepts. No two
    terms become one concept.

    >>> from entvec.bundled import wordnet_knowledge
    >>> mine = Taxonomy.from_edges([("hoodie", "garment"), ("crane", "bird")])
    >>> known = with_taxonomy(wordnet_knowledge(), mine, "mine.tsv")
    >>> hoodie, clothing = (known.senses(word)[0].concept for word in ("hoodie", "clothing"))
    >>> [known.name(concept) for concept in known.path(hoodie, clothing)]
    ['hoodie', 'garment', 'clothing']

    Parameters
    ----------
    known
        What is known before.
    taxonomy
        Terms, edges and denials; labels and synonyms are names of the terms, definitions become glosses.
    source
        How reasons name where these statements come from.
    """
    names = [_names(taxonomy, term) for term in taxonomy.terms]
    matched = _match(known, taxonomy, names)
    new = matched < 0
    n = len(known) + int(new.sum())
    concepts = matched.copy()
    concepts[new] = np.arange(len(known), n)
    hypo, hyper = concepts[taxonomy.hypo], concepts[taxonomy.hyper]
    here, there = known.is_a.pairs()
    here, there = np.concatenate([here, hypo]), np.concatenate([there, hyper])
    origins = known.origins if len(known.origins) else np.zeros(len(known.is_a.targets), np.int32)
    origins = np.concatenate([origins, np.full(len(hypo), len(known.sources), np.int32)])
    denied = concepts[taxonomy.negations].reshape(-1, 2)
    denials = np.column_stack([denied, np.full(len(denied), len(known.sources), np.int32)])
    terms = [taxonomy.terms[at] for at in np.flatnonzero(new)]
    others: dict[str, Any] = {name: _longer(getattr(known, name), n) for name in ("instance_of", "part_of", "implies")}
    return replace(
        known,
        sources=(*known.sources, source),
        **_with_names(known, n, concepts, names),
        is_a=Connections.of_pairs(n, here, there),
        origins=origins[np.argsort(here, kind="stable")],
        **others,
        kinds=np.concatenate([known.kinds, np.zeros(n - len(known), np.int32)]),
        identifiers=Chained(known.identifiers, terms),
        glosses=Chained(known.glosses, [_gloss(taxonomy, term) for term in terms]),
        denials=np.concatenate([known.denials, denials]),
    )


def _names(taxonomy: Taxonomy, term: str) -> list[str]:
    """Return the label and the synonyms of a term as single lines with `_` for spaces."""
    about = taxonomy.about.get(term, {})
    names = (taxonomy.labels.get(term, term), *about.get(SYNONYM, ()))
    return list(dict.fromkeys("_".join(name.split()) for name in names))


def _gloss(taxonomy: Taxonomy, term: str) -> str:
    return " ".join(" ".join(taxonomy.about.get(term, {}).get(DEFINITION, ())).split())


def _match(known: Knowledge, taxonomy: Taxonomy, names: Sequence[Sequence[str]]) -> Indices:
    """Return the concept that each term of the taxonomy is, -1 for new ones."""
    candidates = [_candidates(known, term_names) for term_names in names]
    fits: dict[int, Counter[int]] = {at: Counter() for at, senses in enumerate(candidates) if len(senses) > 1}
    # An edge speaks for the senses of its ends that are known to be one above the other.
    for low, high in zip(taxonomy.hypo.tolist(), taxonomy.hyper.tolist(), strict=True):
        if low in fits or high in fits:
            for sense in candidates[low]:
                above = known.ancestors([sense]).keys() & candidates[high]
                if above and low in fits:
                    fits[low][sense] += 1
                if above and high in fits:
                    fits[high].update(above)
    found = np.full(len(names), -1, np.int32)
    taken = set()
    for at, senses in enumerate(candidates):
        # max takes the first of equals, which is the most frequent
        free = [sense for sense in senses if sense not in taken]
        if free:
            found[at] = max(free, key=lambda sense: fits[at][sense]) if at in fits else free[0]
            taken.add(int(found[at]))
    return found


def _candidates(known: Knowledge, names: Sequence[str]) -> dict[int, None]:
    """Return the senses of a term, the most frequent of its label first."""
    return dict.fromkeys(sense.concept for name in names for sense in known.senses(name))


def _with_names(known: Knowledge, n: int, concepts: Indices, names: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the fields of terms and senses, with more names of n concepts in all."""
    said = [(name, concept) for group, concept in zip(names, concepts.tolist(), strict=True) for name in group]
    more = {name for name, _ in said if known.terms.row(name) is None}
    terms, rows = _merged(known.terms, sorted(more, key=lambda name: (forms.key(name), name)))
    here, there = known.senses_of.pairs()
    here = rows[here]
    had = set(zip(here.tolist(), there.tolist(), strict=True))
    new = dict.fromkeys((terms.row(name), concept) for name, concept in said)
    fresh = np.array([sense for sense in new if sense not in had], np.int64).reshape(-1, 2)
    here, there = np.concatenate([here, fresh[:, 0]]), np.concatenate([there, fresh[:, 1]])
    order = np.argsort(here, kind="stable")
    concept, member = known.members.pairs()
    marks = known.marks.copy()
    marks[:, 0] = rows[marks[:, 0]]
    return {
        "terms": terms,
        "senses_of": Connections.of_pairs(len(terms), here, there),
        # What somebody calls by this name is a first sense for them, however rare it is elsewhere.
        "numbers": np.concatenate([known.numbers, np.ones(len(fresh), np.int32)])[order],
        "frequencies": np.concatenate([known.frequencies, np.zeros(len(fresh), np.int32)])[order],
        "members": Connections.of_pairs(
            n, np.concatenate([concept, fresh[:, 1]]), np.concatenate([rows[member], fresh[:, 0]])
        ),
        "marks": marks,
    }


def _merged(terms: Words, more: Sequence[str]) -> tuple[Words, NDArray[np.int64]]:
    """Return sorted terms with others, sorted too, at their places, and the new row of each old term."""
    before = np.array([bisect_left(terms, forms.key(name), key=forms.key) for name in more], np.int64)
    rows = np.arange(len(terms))
    rows += np.searchsorted(before, rows, side="right")
    both = Words(np.concatenate([terms.text, Words.of(more).text]))
    return both.take(np.argsort(np.concatenate([rows, before + np.arange(len(more))]))), rows


def _longer(connections: Connections, n: int) -> Connections:
    """Return the same connections for more nodes, which have none."""
    counts = np.concatenate([connections.counts, np.zeros(n - len(connections.counts), np.int32)])
    return Connections(counts, connections.targets)


class Chained(Sequence[str]):
    """Texts of two sequences, one after the other; the first may be a compressed file."""

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        self._first, self._second = first, second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        return self._first[at] if at < len(self._first) else self._second[at - len(self._first)]
