"""Mermaid and Graphviz: pictures as text, in which no name can be taken for anything else."""

import re

import pytest

from entvec.graphs import Taxonomy, to_text


def test_mermaid() -> None:
    pets = Taxonomy.from_edges([("dog", "animal", 0.875)], negations=[("animal", "dog")], labels={"dog": "Dog"})
    assert to_text(pets, "mermaid").splitlines() == [
        "flowchart BT",
        '    n0["Dog"]',
        '    n1["animal"]',
        '    n0 -->|"0.88"| n1',
        "    n1 -.-x n0",
    ]


def test_graphviz() -> None:
    pets = Taxonomy.from_edges([("dog", "animal", 0.875)], negations=[("animal", "dog")], labels={"dog": "Dog"})
    assert to_text(pets, "dot").splitlines() == [
        "digraph taxonomy {",
        "    rankdir=BT;",
        "    node [shape=box];",
        '    "dog" [label="Dog"];',
        '    "animal" [label="animal"];',
        '    "dog" -> "animal" [label="0.88"];',
        '    "animal" -> "dog" [style=dashed, color=red, arrowhead=tee, constraint=false];',
        "}",
    ]


@pytest.mark.parametrize(
    ("name", "mermaid"),
    [
        ('a "b"', "a #34;b#34;"),
        ("a]b", "a#93;b"),
        ("a\nb", "a b"),
        ("#35;", "#35;35#59;"),
        ("<script>", "#60;script#62;"),
        ("`**x**`", "#96;#42;#42;x#42;#42;#96;"),
        ("犬 end", "犬 end"),
        ("1. one", "#49;. one"),
        ("\x1b[0m", " #91;0m"),
    ],
)
def test_marks_of_mermaid_are_written_as_numbers(name: str, mermaid: str) -> None:
    assert f'n0["{mermaid}"]' in to_text(Taxonomy.from_edges([(name, "x")]), "mermaid")


@pytest.mark.parametrize(
    ("name", "dot"),
    [
        ('a "b"', r'"a \"b\""'),
        ("a\\", r'"a\\"'),
        ('a\\"b', r'"a\\\"b"'),
        ("a\nb", r'"a\nb"'),
        ("a\x1bb", '"a b"'),
        ("a;}", '"a;}"'),
    ],
)
def test_marks_of_graphviz_are_escaped(name: str, dot: str) -> None:
    text = to_text(Taxonomy.from_edges([(name, "x")]), "dot")
    assert f"    {dot} [label={dot}];" in text
    assert f'    {dot} -> "x";' in text
    assert len(re.findall(r"^    ", text, flags=re.MULTILINE)) == 5


def test_graphviz_shows_an_entity_as_it_is_spelled() -> None:
    assert '"&lt;" [label="&amp;lt;"];' in to_text(Taxonomy.from_edges([("&lt;", "x")]), "dot")
