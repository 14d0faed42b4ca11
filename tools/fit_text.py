"""Fit the weights of what texts say, `entvec/bundled/data/text-weights.json`, and print what they are worth.

    python tools/fit_text.py --evidence FILE... [--sheet FILE] [--hold-out NAME...] [--map FILE] [-o FILE]

Each FILE is what `entvec extract` has counted in a text. All other weights stay as they are; no word of `--hold-out`,
weeds-bless by default, takes part. Texts are no knowledge: what they say of a hidden word stays.

Rankings of new words: nouns that the texts name, at most `--words` of each text, hidden from the knowledge, under a map
that has not learned from them (`--map`; trained first if there is none, in four minutes, and kept there). The words
above them compete in a softmax, of which WordNet's specific hypernyms are right; what all other sources say is the
offset. Each text speaks for its own words alone, so that the weights are those of one text.
Rankings of known words: the same for the answers in preferred-answers.tsv.
Relations: `text_pairs.py`.
"""

import argparse
from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fit_rankings import CANDIDATES, Ranked, log_odds, preferred, reciprocal, softmax_loss
from fit_relations import Nouns, spelled_out, unjudged, unseen_map
from numpy.typing import NDArray
from scipy.optimize import minimize
from text_pairs import gathered, in_folds, judged, labelled, relation_weights
from train_default_map import held_words

from entvec.bundled import TEXT_WEIGHTS, bundled_knowledge, default_map, google_news
from entvec.evaluate.discovery import ask
from entvec.evidence import Evidence
from entvec.evidence.candidates import Asked
from entvec.evidence.gathering import BOTH_KNOWN, BOTH_NEW, NEW_WORD
from entvec.evidence.judge import Judge
from entvec.evidence.ranking_query import Query
from entvec.evidence.rankings import Ranker
from entvec.evidence.text_weights import RANKING_NAMES, RELATION_NAMES, TextWeights
from entvec.model.model import choose
from entvec.space import EntailmentSpace
from entvec.text import TextEvidence

Floats = NDArray[np.float64]
SHEET = Path(__file__).parents[1] / "benchmarks/extracted-pairs.tsv"
PENALTY = 0.0003
"""Weights of rankings are few, and words many."""
SIGNS = {"said": 1, "like": 1, "reversed": -1}
"""Which way each weight may point."""


def without_text(ranker: Ranker) -> Ranker:
    """The same ranker in a world without texts, whose terms have the same numbers."""
    evidence = object.__new__(Evidence)
    evidence.__dict__ |= ranker.evidence.__dict__ | {"text": None}
    found = Ranker(evidence)
    found.__dict__["rows"] = ranker.rows
    return found


def drawn_words(text: TextEvidence, nouns: Collection[str], n: int) -> list[str]:
    """At most so many of the nouns of which a text says what they are."""
    named = {text.terms[row] for row in np.unique(text.hypo).tolist()}
    words = sorted(named.intersection(nouns))
    return sorted(np.random.default_rng(0).permutation(words)[:n].tolist())


class Candidates(NamedTuple):
    """What texts say for the candidates of each query: their rows, and a column for each of RANKING_NAMES."""

    rows: list[NDArray[np.int64]]
    features: list[Floats]


def named(space: EntailmentSpace, ranker: Ranker, queries: Sequence[Query]) -> Candidates:
    """What texts say of the queries."""
    texts: Any = ranker.texts
    query, term, features = texts.features("hypo", queries)
    row = ranker.rows.rows[term]
    row = np.where(row < 0, len(space) + term, row)
    order = np.lexsort((row, query))
    query, row, features = query[order], row[order], features[order]
    cuts = np.searchsorted(query, np.arange(1, len(queries)))
    return Candidates(np.split(row, cuts), np.split(features, cuts))


def table(
    space: EntailmentSpace,
    ranker: Ranker,
    words: Sequence[str],
    queries: Sequence[Query],
    candidates: Any,
    said: Candidates,
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit all weights and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evidence", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--words", type=int, default=600, metavar="N")
    parser.add_argument("--sheet", type=Path, default=SHEET, metavar="FILE")
    parser.add_argument("--hold-out", nargs="+", default=["weeds-bless"], metavar="NAME")
    parser.add_argument("--map", type=Path, metavar="FILE")
    parser.add_argument("-o", dest="output", type=Path, default=TEXT_WEIGHTS, metavar="FILE")
    options = parser.parse_args(arguments)

    hold_out = sorted({word for name in options.hold_out for word in held_words(name)})
    vectors = google_news().with_lookup(case=True, space=True)
    texts = {path.stem: TextEvidence.of(path) for path in options.evidence}
    plain = Evidence(vectors, choose(vectors, map=default_map()), unjudged())
    nouns = set(Nouns(plain, vectors).concept) - set(spelled_out(plain, vectors, hold_out))
    drawn = {name: drawn_words(text, nouns, options.words) for name, text in texts.items()}
    new = sorted(set().union(*drawn.values()))
    learned = unseen_map(options.map, spelled_out(plain, vectors, [*hold_out, *new]))

    space = EntailmentSpace.from_vectors(vectors, map=learned)
    everyday = EntailmentSpace.from_vectors(vectors, map=default_map())
    usual_model = choose(vectors, map=default_map())
    data: dict[str, dict[str, Ranked]] = {"new": {}, "known": {}}
    for name, text in texts.items():
        ranker = Ranker(Evidence(vectors, usual_model, bundled_knowledge(), text))
        data["new"][name] = of_new(space, ranker.hiding(new), drawn[name])
        data["known"][name] = of_known(everyday, ranker, hold_out)
    weights: dict[str, dict[str, float]] = {}
    reports = {}
    for case, each in data.items():
        parts = {**each, "all": Ranked(*(list(chain(*column)) for column in zip(*each.values(), strict=True)))}
        reports[f"rankings: {case}"] = "; ".join(f"{name}: {halves(part)}" for name, part in parts.items())
        found = fitted(parts["all"])[1:].tolist()
        weights[f"rankings: {case}"] = dict(zip(RANKING_NAMES, found, strict=True))
    text = TextEvidence.of(*options.evidence)
    worlds = {BOTH_KNOWN: usual_model, NEW_WORD: space.model, BOTH_NEW: space.model}
    for situation, model in worlds.items():
        judge = Judge(Evidence(vectors, model, bundled_knowledge(), text))
        facts: Any = judge.evidence.text
        pairs = gathered(judge, [*judged(options.sheet, hold_out), *labelled(facts, hold_out)], situation)
        case = f"relations: {situation}"
        weights[case] = dict(zip(RELATION_NAMES, relation_weights(pairs).tolist(), strict=True))
        reports[case] = in_folds(pairs)
    print(*(f"{case}: {report}\n  {weights[case]}" for case, report in reports.items()), sep="\n")
    metadata = {"made_by": "tools/fit_text.py", "held_out": hold_out, "validation": reports}
    TextWeights(weights, metadata).save(options.output)


if __name__ == "__main__":
    main()
