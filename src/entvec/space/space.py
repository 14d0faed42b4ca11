"""The space that questions are asked of: which word entails which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from entvec.errors import InvalidInput, MissingExtra
from entvec.learn.fitted import FittedMap
from entvec.space import grouping, pairs
from entvec.space.keys import Prepared, prepare
from entvec.space.matches import BatchMatches
from entvec.space.questions import Asked, Query, ask
from entvec.space.reading import OTHER, Floats, Reading, Side, choose, first, sample
from entvec.space.rescoring import FromKeys, FromVectors
from entvec.space.search import Found, Rows, in_threads, rounding, top
from entvec.space.specificity import Specificity, both_specificities, check_specificity, default_specificity
from entvec.theory.elementwise import known
from entvec.vectors import Vectors
from entvec.vectors.dtypes import DtypeLike, DtypeName, check_dtype

if TYPE_CHECKING:
    from entvec.learn import EntailmentMap
    from entvec.space.engines import Engine
    from entvec.space.explain import Explanation

QUERIES_AT_ONCE = 1 << 14
"""Of a batch: what they become on the way takes memory, whatever the size of the batch."""
MAPPED_AT_ONCE = 1024
LARGEST_SLACK = 1e29
"""Of larger numbers the products would not fit in float32."""


class Direction(NamedTuple):
    """Of two words, which more probably entails the other."""

    hypo: str
    hyper: str
    score: float
    reversed_score: float


class Calibration(NamedTuple):
    """The probability of a score is s(scale * score + intercept)."""

    scale: float
    intercept: float


class EntailmentSpace:
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
    reading: Reading
    specificity: Specificity
    dtype: DtypeName
    calibration: Calibration | None

    def __init__(
        self,
        vectors: Vectors,
        reading: Reading,
        *,
        specificity: float | Sequence[float],
        dtype: DtypeName = "float32",
        calibration: Calibration | None = None,
        prepared: Mapping[Side, Prepared] | None = None,
        engines: Mapping[Side, Engine] | None = None,
    ) -> None:
        self.vectors = vectors.with_lookup(case=True, space=True)
        self.reading = reading
        self.specificity = both_specificities(specificity, reading)
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
        how = self.reading.interpretation or "mapped"
        engine = f", {next(iter(self.engines.values())).name}" if self.engines else ""
        return f"EntailmentSpace({len(self.vectors):,} words x {self.vectors.dimension}, {how} {self.operator}{engine})"

    def __len__(self) -> int:
        return len(self.vectors)

    def __contains__(self, word: object) -> bool:
        return word in self.vectors

    @property
    def operator(self) -> str:
        """The name of the operator."""
        return self.reading.operator.name

    @property
    def map(self) -> FittedMap | None:
        """The learned map, if there is one."""
        return self.reading.map

    # Pairs

    def score(self, hypo: Query, hyper: Query) -> Any:
        """How well the first entails the second: the operator's score, and what the map adds. Higher is surer.

        One word or vector with several of the other side makes a score for each of those.
        """
        y, x = ask(self.vectors, hypo, "hypo"), ask(self.vectors, hyper, "hyper")
        _check_lengths(len(y), len(x))
        if y.rows is not None and x.rows is not None and (y.several or x.several):
            return pairs.score(self, *np.broadcast_arrays(y.rows, x.rows))
        scores = self.reading.score(y.vectors(), x.vectors())
        return scores if y.several or x.several else float(scores[0])

    def probability(self, hypo: Query, hyper: Query) -> Any:
        """How probable it is that the first entails the second, where half of the pairs in question do."""
        scores = self.score(hypo, hyper)
        found = self.probabilities(np.asarray(scores, dtype=np.float64))
        if found is None:
            raise InvalidInput(
                "this space is not calibrated, so its scores are no probabilities; `space.calibrated(hypo, hyper, "
                "labels)` fits them to pairs of which it is known whether they are entailments"
            )
        return float(found) if np.ndim(scores) == 0 else found

    def verdict(self, hypo: Query, hyper: Query, *, precision: float = 0.9) -> Any:
        """Whether the first entails the second: yes, no, or unknown if neither answer has this probability.

        Of the answers that are not unknown at least this share is right, as far as the probabilities are.
        """
        if not 0.5 <= precision <= 1:
            raise InvalidInput(f"precision is {precision}, expected 0.5 (no answer is unknown) to 1")
        found = self.probability(hypo, hyper)
        told = np.where(found >= precision, "yes", np.where(found <= 1 - precision, "no", "unknown"))
        return str(told) if np.ndim(found) == 0 else told

    def direction(self, first: str, second: str) -> Direction:
        """Which of two words entails the other, if one does."""
        there, back = self.score(first, second), self.score(second, first)
        if back > there:
            return Direction(second, first, back, there)
        return Direction(first, second, there, back)

    def calibrated(self, hypo: Sequence[str], hyper: Sequence[str], labels: ArrayLike) -> EntailmentSpace:
        """The same space with probabilities, fitted to labelled pairs that no map was fitted to (Platt's sigmoid)."""
        from entvec.learn import calibrate

        found = calibrate(self.score(list(hypo), list(hyper)), labels)
        calibration = Calibration(float(found.x[0]), float(found.y[0]))
        return self.replaced(calibration=calibration)

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """What scores mean, if the space is calibrated."""
        if self.calibration is None:
            return None
        return np.asarray(known(self.calibration.scale * scores + self.calibration.intercept))

    # Search

    def hypernyms(
        self,
        query: Query,
        k: int = 10,
        *,
        among: Sequence[str] | None = None,
        exclude_self: bool = True,
        specificity: float | None = None,
        group: bool = False,
    ) -> Any:
        """What a word entails: the k words that are best as its hypernyms, from the whole vocabulary or `among` some.

        One word or vector has `Matches`, several have `BatchMatches`. `specificity` says how much general words lose
        (0 nothing, the surest come first). `group` lists inflected forms, instrument and instruments, as one.
        """
        return self._search("hypo", query, k, among, exclude_self, specificity, group)

    def hyponyms(
        self,
        query: Query,
        k: int = 10,
        *,
        among: Sequence[str] | None = None,
        exclude_self: bool = True,
        specificity: float | None = None,
        group: bool = False,
    ) -> Any:
        """What entails a word: the k words that are best as its hyponyms; the arguments are those of `hypernyms`.

        Here `specificity` is how much words lose that entail anything.
        """
        return self._search("hyper", query, k, among, exclude_self, specificity, group)

    def explain(self, hypo: Query, hyper: Query, k: int = 10) -> Explanation:
        """Which dimensions carry or break the entailment, and which words are extreme on them."""
        from entvec.space.explain import explain

        y, x = ask(self.vectors, hypo, "hypo"), ask(self.vectors, hyper, "hyper")
        if y.several or x.several:
            raise InvalidInput("several words or vectors, expected one hypo and one hyper to explain")
        return explain(self, y, x, _checked_k(k))

    def generality(self, words: Query) -> Any:
        """How readily everything entails a word: what `specificity` takes off in a ranking of hypernyms."""
        asked = ask(self.vectors, words, "hyper")
        found = self.hubness("hyper", asked.vectors())
        return found if asked.several else float(found[0])

    def _search(
        self,
        side: Side,
        query: Query,
        k: int,
        among: Sequence[str] | None,
        exclude_self: bool,  # noqa: FBT001
        specificity: float | None,
        group: bool,  # noqa: FBT001
    ) -> Any:
        asked = ask(self.vectors, query, side)
        picked = self._searched(side, asked, k, among, exclude_self, specificity, group)
        return picked if asked.several else picked[0]

    def neighbours_of(self, side: Side, rows: Rows, k: int = 10, *, specificity: float | None = None) -> BatchMatches:
        """What the words of these rows entail (as hypos), or what entails them (as hypers), without their strings."""
        asked = Asked(self.vectors.words.take(rows), self.vectors, rows, several=True)
        return self._searched(side, asked, k, None, True, specificity, False)  # noqa: FBT003

    def _searched(
        self,
        side: Side,
        asked: Asked,
        k: int,
        among: Sequence[str] | None,
        exclude_self: bool,  # noqa: FBT001
        specificity: float | None,
        group: bool,  # noqa: FBT001
    ) -> BatchMatches:
        k = _checked_k(k)
        taken_off = self._specificity_of(side) if specificity is None else check_specificity(specificity, self.reading)
        rows = None if among is None else np.unique(self.vectors.rows_of_all(among))
        own = asked.rows if exclude_self else None
        wanted = grouping.enough(k) if group else k + (own is not None)
        while True:
            blocks = [slice(first, first + QUERIES_AT_ONCE) for first in range(0, len(asked), QUERIES_AT_ONCE)]
            parts = [self._top(side, asked.vectors(some), wanted, rows, taken_off) for some in blocks or [slice(0)]]
            found = Found(*map(np.concatenate, zip(*parts, strict=True)))
            batch = self._batch(side, asked, found, taken_off)
            picked = grouping.pick(batch, k, own, group=group)
            there_are = len(self) if rows is None else len(rows)
            if not group or wanted >= there_are or all(len(each) >= k for each in picked.variants):
                break
            wanted *= 4  # many forms of few words: look further down
        return picked

    def _top(self, side: Side, vectors: Floats, k: int, among: Rows | None, specificity: float) -> Found:
        """The best words of the other side for vectors of this one."""
        inside = self.reading.in_range(side, vectors)
        if not inside.any():
            return pairs.scan(self, side, vectors, k, among, specificity)
        if not inside.all():
            parts = [self._top(side, vectors[some], k, among, specificity) for some in (inside, ~inside)]
            places = np.argsort(np.concatenate([np.flatnonzero(inside), np.flatnonzero(~inside)]))
            return Found(*(np.concatenate(column)[places] for column in zip(*parts, strict=True)))
        kept = self.prepared(OTHER[side])
        queries = self.queries(side, vectors, specificity)
        rescore = self._rescore(side, vectors, queries, kept)
        if among is None and OTHER[side] in self.engines:
            return self.engines[OTHER[side]].search(queries, k, rescore)
        slack = rounding(queries, kept.longest, np.dtype(np.float32)) + self.reading.error(self._n_features)
        if not slack.max(initial=0.0) < LARGEST_SLACK:
            return pairs.scan(self, side, vectors, k, among, specificity)
        return top(kept.keys, queries, k, slack=slack, rescore=rescore, among=among)

    def queries(self, side: Side, vectors: Floats, specificity: float | None = None) -> Floats:
        """What vectors on this side ask of the keys of the other."""
        taken_off = self._specificity_of(side) if specificity is None else specificity
        begun = self.reading.mapped(side, vectors[:MAPPED_AT_ONCE])
        made = np.empty((len(vectors), begun.shape[1] + 1), dtype=begun.dtype)
        made[: len(begun), :-1] = begun
        made[:, -1] = -taken_off

        def fill(start: int) -> None:
            some = slice(start, start + MAPPED_AT_ONCE)
            made[some, :-1] = self.reading.mapped(side, vectors[some])

        in_threads(fill, range(MAPPED_AT_ONCE, len(vectors), MAPPED_AT_ONCE))
        return made

    def _specificity_of(self, side: Side) -> float:
        """That of a ranking for queries on this side."""
        return self.specificity.hypernyms if side == "hypo" else self.specificity.hyponyms

    def _rescore(self, side: Side, vectors: Floats, queries: Floats, kept: Prepared) -> FromKeys | FromVectors:
        if self.reading.low_rank is None:
            return FromKeys(queries, kept)
        return FromVectors(self.reading, side, vectors, queries, self.vectors, kept)

    def _batch(self, side: Side, asked: Asked, found: Found, specificity: float) -> BatchMatches:
        there = found.rows >= 0
        scores = found.scores.copy()
        if specificity and there.any():
            scores[there] += specificity * self.prepared(OTHER[side]).hubness(found.rows[there])
        return BatchMatches(
            asked.words, self.vectors.words, found.rows, scores, self.probabilities(scores), found.scores
        )

    @property
    def is_prepared(self) -> bool:
        """Whether the keys of both sides are there."""
        return all(map(self.is_prepared_for, OTHER))

    def is_prepared_for(self, side: Side) -> bool:
        """Whether the keys of this side are there."""
        return side in self._prepared

    def width(self, side: Side) -> int:
        """How many numbers a key of this side has."""
        return 1 + int(self.reading.mapped(side, first(self.vectors)).shape[1])

    def prepared(self, side: Side) -> Prepared:
        """The keys of one side, computed when they are first needed and kept: hypers, to search for hypernyms."""
        if side not in self._prepared:
            self._prepared[side] = prepare(self, side)
        return self._prepared[side]

    def hubness(self, side: Side, vectors: Floats, mapped: Floats | None = None) -> Floats:
        """How readily everything entails a word (as a hyper), or it entails everything (as a hypo).

        Where it was not learned it is the mean score with all words, less that of an average word: numbers around 0,
        which keep their digits in 16 bits and make rounding errors small.
        """
        learned = self.reading.map
        if side == "hyper" and learned is not None and learned.generality is not None:
            return learned.offset("generality", vectors)
        if not self.reading.indexable:
            return np.zeros(len(vectors), dtype=vectors.dtype)
        mapped = self.reading.mapped(side, vectors) if mapped is None else mapped
        centre, others = (self._centres[each].astype(mapped.dtype) for each in (side, OTHER[side]))
        return np.asarray((mapped - centre) @ others)

    @cached_property
    def _centres(self) -> dict[Side, NDArray[np.float64]]:
        """The mean mapped vector of each side: its product with a word's is the mean of that word's scores."""
        words = sample(self.vectors)
        return {side: self.reading.mapped(side, words).sum(axis=0) / max(1, len(words)) for side in OTHER}

    @property
    def _n_features(self) -> int:
        return int(self.reading.log_odds("hypo", np.zeros((1, self.vectors.dimension))).shape[1])

    # Engines

    def with_engine(self, name: str, *, sides: Sequence[Side] = ("hyper",), **options: Any) -> EntailmentSpace:
        """The same space with an approximate search: faster, and nearly always the same answers.

        `sides` are those to index: "hyper" to search for hypernyms, "hypo" for hyponyms. A search `among` some words
        stays exact. `recall` tells how good it is; `exact` as a name takes the engines away.
        """
        from entvec.space.engines import build_engine

        if name == "exact":
            return self.replaced(engines={})
        if not self.reading.indexable:
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
            from entvec.space.device import engine
        except ModuleNotFoundError:
            raise MissingExtra("a search on a device", needs="torch", extra="gpu") from None
        place = engine.check_device(device)
        if not self.reading.indexable:
            raise InvalidInput(f"{self.operator} is no inner product here, so no device can search it faster")
        moved = {side: engine.build(self, side, place, precision=precision) for side in sides}
        return self.replaced(engines=self.engines | moved)

    def recall(self, queries: Query, k: int = 10, *, side: Side = "hyper") -> float:
        """Which part of the k best words the engine finds, compared with exact search; ties count as found."""
        if side not in self.engines:
            raise InvalidInput(f"no engine for the side {side!r}, so the search is exact")
        asked = ask(self.vectors, queries, "queries")
        taken_off = self._specificity_of(OTHER[side])
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
            "reading": self.reading,
            "specificity": self.specificity,
            "dtype": self.dtype,
            "calibration": self.calibration,
            "prepared": self._prepared,
            "engines": self.engines,
        }
        if changes.keys() & {"vectors", "reading", "dtype"}:  # keys and engines are made from these
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


def _fitted(learned: Any) -> FittedMap | None:
    if learned is None or isinstance(learned, FittedMap):
        return learned
    if isinstance(learned, str | Path):
        return FittedMap.load(learned)
    if not hasattr(learned, "fitted"):
        raise InvalidInput(f"map is {learned!r:.60}, expected an EntailmentMap, a FittedMap or the name of a file")
    found = learned.fitted()
    return found if isinstance(found, FittedMap) else None


def _checked_k(k: int) -> int:
    if not (isinstance(k, int | np.integer) and not isinstance(k, bool)) or k < 0:
        raise InvalidInput(f"k is {k!r}, expected a whole number, 0 or more")
    return int(k)


def _check_lengths(n_hypo: int, n_hyper: int) -> None:
    if n_hypo != n_hyper and 1 not in (n_hypo, n_hyper):
        raise InvalidInput(f"{n_hypo:,} hypos and {n_hyper:,} hypers, expected as many of both, or one of either")
