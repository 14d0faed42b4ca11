"""Measure answers about words that nothing was built with: make a held-out build, and ask it under two protocols.

    python tools/measure_held_out.py [--words NAME] [--extra-vectors FILE] [--folder FOLDER] [-o FIGURE]

`--words` is a benchmark of labelled pairs, weeds-bless by default. FOLDER gets a map that was trained without its
words, in any spelling of case, with their plurals and their synonyms (four minutes, the first time), and weights of
evidence that were fitted without them, unless the bundled ones were. Both files record what they were built without,
and it is checked before anything is measured. The knowledge needs no file: words are hidden from it when a question is
asked.

strict    no word of the benchmark is known: neither hypo nor hyper anywhere
new word  the first word of a pair is not known, with its forms and synonyms; the concepts are, but the map has not
          learned from them
known     everything is known, and the default map has learned from it: what people get, and no test of learning

The labels of such a benchmark mean hyponymy, so the probability of narrower is what counts. 50% Acc calls the better
half of the pairs hyponyms; Dir Acc compares one with the pair reversed. Intervals are from 1,000 resamples of the
hypers. Differences are paired: both variants on the same resamples.

Then discovery, as `entvec evaluate discovery` measures it, by the held-out map and by all evidence under both
protocols, also with the synonyms of hidden words known, which is easier; and the hyponyms of words that a map of their
own was trained without (four minutes more). Then pairs of
known words: AUC of entailments against siblings, reversed and random pairs, drawn by rule from WordNet's first senses,
and against the negative pairs of the benchmark and of `--also`. And the everyday pairs: how many are decided, how many
of these right; also without the everyday statements by which their words are connected. `-o` draws reliability
diagrams by situation. Words that are hidden are hidden from these statements, too.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import fit_relations
import numpy as np
from fit_relations import Nouns, spelled_out, training_pairs, unseen_map
from numpy.typing import NDArray
from train_default_map import held_words, validation_words

from entvec.bundled import (
    EVERYDAY_SOURCE,
    RELATION_MODEL,
    bundled_knowledge,
    default_map,
    everyday_pairs,
    google_news,
    isa,
    wordnet_knowledge,
)
from entvec.evaluate.benchmark import Benchmark, find_benchmark
from entvec.evaluate.discovery import Questions, answer_ranks, ask
from entvec.evaluate.metrics import Interval, bootstrap, mean_interval, right_at_half
from entvec.evidence import RELATIONS, SITUATIONS, Evidence, RelationModel
from entvec.evidence.features import NAMES, VECTORS
from entvec.evidence.gathering import BOTH_KNOWN, BOTH_NEW, NEW_WORD, PairEvidence
from entvec.evidence.judge import DECIDED, Judge, entailing
from entvec.evidence.ranking_weights import RankingWeights
from entvec.knowledge import Knowledge
from entvec.knowledge.facts import facts
from entvec.knowledge.knowledge import Connections
from entvec.learn.fitted import FittedMap
from entvec.model.model import choose
from entvec.space import EntailmentSpace
from entvec.space.ranking import SearchOptions, rank_by_evidence
from entvec.vectors import Vectors, read

Floats = NDArray[np.float64]
EACH = 100
BINS = 10
FARTHEST_RANK = 1000


class Variant(NamedTuple):
    """Scores of pairs and of the same pairs reversed, by one way to score."""

    name: str
    there: Floats
    back: Floats


class Held(NamedTuple):
    """A held-out build, and the benchmark that it was held out from."""

    benchmark: Benchmark
    vectors: Vectors
    learned: FittedMap
    model: RelationModel
    words: list[str]
    """Those of the benchmark."""
    without: list[str]
    """These, and all that are hidden with them."""


def prepare(name: str, folder: Path, extra: Path | None) -> Held:
    """The files of a held-out build, made if they are not there, and checked."""
    vectors = google_news() if extra is None else google_news().joined(read(extra))
    vectors = vectors.with_lookup(case=True, space=True)
    benchmark = find_benchmark(name)
    words = list(held_words(name))
    without = spelled_out(unjudged(vectors), vectors, words)
    folder.mkdir(parents=True, exist_ok=True)
    learned = unseen_map(folder / "map.safetensors", without)
    if not {word.casefold() for word in words} <= set(map(str.casefold, RankingWeights.bundled().metadata["held_out"])):
        sys.exit(f"the weights of rankings were fitted with words of {name}; fit_rankings.py --hold-out {name} first")
    path = RELATION_MODEL if _lacks(RELATION_MODEL, words) else folder / "relations.json"
    if not path.exists():
        fit_relations.main(["--hold-out", name, "-o", str(path)])
    if not _lacks(path, words):
        sys.exit(f"{path} was fitted with words of {name}")
    rows = np.stack([vectors.rows(side) for side in (benchmark.hypo, benchmark.hyper)])
    covered: NDArray[np.bool_] = np.all(rows >= 0, axis=0)
    hypo, hyper = ([side[i] for i in np.flatnonzero(covered)] for side in (benchmark.hypo, benchmark.hyper))
    found = Benchmark(benchmark.name, tuple(hypo), tuple(hyper), benchmark.labels[covered])
    print(f"{name}: {len(hypo):,} of {len(covered):,} pairs have vectors; {len(without):,} words held out")
    return Held(found, vectors, learned, RelationModel.load(path), words, without)


def unjudged(vectors: Vectors) -> Evidence:
    """Evidence that tells which words are hidden with others, whatever is judged and stated, so that a map can stay."""
    return Evidence(vectors, choose(vectors, map=default_map()), fit_relations.unjudged())


def _lacks(path: Path, words: Sequence[str]) -> bool:
    """Whether a relation model was fitted without these words."""
    held = {word.casefold() for word in RelationModel.load(path).metadata.get("held_out", ())}
    return {word.casefold() for word in words} <= held


# Protocols


def strict(held: Held) -> PairEvidence:
    """The evidence of a world that knows no word of the benchmark."""
    evidence = Evidence(held.vectors, choose(held.vectors, map=held.learned), bundled_knowledge())
    return evidence.hiding(held.without).of(held.benchmark.hypo, held.benchmark.hyper)


def new_word(held: Held) -> PairEvidence:
    """The evidence where the first word of each pair is hidden, each in turn."""
    evidence = Evidence(held.vectors, choose(held.vectors, map=held.learned), bundled_knowledge())
    hypo, hyper = held.benchmark.hypo, held.benchmark.hyper
    parts: dict[int, tuple[Any, ...]] = {}
    for word in dict.fromkeys(hypo):
        rows = [i for i, each in enumerate(hypo) if each == word]
        found = evidence.hiding([word]).of([hypo[i] for i in rows], [hyper[i] for i in rows])
        parts |= dict(
            zip(rows, zip(found.features, found.situations, found.sources, found.known, strict=True), strict=True)
        )
    features, situations, sources, known = zip(*(parts[i] for i in range(len(hypo))), strict=True)
    return PairEvidence(np.array(features), situations, sources, known)


def known(held: Held) -> PairEvidence:
    """The evidence that people get."""
    evidence = Evidence(held.vectors, choose(held.vectors, map=default_map()), bundled_knowledge())
    return evidence.of(held.benchmark.hypo, held.benchmark.hyper)


PROTOCOLS: dict[str, Callable[[Held], PairEvidence]] = {"strict": strict, "new word": new_word, "known": known}


def variants(held: Held, found: PairEvidence) -> list[Variant]:
    """The ways to score pairs: by the map alone, by the map both ways, by all evidence."""
    there, back = (found.features[:, NAMES.index(name)] for name in ("map", "map reversed"))
    n = len(there)
    vectors_only = PairEvidence(found.features, (BOTH_NEW,) * n, ((VECTORS,),) * n, found.known)
    rows = [Variant("map", there, back)]
    for name, evidence in (("map both ways, cosine", vectors_only), ("all evidence", found)):
        p = log_odds(held.model.probabilities(evidence))
        rows.append(Variant(name, p[:, RELATIONS.index("narrower")], p[:, RELATIONS.index("broader")]))
    return rows


def log_odds(p: Floats) -> Floats:
    """Log-odds, within what a float can hold."""
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return np.log(p) - np.log1p(-p)


def measure(protocol: str, held: Held, found: PairEvidence) -> None:
    """Print both measures of every variant, and paired differences from the map alone."""
    labels, groups = held.benchmark.labels > 0, held.benchmark.hyper
    counts = {situation: found.situations.count(situation) for situation in SITUATIONS}
    print(f"\n{protocol}: " + ", ".join(f"{n:,} {name}" for name, n in counts.items() if n))
    of_true = np.array(groups)[labels]
    map_alone: tuple[Floats, Floats] | None = None
    for variant in variants(held, found):
        right = right_at_half(variant.there, labels)
        direction = np.where(variant.there == variant.back, 0.5, variant.there > variant.back)[labels]
        measures = told(interval(right, groups)), told(interval(direction, of_true))
        print(f"  {variant.name:<24} 50% Acc {measures[0]}   Dir Acc {measures[1]}")
        if map_alone is None:
            map_alone = right, direction
        else:
            gains = interval(right - map_alone[0], groups), interval(direction - map_alone[1], of_true)
            print(f"  {'':<24} less the map's {told(gains[0])}, {told(gains[1])}")


def interval(values: Floats, groups: Sequence[str] | NDArray[Any]) -> Interval:
    """The mean of values with an interval, by resampling whole groups."""
    return bootstrap(lambda draws: draws @ values / draws.sum(axis=1), groups)


def told(found: Interval) -> str:
    """A share in per cent, with its interval."""
    return f"{100 * found.value:.1f} ({100 * found.low:.1f} to {100 * found.high:.1f})"


def measure_discovery(held: Held) -> None:
    """How well hypernyms of the words are found among all nouns: by the held-out map, and by all evidence."""
    space = EntailmentSpace.from_vectors(held.vectors, map=held.learned)
    questions = ask([*held.benchmark.hypo, *held.benchmark.hyper], space.vectors)
    by_map = answer_ranks(space, questions, [1.0])[0]["specific"]
    kept = np.flatnonzero(~np.isnan(by_map)).tolist()
    judge = Judge(Evidence(held.vectors, space.model, bundled_knowledge()))
    ranks = {"map": by_map[kept]}
    for synonyms, known in ((True, ""), (False, ", synonyms known")):
        strict = judge.hiding(held.without if synonyms else held.words, synonyms=synonyms)
        ranks[f"strict{known}"] = ranks_of(space, strict, questions, kept)
        ranks[f"new word{known}"] = np.concatenate(
            [ranks_of(space, judge.hiding([questions.words[i]], synonyms=synonyms), questions, [i]) for i in kept]
        )
    print(f"\ndiscovery: {len(kept)} words, specific hypernyms among {len(questions.candidates):,} nouns")
    for name, places in ranks.items():
        print(f"  {name:<24} MRR {told(mean_interval(1 / places))}", end="")
        print("".join(f", hit@{k} {100 * np.mean(places <= k):.1f}" for k in (1, 10)), end="")
        gain = mean_interval(1 / places - 1 / ranks["map"])
        print("" if name == "map" else f"; MRR less the map's {told(gain)}")


def ranks_of(space: EntailmentSpace, judge: Judge, questions: Questions, chosen: Sequence[int]) -> Floats:
    """The rank of the first specific hypernym of each word by all evidence; infinite beyond FARTHEST_RANK."""
    parts = (space.vocabulary, space.model, space.backend, judge)
    words = [questions.words[i] for i in chosen]
    found = rank_by_evidence(*parts, "hypo", words, SearchOptions(FARTHEST_RANK, questions.candidates))
    right = [
        np.isin(rows, questions.candidates[questions.right["specific"][i]])
        for rows, i in zip(found.indices, chosen, strict=True)
    ]
    return np.array([np.argmax(each) + 1 if each.any() else np.inf for each in right], np.float64)


def measure_hyponyms(folder: Path, name: str) -> None:
    """Precision of the ten best hyponyms of the validation hypers, among all words, by a map without all of these."""
    hypers, hypos = validation_words(isa(), list(held_words(name)))
    vectors = google_news().with_lookup(case=True, space=True)
    without = spelled_out(unjudged(vectors), vectors, [*hypers, *hypos, *held_words(name)])
    learned = unseen_map(folder / "validation-map.safetensors", without)
    space = EntailmentSpace.from_vectors(vectors, map=learned)
    judge = Judge(Evidence(vectors, space.model, bundled_knowledge()))
    parts = (space.vocabulary, space.model, space.backend)
    answers = {"map": space.hyponyms(hypers, 10).words}
    for protocol, hidden in (("strict", without), ("new word", None)):
        answers[f"{protocol}, all evidence"] = [
            rank_by_evidence(*parts, judge.hiding(hidden or [hyper]), "hyper", [hyper], SearchOptions(10)).words[0]
            for hyper in hypers
        ]
    print(f"\nhyponyms of {len(hypers)} validation words among all words, precision@10")
    table = isa()
    for variant, found in answers.items():
        right = [
            sum(word in table.words and table.entails(word, hyper) for word in words) / 10
            for hyper, words in zip(hypers, found, strict=True)
        ]
        print(f"  {variant:<24} {told(mean_interval(np.array(right)))}")


# Known words


def auc(of_true: Floats, of_false: Floats) -> float:
    """How often a true pair has the higher probability; ties count half."""
    return float(np.mean((of_true[:, None] > of_false) + 0.5 * (of_true[:, None] == of_false)))


def measure_known(model: RelationModel, others: Sequence[str]) -> None:
    """AUC on pairs of WordNet's first senses, and on labelled pairs of benchmarks."""
    vectors = google_news().with_lookup(case=True, space=True)
    evidence = Evidence(vectors, choose(vectors, map=default_map()), bundled_knowledge())
    nouns = Nouns(Evidence(vectors, evidence.model, wordnet_knowledge()), vectors)
    rng = np.random.default_rng(3)
    fitted = {frozenset(pair[:2]) for pair in training_pairs()}

    def some(pairs: Sequence[tuple[str, str]]) -> Floats:
        free = [pair for pair in dict.fromkeys(pairs) if frozenset(pair) not in fitted]
        chosen = [free[i] for i in rng.permutation(len(free))[:EACH]]
        first, second = ([pair[side] for pair in chosen] for side in (0, 1))
        return entailing(model.probabilities(evidence.of(first, second)))

    above = list(nouns.pairs("narrower"))
    true = some(above)
    words = list(nouns.concept)
    strangers = list(zip(rng.permutation(words).tolist(), rng.permutation(words).tolist(), strict=True))
    related = {*above, *((x, y) for y, x in above)}
    false = {
        "siblings": some([pair for pair in nouns.pairs("sibling") if pair not in related]),
        "reversed": some([(x, y) for y, x in above]),
        "random": some([pair for pair in strangers if pair not in related]),
    }
    print(f"\nknown words, {EACH} pairs of each kind by rule from WordNet's first senses: AUC of true pairs against")
    for name, numbers in false.items():
        print(f"  {name:<10} {auc(true, numbers):.3f}; their median probability {np.median(numbers):.3f}")
    print(f"  all        {auc(true, np.concatenate(list(false.values()))):.3f}; true pairs {np.median(true):.3f}")
    for name in others:
        benchmark = find_benchmark(name)
        there = np.array([vectors.rows(side) >= 0 for side in (benchmark.hypo, benchmark.hyper)]).all(axis=0)
        chosen = np.concatenate(
            [rng.permutation(np.flatnonzero(there & (benchmark.labels == label)))[:150] for label in (1, 0)]
        )
        sides = [[side[i] for i in chosen] for side in (benchmark.hypo, benchmark.hyper)]
        p = entailing(model.probabilities(evidence.of(*sides)))
        labels = benchmark.labels[chosen] > 0
        print(f"  {len(chosen)} pairs of {benchmark.name}: AUC {auc(p[labels], p[~labels]):.3f}")


def unconnected(known: Knowledge, pairs: Sequence[Sequence[Any]]) -> Knowledge:
    """The same knowledge without the everyday statements by which the two words of a pair are connected."""
    everyday = known.sources.index(EVERYDAY_SOURCE)
    while True:
        ways = [fact.path for pair in pairs for fact in facts(known, pair[0], pair[1]).values()]
        steps = {frozenset(step) for way in ways for step in pairwise(way)}
        low, high = known.is_a.pairs()
        said = np.flatnonzero(known.origins == everyday)
        ends = zip(low[said].tolist(), high[said].tolist(), strict=True)
        connecting = said[np.array([frozenset(both) in steps for both in ends], dtype=bool)]
        if not len(connecting):
            return known
        kept = np.setdiff1d(np.arange(len(low)), connecting)
        print(f"  {len(connecting)} statements left out, by which pairs are connected")
        is_a = Connections.of_pairs(len(known), low[kept], high[kept])
        known = replace(known, is_a=is_a, origins=known.origins[kept])


def measure_everyday(
    model: RelationModel, split: Literal["development", "test"], known: Knowledge
) -> tuple[Floats, NDArray[np.bool_]]:
    """How many everyday pairs are decided and right; returns the top probabilities, and which are right."""
    vectors = google_news().with_lookup(case=True, space=True)
    evidence = Evidence(vectors, choose(vectors, map=default_map()), known)
    pairs = everyday_pairs(split)
    p = model.probabilities(evidence.of([pair.first for pair in pairs], [pair.second for pair in pairs]))
    answers = [RELATIONS[i] for i in p.argmax(axis=1)]
    right = np.array([pair.accepts(answer) for pair, answer in zip(pairs, answers, strict=True)])
    top, sure = p.max(axis=1), np.array([not pair.doubtful for pair in pairs])
    print(f"\neveryday pairs, {split}: {len(pairs)}")
    for name, some in (("all", np.ones(len(pairs), dtype=bool)), ("without doubtful ones", sure)):
        for precision in (0.5, DECIDED, 0.9):
            decided = some & (top >= precision)
            print(
                f"  {name}, relation at precision {precision}: {100 * decided.sum() / some.sum():.1f}% decided, "
                f"{100 * right[decided].mean():.1f}% of these right"
            )
        yes = entailing(p)
        entails = [{pair.relation, pair.also} & {"narrower", "same"} for pair in pairs]
        fails = [{pair.relation, pair.also} - {"narrower", "same", "", None} for pair in pairs]
        good = np.where(yes > 0.5, np.array(entails, dtype=bool), np.array(fails, dtype=bool))
        for precision in (0.5, DECIDED, 0.9):
            decided = some & ((yes >= precision) | (yes <= 1 - precision))
            print(
                f"  {name}, verdict at precision {precision}: {100 * decided.sum() / some.sum():.1f}% decided, "
                f"{100 * good[decided].mean():.1f}% of these right"
            )
    for relation in ("sibling", "broader"):
        of_it = np.array([pair.relation == relation and not pair.also for pair in pairs])
        called = np.array([answer == "narrower" for answer in answers]) & of_it & (top >= DECIDED)
        print(
            f"  {of_it.sum()} clear pairs labelled {relation}: median probability of an entailment "
            f"{np.median(yes[of_it]):.3f}, {called.sum()} called narrower"
        )
    return top, right


# Reliability


def reliability(curves: dict[str, tuple[Floats, NDArray[np.bool_]]], path: Path | None) -> None:
    """Print how often probabilities come true, and draw it."""
    print("\nreliability: mean probability -> share that came true (pairs)")
    points = {}
    for name, (p, true) in curves.items():
        order = np.argsort(p)
        points[name] = [
            (float(p[some].mean()), float(true[some].mean()), len(some)) for some in np.array_split(order, BINS)
        ]
        error = sum(n * abs(mean - share) for mean, share, n in points[name]) / len(p)
        print(
            f"  {name}: "
            + ", ".join(f"{mean:.2f} -> {share:.2f}" for mean, share, _ in points[name])
            + f"; calibration error {error:.3f}"
        )
    if path is None:
        return
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(points), figsize=(3.2 * len(points), 3.4), sharey=True, layout="constrained")
    for axis, (name, dots) in zip(axes, points.items(), strict=True):
        axis.plot([0, 1], [0, 1], color="0.8", linewidth=1)
        axis.plot([mean for mean, *_ in dots], [share for _, share, _ in dots], marker="o", color="tab:blue")
        axis.set(title=name, xlabel="probability", xlim=(0, 1), ylim=(0, 1))
    axes[0].set_ylabel("came true")
    figure.savefig(path, dpi=150)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the build, and measure everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", default="weeds-bless", metavar="NAME", help="the benchmark whose words are held out")
    parser.add_argument("--also", nargs="*", default=[], metavar="NAME", help="more benchmarks for known words")
    parser.add_argument("--extra-vectors", type=Path, metavar="FILE", help="vectors of words that are not bundled")
    parser.add_argument("--folder", type=Path, default=Path("held-out"), help="where the held-out build is")
    parser.add_argument("--split", choices=("development", "test"), default="test", help="of the everyday pairs")
    parser.add_argument("-o", dest="figure", type=Path, metavar="FIGURE", help="draw reliability diagrams")
    options = parser.parse_args(arguments)
    held = prepare(options.words, options.folder, options.extra_vectors)
    labels = held.benchmark.labels > 0
    at_half = {"narrower": 0.5}  # as in the benchmark
    curves: dict[str, tuple[Floats, NDArray[np.bool_]]] = {}
    for protocol, gather in PROTOCOLS.items():
        found = gather(held)
        measure(protocol, held, found)
        title = {"strict": BOTH_NEW, "new word": NEW_WORD, "known": BOTH_KNOWN}[protocol]
        curves[title] = held.model.probabilities(found, at_half)[:, RELATIONS.index("narrower")], labels
    measure_discovery(held)
    measure_hyponyms(options.folder, options.words)
    measure_known(held.model, [options.words, *options.also])
    everything = bundled_knowledge()
    curves["everyday: the answer is right"] = measure_everyday(held.model, options.split, everything)
    print("\nthe same without statements that connect the words of a pair")
    measure_everyday(held.model, options.split, unconnected(everything, everyday_pairs(options.split)))
    reliability(curves, options.figure)


if __name__ == "__main__":
    main()
