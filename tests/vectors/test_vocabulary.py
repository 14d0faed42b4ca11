"""The words that stand for the whole vocabulary."""

import numpy as np
import pytest

from entvec.vectors import Vectors, vocabulary
from entvec.vectors.vocabulary import sample


@pytest.mark.parametrize("n", [0, 1, 9, 10, 11, 19, 20, 21, 29, 1000])
def test_a_sample_comes_from_all_over_the_vocabulary(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "SAMPLE", 10)
    vectors = Vectors(list(map(str, range(n))), np.arange(n, dtype=np.float32)[:, None])
    rows = sample(vectors).ravel()
    assert sample(vectors).dtype == np.float64
    assert len(rows) == min(n, 10)
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(rows, sample(vectors).ravel())
    if n:
        gaps = np.diff([-1, *rows, n])
        assert gaps.max() <= -(-n // 10) + 1
