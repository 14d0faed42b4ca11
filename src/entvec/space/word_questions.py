"""Questions about single words: what is above and below them, what they mean, how general they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, get_args

import numpy as np

from entvec.array_types import AnyFloats, Rows
from entvec.errors import InvalidInput
from entvec.evidence.definitions import named
from entvec.evidence.senses import DescribedSense, described
from entvec.interchange import word_list
from entvec.model.model import OTHER, Side, overflow
from entvec.search.local import LocalBackend
from entvec.search.request import Request
from entvec.space.misspelled import suggestions
from entvec.space.parts import SpaceParts
from entvec.space.queries import (
    Definition,
    EvidenceUsed,
    Missing,
    Query,
    QueryLike,
    check_k,
    parse,
    rows_of,
    with_definitions,
)
from entvec.space.ranking import SearchOptions, rank, rank_by_evidence
from entvec.space.reading import unread, with_stand_ins
from entvec.space.relating import Listed, are_words
from entvec.space.versions import of_one_version


class WordQuestions(SpaceParts):
    """What a space finds for a word."""

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

        >>> from entvec.space import default_space
        >>> found = default_space().hypernyms("poodle", k=3)
        >>> "dog" in found.words, found[0].probability > 0.9
        (True, True)

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
            What the word means, in a sentence, or one for each of several words. The word counts as new then: an
            encoder reads both.
        evidence
            "all" adds what is known of a word and of the words used like it to what the vectors say, if the space is
            calibrated and knows something; answers are words that are known. "vectors" ranks all words by the vectors
            alone, as queries that are vectors always are.
        missing
            With "error", an error names all words that are missing; with "nan" nothing is found for them, and such
            words of `among` are left out.
        """
        space = self._reading(among)
        chosen = (space._rows_among(among, missing), _condition(where, values))
        options = SearchOptions(k, *chosen, exclude_self, specificity, group)
        return space._search("hypo", query, options, context, definition, evidence, missing)

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

        >>> from entvec.space import default_space
        >>> default_space().hyponyms("footwear", k=2, among=["boots", "desk", "sandals"]).words
        ['sandals', 'boots']

        Parameters
        ----------
        query, k, among, where, values, exclude_self, group, context, definition, evidence, missing
            As for `hypernyms`.
        specificity
            How much words lose that entail everything.
        """
        space = self._reading(among)
        chosen = (space._rows_among(among, missing), _condition(where, values))
        options = SearchOptions(k, *chosen, exclude_self, specificity, group)
        return space._search("hyper", query, options, context, definition, evidence, missing)

    def _reading(self, among: Sequence[str] | None) -> Self:
        """Return the space with those words to choose from that it lacks and can read."""
        if among is None or not self.reads:
            return self
        return self._with_stand_ins(unread(self.vocabulary, self.judge.evidence, word_list(among, "among")))

    def _rows_among(self, among: Sequence[str] | None, missing: Missing) -> Rows | None:
        if among is None:
            return None
        rows = np.unique(rows_of(self.vocabulary, missing, among, "among"))
        return rows[rows >= 0]

    def _search(
        self,
        side: Side,
        asked: QueryLike,
        options: SearchOptions,
        context: str | None,
        definition: Definition,
        evidence: EvidenceUsed,
        missing: Missing,
    ) -> Any:
        context = context.strip() or None if context else None
        if evidence not in get_args(EvidenceUsed):
            raise InvalidInput(f"evidence is {evidence!r}, expected 'all' or 'vectors'")
        parts = (self.vocabulary, self.model, self.backend)
        if definition is not None and self.reads:
            asked, definition = with_definitions(self.vocabulary, asked, definition), None
        if evidence == "all" and self.adds_evidence and are_words(asked) and definition is None:
            words = Listed.of(self.judge.evidence, asked, missing)
            found = rank_by_evidence(*parts, self.judge, side, words.found, options, context)
            found = found.placed(words.there, list(map(named, words.all)))
            return found if words.several else found[0]
        if context is not None:
            raise InvalidInput(
                "a context tells senses apart, which only a calibrated space with knowledge has, and only of words"
            )
        query = self._read(asked, missing, definition, side)
        there = query.found
        found = rank(*parts, side, query.where(there), options)
        found = found.placed(there, query.words)
        return found if query.several else found[0]

    def _read(self, asked: QueryLike, missing: Missing, definition: Definition, name: str) -> Query:
        """Return words or vectors; words without a vector have one of the encoder, or a stand-in."""
        if not self.reads:
            return parse(self.vocabulary, missing, self.encoder, definition, **{name: asked})[0]
        if definition is not None:
            asked = with_definitions(self.vocabulary, asked, definition)
        [query] = parse(self.vocabulary, "nan", None, None, **{name: asked})
        return with_stand_ins(self.judge, self.vocabulary, query)

    @of_one_version
    def senses(self, word: str, *, context: str | None = None) -> list[DescribedSense]:
        """Return what a word can mean, the most probable sense first; none if the space knows nothing of it.

        Raises SenseNotFound for the name of a sense, such as `bank#99`, that picks none.

        >>> from entvec.space import default_space
        >>> space = default_space()
        >>> [f"{found.sense}: {found.above[0].name}" for found in space.senses("bank")[:2]]
        ['bank#2: financial institution', 'bank#1: slope']
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

    @of_one_version
    def suggestions(self, word: str) -> list[str]:
        """Return known words that are spelled like one that is neither known nor has a vector: its forms come first.

        Such a word may have answers all the same, since an encoder reads it (`read_by`). There are no suggestions for
        a word that is known. In a phrase, the words that are not known are replaced.

        >>> from entvec.space import default_space
        >>> space = default_space()
        >>> space.suggestions("guitr")[0], space.suggestions("elctric guitar"), space.suggestions("guitar")
        ('guitar', ['electric guitar'], [])

        Parameters
        ----------
        word
            A word or a phrase.
        """
        return suggestions(self.vocabulary, self.judge.evidence if self.adds_evidence else None, word)

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

    @of_one_version
    def vectors_of(self, words: QueryLike, *, definition: Definition = None, missing: Missing = "error") -> AnyFloats:
        """Return the vector of a word, or those of several: of the vocabulary, else of the encoder.

        In the default space, terms without a vector get those that `with_terms` gives them.

        >>> from entvec.space import default_space
        >>> default_space().vectors_of(["dog", "memory foam pillow"]).shape
        (2, 300)

        Parameters
        ----------
        words
            One word or several.
        definition
            What the word means, in a sentence, or one for each of several.
        missing
            With "error", an error names all words that are missing; with "nan" their vectors are NaN.
        """
        query = self._read(words, missing, definition, "words")
        there = query.found
        found = np.full((len(query), self.vocabulary.dimension), np.nan)
        found[there] = query.where(there).vectors()
        return found if query.several else found[0]

    def recall(self, queries: QueryLike, k: int = 10, *, side: Side = "hyper", missing: Missing = "error") -> float:
        """Return the share of the k best words of exact search that the backend finds; ties count as found.

        >>> from entvec.space import default_space
        >>> default_space().recall(["dog", "piano"])
        1.0

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


def _condition(where: str | None, values: Mapping[str, Any] | None) -> Any:
    return None if where is None and values is None else (where, values)
