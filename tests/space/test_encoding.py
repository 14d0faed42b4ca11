"""Spaces with an encoder: a text that the vocabulary lacks is read, each distinct one once, with its definition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from encoders import DIMENSION, bag_of_words, encode

from entvec.bundled import encoder, encoder_map, wordnet_knowledge
from entvec.errors import InvalidInput, SpaceFileError, WordNotFound
from entvec.learn.calibration import Calibration
from entvec.learn.fitted import FittedMap
from entvec.space import EntailmentSpace
from entvec.taxonomy import place
from entvec.text import CallableEncoder
from entvec.vectors import Vectors

WORDS = ["shoe", "boot", "chair", "red", "wing_chair"]
PLAIN = FittedMap("backward", np.eye(DIMENSION), -np.ones(DIMENSION), intercept=20.0)


class Counting:
    """Counts the texts that are read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Any:
        self.read += texts
        return encode(texts)


def spaced() -> tuple[EntailmentSpace, list[str]]:
    counting = Counting()
    space = EntailmentSpace.from_encoder(CallableEncoder(counting, "bag of words"), WORDS, map=PLAIN)
    counting.read.clear()
    return space, counting.read


SPACE = spaced()[0]


def test_words_of_the_vocabulary_are_not_read_and_others_are_read_once() -> None:
    space, read = spaced()
    space.score(["shoe", "Red", "wing chair"], "boot")
    assert read == []
    space.score(["red shoe", "shoe", "red shoe", "blue shoe"], ["boot", "red shoe", "chair", "red shoe"])
    assert read == ["red shoe", "blue shoe"]


def test_a_batch_is_as_single_texts() -> None:
    hypo, hyper = ["red shoe", "shoe", "old chair"], ["shoe", "new boot", "chair"]
    batch = SPACE.score(hypo, hyper)
    np.testing.assert_allclose(batch, [SPACE.score(y, x) for y, x in zip(hypo, hyper, strict=True)], rtol=1e-9)
    found = SPACE.hypernyms(hypo, 3)
    for text, matches in zip(hypo, found, strict=True):
        alone = SPACE.hypernyms(text, 3)
        assert (matches.query, matches.words) == (text, alone.words)
        np.testing.assert_allclose(matches.scores, alone.scores, rtol=1e-5)


def test_an_underscore_is_a_space_for_an_encoder() -> None:
    assert SPACE.score("red_shoe", "shoe") == SPACE.score("red shoe", "shoe")


def test_vectors_are_those_of_the_vocabulary_and_else_of_the_encoder() -> None:
    found = SPACE.vectors_of(["shoe", "red shoe"])
    np.testing.assert_allclose(found, encode(["shoe", "red shoe"]), rtol=1e-6)
    told = SPACE.vectors_of("shoe", definition="a red boot")
    np.testing.assert_allclose(told, encode(["shoe: a red boot"])[0], rtol=1e-6)


def test_a_definition_is_read_with_its_word_and_the_word_is_still_no_answer_to_itself() -> None:
    space, read = spaced()
    told = space.hypernyms("shoe", 4, definition="a red boot")
    assert read == ["shoe: a red boot"]
    assert told.query == "shoe"
    assert "shoe" not in told.words
    assert set(told.words) == {"boot", "chair", "red", "wing_chair"}
    batch = space.hypernyms(["shoe", "chair"], 2, definition=["a red boot", None])
    assert batch[0].words == told.words[:2]
    assert batch[1].words == space.hypernyms("chair", 2).words


def test_every_verb_takes_a_definition() -> None:
    plain, told = (SPACE.score("thing", "boot", definition=each) for each in (None, "a boot"))
    assert told > plain
    assert SPACE.probability("thing", "boot", definition="a boot") > SPACE.probability("thing", "boot")
    assert SPACE.verdict("thing", "boot", definition="a boot") in ("yes", "no", "unknown")
    of_both = [SPACE.hyponyms("thing", 2, definition=each).scores for each in (None, "a boot")]
    assert not np.allclose(*of_both)
    found = place("thing", SPACE, definition="a boot", k=2)
    assert found.facts[0].relation == "own"
    assert found.parents.words[0] == "boot"


@pytest.mark.parametrize(
    ("words", "definition", "said"),
    [
        ("shoe", ["a", "b"], "expected one text for one word"),
        (["shoe", "boot"], "a", "expected one for each of several words"),
        (["shoe", "boot"], ["a"], "1 definitions of 2 words"),
        (["shoe", "boot"], ["a", 7], "expected a text or None for each"),
        (np.ones(DIMENSION), "a", "none for vectors"),
    ],
)
def test_definitions_that_do_not_fit_are_refused(words: Any, definition: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        SPACE.hypernyms(words, definition=definition)


def test_without_an_encoder_a_definition_is_refused_and_words_are_missing() -> None:
    space = SPACE.with_encoder(None)
    with pytest.raises(InvalidInput, match="this space has no encoder"):
        space.score("shoe", "boot", definition="a thing")
    with pytest.raises(WordNotFound):
        space.score("red shoe", "boot")


def test_blank_texts_are_missing_or_refused() -> None:
    with pytest.raises(InvalidInput, match="empty word"):
        SPACE.score(" ", "boot")
    with pytest.raises(WordNotFound):
        SPACE.score(["shoe", " "], "boot")
    assert np.isnan(SPACE.score(["shoe", ""], "boot", missing="nan")).tolist() == [False, True]
    assert SPACE.score("shoe", "boot", definition=" ") == SPACE.score("shoe", "boot")


@pytest.mark.parametrize("text", ["👟", "👟 shoe", "x" * 2000, "shoe " * 400, "東京", "\u200b-"], ids=range(6))
def test_odd_texts_have_vectors_of_the_bundled_encoders(text: str) -> None:
    for name in ("small", "static"):
        space = EntailmentSpace.from_encoder(encoder(name), ["shoe", "city"], map=encoder_map(name))
        assert np.isfinite(space.score(text, "shoe"))
        assert np.isfinite(space.score("thing", "shoe", definition=text))
        assert len(space.hypernyms(text, 2)) == 2


def test_terms_are_added_and_found_and_saved(tmp_path: Path) -> None:
    more = SPACE.with_terms(["red shoe", "Shoe", "armchair"], definitions={"armchair": "a soft chair"})
    assert list(more.vocabulary.words) == [*WORDS, "red shoe", "armchair"]
    np.testing.assert_allclose(more.vectors_of("armchair"), encode(["armchair: a soft chair"])[0], rtol=1e-6)
    assert "armchair" in more.hyponyms("chair", 6).words
    more.save(tmp_path / "space")
    assert "red shoe" in EntailmentSpace.load(tmp_path / "space")
    with pytest.raises(InvalidInput, match="no encoder"):
        SPACE.with_encoder(None).with_terms(["desk"])


def test_a_taxonomy_of_phrases_is_audited_with_its_definitions() -> None:
    from encoders import shop

    from entvec.taxonomy import audit

    mine = shop()
    space = SPACE.with_terms(mine.terms, definitions=mine.definitions)
    assert audit(mine, space).without_vector == ()


# Identity


def test_a_saved_space_opens_its_encoder_by_name(tmp_path: Path) -> None:
    made = EntailmentSpace.from_encoder(encoder("static"), ["shoe", "disease"], map=encoder_map("static"))
    made.save(tmp_path / "space")
    again = EntailmentSpace.load(tmp_path / "space")
    assert repr(again.encoder) == "StoredEncoder('entvec-static')"
    assert again.hypernyms("running shoes", 1).words == ["shoe"]
    assert again.score("running shoes", "shoe") == pytest.approx(made.score("running shoes", "shoe"))
    again.save(tmp_path / "copy")
    assert EntailmentSpace.load(tmp_path / "copy").hypernyms("flu", 1).words == ["disease"]


def test_a_function_is_given_when_a_space_is_loaded_and_another_one_is_refused(tmp_path: Path) -> None:
    SPACE.save(tmp_path / "space")
    again = EntailmentSpace.load(tmp_path / "space")
    assert again.score("shoe", "boot") == pytest.approx(SPACE.score("shoe", "boot"))  # needs no encoder
    with pytest.raises(InvalidInput, match=r"'bag of words' cannot be opened by its name.*encoder=\.\.\."):
        again.score("red shoe", "boot")
    mine = EntailmentSpace.load(tmp_path / "space", encoder=bag_of_words())
    assert mine.score("red shoe", "boot") == pytest.approx(SPACE.score("red shoe", "boot"))
    other = CallableEncoder(lambda texts: encode(texts) + 0.1, "another")
    with pytest.raises(InvalidInput, match="made with the encoder 'bag of words', and 'another' gives other vectors"):
        EntailmentSpace.load(tmp_path / "space", encoder=other)


def test_an_encoder_that_has_changed_under_its_name_is_refused(tmp_path: Path) -> None:
    made = EntailmentSpace.from_encoder(encoder("static"), ["shoe"], map=encoder_map("static"))
    changed = made.with_encoder(None)
    changed = EntailmentSpace.from_vectors(changed.vectors, interpretation="log_odds").with_encoder(
        CallableEncoder(lambda texts: encoder("static")(texts) * 1.01, "static")
    )
    changed.save(tmp_path / "space")
    with pytest.raises(InvalidInput, match="gives other vectors"):
        EntailmentSpace.load(tmp_path / "space").score("running shoes", "shoe")


def test_a_map_of_another_encoder_is_refused() -> None:
    with pytest.raises(InvalidInput, match="made with the encoder 'entvec-small'"):
        EntailmentSpace.from_vectors(
            Vectors(["shoe"], encoder("small")(["shoe"])), map=encoder_map("small")
        ).with_encoder(encoder("static"))
    with pytest.raises(InvalidInput, match="vectors of 192 numbers, expected 24"):
        SPACE.with_encoder(None).with_encoder(encoder("static"))


@pytest.mark.parametrize("entry", [{}, {"name": "small"}, {"name": 1, "dimension": 2, "fingerprint": ""}, "small"])
def test_a_damaged_identity_is_an_error(tmp_path: Path, entry: Any) -> None:
    SPACE.save(tmp_path / "space")
    path = tmp_path / "space" / "config.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"encoder": entry}))
    with pytest.raises(SpaceFileError, match="encoder"):
        EntailmentSpace.load(tmp_path / "space")


def test_copies_keep_the_encoder() -> None:
    for copy in (
        SPACE.with_calibration(Calibration.platt(1.0, 2.0)),
        SPACE.with_specificity(0.5),
        SPACE.with_knowledge(wordnet_knowledge()),
        SPACE.with_dtype("float16"),
        SPACE.in_memory(),
    ):
        assert copy.encoder is SPACE.encoder
        assert np.isfinite(copy.score("red shoe", "shoe"))
    assert "encoder bag of words" in repr(SPACE)


# Beside what is known


@pytest.fixture(scope="module")
def known() -> EntailmentSpace:
    terms = ["shoe", "disease", "dog", "animal", "vehicle"]
    space = EntailmentSpace.from_encoder(encoder("small"), terms, map=encoder_map("small"))
    return space.with_knowledge(wordnet_knowledge())


def test_relations_of_texts_weigh_facts_and_what_the_encoder_reads(known: EntailmentSpace) -> None:
    assert known.relation("poodle", "dog").situation == "both known"
    new = known.relation("trail running shoe", "shoe")
    assert new.situation == "new word"
    entails = [known.probability("trail running shoe", word) for word in ("shoe", "disease")]
    assert entails[0] > 2 * entails[1]
    told = known.relation("wug", "dog", definition="a dog of a small breed")
    assert (told.first, told.situation) == ("wug", "new word")
    plain = known.relation("wug", "dog")
    assert told.probabilities["narrower"] > plain.probabilities["narrower"]


def test_a_batch_of_relations_has_the_names_that_were_asked_for(known: EntailmentSpace) -> None:
    found = known.relation(["wug", "poodle"], "dog", definition=["a dog of a small breed", None])
    assert list(found.first) == ["wug", "poodle"]
    assert found.relations[1] == "narrower"
    probabilities = known.probability(["wug", "poodle"], "dog", definition=["a dog of a small breed", None])
    assert probabilities.shape == (2,)
    assert probabilities[1] > 0.7


def test_rankings_rest_on_the_vectors(known: EntailmentSpace) -> None:
    assert not known.adds_evidence
    assert known.hypernyms("gestational diabetes", 1).words == ["disease"]
