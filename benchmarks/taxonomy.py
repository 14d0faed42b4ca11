"""Taxonomies of a million edges: how long they take and how much memory, beside what is bare necessary.

    python benchmarks/taxonomy.py [--edges N]

The baseline is to read the same lines and split them at the tab, in Python. Memory is the peak of the process so far.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import entvec
from entvec.taxonomy import Taxonomy, abstractions, audit, induce, read, write

WORDS = 3_000
GROUPS = 50


def edges_of(n_edges: int, words: list[str]) -> list[tuple[str, str]]:
    """A random tree of three fifths as many terms as edges, and other edges up; real words are on top."""
    rng = np.random.default_rng(0)
    n = n_edges * 3 // 5
    names = [words[i] if i < len(words) else f"term {i}" for i in range(n)]
    parents = (rng.random(n - 1) * np.arange(1, n) ** 0.9).astype(int)
    found = [(names[i], names[parent]) for i, parent in enumerate(parents.tolist(), start=1)]
    for low, high in np.sort(rng.integers(n, size=(n_edges - len(found), 2))).tolist():
        if low != high:
            found.append((names[high], names[low]))
    return found


def timed(what: str, work: Callable[[], Any], baseline: float | None = None) -> tuple[Any, float]:
    start = time.perf_counter()
    found = work()
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {what} | {took:.1f} | {'' if baseline is None else f'{took / baseline:.1f}'} | {peak:.0f} |", flush=True)
    return found, took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=1_000_000)
    options = parser.parse_args()
    space = entvec.load()
    edges = edges_of(options.edges, list(space.vocabulary.words))
    print("| | time, s | times the baseline | peak memory, MB |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.tsv"
        taxonomy, _ = timed("made of pairs in memory", lambda: Taxonomy.from_edges(edges))
        timed("written as TSV", lambda: write(taxonomy, path))
        with path.open(encoding="utf-8") as lines:
            _, baseline = timed("baseline: lines read and split", lambda: [line.split("\t") for line in lines])
        timed("read from TSV", lambda: read(path), baseline)
    print(f"| *{taxonomy!r}* | | | |")
    timed("audited without vectors", lambda: audit(taxonomy), baseline)
    timed("audited with vectors, nothing missing looked for", lambda: audit(taxonomy, space, missing=False), baseline)
    words = list(space.vocabulary.words)[1000 : 1000 + WORDS]
    timed(f"a tree of {WORDS:,} words", lambda: induce(words, space))
    timed(f"{WORDS:,} words in {GROUPS} groups", lambda: abstractions(words, space, GROUPS))


if __name__ == "__main__":
    main()
