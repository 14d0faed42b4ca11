"""How many of the best words approximate engines find, and how much faster than exact search in the same run.

    python benchmarks/approximate.py [--vectors glove.txt]

Without a file of vectors a made table stands in for it: sums of two vectors of Google News, of 100 dimensions. Searches
are for the 10 best hypernyms of words drawn from the whole vocabulary, in batches, by all threads. An index is built
once and tried with more and more effort; a row shows the least that reached a recall, or the most there is. Times are
the shortest of several in which exact search and the engine take turns, because the machine may be shared; how many
times faster an engine is than exact search is told by the clock and by the time that processors worked.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from entvec.bundled import google_news, labelled_pairs
from entvec.learn import EntailmentMap
from entvec.runtime import available_threads
from entvec.search.approximate import IndexSearcher
from entvec.search.coordinates import Coordinates
from entvec.search.faiss import LIBRARY
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors, read

K = 10
BATCH = 512
TRIED = 1024
TARGETS = (0.9, 0.95, 0.98)
INDEXES = (("faiss", "ivf"), ("faiss", "hnsw"), ("usearch", "hnsw"))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--vectors", type=Path, help="a file of vectors; without it a made table")
    parser.add_argument("--words", type=int, default=200_000, help="of the made table")
    parser.add_argument("--only", choices=["raw", "hub-corrected", "map"], help="one of the spaces")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "faiss-cpu", "usearch"))
    print(f"Python {platform.python_version()}, {libraries}, {os.cpu_count()} cores, {available_threads()} threads")
    vectors = read(options.vectors) if options.vectors else table(options.words)
    print(f"{len(vectors):,} words x {vectors.dimension}, {options.vectors or 'a made table'}\n")
    print("space | engine, form | effort | recall@10 | queries/s | times exact | by work | one, ms | times | build, s")
    print("---|---|---|---|---|---|---|---|---|---")
    for name, space in spaces(vectors).items():
        if options.only in (None, name):
            compare(name, space, options.repeat)


def table(words: int) -> Vectors:
    """Vectors like those of Google News, as many as are wanted."""
    real = google_news().matrix[:, :100]
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, len(real), size=(2, words))
    matrix = real[chosen[0]] * np.float32(0.8) + real[chosen[1]] * np.float32(0.6)
    news = google_news().words
    # A word that was not summed keeps its name, so that a map can be learned.
    matrix[: len(real)] = real[:words]
    return Vectors([news[i] if i < len(real) else f"w{i}" for i in range(words)], matrix)


def spaces(vectors: Vectors) -> dict[str, EntailmentSpace]:
    """The same vectors under `backward`: as they are, corrected for hubs, and mapped."""
    hub_corrected = EntailmentSpace.from_vectors(vectors)
    raw = hub_corrected.with_specificity(0.0)
    return {
        "raw": raw,
        "hub-corrected": hub_corrected,
        "map": EntailmentSpace.from_vectors(vectors, map=fitted(vectors), specificity=hub_corrected.specificity),
    }


def fitted(vectors: Vectors) -> EntailmentMap:
    """A map learned from pairs of WordNet whose words have vectors."""
    pairs = labelled_pairs()
    rows = np.array([vectors.row(word) if word in vectors else -1 for word in pairs.words])
    both = np.stack([rows[pairs.hypo], rows[pairs.hyper]], axis=1)
    known = np.flatnonzero((both >= 0).all(axis=1))
    some = np.random.default_rng(0).permutation(known)[:60_000]
    used, at = np.unique(both[some], return_inverse=True)
    learned = EntailmentMap("backward", random_state=0)
    return learned.fit_rows(vectors.take(used).matrix, at.reshape(-1, 2), pairs.labels[some])


def compare(name: str, space: EntailmentSpace, repeat: int) -> None:
    """Each index at each recall, beside exact search."""
    rows = np.random.default_rng(1).permutation(len(space))[:TRIED]
    tried = space.vocabulary.take(rows).matrix
    exact = space.hypernyms(tried, K).order[:, -1:]
    unchanged(name, space, tried, exact)
    for library, kind in INDEXES:
        start = time.perf_counter()
        built = space.with_backend(library, index=kind, recall=TARGETS[0])
        taken = time.perf_counter() - start
        for each, found in reaching(built, tried, exact):
            exact_many, many, exact_one, one = shortest(
                repeat,
                *(partial(which.hypernyms, tried[:BATCH], K) for which in (space, each)),
                *(partial(which.hypernyms, tried[0], K) for which in (space, each)),
            )
            searcher: Any = each.searchers["hyper"]
            cells = [
                f"{name} | {library} {kind}, {searcher.options['form']} | {searcher.effort} | {found:.3f}",
                f"{BATCH / many.wall:,.0f} | {exact_many.wall / many.wall:.1f} | {exact_many.work / many.work:.1f}",
                f"{one.wall * 1e3:.2f} | {exact_one.wall / one.wall:.0f} | {taken:.0f}",
            ]
            print(" | ".join(cells), flush=True)
    print(
        f"{name} | exact | | 1 | {BATCH / exact_many.wall:,.0f} | 1 | 1 | {exact_one.wall * 1e3:.1f} | 1 |", flush=True
    )


def unchanged(name: str, space: EntailmentSpace, tried: Any, exact: Any) -> None:
    """What faiss finds in 16 of its clusters if keys and queries keep their coordinates."""
    keys = space.keys["hyper"]
    width = keys.stored.shape[1]
    same = Coordinates(np.zeros(width), np.eye(width), np.eye(width), np.empty(0))
    index = LIBRARY.build("ivf", same.keys(keys), "inner product", 0)
    searcher = IndexSearcher("faiss", space.keys, index, same, 16, {"candidates": 3})
    found = float(
        (EntailmentSpace.of_keys(space.keys, {"hyper": searcher}).hypernyms(tried, K).order >= exact - 1e-9).mean()
    )
    print(f"{name} | faiss ivf, coordinates as they are | 16 | {found:.3f} | | | | | |", flush=True)


def reaching(built: EntailmentSpace, tried: Any, exact: Any) -> list[tuple[EntailmentSpace, float]]:
    """The space with the least effort that reaches each recall, and with the most there is if one is not reached."""
    searcher: Any = built.searchers["hyper"]
    made: list[tuple[EntailmentSpace, float]] = []
    efforts = searcher.index.efforts(last=True)
    for effort in efforts:
        space = EntailmentSpace.of_keys(built.keys, {"hyper": replace(searcher, effort=effort)})
        found = float((space.hypernyms(tried, K).order >= exact - 1e-9).mean())
        if found >= TARGETS[len(made)] or effort == efforts[-1]:
            made.append((space, found))
        if found >= TARGETS[-1]:
            break
    return made


class Taken(NamedTuple):
    """Seconds, and seconds of processors, which others that use the machine change less."""

    wall: float
    work: float


def shortest(repeat: int, *functions: Callable[[], Any]) -> list[Taken]:
    """The shortest time of each, taking turns."""
    best = [Taken(float("inf"), float("inf"))] * len(functions)
    for _ in range(repeat):
        for i, function in enumerate(functions):
            wall, work = time.perf_counter(), time.process_time()
            function()
            taken = time.perf_counter() - wall, time.process_time() - work
            best[i] = Taken(*map(min, best[i], taken))
    return best


if __name__ == "__main__":
    main()
