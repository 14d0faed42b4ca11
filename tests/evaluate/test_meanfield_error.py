"""How far inference is from the exact posterior."""

import numpy as np
import pytest

from entvec.evaluate import meanfield_error as study


@pytest.mark.parametrize("case", study.CASES, ids=lambda case: case.name)
def test_inference_is_much_closer_to_the_exact_posterior_than_the_prior_is(case: study.Case) -> None:
    found = study.distance(case, trials=40)
    assert found.mean < 0.45 * found.prior_mean
    assert found.mean <= found.largest
    assert abs(found.bias) <= found.mean


def test_without_edges_inference_is_exact() -> None:
    found = study.distance(study.Case("nothing said", n_nodes=2, n_features=3), trials=5)
    assert found.largest == pytest.approx(0, abs=1e-12)
    assert found.prior_mean == pytest.approx(0, abs=1e-12)


def test_where_inference_is_wrong_it_is_too_sure() -> None:
    too_sure = [study.distance(case).too_sure for case in study.CASES if case.name != "cycle of three"]
    assert min(too_sure) > 0.6
    assert np.mean(too_sure) > 0.75


def test_cycles_are_exact() -> None:
    found = study.distance(next(case for case in study.CASES if case.name == "cycle of three"), trials=40)
    assert found.largest < 1e-5
    assert found.too_sure == 0


def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    case = study.CASES[0]
    assert study.distance(case, trials=3).mean == study.distance(case, trials=3).mean
    assert study.distance(case, trials=3).mean != study.distance(case, trials=3, seed=1).mean


def test_the_figure_has_one_panel_for_each_case() -> None:
    distances = [study.distance(case, trials=2) for case in study.CASES[:5]]
    figure = study.draw(distances)
    assert [axes.get_title().split("\n")[0] for axes in figure.axes] == [d.case.name for d in distances]
