"""What changed between two versions of a taxonomy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from entvec.graphs.annotations import FIELDS
from entvec.graphs.taxonomy import Taxonomy


class Change(NamedTuple):
    """A statement that was added (+) or removed (-).

    >>> print(Change("+", "edge", "dog -> animal"))
    + edge dog -> animal

    Parameters
    ----------
    sign
        "+" or "-".
    what
        The kind of statement: term, edge, denial, label, synonym or definition.
    text
        The statement.
    """

    sign: str
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.sign} {self.what} {self.text}"


def difference(before: Taxonomy, after: Taxonomy) -> tuple[Change, ...]:
    """Return the removed and the added statements, kind by kind, in the order of the terms and edges.

    >>> old = Taxonomy.from_edges([("dog", "pet"), ("cat", "pet")])
    >>> for change in difference(old, Taxonomy.from_edges([("dog", "animal"), ("cat", "pet")])):
    ...     print(change)
    + term animal
    - edge dog -> pet
    + edge dog -> animal
    """
    found = []
    for (what, old), (_, new) in zip(_statements(before), _statements(after), strict=True):
        found += [Change("-", what, text) for key, text in old.items() if key not in new]
        found += [Change("+", what, text) for key, text in new.items() if key not in old]
    return tuple(found)


def _statements(taxonomy: Taxonomy) -> Iterator[tuple[str, dict[object, str]]]:
    """Yield each kind of statement, with a text for each statement."""

    def name(term: str) -> str:
        return taxonomy.labels.get(term, term)

    yield "term", {term: name(term) for term in taxonomy.terms}
    yield "edge", {(low, high): f"{name(low)} -> {name(high)}" for low, high, _ in taxonomy.edges()}
    yield "denial", {(low, high): f"{name(low)} is no {name(high)}" for low, high in taxonomy.denied()}
    yield "label", {(term, label): f"{term}: {label}" for term, label in taxonomy.labels.items()}
    for field in FIELDS:
        yield (
            field,
            {
                (term, text): f"{name(term)}: {text}"
                for term, fields in taxonomy.about.items()
                for text in fields.get(field, ())
            },
        )
