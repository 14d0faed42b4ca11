"""Damaged files of every format are refused in order: a short run of the fuzzer in tools, with a fixed seed."""

from pathlib import Path

import pytest

from entvec.vectors import FORMATS
from entvec.vectors.source import COMPRESSIONS

FUZZER = pytest.importorskip("fuzz_vectors", reason="the scripts come with the repository only")

NEEDS = {"parquet": "pyarrow", "gensim": "gensim", "fasttext": "gensim"}
MUTATIONS = 250
SEED = 20160807


@pytest.mark.parametrize("name", [*FORMATS, *COMPRESSIONS, ".zip"])
def test_only_a_vector_file_error_escapes(name: str, tmp_path: Path) -> None:
    for library in {"pyarrow", "gensim"} if name not in NEEDS else {NEEDS[name]}:
        pytest.importorskip(library)  # any file may be read as any format
    outcomes = [FUZZER.attempt(case, tmp_path / "case") for case in FUZZER.cases(name, SEED, MUTATIONS)]
    assert [f"case {each.number}: {each.message}\n{each.detail}" for each in outcomes if each.kind == "failed"] == []
    assert {each.kind for each in outcomes} == {"fine", "refused"}


@pytest.mark.parametrize("name", [*FORMATS, *COMPRESSIONS, ".zip"])
def test_the_sound_files_are_read(name: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    for i, sample in enumerate(FUZZER.samples(name)):
        outcome = FUZZER.attempt(FUZZER.Case(i, sample.data, {"trust_pickle": True}, ""), tmp_path / "case")
        assert outcome.kind == "fine", outcome.message


def test_the_same_seed_makes_the_same_files() -> None:
    first, again, other = ([case.data for case in FUZZER.cases("npz", seed, 20)] for seed in (SEED, SEED, SEED + 1))
    assert first == again
    assert first != other


def test_every_format_is_covered() -> None:
    assert set(FUZZER.TARGETS) == {*FORMATS, *COMPRESSIONS, ".zip"}


def test_a_failure_is_seen_and_its_file_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: Path, **options: object) -> None:
        raise KeyError(f"word {path.stat().st_size}")

    monkeypatch.setattr(FUZZER, "read", broken)
    tally = FUZZER.Tally("glove", SEED, tmp_path)
    for case in FUZZER.cases("glove", SEED, 5):
        tally.add(FUZZER.attempt(case, tmp_path / "case"))
    assert tally.kinds == {"failed": 5}
    assert len(tally.failures) == 1  # the same but for a number
    kept = sorted(tmp_path.glob("*.bin"))
    assert [path.name for path in kept] == [f"glove-{SEED}-{i}.bin" for i in range(3)]
    assert kept[0].read_bytes() == FUZZER.case("glove", SEED, 0).data


def test_a_case_that_takes_too_long_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(path: Path, **options: object) -> None:
        while True:
            pass

    monkeypatch.setattr(FUZZER, "read", endless)
    outcome = FUZZER.attempt(FUZZER.case("glove", SEED, 0), tmp_path / "case", seconds=0.05)
    assert outcome.kind == "failed"
    assert outcome.message.startswith("TooSlow")
