"""The evidence of one pair, part by part."""

import numpy as np
import pytest

from entvec.evidence.waterfall import Waterfall, answer_for, waterfall
from entvec.graphs import Taxonomy
from entvec.space import default_space

SPACE = default_space()
RANKER = SPACE.judge.ranker


def parts(hypo: str, hyper: str, score: float = -40.0) -> Waterfall:
    return waterfall(RANKER, hypo, hyper, (0.5, 20.0), lambda _: score, 1.0)


def test_vectors_count_by_their_calibrated_score() -> None:
    weights = RANKER.weights.of("hypo", new=False)
    low, high = parts("dog", "animal", -42.0), parts("dog", "animal", -40.0)
    assert high.of("vectors") == pytest.approx(0.0)
    assert high.of("constant") == weights["constant"]
    assert high.evidence - low.evidence == pytest.approx(weights["vectors"])


def test_a_new_word_has_weights_of_its_own() -> None:
    assert parts("biker", "person").of("constant") == RANKER.weights.of("hypo", new=True)["constant"]


@pytest.mark.parametrize("pair", [("corgi", "dog"), ("Muslim", "person"), ("crook", "Muslim")])
def test_without_a_vector_and_for_people_the_vectors_say_nothing(pair: tuple[str, str]) -> None:
    found = parts(*pair)
    assert (found.of("constant"), found.of("vectors")) == (RANKER.weights.of("hypo", new=False)["alone"], 0.0)
    assert found.facts_only == ("Muslim" in pair)


def test_a_phrase_without_a_vector_is_judged_by_its_last_word() -> None:
    found = parts("piano", "musical instrument")
    weights = RANKER.weights.of("hypo", new=False)
    assert found.of("constant") == weights["unseen"]
    row = np.array([answer_for(RANKER, "musical instrument").row])
    assert RANKER.candidates.scored_rows(row).tolist() == RANKER.evidence.vocabulary.rows(["instrument"]).tolist()
    assert (parts("dog", "canid").of("constant"), parts("dog", "canid").of("vectors")) == (weights["unseen"], 0.0)


def test_facts_count_for_terms_without_a_vector_too() -> None:
    assert parts("dog", "canid").of("facts") > 0


def test_a_word_stands_for_the_term_that_rankings_list() -> None:
    assert answer_for(RANKER, "geese").word == "goose"
    biker = answer_for(RANKER, "Biker")
    assert (biker.word, biker.term) == ("biker", -1)
    mine = SPACE.with_knowledge(Taxonomy.from_edges([("blorpi", "blorpo")]), names=["mine.tsv"])
    assert answer_for(mine.judge.ranker, "blorpo").row >= len(SPACE)
    assert answer_for(RANKER, "canid").row == -1
