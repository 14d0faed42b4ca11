"""How much one request, one client and all of them together may ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from entvec.explore.refusals import Refused

WORD_LETTERS = 200
"""Of one word: a name of several words is shorter, too."""
WORDS = 1_000
"""Of one request: words or pairs to be answered."""
LIST_WORDS = 300
"""Of a list that is made a taxonomy: every pair of them is looked at, and every change of one asks again."""
TAXONOMY_TERMS = 2_000
"""Of a taxonomy that is audited or converted."""
TAXONOMY_EDGES = 10_000
MATCHES = 1_000
"""Of one word: the largest k."""
ANSWERS = 20_000
"""Of one request: words times k."""
FEATURES = 8
"""Of a theory question: the exact model has 4^K states."""

FULL = "are being answered, which is all that this server takes on at once"


@dataclass(frozen=True)
class Limits:
    """What a server allows; the command line sets these."""

    body_bytes: int = 1 << 20
    body_seconds: float = 20.0
    """In which a request must have arrived."""
    in_flight: int = 512
    """Requests of all clients; one more is told to come back."""
    long_in_flight: int = 8
    """Of these, such as take long: those about taxonomies and explanations."""
    long_per_client: int = 4
    """And of these, such as come from one address."""


@dataclass
class Admission:
    """Counts what is being answered, and refuses what is too much."""

    limits: Limits
    running: int = 0
    long: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """While one request is read and answered."""
        if self.running >= self.limits.in_flight:
            raise Refused(503, "busy", f"{self.running} requests {FULL}; try again in a second")
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1

    @contextmanager
    def admitted_long(self, client: str) -> Iterator[None]:
        """While one of those that take long is answered; until it has been read it takes nobody's place."""
        n_long = self.long.total()
        if self.long[client] >= self.limits.long_per_client:
            raise Refused(
                429,
                "too_many",
                f"{self.long[client]} long requests of yours are being answered, which is all that one client may "
                "have at once; wait for one of them",
            )
        if n_long >= self.limits.long_in_flight:
            raise Refused(503, "busy", f"{n_long} long requests {FULL}; try again in a few seconds")
        self.long[client] += 1
        try:
            yield
        finally:
            self.long[client] -= 1
            if not self.long[client]:
                del self.long[client]
