"""Measure answers about terms that the encoders have not seen: rankings, Weeds BLESS, compounds, calibration.

    python tools/measure_reading.py [FOLDER] [--weeds FILE] [--baroni FILE] [--weights FILE] [--most N] [--only PART]

FOLDER is that of `fit_reading.py`; nothing was fitted to its `test.txt` and `bless.txt`. All of these terms are hidden,
a fifth at a time with their synonyms, and have no vector, also those that the bundled vectors have.

Without FOLDER, the bundled encoders read nouns that are drawn from WordNet. The facts of these are hidden and no near
noun is one of them, but the encoders have learned from them: such figures are upper bounds.

rankings     specific MRR among the 11,754 nouns of the bundled is-a table, and among all that the product ranks: by
             each encoder alone, without the transformer, and by everything
compounds    200 phrases whose head is known: how probably they are a kind of their head, and of their modifiers
calibration  pairs of hidden terms, as `fit_reading.py` draws them: how often a probability comes true
bless        all pairs of Weeds BLESS, none of whose words is known (strict), or not the first one (new word)
baroni       average precision for all pairs of Baroni et al. (2012), none of whose words is known
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from fit_reading import labelled
from numpy.typing import NDArray
from reading_world import World, terms_of
from sklearn.metrics import average_precision_score

from entvec.evaluate.benchmark import Benchmark, find_benchmark
from entvec.evaluate.metrics import mean_interval, right_at_half
from entvec.evidence.features import RELATIONS
from entvec.evidence.phrase_heads import heads_of
from entvec.evidence.read_pairs import BOTH_READ, ONE_READ, ReadPairs
from entvec.evidence.reading_weights import RANKING_FEATURES, ReadingWeights
from entvec.evidence.relation_model import softmax

Floats = NDArray[np.float64]
COMPOUNDS, DRAWN = 200, 800
BINS = 10
KINDS = ("known", "lacking", "phrases", "other head")


def ranks(
    world: World, terms: Sequence[str], weights: ReadingWeights, stage: str, *, product: bool
) -> dict[str, Floats]:
    """One over the rank of the first right answer of each term, by the evidence and by each encoder alone."""
    found: dict[str, list[float]] = {"kind": [], "everything": [], "transformer": [], "table": []}
    for group in world.groups(terms):
        ranking = world.hidden(group, weights)
        candidates = ranking.candidates("hypo", None if product else world.rows)
        w, _ = weights.ranking("hypo", stage)
        for asked in world.asked(group, world.first_concepts(candidates)):
            weighed = ranking.features("hypo", asked.term, candidates, 1.0, most=len(candidates.rows))
            right = np.isin(weighed.at, asked.right)
            if not right.any():
                continue
            found["kind"].append(KINDS.index(world.kind(asked)))
            columns = {name: weighed.features[:, RANKING_FEATURES.index(name)] for name in ("transformer", "table")}
            for name, z in {"everything": weighed.features @ w, **columns}.items():
                found[name].append(1 / (1 + np.sum(z > z[right].max())))
    return {name: np.array(values) for name, values in found.items()}


def drawn_terms(world: World, most: int) -> list[str]:
    """Nouns of WordNet, drawn by chance: as many words as phrases."""
    names = world.known.terms
    rng, words, phrases = np.random.default_rng(3), list[str](), list[str]()
    for row in rng.permutation(len(names)).tolist():
        term = names[row]
        several = words if term.isalpha() else phrases if "_" in term else None
        if several is not None and len(several) < most // 2 and term.islower() and world.concept(term) >= 0:
            several.append(term.replace("_", " "))
        if len(words) == len(phrases) == most // 2:
            break
    return [*words, *phrases]


def tell(name: str, values: Floats, kind: Floats) -> None:
    """Print the mean of each kind of term; phrases are all of them, those with another head included."""
    parts = {"known": kind == 0, "lacking": kind == 1, "phrases": kind >= 2, "other head": kind == 3}
    shown = []
    for label, some in parts.items():
        found = mean_interval(values[some])
        shown.append(f"{label} {found.value:.3f} ({found.low:.3f} to {found.high:.3f}), n = {some.sum()}")
    print(f"  {name:<22}", "; ".join(shown), flush=True)


def measure_compounds(world: World, terms: Sequence[str], weights: ReadingWeights) -> None:
    """How probably phrases are kinds of their head, and of what modifies it."""
    phrases = [term for term in terms if " " in term or "_" in term]
    of_head: list[float] = []
    of_modifier: list[float] = []
    for group in world.groups(phrases):
        weighing = ReadPairs(world.hidden(group, weights))
        rates = world.space.judge.model.base_rates
        for term in group:
            text = term.replace("_", " ")
            parts = heads_of(weighing.meanings, text)
            concept = world.concept(term)
            above = world.known.ancestors([concept]) if concept >= 0 else {}
            if parts.head is None or not parts.modifiers or not weighing.is_read(text):
                continue
            for word, into in ((parts.head, of_head), (parts.modifiers[-1], of_modifier)):
                concepts = {sense.concept for sense in world.known.senses(word)}
                if bool(concepts & above.keys()) == (into is of_head):
                    p = weighing.probabilities([text], [word], rates)[0]
                    into.append(float(p[RELATIONS.index("narrower")] + p[RELATIONS.index("same")]))
    head, modifier = np.array(of_head)[:COMPOUNDS], np.array(of_modifier)[:COMPOUNDS]
    print(
        f"compounds: of {len(head)} with their head above them {np.mean(head >= 0.5):.3f} are called kinds of it; "
        f"of {len(modifier)} modifiers not above {np.mean(modifier >= 0.5):.3f} (median {np.median(modifier):.3f})",
        flush=True,
    )


def measure_calibration(world: World, terms: Sequence[str], weights: ReadingWeights) -> None:
    """How often the probability of an entailment comes true, at the shares that the pairs have."""
    for case in (ONE_READ, BOTH_READ):
        data = labelled(world, terms, weights, case, np.random.default_rng(2))
        table = weights.relations[case]
        names = [name for name in table if name != "constant"]
        share = np.maximum(data.right.mean(axis=0), 1 / len(data.right))
        p = softmax(np.log(share) + data.features @ np.stack([table[name] for name in names]) + table["constant"])
        columns = [RELATIONS.index("narrower"), RELATIONS.index("same")]
        yes, true = p[:, columns].sum(axis=1), np.asarray(data.right[:, columns].any(axis=1))
        good = np.asarray(data.right[np.arange(len(p)), p.argmax(axis=1)])
        print(
            f"calibration, {case}: {len(p):,} pairs; error of entailment {error(yes, true):.3f}, of the likeliest "
            f"relation {error(p.max(axis=1), good):.3f}; {100 * good.mean():.1f}% right, "
            f"{100 * np.mean(p.max(axis=1) >= 0.7):.0f}% have 0.7 or more, "
            f"{100 * good[p.max(axis=1) >= 0.7].mean():.1f}% of these right",
            flush=True,
        )


def error(p: Floats, true: NDArray[np.bool_]) -> float:
    """The mean distance of probabilities from how often they come true, in ten bins."""
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    return float(
        sum(abs(true[bins == b].mean() - p[bins == b].mean()) * np.mean(bins == b) for b in set(bins.tolist()))
    )


def measure_bless(world: World, benchmark: Benchmark, weights: ReadingWeights) -> None:
    """50% Acc and Dir Acc of all pairs, by everything that is read and by the transformer alone."""
    hypo, hyper = ([word.replace("_", " ") for word in side] for side in (benchmark.hypo, benchmark.hyper))
    labels = np.asarray(benchmark.labels) > 0
    rates = world.space.judge.model.base_rates
    covered = np.array(
        [w in world.space.vocabulary and x in world.space.vocabulary for w, x in zip(hypo, hyper, strict=True)]
    )
    words = sorted({*hypo, *hyper})
    protocols = {"strict": [(np.arange(len(hypo)), words)]}
    firsts = {word: number % 20 for number, word in enumerate(dict.fromkeys(hypo))}
    part = np.array([firsts[word] for word in hypo])
    protocols["new word"] = [
        (np.flatnonzero(part == n), [word for word, number in firsts.items() if number == n]) for n in range(20)
    ]
    for protocol, parts in protocols.items():
        there, back, alone, alone_back = (np.zeros(len(hypo)) for _ in range(4))
        for at, hide in parts:
            weighing = ReadPairs(world.hidden(hide, weights))
            one, other = ([side[i] for i in at.tolist()] for side in (hypo, hyper))
            p = weighing.probabilities(one, other, rates)
            there[at] = log_odds(p[:, RELATIONS.index("narrower")])
            back[at] = log_odds(p[:, RELATIONS.index("broader")])
            tower = world.reader.transformer
            vectors = tower.read(one), tower.read(other)
            alone[at], alone_back[at] = tower.log_odds_of_pairs(*vectors), tower.log_odds_of_pairs(*vectors[::-1])
        for name, (first, second) in {"transformer": (alone, alone_back), "everything": (there, back)}.items():
            for label, some in {"all": np.ones(len(hypo), bool), "covered": covered, "others": ~covered}.items():
                right = right_at_half(first[some], labels[some])
                direction = np.where(first == second, 0.5, first > second)[labels & some]
                print(
                    f"  {protocol:<9} {name:<12} {label:<8} 50% Acc {100 * np.mean(right):.1f}, "
                    f"Dir Acc {100 * np.mean(direction):.1f}, n = {some.sum():,}",
                    flush=True,
                )


def measure_baroni(world: World, benchmark: Benchmark, weights: ReadingWeights) -> None:
    """The average precision of entailing pairs, by everything that is read and by the transformer alone."""
    hypo, hyper = ([word.replace("_", " ") for word in side] for side in (benchmark.hypo, benchmark.hyper))
    labels = np.asarray(benchmark.labels) > 0
    weighing = ReadPairs(world.hidden(sorted({*hypo, *hyper}), weights))
    p = weighing.probabilities(hypo, hyper, world.space.judge.model.base_rates)
    tower = world.reader.transformer
    scores = {
        "transformer": tower.log_odds_of_pairs(tower.read(hypo), tower.read(hyper)),
        "everything": p[:, [RELATIONS.index(name) for name in ("narrower", "same")]].sum(axis=1),
    }
    for name, score in scores.items():
        print(f"  baroni {name:<12} AP {average_precision_score(labels, score):.3f}, n = {len(labels):,}", flush=True)


def log_odds(p: Floats) -> Floats:
    """Log-odds, within what a float can hold."""
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(p) - np.log1p(-p))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--weeds", default="weeds-bless", help="the benchmark, or its file")
    parser.add_argument("--weights", type=Path, help="other weights than those of the package")
    parser.add_argument("--most", type=int, help="ask about so many terms of test.txt")
    parser.add_argument("--baroni", metavar="FILE", help="the benchmark of Baroni et al. (2012)")
    parser.add_argument("--only", choices=("bless", "rankings", "pairs", "baroni"), help="one part of the measures")
    options = parser.parse_args(arguments)
    weights = ReadingWeights.bundled() if options.weights is None else ReadingWeights.load(options.weights)
    world = World(options.folder)
    terms = drawn_terms(world, options.most or DRAWN)
    if options.folder is not None:
        terms = terms_of(options.folder, "test")[: options.most]
    if options.only in (None, "bless"):
        measure_bless(world, find_benchmark(options.weeds), weights)
    if options.only in (None, "pairs"):
        measure_compounds(world, terms, weights)
        measure_calibration(world, terms, weights)
    if options.baroni is not None and options.only in (None, "baroni"):
        measure_baroni(world, find_benchmark(options.baroni), weights)
    if options.only in (None, "rankings"):
        for title, product in (("11,754 nouns", False), ("all that is ranked", True)):
            print(f"specific MRR among {title}", flush=True)
            found = ranks(world, terms, weights, "all", product=product)
            for name in ("table", "transformer", "everything"):
                tell(name, found[name], found["kind"])
        print("specific MRR among 11,754 nouns, no transformer", flush=True)
        found = ranks(World(options.folder, "static"), terms, weights, "table", product=False)
        tell("table, near, heads", found["everything"], found["kind"])


if __name__ == "__main__":
    main()
