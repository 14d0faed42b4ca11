"""Figure 1: which interpretation explains Word2Vec's gradient, and how good its constant is."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from entvec.errors import CannotWrite, InvalidInput
from entvec.evaluate import gradients as study
from entvec.evaluate.plotting import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@pytest.mark.parametrize("limit", [0.5, 1.0, 2.0, 4.0])
def test_each_interpretation_is_closer_to_word2vec_than_the_one_before(limit: float) -> None:
    found = study.gradients(limit)
    assert found.mismatch("log_odds") > found.mismatch("dup") > found.mismatch("unk_dup")
    assert found.correlation("log_odds") < found.correlation("dup") < found.correlation("unk_dup")


def test_the_mismatch_of_a_multiple_of_word2vecs_own_gradient_is_zero() -> None:
    found = study.gradients(1.0)
    found.interpretations["double"] = 2 * found.word2vec
    found.interpretations["opposite"] = -found.word2vec
    assert found.mismatch("double") == pytest.approx(0, abs=1e-12)
    assert found.correlation("double") == pytest.approx(1)
    assert found.correlation("opposite") == pytest.approx(-1)


def test_no_other_shift_matches_better_than_the_best() -> None:
    best = study.best_shift(2.0)
    least = study.mismatch_of_shift(best, 2.0)
    assert all(study.mismatch_of_shift(shift, 2.0) > least for shift in (0.0, 0.5, best - 0.1, best + 0.1, 3.0, 8.0))


def test_the_shift_of_one_is_the_unk_dup_interpretation_and_of_zero_is_dup() -> None:
    found = study.gradients(2.0)
    assert study.mismatch_of_shift(1.0, 2.0) == pytest.approx(found.mismatch("unk_dup"))
    assert study.mismatch_of_shift(0.0, 2.0) == pytest.approx(found.mismatch("dup"))


def test_the_papers_constant_is_the_best_for_values_up_to_about_one_and_a_half() -> None:
    assert study.best_shift(1.5) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("limit", [0.0, -1.0, 1e-300, np.inf, np.nan, 51.0])
def test_a_senseless_range_is_refused(limit: float) -> None:
    with pytest.raises(InvalidInput, match="range of values"):
        study.gradients(limit)


@pytest.fixture(scope="module")
def figure() -> "Figure":
    return study.draw(study.gradients())


@pytest.mark.parametrize(
    ("ending", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")], ids=["png", "svg", "pdf"]
)
def test_the_figure_is_written_in_the_format_of_its_name(
    figure: "Figure", tmp_path: Path, ending: str, magic: bytes
) -> None:
    path = tmp_path / f"figure{ending}"
    save_figure(figure, path)
    assert path.read_bytes().startswith(magic)


def test_the_figure_has_a_panel_for_word2vec_and_each_interpretation(figure: "Figure") -> None:
    titles = [axes.get_title() for axes in figure.axes]
    assert [title.split(",")[0] for title in titles] == ["Word2Vec", "log_odds", "dup", "unk_dup"]


def test_an_unknown_format_is_refused_before_anything_is_written(figure: "Figure", tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match=r"ends in \.png, \.svg, \.pdf"):
        save_figure(figure, tmp_path / "figure.docx")
    assert list(tmp_path.iterdir()) == []
