"""How well a space builds, extends, names and audits taxonomies: studies on WordNet's nouns.

wordnet_trees    the trees of nouns to recover
induction        how much of a tree is recovered from its words
placement        how well a hidden noun is placed from a fact or two
phrases          how well the vector of a phrase is composed from its words
negations        how much it helps to deny wrong answers
common_hypernym  how often the lowest common hypernym of a list is found
audit            how many planted errors an audit finds

knowing          worlds that know WordNet without the words that are asked about

public_benchmarks  TExEval-2, subtrees of WordNet, SemEval-2016 Task 14, SemEval-Food, MeSH
gold_files         reads the files of these where you have them
published          the rows that others report, to stand beside ours
gold_trees         taxonomies of such files from their terms
completion         terms taken out of such a taxonomy, and placed again
enrichment         new word senses under senses of WordNet

The map of `entvec.bundled.held_out_map` was fitted without the words of the trees. It was fitted with phrases, because
too few of them would be left otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from entvec.errors import InvalidInput
from entvec.evaluate.taxonomy import audit, common_hypernym, induction, negations, phrases, placement
from entvec.evaluate.taxonomy.public_benchmarks import BENCHMARKS, evaluate_public
from entvec.evaluate.taxonomy.results import StudyResult
from entvec.evaluate.taxonomy.wordnet_trees import Tree, trees
from entvec.progress import StageProgress
from entvec.space import EntailmentSpace

__all__ = ["BENCHMARKS", "STUDIES", "StudyResult", "Tree", "evaluate", "evaluate_public", "trees"]

STUDIES: dict[str, Callable[[EntailmentSpace, Sequence[Tree]], list[StudyResult]]] = {
    module.STUDY: module.evaluate for module in (induction, placement, phrases, negations, common_hypernym, audit)
}
"""The studies by name: functions of a space and the trees."""


def evaluate(
    space: EntailmentSpace, studies: Sequence[str] = tuple(STUDIES), *, progress: StageProgress | None = None
) -> list[StudyResult]:
    """Run some studies on the test trees. All of them together take about three minutes.

    >>> from entvec.space.default import held_out_space
    >>> results = evaluate(held_out_space(), ["induction"])  # doctest: +SKIP

    Parameters
    ----------
    space
        A space with all words of the trees.
    studies
        Names in STUDIES.
    progress
        A callback, called with the name of the current study and the fraction of studies that are done.
    """
    rows = []
    for i, study in enumerate(studies):
        if study not in STUDIES:
            raise InvalidInput(f"no study {study!r}, expected one of {', '.join(STUDIES)}")
        if progress is not None:
            progress(study, i / len(studies))
        rows += STUDIES[study](space, trees())
    return rows
