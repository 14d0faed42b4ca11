"""Draw the 500 everyday pairs: frequent nouns and verbs, two at a time, by a rule that no score of entvec enters.

    python tools/draw_everyday_pairs.py [--wordnet DIR] [--blind SEED] [-o FILE]

Writes a table of first, second, part_of_speech, stratum and split. The relation of each pair is not drawn: it is
labelled by hand, by the criteria in docs/everyday-pairs.md. `--blind SEED` prints the pairs in another order without
stratum and split: the sheet that labels are written on.

Words. The words of the bundled Google News vectors are taken in their order, the most frequent first. A word counts if
it has three or more letters, all of a to z, and WordNet 3.0 tagged it most often as a noun or a verb (sums over its
senses in cntlist.rev; adjectives and adverbs compete, a tie goes to the noun). Left out are the function words listed
below; plurals, if the singular is tagged as a noun and has a vector; inflected forms among the verbs; among the nouns,
irregular verb forms that do not end in -ing (left, saw), and forms of a verb that is tagged more than ten times as
often (making, but not meeting). The first 1,000 are the frequent words, the first 3,000 the known ones.

Pairs. Both words have the same part of speech. At least one is a frequent word, the other a known one. Only lemmas that
WordNet writes in lower case count.

true      the second is 1 to 3 steps above the first, which is a frequent word
reversed  such a pair, the other way round
same      the two share a synset
sibling   the two share a direct hypernym, and neither means what the other does, or is above it, in any sense
part      one is a direct part, member or substance of the other; half of the pairs have the part first; nouns only
related   the second is one of the ten frequent words of highest cosine to the first, a frequent word, and WordNet has
          none of the relations above between them, in any sense, at any distance
random    two frequent words

Most pairs of true, reversed, same and sibling hold for the first senses of both words; such siblings also are among the
25 known words of highest cosine to each other, as WordNet's siblings often have little in common (film, output). The
other pairs hold for one of the first three senses of each word, as do all parts: frequent words have many senses, and a
relation in the third is often one that no speaker thinks of. They test that too.

Every stratum has a number of nouns and of verbs (STRATA), about in the shares of the frequent words. To draw a
stratum, the words that can be the first are shuffled, and each in turn gets one of its partners at random, until the
stratum is full. The strata with the fewest candidates come first: part, same, sibling, reversed, true, related, random.
No two words are paired twice, in either order, and no word is in more than four pairs.

Split. 150 pairs are for development and 350 for tests, in the same shares of every stratum. A word belongs to the split
of its first pair, and a pair whose words belong to different splits is not taken, so the splits share no word. The
table is shuffled at the end. Two runs give the same table.
"""

import argparse
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from wordnet_files import lines

from entvec.bundled import google_news
from entvec.files import replacing

SEED = 500
FREQUENT, KNOWN = 1000, 3000
SENSES, STEPS, MOST_PAIRS = 3, 3, 4
NEAREST, NEAREST_SIBLINGS = 10, 25
BLOCK = 1000  # rows whose cosines are computed at a time
STRATA = {  # in the order in which they are drawn; for nouns and verbs: of first senses, of others
    "part": {"noun": (0, 50)},
    "same": {"noun": (30, 5), "verb": (12, 3)},
    "sibling": {"noun": (65, 10), "verb": (20, 5)},
    "reversed": {"noun": (50, 8), "verb": (18, 4)},
    "true": {"noun": (68, 12), "verb": (24, 6)},
    "related": {"noun": (0, 36), "verb": (0, 14)},
    "random": {"noun": (0, 43), "verb": (0, 17)},
}
DEVELOPMENT = Fraction(3, 10)
# Auxiliaries, prepositions and conjunctions, numbers and quantities, pronouns
FUNCTION_WORDS = """
are been being can could dare did does done had has have having may might must need ought shall should was were will
would

about above after all also and any because before below both but down for from here how however inside less like
more most not now off out outside over past per plus round since some such than that then there this through till
too under until versus via well what when where whether which while who why with within yes yet

one two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion trillion
lot lots half third quarter second first last everything something anything nothing everyone someone anyone

him his her hers its mine our ours she they their theirs them you your yours
"""
TYPES = {"1": "noun", "2": "verb", "3": "adjective", "4": "adverb", "5": "adjective"}
ENDINGS = {
    "noun": "ses>s xes>x zes>z ches>ch shes>sh men>man ies>y s>",
    "verb": "ies>y es>e es> s> ied>y ed>e ed> ing>e ing>",
}
"""The regular inflections, and what stands in the base form instead."""
PARTS = ("#p", "#m", "#s")
Table = dict[str, set[str]]  # a first word and all that can be the second
Sense = tuple[str, int]  # part of speech and offset in its data file


class Pair(NamedTuple):
    """A drawn pair."""

    first: str
    second: str
    part_of_speech: str
    stratum: str
    split: str


class WordNet:
    """What the rule needs of WordNet's nouns and verbs.

    tagged   how often a lower-cased lemma was tagged, by part of speech
    senses   the senses of a lemma by part of speech, the most frequent first; only where it is written in lower case
    above    the direct hypernyms of a sense, instances included
    wholes   what a sense is a part, member or substance of
    """

    def __init__(self, folder: Path) -> None:
        self.tagged: dict[str, Counter[str]] = defaultdict(Counter)
        for line in lines(folder, "cntlist.rev"):
            key, _, count = line.split()
            lemma, _, rest = key.partition("%")
            self.tagged[lemma][TYPES[rest[0]]] += int(count)
        self.irregular: dict[str, dict[str, list[str]]] = {}
        self.senses: dict[tuple[str, str], list[Sense]] = {}
        self.above: dict[Sense, list[Sense]] = {}
        self.wholes: dict[Sense, list[Sense]] = {}
        for part_of_speech in ENDINGS:
            exceptions = (line.split() for line in lines(folder, f"{part_of_speech}.exc"))
            self.irregular[part_of_speech] = {form: bases for form, *bases in exceptions}
            self._read(folder, part_of_speech)

    def _read(self, folder: Path, part_of_speech: str) -> None:
        written = set()
        for line in lines(folder, f"data.{part_of_speech}"):
            # offset, file, type, number of lemmas (hexadecimal), (lemma, id)..., number of pointers, pointers, ...
            fields = line.split("|")[0].split()
            sense = (part_of_speech, int(fields[0]))
            end = 4 + 2 * int(fields[3], 16)
            written |= {(lemma, sense) for lemma in fields[4:end:2]}
            pointers = [fields[at : at + 3] for at in range(end + 1, end + 1 + 4 * int(fields[end]), 4)]
            self.above[sense] = [
                (part_of_speech, int(offset)) for symbol, offset, _ in pointers if symbol in ("@", "@i")
            ]
            self.wholes[sense] = [(part_of_speech, int(offset)) for symbol, offset, _ in pointers if symbol in PARTS]
        for line in lines(folder, f"index.{part_of_speech}"):
            lemma, _, count, *fields = line.split()
            found = [(part_of_speech, int(offset)) for offset in fields[-int(count) :]]
            self.senses[lemma, part_of_speech] = [sense for sense in found if (lemma, sense) in written]

    def bases(self, word: str, part_of_speech: str) -> list[str]:
        """Return the words that this one may be an inflected form of, tagged as that part of speech."""
        found = list(self.irregular[part_of_speech].get(word, []))
        for rule in ENDINGS[part_of_speech].split():
            ending, _, instead = rule.partition(">")
            if word.endswith(ending):
                stem = word.removesuffix(ending) + instead
                found.append(stem)
                if len(stem) > 2 and stem[-1] == stem[-2]:  # planned, stopping
                    found.append(stem[:-1])
        return [base for base in found if base != word and self.tagged[base][part_of_speech]]

    def ancestors(self, sense: Sense, most: int | None = None) -> set[Sense]:
        """Return the senses above this one, at most so many steps."""
        found: set[Sense] = set()
        level = {sense}
        while level and (most is None or most > 0):
            level = {above for below in level for above in self.above[below]} - found
            found |= level
            most = None if most is None else most - 1
        return found


def part_of_speech(word: str, wordnet: WordNet, vocabulary: set[str]) -> str | None:
    """Return noun or verb for a word that counts, None for others."""
    if (
        len(word) < 3
        or not re.fullmatch("[a-z]+", word)
        or word in FUNCTION_WORDS.split()
        or word not in wordnet.tagged
    ):
        return None
    counts = wordnet.tagged[word]
    most = max(("noun", "verb", "adjective", "adverb"), key=lambda kind: counts[kind])  # the first of equals
    if most not in ENDINGS or not wordnet.senses.get((word, most)):
        return None
    if vocabulary.intersection(wordnet.bases(word, most)):
        return None
    if word in wordnet.irregular["verb"] and word not in wordnet.irregular["verb"][word] and not word.endswith("ing"):
        return None
    if most == "noun" and any(
        wordnet.tagged[base]["verb"] > 10 * counts["noun"] for base in wordnet.bases(word, "verb")
    ):
        return None
    return most


class Relations:
    """WordNet's relations between the known words of one part of speech, by their first senses, so many of them."""

    def __init__(self, words: Sequence[str], kind: str, wordnet: WordNet, most_senses: int) -> None:
        self.near = {word: wordnet.senses[word, kind][:most_senses] for word in words}
        self.meaning: dict[Sense, list[str]] = defaultdict(list)
        for word, senses in self.near.items():
            for sense in senses:
                self.meaning[sense].append(word)
        self.children: dict[Sense, list[str]] = defaultdict(list)
        for word, senses in self.near.items():
            for parent in {parent for sense in senses for parent in wordnet.above[sense]}:
                self.children[parent].append(word)
        self.every = {word: set(wordnet.senses[word, kind]) for word in words}
        self.above_every = {
            word: {above for sense in senses for above in wordnet.ancestors(sense)}
            for word, senses in self.every.items()
        }
        self.wordnet = wordnet

    def _words(self, word: str, senses: set[Sense]) -> set[str]:
        return {other for sense in senses for other in self.meaning.get(sense, ())} - {word}

    def hypernyms(self, word: str, steps: int = STEPS) -> set[str]:
        """Return the words a few steps above one."""
        return self._words(word, {above for sense in self.near[word] for above in self.wordnet.ancestors(sense, steps)})

    def synonyms(self, word: str) -> set[str]:
        """Return the words that share a synset with one."""
        return self._words(word, set(self.near[word]))

    def siblings(self, word: str) -> set[str]:
        """Return the words that share a direct hypernym with one, and are not nearer to it than that."""
        parents = {parent for sense in self.near[word] for parent in self.wordnet.above[sense]}
        found = {other for parent in parents for other in self.children[parent]}
        return {other for other in found - {word} if not self.same_or_above(word, other)}

    def wholes(self, word: str) -> set[str]:
        """Return the words for what one is a part, member or substance of."""
        return self._words(word, {whole for sense in self.near[word] for whole in self.wordnet.wholes[sense]})

    def same_or_above(self, word: str, other: str) -> bool:
        """Return whether two words share a sense, or one is above the other, in any sense, at any distance."""
        mine, its = self.every[word], self.every[other]
        return bool(mine & its or its & self.above_every[word] or mine & self.above_every[other])

    def related(self, word: str, other: str) -> bool:
        """Return whether WordNet has one of the relations between two words, in any sense."""
        mine, its = self.every[word], self.every[other]
        parents, wholes = (
            [{target for sense in senses for target in table[sense]} for senses in (mine, its)]
            for table in (self.wordnet.above, self.wordnet.wholes)
        )
        return bool(self.same_or_above(word, other) or parents[0] & parents[1] or wholes[0] & its or wholes[1] & mine)


class Draw:
    """The pairs drawn so far, with the limits that they share."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.drawn = 0
        self.weights = {"development": 1 - DEVELOPMENT, "test": DEVELOPMENT}
        self.taken: set[frozenset[str]] = set()
        self.uses: Counter[str] = Counter()
        self.split: dict[str, str] = {}

    def shuffled(self, items: Sequence[str]) -> list[str]:
        """Return the items in random order."""
        return [items[i] for i in self.rng.permutation(len(items)).tolist()]

    def take(self, table: Table, n: int, kind: str, stratum: str) -> Iterator[Pair]:
        """Yield n pairs of a stratum; every first word gets one partner a round."""
        firsts = sorted(word for word, found in table.items() if found)
        # Rounded over all pairs so far, so that the shares are exact where a stratum ends.
        development = math.floor((self.drawn + n) * DEVELOPMENT) - math.floor(self.drawn * DEVELOPMENT)
        self.drawn += n
        left = {"development": development, "test": n - development}
        while any(left.values()):
            before = sum(left.values())
            for first in self.shuffled(firsts):
                for second in self.shuffled(sorted(table[first])):
                    split = self._split(first, second, left)
                    if split is None:
                        continue
                    left[split] -= 1
                    self.taken.add(frozenset((first, second)))
                    self.uses.update((first, second))
                    self.split |= {first: split, second: split}
                    yield Pair(first, second, kind, stratum, split)
                    break
                if not any(left.values()):
                    break
            if sum(left.values()) == before:
                sys.exit(f"{stratum}: {before} pairs of {kind}s too few")

    def _split(self, first: str, second: str, left: dict[str, int]) -> str | None:
        """Return the split that a pair may go to, None if it may not be taken."""
        if frozenset((first, second)) in self.taken or max(self.uses[first], self.uses[second]) >= MOST_PAIRS:
            return None
        fixed = {self.split[word] for word in (first, second) if word in self.split}
        if len(fixed) > 1:
            return None
        split = fixed.pop() if fixed else max(left, key=lambda name: left[name] * self.weights[name])
        return split if left[split] else None


def neighbours(words: Sequence[str], n: int) -> Table:
    """Return the n words of highest cosine to each."""
    vectors = google_news()
    matrix = np.stack([np.asarray(vectors[word], dtype=np.float64) for word in words])
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    found: Table = {}
    for start in range(0, len(words), BLOCK):
        cosines = matrix[start : start + BLOCK] @ matrix.T
        rows = np.arange(len(cosines))
        cosines[rows, start + rows] = -np.inf
        nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :n]
        found |= {words[start + i]: {words[j] for j in row} for i, row in enumerate(nearest.tolist())}
    return found


def known_words(wordnet: WordNet) -> dict[str, str]:
    """Return the known words with their part of speech, the most frequent first."""
    vocabulary = google_news().words
    every = set(vocabulary)
    found: dict[str, str] = {}
    for word in vocabulary:
        if kind := part_of_speech(word, wordnet, every):
            found[word] = kind
        if len(found) == KNOWN:
            break
    return found


def reverse(table: Table) -> Table:
    """Return the table the other way round."""
    turned: Table = defaultdict(set)
    for first, seconds in table.items():
        for second in seconds:
            turned[second].add(first)
    return dict(turned)


def by_senses(words: Sequence[str], frequent: set[str], relations: Relations) -> dict[str, Table]:
    """Return, by stratum, the words that can be the first with all their partners, for the relations of some senses."""

    def partners(relation: Callable[[str], set[str]]) -> Table:
        found = {word: relation(word) for word in words}
        return {word: others if word in frequent else others & frequent for word, others in found.items()}

    wholes = partners(relations.wholes)
    hypernyms = {word: relations.hypernyms(word) for word in words if word in frequent}
    return {
        "part": wholes,
        "whole": reverse(wholes),
        "same": partners(relations.synonyms),
        "sibling": partners(relations.siblings),
        "reversed": reverse(hypernyms),
        "true": hypernyms,
    }


def candidates(known: dict[str, str], kind: str, wordnet: WordNet) -> tuple[dict[str, Table], dict[str, Table]]:
    """Return, by stratum, the words that can be the first with all their partners: by first senses, and by others."""
    words = [word for word, its in known.items() if its == kind]
    frequent = [word for word in list(known)[:FREQUENT] if known[word] == kind]
    few = set(frequent)
    first, every = (Relations(words, kind, wordnet, most) for most in (1, SENSES))
    usual, others = by_senses(words, few, first), by_senses(words, few, every)
    near = neighbours(words, NEAREST_SIBLINGS)
    usual["sibling"] = {
        word: {other for other in found & near[word] if word in near[other]} for word, found in usual["sibling"].items()
    }
    for stratum in ("same", "sibling", "reversed", "true"):
        others[stratum] = {word: found - usual[stratum].get(word, set()) for word, found in others[stratum].items()}
    near = neighbours(frequent, NEAREST)
    others["related"] = {word: {other for other in near[word] if not every.related(word, other)} for word in frequent}
    others["random"] = {word: few - {word} for word in frequent}
    return usual, others


def draw(wordnet: WordNet) -> list[Pair]:
    """Return the pairs in their final order."""
    known = known_words(wordnet)
    tables = {kind: candidates(known, kind, wordnet) for kind in ENDINGS}
    drawing = Draw(np.random.default_rng(SEED))
    pairs: list[Pair] = []
    for stratum, of_kind in STRATA.items():
        for kind, numbers in of_kind.items():
            for table, n in zip(tables[kind], numbers, strict=True):
                halves = {"part": n // 2, "whole": n - n // 2} if stratum == "part" else {stratum: n}
                for name, number in halves.items():
                    if number:
                        pairs += drawing.take(table[name], number, kind, stratum)
    return [pairs[i] for i in drawing.rng.permutation(len(pairs)).tolist()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the pairs and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="DIR")
    parser.add_argument("--blind", type=int, metavar="SEED", help="in another order, without stratum and split")
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE", help="instead of standard output")
    options = parser.parse_args(arguments)
    rows: list[tuple[str, ...]] = [Pair._fields, *draw(WordNet(options.wordnet))]
    write(rows, options.blind, options.output)


def write(rows: Sequence[tuple[str, ...]], blind: int | None, output: Path | None) -> None:
    """Write a table of pairs, the titles first; blind: in another order, and only the words and part of speech."""
    if blind is not None:
        order = np.random.default_rng(blind).permutation(len(rows) - 1)
        rows = [row[:3] for row in [rows[0], *(rows[i + 1] for i in order.tolist())]]
    text = "".join("\t".join(row) + "\n" for row in rows)
    if output is None:
        print(text, end="")
    else:
        with replacing(output) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
