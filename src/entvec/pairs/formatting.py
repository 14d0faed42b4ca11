r"""Formatting: write a score with four decimals at the end of each line, by array operations.

The text after a line consists of three pieces of eight bytes, each from a table and stored as a 64-bit number:

    ....\t-12   .3456\t0.   9876\n...

The dots at both ends stand for bytes that are not copied, so the rest is contiguous and only its start varies.
"""

from __future__ import annotations

from math import isnan

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Floats, Rows
from entvec.pairs.lookup import Bytes
from entvec.vectors.words import spans

DECIMALS = 10_000
LARGEST = 9_999
"""The largest whole part in the table; larger scores are formatted one by one."""
AT_ONCE = 1 << 11
WIDTH = 24


def _pieces(texts: list[str]) -> NDArray[np.uint64]:
    return np.frombuffer("".join(texts).encode(), dtype="<u8")


WHOLE = _pieces([f"\t{sign}{number}".rjust(8, "\0") for sign in ("", "-") for number in range(LARGEST + 1)])
WHOLE_LENGTHS = np.array([1 + len(sign) + len(str(n)) for sign in ("", "-") for n in range(LARGEST + 1)])
BEFORE_PROBABILITY = _pieces([f".{number:04d}\t{whole}." for whole in "01" for number in range(DECIMALS)])
LAST = _pieces([f".{number:04d}\n\0\0" for number in range(DECIMALS)])
PROBABILITY = _pieces([f"{number:04d}\n\0\0\0" for number in range(DECIMALS)])
END = {False: 14, True: 21}
"""The end of the pieces, without a probability and with one."""
EMPTY = {False: _pieces(["\0\0\0\0\t\n\0\0"])[0], True: _pieces(["\0\0\t\t\n\0\0\0"])[0]}
"""The last piece of a line without a score: empty fields."""


def with_scores(text: Bytes, starts: Rows, lengths: Rows, scores: Floats, probabilities: Floats | None) -> bytes:
    r"""Return each line of the text with a tab and its score, and perhaps a tab and its probability.

    >>> lines = np.frombuffer(b"dog\tanimal\ndog\tqqq\n", dtype=np.uint8)
    >>> starts, lengths, scores = np.array([0, 11]), np.array([10, 7]), np.array([-1.25, np.nan])
    >>> with_scores(lines, starts, lengths, scores, None)
    b'dog\tanimal\t-1.2500\ndog\tqqq\t\n'
    >>> with_scores(lines, starts, lengths, scores, np.array([0.9, np.nan]))
    b'dog\tanimal\t-1.2500\t0.9000\ndog\tqqq\t\t\n'

    Parameters
    ----------
    text
        The bytes of the text.
    starts, lengths
        Where the lines are, without their ends.
    scores
        The score of each line; NaN for an empty field.
    probabilities
        The probability of each line; None for no such field.
    """
    blocks = []
    for first in range(0, len(starts), AT_ONCE):
        block = slice(first, first + AT_ONCE)
        likely = None if probabilities is None else probabilities[block]
        blocks.append(_block(text, starts[block], lengths[block], scores[block], likely))
    return b"".join(blocks)


def _block(text: Bytes, starts: Rows, lengths: Rows, scores: Floats, probabilities: Floats | None) -> bytes:
    rounded = np.rint(scores * DECIMALS)
    unknown = np.isnan(rounded)
    rounded[unknown] = 0
    magnitude = np.abs(rounded)
    if magnitude.max() >= (LARGEST + 1) * DECIMALS:
        return _one_by_one(text, starts, lengths, scores, probabilities)
    whole, decimals = np.divmod(magnitude.astype(np.int64), DECIMALS)
    whole += (LARGEST + 1) * (rounded < 0)
    calibrated = probabilities is not None
    pieces = np.empty((len(starts), 3), dtype=np.dtype("<u8"))
    begins = 8 - WHOLE_LENGTHS[whole]
    pieces[:, 0] = WHOLE[whole]
    if probabilities is None:
        pieces[:, 1] = LAST[decimals]
    else:
        probabilities = np.rint(probabilities * DECIMALS)
        probabilities[unknown] = 0
        ones, decimals_after = np.divmod(probabilities.astype(np.int64), DECIMALS)
        pieces[:, 1] = BEFORE_PROBABILITY[decimals + DECIMALS * ones]
        pieces[:, 2] = PROBABILITY[decimals_after]
    pieces[unknown, 1 + calibrated] = EMPTY[calibrated]
    begins[unknown] = END[calibrated] - (2 + calibrated)
    return _interleaved(text, starts, lengths, pieces.view(np.uint8).ravel(), begins, END[calibrated])


def _interleaved(text: Bytes, starts: Rows, lengths: Rows, pieces: Bytes, begins: Rows, end: int) -> bytes:
    """Return each line followed by its pieces, from `begins` to `end`."""
    n = len(starts)
    first = int(starts[0])
    lines = text[first : int(starts[-1] + lengths[-1])]
    both_starts, both_lengths = (np.empty((n, 2), dtype=np.int64) for _ in range(2))
    both_starts[:, 0], both_lengths[:, 0] = starts - first, lengths
    both_starts[:, 1], both_lengths[:, 1] = np.arange(n) * WIDTH + begins + len(lines), end - begins
    return np.concatenate([lines, pieces])[spans(both_starts.ravel(), both_lengths.ravel())].tobytes()


def _one_by_one(text: Bytes, starts: Rows, lengths: Rows, scores: Floats, probabilities: Floats | None) -> bytes:
    """Do the same as `_block` for numbers that are not in the tables."""
    columns = [column.tolist() for column in (scores, probabilities) if column is not None]
    empty = b"\t" * len(columns)
    written = []
    for start, length, *numbers in zip(starts.tolist(), lengths.tolist(), *columns, strict=True):
        # Rounded first, and 0 added, so that no number is written as -0.0000.
        fields = b"".join(b"\t%.4f" % (round(number, 4) + 0.0) for number in numbers)
        written.append(text[start : start + length].tobytes() + (empty if isnan(numbers[0]) else fields) + b"\n")
    return b"".join(written)
