"""Graphs of terms: `Taxonomy`, its files and its drawing.

taxonomy          `Taxonomy`: terms, and edges that say which term is a kind of which
taxonomy_files    `read`, `write`, `from_text`, `to_text`: every format of `formats.FORMATS`
difference        `difference`: what changed between two taxonomies
identifiers       `with_uris`: URIs for terms that are only names
drawing           `draw`: a taxonomy as text for the terminal
structure         cycles, transitive reduction, levels and the like, of arrays of edges
attributed_graph  graphs with attributes, as GraphML, node-link JSON and networkx have them
annotations       what a taxonomy says about terms besides edges
optional_library  imports of libraries that come with an extra
"""

from entvec.graphs.difference import Change, difference
from entvec.graphs.drawing import draw
from entvec.graphs.identifiers import with_uris
from entvec.graphs.taxonomy import Edge, Taxonomy
from entvec.graphs.taxonomy_files import from_text, left_out, read, to_text, write

__all__ = [
    "Change", "Edge", "Taxonomy", "difference", "draw", "from_text", "left_out", "read", "to_text", "with_uris",
    "write",
]  # fmt: skip
