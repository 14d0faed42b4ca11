"""Pairs of texts that an encoder reads, beside what is known.

The evidence for a relation takes vectors from a vocabulary. For texts that no vocabulary has, or words with a
definition, a small one is made of the words of the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from entvec.evidence.definitions import defined as in_evidence
from entvec.evidence.gathering import Evidence
from entvec.evidence.judge import Judge
from entvec.evidence.relations import Relation
from entvec.interchange import word_list
from entvec.space.queries import Definition, check_definition, defined, parse, with_definitions
from entvec.text import Encoder
from entvec.vectors.vectors import Vectors


class ReadPairs:
    """Pairs of which some words are read by an encoder; `judge`, `first` and `second` are to be asked for.

    Parameters
    ----------
    judge
        What decides about pairs of words.
    encoder
        What reads texts; nothing is changed if it is None.
    first, second
        One word or several on each side.
    definition
        What the first words mean.
    """

    def __init__(
        self,
        judge: Judge,
        encoder: Encoder | None,
        first: str | Sequence[str],
        second: str | Sequence[str],
        definition: Definition,
    ) -> None:
        self.judge, self.first, self.second = judge, first, second
        self._named: str | Sequence[str] | None = None
        if encoder is None and definition is None:
            return
        evidence = judge.evidence
        if encoder is None and evidence.reader is not None:
            self._named, self.first = first, with_definitions(evidence.vocabulary, first, definition)
            return
        [query] = parse(evidence.vocabulary, "nan", None, first=first)
        definitions = check_definition(definition, query, reads=encoder is not None)
        if encoder is None:
            return
        if definition is not None:
            self._named, words = first, [str(word) for word in query.words]
            texts = [defined(word.strip(), of_it) for word, of_it in zip(words, definitions, strict=True)]
            self.first = texts if query.several else texts[0]
        asked = dict.fromkeys(word.strip() for side in (self.first, self.second) for word in _listed(side))
        words = [word for word in asked if word]
        if (evidence.vocabulary.rows(words) < 0).any():
            self.judge = Judge(_with_vectors(evidence, words, encoder), judge.model)

    def named(self, found: Any) -> Any:
        """Return relations under the names that were asked for, without definitions."""
        if self._named is None:
            return found
        if isinstance(found, Relation):
            return replace(found, first=str(self._named))
        names = _listed(self._named)
        return replace(found, first=names * len(found) if len(names) == 1 else names)


def text_of(encoder: Encoder | None, word: str, definition: str | None) -> str:
    """Return the text by which a word is read with its definition, for verbs that take no definition of that word.

    Of a pair, `score` takes a definition of the first word; this text defines the second one.

    >>> from entvec.space import default_space
    >>> space = default_space()
    >>> bool(space.score("aioli", text_of(space.encoder, "sofrito", "a sauce of onion")) < 0)
    True

    Parameters
    ----------
    encoder
        The encoder of the space; None for the default space, which reads with the bundled ones.
    word, definition
        The word, and what it means, in a sentence.
    """
    return defined(word, definition) if encoder is not None else in_evidence(word, definition)


def _listed(words: str | Sequence[str]) -> list[str]:
    return [words] if isinstance(words, str) else word_list(words)


def _with_vectors(evidence: Evidence, words: list[str], encoder: Encoder) -> Evidence:
    """Return evidence of the same knowledge, with vectors of these words alone."""
    plain = list(dict.fromkeys(evidence.meanings.plain(word) for word in words))
    [query] = parse(evidence.vocabulary, "nan", encoder, words=plain)
    found = Evidence(Vectors(plain, query.vectors()), evidence.model, evidence.meanings.known)
    found.neighbours = None  # those of so few words say nothing
    return found
