"""Gathers the evidence for pairs of words from all sources that a space has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.errors import EntvecError, not_found
from entvec.evidence.context import Contexts
from entvec.evidence.definitions import parts
from entvec.evidence.facts import Known, fact_features, known_of
from entvec.evidence.features import FACTS, NAMES, NEIGHBOURS, VECTORS
from entvec.evidence.meanings import Meanings
from entvec.evidence.neighbours import Neighbours
from entvec.evidence.plausible import LONGEST
from entvec.evidence.reader import Reader
from entvec.evidence.relations import NO_EVIDENCE
from entvec.evidence.text_facts import TextFacts
from entvec.evidence.vectors import vector_features
from entvec.knowledge import Knowledge
from entvec.knowledge.people import is_offensive
from entvec.model.model import Model
from entvec.vectors.spelling import similar_spellings_of_all
from entvec.vectors.vectors import Vectors
from entvec.vectors.vocabulary import Vocabulary
from entvec.vectors.words import Words

if TYPE_CHECKING:
    from entvec.text import TextEvidence

BOTH_KNOWN, NEW_WORD, BOTH_NEW = SITUATIONS = ("both known", "new word", "both new")
"""How much is known of a pair: of both words, of one (or of both, but as different parts of speech), of neither."""

TEXT = "text"
"""The source of a pair of which nothing but texts speaks."""
PAIRS_REMEMBERED = 1 << 12
MOST_TERMS = 1 << 20
"""Of more known terms, none is suggested for a word that is missing."""


@dataclass(frozen=True, eq=False)
class PairEvidence:
    """What speaks for and against each relation of some pairs."""

    features: NDArray[np.float64]
    """A row for each pair, a column for each of `features.FEATURES`; 0 where a source says nothing."""
    situations: tuple[str, ...]
    sources: tuple[tuple[str, ...], ...]
    """The sources that each pair has; none if nothing can be said of it."""
    known: tuple[Known, ...]

    @property
    def decidable(self) -> NDArray[np.bool_]:
        """True for each pair that has a source."""
        return np.array([bool(sources) for sources in self.sources], dtype=bool)


class Evidence:
    """Gathers evidence, and remembers what it has looked up.

    >>> from entvec.space import default_space
    >>> space = default_space()
    >>> evidence = Evidence(space.vocabulary, space.model, space.knowledge)
    >>> found = evidence.of(["dog", "biker"], ["animal", "animal"])
    >>> found.situations, found.sources
    (('both known', 'new word'), (('facts', 'vectors'), ('vectors', 'neighbours')))

    Parameters
    ----------
    vocabulary
        The words that have vectors.
    model
        The model of the vectors; they are a source if it is calibrated.
    knowledge
        What is known.
    reader
        Reads terms that have no vector, if there is one.
    text
        What texts say, if there are any.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        model: Model,
        knowledge: Knowledge,
        text: TextEvidence | None = None,
        reader: Reader | None = None,
    ) -> None:
        self.vocabulary, self.model, self.reader = vocabulary, model, reader
        self.text = None if text is None else TextFacts(text, knowledge)
        knowledge = knowledge if self.text is None else self.text.known
        self.meanings = Meanings(knowledge, words=vocabulary)
        # The nearest words of one word are found in memory; in a database that would be a scan of all words.
        self.neighbours = Neighbours(vocabulary, self.meanings) if isinstance(vocabulary, Vectors) else None

    @cached_property
    def known_of(self) -> Callable[[str, str], Known]:
        """Returns what is known of two words. It remembers pairs, because reasons are asked for after probabilities."""
        return lru_cache(maxsize=PAIRS_REMEMBERED)(partial(known_of, self.meanings))

    @cached_property
    def contexts(self) -> Contexts:
        """What weighs the senses of words by the words around them."""
        return Contexts(self.vocabulary, self.meanings)

    def hiding(self, words: Iterable[str], *, synonyms: bool = True) -> Evidence:
        """Return the evidence of a world that does not know some words, as `Meanings.hiding` hides them."""
        found = object.__new__(Evidence)
        found.vocabulary, found.model, found.reader = self.vocabulary, self.model, self.reader
        found.text = self.text
        found.meanings = self.meanings.hiding(words, synonyms=synonyms)
        found.neighbours = None if self.neighbours is None else self.neighbours.hiding(found.meanings)
        return found

    def has(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each word whether there is anything to judge it by: it is known, has a vector, or can be read."""
        found = self._rows(words) >= 0
        found |= np.array([bool(self.meanings.of(word)) for word in words], dtype=bool)
        if self.text is not None:
            found |= np.array([self.text.has(word) for word in words], dtype=bool)
        if self.reader is not None:
            pairs = zip(words, found.tolist(), strict=True)
            found |= np.array([here or self.objection(word) is None for word, here in pairs], dtype=bool)
        return np.asarray(found, dtype=bool)

    def known_word(self, word: str) -> bool:
        """Return whether a word is known, also as an adjective or adverb, or has a vector."""
        return bool(self.meanings.of(word)) or self.is_flat(word) or int(self._rows([word])[0]) >= 0

    def objection(self, word: str) -> str | None:
        """Return why a word that has no vector and is not known cannot be read; None if it can."""
        if self.reader is None:
            return "nothing reads words that have no vector"
        word, definition = parts(word)
        if definition is not None:
            return self.reader.plausibility.objection(definition[:LONGEST])
        if error := self.meanings.known.no_such_sense(word):
            return str(error)
        return self.reader.plausibility.objection(word)

    def unanswerable(self, words: Sequence[str]) -> list[str]:
        """Return the words for which there must be an error: missing ones; if texts are read, only wrong senses."""
        if self.reader is None:
            return [word for word, there in zip(words, self.has(words).tolist(), strict=True) if not there]
        return [word for word in words if self.meanings.known.no_such_sense(word)]

    def not_found(self, words: Sequence[str]) -> EntvecError:
        """Return the error for words that are missing: it lists the senses of one, or all words with suggestions.

        Suggestions are words that have vectors and, unless these are in a database, known terms.

        >>> from entvec.space import default_space
        >>> print(default_space().judge.evidence.not_found(["toasterr"]))
        no word 'toasterr' among 146,167; did you mean 'toaster', 'toasted', 'boaster', 'coaster', 'roaster'?
        """
        if error := next(filter(None, map(self.meanings.known.no_such_sense, words)), None):
            return error
        if self._words is None:
            return self.vocabulary.not_found(words)
        return not_found(list(dict.fromkeys(words)), len(self._words), partial(self._similar, among=self._words))

    @cached_property
    def _words(self) -> Words | None:
        """The words that have vectors, then the known terms that have none; None if they are elsewhere or too many."""
        terms = self.meanings.known.terms
        if not isinstance(self.vocabulary, Vectors) or len(terms) > MOST_TERMS:
            return None
        more = terms.take(np.flatnonzero(self.vocabulary.words.rows(terms) < 0))
        return Words(np.concatenate([self.vocabulary.words.text, more.text]))

    def _similar(self, words: Sequence[str], among: Words) -> list[list[str]]:
        """Return words that look like each of some, without those that offend."""
        several = similar_spellings_of_all(words, among)
        return [[word for word in some if not is_offensive(self.meanings.known, word)] for some in several]

    def _rows(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each word, -1 for those without a vector; the name of a sense has the row of its word."""
        return self.vocabulary.rows([self.meanings.plain(word) for word in words])

    def _by_sense(self, first: str, second: str) -> bool:
        """Return whether facts alone decide: one of two known words names a sense, and vectors are of all senses."""
        named = self.meanings.is_sense(first) or self.meanings.is_sense(second)
        return named and bool(self.meanings.of(first)) and bool(self.meanings.of(second))

    def is_flat(self, word: str) -> bool:
        """Return whether a word is only an adjective or adverb."""
        return not self.meanings.of(word) and self.meanings.known.is_flat(word)

    def of_names(self, first: Sequence[str], second: Sequence[str], found: PairEvidence) -> NDArray[np.intp]:
        """Return which pairs have vectors, and a proper name with no known relation to the other word.

        That nothing is known means little there: Toyota is known as a city, and others may have the name.

        Parameters
        ----------
        first, second
            The words of the pairs.
        found
            The evidence for them.
        """
        silent = [
            not known.facts
            and not known.denied
            and sources == (FACTS, VECTORS)
            and any(map(self.meanings.is_name, pair))
            for *pair, known, sources in zip(first, second, found.known, found.sources, strict=True)
        ]
        return np.flatnonzero(silent)

    def of(self, first: Sequence[str], second: Sequence[str], *, facts: bool = True) -> PairEvidence:
        """Return the evidence for pairs of words.

        Parameters
        ----------
        first, second
            The words of the pairs.
        facts
            Without facts, words that have vectors are judged like new ones: names are, of which others than the known
            individual may be meant.
        """
        rows = np.stack([self._rows(first), self._rows(second)])
        # The vectors of adjectives and adverbs say what they are said of, and they have no hierarchy.
        unseen = [
            self.is_flat(one) or self.is_flat(other) or self._by_sense(one, other)
            for one, other in zip(first, second, strict=True)
        ]
        seen = (rows >= 0).all(axis=0) & (self.model.calibration is not None) & ~np.array(unseen, dtype=bool)
        columns = {name: np.zeros(len(first)) for name in NAMES}
        for name, column in self._vectors(rows[:, seen]).items():
            columns[name][seen] = column
        situations, sources, known = [], [], []
        for i, (one, other, with_vectors) in enumerate(zip(first, second, seen.tolist(), strict=True)):
            pair = self.known_of(one, other)
            found = [VECTORS] if with_vectors else []
            values: dict[str, float] = {}
            if comparable := pair.comparable and (facts or not with_vectors):
                found.insert(0, FACTS)
                values = fact_features(self.meanings, one, other, pair)
            elif with_vectors and self.neighbours is not None:  # where facts decide, neighbours add nothing to them
                found.append(NEIGHBOURS)
                for side, words in (("first", (one, other)), ("second", (other, one))):
                    values |= {f"{name} {side}": vote for name, vote in self.neighbours.votes(*words).items()}
            elif not with_vectors and self.text is not None and any(self.text.of_pair(one, other)):
                found.append(TEXT)
            for name, value in values.items():
                columns[name][i] = value
            known.append(pair)
            sources.append(tuple(found))
            situations.append(self._situation(one, other, comparable=comparable) if found else NO_EVIDENCE)
        features = np.stack([columns[name] for name in NAMES], axis=1)
        return PairEvidence(features, tuple(situations), tuple(sources), tuple(known))

    def _situation(self, first: str, second: str, *, comparable: bool) -> str:
        if comparable:
            return BOTH_KNOWN
        return NEW_WORD if self.meanings.of(first) or self.meanings.of(second) else BOTH_NEW

    def _vectors(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        if not rows.size:
            return {}
        first, second = (self.vocabulary.take(side).matrix.astype(np.float64) for side in rows)
        return vector_features(self.model, first, second)
