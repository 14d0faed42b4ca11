"""`entvec evaluate`: once as a process, as a person runs it; else in this one, which has its libraries already."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from entvec.bundled import google_news, isa
from entvec.cli import app
from entvec.evaluate.taxonomy import wordnet_trees
from entvec.learn import EntailmentMap
from entvec.learn.fitted import FittedMap
from entvec.space import EntailmentSpace
from entvec.text import Evidence
from entvec.text.extraction.evidence_file import table_of
from entvec.vectors import Vectors

Arguments = list[str | Path]


def run_as_process(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "entvec", "evaluate", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        check=False,
    )


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    told = CliRunner().invoke(app, ["evaluate", *map(str, arguments)], env={"COLUMNS": "80", **environment})
    return subprocess.CompletedProcess([], told.exit_code, told.stdout, told.stderr)


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    path = tmp_path / "pets.tsv"
    entailments = [("dog", "animal"), ("cat", "animal"), ("poodle", "dog"), ("piano", "instrument")]
    lines = [f"{a}\t{b}\t1\n{b}\t{a}\t0\n" for a, b in entailments]
    path.write_text("word1\tword2\tlabel\n" + "".join(lines) + "qqqqq\tdog\t0\n")
    return path


def test_a_file_is_measured_with_the_rows_of_the_paper(pets: Path) -> None:
    done = run_as_process(pets)
    assert done.returncode == 0
    assert "pets: 8 pairs (4 entailments), 1 left out for want of a vector" in done.stdout
    for text in ("50% Acc", "Dir Acc", "unk_dup", "weighted_cosine", "second word only", "frequency only"):
        assert text in done.stdout


def test_one_row_for_programs(pets: Path) -> None:
    done = run(pets, "--interpretation", "unk_dup", "--operator", "backward", "--format", "json")
    told = json.loads(done.stdout)
    assert (told["benchmark"], told["pairs"], told["skipped"]) == ("pets", 8, 1)
    assert [row["operator"] for row in told["rows"]] == ["backward", "second word only", "frequency only"]
    for row in told["rows"]:
        assert 0 <= row["accuracy_at_half"] <= 1
    assert told["rows"][0]["supervision"] == "none"


def test_a_row_that_the_paper_has_not(pets: Path) -> None:
    done = run(pets, "--interpretation", "dup", "--operator", "forward", "--format", "tsv")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0][:2] == ["operator", "interpretation"]
    assert lines[1][:2] == ["forward", "dup"]


def test_other_vectors_and_some_more(pets: Path, tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("dog 1 2\nanimal 1 -2\n")
    (tmp_path / "more.txt").write_text("cat 1 3\n")
    done = run(pets, "--vectors", tmp_path / "some.txt", "--extra-vectors", tmp_path / "more.txt", "--format", "json")
    assert json.loads(done.stdout)["pairs"] == 4


def test_three_ways_for_labels_with_minus_one(tmp_path: Path) -> None:
    path = tmp_path / "ways.tsv"
    path.write_text("dog\tanimal\t1\nanimal\tcat\t-1\ndog\tcat\t0\npoodle\tdog\t1\n")
    table, told = (run(path, "--operator", "dot", "--format", layout) for layout in ("table", "json"))
    assert "3-way Acc" in table.stdout
    assert "…" not in table.stdout
    row = json.loads(told.stdout)["rows"][0]
    assert 0 <= row["accuracy_three_ways_low"] <= row["accuracy_three_ways"] <= row["accuracy_three_ways_high"] <= 1


def test_grades_are_measured_by_rank(tmp_path: Path) -> None:
    path = tmp_path / "graded.tsv"
    path.write_text("WORD1\tWORD2\tAVG_SCORE\ndog\tanimal\t5.9\nanimal\tdog\t1.2\npiano\tdog\t0.1\n")
    table, told = (run(path, "--operator", "cosine", "--format", layout) for layout in ("table", "json"))
    assert "Spearman" in table.stdout
    assert "50% Acc" not in table.stdout
    row = json.loads(told.stdout)["rows"][0]
    assert row["spearman"] == pytest.approx(0.866, abs=1e-3)
    assert row["p_value"] is None


@pytest.fixture
def learned(tmp_path: Path) -> Path:
    path = tmp_path / "learned.safetensors"
    pairs = google_news()[["oak", "tree", "tree", "oak", "rose", "flower", "flower", "rose"]].reshape(-1, 2, 300)
    EntailmentMap("factorised", random_state=0).fit(pairs, [1, 0, 1, 0]).save(path)
    return path


def test_a_saved_map_is_measured(pets: Path, learned: Path) -> None:
    row = json.loads(run(pets, "--map", learned, "--format", "json").stdout)["rows"][0]
    assert (row["operator"], row["interpretation"], row["supervision"]) == ("factorised", "mapped", "map")
    assert "mapped factorised" in run(pets, "--map", learned).stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--operator", "dot"], 2, "a map has its own; leave --interpretation and --operator out"),
        (["--vectors", "{folder}/some.txt"], 1, "the map takes vectors of 300 numbers, these have 2"),
    ],
)
def test_a_map_that_does_not_fit_is_told(
    pets: Path, learned: Path, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    (tmp_path / "some.txt").write_text("dog 1 2\nanimal 1 -2\n")
    done = run(pets, "--map", learned, *(part.format(folder=tmp_path) for part in arguments))
    assert done.returncode == code
    assert message in told(done)


def told(done: subprocess.CompletedProcess[str]) -> str:
    """What stands on stderr, without the frame around it."""
    return " ".join(done.stderr.replace("│", " ").split())


def test_a_map_that_is_none_is_one_line(pets: Path) -> None:
    done = run(pets, "--map", pets)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"{pets}" in done.stderr


def test_the_bundled_benchmark_by_its_name() -> None:
    done = run("wordnet", "--operator", "backward", "--interpretation", "dup")
    assert "wordnet: 1,600 pairs (800 entailments), 0 left out" in done.stdout


def test_weeds_bless_by_its_name(shared_data: Path) -> None:
    done = run("weeds-bless", "--operator", "backward", "--interpretation", "unk_dup", ENTVEC_DATA=str(shared_data))
    assert "weeds-bless: 1,219 pairs (572 entailments), 449 left out" in done.stdout
    assert "72.0" in done.stdout
    assert "79.4" in done.stdout


def test_a_benchmark_that_is_neither_a_name_nor_a_file_is_one_line(tmp_path: Path) -> None:
    done = run(tmp_path / "none.tsv")
    assert (done.returncode, done.stderr) == (
        1,
        f"entvec: {tmp_path / 'none.tsv'}: it cannot be read: No such file or directory; "
        "expected a file, or one of wordnet, weeds-bless, baroni2012\n",
    )


def test_a_benchmark_of_unknown_words_says_so(tmp_path: Path) -> None:
    (tmp_path / "odd.tsv").write_text("qqqqq\tzzzzz\t1\n")
    done = run(tmp_path / "odd.tsv")
    assert (done.returncode, done.stderr) == (
        1,
        "entvec: odd has no pairs, expected some; have their words vectors?\n",
    )


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a space of a few nouns, its map of two sides with offsets, and its vectors."""
    folder = tmp_path_factory.mktemp("birds")
    names = ["dog", "animal", "cat", "poodle", "piano", "instrument"]
    hypos = isa().hyponyms("bird")[:20]
    some = google_news().subset([*names, *hypos, *(hyper for hypo in hypos for hyper in isa().hypernyms(hypo))])
    vectors = Vectors(list(some), some.matrix[:, :20])
    rng = np.random.default_rng(0)
    parts: list[Any] = [rng.normal(size=shape) for shape in ((20, 6), 6, (20, 6), 6, 21, 21, 21)]
    plain = FittedMap("backward", *parts)
    learned = replace(plain, metadata={"held_out": "\n".join([*hypos[:5], "dog", "animal"])})
    learned.save(folder / "map.safetensors")
    vectors.save(folder / "vectors.safetensors")
    EntailmentSpace.from_vectors(vectors, map=learned, specificity=0.5).save(folder / "space")
    (folder / "birds.txt").write_text("\n".join([*hypos, "qqqqq"]))
    return folder


def test_a_map_of_two_sides_with_offsets_is_measured(pets: Path, birds: Path) -> None:
    learned: Arguments = ["--map", birds / "map.safetensors", "--vectors", birds / "vectors.safetensors"]
    saved: Arguments = ["--space", birds / "space"]
    found, same = (json.loads(run(pets, *chosen, "--format", "json").stdout) for chosen in (learned, saved))
    assert found == same
    assert (found["held_out"], found["asked"]) == (2, 6)
    space = EntailmentSpace.load(birds / "space")
    pairs = [("dog", "animal"), ("cat", "animal"), ("poodle", "dog"), ("piano", "instrument")]
    right = [space.score(*pair) > space.score(*reversed(pair)) for pair in pairs]
    assert found["rows"][0]["direction_accuracy"] == np.mean(right)
    shown = run(pets, "--space", birds / "space").stdout
    assert "the map was fitted without 2 of these 6 words" in shown


def test_discovery_of_hypernyms_in_a_space(birds: Path) -> None:
    done = run("discovery", "--space", birds / "space", "--words", birds / "birds.txt", "--format", "json")
    found = json.loads(done.stdout)
    assert (found["words"], found["skipped"]) == ({"specific": 20, "all": 20}, 1)
    assert (found["held_out"], found["asked"]) == (5, 20)
    assert [(row["operator"], row["interpretation"], row["specificity"]) for row in found["rows"]] == [
        ("backward", "mapped", 0.5),
        ("backward", "mapped", 0.0),
        ("similarity only", "-", None),
        ("generality only", "-", None),
        ("frequency only", "-", None),
    ]
    for row in found["rows"]:
        for name in ("specific_mrr", "specific_hit_at_10", "all_mrr", "all_hit_at_1"):
            assert 0 <= row[f"{name}_low"] <= row[name] <= row[f"{name}_high"] <= 1


def test_discovery_as_a_table_fits_a_terminal(birds: Path) -> None:
    chosen: Arguments = ["--vectors", birds / "vectors.safetensors", "--interpretation", "dup", "--specificity", "0.25"]
    done = run("discovery", *chosen, "--words", birds / "birds.txt")
    assert "nouns ranked for each of 20 words, 1 left out\n" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[:4] for line in lines if line[:2] == ["dup", "backward"]] == [["dup", "backward", "at", "0.25"]] * 2
    for text in ("specific (20 words)", "all (20 words)", "MRR", "hit@10", "similarity only"):
        assert text in done.stdout
    assert "…" not in done.stdout
    assert "the map" not in done.stdout


def test_discovery_with_more_vectors_and_another_table(birds: Path, tmp_path: Path) -> None:
    table = isa()
    columns = ("hypo", "hyper", "relation", "distance", "hypo_sense", "hyper_sense", "hypo_depth", "hyper_depth")
    renamed = np.array(["phoenix" if word == "owl" else word for word in table.words])
    np.savez(tmp_path / "isa.npz", words=renamed, **{name: getattr(table, name) for name in columns})
    owl = google_news()["owl"][:20]
    Vectors(["phoenix"], owl[None]).save(tmp_path / "more.safetensors")
    (tmp_path / "words.txt").write_text("phoenix\nowl\n")
    arguments: Arguments = ["--extra-vectors", tmp_path / "more.safetensors", "--isa", tmp_path / "isa.npz"]
    done = run(
        "discovery", "--space", birds / "space", *arguments, "--words", tmp_path / "words.txt", "--format", "tsv"
    )
    names, first, *_ = (line.split("\t") for line in done.stdout.splitlines())
    row = dict(zip(names, first, strict=True))
    assert (row["operator"], row["specificity"]) == ("backward", "0.5")
    assert 0 < float(row["specific_mrr"]) <= 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["wordnet", "--words", "wordnet"], 2, "Invalid value for --words: it is for `entvec evaluate discovery`"),
        (
            ["wordnet", "--specificity", "0"],
            2,
            "Invalid value for --specificity: it is for `entvec evaluate discovery`",
        ),
        (["discovery", "--words", "none.txt"], 1, "none.txt: it cannot be read: No such file or directory"),
        (["discovery", "--specificity", "nan"], 1, "expected numbers, 0 for none"),
        (["taxonomy", "--isa", "isa.npz"], 2, "Invalid value for --isa: it is for `entvec evaluate discovery`"),
        (["wordnet", "--only", "audit"], 2, "Invalid value for --only: it is for `entvec evaluate taxonomy`"),
        (
            ["taxonomy", "--only", "induction", "--only", "poetry"],
            2,
            "Invalid value for --only: no study 'poetry', expected one of induction, placement, phrases, negations",
        ),
        (["wordnet", "--benchmark", "texeval"], 2, "for --benchmark: it is for `entvec evaluate taxonomy`"),
        (["taxonomy", "--benchmark", "nope"], 2, "no benchmark 'nope', expected one of texeval, wordnet-subtrees"),
        (["taxonomy", "--benchmark", "texeval"], 2, "texeval takes gold edges"),
        (["taxonomy", "--file", "x.taxo"], 2, "Invalid value for --file: it is for --benchmark"),
        (["taxonomy", "--benchmark", "texeval", "--only", "audit"], 2, "it is for the studies"),
    ],
)
def test_options_that_mean_nothing_are_told(arguments: list[str], code: int, message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in told(done)


# Taxonomies


@pytest.fixture
def two_trees(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The words of two small trees, which stand for all, to be quick."""
    every = zip(wordnet_trees.TEST, wordnet_trees.trees(), strict=True)
    small = [name for name, tree in every if len(tree.words) < 25]
    monkeypatch.setitem(wordnet_trees.ROOTS, "test", tuple(small[:2]))
    wordnet_trees._trees.cache_clear()
    yield sorted({word for tree in wordnet_trees.trees() for word in tree.words})
    wordnet_trees._trees.cache_clear()


def invoke(*arguments: str | Path) -> str:
    done = CliRunner().invoke(app, ["evaluate", *map(str, arguments)], env={"COLUMNS": "80", "TERM": "dumb"})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_trees_are_recovered_and_told_to_programs(two_trees: list[str]) -> None:
    found = json.loads(invoke("taxonomy", "--only", "induction", "--format", "json"))
    assert (found["benchmark"], found["words"], found["held_out"]) == ("taxonomy", len(two_trees), len(two_trees))
    assert [(row["study"], row["row"], row["n"], row["baseline"]) for row in found["rows"]] == [
        ("induction", "tree", 2, False),
        ("induction", "dag", 2, False),
        ("induction", "nearest more frequent word", 2, True),
        ("induction", "string containment", 2, True),
        ("induction", "tree, new words", 2, False),
        ("induction", "tree, strict", 2, False),
        ("induction", "tree / better baseline", 2, False),
    ]
    for row in found["rows"][:-1]:
        for name in ("ancestor_f1", "edge_f1"):
            assert 0 <= row[f"{name}_low"] <= row[name] <= row[f"{name}_high"] <= 1


@pytest.mark.usefixtures("two_trees")
def test_lines_of_a_study_have_a_measure_each_and_say_the_same() -> None:
    asked = ("taxonomy", "--only", "induction", "--only", "induction", "--format")
    names, *lines = (line.split("\t") for line in invoke(*asked, "tsv").splitlines())
    assert names == ["study", "row", "n", "baseline", "measure", "value", "low", "high"]
    assert len({(line[1], line[4]) for line in lines}) == len(lines) > 4 * 6  # named twice, a study is done once
    told = {row["row"]: row for row in json.loads(invoke(*asked, "json"))["rows"]}
    for _, row, _, _, measure, value, low, high in lines:
        same = (told[row][measure], told[row][f"{measure}_low"], told[row][f"{measure}_high"])
        assert (float(value), float(low), float(high)) == same


def test_a_study_as_a_table_fits_a_terminal(two_trees: list[str]) -> None:
    shown = invoke("taxonomy", "--only", "induction")
    assert f"taxonomy: 2 trees of {len(two_trees)} words, {len(two_trees)} of them held out" in shown
    assert "induction: trees recovered from their words (n = 2)" in shown
    for text in ("anc. F1", "edge F1", "edge R", "tree", "dag", "string containment"):
        assert text in shown
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.usefixtures("two_trees")
def test_studies_in_another_space() -> None:
    shown = invoke("taxonomy", "--only", "common", "--interpretation", "unk_dup")
    assert "which of them the map was fitted to is not known" in " ".join(shown.split())
    assert "nearest to the average" in shown


def test_a_space_without_the_words_of_the_trees_is_refused(birds: Path) -> None:
    done = run("taxonomy", "--space", birds / "space")
    assert (done.returncode, done.stdout) == (2, "")
    assert "of the words of the trees have no vector" in told(done)


def test_a_space_without_probabilities_builds_no_trees() -> None:
    done = run("taxonomy", "--only", "induction", "--interpretation", "unk_dup")
    assert (done.returncode, done.stdout) == (1, "")
    assert "this space has no probabilities, expected a calibrated one" in told(done)


def test_a_map_that_does_not_say_what_it_has_seen(pets: Path, learned: Path) -> None:
    assert "which of these words the map was fitted to is not known" in run(pets, "--map", learned).stdout


def test_help_has_examples() -> None:
    assert "entvec evaluate weeds-bless" in run("--help").stdout.split("Examples:")[1]


def test_texts_have_rows_of_their_own(tmp_path: Path) -> None:
    rows = [Evidence("dog", "animal", "is-a", 1, 1, ()), Evidence("oak", "tree", "is-a", 1, 1, ())]
    pq.write_table(table_of(rows), tmp_path / "evidence.parquet")
    (tmp_path / "pairs.tsv").write_text("dog\tanimal\t1\nanimal\tdog\t0\noak\ttree\t1\ntree\toak\t0\n")
    options = [str(tmp_path / "pairs.tsv"), "--evidence", str(tmp_path / "evidence.parquet")]
    found = json.loads(CliRunner().invoke(app, ["evaluate", *options, "--format", "json"]).stdout)["rows"]
    of_text = {row["operator"]: row["accuracy_at_half"] for row in found if row["supervision"] == "text"}
    assert list(of_text) == ["patterns", "smoothed", "SVD", "fused"]
    assert of_text["patterns"] == 1
    for other in (["evaluate", "discovery", *options[1:]], ["evaluate", *options, "--map", "learned.safetensors"]):
        refused = CliRunner().invoke(app, other, env={"COLUMNS": "200"})
        assert refused.exit_code == 2
        assert "texts are measured by rows of their own" in refused.stderr


def test_a_public_benchmark_stands_beside_what_others_report(tmp_path: Path) -> None:
    path = tmp_path / "pets.taxo"
    path.write_text("0\tpoodle\tdog\n1\tguide dog\tdog\n2\tdog\tanimal\n")
    shown = invoke("taxonomy", "--benchmark", "texeval", "--file", path)
    assert "build, facts of 4 of 4 known" in shown
    assert "published: TaxoLLaMA, food (" in shown
    assert "leakage: the map and the encoders have learned" in shown
