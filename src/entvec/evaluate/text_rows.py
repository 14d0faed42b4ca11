"""How well texts alone detect entailments, without a taxonomy, a map or a label: rows beside those of the paper.

patterns   PPMI of the counts of a pair: how much more often a text names it than its words would be named by chance
smoothed   the same with similar words: a pair without counts borrows from those of its neighbours
SVD        the same of a low-rank approximation of all counts (Roller, Kiela and Nickel, 2018)
fused      smoothed and `unk_dup backward` in one sum, each in units of its own spread
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from entvec.array_types import Floats
from entvec.errors import InvalidInput
from entvec.evaluate.benchmark import Benchmark
from entvec.evaluate.detection import Scores, score
from entvec.text import TextEvidence
from entvec.vectors import Vectors

RANK = 50
NEIGHBOURS = 20
SOFTNESS = 0.1
"""A neighbour weighs exp(cosine / SOFTNESS)."""


def text_scores(benchmark: Benchmark, vectors: Vectors, text: TextEvidence) -> list[Scores]:
    """Return the rows of a text. They use no labels and no knowledge.

    >>> from entvec.bundled import google_news, wordnet_knowledge
    >>> from entvec.text import extract
    >>> text = extract("Guitars, lutes and other instruments. Dogs and other animals.", wordnet_knowledge())
    >>> pairs = Benchmark("pairs", ("guitar", "guitar"), ("instrument", "animal"), np.array([1.0, 0.0]))
    >>> for row in text_scores(pairs, google_news(), TextEvidence.of(text)):
    ...     print(row.operator, bool(row.there[0] > row.there[1]), bool(row.there[0] > row.back[0]))
    patterns True True
    smoothed True True
    SVD True True
    fused True True

    Parameters
    ----------
    benchmark
        Pairs whose words all have vectors.
    vectors
        Word vectors.
    text
        What `entvec extract` has counted.
    """
    if not len(text):
        raise InvalidInput("the evidence has no rows, expected pairs that texts name")
    counts = _ppmi(text)
    sides = [_rows(text, words) for words in (benchmark.hypo, benchmark.hyper)]
    borrowed = [_neighbours(text, vectors, words) for words in (benchmark.hypo, benchmark.hyper)]
    left, values, right = _factors(counts)

    def low_rank(y: csr_array, x: csr_array) -> Floats:
        return np.asarray(np.sum(np.asarray((y @ left) * values) * np.asarray(x @ right.T), axis=1), np.float64)

    def product(y: csr_array, x: csr_array) -> Floats:
        return np.asarray((y @ counts).multiply(x).sum(axis=1)).ravel()

    rows = {
        "patterns": (product(*sides), product(*sides[::-1])),
        "smoothed": (product(*borrowed), product(*borrowed[::-1])),
        "SVD": (low_rank(*sides), low_rank(*sides[::-1])),
    }
    by_vectors = score(benchmark, vectors, "unk_dup", "backward")
    both: Any = zip(rows["smoothed"], (by_vectors.there, by_vectors.back), strict=True)
    text_spread, vector_spread = (
        float(np.concatenate(each).std()) or 1.0 for each in (rows["smoothed"], (by_vectors.there, by_vectors.back))
    )
    there, back = (said / text_spread + scored / vector_spread for said, scored in both)
    rows["fused"] = there, back
    return [Scores(name, "text", "text", *each) for name, each in rows.items()]


def _ppmi(text: TextEvidence) -> csr_array:
    """Return the positive pointwise mutual information of each pair: a row for each hypo, a column for each hyper."""
    n = len(text.terms)
    counts = csr_array((text.documents.astype(np.float64), (text.hypo, text.hyper)), shape=(n, n))
    counts.sum_duplicates()
    found = counts.tocoo()
    hypo, hyper = np.asarray(counts.sum(axis=1), np.float64), np.asarray(counts.sum(axis=0), np.float64)
    expected = hypo[found.row] * hyper[found.col] / counts.sum()
    return csr_array((np.maximum(np.log(found.data / expected), 0.0), (found.row, found.col)), shape=(n, n))


def _factors(counts: csr_array) -> tuple[Floats, Floats, Floats]:
    """Return the factors of a low-rank approximation."""
    n = counts.shape[0]
    if not counts.count_nonzero() or n < 3:
        return np.zeros((n, 1)), np.zeros(1), np.zeros((1, n))
    factors: Any = svds(counts, k=min(RANK, n - 1), v0=np.random.default_rng(0).normal(size=n))
    left, values, right = factors
    return left, values, right


def _rows(text: TextEvidence, words: Sequence[str]) -> csr_array:
    """Return a matrix that picks the term that each word is."""
    at = {term.casefold().replace(" ", "_"): row for row, term in enumerate(text.terms)}
    found = np.array([at.get(word.casefold().replace(" ", "_"), -1) for word in words])
    there = np.flatnonzero(found >= 0)
    return csr_array((np.ones(len(there)), (there, found[there])), shape=(len(words), len(text.terms)))


def _neighbours(text: TextEvidence, vectors: Vectors, words: Sequence[str]) -> csr_array:
    """Return a matrix with the weights of the terms that are used like each word, of which it may be one itself."""
    rows = np.asarray(vectors.rows(list(text.terms)))
    terms = np.flatnonzero(rows >= 0)
    if not len(terms):
        return csr_array((len(words), len(text.terms)))
    cosines = _unit(vectors.matrix[vectors.rows(list(words))]) @ _unit(vectors.matrix[rows[terms]]).T
    k = min(NEIGHBOURS, len(terms))
    best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    weights = np.exp((np.take_along_axis(cosines, best, axis=1) - 1) / SOFTNESS)
    weights /= weights.sum(axis=1, keepdims=True)
    at = np.repeat(np.arange(len(words)), k)
    return csr_array((weights.ravel(), (at, terms[best.ravel()])), shape=(len(words), len(text.terms)))


def _unit(matrix: NDArray[Any]) -> Floats:
    matrix = np.asarray(matrix, np.float64)
    return np.asarray(matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12))
