"""Match two vocabularies: for each term of one, the term of the other that is the same, broader or narrower."""

from __future__ import annotations

import numpy as np

from entvec.errors import InvalidInput
from entvec.graphs.taxonomy import Taxonomy
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.taxonomy.candidates import Candidates
from entvec.taxonomy.names import Names
from entvec.taxonomy.placed import IMPROBABLE, PROBABLE, UNREAD, Placed, path_of
from entvec.taxonomy.placing_many import place_all
from entvec.taxonomy.review_rows import OPEN, Row
from entvec.taxonomy.weighing import weighed

SEARCHED = 10
"""How many candidates each source finds among the other terms."""


def match(
    first: Taxonomy, second: Taxonomy, space: EntailmentSpace, *, progress: Progress | None = None
) -> tuple[Row, ...]:
    """Return a row for each term of the first vocabulary: what it is to a term of the second, or none.

    A term of the same name or meaning comes first, then the best broader term, then the best narrower one.

    >>> from entvec.space.default import default_space
    >>> ours = Taxonomy.from_edges([], terms=["sandals", "vehicle", "qqqqq"])
    >>> theirs = Taxonomy.from_edges([("car", "thing"), ("sandal", "footwear")])
    >>> [(row.term, row.relation, row.target) for row in match(ours, theirs, default_space())]
    [('sandals', 'same', 'sandal'), ('vehicle', 'broader', 'car'), ('qqqqq', 'none', '')]

    Parameters
    ----------
    first, second
        The vocabularies; only their terms count, by label, synonym and definition.
    space
        A calibrated space.
    progress
        A callback that gets the number of terms placed so far and the number of all. What it raises ends the work.
    """
    for taxonomy in (first, second):
        if not isinstance(taxonomy, Taxonomy) or not len(taxonomy):
            raise InvalidInput("expected two taxonomies with at least one term each")
    names = [first.labels.get(term, term) for term in first.terms]
    definitions = {first.labels.get(term, term): text for term, text in first.definitions.items()}
    placed = place_all(names, second, space, k=1, definitions=definitions, progress=progress)
    rows = [_above(first.terms[i], placed, i) for i in range(len(names))]
    lost = [i for i, row in enumerate(rows) if row.relation == "none"]
    for i, below in zip(lost, _below([names[i] for i in lost], second, space), strict=True):
        if below is not None:
            target, probability, reason = below
            rows[i] = _row(first.terms[i], names[i], "broader", second, target, probability, reason)
    return tuple(rows)


def _above(term: str, placed: Placed, i: int) -> Row:
    """Return the same or a broader term, or none."""
    name, taxonomy = placed.terms[i], placed.taxonomy
    if placed.same[i] >= 0:
        probability = placed.same_probabilities[i]
        return _row(term, name, "same", taxonomy, int(placed.same[i]), probability, placed.same_reasons[i])
    if placed.best[i] >= 0:
        found = int(placed.best[i]), placed.probabilities[i, 0], placed.reasons[i][0]
        return _row(term, name, "narrower", taxonomy, *found)
    why = UNREAD if np.isnan(placed.none[i]) else IMPROBABLE
    none = None if np.isnan(placed.none[i]) else round(float(placed.none[i]), 4)
    return Row(OPEN, term, "none", term_label="" if name == term else name, probability=none, reason=why)


def _row(term: str, name: str, relation: str, taxonomy: Taxonomy, target: int, probability: float, reason: str) -> Row:
    found = taxonomy.terms[target]
    return Row(
        OPEN,
        term,
        relation,
        found,
        "" if name == term else name,
        taxonomy.labels.get(found, ""),
        " > ".join(reversed(path_of(taxonomy, target))),
        None if np.isnan(probability) else round(float(probability), 4),
        reason=reason,
    )


def _below(names: list[str], taxonomy: Taxonomy, space: EntailmentSpace) -> list[tuple[int, float, str] | None]:
    """Return the most probable narrower term for each name, if one has a probability of one half."""
    if not names:
        return []
    known = Names(taxonomy)
    labels = list(known.by_label)
    found = Candidates(space, labels).below(names, SEARCHED)
    asked = [(i, j) for i, places in enumerate(found) for place in places for j in known.by_label[labels[place]]]
    told = weighed(space, [known.labels[j] for _, j in asked], [names[i] for i, _ in asked])
    best: list[tuple[int, float, str] | None] = [None] * len(names)
    for (i, j), probability, reason in zip(asked, told.of("narrower").tolist(), told.reasons, strict=True):
        before = best[i]
        if probability >= PROBABLE and (before is None or probability > before[1]):
            best[i] = (j, probability, reason)
    return best
