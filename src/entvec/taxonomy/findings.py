"""Findings of an audit: kinds, what each is about, and the change that would mend it."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

KINDS = {
    "cycle": "terms that entail each other in a circle",
    "contradiction": "entailments that are denied and follow all the same",
    "reversed": "edges that seem to lead the wrong way",
    "part": "parts under the whole that they are parts of",
    "whole": "wholes under a part of them",
    "sibling": "siblings under siblings",
    "sense": "terms under a word that means something else here",
    "improbable": "edges that nothing supports",
    "duplicate": "terms that are the same as another one",
    "distant": "terms with a better parent between them and theirs",
    "missing": "edges that are suggested",
    "redundant": "edges that follow from others",
    "repeated": "edges that are said more than once",
    "self": "terms that are said to entail themselves",
    "orphan": "terms without any edge",
}
"""The kinds of findings and their meanings, the gravest first."""
FIXES = {
    "cycle": "drop",
    "reversed": "reverse",
    "part": "not narrower",
    "whole": "not narrower",
    "sibling": "not narrower",
    "sense": "not narrower",
    "improbable": "not narrower",
    "duplicate": "same",
    "distant": "narrower",
    "missing": "narrower",
    "redundant": "drop",
}
"""What mends findings of each kind, a key of `ACTIONS` in `review_actions`; others are looked at."""
BY_RELATIONS = ("part", "whole", "sibling", "sense", "duplicate", "distant")
"""The kinds that need a space which knows something."""
BY_SPACE = ("reversed", "improbable", "missing", *BY_RELATIONS)
"""The kinds that need a space."""


class Finding(NamedTuple):
    """Something that is wrong or may be wrong."""

    kind: str
    hypo: str
    hyper: str | None
    reason: str
    severity: float
    """The probability that it is wrong; 1 if it is certain."""
    probability: float | None = None
    """The probability in the space that the hypo entails the hyper."""
    reversed_probability: float | None = None
    """The probability in the space that the hyper entails the hypo."""
    path: tuple[str, ...] = ()
    """The terms of a cycle, or of the path that implies an edge."""
    instead: str | None = None
    """The present parent of a term that has a better one."""

    @property
    def id(self) -> str:
        """What this finding is called in every audit: its kind, and a hash of what it is about.

        >>> Finding("redundant", "dog", "animal", "follows", 1.0).id
        'redundant-de1293ae'
        """
        about = "\\0".join((self.kind, self.hypo, self.hyper or "", self.instead or ""))
        return f"{self.kind}-{hashlib.sha256(about.encode()).hexdigest()[:8]}"

    @property
    def fix(self) -> str:
        """What mends it, if the finding is right."""
        return FIXES.get(self.kind, "look")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"id": self.id, **self._asdict(), "path": list(self.path), "fix": self.fix}
