"""How well a space builds, extends, names and audits taxonomies: studies on WordNet's nouns.

trees       the trees of nouns to recover
induction   how much of a tree is recovered from its words
placement   how well a hidden noun is placed from a fact or two; phrases; denials
naming      how often the lowest common hypernym of a list is found
auditing    how many errors are found that were put into trees

Words asked about are those of the trees, which the map of `entvec.bundled.held_out_map` has not seen; but for phrases,
of which there would be too few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from entvec.errors import InvalidInput
from entvec.evaluate.taxonomy import auditing, induction, naming, placement
from entvec.evaluate.taxonomy.measured import Row
from entvec.evaluate.taxonomy.trees import Tree
from entvec.evaluate.taxonomy.trees import trees as trees_of
from entvec.space import EntailmentSpace

__all__ = ["STUDIES", "Row", "Tree", "evaluate"]


def _words(found: Sequence[Tree]) -> set[str]:
    return {word for tree in found for word in tree.words}


STUDIES: dict[str, Callable[[EntailmentSpace, Sequence[Tree]], list[Row]]] = {
    "induction": induction.evaluate,
    "placement": lambda space, found: placement.evaluate(space, placement.terms(_words(found))),
    "phrases": lambda space, _: placement.evaluate_phrases(space),
    "negations": lambda space, found: placement.evaluate_negations(space, placement.terms(_words(found))),
    "common": lambda space, found: naming.evaluate(space, naming.lists(_words(found))),
    "audit": auditing.evaluate,
}


def evaluate(
    space: EntailmentSpace,
    studies: Sequence[str] = tuple(STUDIES),
    which: str = "test",
    *,
    progress: Callable[[str, float], None] | None = None,
) -> list[Row]:
    """The rows of some studies, in a space; `progress` is told what is being done, and which part of all is done."""
    found = trees_of(which)
    rows = []
    for i, study in enumerate(studies):
        if study not in STUDIES:
            raise InvalidInput(f"no study {study!r}, expected one of {', '.join(STUDIES)}")
        if progress is not None:
            progress(study, i / len(studies))
        rows += STUDIES[study](space, found)
    return rows
