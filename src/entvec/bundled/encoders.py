"""Encoders that were trained for entailment, and their heads as maps; `tools/train_encoder.py` made the files.

>>> sorted(ENCODERS)
['small', 'static']
>>> encoder("static")
EntailmentEncoder('entvec-static', static, 27,928 pieces x 192)
"""

from functools import cache
from pathlib import Path
from typing import Any

from entvec.errors import InvalidInput
from entvec.learn.fitted import FittedMap
from entvec.text import Encoder, EntailmentEncoder, StoredEncoder, load_encoder
from entvec.text import named_encoder as other_encoder
from entvec.text.named import SHAPES

DATA = Path(__file__).parent / "data"
ENCODERS = {name: DATA / f"encoder-{name}.safetensors" for name in ("small", "static")}
"""The files of the encoders, by name."""
HEADS = ("hypo_weights", "hypo_bias", "hyper_weights", "hyper_bias", "hypo_offset", "hyper_offset", "generality")


@cache
def encoder(name: str = "small") -> EntailmentEncoder:
    """Return a bundled encoder: "small", six layers of a transformer, or "static", a table for large jobs.

    >>> encoder("small")(["running shoes"]).shape
    (1, 384)

    docs/encoder.md is the model card of both.
    """
    if name not in ENCODERS:
        raise InvalidInput(f"no encoder {name!r}, expected one of {', '.join(ENCODERS)}")
    return load_encoder(ENCODERS[name])


def named_encoder(name: str, *, cache: str | Path | None = None) -> Encoder:
    """Return any encoder by its name: one of the bundled ones, or what `entvec.text.named_encoder` knows.

    >>> named_encoder("static")
    EntailmentEncoder('entvec-static', static, 27,928 pieces x 192)

    Parameters
    ----------
    name
        "small" or "static"; or `sentence-transformers:NAME`, `model2vec:NAME`, `onnx:MODEL.onnx`,
        `file:ENCODER.safetensors`, `hub:OWNER/NAME`, or the address of a service and the name of its model.
    cache
        For a service: a folder for the vectors that were received.
    """
    short = name.removeprefix("entvec-")
    if short in ENCODERS and cache is None:
        return encoder(short)
    if ":" not in name:
        raise InvalidInput(f"no encoder is called {name!r}, expected {', '.join(ENCODERS)}, {SHAPES}")
    return other_encoder(name, cache=cache)


@cache
def encoder_map(name: str = "small") -> FittedMap:
    """Return the heads of a bundled encoder as a map of its vectors.

    >>> heads = encoder_map("static")
    >>> heads.operator, heads.dimension, heads.n_components
    ('backward', 192, 384)
    """
    return map_of(encoder(name))


def encoder_of(fitted: FittedMap | None) -> StoredEncoder | None:
    """Return the encoder that a map was made with, as its metadata name it; None if they name none."""
    if fitted is None or not {"encoder", "fingerprint"} <= fitted.metadata.keys():
        return None
    name, fingerprint = fitted.metadata["encoder"], fitted.metadata["fingerprint"]
    return StoredEncoder(name, fitted.dimension, fingerprint, named_encoder)


def map_of(trained: EntailmentEncoder) -> FittedMap:
    """Return the heads of an entailment encoder as a map of its vectors."""
    scale, intercept = trained.head("decision").tolist()
    heads: dict[str, Any] = {each: trained.head(each) for each in HEADS}
    about = {**trained.metadata, "encoder": trained.name, "fingerprint": trained.fingerprint}
    return FittedMap("backward", scale=scale, intercept=intercept, metadata=about, **heads)
