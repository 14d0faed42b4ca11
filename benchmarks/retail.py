"""A shop of 60 categories and 100 new products: how many are placed where people would put them.

    python benchmarks/retail.py [--wrong]

The right categories, in `retail-products.tsv`, were written down before anything was placed; some products have
several. `--wrong` prints what is wrong.
"""

import argparse
from pathlib import Path

import entvec
from entvec.taxonomy import place_all, read

HERE = Path(__file__).parent
SURE = 0.9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="print what is wrong")
    options = parser.parse_args()
    shop = read(HERE / "retail-categories.txt")
    lines = (HERE / "retail-products.tsv").read_text(encoding="utf-8").splitlines()[1:]
    right = {product: set(names.split("|")) for product, names in (line.split("\t") for line in lines)}
    placed = place_all(list(right), shop, entvec.load())
    first = listed = unplaced = sure = sure_right = 0
    for i, (product, names) in enumerate(right.items()):
        best = int(placed.same[i]) if placed.same[i] >= 0 else int(placed.best[i])
        found = [shop.terms[j] for j in placed.parents[i].tolist() if j >= 0]
        good = best >= 0 and shop.terms[best] in names
        first, unplaced, listed = first + good, unplaced + (best < 0), listed + bool(names & {*found})
        if best >= 0 and placed.probabilities[i, 0] >= SURE:
            sure, sure_right = sure + 1, sure_right + good
        if options.wrong and not good:
            print(f"{product}: {', '.join(found) or 'nothing'}; expected {' or '.join(sorted(names))}")
    print(f"{first} of {len(right)} right, {len(right) - first - unplaced} wrong, {unplaced} unplaced", end="; ")
    print(f"right among three {listed}; of {sure} with a probability of {SURE} or more {sure_right} right")


if __name__ == "__main__":
    main()
