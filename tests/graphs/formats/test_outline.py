"""Outlines: indented lists, with and without bullets."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from entvec.errors import CannotWrite, TaxonomyFileError, TaxonomyFileWarning
from entvec.graphs import Taxonomy, from_text, left_out, read, to_text, write
from entvec.graphs.formats import outline

ANIMALS = [("dog", "animal"), ("poodle", "dog"), ("cat", "animal")]


def edges(text: str) -> list[tuple[str, str]]:
    return [edge[:2] for edge in from_text(text, "outline").edges()]


# Reading


@pytest.mark.parametrize(
    "text",
    [
        "animal\n  dog\n    poodle\n  cat\n",
        "animal\n dog\n        poodle\n cat",
        "animal\n\tdog\n\t\tpoodle\n\tcat\n",
        "animal\n\tdog\n\t  poodle\n\tcat\n",
        "\n    animal  \r\n\r\n      dog\r\n       poodle\r\n  \r\n      cat\r\n",
        "- animal\n  - dog\n    - poodle\n  - cat\n",
        "* animal\n  + dog\n    • poodle\n  ◦ cat\n",
        "1. animal\n   1) dog\n      1. poodle\n   2) cat\n",
        "animal\n  - dog\n    * poodle\n  - cat\n",
        "•\tanimal\n\t•\tdog\n\t\t•\tpoodle\n\t•\tcat\n",
        "animal\t\t\n\tdog\t\n\t\tpoodle\n\tcat\t\n",
        "animal\n\xa0 dog\n \xa0 \xa0poodle\n  cat\n",
    ],
    ids=[
        "spaces",
        "any width",
        "tabs",
        "spaces after tabs",
        "all indented, blank lines, Windows",
        "bullets",
        "other bullets",
        "numbers",
        "some bullets",
        "a word processor",
        "a spreadsheet",
        "a web page",
    ],
)
def test_deeper_is_more_specific_however_it_is_indented(text: str) -> None:
    assert edges(text) == ANIMALS
    assert from_text(text).equals(from_text(text, "outline"))  # and it is known for what it is


def test_a_term_may_have_several_parents_and_its_children_at_any_place() -> None:
    found = from_text("pet\n  dog\nanimal\n  dog\n    poodle\ndog\n  terrier\n", "outline")
    assert found.parents("dog") == ("pet", "animal")
    assert found.children("dog") == ("poodle", "terrier")
    assert found.roots == ("pet", "animal")


def test_terms_without_any_other_are_orphans_and_keep_their_order() -> None:
    found = from_text("unicorn\nanimal\n  dog\ngriffin\n", "outline")
    assert found.orphans == ("unicorn", "griffin")
    assert found.terms == ("unicorn", "animal", "dog", "griffin")


def test_repeated_edges_and_selves_are_remembered() -> None:
    found = from_text("animal\n  dog\n    dog\n  dog\n", "outline")
    assert (found.duplicates, found.self_loops) == ((("dog", "animal"),), ("dog",))


def test_there_are_no_comments() -> None:
    assert edges("#tags\n  # 1\n") == [("# 1", "#tags")]


@pytest.mark.parametrize("word", ["-5", "*args", "+1", "1.5 mm", "a - b", "3.", "–", "1234567890. x"])
def test_a_bullet_is_a_mark_and_a_space_and_there_is_one_a_line(word: str) -> None:
    assert from_text(f"- {word}", "outline").terms == (word,)
    assert from_text("- - x", "outline").terms == ("- x",)
    if word != "3.":
        assert from_text(word, "outline").terms == (word,)


def test_an_empty_outline_has_no_terms() -> None:
    assert len(from_text("\n  \n", "outline")) == 0
    assert to_text(Taxonomy.from_edges([]), "outline") == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a\n    b\n  c\n",
            "line 3: expected an indentation that was there before, 0 spaces or 4 spaces, found 2 spaces; move",
        ),
        ("a\n  b\n    c\n      d\n   e\n", "line 5: .*, 2 spaces or 4 spaces, found 3 spaces"),
        ("  a\n    b\nc\n", "line 3: .*, 2 spaces, found 0 spaces"),
        (
            "a\n  b\n\n\tc\n",
            "line 4: expected an indentation that begins as that of the line before .2 spaces., found 1 tab",
        ),
        ("a\n\tb\n        c\n", "line 3: .*begins as.*1 tab., found 8 spaces; indent with spaces or with tabs"),
        ("a\n\tb\n\t\tc\n  d\n", "line 4: .*2 tabs., found 2 spaces"),
        ("a\n \tb\n\t c\n", r"line 3: .*' \\t'., found '\\t '"),
        ("a\n  - \n", "line 2: expected a term after the bullet '-', found none; write '- -' if that is the term"),
        ("1.\n", "line 1: expected a term after the bullet '1.'"),
        ("a\n  dog\tanimal\n", r"line 2: expected one term a line, found a tab inside 'dog\\tanimal'; read .* as tsv"),
        ("a\rb\n", "line 1: expected lines that end with a line feed, found a carriage return"),
    ],
)
def test_a_line_that_means_nothing_is_named(text: str, message: str) -> None:
    with pytest.raises(TaxonomyFileError, match=message):
        from_text(text, "outline")


def test_bullets_beside_a_line_that_may_be_meant_over_them_are_warned_of() -> None:
    with pytest.warns(TaxonomyFileWarning, match="text, line 2: 2 of the lines have a bullet") as told:
        found = from_text("animal\n- dog\n- cat\nplant\n- oak\n")
    assert found.orphans == ("animal", "dog", "cat", "plant", "oak")
    assert told[0].filename == __file__


# Writing


def test_a_line_an_edge_and_a_subtree_once() -> None:
    found = Taxonomy.from_edges([*ANIMALS, ("dog", "pet"), ("cat", "pet")], terms=["unicorn"])
    assert to_text(found, "outline") == "unicorn\nanimal\n  dog\n    poodle\n  cat\npet\n  dog\n  cat\n"


def test_all_lines_have_bullets_if_one_needs_it() -> None:
    assert to_text(Taxonomy.from_edges([("- dog", "animal")]), "outline") == "- animal\n  - - dog\n"
    assert to_text(Taxonomy.from_edges([("dog", "animals, tame")]), "outline") == "- animals, tame\n  - dog\n"


def test_a_cycle_is_written_from_its_first_term_on() -> None:
    cycle = Taxonomy.from_edges([("b", "a"), ("c", "b"), ("a", "c"), ("x", "c")], terms=["a"])
    assert to_text(cycle, "outline") == "a\n  b\n    c\n      a\n      x\n"
    assert from_text(to_text(cycle, "outline")).equals(cycle)


@pytest.mark.parametrize("closed", [False, True], ids=["chain", "cycle"])
def test_a_long_way_down_begins_again_at_the_top(*, closed: bool) -> None:
    n = 1_000
    way = Taxonomy.from_edges([(f"t{i}", f"t{i + 1}") for i in range(n)] + [(f"t{n}", "t0")] * closed)
    lines = to_text(way, "outline").splitlines()
    assert max(len(line) - len(line.lstrip()) for line in lines) == 2 * outline.DEEPEST
    assert len(lines) < n + n / 50
    assert from_text("\n".join(lines)).equals(way)


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (" dog", "begins or ends with white space, which outlines do not keep; rename it or use json"),
        ("dog\u3000", "begins or ends with white space"),
        ("a\tb", "has a tab or a line break in it; json and csv can hold it"),
        ("a\nb", "line break"),
        ("a\rb", "line break"),
    ],
)
def test_a_name_that_would_be_another_is_refused(term: str, message: str) -> None:
    with pytest.raises(CannotWrite, match=message):
        to_text(Taxonomy.from_edges([(term, "animal")]), "outline")


def test_probabilities_labels_and_negations_have_no_place() -> None:
    found = Taxonomy.from_edges([("dog", "animal", 0.5)], negations=[("cat", "dog")], labels={"dog": "Dog"})
    assert left_out(found, "outline") == {"probabilities": 1, "negated entailments": 1, "labels": 1}
    assert to_text(found, "outline") == "animal\n  dog\ncat\n"


terms = st.sampled_from(
    ["a", "b", "c", "d", "- e", "1. f", "*", "3)", "#g", "h, i", "\ufeffj", "[k]", "{", "<l>", "--- m"]
)
"""Few, so that cycles and several parents are common; most could be taken for something else."""


@given(st.lists(st.tuples(terms, terms), max_size=20), st.lists(terms, max_size=3))
@example([("b", "a"), ("a", "b"), ("c", "a")], [])
@settings(deadline=None)
def test_any_edges_come_back_and_the_text_tells_what_it_is(pairs: list[tuple[str, str]], alone: list[str]) -> None:
    wanted = Taxonomy.from_edges(pairs, terms=alone)
    text = to_text(wanted, "outline")
    again = from_text(text, "outline")
    assert again.equals(wanted)
    assert not again.duplicates
    assert not again.self_loops
    assert to_text(again, "outline").count("\n") == text.count("\n")
    if len(wanted):
        assert from_text(text).equals(wanted)


@given(st.text(st.sampled_from("ab-*1.) \t\n\r\xa0#,•"), max_size=40))
@settings(max_examples=300, deadline=None)
@pytest.mark.filterwarnings("ignore::entvec.errors.TaxonomyFileWarning")
def test_whatever_can_be_read_can_be_written(text: str) -> None:
    try:
        found = from_text(text, "outline")
    except TaxonomyFileError:
        return
    assert from_text(to_text(found, "outline"), "outline").equals(found)


# What is an outline


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("animal\n  dog\n", True),
        ("- animal\n- plant\n", True),
        ("animal\n* dog\n", True),
        ("1. animal\n2. plant\n", True),
        ("animal\n  cats, wild\n", True),
        ("food, drink\n  wine\n", True),
        ("- food, drink\n- a,b\n", True),
        ("•\tdog\n•\tcat\n", True),
        ("animal\t\n\tdog\n", True),
        ("dog\tanimal\n", False),
        ("unicorn\n  dog\tanimal\n", False),
        ("- dog\tanimal\n", False),
        ("dog,animal\n  cat,animal\n", False),
        ("Bayern\n1. FC Köln\n", False),
        ("dog\ncat\n", False),
        ("", False),
    ],
)
def test_an_outline_has_indentation_or_bullets_and_no_columns(text: str, known: bool) -> None:
    assert outline.matches(text.encode()) == known


def test_a_text_file_is_a_table_unless_it_plainly_is_an_outline(tmp_path: Path) -> None:
    path = tmp_path / "animals.txt"
    for text, wanted in (
        ("animal\n  dog\n", [("dog", "animal")]),
        ("dog\tanimal\n  cat\tanimal\n", [("dog", "animal"), ("cat", "animal")]),
        (" unicorn\n" * 1000 + "dog\tanimal\n", [("dog", "animal")]),  # however late the first edge is
        ("dog,animal\n", []),
    ):
        path.write_text(text)
        assert [edge[:2] for edge in read(path).edges()] == wanted
    path = path.with_suffix(".txt.gz")
    write(Taxonomy.from_edges(ANIMALS), path, format="outline")
    assert read(path).roots == ("animal",)
    write(Taxonomy.from_edges(ANIMALS), path)
    assert read(path).rest is None
    assert read(path, format="tsv").roots == ("animal",)  # what is written is a table, as before


@pytest.mark.parametrize("name", ["animals.tsv", "animals.csv"])
def test_an_indented_list_that_is_called_a_table_is_read_as_what_it_is_and_said(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("animal\n  dog\n")
    with pytest.warns(TaxonomyFileWarning, match="read as an indented list, not as a table"):
        assert read(path).parents("dog") == ("animal",)
    assert read(path, format="tsv").orphans == ("animal", "dog")


def test_pictures_and_web_pages_are_indented_too() -> None:
    for text, what in (("flowchart BT\n  a --> b\n", "Mermaid"), ("<html>\n  <body>\n", "web page")):
        with pytest.raises(TaxonomyFileError, match=what):
            from_text(text)
