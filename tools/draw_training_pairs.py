"""Draw pairs of known words to fit the weights of relations on, by a rule that no score of entvec enters.

    python tools/draw_training_pairs.py [--things | --asked] [--wordnet DIR] [--leave-out FILE ...] [--blind SEED]
        [-o FILE]

Draws 1,200 pairs, 800 of things or 1,180 that people may ask, and writes a table of first, second, part_of_speech and
stratum. The relation of each pair is labelled by hand, by the criteria in docs/everyday-pairs.md, and lies with the
pairs in relation-training-pairs.tsv. `--blind SEED` prints the pairs in another order without the stratum: the sheet
that labels are written on.

Words. The first 20,000 words of the bundled Google News vectors, so that concrete words get in (guitar, tomato, nurse).
A word counts if it has three or more letters, or is two such words with an underscore, and WordNet 3.0 has it in lower
case as a noun or a verb. If WordNet tagged it in texts, the rule of draw_everyday_pairs.py says which of the two it is;
if not, it counts if all of its senses are nouns, or all verbs. No word of an everyday pair of either split counts: the
everyday pairs stay a test.

Pairs. Both words have the same part of speech.

true      the second is 1 to 4 steps above the first
reversed  such a pair, the other way round
same      the two share a synset
sibling   the two share a hypernym 1 to 3 steps above each, and neither means what the other does, or is above it, in
          any sense; half of them share a direct hypernym and are among the 25 words of highest cosine to each other
part      one is a direct part, member or substance of the other; half of the pairs have the part first; nouns only
related   the second is one of the ten words of highest cosine to the first, and WordNet has none of the relations that
          draw_everyday_pairs.py knows between them, in any sense
random    any two words

About four of five pairs of true, reversed, same and sibling hold for the first senses of both words, the others for any
sense. To draw a stratum, the words that can be the first are shuffled, and each in turn gets one of its partners at
random. A word is the first of at most one pair, and in at most four. No two words are paired twice, in either order.

`--things` draws 800 other pairs: nouns that are things or beings one can touch in their first sense (below WordNet's
physical entity), of all words with a vector. News is mostly about what one cannot touch, and people ask about guitars,
tomatoes and nurses. Those that were labelled are in relation-training-things.tsv; the pairs of the first draw were left
out, too.

`--asked` draws pairs of the kind that people ask: words in the senses that speakers mean (`sense-shares.tsv`, a tenth
of the speakers at least; words of one sense need no judgement), and hypernyms up to seven steps above that at least 30
glosses of WordNet use: a *hammer* is a tool, not an instrumentality. A word counts as a noun or a verb if six of ten
speakers take it for one. Those that were labelled are in relation-training-asked.tsv.

`--leave-out` names files of pairs that must not be drawn: JSON lists of [first, second, ...], or tables whose first two
columns are the words. The pairs that were labelled were drawn with the pairs of two public benchmarks left out, the
nouns of Weeds et al. (2014) from BLESS and the pairs of Baroni et al. (2012), so that these stay tests, too.
Two runs with the same files give the same table.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from build_sense_shares import judgements
from draw_everyday_pairs import (
    ENDINGS,
    MOST_PAIRS,
    NEAREST,
    NEAREST_SIBLINGS,
    Relations,
    Sense,
    Table,
    WordNet,
    neighbours,
    part_of_speech,
    reverse,
    write,
)
from wordnet_files import lines

from entvec.bundled import everyday_pairs, gloss_words, google_news

SEED = 1200
RANKS, ALL_RANKS = 20_000, 1_000_000
STEPS, STEPS_OF_SIBLINGS = 4, 3
ALL_SENSES = 1000  # more than any word has
LOTS = {  # in the order in which they are drawn: the table of partners, and how many nouns and verbs
    "part": [("part", 50, 0), ("whole", 50, 0)],
    "same": [("same of first senses", 68, 28), ("same", 17, 7)],
    "sibling": [("near siblings", 90, 30), ("sibling of first senses", 60, 20), ("sibling", 30, 10)],
    "reversed": [("reversed of first senses", 96, 32), ("reversed", 24, 8)],
    "true": [("true of first senses", 156, 52), ("true", 39, 13)],
    "related": [("related", 110, 50)],
    "random": [("random", 110, 50)],
}
THINGS = {
    "part": [("part", 40, 0), ("whole", 40, 0)],
    "same": [("same of first senses", 60, 0), ("same", 20, 0)],
    "sibling": [("near siblings", 90, 0), ("sibling of first senses", 60, 0)],
    "reversed": [("reversed of first senses", 90, 0), ("reversed", 20, 0)],
    "true": [("true of first senses", 150, 0), ("true", 30, 0)],
    "related": [("related", 100, 0)],
    "random": [("random", 100, 0)],
}
ASKED = {
    "part": [("part", 45, 0), ("whole", 45, 0)],
    "same": [("same", 60, 20)],
    "sibling": [("near siblings", 100, 30), ("sibling", 80, 20)],
    "reversed": [("reversed", 120, 30)],
    "true": [("true", 360, 60)],
    "related": [("related", 100, 30)],
    "random": [("random", 60, 20)],
}
DRAWS = {"": LOTS, "things": THINGS, "asked": ASKED}
LEAST_SHARE, LEAST_OF_KIND, LEAST_GLOSSES, STEPS_ASKED = 10, 60, 30, 7
PHYSICAL_ENTITY = 1930  # its offset in data.noun


class Pair(NamedTuple):
    """A drawn pair."""

    first: str
    second: str
    part_of_speech: str
    stratum: str


def known_words(wordnet: WordNet, folder: Path, ranks: int) -> dict[str, str]:
    """Return the words that count with their part of speech, the most frequent first."""
    vocabulary = google_news().words
    every = set(vocabulary)
    everyday = {word for pair in everyday_pairs() for word in pair[:2]}
    modifiers = {line.split()[0] for kind in ("adj", "adv") for line in lines(folder, f"index.{kind}")}
    found: dict[str, str] = {}
    for word in list(vocabulary)[:ranks]:
        if word in everyday or not re.fullmatch("[a-z]{3,}(_[a-z]{3,})?", word):
            continue
        if word in wordnet.tagged and "_" not in word:
            kind = part_of_speech(word, wordnet, every)
        else:
            kinds = [kind for kind in ENDINGS if wordnet.senses.get((word, kind))]
            inflected = any(every.intersection(wordnet.bases(word, kind)) for kind in ENDINGS)
            kind = kinds[0] if len(kinds) == 1 and word not in modifiers and not inflected else None
        if kind:
            found[word] = kind
    return found


def siblings(relations: Relations) -> Table:
    """Return the words that share a hypernym a few steps above each; Candidates.allows leaves out the nearer ones."""
    above = {
        word: {above for sense in senses for above in relations.wordnet.ancestors(sense, STEPS_OF_SIBLINGS)}
        for word, senses in relations.near.items()
    }
    below: dict[Sense, set[str]] = defaultdict(set)
    for word, senses in above.items():
        for sense in senses:
            below[sense].add(word)
    found = {word: {other for sense in senses for other in below[sense]} - {word} for word, senses in above.items()}
    return {word: others for word, others in found.items() if above[word]}


class Candidates:
    """The words of one part of speech that can be the first of a pair, with all their partners, by table."""

    def __init__(self, words: Sequence[str], kind: str, wordnet: WordNet, steps: int, least_glosses: int) -> None:
        first, every = (Relations(words, kind, wordnet, most) for most in (1, ALL_SENSES))
        self.every = every
        near = neighbours(words, NEAREST_SIBLINGS)
        nearest = neighbours(words, NEAREST)
        everything = set(words)
        wholes = {word: every.wholes(word) for word in words} if kind == "noun" else {}
        self.tables: dict[str, Table] = {
            "part": wholes,
            "whole": reverse(wholes),
            "near siblings": {
                word: {other for other in first.siblings(word) & near[word] if word in near[other]} for word in words
            },
            "related": {word: {other for other in nearest[word] if not every.related(word, other)} for word in words},
            "random": dict.fromkeys(words, everything),
        }
        for suffix, relations in ((" of first senses", first), ("", every)):
            said = {word for word in words if not least_glosses or gloss_words().get(word, 0) >= least_glosses}
            hypernyms = {word: relations.hypernyms(word, steps) & said for word in words}
            self.tables |= {
                f"same{suffix}": {word: relations.synonyms(word) for word in words},
                f"true{suffix}": hypernyms,
                f"reversed{suffix}": reverse(hypernyms),
                f"sibling{suffix}": siblings(relations),
            }

    def allows(self, table: str, first: str, second: str) -> bool:
        """Return whether a partner may be taken: siblings must not mean the same, and not be above each other."""
        return not table.startswith("sibling") or not self.every.same_or_above(first, second)


class Draw:
    """The pairs drawn so far, with the limits that they share."""

    def __init__(self, rng: np.random.Generator, left_out: Iterable[frozenset[str]]) -> None:
        self.rng = rng
        self.taken = set(left_out)
        self.firsts: set[str] = set()
        self.uses: Counter[str] = Counter()

    def shuffled(self, items: Iterable[str]) -> list[str]:
        """Return the items in random order."""
        ordered = sorted(items)
        return [ordered[i] for i in self.rng.permutation(len(ordered)).tolist()]

    def take(self, candidates: Candidates, name: str, n: int, kind: str, stratum: str) -> Iterator[Pair]:
        """Yield n pairs from one table."""
        table = candidates.tables[name]
        for first in self.shuffled(table):
            if not n:
                return
            if first in self.firsts or self.uses[first] >= MOST_PAIRS:
                continue
            for second in self.shuffled(table[first]):
                pair = frozenset((first, second))
                free = len(pair) > 1 and pair not in self.taken and self.uses[second] < MOST_PAIRS
                if free and candidates.allows(name, first, second):
                    self.taken.add(pair)
                    self.firsts.add(first)
                    self.uses.update(pair)
                    yield Pair(first, second, kind, stratum)
                    n -= 1
                    break
        if n:
            sys.exit(f"{name}: {n} pairs of {kind}s too few")


def read_pairs(path: Path) -> Iterator[frozenset[str]]:
    """Yield the pairs of a JSON list of lists, or of a table."""
    text = path.read_text(encoding="utf-8")
    rows = json.loads(text) if path.suffix == ".json" else (line.split("\t") for line in text.splitlines())
    return (frozenset(row[:2]) for row in rows)


def is_thing(wordnet: WordNet, word: str) -> bool:
    """Return whether a noun is something that one can touch, in its first sense."""
    first = wordnet.senses[word, "noun"][0]
    return ("noun", PHYSICAL_ENTITY) in wordnet.ancestors(first)


def as_meant(wordnet: WordNet, known: dict[str, str]) -> dict[str, str]:
    """Return the words that speakers take for a noun or a verb; WordNet keeps the senses that they mean."""
    judged = judgements()
    found = {}
    for word in known:
        shares = judged.get(word, {})
        for kind in ENDINGS:
            senses = wordnet.senses.get((word, kind), [])
            by_sense = [shares.get(f"{kind[0]}{number}", 0) for number in range(1, len(senses) + 1)]
            if sum(by_sense) >= LEAST_OF_KIND:
                found[word] = kind
                wordnet.senses[word, kind] = [
                    sense for share, sense in zip(by_sense, senses, strict=True) if share >= LEAST_SHARE
                ]
            elif not shares and len(senses) == 1:
                found[word] = known[word]
    return found


def draw(folder: Path, left_out: Iterable[frozenset[str]], kind_of_draw: str) -> list[Pair]:
    """Return the pairs in their final order."""
    wordnet = WordNet(folder)
    known = known_words(wordnet, folder, ALL_RANKS if kind_of_draw == "things" else RANKS)
    if kind_of_draw == "things":
        known = {word: kind for word, kind in known.items() if kind == "noun" and is_thing(wordnet, word)}
    steps, least_glosses = STEPS, 0
    if kind_of_draw == "asked":
        known, steps, least_glosses = as_meant(wordnet, known), STEPS_ASKED, LEAST_GLOSSES
    candidates = {
        kind: Candidates([word for word, its in known.items() if its == kind], kind, wordnet, steps, least_glosses)
        for kind in set(known.values())
    }
    drawing = Draw(np.random.default_rng(SEED), left_out)
    pairs: list[Pair] = []
    for stratum, lots in DRAWS[kind_of_draw].items():
        for name, *numbers in lots:
            for kind, n in zip(ENDINGS, numbers, strict=True):
                if n:
                    pairs += drawing.take(candidates[kind], name, n, kind, stratum)
    return [pairs[i] for i in drawing.rng.permutation(len(pairs)).tolist()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the pairs and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="DIR")
    parser.add_argument("--leave-out", type=Path, nargs="+", default=[], metavar="FILE", help="pairs not to draw")
    parser.add_argument("--blind", type=int, metavar="SEED", help="in another order, without stratum")
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE", help="instead of standard output")
    kinds = parser.add_mutually_exclusive_group()
    kinds.set_defaults(kind="")
    kinds.add_argument("--things", dest="kind", action="store_const", const="things", help="nouns one can touch")
    kinds.add_argument("--asked", dest="kind", action="store_const", const="asked", help="as people ask")
    options = parser.parse_args(arguments)
    left_out = (pair for path in options.leave_out for pair in read_pairs(path))
    rows: list[tuple[str, ...]] = [Pair._fields, *draw(options.wordnet, left_out, options.kind)]
    write(rows, options.blind, options.output)


if __name__ == "__main__":
    main()
