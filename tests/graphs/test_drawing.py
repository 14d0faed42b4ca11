"""A taxonomy as a tree for the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from entvec.errors import InvalidInput
from entvec.graphs import Taxonomy, draw


def lines(*edges: tuple[object, ...], **options: object) -> list[str]:
    return draw(Taxonomy.from_edges(edges), **options).splitlines()  # type: ignore[arg-type]


def test_hypers_stand_above_their_hypos() -> None:
    assert lines(("poodle", "dog"), ("dog", "animal", 0.9), ("cat", "animal"), ("red", "colour")) == [
        "animal",
        "├── dog 0.90",
        "│   └── poodle",
        "└── cat",
        "colour",
        "└── red",
    ]


def test_a_term_is_drawn_in_full_under_its_most_probable_parent_only() -> None:
    assert lines(("dog", "pet", 0.4), ("dog", "animal", 0.9), ("poodle", "dog"), ("dog", "beast")) == [
        "pet",
        "└── dog 0.40 ↑",
        "animal",
        "└── dog 0.90",
        "    └── poodle",
        "beast",
        "└── dog ↑",
    ]


def test_among_equals_the_first_parent_has_it() -> None:
    assert lines(("dog", "pet"), ("dog", "animal")) == ["pet", "└── dog", "animal", "└── dog ↑"]


def test_a_cycle_ends_where_it_is_weakest() -> None:
    assert lines(("a", "b", 0.9), ("b", "c", 0.8), ("c", "a", 0.1)) == [
        "c",
        "└── b 0.80",
        "    └── a 0.90",
        "        └── c 0.10 ↑",
    ]


def test_terms_alone_are_there_and_labels_stand_for_terms() -> None:
    taxonomy = Taxonomy.from_edges([("x:1", "x:2")], terms=["unicorn"], labels={"x:1": "dog", "x:2": "animal"})
    assert draw(taxonomy).splitlines() == ["unicorn", "animal", "└── dog"]
    assert draw(Taxonomy.from_edges([])) == ""


def test_probabilities_can_be_left_out() -> None:
    assert lines(("dog", "animal", 0.9), probabilities=False) == ["animal", "└── dog"]


def test_what_is_cut_is_counted() -> None:
    edges = [(f"t{i}", "top") for i in range(1, 16)]
    assert lines(*edges, max_children=2) == ["top", "├── t1", "├── t2", "└── … 13 more"]
    assert lines(*edges, max_depth=0) == ["top", "└── … 15 more"]
    assert lines(("a", "b"), ("b", "c"), max_depth=1) == ["c", "└── b", "    └── … 1 more"]
    assert lines(("a", "x"), ("b", "y"), ("c", "z"), max_children=1) == ["x", "└── a", "… 2 more"]


def test_long_lines_are_cut_by_the_columns_they_take() -> None:
    assert lines(("犬" * 20, "a" * 30), width=12) == ["a" * 11 + "…", "└── 犬犬犬…"]


@pytest.mark.parametrize("option", ["width", "max_children", "max_depth"])
def test_numbers_that_mean_nothing_are_refused(option: str) -> None:
    with pytest.raises(InvalidInput, match=f"{option} is -1"):
        lines(("a", "b"), **{option: -1})


def test_a_name_cannot_give_orders_to_the_terminal() -> None:
    drawn = lines(("[red]\x1b[31mdog\n\u202e", "animal"))
    assert drawn == ["animal", "└── [red]\ufffd[31mdog\ufffd\ufffd"]


def test_a_long_chain_is_drawn() -> None:
    drawn = lines(*((f"{i}", f"{i + 1}") for i in range(2000)))
    assert len(drawn) == 2001
    assert drawn[-1].endswith("└── 0")


pairs = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")))


@given(pairs, st.integers(1, 30))
def test_every_edge_is_a_line_and_every_term_is_drawn_in_full_once(edges: list[tuple[str, str]], width: int) -> None:
    taxonomy = Taxonomy.from_edges(edges)
    drawn = draw(taxonomy).splitlines()
    assert len([line for line in drawn if "─" in line]) == len(taxonomy.hypo)
    full = [line.split()[-1] for line in drawn if "↑" not in line]
    assert sorted(full) == sorted(taxonomy.terms)
    assert all(cell_len(line) <= width for line in draw(taxonomy, width=width).splitlines())


def test_a_long_chain_on_a_terminal_makes_no_long_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def cut(line: str, width: int) -> str:
        made.append(line)
        return line[:width]

    monkeypatch.setattr("entvec.graphs.drawing._cut", cut)
    found = lines(*((f"c{i}", f"c{i + 1}") for i in range(2000)), width=40)
    assert len(found) == 2001
    assert max(map(len, made)) < 60  # not 8,000: together they would grow with the square of the length
