"""Questions that arrive while others are being answered wait, and are then answered together.

A matrix product of 64 queries takes little longer than one of 1, for both read all keys from memory once. There is no
timer: a question that finds nobody before it is answered at once, alone; the more there are, the larger the batches.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from typing import Any, Generic, NamedTuple, TypeVar

Item = TypeVar("Item", bound=Hashable)
Answer = TypeVar("Answer")


class _Waiting(NamedTuple):
    items: Sequence[Any]
    answered: asyncio.Future[list[Any]]


class Coalescer(Generic[Item, Answer]):
    """Answers items of one kind with one call, run by the executor.

    `answer` is called with a kind and with items that are all different, and returns an answer for each of them. At
    most `most` items are asked at once, unless one question has more.
    """

    def __init__(self, answer: Callable[[Any, list[Item]], Sequence[Answer]], executor: Executor, most: int) -> None:
        self._answer, self._executor, self._most = answer, executor, most
        self._waiting: dict[Hashable, deque[_Waiting]] = {}
        self._running: asyncio.Task[None] | None = None
        self.calls = 0
        """How often `answer` was called."""

    async def ask(self, kind: Hashable, items: Sequence[Item]) -> list[Answer]:
        """The answers to these items, in their order."""
        if not items:
            return []
        answered: asyncio.Future[list[Answer]] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(kind, deque()).append(_Waiting(items, answered))
        if self._running is None:
            self._running = asyncio.create_task(self._work())
        return await answered

    async def _work(self) -> None:
        try:
            while self._waiting:
                kind = next(iter(self._waiting))  # the one that waits longest
                batch = self._next(kind)
                await self._settle(kind, batch)
        finally:
            self._running = None

    def _next(self, kind: Hashable) -> list[_Waiting]:
        """As many questions of this kind as may be asked at once; its others queue up behind the other kinds."""
        queue = self._waiting.pop(kind)
        batch = [queue.popleft()]
        n = len(batch[0].items)
        while queue and n + len(queue[0].items) <= self._most:
            n += len(queue[0].items)
            batch.append(queue.popleft())
        if queue:
            self._waiting[kind] = queue
        return batch

    async def _settle(self, kind: Hashable, batch: list[_Waiting]) -> None:
        batch = [question for question in batch if not question.answered.cancelled()]  # the server is ending
        different = list(dict.fromkeys(item for question in batch for item in question.items))
        if not different:
            return
        self.calls += 1
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._executor, self._answer, kind, different)
            answer = dict(zip(different, found, strict=True))
        except Exception as error:  # noqa: BLE001  # whoever asked shall hear of it, and the others be answered
            if len(batch) == 1:
                _tell(batch[0], error)
            else:
                for question in batch:
                    await self._settle(kind, [question])
            return
        for question in batch:
            _tell(question, [answer[item] for item in question.items])


def _tell(question: _Waiting, answer: list[Any] | Exception) -> None:
    if question.answered.cancelled():
        return
    if isinstance(answer, Exception):
        question.answered.set_exception(answer)
    else:
        question.answered.set_result(answer)
