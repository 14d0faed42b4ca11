"""GraphML, through networkx. Lists (synonyms, definitions, negations) are JSON in it, because GraphML has no lists."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any
from xml.parsers import expat

import orjson

from entvec.graphs.annotations import FIELDS
from entvec.graphs.attributed_graph import AttributedGraph, Attributes
from entvec.graphs.formats.taxonomy_format import File, Unwritable
from entvec.graphs.optional_library import optional_library
from entvec.graphs.taxonomy import Taxonomy

LISTS = (*FIELDS, "negations")
NOT_XML = "[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""Characters that XML cannot represent; a carriage return would be read as a line feed.

The expression is compiled when a file is written, because that takes a twentieth of the import time of entvec.
"""

ELEMENTS_A_REPORT = 1 << 9
"""The number of nodes and edges after which the progress callback is called."""

library = partial(optional_library, "GraphML", "networkx", "graphml")


def matches(head: bytes) -> bool:
    """Return True if there is a GraphML element."""
    return b"<graphml" in head


def read(file: File) -> Taxonomy:
    """Read edges from hypo to hyper."""
    library()
    _check(file)
    try:
        graph = _parsed(file)
    except Exception as error:  # noqa: BLE001 - networkx does not catch the errors of its own parsing
        raise file.error(f"expected GraphML, found XML that is not ({str(error) or type(error).__name__})") from None
    if not graph.is_directed():
        raise file.error('expected edges with directions, from hypo to hyper, found edgedefault="undirected"')
    graph.graph.pop("node_default", None)
    graph.graph.pop("edge_default", None)
    found = AttributedGraph.from_networkx(graph)
    nodes = {node: _decoded(attributes) for node, attributes in found.nodes.items()}
    return Taxonomy.from_edges(**found._replace(nodes=nodes, graph=_decoded(found.graph)).statements())


def _parsed(file: File) -> Any:
    """Return the first graph, as `networkx.parse_graphml` does, and report progress."""
    graphml = import_module("networkx.readwrite.graphml")

    class Reader(graphml.GraphMLReader):  # type: ignore[misc,name-defined]  # networkx is imported when it is needed
        def find_graphml_keys(self, graph_element: Any) -> Any:
            keys = graph_element.findall(f"{{{self.NS_GRAPHML}}}key")
            bare = [key for key in keys if key.get("attr.type") is None and key.get("yfiles.type") is None]
            for key in bare:
                key.set("attr.type", "string")  # as networkx does, with a warning of its own for each
            if bare:
                file.warn(f"{len(bare):,} keys have no attr.type: taken for text")
            return super().find_graphml_keys(graph_element)

        def decode_data_elements(self, *elements: Any) -> Any:  # of each node and each edge
            self.n_read = getattr(self, "n_read", 0) + 1
            if self.n_read % ELEMENTS_A_REPORT == 0:
                file.progress(0, len(file.content))
            return super().decode_data_elements(*elements)

    header = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for content in (file.content, file.content.replace(b"<graphml>", header)):
        if graphs := list(Reader(str, int, True)(string=content)):  # noqa: FBT003 - several edges between two nodes
            return graphs[0]
    raise graphml.nx.NetworkXError("file not successfully read as graphml")


def _check(file: File) -> None:
    """Raise an error for invalid XML and for entity declarations, which could expand without limit or include other
    files.
    """

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
    except (ValueError, LookupError) as error:  # an unknown encoding
        raise file.error(f"expected XML in UTF-8, found what is not ({error})") from None


def write(taxonomy: Taxonomy) -> Iterator[str]:
    """Write edges from hypo to hyper."""
    nx = library()
    found = taxonomy.to_graph()
    written = io.BytesIO()
    try:
        nodes = {_checked(term): _encoded(attributes) for term, attributes in found.nodes.items()}
        edges = [(hypo, hyper, _encoded(attributes)) for hypo, hyper, attributes in found.edges]
        graph = AttributedGraph(nodes, edges, _encoded(found.graph)).to_networkx()
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
    if isinstance(value, str) and (odd := re.search(NOT_XML, value)):
        raise Unwritable(f"{value!r} has the letter U+{ord(odd[0]):04X}, for which XML has no place; json can hold it")
    return value
