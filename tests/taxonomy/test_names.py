"""Terms are found by their names, as people write them."""

import pytest

from entvec.graphs import Taxonomy
from entvec.taxonomy.names import Names

NAMES = Names(
    Taxonomy.from_edges(
        [("x:1", "x:2")], labels={"x:1": "Jackets", "x:2": "Outer wear"}, about={"x:2": {"synonym": ("coats",)}}
    )
)


@pytest.mark.parametrize("name", ["jacket", "JACKETS", "x:1"])
def test_case_number_and_identifiers_make_no_difference(name: str) -> None:
    assert NAMES.called(name) == [0]


@pytest.mark.parametrize("name", ["outer-wear", "outer_wear", "Coat"])
def test_separators_and_synonyms_count(name: str) -> None:
    assert NAMES.called(name) == [1]


def test_the_last_words_of_a_name_are_its_head() -> None:
    assert NAMES.heads("warm rain jackets") == [0]
    assert NAMES.heads("jacket") == []  # it is the term itself
    assert NAMES.heads("jacket pocket") == []


def test_names_that_are_spelled_alike_are_suggested() -> None:
    assert NAMES.like("jakets") == ["Jackets"]
    assert NAMES.like("x" * 1000) == []
