"""Many words at once: place a term, name what words have in common, build a taxonomy, audit one; and files.

taxonomy   `Taxonomy`: terms, and which entails which
placing    `place`: a vector for a term that has none, from facts, and its parents and children; placing_in_graph does
           the same among the nodes of an `EntailmentGraph`
naming     `common`, what words have in common; `abstractions`, words in groups that have a name
inducing   `induce`: a taxonomy of a list of words
neighbouring
           `neighbourhood`: words with what they entail and what entails them, for a picture
auditing   `audit`: what is wrong with a taxonomy
evidence   what a space says of the words of a list: log-odds, which add
structure  cycles, redundant edges and the like, of arrays of edges
drawing    `draw`: a taxonomy as text for the terminal
formats    the files that taxonomies come in; `read` and `write`, in reading and writing, choose among them
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from entvec.taxonomy.auditing import KINDS, Audit, Finding, audit
    from entvec.taxonomy.drawing import draw
    from entvec.taxonomy.evidence import UnknownWords
    from entvec.taxonomy.inducing import induce
    from entvec.taxonomy.naming import Group, Name, abstractions, common
    from entvec.taxonomy.neighbouring import Neighbourhood, neighbourhood
    from entvec.taxonomy.placing import Fact, Placement, place
    from entvec.taxonomy.reading import from_text, read
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
    "Neighbourhood",
    "Placement",
    "Taxonomy",
    "UnknownWords",
    "abstractions",
    "audit",
    "common",
    "draw",
    "from_text",
    "induce",
    "neighbourhood",
    "place",
    "read",
    "to_text",
    "write",
]

MODULES = {
    "auditing": ("KINDS", "Audit", "Finding", "audit"),
    "drawing": ("draw",),
    "evidence": ("UnknownWords",),
    "inducing": ("induce",),
    "naming": ("Group", "Name", "abstractions", "common"),
    "neighbouring": ("Neighbourhood", "neighbourhood"),
    "placing": ("Fact", "Placement", "place"),
    "reading": ("from_text", "read"),
    "taxonomy": ("Edge", "Taxonomy"),
    "writing": ("to_text", "write"),
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """A module is imported when something of it is first used: a list of formats must not cost the time of SciPy."""
    for module, names in MODULES.items():
        if name in names:
            return getattr(import_module(f"entvec.taxonomy.{module}"), name)
    raise AttributeError(f"module 'entvec.taxonomy' has no attribute {name!r}")
