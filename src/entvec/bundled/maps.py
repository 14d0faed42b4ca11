"""Maps of the bundled vectors into entailment space that `tools/train_default_map.py` learned."""

from pathlib import Path

from entvec.learn.fitted import FittedMap

DATA = Path(__file__).parent / "data"


def default_map() -> FittedMap:
    """Return the map of the default space; docs/default-map.md is its model card."""
    return FittedMap.load(DATA / "default-map.safetensors")


def held_out_map() -> FittedMap:
    """Return a map like the default one that was learned without the 2,960 nouns of `entvec.evaluate.taxonomy`."""
    return FittedMap.load(DATA / "held-out-map.safetensors")
