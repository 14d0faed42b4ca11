"""The space that questions are asked of: scores, hypernyms and hyponyms of words.

space      `EntailmentSpace`: a vocabulary, a model and a backend; the verbs people use
queries    words or vectors, one or several, checked
ranking    from a query to matches
matches    `Matches` and `BatchMatches`: words with scores and probabilities
grouping   inflected forms of a word as one match
explain    which dimensions carry or break an entailment
storage    a space in a folder
versions   answers of a database come from one version of a space
"""

from typing import Any

from entvec.space.explain import Compared, Dimension, Explanation
from entvec.space.matches import BatchMatches, Match, Matches
from entvec.space.space import Direction, EntailmentSpace

__all__ = [
    "BatchMatches",
    "Compared",
    "Dimension",
    "Direction",
    "EntailmentSpace",
    "Explanation",
    "Match",
    "Matches",
    "default_space",
    "held_out_space",
]


def __getattr__(name: str) -> Any:
    """Bundled data is opened when one of its spaces is first asked for."""
    if name in ("default_space", "held_out_space"):
        from entvec.space import default

        return getattr(default, name)
    raise AttributeError(f"module 'entvec.space' has no attribute {name!r}")
