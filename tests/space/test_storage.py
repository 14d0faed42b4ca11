"""A space in a folder: what is loaded is what was saved, and a folder that is no space is told."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import entvec
from entvec.bundled import toy_world
from entvec.errors import CannotWrite, EntvecError, SpaceFileError, SpaceFileNotFound
from entvec.files import file_digest
from entvec.learn import FittedMap
from entvec.learn.calibration import Calibration
from entvec.model.model import OTHER
from entvec.model_folders import CARD
from entvec.space import EntailmentSpace, storage
from entvec.vectors import Vectors

WORLD = toy_world()
TOY = Vectors(WORLD.words, WORLD.log_odds(), counts=[60, 50, 40, 30, 20, 10], metadata={"name": "toy"})
RANDOM = np.random.default_rng(8)
PARTS: list[Any] = [RANDOM.normal(size=shape) / 2 for shape in ((5, 3), 3, (5, 3), 3, 6, 6, 6)]
MAP = replace(FittedMap("backward", *PARTS), scale=0.5, intercept=1.5, metadata={"held_out": "dog\ncat"})
KINDS: dict[str, dict[str, Any]] = {
    "interpretation": {"interpretation": "dup", "operator": "forward", "specificity": (0.25, 2.0)},
    "low rank": {"operator": "factorised"},
    "no inner product": {"operator": "weighted_cosine"},
    "a map of one side": {"map": FittedMap("difference", *PARTS[:2])},
    "a map of two sides with offsets": {"map": MAP},
    "float16": {"dtype": "float16"},
    "bfloat16": {"dtype": "bfloat16", "map": MAP},
    "float64": {"dtype": "float64", "operator": "cosine"},
}


def is_mapped(array: Any) -> bool:
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap)


def check_same(space: EntailmentSpace, other: EntailmentSpace) -> None:
    assert repr(space) == repr(other)
    assert (space.specificity, space.backend.dtype, space.calibration) == (
        other.specificity,
        other.backend.dtype,
        other.calibration,
    )
    assert space.model.low_rank == other.model.low_rank
    for ask in ("hypernyms", "hyponyms"):
        for query in ("dog", ["dog", "stone"], TOY.matrix[:2] / 2):
            one, two = (getattr(each, ask)(query, k=6).to_dict() for each in (space, other))
            assert one == two
    assert space.score("dog", "animal") == other.score("dog", "animal")
    np.testing.assert_array_equal(space.generality(list(TOY)), other.generality(list(TOY)))


def saved(path: Path, **options: Any) -> Path:
    """A folder with a space of all kinds of files."""
    space = EntailmentSpace.from_vectors(TOY, **{"map": MAP, **options})
    space.hypernyms("dog")
    space.save(path)
    return path


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("prepared", [(), ("hyper",), ("hypo",), ("hypo", "hyper")], ids=str)
def test_a_space_is_loaded_as_it_was_saved(name: str, prepared: tuple[Any, ...], tmp_path: Path) -> None:
    space = EntailmentSpace.from_vectors(TOY, **KINDS[name])
    if space.model.indexable:
        for side in prepared:
            space.keys[side]
    space.save(tmp_path / "space")
    again = EntailmentSpace.load(tmp_path / "space")
    for side in OTHER:
        assert (side in again.keys.computed) == (side in space.keys.computed)
    assert list(again.vectors) == list(TOY)
    assert again.vectors.metadata == {"name": "toy"}
    np.testing.assert_array_equal(again.vectors.counts, TOY.counts)
    np.testing.assert_array_equal(again.vectors.matrix, TOY.matrix)
    check_same(again, space)


def test_a_map_is_loaded_with_all_that_it_says(tmp_path: Path) -> None:
    again = EntailmentSpace.load(saved(tmp_path / "space"))
    assert again.map is not None
    assert again.map.metadata == MAP.metadata
    np.testing.assert_array_equal(again.map.generality, MAP.generality)
    assert again.probability("dog", "animal") == EntailmentSpace.from_vectors(TOY, map=MAP).probability("dog", "animal")


def test_a_calibration_is_loaded(tmp_path: Path) -> None:
    space = EntailmentSpace.from_vectors(TOY).with_calibration(Calibration.platt(0.0, -1.25))
    space.save(tmp_path / "space")
    assert EntailmentSpace.load(tmp_path / "space").calibration == Calibration.platt(0.0, -1.25)


def test_the_package_loads_a_saved_space(tmp_path: Path) -> None:
    assert repr(entvec.load(saved(tmp_path / "space"))) == "EntailmentSpace(6 words x 5, mapped backward)"
    assert entvec.load(str(tmp_path / "space")).hypernyms("dog").query == "dog"


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_vectors_and_keys_stay_in_the_file(dtype: str, tmp_path: Path) -> None:
    again = EntailmentSpace.load(saved(tmp_path / "space", dtype=dtype))
    assert is_mapped(again.vectors.stored)
    assert is_mapped(again.keys["hyper"].stored)
    again.hypernyms(["dog", "cat"])
    assert is_mapped(again.keys["hyper"].stored)


def test_a_space_may_take_its_own_place(tmp_path: Path) -> None:
    first = EntailmentSpace.load(saved(tmp_path / "space"))
    first.keys["hypo"]
    first.save(tmp_path / "space")
    again = EntailmentSpace.load(tmp_path / "space")
    assert set(again.keys.computed) == {"hypo", "hyper"}
    check_same(again, first)  # which still has the old files open
    assert [path.name for path in tmp_path.iterdir()] == ["space"]


def test_an_older_space_leaves_nothing_behind(tmp_path: Path) -> None:
    saved(tmp_path / "space")
    EntailmentSpace.from_vectors(TOY).save(tmp_path / "space")
    names = {path.name for path in (tmp_path / "space").iterdir()}
    assert names == {"README.md", "config.json", "vectors.safetensors"}


def test_the_configuration_can_be_read_by_people(tmp_path: Path) -> None:
    told = json.loads((saved(tmp_path / "space") / "config.json").read_text())
    assert told["entvec"] == "space 3"
    assert (told["operator"], told["interpretation"], told["specificity"]) == ("backward", None, [1.0, 1.0])
    assert told["calibration"] == [0.5, 1.5]
    assert list(told["keys"]) == ["hyper"]


@pytest.mark.parametrize("operator", ["backward", "factorised"])
def test_a_space_of_no_words_can_be_saved(operator: str, tmp_path: Path) -> None:
    space = EntailmentSpace.from_vectors(Vectors([], np.empty((0, 3))), operator=operator)
    space.hypernyms(np.ones(3))
    space.save(tmp_path / "space")
    assert len(EntailmentSpace.load(tmp_path / "space")) == 0


# A space is written whole or not at all


def test_a_full_disk_leaves_the_old_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "space")

    def full(*ignored: Any, **also: Any) -> None:
        raise OSError(28, "No space left on device")

    for part in ("entvec.learn.storage.save", "entvec.vectors.writing.write"):
        with monkeypatch.context() as patch:
            patch.setattr(part, full)
            with pytest.raises(CannotWrite) as caught:
                EntailmentSpace.from_vectors(TOY, map=FittedMap("forward", *PARTS[:2])).save(path)
        assert str(caught.value) == f"cannot write {path}: No space left on device"
    assert EntailmentSpace.load(path).operator == "backward"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_told_by_the_name_of_the_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*ignored: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CannotWrite) as caught:
        EntailmentSpace.from_vectors(TOY).save(tmp_path / "space")
    assert str(caught.value) == f"cannot write {tmp_path / 'space'}: No space left on device"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("at", range(6))
def test_an_interruption_anywhere_leaves_the_old_space(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path / "space")
    space = EntailmentSpace.from_vectors(TOY, map=FittedMap("forward", *PARTS[:2]))
    space.hypernyms("dog")
    steps = 0
    original = Path.replace

    def interrupted(self: Path, target: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps == at + 1:
            raise KeyboardInterrupt
        return original(self, target)

    with monkeypatch.context() as patch:
        patch.setattr("entvec.files._exchange", lambda *_: False)
        patch.setattr(Path, "replace", interrupted)
        if at < 5:  # vectors, map, keys, the old folder, the new one
            with pytest.raises(KeyboardInterrupt):
                space.save(path)
        else:
            space.save(path)
    assert EntailmentSpace.load(path).operator == ("backward" if at < 5 else "forward")
    assert list(tmp_path.iterdir()) == [path]


def test_no_other_folder_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("precious")
    with pytest.raises(CannotWrite, match="thesis: it is there already and entvec did not write it; choose"):
        EntailmentSpace.from_vectors(TOY).save(tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter1.tex").read_text() == "precious"
    with pytest.raises(CannotWrite, match="there is no folder"):
        EntailmentSpace.from_vectors(TOY).save(tmp_path / "nowhere" / "space")


# Folders that are no spaces


def changed(path: Path, **entries: Any) -> None:
    told = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**told, **entries}))
    forge(path)


def forge(path: Path) -> None:
    """Make the hashes of a folder right again, as somebody could who changes its files on purpose."""
    told = json.loads((path / "config.json").read_text())
    if isinstance(told.get("files"), dict):
        there = [name for name in told["files"] if (path / name).is_file()]
        told["files"] |= {name: [(path / name).stat().st_size, file_digest(path / name)] for name in there}
    sign(path, told)


def sign(path: Path, told: dict[str, Any]) -> None:
    told["digest"] = hashlib.sha256(
        json.dumps({name: value for name, value in told.items() if name != "digest"}, sort_keys=True).encode()
    ).hexdigest()
    (path / "config.json").write_text(json.dumps(told))


@pytest.mark.parametrize("name", ["nowhere", "file", "folder"])
def test_a_path_without_a_space_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "folder").mkdir()
    with pytest.raises(
        SpaceFileNotFound, match=rf"{name}: there is no space: expected a folder that EntailmentSpace\.save"
    ):
        EntailmentSpace.load(tmp_path / name)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"1" * 5000, b'{"a": 1', b"\0"])
def test_a_description_that_cannot_be_read_is_told(content: bytes, tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    (path / "config.json").write_bytes(content)
    with pytest.raises(SpaceFileError, match=r"config\.json: it cannot be read: ."):
        EntailmentSpace.load(path)


def test_a_folder_in_the_place_of_the_description_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    with pytest.raises(SpaceFileError, match=r"config\.json: it cannot be read: it is a folder, expected a file"):
        EntailmentSpace.load(tmp_path)


@pytest.mark.parametrize(
    "content", ["[]", "3", "null", '"space 1"', "{}", '{"entvec": "space 4"}', '{"entvec": ["space 1"]}']
)
def test_a_description_of_something_else_is_told(content: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    (path / "config.json").write_text(content)
    with pytest.raises(SpaceFileError, match=r"config\.json: expected 'space 3', found .*; a newer entvec may have"):
        EntailmentSpace.load(path)


HUGE = 10**400
NAN, INFINITY = float("nan"), float("inf")
WRONG: dict[str, list[Any]] = {
    "operator": [None, 3, "up", ["dot"], {}, True],
    "interpretation": [3, "up", ["dup"], {}, True],
    "specificity": [
        None,
        1.0,
        "12",
        [1],
        [1, 2, 3],
        [1, "2"],
        [1, True],
        [NAN, 0],
        [0, INFINITY],
        [HUGE, 0],
        [0, -HUGE],
    ],
    "dtype": [None, 3, "float8", ["float32"]],
    "calibration": [3, "x", [], [1.0], [1, 2, 3], [1, None], [True, 1], [1, NAN], [HUGE, 0]],
    "low_rank": [
        *(3, [], [1, 2], [2, 1, 3], [0, 1, 0], [0, 1, 65], [0, 1, 2.0], [0, 100, 3], [0, HUGE, 3]),
        *(["a", 1, 2], [0, 1, "2"], [0, 1, True], {"low": 0}, [0, 1, HUGE]),
    ],
    "keys": [None, [], 3, *({"hyper": length} for length in (-1, "1", None, HUGE)), {"up": 1}],
    "engines": [
        *(None, [], 3, {"up": {}}, {"hyper": 3}, {"hyper": {}}),
        *({"hyper": {"name": name}} for name in ("up", None, ["faiss"], {"a": 1}, 3)),
    ],
    "files": [
        *(None, [], 3, {}, {"map.safetensors": [0, "0"]}),
        *({"vectors.safetensors": [0, "0"], name: [0, "0"]} for name in ("../x", "/dev/zero", "a/../../b")),
        *({"vectors.safetensors": [0, "0"], "x": found} for found in ("0", [0], ["0", 0], [0, "0", 0], [True, "0"])),
    ],
}
WRONG_ENTRIES = [(entry, value) for entry, values in WRONG.items() for value in values]


@pytest.mark.parametrize(("entry", "value"), WRONG_ENTRIES, ids=lambda value: str(value)[:20])
def test_each_wrong_entry_is_told_by_its_name(entry: str, value: Any, tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    changed(path, **{entry: value})
    with pytest.raises(SpaceFileError, match=rf"config\.json: expected a sound entry '{entry}', found "):
        EntailmentSpace.load(path)


@pytest.mark.parametrize(
    "entry",
    [*WRONG, "digest", "entvec"],
)
def test_each_missing_entry_is_told(entry: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    told = json.loads((path / "config.json").read_text())
    del told[entry]
    (path / "config.json").write_text(json.dumps(told))
    if entry not in ("digest", "files"):
        forge(path)
    with pytest.raises(SpaceFileError, match=r"config\.json: expected"):
        EntailmentSpace.load(path)


@pytest.mark.parametrize("name", ["vectors.safetensors", "map.safetensors", "keys-hyper.safetensors"])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "text"])
def test_a_broken_file_is_told_by_its_name(name: str, damage: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "space") / name
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes({"empty": b"", "cut": content[:-9], "text": b"dog 1 2 3\n" * 9}[damage])
    with pytest.raises(SpaceFileError) as caught:
        EntailmentSpace.load(tmp_path / "space")
    assert str(caught.value).count(str(path)) == 1
    assert str(caught.value).startswith(f"{path}")
    if damage == "missing":
        assert str(caught.value) == f"{path}: the file is missing, expected it beside config.json"


def swap_vectors(path: Path) -> None:
    Vectors(["a", "b"], np.eye(2)).save(path / "vectors.safetensors")


def swap_map(path: Path) -> None:
    FittedMap("forward", *PARTS[:2]).save(path / "map.safetensors")


def swap_keys(path: Path) -> None:
    Vectors(WORLD.words, np.ones((6, 3))).save(path / "keys-hyper.safetensors")


def swap_words(path: Path) -> None:
    kept = Vectors.load(path / "keys-hyper.safetensors")
    Vectors(list(kept)[::-1], np.array(kept.matrix)).save(path / "keys-hyper.safetensors")


MISFITS: dict[str, tuple[Callable[[Path], None], str]] = {
    "vectors of another dimension": (swap_vectors, "map.* and vectors of 2 numbers, found one for backward and 5"),
    "a map for another operator": (swap_map, "map.*expected a map for backward .*, found one for forward and 5"),
    "keys of another width": (swap_keys, "keys-hyper.*expected keys of .*, found .*; save the space again"),
    "keys of other words": (swap_words, "keys-hyper.*the keys are of other words than the vectors"),
    "keys of other numbers": (lambda path: changed(path, dtype="float64"), "keys-hyper.*expected keys of"),
    "low-rank maps for backward": (lambda path: changed(path, low_rank=[-9.0, 9.0, 3]), "json.*low-rank.*backward"),
    "another operator": (lambda path: changed(path, operator="forward"), "map.*expected a map for forward"),
    "an interpretation and a map": (lambda path: changed(path, interpretation="dup"), "keys-hyper.*expected keys of"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISFITS)
def test_files_that_do_not_fit_together_are_told(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    spoil, problem = MISFITS[name]
    spoil(path)
    forge(path)
    with pytest.raises(SpaceFileError, match=problem):
        EntailmentSpace.load(path)


def test_low_rank_maps_for_another_range_are_told(tmp_path: Path) -> None:
    path = saved(tmp_path / "space", map=None, operator="factorised")
    changed(path, low_rank=[20.0, 21.0, 2])
    with pytest.raises(SpaceFileError, match=r"config\.json"):
        EntailmentSpace.load(path)


def test_a_specificity_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    EntailmentSpace.from_vectors(TOY, operator="weighted_cosine").save(tmp_path / "space")
    changed(tmp_path / "space", specificity=[0.5, 0.0])
    with pytest.raises(SpaceFileError, match=r"config\.json: specificity is 0\.5, but weighted_cosine"):
        EntailmentSpace.load(tmp_path / "space")


# Damaged descriptions

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["dot", "dup", "float16", "hyper", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["hyper", "hypo", "name", "x"]), inner),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders that are damaged again and again."""
    folder = tmp_path_factory.mktemp("kept")
    for name, options in KINDS.items():
        saved(folder / name, **{"map": None, **options})
    return folder


def check_loads_soundly_or_is_refused(path: Path) -> None:
    try:
        space = EntailmentSpace.load(path)
    except SpaceFileError:
        return
    assert len(space) == 6
    try:
        assert len(space.hypernyms("dog")) == 5
    except EntvecError:  # such as low-rank maps for another range, when they are first used
        assert space.model.low_rank is not None


@given(name=st.sampled_from(list(KINDS)), entry=st.integers(0, 10), value=JSON)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_any_entry_is_refused_or_harmless(kept: Path, name: str, entry: int, value: Any) -> None:
    path = kept / name / "config.json"
    content = path.read_text()
    told = json.loads(content)
    told[list(told)[entry]] = value
    try:
        path.write_text(json.dumps(told))
        forge(path.parent)
        check_loads_soundly_or_is_refused(path.parent)
    finally:
        path.write_text(content)


@given(
    name=st.sampled_from(list(KINDS)),
    at=st.integers(0, 400),
    cut=st.integers(0, 5),
    put=st.binary(max_size=5) | st.sampled_from([b"9" * 400, b"e99", b"-", b"null", b"[", b'"', b"true"]),
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_any_damage_is_refused_or_harmless(kept: Path, name: str, at: int, cut: int, put: bytes) -> None:
    path = kept / name / "config.json"
    content = path.read_bytes()
    at = min(at, len(content))
    try:
        path.write_bytes(content[:at] + put + content[at + cut :])
        check_loads_soundly_or_is_refused(path.parent)
    finally:
        path.write_bytes(content)


def test_a_space_can_be_moved(tmp_path: Path) -> None:
    saved(tmp_path / "space")
    shutil.move(tmp_path / "space", tmp_path / "elsewhere")
    assert "hyper" in EntailmentSpace.load(tmp_path / "elsewhere").keys.computed


# Damage, and files of other spaces

BACKENDS: dict[str, dict[str, Any]] = {
    "exact": {},
    "faiss flat": {"name": "faiss", "index": "flat"},
    "faiss ivf": {"name": "faiss", "index": "ivf"},
    "faiss hnsw": {"name": "faiss", "index": "hnsw"},
    "usearch hnsw": {"name": "usearch", "index": "hnsw"},
    "scan": {"name": "scan"},
}


def with_all_files(path: Path, backend: str) -> list[str]:
    """Save a space of this backend to a folder; return the names of its files but for the card, which is for people."""
    space = EntailmentSpace.from_vectors(TOY, map=MAP)
    space.hypernyms("dog")
    if options := BACKENDS[backend]:
        space = space.with_backend(sides=["hyper", "hypo"], **options)
    space.save(path)
    return sorted(each.relative_to(path).as_posix() for each in path.rglob("*") if each.is_file() and each.name != CARD)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_flipped_bit_in_any_file_is_told_by_its_name(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "space"
    choice = random.Random(backend)  # noqa: S311 - no secret
    for name in with_all_files(path, backend):
        content = (path / name).read_bytes()
        for _ in range(60):
            at, bit = choice.randrange(len(content)), 1 << choice.randrange(8)
            (path / name).write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            with pytest.raises(SpaceFileError) as caught:
                EntailmentSpace.load(path)
            assert str(caught.value).startswith(f"{path / name}: ")
        (path / name).write_bytes(content)
    assert len(EntailmentSpace.load(path)) == 6


def test_files_are_not_read_to_verify_them_if_told_so(tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    content = bytearray((path / "vectors.safetensors").read_bytes())
    at = content.index(b"stone")
    content[at : at + 5] = b"brick"
    (path / "vectors.safetensors").write_bytes(content)
    with pytest.raises(SpaceFileError, match=r"vectors\.safetensors: it is damaged"):
        EntailmentSpace.load(path)
    told = json.loads((path / "config.json").read_text())
    assert told["keys"].pop("hyper")
    sign(path, told)
    assert "brick" in EntailmentSpace.load(path, verify=False)


@pytest.mark.parametrize("name", ["vectors.safetensors", "map.safetensors", "keys-hyper.safetensors"])
def test_a_file_of_another_space_with_the_same_words_is_told(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    other = EntailmentSpace.from_vectors(Vectors(TOY.words, TOY.matrix / 2), map=replace(MAP, scale=0.25))
    other.hypernyms("dog")
    other.save(tmp_path / "other")
    shutil.copyfile(tmp_path / "other" / name, path / name)
    with pytest.raises(SpaceFileError) as caught:
        EntailmentSpace.load(path)
    assert str(caught.value) == f"{path / name}: it is damaged, or of another space; save the space again"


def test_a_space_of_the_version_with_space_json_is_loaded_and_replaced(tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    told = json.loads((path / "config.json").read_text())
    (path / "config.json").rename(path / "space.json")
    (path / CARD).unlink()
    kept = {name: value for name, value in told.items() if name != "digest"} | {"entvec": "space 2"}
    digest = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
    (path / "space.json").write_text(json.dumps(kept | {"digest": digest}))
    older = EntailmentSpace.load(path)
    check_same(older, EntailmentSpace.from_vectors(TOY, map=MAP))
    older.save(path)
    assert json.loads((path / "config.json").read_text())["entvec"] == "space 3"
    assert not (path / "space.json").exists()


def test_a_space_of_the_version_without_hashes_is_loaded(tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    told = json.loads((path / "config.json").read_text())
    kept = {name: value for name, value in told.items() if name not in ("files", "digest")}
    (path / "config.json").write_text(json.dumps(kept | {"entvec": "space 1"}))
    check_same(EntailmentSpace.load(path), EntailmentSpace.from_vectors(TOY, map=MAP))


@pytest.mark.parametrize("name", ["config.json", "vectors.safetensors"])
def test_a_pipe_in_the_place_of_a_file_is_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "space")
    (path / name).unlink()
    os.mkfifo(path / name)
    monkeypatch.setattr("entvec.files.WRITER_SECONDS", 0.01)
    with pytest.raises(SpaceFileError, match=rf"{name}: .*it is (no file|a pipe that nobody writes to)"):
        EntailmentSpace.load(path)


def test_a_file_of_another_size_is_told_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "space") / "keys-hyper.safetensors"
    with path.open("r+b") as file:
        file.truncate(1 << 40)

    monkeypatch.setattr(
        "entvec.space.saved_config.file_digest", lambda each: pytest.fail("read") if each == path else file_digest(each)
    )
    with pytest.raises(SpaceFileError, match=r"keys-hyper\.safetensors: it is damaged"):
        EntailmentSpace.load(tmp_path / "space")


def test_a_description_of_any_size_is_told(tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    with (path / "config.json").open("r+b") as file:
        file.truncate(1 << 40)
    with pytest.raises(SpaceFileError, match=r"config\.json: .* more than 16,777,216 bytes"):
        EntailmentSpace.load(path)


# Writers and readers at the same time


def test_a_link_to_a_space_stays_a_link(tmp_path: Path) -> None:
    saved(tmp_path / "first")
    (tmp_path / "link").symlink_to("first")
    EntailmentSpace.from_vectors(TOY).save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert EntailmentSpace.load(tmp_path / "link").map is None
    assert EntailmentSpace.load(tmp_path / "first").map is None


WRITER = """
import sys
from entvec import files
from entvec.space import EntailmentSpace

path, exchange = sys.argv[1:]
if exchange == "no":
    files._exchange = lambda *_: False
spaces = [EntailmentSpace.load(path + each) for each in ("-0", "-1")]
for each in spaces:
    each.hypernyms("dog")
print("ready", flush=True)
while True:
    for each in spaces:
        each.save(path)
"""


@pytest.mark.parametrize("exchange", ["yes", "no"])
def test_a_space_that_is_replaced_while_it_is_opened_is_the_old_or_the_new_one(exchange: str, tmp_path: Path) -> None:
    path = tmp_path / "space"
    spaces = [EntailmentSpace.from_vectors(Vectors(TOY.words, TOY.matrix / by), map=MAP) for by in (1, 2)]
    for number, space in enumerate(spaces):
        space.save(f"{path}-{number}")
    spaces[0].save(path)
    expected = [(space.score("dog", "animal"), space.hypernyms("dog").to_dict()) for space in spaces]
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, exchange], stdout=subprocess.PIPE)  # noqa: S603
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        seen = set()
        for _ in range(60):
            space = EntailmentSpace.load(path)
            seen.add(expected.index((space.score("dog", "animal"), space.hypernyms("dog").to_dict())))
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.communicate()
    assert EntailmentSpace.load(path).score("dog", "animal") in [score for score, _ in expected]
    spaces[0].save(path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["space", "space-0", "space-1"]


@pytest.mark.parametrize("before", ["verify_files", "_keys"])
def test_a_space_that_is_replaced_between_two_of_its_files_is_opened_again(
    before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path / "space")
    other = EntailmentSpace.from_vectors(Vectors(TOY.words, TOY.matrix / 2), map=MAP)
    other.hypernyms("dog")
    original = getattr(storage, before)
    calls = 0

    def meanwhile(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            other.save(path)
        return original(*arguments)

    monkeypatch.setattr(storage, before, meanwhile)
    check_same(EntailmentSpace.load(path), other)
    assert calls == 2


def test_a_space_that_is_replaced_each_time_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "space")
    space = EntailmentSpace.load(path)
    original = getattr(storage, "verify_files")  # noqa: B009 - it is imported there

    def meanwhile(*arguments: Any) -> None:
        original(*arguments)
        space.save(path)

    monkeypatch.setattr(storage, "verify_files", meanwhile)
    monkeypatch.setattr(storage, "ATTEMPTS", 3)
    with pytest.raises(SpaceFileError, match="space: it is replaced again and again while it is opened"):
        EntailmentSpace.load(path)


KILLED = """
import os, signal, sys
from pathlib import Path
from entvec import files
from entvec.space import EntailmentSpace

files._exchange = lambda *_: False
original = Path.replace

def replace(self, other):
    if self.name == "new":
        os.kill(os.getpid(), signal.SIGKILL)
    return original(self, other)

Path.replace = replace
EntailmentSpace.load(sys.argv[1]).save(sys.argv[1])
"""


def test_a_space_whose_replacement_was_killed_halfway_is_there_when_it_is_opened(tmp_path: Path) -> None:
    path = saved(tmp_path / "space")
    done = subprocess.run([sys.executable, "-c", KILLED, path], check=False)  # noqa: S603
    assert done.returncode == -signal.SIGKILL
    assert not path.exists()
    check_same(EntailmentSpace.load(path), EntailmentSpace.from_vectors(TOY, map=MAP))
    assert list(tmp_path.iterdir()) == [path]


FULL = """
import resource, sys
from entvec.errors import CannotWrite
from entvec.space import EntailmentSpace

path, *sizes = sys.argv[1:]
space = EntailmentSpace.load(path)
for size in sizes:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))
    try:
        space.save(path)
    except CannotWrite as error:
        print(error)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_file_that_may_not_grow_leaves_the_old_space(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "space"
    names = with_all_files(path, backend)
    sizes = sorted({(path / name).stat().st_size for name in names})
    limits = [str(size - 1) for size in sizes]
    done = subprocess.run([sys.executable, "-c", FULL, path, *limits], capture_output=True, text=True, check=True)  # noqa: S603
    told = done.stdout.splitlines()
    assert [line.startswith(f"cannot write {path}: ") for line in told] == [True] * len(sizes)
    assert list(tmp_path.iterdir()) == [path]
    assert len(EntailmentSpace.load(path).hypernyms("dog")) == 5
