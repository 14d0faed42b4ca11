import numpy as np

from entvec.theory.inference import Rows


def rows_of(n_rows: int) -> Rows:
    return Rows.over(np.arange(2.0 * n_rows).reshape(n_rows, 2))


def test_newer_rows_take_the_place_of_shared_ones_or_come_behind_them() -> None:
    old = rows_of(20)
    new = old.replace(np.array([20, 3]), np.array([[-1.0, -1.0], [-2.0, -2.0]]))
    assert new.take(np.array([3, 4, 20])).tolist() == [[-2, -2], [8, 9], [-1, -1]]
    assert old.take(np.array([3])).tolist() == [[6, 7]]
    again = new.replace(np.array([3]), np.array([[-3.0, -3.0]]))
    assert again.take(np.array([3, 20])).tolist() == [[-3, -3], [-1, -1]]
    assert again.whole().shape == (21, 2)
    np.testing.assert_array_equal(again.whole()[[2, 3, 20]], [[4, 5], [-3, -3], [-1, -1]])


def test_rows_over_rows_settle_into_one_layer() -> None:
    below = rows_of(20).replace(np.array([1]), np.array([[-1.0, -1.0]]))
    above = Rows.over(below).replace(np.array([2]), np.array([[-2.0, -2.0]]))
    assert above.take(np.array([1, 2, 3])).tolist() == [[-1, -1], [-2, -2], [6, 7]]
    flat = above.settled()
    assert flat.shared is below.shared
    assert flat.nodes.tolist() == [1, 2]
    np.testing.assert_array_equal(flat.whole(), above.whole())


def test_when_much_is_newer_all_is_copied_together() -> None:
    many = rows_of(20).replace(np.arange(3), np.zeros((3, 2)))
    settled = many.settled()
    assert len(settled.nodes) == 0
    np.testing.assert_array_equal(settled.whole(), many.whole())


def test_what_is_taken_is_a_copy() -> None:
    rows = rows_of(3)
    rows.take(np.array([0]))[:] = 99
    assert rows.take(np.array([0])).tolist() == [[0, 1]]
