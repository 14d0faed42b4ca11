"""Taxonomies of a million edges: how long they take and how much memory, beside what is bare necessary.

    python benchmarks/taxonomy.py [--edges N]
    python benchmarks/taxonomy.py --places 100000 [--read 0.1]

The baseline is to read the same lines and split them at the tab, in Python. Memory is the peak of the process so far.

With `--places`, so many terms of WordNet are placed into a taxonomy of half as many, cut from it too, and a taxonomy of
so many is audited. `--read` makes a share of the terms names that only an encoder knows, and reads them by the static
table. Processor seconds, since other work on the machine does not change them.
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
from entvec.bundled import wordnet_knowledge
from entvec.space import EntailmentSpace
from entvec.taxonomy import Taxonomy, abstractions, audit, induce, place_all, read, write

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


def of_wordnet(n: int, read: float, seed: int) -> Taxonomy:
    """A tree of so many nouns of WordNet, each under the first that is known above it; some are made names to read."""
    known, rng = wordnet_knowledge(), np.random.default_rng(seed)
    nouns = [term.replace("_", " ") for term in known.terms if term.islower()]
    names = dict.fromkeys(["entity", *(nouns[i] for i in rng.permutation(len(nouns)).tolist())])
    concepts: dict[int, str] = {}
    chosen: list[tuple[str, int]] = []
    for name in names:
        senses = [sense for sense in known.senses(name) if sense.part_of_speech == "noun" and sense.number == 1]
        if senses and senses[0].concept not in concepts:
            concepts[senses[0].concept] = name
            chosen.append((name, senses[0].concept))
        if len(chosen) == n:
            break
    shown = {name: f"{name} no. seven" if rng.random() < read else name for name, _ in chosen[1:]}
    edges = []
    for name, concept in chosen[1:]:
        above = sorted(
            (steps, each) for each, steps in known.ancestors([concept]).items() if each in concepts and steps
        )
        if above:
            parent = concepts[above[0][1]]
            edges.append((shown[name], shown.get(parent, parent)))
    return Taxonomy.from_edges(edges, terms=[shown.get(name, name) for name, _ in chosen])


def places(space: EntailmentSpace, n: int, read: float) -> None:
    """Place and audit so many terms; what is opened once is opened before."""
    space = space.with_reader("static") if read else space
    place_all(["memory foam pillow"], Taxonomy.from_edges([("pillow", "bedding")]), space)
    new, there, whole = (of_wordnet(size, read, seed) for seed, size in ((1, n), (2, n // 2), (3, n)))
    print("| | processor time, s | ms a term | peak memory, MB |\n|---|---|---|---|")
    for what, work in (
        (f"{n:,} terms placed into {n // 2:,}", lambda: place_all(new.terms, there, space)),
        (f"{n:,} terms audited", lambda: audit(whole, space)),
    ):
        start = time.process_time()
        work()
        took, peak = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {what} | {took:.1f} | {1000 * took / n:.2f} | {peak:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--places", type=int, help="place so many terms, and audit so many")
    parser.add_argument("--read", type=float, default=0.0, help="the share of terms that must be read")
    options = parser.parse_args()
    space = entvec.load()
    if options.places:
        places(space, options.places, options.read)
        return
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
