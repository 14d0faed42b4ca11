"""Extraction from text: MB a second and core, and pairs found, beside a plain transcription of Hearst's six patterns.

    python benchmarks/extract.py text.txt.xz [--sample 100]

Both read the same blocks in one process, and processor times count. `--sample` prints pairs that were named in one
sentence, and in three or more, in random order and with a code for their source, to be judged by hand.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator

from entvec.bundled import wordnet_knowledge
from entvec.text import Extractor
from entvec.text.extraction.documents import BLOCK, decoded, read_blocks
from entvec.vectors.source import Source

Pair = tuple[str, str]
NP = r"(?:(?:the|a|an|some|many|most|all) )?([a-z]+)"
LIST = rf"{NP}(?:, {NP})?(?:, {NP})?(?:,? (?:and|or) {NP})?"
HEARST = [
    (re.compile(rf"{NP},? such as {LIST}"), 0),
    (re.compile(rf"such {NP} as {LIST}"), 0),
    (re.compile(rf"(?:{NP}, )?(?:{NP}, )?{NP},? or other {NP}"), 3),
    (re.compile(rf"(?:{NP}, )?(?:{NP}, )?{NP},? and other {NP}"), 3),
    (re.compile(rf"{NP},? including {LIST}"), 0),
    (re.compile(rf"{NP},? especially {LIST}"), 0),
]
"""Each pattern, and which of its groups is the broader term."""


def transcription(text: str) -> Iterator[Pair]:
    """Yield pairs as Hearst (1992) has the patterns, with words for phrases and no grammar."""
    text = " ".join(text.lower().split())
    for pattern, hyper in HEARST:
        for match in pattern.finditer(text):
            groups = match.groups()
            yield from ((hypo, groups[hyper]) for i, hypo in enumerate(groups) if i != hyper and hypo)


def blocks_of(path: str) -> list[str]:
    with Source(path) as source:
        content = source.rest()
    return [decoded(block) for _, block in read_blocks(content, 0, 0, -(-len(content) // BLOCK) * BLOCK)]


def measured(name: str, find: object, blocks: Iterable[str], size: int) -> Counter[Pair]:
    begun = time.process_time()
    counts = Counter(pair for block in blocks for pair in find(block))  # type: ignore[operator]
    seconds = time.process_time() - begun
    often = sum(count >= 3 for count in counts.values())
    print(
        f"{name:<16} {size / 1e6 / seconds:6.1f} MB/s of one core, {counts.total():7,} extractions, "
        f"{len(counts):7,} pairs, {often:5,} of them three times or more"
    )
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("--sample", type=int, default=0)
    arguments = parser.parse_args()
    blocks = blocks_of(arguments.text)
    size = sum(len(block.encode()) for block in blocks)
    extractor = Extractor(wordnet_knowledge())
    found = {
        "entvec": measured("entvec", lambda text: (pair[:2] for pair in extractor.find(text)), blocks, size),
        "Hearst's six": measured("Hearst's six", transcription, blocks, size),
    }
    for least, most in ((1, 1), (3, 10**9)):
        drawn = []
        for name, counts in found.items():
            pairs = sorted(pair for pair, count in counts.items() if least <= count <= most)
            chosen = random.Random(25).sample(pairs, min(arguments.sample, len(pairs)))  # noqa: S311
            drawn += [(*pair, name) for pair in chosen]
        random.Random(0).shuffle(drawn)  # noqa: S311
        for number, (hypo, hyper, name) in enumerate(drawn):
            print(f"{least}\t{number}\t{hypo}\t{hyper}\t{name.encode().hex()}")


if __name__ == "__main__":
    main()
