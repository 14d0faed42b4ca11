"""Print how long knowledge takes to open and to answer, in processor time.

    python benchmarks/knowledge.py

Each number is the median of a few runs, each of which opens the file anew.
"""

import time
from collections.abc import Callable
from statistics import median

from entvec.bundled.knowledge import WORDNET
from entvec.knowledge import storage
from entvec.knowledge.facts import facts

RUNS = 7
PAIRS = [("dog", "animal"), ("cat", "dog"), ("wheel", "car"), ("bank", "institution"), ("stone", "idea")]


def milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def main() -> None:
    """Open the file a few times, and print the median of each step."""
    steps: dict[str, list[float]] = {}
    for _ in range(RUNS):
        opened = []
        steps.setdefault("open", []).append(milliseconds(lambda: opened.append(storage.load(WORDNET))))  # noqa: B023
        (known,) = opened
        for name, work in {
            "first word": lambda: known.senses("dog"),  # noqa: B023
            "another word": lambda: known.senses("Running Shoes"),  # noqa: B023
            "first gloss": lambda: known.glosses[0],  # noqa: B023
            "another gloss": lambda: known.glosses[1],  # noqa: B023
            "first facts": lambda: facts(known, "king", "queen"),  # noqa: B023
            "facts of a pair": lambda: [facts(known, *pair) for pair in PAIRS],  # noqa: B023
        }.items():
            share = len(PAIRS) if name == "facts of a pair" else 1
            steps.setdefault(name, []).append(milliseconds(work) / share)
    for name, times in steps.items():
        print(f"{name:16} {median(times):7.3f} ms")


if __name__ == "__main__":
    main()
