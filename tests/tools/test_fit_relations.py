"""The weights of evidence are fitted to both orders of a pair, and validated on words that they were not fitted to."""

from typing import Any

import numpy as np
import pytest

from entvec.evidence.features import FEATURES, MIRRORED, MIRRORED_FEATURES, NAMES, RELATIONS

FIT = pytest.importorskip("fit_relations", reason="needs PyTorch and the tools of the repository")


def labelled(n: int) -> Any:
    """Pairs whose relation can be read from the features: narrower if "is narrower", else other."""
    rng = np.random.default_rng(0)
    features = np.zeros((n, len(FEATURES)))
    narrower = rng.random(n) < 0.5
    features[:, NAMES.index("is narrower")] = narrower
    features[:, NAMES.index("cosine")] = rng.normal(size=n)
    right = np.zeros((n, len(RELATIONS)), dtype=bool)
    right[narrower, RELATIONS.index("narrower")] = True
    right[~narrower, RELATIONS.index("other")] = True
    pairs = [FIT.Pair(f"a{i}", f"b{i}", "narrower" if yes else "other") for i, yes in enumerate(narrower)]
    return FIT.Labelled(pairs, features, right)


def test_what_features_say_is_learned_for_both_orders() -> None:
    data = labelled(200)
    weights = FIT.fit(data.features, data.right, 1.0)
    rates = np.full(len(RELATIONS), 1 / len(RELATIONS))
    p = FIT.predicted(weights, data.features, rates)
    assert (p.argmax(axis=1) == data.right.argmax(axis=1)).all()
    reversed_p = FIT.predicted(
        weights, data.features[:, MIRRORED_FEATURES], np.full(len(RELATIONS), 1 / len(RELATIONS))
    )
    np.testing.assert_allclose(p, reversed_p[:, MIRRORED], rtol=1e-12)


def test_pairs_with_a_common_word_are_in_one_fold() -> None:
    pairs = [FIT.Pair(f"a{i // 2}", f"b{i}", "other") for i in range(100)]
    fold = FIT.folds(pairs)
    assert (fold[::2] == fold[1::2]).all()
    assert set(fold.tolist()) == set(range(FIT.FOLDS))


def test_held_out_probabilities_are_those_of_other_pairs() -> None:
    data = labelled(200)
    p = FIT.held_out(data, 1.0)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert FIT.loss_of(p, data.right) < 0.3
    assert "100.0% right" in FIT.told("all", p, data.right)


def test_sources_that_are_not_there_have_no_features() -> None:
    data = FIT.masked(labelled(10), ("vectors",))
    assert not data.features[:, NAMES.index("is narrower")].any()
    assert data.features[:, NAMES.index("cosine")].any()
