"""The numbers that the paper reports in its section 5, row by row."""

from typing import NamedTuple

__all__ = ["AVERAGE_PRECISION", "MAPPED", "PAIRS", "UNSUPERVISED", "Reported"]


class Reported(NamedTuple):
    """A row of the paper's table, with our comment.

    >>> Reported("log_odds", "forward", 0.540, 0.559, "hardly above chance").operator
    'forward'

    Parameters
    ----------
    interpretation, operator
        What the paper measured.
    accuracy_at_half, direction_accuracy
        50% Acc and Dir Acc; None if the paper does not report them.
    comment
        Our comment on the row.
    starred
        True if the paper marks a significant difference from the previous row.
    """

    interpretation: str
    operator: str
    accuracy_at_half: float | None
    direction_accuracy: float | None
    comment: str
    starred: bool = False


PAIRS = 1643
"""The number of pairs, of the 1,667 of Weeds BLESS, that the paper had vectors for."""
AVERAGE_PRECISION = 0.81
"""That of the paper's best unsupervised model on the pairs of Baroni et al. (2012)."""

UNSUPERVISED = (
    Reported("log_odds", "forward", 0.540, 0.559,
        "Reads entailment against the grain of how Word2Vec was trained; hardly above chance, as the paper expects."),
    Reported("log_odds", "weighted_cosine", 0.555, 0.579,
        "Rei & Briscoe's directional cosine, after their own code; the paper does not say how it ranks dimensions."),
    Reported("log_odds", "dot", 0.563, 0.5, "Similarity. Symmetric, so the direction is a coin."),
    Reported("log_odds", "difference", 0.569, 0.596,
        "The sum of the differences: it compares one number of each word with that of the other."),
    Reported("log_odds", "factorised", 0.570, 0.594, "Every feature of the two words by itself, vectors as they are."),
    Reported("log_odds", "backward", 0.601, 0.622,
        "The operator that Word2Vec's training corresponds to, with vectors as they are.", starred=True),
    Reported("dup", "backward", 0.617, 0.688, "Each dimension twice, once negated: large negative values tell, too."),
    Reported("unk_dup", "factorised", 0.634, 0.688,
        "Twice and lowered by 1: values around zero are unknown rather than undecided.", starred=True),
    Reported("unk_dup", "backward", 0.645, 0.688, "The reading that fits Word2Vec best, with the operator that does."),
    Reported("log_odds", "cosine", None, None,
        "Not in the table: the paper found it very slightly worse than dot. Symmetric, so the direction is a coin."),
)  # fmt: skip
"""The rows without learning, in the order of the paper."""
MAPPED = (
    Reported("mapped", "difference", 0.643, 0.723,
        "No more than a linear classifier of the difference: one number of each word is all that a map can change."),
    Reported("mapped", "forward", 0.745, 0.910, "A learned map repairs most of what the unsupervised reading lacks."),
    Reported("mapped", "factorised", 0.775, 0.923, "A learned map, every feature by itself."),
    Reported("mapped", "backward", 0.801, 0.900, "The paper's best: a learned map and the operator that fits."),
)  # fmt: skip
"""The rows of learned maps."""
