"""The vectors of the nouns are made once: a person is told, and what a run that was stopped leaves is not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from encoders import DIMENSION, bag_of_words

from entvec.bundled import bundled_knowledge
from entvec.evidence import lemma_table
from entvec.evidence.lemma_table import Lemmas, nouns_of
from entvec.progress import tell_once


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    lines: list[str] = []
    monkeypatch.setenv("ENTVEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(lemma_table, "KEPT", DIMENSION)
    monkeypatch.setattr(lemma_table, "nouns_of", lambda known: nouns_of(known)[:300])
    token = tell_once.set(lines.append)
    yield lines
    tell_once.reset(token)


def lemmas() -> Lemmas:
    return Lemmas(bundled_knowledge(), bag_of_words())  # type: ignore[arg-type]


def test_they_are_made_at_first_use_and_read_afterwards(told: list[str], tmp_path: Path) -> None:
    queries = np.eye(DIMENSION, dtype=np.float32)[:2]
    found = lemmas().nearest(queries, 5)
    assert len(told) == 1
    assert told[0].startswith("reading 300 nouns")
    assert str(tmp_path / "cache" / "nouns.npy") in told[0]
    again = lemmas().nearest(queries, 5)
    assert len(told) == 1
    assert [set(one.tolist()) for one in found] == [set(one.tolist()) for one in again]


def test_a_run_that_is_stopped_leaves_nothing_that_is_read(told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(np, "save", stopped)
        with pytest.raises(KeyboardInterrupt):
            lemmas().nearest(np.eye(DIMENSION, dtype=np.float32)[:1], 1)
    assert len(lemmas().nearest(np.eye(DIMENSION, dtype=np.float32)[:1], 1)[0]) == 1
    assert len(told) == 2


def test_a_file_that_was_changed_is_made_again(told: list[str], tmp_path: Path) -> None:
    lemmas().nearest(np.eye(DIMENSION, dtype=np.float32)[:1], 1)
    path = tmp_path / "cache" / "nouns.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    lemmas().nearest(np.eye(DIMENSION, dtype=np.float32)[:1], 1)
    assert len(told) == 2
