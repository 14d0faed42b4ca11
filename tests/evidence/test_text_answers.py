"""Texts as a source of rankings, relations and reasons."""

import numpy as np
import pytest
from text_world import read_space, rows

from entvec.errors import KnowledgeWarning, RelationFileError, WordsNotFound
from entvec.evidence.rankings import SOURCES
from entvec.evidence.text_reasons import SHOWN, text_reason
from entvec.evidence.text_weights import CASES, TextWeights
from entvec.space import EntailmentSpace, default_space
from entvec.space.reasoning import Reasoning
from entvec.text import Evidence, Example


def evidence_of(hypo: str, hyper: str, space: EntailmentSpace | None = None) -> float:
    found = reasoning_of(space or read_space(), hypo, hyper)
    return next((part.log_odds for part in found.parts if part.source == "text"), np.nan)


def reasoning_of(space: EntailmentSpace, hypo: str, hyper: str) -> Reasoning:
    found = space.explain(hypo, hyper, k=0).reasoning
    assert found is not None
    return found


def test_a_term_that_only_texts_have_is_answered_and_is_an_answer() -> None:
    found = read_space().hypernyms("theorbo", k=2)
    assert set(found.words) == {"lute", "instrument"}
    assert found[0].reason.startswith("5 sentences say so, for example: ")
    assert "theorbo" in read_space().hyponyms("lute", k=20).words


def test_a_word_without_a_vector_has_only_answers_that_are_named() -> None:
    assert set(read_space().hypernyms("theorbo", k=50).words) == {"lute", "instrument"}


def test_what_texts_call_something_is_an_answer_though_it_has_no_vector_and_one_hardly_says_it() -> None:
    example = Example("The quokka, a marsupial that smiles.", "book.txt", 0)
    space = default_space().with_evidence([Evidence("quokka", "marsupial", "apposition", 1, 1, (example,))])
    assert space.hypernyms("quokka").words == ["marsupial"]
    assert "marsupial" not in space.hypernyms("kangaroo", k=50).words


def test_a_word_is_read_where_texts_name_no_answer() -> None:
    assert read_space().hypernyms("xylorimba").words


def test_a_single_sentence_makes_no_new_term_an_answer() -> None:
    assert "xylorimba" not in read_space().hyponyms("theorbo", k=20).words
    assert read_space().relation("xylorimba", "theorbo").likeliest == "narrower"


def test_a_text_that_defines_a_word_by_a_synonym_makes_it_no_kind_of_that() -> None:
    example = Example("foe: an enemy.", "dictionary.txt", 0)
    space = default_space().with_evidence([Evidence("foe", "enemy", "definition", 1, 1, (example,))])
    assert space.relation("foe", "enemy").likeliest == "same"


def test_texts_raise_what_they_say_and_lower_the_reverse() -> None:
    plain, read = default_space(), read_space()
    assert read.probability("bomb", "weapon") > plain.probability("bomb", "weapon")
    assert evidence_of("bomb", "weapon") > 0
    assert evidence_of("viol", "violin") < 0 < evidence_of("violin", "viol")


def test_what_texts_say_saturates() -> None:
    spaces = [default_space().with_evidence(rows(bomb=n)) for n in (1, 4, 64, 1024)]
    said = [evidence_of("bomb", "weapon", space) for space in spaces]
    steps = np.diff(said)
    assert (steps > 0).all()
    assert steps[-1] / np.log(16) == pytest.approx(steps[-2] / np.log(16), rel=0.1)  # a log, so 960 more add as 60 did


def test_texts_do_not_outrank_a_denial_of_the_user() -> None:
    from entvec.graphs import Taxonomy

    mine = Taxonomy.from_edges([], negations=[("bomb", "weapon")])
    with pytest.warns(KnowledgeWarning, match="mine says that bomb is no weapon, everyday says bomb > weapon"):
        denied = default_space().with_knowledge(mine, names=["mine"])
    before = denied.relation("bomb", "weapon").probabilities
    assert denied.with_evidence(rows(bomb=50)).relation("bomb", "weapon").probabilities == before


def test_of_groups_of_people_texts_say_nothing() -> None:
    plain, read = (space.hypernyms("Jew", k=10).words for space in (default_space(), read_space()))
    assert plain == read
    assert read_space().relation("Jew", "merchant").probabilities == pytest.approx(
        default_space().relation("Jew", "merchant").probabilities
    )


def test_answers_of_which_texts_say_nothing_stay_as_they_are() -> None:
    assert read_space().relation("dog", "animal") == default_space().relation("dog", "animal")
    for verb in ("hypernyms", "hyponyms"):
        plain, read = (getattr(space, verb)("vehicle", k=8) for space in (default_space(), read_space()))
        assert plain.words == read.words


def test_reasons_of_explanations_have_both_directions() -> None:
    found = reasoning_of(read_space(), "viol", "violin")
    assert ("text", "against", "one sentence says the reverse: 'Violins and other viols were played.' (book.txt)") in [
        tuple(reason) for reason in found.reasons
    ]
    assert "text" not in [part.source for part in reasoning_of(default_space(), "dog", "cat").parts]


def test_texts_are_the_last_source_of_rankings() -> None:
    assert SOURCES[-1] == "text"


def test_a_long_sentence_is_cut_around_both_words() -> None:
    sentence = f"{'before ' * 40}guitars and other instruments {'after ' * 40}".strip()
    told = [Evidence("guitar", "instrument", "and-other", 1, 1, (Example(sentence, "", 0),))]
    facts = default_space().with_evidence(told).judge.evidence.text
    said = text_reason(facts, "guitar", "instrument")
    assert said is not None
    assert "guitars and other instr" in said
    assert len(said) < SHOWN + 50


def test_a_pair_that_nothing_speaks_of_stays_without_evidence() -> None:
    unread = read_space().with_encoder(None)
    assert unread.relation("theorbo", "horse").situation == "no evidence"
    with pytest.raises(WordsNotFound):
        unread.relation("blorp", "florp")


def test_an_encoder_judges_pairs_that_no_text_has() -> None:
    assert read_space().relation("theorbo", "horse").situation == "new word, encoder"


def test_weights_are_read_and_written(tmp_path) -> None:  # type: ignore[no-untyped-def]
    bundled = TextWeights.bundled()
    bundled.save(tmp_path / "weights.json")
    assert TextWeights.load(tmp_path / "weights.json").weights == bundled.weights
    assert bundled.weights.keys() == CASES.keys()
    (tmp_path / "other.json").write_text('{"version": "text 1", "metadata": {}, "weights": {}}')
    with pytest.raises(RelationFileError, match="no weights of texts"):
        TextWeights.load(tmp_path / "other.json")
