"""Place many terms into a taxonomy at once: parents, terms that are the same, or none of these.

Candidates are found by search (`candidates`), and terms that the last words of a name are called (*denim jacket* under
*jackets*) are others. The space says of each how probably it is a parent, and among several above each other the lowest
probable one is the best; for a name that nobody knows the encoders decide (`read_scores`).

    fit(c) = p(c) (1 - the largest p of a candidate below c)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from entvec.array_types import Floats
from entvec.errors import InvalidInput
from entvec.graphs.taxonomy import Taxonomy
from entvec.interchange import word_list
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.taxonomy.candidates import Candidates
from entvec.taxonomy.names import Names
from entvec.taxonomy.placed import PROBABLE, SAME_NAME, Placed
from entvec.taxonomy.read_scores import ReadScores, score
from entvec.taxonomy.weighing import entailment, texts_of, weighed

SEARCHED, SEARCHED_WITHIN = 8, 4
"""How many candidates each source finds among the terms, for a new term and for one that has parents already."""
READ = 6
"""How many candidates of a name that nobody knows are asked about: those that the encoders put first."""
AT_ONCE = 512
"""How many terms are searched for at once."""
POSSIBLE = 0.05
"""The least probability of a parent that is suggested beside a better one."""
MOST_CHILDREN = 100
"""Of more children than this the first are asked whether the term belongs above them."""


def place_all(
    terms: Sequence[str],
    taxonomy: Taxonomy,
    space: EntailmentSpace,
    *,
    k: int = 3,
    definitions: Mapping[str, str] | None = None,
    not_entails: Iterable[tuple[str, str]] = (),
    progress: Progress | None = None,
) -> Placed:
    """Return where each of many terms belongs in a taxonomy. Every term is in the answer, also those without a place.

    >>> from entvec.space.default import default_space
    >>> shop = Taxonomy.from_edges([("shoe", "footwear"), ("shirt", "fabric")])
    >>> found = place_all(["sneaker", "Shirts", "qqqqq"], shop, default_space())
    >>> [shop.terms[i] if i >= 0 else None for i in found.best], shop.terms[found.same[1]], found.unplaced
    (['shoe', None, None], 'shirt', (2,))

    Parameters
    ----------
    terms
        Names of the terms.
    taxonomy
        The taxonomy; it is asked by labels and synonyms.
    space
        A calibrated space.
    k
        How many parents to suggest for each term.
    definitions
        What some of the terms mean; read for those of which nothing is known.
    not_entails
        Pairs of a term and a label of the taxonomy that are not to be suggested.
    progress
        A callback that gets the number of terms placed so far and the number of all. What it raises ends the work.
    """
    names = word_list(terms, "terms")
    if odd := [name for name in names if not name.strip()]:
        raise InvalidInput(f"{odd[0]!r} is among the terms, expected names that are not empty")
    if not len(taxonomy):
        raise InvalidInput("the taxonomy is empty, expected terms to place others under")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InvalidInput(f"k is {k!r}, expected a whole number, 1 or more")
    placer = _Placer(taxonomy, space, k, definitions or {}, set(not_entails))
    for first in range(0, len(names), AT_ONCE):
        (progress or (lambda *_: None))(first, len(names))
        placer.place(names[first : first + AT_ONCE])
    return placer.placed(tuple(names))


def place_within(taxonomy: Taxonomy, space: EntailmentSpace, k: int, progress: Progress) -> Placed:
    """Return where each term of a taxonomy would belong in it if it were new: neither under itself nor what is below.

    >>> from entvec.space.default import default_space
    >>> shop = Taxonomy.from_edges([("shoe", "clothing"), ("sneaker", "clothing")])
    >>> found = place_within(shop, default_space(), 1, lambda *_: None)
    >>> shop.terms[found.best[shop.index("sneaker")]]
    'shoe'

    Parameters
    ----------
    taxonomy
        The taxonomy.
    space
        A calibrated space.
    k
        How many parents to suggest for each term.
    progress
        A callback that gets the number of terms placed so far and the number of all.
    """
    definitions = {taxonomy.labels.get(term, term): text for term, text in taxonomy.definitions.items()}
    placer = _Placer(taxonomy, space, k, definitions, set())
    names = placer.names.labels
    for first in range(0, len(names), AT_ONCE):
        progress(first, len(names))
        placer.place(names[first : first + AT_ONCE], within=first)
    progress(len(names), len(names))
    return placer.placed(tuple(names))


class _Placer:
    """Collects the places of terms, block by block."""

    def __init__(
        self,
        taxonomy: Taxonomy,
        space: EntailmentSpace,
        k: int,
        definitions: Mapping[str, str],
        denied: set[tuple[str, str]],
    ) -> None:
        self.taxonomy, self.space, self.k, self.definitions = taxonomy, space, k, definitions
        self.denied = denied
        self.names = Names(taxonomy)
        self.labels = list(self.names.by_label)
        self.search, self.scores = Candidates(space, self.labels), ReadScores(space)
        self.above: dict[int, set[int]] = {}
        self.rows: list[dict[str, Any]] = []

    def placed(self, terms: tuple[str, ...]) -> Placed:
        def column(name: str, kind: Any) -> Any:
            return np.array([row[name] for row in self.rows], dtype=kind)

        def padded(name: str, kind: Any, padding: float) -> Any:
            made = np.full((len(self.rows), self.k), padding, dtype=kind)
            for i, row in enumerate(self.rows):
                made[i, : len(row[name])] = row[name]
            return made

        def listed(name: str) -> tuple[Any, ...]:
            return tuple(tuple(row[name]) for row in self.rows)

        return Placed(
            terms,
            self.taxonomy,
            padded("parents", np.int32, -1),
            padded("probabilities", np.float64, np.nan),
            padded("fits", np.float64, np.nan),
            column("none", np.float64),
            column("same", np.int32),
            column("same_probability", np.float64),
            tuple(row["same_reason"] for row in self.rows),
            listed("between"),
            listed("between_probabilities"),
            listed("reasons"),
            listed("spellings"),
        )

    def place(self, names: list[str], *, within: int | None = None) -> None:
        """Place some terms; those that are in the taxonomy, from one index on, not under themselves."""
        candidates = self._candidates(names) if within is None else self._candidates_within(names, within)
        first = [name for name, some in zip(names, candidates, strict=True) for _ in some]
        second = [self.names.labels[j] for some in candidates for j in some]
        entails = entailment(self.space, first, second, self.definitions)
        ends = np.cumsum([0, *map(len, candidates)]).tolist()
        ranked = [
            self._ranked(name, some, entails[ends[i] : ends[i + 1]])
            for i, (name, some) in enumerate(zip(names, candidates, strict=True))
        ]
        # Reasons, and whether two are the same, are asked of the few that matter.
        asked = [(i, j) for i, name in enumerate(names) for j in self._looked_at(name, candidates[i], ranked[i])]
        labels = [self.names.labels[candidates[i][j]] for i, j in asked]
        relations = weighed(self.space, [names[i] for i, _ in asked], labels, self.definitions)
        told: list[dict[int, tuple[float, str]]] = [{} for _ in names]
        for (i, j), same, reason in zip(asked, relations.of("same").tolist(), relations.reasons, strict=True):
            told[i][j] = same, reason
        block = [self._row(*each) for each in zip(names, candidates, ranked, told, strict=True)]
        if within is None:
            self._put_between(names, block)
        self.rows += block

    def _candidates(self, names: list[str]) -> list[list[int]]:
        found = []
        for name, places in zip(names, self.search.above(names, SEARCHED, self.definitions), strict=True):
            own = [*self.names.called(name), *self.names.heads(name)[:1]]
            some = self._terms_at(places)
            if len(some) > READ and self.scores.is_new(name):
                labels = [self.names.labels[j] for j in some]
                read = self.scores.by_encoders(self._texts(name) * len(some), labels)
                some = [some[i] for i in np.argsort(-read, kind="stable")[:READ].tolist()]
            found.append([j for j in dict.fromkeys([*own, *some]) if (name, self.names.labels[j]) not in self.denied])
        return found

    def _candidates_within(self, names: list[str], first: int) -> list[list[int]]:
        """Return the parents that terms have, and candidates that would be new: not implied, not below the term."""
        found = []
        searched = self.search.above(names, SEARCHED_WITHIN, self.definitions, ranked=False)
        for i, (name, places) in enumerate(zip(names, searched, strict=True), first):
            parents = [self.taxonomy.index(parent) for parent in self.taxonomy.parents(self.taxonomy.terms[i])]
            above = self._above(i)
            some = [*self.names.called(name), *self.names.heads(name)[:1], *self._terms_at(places)]
            new = [j for j in some if j != i and j not in above and i not in self._above(j)]
            found.append(list(dict.fromkeys([*parents, *new])) if new else [])
        return found

    def _texts(self, name: str) -> list[str]:
        return texts_of(self.space, [name], self.definitions)

    def _terms_at(self, places: list[int]) -> list[int]:
        return [j for place in places for j in self.names.by_label[self.labels[place]]]

    def _ranked(self, name: str, candidates: list[int], entails: Floats) -> tuple[Floats, Floats, list[int]]:
        """Return the probability and the fit of each candidate, and the order of the candidates, the best first."""
        known = np.nan_to_num(entails, nan=0.0)
        above = [self._above(c) for c in candidates]
        below = [
            max((p for p, up in zip(known.tolist(), above, strict=True) if c in up), default=0.0) for c in candidates
        ]
        fits = entails * (1 - np.array(below))
        probable = known >= PROBABLE
        order = np.argsort(-np.nan_to_num(fits, nan=0.0) - probable, kind="stable")
        some = order[probable[order]]
        if len(some) < 2:
            return entails, fits, order.tolist()
        labels = [self.names.labels[candidates[i]] for i in some]
        suffix = np.isin([candidates[i] for i in some], self.names.heads(name)[:1]).astype(np.float64)
        if self.scores.is_new(name) or self.scores.is_new(labels[0]):
            back = entailment(self.space, labels, [name] * len(some))
            read = self.scores.by_encoders(self._texts(name) * len(some), labels)
            numbers = score(read, known[some], np.nan_to_num(back, nan=0.5), fits[some], suffix)
            order[: len(some)] = some[np.argsort(-numbers, kind="stable")]
        else:  # a denim jacket is a coat, too, but it is called a jacket
            order[: len(some)] = some[np.argsort(-suffix, kind="stable")]
        return entails, fits, order.tolist()

    def _looked_at(self, name: str, candidates: list[int], ranked: tuple[Floats, Floats, list[int]]) -> list[int]:
        """Return which candidates may be the same as the term, or among its best parents."""
        called = set(self.names.called(name))
        entails, _, order = ranked
        own = [i for i, c in enumerate(candidates) if c in called]
        return list(dict.fromkeys([*own, *order[: self.k + len(own)], *np.flatnonzero(entails >= PROBABLE).tolist()]))

    def _row(
        self,
        name: str,
        candidates: list[int],
        ranked: tuple[Floats, Floats, list[int]],
        relations: dict[int, tuple[float, str]],
    ) -> dict[str, Any]:
        """Return where one term belongs, given how probably some candidates are the same, and reasons."""
        entails, fits, order = ranked
        called = [j for j in self.names.called(name) if j in candidates]
        twins = sorted((-same, i) for i, (same, _) in relations.items() if same > PROBABLE)
        twin = candidates.index(called[0]) if called else twins[0][1] if twins else None
        parents = [i for i in order if candidates[i] not in called][: self.k]  # a term is not below itself
        parents = [i for i in parents if i == parents[0] or not entails[i] < POSSIBLE]  # NaN stays
        probable = np.nan_to_num(entails, nan=0.0)
        lost = not (probable >= PROBABLE).any() and twin is None
        return {
            "parents": [candidates[i] for i in parents],
            "probabilities": entails[parents],
            "fits": fits[parents],
            "none": 1 - probable.max() if np.isfinite(entails).any() else np.nan,
            "same": -1 if twin is None else candidates[twin],
            "same_probability": np.nan if twin is None else relations[twin][0],
            "same_reason": "" if twin is None else SAME_NAME if called else relations[twin][1],
            "between": (),
            "between_probabilities": (),
            "reasons": [relations[i][1] for i in parents],
            "spellings": self.names.like(name) if lost else (),
        }

    def _above(self, term: int) -> set[int]:
        if term not in self.above:
            taxonomy = self.taxonomy
            self.above[term] = {taxonomy.index(each) for each in taxonomy.ancestors(taxonomy.terms[term])} - {term}
        return self.above[term]

    def _put_between(self, names: list[str], block: list[dict[str, Any]]) -> None:
        """Find the children of the best parents that are kinds of the terms."""
        asked: list[tuple[int, int]] = []
        for i, row in enumerate(block):
            if row["same"] < 0 and len(row["parents"]) and row["probabilities"][0] >= PROBABLE:
                children = self.taxonomy.children(self.taxonomy.terms[row["parents"][0]])[:MOST_CHILDREN]
                asked += [(i, self.taxonomy.index(child)) for child in children]
        found = entailment(self.space, [self.names.labels[j] for _, j in asked], [names[i] for i, _ in asked])
        for (i, j), narrower in zip(asked, found.tolist(), strict=True):
            if narrower >= PROBABLE:
                block[i]["between"] += (j,)
                block[i]["between_probabilities"] += (narrower,)
