"""`EntailmentSpace`: which word entails which."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from entvec.bundled.encoders import encoder_of
from entvec.errors import InvalidInput, Remedy, WordNotFound
from entvec.evidence.gathering import Evidence
from entvec.evidence.judge import DECIDED, Judge
from entvec.evidence.senses import DescribedSense, described
from entvec.interchange import word_list
from entvec.knowledge import Knowledge
from entvec.learn.calibration import Calibration
from entvec.learn.fitted import FittedMap
from entvec.model import specificity as rankings
from entvec.model.hubness import Hubness
from entvec.model.model import OTHER, Floats, Model, Side, choose, overflow
from entvec.model.specificity import Specificity
from entvec.pairs.scorer import Scorer
from entvec.search.key_table import KeyTable
from entvec.search.local import EXACT, LocalBackend, Searcher, build_searcher
from entvec.search.request import Backend, Request
from entvec.space import explain as explaining
from entvec.space.encoding import ReadPairs
from entvec.space.explain import Explanation, without_dimensions
from entvec.space.queries import Definition, EvidenceUsed, Missing, Query, QueryLike, check_k, defined, parse, rows_of
from entvec.space.ranking import rank, rank_by_evidence
from entvec.space.reading import fill_scores, read_by
from entvec.space.reasoning import reasoned
from entvec.space.relating import Listed, Pairs, are_words, at_base_rate, check_base_rate, check_precision
from entvec.space.versions import Known, Parts, ReaderOf, Remote, of_one_version
from entvec.text import Encoder, check_same, encoded
from entvec.vectors import Vectors
from entvec.vectors.dtypes import DtypeLike, check_dtype
from entvec.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    from entvec.knowledge.sources import Source
    from entvec.learn import EntailmentMap
    from entvec.stores.contract import Exported


class Direction(NamedTuple):
    """The more probable direction of entailment between two words."""

    hypo: str
    hyper: str
    score: float
    reversed_score: float


class EntailmentSpace:
    """Words with vectors, a model that scores which entails which, a backend that searches them, and knowledge.

    `from_vectors` makes a space in memory, `load` opens one in a folder, and `open` one in a database.

    >>> from entvec.bundled import toy_world
    >>> world = toy_world()
    >>> space = EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
    >>> space.hypernyms("poodle", k=3, specificity=0).words
    ['unk', 'animal', 'dog']
    >>> space.score("dog", "animal") > space.score("animal", "dog")
    True
    >>> space.direction("animal", "dog").hypo
    'dog'

    A word is found as it is written, else in another case or with `_` for a space.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        model: Model,
        backend: Backend,
        knowledge: Known = None,
        encoder: Encoder | None = None,
        reader: ReaderOf | None = None,
        *,
        remote: Remote | None = None,
    ) -> None:
        self._parts = Parts(vocabulary, model, backend, knowledge, encoder, reader)
        self._remote = remote
        self._judge = Judge(self._evidence)

    @classmethod
    def from_vectors(
        cls,
        vectors: Vectors,
        *,
        interpretation: str | None = None,
        map: FittedMap | EntailmentMap | str | Path | None = None,  # noqa: A002
        operator: str | None = None,
        specificity: float | Sequence[float] | None = None,
        dtype: DtypeLike = "float32",
    ) -> EntailmentSpace:
        """Return a space of these vectors in memory.

        Parameters
        ----------
        vectors
            The words and their vectors.
        interpretation
            How vectors become log-odds, if there is no map: `unk_dup` by default.
        map
            A learned map, or the path of its file. It brings an operator and probabilities; without a map there are
            no probabilities until `calibrated` fits them.
        operator
            The score of a pair: `backward` by default.
        specificity
            The default hubness penalty of rankings: one number, or one for hypernyms and one for hyponyms. With 0 the
            words with the highest scores come first, which are the most general ones.
        dtype
            The dtype of keys: 16 bits take half the memory and lose digits.
        """
        if not isinstance(vectors, Vectors):
            raise InvalidInput(f"vectors are {vectors!r:.60}, expected Vectors, as `entvec.vectors.read` returns them")
        vocabulary = vectors.with_lookup(case=True, space=True)
        model = choose(vocabulary, interpretation=interpretation, map=map, operator=operator, specificity=specificity)
        return cls.of_keys(KeyTable(model, vocabulary, check_dtype(dtype)))

    @classmethod
    def from_encoder(
        cls,
        encoder: Encoder,
        terms: Sequence[str],
        *,
        map: FittedMap | EntailmentMap | str | Path,  # noqa: A002
        dtype: DtypeLike = "float32",
        progress: Callable[[float], None] = lambda _: None,
    ) -> EntailmentSpace:
        """Return a space of terms that an encoder reads, as it reads any other text that is asked about.

        >>> from entvec.bundled import encoder, encoder_map
        >>> terms = ["shoe", "disease", "food", "vehicle"]
        >>> space = EntailmentSpace.from_encoder(encoder("small"), terms, map=encoder_map("small"))
        >>> space.hypernyms("gestational diabetes", k=1).words
        ['disease']
        >>> space.hypernyms("pad thai", k=1, definition="a dish of stir-fried rice noodles").words
        ['food']

        Parameters
        ----------
        encoder
            What turns texts into vectors.
        terms
            The words that searches find.
        map
            A map of the encoder's vectors: that of a bundled encoder, or one that `entvec.space.fit_encoder` fits.
        dtype
            The dtype of keys.
        progress
            Called with the fraction of the terms that is encoded. What it raises ends the work.
        """
        vectors = Vectors(word_list(terms, "terms"), encoded(encoder, word_list(terms, "terms"), progress))
        return cls.from_vectors(vectors, map=map, dtype=dtype).with_encoder(encoder)

    @classmethod
    def of_keys(
        cls,
        keys: KeyTable,
        searchers: Mapping[Side, Searcher] | None = None,
        knowledge: Known = None,
        encoder: Encoder | None = None,
        reader: ReaderOf | None = None,
    ) -> EntailmentSpace:
        """Return the space of a key table, searched exactly or by these searchers.

        Parameters
        ----------
        keys
            The words, the model and the keys that are computed so far.
        searchers
            The searcher of each side that is not searched exactly.
        knowledge
            What the space knows, or a function that opens it when it is first asked for.
        encoder
            What reads texts that are not in the vocabulary.
        reader
            Returns what reads them where the vectors of the vocabulary are not those of an encoder.
        """
        return cls(keys.vocabulary, keys.model, LocalBackend(keys, searchers), knowledge, encoder, reader)

    # Parts

    @property
    def vocabulary(self) -> Vocabulary:
        """The words and their vectors."""
        return self._parts.vocabulary

    @property
    def model(self) -> Model:
        """The model that turns vectors into scores, and scores into probabilities."""
        return self._parts.model

    @property
    def backend(self) -> Backend:
        """The backend that searches the words."""
        return self._parts.backend

    @property
    def knowledge(self) -> Knowledge | None:
        """What is known of words besides their vectors; None if nothing is.

        >>> from entvec.space import default_space
        >>> print(default_space().knowledge)
        WordNet 3.0: 126,503 terms, 171,394 senses, 95,882 concepts, 97,666 is-a
        """
        known = self._parts.knowledge
        return known() if callable(known) else known

    @property
    def encoder(self) -> Encoder | None:
        """What reads texts that are not in the vocabulary; None if such words are missing."""
        return self._parts.encoder

    @property
    def reads(self) -> bool:
        """Whether any term is answered: one that has no vector and is not known is read by the bundled encoders.

        >>> from entvec.space import default_space
        >>> default_space().reads
        True
        """
        parts = self._parts
        return parts.reader is not None and parts.knowledge is not None and parts.model.calibration is not None

    @of_one_version
    def read_by(self, words: str | Sequence[str]) -> Any:
        """Return what speaks of a word, or of each of several: "vector", "facts", "encoder" or "nothing".

        >>> from entvec.space import default_space
        >>> default_space().read_by(["dog", "musical instrument", "memory foam mattress", "€€€"])
        ['vector', 'facts', 'encoder', 'nothing']
        """
        listed = [words] if isinstance(words, str) else word_list(words, "words")
        found = read_by(self.vocabulary, self.judge.evidence if self.reads else None, self.encoder, listed)
        return found[0] if isinstance(words, str) else found

    @property
    def judge(self) -> Judge:
        """What decides about relations, from all evidence that the space has."""
        return self._judge

    def _evidence(self) -> Evidence:
        if self.knowledge is None:
            raise InvalidInput(
                "this space knows nothing besides its vectors, so it cannot tell relations", remedy=Remedy.KNOW_WORDNET
            )
        reader = self._parts.reader(self.knowledge) if self._parts.reader is not None and self.reads else None
        return Evidence(self.vocabulary, self.model, self.knowledge, reader)

    @property
    def keys(self) -> KeyTable:
        """The words as keys in memory. Raises InvalidInput if the words are in a database."""
        if not isinstance(self.backend, LocalBackend):
            raise InvalidInput(
                "this needs all words in memory, and the space is in a database; `space.in_memory()` fetches them"
            )
        return self.backend.table

    @property
    def hubness(self) -> Hubness:
        """Measures how readily everything entails a word, or a word entails everything."""
        return self.keys.hubness if isinstance(self.backend, LocalBackend) else Hubness(self.model, self.vocabulary)

    @property
    def fingerprint(self) -> str:
        """A hash of all words, vectors and settings: spaces with the same fingerprint have the same scores."""
        return self.keys.fingerprint

    @property
    def vectors(self) -> Vectors:
        """The vocabulary in memory; InvalidInput if it is in a database."""
        return self.keys.vocabulary

    @property
    def operator(self) -> str:
        """The name of the operator."""
        return self.model.operator.name

    @property
    def map(self) -> FittedMap | None:
        """The learned map, if there is one."""
        return self.model.map

    @property
    def specificity(self) -> Specificity:
        """The default hubness penalty of rankings."""
        return self.model.specificity

    @property
    def calibration(self) -> Calibration | None:
        """The function that turns scores into probabilities, if the space is calibrated."""
        return self.model.calibration

    def __repr__(self) -> str:
        vocabulary, model, backend, _, encoder, _ = self._parts
        shape = f"{len(vocabulary):,} words x {vocabulary.dimension}"
        read_by = "" if encoder is None else f"encoder {encoder.name}"
        return f"EntailmentSpace({', '.join(filter(None, (shape, model.name, str(backend), read_by)))})"

    def __len__(self) -> int:
        return len(self.vocabulary)

    @of_one_version
    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    @of_one_version
    def spelled(self, words: str | Sequence[str], *, missing: Missing = "error") -> Any:
        """Return a word, or each of several, as the vocabulary has it: in its case, and with `_` for spaces.

        With missing="nan", words that are missing have None; else an error names all of them. A text that an encoder
        reads stays as it is.
        """
        listed = [words] if isinstance(words, str) else word_list(words)
        reads = self.encoder is not None or self.reads
        rows = rows_of(self.vocabulary, "nan" if reads else missing, listed, "words")
        table = self.vocabulary.words_at(rows[rows >= 0])
        others = listed if reads else [None] * len(listed)
        found = [table[row] if row >= 0 else other for row, other in zip(rows.tolist(), others, strict=True)]
        return found[0] if isinstance(words, str) else found

    # Pairs

    @of_one_version
    def score(
        self, hypo: QueryLike, hyper: QueryLike, *, definition: Definition = None, missing: Missing = "error"
    ) -> Any:
        """Return how well the first entails the second: the operator's score plus the offsets of the map.

        Higher is more certain. One word or vector with several on the other side gives a score for each of those.
        Scores are computed in float64; a batch and single pairs differ at most by rounding, 1e-9 of a score. A score
        that float64 cannot hold, of vectors of 1e160, raises InvalidInput.

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
            missing = "nan"
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

    def _scores(self, y: Query, x: Query) -> Floats:
        scores: Floats
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
        (['sibling', 'part'], 'carnivore')

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
        neither nothing is known of iPhone, which is new
        for iPhone is used like handset, cellphone and cell phone, kinds of phone

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

    @of_one_version
    def senses(self, word: str, *, context: str | None = None) -> list[DescribedSense]:
        """Return what a word can mean, the most probable sense first; none if the space knows nothing of it.

        Raises SenseNotFound for the name of a sense, such as `bank#99`, that picks none.

        >>> from entvec.space import default_space
        >>> space = default_space()
        >>> [f"{found.sense}: {found.above[0].name}" for found in space.senses("bank")[:2]]
        ['bank#1: slope', 'bank#2: financial institution']
        >>> print(space.senses("crane", context="wading through the marsh")[0].sense)
        crane#5

        Parameters
        ----------
        word
            In any spelling, or the name of a sense.
        context
            Words around it that tell the sense; without, weights are those of tagged text.
        """
        return described(self.judge.evidence, word, context)

    # Search

    @of_one_version
    def hypernyms(
        self,
        query: QueryLike,
        k: int = 10,
        *,
        among: Sequence[str] | None = None,
        where: str | None = None,
        values: Mapping[str, Any] | None = None,
        exclude_self: bool = True,
        specificity: float | None = None,
        group: bool = False,
        context: str | None = None,
        definition: Definition = None,
        evidence: EvidenceUsed = "all",
        missing: Missing = "error",
    ) -> Any:
        """Return the k best hypernyms of a word: the words that it entails.

        Parameters
        ----------
        query
            A word or vector, for which `Matches` are returned, or several, for which `BatchMatches` are.
        k
            How many words to return.
        among
            The words to choose from; the whole vocabulary by default.
        where, values
            A condition on the columns of a database, such as "rank < 1000", and values for the names in it.
        exclude_self
            Whether to leave out the query itself.
        specificity
            How much general words lose: with 0 the highest scores come first. The default is that of the space.
        group
            Whether to list inflected forms, instrument and instruments, as one.
        context
            A text in which the words are used, such as a sentence: what is known of the senses that fit it answers.
        definition
            What the word means, in a sentence, or one for each of several words: the encoder of the space reads both,
            and its vectors alone decide.
        evidence
            "all" adds what is known of a word and of the words used like it to what the vectors say, if the space is
            calibrated and knows something; answers are words that are known. "vectors" ranks all words by the vectors
            alone, as queries that are vectors always are.
        missing
            With "error", an error names all words that are missing; with "nan" nothing is found for them, and such
            words of `among` are left out.
        """
        options: Any = {"exclude_self": exclude_self, "specificity": specificity, "group": group}
        asked = (among, where, values, context, definition, evidence, missing)
        return self._search("hypo", query, k, *asked, **options)

    @of_one_version
    def hyponyms(
        self,
        query: QueryLike,
        k: int = 10,
        *,
        among: Sequence[str] | None = None,
        where: str | None = None,
        values: Mapping[str, Any] | None = None,
        exclude_self: bool = True,
        specificity: float | None = None,
        group: bool = False,
        context: str | None = None,
        definition: Definition = None,
        evidence: EvidenceUsed = "all",
        missing: Missing = "error",
    ) -> Any:
        """Return the k best hyponyms of a word: the words that entail it.

        The parameters are those of `hypernyms`; `specificity` lowers the rank of words that entail everything.
        """
        options: Any = {"exclude_self": exclude_self, "specificity": specificity, "group": group}
        asked = (among, where, values, context, definition, evidence, missing)
        return self._search("hyper", query, k, *asked, **options)

    def _search(
        self,
        side: Side,
        asked: QueryLike,
        k: int,
        among: Sequence[str] | None,
        where: str | None,
        values: Mapping[str, Any] | None,
        context: str | None,
        definition: Definition,
        evidence: EvidenceUsed,
        missing: Missing,
        **options: Any,
    ) -> Any:
        context = context.strip() or None if context else None
        if evidence not in get_args(EvidenceUsed):
            raise InvalidInput(f"evidence is {evidence!r}, expected 'all' or 'vectors'")
        among_rows = None
        if among is not None:
            rows = np.unique(rows_of(self.vocabulary, missing, among, "among"))
            among_rows = rows[rows >= 0]
        condition = None if where is None and values is None else (where, values)
        parts = (self.vocabulary, self.model, self.backend)
        if evidence == "all" and self.adds_evidence and are_words(asked) and definition is None:
            words = Listed.of(self.judge.evidence, asked, missing)
            options |= {"among": among_rows, "where": condition, "context": context}
            found = rank_by_evidence(*parts, self.judge, side, words.found, k, **options)
            found = found.placed(words.there, words.all)
            return found if words.several else found[0]
        if context is not None:
            raise InvalidInput(
                "a context tells senses apart, which only a calibrated space with knowledge has, and only of words"
            )
        [query] = parse(self.vocabulary, missing, self.encoder, definition, **{side: asked})
        there = query.found
        found = rank(*parts, side, query.where(there), k, among=among_rows, where=condition, **options)
        found = found.placed(there, query.words)
        return found if query.several else found[0]

    @property
    def adds_evidence(self) -> bool:
        """Whether rankings of words rest on more than the vectors; in a space with an encoder they do not."""
        knows = self._parts.knowledge is not None and self.encoder is None
        return knows and self.model.calibration is not None and self.model.indexable

    @of_one_version
    def generality(self, words: QueryLike, *, missing: Missing = "error") -> Any:
        """Return how readily everything entails a word: the hubness that `specificity` penalises in hypernyms.

        Parameters
        ----------
        words
            Words or vectors, one or several.
        missing
            With "error", an error names all words that are missing; with "nan" their generality is NaN.
        """
        [query] = parse(self.vocabulary, missing, self.encoder, words=words)
        there = query.found
        known = query.where(there)
        found = np.full(len(query), np.nan)
        with np.errstate(over="ignore", invalid="ignore"):
            found[there] = self.hubness.of("hyper", known.vectors())
        if not (finite := np.isfinite(found[there])).all():
            raise overflow(self.operator, f"{known.name_of(int(np.argmin(finite)))} with all words")
        return found if query.several else float(found[0])

    def recall(self, queries: QueryLike, k: int = 10, *, side: Side = "hyper", missing: Missing = "error") -> float:
        """Return the share of the k best words of exact search that the backend finds; ties count as found.

        Parameters
        ----------
        queries
            Words or vectors to search for.
        k
            How many words to compare for each query.
        side
            The words to find: "hyper" for hypernyms, "hypo" for hyponyms.
        missing
            With "error", an error names all words that are missing; with "nan" they are left out.
        """
        [query] = parse(self.vocabulary, missing, self.encoder, queries=queries)
        vectors = query.where(query.found).vectors()
        request = Request(OTHER[side], vectors, self.model.penalty(OTHER[side]))
        best, found = (backend.search(request, check_k(k)) for backend in (LocalBackend(self.keys), self.backend))
        if best.scores.size == 0:
            return 1.0
        tolerance = 1e-6 * np.abs(best.scores[:, -1:])  # keys of float32 are rounded, and not all backends use them
        good = np.minimum((found.scores >= best.scores[:, -1:] - tolerance).sum(axis=1), best.scores.shape[1])
        return float(good.sum() / best.scores.size)

    # Changes

    def calibrated(
        self, hypo: Sequence[str], hyper: Sequence[str], labels: ArrayLike, *, missing: Missing = "error"
    ) -> EntailmentSpace:
        """Return the space with probabilities: Platt's sigmoid, fitted to labelled pairs.

        Parameters
        ----------
        hypo, hyper
            The words of each pair. A map must not have been fitted to the same pairs.
        labels
            Above 0 for entailments.
        missing
            With "error", an error names all words that are missing; with "nan" their pairs are left out.
        """
        from entvec.learn import calibrate

        scores, labels = np.asarray(self.score(hypo, hyper, missing=missing)), np.asarray(labels)
        there = ~np.isnan(scores)
        if there.shape == labels.shape:  # else `calibrate` says what is wrong
            scores, labels = scores[there], labels[there]
        return self.with_calibration(calibrate(scores, labels))

    def with_calibration(self, calibration: Calibration | None) -> EntailmentSpace:
        """Return the space with other probabilities, or with none."""
        return self._with_model(replace(self.model, calibration=calibration))

    def with_specificity(self, specificity: float | Sequence[float]) -> EntailmentSpace:
        """Return the space with another default hubness penalty: one number, or two for hypernyms and hyponyms."""
        return self._with_model(replace(self.model, specificity=rankings.both(specificity)))

    def _with_model(self, model: Model) -> EntailmentSpace:
        """Return the space under a model with the same scores, which reuses keys and searchers."""
        return self._of_keys(self.keys.with_model(model), self.searchers)

    def _of_keys(self, keys: KeyTable, searchers: Mapping[Side, Searcher] | None = None) -> EntailmentSpace:
        """Return a space of other keys that knows the same."""
        return EntailmentSpace.of_keys(keys, searchers, self._parts.knowledge, self.encoder, self._parts.reader)

    def with_knowledge(self, *sources: Source, names: Sequence[str] | None = None) -> EntailmentSpace:
        """Return the space with more knowledge. Later sources outrank earlier ones, and what was known before.

        A KnowledgeWarning tells of contradictions, and of cycles in a taxonomy. A space in a database shares its
        connection with the space that is returned.

        >>> from entvec.graphs import Taxonomy
        >>> from entvec.space import default_space
        >>> mine = Taxonomy.from_edges([("hoodie", "garment")])
        >>> default_space().with_knowledge(mine, names=["shop.tsv"]).knowledge.sources
        ('WordNet 3.0', 'shop.tsv')

        Parameters
        ----------
        sources
            A taxonomy, or a file of one in any format, adds its statements. A Knowledge, or a file `*.knowledge`,
            takes the place of all that was known before; None forgets it.
        names
            How reasons name each source; by default the name of its file.
        """
        from entvec.knowledge.sources import gathered

        known = gathered(self.knowledge, sources, names)
        parts = self._parts._replace(knowledge=known)
        return EntailmentSpace(*parts, remote=self._remote)

    def with_encoder(self, encoder: Encoder | None) -> EntailmentSpace:
        """Return the space with an encoder that reads texts which the vocabulary lacks, or with None.

        Without one, words that are neither known nor in the vocabulary are missing, also in the default space.

        Raises InvalidInput if the map, or the space itself, was made with another encoder.

        Parameters
        ----------
        encoder
            Its vectors must be of the same kind as those of the vocabulary: usually it has made them.
        """
        if encoder is not None:
            made_by = self.encoder or encoder_of(self.map)
            if made_by is not None:
                check_same(made_by, encoder)
            if encoder.dimension != self.vocabulary.dimension:
                raise InvalidInput(
                    f"the encoder {encoder.name!r} makes vectors of {encoder.dimension} numbers, "
                    f"expected {self.vocabulary.dimension} as in the vocabulary"
                )
        parts = self._parts._replace(encoder=encoder, reader=None if encoder is None else self._parts.reader)
        return EntailmentSpace(*parts, remote=self._remote)

    @of_one_version
    def vectors_of(self, words: QueryLike, *, definition: Definition = None, missing: Missing = "error") -> Floats:
        """Return the vector of a word, or those of several: of the vocabulary, else of the encoder.

        Parameters
        ----------
        words
            One word or several.
        definition
            What the word means, in a sentence, or one for each of several.
        missing
            With "error", an error names all words that are missing; with "nan" their vectors are NaN.
        """
        [query] = parse(self.vocabulary, missing, self.encoder, definition, words=words)
        there = query.found
        found = np.full((len(query), self.vocabulary.dimension), np.nan)
        found[there] = query.where(there).vectors()
        return found if query.several else found[0]

    def with_dtype(self, dtype: DtypeLike) -> EntailmentSpace:
        """Return the space with keys of another dtype, searched exactly."""
        return self._of_keys(KeyTable(self.model, self.keys.vocabulary, check_dtype(dtype)))

    def with_vocabulary(self, vectors: Vectors) -> EntailmentSpace:
        """Return a space of other words under the same model, searched exactly."""
        vocabulary = vectors.with_lookup(case=True, space=True)
        return self._of_keys(KeyTable(self.model, vocabulary, self.keys.dtype))

    def with_terms(self, terms: Sequence[str], *, definitions: Mapping[str, str] | None = None) -> EntailmentSpace:
        """Return the space with more words, which its encoder reads: they are searched and saved like the others.

        >>> from entvec.bundled import encoder, encoder_map
        >>> space = EntailmentSpace.from_encoder(encoder("static"), ["shoe", "food"], map=encoder_map("static"))
        >>> told = {"pad thai": "a dish of stir-fried rice noodles"}
        >>> space.with_terms(["pad thai", "shoe"], definitions=told).hyponyms("food", k=1).words
        ['pad thai']

        Parameters
        ----------
        terms
            The words to add; those that the vocabulary has stay as they are.
        definitions
            What some of them mean, in a sentence each.
        """
        if self.encoder is None:
            raise InvalidInput("more terms, but this space has no encoder to read them", remedy=Remedy.FIT_ENCODER)
        words = list(dict.fromkeys(word_list(terms, "terms")))
        new = [word for word, row in zip(words, self.vocabulary.rows(words).tolist(), strict=True) if row < 0]
        told = definitions or {}
        vectors = encoded(self.encoder, [defined(word, told.get(word)) for word in new])
        return self.with_vocabulary(self.vectors.joined(Vectors(new, vectors)))

    def with_backend(self, name: str, *, sides: Sequence[Side] = ("hyper",), **options: Any) -> EntailmentSpace:
        """Return the space with another way to search.

        Parameters
        ----------
        name
            "faiss" or "usearch" for an approximate index, "device" for a GPU, "scan" for the operator itself, "exact"
            for the search that spaces begin with.
        sides
            The words to search in this way: "hyper" for hypernyms, "hypo" for hyponyms. The other side stays as it
            is, and a search `among` some words stays exact.
        options
            Options of the backend: docs/approximate.md lists those of indexes, `on` those of a device.
        """
        keys = self.keys
        if name == EXACT:
            return self._of_keys(keys)
        if name != "scan":
            self.model.check_indexable("there is nothing to index; search exactly")
        built = {side: build_searcher(name, keys, side, **options) for side in sides}
        return self._of_keys(keys, self.searchers | built)

    @property
    def searchers(self) -> dict[Side, Searcher]:
        """The searcher of each side that is not searched exactly."""
        return self.backend.searchers if isinstance(self.backend, LocalBackend) else {}

    def on(
        self, device: str, *, dtype: str | None = None, sides: Sequence[Side] = ("hyper", "hypo")
    ) -> EntailmentSpace:
        """Return the space with its search on a device of PyTorch: "cuda", "cuda:1" or "cpu"; the answers are the same.

        Parameters
        ----------
        device
            The name that PyTorch gives it.
        dtype
            The numbers in which candidates are searched: bfloat16, tf32 or float32, by default the fastest of the
            device. Exact scores decide in any case.
        sides
            The words to move: "hyper" to search for hypernyms, "hypo" for hyponyms.
        """
        return self.with_backend("device", sides=sides, device=device, dtype=dtype)

    # Files and databases

    def save(self, path: str | Path) -> None:
        """Write the space to a folder: vectors, map, knowledge, and the keys and indexes computed so far."""
        from entvec.space import storage

        storage.save(self.keys, self.searchers, path, self.knowledge, self.encoder)

    @classmethod
    def load(cls, path: str | Path, *, verify: bool = True, encoder: Encoder | None = None) -> EntailmentSpace:
        """Return a space that was saved; its vectors and keys are opened by memory map.

        Its encoder is opened by its name when a text is first read, and refused if it gives other vectors than the one
        that the space was made with.

        Example::

            space = EntailmentSpace.load("folder")

        Parameters
        ----------
        path
            The folder.
        verify
            Whether to read all files first and compare them with their hashes, at about 1.4 GB/s for each processor.
            Without, a space of any size opens at once, and damage may show late, as wrong answers or a crash.
        encoder
            The encoder itself, for a space whose encoder has no name that it can be opened by, such as a function.
        """
        from entvec.space import storage

        found = cls.of_keys(*storage.load(path, verify=verify))
        return found if encoder is None else found.with_encoder(encoder)

    def export(
        self,
        url: str,
        *,
        name: str = "entvec",
        sides: Sequence[Side] | None = None,
        columns: Mapping[str, Any] | None = None,
        index: str | None = None,
        recall: float = 0.98,
        progress: Callable[[str, float], None] | None = None,
    ) -> Exported:
        """Load the space into a database, PostgreSQL with pgvector or Milvus; `open` opens it there.

        The version that the database has under this name serves until the new one is complete. If both are the same,
        nothing is loaded.

        Parameters
        ----------
        url
            postgresql://USER@HOST/DATABASE or milvus://HOST:PORT for a server, postgresql:FOLDER or milvus:FILE.db for
            one that comes with the extra.
        name
            The name of the space in the database.
        sides
            The words to search: "hyper" for hypernyms, "hypo" for hyponyms; both by default.
        columns
            Further columns by name, with a value for each word; `where` of a search may name them.
        index
            The kind of index, one of those that the database can build; by default it depends on the size.
        recall
            The share of the ten best words that a search must find; the effort of searches is chosen for it.
        progress
            Called with the name of the current stage and the fraction of all work that is done.
        """
        from entvec.stores.export import export

        settings: Any = {"sides": sides, "columns": columns, "index": index, "recall": recall, "progress": progress}
        return export(self.keys, url, name=name, **settings)

    @classmethod
    def open(cls, url: str, name: str = "entvec") -> EntailmentSpace:
        """Return a space that was exported to a database under this name; the database answers its questions.

        An answer comes from one version of the space. When another version takes its place, the next question is
        answered from that one. Several threads may ask at the same time.
        """
        from entvec.stores.remote import open_remote

        if os.path.isdir(url):  # noqa: PTH112 - Path.is_dir fails for a long text
            raise InvalidInput(f"{url!r:.80} is a folder, expected a database; EntailmentSpace.load opens a folder")
        remote = open_remote(url, name)
        try:
            return cls(*remote.current(), remote=remote)
        except BaseException:
            remote.close()
            raise

    def follow(self) -> None:
        """Switch to the version that serves now, if the space is in a database."""
        if self._remote is not None:
            self._parts = Parts(*self._remote.current(), *self._parts[3:])
            self._judge = Judge(self._evidence)  # what it has looked up are rows of the version before

    def pinned(self) -> EntailmentSpace:
        """Return a copy of the space that stays with its version of the database."""
        copy = EntailmentSpace(*self._parts)
        copy._judge = self._judge
        return copy

    @of_one_version
    def in_memory(self) -> EntailmentSpace:
        """Return the space with all words in memory; fetch them if they are in a database."""
        if isinstance(self.backend, LocalBackend):
            return self
        vectors = self.vocabulary.take(np.arange(len(self.vocabulary)))
        return self._of_keys(KeyTable(self.model, vectors.with_lookup(case=True, space=True), self.backend.dtype))

    def close(self) -> None:
        """Close the connection to the database, if there is one."""
        if self._remote is not None:
            self._remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, WordNotFound):
            error.suggestions  # noqa: B018 - asks the database, which cannot be asked once it is closed
        self.close()
