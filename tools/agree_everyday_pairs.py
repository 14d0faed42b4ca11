"""Print how far two annotators of everyday pairs agree: percent, and Cohen's kappa.

    python tools/agree_everyday_pairs.py [FILE]

The file has a line for each pair: first, second, then the relation and the also-relation of each annotator; the default
is `tools/everyday-pairs-passes.tsv`.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

PASSES = Path(__file__).parent / "everyday-pairs-passes.tsv"


def kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Return Cohen's kappa: (agreement - expected) / (1 - expected); expected by the shares of the labels."""
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    shares = Counter(first), Counter(second)
    expected = sum(shares[0][label] * shares[1][label] for label in shares[0]) / n**2
    return 1.0 if expected == 1 else (observed - expected) / (1 - expected)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the file and print the agreement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=PASSES, metavar="FILE")
    _, *lines = parser.parse_args(arguments).file.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    first, second = [row[2] for row in rows], [row[4] for row in rows]
    agreed = sum(a == b for a, b in zip(first, second, strict=True))
    accepted = sum(row[4] in row[2:4] for row in rows)
    print(f"{len(rows)} pairs: the same relation for {agreed} ({agreed / len(rows):.1%})")
    print(f"Cohen's kappa {kappa(first, second):.3f}")
    print(f"the first pass accepts the second's relation for {accepted} ({accepted / len(rows):.1%})")


if __name__ == "__main__":
    main()
