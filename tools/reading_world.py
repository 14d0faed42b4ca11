"""What the weights of reading are fitted in and measured in: terms that the encoders have not seen, hidden in turn.

A folder has a held-out build of the encoders, `encoder-small.safetensors` and `encoder-static.safetensors`, and lists
of terms that it has not seen: `fusion.txt` to fit with, `test.txt` and `bless.txt` to measure with.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.bundled import isa
from entvec.evidence import reader as reading
from entvec.evidence.rankings import Ranker
from entvec.evidence.read_choices import Choices
from entvec.evidence.read_pairs import ReadPairs
from entvec.evidence.read_ranking import ReadRanking
from entvec.evidence.reader import Reader
from entvec.evidence.reading_weights import ReadingWeights
from entvec.knowledge import Knowledge
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.text import load_encoder
from entvec.vectors import forms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FARTHEST, LEAST_DEPTH = 4, 4
GROUPS = 5
"""So many parts of the terms are hidden in turn: what is asked about is new, and nearly all else is known."""


class Asked(NamedTuple):
    """A term that is asked about, and its right answers among candidates."""

    term: str
    concept: int
    right: Ints


class World:
    """The default space, with encoders of a folder or, without one, those of the package.

    Parameters
    ----------
    folder
        Where `encoder-small.safetensors` and `encoder-static.safetensors` are.
    transformer
        Which of them decides: "static" leaves the transformer out.
    """

    def __init__(self, folder: Path | None, transformer: str = "small") -> None:
        reading.REMEMBERED = 1 << 18  # all candidates, and the neighbours of all terms
        self.space: EntailmentSpace = default_space()
        self.known: Knowledge = self.space.judge.evidence.meanings.known
        files = {
            name: None if folder is None else folder / f"encoder-{name}.safetensors" for name in ("small", "static")
        }
        openers = {name: partial(load_encoder, path) for name, path in files.items() if path is not None}
        self.reader = Reader(self.known, openers[transformer], openers["static"]) if openers else Reader(self.known)
        self.ranker: Ranker = self.space.judge.ranker
        words = [word for word in isa().words if word.islower() and self.known.find(word)]
        rows = self.space.vocabulary.rows(words)
        self.rows: Ints = np.unique(rows[rows >= 0])

    def hidden(self, terms: Sequence[str], weights: ReadingWeights, *, synonyms: bool = True) -> ReadRanking:
        """What ranks in a world that does not know some terms."""
        return ReadRanking(self.ranker.hiding(terms, synonyms=synonyms), self.reader, weights)

    def groups(self, terms: Sequence[str]) -> Iterator[list[str]]:
        """The terms in parts that are hidden in turn."""
        for at in range(GROUPS):
            yield list(terms[at::GROUPS])

    def concept(self, term: str) -> int:
        """The first sense of a term as a noun; -1 if it is none."""
        senses = [sense for sense in self.known.senses(term) if sense.part_of_speech == "noun"]
        return min(senses, key=lambda sense: sense.number).concept if senses else -1

    def first_concepts(self, candidates: Choices) -> Ints:
        """The first sense of each candidate."""
        names = (self.known.terms[term] if term >= 0 else "" for term in candidates.terms.tolist())
        return np.array([self.concept(name) if name else -1 for name in names])

    def asked(self, terms: Sequence[str], concepts: Ints) -> list[Asked]:
        """The terms that have a right answer: specific hypernyms in first senses."""
        found = []
        for term in terms:
            concept = self.concept(term)
            if concept < 0:
                continue
            above = [
                each
                for each, steps in self.known.ancestors([concept]).items()
                if 0 < steps <= FARTHEST and self.known.depth(each) >= LEAST_DEPTH
            ]
            right = np.flatnonzero(np.isin(concepts, above))
            if len(right):
                found.append(Asked(term, concept, right))
        return found

    def kind(self, asked: Asked) -> str:
        """The kind of a term: known, lacking, phrases, or other head if its last word is none of its hypernyms."""
        if " " not in asked.term and "_" not in asked.term:
            return "known" if asked.term in self.space.vocabulary else "lacking"
        head = forms.last_word(asked.term)
        names = {
            forms.key(term)
            for concept in self.known.ancestors([asked.concept])
            for term in self.known.synonyms(concept)
        }
        heads = {forms.key(head), *(forms.key(base) for base, _ in forms.base_forms(head, self.known.irregular))}
        return "phrases" if heads & names else "other head"


def terms_of(folder: Path, name: str) -> list[str]:
    """The terms of a list."""
    return (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def pairs_of(ranking: ReadRanking) -> ReadPairs:
    """What weighs pairs in the same world."""
    return ReadPairs(ranking)
