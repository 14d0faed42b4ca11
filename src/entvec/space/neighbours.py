"""The hypernyms, or hyponyms, of every word of a vocabulary: block by block, from any row on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from entvec.errors import InvalidInput
from entvec.model.model import OTHER, Side
from entvec.space.matches import BatchMatches
from entvec.space.space import EntailmentSpace

SIDES: dict[str, Side] = {"up": "hypo", "down": "hyper"}
WORDS_AT_ONCE = 1 << 14
AHEAD = 3


def neighbours(
    space: EntailmentSpace,
    direction: str,
    k: int = 10,
    *,
    specificity: float | None = None,
    first: int = 0,
    last: int | None = None,
) -> Iterator[BatchMatches]:
    """For all words, or those from row `first` to before `last`, what they entail ("up") or what entails them ("down").

    >>> from entvec.bundled import toy_world
    >>> from entvec.vectors import Vectors
    >>> world = toy_world()
    >>> space = EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
    >>> found = [found for block in neighbours(space, "up", k=2, specificity=0) for found in block]
    >>> found[3].query, found[3].words
    ('poodle', ['unk', 'animal'])
    """
    if direction not in SIDES:
        raise InvalidInput(f"direction is {direction!r}, expected up (what words entail) or down (what entails them)")
    stop = len(space) if last is None else min(last, len(space))
    space.prepared(OTHER[SIDES[direction]])

    def search(start: int) -> BatchMatches:
        rows = np.arange(start, min(start + WORDS_AT_ONCE, stop))
        return space.neighbours_of(SIDES[direction], rows, k, specificity=specificity)

    # Some blocks ahead, so that the processor makes the questions of the next ones while a device answers these.
    with ThreadPoolExecutor(AHEAD) as threads:
        waiting: deque[Future[BatchMatches]] = deque()
        try:
            for start in range(first, stop, WORDS_AT_ONCE):
                waiting.append(threads.submit(search, start))
                if len(waiting) > AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
