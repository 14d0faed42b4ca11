"""The losses of a map with two sides and offsets, and their gradients, written down in NumPy.

A batch has queries and candidates. With q = s(-Y) and k = log s(-X), the loss is a weighted sum of

hypernyms  all candidates compete to be the hypernyms of each query, by q.k + hyper_offset - generality: a softmax, in
           which a candidate may stand for several that were not drawn
detection  cross entropy of labelled pairs, by q.k + hypo_offset + hyper_offset
hyponyms   the queries compete to be a hyponym of each hypernym in the batch, by q.k less its mean over candidates

These are the losses of the default map (docs/default-map.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Ints, Matrix
from entvec.theory.elementwise import known, log_unknown, unknown
from entvec.theory.product import product

Parameters = dict[str, Matrix]
"""Weights and biases of both sides, the three offsets, and `decision`: the log of a scale, and an intercept."""

FIRST_SCALE = 1 / 8
OFFSETS = ("hypo_offset", "hyper_offset", "generality")


class Weights(NamedTuple):
    """The weights of the losses; that of the hypernyms is 1."""

    detection: float = 5.0
    hyponyms: float = 0.5


class Batch(NamedTuple):
    """Vectors of both sides and what is right for them."""

    hypo: Matrix
    """The vectors of queries, then those of other hypos of labelled pairs."""
    hyper: Matrix
    """The vectors of candidates, then those of other hypers of labelled pairs."""
    n_queries: int
    stands_for: Matrix
    """For how many words each candidate stands in the softmax."""
    owner: Ints
    """With `right` and `share`: the hypernyms of each query, whose shares have the sum 1."""
    right: Ints
    share: Matrix
    hidden: tuple[Ints, Ints]
    """Queries and candidates that are neither right nor wrong: the query itself, and rare hypernyms."""
    pair_hypo: Ints
    """With `pair_hyper`, `label` and `weight`: the labelled pairs, as rows of `hypo` and `hyper`."""
    pair_hyper: Ints
    label: NDArray[np.bool_]
    weight: Matrix


def initial(vectors: Matrix, n_components: int, rng: np.random.Generator) -> Parameters:
    """Return parameters to begin with: both sides lower the numbers of a vector by 1, and offsets are 0.

    Parameters
    ----------
    vectors
        Some vectors; if a map has fewer components than these have numbers, it begins with their main axes.
    n_components
        The number of log-odds.
    rng
        Draws a little noise.
    """
    dimension = vectors.shape[1]
    weights = np.eye(dimension, n_components)
    if n_components < dimension:
        axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)[1][:, ::-1][:, :n_components]
        weights = axes / np.sqrt(np.mean((vectors @ axes) ** 2))
    weights = weights + 0.01 / dimension**0.5 * rng.standard_normal(weights.shape)
    found: Parameters = {"decision": np.zeros(2)}
    for side in ("hypo", "hyper"):
        found |= {f"{side}_weights": weights.copy(), f"{side}_bias": -np.ones(n_components)}
    found |= {name: np.zeros(dimension + 1) for name in OFFSETS}
    return {name: value.astype(vectors.dtype) for name, value in found.items()}


def loss(p: Parameters, batch: Batch, weights: Weights = Weights()) -> tuple[float, Parameters]:  # noqa: B008 - immutable
    """Return the loss of a batch, and its gradient by each parameter.

    Parameters
    ----------
    p
        The parameters; an intercept of exactly 0 is first set so that half of the labelled pairs are entailments.
    batch
        Vectors and what is right for them.
    weights
        How much each loss counts.
    """
    n, m = batch.n_queries, len(batch.stands_for)
    y = product(batch.hypo, p["hypo_weights"]) + p["hypo_bias"]
    x = product(batch.hyper, p["hyper_weights"]) + p["hyper_bias"]
    q, k = unknown(y), log_unknown(x)
    hypo_offset = _offset(p, "hypo_offset", batch.hypo)
    hyper_offset = _offset(p, "hyper_offset", batch.hyper)
    generality = _offset(p, "generality", batch.hyper[:m])
    scores = product(q[:n], k[:m].T)

    hypernyms, by_scores, by_rank = _hypernyms(batch, scores, hyper_offset[:m] - generality)
    hyponyms, by_below, asked, mean = _hyponyms(batch, scores, q[:n], k[:m])
    by_scores[:, asked] += weights.hyponyms * by_below
    by_mean = -weights.hyponyms * by_below.sum(axis=1)
    share_of_mean = (batch.stands_for / batch.stands_for.sum()).astype(k.dtype)
    found, by_pair, by_decision = _detection(p, batch, q, k, hypo_offset, hyper_offset)

    from scipy import sparse

    by_pair *= weights.detection
    shape = (len(q), len(k))
    pairs = sparse.csr_array((by_pair.astype(q.dtype), (batch.pair_hypo, batch.pair_hyper)), shape=shape)
    by_q, by_k = pairs @ k, pairs.T @ q
    by_q[:n] += product(by_scores, k[:m]) + by_mean[:, None] * mean
    by_k[:m] += product(by_scores.T, q[:n]) + share_of_mean[:, None] * (by_mean @ q[:n])
    by_hypo_offset = np.bincount(batch.pair_hypo, by_pair, len(q)).astype(q.dtype)
    by_hyper_offset = np.bincount(batch.pair_hyper, by_pair, len(k)).astype(k.dtype)
    by_hyper_offset[:m] += by_rank
    by_y, by_x = by_q * -q * (1 - q), by_k * -known(x)
    gradient = {
        "hypo_weights": product(batch.hypo.T, by_y),
        "hypo_bias": by_y.sum(axis=0),
        "hyper_weights": product(batch.hyper.T, by_x),
        "hyper_bias": by_x.sum(axis=0),
        "hypo_offset": _by_offset(batch.hypo, by_hypo_offset),
        "hyper_offset": _by_offset(batch.hyper, by_hyper_offset),
        "generality": _by_offset(batch.hyper[:m], -by_rank),
        "decision": weights.detection * by_decision,
    }
    return hypernyms + weights.detection * found + weights.hyponyms * hyponyms, gradient


def _offset(p: Parameters, name: str, vectors: Matrix) -> Matrix:
    return np.asarray(vectors @ p[name][:-1] + p[name][-1])


def _by_offset(vectors: Matrix, by_value: Matrix) -> Matrix:
    return np.append(by_value @ vectors, by_value.sum()).astype(vectors.dtype)


def _hypernyms(batch: Batch, scores: Matrix, less: Matrix) -> tuple[float, Matrix, Matrix]:
    """Return the loss, its gradient by score, and that by what is added to all scores of a candidate."""
    n = batch.n_queries
    right = scores[batch.owner, batch.right] + less[batch.right]
    ranked = scores + (less + np.log(batch.stands_for)).astype(scores.dtype)
    ranked[batch.hidden] = -np.inf
    highest = ranked.max(axis=1, keepdims=True)
    ranked -= highest
    np.exp(ranked, out=ranked)
    total = ranked.sum(axis=1, keepdims=True)
    log_total = (highest + np.log(total))[:, 0]
    value = float(batch.share @ (log_total[batch.owner] - right)) / n
    ranked *= np.bincount(batch.owner, batch.share, n).astype(scores.dtype)[:, None] / (total * n)
    ranked[batch.owner, batch.right] -= (batch.share / n).astype(scores.dtype)
    return value, ranked, ranked.sum(axis=0)


def _hyponyms(batch: Batch, scores: Matrix, q: Matrix, k: Matrix) -> tuple[float, Matrix, Ints, Matrix]:
    """Return the loss, its gradient by the scores of the hypernyms of the batch less the mean, these, and the mean."""
    asked, column = np.unique(batch.right, return_inverse=True)
    mean = ((batch.stands_for / batch.stands_for.sum()) @ k).astype(k.dtype)
    below = scores[:, asked] - (q @ mean)[:, None]
    wrong = below.copy()
    wrong[batch.owner, column] = -np.inf
    at = np.full(scores.shape[1], -1)
    at[asked] = np.arange(len(asked))
    there = at[batch.hidden[1]] >= 0
    wrong[batch.hidden[0][there], at[batch.hidden[1][there]]] = -np.inf
    highest = np.maximum(wrong.max(axis=0), -1e4)  # a hypernym of all queries has no rival
    np.exp(wrong - highest, out=wrong)
    total = wrong.sum(axis=0) + 1e-30
    gap = (highest + np.log(total))[column] - below[batch.owner, column]
    share = batch.share / np.bincount(column, batch.share)[column] / len(asked)
    value = float(share @ -log_unknown(gap.astype(np.float64)))
    by_gap = share * known(gap.astype(np.float64))
    wrong *= (np.bincount(column, by_gap) / total).astype(scores.dtype)
    wrong[batch.owner, column] -= by_gap.astype(scores.dtype)
    return value, wrong, asked, mean


def _detection(
    p: Parameters, batch: Batch, q: Matrix, k: Matrix, hypo_offset: Matrix, hyper_offset: Matrix
) -> tuple[float, Matrix, Matrix]:
    """Return the cross entropy, its gradient by the score of each pair, and by the two numbers of the decision."""
    y, x = batch.pair_hypo, batch.pair_hyper
    scores = np.einsum("ij,ij->i", q[y], k[x]).astype(np.float64) + hypo_offset[y] + hyper_offset[x]
    scale = FIRST_SCALE * float(np.exp(p["decision"][0]))
    if not p["decision"][1]:
        p["decision"][1] = -scale * scores.mean()
    logits = scale * scores + float(p["decision"][1])
    sign = np.where(batch.label, 1.0, -1.0)
    value = float(batch.weight @ -log_unknown(-sign * logits))
    by_logit = -sign * batch.weight * known(-sign * logits)
    decision = np.array([by_logit @ (scale * scores), by_logit.sum()])
    return value, by_logit * scale, decision.astype(p["decision"].dtype)
