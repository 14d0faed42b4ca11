"""A space that is asked where it is stored, whichever version serves there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeVar

from entvec.errors import VersionGone
from entvec.model.model import Model, Side
from entvec.model.specificity import Specificity
from entvec.space.queries import Query
from entvec.space.verbs import Calibration, Direction
from entvec.stores import nothing_there, open_store
from entvec.stores.backend import Served
from entvec.stores.contract import Store

T = TypeVar("T")

VERSIONS_TRIED = 5
"""A question is begun so often, if one version after the other is taken away under it."""


def open_space(url: str, name: str) -> StoredSpace:
    """The space of this name in the database of a URL."""
    return StoredSpace(open_store(url, name), name)


class StoredSpace:
    """A space in a database, as `EntailmentSpace.export` left it there: `EntailmentSpace.open` opens it.

    What is asked gets the scores of the space that was exported, all of an answer from one version. When another
    version takes its place, the next question is answered from that one. Several threads may ask at the same time.
    """

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self.name = name
        try:
            self._served = self._serving()
        except BaseException:
            store.close()
            raise

    def _serving(self) -> Served:
        """The version that serves now."""
        where = self._store.where
        tables = self._store.current()
        if tables is None:
            raise nothing_there(self._store, self.name)
        return Served(tables, where)

    def _steadily(self, ask: Callable[[Served], T]) -> T:
        """An answer from one version; from the next one if that has taken the place of ours."""
        for _ in range(VERSIONS_TRIED - 1):
            try:
                return ask(self._served)
            except VersionGone:
                self._served = self._serving()
        return ask(self._served)

    def __repr__(self) -> str:
        served = self._served
        how = served.model.interpretation or "mapped"
        shape = f"{len(served):,} words x {served.tables.manifest.dimension}"
        return f"StoredSpace({shape}, {how} {served.operator}, {self.name} in {self._store.where})"

    def __len__(self) -> int:
        return len(self._served)

    def __contains__(self, word: object) -> bool:
        return self._steadily(lambda served: word in served)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the connection go."""
        self._store.close()

    # What the version is that was asked last

    @property
    def operator(self) -> str:
        """The name of the operator."""
        return self._served.operator

    @property
    def model(self) -> Model:
        """How vectors are read."""
        return self._served.model

    @property
    def specificity(self) -> Specificity:
        """That of rankings which are not given another."""
        return self._served.specificity

    @property
    def calibration(self) -> Calibration | None:
        """What makes probabilities of scores, if anything does."""
        return self._served.calibration

    @property
    def version(self) -> str:
        """Of what serves: the same space has the same one."""
        return self._served.tables.manifest.version

    @property
    def columns(self) -> Mapping[str, type]:
        """What a search may be limited by, beside the words."""
        return dict(self._served.tables.manifest.columns)

    @property
    def recall(self) -> dict[Side, float]:
        """Which part of the ten best words was found when the space was loaded: hypers by hypernyms."""
        return self._served.tables.manifest.recall

    # Questions

    def spelled(self, word: str) -> str:
        """The word as the vocabulary has it."""
        return self._steadily(lambda served: served.spelled(word))

    def score(self, hypo: Query, hyper: Query) -> Any:
        """How well the first entails the second, as in the space that was exported."""
        return self._steadily(lambda served: served.score(hypo, hyper))

    def probability(self, hypo: Query, hyper: Query) -> Any:
        """How probable it is that the first entails the second, where half of the pairs in question do."""
        return self._steadily(lambda served: served.probability(hypo, hyper))

    def verdict(self, hypo: Query, hyper: Query, *, precision: float = 0.9) -> Any:
        """Whether the first entails the second: yes, no, or unknown if neither answer has this probability."""
        return self._steadily(lambda served: served.verdict(hypo, hyper, precision=precision))

    def direction(self, first: str, second: str) -> Direction:
        """Which of two words entails the other, if one does."""
        return self._steadily(lambda served: served.direction(first, second))

    def hypernyms(
        self,
        query: Query,
        k: int = 10,
        *,
        among: Sequence[str] | None = None,
        where: str | None = None,
        values: Mapping[str, Any] | None = None,
        exclude_self: bool = True,
        specificity: float | None = None,
        group: bool = False,
    ) -> Any:
        """What a word entails: the k words that are best as its hypernyms.

        `where` is a condition on the words and the columns beside them, in the language of the database, and `values`
        are what the names in it stand for. The other arguments are those of `EntailmentSpace.hypernyms`.
        """
        asked = (query, k, among, where, values, exclude_self, specificity, group)
        return self._steadily(lambda served: served.filtered("hypo", *asked))

    def hyponyms(
        self,
        query: Query,
        k: int = 10,
        *,
        among: Sequence[str] | None = None,
        where: str | None = None,
        values: Mapping[str, Any] | None = None,
        exclude_self: bool = True,
        specificity: float | None = None,
        group: bool = False,
    ) -> Any:
        """What entails a word: the k words that are best as its hyponyms; the arguments are those of `hypernyms`."""
        asked = (query, k, among, where, values, exclude_self, specificity, group)
        return self._steadily(lambda served: served.filtered("hyper", *asked))
