"""Rows of a review: what placing, building and auditing suggest, one suggestion a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from entvec.errors import InvalidInput
from entvec.graphs.taxonomy import Taxonomy
from entvec.taxonomy.auditing import Audit
from entvec.taxonomy.inducing import Draft
from entvec.taxonomy.placed import Placed, path_of

ACCEPT, REJECT, OPEN = "accept", "reject", ""
Pair = tuple[str, str]
DECISIONS = {
    ACCEPT: ("accept", "accepted", "yes", "y", "x", "ok", "true", "1", "+"),
    REJECT: ("reject", "rejected", "no", "n", "false", "0", "-"),
    OPEN: ("", "?", "open"),
}
"""How people write decisions."""


class Row(NamedTuple):
    """One suggestion."""

    decision: str
    """accept, reject, or nothing yet."""
    term: str
    """The identifier of the term, or the name of a new one."""
    relation: str
    """A key of `ACTIONS` in `review_actions`."""
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


def decision_of(text: str) -> str:
    """Return the decision that a text means, or raise InvalidInput.

    >>> decision_of(" Yes "), decision_of("n"), decision_of("")
    ('accept', 'reject', '')
    """
    for decision, spellings in DECISIONS.items():
        if text.strip().casefold() in spellings:
            return decision
    raise InvalidInput(f"the decision is {text!r:.40}, expected accept, reject or nothing")


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


def share_of(text: str, name: str) -> float | None:
    """Return the probability that a cell holds, None if it is empty; raise InvalidInput if it is none."""
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise InvalidInput(f"the {name.replace('_', ' ')} is {text!r}, expected 0 to 1, or nothing")
    return value
