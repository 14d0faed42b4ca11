"""Scores of given pairs: a few, or millions of lines of text.

scorer      `Scorer`: pairs of rows
lines       `score_lines`: text with two words a line, to text with their scores
lookup      rows of words that lie somewhere in a text
formatting  scores written behind the lines that they belong to
"""

from entvec.pairs.lines import Tally, score_lines
from entvec.pairs.scorer import Scorer

__all__ = ["Scorer", "Tally", "score_lines"]
