"""Measures of an encoder whose words were held out, as functions of vectors; needs NumPy alone."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
VERB = 2


class Answers:
    """Scores pairs of vectors by the heads: s(-Y) . log s(-X), and offsets.

    Parameters
    ----------
    heads
        Weights and biases of both sides, and the offsets.
    scale
        What vectors of unit length are multiplied by before the heads.
    """

    def __init__(self, heads: Mapping[str, NDArray[Any]], scale: float = 1.0) -> None:
        self.heads, self.scale = heads, np.float32(scale)

    def offset(self, name: str, vectors: Floats) -> Floats:
        """An affine function of each vector."""
        function = self.heads[name].astype(np.float32)
        return np.asarray(vectors * self.scale @ function[:-1] + function[-1])

    def query(self, vectors: Floats) -> Floats:
        """s(-Y)."""
        y = vectors * self.scale @ self.heads["hypo_weights"].astype(np.float32) + self.heads["hypo_bias"]
        return np.asarray(1 / (1 + np.exp(y)))

    def key(self, vectors: Floats) -> Floats:
        """log s(-X)."""
        x = vectors * self.scale @ self.heads["hyper_weights"].astype(np.float32) + self.heads["hyper_bias"]
        return np.asarray(-np.logaddexp(0, x))

    def ranking(self, hypo: Floats, hyper: Floats) -> Floats:
        """Scores of all pairs less the generality of the hyper."""
        return np.asarray(
            self.query(hypo) @ self.key(hyper).T + self.offset("hyper_offset", hyper) - self.offset("generality", hyper)
        )

    def pairs(self, hypo: Floats, hyper: Floats) -> Floats:
        """Scores of pairs, row by row."""
        product = np.sum(self.query(hypo) * self.key(hyper), axis=1)
        return np.asarray(product + self.offset("hypo_offset", hypo) + self.offset("hyper_offset", hyper))

    def same(self, first: Floats, second: Floats) -> Floats:
        """Cosines of pairs by the head for synonyms."""
        weights = self.heads["same_weights"].astype(np.float32)
        u, v = first @ weights, second @ weights
        return np.asarray(np.sum(u * v, axis=1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1))


def reciprocal_ranks(scores: Floats, right: list[Ints], own: Ints) -> NDArray[np.float64]:
    """One over the rank of the first right column; a word is never its own answer, `own` is its column or -1."""
    found = []
    for row, answers, mine in zip(scores, right, own.tolist(), strict=True):
        best = row[answers].max()
        found.append(1 / (1 + np.sum(row > best) - (mine >= 0 and row[mine] > best)))
    return np.array(found)


def auc(of_true: Floats, of_false: Floats) -> NDArray[np.float64]:
    """For each true one, the share of false ones that are lower; ties count half."""
    return np.asarray(np.mean((of_true[:, None] > of_false) + 0.5 * (of_true[:, None] == of_false), axis=1))


def detection(there: Floats, back: Floats, labels: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    """Which pairs 50% Acc and Dir Acc count as right."""
    called = np.zeros(len(there), dtype=bool)
    called[np.argsort(-there, kind="stable")[: len(there) // 2]] = True
    direction = np.where(there == back, 0.5, there > back)[labels]
    return {"50% Acc": (called == labels).astype(np.float64), "Dir Acc": direction.astype(np.float64)}


def measure_all(
    answers: Answers,
    arrays: Mapping[str, NDArray[Any]],
    without: str,
    *,
    nodes: Callable[[Ints], Floats],
    plurals: Callable[[Ints], Floats],
    told: Callable[[Ints, Ints], Floats],
    texts: Callable[[], Floats],
    right: Callable[[str], list[Ints]],
) -> dict[str, NDArray[np.float64]]:
    """All measures of a build on what it was built without: for each an array whose mean it is.

    Parameters
    ----------
    answers
        The heads.
    arrays
        Of the prepared folder.
    without
        validation, test, fusion, branches or bless.
    nodes, plurals, told, texts
        Return the vectors of nodes, of their plurals, of nodes with the definition of a concept, of other texts.
    right
        Returns the right answers of questions, by their name.
    """
    found: dict[str, NDArray[np.float64]] = {}
    if without.startswith("bless"):
        pairs, covered = arrays["bless"], arrays["bless.covered"]
        words = texts()
        y, x = words[pairs[:, 0]], words[pairs[:, 1]]
        there, back, labels = answers.pairs(y, x), answers.pairs(x, y), pairs[:, 2] > 0
        both = covered[pairs[:, 0]] & covered[pairs[:, 1]]
        for name, some in (("covered", both), ("others", ~both), ("all", np.ones(len(pairs), dtype=bool))):
            measures = detection(there[some], back[some], labels[some])
            found |= {f"{name}, {measure}": each for measure, each in measures.items()}
        return found

    candidates = arrays["candidates"].astype(np.int64)
    verbs = np.flatnonzero(arrays["node.kind"] == VERB)
    hypers = {"noun": nodes(candidates), "verb": nodes(verbs)}
    drawn = [f"{without}.{kind}" for kind in ("known", "lacking", "phrases", "verbs")]
    for name in ["branches"] if without == "branches" else drawn:
        if f"asked.{name}" not in arrays:
            continue
        asked, concepts = arrays[f"asked.{name}"].astype(np.int64)
        kind, among = ("verb", verbs) if name.endswith("verbs") else ("noun", candidates)
        place = np.full(len(arrays["node.kind"]), -1)
        place[among] = np.arange(len(among))
        answers_of = [place[each] for each in right(name)]

        def ranks(vectors: Floats, kind: str = kind, of: list[Ints] = answers_of, own: Ints = place[asked]) -> Any:
            return reciprocal_ranks(answers.ranking(vectors, hypers[kind]), of, own)

        short = name.rpartition(".")[2]
        plain, defined = ranks(nodes(asked)), ranks(told(asked, concepts))
        found |= {short: plain, f"{short}, defined": defined}
        if short == "phrases":
            other = arrays[f"other_head.{without}"]
            found |= {"other head": plain[other], "other head, defined": defined[other]}
        if short in ("known", "phrases"):
            found[f"{short}, plural"] = ranks(plurals(asked))
    if f"same.{without}" in arrays:
        word, synonym, sibling = (nodes(column) for column in arrays[f"same.{without}"].astype(np.int64).T)
        near, far = answers.same(word, synonym), answers.same(word, sibling)
        found |= {"same AUC": auc(near, far), "same before sibling": (near > far).astype(np.float64)}
        near, far = np.sum(word * synonym, axis=1), np.sum(word * sibling, axis=1)
        found |= {"cosine AUC": auc(near, far), "cosine before sibling": (near > far).astype(np.float64)}
    return found


def shown(values: NDArray[np.float64]) -> str:
    """A mean with its 95% interval for another choice of words."""
    half = 1.96 * values.std() / len(values) ** 0.5
    return f"{values.mean():.3f} ({values.mean() - half:.3f} to {values.mean() + half:.3f}), n = {len(values):,}"
