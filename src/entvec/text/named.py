"""Encoders by name, as a saved space or a command line names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from entvec.array_types import Float32s
from entvec.errors import InvalidInput
from entvec.text.encoder import Encoder, agree
from entvec.text.libraries import model2vec_encoder, onnx_encoder, sentence_transformers_encoder
from entvec.text.storage import load_encoder


def _service(name: str, cache: str | Path | None = None) -> Encoder:
    from entvec.text.http_api import HttpEncoder  # its import takes longer than to encode a phrase

    address, _, model = name.partition(" ")
    if not model.strip():
        raise InvalidInput(f"the encoder {name!r} names no model, expected 'https://HOST/PATH MODEL'")
    return HttpEncoder(address, model.strip(), cache=cache)


def _from_hub(name: str) -> Encoder:
    # Its own name would not open it again, which a saved space does.
    return replace(load_encoder(f"hub:{name}"), name=f"hub:{name}")


KINDS: dict[str, Callable[[str], Encoder]] = {
    "sentence-transformers": sentence_transformers_encoder,
    "model2vec": model2vec_encoder,
    "onnx": onnx_encoder,
    "file": load_encoder,
    "hub": _from_hub,
}
"""What makes an encoder of the name after `KIND:`."""
SHAPES = (
    "sentence-transformers:NAME, model2vec:NAME, onnx:MODEL.onnx, file:ENCODER.safetensors, "
    "hub:OWNER/NAME or 'https://HOST MODEL'"
)


def named_encoder(name: str, *, cache: str | Path | None = None) -> Encoder:
    """Return the encoder that a name stands for; the bundled ones are in `entvec.bundled.named_encoder`.

    >>> named_encoder("https://api.example.com/v1/embeddings a-model").name
    'https://api.example.com/v1/embeddings a-model'

    Parameters
    ----------
    name
        `sentence-transformers:NAME`, `model2vec:NAME`, `onnx:MODEL.onnx` with its vocab.txt beside it, `file:FILE` as
        `save_encoder` writes it, `hub:OWNER/NAME` for one of the Hugging Face Hub, or the address of a service and the
        name of its model, with a space between.
    cache
        For a service: a folder for the vectors that were received.
    """
    if name.startswith(("https://", "http://")):
        return _service(name, cache)
    if cache is not None:
        raise InvalidInput(f"a cache for {name!r}, expected a service: others compute vectors faster than they read")
    kind, _, rest = name.partition(":")
    if kind not in KINDS or not rest:
        raise InvalidInput(f"no encoder is called {name!r}, expected {SHAPES}")
    return KINDS[kind](rest)


class StoredEncoder:
    """An encoder with a known name and fingerprint, which is opened on first use.

    >>> from entvec.bundled import encoder
    >>> static = encoder("static")
    >>> stored = StoredEncoder(static.name, static.dimension, static.fingerprint, lambda name: static)
    >>> stored(["running shoes"]).shape
    (1, 192)

    Parameters
    ----------
    name, dimension, fingerprint
        Those of the encoder with which a space or a map was made.
    opener
        Returns the encoder of a name.
    """

    def __init__(self, name: str, dimension: int, fingerprint: str, opener: Callable[[str], Encoder]) -> None:
        self.name, self.dimension, self.fingerprint, self._opener = name, dimension, fingerprint, opener

    def __repr__(self) -> str:
        return f"StoredEncoder({self.name!r})"

    @cached_property
    def _opened(self) -> Encoder:
        try:
            found = self._opener(self.name)
        except InvalidInput as error:
            raise InvalidInput(
                f"the encoder {self.name!r} cannot be opened by its name ({error.what})",
                remedy="EntailmentSpace.load(folder, encoder=...) takes the encoder itself",
            ) from None
        check_same(self, found)
        return found

    def __call__(self, texts: Sequence[str]) -> Float32s:
        """Return an array with a row for each text."""
        return self._opened(texts)


def check_same(wanted: Encoder, given: Encoder) -> None:
    """Raise InvalidInput if an encoder is another one than that which a space or a map was made with.

    >>> from entvec.text import CallableEncoder
    >>> lengths = CallableEncoder(lambda texts: [[len(text)] for text in texts], "lengths")
    >>> vowels = CallableEncoder(lambda texts: [[text.count("o")] for text in texts], "vowels")
    >>> check_same(lengths, vowels)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    entvec.errors.InvalidInput: made with the encoder 'lengths', and 'vowels' gives other vectors: ...
    """
    if not agree(wanted.fingerprint, given.fingerprint):
        ours, theirs = (each.fingerprint.partition(",")[0] for each in (wanted, given))
        raise InvalidInput(
            f"made with the encoder {wanted.name!r}, and {given.name!r} gives other vectors: "
            f"expected the fingerprint {ours}, ..., found {theirs}, ..."
        )
