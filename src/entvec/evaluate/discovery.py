"""How well a space finds hypernyms: all nouns are ranked for each word, and WordNet says which of them are right.

For each word the rank of the first right noun counts: its reciprocal (MRR), and whether it is at most k (hit@k).
There are two kinds of right nouns:

specific    hypernyms at most four steps up that lie at depth four or more: dog -> mammal, animal
all         every hypernym; nearly trivial, because everything is an entity, so it is never reported alone

Words are meant in their first sense: the first that WordNet has under their spelling. A word is never its own answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import AnyFloats, Rows
from entvec.bundled import IsA, isa
from entvec.errors import InvalidInput
from entvec.evaluate.metrics import Interval, flattened, mean_interval, rank_measures
from entvec.interchange import data_frame, word_list
from entvec.progress import Progress
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors
from entvec.vectors.vocabulary import sample
from entvec.vectors.words import Words

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DiscoveryResult", "Questions", "answer_ranks", "ask", "evaluate"]

Ranks = dict[str, NDArray[np.float64]]
"""For each kind of right nouns and each word, the rank of the first right noun; NaN for a word that has none."""

KINDS = ("specific", "all")
FARTHEST = 4
LEAST_DEPTH = 4
HITS = (1, 3, 10, 100)


@dataclass(frozen=True, eq=False)
class Questions:
    """Words whose hypernyms are to be found, the candidates, and the right answers.

    >>> from entvec.bundled import google_news
    >>> questions = ask(["dog"], google_news())
    >>> len(questions), questions.count("specific")
    (1, 1)

    Parameters
    ----------
    words
        The words.
    rows
        Their rows in the vectors.
    candidates
        The rows of all nouns in the vectors, in rising order.
    right
        For each kind of answer and each word, the positions of the right nouns among the candidates.
    left_out
        How many of the given words have no vector, or no hypernym among the candidates.
    """

    words: tuple[str, ...]
    rows: Rows
    candidates: Rows
    right: dict[str, tuple[Rows, ...]]
    left_out: int

    def __len__(self) -> int:
        return len(self.words)

    def count(self, kind: str) -> int:
        """Return how many words have a right answer of this kind."""
        return sum(len(positions) > 0 for positions in self.right[kind])


@dataclass(frozen=True)
class DiscoveryResult:
    """The measures of a ranking with 95% intervals, from 1,000 resamples of the words.

    >>> result = DiscoveryResult("backward", "dup", 0.5, {"all": {"mrr": Interval(0.4, 0.3, 0.5)}})
    >>> result.name, result.measures["all"]["mrr"].value
    ('dup backward', 0.4)

    Parameters
    ----------
    operator, interpretation
        What was measured.
    specificity
        The hubness penalty; None for a baseline.
    measures
        For each kind of right nouns: mrr, hit_at_1 and so on.
    """

    operator: str
    interpretation: str
    specificity: float | None
    measures: dict[str, dict[str, Interval]]

    @property
    def name(self) -> str:
        """Return the title of the row in tables."""
        return self.operator if self.interpretation == "-" else f"{self.interpretation} {self.operator}"

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON can hold it."""
        row: dict[str, Any] = {name: getattr(self, name) for name in ("operator", "interpretation", "specificity")}
        for kind, measures in self.measures.items():
            row |= flattened(measures, f"{kind}_")
        return row

    def to_frame(self) -> pd.DataFrame:
        """Return the row as a DataFrame; `pandas.concat` joins those of several results. This needs pandas."""
        return data_frame({name: [value] for name, value in self.as_dict().items()})


def ask(words: Iterable[str], vectors: Vectors, table: IsA | None = None) -> Questions:
    """Return the questions about these words; the candidates are the nouns of the table that have a vector.

    >>> from entvec.bundled import google_news
    >>> vectors = google_news()
    >>> questions = ask(["dog", "piano", "of"], vectors)
    >>> questions.words, questions.left_out, len(questions.candidates)
    (('dog', 'piano'), 1, 11873)
    >>> [vectors.words[row] for row in questions.candidates[questions.right["specific"][0]].tolist()]
    ['animal', 'creature', 'beast', 'organism', 'mammal']

    A word is looked up exactly as it is written, because case distinguishes words of WordNet: a may is no month.

    Parameters
    ----------
    words
        The words to ask about; those without a vector or a hypernym are left out and counted.
    vectors
        The vectors whose words are ranked.
    table
        Nouns and their hypernyms; the bundled table if None.
    """
    table = isa() if table is None else table
    rows = vectors.words.rows(Words.of(table.words))
    candidates = np.unique(rows[rows >= 0])
    position = np.where(rows >= 0, np.searchsorted(candidates, rows), -1)
    hypernyms = {kind: _hypernyms(table, position, kind) for kind in KINDS}
    wanted = list(dict.fromkeys(word_list(words)))
    number = {word: i for i, word in enumerate(table.words)}
    asked = [number[word] for word in wanted if number.get(word, -1) in hypernyms["all"]]
    return Questions(
        tuple(table.words[i] for i in asked),
        rows[asked],
        candidates,
        {kind: tuple(found.get(i, np.empty(0, np.int64)) for i in asked) for kind, found in hypernyms.items()},
        len(wanted) - len(asked),
    )


def _hypernyms(table: IsA, position: Rows, kind: str) -> dict[int, Rows]:
    """Return the positions of the right candidates for each word of the table that is a candidate and has some."""
    near = {"max_distance": FARTHEST, "min_depth": LEAST_DEPTH} if kind == "specific" else {}
    entailing = table.select(["is-a", "instance"])
    first = np.full(len(table.words), np.iinfo(np.uint8).max, dtype=np.uint8)
    np.minimum.at(first, entailing.hypo, entailing.hypo_sense)
    np.minimum.at(first, entailing.hyper, entailing.hyper_sense)
    chosen = entailing.select(["is-a", "instance"], **near)
    meant = (chosen.hypo_sense == first[chosen.hypo]) & (chosen.hyper_sense == first[chosen.hyper])
    pairs = np.unique(np.stack([chosen.hypo, position[chosen.hyper]], axis=1)[meant], axis=0)
    pairs = pairs[(position[pairs[:, 0]] >= 0) & (pairs[:, 1] >= 0)]
    hypos, starts = np.unique(pairs[:, 0], return_index=True)
    ends = [*starts[1:].tolist(), len(pairs)]
    return {hypo: pairs[start:end, 1] for hypo, start, end in zip(hypos.tolist(), starts.tolist(), ends, strict=False)}


# Rankings


def answer_ranks(
    space: EntailmentSpace,
    questions: Questions,
    specificities: Sequence[float],
    *,
    progress: Progress | None = None,
    words_at_once: int = 64,
    candidates_at_once: int = 1 << 10,
) -> list[Ranks]:
    """Return the ranks of the right nouns for each specificity, as `hypernyms` ranks them among the candidates.

    Under `factorised` the maps of the search are used without the exact scores of the best candidates.

    >>> import entvec
    >>> space = entvec.load()
    >>> (found,) = answer_ranks(space, ask(["dog", "piano"], space.vocabulary), [1.0])
    >>> found["specific"]
    array([1., 1.])

    Parameters
    ----------
    space
        The space that ranks.
    questions
        Words and candidates of its vocabulary, see `ask`.
    specificities
        How much general words lose; the result has one entry for each.
    progress
        Called with the number of words that are done and the number of all words.
    words_at_once, candidates_at_once
        Sizes of the blocks of scores, which limit memory. Candidates are divided only under an operator without maps.
    """
    if not np.isfinite(specificities).all():
        raise InvalidInput(f"specificities are {list(specificities)}, expected numbers, 0 for none")
    if any(specificities) and not space.model.indexable:
        raise InvalidInput(f"{space.operator} has no maps that tell how general a word is, expected a specificity of 0")
    score, hubness = _scorer(space, questions, candidates_at_once)

    def rankings(some: slice) -> Iterator[AnyFloats]:
        if progress is not None:
            progress(some.start, len(questions))
        scores = score(some)
        for specificity in specificities:
            yield scores - specificity * hubness if specificity else scores

    return _ranks(questions, rankings, len(specificities), words_at_once)


def similarity(space: EntailmentSpace, questions: Questions) -> Ranks:
    """Return the ranks of a baseline: the most similar nouns first, by the cosine of the same vectors."""
    cosine = EntailmentSpace.from_vectors(space.vectors, interpretation="log_odds", operator="cosine", specificity=0.0)
    return answer_ranks(cosine, questions, [0.0])[0]


def generality(space: EntailmentSpace, questions: Questions) -> Ranks | None:
    """Return the ranks of a baseline that ignores the word: what an average word entails first; None without maps."""
    if not space.model.indexable:
        return None
    average = space.model.mapped("hypo", sample(space.vocabulary)).mean(axis=0)
    return _same_for_all(questions, _keys(space, questions)[:, :-1] @ average)


def frequency(space: EntailmentSpace, questions: Questions) -> Ranks:
    """Return the ranks of a baseline that ignores the word: the most frequent nouns first."""
    return _same_for_all(questions, -space.vectors.ranks[questions.candidates].astype(np.float64))


def _keys(space: EntailmentSpace, questions: Questions) -> AnyFloats:
    """Return the key vectors of the candidates, with the hubness of each as last column."""
    vectors = space.vocabulary.take(questions.candidates).matrix.astype(np.float64)
    mapped = space.model.mapped("hyper", vectors)
    return np.concatenate([mapped, space.keys.hubness.of("hyper", vectors, mapped)[:, None]], axis=1)


def _scorer(
    space: EntailmentSpace, questions: Questions, candidates_at_once: int
) -> tuple[Callable[[slice], AnyFloats], AnyFloats | float]:
    """Return a function that scores some words with all candidates, and the hubness of the candidates."""
    vectors = space.vocabulary

    def hypos(some: slice) -> AnyFloats:
        return vectors.take(questions.rows[some]).matrix.astype(np.float64)

    if space.model.indexable:
        keys = _keys(space, questions)
        return lambda some: space.model.mapped("hypo", hypos(some)) @ keys[:, :-1].T, keys[:, -1]

    def scan(some: slice) -> AnyFloats:
        found = np.empty((len(questions.rows[some]), len(questions.candidates)))
        for first in range(0, len(questions.candidates), candidates_at_once):
            these = slice(first, first + candidates_at_once)
            hypers = vectors.take(questions.candidates[these]).matrix.astype(np.float64)
            for i, hypo in enumerate(hypos(some)):
                found[i, these] = space.model.score(hypo[None], hypers)
        return found

    return scan, 0.0


def _same_for_all(questions: Questions, scores: AnyFloats) -> Ranks:
    return _ranks(questions, lambda some: [np.tile(scores, (len(questions.rows[some]), 1))], 1)[0]


def _ranks(
    questions: Questions, rankings: Callable[[slice], Iterable[AnyFloats]], n: int, words_at_once: int = 64
) -> list[Ranks]:
    """Return the ranks under each of n rankings, computed for a few words at a time."""
    found = [{kind: np.full(len(questions), np.nan) for kind in questions.right} for _ in range(n)]
    own = np.searchsorted(questions.candidates, questions.rows)
    for first in range(0, len(questions), words_at_once):
        some = slice(first, first + words_at_once)
        for into, ranking in zip(found, rankings(some), strict=True):
            ranking[np.arange(len(ranking)), own[some]] = -np.inf  # the word itself comes last
            for i, scores in enumerate(ranking, first):
                for kind, right in questions.right.items():
                    if len(right[i]):
                        into[kind][i] = first_rank(scores, scores[right[i]])
    return found


def first_rank(scores: AnyFloats, right: AnyFloats) -> float:
    """Return the rank of the best of the `right` scores among all scores.

    Among equal scores it is the mean over all orders: of two at the top, one of them right, 1.5.

    >>> first_rank(np.array([3.0, 2.0, 2.0, 1.0]), np.array([2.0]))
    2.5
    """
    best = right.max()
    better, tied, right_tied = (np.count_nonzero(flags) for flags in (scores > best, scores == best, right == best))
    return float(better + (tied + 1) / (right_tied + 1))


# Measures


def measure(operator: str, interpretation: str, specificity: float | None, ranks: Ranks) -> DiscoveryResult:
    """Return the measures of a ranking with their intervals, over the words that have a right answer.

    >>> found = measure("backward", "dup", 0.5, {"all": np.array([1.0, 2.0, np.nan])})
    >>> found.name, found.measures["all"]["mrr"].value
    ('dup backward', 0.75)
    """
    for kind, of_words in ranks.items():
        if np.isnan(of_words).all():
            raise InvalidInput(f"no word has a {kind} hypernym among the candidates, expected some; choose other words")
    measures = {
        kind: {name: mean_interval(values) for name, values in rank_measures(of_words, HITS).items()}
        for kind, of_words in ranks.items()
    }
    return DiscoveryResult(operator, interpretation, specificity, measures)


def evaluate(
    space: EntailmentSpace, questions: Questions, specificities: Sequence[float], *, progress: Progress | None = None
) -> list[DiscoveryResult]:
    """Measure a space under each specificity, and the baselines similarity, generality and frequency beside it.

    >>> import entvec
    >>> space = entvec.load()
    >>> [row.name for row in evaluate(space, ask(["dog", "piano"], space.vocabulary), [1.0])]
    ['mapped backward', 'similarity only', 'generality only', 'frequency only']

    Parameters
    ----------
    space, questions, specificities, progress
        As in `answer_ranks`.
    """
    interpretation = space.model.interpretation or "mapped"
    ranked = zip(specificities, answer_ranks(space, questions, specificities, progress=progress), strict=True)
    rows = [measure(space.operator, interpretation, specificity, ranks) for specificity, ranks in ranked]
    baselines = {
        "similarity only": similarity(space, questions),
        "generality only": generality(space, questions),
        "frequency only": frequency(space, questions),
    }
    return rows + [measure(name, "-", None, ranks) for name, ranks in baselines.items() if ranks is not None]
