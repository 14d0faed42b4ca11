"""The study of specificity: which words it asks about, and what it says of them."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from entvec.bundled import google_news, isa
from entvec.cli import app
from entvec.errors import InvalidInput
from entvec.evaluate import specificity_curve as study
from entvec.evaluate.discovery import ask
from entvec.evaluate.metrics import Interval
from entvec.learn import EntailmentMap
from entvec.space import EntailmentSpace


def test_words_are_drawn_by_chance_among_nouns_that_can_be_asked_about() -> None:
    drawn = study.draw_words(200)
    assert drawn == study.draw_words(200)
    assert drawn != study.draw_words(200, seed=1)
    assert len(set(drawn)) == 200
    assert ask(drawn, google_news()).count("specific") == 200


def test_words_that_are_to_stay_unseen_are_not_drawn_in_any_case() -> None:
    some = {word.upper() for word in study.draw_words(200)}
    assert not some & {word.upper() for word in study.draw_words(4000, without=some)}


@pytest.mark.parametrize("n", [0, len(isa().words)])
def test_only_as_many_words_as_there_are_can_be_drawn(n: int) -> None:
    with pytest.raises(InvalidInput, match=r"expected at least 1 and at most the [\d,]+ that can be asked about"):
        study.draw_words(n)


def test_a_curve_knows_its_best() -> None:
    mrr = tuple(Interval(value, value, value) for value in (0.1, 0.3, 0.3, 0.2))
    hits = tuple(Interval(value, value, value) for value in (0.4, 0.3, 0.2, 0.1))
    curve = study.Curve("dup backward", (0.0, 0.5, 0.75, 1.0), {"mrr": mrr, "hit_at_10": hits})
    assert curve.best == 0.5
    assert curve.at(0.5).value == 0.3
    assert curve.at(1.0, "hit_at_10").value == 0.1


@pytest.fixture(scope="module")
def drawn() -> list[str]:
    return study.draw_words(150)


def test_without_it_hubs_hide_the_hypernyms(drawn: list[str]) -> None:
    questions = ask(drawn, google_news())
    curve = study.curve(study.unsupervised("unk_dup", "backward"), questions, [0.0, 0.5, 0.7, 0.9, 1.2])
    assert curve.name == "unk_dup backward"
    assert 0.5 <= curve.best <= 0.9
    assert curve.at(curve.best).low > curve.at(0.0).high
    similar = study.cosine(questions)
    figure = study.draw([curve], similar)
    assert [axes.get_ylabel().split(",")[0] for axes in figure.axes] == ["MRR", "hit@10"]
    for axes, kind in zip(figure.axes, study.MEASURES, strict=True):
        line, dotted = axes.get_lines()
        assert line.get_label() == "unk_dup backward"
        np.testing.assert_array_equal(line.get_ydata(), [reached.value for reached in curve.measures[kind]])
        np.testing.assert_array_equal(dotted.get_ydata(), similar[kind].value)


def test_a_map_is_fitted_without_the_words_that_are_asked_about(
    monkeypatch: pytest.MonkeyPatch, drawn: list[str]
) -> None:
    fitted: list[set[bytes]] = []

    def fit_rows(self: EntailmentMap, words: np.ndarray, pairs: np.ndarray, labels: np.ndarray) -> EntailmentMap:
        fitted.append({row.tobytes() for row in words})
        self.weights_, self.bias_, self.scale_, self.intercept_ = np.eye(300), np.zeros(300), 1.0, 0.0
        self.n_features_in_ = 300
        return self

    monkeypatch.setattr(EntailmentMap, "fit_rows", fit_rows)
    space = study.learned_without(drawn)
    assert isinstance(space, EntailmentSpace)
    assert space.map is not None
    assert len(fitted[0]) > 5000
    assert not fitted[0] & {row.tobytes() for row in google_news()[drawn]}


def test_the_command_prints_the_best_and_draws_the_curves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(study, "COMBINATIONS", (("dup", "backward"),))
    (tmp_path / "unseen.txt").write_text("dog\ncat\n")
    arguments = ["figure", "specificity", "-o", str(tmp_path / "s.png"), "--words", "50"]
    done = CliRunner().invoke(app, [*arguments, "--without", str(tmp_path / "unseen.txt")])
    assert done.exit_code == 0
    for text in ("dup backward", "similarity only", "MRR at 0", "hit@10"):
        assert text in done.stdout
    assert (tmp_path / "s.png").stat().st_size > 10_000
    assert "mapped" not in done.stdout
