"""Build the bundled benchmark, `entvec/bundled/data/wordnet.tsv`, from the bundled table of noun relations.

    python tools/build_wordnet_benchmark.py [-o FILE]

It is made like that of Weeds et al. (2014): half of its 1,600 pairs are entailments, direct and indirect hypernyms in
equal parts; a quarter of the others each are hypernyms the wrong way round, co-hyponyms, parts and wholes (either way
round), and words drawn at random. Every word stands at most once on either side, so nothing can be learned about a
label from having seen the second word before.

Senses are the first of both words, as far as WordNet numbers them; a pair that is no entailment is none in any sense.
Words are in lower case and have three letters or more, and neither begins with the other (brakes, brake). Two runs give
the same bytes.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from entvec.bundled import IsA, isa
from entvec.files import replacing

TARGET = Path(__file__).parents[1] / "src/entvec/bundled/data/wordnet.tsv"
SEED = 2014
ENTAILMENTS = 800
FARTHEST = 6
Pair = tuple[str, str]


class Sides:
    """The pairs taken so far, and which words are still free on which side."""

    def __init__(self, known: frozenset[Pair]) -> None:
        self.known = known
        self.rows: list[tuple[str, str, int, str]] = []
        self.hypos: set[str] = set()
        self.hypers: set[str] = set()

    def take(self, pairs: Iterable[Pair], n: int, relation: str, *, entails: bool) -> None:
        """Take the first n of the pairs that are what they should be and whose words are free."""
        for hypo, hyper in pairs:
            if n == 0:
                return
            if hypo in self.hypos or hyper in self.hypers or not usual(hypo, hyper):
                continue
            if ((hypo, hyper) in self.known) != entails:
                continue
            self.rows.append((hypo, hyper, int(entails), relation))
            self.hypos.add(hypo)
            self.hypers.add(hyper)
            n -= 1
        if n:
            raise SystemExit(f"{relation}: {n} pairs too few")


def usual(*pair: str) -> bool:
    """Whether both words are written as common nouns are, and neither is a form of the other (brakes, brake)."""
    common = all(len(word) > 2 and word.replace("_", "").isalpha() and word == word.lower() for word in pair)
    shorter, longer = sorted(pair, key=len)
    return common and not longer.startswith(shorter)


def build(table: IsA) -> list[tuple[str, str, int, str]]:
    """The rows of the benchmark: hypo, hyper, label, relation."""
    rng = np.random.default_rng(SEED)

    def shuffled(pairs: Sequence[Pair]) -> list[Pair]:
        return [pairs[i] for i in rng.permutation(len(pairs)).tolist()]

    first = {"max_hypo_sense": 1, "max_hyper_sense": 1}
    direct = table.select("is-a", max_distance=1, **first).pairs()
    all_distances = table.select("is-a", max_distance=FARTHEST, **first).pairs()
    indirect = sorted(set(all_distances) - set(direct))
    parts = table.select("part-whole", **first).pairs()
    co_hyponyms = table.select("co-hyponym", **first).pairs()
    quarter = ENTAILMENTS // 4

    sides = Sides(frozenset(table.select(["is-a", "instance"]).pairs()))
    # What there is least of comes first.
    sides.take(shuffled(parts), quarter // 2, "part", entails=False)
    sides.take(shuffled([(whole, part) for part, whole in parts]), quarter // 2, "whole", entails=False)
    sides.take(shuffled(co_hyponyms), quarter, "co-hyponym", entails=False)
    sides.take(shuffled([(hyper, hypo) for hypo, hyper in all_distances]), quarter, "reversed", entails=False)
    sides.take(shuffled(direct), ENTAILMENTS // 2, "direct", entails=True)
    sides.take(shuffled(indirect), ENTAILMENTS // 2, "indirect", entails=True)
    # As general on both sides as the entailments, so that generality alone does not tell them apart.
    strangers = zip([hypo for hypo, _ in shuffled(all_distances)], [hyper for _, hyper in all_distances], strict=True)
    sides.take(strangers, quarter, "random", entails=False)
    return [sides.rows[i] for i in rng.permutation(len(sides.rows)).tolist()]


def main() -> None:
    """Build the file and say how many pairs it has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=TARGET)
    output = parser.parse_args().output
    rows = build(isa())
    with replacing(output) as temporary:
        lines = ["hypo\thyper\tlabel\trelation", *("\t".join(map(str, row)) for row in rows)]
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(rows):,} pairs in {output}")


if __name__ == "__main__":
    main()
