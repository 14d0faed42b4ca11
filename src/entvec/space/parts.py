"""The parts of a space: what it is made of, and what they say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

from entvec.errors import InvalidInput, Remedy
from entvec.evidence.gathering import Evidence
from entvec.evidence.judge import Judge
from entvec.interchange import word_list
from entvec.knowledge import Knowledge
from entvec.learn.calibration import Calibration
from entvec.learn.fitted import FittedMap
from entvec.model.hubness import Hubness
from entvec.model.model import Model, Side
from entvec.model.specificity import Specificity
from entvec.search.key_table import KeyTable
from entvec.search.local import LocalBackend, Searcher
from entvec.search.request import Backend
from entvec.space.queries import Missing, rows_of
from entvec.space.reading import read_by, stand_ins
from entvec.space.versions import Known, Parts, ReaderOf, Remote, of_one_version
from entvec.text import Encoder
from entvec.vectors import Vectors
from entvec.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    from entvec.text import TextEvidence


class SpaceParts:
    """A vocabulary, a model, a backend, knowledge, an encoder and texts; the base of classes that ask them."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        model: Model,
        backend: Backend,
        knowledge: Known = None,
        encoder: Encoder | None = None,
        text: TextEvidence | None = None,
        reader: ReaderOf | None = None,
        *,
        remote: Remote | None = None,
    ) -> None:
        self._parts = Parts(vocabulary, model, backend, knowledge, encoder, text, reader)
        self._remote = remote
        self._judge = Judge(self._evidence)

    @classmethod
    def of_keys(
        cls,
        keys: KeyTable,
        searchers: Mapping[Side, Searcher] | None = None,
        knowledge: Known = None,
        encoder: Encoder | None = None,
        text: TextEvidence | None = None,
        reader: ReaderOf | None = None,
    ) -> Self:
        """Return the space of a key table, searched exactly or by these searchers.

        >>> from entvec.space import EntailmentSpace, default_space
        >>> EntailmentSpace.of_keys(default_space().keys)
        EntailmentSpace(31,530 words x 300, mapped backward)

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
        text
            What texts say of words, as `entvec extract` counts it.
        reader
            Returns what reads terms where the vectors of the vocabulary are not those of an encoder.
        """
        return cls(keys.vocabulary, keys.model, LocalBackend(keys, searchers), knowledge, encoder, text, reader)

    def _of_keys(self, keys: KeyTable, searchers: Mapping[Side, Searcher] | None = None) -> Self:
        """Return a space of other keys that knows the same."""
        return type(self).of_keys(keys, searchers, *self._parts[3:])

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
        WordNet 3.0 + everyday: 128,114 terms, 173,065 senses, 97,305 concepts, 101,073 is-a
        """
        known = self._parts.knowledge
        return known() if callable(known) else known

    @property
    def encoder(self) -> Encoder | None:
        """What reads texts that are not in the vocabulary; None if such words are missing."""
        return self._parts.encoder

    @property
    def text(self) -> TextEvidence | None:
        """What texts say of words, if the space was given such evidence."""
        return self._parts.text

    @property
    def reads(self) -> bool:
        """Whether any term is answered: one that has no vector and is not known is read by the bundled encoders.

        >>> from entvec.space import default_space
        >>> default_space().reads
        True
        """
        parts = self._parts
        return parts.reader is not None and parts.knowledge is not None and parts.model.calibration is not None

    @property
    def reads_texts(self) -> bool:
        """Whether any text is read, and a definition with it: by the encoder of the space, or the bundled ones."""
        return self.encoder is not None or self.reads

    @of_one_version
    def read_by(self, words: str | Sequence[str]) -> Any:
        """Return what speaks of a word, or of each of several: "vector", "facts", "encoder" or "nothing".

        >>> from entvec.space import default_space
        >>> default_space().read_by(["dog", "musical instrument", "memory foam pillow", "€€€"])
        ['vector', 'facts', 'encoder', 'nothing']
        """
        listed = [words] if isinstance(words, str) else word_list(words, "words")
        found = read_by(self.vocabulary, self.judge.evidence if self.reads else None, self.encoder, listed)
        return found[0] if isinstance(words, str) else found

    def _with_stand_ins(self, words: Sequence[str], texts: Sequence[str] | None = None) -> Self:
        """Return the space with more words, whose vectors are composed, or those of the nouns that they read like.

        Parameters
        ----------
        words
            The words to add.
        texts
            What is read for each, if it has a definition.
        """
        if not words:
            return self
        more = self.vectors.joined(Vectors(list(words), stand_ins(self.judge, self.vocabulary, texts or words)))
        return self._of_keys(KeyTable(self.model, more.with_lookup(case=True, space=True), self.keys.dtype))

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
        return Evidence(self.vocabulary, self.model, self.knowledge, self.text, reader)

    @property
    def keys(self) -> KeyTable:
        """The words as keys in memory. Raises InvalidInput if the words are in a database."""
        if not isinstance(self.backend, LocalBackend):
            raise InvalidInput(
                "this needs all words in memory, and the space is in a database; `space.in_memory()` fetches them"
            )
        return self.backend.table

    @property
    def searchers(self) -> dict[Side, Searcher]:
        """The searcher of each side that is not searched exactly."""
        return self.backend.searchers if isinstance(self.backend, LocalBackend) else {}

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

    @property
    def adds_evidence(self) -> bool:
        """Whether rankings of words rest on more than the vectors; in a space with an encoder they do not."""
        knows = self._parts.knowledge is not None and self.encoder is None
        return knows and self.model.calibration is not None and self.model.indexable

    def __repr__(self) -> str:
        vocabulary, model, backend, _, encoder, text, _ = self._parts
        shape = f"{len(vocabulary):,} words x {vocabulary.dimension}"
        read_by = "" if encoder is None else f"encoder {encoder.name}"
        said = "" if text is None else f"{len(text):,} rows of text evidence"
        return f"EntailmentSpace({', '.join(filter(None, (shape, model.name, str(backend), read_by, said)))})"

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
        reads = self.reads_texts
        rows = rows_of(self.vocabulary, "nan" if reads else missing, listed, "words")
        table = self.vocabulary.words_at(rows[rows >= 0])
        others = listed if reads else [None] * len(listed)
        found = [table[row] if row >= 0 else other for row, other in zip(rows.tolist(), others, strict=True)]
        return found[0] if isinstance(words, str) else found

    def follow(self) -> None:
        """Switch to the version that serves now, if the space is in a database."""
        if self._remote is not None:
            vocabulary, model, backend = self._remote.current()
            self._parts = self._parts._replace(vocabulary=vocabulary, model=model, backend=backend)
            self._judge = Judge(self._evidence)  # what it has looked up are rows of the version before

    def pinned(self) -> Self:
        """Return a copy of the space that stays with its version of the database."""
        pinned = copy(self)
        pinned._remote = None
        return pinned
