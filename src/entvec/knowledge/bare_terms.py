"""Terms of which nothing is known: they have no senses, but a place among the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from entvec.knowledge.knowledge import Connections, Knowledge
from entvec.knowledge.statements import merged_terms
from entvec.vectors.words import Words


def with_bare_terms(known: Knowledge, more: Words) -> Knowledge:
    """Return the same knowledge with more terms, of which it knows nothing.

    >>> from entvec.bundled import wordnet_knowledge
    >>> wider = with_bare_terms(wordnet_knowledge(), Words.of(["theorbo_lute"]))
    >>> "theorbo lute" in wider, wider.senses("theorbo lute"), str(wider.senses("guitars")[0])
    (True, [], 'guitar#1')

    Parameters
    ----------
    known
        What is known.
    more
        Distinct words that are no terms of it, with `_` for spaces.
    """
    if not len(more):
        return known
    terms, rows = merged_terms(known.terms, more)
    counts = np.zeros(len(terms), np.int32)
    counts[rows] = known.senses_of.counts
    marks = known.marks.astype(np.int32)
    marks[:, 0] = rows[marks[:, 0]]
    # Terms keep their order among themselves, so whatever stands in the order of senses stays where it is.
    return replace(
        known,
        terms=terms,
        senses_of=Connections(counts, known.senses_of.targets),
        members=Connections(known.members.counts, rows[known.members.targets].astype(np.int32)),
        marks=marks,
    )
