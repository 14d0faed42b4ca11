"""Build the bundled knowledge, `entvec/bundled/data/bundled.knowledge`: WordNet 3.0 and everyday statements.

    python tools/build_knowledge.py [--wordnet DIR] [--alone] [-o FILE]

WordNet's plain files come with Debian's package wordnet-base. All nouns and verbs are taken, as data.noun and
data.verb spell them, with these pointers between their synsets:

is_a         `@`: a dog is a canine; to walk is a way to move
instance_of  `@i`: Paris is a city
part_of      `#p`, `#m`, `#s`: a wheel is part of a vehicle, a soldier a member of an army, flour a substance of bread
implies      `*`: to snore implies to sleep
marks        `;u`: a word that is slang, a trademark or a slur

Adjectives and adverbs, which WordNet does not order by is-a, are listed so that they can be told from unknown words.

The senses of a word are sorted by how often cntlist.rev counts them in tagged text, then by WordNet's number of the
sense within its part of speech. How often speakers mean each sense comes from sense-shares.tsv, and guesses from
sense-guesses.npz (`weigh_senses.py`). Then come the statements of everyday-statements.tsv and everyday-parts.tsv, as a
second source. `--alone` leaves all of these out. Two runs give the same bytes.

Beside the file are written WordNet's licence, which the header of data.noun holds, and gloss-words.tsv: how many
definitions use each word before their first semicolon, for the words that at least LEAST_GLOSSES use; then the same
for the terms of several words that have something below them, in the singular or plural, if at least LEAST_OF_PHRASES
use them. What definitions are made of are words that people sort things by; so are those of everyday statements.
"""

import argparse
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from build_sense_shares import judgements, shares_of
from everyday_source import with_statements
from everyday_statements import parts, statements
from wordnet_files import licence, lines

from entvec.bundled import WORDNET_SOURCE
from entvec.files import replacing
from entvec.knowledge import PARTS_OF_SPEECH, Knowledge, storage
from entvec.knowledge.knowledge import Connections
from entvec.vectors.forms import key, one_spaced
from entvec.vectors.words import Words

TARGET = Path(__file__).parents[1] / "src/entvec/bundled/data/bundled.knowledge"
GUESSES = Path(__file__).parent / "sense-guesses.npz"
LETTERS = {"n": "noun", "v": "verb"}
POINTERS = {"is_a": ("@",), "instance_of": ("@i",), "part_of": ("#p", "#m", "#s"), "implies": ("*",)}
MARK = ";u"
LEAST_GLOSSES, LEAST_OF_PHRASES = 10, 3
Place = tuple[str, int]  # of a synset: the letter of its part of speech, and its offset in that file


class Pointer(NamedTuple):
    """From a synset, or from one of its words (counted from 1; 0 for all of them), to another synset."""

    symbol: str
    target: Place
    word: int


class Synset(NamedTuple):
    """A meaning: the words for it, what it points to, and what it says."""

    lemmas: tuple[str, ...]
    pointers: tuple[Pointer, ...]
    gloss: str


def read_synsets(folder: Path) -> dict[Place, Synset]:
    """The synsets of nouns, then of verbs, in the order of their files."""
    synsets = {}
    for letter, name in LETTERS.items():
        for line in lines(folder, f"data.{name}"):
            # offset, file, type, number of lemmas (hexadecimal), (lemma, id)..., number of pointers, pointers | gloss
            data, gloss = line.split("|", 1)
            fields = data.split()
            end = 4 + 2 * int(fields[3], 16)
            pointers = (fields[at : at + 4] for at in range(end + 1, end + 1 + 4 * int(fields[end]), 4))
            synsets[letter, int(fields[0])] = Synset(
                tuple(re.sub(r"\((a|p|ip)\)$", "", lemma) for lemma in fields[4:end:2]),
                tuple(
                    Pointer(symbol, (kind, int(offset)), int(words[:2], 16))
                    for symbol, offset, kind, words in pointers
                    if kind in LETTERS
                ),
                gloss.strip(),
            )
    return synsets


def read_numbers(folder: Path) -> dict[tuple[str, Place], int]:
    """The number of the sense that a lower-cased lemma has in a synset, within its part of speech."""
    numbers: dict[tuple[str, Place], int] = {}
    for letter, name in LETTERS.items():
        for line in lines(folder, f"index.{name}"):
            lemma, _, count, *fields = line.split()
            senses = enumerate(fields[-int(count) :], 1)
            numbers |= {(lemma, (letter, int(offset))): number for number, offset in senses}
    return numbers


def read_frequencies(folder: Path) -> dict[tuple[str, str, int], int]:
    """How often a lower-cased lemma was tagged with the sense of this part of speech and number."""
    letters = {"1": "n", "2": "v"}
    frequencies = {}
    for line in lines(folder, "cntlist.rev"):
        sense_key, number, count = line.split()
        lemma, _, rest = sense_key.partition("%")
        if rest[0] in letters:
            frequencies[lemma, letters[rest[0]], int(number)] = int(count)
    return frequencies


def read_irregular(folder: Path) -> Iterator[str]:
    """Lines of a form, its part of speech and its base."""
    for name in LETTERS.values():
        for line in lines(folder, f"{name}.exc"):
            form, *bases = line.split()
            yield from (f"{form.replace('_', ' ')} {name} {base}" for base in bases)


def read_flat(folder: Path) -> set[str]:
    """Adjectives and adverbs, as their files spell them."""
    found = set()
    for name in ("adj", "adv"):
        for line in lines(folder, f"data.{name}"):
            fields = line.split()
            found |= {re.sub(r"\((a|p|ip)\)$", "", lemma) for lemma in fields[4 : 4 + 2 * int(fields[3], 16) : 2]}
    return found


def connections(targets: Iterable[Sequence[int]]) -> Connections:
    """The targets of each node as arrays."""
    found = list(targets)
    flat = [target for group in found for target in group]
    return Connections(np.array([len(group) for group in found], np.int32), np.array(flat, np.int32))


def build(folder: Path) -> Knowledge:
    """WordNet's nouns and verbs."""
    synsets, numbers, frequencies = read_synsets(folder), read_numbers(folder), read_frequencies(folder)
    concept = {place: at for at, place in enumerate(synsets)}
    terms = sorted(
        {lemma for synset in synsets.values() for lemma in synset.lemmas}, key=lambda term: (key(term), term)
    )
    row = {term: at for at, term in enumerate(terms)}
    senses = defaultdict(list)
    for place, synset in synsets.items():
        for lemma in synset.lemmas:
            number = numbers[lemma.lower(), place]
            frequency = frequencies.get((lemma.lower(), place[0], number), 0)
            senses[lemma].append((-frequency, number, concept[place]))
    ordered = [sorted(senses[term]) for term in terms]
    flat = [sense for group in ordered for sense in group]
    marks = {
        (row[lemma], concept[place], concept[pointer.target])
        for place, synset in synsets.items()
        for pointer in synset.pointers
        if pointer.symbol == MARK
        for number, lemma in enumerate(synset.lemmas, 1)
        if pointer.word in (0, number)
    }
    pointers: dict[str, Any] = {
        name: connections(
            [concept[pointer.target] for pointer in synset.pointers if pointer.symbol in symbols]
            for synset in synsets.values()
        )
        for name, symbols in POINTERS.items()
    }
    return Knowledge(
        sources=(WORDNET_SOURCE,),
        terms=Words.of(terms),
        senses_of=connections([sense[2] for sense in group] for group in ordered),
        numbers=np.array([number for _, number, _ in flat], np.int32),
        frequencies=np.array([-frequency for frequency, _, _ in flat], np.int32),
        members=connections([row[lemma] for lemma in synset.lemmas] for synset in synsets.values()),
        **pointers,
        marks=np.array(sorted(marks), np.int32).reshape(-1, 3),
        kinds=np.array([PARTS_OF_SPEECH.index(LETTERS[letter]) for letter, _ in synsets], np.int32),
        identifiers=[f"{offset:08}-{letter}" for letter, offset in synsets],
        glosses=[synset.gloss for synset in synsets.values()],
        flat=Words.of(sorted(read_flat(folder) - set(terms), key=lambda term: (key(term), term))),
        irregular=sorted(read_irregular(folder)),
    )


def gloss_words(knowledge: Knowledge) -> Iterator[tuple[str, int]]:
    """The words and phrases that glosses use before their first semicolon or statements name, and how many do."""
    phrases: dict[str, set[str]] = defaultdict(set)
    for term in hyper_phrases(knowledge):
        for spelled in (term.casefold().replace("_", " "), plural(term.casefold().replace("_", " "))):
            phrases[spelled].add(term)
    lengths = sorted({len(phrase.split()) for phrase in phrases})
    words: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for gloss in knowledge.glosses:
        definition = gloss.split(";")[0].casefold()
        words.update(set(re.findall("[a-z]+", definition)))
        text = re.findall("[a-z]+(?:-[a-z]+)*", definition)
        runs = (" ".join(text[at : at + n]) for n in lengths for at in range(len(text) - n + 1))
        used.update({term for run in runs if run in phrases for term in phrases[run]})
    stated = knowledge.is_a.targets[np.flatnonzero(knowledge.origins)].tolist() if len(knowledge.origins) else []
    for term in (knowledge.name(concept).casefold() for concept in stated):
        (used if "_" in term else words)[term] += 1
    for counts, least in ((words, LEAST_GLOSSES), (used, LEAST_OF_PHRASES)):
        yield from ((word, count) for word, count in sorted(counts.items()) if count >= least)


def hyper_phrases(knowledge: Knowledge) -> list[str]:
    """The terms of several words that mean something with other things below it, and are no adjectives or adverbs."""
    flat = {one_spaced(word) for word in knowledge.flat}
    hypers = np.union1d(knowledge.is_a.targets, knowledge.instance_of.targets)
    owners = np.repeat(np.arange(len(knowledge.terms)), knowledge.senses_of.counts)
    terms = np.unique(owners[np.isin(knowledge.senses_of.targets, hypers)]).tolist()
    return [
        term
        for term in map(knowledge.terms.__getitem__, terms)
        if " " in one_spaced(term) and one_spaced(term) not in flat
    ]


def plural(phrase: str) -> str:
    """The plural of a phrase whose last word is regular."""
    if phrase.endswith("y") and phrase[-2] not in "aeiou":
        return phrase[:-1] + "ies"
    return phrase + ("es" if phrase.endswith(("s", "x", "ch", "sh")) else "s")


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the file, write it and its licence, and print what is in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="DIR")
    parser.add_argument("--alone", action="store_true", help="WordNet alone, without judged senses and statements")
    parser.add_argument("-o", dest="output", type=Path, default=TARGET, metavar="FILE")
    options = parser.parse_args(arguments)
    knowledge = build(options.wordnet)
    if not options.alone:
        with np.load(GUESSES) as file:
            knowledge = replace(knowledge, guesses=file["guesses"], judged=shares_of(knowledge, judgements()))
        knowledge = with_statements(knowledge, statements(), parts())
    storage.save(knowledge, options.output)
    with replacing(options.output.with_name("wordnet.LICENSE.txt")) as temporary:
        temporary.write_text(licence(options.wordnet), encoding="utf-8", newline="\n")
    with replacing(options.output.with_name("gloss-words.tsv")) as temporary:
        table = "".join(f"{word}\t{count}\n" for word, count in gloss_words(knowledge))
        temporary.write_text(table, encoding="utf-8", newline="\n")
    content = options.output.read_bytes()
    print(knowledge)
    print(f"{options.output}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
