"""Graphs of terms: `Taxonomy`, its files and its drawing.

taxonomy          `Taxonomy`: terms, and edges that say which term is a kind of which
taxonomy_files    `read`, `write`, `from_text`, `to_text`: every format of `formats.FORMATS`
drawing           `draw`: a taxonomy as text for the terminal
structure         cycles, transitive reduction, levels and the like, of arrays of edges
attributed_graph  graphs with attributes, as GraphML, node-link JSON and networkx have them
annotations       what a taxonomy says about terms besides edges
optional_library  imports of libraries that come with an extra
"""

from entvec.graphs.drawing import draw
from entvec.graphs.taxonomy import Edge, Taxonomy
from entvec.graphs.taxonomy_files import from_text, left_out, read, to_text, write

__all__ = ["Edge", "Taxonomy", "draw", "from_text", "left_out", "read", "to_text", "write"]
