"""Limits: how much one request, one client and all clients together may ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address, IPv6Network

from entvec.explore.http_errors import HttpError

WORD_LETTERS = 200
"""The longest word."""
CONTEXT = 2_000
"""The longest text in which a word is used."""
TEXT = 20_000
"""The longest text whose sentences count as evidence."""
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
DISCARDED = 8
"""A body of up to this many times the limit is read to its end before it is refused: most clients listen only then."""


@dataclass(frozen=True)
class Limits:
    """What a server allows.

    >>> Limits(in_flight=2).body_bytes
    1048576

    Parameters
    ----------
    body_bytes, body_seconds
        The longest body, and the time in which it must arrive.
    head_bytes, head_seconds
        The same for everything before the body: the address with its query parameters, and the headers.
    response_seconds
        The time in which a client must read its response.
    connections, connections_per_client
        Open connections of all clients and of one.
    in_flight, per_client
        Requests that are read and answered at the same time, of all clients and of one; others get status 503 or 429.
    long_in_flight, long_per_client, long_seconds
        How many of these may be long ones (explanations, maps, taxonomies), from all clients and from one; and the time
        that one may take to compute.
    large_in_flight, large_per_client
        How many short requests may have a body of more than 32 KiB, from all clients and from one.
    """

    body_bytes: int = 1 << 20
    body_seconds: float = 20.0
    head_bytes: int = 1 << 16
    head_seconds: float = 15.0
    response_seconds: float = 60.0
    connections: int = 768
    connections_per_client: int = 384
    in_flight: int = 512
    per_client: int = 256
    long_in_flight: int = 8
    long_per_client: int = 4
    long_seconds: float = 30.0
    large_in_flight: int = 32
    large_per_client: int = 16


def client_of(host: str) -> str:
    """Return what counts as one client: an address, or with IPv6 the network of 64 bits that each customer has.

    What is no such address, as that of a local socket, is a client as it is.

    >>> client_of("192.0.2.1"), client_of("2001:db8::1") == client_of("2001:db8::2"), client_of("::ffff:192.0.2.1")
    ('192.0.2.1', True, '192.0.2.1')
    """
    try:
        address = IPv6Address(host) if ":" in host else None
    except ValueError:
        address = None
    if address is None:
        return host
    return str(address.ipv4_mapped or IPv6Network((int(address) >> 64 << 64, 64)))


@dataclass
class Slots:
    """Places for requests that are being answered; a request beyond the limits is refused.

    Parameters
    ----------
    what
        The requests, in the words of a refusal.
    limit, per_client
        How many there may be of all clients and of one.
    """

    what: str
    limit: int
    per_client: int
    taken: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def slot(self, client: str) -> Iterator[None]:
        """Take a place while a request is answered."""
        if self.taken[client] >= self.per_client:
            message = f"you have {self.taken[client]} {self.what}, which is all that one client may have at once"
            raise HttpError(429, "too_many", f"{message}; wait for one of them to end")
        if self.taken.total() >= self.limit:
            message = f"there are {self.limit} {self.what}, which is all that this server takes on at once"
            raise HttpError(503, "busy", f"{message}; try again in a few seconds")
        self.taken[client] += 1
        try:
            yield
        finally:
            self.taken[client] -= 1
            if not self.taken[client]:
                del self.taken[client]
