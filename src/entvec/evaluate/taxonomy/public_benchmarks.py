"""Public benchmarks of taxonomies by name. Their files are not in the package: whoever has them names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from entvec.errors import InvalidInput
from entvec.evaluate.taxonomy import completion, enrichment, gold_trees
from entvec.evaluate.taxonomy.published import published
from entvec.evaluate.taxonomy.results import StudyResult
from entvec.space import EntailmentSpace


class PublicBenchmark(NamedTuple):
    """A public benchmark: what it asks, which files it has, and what the default space may have seen of it."""

    title: str
    evaluate: Callable[[str, EntailmentSpace, Sequence[Path]], list[StudyResult]]
    files: str
    """Which files it takes."""
    fewest: int
    most: int
    leakage: str


SEEN = "the map and the encoders have learned from WordNet's nouns"
BENCHMARKS = {
    "texeval": PublicBenchmark(
        "TExEval-2 (SemEval-2016 Task 13): a taxonomy from its terms alone",
        gold_trees.evaluate,
        "gold edges, `id TAB term TAB hypernym`, one file or several",
        1,
        99,
        f"{SEEN}; vocabularies called wordnet are cut from it",
    ),
    "wordnet-subtrees": PublicBenchmark(
        "Subtrees of WordNet (Bansal et al. 2014): each from its terms alone",
        gold_trees.evaluate,
        "trees in brackets (.ptb), or gold edges",
        1,
        99,
        f"the answers are WordNet's own edges; {SEEN}",
    ),
    "task14": PublicBenchmark(
        "SemEval-2016 Task 14: new word senses under senses of WordNet",
        enrichment.evaluate,
        "the items with definitions, then the key",
        2,
        2,
        "the words are new to WordNet 3.0; what they are under is known, as the task has it",
    ),
    "semeval-food": PublicBenchmark(
        "SemEval-Food: terms taken out of a taxonomy of food, and placed again",
        completion.evaluate,
        "terms and edges (x.terms, x.taxo), or gold edges",
        1,
        2,
        f"{SEEN}; much of the food is in it",
    ),
    "mesh": PublicBenchmark(
        "MeSH: terms taken out of a taxonomy of medicine, and placed again",
        completion.evaluate,
        "terms and edges (x.terms, x.taxo), or gold edges",
        1,
        2,
        f"{SEEN}; some diseases and drugs are in it",
    ),
}
"""The benchmarks by name."""


def evaluate_public(name: str, space: EntailmentSpace, paths: Sequence[Path]) -> list[StudyResult]:
    r"""Return our rows on a public benchmark, then those that others report.

    >>> from tempfile import mkdtemp
    >>> from entvec.space.default import default_space
    >>> path = Path(mkdtemp()) / "pets.taxo"
    >>> _ = path.write_text("0\tpoodle\tdog\n1\tdog\tanimal\n")
    >>> evaluate_public("texeval", default_space(), [path])[2].measures["edge_f1"].value
    1.0

    Parameters
    ----------
    name
        A key of BENCHMARKS.
    space
        A space that knows something.
    paths
        The files of the benchmark.
    """
    if name not in BENCHMARKS:
        raise InvalidInput(f"no benchmark {name!r}, expected one of {', '.join(BENCHMARKS)}")
    row = BENCHMARKS[name]
    if not row.fewest <= len(paths) <= row.most:
        raise InvalidInput(f"{len(paths)} files for {name}, expected {row.files}")
    return [*row.evaluate(name, space, paths), *published(name)]
