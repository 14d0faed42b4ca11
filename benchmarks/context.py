"""Measure how well the words around a word tell its sense, on WordNet's own example sentences.

    python benchmarks/context.py [--seed N]

A sentence of a gloss belongs to one sense of the word in it. Words with several senses count, as nouns and verbs
together; of a sentence all words but that one are the context. The vector of a sense is made without the examples of
the sense. Words are split into a development part, to which sharpness and trust of each method are fitted, and a test
part.

WordNet illustrates rare senses as readily as frequent ones, and people do not. So there are two accuracies: each
sentence counts once ("sentences"), or as much as its sense is met in tagged text ("as in text": the sentences of a word
share its number of sentences in proportion to the weights of their senses). The fit minimises the mean of both
log-losses. Ties go to the more frequent sense. Intervals are those of 95%, from 1,000 resamples of the words.

The paper's other two readings of vectors, `log_odds` and `dup`, are measured without the usual weights of senses.
"""

import argparse
import re
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.evidence.context import LENGTH, METHODS, WORD, Contexts, Method, definition
from entvec.evidence.meanings import Weighted
from entvec.knowledge import PARTS_OF_SPEECH, Knowledge
from entvec.space import default_space
from entvec.theory import context as theory
from entvec.vectors import forms

DEVELOPMENT = 0.4
SHARPNESS = {"average": (7.0, 8.0, 8.5, 9.0, 9.5, 10.0, 11.0), "unification": (3.0, 3.5, 3.75, 4.0, 4.25, 4.5, 5.0)}
TRUST = (0.0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 1.0)
RESAMPLES = 1000
SHORTEST = 3
"""Words of up to this length hardly say what a sentence is about."""
FREQUENT, OVERLAP = "most frequent sense", "overlap with the definition"

Floats = NDArray[np.float64]


def other_reading(interpretation: str) -> Method:
    """The paper's model under another reading of vectors than the package's `unk_dup`."""

    def fit(senses: Floats, context: Floats) -> Floats:
        both = LENGTH * senses, np.broadcast_to(LENGTH * context, senses.shape)
        return np.asarray(theory.score(*both, interpretation=interpretation))

    return Method(fit, 1.0, 0.0)


class Question(NamedTuple):
    """A word in a sentence, its senses, and which of them is meant."""

    word: str
    sentence: str
    senses: tuple[Weighted, ...]
    right: int

    @property
    def priors(self) -> Floats:
        """The log of the usual weights."""
        return np.log([weight for _, weight in self.senses])

    @property
    def same_part_of_speech(self) -> NDArray[np.bool_]:
        """The senses that somebody would choose from who knows whether a noun or a verb is meant."""
        kinds = [sense.part_of_speech for sense, _ in self.senses]
        return np.array([kind == kinds[self.right] for kind in kinds])


def word_in(known: Knowledge, concept: int, sentence: str, irregular: Sequence[str]) -> str | None:
    """The first word of a sentence that is a term for a concept, or a form of one."""
    kind = PARTS_OF_SPEECH[known.kinds[concept]]
    terms = {forms.key(term): term for term in known.synonyms(concept) if "_" not in term}
    for word in WORD.findall(sentence):
        bases = [base for base, of in forms.base_forms(word, irregular) if of == kind]
        found = [terms[key] for key in map(forms.key, (word, *bases)) if key in terms]
        if found:
            return found[0]
    return None


def questions(contexts: Contexts) -> Iterator[Question]:
    """All sentences of all glosses, with a word that has several senses."""
    known, irregular = contexts.meanings.known, list(contexts.meanings.known.irregular)
    for concept in range(len(known)):
        for sentence in re.findall('"([^"]+)"', known.glosses[concept]):
            word = word_in(known, concept, sentence, irregular)
            senses = () if word is None else contexts.meanings.all_of(word)
            concepts = [sense.concept for sense, _ in senses]
            if word is not None and len(concepts) > 1 and concept in concepts:
                yield Question(word, sentence, senses, concepts.index(concept))


def as_in_text(asked: Sequence[Question]) -> Floats:
    """How much each sentence counts if senses are as frequent as in tagged text."""
    of_sense = Counter((each.word, each.right) for each in asked)
    of_word = Counter(each.word for each in asked)
    shares = [each.senses[each.right].weight / of_sense[each.word, each.right] for each in asked]
    total: Counter[str] = Counter()
    for each, share in zip(asked, shares, strict=True):
        total[each.word] += share  # type: ignore[assignment]  # a sum of weights
    return np.array([share / total[each.word] * of_word[each.word] for each, share in zip(asked, shares, strict=True)])


def overlap(known: Knowledge, question: Question) -> Floats:
    """Lesk's measure: how many words of the sentence each definition has, short words left out."""
    around = {word for word in map(str.casefold, WORD.findall(question.sentence)) if len(word) > SHORTEST}
    around.discard(question.word.casefold())
    texts = (definition(known.glosses[sense.concept]).casefold() for sense, _ in question.senses)
    return np.array([float(len(around & set(WORD.findall(text)))) for text in texts])


def losses(scores: Sequence[Floats], asked: Sequence[Question]) -> Floats:
    """The log-loss of each question, if scores are log-odds."""
    return np.array(
        [np.logaddexp.reduce(each) - each[question.right] for each, question in zip(scores, asked, strict=True)]
    )


def correct(scores: Sequence[Floats], asked: Sequence[Question], *, same_kind: bool = False) -> NDArray[np.bool_]:
    """Whether the best sense is the right one; senses come with the more frequent first, so ties go to it."""
    found = []
    for each, question in zip(scores, asked, strict=True):
        allowed = np.where(question.same_part_of_speech, each, -np.inf) if same_kind else each
        found.append(int(np.argmax(allowed)) == question.right)
    return np.array(found)


def combined(found: Sequence[Floats], priors: Sequence[Floats], sharpness: float, trust: float) -> list[Floats]:
    """The log-odds of senses."""
    return [sharpness * fit + trust * prior for fit, prior in zip(found, priors, strict=True)]


def fitted(name: str, found: Sequence[Floats], asked: Sequence[Question]) -> tuple[float, float, float]:
    """The least mean of both log-losses, and the sharpness and trust that have it."""
    priors, in_text = [question.priors for question in asked], as_in_text(asked)
    counted = 0.5 / len(asked) + 0.5 * in_text / in_text.sum()
    return min(
        (float(counted @ losses(combined(found, priors, sharpness, trust), asked)), sharpness, trust)
        for sharpness, trust in product(SHARPNESS[name], TRUST)
    )


class Resampled:
    """Shares of right answers, with intervals from resampled words."""

    def __init__(self, words: Sequence[str], seed: int) -> None:
        self.word = np.unique(words, return_inverse=True)[1]
        rng, n = np.random.default_rng(seed), int(self.word.max()) + 1
        self.drawn = np.stack([np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(RESAMPLES)])

    def share(self, right: NDArray[Any], counted: Floats) -> str:
        """The share in percent, and its interval; of a difference of two arrays, if values are -1, 0 and 1."""
        hits, all_of_them = (np.bincount(self.word, part) for part in (right * counted, counted))
        low, high = np.percentile(100 * (self.drawn @ hits) / (self.drawn @ all_of_them), [2.5, 97.5])
        return f"{100 * hits.sum() / all_of_them.sum():.1f} ({low:.1f} to {high:.1f})"


def fits(contexts: Contexts, name: str, asked: Sequence[Question]) -> list[Floats]:
    """How well the senses fit by one method; all alike where no word of the context has a vector."""
    found = [contexts.fits(each.word, each.sentence, method=name) for each in asked]
    return [np.zeros(len(each.senses)) if fit is None else fit for each, fit in zip(asked, found, strict=True)]


def measure(contexts: Contexts, test: Sequence[Question], numbers: Mapping[str, Sequence[float]], seed: int) -> None:
    """Print accuracies and paired differences."""
    priors = [each.priors for each in test]
    alone = {name: fits(contexts, name, test) for name in METHODS}
    scores = {FREQUENT: priors, OVERLAP: [overlap(contexts.meanings.known, each) for each in test]}
    scores |= {f"{name} alone": found for name, found in alone.items()}
    scores |= {name: combined(alone[name], priors, *chosen) for name, chosen in numbers.items()}
    resampled = Resampled([each.word for each in test], seed)
    counted = {"sentences": np.ones(len(test)), "as in text": as_in_text(test)}
    words, senses = len({each.word for each in test}), np.mean([len(each.senses) for each in test])
    print(f"\ntest: {len(test):,} sentences of {words:,} words with {senses:.1f} senses; accuracy in percent")
    print(f"{'':28}", *(f"{title:19}" for title in (*counted, "part of speech known")), sep=" | ")
    for name, found in scores.items():
        shares = [resampled.share(correct(found, test), each) for each in counted.values()]
        shares.append(resampled.share(correct(found, test, same_kind=True), counted["sentences"]))
        print(f"{name:28}", *(f"{share:19}" for share in shares), sep=" | ")
    print("\npaired differences")
    pairs = [(name, FREQUENT) for name in numbers] + [("unification", OVERLAP), ("unification", "average")]
    pairs += [("unification alone", f"{name} alone") for name in METHODS if name != "unification"]
    for one, other in pairs:
        difference = correct(scores[one], test).astype(int) - correct(scores[other], test)
        print(f"{f'{one} - {other}':43}", *(f"{resampled.share(difference, each):19}" for each in counted.values()))


def milliseconds(contexts: Contexts, asked: Sequence[Question]) -> float:
    """How long a question takes."""
    start = time.perf_counter()
    for each in asked:
        contexts.weights(each.word, each.sentence)
    return 1e3 * (time.perf_counter() - start) / len(asked)


def main() -> None:
    """Fit on the development part, measure on the test part, and print how long a question takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the resamples")
    seed = parser.parse_args().seed
    contexts = default_space().judge.evidence.contexts
    development: list[Question] = []
    test: list[Question] = []
    for each in questions(contexts):
        (development if zlib.crc32(each.word.encode()) < DEVELOPMENT * 2**32 else test).append(each)
    print(f"development: {len(development):,} sentences")
    numbers = {name: (method.sharpness, method.trust) for name, method in METHODS.items()}
    for name, package in numbers.items():
        loss, *best = fitted(name, fits(contexts, name, development), development)
        print(f"{name}: sharpness {best[0]}, trust {best[1]}, log-loss {loss:.5f}", end="; ")
        print(f"the package, which is measured, has {package[0]} and {package[1]}")
    METHODS.update({name: other_reading(name) for name in ("log_odds", "dup")})
    measure(contexts, test, numbers, seed)
    some = test[:: len(test) // 500]
    fresh = Contexts(contexts.vocabulary, contexts.meanings)
    milliseconds(fresh, some[:1])
    print(
        f"\nfirst question about a word: {milliseconds(fresh, some):.1f} ms, later {milliseconds(fresh, some):.1f} ms"
    )


if __name__ == "__main__":
    main()
