"""The space that questions are asked of: scores, hypernyms and hyponyms of words.

verbs      what can be asked of any space: score, hypernyms, hyponyms
space      EntailmentSpace: vectors, how they are read, and an operator
questions  words or vectors, one or several
specificity  how much general words lose in a ranking
reading    vectors as log-odds, and as vectors whose inner product is the score
keys       the vocabulary as keys of a search
search     exact search, at the speed of the matrix product
engines    approximate search: faiss, usearch
pairs      scores of given pairs, few or millions
streaming  lines of text with two words, to lines with their scores
lookup     rows of words that lie somewhere in a text
formatting scores behind the lines they belong to
grouping   each word in one form only
explain    which dimensions carry or break an entailment
matches    what was found
storage    a space in a folder
stores     a space in a database: PostgreSQL, Milvus
description  how a space reads its vectors, as JSON can hold it
"""

from entvec.model.specificity import Specificity
from entvec.space.matches import BatchMatches, Match, Matches
from entvec.space.space import EntailmentSpace
from entvec.space.verbs import Direction

__all__ = ["BatchMatches", "Direction", "EntailmentSpace", "Match", "Matches", "Specificity"]
