"""Methods that remember answers, and worlds with hidden words that nothing keeps in memory."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from entvec.remembering import remembered
from entvec.space import default_space
from entvec.space.ranking import SearchOptions, rank_by_evidence


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Without the search for cycles: what is still there is held by somebody, or by itself."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Doubling:
    def __init__(self) -> None:
        self.computed: list[int] = []

    @remembered(2)
    def of(self, number: int) -> int:
        self.computed.append(number)
        return 2 * number


def test_an_answer_is_computed_once() -> None:
    doubling = Doubling()
    assert [doubling.of(number) for number in (1, 2, 1, 2)] == [2, 4, 2, 4]
    assert doubling.computed == [1, 2]


def test_no_more_answers_are_remembered_than_allowed() -> None:
    doubling = Doubling()
    for number in (1, 2, 3, 3, 1):
        doubling.of(number)
    assert doubling.computed == [1, 2, 3, 1]


def test_objects_do_not_share_answers() -> None:
    one, other = Doubling(), Doubling()
    one.of(1)
    assert other.of(1) == 2
    assert other.computed == [1]


@pytest.mark.usefixtures("no_collector")
def test_an_object_ends_with_its_last_user() -> None:
    doubling = Doubling()
    doubling.of(1)
    left = ref(doubling)
    del doubling
    assert left() is None


@pytest.mark.usefixtures("no_collector")
def test_nothing_keeps_a_world_with_hidden_words() -> None:
    space = default_space()
    judge = space.judge.hiding(["guitar"])
    judge.relations(["guitar", "guitar"], ["instrument", "violin"], precision=0.7)
    judge.evidence.contexts.weights("bank", "he took a loan")
    rank_by_evidence(space.vocabulary, space.model, space.backend, judge, "hypo", ["guitar"], SearchOptions(10))
    judge.similar.supporting("guitar", "instrument")
    parts = [judge, judge.evidence, judge.evidence.meanings, judge.evidence.neighbours, judge.evidence.contexts]
    parts += [judge.ranker, judge.ranker.hierarchy, judge.similar]
    left = [ref(part) for part in parts]
    del judge, parts
    assert [part() for part in left] == [None] * len(left)
