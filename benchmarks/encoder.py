"""Print how fast encoders are on one core, how soon the first vector is there, and how much memory they take.

    python benchmarks/encoder.py [--sentence-transformers MODEL] [--model2vec MODEL] [--onnx FILE --vocabulary FILE]

Each encoder runs in a process of its own with one thread. Phrases are nouns of WordNet of several words, definitions
their glosses: "word: definition". The first vector counts from opening the encoder, its libraries being imported; what
the import takes is beside it. Memory is the peak of the process less what it had before anything was imported.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice

N = {"static": 50_000, "model2vec": 50_000}
OTHERWISE = 2_000
DEFINITIONS = 500
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "RAYON")}


def texts(n: int, definitions: int) -> tuple[list[str], list[str]]:
    from entvec.bundled import wordnet_knowledge

    known = wordnet_knowledge()
    every = (term.replace("_", " ") for term in known.terms if "_" in term)
    found = list(islice(every, 0, 60_000))
    step = max(1, len(found) // n)
    phrases = found[::step][:n]
    told = [f"{phrase}: {known.glosses[known.senses(phrase)[0].concept]}" for phrase in phrases[:definitions]]
    return phrases, told


def rate(encode: Callable[[Sequence[str]], object], some: Sequence[str]) -> float:
    """Return texts per second of processor time, the best of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        encode(some)
        best = min(best, time.process_time() - start)
    return len(some) / best


def measure(name: str, options: argparse.Namespace) -> dict[str, float]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    if name in ("small", "static"):
        from entvec.bundled.encoders import ENCODERS
        from entvec.text.storage import load_encoder

        imported = time.perf_counter()
        encode: Callable[[Sequence[str]], object] = load_encoder(ENCODERS[name])
    else:
        from entvec import text

        library = {"sentence-transformers": "sentence_transformers", "onnx": "onnxruntime"}.get(name, name)
        __import__(library)
        imported = time.perf_counter()
        if name == "sentence-transformers":
            encode = text.sentence_transformers_encoder(options.sentence_transformers)
        elif name == "model2vec":
            encode = text.model2vec_encoder(options.model2vec)
        else:
            encode = text.onnx_encoder(options.onnx, options.vocabulary)
    encode(["running shoes"])
    first = time.perf_counter()
    few = [f"phrase number {number}" for number in range(OTHERWISE)]
    encode(few)
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    phrases, told = texts(N.get(name, OTHERWISE), DEFINITIONS)
    return {
        "import": imported - start,
        "first": first - imported,
        "phrases": rate(encode, phrases),
        "definitions": rate(encode, told),
        "memory": memory,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentence-transformers", metavar="MODEL")
    parser.add_argument("--model2vec", metavar="MODEL")
    parser.add_argument("--onnx", metavar="FILE")
    parser.add_argument("--vocabulary", metavar="FILE")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        print(json.dumps(measure(options.row, options)))
        return
    given = {
        "sentence-transformers": options.sentence_transformers,
        "onnx": options.onnx,
        "model2vec": options.model2vec,
    }
    names = ["small", "static", *(name for name, value in given.items() if value)]
    print("encoder                 import s  first vector s  phrases/s  definitions/s  memory MB")
    for name in names:
        command = [sys.executable, __file__, *sys.argv[1:], "--row", name]
        done = subprocess.run(command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=True)  # noqa: S603
        row = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{name:<22} {row['import']:>9.2f} {row['first']:>15.2f} {row['phrases']:>10,.0f} "
            f"{row['definitions']:>14,.0f} {row['memory']:>10.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
