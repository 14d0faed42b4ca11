"""Many words at once: place a term, name what words have in common, build a taxonomy, audit one.

placing           `place`: a vector for a term that has none, inferred from facts, and its parents and children
placing_in_graph  the same among the nodes of an `EntailmentGraph`
common_names      `common`: what words have in common; `abstractions`: words in groups with names
inducing          `induce`: a taxonomy of a list of words
neighbour_graph   `neighbourhood`: words with their hypernyms above and their hyponyms below, as a taxonomy
auditing          `audit`: what is wrong with a taxonomy
evidence          the evidence of a space for each pair of a list of words

`Taxonomy` and its files are in `entvec.graphs`; their names can be imported from here too.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from entvec.graphs import Edge, Taxonomy, draw, from_text, left_out, read, to_text, write

if TYPE_CHECKING:
    from entvec.taxonomy.auditing import KINDS, Audit, Finding, audit
    from entvec.taxonomy.common_names import Group, Name, abstractions, common
    from entvec.taxonomy.evidence import UnknownWords
    from entvec.taxonomy.inducing import induce
    from entvec.taxonomy.neighbour_graph import Neighbourhood, neighbourhood
    from entvec.taxonomy.placing import Fact, Placement, place

MODULES = {
    "auditing": ("KINDS", "Audit", "Finding", "audit"),
    "common_names": ("Group", "Name", "abstractions", "common"),
    "evidence": ("UnknownWords",),
    "inducing": ("induce",),
    "neighbour_graph": ("Neighbourhood", "neighbourhood"),
    "placing": ("Fact", "Placement", "place"),
}
"""The public names of each module, which is imported when one of them is first used."""

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
    "left_out",
    "neighbourhood",
    "place",
    "read",
    "to_text",
    "write",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import the module of a name when it is first used."""
    for module, names in MODULES.items():
        if name in names:
            return getattr(import_module(f"entvec.taxonomy.{module}"), name)
    raise AttributeError(f"module 'entvec.taxonomy' has no attribute {name!r}")
