"""Pairs that texts name, as labels to learn from."""

import numpy as np
import pytest

from entvec.errors import InvalidInput
from entvec.learn.weak_labels import MOST_OF_A_HYPER, weak_pairs
from entvec.text import Evidence, TextEvidence
from entvec.vectors import Vectors

WORDS = ["dog", "cat", "cow", "oak", "elm", "animal", "tree", *(f"thing{i}" for i in range(100)), "object"]
VECTORS = Vectors(WORDS, np.eye(len(WORDS), dtype=np.float32))


def text(*pairs: tuple[str, str] | tuple[str, str, int]) -> TextEvidence:
    rows = [(*pair, 1)[:3] for pair in pairs]
    return TextEvidence.of([Evidence(hypo, hyper, "is-a", n, n, ()) for hypo, hyper, n in rows])


SAID = text(("dog", "animal"), ("cat", "animal"), ("cow", "animal"), ("oak", "tree"), ("elm", "tree"))


def labelled(found: TextEvidence, label: int) -> set[tuple[str, str]]:
    pairs = weak_pairs(found, VECTORS)
    rows = zip(pairs.hypo, pairs.hyper, pairs.labels.tolist(), strict=True)
    return {(hypo, hyper) for hypo, hyper, of_pair in rows if of_pair == label}


def test_what_is_named_is_an_entailment() -> None:
    assert labelled(SAID, 1) == {
        ("dog", "animal"),
        ("cat", "animal"),
        ("cow", "animal"),
        ("oak", "tree"),
        ("elm", "tree"),
    }


def test_the_others_are_made_of_the_same_words_and_are_not_named() -> None:
    others = labelled(SAID, 0)
    assert others.isdisjoint(labelled(SAID, 1))
    assert len(others) >= 4
    assert {word for pair in others for word in pair} <= {"dog", "cat", "cow", "oak", "elm", "animal", "tree"}
    assert all(hypo != hyper for hypo, hyper in others)


def test_a_pair_that_is_named_more_often_reversed_is_left_out() -> None:
    both = text(("dog", "animal"), ("animal", "dog", 3), ("oak", "tree"), ("tree", "oak"))
    assert labelled(both, 1) == {("animal", "dog")}


def test_words_without_vectors_are_left_out() -> None:
    assert labelled(text(("dog", "animal"), ("unicorn", "animal")), 1) == {("dog", "animal")}
    with pytest.raises(InvalidInput, match="names no pair whose two words have vectors"):
        weak_pairs(text(("unicorn", "animal")), VECTORS)
    with pytest.raises(InvalidInput, match="names no pair"):
        weak_pairs(TextEvidence.of(), VECTORS)


def test_no_hyper_decides_alone() -> None:
    many = text(*((f"thing{i}", "object") for i in range(100)))
    assert len(labelled(many, 1)) == MOST_OF_A_HYPER


def test_the_same_seed_gives_the_same_pairs() -> None:
    one, again, other = (weak_pairs(SAID, VECTORS, seed=seed) for seed in (1, 1, 2))
    assert (one.hypo, one.hyper, one.labels.tolist()) == (again.hypo, again.hyper, again.labels.tolist())
    assert one.hypo != other.hypo or one.hyper != other.hyper
