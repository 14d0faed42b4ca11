"""One call makes a space of any encoder: it learns, measures on held-out terms, and reads new phrases."""

from __future__ import annotations

from pathlib import Path

import pytest
from encoders import bag_of_words, shop

from entvec.bundled import encoder, wordnet_knowledge
from entvec.errors import InvalidInput
from entvec.graphs import Taxonomy
from entvec.space import EncoderFit, EntailmentSpace, fit_encoder


@pytest.fixture(scope="module")
def fit() -> EncoderFit:
    return fit_encoder(bag_of_words(), shop(), steps=1200, hold_out=12)


def test_a_new_phrase_finds_its_kind(fit: EncoderFit) -> None:
    assert fit.space.hypernyms("crimson chair", 1).words == ["chair"]
    assert fit.space.probability("crimson chair", "chair") > fit.space.probability("crimson chair", "shoe")
    assert fit.space.probability("crimson chair", "chair") > fit.space.probability("chair", "crimson chair")


def test_it_is_measured_on_held_out_terms(fit: EncoderFit) -> None:
    names = [measure.name for measure in fit.measures]
    assert names == ["specific MRR", "50% Acc", "Dir Acc"]
    assert fit.measures[0].mean > 0.7
    assert all(measure.low <= measure.mean <= measure.high for measure in fit.measures)
    assert (fit.measures[0].n, fit.n_held) == (12, 12)
    assert str(fit).startswith("learned from ")
    assert not fit.learned_before


def test_the_space_tells_what_it_was_made_of_and_is_saved_with_it(fit: EncoderFit, tmp_path: Path) -> None:
    fit.space.save(tmp_path / "shop")
    again = EntailmentSpace.load(tmp_path / "shop", encoder=bag_of_words())
    assert again.map is not None
    assert again.map.metadata["encoder"] == "bag of words"
    assert again.map.metadata["knowledge"] == "your taxonomy"
    assert len(again.map.metadata["held_out"].split("\n")) == 12
    assert again.hypernyms("crimson chair", 1).words == ["chair"]
    assert "red_shoe" in again  # all terms of a taxonomy can be found
    assert again.hyponyms("shoe", 3).query == "shoe"


def test_words_of_your_own_are_held_out_with_their_spellings() -> None:
    fit = fit_encoder(bag_of_words(), shop(), steps=5, hold_out=["Red Shoe", "blue-coat", "unicorn"])
    assert fit.n_held == 2
    assert fit.measures[0].n == 2


def test_nothing_held_out_is_not_measured_and_has_probabilities() -> None:
    fit = fit_encoder(bag_of_words(), shop(), steps=1200, hold_out=0)
    assert (fit.measures, fit.n_held) == ((), 0)
    assert 0.5 < fit.space.probability("red shoe", "shoe") <= 1
    assert fit.space.probability("shoe", "red shoe") < fit.space.probability("red shoe", "shoe") - 0.2


def test_the_words_to_find_can_be_chosen() -> None:
    fit = fit_encoder(bag_of_words(), shop(), steps=5, hold_out=0, terms=["shoe", "desk"])
    assert list(fit.space.vocabulary.words) == ["shoe", "desk"]


def test_stages_are_told_in_order_and_what_is_raised_ends_the_work() -> None:
    told: list[tuple[str, float]] = []
    fit_encoder(bag_of_words(), shop(), steps=3, progress=lambda stage, part: told.append((stage, part)))
    assert [part for _, part in told] == sorted(part for _, part in told)
    assert list(dict.fromkeys(stage for stage, _ in told)) == [
        "reading what is known", "encoding", "fitting", "measuring", "done",
    ]  # fmt: skip

    def stop(stage: str, _: float) -> None:
        if stage == "fitting":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_encoder(bag_of_words(), shop(), progress=stop)


def test_a_trained_encoder_begins_with_its_own_heads() -> None:
    mine = Taxonomy.from_edges([("hoodie", "garment"), ("clog", "shoe"), ("gout", "disease"), ("parka", "garment")])
    fit = fit_encoder(encoder("static"), mine, steps=3, hold_out=0)
    assert fit.learned_before
    assert fit.space.hypernyms("diabetes", 1).words == ["disease"]


@pytest.mark.slow
def test_wordnet_and_a_taxonomy_are_learned_together() -> None:
    mine = Taxonomy.from_edges([("hoodie", "garment"), ("zip hoodie", "hoodie")])
    fit = fit_encoder(encoder("static"), wordnet_knowledge(), mine, steps=20, definitions=100, hold_out=200)
    assert fit.n_terms > 100_000
    assert {"hoodie", "zip_hoodie", "garment"} <= set(fit.space.vocabulary.words)
    assert fit.measures[0].mean > 0.4


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidInput, match="hold_out is -1"):
        fit_encoder(bag_of_words(), shop(), hold_out=-1)
    with pytest.raises(InvalidInput, match="nothing to learn from"):
        fit_encoder(bag_of_words(), None)
