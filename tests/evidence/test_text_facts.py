"""What texts say of known terms, and of terms that only they have."""

import numpy as np
import pytest
from text_world import read_space, rows

from entvec.bundled import wordnet_knowledge
from entvec.evidence.text_facts import REPEATED, TextFacts
from entvec.knowledge.bare_terms import with_bare_terms
from entvec.text import Evidence, Example, TextEvidence
from entvec.vectors.words import Words

EXAMPLE = (Example("A sentence.", "a.txt", 0),)


def facts_of(*rows: tuple[str, str, int, int]) -> TextFacts:
    """Facts of pairs with their counts and documents."""
    found = [Evidence(hypo, hyper, "is-a", count, documents, EXAMPLE) for hypo, hyper, count, documents in rows]
    return TextFacts(TextEvidence.of(found), wordnet_knowledge())


def test_documents_count_more_than_repetitions() -> None:
    facts = facts_of(("dog", "pet", 4, 4), ("cat", "pet", 4, 1))
    assert facts.of_pair("dog", "pet") == (4.0, 0.0)
    assert facts.of_pair("cat", "pet") == (1 + 3 * REPEATED, 0.0)


def test_several_patterns_and_files_are_added() -> None:
    one = [Evidence("dog", "pet", pattern, 1, 1, EXAMPLE) for pattern in ("is-a", "such-as")]
    facts = TextFacts(TextEvidence.of(one, one), wordnet_knowledge())
    assert facts.of_pair("dog", "pet") == (4.0, 0.0)
    assert facts.sentences("dog", "pet")[0] == 4


def test_words_are_found_in_other_spellings_and_forms() -> None:
    facts = facts_of(("ice cream", "food", 1, 1), ("theorbo lute", "instrument", 1, 1))
    for hypo in ("ice cream", "ice_cream", "Ice-Cream", "ice creams"):
        assert facts.of_pair(hypo, "foods") == (1.0, 0.0)
    assert facts.of_pair("theorbo-lute", "instrument") == (1.0, 0.0)
    assert not facts.has("piano")


def test_only_what_nothing_else_knows_is_a_term_of_the_texts_alone() -> None:
    facts = facts_of(("theorbo", "lute", 1, 1), ("quickly", "thing", 1, 1))
    only = [facts.known.terms[row] for row in np.flatnonzero(facts.only).tolist()]
    assert only == ["theorbo"]  # quickly is an adverb
    assert facts.known.senses("theorbo") == []
    assert [str(sense) for sense in facts.known.senses("lutes")] == ["lute#1", "lute#2"]


def test_groups_of_people_and_insults_are_left_to_facts() -> None:
    facts = facts_of(("Jew", "merchant", 9, 9), ("young Jew", "merchant", 9, 9), ("bitch", "woman", 9, 9))
    assert len(facts) == 0
    assert facts.of_pair("Jew", "merchant") == (0.0, 0.0)


def test_a_term_is_not_a_kind_of_itself() -> None:
    assert len(facts_of(("Dog", "dog", 2, 2))) == 0


def test_what_is_said_reversed_is_known() -> None:
    facts = facts_of(("dog", "hound", 1, 1), ("hound", "dog", 3, 3))
    [row] = [row for row, _ in facts.known.find("dog")]
    found = facts.about("hypo", np.array([5]), np.array([row]))
    assert found.owner.tolist() == [5]
    assert found.amount.tolist() == [1.0]
    assert facts.about("hyper", np.array([5]), np.array([row])).amount.tolist() == [3.0]
    assert facts.of_pair("dogs", "hounds") == (1.0, 3.0)


def test_no_evidence_says_nothing() -> None:
    facts = TextFacts(TextEvidence.of([]), wordnet_knowledge())
    assert len(facts) == 0
    assert facts.of_pair("dog", "animal") == (0.0, 0.0)
    assert facts.sentences("dog", "animal") == (0, [])


def test_wider_knowledge_says_the_same_of_what_it_knew() -> None:
    known = wordnet_knowledge()
    wider = with_bare_terms(known, Words.of(["aaa_theorbo", "zzz", "mid_theorbo"]))
    assert len(wider.terms) == len(known.terms) + 3
    for word in ("dog", "banks", "ice cream", "geese"):
        assert [str(each) for each in wider.senses(word)] == [str(each) for each in known.senses(word)]
        for sense in known.senses(word):
            assert wider.synonyms(sense.concept) == known.synonyms(sense.concept)


def test_sentences_are_those_of_the_pair() -> None:
    facts = TextFacts(TextEvidence.of(rows(theorbo=5)), wordnet_knowledge())
    n, [example] = facts.sentences("theorbo", "lute")
    assert (n, example.sentence, example.file) == (5, "A theorbo is a kind of lute.", "book.txt")


@pytest.mark.parametrize("word", ["theorbo", "theorboes", "Theorbo"])
def test_a_word_of_the_texts_is_no_missing_word(word: str) -> None:
    assert read_space().judge.evidence.has([word]).tolist() == [True]
