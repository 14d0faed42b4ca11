"""Adds statements of your own, such as a taxonomy file, to what is known already."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, KeysView, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Indices
from entvec.errors import shown
from entvec.graphs.annotations import DEFINITION, SYNONYM
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge.knowledge import NOT_JUDGED, Connections, Knowledge
from entvec.knowledge.sense_names import PARTS_OF_SPEECH
from entvec.knowledge.texts import Chained
from entvec.vectors import forms
from entvec.vectors.words import Words

Candidates: TypeAlias = dict[int, dict[int, None]]
"""The senses that a term may have, the most frequent first."""
UNNAMED = "your taxonomy"
"""The name of a source that has none."""
LEAST_PROBABILITY = 0.5
"""An edge that is less probable is not known."""
NAMES_AT_ONCE = 1 << 16
"""Names are looked up in blocks of this many."""
ANCESTORS_KEPT = 1 << 20
"""How many ancestors are kept, since neighbours share them."""
STEPS, STEPS_EACH = 5_000_000, 100
"""The steps that all searches for ancestors may take, and how many more with each search."""
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
    terms become one concept. What is denied of two words is denied of all their senses; an edge that reverses what was
    known denies that. Edges with a probability below 0.5 are left out.

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
        How reasons name where these statements come from, in one line.
    """
    source = shown(" ".join(source.split())) or UNNAMED
    improbable = taxonomy.probability < LEAST_PROBABILITY  # not NaN
    if improbable.any():
        taxonomy = taxonomy.keeping(~improbable)
    names = _names(taxonomy)
    candidates = _without_verbs(known, taxonomy, _candidates(known, names))
    above = Above(known)
    concepts, n = _concepts(known, taxonomy, candidates, above)
    hypo, hyper = concepts[taxonomy.hypo], concepts[taxonomy.hyper]
    here, there = known.is_a.pairs()
    here, there = np.concatenate([here, hypo]), np.concatenate([there, hyper])
    origins = known.origins if len(known.origins) else np.zeros(len(known.is_a.targets), np.int32)
    origins = np.concatenate([origins, np.full(len(hypo), len(known.sources), np.int32)])
    denied = [*_denied(taxonomy, concepts, candidates, above), *_reversed(known, hypo, hyper, above)]
    denials = [(low, high, len(known.sources)) for low, high in dict.fromkeys(denied)]
    new = [taxonomy.terms[at] for at in np.flatnonzero(concepts >= len(known)).tolist()]
    others: dict[str, Any] = {name: _longer(getattr(known, name), n) for name in ("instance_of", "part_of", "implies")}
    return replace(
        known,
        sources=(*known.sources, source),
        **merged_names(known, n, names.words, concepts[names.owners]),
        is_a=Connections.of_pairs(n, here, there),
        origins=origins[np.argsort(here, kind="stable")],
        **others,
        kinds=np.concatenate([known.kinds, np.zeros(n - len(known), known.kinds.dtype)]),
        identifiers=Chained(known.identifiers, _words([" ".join(term.split()) for term in new])),
        glosses=Chained(known.glosses, _words([_gloss(taxonomy, term) for term in new])),
        denials=np.concatenate([known.denials, np.array(denials, np.int32).reshape(-1, 3)]),
    )


# The names of terms


class Names(NamedTuple):
    """The names of all terms, and the index of the term that each one is a name of."""

    words: Words
    owners: Indices


def _names(taxonomy: Taxonomy) -> Names:
    """Return the labels and then the synonyms of all terms, as single lines with `_` for spaces."""
    names = ["_".join(taxonomy.labels.get(term, term).split()) for term in taxonomy.terms]
    owners = array("i", range(len(names)))
    for term, about in taxonomy.about.items():
        synonyms = ["_".join(name.split()) for name in about.get(SYNONYM, ()) if name.strip()]
        names += synonyms
        owners.extend([taxonomy.index(term)] * len(synonyms))
    return Names(_words(names), np.array(owners, np.int32))


def _words(lines: Sequence[str]) -> Words:
    """Return texts that have no line breaks, without the many small objects that `Words.of` needs."""
    return Words(np.frombuffer("\n".join([*lines, ""]).encode(), np.uint8))


def _gloss(taxonomy: Taxonomy, term: str) -> str:
    return " ".join(" ".join(taxonomy.about[term].get(DEFINITION, ())).split()) if term in taxonomy.about else ""


# The concepts that terms are


def _candidates(known: Knowledge, names: Names) -> Candidates:
    """Return the senses of those terms that are known, the most frequent of their labels first.

    A name is looked up by itself only if its key, or that of the word that it may be a form of, is among those of the
    terms: in a large taxonomy most names are new.
    """
    keys = forms.keys(known.terms)
    found: dict[int, dict[int, None]] = {}
    known = replace(known, irregular=list(known.irregular))  # a list is searched faster
    for some in _blocks(len(names.words)) if len(known) else ():
        words, owners = names.words[some], names.owners[some]
        is_known = keys.rows(forms.keys(words)) >= 0
        block = list(words)
        bases = [
            (at, forms.key(base))
            for at in np.flatnonzero(~is_known).tolist()
            for base, _ in forms.base_forms(block[at], known.irregular)
        ]
        is_base = keys.rows(_words([base for _, base in bases])) >= 0
        is_known[[bases[at][0] for at in np.flatnonzero(is_base).tolist()]] = True
        for at in np.flatnonzero(is_known).tolist():
            senses = [sense.concept for sense in known.senses(block[at])]
            if senses:
                found.setdefault(int(owners[at]), {}).update(dict.fromkeys(senses))
    return found


def _without_verbs(known: Knowledge, taxonomy: Taxonomy, candidates: Candidates) -> Candidates:
    """Return the candidates without those of terms that are known as verbs only and have an edge to a known noun.

    WordNet has a podcast only as something to do; whoever says that it is a program means another concept.
    """
    verb = PARTS_OF_SPEECH.index("verb")
    only_verb, other = np.zeros((2, len(taxonomy)), bool)
    for at, senses in candidates.items():
        kinds = {int(known.kinds[sense]) for sense in senses}
        only_verb[at], other[at] = kinds == {verb}, bool(kinds - {verb})
    low, high = taxonomy.hypo, taxonomy.hyper
    mixed = (low[only_verb[low] & other[high]], high[only_verb[high] & other[low]])
    left_out = set(np.concatenate(mixed).tolist())
    return {at: senses for at, senses in candidates.items() if at not in left_out}


def _concepts(known: Knowledge, taxonomy: Taxonomy, candidates: Candidates, above: Above) -> tuple[Indices, int]:
    """Return the concept that each term of the taxonomy is, and how many there are with the new ones."""
    fits: dict[int, Counter[int]] = {at: Counter() for at, senses in candidates.items() if len(senses) > 1}
    # An edge speaks for the senses of its ends that are known to be one above the other.
    is_known, is_open = np.zeros((2, len(taxonomy)), bool)
    is_known[list(candidates)] = is_open[list(fits)] = True
    low, high = taxonomy.hypo, taxonomy.hyper
    speaks = is_known[low] & is_known[high] & (is_open[low] | is_open[high])
    for hypo, hyper in zip(low[speaks].tolist(), high[speaks].tolist(), strict=True):
        for sense in candidates[hypo]:
            fitting = above(sense) & candidates[hyper].keys()
            if fitting and hypo in fits:
                fits[hypo][sense] += 1
            if hyper in fits:
                fits[hyper].update(fitting)
    found = np.full(len(taxonomy), -1, np.int32)
    taken = set()
    for at, senses in sorted(candidates.items()):
        # max takes the first of equals, which is the most frequent
        free = [sense for sense in senses if sense not in taken]
        if free:
            found[at] = max(free, key=lambda sense: fits[at][sense]) if at in fits else free[0]
            taken.add(int(found[at]))
    new = found < 0
    n = len(known) + int(new.sum())
    found[new] = np.arange(len(known), n)
    return found, n


class Above:
    """The concepts above one, for many questions.

    In a taxonomy that is one large cycle everything is above everything: when the searches have taken too many steps,
    nothing is found any more, so that they come to an end.
    """

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._steps = STEPS
        self._kept: dict[int, KeysView[int]] = {}
        self._size = 0

    def __call__(self, concept: int) -> KeysView[int]:
        """Return all concepts above one, and itself."""
        found = self._kept.get(concept)
        if found is None:
            self._steps += STEPS_EACH
            found = (self._known.ancestors([concept]) if self._steps > 0 else {concept: 0}).keys()
            self._steps -= len(found)
            self._keep(concept, found)
        return found

    def _keep(self, concept: int, found: KeysView[int]) -> None:
        if self._size > ANCESTORS_KEPT:
            self._kept.clear()
            self._size = 0
        if len(found) <= ANCESTORS_KEPT // 1000:
            self._kept[concept] = found
            self._size += len(found)


# What is not so


def _denied(taxonomy: Taxonomy, concepts: Indices, candidates: Candidates, above: Above) -> Iterator[tuple[int, int]]:
    """Yield the concepts of each denial; a name that is no identifier is denied in all senses that were known."""
    for pair in taxonomy.negations.tolist():
        if pair[0] == pair[1]:  # that a thing is not itself says nothing
            continue
        yield int(concepts[pair[0]]), int(concepts[pair[1]])
        low, high = ({} if taxonomy.terms[at] in taxonomy.labels else candidates.get(at, {}) for at in pair)
        for sense in low:
            yield from ((sense, other) for other in above(sense) & high.keys() if other != sense)


def _reversed(known: Knowledge, hypo: Indices, hyper: Indices, above: Above) -> Iterator[tuple[int, int]]:
    """Yield what was known and is the reverse of an edge; in a cycle both are said, and nothing is reversed."""
    both = (hypo < len(known)) & (hyper < len(known))
    said = set(zip(hypo[both].tolist(), hyper[both].tolist(), strict=True))
    for low, high in zip(hypo[both].tolist(), hyper[both].tolist(), strict=True):
        if low in above(high) and high not in above(low) and (high, low) not in said:
            yield high, low


# The arrays


def merged_names(known: Knowledge, n: int, names: Words, concepts: Indices) -> dict[str, Any]:
    """Return the fields of terms and senses, with more names of n concepts in all."""
    new = _rows(known.terms, names) < 0
    new[names.repeated()] = False
    terms, rows = merged_terms(known.terms, names.take(np.flatnonzero(new)))
    here, there = known.senses_of.pairs()
    here, there = rows[here], there.astype(np.int64)
    said = _rows(terms, names) * n + concepts
    fresh = said[np.sort(np.unique(said, return_index=True)[1])]
    fresh = fresh[~np.isin(fresh, here * n + there, assume_unique=True)]
    here, there = np.concatenate([here, fresh // n]), np.concatenate([there, fresh % n])
    order = np.argsort(here, kind="stable")
    concept, member = known.members.pairs()
    marks = known.marks.astype(np.int32)
    marks[:, 0] = rows[marks[:, 0]]
    never = np.zeros(len(fresh), np.uint8)
    return {
        "terms": terms,
        "senses_of": Connections.of_pairs(len(terms), here, there),
        # What somebody calls by this name is a first sense for them, however rare it is elsewhere.
        "numbers": np.concatenate([known.numbers, np.ones(len(fresh), np.int32)])[order],
        "frequencies": np.concatenate([known.frequencies, never])[order],
        "guesses": np.concatenate([known.guesses, never])[order] if len(known.guesses) else known.guesses,
        "judged": np.concatenate([known.judged, never + NOT_JUDGED])[order] if len(known.judged) else known.judged,
        "members": Connections.of_pairs(
            n, np.concatenate([concept, fresh % n]), np.concatenate([rows[member], fresh // n])
        ),
        "marks": marks,
    }


def merged_terms(terms: Words, more: Words) -> tuple[Words, NDArray[np.int64]]:
    """Return sorted terms with others, at their places by their keys, and the new row of each old term."""
    both = Words(np.concatenate([terms.text, more.text]))
    keys = list(forms.keys(both))
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    rows = np.empty(len(order), np.int64)
    rows[order] = np.arange(len(order))
    text = [both.take(order[some]).text for some in _blocks(len(order))]
    return Words(np.concatenate([both.text[:0], *text])), rows[: len(terms)]


def _rows(terms: Words, names: Words) -> NDArray[np.int64]:
    """Return the row of each name, or -1."""
    return np.concatenate([np.empty(0, np.int64), *(terms.rows(names[some]) for some in _blocks(len(names)))])


def _blocks(n: int) -> list[slice]:
    """Return slices of n rows: arrays with a number for each letter stay small."""
    return [slice(first, first + NAMES_AT_ONCE) for first in range(0, n, NAMES_AT_ONCE)]


def _longer(connections: Connections, n: int) -> Connections:
    """Return the same connections for more nodes, which have none."""
    counts = np.concatenate([connections.counts, np.zeros(n - len(connections.counts), np.int32)])
    return Connections(counts, connections.targets)
