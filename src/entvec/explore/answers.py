"""What the space says to each request: the endpoints of the API.

Words are searched and pairs are scored together with those of other clients (`coalescing`). What takes long is a plain
function, and is run beside that, by a few threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain, compress
from typing import Any, TypeVar

import numpy as np

from entvec import __version__
from entvec.bundled import toy_world
from entvec.errors import EntvecError, shown
from entvec.explore import limits, refusals, schemas
from entvec.explore.coalescing import Coalescer
from entvec.explore.completion import Completion
from entvec.explore.refusals import Refused
from entvec.graphs import Edge, Taxonomy, from_text, left_out, to_text
from entvec.graphs.formats import FORMATS
from entvec.space import EntailmentSpace, Matches
from entvec.space.explain import compare
from entvec.taxonomy import abstractions, audit, common, induce, neighbourhood, place
from entvec.theory import OPERATORS, EntailmentGraph, binary
from entvec.theory.elementwise import known

SEARCHED_AT_ONCE = 256
SCORED_AT_ONCE = 1 << 14
LONG_THREADS = 2
THEORY_TOLERANCE = 1e-4
"""Of log-odds: more than a picture shows, and far from where sweeps creep."""
MEDIA_TYPES = {
    "tsv": "text/tab-separated-values",
    "csv": "text/csv",
    "skos": "text/turtle",
    "graphml": "application/xml",
    "json": "application/json",
}

Json = dict[str, Any]
Item = TypeVar("Item")


class Explorer:
    """A space that many ask at once."""

    def __init__(self, space: EntailmentSpace) -> None:
        self.space = space
        self.stopping = False
        self.answered = 0
        self._product = ThreadPoolExecutor(1, thread_name_prefix="product")
        self._long = ThreadPoolExecutor(LONG_THREADS, thread_name_prefix="long")
        self._spelling = ThreadPoolExecutor(1, thread_name_prefix="spelling")
        self._searches: Coalescer[str, list[Json] | None] = Coalescer(self._search_all, self._product, SEARCHED_AT_ONCE)
        self._scores: Coalescer[tuple[str, str], tuple[float, float | None] | None] = Coalescer(
            self._score_all, self._product, SCORED_AT_ONCE
        )

    def prepare(self) -> None:
        """Make now what the first request would wait for."""
        self.completion.words("a", 1)
        if self.space.model.indexable:
            self.space.prepared("hypo")
            self.space.prepared("hyper")

    def close(self) -> None:
        """Let go of the threads."""
        for threads in (self._product, self._long, self._spelling):
            threads.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def completion(self) -> Completion:
        """The vocabulary in alphabetical order."""
        return Completion(self.space.vectors.words)

    async def in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What takes long, beside everything else."""
        return await asyncio.get_running_loop().run_in_executor(self._long, function, *arguments)

    async def refusal(self, error: EntvecError) -> Refused:
        """What is said to a request that cannot be answered; words that are spelled like it are looked for apart."""
        return await asyncio.get_running_loop().run_in_executor(self._spelling, refusals.of_error, error)

    def _check(self, words: Iterable[str]) -> None:
        """Refuse the first word that the space does not have; suggestions are looked for when that is told."""
        for word in words:
            self.space.vectors.row(word)

    # A word that is not there must not spoil the answers of others. All are looked up at once, for that is quicker than
    # one by one, and those that are not there have None for an answer.

    def _known(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """The words that have a vector, and those that have none."""
        rows = self.space.vectors.rows(words)
        if (rows < 0).all():
            self.space.vectors.row(words[0])
        return list(compress(words, rows >= 0)), list(map(shown, dict.fromkeys(compress(words, rows < 0))))

    # Words and pairs

    async def score(self, asked: schemas.Score) -> Json:
        """Whether the first entails the second, of each pair: score, probability and verdict."""
        found = await self._scores.ask(None, asked.pairs)
        if asked.unknown == "refuse":
            self._check(chain.from_iterable(_unanswered(asked.pairs, found)))
        return {
            "pairs": [_scored(pair, score, asked.precision) for pair, score in zip(asked.pairs, found, strict=True)]
        }

    def _score_all(self, _: Hashable, pairs: list[tuple[str, str]]) -> list[tuple[float, float | None] | None]:
        there = self.space.vectors.rows(list(chain.from_iterable(pairs))).reshape(-1, 2).min(axis=1) >= 0
        known = list(compress(pairs, there))
        if not known:
            return [None] * len(pairs)
        hypo, hyper = (list(side) for side in zip(*known, strict=True))
        scores = self.space.score(hypo, hyper)
        probabilities = self.space.probabilities(scores)
        told = [None] * len(known) if probabilities is None else probabilities.tolist()
        found = dict(zip(known, zip(scores.tolist(), told, strict=True), strict=True))
        return list(map(found.get, pairs))

    async def hypernyms(self, asked: schemas.Search) -> Json:
        """What words entail: the best hypernyms of each."""
        return await self._search("hypernyms", asked)

    async def hyponyms(self, asked: schemas.Search) -> Json:
        """What entails words: the best hyponyms of each."""
        return await self._search("hyponyms", asked)

    async def _search(self, which: str, asked: schemas.Search) -> Json:
        if len(asked.words) * asked.k > limits.ANSWERS:
            raise Refused(
                422,
                "invalid",
                f"{len(asked.words):,} words with k = {asked.k:,} are more than {limits.ANSWERS:,} answers; "
                "ask for fewer at a time",
            )
        among = None if asked.among is None else tuple(asked.among)
        if among:
            self._check(compress(among, self.space.vectors.rows(among) < 0))
        found = await self._searches.ask((which, asked.k, asked.specificity, asked.group, among), asked.words)
        self._check(_unanswered(asked.words, found))
        return {"words": [{"word": word, "matches": told} for word, told in zip(asked.words, found, strict=True)]}

    def _search_all(self, kind: Any, words: list[str]) -> list[list[Json] | None]:
        which, k, specificity, group, among = kind
        known = list(compress(words, self.space.vectors.rows(words) >= 0))
        if not known:
            return [None] * len(words)
        search = self.space.hypernyms if which == "hypernyms" else self.space.hyponyms
        matches = search(known, k, specificity=specificity, group=group, among=among)
        found = dict(zip(known, map(_matches, matches), strict=True))
        return list(map(found.get, words))

    def explain(self, asked: schemas.Explain) -> Json:
        """Why the first word entails the second, dimension by dimension, and what other operators make of the pair."""
        found = self.space.explain(asked.hypo, asked.hyper, asked.k)
        operators = [
            row._asdict() | {"symbol": OPERATORS[row.operator].symbol, "used": row.operator == self.space.operator}
            for row in compare(self.space, asked.hypo, asked.hyper)
        ]
        strip = {name: column.tolist() for name, column in found.strip._asdict().items()}
        return found.to_dict() | {"strip": strip, "operators": operators}

    async def complete(self, asked: schemas.Complete) -> Json:
        """Words of the vocabulary that begin with these letters, the frequent first."""
        return {"words": self.completion.words(asked.start, asked.k)}

    def map(self, asked: schemas.Map) -> Json:
        """The neighbourhood of words as a graph: what they entail above, what entails them below."""
        return neighbourhood(
            asked.words, self.space, above=asked.above, below=asked.below, specificity=asked.specificity
        ).to_dict()

    # Taxonomies

    def build(self, asked: schemas.Build) -> Json:
        """A taxonomy of a list of words; what is known and what is denied holds whatever the vectors say."""
        said = {word for pair in (*asked.entails, *asked.not_entails) for word in pair}
        words, unknown = self._known(asked.words)
        found = induce(
            words,
            self.space,
            shape=asked.shape,
            least=asked.least,
            entails=asked.entails,
            not_entails=asked.not_entails,
            add=asked.add,
            root=asked.root,
        )
        known = set(asked.entails)
        given = {*asked.words, *said, asked.root}
        return {
            "terms": list(found.terms),
            "added": [term for term in found.terms if term not in given],
            "edges": [edge | {"known": (edge["hypo"], edge["hyper"]) in known} for edge in _edges(found)],
            "denied": [list(pair) for pair in found.denied()],
            "unknown": [word for word in unknown if word not in said],
        }

    def audit(self, asked: schemas.Audit) -> Json:
        """What is wrong with a taxonomy: cycles, reversed, improbable and missing edges, the gravest first."""
        taxonomy = _taxonomy(asked.taxonomy)
        found = audit(taxonomy, self.space, missing=asked.missing)
        return found.to_dict() | {
            "terms": list(taxonomy.terms),
            "labels": dict(taxonomy.labels),
            "edges": _edges(taxonomy),
        }

    def convert(self, asked: schemas.Convert) -> Json:
        """A taxonomy as the text of a file in another format, and what that has no place for."""
        taxonomy = _taxonomy(asked.taxonomy)
        return {
            "text": to_text(taxonomy, asked.format),
            "file_name": "taxonomy" + FORMATS[asked.format].suffixes[0],
            "media_type": MEDIA_TYPES.get(asked.format, "text/plain"),
            "left_out": left_out(taxonomy, asked.format),
        }

    def place(self, asked: schemas.Place) -> Json:
        """Where a term belongs, from what is known of it: its parents and children."""
        found = place(
            asked.term,
            self.space,
            entails=asked.entails,
            entailed_by=asked.entailed_by,
            like=asked.like,
            not_entails=asked.not_entails,
            own=asked.own,
            k=asked.k,
        )
        return {"term": found.term, "parents": _matches(found.parents), "children": _matches(found.children)}

    def common(self, asked: schemas.Common) -> Json:
        """What words have in common: the least general concepts that they entail."""
        words, unknown = self._known(asked.words)
        found = common(words, self.space, asked.k, share=asked.share, group=asked.group)
        return found.to_dict() | {"unknown": unknown}

    def group(self, asked: schemas.Group) -> Json:
        """Words in groups, and a name for each."""
        words, unknown = self._known(asked.words)
        return {
            "groups": [group.to_dict() for group in abstractions(words, self.space, asked.n, k=asked.k)],
            "unknown": unknown,
        }

    # Theory

    async def theory(self, asked: schemas.Theory) -> Json:
        """What the operators say of two things, and how the mean-field approximation compares with the exact model."""
        if len(asked.hypo) != len(asked.hyper):
            raise Refused(
                422,
                "invalid",
                f"hypo has {len(asked.hypo)} features and hyper {len(asked.hyper)}, expected as many of both",
                where="hyper",
            )
        y, x = np.array(asked.hypo, dtype=np.float64), np.array(asked.hyper, dtype=np.float64)
        prior_y, prior_x = binary.independent(y), binary.independent(x)
        exact_y, exact_x = binary.posterior(prior_y, prior_x)
        graph = EntailmentGraph(len(y))
        graph.add_nodes(["hypo", "hyper"], np.stack([y, x]))
        graph.add_entailments("hypo", "hyper")
        inferred = graph.infer(tol=THEORY_TOLERANCE)
        return {
            "operators": [
                {
                    "operator": name,
                    "symbol": row.symbol,
                    "score": float(row.score(y, x)),
                    "reversed_score": float(row.score(x, y)),
                    "by_feature": row.score(y[:, None], x[:, None]).tolist() if name in BY_FEATURE else None,
                }
                for name, row in OPERATORS.items()
            ],
            "probability": binary.probability(prior_y, prior_x),
            "reversed_probability": binary.probability(prior_x, prior_y),
            "prior": {"hypo": known(y).tolist(), "hyper": known(x).tolist()},
            "exact": {"hypo": exact_y.tolist(), "hyper": exact_x.tolist()},
            "mean_field": {name: known(row).tolist() for name, row in zip(graph, inferred.log_odds, strict=True)},
            "steps": inferred.n_iter,
        }

    async def world(self) -> Json:
        """The toy world of the theory: six things and what is known of them."""
        world = toy_world()
        return {"words": list(world.words), "features": list(world.features), "known": world.bits.tolist()}

    # The server

    async def health(self) -> Json:
        """That the server is there, and what it serves."""
        space = self.space
        return {
            "status": "stopping" if self.stopping else "ok",
            "version": __version__,
            "words": len(space),
            "dimension": space.vectors.dimension,
            "operator": space.operator,
            "reading": space.model.interpretation or "mapped",
            "calibrated": space.calibration is not None,
            "specificity": space.specificity._asdict(),
            "formats": {name: row.title for name, row in FORMATS.items()},
            "answered": self.answered,
            "products": self._searches.calls + self._scores.calls,
        }


BY_FEATURE = ("forward", "backward", "factorised", "dot", "difference")
"""Operators that are sums over features."""


def _scored(pair: tuple[str, str], found: tuple[float, float | None] | None, precision: float) -> Json:
    score, probability = found or (None, None)
    verdict = None
    if probability is not None:
        verdict = "yes" if probability >= precision else "no" if probability <= 1 - precision else "unknown"
    return {"hypo": pair[0], "hyper": pair[1], "score": score, "probability": probability, "verdict": verdict}


def _unanswered(items: Sequence[Item], answers: Iterable[object]) -> list[Item]:
    return [item for item, answer in zip(items, answers, strict=True) if answer is None]


def _matches(found: Matches) -> list[Json]:
    none = [None] * len(found)
    probabilities = none if found.probabilities is None else found.probabilities.tolist()
    return [
        {"word": word, "score": score, "probability": probability, "variants": variants or ()}
        for word, score, probability, variants in zip(
            found.words, found.scores.tolist(), probabilities, found.variants or none, strict=True
        )
    ]


def _edges(taxonomy: Taxonomy) -> list[Json]:
    return [edge._asdict() for edge in taxonomy.edges()]


def _taxonomy(given: schemas.Given | schemas.Text) -> Taxonomy:
    """A taxonomy as it is meant, if it is not too large."""
    if isinstance(given, schemas.Text):
        taxonomy = from_text(given.text, given.format)
    else:
        edges = [Edge(**edge.model_dump(exclude_none=True)) for edge in given.edges]
        taxonomy = Taxonomy.from_edges(edges, terms=given.terms, negations=given.denied)
    if len(taxonomy) > limits.TAXONOMY_TERMS or len(taxonomy.hypo) > limits.TAXONOMY_EDGES:
        raise Refused(
            422,
            "invalid",
            f"the taxonomy has {len(taxonomy):,} terms and {len(taxonomy.hypo):,} edges, expected at most "
            f"{limits.TAXONOMY_TERMS:,} and {limits.TAXONOMY_EDGES:,} here; `entvec taxonomy` takes a million",
        )
    return taxonomy
