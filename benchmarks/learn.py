"""How long fitting a map takes, beside scikit-learn's LinearSVC on difference vectors, and how it grows with the pairs.

    python benchmarks/learn.py [--pairs 1348] [--growth] [--repeat 5]

Pairs are WordNet's with the bundled vectors; the map is 300 x 300. Ours and the baseline take turns; times are the
shortest of several runs.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from entvec.bundled import google_news, labelled_pairs
from entvec.learn import EntailmentMap
from entvec.learn.objective import LEARNABLE

GROWTH = (5_000, 50_000, 500_000)
STEPS = 20
WORDS = 2_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1348, help="beside LinearSVC (1,348 as in the benchmark)")
    parser.add_argument("--growth", action="store_true", help=f"time of {STEPS} steps for {GROWTH} pairs")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    table, rows, labels = wordnet()
    beside_linear_svc(table, rows[: arguments.pairs], labels[: arguments.pairs], arguments.repeat)
    if arguments.growth:
        growth(table)


def wordnet() -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """A table of vectors, pairs of its rows in random order, and their labels."""
    pairs = labelled_pairs()
    order = np.random.default_rng(0).permutation(len(pairs.labels))
    rows = np.stack([pairs.hypo, pairs.hyper], axis=1)[order]
    return google_news()[list(pairs.words)], rows, pairs.labels[order]


def beside_linear_svc(
    table: NDArray[np.float32], rows: NDArray[np.int64], labels: NDArray[np.int64], repeat: int
) -> None:
    difference = (table[rows[:, 0]] - table[rows[:, 1]]).astype(np.float64)  # what LinearSVC computes in
    maps = {name: EntailmentMap(name, random_state=0) for name in LEARNABLE}
    runs: dict[str, Callable[[], object]] = {"LinearSVC": lambda: LinearSVC().fit(difference, labels)}
    for name, learned in maps.items():
        runs[name] = lambda learned=learned: learned.fit_rows(table, rows, labels)  # type: ignore[misc]
    best = dict.fromkeys(runs, np.inf)
    for _ in range(repeat):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    print(f"{len(rows):,} pairs, {len(np.unique(rows)):,} words x {table.shape[1]}")
    for name, seconds in best.items():
        steps = f"{maps[name].n_iter_} steps" if name in maps else ""
        print(f"{name:12} {seconds * 1000:7.0f} ms {seconds / best['LinearSVC']:6.1f} x LinearSVC  {steps}")


def growth(table: NDArray[np.float32]) -> None:
    print(f"\n{STEPS} steps, random pairs of the same {WORDS:,} words")
    rng = np.random.default_rng(0)
    warnings.simplefilter("ignore")  # so few steps do not converge
    for n in GROWTH:
        rows, labels = rng.integers(0, WORDS, size=(n, 2)), rng.integers(0, 2, size=n)
        for name in ("backward", "factorised"):
            learned = EntailmentMap(name, max_iter=STEPS, tol=0, random_state=0)
            start = time.perf_counter()
            learned.fit_rows(table[:WORDS], rows, labels)
            seconds = time.perf_counter() - start
            print(f"{name:12} {n:9,} pairs {seconds:7.1f} s {1e6 * seconds / n / STEPS:7.1f} µs a pair and step")


if __name__ == "__main__":
    main()
