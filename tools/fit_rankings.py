"""Fit the weights of rankings, `entvec/bundled/data/rankings.json`, and print how good they are on held-out words.

    python tools/fit_rankings.py [--hold-out NAME...] [--map FILE] [-o FILE]

Hypernyms of known words: a logistic regression on the 2,000 pairs that `fit_relations` uses, labelled by hand, whether
the first is narrower, makes a first ranking. Then the weights are fitted again, on the best 30 answers for KNOWN_WORDS
nouns, to the log-odds of an entailment that the relation model gives: a ranking is what can be searched of it. (The
votes of neighbours keep the weight of the first fit, because the relation model does not use them for known words.)
Hypernyms of new words: the nouns that `fit_relations` draws, hidden from the knowledge, under a
map that has not learned from them; the words above them compete in a softmax, of which WordNet's specific hypernyms are
right, and a logistic regression on the ten best of words that were left out makes log-odds of the sum. Hyponyms take
the weights of hypernyms, and constants of their own.

PREFERENCES are chosen, not fitted: they say which of several right answers comes first, near and specific ones before
general ones, and the best known word for a concept before its synonyms.
"""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from fit_relations import Nouns, prepared, sides, training_pairs
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict

from entvec.bundled import RANKING_WEIGHTS, default_map
from entvec.evaluate.discovery import ask, first_rank
from entvec.evidence.judge import Judge, entailing
from entvec.evidence.ranking_weights import NAMES, RankingWeights
from entvec.evidence.rankings import FACT_FEATURES, SOURCES, Ranker
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.space.ranking import rank_by_evidence

Floats = NDArray[np.float64]
PREFERENCES = {"steps": -2.0, "shallow": -0.5, "synonym": -1.2, "same": -3.0, "stated": 6.0}
ANY_SENSE = 0.3
"""The weight of the sense of a hyper that is known: less than the fitted one, so that a guitar is an instrument."""
NAMED = 0.2
"""The weight of the words that glosses are made of, for new words: it costs 0.006 of the MRR that is fitted to, whose
right answers include such words as instrumentation."""
HYPONYM_STEPS = -0.2
"""Of hyponyms, far ones are nearly as good."""
FITTED = ("vectors", "neighbours", "fact", "own sense", "other sense", "named")
NEW = ("vectors", "neighbours", "named", "spelling", "affixes")
CANDIDATES = 300
"""How many words compete to be the hypernyms of a new word."""
PENALTY = 0.01
KNOWN_WORDS, FREQUENT, POOL = 400, 4000, 30
"""How many known words are asked about, of how many frequent ones, and how many of their best answers are judged."""


class Ranked(NamedTuple):
    """What sources say of the candidates of new words."""

    features: list[Floats]
    """For each word a row for each candidate, and a column for each of NEW."""
    right: list[NDArray[np.bool_]]


def unit_weights(**weights: float) -> RankingWeights:
    """Weights of which most are 0."""
    row = dict.fromkeys(NAMES, 0.0) | weights
    cases = [f"{verb}: {situation}" for verb in ("hypernyms", "hyponyms") for situation in ("known", "new")]
    return RankingWeights(dict.fromkeys(cases, row))


def log_odds(space: EntailmentSpace, hypos: Sequence[str], hypers: Sequence[str]) -> Floats:
    """What the vectors say of pairs, less the hubness of the hyper."""
    rows = space.vocabulary.rows(hypers)
    scores = np.asarray(space.score(hypos, hypers)) - space.backend.hubness("hyper", rows)
    scale, intercept = (space.calibration or Calibration.platt(1.0, 0.0)).line()
    return np.asarray(scale * scores + intercept)


# Known words


def pair_features(space: EntailmentSpace, ranker: Ranker, hypos: Sequence[str], hypers: Sequence[str]) -> Floats:
    """A row for each pair of words with vectors, a column for each of FITTED."""
    at = {word: i for i, word in enumerate(dict.fromkeys(hypos))}
    queries = [ranker.query(word) for word in at]
    query, term, facts = ranker.fact_features("hypo", queries)
    guess = dict(zip(FACT_FEATURES, facts.T, strict=True))
    order = np.argsort(-(3 * guess["fact"] + guess["own sense"] + guess["other sense"] - guess["steps"]), kind="stable")
    best: dict[tuple[int, int], Floats] = {}
    for row in order.tolist():
        best.setdefault((int(query[row]), int(term[row])), facts[row])
    votes = Ranker(ranker.evidence, unit_weights(neighbours=1.0)).bonuses("hypo", queries, 1.0)
    table = np.zeros((len(hypos), len(FITTED)))
    table[:, 0] = log_odds(space, hypos, hypers)
    for i, (hypo, hyper) in enumerate(zip(hypos, hypers, strict=True)):
        rows, values = votes.of(at[hypo])
        table[i, 1] = values[rows == space.vocabulary.row(hyper), SOURCES.index("neighbours")].sum()
        terms = [term for term, _ in ranker.evidence.meanings.known.find(hyper)]
        found = [best[at[hypo], term] for term in terms if (at[hypo], term) in best]
        if found:
            table[i, 2:] = [found[0][FACT_FEATURES.index(name)] for name in FITTED[2:]]
    return table


def fit_labels(space: EntailmentSpace, ranker: Ranker) -> tuple[dict[str, float], str]:
    """Weights fitted to the pairs that were labelled by hand."""
    pairs = [pair for pair in training_pairs() if all(word in space.vocabulary for word in pair[:2])]
    narrower = np.array(["narrower" in (pair.relation, pair.also) for pair in pairs])
    return fit_known(pair_features(space, ranker, *sides(pairs)), narrower)


def fit_known(features: Floats, narrower: NDArray[np.bool_]) -> tuple[dict[str, float], str]:
    """Weights of a logistic regression, and how good it is by cross-validation."""
    scale = features.std(axis=0)
    model = LogisticRegression(max_iter=1000)
    p = cross_val_predict(model, features / scale, narrower, cv=10, method="decision_function")
    loss = np.mean(np.logaddexp(0, -np.where(narrower, p, -p)))
    above = np.mean(p[narrower][:, None] > p[~narrower])
    model.fit(features / scale, narrower)
    weights = dict(zip(FITTED, (model.coef_[0] / scale).tolist(), strict=True))
    report = f"{len(p):,} pairs, {narrower.sum()} narrower: AUC {above:.3f}, loss {loss:.3f} (10 folds)"
    return weights | {"constant": float(model.intercept_[0])}, report


def imitate(space: EntailmentSpace, judge: Judge, first: dict[str, float]) -> tuple[dict[str, float], str]:
    """Weights that come near to the log-odds of the relation model, for the answers that a first ranking finds."""
    nouns = list(Nouns(judge.evidence, space.vectors).concept)[:FREQUENT]
    words = [nouns[i] for i in np.random.default_rng(2).permutation(len(nouns))[:KNOWN_WORDS].tolist()]
    ranker = Ranker(judge.evidence, unit_weights(**(PREFERENCES | first)))
    judge.__dict__["ranker"] = ranker
    found = rank_by_evidence(space.vocabulary, space.model, space.backend, judge, "hypo", words, POOL)
    features, wanted = [], []
    for one in found:
        hypos = [str(one.query)] * len(one)
        features.append(pair_features(space, ranker, hypos, one.words))
        p = np.clip(entailing(judge.probabilities(hypos, one.words)), 1e-3, 1 - 1e-3)
        wanted.append(np.log(p / (1 - p)))
    train = np.concatenate([np.full(len(each), i % 2 == 0) for i, each in enumerate(wanted)])
    x, y = np.concatenate(features), np.concatenate(wanted)
    columns = [FITTED.index(name) for name in FITTED if name != "neighbours"]
    half = Ridge().fit(x[train][:, columns], y[train])
    whole = Ridge().fit(x[:, columns], y)
    fit = half.score(x[~train][:, columns], y[~train])
    report = f"{len(y):,} answers for {len(words)} words: R2 {fit:.2f} on the other half"
    weights = dict(zip((FITTED[column] for column in columns), whole.coef_.tolist(), strict=True))
    return first | weights | {"constant": float(whole.intercept_)}, report


# New words


def new_features(space: EntailmentSpace, ranker: Ranker, words: Sequence[str]) -> Ranked:
    """What the vectors, neighbours and spelling say of the words that may be above new ones."""
    questions = ask(words, space.vectors)
    kept = [i for i in range(len(questions)) if len(questions.right["specific"][i])]
    queries = [ranker.query(questions.words[i]) for i in kept]
    sources = [Ranker(ranker.evidence, unit_weights(**{name: 1.0})).bonuses("hypo", queries, 1.0) for name in NEW[1:]]
    hits = space.hypernyms([questions.words[i] for i in kept], CANDIDATES, among=_words(space, questions.candidates))
    features, right = [], []
    for at, i in enumerate(kept):
        listed = np.unique(np.concatenate([hits.indices[at], *(each.of(at)[0] for each in sources)]))
        rows = np.intersect1d(listed[listed < len(space)], questions.candidates)
        rows = rows[rows != questions.rows[i]]
        names = [space.vectors.words[row] for row in rows.tolist()]
        table = np.zeros((len(rows), len(NEW)))
        table[:, 0] = log_odds(space, [questions.words[i]] * len(rows), names)
        for column, each in enumerate(sources, 1):
            own, values = each.of(at)
            _, here, there = np.intersect1d(rows, own, return_indices=True)
            table[here, column] = values.sum(axis=1)[there]
        features.append(table)
        right.append(np.isin(rows, questions.candidates[questions.right["specific"][i]]))
    return Ranked(features, right)


def _words(space: EntailmentSpace, rows: NDArray[np.int64]) -> list[str]:
    return [space.vectors.words[row] for row in rows.tolist()]


def fit_new(data: Ranked) -> Floats:
    """Weights of a softmax over the candidates of each word, of which several may be right."""
    usable = [(x, y) for x, y in zip(data.features, data.right, strict=True) if y.any()]

    def loss(w: Floats) -> tuple[float, Floats]:
        value, gradient = PENALTY / 2 * float(w @ w), PENALTY * w
        for x, y in usable:
            z = x @ w
            power = np.exp(z - z.max())
            total, good = power.sum(), power[y].sum()
            value += (np.log(total) - np.log(good)) / len(usable)
            gradient = gradient + (power @ x / total - power[y] @ x[y] / good) / len(usable)
        return value, gradient

    return np.asarray(minimize(loss, np.full(len(NEW), 0.5), jac=True, method="L-BFGS-B").x)


def reciprocal(data: Ranked, w: Floats) -> Floats:
    """One over the rank of the first right candidate of each word; 0 if none is a candidate."""
    return np.array(
        [
            1 / first_rank(z, z[y]) if y.any() else 0.0
            for z, y in ((x @ w, y) for x, y in zip(data.features, data.right, strict=True))
        ]
    )


def platt(data: Ranked, w: Floats) -> tuple[float, float]:
    """What makes log-odds of the sums of the ten best candidates."""
    sums: list[float] = []
    right: list[bool] = []
    for x, y in zip(data.features, data.right, strict=True):
        z = x @ w
        best = np.argsort(-z)[:10]
        sums, right = [*sums, *z[best]], [*right, *y[best]]
    model = LogisticRegression(C=1e4).fit(np.array(sums)[:, None], right)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def some(data: Ranked, chosen: NDArray[np.bool_]) -> Ranked:
    """Some of the words."""
    columns: Any = ([each for each, keep in zip(column, chosen, strict=True) if keep] for column in data)
    return Ranked(*columns)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit all weights and write them."""
    world = prepared(__doc__, RANKING_WEIGHTS, arguments)
    vectors, usual, new = world.vectors, world.usual, world.new

    space = EntailmentSpace.from_vectors(vectors, map=default_map())
    first, report = fit_labels(space, Ranker(usual))
    of_known, imitation = imitate(space, Judge(usual), first)
    reports = {"hypernyms: known": f"{report}; {imitation}"}

    space = EntailmentSpace.from_vectors(vectors, map=world.learned)
    data = new_features(space, Ranker(usual).hiding(new), new)
    half = np.arange(len(data.right)) % 2 == 0
    halves = [(fit_new(some(data, part)), part) for part in (half, ~half)]
    unseen = np.concatenate([reciprocal(some(data, ~part), w) for w, part in halves])
    alone = reciprocal(data, np.eye(len(NEW))[0])
    reports["hypernyms: new"] = (
        f"{len(unseen):,} words: specific MRR {unseen.mean():.3f}, by the map {alone.mean():.3f}"
    )
    w = fit_new(data)
    w[NEW.index("named")] = NAMED
    slope, constant = platt(some(data, ~half), halves[0][0])
    of_new = dict(zip(NEW, (slope * w).tolist(), strict=True)) | {"constant": constant}
    print(*(f"{case}: {text}" for case, text in reports.items()), sep="\n")

    of_known["other sense"] = ANY_SENSE
    rows = {
        "known": PREFERENCES | {"spelling": 0.0, "affixes": 0.0} | of_known,
        "new": dict.fromkeys(NAMES, 0.0) | PREFERENCES | of_new,
    }
    below = {"shallow": 0.0, "named": 0.0, "synonym": 0.0, "steps": HYPONYM_STEPS}
    weights = {
        f"{verb}: {name}": row | extra
        for verb, extra in (("hypernyms", {}), ("hyponyms", below))
        for name, row in rows.items()
    }
    metadata: dict[str, Any] = {
        "made_by": "tools/fit_rankings.py",
        "held_out": world.hold_out,
        "validation": reports,
        **{f"version_{name}": version(name) for name in ("entvec", "numpy", "scipy", "scikit-learn")},
    }
    RankingWeights(weights, metadata).save(world.output)


if __name__ == "__main__":
    main()
