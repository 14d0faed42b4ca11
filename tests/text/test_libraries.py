"""Adapters call the libraries as they want to be called, or name the line that installs them."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from entvec.errors import EncoderError, InvalidInput, MissingExtra
from entvec.text import CallableEncoder, model2vec_encoder, onnx_encoder, sentence_transformers_encoder

VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "dog", "cat", "hot", "a", "##s", ":", "big"]
Made = Callable[[], CallableEncoder]
ADAPTERS: dict[str, tuple[str, Made]] = {
    "sentence-transformers": ("sentence_transformers", lambda: sentence_transformers_encoder("a-model")),
    "model2vec": ("model2vec", lambda: model2vec_encoder("a-model")),
    "onnxruntime": ("onnxruntime", lambda: onnx_encoder("model.onnx", VOCABULARY)),
}


@pytest.mark.parametrize("package", ADAPTERS)
def test_a_missing_library_is_named_with_the_line_that_installs_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, make = ADAPTERS[package]
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install {package} \(the extra entvec\["):
        make()


def test_a_model_that_a_library_cannot_open_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError("no such model\nand much more")

    libraries = {
        "sentence_transformers": SimpleNamespace(SentenceTransformer=fail),
        "model2vec": SimpleNamespace(StaticModel=SimpleNamespace(from_pretrained=fail)),
        "onnxruntime": SimpleNamespace(SessionOptions=SimpleNamespace, InferenceSession=fail),
    }
    for module, library in libraries.items():
        monkeypatch.setitem(sys.modules, module, library)
    for module, make in ADAPTERS.values():
        with pytest.raises(EncoderError, match=rf"{module.replace('_', '-')} cannot open it: no such model$"):
            make()


class FakeModel:
    """Stands for a model of a library: it has the lengths of texts."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.options: dict[str, Any] = {}

    @classmethod
    def from_pretrained(cls, name: str) -> "FakeModel":
        return cls(name)

    def encode(self, texts: list[str], **options: Any) -> Any:
        self.options = options
        return np.array([[len(text), 1.0] for text in texts])


def test_sentence_transformers_is_asked_for_unit_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(SentenceTransformer=FakeModel)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    encoder = sentence_transformers_encoder("a-model", batch_size=7)
    assert encoder.name == "sentence-transformers:a-model"
    assert encoder(["dog", "cattle"]).tolist() == [[3, 1], [6, 1]]
    loaded = FakeModel()
    sentence_transformers_encoder(loaded, batch_size=7)(["dog"])
    assert loaded.options == {"batch_size": 7, "normalize_embeddings": True, "show_progress_bar": False}


def test_model2vec_is_asked_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "model2vec", SimpleNamespace(StaticModel=FakeModel))
    encoder = model2vec_encoder("a-model")
    assert (encoder.name, encoder.dimension) == ("model2vec:a-model", 2)


class FakeSession:
    """Stands for a session of onnxruntime: the vector of a piece is its number and a one."""

    inputs: tuple[str, ...] = ("input_ids", "attention_mask")

    def __init__(self, path: str, options: Any, providers: list[str]) -> None:
        self.threads = options.intra_op_num_threads

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name=name) for name in self.inputs]

    def run(self, _: None, given: dict[str, Any]) -> list[Any]:
        assert set(given) == set(self.inputs)
        ids = given["input_ids"].astype(np.float32)
        return [np.stack([ids, np.ones_like(ids)], axis=2)]


@pytest.fixture
def onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(SessionOptions=SimpleNamespace, InferenceSession=FakeSession)
    monkeypatch.setitem(sys.modules, "onnxruntime", library)


@pytest.mark.usefixtures("onnxruntime")
def test_onnx_vectors_are_means_over_pieces_without_padding(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    encoder = onnx_encoder("model.onnx", tmp_path / "vocab.txt")
    found = encoder(["big hot dogs", "dog"])
    for row, pieces in zip(found, ([1, 9, 5, 3, 7, 2], [1, 3, 2]), strict=True):
        expected = np.array([np.mean(pieces), 1.0])
        np.testing.assert_allclose(row, expected / np.linalg.norm(expected), atol=1e-6)


@pytest.mark.usefixtures("onnxruntime")
def test_onnx_files_with_other_inputs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeSession, "inputs", ("pixels",))
    with pytest.raises(InvalidInput, match=r"has the inputs pixels, expected attention_mask, input_ids"):
        onnx_encoder("model.onnx", VOCABULARY)
