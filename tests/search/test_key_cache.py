"""The key cache: the same keys as without it, and no use of files that are damaged, stale or of another space."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from entvec.bundled import google_news
from entvec.model import choose
from entvec.search.key_cache import FOLDER, KeyCache, cache_folder
from entvec.search.key_table import KeyTable

VECTORS = google_news().head(300)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER, str(tmp_path / "cache"))
    return tmp_path / "cache"


def table(fingerprint: str = "one", **options: object) -> KeyTable:
    return KeyTable(choose(VECTORS, **options), VECTORS, cache=KeyCache("some", fingerprint))  # type: ignore[arg-type]


def from_cache(table: KeyTable) -> bool:
    """Return whether the keys are a memory map and were not computed."""
    return isinstance(table["hyper"].stored, np.memmap)


def test_keys_are_made_once(folder: Path) -> None:
    first, second = table(), table()
    assert not from_cache(first)
    assert from_cache(second)
    np.testing.assert_array_equal(first["hyper"].stored, second["hyper"].stored)
    assert first["hyper"].longest == second["hyper"].longest
    assert sorted(path.name for path in folder.iterdir()) == ["some-hyper.json", "some-hyper.npy"]


def test_keys_of_other_data_are_replaced(folder: Path) -> None:
    table("one")["hyper"]
    assert not from_cache(table("two"))
    assert from_cache(table("two"))
    assert len(list(folder.iterdir())) == 2


def test_keys_that_other_code_has_made_are_not_used() -> None:
    table()["hyper"]
    assert not from_cache(table(interpretation="dup"))  # as if the same interpretation meant something else now


@pytest.mark.parametrize("at", [0, 200, -1])
def test_damaged_keys_are_made_again(at: int, folder: Path) -> None:
    expected = table()["hyper"].stored
    path = folder / "some-hyper.npy"
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    again = table()
    assert not from_cache(again)
    np.testing.assert_array_equal(again["hyper"].stored, expected)
    assert from_cache(table())


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"fingerprint": "one"}', "\0"])
def test_a_description_that_makes_no_sense_is_as_good_as_none(text: str, folder: Path) -> None:
    table()["hyper"]
    (folder / "some-hyper.json").write_text(text)
    assert not from_cache(table())


def test_a_file_of_another_shape_is_not_used(folder: Path) -> None:
    table()["hyper"]
    np.save(folder / "some-hyper.npy", np.zeros((3, 3), np.float32))
    import hashlib

    description = json.loads((folder / "some-hyper.json").read_text())
    description["sha256"] = hashlib.sha256((folder / "some-hyper.npy").read_bytes()).hexdigest()
    (folder / "some-hyper.json").write_text(json.dumps(description))
    assert not from_cache(table())


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(FOLDER, str(tmp_path / "file" / "cache"))
    assert not from_cache(table())
    assert not from_cache(table())


def test_an_empty_name_means_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, "")
    assert cache_folder() is None
    assert not from_cache(table())
    monkeypatch.delenv(FOLDER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = cache_folder()
    assert found is not None
    assert found.parts[-2:] == ("entvec", "keys")
