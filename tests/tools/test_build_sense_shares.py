"""What people judged of the senses of words: the table is sound, and the bundled file is made of it."""

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.knowledge.knowledge import NOT_JUDGED

SHARES = pytest.importorskip("build_sense_shares", reason="the scripts come with the repository only")
KNOWN = wordnet_knowledge()


def test_judgements_name_senses_that_there_are() -> None:
    judged = SHARES.judgements()
    names = {term: set(names) for term, names, _ in SHARES.senses(KNOWN) if term in judged}
    assert names.keys() == judged.keys()
    assert all(set(said) <= {*names[word], SHARES.FORM, SHARES.OTHER} for word, said in judged.items())
    assert all(80 <= sum(said.values()) <= 105 for said in judged.values())


def test_the_bundled_shares_are_those_of_the_table() -> None:
    assert (SHARES.shares_of(KNOWN, SHARES.judgements()) == KNOWN.judged).all()


def test_the_senses_of_a_term_share_what_they_are_meant_in() -> None:
    rows = {term: rows for term, _, rows in SHARES.senses(KNOWN) if term in ("toaster", "shoes", "sundown")}
    found = SHARES.shares_of(KNOWN, {"toaster": {"n2": 45, "?": 55}, "shoes": {"b": 90, "n1": 10}})
    assert found[rows["toaster"]].tolist() == [0, 100]
    assert found[rows["shoes"]].tolist() == [10]
    assert set(found[rows["sundown"]].tolist()) == {NOT_JUDGED}
