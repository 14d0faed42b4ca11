"""`EntailmentSpace`: scores, hypernyms and hyponyms of words.

space      `EntailmentSpace`: a vocabulary, a model and a backend; the verbs people use
fitting    `fit_encoder`: a map for any encoder, and a space that reads any text
queries    checks queries: words or vectors, one or several; texts that only an encoder can read
encoding   relations of texts that an encoder reads
ranking    from a query to matches
matches    `Matches` and `BatchMatches`: words with scores and probabilities
grouping   shows inflected forms of a word as one match
explain    why a pair is an entailment or not, and which dimensions carry or break it
reasoning  the reasons in sentences, and the sum of the evidence
storage    saves a space to a folder and loads it
versions   answers each question from one version of a space in a database
"""

from entvec.space.default import default_space, held_out_space
from entvec.space.explain import Compared, Dimension, Explanation
from entvec.space.fitting import EncoderFit, fit_encoder
from entvec.space.matches import BatchMatches, Match, Matches
from entvec.space.reasoning import Alone, Reason, Reasoning
from entvec.space.space import Direction, EntailmentSpace

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
    "default_space",
    "fit_encoder",
    "held_out_space",
]
