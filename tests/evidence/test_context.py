"""Which sense of a word fits the words around it, in the default space."""

import numpy as np
import pytest

from entvec.bundled import wordnet_knowledge
from entvec.errors import InvalidInput
from entvec.evidence.context import METHODS, Contexts
from entvec.space import EntailmentSpace, default_space
from entvec.vectors import Vectors

SPACE = default_space()
CONTEXTS = SPACE.judge.evidence.contexts


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("word", "context", "sense"),
    [
        ("bank", "we sat on the grass by the river", "bank#1"),
        ("bank", "she took a loan to pay for the house", "bank#2"),
        ("crane", "the birds waded through the marsh", "crane#5"),
        ("crane", "it lifted the steel beams at the construction site", "crane#4"),
        ("plant", "workers assemble cars there", "plant#1"),
        ("spring", "the flowers bloom", "spring#1"),
        ("spring", "coil metal tension", "spring#2"),
    ],
)
def test_the_words_around_a_word_tell_its_sense(word: str, context: str, sense: str, method: str) -> None:
    weights = CONTEXTS.weights(word, context, method=method)
    [expected] = wordnet_knowledge().senses(sense)
    assert max(weights, key=weights.__getitem__) == expected.concept
    assert list(weights) == sorted(weights, key=lambda concept: -weights[concept])
    assert sum(weights.values()) == pytest.approx(1)
    assert len(weights) == len(wordnet_knowledge().senses(word))


def test_without_words_that_have_vectors_the_weights_are_the_usual_ones() -> None:
    usual = {sense.concept: weight for sense, weight in CONTEXTS.meanings.all_of("bank")}
    for nothing in ("", "xqzw", "banks"):
        assert CONTEXTS.weights("bank", nothing) == pytest.approx(usual)
        assert CONTEXTS.fits("bank", nothing) is None


def test_forms_of_the_word_itself_do_not_count() -> None:
    plain = CONTEXTS.weights("bank", "by the river")
    assert CONTEXTS.weights("bank", "banks: by the river bank") == pytest.approx(plain)
    assert CONTEXTS.weights("Bank", "by the river") == pytest.approx(plain)


def test_a_named_sense_is_the_only_one_and_an_unknown_word_has_none() -> None:
    assert list(CONTEXTS.weights("bank#2", "by the river").values()) == [1.0]
    assert CONTEXTS.weights("blorp", "by the river") == {}


def test_the_vector_of_a_sense_has_none_of_its_own_examples() -> None:
    [sense] = wordnet_knowledge().senses("bank#4")
    assert "switches" in wordnet_knowledge().glosses[sense.concept]
    own = dict(enumerate(CONTEXTS._described(sense.concept)))
    assert "switches" not in own[1][1]
    assert "arrangement" in own[1][1]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InvalidInput, match="method is 'lesk', expected one of unification, average"):
        CONTEXTS.weights("bank", "by the river", method="lesk")


def test_any_vectors_will_do_and_a_small_vocabulary_too() -> None:
    words = ["river", "water", "money", "loan", "slope", "financial"]
    vectors = Vectors(words, np.array([[2, 0], [2, 0.1], [0, 2], [0.1, 2], [1.9, 0], [0, 1.9]], np.float32))
    space = EntailmentSpace.from_vectors(vectors).with_knowledge(SPACE.knowledge)
    contexts = Contexts(space.vocabulary, space.judge.evidence.meanings)
    by_river, for_money = (contexts.weights("bank", text) for text in ("river water", "loan of money"))
    slope, institution = (wordnet_knowledge().senses(name)[0].concept for name in ("bank#1", "bank#2"))
    assert by_river[slope] > by_river[institution]
    assert for_money[institution] > for_money[slope]
