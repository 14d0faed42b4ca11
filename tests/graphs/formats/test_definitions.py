"""Definitions of terms: every format that has a place for them keeps them, and the others say what is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from entvec.cli import app
from entvec.errors import InvalidInput, TermNotFound
from entvec.graphs import Taxonomy, from_text, left_out, read, to_text, write
from entvec.graphs.annotations import DEFINITION
from entvec.graphs.formats import FORMATS

EDGES = [("labradoodle", "dog", 0.9), ("labradoodle", "pet"), ("dog", "animal")]
DEFINED = {"labradoodle": "a cross between a Labrador, and a poodle", "animal": "a living thing"}
PETS = Taxonomy.from_edges(EDGES).with_definitions(DEFINED)
KEEPING = [name for name, row in FORMATS.items() if "definition" in row.holds]
LOSING = [name for name, row in FORMATS.items() if "definition" not in row.holds]


@pytest.mark.parametrize("name", KEEPING)
def test_definitions_come_back_from_every_format_that_holds_them(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"pets{FORMATS[name].suffixes[0]}"
    write(PETS, path)
    again = read(path)
    assert dict(again.definitions) == DEFINED
    assert {edge[:2] for edge in again.edges()} == {edge[:2] for edge in PETS.edges()}
    assert "definitions" not in left_out(PETS, name)
    assert to_text(again, name) == to_text(PETS, name)


def test_the_formats_are_those_that_have_a_place_for_definitions() -> None:
    assert KEEPING == ["tsv", "csv", "skos", "owl", "obo", "graphml", "json"]


@pytest.mark.parametrize("name", LOSING)
def test_the_others_count_what_they_lose(name: str, tmp_path: Path) -> None:
    assert left_out(PETS, name)["definitions"] == 2
    source, target = tmp_path / "pets.csv", tmp_path / f"pets{FORMATS[name].suffixes[0]}"
    write(PETS, source)
    done = CliRunner().invoke(app, ["taxonomy", "convert", str(source), str(target)])
    assert done.exit_code == 0
    assert "2 definitions" in done.stderr


def test_a_table_has_a_line_for_each_definition_of_the_hypo() -> None:
    assert to_text(PETS, "tsv").splitlines() == [
        "hypo\thyper\tprobability\tdefinition",
        "labradoodle\tdog\t0.9\ta cross between a Labrador, and a poodle",
        "labradoodle\tpet\t\t",
        "dog\tanimal\t\t",
        "animal\t\t\ta living thing",
    ]


def test_several_definitions_stay_several() -> None:
    both = PETS.replaced(about={"dog": {DEFINITION: ("a canine", "a pet", "a friend")}})
    for name in ("tsv", "csv", "json"):
        again = from_text(to_text(both, name), name)
        assert again.about["dog"][DEFINITION] == ("a canine", "a pet", "a friend")
    assert both.definitions["dog"] == "a canine; a pet; a friend"


def test_a_line_break_becomes_a_space_where_lines_are_rows() -> None:
    broken = PETS.with_definitions({"dog": "a canine,\n\tkept as a pet"})
    assert from_text(to_text(broken, "tsv"), "tsv").definitions["dog"] == "a canine, kept as a pet"
    assert from_text(to_text(broken, "csv"), "csv").definitions["dog"] == "a canine,\n\tkept as a pet"


def test_other_columns_are_kept_beside_definitions() -> None:
    text = "child,parent,price,definition\nhoodie,garment,20,a sweatshirt with a hood\ngarment,,,what people wear\n"
    shop = from_text(text, "csv")
    assert dict(shop.definitions) == {"hoodie": "a sweatshirt with a hood", "garment": "what people wear"}
    assert to_text(shop, "csv") == text


def test_definitions_are_replaced_and_removed() -> None:
    assert dict(PETS.with_definitions({"animal": "", "dog": "a canine"}).definitions) == {
        "labradoodle": DEFINED["labradoodle"],
        "dog": "a canine",
    }
    with pytest.raises(TermNotFound):
        PETS.with_definitions({"unicorn": "a horse"})
    with pytest.raises(InvalidInput, match="the definition of 'dog' is 7"):
        PETS.with_definitions({"dog": 7})  # type: ignore[dict-item]


def test_what_is_known_has_the_definitions_as_glosses() -> None:
    from entvec.knowledge.sources import gathered

    known = gathered(None, [PETS])
    assert known is not None
    concept = known.senses("labradoodle")[0].concept
    assert known.glosses[concept] == DEFINED["labradoodle"]
