"""Every format of taxonomies: one module for each format, and one row of the table `FORMATS`.

To add a format, write a module with `matches`, `read` and `write`, and add its row here. Reading, writing, the options
of the commands and the HTTP API take the formats from this table.
"""

from entvec.graphs.formats import diagrams, edge_table, graphml, node_link, obo, outline, owl, skos
from entvec.graphs.formats.taxonomy_format import File, Format, Part, Stopped, Unwritable

EVERYTHING: frozenset[Part] = frozenset({"probability", "negation", "label", "synonym", "definition"})
DESCRIPTIONS: frozenset[Part] = frozenset({"label", "synonym", "definition"})
EDGES: frozenset[Part] = frozenset({"probability", "negation", "label"})
TABLES: frozenset[Part] = EDGES | {"definition"}

# fmt: off
FORMATS: dict[str, Format] = {
    "tsv": Format(
        "tab-separated edges", (".tsv", ".txt"), edge_table.matches_tsv, edge_table.read_tsv, edge_table.write_tsv,
        TABLES, marked=False, rest="tsv",
    ),
    "csv": Format(
        "comma-separated edges", (".csv",), edge_table.matches_csv, edge_table.read_csv, edge_table.write_csv,
        TABLES, marked=False, rest="csv",
    ),
    "outline": Format(
        "indented lists", (".outline",), outline.matches, outline.read, outline.write, marked=False,
        shared=(".txt", ".tsv", ".csv"),
    ),
    "skos": Format(
        "SKOS in Turtle", (".ttl", ".nt", ".skos"), skos.matches, skos.read, skos.write,
        DESCRIPTIONS, library=skos.library, rest="skos",
    ),
    "owl": Format(
        "classes of OWL", (".owl", ".rdf"), owl.matches, owl.read, owl.write,
        DESCRIPTIONS, library=owl.library, rest="owl", shared=(".ttl", ".nt"),
    ),
    "obo": Format("OBO", (".obo",), obo.matches, obo.read, obo.write, DESCRIPTIONS, library=obo.library, rest="obo"),
    "graphml": Format(
        "GraphML", (".graphml",), graphml.matches, graphml.read, graphml.write,
        EVERYTHING, library=graphml.library, rest="graph",
    ),
    "json": Format(
        "node-link JSON", (".json",), node_link.matches, node_link.read, node_link.write, EVERYTHING, rest="graph",
    ),
    "mermaid": Format(
        "Mermaid flowcharts", (".mmd", ".mermaid"), diagrams.matches_mermaid, None, diagrams.write_mermaid, EDGES,
    ),
    "dot": Format("Graphviz", (".dot", ".gv"), diagrams.matches_dot, None, diagrams.write_dot, EDGES),
}
# fmt: on
"""The formats by name. If the content decides, they are tried from the last row to the first."""


def readable_formats() -> list[str]:
    """Return the names of the formats that can be read; the others are only written."""
    return [name for name, row in FORMATS.items() if row.read is not None]


__all__ = ["FORMATS", "File", "Format", "Part", "Stopped", "Unwritable", "readable_formats"]
