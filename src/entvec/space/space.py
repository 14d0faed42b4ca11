"""The space that questions are asked of: which word entails which."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput, MissingExtra
from entvec.learn.fitted import FittedMap
from entvec.model.model import OTHER, Floats, Model, Side, choose, first, sample
from entvec.model.specificity import Specificity, both_specificities, default_specificity
from entvec.pairs import scorer as pairs
from entvec.runtime import in_threads
from entvec.search.exact import Hits, Rows, rounding, top
from entvec.search.keys import Prepared, prepare, prepare_by
from entvec.search.request import Request
from entvec.space.matches import BatchMatches
from entvec.space.queries import Asked, Query, ask
from entvec.space.verbs import Calibration, Verbs, checked_k
from entvec.theory.arrays import Array, device, namespace
from entvec.vectors import Vectors
from entvec.vectors.dtypes import DtypeLike, DtypeName, check_dtype
from entvec.vectors.words import Words

if TYPE_CHECKING:
    from entvec.learn import EntailmentMap
    from entvec.search import Engine
    from entvec.space.explain import Explanation
    from entvec.stores.export import Exported
    from entvec.stores.stored import StoredSpace

MAPPED_AT_ONCE = 1024
LARGEST_SLACK = 1e29
"""Of larger numbers the products would not fit in float32."""


class EntailmentSpace(Verbs):
    """Words with vectors, read as log-odds or mapped to them, and an operator that tells which entails which.

    >>> from entvec.bundled import toy_world
    >>> world = toy_world()
    >>> space = EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
    >>> space.hypernyms("poodle", k=3, specificity=0).words
    ['unk', 'animal', 'dog']
    >>> space.score("dog", "animal") > space.score("animal", "dog")
    True
    >>> space.direction("animal", "dog").hypo
    'dog'

    `specificity` is how much general words lose in a ranking of hypernyms: with 0 the surest come first, and
    everything surely is a thing. A word is found as it is written, else in another case or with `_` for a space.
    """

    vectors: Vectors
    model: Model
    specificity: Specificity
    dtype: DtypeName
    calibration: Calibration | None

    def __init__(
        self,
        vectors: Vectors,
        model: Model,
        *,
        specificity: float | Sequence[float],
        dtype: DtypeName = "float32",
        calibration: Calibration | None = None,
        prepared: Mapping[Side, Prepared] | None = None,
        engines: Mapping[Side, Engine] | None = None,
    ) -> None:
        self.vectors = vectors.with_lookup(case=True, space=True)
        self.model = model
        self.specificity = both_specificities(specificity, model)
        self.dtype = dtype
        self.calibration = calibration
        self._prepared: dict[Side, Prepared] = dict(prepared or {})
        self.engines: dict[Side, Engine] = dict(engines or {})

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
        """A space of any vectors, under an interpretation (`unk_dup` if none is named) or a learned map.

        Without a map the operator is `backward` unless another is named, and there are no probabilities until
        `calibrated` says what scores mean. `specificity` is that of rankings which are not given another: one number,
        or one for hypernyms and one for hyponyms. `dtype` is how keys are kept: 16 bits take half the memory.
        """
        if map is not None and interpretation is not None:
            raise InvalidInput("a map and an interpretation, expected one of them: both make log-odds of vectors")
        learned = _fitted(map)
        if operator is None:
            operator = "backward" if learned is None else learned.operator
        reading = choose(operator, "unk_dup" if interpretation is None else interpretation, learned, vectors)
        if specificity is None:
            specificity = default_specificity(reading)
        calibration = None if learned is None else Calibration(learned.scale, learned.intercept)
        return cls(vectors, reading, specificity=specificity, dtype=check_dtype(dtype), calibration=calibration)

    def __repr__(self) -> str:
        how = self.model.interpretation or "mapped"
        engine = f", {next(iter(self.engines.values())).name}" if self.engines else ""
        return f"EntailmentSpace({len(self.vectors):,} words x {self.vectors.dimension}, {how} {self.operator}{engine})"

    def __len__(self) -> int:
        return len(self.vectors)

    def __contains__(self, word: object) -> bool:
        return word in self.vectors

    @property
    def operator(self) -> str:
        """The name of the operator."""
        return self.model.operator.name

    @property
    def map(self) -> FittedMap | None:
        """The learned map, if there is one."""
        return self.model.map

    def spelled(self, word: str) -> str:
        """The word as the vocabulary has it: in its case, and with `_` in names of several words."""
        return self.vectors.words[self.vectors.row(word)]

    # Pairs

    def _asked(self, query: Query, name: str) -> Asked:
        return ask(self.vectors, query, name)

    def _score(self, hypo: Asked, hyper: Asked) -> Floats:
        if hypo.rows is not None and hyper.rows is not None and (hypo.several or hyper.several):
            return pairs.score(self, *np.broadcast_arrays(hypo.rows, hyper.rows))
        return self.model.score(hypo.vectors(), hyper.vectors())

    def calibrated(self, hypo: Sequence[str], hyper: Sequence[str], labels: ArrayLike) -> EntailmentSpace:
        """The same space with probabilities, fitted to labelled pairs that no map was fitted to (Platt's sigmoid)."""
        from entvec.learn import calibrate

        found = calibrate(self.score(list(hypo), list(hyper)), labels)
        calibration = Calibration(float(found.x[0]), float(found.y[0]))
        return self.replaced(calibration=calibration)

    def explain(self, hypo: Query, hyper: Query, k: int = 10) -> Explanation:
        """Which dimensions carry or break the entailment, and which words are extreme on them."""
        from entvec.space.explain import explain

        y, x = ask(self.vectors, hypo, "hypo"), ask(self.vectors, hyper, "hyper")
        if y.several or x.several:
            raise InvalidInput("several words or vectors, expected one hypo and one hyper to explain")
        return explain(self, y, x, checked_k(k))

    def generality(self, words: Query) -> Any:
        """How readily everything entails a word: what `specificity` takes off in a ranking of hypernyms."""
        asked = ask(self.vectors, words, "hyper")
        found = self.hubness("hyper", asked.vectors())
        return found if asked.several else float(found[0])

    def neighbours_of(self, side: Side, rows: Rows, k: int = 10, *, specificity: float | None = None) -> BatchMatches:
        """What the words of these rows entail (as hypos), or what entails them (as hypers), without their strings."""
        asked = Asked(self.vectors.words.take(rows), self.vectors, rows, several=True)
        return self._searched(side, asked, k, None, True, specificity, False)  # noqa: FBT003

    def _top(self, side: Side, vectors: Floats, k: int, among: Rows | None, specificity: float) -> Hits:
        """The best words of the other side for vectors of this one."""
        inside = self.model.in_range(side, vectors)
        if not inside.any():
            return pairs.scan(self, side, vectors, k, among, specificity)
        if not inside.all():
            parts = [self._top(side, vectors[some], k, among, specificity) for some in (inside, ~inside)]
            places = np.argsort(np.concatenate([np.flatnonzero(inside), np.flatnonzero(~inside)]))
            return Hits(*(np.concatenate(column)[places] for column in zip(*parts, strict=True)))
        posed = Request(self, side, vectors, specificity)
        if among is None and OTHER[side] in self.engines:
            return self.engines[OTHER[side]].search(posed, k)
        slack = self.slack(posed)
        if not slack.max(initial=0.0) < LARGEST_SLACK:
            return pairs.scan(self, side, vectors, k, among, specificity)
        return top(posed.kept.keys, posed.queries, k, slack=slack, rescore=posed.exact, among=among)

    def slack(self, posed: Request) -> Floats:
        """How far a product in float32 may be from the exact score, for each question."""
        error = self.model.error(self._n_features)
        return np.asarray(rounding(posed.queries, posed.kept.longest, np.dtype(np.float32)) + error)

    def queries(self, side: Side, vectors: Floats, specificity: float | None = None) -> Floats:
        """What vectors on this side ask of the keys of the other."""
        taken_off = self.taken_off(side, specificity)
        made = np.empty((len(vectors), self.width(OTHER[side])))
        made[:, -1] = -taken_off

        def fill(start: int) -> None:
            some = slice(start, start + MAPPED_AT_ONCE)
            made[some, :-1] = self.model.mapped(side, vectors[some].astype(np.float64, copy=False))

        in_threads(fill, range(0, len(vectors), MAPPED_AT_ONCE))
        return made

    def _among(self, among: Sequence[str] | None) -> Rows | None:
        return None if among is None else np.unique(self.vectors.rows_of_all(among))

    def _hubness(self, side: Side, rows: Rows) -> Floats:
        return self.prepared(side).hubness(rows)

    def _vocabulary(self, rows: Rows) -> Words:  # noqa: ARG002
        return self.vectors.words

    @property
    def is_prepared(self) -> bool:
        """Whether the keys of both sides are there."""
        return all(map(self.is_prepared_for, OTHER))

    def is_prepared_for(self, side: Side) -> bool:
        """Whether the keys of this side are there."""
        return side in self._prepared

    def width(self, side: Side) -> int:
        """How many numbers a key of this side has."""
        return self._widths[side]

    @cached_property
    def _widths(self) -> dict[Side, int]:
        return {side: 1 + int(self.model.mapped(side, first(self.vectors)).shape[1]) for side in OTHER}

    def prepared(self, side: Side) -> Prepared:
        """The keys of one side, computed when they are first needed and kept: hypers, to search for hypernyms."""
        if side not in self._prepared:
            self._prepared[side] = prepare(self, side)
        return self._prepared[side]

    def prepare_by(self, side: Side, make: Callable[[Floats], Floats], at_once: int) -> None:
        """Make the keys of one side by a function of the vectors of some words, which computes them elsewhere."""
        self._prepared[side] = prepare_by(make, self, side, at_once)

    def hubness(self, side: Side, vectors: Array, mapped: Array | None = None) -> Array:
        """How readily everything entails a word (as a hyper), or it entails everything (as a hypo).

        Where it was not learned it is the mean score with all words, less that of an average word: numbers around 0,
        which keep their digits in 16 bits and make rounding errors small.
        """
        learned = self.model.map
        if side == "hyper" and learned is not None and learned.generality is not None:
            return learned.offset("generality", vectors)
        if not self.model.indexable:
            return np.zeros(len(vectors), dtype=vectors.dtype)
        mapped = self.model.mapped(side, vectors) if mapped is None else mapped
        xp, place = namespace(mapped), device(mapped)
        centre, others = (
            xp.asarray(self._centres[each], dtype=mapped.dtype, device=place) for each in (side, OTHER[side])
        )
        return (mapped - centre) @ others

    @cached_property
    def _centres(self) -> dict[Side, NDArray[np.float64]]:
        """The mean mapped vector of each side: its product with a word's is the mean of that word's scores."""
        words = sample(self.vectors)
        return {side: self.model.mapped(side, words).sum(axis=0) / max(1, len(words)) for side in OTHER}

    @property
    def _n_features(self) -> int:
        return int(self.model.log_odds("hypo", np.zeros((1, self.vectors.dimension))).shape[1])

    # Engines

    def with_engine(self, name: str, *, sides: Sequence[Side] = ("hyper",), **options: Any) -> EntailmentSpace:
        """The same space with an approximate search: faster, and nearly always the same answers.

        `sides` are those to index: "hyper" to search for hypernyms, "hypo" for hyponyms. A search `among` some words
        stays exact. `recall` tells how good it is; `exact` as a name takes the engines away.
        """
        from entvec.search import build_engine

        if name == "exact":
            return self.replaced(engines={})
        if not self.model.indexable:
            raise InvalidInput(
                f"{self.operator} is no inner product here, so there is nothing to index; search exactly"
            )
        words = sample(self.vectors)
        engines = {}
        for side in sides:
            if side not in OTHER:
                raise InvalidInput(f"no side {side!r}, expected hypo or hyper")
            engines[side] = build_engine(name, self.prepared(side).keys, self.queries(OTHER[side], words), **options)
        return self.replaced(engines=self.engines | engines)

    def on(
        self, device: str, *, precision: str | None = None, sides: Sequence[Side] = ("hyper", "hypo")
    ) -> EntailmentSpace:
        """The same space with its search on a device of PyTorch: "cuda", "cuda:1" or "cpu"; the answers are the same.

        `precision` is that of the first look at the keys: bfloat16, tf32 or float32; the fastest one there if none is
        named. Exact scores decide, whatever it is. `sides` are those to move: "hyper" to search for hypernyms, "hypo"
        for hyponyms. A search `among` some words stays where it was; `with_engine("exact")` takes all of it back.
        """
        try:
            from entvec.search.device import engine
        except ModuleNotFoundError:
            raise MissingExtra("a search on a device", needs="torch", extra="gpu") from None
        place = engine.check_device(device)
        if not self.model.indexable:
            raise InvalidInput(f"{self.operator} is no inner product here, so no device can search it faster")
        moved = {side: engine.build(self, side, place, precision=precision) for side in sides}
        return self.replaced(engines=self.engines | moved)

    def recall(self, queries: Query, k: int = 10, *, side: Side = "hyper") -> float:
        """Which part of the k best words the engine finds, compared with exact search; ties count as found."""
        if side not in self.engines:
            raise InvalidInput(f"no engine for the side {side!r}, so the search is exact")
        asked = ask(self.vectors, queries, "queries")
        taken_off = self.taken_off(OTHER[side], None)
        exact = self.replaced(engines={})._top(OTHER[side], asked.vectors(), k, None, taken_off)
        found = self._top(OTHER[side], asked.vectors(), k, None, taken_off)
        if exact.scores.size == 0:
            return 1.0
        tolerance = 1e-9 * np.abs(exact.scores[:, -1:])
        good = np.minimum((found.scores >= exact.scores[:, -1:] - tolerance).sum(axis=1), exact.scores.shape[1])
        return float(good.sum() / exact.scores.size)

    # Changes and files

    def replaced(self, **changes: Any) -> EntailmentSpace:
        """The same space, with other parts."""
        kept: dict[str, Any] = {
            "vectors": self.vectors,
            "model": self.model,
            "specificity": self.specificity,
            "dtype": self.dtype,
            "calibration": self.calibration,
            "prepared": self._prepared,
            "engines": self.engines,
        }
        if changes.keys() & {"vectors", "model", "dtype"}:  # keys and engines are made from these
            kept |= {"prepared": {}, "engines": {}}
        return EntailmentSpace(**(kept | changes))

    def save(self, path: str | Path) -> None:
        """Write the space to a folder: vectors, map, and the keys and indexes that were made so far."""
        from entvec.space import storage

        storage.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> EntailmentSpace:
        """A space that was saved; its vectors and keys are opened by memory map."""
        from entvec.space import storage

        return storage.load(path)

    # Databases

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
        """Load the space into a database, to be asked there: PostgreSQL with pgvector, or Milvus.

        `url` is postgresql://USER@HOST/DATABASE or milvus://HOST:PORT for a server, postgresql:FOLDER or milvus:FILE.db
        for one that comes with the extra. What is there under this `name` serves until all of this is loaded; if it is
        the same, nothing is done. `sides` are those to search, both if none are named: "hyper" for hypernyms, "hypo"
        for hyponyms. `columns` have a value for each word, by which a search may be limited. `index` is one of those
        that the database builds, and is searched as hard as it takes to find the part `recall` of the best words.
        """
        from entvec.stores.export import export

        settings: Any = {"sides": sides, "columns": columns, "index": index, "recall": recall, "progress": progress}
        return export(self, url, name=name, **settings)

    @staticmethod
    def open(url: str, name: str = "entvec") -> StoredSpace:
        """A space that was exported to a database under this name, asked where it is."""
        from entvec.stores.stored import open_space

        return open_space(url, name)


def _fitted(learned: Any) -> FittedMap | None:
    if learned is None or isinstance(learned, FittedMap):
        return learned
    if isinstance(learned, str | Path):
        return FittedMap.load(learned)
    if not hasattr(learned, "fitted"):
        raise InvalidInput(f"map is {learned!r:.60}, expected an EntailmentMap, a FittedMap or the name of a file")
    found = learned.fitted()
    return found if isinstance(found, FittedMap) else None
