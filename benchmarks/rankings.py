"""How long rankings by all evidence take, as ratios to those by the vectors alone.

    python benchmarks/rankings.py

Processor time, the least of several runs: one word, words of a batch of 256, hypernyms and hyponyms; then the
probabilities and the reasons of ten answers.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import entvec
from entvec.runtime import dedicate_process

BATCH = 256


def least(work: Callable[[], Any], runs: int) -> float:
    """The least processor time of some runs, in milliseconds."""
    times = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return 1000 * min(times)


def main() -> None:
    """Measure and print."""
    dedicate_process()
    space = entvec.load()
    known = space.knowledge
    begun = time.process_time()
    first = space.hypernyms("dog")
    print(f"first answer in a process: {1000 * (time.process_time() - begun):.0f} ms")
    frequent = [word for word in space.vectors.words if word.islower() and known is not None and word in known]
    batch = frequent[1000 : 1000 + BATCH]
    for verb, ask in (("hypernyms", space.hypernyms), ("hyponyms", space.hyponyms)):
        for title, words, runs in (("one word", "guitar", 20), (f"of {BATCH} words, each", batch, 4)):
            n = 1 if isinstance(words, str) else len(words)
            base, full = (least(partial(ask, words, evidence=by), runs) / n for by in ("vectors", "all"))
            print(f"{verb}, {title}: vectors {base:.2f} ms, all evidence {full:.2f} ms, {full / base:.1f} times")
    probabilities = least(lambda: space.hypernyms("violin").probabilities, 5) - least(
        lambda: space.hypernyms("violin"), 5
    )
    print(f"probabilities of {len(first)} answers: {probabilities:.1f} ms; with reasons: ", end="")
    print(f"{least(lambda: list(space.hypernyms('violin')), 5) - least(lambda: space.hypernyms('violin'), 5):.1f} ms")


if __name__ == "__main__":
    main()
