"""Fits a map for any encoder to what is known, and makes a space of it: one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from entvec.bundled.encoders import map_of
from entvec.bundled.knowledge import bundled_knowledge
from entvec.errors import InvalidInput
from entvec.interchange import word_list
from entvec.knowledge.sources import KnowledgeSource, gathered
from entvec.learn.calibration import Calibration
from entvec.learn.held_out import MOST_HELD, HeldOut, Measure, measure
from entvec.learn.ranking_examples import Examples
from entvec.learn.ranking_map import Recipe, fit_ranking_map
from entvec.learn.term_graph import TermGraph
from entvec.progress import StageProgress
from entvec.space.space import EntailmentSpace
from entvec.text import Encoder, EntailmentEncoder, encoded
from entvec.vectors import Vectors

DEFINITIONS = 8000
"""How many terms are learned with a definition, too: they take as long to encode as four times as many terms."""
LATER = Recipe(steps=500, rate=3e-4, decay=0.3)
"""The recipe for an encoder that has heads already."""
STAGES = {"reading what is known": 0.0, "encoding": 0.02, "fitting": 0.4, "measuring": 0.97}
"""When each stage begins, as a fraction of all work."""


class EncoderFit(NamedTuple):
    """A space of an encoder under a new map, and how good the map is on terms that it has not seen."""

    space: EntailmentSpace
    measures: tuple[Measure, ...]
    """Specific MRR, 50% Acc and Dir Acc; none if nothing was held out."""
    n_terms: int
    """How many terms were learned from."""
    n_held: int
    """How many terms were held out: those that were asked, and their synonyms."""
    learned_before: bool
    """Whether the encoder itself was trained with WordNet: held-out terms are then not new to it."""

    def __str__(self) -> str:
        told = "; ".join(map(str, self.measures)) or "nothing was held out"
        return f"learned from {self.n_terms:,} terms, {self.n_held:,} held out: {told}"


def fit_encoder(
    encoder: Encoder,
    *sources: KnowledgeSource,
    hold_out: int | Sequence[str] | None = None,
    terms: Sequence[str] | None = None,
    definitions: int = DEFINITIONS,
    steps: int | None = None,
    seed: int = 0,
    progress: StageProgress = lambda *_: None,
) -> EncoderFit:
    """Fit a map for an encoder, measure it on held-out terms, and return a space that reads any text.

    All is computed in NumPy. The map has a side for hypos and one for hypers, and offsets, as the default map; an
    encoder that was trained for entailment begins with its own heads.

    >>> from entvec.bundled import encoder
    >>> from entvec.graphs import Taxonomy
    >>> shop = Taxonomy.from_edges([("hoodie", "garment"), ("rain jacket", "garment"), ("clog", "shoe")])
    >>> fit = fit_encoder(encoder("static"), shop, hold_out=0, steps=20)
    >>> fit.space.hypernyms("winter coat", k=1).words
    ['garment']

    Parameters
    ----------
    encoder
        What turns texts into vectors.
    sources
        What to learn from, as for `EntailmentSpace.with_knowledge`: taxonomies, or files of them, later ones outrank
        earlier ones. The bundled WordNet if there are none; give `bundled_knowledge()` first to learn from both.
    hold_out
        How many terms to measure with and not to learn from, nor their synonyms: by default a tenth of all, at most
        500. Or the words themselves. With 0 nothing is measured, and probabilities are those of learned pairs.
    terms
        The words that searches find: by default all that have something below them, and all terms of your taxonomies.
    definitions
        How many terms are learned with a definition, too, if the sources have any.
    steps
        How many batches to learn: 4,000 by default, and 500 for an encoder that was trained for entailment.
    seed
        Of all draws.
    progress
        Called with the name of the current stage and the fraction of all work that is done. What it raises ends the
        work.
    """

    def tell(stage: str, part: float = 0.0) -> None:
        begins = [*STAGES.values(), 1.0]
        at = list(STAGES).index(stage)
        progress(stage, begins[at] + part * (begins[at + 1] - begins[at]))

    tell("reading what is known")
    known = gathered(None, sources or [bundled_knowledge()])
    if known is None:
        raise InvalidInput("nothing to learn from, expected a taxonomy or WordNet")
    graph = TermGraph.of(known, lambda part: tell("reading what is known", part))
    rng = np.random.default_rng(seed)
    held_out = _held_out(graph, hold_out, rng)
    examples = Examples(graph, held_out.held, definitions, rng)
    vectors = encoded(encoder, examples.texts, lambda part: tell("encoding", part))
    trained = isinstance(encoder, EntailmentEncoder)
    recipe = LATER if trained else Recipe()
    fitted = fit_ranking_map(
        vectors,
        examples,
        recipe=recipe if steps is None else replace(recipe, steps=steps),
        seed=seed,
        start=map_of(encoder) if isinstance(encoder, EntailmentEncoder) else None,
        progress=lambda part: tell("fitting", part),
    )
    tell("measuring")
    measured = measure(fitted, vectors, examples, held_out, rng)
    calibration = measured.calibration
    if calibration is None:  # the pairs that were learned must do
        calibration = measure(fitted, vectors, examples, HeldOut.drawn(graph, MOST_HELD, rng), rng).calibration
    calibration = calibration or Calibration.platt(fitted.scale, fitted.intercept)
    about = {
        "encoder": encoder.name,
        "fingerprint": encoder.fingerprint,
        "knowledge": " + ".join(known.sources),
        "seed": str(seed),
        "held_out": "\n".join(graph.texts[at] for at in held_out.held.tolist()),
        **{measure.name: str(measure) for measure in measured.measures},
    }
    fitted = fitted.calibrated(calibration, about)
    space = _space(encoder, graph, vectors, fitted, None if terms is None else word_list(terms, "terms"))
    progress("done", 1.0)
    return EncoderFit(space, measured.measures, len(examples.terms), len(held_out.held), trained)


def _held_out(graph: TermGraph, hold_out: int | Sequence[str] | None, rng: np.random.Generator) -> HeldOut:
    if hold_out is None or isinstance(hold_out, int):
        if hold_out is not None and (isinstance(hold_out, bool) or hold_out < 0):
            raise InvalidInput(f"hold_out is {hold_out!r}, expected a number of terms, 0 or more, or words")
        return HeldOut.drawn(graph, hold_out, rng)
    return HeldOut.of(graph, graph.nodes_of(word_list(hold_out, "hold_out")))


def _space(encoder: Encoder, graph: TermGraph, vectors: Any, fitted: Any, terms: list[str] | None) -> EntailmentSpace:
    """Return the space of these terms, or of all that have something below them or are of a taxonomy."""
    if terms is not None:
        return EntailmentSpace.from_encoder(encoder, terms, map=fitted)
    nodes = graph.answers
    words = [graph.texts[at].replace(" ", "_") for at in nodes.tolist()]
    first = {word: at for at, word in reversed(list(enumerate(words)))}
    kept = sorted(first.values())
    table = Vectors([words[at] for at in kept], vectors[nodes[kept]])
    return EntailmentSpace.from_vectors(table, map=fitted).with_encoder(encoder)
