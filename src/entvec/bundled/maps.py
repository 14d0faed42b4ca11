"""Maps of the bundled vectors into entailment space, and the weights of evidence for each relation.

`tools/train_default_map.py` learned the maps, `tools/fit_relations.py` the weights.
"""

from pathlib import Path

from entvec.learn.fitted import FittedMap

DATA = Path(__file__).parent / "data"
DEFAULT_MAP = DATA / "default-map.safetensors"
DEFAULT_MAP_SHA256 = "37859a5c4cd1c4b475357a6feef657a0bc50a7122c186b6b4b3adb4be5c9a454"
"""Of that file: what is made from it can be cached under this name."""


RELATION_MODEL = DATA / "relations.json"
"""The file of the bundled `entvec.evidence.RelationModel`."""
RANKING_WEIGHTS = DATA / "rankings.json"
READING_WEIGHTS = DATA / "reading.json"
"""The file of the bundled `entvec.evidence.RankingWeights`."""
TEXT_WEIGHTS = DATA / "text-weights.json"
"""The file of the bundled `entvec.evidence.TextWeights`."""


def default_map() -> FittedMap:
    """Return the map of the default space; docs/default-map.md is its model card."""
    return FittedMap.load(DEFAULT_MAP)


def held_out_map() -> FittedMap:
    """Return a map like the default one that was learned without the 2,960 nouns of `entvec.evaluate.taxonomy`."""
    return FittedMap.load(DATA / "held-out-map.safetensors")
