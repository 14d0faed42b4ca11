"""Reads terms that have no vector: the bundled encoders, and the known nouns that are nearest to a text.

The static table finds what may be near, because it is fast: its vectors of all nouns take a second, once, and are kept
in the user's cache folder. The transformer reads the text itself and the few candidates that the table has found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from entvec.array_types import Float32s, Floats, Ints
from entvec.bundled.encoders import encoder, map_of
from entvec.evidence.lemma_table import Lemmas
from entvec.evidence.plausible import Plausibility
from entvec.evidence.wording import Wording
from entvec.knowledge import Knowledge
from entvec.learn.calibration import Calibration
from entvec.model import specificity
from entvec.model.model import Model, Side
from entvec.text import EntailmentEncoder
from entvec.theory.operators import OPERATORS
from entvec.vectors import forms

Opener: TypeAlias = Callable[[], EntailmentEncoder]

REMEMBERED = 1 << 14
"""How many texts' vectors are kept; they take 25 MB."""
LOOKED_AT = 80
"""How many nouns the static table finds, of which the transformer chooses the nearest."""
NEAREST = 40


class Near(NamedTuple):
    """The known nouns that are nearest to a text, the nearest first."""

    terms: Ints
    cosines: Floats


@dataclass(frozen=True, eq=False)
class Tower:
    """An entailment encoder and the model of its heads; it remembers what it has read."""

    encoder: EntailmentEncoder

    @cached_property
    def model(self) -> Model:
        """The heads as a model: scores, and log-odds of them."""
        heads = map_of(self.encoder)
        calibration = Calibration.platt(heads.scale, heads.intercept)
        return Model(OPERATORS["backward"], None, heads, specificity=specificity.LEARNED, calibration=calibration)

    @cached_property
    def _memory(self) -> dict[str, Float32s]:
        return {}

    def read(self, texts: Sequence[str]) -> Float32s:
        """Return the vector of each text, at unit length; each distinct one is read once."""
        memory = self._memory
        new = [text for text in dict.fromkeys(texts) if text not in memory]
        found = dict(zip(new, self.encoder(new), strict=True)) if new else {}
        rows = [found[text] if text in found else memory[text] for text in texts]
        if len(memory) + len(found) > REMEMBERED:
            memory.clear()
        memory.update(found if len(found) <= REMEMBERED else {})
        return np.stack(rows) if rows else np.empty((0, self.encoder.dimension), np.float32)

    def mapped(self, side: Side, vectors: Float32s, penalty: float = 0.0) -> Float32s:
        """Return the keys or queries of texts: the product of a hypo's and a hyper's is the score of the pair.

        With a penalty, hypers lose that many times their generality.
        """
        found = np.asarray(self.model.mapped(side, vectors))
        if side == "hyper" and penalty and self.model.map is not None:
            found[:, -2] -= penalty * self.model.map.offset("generality", vectors)
        return found

    def log_odds(self, hypo: Float32s, hyper: Float32s) -> Floats:
        """Return the calibrated log-odds of pairs of mapped vectors, all with all."""
        scale, intercept = self._line
        return np.asarray(hypo @ hyper.T, np.float64) * scale + intercept

    def log_odds_of_pairs(self, hypo: Float32s, hyper: Float32s) -> Floats:
        """Return the calibrated log-odds of pairs of vectors, row by row."""
        scale, intercept = self._line
        return np.asarray(
            self.model.score(hypo.astype(np.float64), hyper.astype(np.float64)) * scale + intercept, np.float64
        )

    @property
    def _line(self) -> tuple[float, float]:
        calibration = self.model.calibration
        return (1.0, 0.0) if calibration is None else calibration.line()


class Reader:
    """Reads any text with a transformer and a static table, which are opened when they are first needed.

    >>> from entvec.bundled import wordnet_knowledge
    >>> reader = Reader(wordnet_knowledge())
    >>> near = reader.near(["knee replacement surgery"])[0]
    >>> reader.known.terms[int(near.terms[0])]
    'reconstructive_surgery'

    Parameters
    ----------
    known
        What is known: its nouns are the neighbours of texts.
    transformer, table
        Return the encoders, the small and the static one of the package by default.
    """

    def __init__(
        self,
        known: Knowledge,
        transformer: Opener = lambda: encoder("small"),
        table: Opener = lambda: encoder("static"),
    ) -> None:
        self.known = known
        self._openers = transformer, table

    def of(self, known: Knowledge) -> Reader:
        """Return the reader that finds the nouns of other knowledge."""
        found = Reader(known, *self._openers)
        found.__dict__ |= {name: self.__dict__[name] for name in ("transformer", "table") if name in self.__dict__}
        return found

    @cached_property
    def transformer(self) -> Tower:
        """The encoder that decides."""
        return Tower(self._openers[0]())

    @cached_property
    def table(self) -> Tower:
        """The encoder that finds."""
        return Tower(self._openers[1]())

    @cached_property
    def lemmas(self) -> Lemmas:
        """All known nouns with their vectors of the static table."""
        return Lemmas(self.known, self.table.encoder)

    @cached_property
    def plausibility(self) -> Plausibility:
        """How far a text looks like a term."""
        return Plausibility(self.known)

    @cached_property
    def wording(self) -> Wording:
        """Returns the text of a term in any spelling."""
        return Wording(self.known)

    def letters_a_piece(self, term: str) -> float:
        """Return how long the pieces are that the transformer reads of a term: short ones mean little."""
        text = self.wording(term)
        return len(text) / max(1, len(self.transformer.encoder.pieces.bare(text)))

    def near(self, texts: Sequence[str]) -> list[Near]:
        """Return the known nouns nearest to each text, also the text itself if it is one."""
        plain = [self.wording(text) for text in texts]
        found = self.lemmas.nearest(self.table.read(plain), LOOKED_AT)
        vectors = self.transformer.read(plain)
        near = []
        for vector, terms in zip(vectors, found, strict=True):
            cosines = (
                self.transformer.read([forms.one_spaced(self.known.terms[term]) for term in terms.tolist()]) @ vector
            )
            order = np.argsort(-cosines, kind="stable")
            near.append(Near(terms[order], cosines[order].astype(np.float64)))
        return near
