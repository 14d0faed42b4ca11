"""Limits: how much one request, one client and all clients together may ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from entvec.explore.http_errors import HttpError

WORD_LETTERS = 200
"""The longest word."""
WORDS = 1_000
"""Words or pairs in one request."""
LIST_WORDS = 300
"""Words in a list that becomes a taxonomy: the work grows with the square, and the page asks again after each edit."""
TAXONOMY_TERMS = 2_000
"""Terms of a taxonomy that is audited or converted."""
TAXONOMY_EDGES = 10_000
MATCHES = 1_000
"""The largest k."""
ANSWERS = 20_000
"""Words times k in one request."""
FEATURES = 8
"""Features of a theory request: the exact model has 4^K states."""

FULL = "are being answered, which is all that this server takes on at once"


@dataclass(frozen=True)
class Limits:
    """What a server allows.

    Parameters
    ----------
    body_bytes, body_seconds
        The longest body, and the time in which it must arrive.
    head_bytes, head_seconds
        The same for everything before the body: the address with its query parameters, and the headers.
    in_flight
        Requests that are answered at the same time; one more gets status 503.
    long_in_flight, long_per_client
        How many of these may be long ones (explanations, maps, taxonomies), from all clients and from one.

    >>> Limits(in_flight=2).body_bytes
    1048576
    """

    body_bytes: int = 1 << 20
    body_seconds: float = 20.0
    head_bytes: int = 1 << 16
    head_seconds: float = 15.0
    in_flight: int = 512
    long_in_flight: int = 8
    long_per_client: int = 4


@dataclass
class Admission:
    """Counts the requests that are being answered, and refuses those beyond the limits."""

    limits: Limits
    running: int = 0
    long: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Count one request while it is read and answered."""
        if self.running >= self.limits.in_flight:
            raise HttpError(503, "busy", f"{self.running} requests {FULL}; try again in a second")
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1

    @contextmanager
    def admitted_long(self, client: str) -> Iterator[None]:
        """Count one long request while it is answered; enter only when it has been read completely."""
        n_long = self.long.total()
        if self.long[client] >= self.limits.long_per_client:
            raise HttpError(
                429,
                "too_many",
                f"{self.long[client]} long requests of yours are being answered, which is all that one client may "
                "have at once; wait for one of them",
            )
        if n_long >= self.limits.long_in_flight:
            raise HttpError(503, "busy", f"{n_long} long requests {FULL}; try again in a few seconds")
        self.long[client] += 1
        try:
            yield
        finally:
            self.long[client] -= 1
            if not self.long[client]:
                del self.long[client]
