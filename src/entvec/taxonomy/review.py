"""Reviews: suggestions that people accept or reject, and what becomes of a taxonomy then.

A row suggests one thing about a term and, mostly, a target. `ACTIONS` says what each relation does when it is accepted;
a rejected suggestion of a parent or child becomes a denial. So a review is knowledge, too (`decisions`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from entvec.errors import InvalidInput
from entvec.graphs.annotations import SYNONYM
from entvec.graphs.difference import Change, difference
from entvec.graphs.taxonomy import Taxonomy
from entvec.taxonomy.review_actions import ABOUT_EDGES, ACTIONS, Changing, put_at_top
from entvec.taxonomy.review_rows import ACCEPT, OPEN, REJECT, Pair, Row


class Applied(NamedTuple):
    """A taxonomy after a review."""

    taxonomy: Taxonomy
    changes: tuple[Change, ...]
    open: tuple[Row, ...]
    """Suggestions that nobody has decided, for terms whose place is not decided by another row."""
    undecided: tuple[str, ...]
    """New terms that no accepted row has placed."""


def accepted_above(rows: Iterable[Row], least: float) -> list[Row]:
    """Return the rows with the first open suggestion of each undecided term accepted, if it is probable enough.

    Parameters
    ----------
    rows
        The rows of a review.
    least
        The least probability.
    """
    if not 0 <= least <= 1:
        raise InvalidInput(f"the least probability is {least}, expected 0 to 1")
    rows = list(rows)
    settled = {row.term for row in rows if row.decision == ACCEPT}
    made = []
    for row in rows:
        sure = row.decision == OPEN and row.probability is not None and row.probability >= least
        if sure and row.term not in settled and row.relation not in ABOUT_EDGES:
            settled.add(row.term)
            row = row._replace(decision=ACCEPT)
        made.append(row)
    return made


def apply(rows: Sequence[Row], taxonomy: Taxonomy, *, undecided: str = "leave") -> Applied:
    """Return the taxonomy after a review: accepted rows change it, rejected parents are denied.

    >>> shop = Taxonomy.from_edges([("footwear", "clothing")])
    >>> rows = [Row("accept", "sandal", "narrower", "footwear"), Row("reject", "sandal", "narrower", "clothing")]
    >>> for change in apply(rows, shop).changes:
    ...     print(change)
    + term sandal
    + edge sandal -> footwear
    + denial sandal is no clothing

    Parameters
    ----------
    rows
        The rows of a review.
    taxonomy
        The taxonomy that was reviewed.
    undecided
        What becomes of new terms without an accepted row: "leave" leaves them in the review, "top" puts them into the
        taxonomy, under no other term.
    """
    if undecided not in ("leave", "top"):
        raise InvalidInput(f"undecided is {undecided!r}, expected 'leave' or 'top'")
    _check(rows, taxonomy)
    draft = Changing(
        dict.fromkeys(taxonomy.terms),
        {(hypo, hyper): probability for hypo, hyper, probability in taxonomy.edges()},
        dict(taxonomy.labels),
        {term: dict(fields) for term, fields in taxonomy.about.items()},
        dict.fromkeys(taxonomy.denied()),
    )
    order = list(ACTIONS)
    for row in sorted((row for row in rows if row.decision == ACCEPT), key=lambda row: order.index(row.relation) == 2):
        ends = {name: draft.gone.get(value, value) for name in ("term", "target") if (value := getattr(row, name))}
        ACTIONS[row.relation][0](draft, row._replace(**ends))
        if row.term in draft.terms:
            _describe(draft, row)
    settled = {row.term for row in rows if row.decision == ACCEPT and row.relation not in ABOUT_EDGES}
    new = dict.fromkeys(row.term for row in rows if row.relation not in ABOUT_EDGES and row.term not in taxonomy)
    left = tuple(term for term in new if term not in settled)
    if undecided == "top":
        for row in rows:
            if row.term in left:
                put_at_top(draft, row)
                _describe(draft, row)
    for low, high in denials(rows):
        if low in draft.terms and high in draft.terms and (low, high) not in draft.edges:
            draft.denied.setdefault((low, high))
    made = Taxonomy.from_edges(
        ((hypo, hyper, probability) for (hypo, hyper), probability in draft.edges.items()),
        negations=[pair for pair in draft.denied if draft.terms.keys() >= set(pair)],
        terms=draft.terms,
        labels=draft.labels,
        about=draft.about,
        rest=taxonomy.rest,
    )
    still = tuple(row for row in rows if row.decision == OPEN and row.term not in settled)
    return Applied(made, difference(taxonomy, made), still, left)


def _describe(draft: Changing, row: Row) -> None:
    """Give a new term its label and its definition."""
    if row.term_label and row.term_label != row.term:
        draft.labels.setdefault(row.term, row.term_label)
    if row.definition and not draft.about.get(row.term, {}).get("definition"):
        draft.about[row.term] = draft.about.get(row.term, {}) | {"definition": (row.definition,)}


def _check(rows: Sequence[Row], taxonomy: Taxonomy) -> None:
    """Raise InvalidInput if a row names what is not there, or if two accepted rows exclude each other."""
    new = {row.term for row in rows if row.relation not in ABOUT_EDGES}
    for row in rows:
        if row.relation not in ACTIONS:
            raise InvalidInput(f"the relation is {row.relation!r}, expected one of {', '.join(ACTIONS)}")
        if row.decision == OPEN:
            continue
        if row.target and row.target not in taxonomy and row.target not in new:
            taxonomy.index(row.target)  # raises, and says what is like it
        if row.relation in ("narrower", "broader", "same") and not row.target:
            raise InvalidInput(f"{row.term!r} is {row.relation}, but the target is empty")
    alone = Counter(row.term for row in rows if row.decision == ACCEPT and row.relation in ("same", "none"))
    placed = {row.term for row in rows if row.decision == ACCEPT and row.relation == "narrower"}
    for term, n in alone.items():
        if n > 1 or term in placed:
            raise InvalidInput(
                f"{term!r} is accepted both as the same or none and in another place; reject one of them"
            )


def denials(rows: Iterable[Row]) -> Iterator[Pair]:
    """Yield the pairs (hypo, hyper) that rejected rows deny."""
    for row in rows:
        if row.decision == REJECT and row.target:
            if row.relation in ("narrower", "same"):
                yield row.term, row.target
            if row.relation in ("broader", "same"):
                yield row.target, row.term


def decisions(rows: Sequence[Row], taxonomy: Taxonomy) -> Taxonomy:
    """Return what a review has decided as a taxonomy of its own: a source of knowledge, by names.

    >>> shop = Taxonomy.from_edges([("footwear", "clothing")])
    >>> rows = [Row("accept", "sandal", "narrower", "footwear"), Row("reject", "sandal", "narrower", "clothing")]
    >>> known = decisions(rows, shop)
    >>> [edge[:2] for edge in known.edges()], list(known.denied())
    ([('sandal', 'footwear')], [('sandal', 'clothing')])

    Parameters
    ----------
    rows
        The rows of a review.
    taxonomy
        The taxonomy that was reviewed.
    """
    labels = {row.term: row.term_label for row in rows if row.term_label}

    def name(term: str) -> str:
        return taxonomy.labels.get(term, labels.get(term, term))

    edges, denied = [], [*denials(rows)]
    for row in rows:
        kept = row.decision == (REJECT if row.relation in ("not narrower", "reverse") else ACCEPT)
        if kept and row.relation in ("narrower", "not narrower", "reverse"):
            edges.append((row.term, row.target))
        elif kept and row.relation == "broader":
            edges.append((row.target, row.term))
        elif row.decision == ACCEPT and row.relation in ("not narrower", "reverse"):
            denied.append((row.term, row.target))
            edges += [(row.target, row.term)] if row.relation == "reverse" else []
    same = [(row.term, row.target) for row in rows if row.decision == ACCEPT and row.relation == "same"]
    about = {name(target): {SYNONYM: (name(term),)} for term, target in same if name(term) != name(target)}
    terms = [name(target) for _, target in same]
    named = [(name(low), name(high)) for low, high in edges]
    refused = [(name(low), name(high)) for low, high in denied]
    return Taxonomy.from_edges(named, negations=refused, terms=terms, about=about)
