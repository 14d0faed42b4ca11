"""Adds everyday statements to what WordNet knows, as a second source."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from build_sense_shares import OTHER, judgements
from everyday_statements import Part, Statement, usual
from numpy.typing import NDArray

from entvec.bundled.knowledge import EVERYDAY_SOURCE
from entvec.knowledge import PARTS_OF_SPEECH, Knowledge
from entvec.knowledge.knowledge import JUDGED, Connections
from entvec.knowledge.sense_names import NOUN
from entvec.knowledge.statements import merged_names
from entvec.knowledge.texts import Chained
from entvec.vectors.forms import key
from entvec.vectors.words import Words

MOST_JUDGED = 254
LEAST, MOST = 20, 90
JUDGED_SHARE, USUAL_SHARE = 50, 75
"""What a new sense may have of a term, in per cent; what it has if the term was judged without it, or not at all."""


def with_statements(known: Knowledge, table: Sequence[Statement], parts: Sequence[Part] = ()) -> Knowledge:
    """WordNet together with everyday statements; new concepts come after those of WordNet, in the order of the table.

    Where WordNet knows a term in other senses, the new one has the share of meanings that WordNet lacks, if somebody
    judged the term (`sense-shares.tsv`), and else JUDGED_SHARE or USUAL_SHARE: that speakers use the word so is why it
    is stated.
    """
    new = [each for each in table if each.definition]
    concept = {each.term: len(known) + at for at, each in enumerate(new)}
    meant = {**{each.term: meaning(known, each.term) for each in table if not each.definition}, **concept}
    pairs = [(meant[each.term], concept.get(kind) or meaning(known, kind)) for each in table for kind in each.is_a]
    hypo, hyper = np.array(pairs, np.int32).T
    n = len(known) + len(new)
    names = [(name.replace(" ", "_"), concept[each.term]) for each in new for name in (each.term, *each.also)]
    fields = merged_names(known, n, Words.of([name for name, _ in names]), np.array([owner for _, owner in names]))
    fields |= weighed(known, fields)
    low, high = known.is_a.pairs()
    low, high = np.concatenate([low, hypo]), np.concatenate([high, hyper])
    origins = np.repeat(np.array([0, 1], np.int32), [len(low) - len(hypo), len(hypo)])
    said = [(each.part, whole) for each in parts for whole in each.whole]
    more = np.array([[concept.get(name) or meaning(known, name) for name in pair] for pair in said], np.int32)
    ends = zip(known.part_of.pairs(), more.reshape(-1, 2).T, strict=True)
    part, whole = (np.append(old, added) for old, added in ends)
    part_origins = np.repeat(np.array([0, 1], np.int32), [len(part) - len(more), len(more)])
    others: dict[str, Any] = {
        name: Connections(np.append(found.counts, np.zeros(len(new), np.int32)), found.targets)
        for name in ("instance_of", "implies")
        if (found := getattr(known, name))
    }
    return replace(
        known,
        sources=(*known.sources, EVERYDAY_SOURCE),
        **fields,
        is_a=Connections.of_pairs(n, low, high),
        origins=origins[np.argsort(low, kind="stable")],
        part_of=Connections.of_pairs(n, part, whole),
        part_origins=part_origins[np.argsort(part, kind="stable")],
        **others,
        kinds=np.append(known.kinds, np.full(len(new), PARTS_OF_SPEECH.index(NOUN), np.int32)),
        identifiers=Chained(known.identifiers, [f"{EVERYDAY_SOURCE}:{each.term}" for each in new]),
        glosses=Chained(known.glosses, [each.definition for each in new]),
    )


def meaning(known: Knowledge, name: str) -> int:
    """The concept that a name of the table means to WordNet."""
    found = usual(known, name)
    if found is None:
        raise ValueError(f"everyday statements: {name!r} is no noun of WordNet, and has no definition")
    return found


def weighed(known: Knowledge, fields: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """The numbers of new senses, which come after those that WordNet has, and how often they count as met."""
    judged = judgements()
    found = {name: np.array(fields[name]) for name in ("numbers", "judged")}
    term, concept = fields["senses_of"].pairs()
    terms = fields["terms"]
    for at in np.flatnonzero(concept >= len(known)).tolist():
        word = terms[int(term[at])]
        same = [sense for sense in known.senses(word) if key(sense.term) == key(word)]
        found["numbers"][at] = 1 + max((sense.number for sense in same if sense.part_of_speech == NOUN), default=0)
        if same:
            met = sum(sense.meetings for sense in same if sense.term == same[0].term)
            said = judged.get(word)
            share = USUAL_SHARE if said is None else said.get(OTHER, 0) or JUDGED_SHARE
            share = min(max(share, LEAST), MOST) / 100
            found["judged"][at] = min(round(100 * met / JUDGED * share / (1 - share)), MOST_JUDGED)
    return found
