"""Measure how long `space.relation` takes: the first pair of a process, then known pairs and pairs with a new word.

    python benchmarks/relation.py [--pairs N]

As ratios to one score of the same pair (`space.score`), the cheapest question there is about it.
"""

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np

from entvec.space import EntailmentSpace, default_space


def seconds(work: Callable[[], object]) -> float:
    """How long some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def drawn(words: Sequence[str], n: int, seed: int) -> list[str]:
    """Words drawn by chance."""
    rng = np.random.default_rng(seed)
    return [words[i] for i in rng.integers(len(words), size=n)]


def main() -> None:
    """Print all times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2000, metavar="N")
    n = parser.parse_args().pairs
    space: EntailmentSpace = default_space()
    single = seconds(lambda: [space.score("dog", "animal") for _ in range(100)]) / 100
    print(f"one score: {1e3 * single:.2f} ms")
    print(f"first relation of the process: {1e3 * seconds(lambda: space.relation('guitar', 'instrument')):.0f} ms")
    meanings = space.judge.evidence.meanings
    known = [word for word in space.vocabulary.words if word.islower() and meanings.of(word)]
    new = [word for word in space.vocabulary.words if not meanings.of(word) and not space.judge.evidence.is_flat(word)]
    for name, words in (("both known", known), ("new word", new)):
        first, second = drawn(words, n, 1), drawn(known, n, 2)
        cold, warm = (seconds(lambda: space.relation(first, second)) / n for _ in range(2))  # noqa: B023
        print(f"{name}: {1e3 * cold:.2f} ms a pair, again {1e3 * warm:.2f} ms, {warm / single:.1f} times a score")


if __name__ == "__main__":
    main()
