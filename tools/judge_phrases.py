"""Draw answers about the phrases of `phrases.tsv` to be judged, and count how good they are by the judgements.

    python tools/judge_phrases.py draw   # answers that nobody has judged yet, in an order that tells no source
    python tools/judge_phrases.py count [--sheet]

Answers are the first five of the command `entvec hypernyms`, which lists those with a probability of one half, and the
first five of the transformer alone, among the same candidates. `phrase-answers.tsv` has a judgement for each phrase and
answer, whoever gave it: 2 for good, 1 for acceptable, 0 for neither, by the criteria in docs/phrases.md.
"""

import argparse
import csv
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from entvec.evidence import reader
from entvec.evidence.reading_weights import RANKING_FEATURES
from entvec.space import EntailmentSpace, default_space

FOLDER = Path(__file__).parent
PHRASES, JUDGED = FOLDER / "phrases.tsv", FOLDER / "phrase-answers.tsv"
NONSENSE = "nonsense"
SHOWN, LEAST = 5, 0.5


class Answered(NamedTuple):
    """A phrase, what speaks of it, and the first answers of the product and of the transformer."""

    phrase: str
    field: str
    read_by: str
    product: list[str]
    transformer: list[str]


def answered(space: EntailmentSpace, field: str, phrase: str) -> Answered:
    """The answers for a phrase; the transformer alone has none for one that has a vector, or that is known."""
    listed = space.hypernyms(phrase, 10).likely(LEAST).words[:SHOWN]
    by, ranking, alone = space.read_by(phrase), space.judge.read_ranking, []
    if by == "encoder" and ranking is not None:
        candidates = ranking.candidates("hypo")
        weighed = ranking.features("hypo", phrase, candidates, most=len(candidates.rows))
        score = weighed.features[:, RANKING_FEATURES.index("transformer")]
        alone = [candidates.texts[i] for i in weighed.at[np.argsort(-score)[:SHOWN]].tolist()]
    return Answered(phrase, field, by, listed, alone)


def rows_of(path: Path) -> list[list[str]]:
    """The rows of a table, without its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t"))[1:]


def draw(found: Sequence[Answered], judged: dict[tuple[str, str], int]) -> None:
    """Print the pairs that are to be judged, shuffled."""
    pairs = {
        (each.phrase, answer.replace("_", " "))
        for each in found
        if each.field != NONSENSE
        for answer in (*each.product, *each.transformer)
    } - judged.keys()
    order = sorted(pairs)
    random.Random(0).shuffle(order)  # noqa: S311
    csv.writer(sys.stdout, delimiter="\t", lineterminator="\n").writerows(order)


def count(found: Sequence[Answered], judged: dict[tuple[str, str], int], *, sheet: bool) -> None:
    """Print how many first answers are acceptable, and how many phrases have a good answer among the first five."""
    unjudged: set[tuple[str, str]] = set()

    def marks(each: Answered, answers: Sequence[str]) -> list[int]:
        pairs = [(each.phrase, answer.replace("_", " ")) for answer in answers]
        unjudged.update(pair for pair in pairs if pair not in judged)
        return [judged.get(pair, 0) for pair in pairs]

    asked = [each for each in found if each.field != NONSENSE]
    read = [each for each in asked if each.read_by == "encoder"]
    rows = {
        "product, all phrases": [marks(each, each.product) for each in asked],
        "product, phrases that are read": [marks(each, each.product) for each in read],
        "transformer alone, the same phrases": [marks(each, each.transformer) for each in read],
    }
    for name, several in rows.items():
        first = sum(bool(each) and each[0] > 0 for each in several)
        good = sum(2 in each for each in several)
        silent = sum(not each for each in several)
        print(f"{name}: of {len(several)} first answer acceptable {first}, a good one {good}, no answer {silent}")
    if unjudged:
        print(f"{len(unjudged)} answers have no judgement and count as wrong")
    senseless = [each for each in found if each.field == NONSENSE]
    print(f"nonsense without an answer: {sum(not each.product for each in senseless)} of {len(senseless)}")
    if sheet:
        print("\n| phrase | by | answers | first | any |\n|---|---|---|---|---|")
        for each in asked:
            numbers = marks(each, each.product)
            said = ("yes" if ok else "no" for ok in (bool(numbers) and numbers[0] > 0, 2 in numbers))
            answers = ", ".join(answer.replace("_", " ") for answer in each.product) or "none"
            print(f"| {each.phrase} | {each.read_by} | {answers} | {' | '.join(said)} |")


def main() -> None:
    """Draw or count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("draw", "count"))
    parser.add_argument("--sheet", action="store_true", help="print a table of all phrases, too")
    options = parser.parse_args()
    reader.REMEMBERED = 1 << 18  # the transformer reads all candidates
    space = default_space()
    found = [answered(space, field, phrase) for field, phrase in rows_of(PHRASES)]
    judged = {(phrase, answer): int(mark) for phrase, answer, mark in rows_of(JUDGED)} if JUDGED.exists() else {}
    if options.what == "draw":
        draw(found, judged)
    else:
        count(found, judged, sheet=options.sheet)


if __name__ == "__main__":
    main()
