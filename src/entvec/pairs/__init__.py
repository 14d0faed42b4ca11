"""Scores of given pairs, a few or millions.

scorer      `Scorer`: scores pairs of rows
lines       `score_lines`: reads text with two words a line and writes it with their scores
lookup      finds the rows of the words of a text
formatting  writes scores at the ends of lines
"""

from entvec.pairs.lines import Tally, score_lines
from entvec.pairs.scorer import Scorer

__all__ = ["Scorer", "Tally", "score_lines"]
