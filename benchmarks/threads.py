"""What threads of the BLAS cost a program that imports entvec: each task with them and with one thread, by turns.

    python benchmarks/threads.py [--repeat 5]

A program that imports entvec usually has a BLAS with a thread for each processor. Every run is a process of its own;
the table shows medians of the time and of the processor time, and their ratios to those of a BLAS with one thread.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from entvec.bundled import default_map, google_news, labelled_pairs
from entvec.learn import EntailmentMap
from entvec.model import choose
from entvec.runtime import SINGLE_THREADED_BLAS, available_threads
from entvec.search.key_table import KeyTable
from entvec.space import EntailmentSpace

PAIRS = 100_000
FITTED = 1_348
WORDS = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--task", choices=TASKS, help="run it once and print its times as JSON")
    arguments = parser.parse_args()
    if arguments.task:
        print(json.dumps(times(TASKS[arguments.task]())))
        return
    several = dict.fromkeys(SINGLE_THREADED_BLAS, str(available_threads()))
    print("| task | one BLAS thread: s, processor s | several: s, processor s | ratios |\n|---|---|---|---|")
    for task in TASKS:
        runs = [(run(task, SINGLE_THREADED_BLAS), run(task, several)) for _ in range(arguments.repeat)]
        one, more = (tuple(median(column) for column in zip(*side, strict=True)) for side in zip(*runs, strict=True))
        ratios = ", ".join(f"{b / a:.2f}" for a, b in zip(one, more, strict=True))
        print(f"| {task} | {one[0]:.2f}, {one[1]:.2f} | {more[0]:.2f}, {more[1]:.2f} | {ratios} |", flush=True)


def run(task: str, environment: dict[str, str]) -> tuple[float, float]:
    command = [sys.executable, __file__, "--task", task]
    done = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True)  # noqa: S603
    seconds, processor_seconds = json.loads(done.stdout)
    return seconds, processor_seconds


def times(task: Callable[[], object]) -> tuple[float, float]:
    """The time and the processor time of the second run: the first one imports and starts threads."""
    task()
    start, processor_start = time.perf_counter(), time.process_time()
    task()
    return time.perf_counter() - start, time.process_time() - processor_start


def scores() -> Callable[[], object]:
    space = EntailmentSpace.from_vectors(google_news(), map=default_map())
    hypo, hyper = np.array(space.vocabulary.words)[np.random.default_rng(0).integers(len(space), size=(2, PAIRS))]
    return lambda: space.score(hypo.tolist(), hyper.tolist())


def keys() -> Callable[[], object]:
    vectors = google_news()
    model = choose(vectors, map=default_map())
    return lambda: KeyTable(model, vectors)["hyper"]


def factorised_keys() -> Callable[[], object]:
    vectors = google_news().head(WORDS)
    model = choose(vectors, operator="factorised")
    return lambda: KeyTable(model, vectors)["hyper"]


def fit() -> Callable[[], object]:
    pairs = labelled_pairs()
    some = np.random.default_rng(0).permutation(len(pairs.labels))[:FITTED]
    rows = np.stack([pairs.hypo, pairs.hyper], axis=1)[some]
    table = google_news()[list(pairs.words)]
    return lambda: EntailmentMap(random_state=0).fit_rows(table, rows, pairs.labels[some])


TASKS = {
    f"scores of {PAIRS:,} pairs": scores,
    "keys of the default space": keys,
    f"factorised keys of {WORDS:,} words": factorised_keys,
    f"fit to {FITTED:,} pairs": fit,
}


if __name__ == "__main__":
    main()
