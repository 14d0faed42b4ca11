"""What each relation of a row does to a taxonomy when it is accepted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from entvec.graphs.annotations import SYNONYM
from entvec.taxonomy.review_rows import Pair, Row


@dataclass
class Changing:
    """A taxonomy that is being changed."""

    terms: dict[str, None]
    edges: dict[Pair, float]
    labels: dict[str, str]
    about: dict[str, dict[str, tuple[str, ...]]]
    denied: dict[Pair, None]
    gone: dict[str, str] = field(default_factory=dict)
    """Terms that were merged into others."""

    def add(self, hypo: str, hyper: str) -> None:
        """Add an edge, with its terms, and forget that it was denied."""
        self.terms.setdefault(hypo)
        self.terms.setdefault(hyper)
        self.denied.pop((hypo, hyper), None)
        if hypo != hyper:
            self.edges.setdefault((hypo, hyper), float("nan"))

    def drop(self, hypo: str, hyper: str) -> None:
        """Remove an edge, if it is there."""
        self.edges.pop((hypo, hyper), None)


def _narrower(draft: Changing, row: Row) -> None:
    draft.add(row.term, row.target)
    if row.instead:
        draft.drop(row.term, row.instead)


def _broader(draft: Changing, row: Row) -> None:
    """Put a term above another one, and between that and the parents that both have."""
    draft.add(row.target, row.term)
    for parent in [high for low, high in draft.edges if low == row.term]:
        draft.drop(row.target, parent)


def _same(draft: Changing, row: Row) -> None:
    """Make the term another name of the target; what was above and below it is now above and below the target."""
    names = [row.term_label or draft.labels.get(row.term, row.term)]
    names += draft.about.get(row.term, {}).get(SYNONYM, ())
    fields = dict(draft.about.get(row.target, {}))
    there = (draft.labels.get(row.target, row.target), *fields.get(SYNONYM, ()))
    new = tuple(dict.fromkeys(name for name in names if name not in there))
    if new:
        draft.about[row.target] = fields | {SYNONYM: (*fields.get(SYNONYM, ()), *new)}
    if row.term == row.target or row.term not in draft.terms:
        return
    for low, high in [pair for pair in draft.edges if row.term in pair]:
        draft.drop(low, high)
        draft.add(*(row.target if end == row.term else end for end in (low, high)))
    for low, high in [pair for pair in draft.denied if row.term in pair]:
        del draft.denied[low, high]
    draft.terms.pop(row.term)
    draft.labels.pop(row.term, None)
    draft.about.pop(row.term, None)
    draft.gone[row.term] = row.target


def put_at_top(draft: Changing, row: Row) -> None:
    """Put a term into the taxonomy, under no other."""
    draft.terms.setdefault(row.term)


def _not_narrower(draft: Changing, row: Row) -> None:
    draft.drop(row.term, row.target)
    draft.denied.setdefault((row.term, row.target))


def _reverse(draft: Changing, row: Row) -> None:
    draft.drop(row.term, row.target)
    draft.add(row.target, row.term)


def _drop(draft: Changing, row: Row) -> None:
    draft.drop(row.term, row.target)


def _nothing(draft: Changing, row: Row) -> None:
    """Change nothing: the finding is only to be looked at, or what it names is dropped whenever a file is read."""


ACTIONS: dict[str, tuple[Callable[[Changing, Row], None], str]] = {
    "narrower": (_narrower, "the term gets the target as a parent, in the place of `instead` if that is named"),
    "broader": (_broader, "the term becomes the parent of the target, between it and the parents they share"),
    "same": (_same, "the term becomes another name of the target"),
    "none": (put_at_top, "the term stands at the top, under no other"),
    "not narrower": (_not_narrower, "the edge goes, and is denied"),
    "reverse": (_reverse, "the edge is turned round"),
    "drop": (_drop, "the edge goes; it may follow from others"),
    "look": (_nothing, "nothing changes by itself"),
}
"""What each relation of a row does when it is accepted, and how that is said."""
ABOUT_EDGES = ("not narrower", "reverse", "drop", "look")
"""Relations that are about an edge which is there: rejected, they confirm it."""
