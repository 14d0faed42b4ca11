"""What changed between two taxonomies."""

from entvec.graphs import Taxonomy
from entvec.graphs.difference import difference

PETS = Taxonomy.from_edges([("x:1", "pet")], labels={"x:1": "dog"}, about={"pet": {"synonym": ("companion",)}})


def test_nothing_has_changed_in_the_same_taxonomy() -> None:
    assert difference(PETS, PETS) == ()


def test_every_kind_of_statement_is_told_by_its_names() -> None:
    changed = Taxonomy.from_edges(
        [("x:1", "animal")], negations=[("pet", "animal")], terms=["pet"], labels={"x:1": "hound"}, about={}
    )
    assert [str(change) for change in difference(PETS, changed)] == [
        "+ term animal",
        "- edge dog -> pet",
        "+ edge hound -> animal",
        "+ denial pet is no animal",
        "- label x:1: dog",
        "+ label x:1: hound",
        "- synonym pet: companion",
    ]
