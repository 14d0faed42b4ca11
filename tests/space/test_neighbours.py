"""The neighbours of every word are those of each word by itself, from any row on."""

from typing import Any

import numpy as np
import pytest

from entvec.bundled import google_news
from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace
from entvec.space import neighbours as module
from entvec.space.neighbours import neighbours
from entvec.vectors import Vectors

SPACE = EntailmentSpace.from_vectors(google_news().head(500))


@pytest.mark.parametrize(("direction", "search"), [("up", SPACE.hypernyms), ("down", SPACE.hyponyms)])
def test_every_word_has_its_own(direction: str, search: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORDS_AT_ONCE", 64)
    blocks = list(neighbours(SPACE, direction, k=5))
    assert [len(block) for block in blocks] == [64] * 7 + [52]
    assert [word for block in blocks for word in block.queries] == list(SPACE.vectors.words)
    expected = search(list(SPACE.vectors.words), 5)
    assert np.array_equal(np.concatenate([block.indices for block in blocks]), expected.indices)
    assert np.array_equal(np.concatenate([block.scores for block in blocks]), expected.scores)


def test_some_of_the_rows_and_another_specificity() -> None:
    (block,) = neighbours(SPACE, "up", k=3, specificity=0, first=10, last=12)
    assert block.words == SPACE.hypernyms(list(SPACE.vectors.words[10:12]), 3, specificity=0).words
    assert list(neighbours(SPACE, "up", first=500)) == []


def test_whoever_stops_early_leaves_nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORDS_AT_ONCE", 10)
    found = neighbours(SPACE, "up", k=1)
    assert next(found).queries[0] == SPACE.vectors.words[0]
    found.close()  # type: ignore[attr-defined]


def test_an_empty_space_and_a_direction_that_is_none() -> None:
    empty = EntailmentSpace.from_vectors(Vectors([], np.empty((0, 3))))
    assert list(neighbours(empty, "up")) == []
    with pytest.raises(InvalidInput, match="expected up"):
        next(neighbours(SPACE, "sideways"))
