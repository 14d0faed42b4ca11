from pathlib import Path

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.errors import InvalidInput
from entvec.text import Pattern, extract, read_patterns


def test_patterns_of_a_file_come_beside_those_of_the_table(tmp_path: Path) -> None:
    file = tmp_path / "patterns.tsv"
    file.write_text(
        "# ours\n\nranks\tHYPO+ ranks|rank among HYPER\tplural\nlike\tHYPER , like HYPO+\n", encoding="utf-8"
    )
    found = extract(
        ["Pike ranks among fishes.", "He likes pets, like dogs.", "Dogs and other pets bark."],
        wordnet_knowledge(),
        patterns=read_patterns(file),
    )
    assert [(row.hypo, row.hyper, row.pattern) for row in found] == [
        ("dog", "pet", "and-other"),
        ("dog", "pet", "like"),
        ("pike", "fish", "ranks"),
    ]


def test_a_pattern_of_the_same_name_takes_the_place_of_one_of_the_table() -> None:
    own = Pattern("and-other", "HYPO+ plus other HYPER")
    assert extract("Dogs and other pets bark.", wordnet_knowledge(), patterns=[own]) == []
    assert len(extract("Dogs plus other pets bark.", wordnet_knowledge(), patterns=[own])) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x HYPER such as HYPO", "line 1: expected a name, a tab and a template"),
        ("\nx\tHYPER such as", "line 2: the pattern 'x' has HYPER, expected HYPER and HYPO"),
        ("x\tHYPER HYPO", "no word that must be there"),
        ("x\tHYPER ,? HYPO", "no word that must be there"),
        ("x\tHYPER as HYPO\tlucky", "the check 'lucky', expected one of subject"),
        (b"\xff\tHYPER as HYPO", "expected patterns in UTF-8"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    file = tmp_path / "patterns.tsv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidInput, match=message):
        read_patterns(file)


def test_names_of_readers_are_taken() -> None:
    with pytest.raises(InvalidInput, match="'definition', which a reader of the package has"):
        extract("", None, patterns=[Pattern("definition", "HYPO is HYPER")])
