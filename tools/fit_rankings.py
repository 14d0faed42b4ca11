"""Fit the weights of rankings, `entvec/bundled/data/rankings.json`, and print how good they are on held-out words.

    python tools/fit_rankings.py [--hold-out NAME...] [--map FILE] [-o FILE]

Hypernyms of known words: one set of weights is fitted to two things at once. All candidates for a word compete in a
softmax, of which the answers in preferred-answers.tsv are right: what a person would say that nearly 1,000 everyday
nouns and verbs are. And a logistic regression says whether the first word is narrower for the labelled pairs that
`fit_relations` uses, labelled by hand, which makes log-odds of the sum.
Hypernyms of new words: the nouns that `fit_relations` draws, hidden from the knowledge, under a map that has not
learned from them; the words above them compete in a softmax, of which WordNet's specific hypernyms are right, and a
logistic regression on the ten best of words that were left out makes log-odds of the sum. What words gain of which
nothing is known, so that no neighbour can speak for them, is fitted on a third of these nouns, hidden together with the
hypernyms of a third of them.
Hyponyms of known words: a logistic regression says which first words of the labelled pairs are narrower. Those of new
words take the weights of hypernyms.
"""

import csv
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fit_relations import prepared, training_pairs
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from entvec.bundled import RANKING_WEIGHTS, default_map
from entvec.evaluate.discovery import ask, first_rank
from entvec.evidence import Evidence
from entvec.evidence.candidates import Asked
from entvec.evidence.ranking_weights import NAMES, RankingWeights
from entvec.evidence.rankings import FACT_FEATURES, SOURCES, Ranker
from entvec.learn.calibration import Calibration
from entvec.model.model import OTHER, Side
from entvec.space import EntailmentSpace
from entvec.space.fusion import WordsAndTerms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PREFERRED = Path(__file__).parent / "preferred-answers.tsv"
CHOSEN = {"size": -1.0, "synonym": -1.5, "same": -3.0, "stated": 6.0}
"""Weights that are not fitted: general answers such as organism and artifact lose more than the fitted -0.6, a concept
is called by its best known name, words that mean the same as the one that is asked about come last, and what the user
states comes first."""
GENERAL = -0.5
"""What general answers for new words lose, if one hardly says them. It costs MRR: instrumentation is right there."""
OF_HYPONYMS = {"size": 0.0, "synonym": 0.0, "unknown": 0.0, "steps": -0.2, "said": 0.2}
"""Chosen weights of hyponyms: far ones are nearly as good, and those that one says come first."""
PHRASES = -1.5
"""What phrases lose as hyponyms: many end in the word that is asked about, whose vector then speaks for them."""
BELOW = ("vectors", "fact", "own sense", "other sense")
"""What is fitted for hyponyms of known words. Neighbours add nothing for known words, and cost as much as all the
rest."""
FITTED = ("vectors", "unseen", "fact", "own sense", "other sense", "steps", "size", "said")
"""What is fitted for hypernyms of known words."""
FIRST_GUESS = {"fact": 3.0, "own sense": 1.0, "other sense": 0.3, "steps": -1.0}
"""Of several facts about a pair, the one that says most counts; these weights choose it at first."""
NEW = ("vectors", "neighbours", "spelling", "affixes", "size", "unknown")
OF_VECTORS, CANDIDATES = 300, 2000
"""How many words compete to be the hypernyms of a known word and of a new one, besides those that sources speak for."""
PENALTY = 0.01
FOLDS = 10


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


def log_odds(space: EntailmentSpace, side: Side, word: str, answers: Sequence[str]) -> Floats:
    """What the vectors say of answers for a word on a side of pairs, less the hubness of the answers."""
    pairs = ([word] * len(answers), answers)
    scores = np.asarray(space.score(*(pairs if side == "hypo" else pairs[::-1])))
    scores = scores - space.backend.hubness(OTHER[side], space.vocabulary.rows(answers))
    scale, intercept = (space.calibration or Calibration.platt(1.0, 0.0)).line()
    return np.asarray(scale * scores + intercept)


# Known words


class Rows(NamedTuple):
    """Words that are asked about, and the rows of their candidates: of the vocabulary, then of terms without vector."""

    words: list[str]
    rows: list[Ints]


def table(
    space: EntailmentSpace, evidence: Evidence, side: Side, asked: Rows, weights: dict[str, float]
) -> list[Floats]:
    """For each word on a side of pairs a row for each candidate, and a column for each of FITTED."""
    n = len(space)
    chooser = Ranker(evidence, unit_weights(**weights))
    queries = [chooser.query(word) for word in asked.words]
    query, term, facts = chooser.fact_features(side, queries)
    value = facts @ [weights.get(name, 0.0) for name in FACT_FEATURES]
    best: dict[tuple[int, int], Floats] = {}
    for i in np.argsort(-value, kind="stable").tolist():
        best.setdefault((int(query[i]), int(term[i])), facts[i])
    found = []
    for i, (word, rows) in enumerate(zip(asked.words, asked.rows, strict=True)):
        features = np.zeros((len(rows), len(FITTED)))
        if not queries[i].by_facts:
            by = chooser.candidates.scored_rows(rows)
            names = [space.vectors.words[row] for row in by[by >= 0].tolist()]
            features[by >= 0, 0], features[rows >= n, 1] = log_odds(space, side, word, names), 1.0
        for at, row in enumerate(rows.tolist()):
            of_pair = best.get((i, int(chooser.rows.terms[row]) if row < n else row - n))
            if of_pair is not None:
                features[at, 2:] = [of_pair[FACT_FEATURES.index(name)] for name in FITTED[2:]]
        found.append(features)
    return found


def preferred(
    space: EntailmentSpace, evidence: Evidence, hold_out: Sequence[str]
) -> tuple[Rows, list[NDArray[np.bool_]]]:
    """The words of PREFERRED with their candidates, and which of these a person would say."""
    with PREFERRED.open(encoding="utf-8", newline="") as file:
        answers = {row["word"]: row["answers"].split(", ") for row in csv.DictReader(file, delimiter="\t")}
    words = [word for word in answers if word not in set(hold_out)]
    ranker = Ranker(evidence, unit_weights(fact=1.0, neighbours=1.0))
    by_vectors = space.hypernyms(words, OF_VECTORS, evidence="vectors").indices
    bonuses = ranker.bonuses("hypo", [ranker.query(word) for word in words], 1.0)
    asked, right = Rows([], []), []
    for i, word in enumerate(words):
        query = ranker.query(word)
        listed, values = bonuses.of(i)
        rows = listed if query.by_facts else np.union1d(listed, by_vectors[i])
        facts = np.isin(rows, listed[values[:, SOURCES.index("facts")] != 0])
        rows = rows[
            ranker.candidates.admits("hypo", Asked.of([query]), np.zeros_like(rows), rows, facts)
            & (facts | (not query.by_facts))
        ]
        names = WordsAndTerms(space.vectors.words, len(space), ranker.evidence.meanings.known.terms)
        chosen = np.array([names[row].replace(" ", "_") in answers[word] for row in rows.tolist()], dtype=bool)
        if chosen.any():
            asked.words.append(word)
            asked.rows.append(rows)
            right.append(chosen)
    return asked, right


def fit_known(space: EntailmentSpace, evidence: Evidence, hold_out: Sequence[str]) -> tuple[dict[str, float], str]:
    """Weights fitted to preferred answers and to labelled pairs, and how good they are by cross-validation."""
    asked, right = preferred(space, evidence, hold_out)
    ranker = Ranker(evidence, unit_weights())
    queries = {pair.first: ranker.query(pair.first) for pair in training_pairs()}
    pairs = [
        pair
        for pair in training_pairs()
        if all(word in space.vocabulary for word in pair[:2]) and not queries[pair.first].by_facts
    ]
    of_pairs = Rows([pair.first for pair in pairs], [space.vocabulary.rows([pair.second]) for pair in pairs])
    narrower = np.array(["narrower" in (pair.relation, pair.also) for pair in pairs])
    weights = FIRST_GUESS
    for _ in range(3):
        data = Ranked(table(space, evidence, "hypo", asked, weights), right)
        labelled = np.concatenate(table(space, evidence, "hypo", of_pairs, weights))
        w, constant = joint(data, labelled, narrower)
        weights = dict(zip(FITTED, w.tolist(), strict=True))
    fold = np.random.default_rng(0).permutation(len(right)) % FOLDS
    unseen = np.zeros(len(right))
    for each in range(FOLDS):
        unseen[fold == each] = reciprocal(
            some(data, fold == each), joint(some(data, fold != each), labelled, narrower)[0]
        )
    of_pair = np.random.default_rng(0).permutation(len(narrower)) % FOLDS
    z = np.zeros(len(narrower))
    for each in range(FOLDS):
        of_it, at = joint(data, labelled[of_pair != each], narrower[of_pair != each])
        z[of_pair == each] = labelled[of_pair == each] @ of_it + at
    above = np.mean(z[narrower][:, None] > z[~narrower])
    loss = np.mean(np.logaddexp(0, -np.where(narrower, z, -z)))
    report = (
        f"{len(right)} words: MRR {unseen.mean():.3f} of what a person would say; "
        f"{len(pairs):,} pairs, {narrower.sum()} narrower: AUC {above:.3f}, loss {loss:.3f} ({FOLDS} folds)"
    )
    # Where facts alone speak, vectors are taken to say what they say of right answers elsewhere.
    of_right = np.concatenate([x[y, 0] for x, y in zip(data.features, data.right, strict=True)])
    alone = constant + weights["vectors"] * float(of_right[of_right != 0].mean())
    return weights | {"constant": constant, "unseen": constant + weights["unseen"], "alone": alone}, report


def joint(data: Ranked, labelled: Floats, narrower: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Weights for which both the softmax and the logistic regression do well, and the constant of the latter."""
    sign = np.where(narrower, 1.0, -1.0)

    def loss(w: Floats) -> tuple[float, Floats]:
        value, gradient = softmax_loss(data, w[:-1])
        z = sign * (labelled @ w[:-1] + w[-1])
        slope = -sign / (1 + np.exp(z)) / len(z)
        value += float(np.logaddexp(0, -z).mean())
        return value, np.append(gradient + slope @ labelled, slope.sum())

    found = minimize(loss, np.zeros(len(FITTED) + 1), jac=True, method="L-BFGS-B").x
    return np.asarray(found[:-1]), float(found[-1])


def softmax_loss(data: Ranked, w: Floats) -> tuple[float, Floats]:
    """The loss of a softmax over the candidates of each word, of which several may be right, and its gradient."""
    usable = [(x, y) for x, y in zip(data.features, data.right, strict=True) if y.any()]
    value, gradient = PENALTY / 2 * float(w @ w), PENALTY * w
    for x, y in usable:
        z = x @ w
        power = np.exp(z - z.max())
        total, good = power.sum(), power[y].sum()
        value += (np.log(total) - np.log(good)) / len(usable)
        gradient = gradient + (power @ x / total - power[y] @ x[y] / good) / len(usable)
    return value, gradient


def fit_below(space: EntailmentSpace, evidence: Evidence) -> tuple[dict[str, float], str]:
    """Weights for the hyponyms of known words, fitted to labelled pairs, and how good they are by cross-validation."""
    ranker = Ranker(evidence, unit_weights())
    pairs = [
        pair
        for pair in training_pairs()
        if all(word in space.vocabulary for word in pair[:2]) and not ranker.query(pair.second).by_facts
    ]
    asked = Rows([pair.second for pair in pairs], [space.vocabulary.rows([pair.first]) for pair in pairs])
    narrower = np.array(["narrower" in (pair.relation, pair.also) for pair in pairs])
    features = np.concatenate(table(space, evidence, "hyper", asked, FIRST_GUESS))
    features = features[:, [FITTED.index(name) for name in BELOW]]
    model = LogisticRegression(C=10.0)
    log_odds = cross_val_predict(model, features, narrower, cv=FOLDS, method="decision_function")
    above = np.mean(log_odds[narrower][:, None] > log_odds[~narrower])
    found = model.fit(features, narrower)
    weights = dict(zip(BELOW, found.coef_[0].tolist(), strict=True)) | {"constant": float(found.intercept_[0])}
    return weights, f"{len(pairs):,} pairs, {narrower.sum()} narrower: AUC {above:.3f} ({FOLDS} folds)"


# New words


def new_features(space: EntailmentSpace, ranker: Ranker, words: Sequence[str]) -> Ranked:
    """What the vectors, neighbours and spelling say of the words that may be above new ones."""
    questions = ask(words, space.vectors)
    kept = [i for i in range(len(questions)) if len(questions.right["specific"][i])]
    queries = [ranker.query(questions.words[i]) for i in kept]
    sources = [Ranker(ranker.evidence, unit_weights(**{name: 1.0})).bonuses("hypo", queries, 1.0) for name in NEW[1:-1]]
    hits = space.hypernyms([questions.words[i] for i in kept], CANDIDATES, among=_words(space, questions.candidates))
    features, right = [], []
    for at, i in enumerate(kept):
        listed = np.unique(np.concatenate([hits.indices[at], *(each.of(at)[0] for each in sources)]))
        rows = np.intersect1d(listed[listed < len(space)], questions.candidates)
        rows = rows[rows != questions.rows[i]]
        names = [space.vectors.words[row] for row in rows.tolist()]
        table = np.zeros((len(rows), len(NEW)))
        table[:, 0] = log_odds(space, "hypo", questions.words[i], names)
        for column, each in enumerate(sources, 1):
            own, values = each.of(at)
            _, here, there = np.intersect1d(rows, own, return_indices=True)
            table[here, column] = values.sum(axis=1)[there]
        terms = ranker.rows.terms[rows]
        table[:, -1] = (terms < 0) | (ranker.hierarchy.first_concept[terms] < 0)
        features.append(table)
        right.append(np.isin(rows, questions.candidates[questions.right["specific"][i]]))
    return Ranked(features, right)


def _words(space: EntailmentSpace, rows: NDArray[np.int64]) -> list[str]:
    return [space.vectors.words[row] for row in rows.tolist()]


def fit_new(data: Ranked) -> Floats:
    """Weights of a softmax over the candidates of each word, without what is chosen and that of unknown ones."""
    start = np.zeros(len(NEW))
    start[NEW.index("size")] = GENERAL
    return fit_some(data, start, [column for column, name in enumerate(NEW) if name not in ("size", "unknown")])


def fit_some(data: Ranked, w: Floats, columns: list[int]) -> Floats:
    """Weights of which some columns are fitted, and the others stay."""
    found = w.copy()

    def loss(values: Floats) -> tuple[float, Floats]:
        found[columns] = values
        value, gradient = softmax_loss(data, found)
        return value, gradient[columns]

    found[columns] = minimize(loss, np.full(len(columns), 0.5), jac=True, method="L-BFGS-B").x
    return found


def some_hypers(space: EntailmentSpace, words: Sequence[str]) -> list[str]:
    """The specific hypernyms of every third word."""
    questions = ask(words, space.vectors)
    found = {row for right in questions.right["specific"][::3] for row in questions.candidates[right].tolist()}
    return [space.vectors.words[row] for row in sorted(found)]


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
    of_known, report = fit_known(space, usual, world.hold_out)
    below, report_below = fit_below(space, usual)
    reports = {"hypernyms: known": report, "hyponyms: known": report_below}

    space = EntailmentSpace.from_vectors(vectors, map=world.learned)
    data = new_features(space, Ranker(usual, unit_weights()).hiding(new), new)
    half = np.arange(len(data.right)) % 2 == 0
    halves = [(fit_new(some(data, part)), part) for part in (half, ~half)]
    unseen = np.concatenate([reciprocal(some(data, ~part), w) for w, part in halves])
    alone = reciprocal(data, np.eye(len(NEW))[0])
    reports["hypernyms: new"] = (
        f"{len(unseen):,} words: specific MRR {unseen.mean():.3f}, by the map {alone.mean():.3f}"
    )
    w = fit_new(data)
    third = new[::3]
    unknown = Ranker(usual, unit_weights()).hiding([*third, *some_hypers(space, third)])
    data_unknown = new_features(space, unknown, third)
    without = reciprocal(data_unknown, w)
    w = fit_some(data_unknown, w, [NEW.index("unknown")])
    found, by_map = (reciprocal(data_unknown, each).mean() for each in (w, np.eye(len(NEW))[0]))
    reports["hypernyms: new"] += (
        f"; {len(without)} words where hypernyms are hidden, too: {found:.3f}, by the map {by_map:.3f}, without a "
        f"constant for unknown ones {without.mean():.3f}"
    )
    slope, constant = platt(some(data, ~half), halves[0][0])
    of_new = dict(zip(NEW, (slope * w).tolist(), strict=True)) | {"constant": constant, "alone": of_known["alone"]}
    print(*(f"{case}: {text}" for case, text in reports.items()), sep="\n")

    none = dict.fromkeys(NAMES, 0.0)
    rows = {"known": none | of_known | CHOSEN, "new": none | CHOSEN | of_new}
    weights = {f"hypernyms: {name}": row for name, row in rows.items()}
    alone = below["constant"] + rows["known"]["alone"] - rows["known"]["constant"]
    unseen = below["constant"] + rows["known"]["unseen"] - rows["known"]["constant"]
    own = {"neighbours": 0.0, "alone": alone, "unseen": unseen + PHRASES}
    weights["hyponyms: known"] = rows["known"] | below | OF_HYPONYMS | own
    weights["hyponyms: new"] = rows["new"] | OF_HYPONYMS
    metadata: dict[str, Any] = {
        "made_by": "tools/fit_rankings.py",
        "held_out": world.hold_out,
        "validation": reports,
        **{f"version_{name}": version(name) for name in ("entvec", "numpy", "scipy", "scikit-learn")},
    }
    RankingWeights(weights, metadata).save(world.output)


if __name__ == "__main__":
    main()
