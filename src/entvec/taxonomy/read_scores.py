"""Which of several probable parents is the best for a name that nobody knows: what the encoders say decides.

Facts about a known name say which of its ancestors is the lowest (`fit`). Of a name that is read, probabilities of
kinds of things alike are too much alike for that. So the candidates are ordered by a weighted sum of log-odds: those of
both encoders, less the generality of the candidate, of the pair, of the pair reversed, and of the fit, and whether the
name ends with the candidate.

The weights are a softmax over the candidates of each term, fitted by `tools/fit_parents.py` to two vocabularies of
TExEval-2, science_eurovoc and science_wordnet, all facts about the latter hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from entvec.array_types import AnyFloats, Floats
from entvec.evidence.reader import Reader, Tower
from entvec.space import EntailmentSpace

TRANSFORMER, TABLE, PAIR, REVERSED, FIT, SUFFIX = 2.18, 0.91, 0.28, 0.30, 0.24, 0.22
SUREST = 1e-6
"""Probabilities this near to 0 or 1 count as this."""


class ReadScores:
    """Orders candidates for names that only the encoders of a space know.

    >>> from entvec.space.default import default_space
    >>> scores = ReadScores(default_space())
    >>> found = scores.by_encoders(["soil chemistry"] * 2, ["chemistry", "music"])
    >>> bool(found[0] > found[1])
    True

    Parameters
    ----------
    space
        A space that reads any term.
    """

    def __init__(self, space: EntailmentSpace) -> None:
        self.space = space

    def is_new(self, name: str) -> bool:
        """Return whether nothing is known of a name, so that only the encoders order its parents."""
        return self.space.reads and not self.space.judge.evidence.meanings.of(name)

    def by_encoders(self, first: Sequence[str], second: Sequence[str]) -> Floats:
        """Return the weighted log-odds of both encoders that the first name of each pair is a kind of the second."""
        reader = self.space.judge.evidence.reader if self.space.reads else None
        if reader is None or not len(first):
            return np.zeros(len(first))
        return np.asarray(
            TRANSFORMER * self._log_odds(reader, reader.transformer, first, second)
            + TABLE * self._log_odds(reader, reader.table, first, second)
        )

    def _log_odds(self, reader: Reader, tower: Tower, first: Sequence[str], second: Sequence[str]) -> Floats:
        plain, places = self.space.judge.evidence.meanings.plain, []
        mapped = []
        for side, names in (("hypo", first), ("hyper", second)):
            each = list(dict.fromkeys(names))
            at = {name: i for i, name in enumerate(each)}
            vectors = tower.read([reader.wording(plain(name)) for name in each])
            mapped.append(tower.mapped(side, vectors, 1.0))  # type: ignore[arg-type]  # a side, not any text
            places.append([at[name] for name in names])
        products = np.vecdot(mapped[0][places[0]], mapped[1][places[1]]).astype(np.float64)
        calibration = tower.model.calibration
        scale, intercept = (1.0, 0.0) if calibration is None else calibration.line()
        return np.asarray(products * scale + intercept)


def score(by_encoders: AnyFloats, pair: AnyFloats, back: AnyFloats, fit: AnyFloats, suffix: AnyFloats) -> Floats:
    """Return the numbers by which candidates for a new name are ordered.

    >>> p, fit = np.array([0.9, 0.9]), np.array([0.9, 0.2])
    >>> score(np.zeros(2), p, 1 - p, fit, np.zeros(2)).round(1).tolist()
    [0.5, -0.4]

    Parameters
    ----------
    by_encoders
        What `ReadScores.by_encoders` returns.
    pair, back
        The probability that the name is a kind of each candidate, and the reverse.
    fit
        The probability that it is a kind of the candidate, and of none below it.
    suffix
        Whether the last words of the name are the candidate.
    """
    return np.asarray(
        by_encoders + PAIR * _log_odds(pair) + REVERSED * _log_odds(back) + FIT * _log_odds(fit) + SUFFIX * suffix
    )


def _log_odds(p: AnyFloats) -> AnyFloats:
    p = np.clip(p, SUREST, 1 - SUREST)
    return np.asarray(np.log(p) - np.log1p(-p))
