"""What each source adds to the answer about a pair, in log-odds: parts that add up to the probability of its relation.

The probabilities are a softmax, so what a source adds depends on which others have spoken. Its part is the mean over
all orders in which they might speak (Shapley's value), which no order favours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from entvec.array_types import Floats
from entvec.evidence.features import FACTS, RELATIONS, columns
from entvec.evidence.gathering import TEXT
from entvec.evidence.judge import Judge
from entvec.evidence.read_features import ENCODER
from entvec.evidence.relation_model import STATED, case_of
from entvec.evidence.waterfall import START, Part

NAMES = "names"
"""What is added for a name that others may have, too."""
SETTLED = 30.0
"""Log-odds beyond which a pair is settled without weighing: the same word twice."""
NEGLIGIBLE = 1e-6


def relation_waterfall(judge: Judge, first: str, second: str, relation: str) -> tuple[Part, ...]:
    """Return the parts of the log-odds that a relation holds between two words; none if nothing was weighed.

    >>> from entvec.space import default_space
    >>> space = default_space()
    >>> parts = relation_waterfall(space.judge, "tomato", "fruit", "narrower")
    >>> [part.source for part in parts]
    ['constant', 'facts', 'vectors']
    >>> log_odds = sum(part.log_odds for part in parts)
    >>> round(1 / (1 + np.exp(-log_odds)) - space.relation("tomato", "fruit").probabilities["narrower"], 6)
    np.float64(0.0)

    Parameters
    ----------
    judge
        What weighs the evidence.
    first, second
        The words.
    relation
        One of RELATIONS.
    """
    at = RELATIONS.index(relation)
    [final] = judge.probabilities([first], [second])
    if np.isnan(final).any():
        return ()
    total = _log_odds(np.log(np.maximum(final, 1e-300)), at)
    weighed = _weighed(judge, first, second)
    if weighed is None or abs(total) > SETTLED:
        return ()
    start, said = weighed
    parts = [Part(START, _log_odds(start, at)), *_shared_out(start, said, at)]
    if ENCODER in said and judge.read_pairs is not None:  # what is read counts as far as it is meant
        [read] = judge.read_pairs.probabilities([first], [second], judge.model.base_rates)
        doubt = _log_odds(np.log(read), at) - sum(part.log_odds for part in parts)
        parts = [part._replace(log_odds=part.log_odds + doubt) if part.source == ENCODER else part for part in parts]
    left = total - sum(part.log_odds for part in parts)
    if abs(left) > NEGLIGIBLE:
        parts.append(Part(NAMES if judge.evidence.text is None else TEXT, left))
    return tuple(parts)


def _weighed(judge: Judge, first: str, second: str) -> tuple[Floats, Mapping[str, Floats]] | None:
    """Return the log-odds of all relations before any source speaks, and what each source adds to them."""
    found = judge.evidence.of([first], [second])
    rates = np.log(judge.model.base_rates)
    if len(judge.read(found, [first], [second])) and judge.read_pairs is not None:
        by_source = judge.read_pairs.log_odds_by_source(first, second)
        return rates + by_source.pop(START), by_source
    case = case_of(found.situations[0], found.sources[0])
    if case not in judge.model.weights:
        return (rates, {}) if found.sources[0] else None
    weights = judge.model.weights[case]
    said = {}
    for source in found.sources[0]:
        own = columns((source,))
        said[source] = found.features[0, own] @ weights[own]
    known = found.known[0]
    for names, bonus in ((known.stated, STATED), (known.denied.keys(), -STATED)):
        stated = np.isin(RELATIONS, list(names)) * bonus
        if stated.any():
            said[FACTS] = np.asarray(said.get(FACTS, np.zeros(len(RELATIONS))) + stated)
    return rates + weights[-1], said


def _shared_out(start: Floats, said: Mapping[str, Floats], at: int) -> list[Part]:
    """Return the part of each source: the mean of what it adds over all orders of the sources."""
    n, found = len(said), []
    for source, own in said.items():
        others = [value for name, value in said.items() if name != source]
        mean = 0.0
        for size in range(n):
            weight = math.factorial(size) * math.factorial(n - size - 1) / math.factorial(n)
            for before in combinations(others, size):
                base = start + sum(before)
                mean += weight * (_log_odds(base + own, at) - _log_odds(base, at))
        found.append(Part(source, mean))
    return found


def _log_odds(values: Floats, at: int) -> float:
    """Return the log-odds of one relation against all others."""
    rest = np.delete(values, at)
    return float(values[at] - rest.max() - math.log(np.exp(rest - rest.max()).sum()))
