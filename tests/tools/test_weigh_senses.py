"""Guesses of senses: a softmax within each term learns what tells the frequent senses."""

import csv

import numpy as np
import pytest

from entvec.bundled import wordnet_knowledge

WEIGH = pytest.importorskip("weigh_senses", reason="the scripts come with the repository only")


def test_what_describes_the_frequent_senses_is_learned() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(200), 3)
    x = rng.normal(size=(600, 2))
    shares = np.exp(2 * x[:, 0] - WEIGH.log_sums(2 * x[:, 0], groups))
    weights = WEIGH.fit(x, shares, groups)
    assert weights == pytest.approx([2, 0], abs=0.2)
    best = shares == WEIGH.largest_of(shares, groups)[groups]
    assert WEIGH.best_found(WEIGH.held_out(x, shares, groups), best, groups) > 0.95


def test_shares_of_a_group_sum_to_one() -> None:
    values, groups = np.array([1.0, 2.0, 700.0]), np.array([0, 0, 1])
    assert np.bincount(groups, np.exp(values - WEIGH.log_sums(values, groups))) == pytest.approx([1.0, 1.0])


def test_several_best_scores_are_right_in_part() -> None:
    assert WEIGH.best_found(np.zeros(4), np.array([True, False, False, False]), np.zeros(4, int)) == 0.25


def test_every_sense_of_an_ambiguous_term_has_a_guess() -> None:
    known = wordnet_knowledge()
    with np.load(WEIGH.GUESSES) as file:
        guesses = file["guesses"]
    assert (known.guesses == guesses).all()
    several = np.repeat(known.senses_of.counts > 1, known.senses_of.counts)
    assert (guesses[several] > 0).all()
    assert not guesses[~several].any()


def test_labels_name_senses_of_terms_that_nobody_counted() -> None:
    known = wordnet_knowledge()
    with WEIGH.LABELS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            senses = {
                f"{sense.part_of_speech[0]}{sense.number}": sense.frequency
                for sense in known.senses(row["term"])
                if sense.term == row["term"]  # and not of the word that it may be a form of
            }
            assert set(row["senses"].split()) < set(senses)
            assert not any(senses.values())
