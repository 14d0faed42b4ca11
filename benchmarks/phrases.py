"""What a phrase costs beside a known word: in the command, in memory, and each after the first.

    python benchmarks/phrases.py

Processor time, in processes of their own with one thread. The first phrase ever makes the vectors of all nouns, in a
cache folder that is empty then; the least of three runs counts for all others.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

WORD, PHRASE = "dog", "memory foam pillow"
OTHERS = ("garden hose nozzle", "knee replacement surgery", "crane operator", "pumpkin spice latte", "email client")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}


def answer(words: list[str]) -> dict[str, float]:
    """What the answers for some words take in this process, and all of it."""
    import entvec

    imported = time.process_time()
    space = entvec.load()
    first = 0.0
    for word in words:
        begun = time.process_time()
        list(space.hypernyms(word))
        first = first or time.process_time() - begun
    last = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"import": imported, "first": first, "last": last, "all": time.process_time(), "memory": memory}


def run(words: list[str], cache: str, runs: int = 3) -> dict[str, float]:
    """The least of some runs, each in a process of its own."""
    found = []
    for _ in range(runs):
        command = [sys.executable, __file__, "--words", *words]
        env = {**os.environ, **ONE_THREAD, "ENTVEC_CACHE": cache}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)  # noqa: S603
        found.append(json.loads(done.stdout))
    return {name: min(each[name] for each in found) for name in found[0]}


def main() -> None:
    """Measure and print, or measure one process."""
    if "--words" in sys.argv:
        print(json.dumps(answer(sys.argv[sys.argv.index("--words") + 1 :])))
        return
    with tempfile.TemporaryDirectory() as cache:
        run([WORD], cache, 1)
        ever = run([PHRASE], cache, 1)
        word, phrase = run([WORD], cache), run([PHRASE], cache)
        several = run([PHRASE, *OTHERS], cache)
    print(f"import of entvec: {word['import']:.2f} s")
    print(f"{WORD}: {word['all']:.2f} s of processor time in all, {word['memory']:.0f} MB")
    print(f"{PHRASE}, the first phrase ever: {ever['all']:.2f} s")
    print(
        f"{PHRASE}: {phrase['all']:.2f} s, {phrase['all'] - word['all']:+.2f} s; {phrase['memory']:.0f} MB, "
        f"{phrase['memory'] - word['memory']:+.0f} MB"
    )
    print(f"each further phrase, with probabilities and reasons: {1000 * several['last']:.0f} ms")


if __name__ == "__main__":
    main()
