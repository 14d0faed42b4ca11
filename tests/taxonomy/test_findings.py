"""Findings have names that stay the same, and a change that mends them."""

from entvec.taxonomy.findings import BY_SPACE, FIXES, KINDS, Finding
from entvec.taxonomy.review_actions import ACTIONS


def test_a_finding_is_called_the_same_whatever_its_numbers_are() -> None:
    one = Finding("part", "wheel", "car", "why", 0.9)
    assert one.id == one._replace(reason="else", severity=0.5, probability=0.1).id
    others = [one._replace(kind="whole"), one._replace(hypo="car"), one._replace(hyper=None), one._replace(instead="x")]
    assert len({one.id, *(other.id for other in others)}) == 5


def test_every_fix_is_something_that_a_review_can_do() -> None:
    assert {Finding(kind, "a", "b", "", 1.0).fix for kind in KINDS} <= ACTIONS.keys()
    assert FIXES.keys() <= KINDS.keys()
    assert {*BY_SPACE} <= KINDS.keys()
