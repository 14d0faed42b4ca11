"""`entvec fit`."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from entvec.bundled import BENCHMARK, google_news
from entvec.cli import app
from entvec.learn import EntailmentMap, FittedMap
from entvec.text import Evidence
from entvec.text.extraction.evidence_file import table_of
from entvec.vectors import Vectors


def ask(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "100", "TERM": "dumb"})


LINES = BENCHMARK.read_text(encoding="utf-8").splitlines()
PAIRS = [line.split("\t") for line in LINES[1:121]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with labelled pairs and vectors of their words, of few dimensions, to be quick."""
    folder = tmp_path_factory.mktemp("fit")
    (folder / "pairs.tsv").write_text("\n".join(LINES[:121]) + "\n", encoding="utf-8")
    words = sorted({word for hypo, hyper, *_ in PAIRS for word in (hypo, hyper)})
    some = google_news().subset([*words, "dog", "animal"])
    Vectors(list(some), some.matrix[:, :20]).save(folder / "vectors.safetensors")
    return folder


def fit(world: Path, *arguments: str | Path, pairs: str = "pairs.tsv") -> Result:
    options = ("--vectors", world / "vectors.safetensors", "-o", world / "map.safetensors")
    return ask("fit", world / pairs, *options, *arguments)


def test_a_map_is_learned_written_and_used(world: Path) -> None:
    done = fit(world)
    path, vectors = world / "map.safetensors", world / "vectors.safetensors"
    assert (done.exit_code, done.stdout) == (0, "")
    assert f"written: {path} (backward, 20x20, fitted to pairs: 120 pairs, " in done.stderr
    assert f"next: entvec hypernyms WORD --vectors {vectors} --map {path}" in done.stderr
    told = json.loads(ask("score", "dog", "animal", "--vectors", vectors, "--map", path, "--format", "json").stdout)
    assert 0 < told["probability"] < 1


def test_it_is_the_map_that_the_library_fits(world: Path) -> None:
    fit(world, "--operator", "factorised", "-C", "0.03", "--seed", "7")
    found = EntailmentMap.load(world / "map.safetensors")
    table = Vectors.load(world / "vectors.safetensors")
    pairs = table[[word for hypo, hyper, *_ in PAIRS for word in (hypo, hyper)]].reshape(-1, 2, 20)
    expected = EntailmentMap("factorised", C=0.03, random_state=7).fit(pairs, [int(row[2]) for row in PAIRS])
    np.testing.assert_allclose(found.weights_, expected.weights_, rtol=1e-3, atol=1e-4)
    assert (found.operator, found.C, found.random_state) == ("factorised", 0.03, 7)
    assert found.metadata_["vectors"] == "vectors.safetensors"
    assert found.metadata_["fitted to"].startswith("pairs: 120 pairs, ")


def test_the_same_seed_gives_the_same_map(world: Path) -> None:
    made = []
    for seed in ("1", "1", "2"):
        fit(world, "--seed", seed)
        made.append(FittedMap.load(world / "map.safetensors").hypo_weights)
    assert np.array_equal(made[0], made[1])
    assert not np.array_equal(made[0], made[2])


def test_folds_say_first_what_to_expect_of_words_not_seen(world: Path) -> None:
    told = fit(world, "--folds", "4").stdout
    assert "On words that it has not seen, a map fitted to" in told
    assert "of all 120 pairs" in told
    measured = json.loads(fit(world, "--folds", "4", "--format", "json").stdout)
    assert measured["folds"] == 4
    assert measured["learned_from"] <= 90  # three quarters, less what shares a word
    n_true = sum(row[2] == "1" for row in PAIRS)
    shares = measured["accuracy_of_entailments"] * n_true + measured["accuracy_of_others"] * (120 - n_true)
    assert shares / 120 == pytest.approx(measured["accuracy"])


def test_folds_cannot_be_won_by_knowing_the_words(tmp_path: Path) -> None:
    """Labels that depend on the second word alone, and vectors that are noise: nothing can be known of unseen words."""
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(80)]
    Vectors(words, rng.normal(size=(80, 30))).save(tmp_path / "vectors.safetensors")
    label = {word: int(rng.integers(2)) for word in words}
    pairs = [(words[rng.integers(80)], words[rng.integers(80)]) for _ in range(300)]
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\t{label[b]}\n" for a, b in pairs))
    measured = json.loads(fit(tmp_path, "--folds", "20", "-C", "1", "--format", "json").stdout)
    assert measured["accuracy"] < 0.65


def test_words_are_kept_away(world: Path) -> None:
    held = {word for hypo, hyper, *_ in PAIRS[:5] for word in (hypo, hyper)}
    kept = [row for row in PAIRS if not {row[0], row[1]} & held]
    (world / "words.txt").write_text("".join(f"{word.upper()}\n" for word in held), encoding="utf-8")
    (world / "held.tsv").write_text("".join(f"{row[0]}\t{row[1]}\t{row[2]}\n" for row in PAIRS[:5]), encoding="utf-8")
    (world / "held.json").write_text(json.dumps([[row[0], row[1], int(row[2])] for row in PAIRS[:5]]))
    for name in ("words.txt", "held.tsv", "held.json"):
        done = fit(world, "--hold-out", world / name)
        assert f"{120 - len(kept)} pairs left out because of words in {world / name}" in done.stderr
        assert f"fitted to pairs: {len(kept)} pairs" in done.stderr


def test_pairs_without_vectors_are_left_out_and_counted(world: Path) -> None:
    (world / "more.tsv").write_text("\n".join([*LINES[:121], "qqqqq\tdog\t1\tx", ""]), encoding="utf-8")
    assert "1 of 121 pairs left out for want of a vector" in fit(world, pairs="more.tsv").stderr


def test_a_fit_that_has_not_converged_is_told_in_one_line(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.learn.EntailmentMap", partial(EntailmentMap, max_iter=1), raising=False)
    told = fit(world, "--folds", "2").stderr.splitlines()
    assert told[0].startswith("entvec: the map did not converge in 1 steps")
    assert [line.split(":")[0] for line in told][:3] == ["entvec", "written", "next"]


@pytest.mark.parametrize(
    ("pairs", "arguments", "code", "message"),
    [
        ("dog\tanimal\t1\n", [], 1, "of 1 pairs 1 are entailments, expected some that are and some that are not"),
        ("qqq\tzzz\t1\n", [], 1, "of 0 pairs 0 are entailments"),
        ("dog\tanimal\tperhaps\n", [], 1, "line 1: expected True or False"),
        ("word1\tword2\tscore\ndog\tanimal\t5.5\n", [], 1, "is graded, expected pairs labelled 1 or 0"),
        ("dog\tanimal\t1\nanimal\tdog\t0\n", ["--folds", "2"], 1, "2 pairs are too few for 2 folds"),
        ("dog\tanimal\t1\nanimal\tdog\t0\n", ["--folds", "3"], 1, "expected at least one for each of 3 folds"),
        ("", [], 1, "expected pairs, found an empty file"),
        ("dog\tanimal\t1\nanimal\tdog\t0\n", ["--folds", "1"], 2, "--folds is 1, expected 0, or 2 or more"),
        ("dog\tanimal\t1\nanimal\tdog\t0\n", ["-C", "0"], 2, "-C is 0, expected more"),
        ("dog\tanimal\t1\nanimal\tdog\t0\n", ["--operator", "dot"], 2, "--operator"),
        (
            "dog\tanimal\t1\nanimal\tdog\t0\n",
            ["--hold-out", "none.txt"],
            1,
            "none.txt: it cannot be read: No such file or directory",
        ),
        ("dog\tanimal\t1\nanimal\tdog\t0\n", ["-o", "no/folder/map"], 1, "there is no folder no/folder"),
    ],
)
def test_what_cannot_be_learned_from_is_told(
    pairs: str, arguments: list[str], code: int, message: str, world: Path
) -> None:
    (world / "odd.tsv").write_text(pairs)
    (world / "map.safetensors").unlink(missing_ok=True)
    done = fit(world, *arguments, pairs="odd.tsv")
    assert done.exit_code == code
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert not (world / "map.safetensors").exists()


def test_help_has_examples() -> None:
    assert "entvec fit pairs.tsv -o learned.safetensors" in ask("fit", "--help").stdout.split("Examples:")[1]


def test_a_map_is_learned_from_what_texts_say(world: Path) -> None:
    named = [(hypo, hyper) for hypo, hyper, label, *_ in PAIRS if label == "1"]
    rows = [Evidence(hypo, hyper, "is-a", 1, 1, ()) for hypo, hyper in sorted(named)]
    pq.write_table(table_of(rows), world / "evidence.parquet")
    options = ("--vectors", world / "vectors.safetensors", "-o", world / "weak.safetensors")
    done = ask("fit", "--evidence", world / "evidence.parquet", "--folds", "3", *options)
    assert done.exit_code == 0
    assert "fitted to evidence.parquet: " in done.stderr
    assert f"{len(named)} entailments" in done.stderr
    assert FittedMap.load(world / "weak.safetensors").metadata["fitted to"].startswith("evidence.parquet")
    both = ask("fit", world / "pairs.tsv", "--evidence", world / "evidence.parquet", *options)
    assert both.exit_code == 2
    assert "expected a file of labelled pairs, --evidence or --encoder" in both.stderr
