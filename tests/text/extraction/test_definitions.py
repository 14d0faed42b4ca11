import pytest

from entvec.text.extraction.definitions import genera, read_definitions
from entvec.text.extraction.lexicon import Lexicon


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("a tool that drives nails", ["tool"]),
        ("any of several small birds", ["bird", "small bird"]),
        ("one of the metals", ["metal"]),
        ("the act of running", ["act"]),
        ("a kind of tall tree", ["tree", "tall tree"]),
        ("(botany) a plant of the desert", ["plant"]),
        ("in botany, a plant of the desert", ["plant"]),
        ("tool used by smiths", ["tool"]),
        ("see below", []),
        ("a part of something", []),
        ("the Duke of York", []),
        ("a market and borough town", []),
        ("", []),
    ],
)
def test_the_genus_of_a_definition(lexicon: Lexicon, definition: str, expected: list[str]) -> None:
    assert genera(definition, lexicon) == expected


@pytest.mark.parametrize(
    ("line", "term"),
    [
        ("Hammer: a tool.", "hammer"),
        ("hammer - a tool", "hammer"),
        ("hammer — a tool", "hammer"),
        ("| hammer | a tool |", "hammer"),
        ("hammer\t a tool", "hammer"),
        ("- **hammer**: a tool", "hammer"),
        ("**Claw hammer**, a tool", "claw hammer"),
        ("HAMMER, in carpentry, a tool", "hammer"),
        ("QUUXOTRON, a tool", "Quuxotron"),
    ],
)
def test_entries_of_dictionaries_and_glossaries(lexicon: Lexicon, line: str, term: str) -> None:
    (found,) = read_definitions(f"Some words before.\n\n{line}\n\nAnd after.", lexicon)
    assert (found.term, found.genera) == (term, ["tool"])


def test_an_entry_ends_where_the_next_one_begins(lexicon: Lexicon) -> None:
    found = read_definitions("Viol: an instrument\nHammer - a tool\nLark: a small\nbird, of fields", lexicon)
    assert [(each.term, each.text, each.genera) for each in found] == [
        ("viol", "an instrument", ["instrument"]),
        ("hammer", "a tool", ["tool"]),
        ("lark", "a small bird, of fields", ["bird", "small bird"]),
    ]


@pytest.mark.parametrize(
    "line", ["Note: see below.", "Hammer, a tool.", "10:30 a talk", "Time: 10 o'clock", "x: a tool"]
)
def test_other_lines_are_no_entries(lexicon: Lexicon, line: str) -> None:
    assert list(read_definitions(line, lexicon)) == []
