"""A row of a table is all that a new operator, interpretation or file format needs, in the library and its commands."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
from dataclasses import replace

import numpy as np

from entvec.theory import INTERPRETATIONS, OPERATORS
from entvec.theory.interpret import Interpretation
from entvec.vectors.formats import FORMATS, Block, Format
from entvec.vectors.formats.base import opening

OPERATORS["toy"] = replace(OPERATORS["backward"], name="toy", symbol="toy(Y, X)")
INTERPRETATIONS["halved"] = Interpretation(lambda v: v / 2, ((1, 0),))


def blocks(source, wanted):
    lines = source.rest().decode().splitlines()[1:]
    words = [line.partition("|")[0].encode() for line in lines]
    numbers = np.array([line.partition("|")[2].split("|") for line in lines], dtype=np.float32)
    yield opening(numbers.shape[1], np.float32)
    yield Block(words, numbers, range(2, len(words) + 2))


def write(vectors, file, tell):
    file.write(b"toy\\n")
    for word, numbers in zip(vectors, vectors.matrix, strict=True):
        file.write("|".join([word, *map(str, numbers.tolist())]).encode() + b"\\n")


FORMATS["toy"] = Format("toy text", (".toy",), lambda head: head.startswith(b"toy\\n"), blocks, write, "line")
for name in [name for name in FORMATS if name != "toy"]:  # before the formats that are made of any text
    FORMATS[name] = FORMATS.pop(name)

from typer.testing import CliRunner

import entvec
from entvec.bundled import toy_world
from entvec.cli import app

world = toy_world()
toys = entvec.Vectors(world.words, world.log_odds().astype(np.float32))
entvec.vectors.write(toys, "toys.toy")
again = entvec.vectors.read("toys.toy")
assert list(again) == list(toys) and (again.matrix == toys.matrix).all()


def run(*arguments):
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, (arguments, done.output)
    return done.output


assert "toy: toy text" in run("info", "toys.toy")
run("convert", "toys.toy", "toys.txt")
run("convert", "toys.txt", "again.toy", "--to", "toy")
run("convert", "again.toy", "last.npz", "--from", "toy")

space = entvec.EntailmentSpace.from_vectors(again, interpretation="halved", operator="toy")
usual = entvec.EntailmentSpace.from_vectors(entvec.Vectors(world.words, toys.matrix / 2), interpretation="log_odds")
assert abs(space.score("dog", "animal") - usual.score("dog", "animal")) < 1e-6
assert space.hypernyms("poodle", k=3, specificity=0).words == usual.hypernyms("poodle", k=3, specificity=0).words
assert abs(space.explain("dog", "animal").score - space.score("dog", "animal")) < 1e-6
options = ("--vectors", "toys.toy", "--interpretation", "halved", "--operator", "toy")
run("score", "dog", "animal", *options)
run("hypernyms", "dog", *options)
run("explain", "dog", "animal", *options)
pairs = [f"{y}\\t{x}\\t{int(world.entails(y, x))}\\n" for y in world.words for x in world.words if x != y]
open("pairs.tsv", "w").write("".join(pairs))
run("fit", "pairs.tsv", "--vectors", "toys.toy", "--operator", "toy", "-o", "map.safetensors")
run("score", "dog", "animal", "--vectors", "toys.toy", "--map", "map.safetensors")
"""


def test_a_new_row_is_known_everywhere(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr
