"""`EntailmentSpace`: scores, hypernyms and hyponyms of words.

space           `EntailmentSpace`: how it is made, opened and saved
word_questions  its methods about a word: what is above and below it, its senses
pair_questions  its methods about pairs: scores, relations, probabilities, reasons
variants        its methods that return a space which differs in one part
parts           a vocabulary, a model, a backend, knowledge and an encoder: its base
fitting         `fit_encoder`: a map for any encoder, and a space that reads any text
queries         checks queries: words or vectors, one or several; texts that only an encoder can read
encoding        relations of texts that an encoder reads
relating        pairs and words of which some may be missing; base rates
ranking         from a query to matches
fusion          the best words by what the vectors and all other evidence say together
matches         `Matches` and `BatchMatches`: words with scores and probabilities
grouping        shows inflected forms of a word as one match
explain         why a pair is an entailment or not, and which dimensions carry or break it
reasoning       the reasons in sentences, and the sum of the evidence
storage         saves a space to a folder and loads it
versions        answers each question from one version of a space in a database
default         the spaces made of bundled data
options         `SpaceOptions`: which space is meant, for `entvec.load` and every command
"""

from typing import TYPE_CHECKING, Any

from entvec.space.default import default_space, held_out_space
from entvec.space.explain import Compared, Dimension, Explanation
from entvec.space.matches import BatchMatches, Match, Matches
from entvec.space.options import SpaceOptions
from entvec.space.pair_questions import Direction
from entvec.space.reasoning import Alone, Reason, Reasoning
from entvec.space.space import EntailmentSpace

if TYPE_CHECKING:
    from entvec.space.fitting import EncoderFit, fit_encoder

__all__ = [
    "Alone",
    "BatchMatches",
    "Compared",
    "Dimension",
    "Direction",
    "EncoderFit",
    "EntailmentSpace",
    "Explanation",
    "Match",
    "Matches",
    "Reason",
    "Reasoning",
    "SpaceOptions",
    "default_space",
    "fit_encoder",
    "held_out_space",
]


def __getattr__(name: str) -> Any:
    """Import what fits maps on first use: no question needs it."""
    if name not in ("EncoderFit", "fit_encoder"):
        raise AttributeError(f"module 'entvec.space' has no attribute {name!r}")
    from entvec.space import fitting

    return getattr(fitting, name)
