"""All hypernyms of a large vocabulary on a GPU: the whole vocabulary against itself, exactly.

    python benchmarks/gpu.py --words 3000000 --dimension 300

Synthetic log-odds, standard normal. Times are wall-clock on an otherwise idle card, after a warm-up with few words.
`on` makes the keys and moves them, so that "in all" is from vectors in memory to answers in memory. The bare product is
the same product of keys and queries in 16 bits or TF32 by PyTorch, tile by tile, its scores thrown away: nothing that
reads every key for every query can be faster.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from entvec import bulk
from entvec.bulk.spaces import search as neighbours_of_rows
from entvec.search.device.searcher import DTYPES, DeviceSearcher
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors
from entvec.vectors.words import Words

PEAK = {"bfloat16": 989e12, "tf32": 495e12}
"""Of an H100 or H200, by the maker's data sheet."""
CHECKED = 200
BLOCK = 1 << 14

T = TypeVar("T")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=3_000_000)
    parser.add_argument("--dimension", type=int, default=300)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--factorised-words", type=int, help="as many as --words if not given")
    parser.add_argument("--output", help="a Parquet file: only the whole job, as `entvec neighbours` does it, is timed")
    given = parser.parse_args()
    card = torch.cuda.get_device_name() if given.device == "cuda" else "processor"
    print(f"{card}, PyTorch {torch.__version__}, {given.words:,} words x {given.dimension}, k = {given.k}")
    vectors = synthetic(given.words, given.dimension)
    if given.output:
        whole_job(vectors, given)
        return
    run(synthetic(20_000, given.dimension), "backward", "bfloat16", given)  # compiles the kernel
    titles = ("on", "search", "in all", "bare")
    print(f"\n{'operator':12}{'product':10}" + "".join(f"{each:>8}" for each in titles) + "  ratio  peak  unproven")
    for operator, precision in (
        ("backward", "bfloat16"),
        ("backward", "tf32"),
        ("forward", "bfloat16"),
        ("factorised", "bfloat16"),
    ):
        n = given.factorised_words or given.words if operator == "factorised" else given.words
        row = run(vectors.head(n), operator, precision, given, report=True)
        print(row, flush=True)


def synthetic(n: int, d: int) -> Vectors:
    matrix = np.random.default_rng(0).standard_normal((n, d), dtype=np.float32)
    return Vectors(Words.of(f"w{i}" for i in range(n)), matrix)


def run(vectors: Vectors, operator: str, precision: str, given: argparse.Namespace, *, report: bool = False) -> str:
    space = EntailmentSpace.from_vectors(vectors, interpretation="log_odds", operator=operator)
    moved, moving = timed(lambda: space.on(given.device, dtype=precision, sides=["hyper"]))
    found, search = timed(lambda: neighbours(moved, given.k))
    if not report:
        return ""
    engine = moved.searchers["hyper"]
    if not isinstance(engine, DeviceSearcher):
        raise TypeError(engine)
    check(space, found, given.k)
    bare = product(engine, len(vectors))
    flop = 2.0 * len(vectors) ** 2 * engine.keys.stored.shape[1]
    peak = f"{flop / search / PEAK[precision]:5.0%}" if precision in PEAK else ""
    return (
        f"{operator:12}{precision:10}{moving:7.1f}s{search:7.1f}s{moving + search:7.1f}s{bare:7.1f}s"
        f"{search / bare:7.2f}{peak:>6}  {engine.unproven:,}"
    )


def neighbours(space: EntailmentSpace, k: int) -> NDArray[np.int64]:
    """Search for every word; threads make the next queries while the device answers."""

    def search(start: int) -> NDArray[np.int64]:
        rows = np.arange(start, min(start + BLOCK, len(space)))
        return neighbours_of_rows(space, "up", rows, k, space.specificity.hypernyms, by_evidence=False).indices

    with ThreadPoolExecutor(3) as threads:
        return np.concatenate(list(threads.map(search, range(0, len(space), BLOCK))))


def whole_job(vectors: Vectors, given: argparse.Namespace) -> None:
    """From vectors in memory to a file."""
    few = EntailmentSpace.from_vectors(synthetic(20_000, given.dimension), interpretation="log_odds")
    bulk.neighbours(few, given.output, k=given.k, device=given.device, restart=True)  # compiles the kernel
    space = EntailmentSpace.from_vectors(vectors, interpretation="log_odds")
    done = bulk.neighbours(space, given.output, k=given.k, device=given.device, restart=True)
    print(f"backward: {done.rows:,} rows, {done.size / 1e6:,.0f} MB in {done.seconds:.1f} s")


def check(space: EntailmentSpace, found: NDArray[np.int64], k: int) -> None:
    """Some rows, compared with the search without a device."""
    rows = np.random.default_rng(1).choice(len(space), size=CHECKED, replace=False)
    words = [space.vocabulary.words[row] for row in rows.tolist()]
    if not np.array_equal(space.hypernyms(words, k).indices, found[rows]):
        raise SystemExit("the device found other words than the search without it")


def product(engine: DeviceSearcher, n: int) -> float:
    """The time of the bare product, from that of a part of it."""
    keys = engine._shard(0).narrow
    queries = keys[: 1 << 14].clone()
    torch.backends.cuda.matmul.allow_tf32 = engine.dtype == "tf32"
    tile = 1 << 17
    out = torch.empty((len(queries), tile), dtype=DTYPES[engine.dtype], device=keys.device)
    tiles = [keys[i : i + tile].T for i in range(0, min(len(keys), 8 * tile), tile) if i + tile <= len(keys)] or [
        keys.T
    ]

    def multiply() -> None:
        for each in tiles:
            torch.mm(queries, each, out=out[:, : each.shape[1]] if each.shape[1] < tile else out)

    multiply()
    _, seconds = timed(multiply)
    done = len(queries) * sum(each.shape[1] for each in tiles)
    return seconds * (n / done) * n


def timed(work: Callable[[], T]) -> tuple[T, float]:
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    start = time.perf_counter()
    result = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return result, time.perf_counter() - start


if __name__ == "__main__":
    main()
