"""Relations of WordNet 3.0's nouns among the words of the bundled vectors.

>>> table = isa()
>>> print(table)
318,019 rows among 11,873 nouns: 239,559 is-a, 10,033 instance, 64,980 co-hyponym, 3,447 part-whole
>>> table.hyponyms("guitar")
['acoustic_guitar', 'electric_guitar']
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from entvec.errors import BenchmarkFileError, InvalidInput, WordNotFound
from entvec.vectors.spelling import similar_spellings
from entvec.vectors.words import Words

RELATIONS = ("is-a", "instance", "co-hyponym", "part-whole")
"""The kinds of relations, in the order of their codes in the table."""
COLUMNS = dict.fromkeys(("hypo", "hyper"), "int32") | dict.fromkeys(
    ("relation", "distance", "hypo_sense", "hyper_sense", "hypo_depth", "hyper_depth"), "uint8"
)


@dataclass(frozen=True, eq=False, repr=False)
class IsA:
    """Related nouns: row i says that `words[hypo[i]]` stands in `RELATIONS[relation[i]]` to `words[hyper[i]]`.

    >>> table = isa()
    >>> len(table.hypo) == len(table.hyper) == len(table.relation)
    True

    Parameters
    ----------
    words
        The nouns.
    hypo, hyper
        The two words of each row, as positions in `words`.
    relation
        The relation of each row, as a position in `RELATIONS`. is-a (dog, animal); instance (Paris, city); co-hyponym
        (dog, fox): the two have a direct hypernym in common, both orders are rows, and neither is or means the other in
        any sense; part-whole (beard, face): part, member or substance of it, by a direct pointer.
    distance
        The smallest number of steps up from hypo to hyper: is-a and instance 1 or more, part-whole 1, co-hyponym 2.
        Synonyms, at distance 0, are not in the table.
    hypo_sense, hyper_sense
        WordNet's number of the sense of each word, 1 for the most frequent. Every combination of senses for which the
        relation holds is a row, so a pair of words may have several; co-hyponyms are first senses only. Spellings
        share the numbers: `China` has sense 1, so the porcelain is `china` 2.
    hypo_depth, hyper_depth
        The smallest number of steps from that sense up to the root: entity is 0, animal 6. Depth is only a rough
        measure of generality: the canine has depth 12, and a dog 8, because it is also a domestic animal.
    """

    words: tuple[str, ...]
    hypo: NDArray[np.int32]
    hyper: NDArray[np.int32]
    relation: NDArray[np.uint8]
    distance: NDArray[np.uint8]
    hypo_sense: NDArray[np.uint8]
    hyper_sense: NDArray[np.uint8]
    hypo_depth: NDArray[np.uint8]
    hyper_depth: NDArray[np.uint8]

    def __post_init__(self) -> None:
        for name in COLUMNS:  # read-only, because the table is cached and shared
            getattr(self, name).setflags(write=False)

    @classmethod
    def load(cls, path: str | Path) -> "IsA":
        """Return the table that `tools/build_isa.py` wrote to a file."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                words = tuple(arrays["words"].tolist())
                columns = {name: arrays[name].astype(kind) for name, kind in COLUMNS.items()}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise BenchmarkFileError(path, f"expected a table that tools/build_isa.py wrote: {reason}") from error
        sound = all(column.shape == columns["hypo"].shape for column in columns.values())
        sound = sound and columns["hypo"].ndim == 1 and all(isinstance(word, str) for word in words)
        for name, limit in (("hypo", len(words)), ("hyper", len(words)), ("relation", len(RELATIONS))):
            sound = sound and bool(((columns[name] >= 0) & (columns[name] < limit)).all())
        if not sound:
            raise BenchmarkFileError(path, "expected a table that tools/build_isa.py wrote: its columns do not fit")
        return cls(words, **columns)

    def __len__(self) -> int:
        return len(self.hypo)

    def select(
        self,
        relation: str | Sequence[str] = "is-a",
        *,
        max_distance: int | None = None,
        max_hypo_sense: int | None = None,
        max_hyper_sense: int | None = None,
        min_depth: int | None = None,
    ) -> "IsA":
        """Return the rows of one or several relations within some limits.

        With first senses on both sides a word has one meaning, so no pair holds both ways; but many a hyper is meant in
        another sense than its first.

        >>> isa().select(max_distance=5, min_depth=5).hypernyms("guitar")
        ['instrument', 'device', 'instrumentation']
        >>> isa().select(max_hyper_sense=1).hypernyms("guitar")  # to make music is not the first sense of instrument
        ['device', 'instrumentation', 'artifact', 'object', 'entity']

        Parameters
        ----------
        relation
            One or several of RELATIONS.
        max_distance
            The most steps from hypo to hyper.
        max_hypo_sense, max_hyper_sense
            The highest number of a sense, 1 being the most frequent.
        min_depth
            The least depth of the hyper: a general word has a small depth.
        """
        names = [relation] if isinstance(relation, str) else list(relation)
        for name in names:
            if name not in RELATIONS:
                raise InvalidInput(f"no relation {name!r}, expected one of {', '.join(RELATIONS)}")
        keep = np.isin(self.relation, [RELATIONS.index(name) for name in names])
        if max_distance is not None:
            keep &= self.distance <= _at_least(1, "max_distance", max_distance)
        if max_hypo_sense is not None:
            keep &= self.hypo_sense <= _at_least(1, "max_hypo_sense", max_hypo_sense)
        if max_hyper_sense is not None:
            keep &= self.hyper_sense <= _at_least(1, "max_hyper_sense", max_hyper_sense)
        if min_depth is not None:
            keep &= self.hyper_depth >= _at_least(0, "min_depth", min_depth)
        return replace(self, **{name: getattr(self, name)[keep] for name in COLUMNS})

    def pairs(self) -> list[tuple[str, str]]:
        """Return the distinct pairs (hypo, hyper) in the order of the rows.

        >>> pairs = isa().select("instance").pairs()
        >>> ("Paris", "city") in pairs, ("city", "Paris") in pairs
        (True, False)
        """
        hypos, hypers = ([self.words[i] for i in column.tolist()] for column in (self.hypo, self.hyper))
        return list(dict.fromkeys(zip(hypos, hypers, strict=True)))

    def hypernyms(self, word: str) -> list[str]:
        """Return the hypernyms by is-a and instance: of frequent senses first, within a sense the nearest first.

        >>> isa().hypernyms("dog")[:6]
        ['canine', 'animal', 'creature', 'beast', 'fauna', 'brute']
        """
        return self._answers(word, (self.hypo, self.hypo_sense), (self.hyper, self.hyper_sense))

    def hyponyms(self, word: str) -> list[str]:
        """Return the hyponyms by is-a and instance: of frequent senses first, within a sense the nearest first.

        >>> isa().hyponyms("dog")[:6]
        ['puppy', 'pooch', 'poodle', 'toy', 'bulldog', 'hound']
        """
        return self._answers(word, (self.hyper, self.hyper_sense), (self.hypo, self.hypo_sense))

    def _answers(self, word: str, asked: tuple[Any, Any], answer: tuple[Any, Any]) -> list[str]:
        rows = np.flatnonzero((asked[0] == self._row(word)) & (self.relation <= RELATIONS.index("instance")))
        # lexsort orders by its last key first; the first keys break ties.
        order = np.lexsort([column[rows] for column in (*answer, self.distance, asked[1])])
        return list(dict.fromkeys(self.words[i] for i in answer[0][rows[order]].tolist()))

    def entails(self, hypo: str, hyper: str) -> bool:
        """Return whether hypo is a kind or an instance of hyper, in any sense.

        >>> isa().entails("dog", "animal"), isa().entails("animal", "dog")
        (True, False)
        """
        rows = (self.hypo == self._row(hypo)) & (self.hyper == self._row(hyper))
        return bool((self.relation[rows] <= RELATIONS.index("instance")).any())

    def _row(self, word: str) -> int:
        if word not in self.words:
            raise WordNotFound(str(word), len(self.words), lambda: similar_spellings(str(word), Words.of(self.words)))
        return self.words.index(word)

    def __repr__(self) -> str:
        counts = np.bincount(self.relation, minlength=len(RELATIONS)).tolist()
        parts = [f"{count:,} {name}" for name, count in zip(RELATIONS, counts, strict=True) if count]
        return f"{len(self):,} rows among {len(self.words):,} nouns: {', '.join(parts) or 'none'}"


def _at_least(least: int, name: str, value: int) -> int:
    """Return the value; raise InvalidInput if it is below the least."""
    if value < least:
        raise InvalidInput(f"{name} is {value}, expected {least} or more, or None for no limit")
    return value


DATA = Path(__file__).parent / "data"
BENCHMARK = DATA / "wordnet.tsv"
"""Labelled pairs of these words, to measure with; `tools/build_wordnet_benchmark.py` drew them from the table."""


@cache
def isa() -> IsA:
    """Return the bundled table, which is read once; WordNet's licence lies beside it as isa.LICENSE.txt."""
    return IsA.load(DATA / "isa.npz")
