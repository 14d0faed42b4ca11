"""Says why one word entails another, or why not: facts, similar words, vectors, and the sum of what they say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from entvec.bundled import WORDNET_SOURCE
from entvec.errors import InvalidInput
from entvec.evidence.judge import DECIDED, Judge
from entvec.evidence.ranking_reasons import ending, entailing_fact
from entvec.evidence.read_features import ENCODER
from entvec.evidence.reasons import path_in_words, spoken
from entvec.evidence.relations import ENTAILING, Relation
from entvec.evidence.similar import Similar
from entvec.evidence.text_reasons import REVERSE, text_reason
from entvec.evidence.waterfall import Part, Waterfall, answer_for, waterfall
from entvec.interchange import data_frame
from entvec.model.model import Model
from entvec.search.request import Backend, Request
from entvec.space.relating import Pairs
from entvec.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    import pandas as pd

FOR, AGAINST, NEITHER = SIDES = ("for", "against", "neither")
"""What a reason speaks for."""


class Reason(NamedTuple):
    """A sentence that speaks for an entailment, or against it."""

    source: str
    """facts, neighbours, spelling or vectors."""
    side: str
    """for, against or neither."""
    text: str


class Alone(NamedTuple):
    """The probabilities that the vectors give alone, for the pair and for the reversed pair."""

    probability: float
    reversed_probability: float


@dataclass(frozen=True)
class Reasoning:
    """Why one word entails another, or why not.

    >>> from entvec.space import default_space
    >>> found = default_space().explain("dog", "animal", k=0).reasoning
    >>> found.headline  # doctest: +ELLIPSIS
    'Does dog entail animal? Yes, with probability 0.9...: dog is a kind of animal.'
    >>> found.reasons[0].text
    'dog -> domestic animal -> animal (WordNet 3.0, first sense)'
    >>> abs(sum(part.log_odds for part in found.parts) - found.evidence) < 1e-9
    True
    """

    relation: Relation
    reasons: tuple[Reason, ...]
    parts: tuple[Part, ...]
    """What each source adds to the evidence, in log-odds; none for adjectives and adverbs."""
    evidence: float | None
    """The sum of the parts: the number by which `hypernyms` ranks the hyper; None without parts."""
    vectors: Alone | None
    """What the vectors say alone; None if a word has none, or only facts count."""
    neighbours: tuple[Similar, ...]

    @property
    def probability(self) -> float | None:
        """The probability of the entailment by all evidence, as `space.probability` returns it; None without any."""
        found = sum(self.relation.probabilities[name] for name in ENTAILING)
        return None if math.isnan(found) else found

    @property
    def verdict(self) -> str:
        """yes, no or unknown, as `space.verdict` says by default."""
        if self.probability is None or 1 - DECIDED < self.probability < DECIDED:
            return "unknown"
        return "yes" if self.probability >= DECIDED else "no"

    @property
    def headline(self) -> str:
        """The answer in a sentence."""
        asked = f"Does {spoken(self.relation.first)} entail {spoken(self.relation.second)}?"
        if self.probability is None:
            return f"{asked} Unknown: {spoken(self.relation.reason)}."
        what = spoken(self.relation.sentence)
        if self.relation.relation == "unknown":
            what = "narrower, or the same" if self.verdict == "yes" else "no relation is sure enough"
        return f"{asked} {self.verdict.capitalize()}, with probability {self.probability:.2f}: {what}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, for JSON."""
        return {
            "headline": self.headline,
            "verdict": self.verdict,
            "probability": self.probability,
            "relation": self.relation.to_dict() | {"sentence": self.relation.sentence},
            "reasons": [reason._asdict() for reason in self.reasons],
            "parts": [part._asdict() for part in self.parts],
            "evidence": self.evidence,
            "vectors": None if self.vectors is None else self.vectors._asdict(),
            "neighbours": [group._asdict() | {"words": list(group.words)} for group in self.neighbours],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each part, as `entvec explain --format tsv`; this needs pandas."""
        columns = {"source": [part.source for part in self.parts], "log_odds": [part.log_odds for part in self.parts]}
        return data_frame(columns)

    def __str__(self) -> str:
        lines = [self.headline]
        lines += [f"  {reason.side:<8} {reason.text}" for reason in self.reasons]
        if self.evidence is not None:
            lines.append("evidence in log-odds")
            lines += [f"  {part.log_odds:+.2f}  {part.source}" for part in self.parts]
            lines.append(f"  {self.evidence:+.2f}  in all")
        return "\n".join(lines)


def reasoned(vocabulary: Vocabulary, model: Model, backend: Backend, judge: Judge, hypo: str, hyper: str) -> Reasoning:
    """Return why one word entails another, or why not.

    Parameters
    ----------
    vocabulary, model, backend
        The words, the calibrated model that scores them, and the backend that finds them.
    judge
        What weighs evidence.
    hypo, hyper
        The words. Each must be known or have a vector.
    """
    pairs = Pairs.of(judge.evidence, hypo, hyper, "error")
    [hypo], [hyper] = pairs.first, pairs.second
    relation: Any = pairs.relations(judge, DECIDED, None)
    if math.isnan(relation.probability) and (judge.evidence.is_flat(hypo) or judge.evidence.is_flat(hyper)):
        return Reasoning(relation, (), (), None, None, ())
    if any(map(judge.objection, (hypo, hyper))):
        return Reasoning(relation, (), (), None, None, ())
    if model.calibration is None:
        raise InvalidInput("this space is not calibrated, so evidence cannot be added to its scores")
    if relation.situation.endswith(ENCODER):
        return _read(judge, relation, hypo, hyper, model.penalty("hypo"))
    penalty = model.penalty("hypo")

    def score(row: int) -> float:
        vectors = vocabulary.take(vocabulary.rows([hypo])).matrix
        return float(backend.scores(Request("hypo", vectors, penalty), np.array([0]), np.array([row]))[0])

    parts = waterfall(judge.ranker, hypo, hyper, model.calibration.line(), score, penalty)
    vectors = None if parts.facts_only else _alone(vocabulary, model, hypo, hyper)
    similar = () if parts.facts_only else judge.similar.groups(hypo, hyper)
    reasons = (
        *_facts(judge, hypo, hyper, facts_only=parts.facts_only),
        *(() if parts.facts_only else _texts(judge, hypo, hyper)),
        *_neighbours(judge, hypo, hyper, similar),
        *_spelling(judge, hypo, parts),
        *_vectors(vectors),
    )
    return Reasoning(relation, reasons, parts.parts, parts.evidence, vectors, similar)


def _read(judge: Judge, relation: Relation, hypo: str, hyper: str, penalty: float) -> Reasoning:
    """Return why one word entails another if the encoder has read one of them: heads, near nouns, both encoders."""
    pairs: Any = judge.read_pairs
    ranking: Any = judge.read_ranking
    new = [word for word in dict.fromkeys((hypo, hyper)) if pairs.is_read(word)]
    verb = "are" if len(new) > 1 else "is"
    reasons = [Reason("facts", NEITHER, f"nothing is known of {' and '.join(map(spoken, new))}, which {verb} new")]
    reasons += [
        Reason(source, FOR, text)
        for source, text in (("head", pairs.by_head(hypo, hyper)), ("neighbours", pairs.by_near(hypo, hyper)))
        if text is not None
    ]
    there, back = (1 / (1 + math.exp(-each)) for each in pairs.encoder_log_odds(hypo, hyper))
    side = FOR if there > 0.5 else AGAINST
    reasons.append(Reason("encoder", side, f"the encoder alone would say {there:.2f}, reversed {back:.2f}"))
    parts: tuple[Part, ...] = ()
    answer = answer_for(judge.ranker, hyper) if pairs.is_read_alone(hypo) and not pairs.is_read_alone(hyper) else None
    if answer is not None and answer.row >= 0:
        parts = tuple(Part(*part) for part in ranking.parts(hypo, answer.row, penalty))
    evidence = sum(part.log_odds for part in parts) if parts else None
    return Reasoning(relation, tuple(reasons), parts, evidence, None, ())


def _alone(vocabulary: Vocabulary, model: Model, hypo: str, hyper: str) -> Alone | None:
    rows = vocabulary.rows([hypo, hyper])
    if (rows < 0).any():
        return None
    both = vocabulary.take(rows).matrix.astype(np.float64)
    there, back = np.asarray(model.probabilities(np.asarray(model.score(both, both[::-1]), np.float64))).tolist()
    return Alone(there, back)


def _facts(judge: Judge, hypo: str, hyper: str, *, facts_only: bool) -> Iterator[Reason]:
    """Yield what is known of a pair: the fact that speaks for it, else what speaks against it, and what is new."""
    meanings = judge.evidence.meanings
    if fact := entailing_fact(judge, hypo, hyper):
        yield Reason("facts", FOR, _with_sense(judge, hypo, hyper, fact.text))
        return
    if facts_only:
        yield Reason("facts", AGAINST, "no fact says so, and for verbs, people and single senses nothing else counts")
        return
    new = [word for word in dict.fromkeys((hypo, hyper)) if not meanings.of(word)]
    if new:
        verb = "are" if len(new) > 1 else "is"
        yield Reason("facts", NEITHER, f"nothing is known of {' and '.join(map(spoken, new))}, which {verb} new")
        return
    known = judge.evidence.known_of(hypo, hyper)
    if known.denied:
        relation, source = next(iter(known.denied.items()))
        yield Reason("facts", AGAINST, f"{source} denies that {spoken(hypo)} is {relation}")
    elif not known.comparable:
        yield Reason("facts", NEITHER, "they are known as different parts of speech")
    elif known.facts:
        _, other = max(known.facts.values(), key=lambda weighted: weighted[0])
        yield Reason("facts", AGAINST, path_in_words(meanings.known, other))
    else:
        yield Reason("facts", AGAINST, "nothing that is known connects them")


def _with_sense(judge: Judge, hypo: str, hyper: str, fact: str) -> str:
    """Return a fact that also says that it is about the first senses, if the words have others."""
    several = any(len(judge.evidence.meanings.of(word)) > 1 for word in (hypo, hyper))
    of_wordnet = fact.endswith(f"({WORDNET_SOURCE})")  # other senses are told, and terms of the user have one sense
    return f"{fact[:-1]}, first sense)" if several and of_wordnet else fact


def _texts(judge: Judge, hypo: str, hyper: str) -> Iterator[Reason]:
    """Yield what texts say of a pair, and of the pair reversed."""
    facts = judge.evidence.text
    if said := text_reason(facts, hypo, hyper):
        yield Reason("text", FOR, said)
    if said := text_reason(facts, hyper, hypo, REVERSE):
        yield Reason("text", AGAINST, said)


def _neighbours(judge: Judge, hypo: str, hyper: str, similar: tuple[Similar, ...]) -> Iterator[Reason]:
    known = bool(judge.evidence.meanings.of(hyper))
    for i, group in enumerate(similar):
        side = FOR if group.supports else AGAINST if known else NEITHER
        yield Reason("neighbours", side, f"{spoken(hypo)} is {'also ' if i else ''}used like {group.text}")


def _spelling(judge: Judge, hypo: str, parts: Waterfall) -> Iterator[Reason]:
    if parts.of("spelling") and (text := ending(judge, hypo, parts.answer)):
        yield Reason("spelling", FOR, text)


def _vectors(alone: Alone | None) -> Iterator[Reason]:
    if alone is not None:
        there, back = alone
        side = FOR if there > 0.5 else AGAINST
        yield Reason("vectors", side, f"the vectors alone would say {there:.2f}, reversed {back:.2f}")
