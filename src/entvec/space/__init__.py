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

from entvec.model.specificity import Specificity
from entvec.space.matches import BatchMatches, Match, Matches
from entvec.space.space import Direction, EntailmentSpace

__all__ = ["BatchMatches", "Direction", "EntailmentSpace", "Match", "Matches", "Specificity"]
