"""How well a space finds hypernyms: all nouns are ranked for each word, and WordNet says which of them are right.

What counts for a word is the place of the first right noun: its reciprocal (MRR), and whether it is among the first few
(hit@k). There are two kinds of right nouns:

specific    hypernyms at most four steps up that lie at depth four or more: dog -> mammal, animal
all         every hypernym; nearly trivial, because everything is an entity, so it never stands alone

Words are meant in their first sense: the first that WordNet has under their spelling. A word is never its own answer.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.bundled import isa
from entvec.bundled.wordnet import COLUMNS, RELATIONS, IsA
from entvec.errors import BenchmarkFileError, InvalidInput
from entvec.evaluate.benchmark import find_benchmark
from entvec.evaluate.metrics import Interval, bootstrap
from entvec.learn.fitted import FittedMap
from entvec.model.model import sample
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors
from entvec.vectors.words import Words

Floats = NDArray[np.floating[Any]]
Rows = NDArray[np.int64]
Places = dict[str, NDArray[np.float64]]
"""For each kind of right nouns the place of the first of them, for each word; NaN where a word has none."""

KINDS = ("specific", "all")
FARTHEST = 4
LEAST_DEPTH = 4
FIRST = (1, 3, 10, 100)
WORDS_AT_ONCE = 64
SCANNED_AT_ONCE = 1 << 10
HELD_OUT = "held_out"
"""The entry of a map's metadata with the words that it was not fitted to, one a line."""


@dataclass(frozen=True, eq=False)
class Questions:
    """Words to ask about, nouns to choose from, and which of those are right."""

    words: tuple[str, ...]
    rows: Rows
    """Where the words are among the vectors."""
    candidates: Rows
    """Where the nouns are among the vectors, in rising order."""
    right: dict[str, tuple[Rows, ...]]
    """For each kind, and each word, which of the candidates are right."""
    left_out: int
    """How many of the words that were given have no vector, or no hypernym among the candidates."""

    def __len__(self) -> int:
        return len(self.words)

    def count(self, kind: str) -> int:
        """How many words have a right answer of this kind."""
        return sum(len(places) > 0 for places in self.right[kind])


@dataclass(frozen=True)
class Result:
    """A measured row, each value with its 95% interval: 1,000 draws of the words."""

    operator: str
    interpretation: str
    specificity: float | None
    measures: dict[str, dict[str, Interval]]
    """For each kind of right nouns: mrr, hit_at_1 and so on."""

    @property
    def name(self) -> str:
        """How the row is called in tables."""
        return self.operator if self.interpretation == "-" else f"{self.interpretation} {self.operator}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told: dict[str, Any] = {name: getattr(self, name) for name in ("operator", "interpretation", "specificity")}
        for kind, measures in self.measures.items():
            for name, (value, low, high) in measures.items():
                told |= {f"{kind}_{name}": value, f"{kind}_{name}_low": low, f"{kind}_{name}_high": high}
        return told


# Questions


def ask(words: Iterable[str], vectors: Vectors, table: IsA | None = None) -> Questions:
    """What can be asked about these words; candidates are the nouns of the table that have a vector.

    >>> from entvec.bundled import google_news
    >>> vectors = google_news()
    >>> questions = ask(["dog", "piano", "of"], vectors)
    >>> questions.words, questions.left_out, len(questions.candidates)
    (('dog', 'piano'), 1, 11873)
    >>> [vectors.words[row] for row in questions.candidates[questions.right["specific"][0]].tolist()]
    ['animal', 'creature', 'beast', 'organism', 'mammal']

    A word is looked up as it is written, since WordNet's words are told apart by case: a may is no month.
    """
    table = isa() if table is None else table
    rows = vectors.words.rows(Words.of(table.words))
    candidates = np.unique(rows[rows >= 0])
    place = np.where(rows >= 0, np.searchsorted(candidates, rows), -1)
    hypernyms = {kind: _hypernyms(table, place, kind) for kind in KINDS}
    wanted = list(dict.fromkeys(words))
    number = {word: i for i, word in enumerate(table.words)}
    asked = [number[word] for word in wanted if number.get(word, -1) in hypernyms["all"]]
    return Questions(
        tuple(table.words[i] for i in asked),
        rows[asked],
        candidates,
        {kind: tuple(found.get(i, np.empty(0, np.int64)) for i in asked) for kind, found in hypernyms.items()},
        len(wanted) - len(asked),
    )


def _hypernyms(table: IsA, place: Rows, kind: str) -> dict[int, Rows]:
    """The places of the right candidates, for each word of the table that has a place and some of them."""
    near = {"max_distance": FARTHEST, "min_depth": LEAST_DEPTH} if kind == "specific" else {}
    entailing = table.select(["is-a", "instance"])
    first = np.full(len(table.words), np.iinfo(np.uint8).max, dtype=np.uint8)
    np.minimum.at(first, entailing.hypo, entailing.hypo_sense)
    np.minimum.at(first, entailing.hyper, entailing.hyper_sense)
    chosen = entailing.select(["is-a", "instance"], **near)
    meant = (chosen.hypo_sense == first[chosen.hypo]) & (chosen.hyper_sense == first[chosen.hyper])
    pairs = np.unique(np.stack([chosen.hypo, place[chosen.hyper]], axis=1)[meant], axis=0)
    pairs = pairs[(place[pairs[:, 0]] >= 0) & (pairs[:, 1] >= 0)]
    hypos, starts = np.unique(pairs[:, 0], return_index=True)
    ends = [*starts[1:].tolist(), len(pairs)]
    return {hypo: pairs[start:end, 1] for hypo, start, end in zip(hypos.tolist(), starts.tolist(), ends, strict=False)}


def find_words(name: str | Path) -> list[str]:
    """The words of a benchmark, by its name or that of its file, both sides of its pairs; or those of a list.

    A list is a file with one word a line, without tabs; a name of several words may have spaces for `_`.

    >>> len(find_words("wordnet"))
    2793
    """
    path = Path(name)
    if path.is_file():
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise BenchmarkFileError(path, f"it cannot be read: {reason}") from error
        filled = [line for line in lines if line.strip()]
        words = [line.strip().replace(" ", "_") for line in filled]
        if words and not words[0].startswith("[") and not any("\t" in line for line in filled):
            return list(dict.fromkeys(words))
    benchmark = find_benchmark(name)
    return list(dict.fromkeys([*benchmark.hypo, *benchmark.hyper]))


def read_table(path: str | Path) -> IsA:
    """A table of nouns for other words than the bundled ones: a file that `tools/build_isa.py --words` wrote."""
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            words = tuple(arrays["words"].tolist())
            columns = {name: arrays[name].astype(kind) for name, kind in COLUMNS.items()}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BenchmarkFileError(path, f"expected a table that tools/build_isa.py wrote: {reason}") from error
    n = len(columns["hypo"])
    sound = all(column.shape == (n,) for column in columns.values()) and all(isinstance(word, str) for word in words)
    for name, limit in (("hypo", len(words)), ("hyper", len(words)), ("relation", len(RELATIONS))):
        sound = sound and bool(((columns[name] >= 0) & (columns[name] < limit)).all())
    if not sound:
        raise BenchmarkFileError(path, "expected a table that tools/build_isa.py wrote: its columns do not fit")
    return IsA(words, **columns)


def kept_out(learned: FittedMap | None, words: Iterable[str]) -> int | None:
    """How many of the words the map has not seen, by its own account; None if it gives none. Case is ignored."""
    if learned is None or HELD_OUT not in learned.metadata:
        return None
    held = {word.casefold() for word in learned.metadata[HELD_OUT].splitlines()}
    return sum(word.casefold() in held for word in words)


# Rankings


def places(
    space: EntailmentSpace,
    questions: Questions,
    specificities: Sequence[float],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> list[Places]:
    """Where a space ranks the right nouns, for each specificity: as `hypernyms` does among the candidates.

    Under `factorised` the maps of the search rank without its last digits.
    """
    if not np.isfinite(specificities).all():
        raise InvalidInput(f"specificities are {list(specificities)}, expected numbers, 0 for none")
    if any(specificities) and not space.model.indexable:
        raise InvalidInput(f"{space.operator} has no maps that tell how general a word is, expected a specificity of 0")
    score, hubness = _scorer(space, questions)

    def orders(some: slice) -> Iterator[Floats]:
        if progress is not None:
            progress(some.start, len(questions))
        scores = score(some)
        for specificity in specificities:
            yield scores - specificity * hubness if specificity else scores

    return _places(questions, orders, len(specificities))


def similarity(space: EntailmentSpace, questions: Questions) -> Places:
    """A baseline: the most similar nouns first, by the cosine of the same vectors."""
    cosine = EntailmentSpace.from_vectors(space.vectors, interpretation="log_odds", operator="cosine", specificity=0.0)
    return places(cosine, questions, [0.0])[0]


def generality(space: EntailmentSpace, questions: Questions) -> Places | None:
    """A baseline that does not look at the word: what an average word entails first; None if there are no maps."""
    if not space.model.indexable:
        return None
    average = space.model.mapped("hypo", sample(space.vectors)).mean(axis=0)
    return _same_for_all(questions, _keys(space, questions)[:, :-1] @ average)


def frequency(space: EntailmentSpace, questions: Questions) -> Places:
    """A baseline that does not look at the word: frequent nouns first, by the order of the vectors."""
    return _same_for_all(questions, -space.vectors.ranks[questions.candidates].astype(np.float64))


def _keys(space: EntailmentSpace, questions: Questions) -> Floats:
    vectors = space.vectors.take(questions.candidates).matrix.astype(np.float64)
    mapped = space.model.mapped("hyper", vectors)
    return np.concatenate([mapped, space.hubness("hyper", vectors, mapped)[:, None]], axis=1)


def _scorer(space: EntailmentSpace, questions: Questions) -> tuple[Callable[[slice], Floats], Floats | float]:
    """Scores of some words with all candidates; and how general the candidates are."""
    vectors = space.vectors

    def hypos(some: slice) -> Floats:
        return vectors.take(questions.rows[some]).matrix.astype(np.float64)

    if space.model.indexable:
        keys = _keys(space, questions)
        return lambda some: space.model.mapped("hypo", hypos(some)) @ keys[:, :-1].T, keys[:, -1]

    def scan(some: slice) -> Floats:
        found = np.empty((len(questions.rows[some]), len(questions.candidates)))
        for first in range(0, len(questions.candidates), SCANNED_AT_ONCE):
            these = slice(first, first + SCANNED_AT_ONCE)
            hypers = vectors.take(questions.candidates[these]).matrix.astype(np.float64)
            for i, hypo in enumerate(hypos(some)):
                found[i, these] = space.model.score(hypo[None], hypers)
        return found

    return scan, 0.0


def _same_for_all(questions: Questions, scores: Floats) -> Places:
    return _places(questions, lambda some: [np.tile(scores, (len(questions.rows[some]), 1))], 1)[0]


def _places(questions: Questions, orders: Callable[[slice], Iterable[Floats]], n: int) -> list[Places]:
    """The places under each of n orders, a few words at a time."""
    found = [{kind: np.full(len(questions), np.nan) for kind in questions.right} for _ in range(n)]
    own = np.searchsorted(questions.candidates, questions.rows)
    for first in range(0, len(questions), WORDS_AT_ONCE):
        some = slice(first, first + WORDS_AT_ONCE)
        for into, order in zip(found, orders(some), strict=True):
            order[np.arange(len(order)), own[some]] = -np.inf  # the word itself is behind all others
            for i, scores in enumerate(order, first):
                for kind, right in questions.right.items():
                    if len(right[i]):
                        into[kind][i] = place(scores, scores[right[i]])
    return found


def place(scores: Floats, right: Floats) -> float:
    """The place of the first right one in the order of the scores, which are those of the right ones and of others.

    Among equals the order is chance, and the place the mean of all orders: of two at the top, one of them right, 1.5.

    >>> place(np.array([3.0, 2.0, 2.0, 1.0]), np.array([2.0]))
    2.5
    """
    best = right.max()
    better, tied, right_tied = (np.count_nonzero(flags) for flags in (scores > best, scores == best, right == best))
    return float(better + (tied + 1) / (right_tied + 1))


# Measures


def credit(of_words: Floats) -> dict[str, Floats]:
    """What each word adds to each measure, for those words that have a right answer."""
    known = of_words[~np.isnan(of_words)]
    return {"mrr": 1 / known, **{f"hit_at_{k}": (known <= k).astype(np.float64) for k in FIRST}}


def mean(of_words: Floats) -> Interval:
    """The mean over words, and its interval."""
    return bootstrap(lambda draws: np.asarray(draws @ of_words / draws.sum(axis=1)), np.arange(len(of_words)))


def measure(operator: str, interpretation: str, specificity: float | None, found: Places) -> Result:
    """The measures of a ranking, with intervals."""
    for kind, of_words in found.items():
        if np.isnan(of_words).all():
            raise InvalidInput(f"no word has a {kind} hypernym among the candidates, expected some; choose other words")
    measures = {
        kind: {name: mean(values) for name, values in credit(of_words).items()} for kind, of_words in found.items()
    }
    return Result(operator, interpretation, specificity, measures)


def evaluate(
    space: EntailmentSpace,
    questions: Questions,
    specificities: Sequence[float],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """A space under each specificity, and beside it what similarity, generality and frequency reach by themselves."""
    reading = space.model.interpretation or "mapped"
    ranked = zip(specificities, places(space, questions, specificities, progress=progress), strict=True)
    rows = [measure(space.operator, reading, specificity, found) for specificity, found in ranked]
    baselines = {
        "similarity only": similarity(space, questions),
        "generality only": generality(space, questions),
        "frequency only": frequency(space, questions),
    }
    return rows + [measure(name, "-", None, found) for name, found in baselines.items() if found is not None]
