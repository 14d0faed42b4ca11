"""Fit the relation model, `entvec/bundled/data/relations.json`, and print how good it is on pairs it was not fitted to.

    python tools/fit_relations.py [--hold-out NAME...] [--map FILE] [-o FILE]

Two kinds of pairs are fitted to. Where both words are known: 3,180 pairs that were labelled by hand, in
relation-training-pairs.tsv, relation-training-things.tsv and relation-training-asked.tsv, with the default map, as
people use it; what an everyday statement adds is then fitted alone to the 300 pairs of relation-training-stated.tsv.
Where a word is new: pairs of WordNet's first senses in which one word or both are hidden from the knowledge, under a
map that was learned without them and their synonyms (`--map`; by default it is trained first, in four minutes). These
words are NEW_WORDS nouns drawn by chance. No word of `--hold-out`, weeds-bless by default, is among them, nor was the
map learned with it, so that such words stay fit to measure with.

The loss of a pair is the log of the probability of its relation, or of its relation and the also-relation together.
Pairs are taken in both orders, and weights are averaged with those of the pairs reversed: the relation of b to a
mirrors that of a to b. The strength of the penalty is chosen by five-fold cross-validation without a shared word.
"""

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from entvec.bundled import bundled_knowledge, default_map, google_news, wordnet_knowledge
from entvec.evidence import RELATIONS, Evidence, RelationModel
from entvec.evidence.features import (
    FACTS,
    MIRRORED,
    MIRRORED_FEATURES,
    NAMES,
    NEIGHBOURS,
    VECTORS,
    columns,
)
from entvec.evidence.gathering import BOTH_KNOWN, BOTH_NEW, NEW_WORD, PairEvidence
from entvec.evidence.neighbours import Neighbours
from entvec.evidence.relation_model import case_of, softmax
from entvec.knowledge import Knowledge
from entvec.knowledge.facts import facts
from entvec.learn.fitted import FittedMap
from entvec.model.model import choose
from entvec.vectors import Vectors

HERE = Path(__file__).parent
TARGET = HERE.parent / "src/entvec/bundled/data/relations.json"
TRAINING = tuple(HERE / f"relation-training-{name}.tsv" for name in ("pairs", "things", "asked"))
STATED = HERE / "relation-training-stated.tsv"
BASE_RATES = {"narrower": 0.15, "broader": 0.15, "same": 0.1, "sibling": 0.1, "part": 0.05, "whole": 0.05, "other": 0.4}
NEW_WORDS = 1600
PAIRS = {"narrower": 1000, "same": 300, "sibling": 500, "part": 300, "other": 1000}
"""How many pairs of each relation are drawn where a word is new; half of the others are near by cosine."""
STATED_PENALTY = 3.0
PENALTIES = (3.0, 10.0, 30.0, 100.0)
FOLDS = 5
CASES = (
    *((BOTH_KNOWN, sources) for sources in ((FACTS,), (FACTS, VECTORS))),
    *((situation, sources) for situation in (NEW_WORD, BOTH_NEW) for sources in ((VECTORS,), (VECTORS, NEIGHBOURS))),
)

Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """Two words, their relation, and a second one that is as good an answer, if there is one."""

    first: str
    second: str
    relation: str
    also: str = ""


class Labelled(NamedTuple):
    """Evidence for pairs, and which relations are right for each."""

    pairs: list[Pair]
    features: Floats
    right: NDArray[np.bool_]


def labelled(pairs: Sequence[Pair], found: PairEvidence) -> Labelled:
    """The evidence for pairs with their labels as a table."""
    right = np.array([[name in (pair.relation, pair.also) for name in RELATIONS] for pair in pairs])
    return Labelled(list(pairs), found.features, right)


def training_pairs(paths: Sequence[Path] = TRAINING) -> list[Pair]:
    """The pairs that were labelled by hand; STATED has those that everyday statements connect."""
    found = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            found += [Pair(row["first"], row["second"], row["relation"], row["also"]) for row in rows]
    return found


# Pairs with new words


class Nouns:
    """Words with a vector that are nouns in their first sense, and what holds between these senses."""

    def __init__(self, evidence: Evidence, vectors: Vectors) -> None:
        self.evidence, self.vectors = evidence, vectors
        known = self.known = evidence.meanings.known
        self.concept: dict[str, int] = {}
        self.words = defaultdict(list)
        for word in evidence.vocabulary.words:
            senses = known.senses(word)  # WordNet's order, and not how probable they are guessed to be
            if word.islower() and senses and senses[0].term == word and senses[0].part_of_speech == "noun":
                self.concept[word] = senses[0].concept
                self.words[senses[0].concept].append(word)
        self.below = defaultdict(list)
        for concept in self.words:
            for above in known.above(concept):
                self.below[above].append(concept)

    def pairs(self, relation: str) -> Iterator[tuple[str, str]]:
        """All pairs of a relation, in first senses."""
        known = self.known
        for word, concept in self.concept.items():
            if relation == "narrower":
                found = [c for c, steps in known.ancestors([concept]).items() if 0 < steps <= 5 and known.depth(c) >= 3]
            elif relation == "same":
                found = [concept]
            elif relation == "part":
                found = known.part_of.of(concept)
            else:
                found = [c for above in known.above(concept) for c in self.below[above] if c != concept]
            yield from ((word, other) for c in found for other in self.words.get(c, ()) if other != word)

    def others(
        self, rng: np.random.Generator, asked: Sequence[str], among: Collection[str]
    ) -> Iterator[tuple[str, str]]:
        """Pairs between which nothing is known: by turns one by chance and one that is near by cosine."""
        words = sorted(among)
        neighbours = Neighbours(self.vectors, self.evidence.meanings)
        while True:
            word = asked[int(rng.integers(len(asked)))]
            near = [each for each, _ in neighbours.of(word) if each in among]
            for other in (words[rng.integers(len(words))], *rng.permutation(near)[:1].tolist()):
                if other != word and not facts(self.known, word, other):
                    yield word, other


def new_words(evidence: Evidence, vectors: Vectors, hold_out: Collection[str]) -> list[str]:
    """Nouns drawn by chance, none of them a form or a synonym of a held-out word."""
    rest = evidence.hiding(hold_out)
    free = [word for word in Nouns(evidence, vectors).concept if rest.meanings.of(word) and word.isalpha()]
    return [free[i] for i in np.random.default_rng(0).permutation(len(free))[:NEW_WORDS].tolist()]


def drawn(nouns: Nouns, new: Collection[str], situation: str) -> list[Pair]:
    """Pairs with one new word, or of two."""
    rng = np.random.default_rng(1)
    old = nouns.concept.keys() - new

    def fits(first: str, second: str) -> bool:
        return (first in new) + (second in new) == (2 if situation == BOTH_NEW else 1)

    found = []
    for relation, size in PAIRS.items():
        if relation == "other":
            several = nouns.others(rng, sorted(new), new if situation == BOTH_NEW else old)
            pairs = list(dict.fromkeys(next(several) for _ in range(size)))
        else:
            pairs = [pair for pair in nouns.pairs(relation) if fits(*pair)]
            pairs = [pairs[i] for i in rng.permutation(len(pairs))[:size]]
        found += [Pair(*pair, relation) for pair in pairs]
    return found


# Fitting


def fit(
    features: Floats, right: NDArray[np.bool_], penalty: float, mirror: Sequence[int] | None = MIRRORED_FEATURES
) -> Floats:
    """Weights and constants of a softmax, without what the shares of labels say.

    `mirror` has the feature that each becomes in the pair reversed: pairs count in both orders. With None they count as
    they are.
    """
    x, y = features, right
    if mirror is not None:
        x = np.concatenate([features, features[:, mirror]])
        y = np.concatenate([right, right[:, MIRRORED]])
    scale = x.std(axis=0)
    scale[scale == 0] = np.inf
    z = np.concatenate([x / scale, np.ones((len(x), 1))], axis=1)

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(z.shape[1], -1)
        p = softmax(z @ weights)
        of_right = (p * y).sum(axis=1, keepdims=True)
        gradient = z.T @ (p - p * y / of_right)
        gradient[:-1] += penalty * weights[:-1]
        value = -np.log(of_right).sum() + penalty / 2 * np.sum(weights[:-1] ** 2)
        return float(value), gradient.ravel()

    start = np.zeros((z.shape[1], y.shape[1]))
    found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 3000}).x
    weights = found.reshape(start.shape)
    weights[:-1] /= scale[:, None]
    if mirror is not None:  # exactly the same for both orders, not only up to the tolerance of the optimiser
        weights = (weights + weights[[*mirror, x.shape[1]]][:, MIRRORED]) / 2
    weights[-1] -= np.log(shares(y))
    return np.asarray(weights - weights.mean(axis=1, keepdims=True))


def fit_statements(data: Labelled, weights: Floats, rates: Floats, penalty: float) -> Floats:
    """The same weights with those of everyday statements, which nothing else changes: they add to what the others say.

    The pairs of STATED are connected by statements, so that all other weights stay those of usual pairs.
    """
    x = np.concatenate([data.features, data.features[:, MIRRORED_FEATURES]])
    y = np.concatenate([data.right, data.right[:, MIRRORED]])
    own = [column for column, name in enumerate(NAMES) if name.startswith("everyday ")]
    usual = weights.copy()
    usual[own] = 0.0
    offset = np.log(rates) + x @ usual[:-1] + usual[-1]
    scale = x[:, own].std(axis=0)
    z = x[:, own] / scale

    def loss(flat: Floats) -> tuple[float, Floats]:
        added = flat.reshape(len(own), -1)
        p = softmax(offset + z @ added)
        of_right = (p * y).sum(axis=1, keepdims=True)
        gradient = z.T @ (p - p * y / of_right) + penalty * added
        return float(-np.log(of_right).sum() + penalty / 2 * np.sum(added**2)), gradient.ravel()

    start = np.zeros(len(own) * y.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x.reshape(len(own), -1) / scale[:, None]
    mirror = [own.index(MIRRORED_FEATURES[column]) for column in own]
    usual[own] = (found + found[mirror][:, MIRRORED]) / 2
    return usual


def shares(right: NDArray[np.bool_]) -> Floats:
    """The share of each relation among labels, at least one label."""
    return np.asarray(np.maximum((right / right.sum(axis=1, keepdims=True)).mean(axis=0), 1 / len(right)))


def predicted(weights: Floats, features: Floats, rates: Floats) -> Floats:
    """Probabilities of the relations."""
    return softmax(np.log(rates) + features @ weights[:-1] + weights[-1])


def folds(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    """A fold for each pair; pairs with a common word are in the same one, as far as that goes."""
    words = {word: i for i, word in enumerate(dict.fromkeys(word for pair in pairs for word in pair[:2]))}
    ends = np.array([[words[pair.first], words[pair.second]] for pair in pairs])
    matrix = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(words), len(words)))
    _, group = connected_components(matrix, directed=False)
    of_pair = group[ends[:, 0]]
    rng = np.random.default_rng(0)
    if np.bincount(of_pair).max() > len(pairs) / FOLDS:  # then pairs with a common first word at least
        of_pair = ends[:, 0]
    return np.asarray(rng.permutation(of_pair.max() + 1)[of_pair] % FOLDS)


def held_out(data: Labelled, penalty: float) -> Floats:
    """Probabilities of pairs by weights that were fitted to other pairs, at the shares that these pairs have."""
    fold = folds(data.pairs)
    found = np.zeros((len(fold), len(RELATIONS)))
    share = shares(np.concatenate([data.right, data.right[:, MIRRORED]]))
    for number in range(FOLDS):
        test = fold == number
        found[test] = predicted(fit(data.features[~test], data.right[~test], penalty), data.features[test], share)
    return found


def held_out_statements(data: Labelled, weights: Floats, rates: Floats) -> Floats:
    """Probabilities of pairs that statements connect, by weights of statements that were fitted to others of them."""
    fold = folds(data.pairs)
    found = np.zeros((len(fold), len(RELATIONS)))
    for number in range(FOLDS):
        some = Labelled(
            [pair for pair, at in zip(data.pairs, fold, strict=True) if at != number],
            data.features[fold != number],
            data.right[fold != number],
        )
        fitted = fit_statements(some, weights, rates, STATED_PENALTY)
        found[fold == number] = predicted(fitted, data.features[fold == number], rates)
    return found


def loss_of(p: Floats, right: NDArray[np.bool_]) -> float:
    """The mean log of the probability of what is right, with a minus."""
    return float(-np.log((p * right).sum(axis=1)).mean())


def told(name: str, p: Floats, right: NDArray[np.bool_]) -> str:
    """How good probabilities are: how many are right, of all and of the surest, and the loss."""
    top, good = p.max(axis=1), right[np.arange(len(p)), p.argmax(axis=1)]
    order = np.argsort(-top)
    share = np.cumsum(good[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(share >= 0.95)
    decided = (enough[-1] + 1) / len(order) if len(enough) else 0
    surest = [
        f"{100 * good[order[: int(part * len(order))]].mean():.1f}% of the surest {part:.0%}" for part in (0.85, 0.6)
    ]
    return (
        f"{name}: {100 * good.mean():.1f}% right, {', '.join(surest)}; 95% right where {decided:.0%} are decided; "
        f"mean top probability {100 * top.mean():.1f}%; loss {loss_of(p, right):.3f}"
    )


def masked(data: Labelled, sources: tuple[str, ...]) -> Labelled:
    """The same pairs with the features of some sources only."""
    features = np.zeros_like(data.features)
    kept = columns(sources)
    features[:, kept] = data.features[:, kept]
    return data._replace(features=features)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit all weights and write them."""
    world = prepared(__doc__, TARGET, arguments)
    vectors, known, usual, new = world.vectors, bundled_knowledge(), world.usual, world.new
    unseen = Evidence(vectors, choose(vectors, map=world.learned), known).hiding(new, synonyms=False)
    print(f"{len(new):,} new words, {len(world.without):,} with their synonyms and those held out", file=sys.stderr)

    data = {BOTH_KNOWN: labelled(pairs := training_pairs(), usual.of(*sides(pairs)))}
    nouns = Nouns(Evidence(vectors, usual.model, wordnet_knowledge()), vectors)
    for situation in (NEW_WORD, BOTH_NEW):
        pairs = [pair for pair in drawn(nouns, set(new), situation) if not contradicts(known, pair)]
        data[situation] = labelled(pairs, unseen.of(*sides(pairs)))

    stated = labelled(pairs := training_pairs([STATED]), usual.of(*sides(pairs)))
    rates = np.array([BASE_RATES[name] for name in RELATIONS])
    weights: dict[str, Floats] = {}
    reports = {}
    for situation, sources in CASES:
        these = masked(data[situation], sources)
        tried = {penalty: held_out(these, penalty) for penalty in PENALTIES}
        best = min(tried, key=lambda penalty: loss_of(tried[penalty], these.right))
        name = case_of(situation, sources)
        weights[name] = fit(these.features, these.right, best)
        reports[name] = told(f"{len(these.pairs):,} pairs, penalty {best:g}", tried[best], these.right)
        if situation == BOTH_KNOWN:
            some = masked(stated, sources)
            weights[name] = fit_statements(some, weights[name], rates, STATED_PENALTY)
            reports[f"{name}, stated"] = told(
                f"{len(some.pairs):,} pairs", held_out_statements(some, weights[name], rates), some.right
            )
            print(f"{name}, stated: {reports[f'{name}, stated']}")
        print(f"{name}: {reports[name]}")
    metadata: dict[str, Any] = {
        "made_by": "tools/fit_relations.py",
        "held_out": world.hold_out,
        "validation": reports,
        **{f"version_{name}": version(name) for name in ("entvec", "numpy", "scipy")},
    }
    RelationModel(weights, rates, metadata).save(world.output)


def unjudged() -> Knowledge:
    """WordNet alone, without judgements of senses: what changes must not change which words are drawn or hidden.

    Another draw changes all measurements by its chance.
    """
    known = wordnet_knowledge()
    return replace(known, judged=known.judged[:0])


def contradicts(known: Knowledge, pair: Pair) -> bool:
    """Whether everyday statements connect a pair between which WordNet knows nothing."""
    return pair.relation == "other" and bool(facts(known, pair.first, pair.second))


class World(NamedTuple):
    """What weights are fitted in: words that are hidden, and a map that has not learned from them."""

    output: Path
    hold_out: list[str]
    vectors: Vectors
    usual: Evidence
    """The evidence of the default space."""
    new: list[str]
    without: list[str]
    """New words and those held out, with their synonyms."""
    learned: FittedMap


def prepared(description: str | None, target: Path, arguments: Sequence[str] | None) -> World:
    """What the options of a command ask for; the file that it writes is `target` by default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hold-out", nargs="+", default=["weeds-bless"], metavar="NAME")
    parser.add_argument("--map", type=Path, metavar="FILE", help="a map without the new words and those held out")
    parser.add_argument("-o", dest="output", type=Path, default=target, metavar="FILE")
    options = parser.parse_args(arguments)

    from train_default_map import held_words

    hold_out = sorted({word for name in options.hold_out for word in held_words(name)})
    vectors = google_news().with_lookup(case=True, space=True)
    model = choose(vectors, map=default_map())
    usual, plain = Evidence(vectors, model, bundled_knowledge()), Evidence(vectors, model, unjudged())
    new = new_words(plain, vectors, hold_out)
    without = spelled_out(plain, vectors, [*hold_out, *new])
    return World(options.output, hold_out, vectors, usual, new, without, unseen_map(options.map, without))


def unseen_map(path: Path | None, without: Sequence[str]) -> FittedMap:
    """A map that was learned without some words: that of a file, after a check, or a new one, which the file keeps."""
    from train_default_map import build, is_held

    if path is None or not path.exists():
        learned = build(without)
        if path is not None:
            learned.save(path)
        return learned
    learned = FittedMap.load(path)
    seen = ~is_held(without, learned.metadata["held_out"].splitlines())
    if seen.any():
        sys.exit(f"{path} was learned with {seen.sum():,} of the words, {without[int(np.argmax(seen))]!r} first")
    return learned


def sides(pairs: Sequence[Pair]) -> tuple[list[str], list[str]]:
    """The first and the second words of pairs."""
    return [pair.first for pair in pairs], [pair.second for pair in pairs]


def spelled_out(evidence: Evidence, vectors: Vectors, words: Collection[str]) -> list[str]:
    """Words, and all words with a vector that `Evidence.hiding` hides with them."""
    rest = evidence.hiding(words)
    hidden = [word for word in vectors.words if evidence.meanings.of(word) and not rest.meanings.of(word)]
    return sorted({*words, *hidden})


if __name__ == "__main__":
    main()
