"""Print how many groups of people get an insult among their hypernyms, and which.

    python benchmarks/people.py [-k 20] [--evidence vectors]

Asks the default space about each of its words that is a group of people, and counts answers that offend, or that mostly
mean what insults a group of people.
"""

import argparse

import numpy as np

import entvec
from entvec.bundled import google_news, wordnet_knowledge
from entvec.knowledge.people import is_offensive, people_rows
from entvec.knowledge.people_rules import rules


def insults(word: str) -> bool:
    """Return True if a word may not be said of a group of people."""
    known = wordnet_knowledge()
    usual = max(known.senses(word), key=lambda sense: sense.meetings, default=None)
    return is_offensive(known, word) or (usual is not None and bool(rules(known).insults[usual.concept]))


def main() -> None:
    """Ask, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", type=int, default=20, help="how many hypernyms of each word")
    parser.add_argument("--evidence", choices=("all", "vectors"), default="all", help="what the answers rest on")
    options = parser.parse_args()
    k, evidence = options.k, options.evidence
    space, words = entvec.load(), google_news().words
    groups = [words[row] for row in np.flatnonzero(people_rows(wordnet_knowledge(), words)).tolist()]
    answers = space.hypernyms(groups, k=k, evidence=evidence).words
    found = {group: list(filter(insults, words)) for group, words in zip(groups, answers, strict=True)}
    for group, said in found.items():
        if said:
            print(f"{group:24} {', '.join(said)}")
    print(f"{sum(map(bool, found.values()))} of {len(groups)} groups of people have an insult among {k} hypernyms")


if __name__ == "__main__":
    main()
