"""How many pairs `entvec score -` scores in a second on one core, beside programs that do less with the same lines.

    python benchmarks/score.py [--pairs 10000000] [--repeat 3]

Pairs are random words of the default space, so that nearly every pair is a new one and no order helps. Each program is
a process held to one core, reads the pairs from a file and writes to another. The baselines: `cat` copies the bytes;
`awk` finds both words in its table and writes the line with two numbers, without any score; a loop in Python does the
same with a dict, and one with a product of two vectors does all that is needed for a score (on fewer pairs: it would
take many minutes). Times are those of the processor, because the machine may be shared, less what an empty input takes;
that words are mapped, each when it is first met, is in the time. The shortest of several runs in which the programs
take turns.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import entvec
from entvec.vectors.words import Words

AWK = 'BEGIN {FS = "\\t"} NR == FNR {row[$1] = NR; next} {print $0 "\\t" row[$1] "\\t" row[$2]}'
DICT = """
import sys
row = {word: i for i, word in enumerate(open(sys.argv[1], encoding="utf-8").read().split("\\n"))}
for line in sys.stdin:
    hypo, hyper = line.rstrip("\\n").split("\\t")
    sys.stdout.write(f"{hypo}\\t{hyper}\\t{row[hypo]}\\t{row[hyper]}\\n")
"""
DOT = """
import math, sys
import entvec
space = entvec.load()
scale, intercept = space.calibration.scale, space.calibration.intercept
row = {word: i for i, word in enumerate(space.vocabulary.words)}
hypos, hypers = (space.keys[side].stored[:, :-1] for side in ("hypo", "hyper"))
for line in sys.stdin:
    hypo, hyper = line.rstrip("\\n").split("\\t")
    score = float(hypos[row[hypo]] @ hypers[row[hyper]])
    probability = 1 / (1 + math.exp(-scale * score - intercept))
    sys.stdout.write(f"{hypo}\\t{hyper}\\t{score:.4f}\\t{probability:.4f}\\n")
"""
FEWER = {"Python, dict": 10, "Python, dict and product": 50}
"""By how much the pairs are fewer."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    space = entvec.load()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, one of {os.cpu_count()} cores; {space}")
    with tempfile.TemporaryDirectory() as name, one_core():
        folder = Path(name)
        write_pairs(space.vectors.words, options.pairs, folder)
        programs = commands(folder)
        best = {program: (float("inf"), float("inf")) for program in programs}
        for _ in range(options.repeat):
            for program, command in programs.items():
                best[program] = min(best[program], after_loading(command, folder, FEWER.get(program, 1)))
        table(best, options.pairs)


def write_pairs(words: Words, n: int, folder: Path) -> None:
    """The words, the pairs, and shorter files of pairs."""
    (folder / "words").write_bytes(words.text.tobytes())
    (folder / "pairs0").write_bytes(b"")
    rng = np.random.default_rng(0)
    with (folder / "pairs1").open("wb") as file:
        for first in range(0, n, 1 << 20):
            text = words.take(rng.integers(0, len(words), 2 * min(1 << 20, n - first))).text.copy()
            text[np.flatnonzero(text == ord("\n"))[::2]] = ord("\t")
            file.write(text.tobytes())
    for fewer in set(FEWER.values()):
        with (folder / "pairs1").open("rb") as file, (folder / f"pairs{fewer}").open("wb") as some:
            some.writelines(file.readline() for _ in range(n // fewer))


def commands(folder: Path) -> dict[str, list[str]]:
    """The programs by their names, ours first."""
    made = {"entvec score -": [sys.executable, "-m", "entvec", "score", "-"], "cat": ["cat"]}
    if shutil.which("awk"):
        made["awk"] = ["awk", AWK, str(folder / "words"), "-"]
    made["Python, dict"] = [sys.executable, "-c", DICT, str(folder / "words")]
    made["Python, dict and product"] = [sys.executable, "-c", DOT]
    return made


def after_loading(command: list[str], folder: Path, fewer: int) -> tuple[float, float]:
    """Seconds of the processor and of the clock for all pairs, less those for none."""
    loading = run(command, folder, 0)
    everything = run(command, folder, fewer)
    return (everything[0] - loading[0]) * fewer, (everything[1] - loading[1]) * fewer


def run(command: list[str], folder: Path, fewer: int) -> tuple[float, float]:
    """Seconds of the processor and of the clock."""
    with (folder / f"pairs{fewer}").open("rb") as pairs, (folder / "scored").open("wb") as scored:
        start = os.times()
        subprocess.run(command, stdin=pairs, stdout=scored, check=True)  # noqa: S603
    end = os.times()
    used = end.children_user + end.children_system - start.children_user - start.children_system
    return used, end.elapsed - start.elapsed


@contextmanager
def one_core() -> Iterator[None]:
    """Whatever is started here runs on one core, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def table(best: dict[str, tuple[float, float]], n: int) -> None:
    ours, _ = best["entvec score -"]
    print(f"\n{n:,} pairs, without loading\n")
    print("program | processor, s | clock, s | million pairs / s of processor | time over ours")
    print("---|---|---|---|---")
    for program, (used, elapsed) in best.items():
        scaled = f" (1/{FEWER[program]} of the pairs, scaled)" if program in FEWER else ""
        figures = f"{used:.1f} | {elapsed:.1f} | {n / used / 1e6:.2f} | {used / ours:.2f}"
        print(f"{program}{scaled} | {figures}", flush=True)


if __name__ == "__main__":
    main()
