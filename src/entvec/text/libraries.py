"""Encoders of other libraries, each imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from entvec.array_types import Float32s
from entvec.errors import EncoderError, EncoderFileError, EncoderFileNotFound, InvalidInput, MissingExtra
from entvec.text.encoder import CallableEncoder
from entvec.text.transformer import batches, unit
from entvec.text.wordpiece import LONGEST_TEXT, WordPiece

ONNX_PIECES_AT_ONCE = 4096
LONGEST_REASON = 200
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
"""The inputs that a BERT in ONNX may have."""


def _library(feature: str, package: str, extra: str) -> Any:
    try:
        return import_module(package.replace("-", "_"))
    except ImportError:
        raise MissingExtra(feature, needs=package, extra=extra) from None


def _opened(library: str, name: str, make: Callable[[], Any]) -> Any:
    """Return what a library makes of the name of a model, or raise EncoderError with the first line of its reason."""
    try:
        return make()
    except Exception as error:  # libraries raise what the libraries below them raise
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise EncoderError(f"{library} cannot open it: {reason[:LONGEST_REASON]}", where=name) from error


def _loaded(model: Any, package: str, make: Callable[[Any, str], Any]) -> tuple[Any, str]:
    """Return a model, opened by a library if it is only named, and what it is called."""
    if not isinstance(model, str | Path):
        return model, type(model).__name__
    library, name = _library(f"an encoder of {package}", package, package), str(model)
    return _opened(package, name, lambda: make(library, name)), name


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    except FileNotFoundError:
        raise EncoderFileNotFound(path, "there is no such file, expected the pieces of the tokenizer") from None
    except (OSError, UnicodeDecodeError) as error:
        raise EncoderFileError(path, f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error


def sentence_transformers_encoder(model: str | Any, *, batch_size: int = 64) -> CallableEncoder:
    """Return an encoder of sentence-transformers, whose vectors have unit length.

    >>> sentence_transformers_encoder("all-MiniLM-L6-v2")  # doctest: +SKIP
    CallableEncoder('sentence-transformers:all-MiniLM-L6-v2')

    Parameters
    ----------
    model
        The name or folder of a model, or a loaded SentenceTransformer.
    batch_size
        How many texts are encoded at once.
    """
    loaded, name = _loaded(model, "sentence-transformers", lambda library, name: library.SentenceTransformer(name))

    def encode(texts: list[str]) -> Any:
        return loaded.encode(texts, batch_size=batch_size, normalize_embeddings=True, show_progress_bar=False)

    return CallableEncoder(encode, f"sentence-transformers:{name}")


def model2vec_encoder(model: str | Any) -> CallableEncoder:
    """Return an encoder of model2vec.

    >>> model2vec_encoder("minishlab/potion-base-8M")  # doctest: +SKIP
    CallableEncoder('model2vec:minishlab/potion-base-8M')

    Parameters
    ----------
    model
        The name or folder of a model, or a loaded StaticModel.
    """
    loaded, name = _loaded(model, "model2vec", lambda library, name: library.StaticModel.from_pretrained(name))
    return CallableEncoder(loaded.encode, f"model2vec:{name}")


def onnx_encoder(
    path: str | Path, vocabulary: str | Path | Sequence[str] | None = None, *, threads: int = 1
) -> CallableEncoder:
    """Return an encoder that runs a BERT in an ONNX file with onnxruntime: the mean over the pieces, of unit length.

    >>> onnx_encoder("model.onnx", "vocab.txt")  # doctest: +SKIP
    CallableEncoder('onnx:model.onnx')

    Parameters
    ----------
    path
        A model with the inputs input_ids and attention_mask, perhaps token_type_ids, whose first output is a vector for
        each piece, as the exporters of Hugging Face write it.
    vocabulary
        The pieces of its WordPiece tokenizer without case, or the file that has one a line; by default vocab.txt
        beside the model.
    threads
        How many threads onnxruntime may use for one product.
    """
    library = _library("an encoder in an ONNX file", "onnxruntime", "onnx")
    options = library.SessionOptions()
    options.intra_op_num_threads = threads
    open_session = partial(library.InferenceSession, str(path), options, providers=["CPUExecutionProvider"])
    session = _opened("onnxruntime", str(path), open_session)
    if vocabulary is None:
        vocabulary = Path(path).with_name("vocab.txt")
    if isinstance(vocabulary, str | Path):
        vocabulary = _lines(Path(vocabulary))
    pieces = WordPiece(vocabulary, LONGEST_TEXT)
    inputs = {each.name for each in session.get_inputs()}
    if not inputs <= INPUTS or not {"input_ids", "attention_mask"} <= inputs:
        raise InvalidInput(f"{path} has the inputs {', '.join(sorted(inputs))}, expected {', '.join(sorted(INPUTS))}")

    def encode(texts: list[str]) -> Float32s:
        split = [pieces(text) for text in texts]
        lengths = np.array([len(text) for text in split], np.int64)
        found: list[Float32s | None] = [None] * len(texts)
        for some in batches(lengths, ONNX_PIECES_AT_ONCE):
            rows = np.zeros((len(some), int(lengths[some].max())), np.int64)
            mask = np.arange(rows.shape[1]) < lengths[some][:, None]
            rows[mask] = [piece for at in some.tolist() for piece in split[at]]
            given = {"input_ids": rows, "attention_mask": mask.astype(np.int64), "token_type_ids": np.zeros_like(rows)}
            output = session.run(None, {name: given[name] for name in inputs})[0]
            means = np.einsum("nld,nl->nd", output, mask.astype(np.float32)) / lengths[some][:, None]
            for at, vector in zip(some.tolist(), unit(means.astype(np.float32)), strict=True):
                found[at] = vector
        return np.array(found, np.float32)

    return CallableEncoder(encode, f"onnx:{path}")
