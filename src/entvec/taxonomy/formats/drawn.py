"""Mermaid and Graphviz: pictures of a taxonomy as text. They are written only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from entvec.taxonomy.taxonomy import Taxonomy

SPECIAL = re.compile(r"[^\w .,:/()+=*'@-]|[*`]|(?<=^)\d+(?=\.)")
"""What Mermaid might take for markup: these become entities."""
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def matches_mermaid(head: bytes) -> bool:
    """Whether it begins with a word for a flowchart."""
    return bool(re.match(rb"\s*(?:---|%%|flowchart\b|graph\s+(?:TB|TD|BT|LR|RL)\b)", head))


def matches_dot(head: bytes) -> bool:
    """Whether it begins with a word for a graph."""
    return bool(re.match(rb"\s*(?:strict\s+)?(?:di)?graph\b[^{;\n]*\{", head))


def write_mermaid(taxonomy: Taxonomy) -> Iterator[str]:
    """A flowchart with hypers above; a denied entailment is a dotted line with a cross."""
    yield "flowchart BT\n"
    for i, term in enumerate(taxonomy.terms):
        yield f'    n{i}["{_mermaid(taxonomy.labels.get(term, term))}"]\n'
    for hypo, hyper, probability in zip(taxonomy.hypo, taxonomy.hyper, taxonomy.probability.tolist(), strict=True):
        known = "" if probability != probability else f'|"{probability:.2f}"|'
        yield f"    n{hypo} -->{known} n{hyper}\n"
    for hypo, hyper in taxonomy.negations:
        yield f"    n{hypo} -.-x n{hyper}\n"


def write_dot(taxonomy: Taxonomy) -> Iterator[str]:
    """A digraph with hypers above; a denied entailment is a dashed red line that moves nothing."""
    yield "digraph taxonomy {\n    rankdir=BT;\n    node [shape=box];\n"
    for term in taxonomy.terms:
        label = taxonomy.labels.get(term, term).replace("&", "&amp;")  # Graphviz shows entities of HTML as letters
        yield f"    {_quoted(term)} [label={_quoted(label)}];\n"
    for hypo, hyper, probability in taxonomy.edges():
        known = "" if probability != probability else f' [label="{probability:.2f}"]'
        yield f"    {_quoted(hypo)} -> {_quoted(hyper)}{known};\n"
    for hypo, hyper in taxonomy.denied():
        yield f"    {_quoted(hypo)} -> {_quoted(hyper)} [style=dashed, color=red, arrowhead=tee, constraint=false];\n"
    yield "}\n"


def _mermaid(text: str) -> str:
    """A label inside quotes: whatever is no letter or plain mark is written as the number of its letter."""
    plain = CONTROL.sub(" ", text)
    return SPECIAL.sub(lambda found: "".join(f"#{ord(letter)};" for letter in found[0]), plain)


def _quoted(text: str) -> str:
    """A string of DOT, in which a backslash begins an escape."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{CONTROL.sub(" ", escaped)}"'
