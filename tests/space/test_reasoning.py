"""Why one word entails another: reasons in sentences, and a sum that is the evidence of rankings."""

import json
import math

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.errors import KnowledgeWarning, WordNotFound
from entvec.graphs import Taxonomy
from entvec.knowledge.people import is_people
from entvec.space import EntailmentSpace, default_space
from entvec.space.reasoning import Reasoning

SPACE = default_space()
NAMES = ["constant", "vectors", "facts", "neighbours", "spelling"]


def reasoning(hypo: str, hyper: str, space: EntailmentSpace = SPACE) -> Reasoning:
    found = space.explain(hypo, hyper, k=0).reasoning
    assert found is not None
    return found


def texts(found: Reasoning, side: str) -> list[str]:
    return [reason.text for reason in found.reasons if reason.side == side]


@pytest.mark.parametrize(
    "word", ["dog", "tomato", "rock_n_roll", "corgi", "run", "Muslim", "Paris", "dogs", "ice cream"]
)
def test_the_sum_is_the_evidence_of_the_ranking(word: str) -> None:
    matches = SPACE.hypernyms(word, 12)
    assert len(matches)
    for match in matches:
        found = reasoning(word, match.word)
        assert found.evidence == pytest.approx(match.evidence, abs=1e-9)
        assert found.probability == pytest.approx(match.probability)
        assert [part.source for part in found.parts] == NAMES
        assert sum(part.log_odds for part in found.parts) == pytest.approx(found.evidence)


def test_a_plural_is_explained_by_what_its_singular_is_ranked_by() -> None:
    ranked = {match.word: match.evidence for match in SPACE.hypernyms("dogs", 20)}
    assert reasoning("dogs", "animals").evidence == pytest.approx(ranked["animal"])


def test_facts_are_told_as_a_path_with_its_source() -> None:
    found = reasoning("dog", "animal")
    assert found.headline.startswith("Does dog entail animal? Yes, with probability 0.9")
    assert found.headline.endswith(": dog is a kind of animal.")
    assert texts(found, "for")[0] == "dog -> domestic animal -> animal (WordNet 3.0, first sense)"
    assert texts(reasoning("crane", "bird"), "for")[0].endswith("(WordNet 3.0, crane#5)")


def test_a_fact_for_something_else_speaks_against() -> None:
    found = reasoning("cat", "dog")
    assert found.verdict == "no"
    assert texts(found, "against")[0] == "cat -> pet <- dog (everyday)"
    assert texts(reasoning("stone", "idea"), "against")[0] == "nothing that is known connects them"


def test_neighbours_speak_for_and_against() -> None:
    found = reasoning("tomato", "vegetable")
    kinds, others = found.neighbours
    assert (kinds.kind, kinds.supports, others.kind, others.supports) == ("vegetable", True, "fruit", False)
    assert f"tomato is used like {kinds.text}" in texts(found, "for")
    assert f"tomato is also used like {others.text}" in texts(found, "against")
    assert 0 < kinds.share < 1
    assert 0 < others.share < 1


def test_the_vectors_alone_say_what_scores_say() -> None:
    found = reasoning("dog", "animal")
    assert found.vectors is not None
    assert found.vectors.probability == pytest.approx(SPACE.probabilities(SPACE.score("dog", "animal")))
    assert found.vectors.reversed_probability == pytest.approx(SPACE.probabilities(SPACE.score("animal", "dog")))
    assert "the vectors alone would say 0.96, reversed 0.57" in texts(found, "for")


def test_a_new_word_is_explained_by_what_it_is_used_like() -> None:
    found = reasoning("rock_n_roll", "music")
    assert texts(found, "neither") == ["nothing is known of rock n roll, which is new"]
    assert texts(found, "for")[0] == "rock n roll is used like punk rock, punk and indie rock, kinds of music"


def test_a_new_word_may_end_in_what_it_is() -> None:
    found = reasoning("training_camp", "camp")
    assert "training camp ends in camp" in texts(found, "for")
    assert dict(found.parts)["spelling"] > 0


def test_a_known_word_without_a_vector_has_reasons_and_no_dimensions() -> None:
    found = SPACE.explain("corgi", "dog")
    assert found.reasoning is not None
    assert (found.carrying, found.breaking) == ((), ())
    assert found.score == SPACE.score("corgi", "dog")
    assert len(found.strip.gain) == 0
    assert [reason.source for reason in found.reasoning.reasons] == ["facts"]
    assert found.reasoning.vectors is None
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (told["average"], told["rest"], told["offset"]) == (None, None, None)


def test_without_dimensions_the_score_is_there_all_the_same() -> None:
    found = SPACE.explain("dog", "animal", k=0)
    assert found.score == pytest.approx(SPACE.score("dog", "animal"))
    assert len(found.strip.gain) == 0
    assert math.isnan(found.rest)
    assert len(SPACE.explain("dog", "animal", k=1).strip.gain) == SPACE.vocabulary.dimension


def test_what_the_user_states_and_denies_is_a_reason() -> None:
    mine = Taxonomy.from_edges([("hoodie", "garment")], negations=[("dog", "pet")])
    with pytest.warns(KnowledgeWarning, match="shop.tsv says that dog is no pet, everyday says dog > pet"):
        space = SPACE.with_knowledge(mine, names=["shop.tsv"])
    assert "hoodie -> garment (shop.tsv)" in texts(reasoning("hoodie", "garment", space), "for")[0]
    assert texts(reasoning("dog", "pet", space), "against")[0].startswith("shop.tsv denies that dog is ")
    only_stated = space.with_knowledge(Taxonomy.from_edges([("blorpi", "blorpo")]), names=["mine.tsv"])
    found = reasoning("blorpi", "blorpo", only_stated)
    [match] = only_stated.hypernyms("blorpi")
    assert (match.word, match.evidence) == ("blorpo", pytest.approx(found.evidence))


@pytest.mark.parametrize(("hypo", "hyper"), [("Muslim", "person"), ("Muslim", "crook"), ("crook", "Muslim")])
def test_of_groups_of_people_only_facts_are_told(hypo: str, hyper: str) -> None:
    found = reasoning(hypo, hyper)
    assert {part.source for part in found.parts if part.log_odds} <= {"constant", "facts"}
    assert {reason.source for reason in found.reasons} == {"facts"}
    assert (found.vectors, found.neighbours) == (None, ())
    assert len(texts(found, "for")) == (hyper == "person")


def test_no_group_of_people_is_named_as_a_neighbour() -> None:
    known = wordnet_knowledge()
    named = [
        word
        for hypo in ("terrorist", "immigrant", "teacher", "mosque", "rapper")
        for group in reasoning(hypo, "person").neighbours
        for word in group.words
    ]
    assert named
    assert not any(is_people(known, word) for word in named)


def test_an_adjective_has_no_evidence_and_has_dimensions() -> None:
    found = SPACE.explain("hot", "cold", k=1)
    assert found.reasoning is not None
    assert (found.reasoning.parts, found.reasoning.evidence, found.probability) == ((), None, None)
    assert found.reasoning.headline.startswith("Does hot entail cold? Unknown: 'hot' is an adjective or adverb")
    assert found.carrying
    assert "in all" not in str(found)


def test_without_knowledge_or_for_vectors_there_are_dimensions_alone() -> None:
    assert SPACE.with_knowledge(None).explain("dog", "animal", k=0).reasoning is None
    assert SPACE.with_calibration(None).explain("dog", "animal", k=0).reasoning is None
    assert SPACE.explain(SPACE.vectors["dog"], "animal", k=0).reasoning is None


def test_a_word_that_is_neither_known_nor_has_a_vector_is_missing() -> None:
    with pytest.raises(WordNotFound, match="did you mean 'guitar'"):
        SPACE.with_encoder(None).explain("guitarr", "animal")


def test_it_is_printed_with_the_sum_and_goes_to_json_and_tables() -> None:
    explanation = SPACE.explain("dog", "animal", k=1)
    found = explanation.reasoning
    assert found is not None
    lines = str(explanation).splitlines()
    assert lines[0] == found.headline
    assert f"  {found.evidence:+.2f}  in all" in lines
    assert lines[-1].endswith("the hypo itself")
    told = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))["reasoning"]
    assert [part["source"] for part in told["parts"]] == NAMES
    assert told["neighbours"][0]["words"] == list(found.neighbours[0].words)
    assert told["vectors"]["probability"] == pytest.approx(0.96, abs=0.01)
    assert found.to_frame().columns.tolist() == ["source", "log_odds"]
