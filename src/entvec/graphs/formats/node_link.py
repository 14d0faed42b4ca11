"""Node-link JSON, as networkx and many drawing programs write it; it represents all parts of a taxonomy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from entvec.errors import InvalidInput
from entvec.graphs.attributed_graph import AttributedGraph, Attributes
from entvec.graphs.formats.taxonomy_format import File, Unwritable
from entvec.graphs.taxonomy import Taxonomy


def matches(head: bytes) -> bool:
    """Return True if the text begins like a JSON object."""
    return head.lstrip().startswith(b"{")


def read(file: File) -> Taxonomy:
    """Read nodes with an `id`, and `edges` or `links` with a `source` and a `target`."""
    try:
        found = orjson.loads(file.text())
    except orjson.JSONDecodeError as error:
        raise file.error(f"expected JSON, found what is not ({error.msg})", line=error.lineno) from None
    nodes, edges = (found.get("nodes"), found.get("edges", found.get("links"))) if isinstance(found, dict) else (0, 0)
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise file.error('expected an object with lists of "nodes" and "edges" (or "links"), found other JSON')
    if found.get("directed") is False:
        raise file.error('expected a graph with directions, from hypo to hyper, found "directed": false')
    try:
        graph = found.get("graph", {})
        graph = dict(graph) if isinstance(graph, list | dict) else {}
    except (TypeError, ValueError) as error:  # a list of what is no pair
        raise file.error(str(error)) from None
    named = {_name(node, "id"): _others(node, "id") for node in nodes}
    links = [(_name(edge, "source"), _name(edge, "target"), _others(edge, "source", "target", "key")) for edge in edges]
    return Taxonomy.from_edges(**AttributedGraph(named, links, graph).statements())


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Write one line for each node and each edge."""
    graph = taxonomy.to_graph()
    nodes = [{"id": term, **attributes} for term, attributes in graph.nodes.items()]
    edges = [{"source": hypo, "target": hyper, **attributes} for hypo, hyper, attributes in graph.edges]
    yield f'{{"directed": true, "multigraph": false, "graph": {_text(graph.graph)},\n'
    yield '"nodes": ['
    yield from _listed(nodes)
    yield '],\n"edges": ['
    yield from _listed(edges)
    yield "]}\n"


def _listed(values: list[Attributes]) -> Iterator[str]:
    for i, value in enumerate(values):
        yield f"{',' if i else ''}\n{_text(value)}"


def _text(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError as error:
        raise Unwritable(f"an attribute is not for JSON ({error})") from None


def _name(found: Any, key: str) -> str:
    value = found.get(key) if isinstance(found, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInput(f'expected a node or an edge with the name of a term as "{key}", found {str(found)[:80]}')
    return str(value)


def _others(found: Attributes, *known: str) -> Attributes:
    return {name: value for name, value in found.items() if name not in known}
