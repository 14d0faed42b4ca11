"""Diagrams for Mermaid and Graphviz; they are only written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from entvec.graphs.taxonomy import Taxonomy

SPECIAL = re.compile(r"[^\w .,:/()+=*'@-]|[*`]|(?<=^)\d+(?=\.)")
"""Characters that Mermaid may interpret as markup; they are written as entities."""
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def matches_mermaid(head: bytes) -> bool:
    """Return True if the text begins like a flowchart."""
    return bool(re.match(rb"\s*(?:---|%%|flowchart\b|graph\s+(?:TB|TD|BT|LR|RL)\b)", head))


def matches_dot(head: bytes) -> bool:
    """Return True if the text begins like a graph."""
    return bool(re.match(rb"\s*(?:strict\s+)?(?:di)?graph\b[^{;\n]*\{", head))


def write_mermaid(taxonomy: Taxonomy) -> Iterator[str]:
    """Write a flowchart with hypers above their hypos; a negation is a dotted line with a cross."""
    yield "flowchart BT\n"
    for i, term in enumerate(taxonomy.terms):
        yield f'    n{i}["{_mermaid(taxonomy.labels.get(term, term))}"]\n'
    for hypo, hyper, probability in zip(taxonomy.hypo, taxonomy.hyper, taxonomy.probability.tolist(), strict=True):
        known = "" if probability != probability else f'|"{probability:.2f}"|'
        yield f"    n{hypo} -->{known} n{hyper}\n"
    for hypo, hyper in taxonomy.negations:
        yield f"    n{hypo} -.-x n{hyper}\n"


def write_dot(taxonomy: Taxonomy) -> Iterator[str]:
    """Write a digraph with hypers above their hypos; a negation is a dashed red line beside the layout."""
    yield "digraph taxonomy {\n    rankdir=BT;\n    node [shape=box];\n"
    for term in taxonomy.terms:
        label = taxonomy.labels.get(term, term).replace("&", "&amp;")  # Graphviz replaces HTML entities
        yield f"    {_quoted(term)} [label={_quoted(label)}];\n"
    for hypo, hyper, probability in taxonomy.edges():
        known = "" if probability != probability else f' [label="{probability:.2f}"]'
        yield f"    {_quoted(hypo)} -> {_quoted(hyper)}{known};\n"
    for hypo, hyper in taxonomy.denied():
        yield f"    {_quoted(hypo)} -> {_quoted(hyper)} [style=dashed, color=red, arrowhead=tee, constraint=false];\n"
    yield "}\n"


def _mermaid(text: str) -> str:
    """Return a label for use inside quotes: special characters become their numbers."""
    plain = CONTROL.sub(" ", text)
    return SPECIAL.sub(lambda found: "".join(f"#{ord(letter)};" for letter in found[0]), plain)


def _quoted(text: str) -> str:
    """Return a quoted string of the DOT language, in which a backslash begins an escape."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{CONTROL.sub(" ", escaped)}"'
