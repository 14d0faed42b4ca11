"""Fit the weights of what texts say, `entvec/bundled/data/text-weights.json`, and print what they are worth.

    python tools/fit_text.py --evidence FILE [--sheet FILE] [--hold-out NAME...] [--map FILE] [-o FILE]

FILE is what `entvec extract` has counted. All other weights stay as they are; no word of `--hold-out`, weeds-bless by
default, takes part. Texts are no knowledge: what they say of a hidden word stays.

Rankings of new words: the nouns that the texts name, hidden from the knowledge, under a map that has not learned from
them (`--map`; trained first if there is none, in four minutes, and kept there). The words above them compete in a
softmax, of which WordNet's specific hypernyms are right; what all other sources say is the offset.
Rankings of known words: the same for the answers in preferred-answers.tsv.
Relations: a logistic regression on the pairs of the sheet, which says whether a pair that the text names is right; what
the relation model says is its offset. The sheet was judged by hand, see docs/extract.md. Each situation has its own
weights, fitted in a world that hides none, one or both of the words.
"""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fit_rankings import CANDIDATES, Ranked, log_odds, preferred, reciprocal, softmax_loss
from fit_relations import Nouns, spelled_out, unjudged, unseen_map
from numpy.typing import NDArray
from scipy.optimize import minimize
from train_default_map import held_words

from entvec.bundled import TEXT_WEIGHTS, bundled_knowledge, default_map, google_news
from entvec.evaluate.discovery import ask
from entvec.evidence import RELATIONS, Evidence
from entvec.evidence.candidates import Asked
from entvec.evidence.gathering import BOTH_KNOWN, BOTH_NEW, NEW_WORD
from entvec.evidence.judge import Judge
from entvec.evidence.ranking_query import Query
from entvec.evidence.rankings import Ranker
from entvec.evidence.text_relations import text_features
from entvec.evidence.text_weights import RANKING_NAMES, RELATION_NAMES, TextWeights
from entvec.model.model import choose
from entvec.space import EntailmentSpace
from entvec.text import TextEvidence

Floats = NDArray[np.float64]
SHEET = Path(__file__).parents[1] / "benchmarks/extracted-pairs.tsv"
PENALTY = 0.0003
"""Weights of rankings are few, and words many."""
RELATION_PENALTY = 0.005
SIGNS = {"said": 1, "like": 1, "reversed": -1}
"""Which way each weight may point."""


def without_text(ranker: Ranker) -> Ranker:
    """The same ranker in a world without texts, whose terms have the same numbers."""
    evidence = object.__new__(Evidence)
    evidence.__dict__ |= ranker.evidence.__dict__ | {"text": None}
    found = Ranker(evidence)
    found.__dict__["rows"] = ranker.rows
    return found


class Named(NamedTuple):
    """What texts say for the candidates of each query: their rows, and a column for each of RANKING_NAMES."""

    rows: list[NDArray[np.int64]]
    features: list[Floats]


def named(space: EntailmentSpace, ranker: Ranker, queries: Sequence[Query]) -> Named:
    """What texts say of the queries."""
    texts: Any = ranker.texts
    query, term, features = texts.features("hypo", queries)
    row = ranker.rows.rows[term]
    row = np.where(row < 0, len(space) + term, row)
    order = np.lexsort((row, query))
    query, row, features = query[order], row[order], features[order]
    cuts = np.searchsorted(query, np.arange(1, len(queries)))
    return Named(np.split(row, cuts), np.split(features, cuts))


def table(
    space: EntailmentSpace, ranker: Ranker, words: Sequence[str], queries: Sequence[Query], candidates: Any, said: Named
) -> list[Floats]:
    """For each word a row for each candidate: what all other sources say, then a column for each of RANKING_NAMES."""
    bonuses = ranker.bonuses("hypo", queries, 1.0)
    found = []
    for i, rows in enumerate(candidates):
        own, values = bonuses.of(i)
        x = np.zeros((len(rows), 1 + len(RANKING_NAMES)))
        by = ranker.candidates.scored_rows(rows)
        alone = queries[i].by_facts or words[i] not in space.vocabulary
        if not alone:
            names = [space.vectors.words[each] for each in by[by >= 0].tolist()]
            weights = ranker.weights.of("hypo", new=queries[i].is_new)
            x[by >= 0, 0] = weights["vectors"] * log_odds(space, "hypo", words[i], names)
        asked, first = Asked.of([queries[i]]), np.zeros(len(rows), np.int64)
        x[:, 0] += ranker.candidates.constants("hypo", asked, first, rows, ranker.weights, alone=alone)
        _, here, there = np.intersect1d(rows, own, return_indices=True)
        x[here, 0] += values[there].sum(axis=1)
        _, here, there = np.intersect1d(rows, said.rows[i], return_indices=True)
        x[here, 1:] = said.features[i][there]
        found.append(x)
    return found


def of_new(space: EntailmentSpace, ranker: Ranker, words: Sequence[str]) -> Ranked:
    """New words and the candidates for them."""
    questions = ask(words, space.vectors)
    kept = [i for i in range(len(questions)) if len(questions.right["specific"][i])]
    asked = [questions.words[i] for i in kept]
    queries = [ranker.query(word) for word in asked]
    among = [space.vectors.words[row] for row in questions.candidates.tolist()]
    hits = space.hypernyms(asked, CANDIDATES, among=among)
    base, said = without_text(ranker), named(space, ranker, queries)
    bonuses = base.bonuses("hypo", queries, 1.0)
    candidates = []
    for at, i in enumerate(kept):
        rows = np.unique(np.concatenate([hits.indices[at], bonuses.of(at)[0], said.rows[at]]))
        rows = np.intersect1d(rows[rows < len(space)], questions.candidates)
        candidates.append(rows[rows != questions.rows[i]])
    right = [
        np.isin(rows, questions.candidates[questions.right["specific"][i]])
        for i, rows in zip(kept, candidates, strict=True)
    ]
    return Ranked(table(space, base, asked, queries, candidates, said), right)


def of_known(space: EntailmentSpace, ranker: Ranker, hold_out: Sequence[str]) -> Ranked:
    """Known words, and what a person would say of them."""
    base = without_text(ranker)
    asked, right = preferred(space, base.evidence, hold_out)
    queries = [ranker.query(word) for word in asked.words]
    said = named(space, ranker, queries)
    return Ranked(table(space, base, asked.words, queries, asked.rows, said), right)


def fitted(data: Ranked) -> Floats:
    """Weights of a softmax over the candidates of each word, in the scale in which that of all other sources is 1."""

    def loss(w: Floats) -> tuple[float, Floats]:
        value, gradient = softmax_loss(data, w)
        return value + PENALTY * float(w[1:] @ w[1:]), gradient + 2 * PENALTY * np.append(0.0, w[1:])

    bounds = [(0.1, None), *((0, None) if SIGNS[name] > 0 else (None, 0) for name in RANKING_NAMES)]
    w = minimize(loss, np.append(1.0, np.zeros(len(SIGNS))), jac=True, method="L-BFGS-B", bounds=bounds).x
    w = np.asarray(w / w[0])
    w[1 + list(RANKING_NAMES).index("reversed")] = -max(w[1 + list(RANKING_NAMES).index("said")], 0.1)
    return w  # too few pairs are named both ways to fit it: what is said reversed weighs as much


def halves(data: Ranked) -> str:
    """What the weights are worth on words that they were not fitted to."""
    even = np.arange(len(data.right)) % 2 == 0
    ranks = np.zeros(len(even))
    for part in (even, ~even):
        w = fitted(_some(data, ~part))
        ranks[part] = reciprocal(_some(data, part), w)
    without = reciprocal(data, np.eye(1 + len(RANKING_NAMES))[0])
    named = np.array([bool((x[:, 1] > 0).any()) for x in data.features])
    gain = ranks - without
    error = gain.std() / np.sqrt(len(gain))
    return (
        f"{len(ranks):,} words: MRR {without.mean():.4f} without text, {ranks.mean():.4f} with it, by "
        f"{gain.mean():+.4f} +- {2 * error:.4f}; {named.sum()} of them named: {without[named].mean():.3f}, "
        f"{ranks[named].mean():.3f}"
    )


def _some(data: Ranked, chosen: NDArray[np.bool_]) -> Ranked:
    columns: Any = ([each for each, keep in zip(column, chosen, strict=True) if keep] for column in data)
    return Ranked(*columns)


# Relations


def judged(path: Path, hold_out: Sequence[str]) -> list[tuple[str, str, bool]]:
    """The pairs of the sheet that were judged, without the words that are held out."""
    held = {word.casefold() for word in hold_out}
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["source"] == "entvec"]
    return [
        (row["hypo"], row["hyper"], row["right"] == "yes")
        for row in rows
        if not {row["hypo"].casefold(), row["hyper"].casefold()} & held
    ]


def relation_weights(
    judge: Judge, pairs: Sequence[tuple[str, str, bool]], situation: str
) -> tuple[dict[str, float], str]:
    """Weights for pairs in a situation, made by hiding words, and what they are worth."""
    offsets, features, right = [], [], []
    for hypo, hyper, is_right in pairs:
        hidden = {BOTH_KNOWN: [], NEW_WORD: [hypo], BOTH_NEW: [hypo, hyper]}[situation]
        world = judge.hiding(hidden) if hidden else judge
        found = world.evidence.of([hypo], [hyper])
        if found.situations[0] != situation or "narrower" in found.known[0].facts:
            continue
        p = world.model.probabilities(found)[0]
        narrower = np.clip(p[RELATIONS.index("narrower")], 1e-6, 1 - 1e-6)
        offsets.append(np.log(narrower / (1 - narrower)))
        features.append(text_features(judge.evidence.text, [hypo], [hyper])[0, 0])  # type: ignore[arg-type]
        right.append(is_right)
    z0, x = np.array(offsets), np.array(features).reshape(-1, len(RELATION_NAMES))
    sign = np.where(right, 1.0, -1.0)

    def loss(w: Floats) -> tuple[float, Floats]:
        z = sign * (z0 + x @ w)
        slope = -sign / (1 + np.exp(z)) / max(len(z), 1)
        return float(np.logaddexp(0, -z).mean()) + RELATION_PENALTY * float(
            w @ w
        ), x.T @ slope + 2 * RELATION_PENALTY * w

    bounds = [(0, None), (0, None), (None, 0)]
    w = minimize(loss, np.array([1.0, 1.0, -1.0]), jac=True, method="L-BFGS-B", bounds=bounds).x
    w[2] = -w[1]  # too few pairs are named both ways to fit it: what is said reversed weighs as much
    report = (
        f"{len(right)} pairs that no fact decides, {sum(right)} of them right: mean probability of narrower "
        f"{np.mean(1 / (1 + np.exp(-z0))):.2f} without text, {np.mean(1 / (1 + np.exp(-z0 - x @ w))):.2f} with it"
    )
    return dict(zip(RELATION_NAMES, w.tolist(), strict=True)), report


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit all weights and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evidence", type=Path, required=True, metavar="FILE")
    parser.add_argument("--sheet", type=Path, default=SHEET, metavar="FILE")
    parser.add_argument("--hold-out", nargs="+", default=["weeds-bless"], metavar="NAME")
    parser.add_argument("--map", type=Path, metavar="FILE")
    parser.add_argument("-o", dest="output", type=Path, default=TEXT_WEIGHTS, metavar="FILE")
    options = parser.parse_args(arguments)

    hold_out = sorted({word for name in options.hold_out for word in held_words(name)})
    vectors = google_news().with_lookup(case=True, space=True)
    text = TextEvidence.of(options.evidence)
    usual = Evidence(vectors, choose(vectors, map=default_map()), bundled_knowledge(), text)
    plain = Evidence(vectors, choose(vectors, map=default_map()), unjudged())
    held = set(spelled_out(plain, vectors, hold_out))
    of_text = {text.terms[row] for row in np.unique(text.hypo).tolist()}
    new = sorted(word for word in Nouns(plain, vectors).concept if word in of_text and word not in held)
    learned = unseen_map(options.map, spelled_out(plain, vectors, [*hold_out, *new]))

    space = EntailmentSpace.from_vectors(vectors, map=learned)
    data = of_new(space, Ranker(usual).hiding(new), new)
    known = of_known(EntailmentSpace.from_vectors(vectors, map=default_map()), Ranker(usual), hold_out)
    weights: dict[str, dict[str, float]] = {}
    reports = {}
    for name, each in (("new", data), ("known", known)):
        reports[f"rankings: {name}"] = halves(each)
        weights[f"rankings: {name}"] = dict(zip(RANKING_NAMES, fitted(each)[1:].tolist(), strict=True))
    pairs = judged(options.sheet, hold_out)
    worlds = {BOTH_KNOWN: usual.model, NEW_WORD: space.model, BOTH_NEW: space.model}
    for situation, model in worlds.items():
        judge = Judge(Evidence(vectors, model, bundled_knowledge(), text))
        case = f"relations: {situation}"
        weights[case], reports[case] = relation_weights(judge, pairs, situation)
    print(*(f"{case}: {report}\n  {weights[case]}" for case, report in reports.items()), sep="\n")
    metadata = {"made_by": "tools/fit_text.py", "held_out": hold_out, "validation": reports}
    TextWeights(weights, metadata).save(options.output)


if __name__ == "__main__":
    main()
