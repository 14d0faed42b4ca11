"""`EntailmentSpace`: which word entails which."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from entvec.errors import InvalidInput, WordNotFound
from entvec.evidence.reader import Reader
from entvec.interchange import word_list
from entvec.learn.fitted import FittedMap
from entvec.model.model import Side, choose
from entvec.search.key_table import KeyTable
from entvec.space.variants import Variants
from entvec.space.word_questions import WordQuestions
from entvec.text import Encoder, encoded
from entvec.vectors import Vectors
from entvec.vectors.dtypes import DtypeLike, check_dtype

if TYPE_CHECKING:
    from entvec.learn import EntailmentMap
    from entvec.stores.contract import Exported


class EntailmentSpace(WordQuestions, Variants):
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

        >>> from entvec.bundled import toy_world
        >>> EntailmentSpace.from_vectors(Vectors(toy_world().words, toy_world().log_odds()), operator="forward")
        EntailmentSpace(6 words x 5, unk_dup forward)

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
            return cls(*remote.current(), reader=Reader, remote=remote)
        except BaseException:
            remote.close()
            raise

    def save(self, path: str | Path) -> None:
        """Write the space to a folder: vectors, map, knowledge, and the keys and indexes computed so far."""
        from entvec.space import storage

        storage.save(self.keys, self.searchers, path, self.knowledge, *self._parts[4:])

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

        Example::

            space.export("postgresql:words")
            EntailmentSpace.open("postgresql:words").hypernyms("dog", where="rank < 10000")

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
