"""Maps in files: what is loaded is what was saved, and a file that is no map is told."""

import json
import os
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from entvec import tensors
from entvec.bundled import toy_world
from entvec.errors import CannotWrite, InvalidInput, MapFileError
from entvec.learn import EntailmentMap, storage
from entvec.learn.objective import LEARNABLE
from entvec.vectors import Vectors

WORLD = toy_world()
PAIRS = np.array([[WORLD.log_odds(word) for word in pair] for pair in WORLD.pairs()])
LABELS = np.array([WORLD.entails(*pair) for pair in WORLD.pairs()], dtype=int)
SETTINGS = json.dumps({"operator": "forward", "n_components": None, "C": 2.0})

pytestmark = pytest.mark.filterwarnings("ignore:the map did not converge")  # a few steps are enough here


def fitted(operator: str = "backward", **options: Any) -> EntailmentMap:
    return EntailmentMap(operator, random_state=0, max_iter=5, **options).fit(PAIRS, LABELS)


def file_of(
    *,
    weights: Any = ((1.0, 2.0), (3.0, 4.0)),
    bias: Any = (5.0, 6.0),
    decision: Any = (7.0, 8.0),
    version: str = storage.UNVERIFIED,
    metadata: dict[str, str] | None = None,
) -> bytes:
    parts = {"weights": weights, "bias": bias, "decision": decision}
    columns = {name: ("F64", np.array(part, dtype="<f8")) for name, part in parts.items()}
    head = tensors.encode(columns, {"settings": SETTINGS} if metadata is None else metadata, version)
    return head + b"".join(column.tobytes() for _, column in columns.values())


GOOD = file_of()


def loaded(content: bytes, folder: Path) -> EntailmentMap:
    path = folder / "a.map"
    path.write_bytes(content)
    return EntailmentMap.load(path)


# What is loaded is what was saved


@pytest.mark.parametrize("n_components", [None, 3, 8])
@pytest.mark.parametrize("operator", LEARNABLE)
def test_a_map_is_loaded_as_it_was_saved(tmp_path: Path, operator: str, n_components: int | None) -> None:
    learned = fitted(operator, n_components=n_components, C=0.5)
    learned.save(tmp_path / "a.map", metadata={"vectors": "toy", "犬": "é\n"})
    again = EntailmentMap.load(tmp_path / "a.map")
    assert again.metadata_ == {"vectors": "toy", "犬": "é\n"}
    assert (again.operator, again.n_components, again.C) == (operator, n_components, 0.5)
    assert (again.scale_, again.intercept_) == (learned.scale_, learned.intercept_)
    np.testing.assert_array_equal(again.weights_, learned.weights_)
    np.testing.assert_array_equal(again.transform(PAIRS[:, 0]), learned.transform(PAIRS[:, 0]))
    np.testing.assert_array_equal(again.pair_score(PAIRS), learned.pair_score(PAIRS))
    np.testing.assert_array_equal(again.predict_proba(PAIRS), learned.predict_proba(PAIRS))
    assert again.get_feature_names_out().tolist() == learned.get_feature_names_out().tolist()


def test_what_is_in_the_file_is_what_the_map_has(tmp_path: Path) -> None:
    again = loaded(GOOD, tmp_path)
    np.testing.assert_array_equal(again.weights_, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(again.bias_, [5, 6])
    assert (again.scale_, again.intercept_, again.operator, again.C) == (7, 8, "forward", 2)
    assert again.n_features_in_ == 2
    assert again.metadata_ == {}
    np.testing.assert_array_equal(again.transform([[1.0, 0.0]]), [[6, 8]])


def test_the_same_map_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first.map", "again.map"):
        fitted().save(tmp_path / name, metadata={"vectors": "toy"})
    assert (tmp_path / "first.map").read_bytes() == (tmp_path / "again.map").read_bytes()


def test_a_loaded_map_checks_vectors_and_can_be_fitted_again(tmp_path: Path) -> None:
    learned = fitted()
    learned.save(str(tmp_path / "a.map"))
    again = EntailmentMap.load(str(tmp_path / "a.map"))
    with pytest.raises(ValueError, match="4 features, but EntailmentMap is expecting 5"):
        again.transform(PAIRS[:, 0, :4])
    continued = clone(again).fit(PAIRS, LABELS, start=again)
    assert continued.loss_ < learned.loss_
    again.weights_[0] = 0  # it is nobody else's memory


def test_a_subclass_is_loaded_as_one(tmp_path: Path) -> None:
    class Special(EntailmentMap):
        pass

    fitted().save(tmp_path / "a.map")
    assert type(Special.load(tmp_path / "a.map")) is Special


def test_the_safetensors_library_reads_it(tmp_path: Path) -> None:
    learned = fitted()
    learned.save(tmp_path / "a.map", metadata={"vectors": "toy"})
    theirs = safetensors.numpy.load_file(tmp_path / "a.map")
    np.testing.assert_array_equal(theirs["weights"], learned.weights_)
    np.testing.assert_array_equal(theirs["bias"], learned.bias_)
    np.testing.assert_array_equal(theirs["decision"], [learned.scale_, learned.intercept_])
    with safetensors.safe_open(tmp_path / "a.map", framework="numpy") as opened:
        assert opened.metadata()["vectors"] == "toy"
        assert json.loads(opened.metadata()["settings"])["max_iter"] == 5


def test_a_generator_of_random_numbers_does_no_harm(tmp_path: Path) -> None:
    learned = EntailmentMap(max_iter=1, random_state=np.random.RandomState(3)).fit(PAIRS, LABELS)
    learned.save(tmp_path / "a.map")
    assert EntailmentMap.load(tmp_path / "a.map").random_state is None


@pytest.mark.parametrize("options", [{"n_components": np.int64(4)}, {"C": np.float32(0.5)}])
def test_settings_may_be_numbers_of_numpy(tmp_path: Path, options: dict[str, Any]) -> None:
    fitted(**options).save(tmp_path / "a.map")
    again = EntailmentMap.load(tmp_path / "a.map")
    for name, value in options.items():
        assert getattr(again, name) == value


# A file is written whole or not at all


@contextmanager
def full_disk(limit: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("limit", [100, 600])
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "a.map"
    path.write_text("old")
    learned = fitted()
    with full_disk(limit), pytest.raises(CannotWrite) as caught:
        learned.save(path)
    assert str(caught.value) == f"cannot write {path}: File too large"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_write_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.map"
    path.write_text("old")

    def interrupt(*ignored: object) -> None:
        raise KeyboardInterrupt

    learned = fitted()
    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        learned.save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ({"settings": "x"}, "an entry 'settings', which holds the settings of the map"),
        ({"digest": "x"}, "an entry 'digest', which holds the hash of the file"),
        ({"entvec": "x"}, "an entry 'entvec', which is the mark of the format"),
        ({"a": "\ud800"}, "the metadata are no text"),
        ({"a": "x" * (1 << 20)}, r"the metadata take 1,04\d,\d{3} bytes, expected at most 1,048,576"),
    ],
)
def test_metadata_that_cannot_be_kept_leave_the_old_file(
    tmp_path: Path, metadata: dict[str, str], problem: str
) -> None:
    path = tmp_path / "a.map"
    path.write_text("old")
    with pytest.raises(InvalidInput, match=problem):
        fitted().save(path, metadata=metadata)
    assert path.read_text() == "old"


@pytest.mark.parametrize("value", [3, ["a"], object()])
def test_metadata_that_are_no_text_are_refused(tmp_path: Path, value: Any) -> None:
    with pytest.raises(InvalidInput, match="the metadata are no text"):
        fitted().save(tmp_path / "a.map", metadata={"seed": value})


def test_a_map_that_is_not_fitted_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        EntailmentMap().save(tmp_path / "a.map")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "problem"), [("a.map", "it is a folder"), ("nowhere/a.map", "there is no folder")])
def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "a.map").mkdir()
    with pytest.raises(CannotWrite, match=problem):
        fitted().save(tmp_path / name)


# Files that are no maps


def settings_of(**changed: Any) -> bytes:
    return file_of(metadata={"settings": json.dumps({**json.loads(SETTINGS), **changed})})


SHAPES = r": expected weights \(d, n\), bias \(n\), decision \(2\) and offsets \(d \+ 1\), found \{.*\}$"
NO_SETTINGS = ": expected the settings of a map as JSON, found "
OPERATORS = ": expected one of the operators forward, backward, factorised, difference, found "
BAD = {
    "empty": (b"", ": expected a header, found the end of the file after 0 bytes"),
    "cut in the header": (GOOD[:100], ", byte 8: expected the JSON header of a safetensors file, found none"),
    "cut in the numbers": (
        GOOD[:-1],
        f": expected {len(GOOD)} bytes in all, as the header promises, found {len(GOOD) - 1}$",
    ),
    "cut after the header": (GOOD[:-64], f": expected {len(GOOD)} bytes in all, .* found {len(GOOD) - 64}$"),
    "bytes at the end": (
        GOOD + b"\0",
        f": expected {len(GOOD)} bytes in all, as the header promises, found {len(GOOD) + 1}$",
    ),
    "text": (b"dog 1 2 3\ncat 4 5 6\n", ", byte 0: expected a header of at most 1,048,576 bytes, found "),
    "too long a bias": (file_of(bias=[1, 2, 3]), SHAPES),
    "too short a bias": (file_of(bias=[1]), SHAPES),
    "a decision of one": (file_of(decision=[1]), SHAPES),
    "a decision of three": (file_of(decision=[1, 2, 3]), SHAPES),
    "weights for no vectors": (file_of(weights=np.empty((0, 2))), SHAPES),
    "a row of weights": (file_of(weights=[1, 2]), ": expected the tensor weights to have 2 dimensions of F32/F64 "),
    "a table of biases": (file_of(bias=[[1, 2]]), ": expected the tensor bias to have 1 dimensions of F32/F64 "),
    "NaN in the weights": (file_of(weights=[[1, np.nan], [3, 4]]), ": expected numbers, found NaN or infinity$"),
    "infinity in the bias": (file_of(bias=[1, np.inf]), ": expected numbers, found NaN or infinity$"),
    "NaN in the decision": (file_of(decision=[np.nan, 1]), ": expected numbers, found NaN or infinity$"),
    "an unknown operator": (settings_of(operator="cosine"), f"{OPERATORS}'cosine'$"),
    "an operator that is a list": (settings_of(operator=["forward"]), OPERATORS),
    "an operator that is nothing": (settings_of(operator=None), f"{OPERATORS}'None'$"),
    "settings without an operator": (
        file_of(metadata={"settings": '{"n_components": null, "C": 1}'}),
        f"{NO_SETTINGS}'{{\"n_comp",
    ),
    "settings that are no JSON": (file_of(metadata={"settings": "forward"}), f"{NO_SETTINGS}'forward'$"),
    "settings that are a list": (file_of(metadata={"settings": "[1]"}), rf"{NO_SETTINGS}'\[1\]'$"),
    "settings that are endless": (file_of(metadata={"settings": "[" * 100_000}), rf"{NO_SETTINGS}'\[{{40}}'$"),
    "no settings": (file_of(metadata={}), f"{NO_SETTINGS}''$"),
    "a version to come": (
        file_of(version="map 3"),
        ": expected 'map 2', found 'map 3'; a newer entvec may have written this file$",
    ),
}


@pytest.mark.parametrize(("content", "problem"), BAD.values(), ids=BAD)
def test_a_file_that_is_no_map_is_told(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(MapFileError, match=rf"a\.map{problem}") as caught:
        loaded(content, tmp_path)
    assert caught.value.path == tmp_path / "a.map"


def test_a_map_into_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(MapFileError, match="expected weights"):
        loaded(file_of(weights=np.empty((2, 0)), bias=[]), tmp_path)


@pytest.mark.parametrize("changed", [{"n_components": 7}, {"n_components": "2"}, {"C": "x"}, {"C": -1}, {"C": None}])
def test_settings_that_do_not_fit_the_map_are_told(tmp_path: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(MapFileError, match="settings"):
        loaded(settings_of(**changed), tmp_path)


def test_vectors_are_told_from_maps(tmp_path: Path) -> None:
    Vectors(["dog", "cat"], [[1.0, 2.0], [3.0, 4.0]]).save(tmp_path / "v.safetensors")
    with pytest.raises(MapFileError) as caught:
        EntailmentMap.load(tmp_path / "v.safetensors")
    assert str(caught.value) == (
        f"{tmp_path / 'v.safetensors'}: a safetensors file, but not one of maps as entvec writes them: "
        "expected the tensors weights, bias and decision, found vectors, words"
    )


def test_numbers_of_another_kind_are_told(tmp_path: Path) -> None:
    theirs: dict[str, Any] = {"weights": np.eye(2, dtype=np.float16), "bias": np.zeros(2), "decision": np.ones(2)}
    content = safetensors.numpy.save(theirs, metadata={"entvec": "map 1", "settings": SETTINGS})
    with pytest.raises(
        MapFileError, match=r"the tensor weights to have 2 dimensions of F32/F64 .*, found F16 \[2, 2\]"
    ):
        loaded(content, tmp_path)


def test_a_path_without_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(MapFileError, match=r"none\.map: there is no such file$"):
        EntailmentMap.load(tmp_path / "none.map")
    with pytest.raises(MapFileError, match=r": it cannot be read: it is a folder, expected a file$"):
        EntailmentMap.load(tmp_path)


def test_a_file_that_is_far_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "huge.map").write_bytes(GOOD)
    monkeypatch.setattr(storage, "LARGEST", len(GOOD) - 1)
    monkeypatch.setattr(Path, "read_bytes", None)
    with pytest.raises(MapFileError, match=rf"expected at most {len(GOOD) - 1} bytes, found {len(GOOD)}$"):
        EntailmentMap.load(tmp_path / "huge.map")


# Damaged files


def check_loads_soundly_or_is_refused(contents: Sequence[bytes], folder: Path) -> int:
    """How many were loaded; all others were refused in order."""
    sound = 0
    for content in contents:
        try:
            learned = loaded(content, folder)
        except MapFileError:
            continue
        sound += 1
        d, n = learned.weights_.shape
        assert (learned.n_features_in_, learned.bias_.shape) == (d, (n,))
        assert learned.operator in LEARNABLE
        assert all(np.isfinite(part).all() for part in (learned.weights_, learned.bias_))
        assert np.isfinite([learned.scale_, learned.intercept_]).all()
    return sound


@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80])
def test_a_flipped_bit_anywhere_is_refused_or_harmless(tmp_path: Path, mask: int) -> None:
    flipped = [GOOD[:at] + bytes([GOOD[at] ^ mask]) + GOOD[at + 1 :] for at in range(len(GOOD))]
    sound = check_loads_soundly_or_is_refused(flipped, tmp_path)
    assert 32 < sound < len(flipped) // 2  # most of the 64 bytes of numbers, few of the others


@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_anywhere_in_a_saved_map_is_refused(tmp_path: Path, bit: int) -> None:
    fitted().save(tmp_path / "saved.map", metadata={"source": f"{'0' * 64} and é"})
    saved = (tmp_path / "saved.map").read_bytes()
    assert loaded(saved, tmp_path).metadata_ == {"source": f"{'0' * 64} and é"}
    flipped = [saved[:at] + bytes([saved[at] ^ 1 << bit]) + saved[at + 1 :] for at in range(len(saved))]
    assert check_loads_soundly_or_is_refused(flipped, tmp_path) == 0


def test_every_cut_is_refused(tmp_path: Path) -> None:
    assert check_loads_soundly_or_is_refused([GOOD[:end] for end in range(len(GOOD))], tmp_path) == 0


def replaced(at: int, old: int, new: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content[:at] + new + content[at + old :]


@given(st.lists(st.builds(replaced, st.integers(0, len(GOOD)), st.integers(0, 8), st.binary(max_size=8)), max_size=4))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_any_damage_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, changes: list[Callable[[bytes], bytes]]
) -> None:
    content = GOOD
    for change in changes:
        content = change(content)
    check_loads_soundly_or_is_refused([content], tmp_path_factory.getbasetemp())


def test_a_device_or_a_pipe_without_a_writer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.files.WRITER_SECONDS", 0.01)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MapFileError, match=r"pipe: it cannot be read: it is a pipe that nobody writes to"):
        EntailmentMap.load(tmp_path / "pipe")
    with pytest.raises(MapFileError, match=r"/dev/zero: it cannot be read: it is a device"):
        EntailmentMap.load("/dev/zero")
