"""The space: scores, rankings and answers are those of the operator, whatever makes them fast."""

import pickle
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from entvec.bundled import google_news, toy_world
from entvec.errors import InvalidInput, MapFileError, WordNotFound
from entvec.learn import EntailmentMap, FittedMap
from entvec.learn.calibration import Calibration
from entvec.search.key_table import KeyTable
from entvec.search.request import Request
from entvec.space import BatchMatches, EntailmentSpace, Matches
from entvec.theory import INTERPRETATIONS, OPERATORS
from entvec.vectors import Vectors

Floats = NDArray[np.float64]
Side = Literal["hypo", "hyper"]

WORLD = toy_world()
TOY = Vectors(WORLD.words, WORLD.log_odds())
RANDOM = np.random.default_rng(5)
WORDS = [f"word{i}" for i in range(80)]
TABLE = RANDOM.normal(size=(80, 6))
TABLE[40:44] = TABLE[3]  # equal vectors have equal scores
TABLE[50] = 0.0
VECTORS = Vectors(WORDS, TABLE)
QUERY = RANDOM.normal(size=6)


def random_map(operator: str, *, two_sides: bool = False, offsets: bool = False, generality: bool = False) -> FittedMap:
    random = np.random.default_rng(11)

    def part(*shape: int, there: bool = True) -> Floats | None:
        return random.normal(size=shape) / 2 if there else None

    return FittedMap(
        operator,
        random.normal(size=(6, 4)) / 2,
        random.normal(size=4),
        part(6, 4, there=two_sides),
        part(4, there=two_sides),
        part(7, there=offsets),
        part(7, there=offsets),
        part(7, there=generality),
        scale=0.5,
        intercept=1.5,
    )


MAPS = {
    "one side": random_map("backward"),
    "two sides": random_map("forward", two_sides=True),
    "offsets": random_map("backward", offsets=True),
    "two sides, offsets": random_map("difference", two_sides=True, offsets=True),
    "two sides, offsets, generality": random_map("backward", two_sides=True, offsets=True, generality=True),
    "factorised": random_map("factorised", two_sides=True, offsets=True),
    "factorised, generality": random_map("factorised", generality=True),
}
READINGS: dict[str, dict[str, Any]] = {
    **{f"{name} {operator}": {"interpretation": name, "operator": operator}
       for operator in OPERATORS for name in INTERPRETATIONS},
    **{f"map, {name}": {"map": learned} for name, learned in MAPS.items()},
}  # fmt: skip
every_reading = pytest.mark.parametrize("name", READINGS)


def space_of(name: str, **options: Any) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(VECTORS, **READINGS[name], **options)


def toy_space(**options: Any) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(TOY, **{"interpretation": "log_odds", "specificity": 0.0, **options})


# By the definitions alone


def affine(function: Any, vectors: Floats) -> Any:
    return 0.0 if function is None else vectors @ function[:-1] + function[-1]


def defined_scores(name: str, hypo: Floats, hyper: Floats) -> Floats:
    """The scores of all pairs, a row for each hypo, from the operator's own score."""
    how = READINGS[name]
    learned: FittedMap | None = how.get("map")
    if learned is None:
        read = INTERPRETATIONS[how["interpretation"]]
        return np.asarray(OPERATORS[how["operator"]].score(read(hypo)[:, None], read(hyper)[None]))
    weights = learned.hypo_weights if learned.hyper_weights is None else learned.hyper_weights
    bias = learned.hypo_bias if learned.hyper_bias is None else learned.hyper_bias
    y, x = hypo @ learned.hypo_weights + learned.hypo_bias, hyper @ weights + bias
    scores = OPERATORS[learned.operator].score(y[:, None], x[None])
    return np.asarray(
        scores + np.reshape(affine(learned.hypo_offset, hypo), (-1, 1)) + affine(learned.hyper_offset, hyper)
    )


def defined_hubness(name: str, side: Side) -> Floats:
    """How much easier all pairs with a word are than those with others, up to what all words have in common."""
    learned: FittedMap | None = READINGS[name].get("map")
    if side == "hyper" and learned is not None and learned.generality is not None:
        return np.asarray(affine(learned.generality, TABLE))
    scores = defined_scores(name, TABLE, TABLE)
    return np.asarray(scores.mean(axis=0 if side == "hyper" else 1))


def search(space: EntailmentSpace, side: Side) -> Callable[..., Any]:
    """What finds words of this side."""
    return space.hypernyms if side == "hyper" else space.hyponyms


def check_ranking(found: Matches, expected: Floats, *, tolerance: float = 1e-4) -> None:
    """The words found are the best by these numbers, in order; nearly equal ones in any order."""
    here = expected[found.indices]
    common = np.mean(here - found.order)  # what all words have in common changes no ranking
    np.testing.assert_allclose(found.order + common, here, atol=tolerance)
    np.testing.assert_allclose(here, np.sort(expected)[::-1][: len(here)], atol=tolerance)


def tolerance_of(name: str, specificity: float) -> float:
    """What low-rank maps err by is settled in scores, not in the means of them that specificity takes off."""
    return 0.02 * specificity if "factorised" in name and specificity else 1e-4


def has_specificity(name: str) -> bool:
    return "weighted_cosine" not in name


@every_reading
@pytest.mark.parametrize("side", ["hypo", "hyper"])
@pytest.mark.parametrize("asked", ["word", "vector"])
def test_rankings_are_those_of_the_operator(name: str, side: Side, asked: str) -> None:
    space = space_of(name)
    vector = TABLE[7] if asked == "word" else QUERY
    query = WORDS[7] if asked == "word" else QUERY
    scores = defined_scores(name, *((vector[None], TABLE) if side == "hyper" else (TABLE, vector[None]))).ravel()
    hubness = defined_hubness(name, side)
    for specificity in (0.0, 1.5) if has_specificity(name) else (0.0,):
        found = search(space, side)(query, k=80, specificity=specificity, exclude_self=False)
        assert sorted(found.indices) == list(range(80))
        check_ranking(found, scores - specificity * hubness, tolerance=tolerance_of(name, specificity))
        np.testing.assert_allclose(found.scores, scores[found.indices], atol=1e-4)
        few = search(space, side)(query, k=5, specificity=specificity, exclude_self=False)
        np.testing.assert_array_equal(few.indices, found.indices[:5])
        np.testing.assert_allclose(few.order, found.order[:5], rtol=1e-12)  # products of few rows round differently


@every_reading
def test_scores_are_those_of_the_operator(name: str) -> None:
    space = space_of(name)
    expected = defined_scores(name, TABLE[:3], TABLE[1:4])
    assert space.score("word0", "word1") == pytest.approx(expected[0, 0], abs=1e-9)
    np.testing.assert_allclose(space.score(WORDS[:3], WORDS[1:4]), np.diag(expected), atol=1e-5)
    np.testing.assert_allclose(space.score(TABLE[:3], TABLE[1:4]), np.diag(expected), atol=1e-9)
    np.testing.assert_allclose(space.score(WORDS[:3], TABLE[1:4]), np.diag(expected), atol=1e-5)
    np.testing.assert_allclose(space.score("word0", WORDS[1:4]), expected[0], atol=1e-5)
    np.testing.assert_allclose(space.score(WORDS[:3], TABLE[1]), expected[:, 0], atol=1e-5)
    np.testing.assert_allclose(space.score(TABLE[0], TABLE[1:2]), expected[0, :1], atol=1e-9)


BLIND = ("dot", "cosine", "weighted_cosine", "dup factorised", "dup difference")
"""These see no direction, or hardly any: what is known to be true of one is known to be false of its mirror image."""


@pytest.mark.parametrize(
    "name", [name for name in READINGS if not name.endswith(BLIND) or name == "unk_dup factorised"]
)
def test_swapped_pairs_have_other_scores(name: str) -> None:
    space = space_of(name)
    there, back = space.score(WORDS[:9], WORDS[9:18]), space.score(WORDS[9:18], WORDS[:9])
    assert (np.abs(there - back) > 1e-3).all()


@every_reading
@pytest.mark.parametrize("side", ["hypo", "hyper"])
def test_a_batch_is_a_loop_of_singles(name: str, side: Side) -> None:
    space = space_of(name)
    batch = search(space, side)(WORDS[:20], k=6)
    assert isinstance(batch, BatchMatches)
    for word, many in zip(WORDS[:20], batch, strict=True):
        one = search(space, side)(word, k=6)
        assert (one.query, one.words) == (many.query, many.words)
        if space.map is None:
            np.testing.assert_array_equal(one.scores, many.scores)
            np.testing.assert_array_equal(one.order, many.order)
        else:  # a product with the weights is rounded otherwise for one vector than for many
            np.testing.assert_allclose(one.scores, many.scores, rtol=1e-12)


@every_reading
@pytest.mark.parametrize("side", ["hypo", "hyper"])
def test_among_some_words_the_ranking_is_the_same(name: str, side: Side) -> None:
    space = space_of(name)
    some = [WORDS[row] for row in (60, 3, 41, 7, 50, 3)]
    everywhere = search(space, side)(QUERY, k=80)
    among = search(space, side)(QUERY, k=80, among=some)
    assert among.words == [word for word in everywhere.words if word in some]
    assert (
        search(space, side)("word7", k=2, among=some).words == search(space, side)("word7", k=80, among=some).words[:2]
    )


@every_reading
def test_of_equal_words_the_first_comes_first(name: str) -> None:
    equal = ["word3", "word40", "word41", "word42", "word43"]
    found = space_of(name).hypernyms(QUERY, k=80)
    assert [word for word in found.words if word in equal] == equal


@every_reading
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_keys_of_other_numbers_rank_nearly_the_same(name: str, dtype: str) -> None:
    space = space_of(name, dtype=dtype)
    scores = defined_scores(name, QUERY[None], TABLE).ravel()
    expected = scores - space.specificity.hypernyms * defined_hubness(name, "hyper")
    tolerance = {"float16": 2e-2, "bfloat16": 2e-1, "float64": tolerance_of(name, space.specificity.hypernyms)}[dtype]
    check_ranking(space.hypernyms(QUERY, k=80), expected, tolerance=tolerance)
    check_ranking(space.hypernyms(QUERY, k=9), expected, tolerance=tolerance)


def test_keys_of_float64_have_all_their_digits() -> None:
    space = EntailmentSpace.from_vectors(VECTORS, dtype="float64")
    found = space.hypernyms(QUERY, k=80, specificity=0)
    np.testing.assert_allclose(found.scores, space.score(QUERY, found.words), rtol=1e-13)


@pytest.mark.parametrize(("dtype", "share"), [("float16", 0.95), ("bfloat16", 0.8)])
def test_16_bits_find_nearly_the_same_words_of_real_vectors(dtype: str, share: float) -> None:
    vectors = google_news().head(2000)
    words = list(vectors)[:200]
    full, half = (EntailmentSpace.from_vectors(vectors, dtype=kind).hypernyms(words) for kind in ("float32", dtype))
    common = [len(set(one) & set(other)) / 10 for one, other in zip(full.words, half.words, strict=True)]
    assert np.mean(common) > share


@pytest.mark.parametrize("operator", ["backward", "factorised"])
def test_few_words_are_left_undecided(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = google_news().head(1500)
    space = EntailmentSpace.from_vectors(vectors, operator=operator)
    asked: list[int] = []
    rescorer = KeyTable.rescorer

    def counting(table: KeyTable, request: Request, queries: Floats) -> Any:
        rescore = rescorer(table, request, queries)

        def counted(query: int, rows: NDArray[np.int64]) -> Any:
            asked.append(len(rows))
            return rescore(query, rows)

        return counted

    monkeypatch.setattr(KeyTable, "rescorer", counting)
    space.hypernyms(list(vectors)[:100])
    assert sum(asked) / 100 < 75


# Factorised: maps for a range, and the plain scan beyond it


def wide_and_narrow() -> tuple[EntailmentSpace, EntailmentSpace]:
    """Two spaces in which the words are the same: of low rank, and so wide that only a scan is right."""
    narrow = EntailmentSpace.from_vectors(VECTORS, operator="factorised", specificity=0)
    wide_vectors = Vectors([*WORDS, "far"], np.vstack([TABLE, np.full(6, 100.0)]))
    return narrow, EntailmentSpace.from_vectors(wide_vectors, operator="factorised")


def test_low_rank_maps_give_what_a_scan_gives() -> None:
    narrow, wide = wide_and_narrow()
    assert narrow.model.indexable
    assert not wide.model.indexable
    for query in (*WORDS[:10], QUERY, np.zeros(6)):
        for side in ("hypernyms", "hyponyms"):
            by_maps, by_scan = (getattr(space, side)(query, k=20, among=WORDS) for space in (narrow, wide))
            assert by_maps.words == by_scan.words
            np.testing.assert_array_equal(by_maps.scores, by_scan.scores)


@pytest.mark.parametrize("side", ["hypernyms", "hyponyms"])
@pytest.mark.parametrize("specificity", [0.0, 1.0])
def test_a_query_out_of_the_range_is_answered_by_a_scan(side: str, specificity: float) -> None:
    space = EntailmentSpace.from_vectors(VECTORS, operator="factorised")
    far = np.array([90.0, -90.0, 0.0, 1.0, 2.0, -30.0])
    found = getattr(space, side)(far, k=80, specificity=specificity)
    pair = (far[None], TABLE) if side == "hypernyms" else (TABLE, far[None])
    name = "unk_dup factorised"
    hubness = defined_hubness(name, "hyper" if side == "hypernyms" else "hypo")
    expected = defined_scores(name, *pair).ravel() - specificity * hubness
    check_ranking(found, expected, tolerance=tolerance_of(name, specificity))
    together = getattr(space, side)(np.stack([far, QUERY]), k=7, specificity=specificity)
    assert together[0].words == found.words[:7]
    assert together[1].words == getattr(space, side)(QUERY, k=7, specificity=specificity).words


def test_a_scan_for_many_queries_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.search.scan.SCORES_AT_ONCE", 1 << 11)
    vectors = Vectors(list(map(str, range(500))), np.random.default_rng(0).normal(size=(500, 2)))
    space = EntailmentSpace.from_vectors(vectors, operator="weighted_cosine")
    queries = np.random.default_rng(1).normal(size=(300, 2))
    expected = [space.hypernyms(query, k=1).words for query in queries[:3]]
    tracemalloc.start()
    try:
        found = space.hypernyms(queries, k=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.words[:3] == expected
    assert peak < 800_000  # all scores take 1,200,000 bytes


def test_low_rank_maps_hold_for_words_that_are_far_from_zero() -> None:
    vectors = Vectors(["a", "b", "c"], [[12.0, 13.0], [14.0, 15.0], [13.0, 13.0]])
    space = EntailmentSpace.from_vectors(vectors, interpretation="log_odds", operator="factorised", specificity=0)
    assert space.hypernyms("b", k=2).words == ["a", "c"]


@pytest.mark.parametrize("operator", ["forward", "backward", "dot", "cosine"])
@pytest.mark.parametrize("size", [1e4, 1e39, -1e39, 1e150])
def test_numbers_of_any_size_can_be_asked_for(operator: str, size: float) -> None:
    space = EntailmentSpace.from_vectors(VECTORS, interpretation="log_odds", operator=operator, specificity=0)
    query = np.array([size, 1.0, 0.0, 0.0, 0.0, 0.0])
    scores = defined_scores(f"log_odds {operator}", query[None], TABLE).ravel()
    found = space.hypernyms(query, k=10)
    np.testing.assert_allclose(scores[found.indices], np.sort(scores)[::-1][:10], rtol=1e-6)
    assert len(found) == 10


# Pairs


def test_the_toy_world_is_understood() -> None:
    space = toy_space()
    for hypo, hyper in WORLD.pairs():
        assert (space.score(hypo, hyper) > -1) == WORLD.entails(hypo, hyper)


def test_a_score_has_a_direction() -> None:
    space = toy_space()
    assert space.score("dog", "animal") > space.score("animal", "dog")
    found = space.direction("animal", "dog")
    assert (found.hypo, found.hyper) == ("dog", "animal")
    assert found.score == space.score("dog", "animal")
    assert found.reversed_score == space.score("animal", "dog")
    assert space.direction("dog", "animal") == found


def test_of_two_that_are_equally_likely_the_first_is_the_hypo() -> None:
    assert toy_space().direction("dog", "cat")[:2] == ("dog", "cat")
    assert toy_space().direction("cat", "dog")[:2] == ("cat", "dog")


def test_scores_have_the_form_of_the_question() -> None:
    space = toy_space()
    assert type(space.score("dog", "animal")) is float
    assert type(space.score(TOY["dog"], "animal")) is float
    assert space.score(["dog"], ["animal"]).shape == (1,)
    assert space.score(["dog", "cat"], "animal").shape == (2,)
    assert space.score(TOY[["dog", "cat"]], "animal").shape == (2,)
    assert space.score([], []).shape == space.score("dog", []).shape == space.score([], ["animal"]).shape == (0,)


def test_a_list_of_one_is_scored_with_each_of_the_others() -> None:
    space = toy_space()
    expected = [space.score("dog", "animal"), space.score("dog", "cat")]
    np.testing.assert_allclose(space.score(["dog"], ["animal", "cat"]), expected)
    expected = [space.score("animal", "dog"), space.score("cat", "dog")]
    np.testing.assert_allclose(space.score(["animal", "cat"], ["dog"]), expected)


def test_lists_of_different_lengths_are_told() -> None:
    space = toy_space()
    for hypo in (["dog", "cat", "stone"], TOY[["dog", "cat", "stone"]]):
        with pytest.raises(InvalidInput, match="3 hypos and 2 hypers, expected as many of both, or one of either"):
            space.score(hypo, ["animal", "unk"])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_are_the_same_before_and_after_a_search(dtype: str) -> None:
    space = EntailmentSpace.from_vectors(VECTORS, dtype=dtype)
    before = space.score(WORDS[:9], WORDS[1:10])
    space.hypernyms(WORDS[0]), space.hyponyms(WORDS[0])
    np.testing.assert_allclose(space.score(WORDS[:9], WORDS[1:10]), before, rtol=1e-5)


def test_words_may_differ_in_case_and_underscores() -> None:
    space = EntailmentSpace.from_vectors(Vectors(["ice_cream", "food"], np.eye(2)))
    assert space.score("Ice Cream", "FOOD") == space.score("ice_cream", "food")
    assert "ICE cream" in space
    assert "ice" not in space
    assert 3 not in space
    assert space.hypernyms("Ice Cream").words == ["food"]


# Probabilities


def test_a_map_tells_probabilities() -> None:
    space = space_of("map, offsets")
    score = space.score("word1", "word2")
    expected = 1 / (1 + np.exp(-(0.5 * score + 1.5)))
    assert space.probability("word1", "word2") == pytest.approx(expected)
    assert type(space.probability("word1", "word2")) is float
    np.testing.assert_allclose(space.probability(["word1"], ["word2"]), [expected], rtol=1e-6)
    found = space.hypernyms("word1", k=3)
    np.testing.assert_allclose(found.probabilities, space.probability("word1", found.words), rtol=1e-5)


def test_a_space_that_is_not_calibrated_has_no_probabilities() -> None:
    space = toy_space()
    with pytest.raises(InvalidInput, match=r"not calibrated.*`space\.calibrated\(hypo, hyper, labels\)`"):
        space.probability("dog", "animal")
    with pytest.raises(InvalidInput, match="not calibrated"):
        space.verdict("dog", "animal")
    assert space.hypernyms("dog").probabilities is None
    assert space.hypernyms("dog")[0].probability is None


def test_labelled_pairs_calibrate_a_space() -> None:
    pairs = WORLD.pairs()
    hypo, hyper = zip(*pairs, strict=True)
    labels = [WORLD.entails(*pair) for pair in pairs]
    plain = toy_space()
    space = plain.calibrated(hypo, hyper, labels)
    assert plain.calibration is None
    assert ((space.probability(list(hypo), list(hyper)) > 0.5) == labels).all()
    assert space.hypernyms("dog").probabilities is not None
    assert space.score("dog", "cat") == plain.score("dog", "cat")


def test_a_verdict_is_given_where_it_is_sure_enough() -> None:
    space = toy_space().with_calibration(Calibration.platt(1.0, 2.0))
    assert space.probability("dog", "animal") == pytest.approx(0.867, abs=1e-3)
    assert space.verdict("dog", "animal", precision=0.8) == "yes"
    assert space.verdict("dog", "animal", precision=0.9) == "unknown"
    assert space.verdict("dog", "animal", precision=0.5) == "yes"
    assert space.verdict("animal", "poodle") == "no"
    assert space.verdict(["dog", "animal"], ["animal", "poodle"], precision=0.8).tolist() == ["yes", "no"]
    assert type(space.verdict("dog", "animal")) is str
    assert space.verdict("dog", "animal", precision=1) == "unknown"


@pytest.mark.parametrize("precision", [0.49, 1.01, -1, float("nan")])
def test_a_precision_that_means_nothing_is_told(precision: float) -> None:
    with pytest.raises(InvalidInput, match=rf"precision is {precision}, expected 0\.5"):
        space_of("map, offsets").verdict("word1", "word2", precision=precision)


# What is found


def test_the_word_itself_is_left_out_unless_it_is_wanted() -> None:
    space = toy_space()
    assert "dog" not in space.hypernyms("dog", k=6).words
    assert "dog" not in space.hypernyms("DOG", k=6).words
    assert len(space.hypernyms("dog", k=6)) == 5
    assert "dog" in space.hypernyms("dog", k=6, exclude_self=False).words
    assert "dog" in space.hypernyms(TOY["dog"], k=6).words
    assert space.hypernyms("dog", k=2, among=["dog", "cat"]).words == ["cat"]


@pytest.mark.parametrize("k", [0, 1, 5, 6, 7, 10**12, np.int64(3), np.uint8(2)])
def test_any_number_of_words_can_be_asked_for(k: int) -> None:
    space = toy_space()
    whole = space.hypernyms("dog", k=6).words
    assert space.hypernyms("dog", k=k).words == whole[: int(k)]
    batch = space.hypernyms(["dog", "cat"], k=k)
    assert batch[0].words == whole[: int(k)]
    assert batch.words[0] == whole[: int(k)]
    assert len(space.hypernyms("dog", k=k, group=True)) == min(int(k), 5)


@pytest.mark.parametrize("k", [-1, True, 2.0, "3", None, float("nan")])
def test_a_number_of_words_that_is_none_is_told(k: Any) -> None:
    for ask in (toy_space().hypernyms, toy_space().hyponyms):
        with pytest.raises(InvalidInput, match=r"k is .*, expected a whole number, 0 or more"):
            ask("dog", k=k)


def test_no_queries_have_no_answers() -> None:
    found = toy_space().hypernyms([])
    assert isinstance(found, BatchMatches)
    assert (len(found), found.words) == (0, [])
    assert len(toy_space().hypernyms(np.empty((0, 5)), group=True)) == 0


def test_the_same_word_may_be_asked_for_twice() -> None:
    first, again = toy_space().hypernyms(["dog", "dog"])
    assert first.words == again.words


ASKED = {
    "a tuple": ("dog", "cat"),
    "an array": np.array(["dog", "cat"]),
    "an array of objects": np.array(["dog", "cat"], dtype=object),
    "the words of vectors": TOY.subset(["dog", "cat"]).words,
}


@pytest.mark.parametrize("words", ASKED.values(), ids=ASKED)
def test_words_may_come_in_any_sequence(words: Any) -> None:
    space = toy_space()
    assert space.hypernyms(words).words == space.hypernyms(["dog", "cat"]).words
    np.testing.assert_array_equal(space.score(words, "animal"), space.score(["dog", "cat"], "animal"))


def test_an_array_of_words_that_look_like_numbers_holds_words() -> None:
    space = EntailmentSpace.from_vectors(Vectors(["1", "2", "3"], np.eye(3)))
    assert space.hypernyms(np.array(["1", "2", "3"])).queries == ["1", "2", "3"]


AMONG: dict[str, Callable[[], Any]] = {
    "a tuple": lambda: ("cat", "animal"),
    "an array": lambda: np.array(["cat", "animal"]),
    "a set": lambda: {"cat", "animal"},
    "a generator": lambda: (word for word in ["cat", "animal"]),
    "the keys of a dictionary": lambda: {"cat": 1, "animal": 2}.keys(),
    "vectors": lambda: TOY.subset(["cat", "animal"]),
    "the words of vectors": lambda: TOY.subset(["cat", "animal"]).words,
    "other spellings": lambda: ["CAT", "Animal"],
}


@pytest.mark.parametrize("among", AMONG.values(), ids=AMONG)
def test_words_to_choose_from_may_come_in_any_form(among: Callable[[], Any]) -> None:
    assert toy_space().hypernyms("poodle", among=among()).words == ["animal", "cat"]


@pytest.mark.parametrize("form", [list, tuple, set, iter, np.array, lambda words: Vectors(words, np.eye(len(words)))])
def test_words_to_choose_from_that_are_not_there_are_told(form: Callable[[list[str]], Any]) -> None:
    with pytest.raises(WordNotFound, match="no word 'animql' among 6; did you mean 'animal'"):
        toy_space().hypernyms("dog", among=form(["animql"]))


@pytest.mark.parametrize("group", [False, True])
def test_there_may_be_no_words_to_choose_from(group: bool) -> None:
    assert toy_space().hypernyms("dog", among=[], group=group).words == []
    assert toy_space().hypernyms(["dog", "cat"], among=[], group=group).words == [[], []]


def test_one_word_is_not_several_to_choose_from() -> None:
    with pytest.raises(InvalidInput, match="among is 'animal', expected a list of words"):
        toy_space().hypernyms("dog", among="animal")


# Questions that make no sense


@pytest.mark.parametrize("ask", ["hypernyms", "hyponyms", "generality"])
def test_a_word_that_is_not_there_is_told_with_others_like_it(ask: str) -> None:
    space = toy_space()
    for words in ("pudle", "poodel", ["dog", "poodel"]):
        with pytest.raises(WordNotFound, match=r"no word 'p\w+' among 6; did you mean 'poodle'\?"):
            getattr(space, ask)(words)
    for pair in (("poodel", "dog"), ("dog", "poodel"), (["dog"], ["poodel"])):
        with pytest.raises(WordNotFound, match="did you mean 'poodle'"):
            space.score(*pair)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "hypo is an empty word"),
        ("  ", "hypo is an empty word"),
        ([1.0, 2.0], r"hypo has shape \(2,\), expected a vector of 5 numbers, or a matrix with a row for each vector"),
        (np.ones((2, 4)), r"hypo has shape \(2, 4\)"),
        (np.ones((1, 2, 5)), r"hypo has shape \(1, 2, 5\)"),
        ([[]], r"hypo has shape \(1, 0\)"),
        (3.0, r"hypo has shape \(\)"),
        ([1, 2, 3, 4, float("nan")], "hypo has NaN or infinite entries"),
        ([[0.0] * 5, [float("inf")] * 5], "hypo has NaN or infinite entries"),
        ([[1.0], [1.0, 2.0]], "neither words nor vectors, expected one of them as hypo"),
        ({"dog": 1}, "neither words nor vectors"),
        (None, "neither words nor vectors|hypo has"),
        (["dog", 3], r"hypo\[1\] is 3, expected a string"),
        (["dog", None], r"hypo\[1\] is None, expected a string; drop empty cells"),
        (b"dog", "neither words nor vectors"),
    ],
)
def test_what_is_neither_word_nor_vector_is_told(query: Any, problem: str) -> None:
    space = toy_space()
    with pytest.raises(InvalidInput, match=problem):
        space.hypernyms(query)
    with pytest.raises(InvalidInput, match=problem):
        space.score(query, "animal")
    with pytest.raises(InvalidInput, match=problem.replace("hypo", "hyper")):
        space.score("dog", query)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "much"])
def test_a_specificity_that_is_no_number_is_told(value: Any) -> None:
    with pytest.raises(InvalidInput, match=f"specificity is .*{value}.*, expected a number"):
        toy_space().hypernyms("dog", specificity=value)
    with pytest.raises(InvalidInput, match="specificity is"):
        toy_space(specificity=value)


def test_a_space_has_a_specificity_for_hypernyms_and_one_for_hyponyms() -> None:
    both, one = toy_space(specificity=(1.5, 0.25)), toy_space(specificity=0.75)
    assert both.specificity == (1.5, 0.25)
    assert one.specificity == (0.75, 0.75)
    plain = toy_space()
    for ask in ("hypernyms", "hyponyms"):
        for space in (both, one):
            expected = getattr(plain, ask)("dog", specificity=getattr(space.specificity, ask))
            assert getattr(space, ask)("dog").to_dict() == expected.to_dict()


@pytest.mark.parametrize("value", [(), (1.0,), (1.0, 2.0, 3.0), "ab"])
def test_a_specificity_of_another_length_is_told(value: Any) -> None:
    with pytest.raises(InvalidInput, match="specificity is "):
        toy_space(specificity=value)


@pytest.mark.parametrize("side", ["hypernyms", "hyponyms"])
def test_a_specificity_that_cannot_be_had_is_told(side: str) -> None:
    space = toy_space(operator="weighted_cosine")
    with pytest.raises(InvalidInput, match=r"specificity is 0\.5, but weighted_cosine is no inner product"):
        getattr(space, side)("dog", specificity=0.5)
    with pytest.raises(InvalidInput, match="weighted_cosine"):
        toy_space(operator="weighted_cosine", specificity=0.5)
    wide = wide_and_narrow()[1]
    with pytest.raises(InvalidInput, match="specificity is 1, but factorised is no inner product"):
        getattr(wide, side)("far", specificity=1)
    assert len(getattr(space, side)("dog", specificity=0)) == 5


# Making a space


def test_without_more_words_the_paper_is_followed() -> None:
    space = EntailmentSpace.from_vectors(TOY)
    assert (space.operator, space.model.interpretation, space.map) == ("backward", "unk_dup", None)
    assert repr(space) == "EntailmentSpace(6 words x 5, unk_dup backward)"
    assert len(space) == 6
    assert 0 < space.specificity.hypernyms < 2


def test_a_map_brings_its_operator_and_its_probabilities() -> None:
    space = space_of("map, two sides")
    assert space.operator == "forward"
    assert space.map is MAPS["two sides"]
    assert space.calibration == Calibration.platt(0.5, 1.5)
    assert repr(space) == "EntailmentSpace(80 words x 6, mapped forward)"
    assert space_of("map, two sides, offsets, generality").specificity.hypernyms == 1.0


def test_a_map_may_be_fitted_or_in_a_file(tmp_path: Path) -> None:
    pairs = np.array([[TOY[word] for word in pair] for pair in WORLD.pairs()])
    labels = [WORLD.entails(*pair) for pair in WORLD.pairs()]
    learned = EntailmentMap(random_state=0).fit(pairs, labels)
    learned.save(tmp_path / "toy.map")
    spaces = [
        EntailmentSpace.from_vectors(TOY, map=each)
        for each in (learned, learned.fitted(), tmp_path / "toy.map", str(tmp_path / "toy.map"))
    ]
    expected = learned.predict_proba(pairs)[:, 1]
    for space in spaces:
        hypo, hyper = zip(*WORLD.pairs(), strict=True)
        np.testing.assert_allclose(space.probability(hypo, hyper), expected, rtol=1e-5)
    with pytest.raises(MapFileError):
        EntailmentSpace.from_vectors(TOY, map=tmp_path / "none.map")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"map": MAPS["one side"], "interpretation": "dup"}, "a map and an interpretation, expected one of them"),
        ({"operator": "sideways"}, "no operator 'sideways', expected one of forward, backward"),
        ({"operator": ""}, "no operator ''"),
        ({"interpretation": "odds"}, "no interpretation 'odds', expected one of log_odds"),
        ({"interpretation": ""}, "no interpretation ''"),
        ({"map": MAPS["one side"], "operator": "dot"}, "learned for backward, expected that operator, got 'dot'"),
        ({"map": random_map("sideways")}, "no operator 'sideways'"),
        ({"map": FittedMap("dot", np.eye(3), np.zeros(3))}, "takes vectors of 3 numbers, these have 6"),
        ({"map": 3}, "map is 3, expected an EntailmentMap, a FittedMap or the name of a file"),
        ({"dtype": "int8"}, "dtype is 'int8'"),
    ],
)
def test_what_does_not_fit_together_is_told(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        EntailmentSpace.from_vectors(VECTORS, **options)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("interpretation", INTERPRETATIONS)
def test_a_space_of_one_word(operator: str, interpretation: str) -> None:
    space = EntailmentSpace.from_vectors(Vectors(["a"], [[0.5, 0.0]]), operator=operator, interpretation=interpretation)
    for ask in (space.hypernyms, space.hyponyms):
        assert ask("a").words == []
        assert ask("a", exclude_self=False).words == ask([0.5, 0.0], k=3, group=True).words == ["a"]


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_space_of_no_words(operator: str) -> None:
    space = EntailmentSpace.from_vectors(Vectors([], np.empty((0, 3))), operator=operator)
    for ask in (space.hypernyms, space.hyponyms):
        assert ask(np.ones(3)).words == []
        assert ask(np.ones((2, 3)), group=True).words == [[], []]
        with pytest.raises(WordNotFound, match="no word 'dog' among 0"):
            ask("dog")
    assert np.isfinite(space.score(np.ones(3), np.zeros(3)))


def test_generality_is_what_specificity_takes_off() -> None:
    space = toy_space()
    assert space.generality("unk") > space.generality("animal") > space.generality("dog") > space.generality("poodle")
    assert type(space.generality("dog")) is float
    assert space.generality(["unk", "dog"]).shape == (2,)
    sure, specific = (space.hypernyms("poodle", k=5, specificity=each) for each in (0, 1))
    taken = sure.scores - specific.order[[specific.words.index(word) for word in sure.words]]
    np.testing.assert_allclose(taken, space.generality(sure.words), atol=1e-5)
    assert sure.words[:3] == ["unk", "animal", "dog"]
    assert specific.words[0] == "dog"


def test_a_map_may_have_learned_generality() -> None:
    space = space_of("map, two sides, offsets, generality")
    expected = affine(MAPS["two sides, offsets, generality"].generality, TABLE[:4])
    np.testing.assert_allclose(space.generality(WORDS[:4]), expected, rtol=1e-12)


def test_keys_are_made_once_and_on_request() -> None:
    space = toy_space()
    assert not space.keys.computed
    space.hypernyms("dog")
    assert "hyper" in space.keys.computed
    assert "hypo" not in space.keys.computed
    kept = space.keys["hyper"]
    space.hypernyms("cat")
    assert space.keys["hyper"] is kept
    space.hyponyms("cat")
    assert set(space.keys.computed) == {"hypo", "hyper"}


def test_several_threads_may_ask_a_space_that_is_not_prepared() -> None:
    expected = space_of("unk_dup backward").hypernyms(WORDS[:8]).words
    space = space_of("unk_dup backward")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda word: space.hypernyms(word).words, WORDS[:8]))
    assert found == expected


def test_a_space_can_be_sent_to_another_process() -> None:
    for name in ("unk_dup backward", "unk_dup factorised", "map, two sides, offsets, generality"):
        space = space_of(name)
        again = pickle.loads(pickle.dumps(space))  # noqa: S301
        assert again.hypernyms("word1").words == space.hypernyms("word1").words


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 20),
    operator=st.sampled_from(list(OPERATORS)),
    scale=st.sampled_from([0.1, 1.0, 2.0]),
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_in_any_space_the_surest_come_first(seed: int, n: int, operator: str, scale: float) -> None:
    random = np.random.default_rng(seed)
    matrix = (random.normal(size=(n, 3)) * scale).round(1)
    vectors = Vectors([f"w{i}" for i in range(n)], matrix)
    space = EntailmentSpace.from_vectors(vectors, interpretation="log_odds", operator=operator, specificity=0)
    scores = np.asarray(OPERATORS[operator].score(matrix[:1], matrix))
    found = space.hypernyms("w0", k=n, exclude_self=False)
    np.testing.assert_allclose(scores[found.indices], np.sort(scores)[::-1], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.scores, scores[found.indices], rtol=1e-5, atol=1e-5)


def test_what_is_no_vectors_is_refused() -> None:
    for wrong in (None, np.eye(2), {"dog": [1.0]}, "vectors.txt"):
        with pytest.raises(InvalidInput, match=r"expected Vectors, as `entvec\.vectors\.read` returns them"):
            EntailmentSpace.from_vectors(wrong)  # type: ignore[arg-type]


def test_words_without_keys_are_told() -> None:
    space = toy_space(operator="weighted_cosine")
    with pytest.raises(InvalidInput, match="weighted_cosine is no inner product here, so words have no keys"):
        space.keys["hyper"]


def test_a_scan_finds_all_of_the_best() -> None:
    space = EntailmentSpace.from_vectors(google_news().head(500)).with_backend("scan")
    assert space.recall(list(space.vocabulary.words[:40])) == 1.0


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"is a folder, expected a database; EntailmentSpace\.load opens a folder"):
        EntailmentSpace.open(str(tmp_path))
