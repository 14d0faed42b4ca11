"""Encoders by name."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from entvec.bundled import encoder
from entvec.bundled import named_encoder as any_encoder
from entvec.errors import EncoderFileNotFound, InvalidInput, MissingExtra
from entvec.text import CallableEncoder, HttpEncoder, StoredEncoder, check_same, encoded, named_encoder, save_encoder


@pytest.mark.parametrize("name", ["small", "static", "entvec-small"])
def test_the_bundled_ones_have_short_names(name: str) -> None:
    assert any_encoder(name) is encoder(name.removeprefix("entvec-"))


@pytest.mark.parametrize("name", ["large", "bert:x", "onnx:", ""])
def test_other_names_are_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(InvalidInput, match="sentence-transformers:NAME"):
        any_encoder(name)


def test_a_file_and_a_service_are_opened_by_name(tmp_path: Path) -> None:
    save_encoder(encoder("static"), tmp_path / "mine.safetensors")
    mine = any_encoder(f"file:{tmp_path / 'mine.safetensors'}")
    check_same(encoder("static"), mine)
    with pytest.raises(EncoderFileNotFound):
        named_encoder("file:nothing.safetensors")
    service = named_encoder("https://example.com/v1/embeddings a-model", cache=tmp_path)
    assert isinstance(service, HttpEncoder)
    assert (service.model, service.cache) == ("a-model", tmp_path)
    with pytest.raises(InvalidInput, match="names no model"):
        named_encoder("https://example.com/v1/embeddings")
    with pytest.raises(InvalidInput, match="a cache for 'model2vec:x'"):
        any_encoder("model2vec:x", cache=tmp_path)


def test_a_library_is_opened_by_name_or_named_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(MissingExtra, match="pip install model2vec"):
        named_encoder("model2vec:a-model")
    model = SimpleNamespace(encode=lambda texts: [[len(text)] for text in texts])
    library = SimpleNamespace(StaticModel=SimpleNamespace(from_pretrained=lambda _: model))
    monkeypatch.setitem(sys.modules, "model2vec", library)
    assert named_encoder("model2vec:a-model").name == "model2vec:a-model"


def test_the_pieces_of_an_onnx_model_are_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(SessionOptions=SimpleNamespace, InferenceSession=lambda *_, **__: None)
    monkeypatch.setitem(sys.modules, "onnxruntime", library)
    with pytest.raises(EncoderFileNotFound, match=r"vocab\.txt"):
        named_encoder(f"onnx:{tmp_path / 'model.onnx'}")


def test_a_stored_encoder_is_opened_when_it_is_used() -> None:
    lengths = CallableEncoder(lambda texts: [[len(text), 1.0] for text in texts], "lengths")
    opened: list[str] = []

    def opener(name: str) -> CallableEncoder:
        opened.append(name)
        return lengths

    stored = StoredEncoder("lengths", 2, lengths.fingerprint, opener)
    assert (stored.dimension, opened) == (2, [])
    assert stored(["dog"]).tolist() == stored(["cat"]).tolist() == [[3, 1]]
    assert opened == ["lengths"]
    with pytest.raises(InvalidInput, match="gives other vectors"):
        StoredEncoder("lengths", 2, "2: 1 2 3", opener)(["dog"])


def test_many_texts_are_encoded_once_each_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def encode(texts: list[str]) -> np.ndarray:
        read.append(len(texts))
        return np.array([[len(text)] for text in texts])

    monkeypatch.setattr("entvec.text.encoder.TEXTS_AT_ONCE", 2)
    lengths = CallableEncoder(encode, "lengths")
    lengths.dimension  # noqa: B018 - asks for one vector
    read.clear()
    parts: list[float] = []
    found = encoded(lengths, ["a", "bb", "a", "ccc", "d_d", "d d"], parts.append)
    assert found[:, 0].tolist() == [1, 2, 1, 3, 3, 3]
    assert (read, parts) == ([2, 2], [0.0, 0.5])
    assert encoded(lengths, []).shape == (0, 1)
