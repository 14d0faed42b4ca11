"""Draw pairs of known words that everyday statements connect, to fit the weights of relations on.

    python tools/draw_stated_pairs.py [-o FILE]

Pairs of the other draws (`draw_training_pairs.py`) are connected by WordNet alone, so they cannot tell what a statement
is worth. The relation of each pair is labelled by hand, by the criteria in docs/everyday-pairs.md, in
relation-training-stated.tsv; the tables of statements have grown since, so that other pairs would be drawn now. A table
of first, second and stratum is written:

stated   100 statements: a term, and what it is said to be a kind of
above    80 terms, and what lies two to four steps above them by a way that begins or goes on with a statement
sibling  60 times two terms that are said to be kinds of the same
part     60 parts and their wholes, of everyday-parts.tsv; every other one is turned around

No word of an everyday pair of either split counts, and no pair of Weeds BLESS: these stay tests. A word is the first of
at most one pair, a second word is in at most four. Two runs give the same table.
"""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from everyday_statements import Part, Statement, parts, statements

from entvec.bundled import EVERYDAY_SOURCE, bundled_knowledge, everyday_pairs
from entvec.evaluate.benchmark import find_benchmark
from entvec.knowledge import Knowledge

SIZES = {"stated": 100, "above": 80, "sibling": 60, "part": 60}
MOST = 4
FARTHEST = 4
Pair = tuple[str, str]


def plain(name: str) -> str:
    """A name of the table without what picks its sense."""
    return name.partition("#")[0] or name


def stated(table: Sequence[Statement]) -> Iterator[Pair]:
    """What is said."""
    yield from ((plain(each.term), plain(kind)) for each in table for kind in each.is_a)


def above(known: Knowledge, table: Sequence[Statement]) -> Iterator[Pair]:
    """What follows from a statement, in first names."""
    for each in table:
        for sense in known.senses(each.term)[:1]:
            for high, steps in known.ancestors([sense.concept]).items():
                if 2 <= steps <= FARTHEST and EVERYDAY_SOURCE in known.said_by(known.path(sense.concept, high)):
                    yield plain(each.term), known.name(high).replace("_", " ")


def siblings(table: Sequence[Statement]) -> Iterator[Pair]:
    """Terms that are kinds of the same."""
    for one in table:
        yield from (
            (plain(one.term), plain(other.term))
            for other in table
            if one.term != other.term and set(one.is_a) & set(other.is_a)
        )


def in_wholes(table: Sequence[Part]) -> Iterator[Pair]:
    """What is a part of what."""
    yield from ((plain(each.part), plain(whole)) for each in table for whole in each.whole)


def drawn(pairs: Iterable[Pair], size: int, left_out: set[str], used: set[str], rng: np.random.Generator) -> list[Pair]:
    """Some of the pairs by chance, by the rules above; `used` has the words that were first in a pair."""
    found: list[Pair] = []
    seconds: Counter[str] = Counter()
    several = sorted(set(pairs))
    for at in rng.permutation(len(several)).tolist():
        first, second = several[at]
        if len(found) == size:
            break
        if not {first, second} & left_out and first not in used and seconds[second] < MOST:
            found.append((first, second))
            used.add(first)
            seconds[second] += 1
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    known, table, rng = bundled_knowledge(), statements(), np.random.default_rng(0)
    left_out = {word for pair in everyday_pairs("development") + everyday_pairs("test") for word in pair[:2]}
    bless = find_benchmark("weeds-bless")
    tested = set(zip(bless.hypo, bless.hyper, strict=True))
    used: set[str] = set()
    rows = []
    for stratum, pairs in (
        ("stated", stated(table)),
        ("above", above(known, table)),
        ("sibling", siblings(table)),
        ("part", in_wholes(parts())),
    ):
        free = [pair for pair in pairs if pair not in tested and pair[::-1] not in tested]
        some = drawn(free, SIZES[stratum], left_out, used, rng)
        if stratum == "part":
            some[1::2] = [(whole, part) for part, whole in some[1::2]]
        rows += [(*pair, stratum) for pair in some]
    with options.output.open("w", encoding="utf-8", newline="") if options.output else sys.stdout as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(("first", "second", "stratum"))
        writer.writerows(rows)


if __name__ == "__main__":
    main()
