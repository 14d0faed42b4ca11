"""Questions of many clients, answered by one call."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from entvec.explore.batching import DynamicBatcher


class Slow:
    """Doubles numbers; waits at a gate, and remembers what it was asked."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.asked: list[tuple[Any, list[int]]] = []

    def __call__(self, kind: Any, items: list[int]) -> list[int]:
        self.asked.append((kind, list(items)))
        assert self.gate.wait(10)
        if -1 in items:
            raise ValueError("-1 has no double here")
        return [2 * item for item in items]


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as found:
        yield found


def asked(
    executor: ThreadPoolExecutor,
    slow: Slow,
    asking: Callable[[DynamicBatcher[int, int]], Coroutine[Any, Any, Any]],
    max_items: int = 100,
) -> Any:
    async def inside() -> Any:
        return await asyncio.wait_for(asking(DynamicBatcher(slow, executor, max_items)), 10)

    return asyncio.run(inside())


async def begun(slow: Slow) -> None:
    """Until the first call has begun."""
    while not slow.asked:
        await asyncio.sleep(0.001)


def test_what_arrives_meanwhile_is_answered_by_one_call(executor: ThreadPoolExecutor) -> None:
    slow = Slow()

    async def asking(batcher: DynamicBatcher[int, int]) -> None:
        first = asyncio.create_task(batcher.submit("double", [1]))
        await begun(slow)
        others = [asyncio.create_task(batcher.submit("double", [n, n + 1])) for n in range(10)]
        await asyncio.sleep(0)
        slow.gate.set()
        assert await first == [2]
        assert await asyncio.gather(*others) == [[2 * n, 2 * n + 2] for n in range(10)]
        assert batcher.n_batches == 2

    asked(executor, slow, asking)
    assert slow.asked == [("double", [1]), ("double", list(range(11)))]  # and each item was asked once


def test_kinds_are_not_mixed_and_take_turns(executor: ThreadPoolExecutor) -> None:
    slow = Slow()

    async def asking(batcher: DynamicBatcher[int, int]) -> None:
        tasks = [asyncio.create_task(batcher.submit("a", [1, 2]))]
        await begun(slow)
        tasks += [asyncio.create_task(batcher.submit(kind, [3, 4])) for kind in ("b", "a", "b", "c")]
        tasks.append(asyncio.create_task(batcher.submit("b", [5])))
        await asyncio.sleep(0)
        slow.gate.set()
        await asyncio.gather(*tasks)

    asked(executor, slow, asking, max_items=4)
    kinds = [kind for kind, _ in slow.asked]
    assert kinds == ["a", "b", "a", "c", "b"]  # what does not fit goes to the end of the queue
    assert slow.asked[1] == ("b", [3, 4])
    assert slow.asked[-1] == ("b", [5])


def test_a_batch_may_wait_for_more_while_others_do_not(executor: ThreadPoolExecutor) -> None:
    slow = Slow()
    slow.gate.set()
    busy = True

    async def inside() -> None:
        batcher: DynamicBatcher[int, int] = DynamicBatcher(
            slow, executor, 100, lambda kind, n: kind == "patient" and busy and n < 3
        )
        first, second = (asyncio.create_task(batcher.submit("patient", [n])) for n in (1, 2))
        assert await batcher.submit("hasty", [5]) == [10]
        assert not first.done()
        assert await batcher.submit("patient", [3]) == [6]  # there are enough of them
        assert (await first, await second) == ([2], [4])

        last = asyncio.create_task(batcher.submit("patient", [4]))
        batcher.wake()
        await asyncio.sleep(0.01)
        assert not last.done()
        nonlocal busy
        busy = False
        batcher.wake()
        assert await last == [8]

    asyncio.run(asyncio.wait_for(inside(), 10))
    assert slow.asked == [("hasty", [5]), ("patient", [1, 2, 3]), ("patient", [4])]


def test_no_more_than_so_many_at_once_unless_one_question_has_more(executor: ThreadPoolExecutor) -> None:
    slow = Slow()
    slow.gate.set()

    async def asking(batcher: DynamicBatcher[int, int]) -> None:
        questions = [list(range(n, n + 3)) for n in range(0, 30, 3)] + [list(range(100, 120))]
        found = await asyncio.gather(*(batcher.submit(None, question) for question in questions))
        assert found == [[2 * item for item in question] for question in questions]

    asked(executor, slow, asking, max_items=7)
    assert sorted(len(items) for _, items in slow.asked) == [6, 6, 6, 6, 6, 20]


def test_a_question_of_nothing_has_no_answers(executor: ThreadPoolExecutor) -> None:
    slow = Slow()
    assert asked(executor, slow, lambda batcher: batcher.submit(None, [])) == []
    assert slow.asked == []


def test_one_bad_question_does_not_spoil_the_others(executor: ThreadPoolExecutor) -> None:
    slow = Slow()

    async def asking(batcher: DynamicBatcher[int, int]) -> Any:
        first = asyncio.create_task(batcher.submit(None, [7]))
        await begun(slow)
        others = [asyncio.create_task(batcher.submit(None, [n])) for n in (1, -1, 2)]
        await asyncio.sleep(0)
        slow.gate.set()
        return await asyncio.gather(first, *others, return_exceptions=True)

    first, one, bad, two = asked(executor, slow, asking)
    assert (first, one, two) == ([14], [2], [4])
    assert isinstance(bad, ValueError)


def test_an_answer_with_too_few_parts_is_told_as_an_error(executor: ThreadPoolExecutor) -> None:
    async def asking() -> None:
        batcher: DynamicBatcher[int, int] = DynamicBatcher(lambda _, items: items[1:], executor, 10)
        with pytest.raises(ValueError, match="zip"):
            await asyncio.wait_for(batcher.submit(None, [1, 2]), 10)
        with pytest.raises(ValueError, match="zip"):  # and it goes on
            await asyncio.wait_for(batcher.submit(None, [1]), 10)

    asyncio.run(asking())


def test_a_client_that_has_gone_is_not_waited_for(executor: ThreadPoolExecutor) -> None:
    slow = Slow()

    async def asking(batcher: DynamicBatcher[int, int]) -> None:
        first = asyncio.create_task(batcher.submit(None, [1]))
        await begun(slow)
        gone = asyncio.create_task(batcher.submit(None, [50]))
        stays = asyncio.create_task(batcher.submit(None, [2]))
        await asyncio.sleep(0)
        first.cancel()  # its call is running
        gone.cancel()  # its call has not begun
        await asyncio.sleep(0)
        slow.gate.set()
        assert await stays == [4]
        assert await batcher.submit(None, [3]) == [6]

    asked(executor, slow, asking)
    assert [items for _, items in slow.asked] == [[1], [2], [3]]


def test_all_clients_gone_asks_nothing(executor: ThreadPoolExecutor) -> None:
    slow = Slow()

    async def asking(batcher: DynamicBatcher[int, int]) -> None:
        first = asyncio.create_task(batcher.submit(None, [1]))
        await begun(slow)
        gone = asyncio.create_task(batcher.submit(None, [50]))
        await asyncio.sleep(0)
        gone.cancel()
        slow.gate.set()
        assert await first == [2]
        assert await batcher.submit(None, [3]) == [6]

    asked(executor, slow, asking)
    assert [items for _, items in slow.asked] == [[1], [3]]
