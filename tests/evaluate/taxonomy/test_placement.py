"""Terms to place, phrases and denials: what is known, what is right, and what is no answer."""

import numpy as np
import pytest

from entvec.bundled import isa
from entvec.evaluate.taxonomy.measured import Floats, Nouns, from_places, interval, ratio
from entvec.evaluate.taxonomy.placement import (
    COMPOSITIONS,
    CORRECTED,
    DENIALS,
    KNOWN,
    Term,
    evaluate,
    evaluate_negations,
    phrases,
    terms,
)
from entvec.evaluate.taxonomy.trees import trees
from entvec.space.default import held_out_space

SPACE = held_out_space()
NOUNS = Nouns(SPACE)
WORDS = {word for tree in trees() for word in tree.words}
TERMS = terms(WORDS)
FEW = TERMS[:6]


def test_terms_are_words_of_the_list_each_once_and_drawn_anew_the_same() -> None:
    assert len(TERMS) == 500
    assert {term.word for term in TERMS} <= WORDS
    assert len({term.word for term in TERMS}) == 500
    assert terms(WORDS) == TERMS
    assert terms(WORDS, n=7) == TERMS[:7]
    assert terms(WORDS, n=7, seed=1) != TERMS[:7]


def test_answers_are_hypernyms_farther_up_than_the_parent_and_its_synonyms() -> None:
    near = isa().select("is-a", max_hypo_sense=1)
    steps: dict[tuple[str, str], int] = {}
    for y, x, distance in zip(near.hypo.tolist(), near.hyper.tolist(), near.distance.tolist(), strict=True):
        pair = near.words[y], near.words[x]
        steps[pair] = min(distance, steps.get(pair, distance))
    for term in TERMS:
        to_parent = steps[term.word, term.parent]
        assert term.right
        assert all(to_parent < steps[term.word, word] <= 4 for word in term.right)
        assert term.right <= term.hypernyms
        assert term.parent in term.hypernyms


def test_siblings_share_a_parent_with_the_term_and_are_no_answers() -> None:
    beside = isa().select("co-hyponym")
    pairs = {
        (beside.words[y], beside.words[x]) for y, x in zip(beside.hypo.tolist(), beside.hyper.tolist(), strict=True)
    }
    for term in TERMS:
        first, second = term.siblings
        assert first != second
        for sibling in term.siblings:
            assert (term.word, sibling) in pairs
            assert sibling not in term.right | {term.word, term.parent}


def test_what_is_told_is_no_candidate() -> None:
    term = Term("poodle", "dog", ("pooch", "puppy"), frozenset({"animal"}), frozenset({"dog", "animal"}))
    assert term.left_out == ("poodle", "dog", "pooch", "puppy")
    relations = {name: [(fact.word, fact.relation) for fact in known(term)] for name, known in KNOWN.items()}
    assert relations["a parent"] == [("dog", "entails")]
    assert relations["two siblings"] == [("pooch", "like"), ("puppy", "like")]
    assert relations["all of these"] == [
        ("poodle", "own"),
        ("dog", "entails"),
        ("pooch", "like"),
        ("puppy", "like"),
    ]
    for name, facts in relations.items():
        assert (("poodle", "own") in facts) == ("vector" in name or "all" in name)


# Places


def test_the_place_of_the_first_right_answer_among_those_that_are_left() -> None:
    scores = np.zeros(len(NOUNS.words))
    for value, word in enumerate(["car", "bird", "animal", "dog"], start=1):
        scores[NOUNS.at[word]] = value
    before = scores.copy()
    assert NOUNS.place(scores, ["animal", "car"]) == 2
    assert NOUNS.place(scores, ["animal", "car"], ["dog"]) == 1
    assert NOUNS.place(scores, ["car"], ["dog", "bird", "qqqqq"]) == 2
    np.testing.assert_array_equal(scores, before)


def test_nouns_are_ranked_as_the_space_ranks_them() -> None:
    scores = NOUNS.scores(NOUNS.vectors(["violin"]))[0]
    best = [NOUNS.words[i] for i in np.argsort(-scores) if NOUNS.words[i] != "violin"][:10]
    assert best == SPACE.hypernyms("violin", 10, among=NOUNS.words).words


def test_places_become_measures_and_measures_intervals() -> None:
    measures = from_places(np.array([1.0, 2.0, 20.0]), (1, 5))
    assert measures["mrr"].tolist() == [1, 0.5, 0.05]
    assert (measures["hit_at_1"].tolist(), measures["hit_at_5"].tolist()) == ([1, 0, 0], [1, 1, 0])
    mean = interval(np.array([0.0, 1.0] * 50))
    assert mean.value == 0.5
    assert 0.3 < mean.low < 0.45 < 0.55 < mean.high < 0.7
    assert ratio(np.array([2.0, 4.0]), np.array([1.0, 2.0])) == pytest.approx((2, 2, 2))


# Studies


def test_facts_help() -> None:
    rows = {row.name: row for row in evaluate(SPACE, FEW)}
    assert list(rows) == ["nothing", *KNOWN]
    assert [name for name, row in rows.items() if row.baseline] == ["nothing"]
    mrr = {name: row.measures["mrr"].value for name, row in rows.items()}
    assert all(mrr[name] > mrr["nothing"] for name in KNOWN)
    assert {row.n for row in rows.values()} == {6}


def test_denials_have_a_row_for_each_way_to_tell_them() -> None:
    rows = {row.name: row for row in evaluate_negations(SPACE, FEW[:3], [2])}
    for known in CORRECTED:
        mrr = {way: rows[f"{known}, 2 denied, {way}"].measures["mrr"].value for way in DENIALS}
        assert mrr["left out"] >= rows[f"{known}, none denied"].measures["mrr"].value  # two wrong answers fewer
    assert len(rows) == len(CORRECTED) * (1 + len(DENIALS))
    assert {row.study for row in rows.values()} == {"negations"}


def test_phrases_are_two_known_words_with_a_vector_of_their_own() -> None:
    found = phrases(NOUNS)
    table = isa().select(["is-a", "instance"], max_hypo_sense=1)
    assert len({phrase.name for phrase in found}) == len(found) > 100
    for phrase in found:
        assert all(word in SPACE.vectors.words for word in (phrase.name, *phrase.words))
        assert phrase.name == "_".join(phrase.words)
        assert phrase.right
        assert not phrase.right & {*phrase.words}
    assert found[0].right <= {*table.hypernyms(found[0].name)}


def test_a_phrase_inferred_from_its_words_is_nearer_to_its_own_vector_than_its_last_word_is() -> None:
    inferred, last = (
        np.stack([COMPOSITIONS[name](NOUNS, phrase) for phrase in phrases(NOUNS)[:20]])
        for name in ("inferred from its words", "its last word")
    )
    own = NOUNS.vectors([phrase.name for phrase in phrases(NOUNS)[:20]])

    def cosines(made: Floats) -> Floats:
        return np.asarray(np.vecdot(made, own) / np.linalg.norm(made, axis=1) / np.linalg.norm(own, axis=1))

    assert cosines(inferred).mean() > cosines(last).mean() > 0.2
