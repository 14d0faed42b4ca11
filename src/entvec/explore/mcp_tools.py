"""What a language model may ask a space: each tool returns a few plain values, and says so where nothing is known.

The text of a docstring up to `Parameters` is the description that a model reads, so that it is short and has no jargon.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Annotated

from pydantic import Field

from entvec.errors import InvalidInput
from entvec.explore.service import Json
from entvec.graphs import Taxonomy
from entvec.knowledge.facts import no_hierarchy
from entvec.space import EntailmentSpace, Matches
from entvec.taxonomy import audit as audited
from entvec.taxonomy import common as named
from entvec.taxonomy import place as placed
from entvec.taxonomy.placed import UNREAD
from entvec.taxonomy.placing_many import place_all

MORE = 20
"""How many more words are searched than are returned, since some are not probable enough."""
DIGITS = 3
LEAST = 0.5
"""The probability from which on an answer is given."""

Word = Annotated[str, Field(min_length=1, max_length=200)]
Words = Annotated[list[Word], Field(min_length=1, max_length=300)]
HowMany = Annotated[int, Field(ge=1, le=50, description="how many answers")]
Definition = Annotated[
    str | None, Field(max_length=2000, description="what the (first) word means, for a word that nobody knows")
]
Context = Annotated[str | None, Field(max_length=2000, description="a sentence that has the word, to tell its sense")]
Edge = Annotated[list[Word], Field(min_length=2, max_length=2, description="[narrower, broader]")]
Edges = Annotated[
    list[Edge], Field(min_length=1, max_length=2000, description="is-a pairs, [narrower, broader]: [['dog', 'animal']]")
]


class Tools:
    """The tools of a space, a method each.

    >>> import entvec
    >>> tools = Tools(entvec.load())
    >>> tools.relation("poodle", "dog")["relation"]
    'narrower'
    >>> tools.hypernyms("poodle", k=1)["answers"][0]["reason"]
    'poodle -> dog (WordNet 3.0)'
    >>> tools.hypernyms("xqzzv")["unknown"]
    "'xqzzv' is no word: its letters do not follow each other as in English"
    """

    def __init__(self, space: EntailmentSpace) -> None:
        self.space = space

    def relation(
        self,
        first: Word,
        second: Word,
        precision: Annotated[
            float, Field(ge=0.5, le=1, description="the least probability of a relation that is answered")
        ] = 0.7,
        definition: Definition = None,
    ) -> Json:
        """What the first word is to the second: narrower (a kind of it), broader, same, sibling, part, whole, other.

        The relation is unknown where none is probable enough; `likeliest` is a guess then. The reason says what it
        rests on. Words may be names of several words.
        """
        found = self.space.relation(first, second, definition=definition, precision=precision, missing="nan")
        if math.isnan(found.probability):
            why = "; ".join(filter(None, map(self.why_unknown, (first, second)))) or found.reason
            return {"relation": "unknown", "unknown": why}
        told: Json = {"relation": found.relation, "probability": _number(found.probability)}
        told |= {"sentence": found.sentence, "reason": found.reason}
        return told | ({"likeliest": found.likeliest} if found.relation == "unknown" else {})

    def hypernyms(self, word: Word, k: HowMany = 5, context: Context = None, definition: Definition = None) -> Json:
        """What a word is a kind of: broader terms, the best first, each with its probability and a reason."""
        return self._ranked("hypernyms", word, k, context, definition)

    def hyponyms(self, word: Word, k: HowMany = 5, context: Context = None, definition: Definition = None) -> Json:
        """What kinds of something there are: narrower terms, the best first, each with its probability and a reason."""
        return self._ranked("hyponyms", word, k, context, definition)

    def place(
        self,
        term: Word,
        taxonomy: Annotated[
            list[Edge] | None,
            Field(max_length=2000, description="is-a pairs, [narrower, broader], of a taxonomy to place the term in"),
        ] = None,
        like: Annotated[
            list[Word] | None,
            Field(max_length=50, description="without a taxonomy: siblings of a term that nobody knows"),
        ] = None,
        k: HowMany = 3,
        definition: Definition = None,
    ) -> Json:
        """Where a term belongs: its best parents, and what belongs below it, in a taxonomy or among all words.

        In a taxonomy the answer may be that a term is there already under another name (`same`), or that none of its
        terms is a probable parent (`unplaced`).
        """
        if taxonomy:
            return self._placed_in(term, _taxonomy(taxonomy), k, definition)
        if like:
            found = placed(term, self.space, like=like, definition=_told(definition), k=k)
            return {"term": term, "parents": _answers(found.parents), "children": _answers(found.children)}
        above, below = (verb(term, k, definition=definition) for verb in (self.hypernyms, self.hyponyms))
        told: Json = {"term": term, "parents": above["answers"], "children": below["answers"]}
        return told if told["parents"] else told | {"unknown": above["unknown"]}

    def common(self, words: Words, k: HowMany = 3) -> Json:
        """What a list of words has in common: the most specific names that all of them fall under."""
        found = named(words, self.space, k, group=True)
        names = [{"word": name.word, "probability": _number(name.probability)} for name in found.names]
        return {"names": names} | ({"unknown": dict(found.unplaced)} if found.unplaced else {})

    def audit(
        self,
        edges: Edges,
        limit: Annotated[int, Field(ge=1, le=200, description="how many findings, the surest first")] = 20,
    ) -> Json:
        """Check a taxonomy: cycles, reversed and improbable edges, parts and siblings taken for kinds, duplicates.

        Each finding has the probability that it is wrong (`severity`), a reason, and what would mend it (`fix`): drop
        the edge, reverse it, say `not narrower`, or put the term under a better parent (`narrower`). No finding means
        that nothing speaks against the edges; of `unknown` terms nothing is known.
        """
        found = audited(_taxonomy(edges), self.space)
        surest = found.by_precision()
        findings = [
            {
                "kind": finding.kind,
                "narrower": finding.hypo,
                "broader": finding.hyper,
                "severity": _number(finding.severity),
                "reason": finding.reason,
                "fix": finding.fix,
            }
            for finding in surest[:limit]
        ]
        told: Json = {"terms": found.n_terms, "edges": found.n_edges, "findings": findings}
        if len(surest) > limit:
            told["more"] = len(surest) - limit
        return told | ({"unknown": list(found.without_vector)} if found.without_vector else {})

    def explain(self, first: Word, second: Word) -> Json:
        """Why the first word is a kind of the second, or why not: what is known, and what similar words are."""
        unknown = {word: why for word in (first, second) if (why := self.why_unknown(word))}
        if unknown:
            return {"verdict": "unknown", "unknown": "; ".join(unknown.values())}
        reasoning = self.space.explain(first, second, 0).reasoning
        if reasoning is None:
            raise InvalidInput("this space has vectors alone, which give no reasons; ask for a relation")
        told: Json = {"headline": reasoning.headline, "verdict": reasoning.verdict}
        told |= {"probability": _number(reasoning.probability)}
        return told | {"reasons": [{"side": reason.side, "text": reason.text} for reason in reasoning.reasons]}

    def why_unknown(self, word: str) -> str | None:
        """Return why nothing can be said of a word; None if something can."""
        judge = self.space.judge
        known = judge.evidence.meanings.known
        if known.is_flat(word):
            return no_hierarchy(known, word)
        if objection := judge.objection(word):
            return objection
        return None if judge.evidence.has([word]).all() else str(judge.evidence.not_found([word]))

    def _ranked(self, verb: str, word: str, k: int, context: str | None, definition: str | None) -> Json:
        definition = _told(definition)
        if definition is None and (why := self.why_unknown(word)):
            return {"word": word, "answers": [], "unknown": why}
        told = None if definition is None else [definition]
        [found] = getattr(self.space, verb)([word], k + MORE, context=context, definition=told, missing="nan")
        answers = _answers(found.likely(LEAST).first(k) if found.weighing is not None else found.first(k))
        return {"word": word, "answers": answers} | ({} if answers else {"unknown": "nothing is probable enough"})

    def _placed_in(self, term: str, taxonomy: Taxonomy, k: int, definition: str | None) -> Json:
        told_of = {term: meaning} if (meaning := _told(definition)) else None
        found = place_all([term], taxonomy, self.space, k=k, definitions=told_of)
        if found.same[0] >= 0:
            return {"term": term, "same": taxonomy.terms[found.same[0]], "reason": found.same_reasons[0]}
        rows = zip(found.parents[0].tolist(), found.probabilities[0].tolist(), found.reasons[0], strict=False)
        parents = [
            {"word": taxonomy.terms[at], "probability": _number(sure), "reason": why}
            for at, sure, why in rows
            if at >= 0
        ]
        told: Json = {"term": term, "parents": parents}
        told |= {"children": [taxonomy.terms[at] for at in found.between[0]]}
        if found.unplaced:
            why = found.why_unplaced(0)
            told["unplaced"] = (self.why_unknown(term) or why) if why.startswith(UNREAD) else why
        return told


TOOLS = ("relation", "hypernyms", "hyponyms", "place", "common", "audit", "explain")
"""The methods of `Tools` that a server offers."""


def _told(definition: str | None) -> str | None:
    """Return a definition, None if it is blank."""
    return (definition or "").strip() or None


def _taxonomy(edges: Sequence[Sequence[str]]) -> Taxonomy:
    if any(not name.strip() for name in chain.from_iterable(edges)):
        raise InvalidInput("an edge has an empty name, expected [narrower, broader]")
    return Taxonomy.from_edges([(narrower, broader) for narrower, broader in edges])


def _answers(matches: Matches) -> list[Json]:
    """Return words with their probabilities, and with reasons where there are some."""
    found: list[Json] = []
    for match in matches:
        row: Json = {"word": match.word, "probability": _number(match.probability)}
        found.append(row | ({"reason": match.reason} if match.reason else {}))
    return found


def _number(value: float | None) -> float | None:
    """Return a probability in as many digits as mean something; None if there is none."""
    return None if value is None or math.isnan(value) else round(value, DIGITS)
