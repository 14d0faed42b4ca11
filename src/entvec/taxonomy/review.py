"""Reviews: suggestions that people accept or reject, and what becomes of a taxonomy then.

A row suggests one thing about a term and, mostly, a target. `ACTIONS` says what each relation does when it is accepted;
a rejected suggestion of a parent or child becomes a denial. So a review is knowledge, too (`decisions`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from entvec.errors import InvalidInput
from entvec.graphs.annotations import SYNONYM
from entvec.graphs.difference import Change, difference
from entvec.graphs.taxonomy import Taxonomy
from entvec.taxonomy.auditing import Audit
from entvec.taxonomy.inducing import Draft
from entvec.taxonomy.placing_many import Placed, path_of

ACCEPT, REJECT, OPEN = "accept", "reject", ""
Pair = tuple[str, str]


class Row(NamedTuple):
    """One suggestion."""

    decision: str
    """accept, reject, or nothing yet."""
    term: str
    """The identifier of the term, or the name of a new one."""
    relation: str
    """A key of `ACTIONS`."""
    target: str = ""
    """The identifier of the other term."""
    term_label: str = ""
    target_label: str = ""
    path: str = ""
    """The way from the target to the top."""
    probability: float | None = None
    runner_up: float | None = None
    """The probability of the next parent."""
    reason: str = ""
    id: str = ""
    """The stable identifier of a finding of an audit."""
    instead: str = ""
    """A parent that the suggested one takes the place of."""
    definition: str = ""


@dataclass
class _Draft:
    """A taxonomy that is being changed."""

    terms: dict[str, None]
    edges: dict[Pair, float]
    labels: dict[str, str]
    about: dict[str, dict[str, tuple[str, ...]]]
    denied: dict[Pair, None]
    gone: dict[str, str] = field(default_factory=dict)
    """Terms that were merged into others."""

    def add(self, hypo: str, hyper: str) -> None:
        self.terms.setdefault(hypo)
        self.terms.setdefault(hyper)
        self.denied.pop((hypo, hyper), None)
        if hypo != hyper:
            self.edges.setdefault((hypo, hyper), float("nan"))

    def drop(self, hypo: str, hyper: str) -> None:
        self.edges.pop((hypo, hyper), None)


def _narrower(draft: _Draft, row: Row) -> None:
    draft.add(row.term, row.target)
    if row.instead:
        draft.drop(row.term, row.instead)


def _broader(draft: _Draft, row: Row) -> None:
    """Put a term above another one, and between that and the parents that both have."""
    draft.add(row.target, row.term)
    for parent in [high for low, high in draft.edges if low == row.term]:
        draft.drop(row.target, parent)


def _same(draft: _Draft, row: Row) -> None:
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


def _none(draft: _Draft, row: Row) -> None:
    draft.terms.setdefault(row.term)


def _not_narrower(draft: _Draft, row: Row) -> None:
    draft.drop(row.term, row.target)
    draft.denied.setdefault((row.term, row.target))


def _reverse(draft: _Draft, row: Row) -> None:
    draft.drop(row.term, row.target)
    draft.add(row.target, row.term)


def _drop(draft: _Draft, row: Row) -> None:
    draft.drop(row.term, row.target)


def _nothing(draft: _Draft, row: Row) -> None:
    """Change nothing: the finding is only to be looked at, or what it names is dropped whenever a file is read."""


ACTIONS: dict[str, tuple[Callable[[_Draft, Row], None], str]] = {
    "narrower": (_narrower, "the term gets the target as a parent, in the place of `instead` if that is named"),
    "broader": (_broader, "the term becomes the parent of the target, between it and the parents they share"),
    "same": (_same, "the term becomes another name of the target"),
    "none": (_none, "the term stands at the top, under no other"),
    "not narrower": (_not_narrower, "the edge goes, and is denied"),
    "reverse": (_reverse, "the edge is turned round"),
    "drop": (_drop, "the edge goes; it may follow from others"),
    "look": (_nothing, "nothing changes by itself"),
}
"""What each relation of a row does when it is accepted, and how that is said."""
ABOUT_EDGES = ("not narrower", "reverse", "drop", "look")
"""Relations that are about an edge which is there: rejected, they confirm it."""
DECISIONS = {
    ACCEPT: ("accept", "accepted", "yes", "y", "x", "ok", "true", "1", "+"),
    REJECT: ("reject", "rejected", "no", "n", "false", "0", "-"),
    OPEN: ("", "?", "open"),
}
"""How people write decisions."""


def decision_of(text: str) -> str:
    """Return the decision that a text means, or raise InvalidInput.

    >>> decision_of(" Yes "), decision_of("n"), decision_of("")
    ('accept', 'reject', '')
    """
    for decision, spellings in DECISIONS.items():
        if text.strip().casefold() in spellings:
            return decision
    raise InvalidInput(f"the decision is {text!r:.40}, expected accept, reject or nothing")


class Applied(NamedTuple):
    """A taxonomy after a review."""

    taxonomy: Taxonomy
    changes: tuple[Change, ...]
    open: tuple[Row, ...]
    """Suggestions that nobody has decided, for terms whose place is not decided by another row."""
    undecided: tuple[str, ...]
    """New terms that no accepted row has placed."""


def rows_of(placed: Placed, definitions: dict[str, str] | None = None) -> Iterator[Row]:
    """Yield what is suggested for each term: the same, parents, children, and none of these.

    >>> from entvec.space.default import default_space
    >>> from entvec.taxonomy.placing_many import place_all
    >>> shop = Taxonomy.from_edges([("shoe", "footwear")])
    >>> for row in rows_of(place_all(["sneaker"], shop, default_space(), k=1)):
    ...     print(row.relation, row.target or "-")
    narrower shoe
    none -
    """
    taxonomy = placed.taxonomy

    def row(i: int, relation: str, target: int, probability: float, **others: object) -> Row:
        term, found = placed.terms[i], taxonomy.terms[target]
        path = " > ".join(reversed(path_of(taxonomy, target)))
        number = None if np.isnan(probability) else round(float(probability), 4)
        label = taxonomy.labels.get(found, "")
        made = Row(OPEN, term, relation, found, target_label=label, path=path, probability=number)
        return made._replace(definition=(definitions or {}).get(term, ""), **others)  # type: ignore[arg-type]

    for i, term in enumerate(placed.terms):
        if placed.same[i] >= 0:
            yield row(i, "same", placed.same[i], placed.same_probabilities[i], reason=placed.same_reasons[i])
        there = [p for p in placed.parents[i].tolist() if p >= 0]
        for j, parent in enumerate(there):
            after = placed.probabilities[i, j + 1] if j + 1 < len(there) else np.nan
            runner_up = None if np.isnan(after) else round(float(after), 4)
            found = placed.probabilities[i, j], placed.reasons[i][j]
            yield row(i, "narrower", parent, found[0], runner_up=runner_up, reason=found[1])
        for child, probability in zip(placed.between[i], placed.between_probabilities[i], strict=True):
            told = f"between {taxonomy.label(taxonomy.terms[there[0]])} and {taxonomy.label(taxonomy.terms[child])}"
            yield row(i, "broader", child, probability, reason=told)
        none = None if np.isnan(placed.none[i]) else round(float(placed.none[i]), 4)
        why = placed.why_unplaced(i) if i in set(placed.unplaced) else ""
        yield Row(OPEN, term, "none", probability=none, reason=why, definition=(definitions or {}).get(term, ""))


def rows_of_draft(found: Draft) -> Iterator[Row]:
    """Yield the guesses beside a draft, and a row for each word without an edge.

    >>> from entvec.space.default import default_space
    >>> from entvec.taxonomy.inducing import draft
    >>> [(row.term, row.relation) for row in rows_of_draft(draft(["dog", "animal", "piano"], default_space()))]
    [('piano', 'none')]

    Parameters
    ----------
    found
        A draft.
    """
    for guess in found.guesses:
        path = " > ".join(reversed(path_of(found.taxonomy, found.taxonomy.index(guess.hyper))))
        known = None if np.isnan(guess.probability) else round(guess.probability, 4)
        reason = "its last words" if known is None else "less probable than was asked for"
        yield Row(OPEN, guess.hypo, "narrower", guess.hyper, path=path, probability=known, reason=reason)
    for word, reason in found.unplaced.items():
        yield Row(OPEN, word, "none", reason=reason)


def rows_of_audit(found: Audit, taxonomy: Taxonomy) -> Iterator[Row]:
    """Yield a row for each finding, whose relation is the change that mends it; the surest come first.

    >>> from entvec.taxonomy.auditing import audit
    >>> shop = Taxonomy.from_edges([("shoe", "footwear"), ("footwear", "clothing"), ("shoe", "clothing")])
    >>> [(row.term, row.relation, row.target) for row in rows_of_audit(audit(shop), shop)]
    [('shoe', 'drop', 'clothing')]

    Parameters
    ----------
    found
        An audit.
    taxonomy
        The taxonomy that was audited.
    """
    for finding in found.by_precision():
        target = finding.hyper or ""
        yield Row(
            OPEN,
            finding.hypo,
            finding.fix,
            target,
            taxonomy.labels.get(finding.hypo, ""),
            taxonomy.labels.get(target, ""),
            " > ".join(reversed(path_of(taxonomy, taxonomy.index(target)))) if target else "",
            round(finding.severity, 4),
            reason=f"{finding.kind}: {finding.reason}",
            id=finding.id,
            instead=finding.instead or "",
        )


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
    draft = _Draft(
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
                _none(draft, row)
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


def _describe(draft: _Draft, row: Row) -> None:
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
