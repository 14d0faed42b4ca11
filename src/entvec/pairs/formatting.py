r"""Scores behind the lines they belong to, as text with four decimals: written with array operations.

What follows a line is put together from three numbers of 64 bits, eight letters each, looked up in tables:

    ....\t-12   .3456\t0.   9876\n...

where the dots before and after are left out. So it is one run of letters, whose beginning alone depends on the score.
"""

from __future__ import annotations

from math import isnan

import numpy as np
from numpy.typing import NDArray

from entvec.pairs.lookup import Bytes, Rows, spans

Floats = NDArray[np.float64]

DECIMALS = 10_000
LARGEST = 9_999
"""Whole part of a score that the table has; beyond it Python writes the numbers, one by one."""
AT_ONCE = 1 << 11
WIDTH = 24


def _letters(texts: list[str]) -> NDArray[np.uint64]:
    return np.frombuffer("".join(texts).encode(), dtype="<u8")


WHOLE = _letters([f"\t{sign}{number}".rjust(8, "\0") for sign in ("", "-") for number in range(LARGEST + 1)])
WHOLE_LENGTHS = np.array([1 + len(sign) + len(str(n)) for sign in ("", "-") for n in range(LARGEST + 1)])
BEFORE_PROBABILITY = _letters([f".{number:04d}\t{whole}." for whole in "01" for number in range(DECIMALS)])
LAST = _letters([f".{number:04d}\n\0\0" for number in range(DECIMALS)])
PROBABILITY = _letters([f"{number:04d}\n\0\0\0" for number in range(DECIMALS)])
END = {False: 14, True: 21}
"""Where the letters end, without a probability and with one."""
EMPTY = {False: _letters(["\0\0\0\0\t\n\0\0"])[0], True: _letters(["\0\0\t\t\n\0\0\0"])[0]}
"""The last letters of a line whose score is not known: fields with nothing in them."""


def with_scores(text: Bytes, starts: Rows, lengths: Rows, scores: Floats, probabilities: Floats | None) -> bytes:
    r"""Each line of the text, a tab and its score, perhaps a tab and its probability; nothing where the score is NaN.

    >>> lines = np.frombuffer(b"dog\tanimal\ndog\tqqq\n", dtype=np.uint8)
    >>> starts, lengths, scores = np.array([0, 11]), np.array([10, 7]), np.array([-1.25, np.nan])
    >>> with_scores(lines, starts, lengths, scores, None)
    b'dog\tanimal\t-1.2500\ndog\tqqq\t\n'
    >>> with_scores(lines, starts, lengths, scores, np.array([0.9, np.nan]))
    b'dog\tanimal\t-1.2500\t0.9000\ndog\tqqq\t\t\n'
    """
    made = []
    for first in range(0, len(starts), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        likely = None if probabilities is None else probabilities[some]
        made.append(_block(text, starts[some], lengths[some], scores[some], likely))
    return b"".join(made)


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
    letters = np.empty((len(starts), 3), dtype=np.dtype("<u8"))
    begins = 8 - WHOLE_LENGTHS[whole]
    letters[:, 0] = WHOLE[whole]
    if probabilities is None:
        letters[:, 1] = LAST[decimals]
    else:
        likely = np.rint(probabilities * DECIMALS)
        likely[unknown] = 0
        ones, likely = np.divmod(likely.astype(np.int64), DECIMALS)
        letters[:, 1] = BEFORE_PROBABILITY[decimals + DECIMALS * ones]
        letters[:, 2] = PROBABILITY[likely]
    letters[unknown, 1 + calibrated] = EMPTY[calibrated]
    begins[unknown] = END[calibrated] - (2 + calibrated)
    return _interleaved(text, starts, lengths, letters.view(np.uint8).ravel(), begins, END[calibrated])


def _interleaved(text: Bytes, starts: Rows, lengths: Rows, letters: Bytes, begins: Rows, end: int) -> bytes:
    """Lines and what follows each of them, in turns."""
    n = len(starts)
    here = int(starts[0])
    lines = text[here : int(starts[-1] + lengths[-1])]
    both_starts, both_lengths = (np.empty((n, 2), dtype=np.int64) for _ in range(2))
    both_starts[:, 0], both_lengths[:, 0] = starts - here, lengths
    both_starts[:, 1], both_lengths[:, 1] = np.arange(n) * WIDTH + begins + len(lines), end - begins
    return np.concatenate([lines, letters])[spans(both_starts.ravel(), both_lengths.ravel())].tobytes()


def _one_by_one(text: Bytes, starts: Rows, lengths: Rows, scores: Floats, probabilities: Floats | None) -> bytes:
    """The same for numbers that the tables do not have."""
    columns = [column.tolist() for column in (scores, probabilities) if column is not None]
    nothing = b"\t" * len(columns)
    made = []
    for start, length, *numbers in zip(starts.tolist(), lengths.tolist(), *columns, strict=True):
        # Rounded before it is written, and 0 added: there is no -0.0000.
        told = b"".join(b"\t%.4f" % (round(number, 4) + 0.0) for number in numbers)
        made.append(text[start : start + length].tobytes() + (nothing if isnan(numbers[0]) else told) + b"\n")
    return b"".join(made)
