"""Many words at once: place a term, name what words have in common, build a taxonomy, audit one; and files.

taxonomy   `Taxonomy`: terms, and which entails which
place      a vector for a term that has none, from facts, and its parents and children
common     what words have in common; words in groups that have a name
induce     a taxonomy of a list of words
audit      what is wrong with a taxonomy
evidence   what a space says of the words of a list: log-odds, which add
structure  cycles, redundant edges and the like, of arrays of edges
drawing    a taxonomy as text for the terminal
formats    the files that taxonomies come in; reading and writing choose among them
"""

from entvec.taxonomy.audit import KINDS, Audit, Finding, audit
from entvec.taxonomy.common import Group, Name, abstractions, common
from entvec.taxonomy.drawing import draw
from entvec.taxonomy.evidence import UnknownWords
from entvec.taxonomy.induce import induce
from entvec.taxonomy.place import Fact, Placement, place
from entvec.taxonomy.reading import read
from entvec.taxonomy.taxonomy import Edge, Taxonomy
from entvec.taxonomy.writing import to_text, write

__all__ = [
    "KINDS",
    "Audit",
    "Edge",
    "Fact",
    "Finding",
    "Group",
    "Name",
    "Placement",
    "Taxonomy",
    "UnknownWords",
    "abstractions",
    "audit",
    "common",
    "draw",
    "induce",
    "place",
    "read",
    "to_text",
    "write",
]
