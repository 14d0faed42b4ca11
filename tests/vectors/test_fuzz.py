"""Damaged files of every format are refused in order: a short run of the fuzzer in tools, with a fixed seed."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from entvec.vectors import FORMATS
from entvec.vectors.source import COMPRESSIONS

SCRIPT = Path(__file__).parents[2] / "tools" / "fuzz_vectors.py"
if not SCRIPT.is_file():
    pytest.skip(f"no {SCRIPT}: the tools come with the repository only", allow_module_level=True)

NEEDS = {"parquet": "pyarrow", "gensim": "gensim", "fasttext": "gensim"}
MUTATIONS = 250
SEED = 20160807


@pytest.fixture(scope="module")
def fuzzer() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("fuzz_vectors", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for their module there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("name", [*FORMATS, *COMPRESSIONS, ".zip"])
def test_only_a_vector_file_error_escapes(fuzzer: ModuleType, name: str, tmp_path: Path) -> None:
    for library in {"pyarrow", "gensim"} if name not in NEEDS else {NEEDS[name]}:
        pytest.importorskip(library)  # any file may be read as any format
    outcomes = [fuzzer.attempt(case, tmp_path / "case") for case in fuzzer.cases(name, SEED, MUTATIONS)]
    assert [f"case {each.number}: {each.message}\n{each.detail}" for each in outcomes if each.kind == "failed"] == []
    assert {each.kind for each in outcomes} == {"fine", "refused"}


@pytest.mark.parametrize("name", [*FORMATS, *COMPRESSIONS, ".zip"])
def test_the_sound_files_are_read(fuzzer: ModuleType, name: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    for i, sample in enumerate(fuzzer.samples(name)):
        outcome = fuzzer.attempt(fuzzer.Case(i, sample.data, {"trust_pickle": True}, ""), tmp_path / "case")
        assert outcome.kind == "fine", outcome.message


def test_the_same_seed_makes_the_same_files(fuzzer: ModuleType) -> None:
    first, again, other = ([case.data for case in fuzzer.cases("npz", seed, 20)] for seed in (SEED, SEED, SEED + 1))
    assert first == again
    assert first != other


def test_every_format_is_covered(fuzzer: ModuleType) -> None:
    assert set(fuzzer.TARGETS) == {*FORMATS, *COMPRESSIONS, ".zip"}


def test_a_failure_is_seen_and_its_file_kept(
    fuzzer: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: Path, **options: object) -> None:
        raise KeyError(f"word {path.stat().st_size}")

    monkeypatch.setattr(fuzzer, "read", broken)
    tally = fuzzer.Tally("glove", SEED, tmp_path)
    for case in fuzzer.cases("glove", SEED, 5):
        tally.add(fuzzer.attempt(case, tmp_path / "case"))
    assert tally.kinds == {"failed": 5}
    assert len(tally.failures) == 1  # the same but for a number
    kept = sorted(tmp_path.glob("*.bin"))
    assert [path.name for path in kept] == [f"glove-{SEED}-{i}.bin" for i in range(3)]
    assert kept[0].read_bytes() == fuzzer.case("glove", SEED, 0).data


def test_a_case_that_takes_too_long_is_a_failure(
    fuzzer: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(path: Path, **options: object) -> None:
        while True:
            pass

    monkeypatch.setattr(fuzzer, "read", endless)
    outcome = fuzzer.attempt(fuzzer.case("glove", SEED, 0), tmp_path / "case", seconds=0.05)
    assert outcome.kind == "failed"
    assert outcome.message.startswith("TooSlow")
