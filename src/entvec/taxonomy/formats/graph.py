"""A graph with attributes, as GraphML, node-link JSON and networkx have it: what of it a taxonomy understands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from entvec.errors import InvalidInput
from entvec.taxonomy.taxonomy import FIELDS, Rest, Taxonomy

Attributes = dict[str, Any]


class Graph(NamedTuple):
    """Nodes, edges from hypo to hyper and the graph itself, each with its attributes."""

    nodes: dict[str, Attributes]
    edges: list[tuple[str, str, Attributes]]
    graph: Attributes


def graph_of(taxonomy: Taxonomy) -> Graph:
    """A taxonomy as a graph, with the attributes that it had if it was read from one."""
    kept: Mapping[str, Any] = taxonomy.rest.content if taxonomy.rest and taxonomy.rest.format == "graph" else {}
    nodes: dict[str, Attributes] = {}
    for term in taxonomy.terms:
        known: Attributes = {"label": taxonomy.labels[term]} if term in taxonomy.labels else {}
        fields = {name: list(values) for name, values in taxonomy.about.get(term, {}).items() if values}
        nodes[term] = {**kept.get("nodes", {}).get(term, {}), **known, **fields}
    edges: list[tuple[str, str, Attributes]] = []
    for hypo, hyper, probability in taxonomy.edges():
        known = {} if probability != probability else {"probability": probability}
        edges.append((hypo, hyper, {**kept.get("edges", {}).get((hypo, hyper), {}), **known}))
    denied = [list(pair) for pair in taxonomy.denied()]
    return Graph(nodes, edges, {**kept.get("graph", {}), **({"negations": denied} if denied else {})})


def taxonomy_of(found: Graph) -> Taxonomy:
    """A graph as a taxonomy; the attributes that are not understood are kept."""
    labels: dict[str, str] = {}
    about: dict[str, dict[str, tuple[str, ...]]] = {}
    nodes: dict[str, Attributes] = {}
    for term, attributes in found.nodes.items():
        rest = dict(attributes)
        if "label" in rest and str(rest["label"]).strip():
            labels[term] = str(rest.pop("label"))
        fields = {name: _texts(name, rest.pop(name)) for name in FIELDS if name in rest}
        if fields:
            about[term] = fields
        if rest:
            nodes[term] = rest
    edges: dict[tuple[str, str], Attributes] = {}
    triples = []
    for hypo, hyper, attributes in found.edges:
        rest = dict(attributes)
        triples.append((hypo, hyper, _probability(rest.pop("probability", None))))
        if rest:
            edges.setdefault((hypo, hyper), rest)
    graph = dict(found.graph)
    negations = graph.pop("negations", [])
    content = {name: kept for name, kept in (("nodes", nodes), ("edges", edges), ("graph", graph)) if kept}
    n = sum(map(len, nodes.values())) + sum(map(len, edges.values())) + len(graph)
    return Taxonomy.from_edges(
        triples,
        negations=_pairs(negations),
        terms=found.nodes,
        labels=labels,
        about=about,
        rest=Rest("graph", content, n) if content else None,
    )


def _probability(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InvalidInput(f"a probability is {value!r}, expected a number from 0 to 1")
    try:
        return float(value)
    except (ValueError, OverflowError):
        raise InvalidInput(f"a probability is {value!r}, expected a number from 0 to 1") from None


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
