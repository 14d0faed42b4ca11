"""Rankings by all evidence: exact, the same in every backend, with reasons."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from entvec.errors import InvalidInput, SenseNotFound, WordNotFound
from entvec.evidence.candidates import Asked
from entvec.graphs import Taxonomy
from entvec.knowledge import people
from entvec.knowledge.people_rules import rules
from entvec.space import EntailmentSpace, default_space
from entvec.vectors.words import Words

WORDS = ["dog", "guitar", "bank", "scoreline", "walk", "river", "democracy", "tomato", "virus", "woman"]


@cache
def space() -> EntailmentSpace:
    return default_space()


def brute_force(side: str, word: str, k: int) -> list[tuple[str, float]]:
    """Every word of the vocabulary, and every term that sources speak of, with its evidence, computed one by one."""
    here, ranker = space(), space().judge.ranker
    query, n, candidates = ranker.query(word), len(here), ranker.candidates
    asked = Asked.of([query])
    bonuses = ranker.bonuses(side, [query], 1.0)  # type: ignore[arg-type]
    listed, values = bonuses.of(0)
    rows = np.union1d(np.arange(n), listed)
    other = "hyper" if side == "hypo" else "hypo"
    by = candidates.scored_rows(rows)
    first = np.zeros(len(rows), np.int64)
    own, scored = np.full((by >= 0).sum(), here.vocabulary.row(word)), by[by >= 0]
    pair = (own, scored) if side == "hypo" else (scored, own)
    vectors = [np.asarray(here.vectors.matrix[each], np.float64) for each in pair]
    hubness: Any = here.backend.hubness(other, scored)  # type: ignore[arg-type]
    scale, intercept = here.model.calibration.line()  # type: ignore[union-attr]
    weights = ranker.weights.of(side, new=query.is_new)  # type: ignore[arg-type]
    evidence = candidates.constants(side, asked, first, rows, ranker.weights)  # type: ignore[arg-type]
    log_odds = scale * (here.model.score(*vectors) - hubness) + intercept
    evidence[by >= 0] += weights["vectors"] * np.asarray(log_odds, np.float64)
    if query.by_facts:
        evidence = candidates.constants(side, asked, first, rows, ranker.weights, alone=True)  # type: ignore[arg-type]
    at = np.searchsorted(rows, listed)
    evidence[at] += values.sum(axis=1)
    facts, others = np.zeros((2, len(rows)), bool)
    facts[at], others[at] = values[:, 0] != 0, bonuses.other_name & (side == "hypo")
    allowed = candidates.admits(side, asked, first, rows, facts) & ~others  # type: ignore[arg-type]
    if query.by_facts:
        allowed &= facts
    order = [i for i in np.lexsort((rows, -evidence)).tolist() if allowed[i]][:k]
    terms = ranker.evidence.meanings.known.terms
    names = [terms[row - n].replace("_", " ") if row >= n else here.vectors.words[row] for row in rows[order].tolist()]
    return list(zip(names, evidence[order].tolist(), strict=True))


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("verb", ["hypernyms", "hyponyms"])
def test_the_best_by_all_evidence_are_found(word: str, verb: str) -> None:
    expected = brute_force("hypo" if verb == "hypernyms" else "hyper", word, 25)
    found = getattr(space(), verb)(word, 25)
    np.testing.assert_allclose(found.order, [evidence for _, evidence in expected][: len(found)], atol=1e-4)
    assert set(found.words[:20]) <= {each for each, _ in expected}


def test_fewer_first_hits_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = space().hypernyms(WORDS, 10).words
    monkeypatch.setattr("entvec.space.fusion.FIRST_HITS", 1)
    monkeypatch.setattr("entvec.space.fusion.MORE", 2)
    assert space().hypernyms(WORDS, 10).words == expected


def test_a_batch_is_answered_like_single_words() -> None:
    batch = space().hypernyms(WORDS, 8)
    for word, together in zip(WORDS, batch, strict=True):
        alone = space().hypernyms(word, 8)
        assert alone.words == together.words
        np.testing.assert_allclose(alone.order, together.order, atol=1e-5)
        np.testing.assert_allclose(alone.probabilities, together.probabilities, atol=1e-9)


def others() -> Iterator[tuple[str, EntailmentSpace]]:
    yield "scan", space().with_backend("scan")
    yield "device", space().on("cpu")


@pytest.mark.parametrize("name", ["scan", "device"])
def test_every_backend_gives_the_same_answers(name: str) -> None:
    if name == "device":
        pytest.importorskip("torch")
    other = dict(others())[name]
    assert other.hypernyms(WORDS[:3], 6).words == space().hypernyms(WORDS[:3], 6).words


def test_the_first_answers_do_not_depend_on_how_many_are_asked_for() -> None:
    many = space().hypernyms("guitar", 40).words
    for k in (0, 1, 5, 20):
        assert space().hypernyms("guitar", k).words == many[:k]


def test_answers_are_words_that_one_would_say() -> None:
    known = space().knowledge
    assert known is not None
    for word in WORDS:
        for found in space().hypernyms(word, 20).words:
            assert found in known
            assert found.casefold() != word.casefold()
    assert "animals" not in space().hypernyms("dog", 50).words
    assert "animals" in space().hypernyms("dog", 50, evidence="vectors").words


def test_everyday_answers() -> None:
    for word, answer in [("chair", "furniture"), ("guitar", "instrument"), ("tomato", "vegetable"), ("car", "vehicle")]:
        assert answer in space().hypernyms(word, 5).words
    for word, wrong in [("cat", "dog"), ("bird", "mammal"), ("violin", "flute"), ("stone", "idea")]:
        assert wrong not in space().hypernyms(word, 3).words


def test_the_probability_of_an_answer_is_that_of_the_space() -> None:
    found = space().hypernyms("tomato", 5)
    np.testing.assert_allclose(found.probabilities, space().probability("tomato", found.words))
    below = space().hyponyms("fruit", 5)
    np.testing.assert_allclose(below.probabilities, space().probability(below.words, "fruit"))
    assert all(match.probability >= 0.9 for match in found.likely(0.9))


def test_every_answer_has_a_reason() -> None:
    animal = next(match for match in space().hypernyms("dog", 5) if match.word == "animal")
    assert animal.reason == "dog -> domestic animal -> animal (WordNet 3.0)"
    assert animal.sense == "dog#1"
    assert any(match.reason.startswith("scoreline is used like") for match in space().hypernyms("scoreline", 5))
    assert any(match.reason == "the vectors alone" for match in space().hypernyms("guitar", 200))


def test_a_known_word_needs_no_vector() -> None:
    assert "poodle_dog" not in space().vocabulary
    assert "dog" in space().hypernyms("poodle_dog", 5).words
    assert np.isnan(space().hypernyms("poodle_dog", 1, among=None).scores).sum() == 1
    with pytest.raises(WordNotFound):
        space().with_encoder(None).hypernyms("qqqq")
    assert space().hypernyms(["qqqq", "dog"], 1, missing="nan").words == [[], ["domestic animal"]]


def test_a_term_of_the_user_needs_no_vector() -> None:
    mine = Taxonomy.from_edges([("guitar", "stage gear"), ("stage gear", "rental item")])
    shop = space().with_knowledge(mine, names=["shop.tsv"])
    found = shop.hypernyms("guitar", 3)
    assert found.words[0] == "stage gear"
    assert found[0].reason == "guitar -> stage gear (shop.tsv)"
    assert np.isnan(found.scores[0])
    assert found.to_dict()["scores"][0] is None
    assert shop.hyponyms("rental item", 2).words == ["stage gear", "guitar"]


def test_a_phrase_that_one_would_say_needs_no_vector() -> None:
    for word, phrase in (("piano", "musical instrument"), ("lake", "body of water"), ("poker", "card game")):
        assert phrase.replace(" ", "_") not in space().vocabulary
        assert phrase in space().hypernyms(word, 5).words
    assert "solanaceous vegetable" not in space().hypernyms("tomato", 100).words
    assert "vascular plant" not in space().hypernyms("tomato", 100).words
    chosen = space().hypernyms("piano", 3, among=["device", "instrument"])
    assert set(chosen.words) == {"device", "instrument"}


def test_hyponyms_are_phrases_too_and_usual_words_come_first() -> None:
    assert "grand_piano" not in space().vocabulary
    assert space().hyponyms("piano", 9).likely(0.5).words[0] == "grand piano"
    for word, usual in (("fruit", "apple"), ("vehicle", "car"), ("bird", "owl"), ("emotion", "anger")):
        assert usual in space().hyponyms(word, 3).words
    assert not {"Wilson", "Anderson", "Watson"} & set(space().hyponyms("scientist", 15).words)  # rare senses


def test_a_concept_is_called_by_its_best_known_name() -> None:
    uncle = space().hypernyms("uncle", 100).words
    assert "person" in uncle
    assert not {"somebody", "someone", "individual", "soul", "mortal", "being"} & set(uncle)
    asked = ["somebody", "person"]
    assert space().hypernyms("uncle", 2, among=asked).words == ["person", "somebody"]


@pytest.mark.parametrize("word", ["hotel", "soldier", "shirt", "dog", "eagle", "violin"])
def test_general_answers_come_after_specific_ones(word: str) -> None:
    general = {"entity", "artifact", "instrumentation", "organism", "being", "object", "whole", "unit"}
    assert not general & set(space().hypernyms(word, 2).words)
    assert space().hypernyms(word, 3, specificity=0.0).words != space().hypernyms(word, 3).words


@pytest.mark.parametrize(
    ("verb", "specific", "general"), [("crawl", "move", "change"), ("inform", "communicate", "act")]
)
def test_a_word_that_is_mostly_a_verb_is_asked_about_as_one(verb: str, specific: str, general: str) -> None:
    plain, named = (default_space().hypernyms(word, 10) for word in (verb, f"to {verb}"))
    assert plain.words == named.words
    assert plain.probabilities == pytest.approx(named.probabilities)
    assert specific in plain.likely(0.5).words
    assert general not in plain.words[: plain.words.index(specific)]


def test_adjectives_have_no_hierarchy() -> None:
    assert space().hypernyms("expensive").words == []


def test_words_of_which_little_is_known_are_answers_in_their_own_vocabulary() -> None:
    few = EntailmentSpace.from_vectors(
        space().vectors.subset(["dog", "animal", "iPhone", "please_login", "stone"]), map=space().map
    ).with_knowledge(space().knowledge)
    assert set(few.hypernyms("dog", 9).words) == {"animal", "iPhone", "please_login", "stone"}


def test_answers_may_be_limited_to_some_words() -> None:
    assert space().hypernyms("dog", 5, among=["cat", "vehicle", "animal", "please_login"]).words[0] == "animal"
    assert len(space().hypernyms("dog", 5, among=["cat", "vehicle"])) == 2
    assert space().hypernyms("dog", 5, among=[]).words == []


def test_general_answers_are_one_option_away() -> None:
    specific, general = (space().hypernyms("guitar", 4, specificity=value).words for value in (1, 0))
    assert "instrument" in specific
    assert "entity" in general


# Senses and contexts


def test_a_sense_can_be_named() -> None:
    assert "financial institution" in space().hypernyms("bank#2", 2).words
    assert space().hypernyms("bank:slope", 1).words == ["slope"]
    assert "financial institution" in space().hypernyms("bank", 2).words
    with pytest.raises(SenseNotFound, match="sloping land"):
        space().hypernyms("bank#19")


def test_a_context_tells_which_sense_is_meant() -> None:
    river = space().hypernyms("bank", 3, context="we sat on the grass by the river")
    money = space().hypernyms("bank", 3, context="he took a loan from the bank")
    assert river.words[0] == "slope"
    assert "financial institution" in money.words[:2]
    assert river[0].probability > 0.7
    assert "move" in space().hypernyms("walk", 4, context="they walk along the river").words
    assert space().hypernyms("bank", 3, context=" ").words == space().hypernyms("bank", 3).words
    with pytest.raises(InvalidInput, match="a context tells senses apart"):
        space().hypernyms("bank", context="the river", evidence="vectors")


# People


def test_only_facts_answer_for_groups_of_people() -> None:
    known = space().knowledge
    assert known is not None
    words = space().vectors.words
    groups = [words[row] for row in np.flatnonzero(people.people_rows(known, words)).tolist()]
    groups = [groups[i] for i in np.random.default_rng(0).permutation(len(groups))[:200].tolist()]
    found = space().hypernyms(groups, 20)
    answers = sorted({word for each in found.words for word in each})
    assert not people.offensive_rows(known, Words.of(answers)).any()
    for group, own in zip(groups, found.words, strict=True):
        allowed = people.answers(known, group)
        names = {term for concept in allowed for term in known.synonyms(concept)}
        assert {word.replace(" ", "_") for word in own} <= names, group
    lifted = space().hypernyms(groups, 20, evidence="vectors")
    assert any(set(both) - set(own) for both, own in zip(lifted.words, found.words, strict=True))


def test_the_head_of_a_phrase_is_no_answer_if_it_mostly_insults() -> None:
    found = space().hypernyms(["transvestite_hooker", "wives_mistresses"], 20)
    assert "hooker" not in found.words[0]
    assert "mistress" not in found.words[1]
    assert "person" in found.words[1]


def test_terms_that_offend_are_no_answers() -> None:
    known = space().knowledge
    assert known is not None
    assert rules(known).offensive_senses.any()
    found = space().hyponyms(["person", "woman", "man", "fool", "unpleasant_person"], 200)
    answers = sorted({word for each in found.words for word in each})
    assert not people.offensive_rows(known, Words.of(answers)).any()


def test_what_a_ranking_may_rest_on() -> None:
    with pytest.raises(InvalidInput, match="evidence is 'facts', expected 'all' or 'vectors'"):
        space().hypernyms("dog", evidence="facts")  # type: ignore[arg-type]


def test_terms_that_offend_are_not_suggested_for_missing_words() -> None:
    known = space().knowledge
    assert known is not None
    words = space().vectors.words
    offending = [words[row] for row in np.flatnonzero(people.offensive_rows(known, words)).tolist()]
    assert offending
    for word in offending:
        error = space().vocabulary.not_found([f"{word}qz"])
        assert not any(people.is_offensive(known, each) for each in error.suggestions)
