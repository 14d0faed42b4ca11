"""Spaces made of a space, which differ in one part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from entvec.bundled.encoders import encoder, encoder_of
from entvec.errors import InvalidInput, Remedy
from entvec.evidence.definitions import defined as joined
from entvec.evidence.reader import Reader
from entvec.interchange import word_list
from entvec.knowledge.statements import empty
from entvec.learn.calibration import Calibration
from entvec.model import specificity as rankings
from entvec.model.model import Model, Side
from entvec.search.key_table import KeyTable
from entvec.search.local import EXACT, LocalBackend, build_searcher
from entvec.space.pair_questions import PairQuestions
from entvec.space.queries import Missing, defined
from entvec.space.versions import of_one_version
from entvec.text import Encoder, check_same, encoded
from entvec.vectors import Vectors
from entvec.vectors.dtypes import DtypeLike, check_dtype

if TYPE_CHECKING:
    from entvec.knowledge.sources import KnowledgeSource
    from entvec.text.extraction.evidence_file import EvidenceSource


READERS = ("small", "static")
"""The bundled encoders that may read terms."""


class Variants(PairQuestions):
    """The same space with other probabilities, knowledge, words, or another search; `calibrated` asks for scores."""

    def calibrated(
        self, hypo: Sequence[str], hyper: Sequence[str], labels: ArrayLike, *, missing: Missing = "error"
    ) -> Self:
        """Return the space with probabilities: Platt's sigmoid, fitted to labelled pairs.

        >>> from entvec.bundled import toy_world
        >>> from entvec.space import EntailmentSpace
        >>> from entvec.vectors import Vectors
        >>> toys = EntailmentSpace.from_vectors(Vectors(toy_world().words, toy_world().log_odds()))
        >>> hypos, hypers = ["dog", "cat", "animal", "stone"], ["animal", "animal", "dog", "cat"]
        >>> space = toys.calibrated(hypos, hypers, [1, 1, 0, 0])
        >>> space.probability("dog", "animal") > space.probability("stone", "cat")
        True

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

    def with_calibration(self, calibration: Calibration | None) -> Self:
        """Return the space with other probabilities, or with none."""
        return self._with_model(replace(self.model, calibration=calibration))

    def with_specificity(self, specificity: float | Sequence[float]) -> Self:
        """Return the space with another default hubness penalty: one number, or two for hypernyms and hyponyms."""
        return self._with_model(replace(self.model, specificity=rankings.both(specificity)))

    def _with_model(self, model: Model) -> Self:
        """Return the space under a model with the same scores, which reuses keys and searchers."""
        return self._of_keys(self.keys.with_model(model), self.searchers)

    def with_knowledge(self, *sources: KnowledgeSource, names: Sequence[str] | None = None) -> Self:
        """Return the space with more knowledge. Later sources outrank earlier ones, and what was known before.

        A KnowledgeWarning tells of contradictions, and of cycles in a taxonomy. A space in a database shares its
        connection with the space that is returned.

        >>> from entvec.graphs import Taxonomy
        >>> from entvec.space import default_space
        >>> mine = Taxonomy.from_edges([("hoodie", "garment")])
        >>> default_space().with_knowledge(mine, names=["shop.tsv"]).knowledge.sources
        ('WordNet 3.0', 'everyday', 'shop.tsv')

        Parameters
        ----------
        sources
            A taxonomy, or a file of one in any format, adds its statements. A Knowledge, or a file `*.knowledge`,
            takes the place of all that was known before; None forgets it. A wordnet of another language is a file in
            WN-LMF, or `wn:NAME` if the package `wn` has it: see `entvec.knowledge.lmf`.
        names
            How reasons name each source; by default the name of its file.
        """
        from entvec.knowledge.sources import gathered

        known = gathered(self.knowledge, sources, names)
        return self._with(knowledge=known)

    def hiding(self, words: Sequence[str], *, synonyms: bool = True) -> Self:
        """Return the space in a world that does not know some words, to measure what it says of new words.

        Their vectors stay, as do the map and the encoders, which may have learned from them. Spaces made of this one
        know the words again.

        >>> from entvec.space import default_space
        >>> space = default_space()
        >>> found = space.hiding(["poodle"]).relation("poodle", "dog")
        >>> space.relation("poodle", "dog").situation, found.situation
        ('both known', 'new word')

        Parameters
        ----------
        words
            The words to hide, in any spelling.
        synonyms
            Whether to hide also all words for what they mean in their most frequent sense.
        """
        made = copy(self)
        made._judge = self.judge.hiding(words, synonyms=synonyms)
        return made

    def with_evidence(self, *sources: EvidenceSource | None) -> Self:
        """Return the space with what texts say: one more source of answers, with a reason of its own.

        Terms that only the texts have can be asked about, and are answers where the texts say enough.

        >>> from entvec.bundled import wordnet_knowledge
        >>> from entvec.space import default_space
        >>> from entvec.text import extract
        >>> told = extract("A theorbo is a kind of lute.", wordnet_knowledge())
        >>> space = default_space().with_evidence(told)
        >>> print(space.relation("theorbo", "lute"))  # doctest: +ELLIPSIS
        theorbo is a kind of lute (narrower 0...): one sentence says so: 'A theorbo is a kind of lute.'

        Parameters
        ----------
        sources
            Files that `entvec extract` wrote, or lists that `entvec.text.extract` returned; they are added to what the
            space has, and None forgets what comes before it.
        """
        from entvec.text import TextEvidence

        kept: list[EvidenceSource] = [] if self.text is None else [self.text]
        for source in sources:
            kept = [] if source is None else [*kept, source]
        known = self._parts.knowledge
        return self._with(
            knowledge=empty() if known is None and kept else known, text=TextEvidence.of(*kept) if kept else None
        )

    def _with(self, **parts: Any) -> Self:
        """Return the space with other parts; one in a database shares its connection."""
        return type(self)(*self._parts._replace(**parts), remote=self._remote)

    def with_encoder(self, encoder: Encoder | None) -> Self:
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
        return self._with(encoder=encoder, reader=None if encoder is None else self._parts.reader)

    def with_reader(self, name: Literal["small", "static"]) -> Self:
        """Return the default space with another encoder to read terms that have no vector and are not known.

        The static table alone encodes over a hundred times as many texts a second as the small transformer,
        and reads them less well.

        >>> from entvec.space import default_space
        >>> fast = default_space().with_reader("static")
        >>> fast.read_by("memory foam pillow")
        'encoder'
        """
        if name not in READERS:
            raise InvalidInput(f"no reader {name!r}, expected one of {', '.join(READERS)}")
        if not self.reads:
            raise InvalidInput("this space reads no terms, so no encoder can read them faster")
        return self._with(reader=partial(Reader, transformer=partial(encoder, name)))

    def with_vocabulary(self, vectors: Vectors) -> Self:
        """Return a space of other words under the same model, searched exactly."""
        vocabulary = vectors.with_lookup(case=True, space=True)
        return self._of_keys(KeyTable(self.model, vocabulary, self.keys.dtype))

    def with_terms(self, terms: Sequence[str], *, definitions: Mapping[str, str] | None = None) -> Self:
        """Return the space with more words, which its encoder reads: they are searched and saved like the others.

        In the default space a phrase gets a vector composed of those of its words; any other term the mean of the nouns
        that it is read like.

        >>> from entvec.bundled import encoder, encoder_map
        >>> from entvec.space import EntailmentSpace
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
        if not self.reads_texts:
            raise InvalidInput("more terms, but this space has no encoder to read them", remedy=Remedy.FIT_ENCODER)
        words, told = list(dict.fromkeys(word_list(terms, "terms"))), definitions or {}
        new = [word for word, row in zip(words, self.vocabulary.rows(words).tolist(), strict=True) if row < 0]
        if self.encoder is None:
            texts = [joined(word, told.get(word)) for word in new]
            if nothing := [text for text in texts if self.read_by(text) == "nothing"]:
                raise InvalidInput(f"{self.judge.objection(nothing[0])}, so it can be no term of a space")
            return self._with_stand_ins(new, texts)
        vectors = encoded(self.encoder, [defined(word, told.get(word)) for word in new])
        return self.with_vocabulary(self.vectors.joined(Vectors(new, vectors)))

    def with_dtype(self, dtype: DtypeLike) -> Self:
        """Return the space with keys of another dtype, searched exactly."""
        return self._of_keys(KeyTable(self.model, self.keys.vocabulary, check_dtype(dtype)))

    def with_backend(self, name: str, *, sides: Sequence[Side] = ("hyper",), **options: Any) -> Self:
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

    def on(self, device: str, *, dtype: str | None = None, sides: Sequence[Side] = ("hyper", "hypo")) -> Self:
        """Return the space with its search on a device of PyTorch: "cuda", "cuda:1" or "cpu"; the answers are the same.

        Example::

            space.on("cuda").hypernyms(words)

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

    @of_one_version
    def in_memory(self) -> Self:
        """Return the space with all words in memory; fetch them if they are in a database."""
        if isinstance(self.backend, LocalBackend):
            return self
        vectors = self.vocabulary.take(np.arange(len(self.vocabulary)))
        return self._of_keys(KeyTable(self.model, vectors.with_lookup(case=True, space=True), self.backend.dtype))
