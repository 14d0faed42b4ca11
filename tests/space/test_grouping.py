"""Each word in one form only: which forms are one word, and what is shown of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.bundled import google_news
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.space.grouping import form
from entvec.vectors import Vectors

ONE_WORD = [
    ("dog", "dogs", "Dog", "DOGS"),
    ("instrument", "instruments", "Instruments"),
    ("musical_instrument", "Musical_Instruments"),
    ("pony", "ponies"),
    ("tie", "ties"),
    ("movie", "movies", "Movie"),
    ("zombie", "zombies"),
    ("calorie", "calories"),
    ("glass", "glasses"),
    ("brush", "brushes"),
    ("church", "churches"),
    ("box", "boxes"),
    ("ax", "axes"),
    ("hero", "heroes"),
    ("toe", "toes"),
    ("shoe", "shoes"),
    ("bus", "buses"),
    ("virus",),
    ("analysis", "analyses"),
    ("man", "men"),
    ("woman", "women"),
    ("policewoman", "policewomen"),
    ("postman", "Postmen"),
    ("young_man", "young_men"),
    ("child", "children"),
    ("person", "people"),
    ("wolf", "wolves"),
    ("knife", "knives"),
    ("mouse", "mice"),
    ("species",),
    ("series",),
    ("specimen", "specimens"),
    ("omen", "omens"),
    ("regimen", "regimens"),
    ("lens", "lenses"),
    ("gas", "gases"),
    ("news",),
    ("new",),
    ("len",),
    ("oman",),
    ("bus_station",),
    ("as",),
    ("a",),
    ("élève", "Élèves"),
]


@pytest.mark.parametrize("words", ONE_WORD, ids=lambda words: words[0])
def test_inflected_forms_are_one_word(words: tuple[str, ...]) -> None:
    assert len({form(word) for word in words}) == 1


def test_different_words_are_not_one() -> None:
    assert len({form(words[0]) for words in ONE_WORD}) == len(ONE_WORD)


@given(st.text(max_size=12))
def test_any_text_has_a_form(word: str) -> None:
    assert form(word) == form(word.lower())
    assert form(word)[:1] == word.lower()[:1]


# In a search: the nearer to 1, the better the word

TABLE = {
    "dog": 0.5, "dogs": 1.0, "animal": 0.9, "pets": 0.8, "Animals": 0.7, "pet": 0.6, "animals": 0.4, "Dogs": 0.3,
    "thing": 0.2, "Pets": 0.1, "things": 0.0,
}  # fmt: skip


def space(table: dict[str, float] = TABLE) -> EntailmentSpace:
    matrix = np.array(list(table.values()))[:, None]
    return EntailmentSpace.from_vectors(
        Vectors(table, matrix), interpretation="log_odds", operator="dot", specificity=0
    )


def test_a_word_is_listed_once_with_its_variants() -> None:
    found = space().hypernyms([1.0], k=4, group=True)
    assert found.words == ["dogs", "animal", "pets", "thing"]
    assert found.variants == (("dog", "Dogs"), ("Animals", "animals"), ("pet", "Pets"), ("things",))
    assert found[1].variants == ("Animals", "animals")
    assert found.scores.tolist() == pytest.approx([1.0, 0.9, 0.8, 0.2])


@pytest.mark.parametrize("query", ["dog", "dogs", "Dogs", "DOG"])
def test_variants_of_the_query_are_left_out_with_it(query: str) -> None:
    assert space().hypernyms(query, k=9, group=True).words == ["animal", "pets", "thing"]
    kept = space().hypernyms(query, k=9, group=True, exclude_self=False)
    assert kept.words == ["dogs", "animal", "pets", "thing"]
    assert kept.variants[0] == ("dog", "Dogs")


def test_without_grouping_variants_are_words_like_others() -> None:
    found = space().hypernyms("dog", k=3)
    assert found.words == ["dogs", "animal", "pets"]
    assert found.variants == ()


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 9])
def test_as_many_groups_are_found_as_are_wanted(k: int) -> None:
    found = space().hypernyms([1.0], k=k, group=True)
    assert found.words == ["dogs", "animal", "pets", "thing"][:k]
    assert len(found.variants) == len(found)


def test_among_many_forms_of_few_words_others_are_looked_for_further_down() -> None:
    def spellings(word: str) -> list[str]:
        return [
            "".join(c.upper() if bits >> i & 1 else c for i, c in enumerate(word)) for bits in range(2 ** len(word))
        ]

    words = [*spellings("animal"), *spellings("pet"), "stone", "unk"]
    found = space({word: -float(i) for i, word in enumerate(words)}).hypernyms([1.0], k=3, group=True)
    assert found.words == ["animal", "pet", "stone"]
    assert [len(each) for each in found.variants][1:] == [7, 0]


def test_a_batch_is_grouped_query_by_query() -> None:
    batch = space().hypernyms(["dog", "animals", "thing"], k=2, group=True)
    assert batch.words == [["animal", "pets"], ["dogs", "pets"], ["dogs", "animal"]]
    for word, many in zip(["dog", "animals", "thing"], batch, strict=True):
        one = space().hypernyms(word, k=2, group=True)
        assert (one.words, one.variants) == (many.words, many.variants)


def test_variants_do_not_depend_on_the_other_queries() -> None:
    table = {f"{'Aa'[i % 2]}{'Nn'[i // 2 % 2]}{'Tt'[i // 4 % 2]}{'Ee'[i // 8]}": -0.1 * i for i in range(16)}
    asked = space({**table, "bee": -3.0, "bees": -4.0})
    assert len(asked.hypernyms([1.0], k=2, group=True).variants[0]) == 15
    alone = asked.hypernyms([-1.0], k=2, group=True)
    together = asked.hypernyms([[1.0], [-1.0]], k=2, group=True)
    assert alone.words == together[1].words
    assert alone.variants == together[1].variants


def test_words_to_choose_from_are_grouped_too() -> None:
    found = space().hypernyms("dog", among=["Dogs", "animals", "Animals", "thing"], group=True)
    assert found.words == ["Animals", "thing"]
    assert found.variants == (("animals",), ())


def test_probabilities_and_scores_stay_with_their_words() -> None:
    calibrated = space().with_calibration(Calibration.platt(2.0, -1.0))
    found = calibrated.hypernyms("dog", k=9, group=True)
    assert found.words == ["animal", "pets", "thing"]
    np.testing.assert_allclose(found.probabilities, calibrated.probability("dog", found.words), rtol=1e-5)
    np.testing.assert_allclose(found.scores, calibrated.score("dog", found.words), rtol=1e-5)


def test_real_words_are_grouped() -> None:
    vectors = google_news().head(3000)
    found = EntailmentSpace.from_vectors(vectors).hypernyms(list(vectors)[500:520], k=10, group=True)
    for matches in found:
        forms = [form(word) for word in matches.words]
        assert len(set(forms)) == len(matches) == 10
        assert form(str(matches.query)) not in forms
        assert all(form(other) == form(match.word) for match in matches for other in match.variants)
