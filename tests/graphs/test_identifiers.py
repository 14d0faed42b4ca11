"""URIs for terms that are only names."""

from entvec.graphs import Taxonomy
from entvec.graphs.identifiers import with_uris


def test_names_become_labels_and_what_is_said_of_them_stays() -> None:
    shop = Taxonomy.from_edges(
        [("running shoe", "http://a/shoe", 0.5), ("a", "a")],
        negations=[("running shoe", "car")],
        labels={"car": "Car"},
        about={"running shoe": {"synonym": ("trainer",)}},
    )
    found = with_uris(shop, "http://b#")
    assert [tuple(edge) for edge in found.edges()] == [("http://b#running%20shoe", "http://a/shoe", 0.5)]
    assert list(found.denied()) == [("http://b#running%20shoe", "http://b#car")]
    assert (found.label("http://b#car"), found.label("http://b#running%20shoe")) == ("Car", "running shoe")
    assert found.about == {"http://b#running%20shoe": {"synonym": ("trainer",)}}
    assert found.self_loops == ("http://b#a",)
