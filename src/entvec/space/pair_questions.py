"""Questions about pairs: scores, relations, probabilities, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from entvec.array_types import AnyFloats
from entvec.errors import InvalidInput, Remedy
from entvec.evidence.judge import DECIDED
from entvec.model.model import overflow
from entvec.pairs.scorer import Scorer
from entvec.space import explain as explaining
from entvec.space.encoding import ReadPairs
from entvec.space.explain import Explanation, without_dimensions
from entvec.space.parts import SpaceParts
from entvec.space.queries import Definition, Missing, Query, QueryLike, check_k, parse, with_definitions
from entvec.space.reading import fill_scores
from entvec.space.reasoning import reasoned
from entvec.space.relating import Pairs, are_words, at_base_rate, check_base_rate, check_precision
from entvec.space.versions import of_one_version


class Direction(NamedTuple):
    """The more probable direction of entailment between two words."""

    hypo: str
    hyper: str
    score: float
    reversed_score: float


class PairQuestions(SpaceParts):
    """What a space says of a word and another one."""

    @of_one_version
    def score(
        self, hypo: QueryLike, hyper: QueryLike, *, definition: Definition = None, missing: Missing = "error"
    ) -> Any:
        """Return how well the first entails the second: the operator's score plus the offsets of the map.

        Higher is more certain. One word or vector with several on the other side gives a score for each of those.
        Scores are computed in float64; a batch and single pairs differ at most by rounding, 1e-9 of a score. A score
        that float64 cannot hold, of vectors of 1e160, raises InvalidInput.

        >>> from entvec.space import default_space
        >>> space = default_space()
        >>> space.score("dog", "animal") > space.score("animal", "dog")
        True
        >>> space.score(["dog", "cat", "stone"], "animal").shape
        (3,)

        Parameters
        ----------
        hypo, hyper
            Words or vectors, one or several: strings, lists, arrays, columns of a DataFrame.
        definition
            What the first word means, in a sentence, or one for each of several; the encoder of the space reads both.
        missing
            With "error", an error names all words that are missing; with "nan" they have the score NaN.
        """
        if self.reads:
            missing = "nan"  # what cannot be read has no score
            if definition is not None:
                hypo, definition = with_definitions(self.vocabulary, hypo, definition), None
        y, x = parse(self.vocabulary, missing, self.encoder, definition, hypo=hypo, hyper=hyper)
        if len(y) != len(x) and 1 not in (len(y), len(x)):
            raise InvalidInput(f"{len(y):,} hypos and {len(x):,} hypers, expected as many of both, or one of either")
        found = y.found & x.found
        scores = np.full(found.shape, np.nan)
        if found.any():
            scores[found] = self._scores(y.where(found), x.where(found))
        if self.reads and not found.all():
            fill_scores(self.judge, self.model, y.words, x.words, scores)
        return scores if y.several or x.several else float(scores[0])

    def _scores(self, y: Query, x: Query) -> AnyFloats:
        scores: AnyFloats
        with np.errstate(over="ignore", invalid="ignore"):  # a score that overflows is refused below
            by_rows = all(side.rows is not None and side.encoded is None for side in (y, x))
            if (y.several or x.several) and by_rows:
                rows = np.broadcast_arrays(np.asarray(y.rows), np.asarray(x.rows))
                scores = Scorer(self.model, self.vocabulary, np.float64).score(*rows)
            else:
                scores = self.model.score(y.vectors(), x.vectors())
        if not (finite := np.isfinite(scores)).all():
            pair = (each.name_of(int(np.argmin(finite))) for each in (y, x))
            raise overflow(self.operator, " with ".join(pair))
        return scores

    @of_one_version
    def relation(
        self,
        first: str | Sequence[str],
        second: str | Sequence[str],
        *,
        definition: Definition = None,
        precision: float = DECIDED,
        base_rates: Mapping[str, float] | None = None,
        missing: Missing = "error",
    ) -> Any:
        """Return what the first word is to the second: narrower, broader, same, sibling, part, whole, other, unknown.

        For two known words the knowledge decides, with what the vectors say; for a new word its vector, and what is
        known of the words that are used like it.

        >>> from entvec.space import default_space
        >>> space = default_space()
        >>> space.relation("poodle", "dog").relation
        'narrower'
        >>> found = space.relation(["cat", "wheel"], ["dog", "car"])
        >>> found.relations.tolist(), found[0].shared
        (['sibling', 'part'], 'pet')

        Parameters
        ----------
        first, second
            Words, for which a `Relation` is returned; or several, as many of both or one of either, for `Relations`.
        definition
            What the first word means, in a sentence, or one for each of several. The encoder of the space reads both,
            and the word counts as new, whatever is known of it.
        precision
            The answer is "unknown" if no relation has this probability. If the probabilities are right, so is at least
            this share of the other answers.
        base_rates
            How frequent relations are among all pairs that you ask about, such as {"narrower": 0.5}. Relations that are
            not named share the rest. By default narrower and broader are 15% each, same and sibling 10%, part and whole
            5%, other 40%.
        missing
            A word is missing if it is neither known nor in the vocabulary. With "error", an error names all such words;
            with "nan" their relation is "unknown", with probabilities NaN.
        """
        read = ReadPairs(self.judge, self.encoder, first, second, definition)
        pairs = Pairs.of(read.judge.evidence, read.first, read.second, missing)
        return read.named(pairs.relations(read.judge, check_precision(precision), base_rates))

    @of_one_version
    def probability(
        self,
        hypo: QueryLike,
        hyper: QueryLike,
        *,
        definition: Definition = None,
        base_rate: float | None = None,
        missing: Missing = "error",
    ) -> Any:
        """Return the probability that the first entails the second: that it is narrower, or the same.

        If the space knows something, this is the sum of two probabilities of `relation`. Otherwise, and for vectors,
        it rests on the score alone.

        >>> from entvec.space import default_space
        >>> default_space().probability(["dog", "cat"], ["animal", "dog"]) > 0.5
        array([ True, False])

        Parameters
        ----------
        hypo, hyper
            Words or vectors, one or several.
        definition
            What the first word means, as for `relation`.
        base_rate
            The share of entailments among all pairs that you ask about: by default 25%, and 50% where the score alone
            decides.
        missing
            With "error", an error names all words that are missing; with "nan" their probability is NaN.
        """
        check_base_rate(base_rate)
        if self._parts.knowledge is not None and are_words(hypo, hyper):
            words: Any = {"first": hypo, "second": hyper}
            read = ReadPairs(self.judge, self.encoder, definition=definition, **words)
            return Pairs.of(read.judge.evidence, read.first, read.second, missing).entail(read.judge, base_rate)
        scores = self.score(hypo, hyper, definition=definition, missing=missing)
        found = self.probabilities(np.asarray(scores, dtype=np.float64))
        if found is None:
            raise InvalidInput(
                "this space is not calibrated, so its scores are no probabilities", remedy=Remedy.CALIBRATE
            )
        found = at_base_rate(found, 0.5, base_rate)
        return float(found) if np.ndim(scores) == 0 else found

    def probabilities(self, scores: Any) -> Any:
        """Return the probabilities for scores of this space, without what is known; None if it is not calibrated."""
        return self.model.probabilities(scores)

    @of_one_version
    def verdict(
        self,
        hypo: QueryLike,
        hyper: QueryLike,
        *,
        definition: Definition = None,
        precision: float = DECIDED,
        base_rate: float | None = None,
        missing: Missing = "error",
    ) -> Any:
        """Return whether the first entails the second: "yes", "no" or "unknown".

        >>> from entvec.space import default_space
        >>> default_space().verdict(["dog", "stone"], "animal").tolist()
        ['yes', 'no']

        Parameters
        ----------
        hypo, hyper
            Words or vectors, one or several.
        definition
            What the first word means, as for `relation`.
        precision
            The answer is "unknown" if neither yes nor no has this probability. If the probabilities are right, so is
            at least this share of the other answers.
        base_rate
            The share of entailments among all pairs that you ask about, as for `probability`.
        missing
            With "error", an error names all words that are missing; with "nan" their verdict is "unknown".
        """
        check_precision(precision)
        found = self.probability(hypo, hyper, definition=definition, base_rate=base_rate, missing=missing)
        verdicts = np.where(found >= precision, "yes", np.where(found <= 1 - precision, "no", "unknown"))
        return str(verdicts) if np.ndim(found) == 0 else verdicts

    @of_one_version
    def direction(self, first: str, second: str) -> Direction:
        """Return which of two words more probably entails the other.

        If the space knows something of them, the probabilities of `relation` decide, otherwise the scores. The scores
        of a known word without a vector are NaN.
        """
        if not (isinstance(first, str) and isinstance(second, str)):
            raise InvalidInput(f"{first!r:.40} and {second!r:.40}, expected two words")
        known = self._parts.knowledge is not None
        p = self.relation(first, second).probabilities if known else {"narrower": np.nan, "broader": np.nan}
        missing: Missing = "nan" if known else "error"
        there, back = self.score(first, second, missing=missing), self.score(second, first, missing=missing)
        # Equal scores may differ by rounding, which depends on the processor.
        reverse = back > there + 1e-9 * abs(there) if np.isnan(p["narrower"]) else p["broader"] > p["narrower"]
        return Direction(second, first, back, there) if reverse else Direction(first, second, there, back)

    @of_one_version
    def explain(self, hypo: QueryLike, hyper: QueryLike, k: int = 10) -> Explanation:
        """Return why one word entails another, or why not.

        A space that is calibrated and knows something tells for words what facts, similar words and vectors say, and
        the sum of it (`reasoning`). For all others, and for vectors, there are the dimensions that carry or break the
        entailment most, and words that illustrate them.

        >>> from entvec.space import default_space
        >>> for reason in default_space().explain("iPhone", "phone", k=0).reasoning.reasons[:2]:
        ...     print(reason.side, reason.text)
        for iPhone -> smartphone -> cellular telephone -> radiotelephone -> phone (everyday, WordNet 3.0)
        for iPhone is used like smartphone, handset and cellphone, kinds of phone

        Parameters
        ----------
        hypo, hyper
            One word or vector each. A known word may have no vector, and then no dimensions.
        k
            How many carrying and how many breaking dimensions to return, at most. To look for their words takes most
            of the time; with 0, what has reasons has no dimensions.
        """
        check_k(k)
        reasoning = None
        if self.adds_evidence and isinstance(hypo, str) and isinstance(hyper, str):
            reasoning = reasoned(self.vocabulary, self.model, self.backend, self.judge, hypo, hyper)
        y, x = parse(self.vocabulary, "error" if reasoning is None else "nan", self.encoder, hypo=hypo, hyper=hyper)
        if y.several or x.several:
            raise InvalidInput("several words or vectors, expected one hypo and one hyper to explain")
        if reasoning is None:
            return explaining.explain(self.model, self.vocabulary, y, x, k)
        if k and y.found.all() and x.found.all():
            found = explaining.explain(self.model, self.vocabulary, y, x, k)
        else:
            found = without_dimensions(reasoning, self.score(hypo, hyper, missing="nan"))
        return replace(found, reasoning=reasoning, probability=reasoning.probability)

    @of_one_version
    def compare(self, hypo: str, hyper: str) -> list[explaining.Compared]:
        """Return the scores of a pair of words under every operator."""
        return explaining.compare(self.model, self.vocabulary, hypo, hyper)
