"""Draw everyday words, and write the answers for them to a sheet that is judged without knowing who gave which.

    python tools/draw_answers.py -o everyday-answers.tsv

100 nouns of the 3,000 most frequent and 30 verbs of the 1,000 most frequent words of the default space, by chance: in
small letters, at least three letters long, and meant as that part of speech most probably. They are drawn once: if
everyday-answers.tsv is there, its words are taken. For each of them the five answers of `entvec hypernyms` (probability
0.5 or more, as the command lists them; a verb is asked about as "to hammer"), and the five of the vectors alone. Pairs
that both give are there once; all pairs are shuffled, and the sheet does not say who gave them. Somebody fills in the
column `judgement`: acceptable, wrong or embarrassing (docs/answers.md has the criteria). `--count FILE` then counts the
judgements of each side, which it asks again.
"""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import entvec
from entvec.space import EntailmentSpace

DRAWN = {"noun": (100, 3000), "verb": (30, 1000)}
"""How many words are drawn, of how many."""
ANSWERS, LEAST = 5, 0.5
SHEET = Path(__file__).parent / "everyday-answers.tsv"
COLUMNS = ("word", "part_of_speech", "answer", "judgement")


class Row(NamedTuple):
    """A word and an answer."""

    word: str
    part_of_speech: str
    answer: str
    judgement: str = ""


def words(space: EntailmentSpace) -> list[tuple[str, str]]:
    """The words that are drawn, each with its part of speech."""
    if SHEET.exists():
        drawn = {(row.word, row.part_of_speech) for row in read(SHEET)}
        return sorted(drawn, key=lambda pair: (list(DRAWN).index(pair[1]), space.vocabulary.row(pair[0])))
    found: dict[str, list[str]] = {kind: [] for kind in DRAWN}
    for word in space.vectors.words:
        senses = space.judge.evidence.meanings.of(word)
        if word.islower() and word.isalpha() and len(word) > 2 and senses and senses[0].sense.term == word:
            found[senses[0].sense.part_of_speech].append(word)
    rng = np.random.default_rng(0)
    return [
        (found[kind][i], kind)
        for kind, (n, most) in DRAWN.items()
        for i in np.sort(rng.permutation(min(most, len(found[kind])))[:n]).tolist()
    ]


def answers(space: EntailmentSpace, word: str, part_of_speech: str) -> dict[str, list[str]]:
    """The answers of both sides."""
    asked = f"to {word}" if part_of_speech == "verb" else word
    return {
        "all evidence": space.hypernyms(asked, ANSWERS + 20).likely(LEAST).first(ANSWERS).words,
        "vectors alone": space.hypernyms(word, ANSWERS, evidence="vectors").words,
    }


def read(path: Path) -> list[Row]:
    """The rows of a sheet."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Row(*(row[name] for name in COLUMNS)) for row in csv.DictReader(file, delimiter="\t")]


def count(space: EntailmentSpace, path: Path) -> None:
    """Print how many answers of each side are acceptable, and for how many words the first one is."""
    judged = {(row.word, row.answer): row.judgement for row in read(path)}
    for side in ("all evidence", "vectors alone"):
        for kind in DRAWN:
            of_words = [
                [judged.get((word, each), "not judged") for each in answers(space, word, part)[side]]
                for word, part in words(space)
                if part == kind
            ]
            flat = [each for some in of_words for each in some]
            first = [some[0] for some in of_words if some]
            counts = {name: flat.count(name) for name in ("acceptable", "wrong", "embarrassing", "not judged")}
            print(
                f"{side}, {kind}s: {len(flat)} answers for {len(of_words)} words, "
                f"{100 * counts['acceptable'] / len(flat):.1f}% acceptable; the first in {first.count('acceptable')} "
                f"of {len(first)}; {counts['wrong']} wrong, {counts['embarrassing']} embarrassing, "
                f"{counts['not judged']} not judged"
            )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write a sheet, or count the judgements of one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE")
    parser.add_argument("--count", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    space = entvec.load()
    if options.count is not None:
        count(space, options.count)
    if options.output is None:
        return
    rows = [
        Row(word, kind, answer)
        for word, kind in words(space)
        for answer in dict.fromkeys(answer for some in answers(space, word, kind).values() for answer in some)
    ]
    order = np.random.default_rng(1).permutation(len(rows)).tolist()
    with options.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([COLUMNS, *(rows[i] for i in order)])


if __name__ == "__main__":
    main()
