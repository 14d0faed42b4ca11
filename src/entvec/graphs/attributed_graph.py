"""Graphs whose nodes and edges have attributes, as in GraphML, node-link JSON and networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from entvec.errors import InvalidInput
from entvec.graphs.annotations import FIELDS, Rest
from entvec.graphs.optional_library import optional_library

if TYPE_CHECKING:
    import networkx as nx

Attributes = dict[str, Any]


class AttributedGraph(NamedTuple):
    """Nodes, edges from hypo to hyper and the graph itself, each with its attributes."""

    nodes: dict[str, Attributes]
    edges: list[tuple[str, str, Attributes]]
    graph: Attributes

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph) -> AttributedGraph:
        """Return the nodes, edges and attributes of a directed graph of networkx."""
        if not graph.is_directed():
            raise InvalidInput("the graph has no directions, expected a DiGraph with edges from hypo to hyper")
        nodes = {str(node): dict(found) for node, found in graph.nodes(data=True)}
        if len(nodes) != len(graph):
            raise InvalidInput("two nodes of the graph have the same name as text, expected strings for nodes")
        edges = [(str(hypo), str(hyper), dict(found)) for hypo, hyper, found in graph.edges(data=True)]
        return cls(nodes, edges, dict(graph.graph))

    def to_networkx(self) -> nx.DiGraph:
        """Return the same graph as one of networkx."""
        graph = optional_library("A networkx graph", "networkx", "graphml").DiGraph(**self.graph)
        graph.add_nodes_from(self.nodes.items())
        graph.add_edges_from(self.edges)
        return graph

    def statements(self) -> dict[str, Any]:
        """Return the arguments for `Taxonomy.from_edges`; attributes without a meaning there become the rest."""
        labels: dict[str, str] = {}
        about: dict[str, dict[str, tuple[str, ...]]] = {}
        nodes: dict[str, Attributes] = {}
        for term, attributes in self.nodes.items():
            others = dict(attributes)
            if "label" in others and str(others["label"]).strip():
                labels[term] = str(others.pop("label"))
            fields = {name: _texts(name, others.pop(name)) for name in FIELDS if name in others}
            if fields:
                about[term] = fields
            if others:
                nodes[term] = others
        edges: dict[tuple[str, str], Attributes] = {}
        triples = []
        for hypo, hyper, attributes in self.edges:
            others = dict(attributes)
            triples.append((hypo, hyper, _probability(others.pop("probability", None))))
            if others:
                edges.setdefault((hypo, hyper), others)
        graph = dict(self.graph)
        negations = _pairs(graph.pop("negations", []))
        content = {name: kept for name, kept in (("nodes", nodes), ("edges", edges), ("graph", graph)) if kept}
        n = sum(map(len, nodes.values())) + sum(map(len, edges.values())) + len(graph)
        return {
            "edges": triples,
            "negations": negations,
            "terms": self.nodes,
            "labels": labels,
            "about": about,
            "rest": Rest("graph", content, n) if content else None,
        }


def _probability(value: Any) -> float | None:
    if value is None:
        return None
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(f"a probability is {value!r}, expected a number from 0 to 1")


def _texts(name: str, value: Any) -> tuple[str, ...]:
    several = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(each, str) for each in several):
        raise InvalidInput(f"the {name} of a node is {value!r}, expected text or a list of texts")
    return tuple(several)


def _pairs(value: Any) -> list[tuple[str, str]]:
    def is_pair(pair: Any) -> bool:
        return isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(term, str) for term in pair)

    if not isinstance(value, list | tuple) or not all(map(is_pair, value)):
        raise InvalidInput(f"negations are {value!r}, expected a list of pairs of terms")
    return [(hypo, hyper) for hypo, hyper in value]
