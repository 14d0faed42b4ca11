"""Is the first a kind of the second? Beside one another: WordNet, cosine, both, and entvec, on everyday pairs.

    python benchmarks/choices.py

The question is that of a visitor: yes for pairs that are labelled narrower or same, no for all others. The pairs are
the 350 of the test split (docs/everyday-pairs.md); what has a threshold gets the best one of the 150 others. WordNet
says yes if a sense of the second is that of the first or above it, and no otherwise; "first senses" looks at the most
frequent ones only. Intervals are those of 95%, from 1,000 resamples of the pairs.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import entvec
from entvec.bundled import EverydayPair, everyday_pairs, google_news, wordnet_knowledge

Scores = NDArray[np.float64]


def wordnet(pairs: list[EverydayPair], senses: int | None = None) -> Scores:
    """Return 1 for each pair that WordNet has as is-a or as synonyms, else 0; for this many senses of each word."""
    known, found = wordnet_knowledge(), []
    for pair in pairs:
        low, high = (
            [sense for sense in known.senses(word) if sense.part_of_speech == pair.part_of_speech][:senses]
            for word in (pair.first, pair.second)
        )
        above = known.ancestors([sense.concept for sense in low])
        found.append(float(any(sense.concept in above for sense in high)))
    return np.array(found)


def cosine(pairs: list[EverydayPair]) -> Scores:
    """Return the cosine of the two vectors of Google News."""
    news = google_news()
    first, second = (
        news.matrix[[news.row(word) for word in words]].astype(np.float64)
        for words in ([pair.first for pair in pairs], [pair.second for pair in pairs])
    )
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.asarray((first * second).sum(axis=1) / lengths)


def with_entvec(pairs: list[EverydayPair]) -> Scores:
    """Return the probability of the default space, which assumes that a quarter of the pairs are true."""
    space = entvec.load()
    return np.asarray(space.probability([pair.first for pair in pairs], [pair.second for pair in pairs]))


def truth(pairs: list[EverydayPair]) -> NDArray[np.bool_]:
    """Return whether each pair is labelled narrower or same."""
    return np.array([pair.relation in ("narrower", "same") for pair in pairs])


def best_threshold(scores: Scores, true: NDArray[np.bool_]) -> float:
    """Return the threshold with the most right answers."""
    values = np.unique(scores)
    return float(values[np.argmax([((scores >= value) == true).mean() for value in values])])


def main() -> None:
    """Measure and print."""
    development, test = everyday_pairs("development"), everyday_pairs("test")
    true = truth(test)
    draws = np.random.default_rng(0).integers(len(test), size=(1000, len(test)))
    rows: dict[str, tuple[Callable[[list[EverydayPair]], Scores], float | None]] = {
        "always no": (lambda pairs: np.zeros(len(pairs)), 0.5),
        "cosine": (cosine, None),
        "WordNet, first senses": (lambda pairs: wordnet(pairs, 1), 0.5),
        "WordNet, any sense": (wordnet, 0.5),
        "entvec": (with_entvec, 0.5),
    }
    print(f"{true.sum()} of {len(test)} pairs are true\n| | right | of its yes, right | of what is true, found |")
    for name, (scored, threshold) in rows.items():
        scores = scored(test)
        least = best_threshold(scored(development), truth(development)) if threshold is None else threshold
        yes = scores >= least
        right = yes == true
        low, high = np.percentile(right[draws].mean(axis=1), [2.5, 97.5])
        precise = f"{true[yes].mean():.1%}" if yes.any() else ""
        print(f"| {name} | {right.mean():.1%} ({low:.0%}-{high:.0%}) | {precise} | {yes[true].mean():.1%} |")


if __name__ == "__main__":
    main()
