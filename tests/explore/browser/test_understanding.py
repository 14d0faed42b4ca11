"""The one box understands what is typed or pasted: a word, a question, a pair, a list, a hierarchy."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")


def word(text: str, *against: str) -> dict[str, Any]:
    return {"kind": "word", "word": text} | ({"against": list(against)} if against else {})


def pair(first: str, second: str, asked: str | None = None) -> dict[str, Any]:
    return {"kind": "pair", "first": first, "second": second} | ({"asked": asked} if asked else {})


def listed(*words: str) -> dict[str, Any]:
    return {"kind": "list", "words": list(words)}


def hierarchy(text: str) -> dict[str, Any]:
    return {"kind": "hierarchy", "text": text}


MEANT = {
    "": None,
    "  \n ": None,
    "tomato": word("tomato"),
    " ice cream ": word("ice cream"),
    "The Who": word("Who"),
    "what is a labradoodle?": word("labradoodle"),
    "tomato: fruit | vegetable | herb": word("tomato", "fruit", "vegetable", "herb"),
    "tomato: fruit, vegetable": word("tomato", "fruit", "vegetable"),
    "is a tomato a fruit?": pair("tomato", "fruit", "narrower"),
    "Are dogs animals?": pair("dogs", "animals", "narrower"),
    "Is an air fryer a kind of oven": pair("air fryer", "oven", "narrower"),
    "a whale is a mammal": pair("whale", "mammal", "narrower"),
    "is a wheel part of a car?": pair("wheel", "car", "part"),
    "does a car have wheels?": pair("car", "wheels", "whole"),
    "is a car the same as an automobile?": pair("car", "automobile", "same"),
    "does dog entail animal?": pair("dog", "animal", "narrower"),
    "dog, animal": pair("dog", "animal"),
    "dog, animal?": pair("dog", "animal"),
    "dog -> animal": pair("dog", "animal"),
    "dog → animal": pair("dog", "animal"),
    "animal <- dog": pair("dog", "animal"),
    "wheel : car": pair("wheel", "car"),
    "cat vs dog": pair("cat", "dog"),
    "what is the difference between a cat and a dog?": pair("cat", "dog"),
    "dog, cat, animal": listed("dog", "cat", "animal"),
    "dog; cat; animal": listed("dog", "cat", "animal"),
    "dog | cat": listed("dog", "cat"),
    "dog\ncat\n\nanimal\n": listed("dog", "cat", "animal"),
    "- dog\n- ice cream\n- animal": listed("dog", "ice cream", "animal"),
    "1. dog\n2. cat": listed("dog", "cat"),
    "dog, cat,\nanimal": listed("dog", "cat", "animal"),
    "tomato\n": word("tomato"),
    "animal\n  dog\n  cat\n": hierarchy("animal\n  dog\n  cat"),
    "- animal\n  - dog": hierarchy("- animal\n  - dog"),
    "dog\tanimal\ncat\tanimal": hierarchy("dog\tanimal\ncat\tanimal"),
    "dog -> animal\ncat -> animal": hierarchy("dog\tanimal\ncat\tanimal\n"),
    "poodle -> dog -> animal": hierarchy("poodle\tdog\ndog\tanimal\n"),
    "child,parent\ndog,animal": hierarchy("child,parent\ndog,animal"),
    "[Term]\nid: X:1": hierarchy("[Term]\nid: X:1"),
}


@pytest.fixture
def understood(open_page: Callable[..., Any]) -> Callable[[str], Any]:
    page = open_page("/theory")
    return lambda text: page.evaluate("async text => (await import('/lib/understanding.js')).understood(text)", text)


def test_what_is_typed_or_pasted_is_understood(understood: Callable[[str], Any]) -> None:
    assert {text: understood(text) for text in MEANT} == MEANT


ODD = ["???", ":", "->", ",,,", "a:b:c", "<", "is a", "\t", "| |", "{" * 1000, "a\n" * 5000, "a>" * 5000, "is " * 5000]


def test_whatever_is_typed_is_something_or_nothing(understood: Callable[[str], Any]) -> None:
    for text in ODD:
        found = understood(text)
        assert found is None or found["kind"] in ("word", "pair", "list", "hierarchy")
        assert all(found[name] for name in ("word", "first", "second") if name in (found or {}))
