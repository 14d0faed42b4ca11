"""Results of others on public benchmarks of taxonomies, to stand beside ours; they saw other data and other texts."""

from __future__ import annotations

from typing import NamedTuple

from entvec.evaluate.metrics import Interval
from entvec.evaluate.taxonomy.results import StudyResult

NAN = float("nan")
UNCHECKED = "not checked in a primary source"


class Published(NamedTuple):
    """One published number."""

    benchmark: str
    system: str
    measure: str
    value: float
    source: str


COL = "Zeng et al. 2024, Chain-of-Layer, table 2"
COL_LARGE = "Zeng et al. 2024, Chain-of-Layer, table 3"
PUBLISHED = (
    Published("texeval", "TaxoLLaMA, environment", "edge_f1", 0.451, f"Moskvoretskii et al. 2024; {UNCHECKED}"),
    Published("texeval", "TaxoLLaMA, food", "edge_f1", 0.517, f"Moskvoretskii et al. 2024; {UNCHECKED}"),
    Published("texeval", "TaxoLLaMA, science", "edge_f1", 0.446, f"Moskvoretskii et al. 2024; {UNCHECKED}"),
    Published("texeval", "Graph2Taxo, science", "edge_f1", 0.470, f"Shang et al. 2020; {UNCHECKED}"),
    Published(
        "texeval", "CoL-zero, GPT-4, parts of science", "edge_f1", 0.524, "Zeng et al. 2024, Chain-of-Layer, table 3"
    ),
    Published("wordnet-subtrees", "GPT-4, five examples", "ancestor_f1", 0.816, COL),
    Published("wordnet-subtrees", "GPT-4, five examples", "edge_f1", 0.591, COL),
    Published("wordnet-subtrees", "CTP (fine-tuned RoBERTa)", "ancestor_f1", 0.667, COL),
    Published("wordnet-subtrees", "CTP (fine-tuned RoBERTa)", "edge_f1", 0.515, COL),
    Published("wordnet-subtrees", "Graph2Taxo", "ancestor_f1", 0.596, COL),
    Published("wordnet-subtrees", "Graph2Taxo", "edge_f1", 0.497, COL),
    Published("task14", "MSejrKU, the best of the task", "wu_palmer", 0.523, f"Jurgens & Pilehvar 2016; {UNCHECKED}"),
    Published("task14", "first word, first sense", "wu_palmer", 0.514, f"Jurgens & Pilehvar 2016; {UNCHECKED}"),
)
"""What others report, in shares. GPT-4 and TaxoLLaMA have read WordNet."""


def published(benchmark: str) -> list[StudyResult]:
    """Return what others report on a benchmark, a row for each system and source.

    >>> [row.name for row in published("task14")][:1]
    ['MSejrKU, the best of the task (Jurgens & Pilehvar 2016; not checked in a primary source)']
    """
    rows: dict[str, dict[str, Interval]] = {}
    for each in PUBLISHED:
        if each.benchmark == benchmark:
            rows.setdefault(f"{each.system} ({each.source})", {})[each.measure] = Interval(each.value, NAN, NAN)
    return [StudyResult(benchmark, name, 0, measures, baseline=True) for name, measures in rows.items()]
