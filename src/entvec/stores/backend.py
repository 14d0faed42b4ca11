"""One version of a space in a database: the database finds candidates, and exact scores are computed here."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from entvec.errors import EntvecError, InvalidInput
from entvec.learn.fitted import FittedMap
from entvec.model.description import Unfit, calibration_of, check, is_number, model_of, of_sides
from entvec.model.model import OTHER, Floats, Side, score_sides
from entvec.model.specificity import both_specificities
from entvec.search.approximate import K
from entvec.search.coordinates import Coordinates
from entvec.search.exact import Hits, Rows
from entvec.space.matches import Vocabulary
from entvec.space.queries import Asked, Query, ask
from entvec.space.verbs import Verbs, checked_k
from entvec.stores.conditions import parse_condition
from entvec.stores.contract import Damaged, Filter, Manifest, Tables, in_blocks
from entvec.stores.vocabulary import StoredWords

T = TypeVar("T")

MAP = "map"
"""The name of the learned map, among the parts of a version."""
QUERIES_AT_ONCE, CANDIDATES_AT_ONCE = 256, 1 << 16
"""Of a search: the vectors of their candidates are here at the same time."""
PAIRS_AT_ONCE = 1 << 13


class Asking(NamedTuple):
    """How the keys of one side are searched."""

    coordinates: Coordinates
    effort: int
    candidates: int


class Served(Verbs):
    """A version of a space; it never changes, so what is asked of it is answered from one version."""

    def __init__(self, tables: Tables, where: str) -> None:
        self.tables = tables
        manifest, told = tables.manifest, tables.manifest.description
        try:
            check(told, CHECKS)
            learned = None if told["interpretation"] is not None else _part(manifest, MAP, FittedMap.load)
            self.model = model_of(told, learned, manifest.dimension)
            self.specificity = both_specificities(told["specificity"], self.model)
            self._sides = {side: _asking(manifest, side) for side in manifest.widths}
        except (Unfit, EntvecError) as problem:
            raise Damaged(where, f"{problem}; export the space again") from problem
        self.calibration = calibration_of(told)
        self._words = StoredWords(tables)

    def __len__(self) -> int:
        return self.tables.manifest.n_words

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and int(self._words.rows([word])[0]) >= 0

    @property
    def operator(self) -> str:
        """The name of the operator."""
        return self.model.operator.name

    def spelled(self, word: str) -> str:
        """The word as the vocabulary has it."""
        return self._words.take(np.array([self._words.row(word)])).words[0]

    # Pairs

    def _asked(self, query: Query, name: str) -> Asked:
        return ask(self._words, query, name)

    def _score(self, hypo: Asked, hyper: Asked) -> Floats:
        n = max(len(hypo), len(hyper)) if len(hypo) and len(hyper) else 0
        parts: list[Floats] = [np.empty(0)]
        for some in in_blocks(n, PAIRS_AT_ONCE):
            y, x = (each.vectors(some if len(each) > 1 else slice(1)) for each in (hypo, hyper))
            parts.append(self.model.score(y, x))
        return np.concatenate(parts)

    # Search

    def filtered(
        self,
        side: Side,
        query: Query,
        k: int,
        among: Sequence[str] | None,
        where: str | None,
        values: Mapping[str, Any] | None,
        exclude_self: bool,  # noqa: FBT001
        specificity: float | None,
        group: bool,  # noqa: FBT001
    ) -> Any:
        """The best words of the other side, of those that a condition of the database is true of."""
        if values and where is None:
            raise InvalidInput("values without `where`, expected the condition that they are for")
        asked = self._asked(query, side)
        rows = self._among(among)
        self._check_reach(checked_k(k), len(self) if rows is None else len(rows))
        condition = None
        if where is not None:
            condition = parse_condition(where, self.tables.manifest.condition_columns, values)
        only = None if rows is None and condition is None else Filter(rows, condition)
        picked = self._searched(side, asked, k, only, exclude_self, specificity, group)
        return picked if asked.several else picked[0]

    def _check_reach(self, k: int, n: int) -> None:
        most = self.tables.most
        if most is not None and min(k, n) > most:
            raise InvalidInput(
                f"k is {k:,}, but this database finds at most {most:,} words for a question; ask for fewer, or ask a "
                "space in a folder"
            )

    def _among(self, among: Sequence[str] | None) -> Rows | None:
        return None if among is None else np.unique(self._words.rows_of_all(among))

    def _top(self, side: Side, vectors: Floats, k: int, among: Filter | None, specificity: float) -> Hits:
        """The best words of the other side: candidates of the database, ranked by their exact scores."""
        asking = self._searchable(side)
        vectors = vectors.astype(np.float64, copy=False)
        if not (inside := self.model.in_range(side, vectors)).all():
            raise InvalidInput(
                f"{int((~inside).sum()):,} of {len(vectors):,} vectors have log-odds outside of what the maps of "
                f"{self.operator} were made for, so an index cannot find their words; ask a space in a folder"
            )
        k = min(k, len(self) if among is None or among.rows is None else len(among.rows))
        found = Hits(np.full((len(vectors), k), -1, np.int64), np.full((len(vectors), k), -np.inf))
        wanted = min(asking.candidates * max(k, K), len(self))
        at_once = max(1, min(QUERIES_AT_ONCE, CANDIDATES_AT_ONCE // max(1, wanted)))
        for some in in_blocks(len(vectors) if k else 0, at_once):
            mapped = self.model.mapped(side, vectors[some])
            queries = np.concatenate([mapped, np.full((len(mapped), 1), -specificity)], axis=1)
            asked = asking.coordinates.queries(queries)
            rows = self.tables.nearest(OTHER[side], asked, wanted, asking.effort, among)
            self._rank(side, vectors[some], queries, rows, Hits(found.rows[some], found.scores[some]))
        return found

    def _searchable(self, side: Side) -> Asking:
        if OTHER[side] in self._sides:
            return self._sides[OTHER[side]]
        if not self.model.indexable:
            raise InvalidInput(
                f"{self.operator} is no inner product here, so no database can search it; ask a space in a folder"
            )
        verb = "hypernyms" if side == "hypo" else "hyponyms"
        raise InvalidInput(
            f"the space was exported without what {verb} need; "
            f"export it again with the side {OTHER[side]!r}, or --keys both"
        )

    def _rank(self, side: Side, vectors: Floats, queries: Floats, candidates: Rows, found: Hits) -> None:
        """Write down the best candidates of each query."""
        rows, at = np.unique(candidates, return_inverse=True)
        at = at.reshape(candidates.shape)
        missing = int((rows < 0).sum())  # -1 is the first, if it is there
        there, hubness = self._words.vectors_and_hubness(rows[missing:], OTHER[side])
        exact = self.model.low_rank is None
        keys = np.concatenate([self.model.mapped(OTHER[side], there), hubness[:, None]], axis=1) if exact else None
        for i, places in enumerate(at):
            some = np.unique(places[places >= missing]) - missing
            if keys is not None:
                scores = np.vecdot(keys[some], queries[i])
            else:
                scores = score_sides(self.model, side, vectors[i][None], there[some])
                scores = scores + queries[i, -1] * hubness[some]
            best = np.argsort(-scores, kind="stable")[: found.rows.shape[1]]
            found.rows[i, : len(best)] = rows[missing:][some[best]]
            found.scores[i, : len(best)] = scores[best]

    def _hubness(self, side: Side, rows: Rows) -> Floats:
        return self._words.vectors_and_hubness(rows, side)[1]

    def _vocabulary(self, rows: Rows) -> Vocabulary:
        return self._words.spellings(rows)


# Parts


def coordinates_part(side: Side) -> str:
    """The name of the coordinates of one side, among the parts of a version."""
    return f"coordinates-{side}"


def _part(manifest: Manifest, name: str, load: Callable[[Path], T]) -> T:
    if name not in manifest.parts:
        raise Unfit(f"the part {name!r} is missing")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.safetensors"
        path.write_bytes(manifest.parts[name])
        try:
            return load(path)
        except EntvecError as error:
            raise Unfit(f"the part {name!r} cannot be read: {getattr(error, 'problem', error)}") from None


def _asking(manifest: Manifest, side: Side) -> Asking:
    told = manifest.description["sides"].get(side)
    if told is None:
        raise Unfit(f"the description has nothing of the side {side!r}")
    coordinates, _ = _part(manifest, coordinates_part(side), Coordinates.load)
    if coordinates.width != manifest.widths[side]:
        raise Unfit(f"expected keys of {coordinates.width} coordinates, found {manifest.widths[side]}")
    return Asking(coordinates, told["effort"], told["candidates"])


def _sound_side(told: Any) -> bool:
    counts = ("effort", "candidates")
    return (
        isinstance(told, dict)
        and all(type(told.get(name)) is int and told[name] >= 1 for name in counts)
        and is_number(told.get("recall"))
    )


CHECKS = {"sides": lambda value: of_sides(value, _sound_side)}
