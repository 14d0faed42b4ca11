"""Selects the matches to show: not the query itself and, if inflected forms are grouped, one form of each word."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from entvec.array_types import Rows
from entvec.space.matches import BatchMatches
from entvec.vectors.forms import IRREGULAR_PLURALS

ENDINGS = (
    ("ies", "y", 5), ("ie", "y", 4), ("sses", "ss", 5), ("shes", "sh", 5), ("ches", "ch", 5), ("xes", "x", 4),
    ("oes", "o", 5),
)  # fmt: skip
UNCHANGED = ("ss", "us", "is")
SINGULAR_IN_MEN = (
    "abdomen", "acumen", "albumen", "amen", "bitumen", "cyclamen", "dolmen", "hymen", "lumen", "omen", "ramen",
    "regimen", "semen", "specimen", "stamen", "yemen",
)  # fmt: skip


def form(word: str) -> str:
    """Return the form that inflected variants share: lower case, singular. It serves to group words, not for grammar.

    >>> form("Musical_Instruments"), form("ponies"), form("glass"), form("policewomen")
    ('musical_instrument', 'pony', 'glass', 'policewoman')
    """
    lower = word.lower()
    head, separator, last = lower.rpartition("_")
    for plural, singular in IRREGULAR_PLURALS.items():
        if last == plural or (plural in ("men", "women") and last.endswith(plural) and last not in SINGULAR_IN_MEN):
            return head + separator + last[: -len(plural)] + singular
    for ending, singular, shortest in ENDINGS:
        if last.endswith(ending) and len(last) >= shortest:
            return head + separator + last[: -len(ending)] + singular
    if last.endswith("s") and len(last) > 3 and not last.endswith(UNCHANGED):
        return lower[:-1]
    return lower


def enough(k: int) -> int:
    """Return how many hits a search starts with if k groups are wanted."""
    return 2 * k + 4


def pick(batch: BatchMatches, k: int, own: Rows | None, *, group: bool) -> BatchMatches:
    """Return the first k matches of each query, without the query itself.

    Parameters
    ----------
    batch
        The matches to select from, best first.
    k
        How many matches to select for each query.
    own
        The row of each query in the vocabulary; None if a query may match itself.
    group
        Whether to keep only the best of the inflected forms of a word, with the others as its variants.
    """
    m, n = batch.indices.shape
    keep = batch.indices >= 0
    if own is not None:
        keep &= batch.indices != own[:, None]
    variants: list[tuple[tuple[str, ...], ...]] = []
    if group:
        for i in range(m):
            query = batch.queries[i]
            own_form = None if own is None or query is None else form(query)
            groups: dict[str, list[str]] = {}
            for j in np.flatnonzero(keep[i]).tolist():
                if j >= enough(k) and len(groups) >= k:
                    break  # a search that went further for other queries must not change the variants of this one
                word = batch.vocabulary[int(batch.indices[i, j])]
                name = form(word)
                keep[i, j] = name != own_form and name not in groups
                if name != own_form:
                    groups.setdefault(name, []).append(word)
            variants.append(tuple(tuple(group[1:]) for group in list(groups.values())[:k]))
    # Move the matches to keep to the front, in their order, and cut after k.
    order = np.argsort(~keep, axis=1, kind="stable")[:, : min(k, n)]
    selected = np.take_along_axis(keep, order, axis=1)

    def select(column: np.ndarray, padding: float) -> np.ndarray:
        return np.where(selected, np.take_along_axis(column, order, axis=1), padding)

    return replace(
        batch,
        indices=select(batch.indices, -1),
        scores=select(batch.scores, -np.inf),
        calibrated=None if batch.calibrated is None else select(batch.calibrated, 0.0),
        order=select(batch.order, -np.inf),
        variants=tuple(variants),
    )
