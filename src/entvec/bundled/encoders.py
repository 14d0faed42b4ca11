"""Encoders that were trained for entailment, and their heads as maps; `tools/train_encoder.py` made the files.

>>> sorted(ENCODERS)
['small', 'static']
>>> encoder("static")
EntailmentEncoder('entvec-static', static, 27,928 pieces x 224)
"""

from functools import cache
from pathlib import Path
from typing import Any

from entvec.errors import InvalidInput
from entvec.learn.fitted import FittedMap
from entvec.text import EntailmentEncoder, load_encoder

DATA = Path(__file__).parent / "data"
ENCODERS = {name: DATA / f"encoder-{name}.safetensors" for name in ("small", "static")}
"""The files of the encoders, by name."""
HEADS = ("hypo_weights", "hypo_bias", "hyper_weights", "hyper_bias", "hypo_offset", "hyper_offset", "generality")


@cache
def encoder(name: str = "small") -> EntailmentEncoder:
    """Return a bundled encoder: "small", three layers of a transformer, or "static", a table for large jobs.

    >>> encoder("small")(["running shoes"]).shape
    (1, 384)

    docs/encoder.md is the model card of both.
    """
    if name not in ENCODERS:
        raise InvalidInput(f"no encoder {name!r}, expected one of {', '.join(ENCODERS)}")
    return load_encoder(ENCODERS[name])


@cache
def encoder_map(name: str = "small") -> FittedMap:
    """Return the heads of a bundled encoder as a map of its vectors.

    >>> heads = encoder_map("static")
    >>> heads.operator, heads.dimension, heads.n_components
    ('backward', 224, 384)
    """
    trained = encoder(name)
    scale, intercept = trained.head("decision").tolist()
    heads: dict[str, Any] = {each: trained.head(each) for each in HEADS}
    about = {**trained.metadata, "encoder": trained.name, "fingerprint": trained.fingerprint}
    return FittedMap("backward", scale=scale, intercept=intercept, metadata=about, **heads)
