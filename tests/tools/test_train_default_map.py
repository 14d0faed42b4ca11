"""The training of the default map: held-out words are nowhere, the gradient is right, and the file tells its making."""

import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entvec.bundled import google_news, isa
from entvec.learn import FittedMap

torch = pytest.importorskip("torch")
TRAIN = pytest.importorskip("train_default_map", reason="the scripts come with the repository only")
VECTORS = google_news()
HELD_OUT = ["Dog", "piano", "city", "animal"]
FORMS = ["dog", "Dog", "dogs", "Dogs", "piano", "pianos", "city", "cities", "City", "animal", "animals"]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TRAIN, "QUERIES", 64)
    monkeypatch.setattr(TRAIN, "OTHER_HYPERS", 100)
    monkeypatch.setattr(TRAIN, "OTHER_HYPOS", 32)
    monkeypatch.setattr(torch, "use_deterministic_algorithms", lambda mode: None)  # it would hold for other tests too
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)


@pytest.fixture(scope="module")
def data() -> Any:
    return TRAIN.examples(VECTORS, isa(), HELD_OUT, 0)


def rows_of(words: list[str]) -> set[int]:
    rows = VECTORS.rows(words)
    return set(rows[rows >= 0].tolist())


def rows_in(lists: Any) -> set[int]:
    owners = np.flatnonzero(np.diff(lists.starts.numpy()))
    return {*owners.tolist(), *lists.columns[0].tolist()}


def test_held_out_words_are_nowhere(data: Any) -> None:
    held = rows_of(FORMS)
    assert len(held) >= 8
    used = {*data.nouns.tolist(), *data.others.tolist(), *data.queries.tolist()}
    for lists in (data.hypernyms, data.neutral, data.pairs):
        used |= rows_in(lists)
    assert not used & held


def test_all_other_words_are_used(data: Any) -> None:
    out = TRAIN.is_held(VECTORS.words, HELD_OUT)
    assert {*data.nouns.tolist(), *data.others.tolist()} == set(np.flatnonzero(~out).tolist())
    assert out.sum() < 20


@pytest.mark.parametrize(
    ("word", "lemma"),
    [("Dog", "dog"), ("dogs", "dog"), ("cities", "city"), ("boxes", "box"), ("women", "woman"), ("dog", "dog")],
)
def test_forms_of_words(word: str, lemma: str) -> None:
    assert lemma in list(TRAIN.lemmas(word))


def test_what_a_hypo_says_is_shared_among_its_hypernyms(data: Any) -> None:
    owner, _, share = data.hypernyms.of(data.queries)
    totals = torch.zeros(len(data.queries)).index_add(0, owner, share)
    torch.testing.assert_close(totals, torch.ones(len(data.queries)))


def test_right_answers_are_not_neutral_and_forms_of_them_are(data: Any) -> None:
    (guitar, instruments) = VECTORS.rows(["guitar", "instruments"]).tolist()
    _, right, _ = data.hypernyms.of(torch.tensor([guitar]))
    _, neutral = data.neutral.of(torch.tensor([guitar]))
    assert not set(right.tolist()) & set(neutral.tolist())
    assert {guitar, instruments} <= set(neutral.tolist())


def test_lists_are_those_of_the_words_asked_for() -> None:
    lists = TRAIN.Lists(4, np.array([2, 0, 2, 3]), np.array([10, 20, 30, 40]))
    owner, column = lists.of(torch.tensor([3, 1, 2]))
    assert list(zip(owner.tolist(), column.tolist(), strict=True)) == [(0, 40), (2, 10), (2, 30)]


@pytest.mark.slow
def test_the_gradient_is_that_of_the_losses(data: Any) -> None:
    torch.manual_seed(1)
    start = TRAIN.initial(300)
    start["decision"][1] = 9.0
    place = torch.empty(len(data.vectors), dtype=torch.int64)

    def loss(moved: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        torch.manual_seed(2)  # the same draws in every call
        p = {name: value.clone().requires_grad_() for name, value in moved.items()}
        return TRAIN.step(data, p, place), {name: value.grad for name, value in p.items()}

    _, gradient = loss(start)
    for name, by_value in gradient.items():
        length = float(by_value.norm())
        assert length > 0, name
        step = 0.01 * by_value / length
        up, down = ({**start, name: start[name] + sign * step} for sign in (1, -1))
        assert (loss(up)[0] - loss(down)[0]) / 0.02 == pytest.approx(length, rel=0.03), name


@pytest.mark.skipif("ENTVEC_REBUILD" not in os.environ, reason="takes long; ENTVEC_REBUILD=1 runs it (.ci/scheduled)")
def test_the_file_tells_how_it_was_made_and_can_be_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "words.txt"
    listed.write_text("\n".join(HELD_OUT) + "\n", encoding="utf-8")
    first, again = (tmp_path / f"{name}.safetensors" for name in ("first", "again"))
    for path in (first, again):
        TRAIN.main(["--hold-out", str(listed), "--seed", "7", "--steps", "2", "-o", str(path)])
    assert f"{first}: {first.stat().st_size:,} bytes, 4 words held out\n" in capsys.readouterr().out
    assert first.read_bytes() == again.read_bytes()

    learned = FittedMap.load(first)
    told = learned.metadata
    assert told["held_out"].splitlines() == sorted(HELD_OUT)
    assert (told["seed"], told["steps"]) == ("7", "2")
    assert (told["version_numpy"], told["version_torch"]) == (version("numpy"), version("torch"))
    assert told["sha256_isa.npz"] == TRAIN.sha256("isa.npz")
    assert len(told["sha256_google-news.safetensors"]) == 64
    assert learned.hypo_weights.shape == (300, 300)
    assert learned.hypo_weights.dtype == np.float32
    assert learned.hyper_weights is not None
    assert not np.array_equal(learned.hypo_weights, learned.hyper_weights)


def test_another_seed_gives_another_map(data: Any) -> None:
    one, other = (TRAIN.train(data, seed, 1)["hypo_weights"] for seed in (0, 1))
    assert not np.array_equal(one, other)


def test_validation_words_are_common_nouns_that_are_not_held_out() -> None:
    hypers, hypos = TRAIN.validation_words(isa(), HELD_OUT)
    assert (len(hypers), len(hypos)) == (70, 420)
    assert not {*hypers} & {*hypos}
    assert not {*hypers, *hypos} & {*FORMS}
    assert all(word.islower() for word in [*hypers, *hypos])
    assert TRAIN.validation_words(isa(), HELD_OUT) == (hypers, hypos)
    table = isa()
    assert all(any(table.entails(hypo, hyper) for hyper in hypers) for hypo in hypos[:20])
