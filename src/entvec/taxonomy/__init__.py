"""Many words at once: place a term, name what words have in common, build a taxonomy, audit one.

placing_many      `place_all`: many terms at once into a taxonomy, with all of them in the answer
review            `apply`: what people accept and reject of suggestions; `decisions`, which are knowledge
review_rows       `Row`, and what placing, building and auditing suggest as rows; `review_actions`: what each does
review_files      `read_review`, `write_review`: suggestions as a table, or as SSSOM
matching          `match`: the terms of one vocabulary in another
placing           `place`: a vector for a term that has none, inferred from facts, and its parents and children
placing_in_graph  the same among the nodes of an `EntailmentGraph`
common_names      `common`: what words have in common; `abstractions`: words in groups with names
inducing          `induce`: a taxonomy of a list of words
neighbour_graph   `neighbourhood`: words with their hypernyms above and their hyponyms below, as a taxonomy
auditing          `audit`: what is wrong with a taxonomy
findings          kinds of findings, and what mends them
relation_findings findings from the relation of the two ends of an edge; `edge_findings`: from the edges alone;
                  `vector_findings`: from vectors alone
candidates        which terms of a list may be above or below a name, found by search
read_scores       which of several parents is the best for a name that nobody knows
evidence          the evidence of a space for each pair of a list of words
known_parents     the possible parents in a list of words, by what is known of each pair
weighing, names   the relation of two names as the space tells it; terms by their names

`Taxonomy` and its files are in `entvec.graphs`; their names can be imported from here too.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from entvec.graphs import (
    Change,
    Edge,
    Taxonomy,
    difference,
    draw,
    from_text,
    left_out,
    read,
    to_text,
    with_uris,
    write,
)

if TYPE_CHECKING:
    from entvec.taxonomy.auditing import Audit, audit
    from entvec.taxonomy.common_names import Group, Name, abstractions, common
    from entvec.taxonomy.evidence import UnknownWords
    from entvec.taxonomy.findings import KINDS, Finding
    from entvec.taxonomy.inducing import Draft, Guess, draft, induce
    from entvec.taxonomy.matching import match
    from entvec.taxonomy.neighbour_graph import Neighbourhood, neighbourhood
    from entvec.taxonomy.placed import Placed
    from entvec.taxonomy.placing import Fact, Placement, place
    from entvec.taxonomy.placing_many import place_all
    from entvec.taxonomy.review import Applied, apply, decisions
    from entvec.taxonomy.review_files import read_review, write_review
    from entvec.taxonomy.review_rows import Row, rows_of, rows_of_audit, rows_of_draft

MODULES = {
    "auditing": ("Audit", "audit"),
    "findings": ("KINDS", "Finding"),
    "common_names": ("Group", "Name", "abstractions", "common"),
    "evidence": ("UnknownWords",),
    "inducing": ("Draft", "Guess", "draft", "induce"),
    "neighbour_graph": ("Neighbourhood", "neighbourhood"),
    "matching": ("match",),
    "placing": ("Fact", "Placement", "place"),
    "placed": ("Placed",),
    "placing_many": ("place_all",),
    "review": ("Applied", "apply", "decisions"),
    "review_rows": ("Row", "rows_of", "rows_of_audit", "rows_of_draft"),
    "review_files": ("read_review", "write_review"),
}
"""The public names of each module, which is imported when one of them is first used."""

__all__ = [
    "KINDS", "Applied", "Audit", "Change", "Draft", "Edge", "Fact", "Finding", "Group", "Guess", "Name",
    "Neighbourhood", "Placed", "Placement", "Row", "Taxonomy", "UnknownWords", "abstractions", "apply", "audit",
    "common", "decisions", "difference", "draft", "draw", "from_text", "induce", "left_out", "match", "neighbourhood",
    "place", "place_all", "read", "read_review", "rows_of", "rows_of_audit", "rows_of_draft", "to_text", "with_uris",
    "write", "write_review",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import the module of a name when it is first used."""
    for module, names in MODULES.items():
        if name in names:
            return getattr(import_module(f"entvec.taxonomy.{module}"), name)
    raise AttributeError(f"module 'entvec.taxonomy' has no attribute {name!r}")
