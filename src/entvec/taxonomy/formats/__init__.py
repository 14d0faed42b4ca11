"""Every format of taxonomies that entvec knows: one module a format, one row of the table each.

The order is the order of sniffing: formats with a mark of their own come first.
"""

from typing import Literal

from entvec.taxonomy.formats import drawn, graphml, node_link, obo, outline, skos, table
from entvec.taxonomy.formats.base import File, Format, Part, Progress, Unwritable, holding

FormatName = Literal["tsv", "csv", "outline", "skos", "obo", "graphml", "json", "mermaid", "dot"]
ReadableName = Literal["tsv", "csv", "outline", "skos", "obo", "graphml", "json"]

FORMATS: dict[FormatName, Format] = {
    "graphml": Format(
        "GraphML",
        (".graphml",),
        graphml.matches,
        graphml.read,
        graphml.write,
        holding("probability", "negation", "label", "synonym", "definition"),
        library=graphml.library,
        rest="graph",
    ),
    "json": Format(
        "node-link JSON",
        (".json",),
        node_link.matches,
        node_link.read,
        node_link.write,
        holding("probability", "negation", "label", "synonym", "definition"),
        rest="graph",
    ),
    "skos": Format(
        "SKOS in Turtle",
        (".ttl", ".nt", ".skos"),
        skos.matches,
        skos.read,
        skos.write,
        holding("label", "synonym", "definition"),
        library=skos.library,
        rest="skos",
    ),
    "obo": Format(
        "OBO",
        (".obo",),
        obo.matches,
        obo.read,
        obo.write,
        holding("label", "synonym", "definition"),
        library=obo.library,
        rest="obo",
    ),
    "mermaid": Format(
        "Mermaid flowcharts",
        (".mmd", ".mermaid"),
        drawn.matches_mermaid,
        None,
        drawn.write_mermaid,
        holding("probability", "negation", "label"),
    ),
    "dot": Format(
        "Graphviz",
        (".dot", ".gv"),
        drawn.matches_dot,
        None,
        drawn.write_dot,
        holding("probability", "negation", "label"),
    ),
    "outline": Format(
        "indented lists",
        (".outline",),
        outline.matches,
        outline.read,
        outline.write,
        holding(),
    ),
    "csv": Format(
        "comma-separated edges",
        (".csv",),
        table.matches_csv,
        table.read_csv,
        table.write_csv,
        holding("probability", "negation", "label"),
        rest="csv",
    ),
    "tsv": Format(
        "tab-separated edges",
        (".tsv", ".txt"),
        table.matches_tsv,
        table.read_tsv,
        table.write_tsv,
        holding("probability", "negation", "label"),
        rest="tsv",
    ),
}

__all__ = ["FORMATS", "File", "Format", "FormatName", "Part", "Progress", "ReadableName", "Unwritable"]
