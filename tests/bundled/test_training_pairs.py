"""Labelled pairs to learn from: half of them entailments, and the others what their kind says."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from entvec.bundled.training_pairs import FARTHEST, KINDS, RAREST_SENSE, LabelledPairs, labelled_pairs
from entvec.bundled.wordnet import COLUMNS, RELATIONS, IsA, isa

TABLE = isa()
N = len(TABLE.words)
HELD = frozenset(["dog", "animal", "Paris", "city", "guitar", "entity"])
ENTAILING = ["is-a", "instance"]


def codes(hypo: NDArray[np.integer], hyper: NDArray[np.integer]) -> NDArray[np.int64]:
    """A number for each pair."""
    return hypo.astype(np.int64) * N + hyper


def of_table(table: IsA) -> NDArray[np.int64]:
    return codes(table.hypo, table.hyper)


def of_kind(pairs: LabelledPairs, kind: str) -> LabelledPairs:
    chosen = pairs.kinds == KINDS.index(kind)
    return pairs._replace(**{name: getattr(pairs, name)[chosen] for name in ("hypo", "hyper", "labels", "kinds")})


def words_of(pairs: LabelledPairs) -> set[str]:
    return {pairs.words[i] for i in np.union1d(pairs.hypo, pairs.hyper).tolist()}


@pytest.fixture(scope="module")
def pairs() -> LabelledPairs:
    return labelled_pairs(hold_out=HELD)


@pytest.fixture(scope="module")
def all_pairs() -> LabelledPairs:
    return labelled_pairs()


def test_half_are_entailments(pairs: LabelledPairs) -> None:
    assert len(pairs.labels) > 150_000
    assert pairs.labels.sum() * 2 == len(pairs.labels)
    np.testing.assert_array_equal(pairs.labels, pairs.kinds == KINDS.index("entailment"))


def test_the_columns_belong_together(pairs: LabelledPairs) -> None:
    assert pairs.words == TABLE.words
    assert pairs.hypo.shape == pairs.hyper.shape == pairs.labels.shape == pairs.kinds.shape
    assert {column.dtype for column in pairs[1:]} == {np.dtype(np.int64)}
    assert min(pairs.hypo.min(), pairs.hyper.min()) >= 0
    assert max(pairs.hypo.max(), pairs.hyper.max()) < N


def test_every_kind_is_there(pairs: LabelledPairs) -> None:
    counts = dict(zip(KINDS, np.bincount(pairs.kinds, minlength=len(KINDS)).tolist(), strict=True))
    assert counts["reversed"] == counts["co-hyponym"] == counts["entailment"] // 4
    assert counts["part"] > 5000
    assert counts["random"] > counts["entailment"] // 4  # instead of parts, of which there are few


def test_words_held_out_are_on_neither_side(pairs: LabelledPairs, all_pairs: LabelledPairs) -> None:
    assert words_of(all_pairs) > HELD
    assert not words_of(pairs) & HELD
    assert len(words_of(pairs)) > 0.95 * len(words_of(all_pairs))


def test_all_other_entailments_are_there(pairs: LabelledPairs, all_pairs: LabelledPairs) -> None:
    every, rest = (of_kind(found, "entailment") for found in (all_pairs, pairs))
    held = np.isin(TABLE.words, list(HELD))
    free = ~held[every.hypo] & ~held[every.hyper]
    assert set(codes(rest.hypo, rest.hyper).tolist()) == set(codes(every.hypo[free], every.hyper[free]).tolist())


def test_entailments_are_near_and_of_frequent_senses(all_pairs: LabelledPairs) -> None:
    found = of_kind(all_pairs, "entailment")
    frequent = TABLE.select(ENTAILING, max_distance=FARTHEST, max_hypo_sense=RAREST_SENSE, max_hyper_sense=RAREST_SENSE)
    assert set(codes(found.hypo, found.hyper).tolist()) == set(of_table(frequent).tolist())
    assert ("dog", "animal") in {(TABLE.words[y], TABLE.words[x]) for y, x in zip(found.hypo, found.hyper, strict=True)}


@pytest.mark.parametrize("kind", KINDS[1:])
def test_what_is_no_entailment_is_none_in_any_sense(pairs: LabelledPairs, kind: str) -> None:
    found = of_kind(pairs, kind)
    assert not np.isin(codes(found.hypo, found.hyper), of_table(TABLE.select(ENTAILING))).any()


def test_no_word_is_paired_with_itself(pairs: LabelledPairs) -> None:
    assert np.all(pairs.hypo != pairs.hyper)


def test_reversed_pairs_are_entailments_the_other_way_round(pairs: LabelledPairs) -> None:
    there, back = of_kind(pairs, "entailment"), of_kind(pairs, "reversed")
    assert np.isin(codes(back.hyper, back.hypo), codes(there.hypo, there.hyper)).all()


def test_co_hyponyms_are_those_of_the_table(pairs: LabelledPairs) -> None:
    found = of_kind(pairs, "co-hyponym")
    assert np.isin(codes(found.hypo, found.hyper), of_table(TABLE.select("co-hyponym"))).all()


def test_parts_stand_on_both_sides(pairs: LabelledPairs) -> None:
    found, known = of_kind(pairs, "part"), of_table(TABLE.select("part-whole"))
    as_part = np.isin(codes(found.hypo, found.hyper), known)
    as_whole = np.isin(codes(found.hyper, found.hypo), known)
    assert (as_part | as_whole).all()
    assert 0.4 < as_part.mean() < 0.6


def test_random_pairs_have_a_hypo_and_a_hyper_of_entailments(pairs: LabelledPairs) -> None:
    there, found = of_kind(pairs, "entailment"), of_kind(pairs, "random")
    assert np.isin(found.hypo, there.hypo).all()
    assert np.isin(found.hyper, there.hyper).all()
    # A frequent hyper is as frequent among them, so that it alone tells nothing.
    shares = [np.bincount(some.hyper, minlength=N) / len(some.hyper) for some in (there, found)]
    assert np.minimum(shares[0], shares[1]).sum() > 0.8


def test_no_pair_of_a_kind_is_there_twice(pairs: LabelledPairs) -> None:
    for kind in KINDS:
        found = of_kind(pairs, kind)
        assert len(np.unique(codes(found.hypo, found.hyper))) == len(found.hypo)


def test_no_pair_is_there_twice(pairs: LabelledPairs) -> None:
    assert len(np.unique(codes(pairs.hypo, pairs.hyper))) == len(pairs.hypo)


def test_random_pairs_are_of_no_other_kind(pairs: LabelledPairs) -> None:
    found = of_kind(pairs, "random")
    related = of_table(TABLE)
    assert not np.isin(codes(found.hypo, found.hyper), related).any()
    assert not np.isin(codes(found.hyper, found.hypo), related).any()


# A world to check by eye

WORDS = ("animal", "dog", "poodle", "cat", "mammal", "tail", "chap")
ROWS = [
    # hypo, hyper, relation, distance, senses of both
    ("poodle", "dog", "is-a", 1, 1, 1),
    ("poodle", "mammal", "is-a", 2, 1, 1),
    ("poodle", "animal", "is-a", 7, 1, 1),
    ("dog", "mammal", "is-a", 1, 1, 1),
    ("dog", "animal", "is-a", 2, 1, 1),
    ("cat", "mammal", "is-a", 1, 1, 2),
    ("cat", "animal", "is-a", 2, 1, 1),
    ("dog", "chap", "is-a", 1, 3, 1),
    ("chap", "dog", "is-a", 1, 1, 2),
    ("dog", "cat", "co-hyponym", 2, 1, 1),
    ("cat", "dog", "co-hyponym", 2, 1, 1),
    ("tail", "dog", "part-whole", 1, 1, 1),
]


def small_table() -> IsA:
    numbers = [
        (WORDS.index(y), WORDS.index(x), RELATIONS.index(relation), *others, 5, 4) for y, x, relation, *others in ROWS
    ]
    columns = zip(COLUMNS.items(), zip(*numbers, strict=True), strict=True)
    return IsA(WORDS, **{name: np.array(column, dtype) for (name, dtype), column in columns})


def named(pairs: LabelledPairs, kind: str) -> set[tuple[str, str]]:
    found = of_kind(pairs, kind)
    return {(WORDS[y], WORDS[x]) for y, x in zip(found.hypo.tolist(), found.hyper.tolist(), strict=True)}


@pytest.mark.parametrize("seed", range(5))
def test_a_small_table(seed: int) -> None:
    found = labelled_pairs(small_table(), seed=seed)
    every = {
        ("poodle", "dog"),
        ("poodle", "mammal"),
        ("dog", "mammal"),
        ("dog", "animal"),
        ("cat", "mammal"),
        ("cat", "animal"),
        ("chap", "dog"),  # while a dog is a chap in a rare sense only, and a poodle too far from an animal
    }
    assert named(found, "entailment") <= every  # as many of them as there are others
    # One of each, as seven entailments are four times one and a rest.
    (turned,), (alike,), (part,) = (named(found, kind) for kind in ("reversed", "co-hyponym", "part"))
    assert turned[::-1] in every - {("chap", "dog")}
    assert set(alike) == {"dog", "cat"}
    assert set(part) == {"tail", "dog"}
    hypos, hypers = {"poodle", "dog", "cat", "chap"}, {"dog", "mammal", "animal"}
    strangers = named(found, "random")
    assert {hypo for hypo, _ in strangers} <= hypos
    assert {hyper for _, hyper in strangers} <= hypers
    assert not strangers & {("poodle", "animal"), ("dog", "chap"), *every}


def test_a_table_whose_words_are_all_held_out_has_no_pairs() -> None:
    assert len(labelled_pairs(small_table(), hold_out=WORDS).labels) == 0
    assert len(labelled_pairs(small_table(), hold_out=iter(["dog", "cat", "poodle"])).labels) == 0


def test_half_of_a_small_table_are_entailments() -> None:
    assert labelled_pairs(small_table()).labels.mean() == 0.5


def test_a_seed_makes_the_same_pairs() -> None:
    near = (TABLE.hypo % 4 == 0) | (TABLE.hyper % 4 == 0)
    some = replace(TABLE, **{name: getattr(TABLE, name)[near] for name in COLUMNS})
    first, again, other = (labelled_pairs(some, hold_out=HELD, seed=seed) for seed in (7, 7, 8))
    for name in ("hypo", "hyper", "labels", "kinds"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    for kind in ("reversed", "co-hyponym", "random"):  # all parts are taken
        ours, theirs = (of_kind(found, kind) for found in (first, other))
        assert np.isin(codes(ours.hypo, ours.hyper), codes(theirs.hypo, theirs.hyper)).mean() < 0.9
