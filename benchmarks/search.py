"""How fast exact search is, beside the bare matrix product, faiss and gensim on the same data in the same run.

    python benchmarks/search.py [--words 1000000] [--dimension 300] [--plot docs/figures/search.png]

The vectors are sums of two real ones of Google News, as many as are wanted: a million of real size and shape. Each time
is the shortest of several in which ours and the baseline take turns, because the machine may be shared. The product is
that of the keys with the queries, by NumPy with the threads it takes by itself, and nothing is selected from it.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from entvec.bundled import google_news
from entvec.runtime import available_threads
from entvec.search import scan as scanning
from entvec.search.request import Request
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

BATCH = 256
K = 10
MEMORY = """
import sys
sys.path.insert(0, sys.argv[1])
from search import space_of, table
def peak():  # of this program alone; getrusage would tell the peak of the one that started it
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
vectors = table(int(sys.argv[2]), int(sys.argv[3]))
space = space_of(vectors, "backward")
keys = space.keys["hyper"].stored.nbytes
before = peak()
space.hypernyms(vectors.matrix[: int(sys.argv[4])], k=10)
print((peak() - before) / 1e6, (peak() - keys - vectors.stored.nbytes) / 1e6)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--dimension", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--plot", type=Path, help="draw how times grow with the vocabulary and with k")
    options = parser.parse_args()
    threads = available_threads()
    print(f"{options.words:,} words x {options.dimension}, float32, {threads} threads, top {K}")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}\n")
    vectors = table(options.words, options.dimension)
    space = space_of(vectors, "backward")
    space.keys["hyper"]
    compare_with_product(space, options.repeat)
    compare_with_faiss(space, options.repeat)
    compare_with_gensim(space, options.repeat)
    compare_factorised(space, options.repeat)
    cold_start()
    memory(options.words, options.dimension)
    if options.plot:
        growth(options.words, options.dimension, options.repeat, options.plot)


def table(words: int, dimension: int) -> Vectors:
    """Vectors like those of Google News, as many as are wanted."""
    real = google_news().matrix[:, :dimension]
    rng = np.random.default_rng(0)
    matrix = np.empty((words, dimension), dtype=np.float32)
    for first in range(0, words, 1 << 16):
        part = matrix[first : first + (1 << 16)]
        chosen = rng.integers(0, len(real), size=(2, len(part)))
        np.add(real[chosen[0]] * np.float32(0.8), real[chosen[1]] * np.float32(0.6), out=part)
    return Vectors([f"w{i}" for i in range(words)], matrix)


def space_of(vectors: Vectors, operator: str) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(vectors, interpretation="log_odds", operator=operator)


def compare_with_product(space: EntailmentSpace, repeat: int) -> None:
    keys = np.ascontiguousarray(space.keys["hyper"].stored[:, : space.vocabulary.dimension])
    queries = queries_of(space)
    mapped = np.asarray(space.model.operator.query(queries), dtype=np.float32)  # type: ignore[misc]
    for name, size, limit in (("one query", 1, 1.25), (f"batch of {BATCH}", BATCH, 1.5)):
        asked = queries[0] if size == 1 else queries[:size]
        bare = mapped[0] if size == 1 else mapped[:size].T
        ours, product = in_turns([lambda: space.hypernyms(asked, k=K), lambda: keys @ bare], repeat)  # noqa: B023
        print(f"{name}: {ours:.3f} s, {ours / product:.2f} of the product alone ({product:.3f} s), limit {limit}")


def compare_with_faiss(space: EntailmentSpace, repeat: int) -> None:
    try:
        import faiss
    except ImportError:
        print("faiss: not installed")
        return
    keys = space.keys["hyper"].stored
    index = faiss.IndexFlatIP(keys.shape[1])
    index.add(keys)
    vectors = queries_of(space)
    queries = space.keys.queries(Request("hypo", vectors, space.model.penalty("hypo"))).astype(np.float32)
    ours, theirs = in_turns([lambda: space.hypernyms(vectors, k=K), lambda: index.search(queries, K)], repeat)
    print(f"batch of {BATCH}: {theirs / ours:.1f} times as fast as faiss IndexFlatIP ({theirs:.2f} s), limit 3")


def compare_with_gensim(space: EntailmentSpace, repeat: int) -> None:
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        print("gensim: not installed")
        return
    theirs = KeyedVectors(space.vectors.dimension)
    theirs.add_vectors(list(space.vectors), space.vectors.matrix)
    theirs.fill_norms()
    word = space.vocabulary.words[0]
    ours, other = in_turns([lambda: space.hypernyms(word, k=K), lambda: theirs.most_similar(word, topn=K)], repeat)
    print(f"one query: {other / ours:.1f} times as fast as gensim's most_similar ({other:.3f} s), limit 2")


def compare_factorised(backward: EntailmentSpace, repeat: int) -> None:
    space = space_of(backward.vectors, "factorised")
    low_rank = space.model.low_rank
    if low_rank is None:
        print("factorised: no low-rank maps for this range")
        return
    start = time.perf_counter()
    space.keys["hyper"]
    print(f"factorised: rank {low_rank.rank} on [{low_rank.low:.2f}, {low_rank.high:.2f}]; keys made in ", end="")
    print(f"{time.perf_counter() - start:.0f} s")
    queries = queries_of(space)
    tasks = [lambda: space.hypernyms(queries, k=K), lambda: backward.hypernyms(queries, k=K)]
    ours, base = in_turns(tasks, max(2, repeat // 2))
    print(f"factorised, batch of {BATCH}: {ours / base:.1f} times backward ({base:.2f} s), limit 5")
    start = time.perf_counter()
    some = queries[:4]
    scanned = scanning.scan(space.keys, Request("hypo", some, space.specificity.hypernyms), K)
    scan = (time.perf_counter() - start) / len(some)
    same = bool((space.hypernyms(some, k=K).indices == scanned.rows).all())
    print(f"factorised, {len(some)} queries: the same words as a direct scan: {same}; ", end="")
    print(f"a scan takes {scan * BATCH / base:.0f} times backward")


def cold_start() -> None:
    code = "import time; t = time.perf_counter(); import entvec; print(time.perf_counter() - t)"
    imported = min(float(run(sys.executable, "-c", code)) for _ in range(3))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run(str(Path(sys.executable).with_name("entvec")), "hypernyms", "dog")
        times.append(time.perf_counter() - start)
    print(f"import entvec: {imported:.3f} s, limit 0.3; entvec hypernyms dog: {min(times):.2f} s, limit 1")


def memory(words: int, dimension: int) -> None:
    arguments = [str(Path(__file__).parent), str(words), str(dimension), str(10 * BATCH)]
    more, all_told = run(sys.executable, "-c", MEMORY, *arguments).split()
    print(f"memory of a search for {10 * BATCH:,} queries: {float(more):.0f} MB more than before it; ", end="")
    print(f"{float(all_told):.0f} MB in all besides keys and vectors, limit 200")


def growth(words: int, dimension: int, repeat: int, path: Path) -> None:
    """Plot how times grow with the vocabulary and with k, beside the bare product."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    sizes = [size for size in (10_000, 30_000, 100_000, 300_000, 1_000_000) if size <= words]
    ks = [1, 10, 100, 1000]
    by_size: dict[str, list[float]] = {
        "one query": [],
        f"batch of {BATCH}": [],
        "product, one": [],
        "product, batch": [],
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for size in sizes:
        space = space_of(table(size, dimension), "backward")
        keys = np.ascontiguousarray(space.keys["hyper"].stored[:, :dimension])
        queries = queries_of(space)
        mapped = queries.astype(np.float32)
        tasks = [
            lambda: space.hypernyms(queries[0], k=K),  # noqa: B023
            lambda: space.hypernyms(queries, k=K),  # noqa: B023
            lambda: keys @ mapped[0],  # noqa: B023
            lambda: keys @ mapped.T,  # noqa: B023
        ]
        found = in_turns(tasks, repeat)
        for values, seconds, n in zip(by_size.values(), found, (1, len(queries), 1, len(queries)), strict=True):
            values.append(1000 * seconds / n)
    for (name, values), style in zip(by_size.items(), ("C0-o", "C1-o", "C0:", "C1:"), strict=True):
        left.loglog(sizes, values, style, label=name)
    left.set(xlabel="words", ylabel="milliseconds a query", title=f"growth with the vocabulary, top {K}")
    left.legend()
    by_k = [in_turns([lambda: space.hypernyms(queries, k=k)], repeat)[0] for k in ks]  # noqa: B023
    right.semilogx(ks, [1000 * seconds / len(queries) for seconds in by_k], "C1-o")
    right.set(xlabel="k", ylabel="milliseconds a query", title=f"growth with k, {sizes[-1]:,} words, batch of {BATCH}")
    right.set_ylim(bottom=0)
    figure.savefig(path, dpi=150)
    print(f"growth with the vocabulary and k: {path}")
    for k, seconds in zip(ks, by_k, strict=True):
        print(f"  k = {k}: {1000 * seconds / len(queries):.2f} ms a query")


def queries_of(space: EntailmentSpace) -> Any:
    step = max(1, len(space) // BATCH)
    return space.vectors.matrix[::step][:BATCH].astype(np.float64)


def in_turns(tasks: list[Callable[[], object]], repeat: int) -> list[float]:
    """The shortest time of each task, which take turns."""
    best = [np.inf] * len(tasks)
    for _ in range(repeat):
        for i, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ}).stdout  # noqa: S603


if __name__ == "__main__":
    main()
