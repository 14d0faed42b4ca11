"""Facts, neighbours and spelling as evidence for rankings."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from entvec.errors import RelationFileError
from entvec.evidence import Evidence
from entvec.evidence.ranking_weights import NAMES, RankingWeights
from entvec.evidence.rankings import SOURCES, Ranker, heads
from entvec.graphs import Taxonomy
from entvec.space import default_space


@cache
def ranker() -> Ranker:
    return default_space().judge.ranker


def said(side: str, word: str, answer: str, source: str, *, by: Ranker | None = None) -> float:
    """What a source says of an answer; 0 if it does not speak of it."""
    by = by or ranker()
    rows, values = by.bonuses(side, [by.query(word)], 1.0).of(0)  # type: ignore[arg-type]
    return float(values[rows == default_space().vocabulary.row(answer), SOURCES.index(source)].sum())


def test_facts_speak_for_what_is_above_and_below() -> None:
    assert said("hypo", "dog", "animal", "facts") > 0
    assert said("hyper", "animal", "dog", "facts") > 0
    assert said("hypo", "animal", "dog", "facts") == 0
    assert said("hypo", "stone", "idea", "facts") == 0


def test_nearer_and_more_probable_senses_count_for_more() -> None:
    assert said("hypo", "teacher", "educator", "facts") > said("hypo", "teacher", "professional", "facts")
    assert said("hypo", "tomato", "vegetable", "facts") > said("hypo", "salmon", "color", "facts")


def test_another_word_for_the_same_is_no_hypernym() -> None:
    assert said("hypo", "movie", "film", "facts") < 0


def test_the_best_known_word_for_a_concept_comes_before_its_synonyms() -> None:
    assert said("hypo", "dog", "animal", "facts") > said("hypo", "dog", "beast", "facts") != 0


def test_neighbours_vote_for_what_they_are_kinds_of() -> None:
    hidden = ranker().hiding(["iPhone"])
    assert said("hypo", "iPhone", "device", "neighbours", by=hidden) > 0
    assert said("hypo", "iPhone", "vegetable", "neighbours", by=hidden) == 0
    assert said("hypo", "iPhone", "device", "neighbours") == 0  # facts about the word itself say more
    rows, terms, weights = ranker().nearest([ranker().query("violin")])
    known = ranker().evidence.meanings.known
    assert {"cello", "viola", "piano"} <= {known.terms[term] for term in terms.tolist()}
    assert weights.sum() == pytest.approx(1)
    assert set(rows.tolist()) == {0}


def test_a_word_is_not_its_own_neighbour_in_any_form() -> None:
    for word in ("dog", "dogs", "Dog"):
        _, terms, _ = ranker().nearest([ranker().query(word)])
        assert "dog" not in {ranker().evidence.meanings.known.terms[term] for term in terms.tolist()}


def test_a_hidden_word_is_new() -> None:
    hidden = ranker().hiding(["guitar"])
    assert hidden.query("guitars").is_new
    assert said("hypo", "guitar", "instrument", "facts", by=hidden) == 0
    assert said("hypo", "guitar", "device", "neighbours", by=hidden) > 0


def test_new_phrases_end_in_what_they_are_kinds_of() -> None:
    assert heads("electric mountain-bike") == ["mountain_bike", "bike"]
    assert said("hypo", "blorp_dog", "dog", "spelling") > 0
    assert said("hypo", "hot_dog", "dog", "spelling") == 0  # it is known, so that its spelling says nothing


def test_many_queries_are_answered_like_one() -> None:
    words = ["dog", "iPhone", "bank", "Muslim", "walk", "guitar"]
    together = ranker().bonuses("hypo", [ranker().query(word) for word in words], 1.0)
    for i, word in enumerate(words):
        rows, values = ranker().bonuses("hypo", [ranker().query(word)], 1.0).of(0)
        np.testing.assert_array_equal(together.of(i)[0], rows)
        np.testing.assert_allclose(together.of(i)[1], values, atol=1e-5)  # cosines in float32


def test_statements_and_denials_of_the_user_count() -> None:
    space = default_space()
    mine = Taxonomy.from_edges([("dog", "furniture")], negations=[("dog", "animal")])
    with pytest.warns(Warning, match="says that dog is no animal"):
        known = space.with_knowledge(mine, names=["mine.tsv"]).knowledge
    assert known is not None
    own = Ranker(Evidence(space.vocabulary, space.model, known))
    assert said("hypo", "dog", "furniture", "facts", by=own) > 6
    assert said("hypo", "dog", "animal", "facts", by=own) == 0
    assert said("hypo", "poodle", "furniture", "facts", by=own) > 6
    assert said("hyper", "furniture", "dog", "facts", by=own) > 6
    assert said("hyper", "animal", "dog", "facts", by=own) == 0


def test_weights_are_saved_and_checked(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "weights.json"
    weights = RankingWeights.bundled()
    weights.save(path)
    assert RankingWeights.load(path).weights == weights.weights
    broken = replace(weights, weights=dict(weights.weights) | {"hypernyms: new": dict.fromkeys(NAMES, np.nan)})
    broken.save(path)
    with pytest.raises(RelationFileError, match="expected finite weights"):
        RankingWeights.load(path)
    path.write_text("{}")
    with pytest.raises(RelationFileError, match="no weights of rankings"):
        RankingWeights.load(path)
