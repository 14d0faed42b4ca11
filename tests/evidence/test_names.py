"""What one calls a concept."""

import numpy as np
import pytest

from entvec.evidence.names import Names
from entvec.space import default_space

RANKER = default_space().judge.ranker
NAMES: Names = RANKER.names
KNOWN = RANKER.evidence.meanings.known


def name(sense: str) -> str:
    """The name of what the first sense of a word means."""
    return KNOWN.terms[int(NAMES.best[KNOWN.senses(sense)[0].concept])]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("somebody", "person"),
        ("sickness", "illness"),
        ("footgear", "footwear"),
        ("canid", "canine"),
        ("organism", "organism"),
    ],
)
def test_the_name_is_the_term_that_glosses_use(word: str, expected: str) -> None:
    assert name(word) == expected


@pytest.mark.parametrize(("term", "expected"), [("ingest", "consume"), ("serviceman", "military_personnel")])
def test_a_name_is_understood(term: str, expected: str) -> None:
    assert name(term) == expected  # neither have nor man, which glosses use more often, but hardly so


@pytest.mark.parametrize("term", ["musical_instrument", "body_of_water", "kitchen_appliance", "domestic_animal"])
def test_phrases_of_glosses_are_answers(term: str) -> None:
    row = KNOWN.find(term)[0][0]
    assert RANKER.rows.rows[row] < 0
    assert NAMES.usable[row]
    assert NAMES.heads[row] == term.split("_")[-1]


@pytest.mark.parametrize("term", ["solanaceous_vegetable", "self-propelled_vehicle", "vascular_plant", "canid"])
def test_terms_that_nobody_says_are_none(term: str) -> None:
    assert not NAMES.usable[KNOWN.find(term)[0][0]]


def test_short_forms_of_a_name_are_not_other_names() -> None:
    musical = KNOWN.senses("musical instrument")[0].concept
    lake = KNOWN.senses("body of water")[0].concept
    terms = {word: KNOWN.find(word)[0][0] for word in ("instrument", "musical_instrument", "water")}
    asked = (
        np.array([musical, musical, lake]),
        np.array([terms["instrument"], terms["musical_instrument"], terms["water"]]),
    )
    assert NAMES.is_other_name(*asked).tolist() == [False, False, True]


def test_every_name_means_its_concept() -> None:
    rng = np.random.default_rng(0)
    for concept in rng.permutation(np.flatnonzero(NAMES.best >= 0))[:200].tolist():
        assert KNOWN.terms[int(NAMES.best[concept])] in KNOWN.synonyms(concept)
