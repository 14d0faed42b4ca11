"""Gathers what is known from several sources: files, taxonomies, and what was known before."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np

from entvec import graphs
from entvec.errors import InvalidInput, KnowledgeWarning
from entvec.graphs.structure import strong_components
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge import storage
from entvec.knowledge.knowledge import Knowledge
from entvec.knowledge.lmf import is_wordnet, with_wordnet
from entvec.knowledge.statements import UNNAMED, empty, with_taxonomy

KnowledgeSource: TypeAlias = Knowledge | Taxonomy | str | Path | None
"""Where knowledge comes from: None forgets what was known, a Knowledge takes its place, a taxonomy adds to it."""
SUFFIX = ".knowledge"
"""How the name of a file ends that `entvec.knowledge.storage.save` wrote; any other file is a taxonomy."""
COUNTED = 1000
"""No more contradictions are counted for a warning, since each one takes a search."""
TOLD = 3
"""How many contradictions a warning names."""


def gathered(
    known: Knowledge | None, sources: Sequence[KnowledgeSource], names: Sequence[str] | None = None
) -> Knowledge | None:
    """Return what is known after all sources have been added in their order; later ones outrank earlier ones.

    A KnowledgeWarning tells of contradictions, which `Knowledge.conflicts` yields; another one of cycles in a taxonomy.

    >>> pets = Taxonomy.from_edges([("dog", "pet")])
    >>> print(gathered(None, [pets, pets], names=["pets.tsv", "again"]))
    pets.tsv + again: 2 terms, 2 senses, 2 concepts, 2 is-a

    Parameters
    ----------
    known
        What is known before; None if nothing is.
    sources
        None forgets all that came before it, and a Knowledge, or a file of one, takes its place. A Taxonomy, or a file
        of one in any format, adds its statements. A wordnet (a file in WN-LMF, or `wn:NAME`) is a Knowledge; one
        without relations adds its words to the concepts of WordNet 3.0.
    names
        How reasons name each source; by default the name of its file.
    """
    if names is not None and len(names) != len(sources):
        raise InvalidInput(f"{len(names):,} names of {len(sources):,} sources, expected one for each")
    settled = 0 if known is None else len(known.sources)
    for at, source in enumerate(sources):
        if isinstance(source, str | Path) and is_wordnet(source):
            before = known
            known = with_wordnet(known, source, None if names is None else names[at])
            # Words for known concepts contradict nothing; another wordnet takes the place of what was known.
            settled = settled if before is not None and known.is_a is before.is_a else len(known.sources)
            continue
        opened = _opened(source)
        if isinstance(opened, Taxonomy):
            file = Path(source).name if isinstance(source, str | Path) else UNNAMED
            name = file if names is None else names[at]
            _warn_of_nothing(opened, name)
            _warn_of_cycles(opened, name)
            known = with_taxonomy(empty() if known is None else known, opened, name)
        else:
            known, settled = opened, 0 if opened is None else len(opened.sources)
    if known is not None and settled < len(known.sources):
        _warn(known, settled)
    return known


def _warn_of_nothing(taxonomy: Taxonomy, name: str) -> None:
    """Warn of a taxonomy that says nothing: it may be another file than was meant."""
    if not len(taxonomy.hypo) and not len(taxonomy.negations):
        text = f"{name}: no term is said to be a kind of another, nor denied to be, so nothing is known from it"
        warnings.warn(KnowledgeWarning(text), stacklevel=4)  # the caller of with_knowledge


def _warn_of_cycles(taxonomy: Taxonomy, name: str) -> None:
    """Warn of terms that are kinds of each other: a taxonomy that says so was hardly meant."""
    part = strong_components(len(taxonomy), taxonomy.hypo, taxonomy.hyper)
    inside = np.flatnonzero(part[taxonomy.hypo] == part[taxonomy.hyper])
    if len(inside):
        low, high, _ = taxonomy.edge(int(inside[0]))
        terms = len(np.unique([taxonomy.hypo[inside], taxonomy.hyper[inside]]))
        text = (
            f"{name}: {terms:,} terms are in cycles, such as {low!r} below {high!r}, and so are known to be kinds of "
            "each other; `entvec taxonomy audit` finds the edges to remove"
        )
        warnings.warn(KnowledgeWarning(text), stacklevel=4)  # the caller of with_knowledge


def _warn(known: Knowledge, first: int) -> None:
    """Warn of contradictions that sources from the first one on have brought."""
    found = list(islice(known.conflicts(first), COUNTED))
    if found:
        count = f"{COUNTED:,} or more" if len(found) == COUNTED else f"{len(found):,}"
        more = "; ..." if len(found) > TOLD else ""
        told = "; ".join(map(str, found[:TOLD])) + more
        text = f"contradictions in what is known: {count}, where the later source counts: {told}"
        warnings.warn(KnowledgeWarning(text), stacklevel=4)  # the caller of with_knowledge


def _opened(source: KnowledgeSource) -> Knowledge | Taxonomy | None:
    if isinstance(source, str | Path):
        return storage.load(source) if Path(source).suffix == SUFFIX else graphs.read(source)
    if source is None or isinstance(source, Knowledge | Taxonomy):
        return source
    expected = "a Taxonomy (`Taxonomy.from_edges` makes one), a Knowledge, or the path of a file of one"
    raise InvalidInput(f"knowledge is {source!r:.60}, expected {expected}")
