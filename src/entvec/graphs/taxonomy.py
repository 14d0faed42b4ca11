"""Taxonomies: terms, and edges that say which term is a kind of which."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Indices
from entvec.errors import InvalidInput, TermNotFound
from entvec.graphs import structure
from entvec.graphs.annotations import DEFINITION, FIELDS, About, Rest
from entvec.graphs.attributed_graph import AttributedGraph, Attributes
from entvec.interchange import data_frame, row_list, word_list

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


LONGEST_SUGGESTED = 200
"""Longer terms are never suggested as another spelling."""


class Edge(NamedTuple):
    """An edge: the hypo entails the hyper.

    >>> Edge("dog", "animal", 0.9).hyper
    'animal'

    Parameters
    ----------
    hypo, hyper
        The narrower and the broader term.
    probability
        The probability of the edge; NaN if unknown.
    """

    hypo: str
    hyper: str
    probability: float = float("nan")


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """An immutable set of terms with edges from hypo to hyper: the hypo entails the hyper.

    >>> animals = Taxonomy.from_edges([("poodle", "dog"), ("dog", "animal", 0.9), ("cat", "animal")])
    >>> animals
    Taxonomy(4 terms, 3 edges)
    >>> animals.children("animal"), animals.entails("poodle", "animal"), animals.roots
    (('dog', 'cat'), True, ('animal',))

    Parameters
    ----------
    terms
        Distinct identifiers: a URI, an OBO identifier, or the word itself.
    hypo, hyper
        The indices of the two terms of each edge. There are no duplicate edges and no self loops.
    probability
        The probability of each edge; NaN if unknown.
    negations
        Entailments that do not hold: rows of two indices, hypo and hyper.
    labels
        The names of terms whose identifier is not their name.
    about
        The synonyms and definitions of terms, as `about[term]["synonym"]`.
    duplicates
        Repetitions of edges, which `from_edges` dropped, once for each time.
    self_loops
        Terms with an edge to themselves, which `from_edges` dropped.
    rest
        Other statements of the file; only the writer of the same format understands them.
    """

    terms: tuple[str, ...]
    hypo: Indices
    hyper: Indices
    probability: NDArray[np.float64]
    negations: Indices = field(default_factory=lambda: np.empty((0, 2), dtype=np.int32))
    labels: Mapping[str, str] = field(default_factory=dict)
    about: About = field(default_factory=dict)
    duplicates: tuple[tuple[str, str], ...] = ()
    self_loops: tuple[str, ...] = ()
    rest: Rest | None = None

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
        odd = (self.probability < 0) | (self.probability > 1)  # not NaN
        if odd.any():
            found = self.probability[odd.argmax()]
            raise InvalidInput(f"a probability is {found}, expected 0 to 1, or NaN where it is not known")
        odd = self.hypo == self.hyper
        odd[_duplicates(self.hypo, self.hyper, len(self))] = True
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

    # Constructors and copies

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
        """Make a taxonomy of pairs (hypo, hyper) or triples (hypo, hyper, probability).

        The first of duplicate edges is used; `duplicates` and `self_loops` list the edges that were dropped.

        >>> Taxonomy.from_edges([("dog", "animal"), ("dog", "animal"), ("cat", "cat")], terms=["unicorn"]).duplicates
        (('dog', 'animal'),)

        Parameters
        ----------
        edges
            Pairs, or pairs with a probability, which is None or NaN if unknown; also a DataFrame or array with
            these columns.
        negations
            Pairs (hypo, hyper) of entailments that do not hold.
        terms
            Terms that come first, in this order; the others follow in the order of the edges.
        labels
            The names of terms whose identifier is not their name.
        about
            Synonyms and definitions of terms.
        rest
            Other statements of a file.
        """
        index: dict[str, int] = {}
        for term in word_list(terms, "terms"):
            index.setdefault(_check_name(term), len(index))
        hypo, hyper, probability = array("i"), array("i"), array("d")
        self_loops = []
        unknown = float("nan")
        for at, edge in enumerate(row_list(edges)):
            if isinstance(edge, str) or not 2 <= len(edge) <= 3:
                raise InvalidInput(f"the edge {edge!r}, expected (hypo, hyper) or (hypo, hyper, probability)")
            if not isinstance(edge[0], str) or not isinstance(edge[1], str):
                word_list(edge[:2], f"edges[{at:,}]")  # raises, and says what to do
            below = index.setdefault(edge[0], len(index))
            above = index.setdefault(edge[1], len(index))
            if below == above:
                self_loops.append(str(edge[0]))
                continue
            hypo.append(below)
            hyper.append(above)
            known = len(edge) == 3 and edge[2] is not None
            probability.append(edge[2] if known else unknown)
        denied = array("i")
        for pair in row_list(negations):
            if isinstance(pair, str) or len(pair) != 2:
                raise InvalidInput(f"the denied entailment {pair!r}, expected (hypo, hyper)")
            denied.extend(index.setdefault(term, len(index)) for term in pair)
        lows, highs = np.asarray(hypo, dtype=np.int32), np.asarray(hyper, dtype=np.int32)
        again = _duplicates(lows, highs, len(index))
        names = tuple(map(str, index))  # without NumPy's string type
        duplicates = tuple((names[i], names[j]) for i, j in zip(lows[again], highs[again], strict=True))
        rows = np.asarray(denied, dtype=np.int32).reshape(-1, 2)
        rows = np.delete(rows, _duplicates(rows[:, 0], rows[:, 1], len(index)), axis=0)
        return cls(
            names,
            np.delete(lows, again),
            np.delete(highs, again),
            np.delete(np.asarray(probability, dtype=np.float64), again),
            negations=rows,
            labels={term: label for term, label in (labels or {}).items() if label != term},
            about=about or {},
            duplicates=duplicates,
            self_loops=tuple(self_loops),
            rest=rest,
        )

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph) -> Taxonomy:
        """Make a taxonomy of a directed graph with edges from hypo to hyper.

        The attribute `probability` of edges, `label`, `synonym` and `definition` of nodes and `negations` of the graph
        become parts of the taxonomy; `to_networkx` writes the others back.
        """
        return cls.from_edges(**AttributedGraph.from_networkx(graph).statements())

    def to_graph(self) -> AttributedGraph:
        """Return nodes and edges with their attributes, for graph formats. Attributes of a graph that was read are
        included.

        >>> Taxonomy.from_edges([("dog", "pet", 0.9)]).to_graph().edges
        [('dog', 'pet', {'probability': 0.9})]
        """
        kept: Mapping[str, Any] = self.rest.content if self.rest and self.rest.format == "graph" else {}
        nodes: dict[str, Attributes] = {}
        for term in self.terms:
            known: Attributes = {"label": self.labels[term]} if term in self.labels else {}
            said = self.about.get(term, {})
            fields = {name: list(said[name]) for name in FIELDS if said.get(name)}
            nodes[term] = {**kept.get("nodes", {}).get(term, {}), **known, **fields}
        edges: list[tuple[str, str, Attributes]] = []
        for hypo, hyper, probability in self.edges():
            known = {} if probability != probability else {"probability": probability}
            edges.append((hypo, hyper, {**kept.get("edges", {}).get((hypo, hyper), {}), **known}))
        denied = [list(pair) for pair in self.denied()]
        return AttributedGraph(nodes, edges, {**kept.get("graph", {}), **({"negations": denied} if denied else {})})

    def to_networkx(self) -> nx.DiGraph:
        """Return a directed graph with edges from hypo to hyper; see `from_networkx` for the attributes."""
        return self.to_graph().to_networkx()

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame of the edges: hypo, hyper and probability, which `from_edges` reads; this needs pandas.

        >>> Taxonomy.from_edges([("dog", "animal", 0.9)]).to_frame().to_dict("records")
        [{'hypo': 'dog', 'hyper': 'animal', 'probability': 0.9}]
        """
        return data_frame(
            {"hypo": self._names(self.hypo), "hyper": self._names(self.hyper), "probability": self.probability}
        )

    def replaced(self, **changes: Any) -> Taxonomy:
        """Return a copy with other values of some fields, which are checked."""
        return replace(self, **changes)

    def with_edges(self, edges: Iterable[Sequence[Any]], *, negations: Iterable[tuple[str, str]] = ()) -> Taxonomy:
        """Return a copy with more edges; new terms come last, and an existing edge keeps its probability.

        >>> Taxonomy.from_edges([("dog", "animal")]).with_edges([("poodle", "dog", 0.8), ("dog", "animal", 0.9)])
        Taxonomy(3 terms, 2 edges)
        """
        there = {(hypo, hyper) for hypo, hyper, _ in self.edges()}
        new = (edge for edge in row_list(edges) if tuple(edge[:2]) not in there)
        both = Taxonomy.from_edges(
            chain(self.edges(), new),
            negations=chain(self.denied(), row_list(negations)),
            terms=self.terms,
            labels=self.labels,
            about=self.about,
            rest=self.rest,
        )
        return both.replaced(duplicates=self.duplicates + both.duplicates, self_loops=self.self_loops + both.self_loops)

    def keeping(self, kept: NDArray[np.bool_]) -> Taxonomy:
        """Return a copy with all terms and only some edges, selected by a mask with a value for each edge."""
        if np.shape(kept) != self.hypo.shape or np.asarray(kept).dtype != bool:
            raise InvalidInput(f"expected a mask of {len(self.hypo)} edges, got the shape {np.shape(kept)}")
        return self.replaced(hypo=self.hypo[kept], hyper=self.hyper[kept], probability=self.probability[kept])

    def with_definitions(self, definitions: Mapping[str, str]) -> Taxonomy:
        """Return a copy in which terms have these definitions, in place of those that they had.

        >>> pets = Taxonomy.from_edges([("labradoodle", "dog")])
        >>> dict(pets.with_definitions({"labradoodle": "a cross of a Labrador and a poodle"}).definitions)
        {'labradoodle': 'a cross of a Labrador and a poodle'}

        Parameters
        ----------
        definitions
            By term, that is by identifier; an empty text removes those that are there.
        """
        about = {term: dict(fields) for term, fields in self.about.items()}
        for term, text in definitions.items():
            self.index(term)
            if not isinstance(text, str):
                raise InvalidInput(f"the definition of {term!r} is {text!r:.40}, expected a text")
            about.setdefault(term, {})[DEFINITION] = (text,) if text.strip() else ()
        return self.replaced(about={term: fields for term, fields in about.items() if any(fields.values())})

    # Questions

    @cached_property
    def definitions(self) -> Mapping[str, str]:
        """The definition of each term that has one; several are joined by a semicolon."""
        found = {term: "; ".join(fields.get(DEFINITION, ())) for term, fields in self.about.items()}
        return MappingProxyType({term: text for term, text in found.items() if text})

    def __len__(self) -> int:
        return len(self.terms)

    def __contains__(self, term: object) -> bool:
        return term in self._index

    def __repr__(self) -> str:
        denied = f", {len(self.negations):,} denied" if len(self.negations) else ""
        return f"Taxonomy({len(self):,} terms, {len(self.hypo):,} edges{denied})"

    def edge(self, i: int) -> Edge:
        """Return the edge at one index of the arrays."""
        return Edge(self.terms[self.hypo[i]], self.terms[self.hyper[i]], float(self.probability[i]))

    def edges(self) -> Iterator[Edge]:
        """Yield all edges, in the order of the arrays."""
        terms = self.terms
        for hypo, hyper, probability in zip(
            self.hypo.tolist(), self.hyper.tolist(), self.probability.tolist(), strict=True
        ):
            yield Edge(terms[hypo], terms[hyper], probability)

    def denied(self) -> Iterator[tuple[str, str]]:
        """Yield the entailments that do not hold, as (hypo, hyper)."""
        for hypo, hyper in self.negations.tolist():
            yield self.terms[hypo], self.terms[hyper]

    def index(self, term: str) -> int:
        """Return the index of a term, or raise TermNotFound."""
        found = self._index.get(term)
        if found is None:
            raise TermNotFound(term, len(self), lambda: self._similar(term))
        return found

    def label(self, term: str) -> str:
        """Return the name of the term: its label, or the term itself."""
        self.index(term)
        return self.labels.get(term, term)

    def named(self, name: str) -> str:
        """Return the term with this identifier or, if there is none, with this label."""
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
        """Return the hypers of the edges that leave the term."""
        return self._names(self._up.of(self.index(term)))

    def children(self, term: str) -> tuple[str, ...]:
        """Return the hypos of the edges that enter the term."""
        return self._names(self._down.of(self.index(term)))

    def ancestors(self, term: str) -> tuple[str, ...]:
        """Return all terms that the term entails, the nearest first; the term itself only if it is in a cycle."""
        return self._names(self._up.reached(self.index(term)))

    def descendants(self, term: str) -> tuple[str, ...]:
        """Return all terms that entail the term, the nearest first; the term itself only if it is in a cycle."""
        return self._names(self._down.reached(self.index(term)))

    def entails(self, hypo: str, hyper: str) -> bool:
        """Return True if there is a path of edges from hypo to hyper; each term entails itself."""
        return bool(self.path(hypo, hyper))

    def path(self, hypo: str, hyper: str) -> tuple[str, ...]:
        """Return the terms of a shortest path of edges from hypo to hyper; none if there is no path.

        >>> Taxonomy.from_edges([("poodle", "dog"), ("dog", "animal")]).path("poodle", "animal")
        ('poodle', 'dog', 'animal')
        """
        return self._names(self._up.path(self.index(hypo), self.index(hyper)))

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The terms that have children and no parents."""
        return self._names(np.setdiff1d(self.hyper, self.hypo))

    @cached_property
    def orphans(self) -> tuple[str, ...]:
        """The terms without any edge."""
        return self._names(np.setdiff1d(np.arange(len(self)), [self.hypo, self.hyper]))

    def equals(self, other: Taxonomy) -> bool:
        """Return True if both have the same terms, edges, probabilities, negations, labels, synonyms and definitions.

        The order of terms and edges, dropped edges and statements that only one format knows make no difference.
        """
        return self._statements() == other._statements()

    def _statements(self) -> tuple[Any, ...]:
        edges = {(hypo, hyper): None if p != p else p for hypo, hyper, p in self.edges()}
        about = {
            term: {name: sorted(values) for name, values in found.items() if values}
            for term, found in self.about.items()
        }
        return set(self.terms), edges, set(self.denied()), dict(self.labels), {t: f for t, f in about.items() if f}

    # Indices and lookups

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy cannot be pickled
        values = (getattr(self, each.name) for each in fields(self))
        return type(self), tuple(dict(value) if isinstance(value, MappingProxyType) else value for value in values)

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
    def _up(self) -> structure.Links:
        return structure.Links(len(self), self.hypo, self.hyper)

    @cached_property
    def _down(self) -> structure.Links:
        return structure.Links(len(self), self.hyper, self.hypo)

    def _names(self, rows: Iterable[int] | NDArray[Any]) -> tuple[str, ...]:
        return tuple(self.terms[row] for row in rows)

    def _similar(self, name: str) -> list[str]:
        from entvec.vectors.spelling import similar_spellings
        from entvec.vectors.words import Words

        known = (*self.terms, *self._labelled)
        plain = [term for term in known if "\n" not in term and len(term) <= LONGEST_SUGGESTED]
        return similar_spellings(name, Words.of(plain))


def _check_name(term: object) -> str:
    try:
        if isinstance(term, str) and term.strip() and term.encode():
            return term
    except UnicodeEncodeError:  # half of a surrogate pair
        pass
    raise InvalidInput(f"a term is called {term!r}, expected a name that is not empty, in letters of UTF-8")


def _duplicates(hypo: Indices, hyper: Indices, n: int) -> NDArray[np.intp]:
    """Return the indices of edges that have an equal edge before them."""
    keys = hypo.astype(np.int64) * n + hyper
    order = np.argsort(keys, kind="stable")
    later = keys[order[1:]] == keys[order[:-1]]
    return np.sort(order[1:][later])
