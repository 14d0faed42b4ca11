"""Maps of the bundled vectors into entailment space that `tools/train_default_map.py` learned."""

from pathlib import Path

from entvec.learn.fitted import FittedMap

DATA = Path(__file__).parent / "data"
DEFAULT_MAP = DATA / "default-map.safetensors"
DEFAULT_MAP_SHA256 = "73b8feb8dcd2c3ed89a870e0016b56bb5c0d88601ddb9930a0912bf9bc22a166"
"""Of that file: what is made from it can be cached under this name."""


def default_map() -> FittedMap:
    """Return the map of the default space; docs/default-map.md is its model card."""
    return FittedMap.load(DEFAULT_MAP)


def held_out_map() -> FittedMap:
    """Return a map like the default one that was learned without the 2,960 nouns of `entvec.evaluate.taxonomy`."""
    return FittedMap.load(DATA / "held-out-map.safetensors")
