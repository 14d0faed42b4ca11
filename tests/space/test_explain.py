"""An explanation takes the score of a pair apart, and its parts add up."""

import json
from typing import Any

import numpy as np
import pytest

from entvec.bundled import toy_world
from entvec.errors import InvalidInput, WordNotFound
from entvec.learn import FittedMap
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.space.explain import Explanation
from entvec.theory import INTERPRETATIONS, OPERATORS
from entvec.vectors import Vectors

WORLD = toy_world()
TOY = Vectors(WORLD.words, WORLD.log_odds())
RANDOM = np.random.default_rng(2)
VECTORS = Vectors([f"word{i}" for i in range(50)], RANDOM.normal(size=(50, 5)))
PARTS: list[Any] = [RANDOM.normal(size=shape) for shape in ((5, 3), 3, (5, 3), 3, 6, 6, 6)]
SHARED = [operator for operator in OPERATORS if operator != "weighted_cosine"]


def toy_space(**options: Any) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(TOY, **{"interpretation": "log_odds", **options})


def spaces() -> dict[str, EntailmentSpace]:
    read = {
        f"{name} {operator}": EntailmentSpace.from_vectors(VECTORS, interpretation=name, operator=operator)
        for name in INTERPRETATIONS
        for operator in SHARED
    }
    learned = {
        f"map, {operator}": EntailmentSpace.from_vectors(VECTORS, map=FittedMap(operator, *PARTS))
        for operator in ("backward", "forward", "factorised", "difference")
    }
    return read | learned


SPACES = spaces()


def total(found: Explanation) -> float:
    gains = [row.gain for row in (*found.carrying, *found.breaking)]
    return found.average + sum(gains) + found.rest + found.offset


@pytest.mark.parametrize("k", [0, 1, 3, 100])
@pytest.mark.parametrize("name", SPACES)
def test_the_parts_add_up_to_the_score(name: str, k: int) -> None:
    space = SPACES[name]
    for hypo, hyper in (("word1", "word2"), ("word2", "word1"), (VECTORS["word3"] * 2.0, "word4")):
        found = space.explain(hypo, hyper, k=k)
        assert found.score == pytest.approx(space.score(hypo, hyper), abs=1e-9)
        assert total(found) == pytest.approx(found.score, abs=1e-9)
        assert len(found.carrying) <= k >= len(found.breaking)
        if k == 100:
            assert found.rest == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", SPACES)
def test_dimensions_that_carry_gain_and_those_that_break_lose(name: str) -> None:
    found = SPACES[name].explain("word1", "word2", k=100)
    carried, broken = ([row.gain for row in rows] for rows in (found.carrying, found.breaking))
    assert carried == sorted(carried, reverse=True)
    assert broken == sorted(broken)
    assert all(gain > 0 for gain in carried)
    assert all(gain < 0 for gain in broken)
    numbers = [row.number for row in (*found.carrying, *found.breaking)]
    assert len(numbers) == len(set(numbers))
    few = SPACES[name].explain("word1", "word2", k=2)
    assert few.carrying == found.carrying[:2]
    assert few.breaking == found.breaking[:2]


@pytest.mark.parametrize("name", SPACES)
def test_the_average_is_that_of_all_words(name: str) -> None:
    space = SPACES[name]
    found = space.explain("word1", "word2")
    learned = space.map
    offset = 0.0 if learned is None else learned.offset("hypo_offset", VECTORS.matrix).mean()
    assert found.average == pytest.approx(space.score(list(VECTORS), "word2").mean(), abs=1e-5)
    own = 0.0 if learned is None else learned.offset("hypo_offset", VECTORS["word1"][None])[0]
    assert found.offset == pytest.approx(own - offset, abs=1e-6)


def test_the_toy_world_explains_itself() -> None:
    found = toy_space().explain("dog", "poodle", k=1)
    (carried,), (broken,) = found.carrying, found.breaking
    assert WORLD.features[carried.number] == "barks"  # which most things are not known to do
    assert (carried.hypo, carried.hyper) == (4.0, 4.0)
    assert carried.words[:2] == ("dog", "poodle")
    assert WORLD.features[broken.number] == "curly"  # which is not known of dogs
    assert (broken.hypo, broken.hyper) == (-4.0, 4.0)
    assert broken.words[0] == "poodle"
    assert (found.hypo, found.hyper) == ("dog", "poodle")


def test_words_that_show_a_dimension_are_extreme_on_it() -> None:
    space = EntailmentSpace.from_vectors(VECTORS, interpretation="log_odds", operator="dot")
    found = space.explain("word1", "word2", k=5)
    for row in (*found.carrying, *found.breaking):
        best = np.argsort(-VECTORS.matrix[:, row.number], kind="stable")[:5]
        assert row.words == tuple(f"word{i}" for i in best)
    mapped = SPACES["map, backward"].explain("word1", "word2", k=5)
    assert mapped.carrying
    for row in mapped.carrying:
        as_hypers = VECTORS.matrix @ PARTS[2][:, row.number]
        assert row.words == tuple(f"word{i}" for i in np.argsort(-as_hypers, kind="stable")[:5])


def test_words_are_looked_for_in_the_whole_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    space = EntailmentSpace.from_vectors(VECTORS)
    expected = space.explain("word1", "word2")
    monkeypatch.setattr("entvec.vectors.vectors.ROW_BYTES_AT_ONCE", 4 * 5 * 7)  # seven rows at a time
    assert space.explain("word1", "word2").to_dict() == expected.to_dict()


def test_a_calibrated_space_tells_the_probability() -> None:
    space = toy_space().with_calibration(Calibration.platt(2.0, 1.0))
    assert toy_space().explain("dog", "animal").probability is None
    assert space.explain("dog", "animal").probability == pytest.approx(space.probability("dog", "animal"))


def test_an_explanation_is_plain_enough_for_json() -> None:
    found = SPACES["map, backward"].explain("word1", "word2", k=2)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["hypo"] == "word1"
    assert told["carrying"][0]["words"] == list(found.carrying[0].words)
    assert told["carrying"][0]["gain"] == found.carrying[0].gain
    assert told["average"] + told["rest"] + told["offset"] + sum(
        row["gain"] for side in ("carrying", "breaking") for row in told[side]
    ) == pytest.approx(told["score"])


def test_what_is_printed_adds_up() -> None:
    found = SPACES["map, backward"].explain("word1", "word2", k=2)
    lines = str(found).splitlines()
    assert lines[0].startswith("word1 -> word2: score ")
    gains = [float(line.split()[0]) for line in lines if line.startswith("  ")]
    assert found.average + sum(gains) == pytest.approx(found.score, abs=0.005 * (len(gains) + 2))
    assert "offset" not in str(toy_space().explain("dog", "animal"))


def test_a_vector_has_no_name_to_print() -> None:
    text = str(toy_space().explain(TOY["dog"], "animal"))
    assert text.startswith("vector -> animal: score ")
    assert "None" not in text


def test_a_space_of_one_word_explains_it() -> None:
    space = EntailmentSpace.from_vectors(Vectors(["a"], [[1.0, 2.0]]))
    found = space.explain("a", "a")
    assert (found.carrying, found.breaking) == ((), ())
    assert found.score == pytest.approx(found.average)


def test_what_cannot_be_explained_is_told() -> None:
    with pytest.raises(InvalidInput, match="weighted_cosine weighs each dimension by all the others"):
        toy_space(operator="weighted_cosine").explain("dog", "animal")
    with pytest.raises(InvalidInput, match="several words or vectors, expected one hypo and one hyper to explain"):
        toy_space().explain(["dog", "cat"], "animal")
    with pytest.raises(InvalidInput, match="several words"):
        toy_space().explain("dog", TOY.matrix)
    with pytest.raises(WordNotFound, match="did you mean 'dog'"):
        toy_space().explain("dgo", "animal")
    with pytest.raises(InvalidInput, match="there are no words in this space"):
        EntailmentSpace.from_vectors(Vectors([], np.empty((0, 2)))).explain([1.0, 2.0], [3.0, 4.0])


@pytest.mark.parametrize("k", [-1, 1.5, True, None])
def test_a_number_of_dimensions_that_is_none_is_told(k: Any) -> None:
    with pytest.raises(InvalidInput, match=r"k is .*, expected a whole number, 0 or more"):
        toy_space().explain("dog", "animal", k=k)


@pytest.mark.parametrize("name", SPACES)
def test_the_strip_has_all_dimensions_and_agrees_with_those_that_are_told(name: str) -> None:
    found = SPACES[name].explain("word1", "word2", k=100)
    assert found.strip.gain.sum() == pytest.approx(found.score - found.average - found.offset, abs=1e-9)
    for row in (*found.carrying, *found.breaking):
        shown = (column[row.number] for column in found.strip)
        assert (row.gain, row.hypo, row.hyper) == tuple(shown)
    assert "strip" not in found.to_dict()


@pytest.mark.parametrize("name", SPACES)
def test_the_operator_of_the_space_has_its_own_score_among_those_compared(name: str) -> None:
    space = SPACES[name]
    rows = {row.operator: row for row in space.compare("word1", "word2")}
    assert list(rows) == list(OPERATORS)
    own = rows[space.operator]
    assert own.score == pytest.approx(space.score("word1", "word2"))
    assert own.reversed_score == pytest.approx(space.score("word2", "word1"))
    others = space.score(list(space.vectors), "word2")
    assert own.beats == np.mean(others < own.score - 1e-5)


def test_operators_are_compared_by_how_many_words_a_pair_beats() -> None:
    rows = {row.operator: row for row in toy_space().compare("poodle", "animal")}
    for operator in ("forward", "backward", "factorised"):
        assert rows[operator].beats > rows[operator].reversed_beats
    assert rows["dot"].score == rows["dot"].reversed_score  # similarity is blind to direction
    assert all(0 <= row.beats < 1 for row in rows.values())
    with pytest.raises(WordNotFound):
        toy_space().compare("poodle", "qqqq")
