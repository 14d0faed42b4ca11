"""Picking what is shown: not the word that was asked for and, if they are to be grouped, each word in one form only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from entvec.space.matches import BatchMatches
from entvec.vectors.vocabulary import Rows

IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "teeth": "tooth",
    "geese": "goose", "mice": "mouse", "lice": "louse", "oxen": "ox", "dice": "die", "lives": "life",
    "wives": "wife", "knives": "knife", "leaves": "leaf", "wolves": "wolf", "halves": "half", "shelves": "shelf",
    "thieves": "thief", "loaves": "loaf", "calves": "calf", "selves": "self", "species": "species",
    "series": "series", "buses": "bus", "criteria": "criterion", "phenomena": "phenomenon", "analyses": "analysis",
    "crises": "crisis", "theses": "thesis", "shoes": "shoe", "news": "news", "lens": "lens", "lenses": "lens",
    "gases": "gas", "viruses": "virus", "bonuses": "bonus", "campuses": "campus", "caches": "cache",
    "headaches": "headache",
}  # fmt: skip
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
    """The form that inflected variants share: small letters, singular. Good for grouping, not for grammar.

    >>> form("Musical_Instruments"), form("ponies"), form("glass"), form("policewomen")
    ('musical_instrument', 'pony', 'glass', 'policewoman')
    """
    lower = word.lower()
    head, separator, last = lower.rpartition("_")
    for plural, singular in IRREGULAR.items():
        if last == plural or (plural in ("men", "women") and last.endswith(plural) and last not in SINGULAR_IN_MEN):
            return head + separator + last[: -len(plural)] + singular
    for ending, singular, shortest in ENDINGS:
        if last.endswith(ending) and len(last) >= shortest:
            return head + separator + last[: -len(ending)] + singular
    if last.endswith("s") and len(last) > 3 and not last.endswith(UNCHANGED):
        return lower[:-1]
    return lower


def enough(k: int) -> int:
    """How many hits to begin with if k groups are wanted."""
    return 2 * k + 4


def pick(batch: BatchMatches, k: int, own: Rows | None, *, group: bool) -> BatchMatches:
    """The first k hits of each query without the query itself; of a group the best, with its variants beside it."""
    m, n = batch.indices.shape
    keep = batch.indices >= 0
    if own is not None:
        keep &= batch.indices != own[:, None]
    variants: list[tuple[tuple[str, ...], ...]] = []
    if group:
        for i in range(m):
            asked = batch.queries[i]
            own_form = None if own is None or asked is None else form(asked)
            groups: dict[str, list[str]] = {}
            for j in np.flatnonzero(keep[i]).tolist():
                if j >= enough(k) and len(groups) >= k:
                    break  # how far a search went for other queries makes no difference to the variants of this one
                word = batch.vocabulary[int(batch.indices[i, j])]
                name = form(word)
                keep[i, j] = name != own_form and name not in groups
                if name != own_form:
                    groups.setdefault(name, []).append(word)
            variants.append(tuple(tuple(group[1:]) for group in list(groups.values())[:k]))
    # Hits to keep move to the front, in their order; then the first k are all that is wanted.
    order = np.argsort(~keep, axis=1, kind="stable")[:, : min(k, n)]
    kept = np.take_along_axis(keep, order, axis=1)

    def picked(column: np.ndarray, otherwise: float) -> np.ndarray:
        return np.where(kept, np.take_along_axis(column, order, axis=1), otherwise)

    return replace(
        batch,
        indices=picked(batch.indices, -1),
        scores=picked(batch.scores, -np.inf),
        probabilities=None if batch.probabilities is None else picked(batch.probabilities, 0.0),
        order=picked(batch.order, -np.inf),
        variants=tuple(variants),
    )
