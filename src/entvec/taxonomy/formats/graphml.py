"""GraphML, through networkx. Lists (synonyms, definitions, negations) are JSON in it, for want of a type of theirs."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

import orjson

from entvec.errors import InvalidInput, MissingExtra
from entvec.taxonomy.formats.base import File, Unwritable
from entvec.taxonomy.formats.graph import Attributes, Graph, graph_of, taxonomy_of
from entvec.taxonomy.taxonomy import FIELDS, Taxonomy

LISTS = (*FIELDS, "negations")
NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Letters that XML has no place for; a carriage return would come back as a line break."""


def library() -> Any:
    """The reader and writer."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingExtra("GraphML", needs="networkx", extra="graphml") from None
    return nx


def matches(head: bytes) -> bool:
    """Whether the element is there."""
    return b"<graphml" in head


def read(file: File) -> Taxonomy:
    """Edges from hypo to hyper."""
    nx = library()
    _check(file)
    try:
        graph = nx.parse_graphml(file.content, force_multigraph=True)
    except Exception as error:  # noqa: BLE001 - networkx lets whatever goes wrong escape
        raise file.error(f"expected GraphML, found XML that is not ({str(error) or type(error).__name__})") from None
    if not graph.is_directed():
        raise file.error('expected edges with directions, from hypo to hyper, found edgedefault="undirected"')
    try:
        nodes = {str(node): _decoded(found) for node, found in graph.nodes(data=True)}
        edges = [(str(hypo), str(hyper), dict(found)) for hypo, hyper, found in graph.edges(data=True)]
        graph.graph.pop("node_default", None)
        graph.graph.pop("edge_default", None)
        return taxonomy_of(Graph(nodes, edges, _decoded(graph.graph)))
    except InvalidInput as error:
        raise file.error(str(error)) from None


def _check(file: File) -> None:
    """Refuse what is not XML, and entities: they are how a small file becomes a large one, or another file is read."""

    def refuse(*_: object) -> None:
        raise file.error("expected no entities of its own, found a declaration of one", line=parser.CurrentLineNumber)

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(file.content, True)  # noqa: FBT003
    except expat.ExpatError as error:
        raise file.error(
            f"expected XML, found what is not ({expat.ErrorString(error.code)})", line=error.lineno
        ) from None
    except (ValueError, LookupError) as error:  # an encoding that nobody knows
        raise file.error(f"expected XML in UTF-8, found what is not ({error})") from None


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Edges from hypo to hyper."""
    nx = library()
    found = graph_of(taxonomy)
    written = io.BytesIO()
    try:
        graph = nx.DiGraph(**_encoded(found.graph))
        graph.add_nodes_from((_checked(term), _encoded(attributes)) for term, attributes in found.nodes.items())
        graph.add_edges_from((hypo, hyper, _encoded(attributes)) for hypo, hyper, attributes in found.edges)
        nx.write_graphml_xml(graph, written, prettyprint=True)
    except (nx.NetworkXException, TypeError, KeyError) as error:
        raise Unwritable(f"an attribute is not for GraphML ({error})") from None
    yield written.getvalue().decode()


def _encoded(attributes: Attributes) -> Attributes:
    return {
        _checked(name): _checked(orjson.dumps(value).decode() if isinstance(value, list | dict) else value)
        for name, value in attributes.items()
        if value is not None
    }


def _decoded(attributes: Attributes) -> Attributes:
    found = dict(attributes)
    for name in LISTS:
        if isinstance(value := found.get(name), str) and value.startswith("["):
            try:
                found[name] = orjson.loads(value)
            except orjson.JSONDecodeError:  # a definition may begin with a bracket
                found[name] = [value]
    return found


def _checked(value: Any) -> Any:
    if isinstance(value, str) and (odd := NOT_XML.search(value)):
        raise Unwritable(f"{value!r} has the letter U+{ord(odd[0]):04X}, for which XML has no place; json can hold it")
    return value
