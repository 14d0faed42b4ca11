"""How fast a graph of the size of WordNet is inferred, as ratios to one bare sweep over it.

    python benchmarks/graph.py [--wordnet DIR] [--features N]

The graph is WordNet's noun hierarchy (Debian's package wordnet-base), or else a random tree of its size. A bare
sweep updates all nodes once, in parallel; it is measured before and after each inference, as machines may be shared.
"""

import argparse
import os
import platform
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from entvec.theory import EntailmentGraph, Inference
from entvec.theory.sweeps import Sweep

Pairs = tuple[np.ndarray, np.ndarray]
NODES, SECOND_HYPERS = 82_115, 2_313
ADDED = 30


def wordnet(folder: Path) -> tuple[int, Pairs] | None:
    """How many noun synsets there are, and who is whose hypernym or an instance of it; None without the file."""
    path = folder / "data.noun"
    if not path.is_file():
        return None
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("  ")]
    numbers = {fields[0]: number for number, fields in enumerate(lines)}
    pairs = set()
    for fields in lines:
        at = 5 + 2 * int(fields[3], 16)  # behind the words of the synset
        pointers = fields[at : at + 4 * int(fields[at - 1])]
        for symbol, target in zip(pointers[::4], pointers[1::4], strict=True):
            if symbol in ("@", "@i"):
                pairs.add((numbers[fields[0]], numbers[target]))
    hypo, hyper = np.array(sorted(pairs)).T
    return len(lines), (hypo, hyper)


def random_tree() -> tuple[int, Pairs]:
    """As many nodes as WordNet, few with very many hyponyms, some with a second hypernym."""
    rng = np.random.default_rng(0)
    hypo = np.concatenate([np.arange(1, NODES), rng.integers(1, NODES, SECOND_HYPERS)])
    pairs = np.unique(np.stack([hypo, (hypo * rng.random(len(hypo)) ** 3).astype(int)], axis=1), axis=0)
    return NODES, (pairs[:, 0], pairs[:, 1])


def everyone_undecided(graph: EntailmentGraph, names: list[str], rng: np.random.Generator) -> None:
    graph.add_nodes(names, rng.normal(size=(len(names), graph.n_features)))


def mostly_unknown(graph: EntailmentGraph, names: list[str], rng: np.random.Generator) -> None:
    graph.add_nodes(names, rng.normal(-2, 1, size=(len(names), graph.n_features)))


def some_observed(graph: EntailmentGraph, names: list[str], rng: np.random.Generator) -> None:
    graph.add_nodes(names)
    seen = [name for name in names if rng.random() < 0.05]
    graph.observe(seen, rng.normal(0, 2, size=(len(seen), graph.n_features)))


WORLDS: dict[str, Callable[[EntailmentGraph, list[str], np.random.Generator], None]] = {
    "priors N(0, 1)": everyone_undecided,
    "priors N(-2, 1)": mostly_unknown,
    "priors 0, 5% observed": some_observed,
}


def build(world: str, n_nodes: int, pairs: Pairs, n_features: int, dtype: Any) -> EntailmentGraph:
    graph = EntailmentGraph(n_features, dtype=dtype)
    names = [str(node) for node in range(n_nodes)]
    WORLDS[world](graph, names, np.random.default_rng(0))
    graph.add_entailments(*([names[node] for node in side.tolist()] for side in pairs))
    return graph


def bare_sweep(graph: EntailmentGraph) -> float:
    """The shortest of three, in seconds."""
    sweep, state = Sweep(graph._edges(), np.arange(len(graph))), graph._base().copy()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        sweep.apply(state, graph._base(), graph.prior, 0.0)
        times.append(time.perf_counter() - start)
    return min(times)


def converge(world: str, n_nodes: int, pairs: Pairs, n_features: int, dtype: Any) -> None:
    graph = build(world, n_nodes, pairs, n_features, dtype)
    sweep = bare_sweep(graph)
    start = time.perf_counter()
    found = graph.infer()
    taken = time.perf_counter() - start
    sweep = min(sweep, bare_sweep(graph))
    n_iter, added = found.n_iter, []
    for number in range(ADDED):
        milliseconds, found = add_one(graph, found, pairs, number)
        added.append((milliseconds, found.n_updated))
    milliseconds, updates = np.median(added, axis=0)
    cells = f"{n_iter} | {taken:.1f} | {sweep:.2f} | {taken / sweep:.0f} | {milliseconds:.0f} | {updates:.0f}"
    print(f"| {world} | {np.dtype(dtype)} | {cells} |", flush=True)


def add_one(graph: EntailmentGraph, found: Inference, pairs: Pairs, number: int) -> tuple[float, Inference]:
    """Add a node below two that are hypernyms of others, and infer again: milliseconds, and what was found."""
    rng = np.random.default_rng(number)
    above = rng.choice(np.unique(pairs[1]), 2, replace=False)
    start = time.perf_counter()
    graph.add_nodes(f"new {number}", rng.normal(size=graph.n_features))
    graph.add_entailments(f"new {number}", [str(node) for node in above])
    again = graph.infer(start=found)
    taken = time.perf_counter() - start
    return 1e3 * taken, again


def memory(n_nodes: int, pairs: Pairs, n_features: int) -> float:
    """The peak of an inference, over the size of its matrix; the graph, which has one of its own, not counted."""
    graph = build("priors N(0, 1)", n_nodes, pairs, n_features, np.float64)
    tracemalloc.start()
    graph.infer()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / graph._base().nbytes


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="the folder of data.noun")
    parser.add_argument("--features", type=int, default=300)
    parser.add_argument("--memory", action="store_true", help="measure the peak of memory too, which takes a while")
    options = parser.parse_args()
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    print(f"{versions}, {os.cpu_count()} cores")
    read = wordnet(options.wordnet)
    if read is None:
        print(f"no data.noun in {options.wordnet}: a random tree of the same size takes the place of WordNet")
    n_nodes, pairs = read or random_tree()
    print(f"\n{n_nodes:,} nodes, {len(pairs[0]):,} entailments, {options.features} features\n")
    header = "graph | dtype | sweeps | time, s | bare sweep, s | ratio | one more node, ms | node updates for it"
    print(f"| {header} |\n|{'---|' * len(header.split('|'))}")
    for dtype in (np.float64, np.float32):
        for world in WORLDS:
            converge(world, n_nodes, pairs, options.features, dtype)
    if options.memory:
        print(f"\npeak of memory: {memory(n_nodes, pairs, options.features):.1f} matrices")
