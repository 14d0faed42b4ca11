"""`EntailmentSpace`: which word entails which."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from entvec.errors import InvalidInput, Remedy, WordNotFound
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
from entvec.space.explain import Explanation
from entvec.space.queries import QueryLike, check_k, parse
from entvec.space.ranking import rank
from entvec.space.versions import Parts, Remote, of_one_version
from entvec.vectors import Vectors
from entvec.vectors.dtypes import DtypeLike, check_dtype
from entvec.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    from entvec.learn import EntailmentMap
    from entvec.stores.contract import Exported


class Direction(NamedTuple):
    """The more probable direction of entailment between two words."""

    hypo: str
    hyper: str
    score: float
    reversed_score: float


class EntailmentSpace:
    """Words with vectors, a model that scores which entails which, and a backend that searches them.

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

    def __init__(self, vocabulary: Vocabulary, model: Model, backend: Backend, *, remote: Remote | None = None) -> None:
        self._parts = Parts(vocabulary, model, backend)
        self._remote = remote

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
    def of_keys(cls, keys: KeyTable, searchers: Mapping[Side, Searcher] | None = None) -> EntailmentSpace:
        """Return the space of a key table, searched exactly or by these searchers."""
        return cls(keys.vocabulary, keys.model, LocalBackend(keys, searchers))

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
        """A hash of all words, vectors and settings: spaces with the same fingerprint give the same answers."""
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
        vocabulary, model, backend = self._parts
        shape = f"{len(vocabulary):,} words x {vocabulary.dimension}"
        return f"EntailmentSpace({', '.join(filter(None, (shape, model.name, str(backend))))})"

    def __len__(self) -> int:
        return len(self.vocabulary)

    @of_one_version
    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    @of_one_version
    def spelled(self, word: str) -> str:
        """Return the word as the vocabulary has it: in its case, and with `_` in names of several words."""
        row = self.vocabulary.row(word)
        return self.vocabulary.words_at(np.array([row]))[row]

    # Pairs

    @of_one_version
    def score(self, hypo: QueryLike, hyper: QueryLike) -> Any:
        """Return how well the first entails the second: the operator's score plus the offsets of the map.

        Higher is more certain. One word or vector with several on the other side gives a score for each of those.
        Scores are computed in float64; a batch and single pairs differ at most by rounding, 1e-9 of a score. A score
        that float64 cannot hold, of vectors of 1e160, raises InvalidInput.
        """
        y, x = parse(self.vocabulary, hypo, "hypo"), parse(self.vocabulary, hyper, "hyper")
        if len(y) != len(x) and 1 not in (len(y), len(x)):
            raise InvalidInput(f"{len(y):,} hypos and {len(x):,} hypers, expected as many of both, or one of either")
        several = y.several or x.several
        scores: Floats
        with np.errstate(over="ignore", invalid="ignore"):  # a score that overflows is refused below
            if several and y.rows is not None and x.rows is not None:
                rows = np.broadcast_arrays(y.rows, x.rows)
                scores = Scorer(self.model, self.vocabulary, np.float64).score(*rows)
            else:
                scores = self.model.score(y.vectors(), x.vectors())
        if not (finite := np.isfinite(scores)).all():
            pair = (each.name_of(int(np.argmin(finite))) for each in (y, x))
            raise overflow(self.operator, " with ".join(pair))
        return scores if several else float(scores[0])

    @of_one_version
    def probability(self, hypo: QueryLike, hyper: QueryLike) -> Any:
        """Return the probability that the first entails the second, among pairs of which half are entailments."""
        scores = self.score(hypo, hyper)
        found = self.probabilities(np.asarray(scores, dtype=np.float64))
        if found is None:
            raise InvalidInput(
                "this space is not calibrated, so its scores are no probabilities", remedy=Remedy.CALIBRATE
            )
        return float(found) if np.ndim(scores) == 0 else found

    def probabilities(self, scores: Any) -> Any:
        """Return the probabilities for scores of this space; None if it is not calibrated."""
        return self.model.probabilities(scores)

    @of_one_version
    def verdict(self, hypo: QueryLike, hyper: QueryLike, *, precision: float = 0.9) -> Any:
        """Return whether the first entails the second: "yes", "no" or "unknown".

        Parameters
        ----------
        hypo, hyper
            Words or vectors, one or several.
        precision
            The answer is "unknown" if neither yes nor no has this probability. If the probabilities are right, so is
            at least this share of the other answers.
        """
        if not 0.5 <= precision <= 1:
            raise InvalidInput(f"precision is {precision}, expected 0.5 (no answer is unknown) to 1")
        found = self.probability(hypo, hyper)
        verdicts = np.where(found >= precision, "yes", np.where(found <= 1 - precision, "no", "unknown"))
        return str(verdicts) if np.ndim(found) == 0 else verdicts

    @of_one_version
    def direction(self, first: str, second: str) -> Direction:
        """Return which of two words more probably entails the other."""
        there, back = self.score(first, second), self.score(second, first)
        if back > there:
            return Direction(second, first, back, there)
        return Direction(first, second, there, back)

    @of_one_version
    def explain(self, hypo: QueryLike, hyper: QueryLike, k: int = 10) -> Explanation:
        """Return which dimensions carry or break the entailment most, and words that illustrate them.

        Parameters
        ----------
        hypo, hyper
            One word or vector each.
        k
            How many carrying and how many breaking dimensions to return, at most.
        """
        y, x = parse(self.vocabulary, hypo, "hypo"), parse(self.vocabulary, hyper, "hyper")
        if y.several or x.several:
            raise InvalidInput("several words or vectors, expected one hypo and one hyper to explain")
        return explaining.explain(self.model, self.vocabulary, y, x, check_k(k))

    @of_one_version
    def compare(self, hypo: str, hyper: str) -> list[explaining.Compared]:
        """Return the scores of a pair of words under every operator."""
        return explaining.compare(self.model, self.vocabulary, hypo, hyper)

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
        """
        options: Any = {"exclude_self": exclude_self, "specificity": specificity, "group": group}
        return self._search("hypo", query, k, among, where, values, **options)

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
    ) -> Any:
        """Return the k best hyponyms of a word: the words that entail it.

        The parameters are those of `hypernyms`; `specificity` lowers the rank of words that entail everything.
        """
        options: Any = {"exclude_self": exclude_self, "specificity": specificity, "group": group}
        return self._search("hyper", query, k, among, where, values, **options)

    def _search(
        self,
        side: Side,
        asked: QueryLike,
        k: int,
        among: Sequence[str] | None,
        where: str | None,
        values: Mapping[str, Any] | None,
        **options: Any,
    ) -> Any:
        query = parse(self.vocabulary, asked, side)
        rows = None if among is None else np.unique(self.vocabulary.rows_of_all(among))
        condition = None if where is None and values is None else (where, values)
        found = rank(*self._parts, side, query, k, among=rows, where=condition, **options)
        return found if query.several else found[0]

    @of_one_version
    def generality(self, words: QueryLike) -> Any:
        """Return how readily everything entails a word: the hubness that `specificity` penalises in hypernyms."""
        query = parse(self.vocabulary, words, "hyper")
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.hubness.of("hyper", query.vectors())
        if not (finite := np.isfinite(found)).all():
            raise overflow(self.operator, f"{query.name_of(int(np.argmin(finite)))} with all words")
        return found if query.several else float(found[0])

    def recall(self, queries: QueryLike, k: int = 10, *, side: Side = "hyper") -> float:
        """Return the share of the k best words of exact search that the backend finds; ties count as found.

        Parameters
        ----------
        queries
            Words or vectors to search for.
        k
            How many words to compare for each query.
        side
            The words to find: "hyper" for hypernyms, "hypo" for hyponyms.
        """
        vectors = parse(self.vocabulary, queries, "queries").vectors()
        request = Request(OTHER[side], vectors, self.model.penalty(OTHER[side]))
        best, found = (backend.search(request, check_k(k)) for backend in (LocalBackend(self.keys), self.backend))
        if best.scores.size == 0:
            return 1.0
        tolerance = 1e-6 * np.abs(best.scores[:, -1:])  # keys of float32 are rounded, and not all backends use them
        good = np.minimum((found.scores >= best.scores[:, -1:] - tolerance).sum(axis=1), best.scores.shape[1])
        return float(good.sum() / best.scores.size)

    # Changes

    def calibrated(self, hypo: Sequence[str], hyper: Sequence[str], labels: ArrayLike) -> EntailmentSpace:
        """Return the space with probabilities: Platt's sigmoid, fitted to labelled pairs.

        Parameters
        ----------
        hypo, hyper
            The words of each pair. A map must not have been fitted to the same pairs.
        labels
            Above 0 for entailments.
        """
        from entvec.learn import calibrate

        return self.with_calibration(calibrate(self.score(list(hypo), list(hyper)), labels))

    def with_calibration(self, calibration: Calibration | None) -> EntailmentSpace:
        """Return the space with other probabilities, or with none."""
        return self._with_model(replace(self.model, calibration=calibration))

    def with_specificity(self, specificity: float | Sequence[float]) -> EntailmentSpace:
        """Return the space with another default hubness penalty: one number, or two for hypernyms and hyponyms."""
        return self._with_model(replace(self.model, specificity=rankings.both(specificity)))

    def _with_model(self, model: Model) -> EntailmentSpace:
        """Return the space under a model with the same scores, which reuses keys and searchers."""
        return EntailmentSpace.of_keys(self.keys.with_model(model), self.searchers)

    def with_dtype(self, dtype: DtypeLike) -> EntailmentSpace:
        """Return the space with keys of another dtype, searched exactly."""
        return EntailmentSpace.of_keys(KeyTable(self.model, self.keys.vocabulary, check_dtype(dtype)))

    def with_vocabulary(self, vectors: Vectors) -> EntailmentSpace:
        """Return a space of other words under the same model, searched exactly."""
        vocabulary = vectors.with_lookup(case=True, space=True)
        return EntailmentSpace.of_keys(KeyTable(self.model, vocabulary, self.keys.dtype))

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
            return EntailmentSpace.of_keys(keys)
        if name != "scan":
            self.model.check_indexable("there is nothing to index; search exactly")
        built = {side: build_searcher(name, keys, side, **options) for side in sides}
        return EntailmentSpace.of_keys(keys, self.searchers | built)

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
        """Write the space to a folder: vectors, map, and the keys and indexes that were computed so far."""
        from entvec.space import storage

        storage.save(self.keys, self.searchers, path)

    @classmethod
    def load(cls, path: str | Path, *, verify: bool = True) -> EntailmentSpace:
        """Return a space that was saved; its vectors and keys are opened by memory map.

        Example::

            space = EntailmentSpace.load("folder")

        Parameters
        ----------
        path
            The folder.
        verify
            Whether to read all files first and compare them with their hashes, at about 1.4 GB/s for each processor.
            Without, a space of any size opens at once, and damage may show late, as wrong answers or a crash.
        """
        from entvec.space import storage

        return cls.of_keys(*storage.load(path, verify=verify))

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
            self._parts = Parts(*self._remote.current())

    def pinned(self) -> EntailmentSpace:
        """Return a copy of the space that stays with its version of the database."""
        return EntailmentSpace(*self._parts)

    @of_one_version
    def in_memory(self) -> EntailmentSpace:
        """Return the space with all words in memory; fetch them if they are in a database."""
        if isinstance(self.backend, LocalBackend):
            return self
        vectors = self.vocabulary.take(np.arange(len(self.vocabulary)))
        return EntailmentSpace.of_keys(
            KeyTable(self.model, vectors.with_lookup(case=True, space=True), self.backend.dtype)
        )

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
