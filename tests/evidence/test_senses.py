"""The senses of a word, described for people."""

import pytest

from entvec.errors import InvalidInput, SenseNotFound
from entvec.space import default_space

SPACE = default_space()


def test_senses_come_with_the_most_frequent_first_and_all_of_them() -> None:
    found = SPACE.senses("bank")
    assert [str(each.sense) for each in found[:3]] == ["bank#2", "bank#1", "bank#9"]
    assert len(found) == 18
    assert [each.weight for each in found] == sorted((each.weight for each in found), reverse=True)
    assert sum(each.weight for each in found) == pytest.approx(1)


def test_a_sense_says_what_it_is() -> None:
    bank = SPACE.senses("bank")[0]
    assert bank.definition == (
        "a financial institution that accepts deposits and channels the money into lending activities"
    )
    assert bank.gloss.startswith(bank.definition + '; "he cashed a check')
    assert bank.synonyms == ("depository financial institution", "banking concern", "banking company")
    assert [(name, steps) for _, name, steps in bank.above[:2]] == [("financial institution", 1), ("business", 1)]
    assert bank.to_dict()["above"][0] == {"name": "financial institution", "steps": 1}


def test_a_context_changes_the_weights_and_so_the_order() -> None:
    assert str(SPACE.senses("crane")[0].sense) == "crane#4"
    found = SPACE.senses("crane", context="birds waded through the marsh")
    assert str(found[0].sense) == "crane#5"
    assert sum(each.weight for each in found) == pytest.approx(1)
    with pytest.raises(InvalidInput, match="the context is empty"):
        SPACE.senses("crane", context=" ")


def test_a_meaning_with_several_spellings_is_one_sense() -> None:
    [found] = SPACE.senses("Ansar-al-Islam")
    assert (found.weight, found.synonyms[0]) == (1.0, "Ansar al Islam")


def test_a_named_sense_comes_alone() -> None:
    [found] = SPACE.senses("bank:institution")
    assert (str(found.sense), found.weight) == ("bank#2", 1.0)


def test_a_word_that_is_not_known_has_no_senses_and_a_wrong_name_is_an_error() -> None:
    assert SPACE.senses("blorp") == []
    with pytest.raises(SenseNotFound, match=r"no sense 'crane#9', expected crane#v1 .stretch"):
        SPACE.senses("crane#9")
