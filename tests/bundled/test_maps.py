"""The bundled maps: what they were made from, and what the one to measure with has not seen."""

import hashlib

import numpy as np
import pytest

from entvec.bundled import default_map, google_news, held_out_map
from entvec.bundled.maps import DATA
from entvec.evaluate.benchmark import held_out_count
from entvec.evaluate.taxonomy.wordnet_trees import trees, words_held_out, words_of
from entvec.learn.fitted import FittedMap


@pytest.mark.parametrize("learned", [default_map(), held_out_map()], ids=["default", "held out"])
def test_a_map_names_the_files_that_it_was_made_from(learned: FittedMap) -> None:
    for name in ("google-news.safetensors", "isa.npz"):
        assert learned.metadata[f"sha256_{name}"] == hashlib.sha256((DATA / name).read_bytes()).hexdigest()
    assert learned.metadata["made_by"] == "tools/train_default_map.py"
    assert (learned.operator, learned.dimension) == ("backward", google_news().dimension)


def test_the_words_held_out_are_exactly_those_of_the_trees() -> None:
    told = held_out_map().metadata["held_out"].splitlines()
    assert told == sorted(words_held_out())
    assert len(told) == 2960
    asked = words_of(trees())
    assert held_out_count(held_out_map(), asked) == len(asked)


def test_the_default_map_has_seen_all_words() -> None:
    asked = words_of(trees())
    assert held_out_count(default_map(), asked) == 0
    assert not np.array_equal(default_map().hypo_weights, held_out_map().hypo_weights)
