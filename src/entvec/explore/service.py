"""The service behind the API: one space that many clients query at once.

Searches and scores of different clients share matrix products (`batching`). Evidence is weighed beside them, a few
pairs at a time, so that nobody waits for the many pairs of another client. Long work runs in threads of its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from functools import cached_property
from itertools import chain, compress
from math import isnan
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from entvec.errors import EntvecError
from entvec.evidence.relations import Relation
from entvec.explore.batching import DynamicBatcher
from entvec.explore.completion import Completion
from entvec.explore.compression import gzipped
from entvec.explore.http_errors import HttpError, from_entvec_error
from entvec.explore.limits import Limits, Slots
from entvec.explore.reading import Readers
from entvec.explore.threads import DaemonExecutor, StopSignal
from entvec.explore.unknown_words import misspelled, unknown_words
from entvec.knowledge.people import offensive_rows
from entvec.space import EntailmentSpace, Matches
from entvec.text import extract

WORDS_PER_BATCH = 256
PAIRS_PER_BATCH = 1 << 14
PAIRS_WEIGHED = 32
"""Pairs whose evidence is weighed together: up to half a second, if nothing is known of any word."""
WORDS_SHARED, REASONS_AHEAD = 32, 4
"""Words wait to share a search with so many, while more requests than this wait for reasons, and keep a thread busy."""
LONG_THREADS = 2
TEXTS_REMEMBERED = 2
"""Spaces with the evidence of a text: each has looked up things of its own, up to some MB."""

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
        self._searches = DynamicBatcher(self._search_batch, self._product, WORDS_PER_BATCH, self._shall_share)
        self._scores = DynamicBatcher(self._score_batch, self._product, PAIRS_PER_BATCH)
        self._weighing = DaemonExecutor(1, "evidence")
        self._evidence = DynamicBatcher(self._weigh_batch, self._weighing, PAIRS_WEIGHED)
        self._reasons = DynamicBatcher(_matches_batch, self._weighing, 1)
        self._compressing = DaemonExecutor(1, "compression")
        self._unreasoned = 0
        self._spaces_with: dict[str, EntailmentSpace] = {}
        self._reading_text = threading.Lock()

    def prepare(self) -> None:
        """Compute now what the first request would wait for."""
        self.completion.words("a", 1)
        if self.space.model.indexable:
            self.space.keys["hypo"]
            self.space.keys["hyper"]
        if self.space.knowledge is not None:
            self.space.probability("dog", "animal", missing="nan")
            for verb in (self.space.hypernyms, self.space.hyponyms):
                for matches in verb(["dog"], 1, missing="nan"):
                    matches_to_json(matches)

    def give_up(self) -> None:
        """Let no request wait for such work any more: the server ends."""
        for ending in self.waiting:
            if not ending.done():
                ending.set_result(None)

    def close(self) -> None:
        """Stop the threads."""
        own = (self._product, self._weighing, self._spelling, self._compressing)
        for threads in (*own, self.long.threads, self.large.threads):
            threads.shutdown()
        self.readers.close()

    @cached_property
    def completion(self) -> Completion:
        """The vocabulary in alphabetical order, without terms that offend."""
        words, known = self.space.vectors.words, self.space.knowledge
        if known is not None:
            words = words.take(np.flatnonzero(~offensive_rows(known, words)))
        return Completion(words)

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
        """Return whether each word has a vector, or can be read: one lookup for all is faster than one by one."""
        there = self.space.vocabulary.rows(words) >= 0
        if self.space.reads and not there.all():
            rest = np.flatnonzero(~there).tolist()
            there[rest] = self.space.judge.evidence.has([words[i].strip() for i in rest])
        return np.asarray(there)

    def check_known(self, words: Sequence[str]) -> None:
        """Raise an error that names all words that the space does not have."""
        if not (known := self.is_known(words)).all():
            raise self.space.vocabulary.not_found(compress(words, ~known))

    async def unknown(self, words: Sequence[str]) -> list[Json]:
        """Return what is said of words that nothing speaks of; a thread of its own looks for similar spellings."""
        if not words:
            return []
        return await asyncio.get_running_loop().run_in_executor(self._spelling, unknown_words, self.space, words)

    async def misspelled(self, words: Sequence[str]) -> list[Json]:
        """Return the words that are read although they look like known ones, with these; in the same thread."""
        if not self.space.reads or (self.space.vocabulary.rows(words) >= 0).all():
            return []
        return await asyncio.get_running_loop().run_in_executor(self._spelling, misspelled, self.space, words)

    async def compressed(self, content: bytes) -> bytes:
        """Return a long answer compressed, by a thread of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._compressing, gzipped, content)

    def space_with(self, text: str | None) -> EntailmentSpace:
        """Return the space, with the evidence of a text if there is one; those of the last texts are remembered."""
        if text is None or not text.strip():
            return self.space
        with self._reading_text:
            found = self._spaces_with.pop(text, None)
            if found is None:
                found = self.space.with_evidence(extract(text, self.space.knowledge))
            self._spaces_with[text] = found  # the last one used is the last
            while len(self._spaces_with) > TEXTS_REMEMBERED:
                del self._spaces_with[next(iter(self._spaces_with))]
        return found

    async def score(self, pairs: Sequence[tuple[str, str]]) -> list[Scored | None]:
        """Return score and probability of each pair, None for pairs with an unknown word.

        If the space knows something, the probability rests on all evidence, else on the score.
        """
        scored = await self._scores.submit(None, pairs)
        if self.space.knowledge is None:
            return scored
        weighed = await self._weigh(None, [pair for pair, each in zip(pairs, scored, strict=True) if each is not None])
        probabilities = iter(weighed)
        return [None if each is None else (each[0], next(probabilities)) for each in scored]

    async def relations(
        self, pairs: Sequence[tuple[str, str]], precision: float, base_rates: Mapping[str, float] | None
    ) -> list[Relation]:
        """Return the relation of each pair; probabilities are NaN if a word is missing, or there is no evidence."""
        rates = None if base_rates is None else tuple(base_rates.items())
        return await self._weigh((precision, rates), pairs)

    def check_related(self, found: Sequence[Relation]) -> None:
        """Raise an error that names all words that are neither known nor have a vector."""
        if self.space.reads:
            return
        words = [word for each in found if isnan(each.probability) for word in (each.first, each.second)]
        if not (there := self.space.judge.evidence.has(words)).all():
            raise self.space.judge.evidence.not_found(list(compress(words, ~there)))

    async def _weigh(self, question: Any, pairs: Sequence[tuple[str, str]]) -> list[Any]:
        found: list[Any] = []
        for i in range(0, len(pairs), PAIRS_WEIGHED):
            found += await self._evidence.submit(question, pairs[i : i + PAIRS_WEIGHED])
        return found

    def _weigh_batch(self, question: Any, pairs: list[tuple[str, str]]) -> list[Any]:
        first, second = map(list, zip(*pairs, strict=True))
        if question is None:
            return [None if isnan(each) else each for each in self.space.probability(first, second).tolist()]
        precision, rates = question
        chosen = None if rates is None else dict(rates)
        return list(self.space.relation(first, second, precision=precision, base_rates=chosen, missing="nan"))

    def _score_batch(self, _: None, pairs: list[tuple[str, str]]) -> list[Scored | None]:
        there = self.is_known(list(chain.from_iterable(pairs)))
        known = list(compress(pairs, there[::2] & there[1::2]))
        if not known:
            return [None] * len(pairs)
        scores = self.space.score(*map(list, zip(*known, strict=True)))
        probabilities = _listed(self.space.probabilities(scores), len(known))
        scored = dict(zip(known, zip(scores.tolist(), probabilities, strict=True), strict=True))
        return list(map(scored.get, pairs))

    async def search(self, verb: str, words: Sequence[str], **options: Any) -> list[list[Json] | None]:
        """Return the matches of each word, None for missing words.

        Where all evidence decides, a word is missing if it is neither known nor has a vector.

        Parameters
        ----------
        verb
            hypernyms or hyponyms.
        words
            The words to search for.
        options
            Those of the space; a definition is one text, of every word.
        """
        found = await self._searches.submit((verb, *options.items()), words)
        return [None if each is None else await self._with_reasons(each) for each in found]

    async def _with_reasons(self, matches: Matches) -> list[Json]:
        """Return matches as JSON; their evidence is weighed a few at a time."""
        if matches.weighing is None:
            return matches_to_json(matches)
        slices = [(matches, start) for start in range(0, len(matches), PAIRS_WEIGHED)]
        self._unreasoned += 1
        try:
            return [row for each in slices for row in (await self._reasons.submit(None, [each]))[0]]
        finally:
            self._unreasoned -= 1
            self._searches.wake()

    def _shall_share(self, group: Any, words: int) -> bool:
        """Return whether words shall wait for others: their reasons would wait behind those of others anyway."""
        has_reasons = ("evidence", "vectors") not in group
        return has_reasons and words < WORDS_SHARED and self._unreasoned > REASONS_AHEAD

    def _search_batch(self, group: Any, words: list[str]) -> list[Matches | None]:
        verb, *named = group
        options = dict(named)
        if (definition := options.pop("definition", None)) is not None:  # an encoder reads it: no word is missing
            return list(
                getattr(self.space, verb)(words, missing="nan", definition=[definition] * len(words), **options)
            )
        found = getattr(self.space, verb)(words, missing="nan", **options)
        there = self.is_known(words) if found.weighing is None else self.space.judge.evidence.has(words)
        return [matches if known else None for matches, known in zip(found, there.tolist(), strict=True)]


def unanswered(items: Sequence[Item], results: Iterable[object]) -> list[Item]:
    """Return the items whose result is None."""
    return [item for item, result in zip(items, results, strict=True) if result is None]


def _matches_batch(_: None, slices: list[tuple[Matches, int]]) -> list[list[Json]]:
    return [matches_to_json(matches, slice(start, start + PAIRS_WEIGHED)) for matches, start in slices]


def matches_to_json(matches: Matches, some: slice = slice(None)) -> list[Json]:
    """Return the matches of one word, or a slice of them, as plain lists and numbers."""
    words, scores, n = matches.words[some], matches.scores[some], len(matches)
    variants = (matches.variants or ((),) * n)[some]
    evidence: list[float | None] = [None] * len(words)
    reasons: list[tuple[str | None, str | None]] = [(None, None)] * len(words)
    if matches.weighing is None or matches.query is None:
        probabilities = _listed(matches.calibrated, n)[some]
    else:
        probabilities = matches.weighing.probabilities(matches.query, words).tolist()
        evidence = matches.order[some].tolist()
        reasons = [matches.weighing.reason(matches.query, word) for word in words]
    columns = {
        "word": words,
        "score": [None if isnan(score) else score for score in scores.tolist()],
        "probability": [None if each is None or isnan(each) else each for each in probabilities],
        "variants": variants,
        "evidence": evidence,
        "reason": [reason for reason, _ in reasons],
        "sense": [sense for _, sense in reasons],
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _listed(values: NDArray[np.float64] | None, n: int) -> list[float | None]:
    """Return an optional array as a list of this length."""
    return [None] * n if values is None else values.tolist()
