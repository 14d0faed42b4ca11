"""Taxonomies: terms, and which of them entails which."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from entvec.errors import InvalidInput, MissingExtra, TermNotFound
from entvec.taxonomy import structure

if TYPE_CHECKING:
    import networkx as nx

Indices: TypeAlias = NDArray[np.int32]
About: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]

SYNONYM, DEFINITION = "synonym", "definition"
FIELDS = (SYNONYM, DEFINITION)
"""What is known of a term that more than one format has a place for."""
LONGEST_SUGGESTED = 200


class Edge(NamedTuple):
    """A hypo entails a hyper; the probability is NaN where it is not known."""

    hypo: str
    hyper: str
    probability: float = float("nan")


class Rest(NamedTuple):
    """What else a file said, for the writer of the same format alone."""

    format: str
    content: Any
    n: int
    """How many statements: what is lost in another format."""


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Terms and which entails which; immutable. An entailment is an edge from its hypo to its hyper.

    >>> animals = Taxonomy.from_edges([("poodle", "dog"), ("dog", "animal", 0.9), ("cat", "animal")])
    >>> animals
    Taxonomy(4 terms, 3 edges)
    >>> animals.children("animal"), animals.entails("poodle", "animal"), animals.roots
    (('dog', 'cat'), True, ('animal',))
    """

    terms: tuple[str, ...]
    """Identifiers, each once: a URI, an OBO identifier, or the word itself."""
    hypo: Indices
    """Of each edge: which of the terms entails the other. No edge is there twice, none leads from a term to itself."""
    hyper: Indices
    """Of each edge: which of the terms is entailed."""
    probability: NDArray[np.float64]
    """Of each edge; NaN where it is not known."""
    negations: Indices = field(default_factory=lambda: np.empty((0, 2), dtype=np.int32))
    """Entailments that are denied: rows of two terms, hypo and hyper."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What a term is called, where that is not its identifier."""
    about: About = field(default_factory=dict)
    """Of some terms: the synonyms and definitions, as `about[term]["synonym"]`."""
    repeated: tuple[tuple[str, str], ...] = ()
    """Edges that were named again, and were left out; so often as they were."""
    selves: tuple[str, ...] = ()
    """Terms that were said to entail themselves, which says nothing and was left out."""
    rest: Rest | None = None
    """What else the file said; only a writer of the same format knows what it means."""

    def __post_init__(self) -> None:
        n = len(self.terms)
        arrays: dict[str, NDArray[Any]] = {
            "hypo": np.array(self.hypo, dtype=np.int32),
            "hyper": np.array(self.hyper, dtype=np.int32),
            "probability": np.array(self.probability, dtype=np.float64),
            "negations": np.array(self.negations, dtype=np.int32).reshape(-1, 2),
        }
        shapes = [arrays[name].shape for name in ("hypo", "hyper", "probability")]
        if len(set(shapes)) > 1 or len(shapes[0]) != 1:
            raise InvalidInput(f"hypo, hyper and probability have the shapes {shapes}, expected one length for all")
        for name in ("hypo", "hyper", "negations"):
            if arrays[name].size and not 0 <= arrays[name].min() <= arrays[name].max() < n:
                raise InvalidInput(f"{name} has a number that is no term, expected 0 to {n - 1}")
        for name, value in arrays.items():
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "terms", tuple(self.terms))
        for name in ("labels", "about"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        self._check()

    def _check(self) -> None:
        for term in self.terms:
            _check_name(term)
        if len(self._index) != len(self.terms):
            again = next(term for i, term in enumerate(self.terms) if self._index[term] != i)
            raise InvalidInput(f"the term {again!r} is there twice, expected each once")
        check_probabilities(self.probability)
        odd = self.hypo == self.hyper
        odd[_again(self.hypo, self.hyper, len(self))] = True
        if odd.any():
            hypo, hyper, _ = self.edge(int(odd.argmax()))
            raise InvalidInput(
                f"the edge from {hypo!r} to {hyper!r} is there twice or leads nowhere; "
                "Taxonomy.from_edges leaves such edges out"
            )
        for name, mapping in (("labels", self.labels), ("about", self.about)):
            if strangers := mapping.keys() - self._index.keys():
                raise InvalidInput(f"{name} has {min(strangers)!r}, which is no term")
        for term, label in self.labels.items():
            if not isinstance(label, str) or not label.strip():
                raise InvalidInput(f"the label of {term!r} is {label!r}, expected a name that is not empty")

    # Making one

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Any]],
        *,
        negations: Iterable[tuple[str, str]] = (),
        terms: Iterable[str] = (),
        labels: Mapping[str, str] | None = None,
        about: About | None = None,
        rest: Rest | None = None,
    ) -> Taxonomy:
        """From (hypo, hyper) or (hypo, hyper, probability); `terms` come first, the others in the order they are met.

        Of an edge that is there twice the first is kept; those left out are in `repeated` and `selves`.

        >>> Taxonomy.from_edges([("dog", "animal"), ("dog", "animal"), ("cat", "cat")], terms=["unicorn"]).repeated
        (('dog', 'animal'),)
        """
        index: dict[str, int] = {}
        for term in terms:
            index.setdefault(_check_name(term), len(index))
        hypo, hyper, probability = array("i"), array("i"), array("d")
        selves = []
        unknown = float("nan")
        for edge in edges:
            if isinstance(edge, str) or not 2 <= len(edge) <= 3:
                raise InvalidInput(f"the edge {edge!r}, expected (hypo, hyper) or (hypo, hyper, probability)")
            below = index.setdefault(edge[0], len(index))
            above = index.setdefault(edge[1], len(index))
            if below == above:
                selves.append(edge[0])
                continue
            hypo.append(below)
            hyper.append(above)
            known = len(edge) == 3 and edge[2] is not None
            probability.append(edge[2] if known else unknown)
        denied = array("i")
        for pair in negations:
            if isinstance(pair, str) or len(pair) != 2:
                raise InvalidInput(f"the denied entailment {pair!r}, expected (hypo, hyper)")
            denied.extend(index.setdefault(term, len(index)) for term in pair)
        lows, highs = np.asarray(hypo, dtype=np.int32), np.asarray(hyper, dtype=np.int32)
        again = _again(lows, highs, len(index))
        names = tuple(index)
        for term in names:
            _check_name(term)
        repeated = tuple((names[i], names[j]) for i, j in zip(lows[again], highs[again], strict=True))
        kept = np.ones(len(lows), dtype=bool)
        kept[again] = False
        rows = np.asarray(denied, dtype=np.int32).reshape(-1, 2)
        rows = np.delete(rows, _again(rows[:, 0], rows[:, 1], len(index)), axis=0)
        return cls(
            names,
            lows[kept],
            highs[kept],
            np.asarray(probability, dtype=np.float64)[kept],
            negations=rows,
            labels={term: label for term, label in (labels or {}).items() if label != term},
            about=about or {},
            repeated=repeated,
            selves=tuple(selves),
            rest=rest,
        )

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph) -> Taxonomy:
        """From a directed graph whose edges lead from hypo to hyper.

        The attributes `probability` of edges, `label`, `synonym` and `definition` of nodes and `negations` of the
        graph are understood; the others are kept for `to_networkx`.
        """
        from entvec.taxonomy.formats.graph import Graph, taxonomy_of

        if not graph.is_directed():
            raise InvalidInput("the graph has no directions, expected a DiGraph with edges from hypo to hyper")
        nodes = {str(node): dict(found) for node, found in graph.nodes(data=True)}
        if len(nodes) != len(graph):
            raise InvalidInput("two nodes of the graph have the same name as text, expected strings for nodes")
        edges = [(str(hypo), str(hyper), dict(found)) for hypo, hyper, found in graph.edges(data=True)]
        return taxonomy_of(Graph(nodes, edges, dict(graph.graph)))

    def to_networkx(self) -> nx.DiGraph:
        """A directed graph with edges from hypo to hyper; see `from_networkx` for the attributes."""
        from entvec.taxonomy.formats.graph import graph_of

        try:
            import networkx as nx
        except ImportError:
            raise MissingExtra("A networkx graph", needs="networkx", extra="graphml") from None
        found = graph_of(self)
        graph = nx.DiGraph(**found.graph)
        graph.add_nodes_from(found.nodes.items())
        graph.add_edges_from(found.edges)
        return graph

    def replaced(self, **changes: Any) -> Taxonomy:
        """The same with other fields, checked as at first."""
        return replace(self, **changes)

    def with_edges(self, edges: Iterable[Sequence[Any]], *, negations: Iterable[tuple[str, str]] = ()) -> Taxonomy:
        """The same and these edges; terms that are new come last. An edge that is there already stays as it is.

        >>> Taxonomy.from_edges([("dog", "animal")]).with_edges([("poodle", "dog", 0.8), ("dog", "animal", 0.9)])
        Taxonomy(3 terms, 2 edges)
        """
        denied = [(self.terms[hypo], self.terms[hyper]) for hypo, hyper in self.negations]
        new = (edge for edge in edges if not self._has(edge))
        both = Taxonomy.from_edges(
            _chained(self.edges(), new), negations=_chained(denied, negations), terms=self.terms, labels=self.labels
        )
        return both.replaced(
            about=self.about,
            rest=self.rest,
            repeated=self.repeated + both.repeated,
            selves=self.selves + both.selves,
        )

    def keeping(self, kept: NDArray[np.bool_]) -> Taxonomy:
        """The same terms with only these edges: a mask with a value an edge."""
        if np.shape(kept) != self.hypo.shape or np.asarray(kept).dtype != bool:
            raise InvalidInput(f"expected a mask of {len(self.hypo)} edges, got the shape {np.shape(kept)}")
        return self.replaced(hypo=self.hypo[kept], hyper=self.hyper[kept], probability=self.probability[kept])

    # Questions

    def __len__(self) -> int:
        return len(self.terms)

    def __contains__(self, term: object) -> bool:
        return term in self._index

    def __repr__(self) -> str:
        denied = f", {len(self.negations):,} denied" if len(self.negations) else ""
        return f"Taxonomy({len(self):,} terms, {len(self.hypo):,} edges{denied})"

    def edge(self, i: int) -> Edge:
        """The edge in one place of the arrays."""
        return Edge(self.terms[self.hypo[i]], self.terms[self.hyper[i]], float(self.probability[i]))

    def edges(self) -> Iterator[Edge]:
        """All edges, in the order of the arrays."""
        terms = self.terms
        for hypo, hyper, probability in zip(
            self.hypo.tolist(), self.hyper.tolist(), self.probability.tolist(), strict=True
        ):
            yield Edge(terms[hypo], terms[hyper], probability)

    def denied(self) -> Iterator[tuple[str, str]]:
        """All entailments that are denied, as (hypo, hyper)."""
        for hypo, hyper in self.negations.tolist():
            yield self.terms[hypo], self.terms[hyper]

    def index(self, term: str) -> int:
        """The place of a term among the terms."""
        found = self._index.get(term)
        if found is None:
            raise TermNotFound(term, len(self), lambda: self._similar(term))
        return found

    def label(self, term: str) -> str:
        """What the term is called: its label, or the term itself."""
        self.index(term)
        return self.labels.get(term, term)

    def named(self, name: str) -> str:
        """The term with this identifier or, if there is none, with this label."""
        if name in self._index:
            return name
        found = self._labelled.get(name, [])
        if len(found) > 1:
            raise InvalidInput(
                f"{len(found)} terms are called {name!r}: {', '.join(map(repr, found[:5]))}; name one by its identifier"
            )
        if not found:
            raise TermNotFound(name, len(self), lambda: self._similar(name))
        return found[0]

    def parents(self, term: str) -> tuple[str, ...]:
        """The hypers of the edges that leave the term."""
        return self._names(self._up.of(self.index(term)))

    def children(self, term: str) -> tuple[str, ...]:
        """The hypos of the edges that lead to the term."""
        return self._names(self._down.of(self.index(term)))

    def ancestors(self, term: str) -> tuple[str, ...]:
        """All that the term entails, the nearest first; itself only if it is in a cycle."""
        return self._names(self._up.reached(self.index(term)))

    def descendants(self, term: str) -> tuple[str, ...]:
        """All that entail the term, the nearest first; itself only if it is in a cycle."""
        return self._names(self._down.reached(self.index(term)))

    def entails(self, hypo: str, hyper: str) -> bool:
        """Whether a path of edges leads from one to the other; each term entails itself."""
        start, goal = self.index(hypo), self.index(hyper)
        return start == goal or goal in self._up.reached(start, until=goal)

    def path(self, hypo: str, hyper: str) -> tuple[str, ...]:
        """The terms of a shortest path of edges from one to the other; none if there is no path.

        >>> Taxonomy.from_edges([("poodle", "dog"), ("dog", "animal")]).path("poodle", "animal")
        ('poodle', 'dog', 'animal')
        """
        start, goal = self.index(hypo), self.index(hyper)
        before = {start: start}
        ring = [start]
        while ring and goal not in before:
            steps = {above: node for node in reversed(ring) for above in self._up.of(node).tolist()}
            ring = [above for above in steps if above not in before]
            before = steps | before
        if goal not in before:
            return ()
        found = [goal]
        while found[-1] != start:
            found.append(before[found[-1]])
        return self._names(reversed(found))

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """Terms that have something below them and nothing above."""
        above, below = np.zeros(len(self), dtype=bool), np.zeros(len(self), dtype=bool)
        above[self.hypo] = True
        below[self.hyper] = True
        return self._names(np.flatnonzero(below & ~above))

    @cached_property
    def orphans(self) -> tuple[str, ...]:
        """Terms without any edge."""
        return self._names(structure.orphans(len(self), self.hypo, self.hyper))

    def equals(self, other: Taxonomy) -> bool:
        """Whether the other says the same: terms, edges, probabilities, negations, labels, synonyms and definitions.

        The order of terms and edges, what was left out and what only one format knows make no difference.
        """
        return self._said() == other._said()

    def _said(self) -> tuple[Any, ...]:
        edges = {(hypo, hyper): None if p != p else p for hypo, hyper, p in self.edges()}
        about = {
            term: {name: sorted(values) for name, values in found.items() if values}
            for term, found in self.about.items()
        }
        return set(self.terms), edges, set(self.denied()), dict(self.labels), {t: f for t, f in about.items() if f}

    # What the answers are made from

    def __getstate__(self) -> dict[str, Any]:  # a view of a mapping cannot go to another process
        state = {name: value for name, value in self.__dict__.items() if name in self.__dataclass_fields__}
        return {**state, "labels": dict(self.labels), "about": dict(self.about)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in ("labels", "about"):
            state[name] = MappingProxyType(state[name])
        self.__dict__.update(state)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {term: i for i, term in enumerate(self.terms)}

    @cached_property
    def _labelled(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for term, label in self.labels.items():
            found.setdefault(label, []).append(term)
        return found

    @cached_property
    def _up(self) -> _Links:
        return _Links(len(self), self.hypo, self.hyper)

    @cached_property
    def _down(self) -> _Links:
        return _Links(len(self), self.hyper, self.hypo)

    def _names(self, rows: Iterable[int] | NDArray[Any]) -> tuple[str, ...]:
        return tuple(self.terms[row] for row in rows)

    def _has(self, edge: Sequence[Any]) -> bool:
        hypo, hyper = self._index.get(edge[0]), self._index.get(edge[1])
        return hypo is not None and hyper is not None and hyper in self._up.of(hypo)

    def _similar(self, name: str) -> list[str]:
        from entvec.vectors.spelling import similar_spellings
        from entvec.vectors.words import Words

        known = (*self.terms, *self._labelled)
        plain = [term for term in known if "\n" not in term and len(term) <= LONGEST_SUGGESTED]
        return similar_spellings(name, Words.of(plain))


class _Links:
    """Of each node: the nodes that its edges lead to, in the order of the edges."""

    def __init__(self, n: int, here: Indices, there: Indices) -> None:
        order = np.argsort(here, kind="stable")
        self._there = there[order]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(here, minlength=n))])

    def of(self, row: int) -> Indices:
        return self._there[self._starts[row] : self._starts[row + 1]]

    def reached(self, row: int, until: int = -1) -> dict[int, None]:
        """Whatever can be reached, the nearest first; no more than needed once `until` is among them."""
        found: dict[int, None] = {}
        ring = [row]
        while ring and until not in found:
            before = len(found)
            for node in ring:
                found.update(dict.fromkeys(self.of(node).tolist()))
            ring = list(islice(found, before, None))
        return found


def check_probabilities(values: NDArray[np.float64]) -> None:
    """Refuse what is no probability; NaN is one that is not known."""
    odd = ~np.isnan(values) & ~((values >= 0) & (values <= 1))
    if odd.any():
        raise InvalidInput(f"a probability is {values[odd.argmax()]}, expected 0 to 1, or NaN where it is not known")


def _check_name(term: object) -> str:
    if not isinstance(term, str) or not term.strip() or not (term.isascii() or _encodable(term)):
        raise InvalidInput(f"a term is called {term!r}, expected a name that is not empty, in letters of UTF-8")
    return term


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _again(hypo: Indices, hyper: Indices, n: int) -> NDArray[np.intp]:
    """The places of edges that are there before."""
    keys = hypo.astype(np.int64) * n + hyper
    order = np.argsort(keys, kind="stable")
    later = keys[order[1:]] == keys[order[:-1]]
    return np.sort(order[1:][later])


def _chained(*several: Iterable[Any]) -> Iterator[Any]:
    for each in several:
        yield from each
