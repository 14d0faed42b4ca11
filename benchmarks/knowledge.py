"""Print how long knowledge takes to open and to answer, in processor time.

    python benchmarks/knowledge.py
    python benchmarks/knowledge.py --edges 1000000

Each number is the median of a few runs, each of which opens the file anew. With `--edges`, a taxonomy of so many random
edges, some between words of WordNet, is read from a file and added to WordNet; the memory is the peak of the process.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np

from entvec import graphs
from entvec.bundled import google_news
from entvec.bundled.knowledge import BUNDLED, wordnet_knowledge
from entvec.knowledge import storage
from entvec.knowledge.facts import facts
from entvec.knowledge.people import is_people, offensive_rows, people_rows
from entvec.knowledge.people_rules import rules
from entvec.knowledge.statements import with_taxonomy

T = TypeVar("T")
RUNS = 7
PAIRS = [("dog", "animal"), ("cat", "dog"), ("wheel", "car"), ("bank", "institution"), ("stone", "idea")]


def milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def write_edges(path: Path, n: int) -> None:
    """Write a random tree of n edges; each fiftieth term of WordNet is near its root."""
    words = list(wordnet_knowledge().terms)[::50]
    above = (np.random.default_rng(0).random(n) * np.arange(1, n + 1)).astype(int).tolist()

    def name(at: int) -> str:
        return words[at] if at < len(words) else f"article {at}"

    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{name(at)}\t{name(high)}\n" for at, high in enumerate(above, 1))


def add(n: int) -> None:
    """Add a taxonomy of n edges to WordNet, and print the time and memory of each step."""
    with tempfile.TemporaryDirectory() as folder:
        edges, saved = Path(folder) / "edges.tsv", Path(folder) / "both.knowledge"
        write_edges(edges, n)

        taxonomy = step("read the file", lambda: graphs.read(edges))
        known = step("add it", lambda: with_taxonomy(wordnet_knowledge(), taxonomy, "edges.tsv"))
        step("contradictions", lambda: list(known.conflicts()))
        step("first facts", lambda: facts(known, f"article {n - 1}", "entity"))
        step("another fact", lambda: facts(known, f"article {n - 2}", "entity"))
        step("save", lambda: storage.save(known, saved))
        step("open", lambda: storage.load(saved))


def step(name: str, work: Callable[[], T]) -> T:
    """Return what the work returns, and print its processor time and the peak of the memory."""
    start = time.process_time()
    found = work()
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{name:16} {seconds:8.2f} s {memory:6.2f} GB", flush=True)
    return found


def main() -> None:
    """Open the file a few times, and print the median of each step; or add edges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, metavar="N", help="add a taxonomy of this many edges to WordNet instead")
    if n := parser.parse_args().edges:
        add(n)
        return
    news = google_news().words
    steps: dict[str, list[float]] = {}
    for _ in range(RUNS):
        opened = []
        steps.setdefault("open", []).append(milliseconds(lambda: opened.append(storage.load(BUNDLED))))  # noqa: B023
        (known,) = opened
        for name, work in {
            "first word": lambda: known.senses("dog"),  # noqa: B023
            "another word": lambda: known.senses("Running Shoes"),  # noqa: B023
            "first gloss": lambda: known.glosses[0],  # noqa: B023
            "another gloss": lambda: known.glosses[1],  # noqa: B023
            "first facts": lambda: facts(known, "king", "queen"),  # noqa: B023
            "facts of a pair": lambda: [facts(known, *pair) for pair in PAIRS],  # noqa: B023
            "rules of people": lambda: rules(known),  # noqa: B023
            "people": lambda: is_people(known, "Muslims"),  # noqa: B023
            "people, a phrase": lambda: is_people(known, "young Muslim women"),  # noqa: B023
            "people, news": lambda: people_rows(known, news),  # noqa: B023
            "offensive, news": lambda: offensive_rows(known, news),  # noqa: B023
        }.items():
            share = len(PAIRS) if name == "facts of a pair" else 1
            steps.setdefault(name, []).append(milliseconds(work) / share)
    for name, times in steps.items():
        print(f"{name:16} {median(times):7.3f} ms")


if __name__ == "__main__":
    main()
