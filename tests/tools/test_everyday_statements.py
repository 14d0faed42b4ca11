"""What things are that WordNet does not say: the table is sound, and the checks find what is not."""

from pathlib import Path

import pytest

from entvec.bundled import wordnet_knowledge

TABLE = pytest.importorskip("everyday_statements", reason="the scripts come with the repository only")
KNOWN = wordnet_knowledge()


def row(term: str, is_a: str, definition: str = "", also: tuple[str, ...] = ()):  # type: ignore[no-untyped-def]
    return TABLE.Statement(term, tuple(is_a.split(", ")), definition, also)


def test_the_table_is_sound() -> None:
    table = TABLE.statements()
    assert list(TABLE.problems(KNOWN, table)) == []
    assert all("" not in (each.term, *each.is_a, *each.also) for each in table)
    assert all(text == text.strip() for each in table for text in (each.term, *each.is_a, each.definition, *each.also))
    assert TABLE.STATEMENTS.stat().st_size <= 450_000


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ([row("rose", "flower"), row("bomb", "weapon")], "rose: the lines are not sorted from here"),
        ([row("bomb", "weapon"), row("bomb", "explosive")], "bomb: 2 lines"),
        ([row("blorp", "weapon")], "blorp: WordNet has no such noun, and there is no definition"),
        ([row("bomb#44", "weapon")], "bomb#44: WordNet has no such noun, and there is no definition"),
        ([row("bomb", "blorp")], "bomb: 'blorp' is no noun of WordNet, and no term with a definition"),
        ([row("dog", "animal")], "dog: WordNet says already that this is a kind of animal"),
        ([row("animal", "dog")], "animal: WordNet says that dog is a kind of it"),
        ([row("bomb", "weapon, weapon")], "bomb: weapon stands twice, or is the term itself"),
        ([row("bomb", "weapon", also=("A-bomb",))], "bomb: only new concepts have other names"),
        ([row("hoodie", "garment", "a", ("Hoodies", "hoodie"))], "hoodie: a name stands twice"),
        ([row("hoodie", "garment", "a " * 13)], "hoodie: the definition has more than 12 words"),
        (
            [row("mouse", "device", "what moves a pointer"), row("trackball", "mouse")],
            "trackball: mouse is both a new concept and a noun of WordNet; give one another name",
        ),
        (
            [row("blorp", "glarp", "a"), row("glarp", "blorp", "a")],
            "the statements go in a circle: ",
        ),
        ([row("furniture", "rock"), row("rock", "chair")], "the statements go in a circle: "),
        ([row("eagle", "carnivore")], "eagle: would be bird and mammal"),
    ],
)
def test_what_is_wrong_is_found(table: list[object], wrong: str) -> None:
    assert any(found.startswith(wrong) for found in TABLE.problems(KNOWN, table))


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ([("page", "book"), ("cent", "euro")], "page: the lines are not sorted from here"),
        ([("page", "book"), ("page", "notebook")], "page: 2 lines"),
        ([("blorp", "book")], "blorp: neither WordNet nor a statement has such a noun"),
        ([("page", "blorp")], "page: 'blorp' is no noun of WordNet, and no new term"),
        ([("page", "book, book")], "page: book stands twice, or is the part itself"),
        ([("wheel", "car")], "wheel: car has this part for WordNet already"),
        ([("hand", "finger")], "hand: finger is a part of it"),
        ([("dog", "animal")], "dog: animal and it are kinds of each other"),
    ],
)
def test_what_is_wrong_with_parts_is_found(table: list[tuple[str, str]], wrong: str) -> None:
    parts = [TABLE.Part(part, tuple(whole.split(", "))) for part, whole in table]
    assert wrong in list(TABLE.problems_of_parts(KNOWN, {"hoodie"}, parts))


def test_the_table_of_parts_is_sound() -> None:
    new = {each.term for each in TABLE.statements() if each.definition}
    assert list(TABLE.problems_of_parts(KNOWN, new, TABLE.parts())) == []


def test_speakers_usually_mean_the_judged_sense() -> None:
    assert KNOWN.glosses[TABLE.usual(KNOWN, "mouse")] != KNOWN.glosses[TABLE.usual(KNOWN, "mouse:device")]
    assert TABLE.usual(KNOWN, "otter") == TABLE.usual(KNOWN, "otter:animal")
    assert TABLE.usual(KNOWN, "quickly") is None


def test_another_header_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "table.tsv").write_text("term\tkind\n", encoding="utf-8")
    with pytest.raises(ValueError, match="expected the columns"):
        TABLE.statements(tmp_path / "table.tsv")
