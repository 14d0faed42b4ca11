"""The service behind the API: one space that many clients query at once.

Searches and scores of different clients share matrix products (`batching`). Long work runs beside them in threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from functools import cached_property
from itertools import chain, compress
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from entvec.errors import EntvecError, shown
from entvec.explore.batching import DynamicBatcher
from entvec.explore.completion import Completion
from entvec.explore.http_errors import HttpError, from_entvec_error
from entvec.explore.limits import Limits, Slots
from entvec.explore.reading import Readers
from entvec.explore.threads import DaemonExecutor, StopSignal
from entvec.space import EntailmentSpace, Matches

WORDS_PER_BATCH = 256
PAIRS_PER_BATCH = 1 << 14
LONG_THREADS = 2

Json = dict[str, Any]
Item = TypeVar("Item")
Scored = tuple[float, float | None]
"""The score of a pair and its probability, if the space is calibrated."""


class Lane(NamedTuple):
    """Threads for one kind of work, and the slots of those who wait for it."""

    slots: Slots
    threads: DaemonExecutor


class Service:
    """A space with the threads, batches and slots of the requests to it.

    An unknown word in a batch must not spoil the answers of other clients: its result is None, and only the request
    that contains it is refused.
    """

    def __init__(self, space: EntailmentSpace, limits: Limits) -> None:
        self.space, self.limits = space, limits
        self.slots = Slots("requests", limits.in_flight, limits.per_client)
        self.long = Lane(
            Slots("long requests", limits.long_in_flight, limits.long_per_client), DaemonExecutor(LONG_THREADS, "long")
        )
        self.large = Lane(
            Slots("large requests", limits.large_in_flight, limits.large_per_client), DaemonExecutor(1, "large")
        )
        self.readers = Readers()
        self.stopping = False
        self.answered = 0
        self.waiting: set[asyncio.Future[None]] = set()
        """For each request that waits for work in a lane, what ends its waiting."""
        self._product = DaemonExecutor(1, "product")
        self._spelling = DaemonExecutor(1, "spelling")
        self._searches = DynamicBatcher(self._search_batch, self._product, WORDS_PER_BATCH)
        self._scores = DynamicBatcher(self._score_batch, self._product, PAIRS_PER_BATCH)

    def prepare(self) -> None:
        """Compute now what the first request would wait for."""
        self.completion.words("a", 1)
        if self.space.model.indexable:
            self.space.keys["hypo"]
            self.space.keys["hyper"]

    def give_up(self) -> None:
        """Let no request wait for such work any more: the server ends."""
        for ending in self.waiting:
            if not ending.done():
                ending.set_result(None)

    def close(self) -> None:
        """Stop the threads."""
        for threads in (self._product, self._spelling, self.long.threads, self.large.threads):
            threads.shutdown()
        self.readers.close()

    @cached_property
    def completion(self) -> Completion:
        """The vocabulary in alphabetical order."""
        return Completion(self.space.vectors.words)

    @property
    def n_batches(self) -> int:
        """The number of batches of searches and scores so far."""
        return self._searches.n_batches + self._scores.n_batches

    def submit(self, lane: Lane, client: str, function: Callable[[], Any]) -> tuple[Future[Any], StopSignal]:
        """Start work in a thread. It has its slot until it has ended, even if its client has gone before."""
        loop, slot, stop = asyncio.get_running_loop(), ExitStack(), StopSignal(self.limits.long_seconds)
        slot.enter_context(lane.slots.slot(client))
        future = lane.threads.submit(stop.run, function)

        def free_slot(_: object) -> None:
            with suppress(RuntimeError):  # the loop is closed: the server has ended before the work
                loop.call_soon_threadsafe(slot.close)

        future.add_done_callback(free_slot)
        return future, stop

    async def http_error(self, error: EntvecError) -> HttpError:
        """Convert an error; a thread of its own looks for similar spellings, so that they do not wait for long work."""
        return await asyncio.get_running_loop().run_in_executor(self._spelling, from_entvec_error, error)

    def is_known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether the space has each word: one lookup for all is faster than one by one."""
        return self.space.vocabulary.rows(words) >= 0

    def check_known(self, words: Sequence[str]) -> None:
        """Raise WordNotFound for the first word that the space does not have."""
        for word in compress(words, ~self.is_known(words)):
            self.space.vocabulary.row(word)

    def split_known(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the words that the space has and those that it does not have; raise WordNotFound if it has none."""
        known = self.is_known(words)
        if not known.any():
            self.check_known(words[:1])
        return list(compress(words, known)), list(map(shown, dict.fromkeys(compress(words, ~known))))

    async def score(self, pairs: Sequence[tuple[str, str]]) -> list[Scored | None]:
        """Return score and probability of each pair, None for pairs with an unknown word."""
        return await self._scores.submit(None, pairs)

    def _score_batch(self, _: None, pairs: list[tuple[str, str]]) -> list[Scored | None]:
        there = self.is_known(list(chain.from_iterable(pairs)))
        known = list(compress(pairs, there[::2] & there[1::2]))
        if not known:
            return [None] * len(pairs)
        scores = self.space.score(*map(list, zip(*known, strict=True)))
        probabilities = _listed(self.space.probabilities(scores), len(known))
        scored = dict(zip(known, zip(scores.tolist(), probabilities, strict=True), strict=True))
        return list(map(scored.get, pairs))

    async def search(self, verb: str, words: Sequence[str], **options: Any) -> list[list[Json]]:
        """Return the matches of each word; `verb` is hypernyms or hyponyms, and the options are those of the space."""
        found = await self._searches.submit((verb, *options.items()), words)
        self.check_known(unanswered(words, found))
        return [matches for matches in found if matches is not None]

    def _search_batch(self, group: Any, words: list[str]) -> list[list[Json] | None]:
        verb, *options = group
        known = list(compress(words, self.is_known(words)))
        if not known:
            return [None] * len(words)
        found = getattr(self.space, verb)(known, **dict(options))
        matches = dict(zip(known, map(matches_to_json, found), strict=True))
        return list(map(matches.get, words))


def unanswered(items: Sequence[Item], results: Iterable[object]) -> list[Item]:
    """Return the items whose result is None."""
    return [item for item, result in zip(items, results, strict=True) if result is None]


def matches_to_json(matches: Matches) -> list[Json]:
    """Return the matches of one word as plain lists and numbers."""
    n = len(matches)
    probabilities, variants = _listed(matches.probabilities, n), matches.variants or [()] * n
    columns = zip(matches.words, matches.scores.tolist(), probabilities, variants, strict=True)
    return [
        {"word": word, "score": score, "probability": probability, "variants": variants}
        for word, score, probability, variants in columns
    ]


def _listed(values: NDArray[np.float64] | None, n: int) -> list[float | None]:
    """Return an optional array as a list of this length."""
    return [None] * n if values is None else values.tolist()
