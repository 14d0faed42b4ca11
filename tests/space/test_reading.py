"""Any term is answered: what has no vector and is not known is read by the bundled encoders."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from entvec.space import EntailmentSpace, default_space

SPACE: EntailmentSpace = default_space()

PHRASES = ("memory foam pillow", "knee replacement surgery", "crane operator", "telescopic ladder")
NONSENSE = ("asdfgh", "€€€", "2,000", "B07XJ8C8F5", "x" * 2000, "🍕")


@pytest.mark.parametrize(
    ("phrase", "answer"),
    [
        ("memory foam pillow", "pillow"),
        ("sous chef", "cook"),
        ("type 2 diabetes", "disease"),
        ("hoodie", "clothing"),
    ],
)
def test_a_phrase_has_hypernyms(phrase: str, answer: str) -> None:
    assert answer in SPACE.hypernyms(phrase, 3).words


def test_what_speaks_of_a_word_is_told() -> None:
    assert SPACE.read_by("dog") == "vector"
    assert SPACE.read_by(["musical instrument", *PHRASES]) == ["facts", *["encoder"] * 4]
    assert SPACE.read_by(list(NONSENSE)) == ["nothing"] * len(NONSENSE)


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_nonsense_is_unknown_with_a_reason_and_no_error(nonsense: str) -> None:
    found = SPACE.relation(nonsense, "animal")
    assert (found.relation, found.situation) == ("unknown", "no evidence")
    assert "no term" in found.reason or "no word" in found.reason
    assert math.isnan(found.probability)
    assert math.isnan(SPACE.score(nonsense, "animal"))
    assert math.isnan(SPACE.probability("dog", nonsense))
    assert SPACE.verdict(nonsense, "animal") == "unknown"
    assert SPACE.hypernyms(nonsense).words == []


def test_a_batch_equals_single_questions() -> None:
    words = ["dog", *PHRASES, "asdfgh", "iPhone"]
    found = SPACE.relation(words, "vehicle")
    for i, word in enumerate(words):
        alone = SPACE.relation(word, "vehicle")
        assert found[i].relation == alone.relation
        assert (found[i].situation, found[i].reason) == (alone.situation, alone.reason)
        np.testing.assert_allclose(list(found[i].probabilities.values()), list(alone.probabilities.values()), atol=1e-4)
    ranked = SPACE.hypernyms(words, 5)
    assert [each.words for each in ranked] == [SPACE.hypernyms(word, 5).words for word in words]
    scores = [SPACE.score(word, "vehicle") for word in words]
    np.testing.assert_allclose(SPACE.score(words, "vehicle"), scores, rtol=1e-4)


def test_the_relation_of_a_pair_mirrors_that_of_the_pair_reversed() -> None:
    for pair in (
        ("travel pillow", "pillow"),
        ("knee replacement surgery", "eye surgery"),
        ("iPhone", "smartphone case"),
    ):
        there, back = SPACE.relation(*pair).probabilities, SPACE.relation(*pair[::-1]).probabilities
        for one, other in (("narrower", "broader"), ("same", "same"), ("sibling", "sibling"), ("part", "whole")):
            assert there[one] == pytest.approx(back[other], abs=1e-5)


def test_modifiers_do_not_leak() -> None:
    for phrase, modifier, head in (
        ("knee replacement surgery", "joint", "operation"),
        ("crane operator", "machine", "worker"),
        ("vacuum cleaner bag", "appliance", "container"),
    ):
        assert SPACE.probability(phrase, modifier) < 0.3 < 0.5 < SPACE.probability(phrase, head)


def test_a_word_whose_pieces_mean_nothing_has_no_answers() -> None:
    assert SPACE.hypernyms("shakshuka").likely(0.5).words == []
    found = SPACE.relation("shakshuka", "garment")
    assert found.relation == "unknown"
    assert found.reason == "shakshuka is new, its letters tell little"
    assert SPACE.relation("slackline", "cord").relation == "narrower"


def test_a_share_that_is_chosen_is_what_such_a_word_has() -> None:
    rates = {"narrower": 0.6}
    chosen = SPACE.relation("shakshuka", "garment", base_rates=rates).probabilities["narrower"]
    assert chosen > SPACE.relation("shakshuka", "garment").probabilities["narrower"]


def test_a_word_of_the_vocabulary_is_answered_without_an_encoder() -> None:
    program = (
        "import entvec; space = entvec.load(); space.hypernyms('dog'); space.relation('iPhone', 'phone');"
        "space.explain('dog', 'animal', k=0);"
        "print({'transformer', 'table', 'lemmas'} & space.judge.evidence.reader.__dict__.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "set()"


def test_without_an_encoder_such_words_are_missing() -> None:
    strict = SPACE.with_encoder(None)
    assert not strict.reads
    assert strict.hypernyms(["bagel slicer", "dog"], missing="nan").words[0] == []
    with pytest.raises(KeyError, match="bagel slicer"):
        strict.hypernyms("bagel slicer")


@pytest.mark.parametrize(
    ("spelled", "word"), [("the dog", "dog"), ("dog!", "dog"), ("ice-cream", "ice_cream"), ("café", "cafe")]
)
def test_a_word_in_another_spelling_has_the_score_and_the_vector_of_the_word(spelled: str, word: str) -> None:
    for one, other in ((spelled, "animal"), ("animal", spelled)):
        assert SPACE.score(one, other) == pytest.approx(
            SPACE.score(*(word if each == spelled else each for each in (one, other)))
        )
    assert SPACE.score([spelled, "guitr"], "animal")[0] == pytest.approx(SPACE.score(word, "animal"))
    assert np.array_equal(SPACE.vectors_of(spelled), SPACE.vectors_of(word))
