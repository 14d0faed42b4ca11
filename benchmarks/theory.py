"""How fast the theory is, as ratios to a named baseline measured in the same run.

    python benchmarks/theory.py

Each figure is the shortest of several runs; ours and the baseline take turns, because the machine may be
shared. "direct" is the formula as one would first write it in NumPy, which overflows for large log-odds.
"""

import os
import platform
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy
from scipy.stats import rankdata

from entvec.runtime import THREADS, available_threads
from entvec.theory import OPERATORS, EntailmentGraph
from entvec.theory.elementwise import log_known, log_unknown
from entvec.theory.sweeps import Sweep

PAIRS, FEATURES = 10_000, 300
NODES, EDGES = 82_000, 85_000


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def direct_weighted_cosine(y: Any, x: Any) -> Any:
    z = 0.5 + 0.5 * (1 - rankdata(-x, axis=-1) / (x.shape[-1] + 1))
    return ((z * y) * (z * x)).sum(-1) / np.sqrt(((z * y) ** 2).sum(-1) * ((z * x) ** 2).sum(-1))


DIRECT: dict[str, Callable[[Any, Any], Any]] = {
    "forward": lambda y, x: (sigmoid(x) * np.log(sigmoid(y))).sum(-1),
    "backward": lambda y, x: (sigmoid(-y) * np.log(sigmoid(-x))).sum(-1),
    "factorised": lambda y, x: np.log(1 - sigmoid(-y) * sigmoid(x)).sum(-1),
    "dot": lambda y, x: (y * x).sum(-1),
    "cosine": lambda y, x: (y * x).sum(-1) / np.sqrt((y * y).sum(-1) * (x * x).sum(-1)),
    "difference": lambda y, x: (y - x).sum(-1),
    "weighted_cosine": direct_weighted_cosine,
}


def shortest(ours: Callable[[], Any], baseline: Callable[[], Any], repeat: int = 15) -> tuple[float, float]:
    """The shortest time of each, in milliseconds, taking turns."""
    best = [float("inf"), float("inf")]
    for _ in range(repeat):
        for i, function in enumerate((ours, baseline)):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return best[0] * 1e3, best[1] * 1e3


def normal(*shape: int, dtype: Any) -> Any:
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


def operators(dtype: Any) -> None:
    y, x = normal(2, PAIRS, FEATURES, dtype=dtype)
    for name, row in OPERATORS.items():
        ours, direct = shortest(partial(row.score, y, x), partial(DIRECT[name], y, x))
        print(f"| {name} | {dtype.__name__} | {ours:.1f} | {direct:.1f} | {ours / direct:.2f} |")


def log_sigmoid(dtype: Any) -> None:
    x = normal(PAIRS, FEATURES, dtype=dtype)
    ours, slow = shortest(lambda: log_known(x), lambda: -np.logaddexp(0, -x))
    print(f"| {dtype.__name__} | {ours:.1f} | {slow:.1f} | {slow / ours:.1f} |")


def wordnet_sized(dtype: Any) -> tuple[EntailmentGraph, np.ndarray, np.ndarray]:
    """A graph like WordNet's nouns: nearly a tree, a third of the nodes have hyponyms, few have very many."""
    rng = np.random.default_rng(0)
    hypo = np.arange(1, NODES)
    hyper = (hypo * rng.random(NODES - 1) ** 3).astype(int)
    second = rng.choice(hypo, EDGES - len(hypo), replace=False)
    other = (second * rng.random(len(second))).astype(int)
    differs = hyper[second - 1] != other
    hypo, hyper = np.concatenate([hypo, second[differs]]), np.concatenate([hyper, other[differs]])
    graph = EntailmentGraph(FEATURES, dtype=dtype)
    names = [str(node) for node in range(NODES)]
    graph.add_nodes(names, rng.normal(size=(NODES, FEATURES)).astype(dtype))
    graph.add_entailments([names[i] for i in hypo], [names[i] for i in hyper])
    return graph, hypo, hyper


def sweep(dtype: Any) -> None:
    tracemalloc.start()
    graph, hypo, hyper = wordnet_sized(dtype)
    tracemalloc.reset_peak()
    graph.infer("parallel", max_iter=1, tol=1e9)
    peak = tracemalloc.get_traced_memory()[1] / (NODES * FEATURES * np.dtype(dtype).itemsize)
    tracemalloc.stop()

    one = Sweep(graph._edges(), np.arange(NODES))
    base = graph._base()
    state = base.copy()
    ours = partial(one.apply, state, base, graph.prior, 0.0)
    entailed, entailing = base[np.unique(hyper)], base[np.unique(hypo)]
    matrix: Any = one._plan[0].astype(dtype)
    sources = normal(matrix.shape[1], FEATURES, dtype=dtype)
    first, logs = shortest(ours, lambda: (log_unknown(entailed), log_known(entailing)), repeat=7)
    second, product = shortest(ours, lambda: matrix @ sources, repeat=7)
    threads = available_threads()
    os.environ[THREADS] = "1"
    alone, again = shortest(ours, ours, repeat=4)
    del os.environ[THREADS]
    for n, taken in ((threads, min(first, second)), (1, min(alone, again))):
        figures = f"{taken:.0f} | {logs:.0f} | {product:.0f} | {taken / (logs + product):.2f} | {peak:.1f}"
        print(f"| {dtype.__name__} | {n} | {figures} |")


TABLES = [
    (
        operators,
        f"Operators on {PAIRS:,} x {FEATURES} pairs: time ours / direct, wanted at most 1.",
        "operator | dtype | ours, ms | direct, ms | ratio",
    ),
    (
        log_sigmoid,
        f"Log-sigmoid of {PAIRS:,} x {FEATURES} numbers: wanted at least 4 times faster than np.logaddexp.",
        "dtype | ours, ms | np.logaddexp, ms | times faster",
    ),
    (
        sweep,
        f"One parallel sweep of graph inference over {NODES:,} nodes, {EDGES:,} edges and {FEATURES} features.\n"
        "Time: over as many log-sigmoids and one sparse product on one thread, wanted at most 2.\n"
        "Memory: peak of inference, with the graph itself, over the size of one matrix; wanted at most 5.",
        "dtype | threads | sweep, ms | log-sigmoids, ms | product, ms | time ratio | memory ratio",
    ),
]

if __name__ == "__main__":
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    print(f"{versions}, {os.cpu_count()} cores")
    for measure, title, header in TABLES:
        print(f"\n{title}\n\n| {header} |\n|{'---|' * len(header.split('|'))}")
        for dtype in (np.float32, np.float64):
            measure(dtype)
