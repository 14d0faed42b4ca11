"""Guess how probably words are meant in each of their senses, write the guesses, and print how good they are.

    python tools/weigh_senses.py [-o FILE]

Tagged text has only 15,471 of the 126,503 terms of WordNet, and most of these a few times. Where nobody counted, the
order of the senses means nothing: it is that of WordNet's source files, so that the first toaster is someone who
proposes a toast. Here a softmax over the senses of a term weighs what describes each of them (FEATURES). Its weights
are fitted to terms whose senses were counted, with their counts and the order of their senses hidden, each term alike.

How many counts a guess is worth (`knowledge.GUESSED`) is read off the losses that are printed: some occurrences of a
term are shown, and the senses of its others predicted. `sense-labels.tsv` has terms without counts, drawn by
chance, and the senses that a speaker means by them; nothing is fitted to these.
"""

import argparse
import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from entvec.bundled import google_news, wordnet_knowledge
from entvec.evidence.neighbours import unit
from entvec.files import replacing
from entvec.graphs.structure import Links
from entvec.knowledge import Knowledge

HERE = Path(__file__).parent
LABELS = HERE / "sense-labels.tsv"
GUESSES = HERE / "sense-guesses.npz"
FEATURES = {
    "first": "the term is the first of its synonyms",
    "verb": "the sense is a verb",
    "instance": "it is an individual",
    "marked": "the term is marked in it, as slang is",
    "below": "log of the number of terms below, plus one",
    "counted": "log of how often its synonyms were counted, plus one",
    "vectors": "mean of the three largest cosines with synonyms, with terms above, below and beside it",
    "no vectors": "there is no such cosine",
    "gloss": "cosine with the words of its gloss, the rarer the heavier",
}
LEAST_COUNT = 2
NEAREST = 3
MOST_BESIDE = 60
PENALTY = 1.0
FOLDS = 5
SHOWN = (1, 3, 10)
WORTH = (0.5, 1, 2, 2.5, 3, 5)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Senses:
    """All senses of a Knowledge: the term, the concept and the features of each."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        term, concept = known.senses_of.pairs()
        self.term, self.concept = np.asarray(term, np.int64), np.asarray(concept, np.int64)
        self.frequency = np.asarray(known.frequencies, np.float64)
        n = len(known.terms)
        self.counted = np.bincount(self.term, self.frequency, n)
        self.ambiguous = np.bincount(self.term, minlength=n) > 1

    def of(self, terms: NDArray[np.bool_]) -> Ints:
        """The senses of some terms."""
        return np.flatnonzero(terms[self.term])

    def features(self, some: Ints) -> Floats:
        """The features of some senses."""
        known, term, concept = self.known, self.term[some], self.concept[some]
        n = len(known)
        members, names = known.members.pairs()
        firsts = np.full(n, -1)
        firsts[members[::-1]] = names[::-1]
        marked = {(one, other) for one, other, _ in np.asarray(known.marks).tolist()}
        columns = {
            "first": firsts[concept] == term,
            "verb": np.asarray(known.kinds)[concept] == 2,
            "instance": np.asarray(known.instance_of.counts)[concept] > 0,
            "marked": [pair in marked for pair in zip(term.tolist(), concept.tolist(), strict=True)],
            "below": np.log1p(self._below()[concept]),
            "counted": np.log1p(np.bincount(self.concept, self.frequency, n)[concept] - self.frequency[some]),
            **self._by_vectors(some),
        }
        return np.stack([np.asarray(columns[name], np.float64) for name in FEATURES], axis=1)

    def _below(self) -> Floats:
        """How many terms are below each concept, each counted along its first way up."""
        known = self.known
        parents = [above[0] if (above := known.above(concept)) else -1 for concept in range(len(known))]
        found = np.zeros(len(known))
        terms = np.asarray(known.members.counts, np.float64)
        for concept in range(len(known)):
            at, seen = parents[concept], {concept}
            while at >= 0 and at not in seen:
                found[at] += terms[concept]
                seen.add(at)
                at = parents[at]
        return found

    def _by_vectors(self, some: Ints) -> dict[str, Floats]:
        known, vectors = self.known, google_news()
        rows = vectors.words.rows(known.terms)
        matrix = unit(np.asarray(vectors.matrix, np.float32))
        at = {word: row for row, word in enumerate(vectors.words)}
        up = known.up
        down = Links(len(known), up.there, np.repeat(np.arange(len(known)), np.diff(up.starts)))
        glosses = [set(re.findall("[a-z]+", gloss.split(";")[0].casefold())) & at.keys() for gloss in known.glosses]
        used = Counter(word for gloss in glosses for word in gloss)
        found = np.zeros((len(some), 3))
        for i, (term, concept) in enumerate(zip(self.term[some].tolist(), self.concept[some].tolist(), strict=True)):
            found[i, 1] = 1
            if rows[term] < 0:
                continue
            own = matrix[rows[term]]
            above = known.above(concept)
            around = [concept, *above, *(below for each in (*above, concept) for below in down.of(each)[:MOST_BESIDE])]
            terms = {name for each in around for name in known.members.of(int(each))} - {term}
            if near := [rows[name] for name in sorted(terms) if rows[name] >= 0]:
                found[i, :2] = np.sort(matrix[near] @ own)[-NEAREST:].mean(), 0
            if words := sorted(glosses[concept] - {known.terms[term]}):
                weights = [np.log(len(known) / used[word]) for word in words]
                centre = weights @ matrix[[at[word] for word in words]]
                found[i, 2] = centre @ own / np.linalg.norm(centre)
        return dict(zip(("vectors", "no vectors", "gloss"), found.T, strict=True))


def log_sums(values: Floats, groups: Ints) -> Floats:
    """For each value the log of the sum of the exponentials of its group."""
    largest = largest_of(values, groups)
    return np.asarray((largest + np.log(np.bincount(groups, np.exp(values - largest[groups]))))[groups])


def largest_of(values: Floats, groups: Ints) -> Floats:
    """The largest value of each group."""
    found = np.full(groups.max() + 1, -np.inf)
    np.maximum.at(found, groups, values)
    return found


def fit(x: Floats, shares: Floats, groups: Ints) -> Floats:
    """The weights of a softmax within groups that make shares most probable."""
    scale = np.where(x.std(axis=0) > 0, x.std(axis=0), 1)

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs = x / scale @ weights
        logs -= log_sums(logs, groups)
        value = -shares @ logs + PENALTY / 2 * weights @ weights
        return float(value), (x / scale).T @ (np.exp(logs) - shares) + PENALTY * weights

    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True).x / scale)


def best_found(scores: Floats, right: NDArray[np.bool_], groups: Ints) -> float:
    """How often the best score of a group is right; of several best ones, the share that is."""
    chosen = scores >= largest_of(scores, groups)[groups] - 1e-9
    return float(np.mean(np.bincount(groups, chosen & right) / np.bincount(groups, chosen)))


def held_out(x: Floats, shares: Floats, groups: Ints) -> Floats:
    """Scores by weights that were fitted to other terms."""
    fold = np.random.default_rng(0).integers(0, FOLDS, groups.max() + 1)[groups]
    found = np.zeros(len(x))
    for number in range(FOLDS):
        rest = fold != number
        found[~rest] = x[~rest] @ fit(x[rest], shares[rest], np.unique(groups[rest], return_inverse=True)[1])
    return found


class Counted(NamedTuple):
    """The counts of senses, their scores, and the term of each."""

    counts: Floats
    scores: Floats
    groups: Ints


def predicted(senses: Counted, worth: float, shown: int) -> float:
    """The loss of the senses in which terms occur, given some occurrences by chance and a guess of some worth."""
    rng = np.random.default_rng(0)
    guesses = np.exp(senses.scores - log_sums(senses.scores, senses.groups))
    losses = []
    for rows in np.split(np.arange(len(guesses)), np.flatnonzero(np.diff(senses.groups)) + 1):
        occurrences = rng.permutation(np.repeat(np.arange(len(rows)), senses.counts[rows].astype(int)))
        if len(occurrences) > shown:
            seen = np.bincount(occurrences[:shown], minlength=len(rows)) + worth * guesses[rows]
            losses.append(-np.log(seen / seen.sum())[occurrences[shown:]].mean())
    return float(np.mean(losses))


def weights_for(senses: Senses) -> Floats:
    """The weights of the features, fitted to counted terms; prints them, and how good they are for other terms."""
    small = np.array([term.islower() for term in senses.known.terms])
    some = senses.of(senses.ambiguous & small & (senses.counted >= LEAST_COUNT))
    x, groups = senses.features(some), np.unique(senses.term[some], return_inverse=True)[1]
    shares = senses.frequency[some] / senses.counted[senses.term[some]]
    most = largest_of(shares, groups)
    weights = fit(x, shares, groups)
    print("weights:", ", ".join(f"{name} {weight:.2f}" for name, weight in zip(FEATURES, weights, strict=True)))
    guessed = Counted(senses.frequency[some], held_out(x, shares, groups), groups)
    for name, scores in (("chance", 0 * guessed.scores), ("guessed", guessed.scores)):
        loss = -shares @ (scores - log_sums(scores, groups)) / len(most)
        found = best_found(scores, shares == most[groups], groups)
        print(f"{len(most):,} counted terms, {name}: the most frequent sense is first {found:.1%}, loss {loss:.3f}")
    for shown in SHOWN:
        losses = [f"{worth}: {predicted(guessed, worth, shown):.3f}" for worth in WORTH]
        print(f"loss of the other occurrences with {shown} shown, by what a guess is worth:", ", ".join(losses))
    return weights


def check_labels(senses: Senses, guesses: NDArray[np.uint8]) -> None:
    """Print how often a sense that a speaker means is the first of a term that nobody counted."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        meant = {row["term"]: row["senses"].split() for row in csv.DictReader(file, delimiter="\t")}
    some = senses.of(np.array([term in meant for term in senses.known.terms]))
    kinds, numbers = (np.asarray(each) for each in (senses.known.kinds, senses.known.numbers))
    names = [f"{'nv'[kinds[senses.concept[at]] - 1]}{numbers[at]}" for at in some]
    terms = [senses.known.terms[at] for at in senses.term[some].tolist()]
    right = np.array([name in meant[term] for term, name in zip(terms, names, strict=True)])
    groups = np.unique(senses.term[some], return_inverse=True)[1]
    for name, scores in (("by number", -numbers[some]), ("chance", 0 * numbers[some]), ("guessed", guesses[some])):
        found = best_found(scores.astype(np.float64), right, groups)
        print(f"{len(meant)} labelled terms without counts, {name}: a sense that is meant is first {found:.1%}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the weights, print how good they are, and write the guesses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="output", type=Path, default=GUESSES, metavar="FILE")
    options = parser.parse_args(arguments)
    none = np.empty(0, np.uint8)
    senses = Senses(replace(wordnet_knowledge(), guesses=none, judged=none))
    weights = weights_for(senses)
    some = senses.of(senses.ambiguous)
    scores, groups = senses.features(some) @ weights, np.unique(senses.term[some], return_inverse=True)[1]
    guesses = np.zeros(len(senses.term), np.uint8)
    guesses[some] = np.clip(np.rint(100 * np.exp(scores - log_sums(scores, groups))), 1, 100)
    check_labels(senses, guesses)
    with replacing(options.output) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, guesses=guesses)


if __name__ == "__main__":
    main()
