"""Fit what encoders, near nouns and heads weigh for terms without a vector, `entvec/bundled/data/reading.json`.

    python tools/fit_reading.py FOLDER [-o FILE]

FOLDER has a held-out build of the encoders and lists of terms that it has not seen (`tools/train_encoder.py`). The
terms of `fusion.txt` are hidden from the knowledge, a fifth at a time with their synonyms, and read by these encoders.

Rankings: all candidates for a term compete in a softmax, of which WordNet's specific hypernyms are right; a logistic
regression on the ten best of terms that were left out makes log-odds of the sum. Relations: a softmax of seven
relations for pairs of a hidden term with a known one, and of two hidden terms; weights are averaged with those of the
pairs reversed where both are hidden. Plausibility: a logistic regression tells words from nonsense made by rule.

Whether a word is read as it is meant: a logistic regression on the words of `new-words.tsv`, which WordNet lacks, so
that no encoder has seen them; they were judged by their first three answers. `--meant` fits this alone, without FOLDER.
"""

import argparse
import csv
import random
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fit_relations import fit
from numpy.typing import NDArray
from reading_world import World, terms_of
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from entvec.bundled import READING_WEIGHTS
from entvec.evidence.features import RELATIONS
from entvec.evidence.phrase_heads import heads_of, nouns_of
from entvec.evidence.plausible import Plausibility
from entvec.evidence.read_features import MIRRORED_FEATURES, NAMES
from entvec.evidence.read_pairs import BOTH_READ, ONE_READ, ReadPairs
from entvec.evidence.reading_weights import CONSTANT, MEANT_FEATURES, RANKING_FEATURES, ReadingWeights
from entvec.evidence.relation_model import softmax
from entvec.space.default import default_space
from entvec.vectors import forms
from entvec.vectors.words import Words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
BEST_EACH = 250
"""How many candidates compete by each of the encoders and by the vote."""
PENALTY = 0.003
TABLE = tuple(name for name in RANKING_FEATURES if name != "transformer")
CHOSEN = {"size": -0.6, "head": 3.0, "leak": -1.3}
"""Weights that are not fitted. WordNet's specific hypernyms are right to the measure, and often no answers that a
person would give: activity for knee replacement surgery. So general answers lose, and the head of a phrase gains; and
what is above a modifier loses, because few phrases among those to fit to have such answers in front."""
PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0)
FOLDS = 5
SELDOM_ABOVE = -2.2
"""What speaks against a new word, or a phrase without a known head, above a known term, beside what was fitted to words
that are only hidden: of the 385 everyday statements about such a word and a term of WordNet it is above in 16. Without
this, where near nouns say nothing, their silence speaks for the new word above."""
PAIRS = {"narrower": 3, "same": 1, "sibling": 2, "part": 2, "whole": 2, "broader": 2, "other": 4, "modifier": 2}
"""How many pairs of each kind are drawn for a term, at most."""
NONSENSE_EACH = 400
NEW_WORDS = Path(__file__).parent / "new-words.tsv"
PHRASES_MEANT = 3.5
"""The log-odds that a phrase whose head is known is read as it is meant, or a term with a definition: chosen, about the
share of acceptable first answers on the sheet of phrases."""
BOTH_EVERY = 5
"""For pairs of which both terms are read, every fifth term suffices: each has about twelve pairs."""


class Ranked(NamedTuple):
    """Candidates of hidden terms, and which are right."""

    features: list[Floats]
    right: list[Mask]
    kinds: list[str]


# Rankings


def ranked(world: World, terms: Sequence[str], weights: ReadingWeights) -> Ranked:
    """What describes the candidates of hidden terms."""
    found = Ranked([], [], [])
    for group in world.groups(terms):
        ranking = world.hidden(group, weights)
        candidates = ranking.candidates("hypo", world.rows)
        for asked in world.asked(group, world.first_concepts(candidates)):
            weighed = ranking.features("hypo", asked.term, candidates, 1.0, most=len(candidates.rows))
            if not np.isin(weighed.at, asked.right).any():  # the only right ones are hidden, too
                continue
            best = competing(weighed.features, np.isin(weighed.at, asked.right))
            found.features.append(weighed.features[best])
            found.right.append(np.isin(weighed.at[best], asked.right))
            found.kinds.append(world.kind(asked))
    return found


def competing(features: Floats, right: Mask) -> Ints:
    """The places of the candidates that compete: the best by each encoder and by the vote, and the right ones."""
    parts = [np.flatnonzero(right)]
    for name in ("table", "transformer", "vote"):
        column = features[:, RANKING_FEATURES.index(name)]
        parts.append(np.argpartition(-column, min(BEST_EACH, len(column) - 1))[:BEST_EACH])
    head = features[:, RANKING_FEATURES.index("above head")] > 0
    return np.unique(np.concatenate([*parts, np.flatnonzero(head)]))


def softmax_weights(data: Ranked, names: Sequence[str], chosen: Mapping[str, float] = CHOSEN) -> Floats:
    """Weights of some features for which the right candidates of each term win, beside those that are chosen."""
    free = [name for name in names if name not in chosen]
    columns = [RANKING_FEATURES.index(name) for name in free]
    fixed = np.array([chosen.get(name, 0.0) for name in RANKING_FEATURES])
    offsets = [table @ fixed for table in data.features]
    tables = [table[:, columns] for table in data.features]
    scale = np.concatenate(tables).std(axis=0) + 1e-9

    def loss(w: Floats) -> tuple[float, Floats]:
        value, gradient = PENALTY / 2 * float(w @ w), PENALTY * w
        for x, y, offset in zip(tables, data.right, offsets, strict=True):
            z = (x / scale) @ w + offset
            power = np.exp(z - z.max())
            total, good = power.sum(), power[y].sum() + 1e-300
            value += (np.log(total) - np.log(good)) / len(tables)
            gradient = gradient + ((power @ x) / total - (power[y] @ x[y]) / good) / scale / len(tables)
        return value, gradient

    fixed[columns] = minimize(loss, np.zeros(len(free)), jac=True, method="L-BFGS-B").x / scale
    return fixed


def reciprocal(data: Ranked, w: Floats) -> Floats:
    """One over the rank of the first right candidate of each term."""
    return np.array(
        [1 / (1 + np.sum(x @ w > (x @ w)[y].max())) for x, y in zip(data.features, data.right, strict=True)]
    )


def some(data: Ranked, kept: Mask) -> Ranked:
    """A part of the terms."""
    columns: Any = ([each for each, keep in zip(column, kept, strict=True) if keep] for column in data)
    return Ranked(*columns)


def calibrated(data: Ranked, fold: Ints, names: Sequence[str]) -> tuple[Floats, float, Floats]:
    """Weights and a constant that make log-odds, and the reciprocal ranks of terms that were left out."""
    sums: list[float] = []
    right: list[bool] = []
    ranks = np.zeros(len(fold))
    for number in range(FOLDS):
        w = softmax_weights(some(data, fold != number), names)
        rest = some(data, fold == number)
        ranks[fold == number] = reciprocal(rest, w)
        for x, y in zip(rest.features, rest.right, strict=True):
            z = x @ w
            best = np.argsort(-z)[:10]
            sums, right = [*sums, *z[best]], [*right, *y[best]]
    model = LogisticRegression(C=1e4).fit(np.array(sums)[:, None], right)
    slope, constant = float(model.coef_[0, 0]), float(model.intercept_[0])
    w = slope * softmax_weights(data, names)
    return w, constant, ranks


# Relations


class Labelled(NamedTuple):
    """Pairs with their features and right relations."""

    pairs: list[tuple[str, str]]
    features: Floats
    right: Mask


def drawn(
    world: World, hidden: Sequence[str], others: set[str], rng: np.random.Generator
) -> list[tuple[str, str, str]]:
    """Pairs of a hidden term with terms that may be known, and their relation by WordNet's first senses."""
    known = world.known
    below: dict[int, list[int]] = {}
    for low, high in zip(*(ends.tolist() for ends in known.is_a.pairs()), strict=True):
        below.setdefault(high, []).append(low)
    parts: dict[int, list[int]] = {}
    for low, high in zip(*(ends.tolist() for ends in known.part_of.pairs()), strict=True):
        parts.setdefault(high, []).append(low)
    frequent = [world.space.vectors.words[row] for row in world.rows[world.rows < 20_000].tolist()]
    found = []

    def names(concepts: Sequence[int]) -> list[str]:
        terms = [term for concept in concepts for term in known.synonyms(concept)[:2] if world.concept(term) == concept]
        return [term for term in terms if forms.key(term) not in others]

    for term in hidden:
        concept = world.concept(term)
        if concept < 0:
            continue
        above = known.ancestors([concept])
        sisters = [low for high in known.is_a.of(concept) for low in below.get(high, ()) if low != concept]
        kinds = {
            "narrower": names([c for c, steps in above.items() if 0 < steps <= 5 and known.depth(c) >= 2]),
            "same": [each for each in names([concept]) if forms.key(each) != forms.key(term)],
            "sibling": names(sisters[:40]),
            "part": names(list(known.part_of.of(concept))),
            "whole": names(parts.get(concept, [])),
            "broader": names(below.get(concept, [])[:20]),
            "other": [str(each) for each in rng.choice(frequent, 6)],
            "modifier": _modifiers(world, term),
        }
        entailed = set(above)
        for kind, several in kinds.items():
            usable = list(dict.fromkeys(several))
            if kind in ("other", "modifier"):
                usable = [each for each in usable if world.concept(each) >= 0 and not _related(world, entailed, each)]
            picked = rng.permutation(np.array(usable, dtype=object))[: PAIRS[kind]].tolist()
            found += [(term, other, "other" if kind == "modifier" else kind) for other in picked]
    return found


def _modifiers(world: World, term: str) -> list[str]:
    """The modifiers of a phrase, and what they are kinds of."""
    meanings = world.space.judge.evidence.meanings
    words = term.replace("_", " ").split()
    if len(words) < 2:
        return []
    parts = heads_of(meanings, term)
    found = list(parts.modifiers)
    for modifier in parts.modifiers:
        for sense, _ in nouns_of(meanings, modifier)[:1]:
            above = [
                c for c, steps in meanings.above(sense.concept).items() if 0 < steps <= 4 and world.known.depth(c) > 3
            ]
            found += [world.known.name(concept) for concept in above]
    return [each for each in found if forms.key(each) != forms.key(term)]


def _related(world: World, entailed: set[int], other: str) -> bool:
    concepts = {sense.concept for sense in world.known.senses(other)}
    return bool(concepts & entailed)


def labelled(
    world: World, terms: Sequence[str], weights: ReadingWeights, case: str, rng: np.random.Generator
) -> Labelled:
    """Pairs of hidden terms with known ones, or with hidden ones."""
    pairs: list[tuple[str, str]] = []
    rows: list[Floats] = []
    right: list[list[bool]] = []
    for group in world.groups(terms):
        here = set(map(forms.key, group))
        both = case == BOTH_READ
        chosen_pairs = drawn(world, group, set() if both else here, rng)
        for synonyms in (False, True):
            some_pairs = [pair for pair in chosen_pairs if (pair[2] == "same") != synonyms]
            hide = [*group, *(pair[1] for pair in some_pairs)] if both else group
            weighing = ReadPairs(world.hidden(hide, weights, synonyms=synonyms and not both))
            some_pairs = [
                pair for pair in some_pairs if weighing.is_read(pair[0]) and weighing.is_read(pair[1]) == both
            ]
            if not some_pairs:
                continue
            first, second = ([pair[side].replace("_", " ") for pair in some_pairs] for side in (0, 1))
            rows.append(weighing.features(first, second))
            pairs += list(zip(first, second, strict=True))
            right += [[name == pair[2] for name in RELATIONS] for pair in some_pairs]
    return Labelled(pairs, np.concatenate(rows), np.array(right))


def cross_validated(data: Labelled, penalty: float, mirror: Sequence[int] | None) -> Floats:
    """Probabilities of pairs by weights that were fitted to the pairs of other terms."""
    terms = {term: number for number, term in enumerate(dict.fromkeys(pair[0] for pair in data.pairs))}
    fold = np.random.default_rng(0).permutation(len(terms))[[terms[pair[0]] for pair in data.pairs]] % FOLDS
    share = np.maximum(data.right.mean(axis=0), 1 / len(data.right))
    found = np.zeros(data.right.shape)
    for number in range(FOLDS):
        w = fit(data.features[fold != number], data.right[fold != number], penalty, mirror)
        found[fold == number] = softmax(np.log(share) + data.features[fold == number] @ w[:-1] + w[-1])
    return found


def fit_relations(data: Labelled, case: str) -> tuple[Floats, str]:
    """Weights of a case, and how good they are on the pairs of other terms."""
    mirror = MIRRORED_FEATURES if case == BOTH_READ else None
    tried = {penalty: cross_validated(data, penalty, mirror) for penalty in PENALTIES}
    losses = {penalty: float(-np.log((p * data.right).sum(axis=1)).mean()) for penalty, p in tried.items()}
    best = min(losses, key=lambda penalty: losses[penalty])
    p = tried[best]
    good = data.right[np.arange(len(p)), p.argmax(axis=1)]
    top = p.max(axis=1)
    report = (
        f"{len(p):,} pairs, penalty {best:g}: {100 * good.mean():.1f}% right, mean top probability "
        f"{100 * top.mean():.1f}%, loss {losses[best]:.3f}; {100 * np.mean(top >= 0.7):.0f}% have 0.7 or more, "
        f"{100 * good[top >= 0.7].mean():.1f}% of these right"
    )
    weights = fit(data.features, data.right, best, mirror)
    if case == ONE_READ:
        weights[NAMES.index("headless first"), RELATIONS.index("broader")] += SELDOM_ABOVE
    return weights, report


# Plausibility


def nonsense(words: Sequence[str], rng: random.Random) -> dict[str, list[str]]:
    """Texts that are no words, by rule."""
    rows, letters = ("qwertyuiop", "asdfghjkl", "zxcvbnm"), string.ascii_lowercase

    def mashed() -> str:
        row, n = rng.choice(rows), rng.randint(4, 9)
        start = rng.randint(0, len(row) - 4)
        return row[start : start + n] if rng.random() < 0.5 else "".join(rng.choice(row) for _ in range(n))

    def shuffled() -> str:
        return "".join(rng.sample(word := rng.choice(words), len(word)))

    kinds: dict[str, Callable[[], str]] = {
        "keys": mashed,
        "letters": lambda: "".join(rng.choice(letters) for _ in range(rng.randint(4, 12))),
        "shuffled": shuffled,
        "repeated": lambda: rng.choice(letters) * rng.randint(3, 9),
    }
    return {name: [make() for _ in range(NONSENSE_EACH)] for name, make in kinds.items()}


def fit_plausibility(world: World) -> tuple[float, float, str]:
    """The slope and the middle of the plausibility of words, and what it catches and refuses."""
    rng = random.Random(0)  # noqa: S311
    words = [term for term in world.known.terms if term.isalpha() and term.isascii() and len(term) > 2]
    rng.shuffle(words)
    asked, rest = words[:2000], set(words[:2000])

    class Rest:
        """The terms that are not asked about."""

        terms = Words.of([term for term in world.known.terms if term not in rest])

    found = Plausibility(Rest())  # type: ignore[arg-type]
    made = nonsense(words[2000:], rng)
    true = np.array([found.likelihood(word) for word in asked])
    false = {name: np.array([found.likelihood(word) for word in some]) for name, some in made.items()}
    x = np.concatenate([true, *false.values()])[:, None]
    y = np.arange(len(x)) < len(true)
    model = LogisticRegression(C=1e4, class_weight="balanced").fit(x, y)
    slope, constant = float(model.coef_[0, 0]), float(model.intercept_[0])
    prior = np.log(19.0)
    refused = np.mean(slope * true + constant + prior < 0)
    caught = ", ".join(f"{name} {np.mean(slope * z + constant + prior < 0):.2f}" for name, z in false.items())
    p = 1 / (1 + np.exp(-(slope * x[:, 0] + constant)))
    weights = np.where(y, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    bins = np.minimum((p * 10).astype(int), 9)
    error = (
        sum(
            abs(
                np.average(y[bins == b], weights=weights[bins == b])
                - np.average(p[bins == b], weights=weights[bins == b])
            )
            * weights[bins == b].sum()
            for b in range(10)
            if (bins == b).any()
        )
        / weights.sum()
    )
    report = (
        f"{refused:.3f} of {len(true):,} words refused if one text in twenty is nonsense; of nonsense {caught} caught; "
        f"calibration error {error:.3f}"
    )
    return slope, -constant / slope, report


# Whether a word is read as it is meant


def fit_meant(weighing: ReadPairs, words: Mapping[str, bool]) -> tuple[dict[str, dict[str, float]], str]:
    """Weights of what tells that a word is read as it is meant, and how good they are on words that were left out."""
    x = np.array([list(weighing.signs(word).values()) for word in words])
    y = np.array(list(words.values()))
    scale = x.std(axis=0)
    p = cross_val_predict(LogisticRegression(), x / scale, y, cv=LeaveOneOut(), method="predict_proba")[:, 1]
    model = LogisticRegression().fit(x / scale, y)
    row = dict(zip(MEANT_FEATURES, (model.coef_[0] / scale).tolist(), strict=True))
    loss, usual = (-np.log(np.where(y, q, 1 - q)).mean() for q in (p, np.full(len(y), y.mean())))
    bounds = ((0, 0.2), (0.2, 0.5), (0.5, 1.01))
    bins = ", ".join(
        f"{y[some].mean():.2f} of {some.sum()} with {p[some].mean():.2f}"
        for low, high in bounds
        if (some := (p >= low) & (p < high)).any()
    )
    report = (
        f"{len(y)} words, {y.sum()} read as meant; left out in turn: loss {loss:.3f} ({usual:.3f} by share), {bins}"
    )
    return {"word": row | {CONSTANT: float(model.intercept_[0])}, "phrase": {CONSTANT: PHRASES_MEANT}}, report


def refit_meant(output: Path) -> None:
    """Fit whether words are read as they are meant, and keep all other weights."""
    weighing = default_space().judge.read_pairs
    with NEW_WORDS.open(encoding="utf-8", newline="") as file:
        words = {word: mark == "1" for word, mark in list(csv.reader(file, delimiter="\t"))[1:]}
    if weighing is None:
        raise SystemExit("the default space reads nothing")
    meant, report = fit_meant(weighing, words)
    print(f"meant: {report}\n   {meant}")
    old = ReadingWeights.bundled()
    validation = {**old.metadata["validation"], "meant": report}
    replace(old, meant=meant, metadata={**old.metadata, "validation": validation}).save(output)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit all weights and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("-o", dest="output", type=Path, default=READING_WEIGHTS, metavar="FILE")
    parser.add_argument("--bundled", action="store_true", help="read with the bundled encoders, to try the program")
    parser.add_argument("--every", type=int, default=1, help="fit with every n-th term; it takes as much less time")
    parser.add_argument("--meant", action="store_true", help="fit only whether words are read as they are meant")
    options = parser.parse_args(arguments)
    if options.meant:
        refit_meant(options.output)
        return
    if options.folder is None:
        parser.error("a folder with held-out encoders and lists of terms is needed")
    world = World(None if options.bundled else options.folder)
    old = ReadingWeights.bundled()
    terms = terms_of(options.folder, "fusion")[:: options.every]
    slope, middle, report = fit_plausibility(world)
    reports = {"plausibility": f"SLOPE {slope:.2f}, MIDDLE {middle:.2f}: {report}"}
    print(reports["plausibility"], flush=True)

    data = ranked(world, terms, old)
    fold = np.random.default_rng(0).permutation(len(data.kinds)) % FOLDS
    rankings: dict[str, dict[str, float]] = {}
    for stage, names in (("all", RANKING_FEATURES), ("table", TABLE)):
        w, constant, ranks = calibrated(data, fold, names)
        kinds = np.array(data.kinds)
        shown = ", ".join(
            f"{kind} {ranks[kinds == kind].mean():.3f} ({np.sum(kinds == kind)})" for kind in np.unique(kinds)
        )
        reports[f"hypernyms: {stage}"] = f"specific MRR of {len(ranks):,} terms in {FOLDS} folds: {shown}"
        print(reports[f"hypernyms: {stage}"], flush=True)
        row = dict(zip(RANKING_FEATURES, w.tolist(), strict=True)) | {CONSTANT: constant}
        print("  ", {name: round(number, 2) for name, number in row.items()}, flush=True)
        rankings[f"hypernyms: {stage}"] = row
        # Of hyponyms, nothing general is to be kept away, and the head of a phrase says nothing of its kinds.
        rankings[f"hyponyms: {stage}"] = row | {"size": 0.0, "said": 0.0, "head": 0.0, "above head": 0.0, "leak": 0.0}
    free = np.zeros(len(kinds))
    for number in range(FOLDS):
        w = softmax_weights(some(data, fold != number), RANKING_FEATURES, {})
        free[fold == number] = reciprocal(some(data, fold == number), w)
    shown = ", ".join(f"{kind} {free[kinds == kind].mean():.3f}" for kind in np.unique(kinds))
    print(f"   if nothing is chosen: {shown}", flush=True)
    for name in ("table", "transformer"):
        alone = reciprocal(data, np.eye(len(RANKING_FEATURES))[RANKING_FEATURES.index(name)])
        shown = ", ".join(f"{kind} {alone[kinds == kind].mean():.3f}" for kind in np.unique(kinds))
        print(f"   {name} alone: {shown}", flush=True)

    relations: dict[str, dict[str, Floats]] = {}
    for case in (ONE_READ, BOTH_READ):
        some_terms = terms[::BOTH_EVERY] if case == BOTH_READ else terms  # the other term must be read, too
        pairs = labelled(world, some_terms, old, case, np.random.default_rng(1))
        weights, reports[case] = fit_relations(pairs, case)
        relations[case] = dict(zip((*NAMES, CONSTANT), weights, strict=True))
        print(f"{case}: {reports[case]}", flush=True)
    metadata: dict[str, Any] = {
        "made_by": "tools/fit_reading.py",
        "validation": reports,
        "encoders": {name: getattr(world.reader, name).encoder.fingerprint for name in ("transformer", "table")},
        **{f"version_{name}": version(name) for name in ("entvec", "numpy", "scipy", "scikit-learn")},
    }
    ReadingWeights(rankings, relations, old.meant, metadata).save(options.output)


if __name__ == "__main__":
    main()
