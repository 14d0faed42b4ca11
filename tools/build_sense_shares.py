"""How often speakers mean each sense of a word, for `build_knowledge.py`; alone it prints how good the judgements are.

    python tools/build_sense_shares.py

`sense-shares.tsv` has the frequent words of several senses: all of these among the bundled vectors, in small letters,
and those among the 45,000 most frequent words of GloVe; and words on -s of one sense that may be plurals. For each
word a person judged: of a hundred speakers of today who meet it alone, in a list or a search box, how many mean each
sense? Senses with less than 5 are left out. `b` is the share of those who take it for a form of another word (*shoes*),
`?` that of a meaning that WordNet lacks or has as an adjective only; an everyday statement may have it
(`everyday_source.py`). The senses share what `?` leaves; where `b` has a
fifth or more, the word is looked up as a form of another, too. At most a fifth of the weight stays with counts in
tagged text, less where these are few.

The criteria: present and everyday meanings count, not those of old texts. Senses that hardly differ for a speaker
(a book as a work and as a thing) share. Technical, regional and slang senses get what they have among all speakers.

It prints how often the first sense is the most frequent one in tagged text, and how often it is among those that
`sense-labels.tsv` has, which were labelled apart.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from entvec.bundled import wordnet_knowledge
from entvec.knowledge import Knowledge
from entvec.knowledge.knowledge import NOT_JUDGED

HERE = Path(__file__).parent
SHARES = HERE / "sense-shares.tsv"
LABELS = HERE / "sense-labels.tsv"
FORM, OTHER = "b", "?"
LEAST_COUNT = 10
COUNTED = 0.2
"""How much of the weight is that of counts, if there are many."""
HALF = 10
"""With so many counts it is half as much."""


def judgements(path: Path = SHARES) -> dict[str, dict[str, float]]:
    """The shares of each word by the names of its senses: `n1`, `v2`, FORM or OTHER."""
    found = {}
    with path.open(encoding="utf-8", newline="") as file:
        for word, said in csv.reader(file, delimiter="\t"):
            names, shares = said.split()[::2], map(float, said.split()[1::2])
            found[word] = dict(zip(names, shares, strict=True))
    return found


def senses(known: Knowledge) -> Iterator[tuple[str, list[str], slice]]:
    """The terms of a Knowledge, the names of their senses, and the rows of these."""
    starts = known.senses_of.links.starts.tolist()
    kinds = np.asarray(known.kinds)[np.asarray(known.senses_of.targets)]
    names = [f"{'?nv'[kind]}{number}" for kind, number in zip(kinds.tolist(), known.numbers.tolist(), strict=True)]
    for term, first, last in zip(known.terms, starts[:-1], starts[1:], strict=True):
        yield term, names[first:last], slice(first, last)


def shares_of(known: Knowledge, judged: dict[str, dict[str, float]]) -> NDArray[np.uint8]:
    """The share of each sense in per cent; NOT_JUDGED for the senses of terms that nobody judged."""
    found = np.full(len(known.numbers), NOT_JUDGED, np.uint8)
    for term, names, rows in senses(known):
        said = judged.get(term, {})
        if any(name in said for name in (*names, FORM)):
            shares = np.array([said.get(name, 0) for name in names])
            total = shares.sum() + said.get(FORM, 0)
            counts = np.asarray(known.frequencies[rows], np.float64)
            trust = COUNTED * counts.sum() / (counts.sum() + HALF)
            counted = counts / max(counts.sum(), 1) * shares.sum()
            found[rows] = np.rint(100 * ((1 - trust) * shares + trust * counted) / total)
    return found


def agreement(known: Knowledge, shares: NDArray[np.uint8]) -> None:
    """Print how often the first sense is that of tagged text, and that of the labels."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        labels = {row["term"]: row["senses"].split() for row in csv.DictReader(file, delimiter="\t")}
    by_count, by_label = [], []
    for term, names, rows in senses(known):
        if shares[rows.start] == NOT_JUDGED:
            continue
        first = int(shares[rows].argmax())
        counts = np.asarray(known.frequencies[rows])
        if counts.sum() >= LEAST_COUNT:
            by_count.append(counts[first] == counts.max())
        if term in labels:
            by_label.append(names[first] in labels[term])
    for name, right in (("counted", by_count), ("labelled", by_label)):
        print(f"{len(right):,} {name} terms: the first sense is the same for {np.mean(right):.1%}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how good the shares are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args(arguments)
    known, judged = wordnet_knowledge(), judgements()
    shares = shares_of(known, judged)
    print(f"{len(judged):,} words, {np.count_nonzero(shares != NOT_JUDGED):,} senses")
    agreement(known, shares)


if __name__ == "__main__":
    main()
