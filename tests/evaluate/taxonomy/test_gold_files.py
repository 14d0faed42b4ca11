"""Files of public benchmarks, written here in the formats that their authors use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from entvec.errors import BenchmarkFileError
from entvec.evaluate.taxonomy.gold_files import read_gold_edges, read_items, read_terms_and_edges, read_trees


def test_gold_edges_have_an_identifier_or_none(tmp_path: Path) -> None:
    (tmp_path / "with.taxo").write_text("0\tpoodle\tdog\n1\tdog\tanimal\n\n")
    (tmp_path / "without.taxo").write_text("poodle\tdog\r\ndog\tanimal\r\n")
    [first], [second] = (read_gold_edges(tmp_path / f"{name}.taxo") for name in ("with", "without"))
    assert first.edges == second.edges == {("poodle", "dog"), ("dog", "animal")}
    assert first.terms == ("poodle", "dog", "animal")


def test_trees_in_brackets_have_a_tree_a_line(tmp_path: Path) -> None:
    path = tmp_path / "trees.ptb"
    path.write_text("(beer suds (lager bock) (ale (stout guinness)) draft_$_beer)\n(light corona)\n")
    beer, light = read_trees(path)
    assert {("bock", "lager"), ("stout", "ale"), ("guinness", "stout"), ("draft beer", "beer")} <= beer.edges
    assert len(beer.edges) == len(beer.terms) - 1 == 7
    assert light.edges == {("corona", "light")}


def test_edges_by_identifier_go_from_parent_to_child(tmp_path: Path) -> None:
    terms, edges = tmp_path / "food.terms", tmp_path / "food.taxo"
    terms.write_text("1\tfood\n2\tred_wine||red wine\n3\twine@@@0\n")
    edges.write_text("1\t3\n3\t2\n")
    assert read_terms_and_edges(terms, edges).edges == {("wine", "food"), ("red wine", "wine")}


def test_items_are_joined_with_their_key(tmp_path: Path) -> None:
    items, key = tmp_path / "test.tsv", tmp_path / "key.tsv"
    items.write_text(
        "chug\tverb\tt.1\tto drink a lot\thttps://example.org\nselfie\tnoun\tt.2\ta photograph of oneself\n"
    )
    key.write_text("t.1\tgulp#v#1\tm\nt.2\tphotograph#n#1\tattach\n")
    chug, selfie = read_items(items, key)
    assert (chug.part_of_speech, chug.sense, chug.operation) == ("v", "gulp#v#1", "merge")
    assert (selfie.lemma, selfie.operation) == ("selfie", "attach")


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_gold_edges, "poodle dog\n"),
        (read_gold_edges, ""),
        (read_trees, "(dog poodle\n"),
        (read_trees, "dog)\n"),
        (read_trees, "\n"),
    ],
)
def test_what_is_no_such_file_is_an_error_that_names_it(
    read: Callable[[Path], object], text: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(text)
    with pytest.raises(BenchmarkFileError, match=r"odd\.txt"):
        read(path)


def test_an_identifier_without_a_term_is_an_error(tmp_path: Path) -> None:
    terms, edges = tmp_path / "x.terms", tmp_path / "x.taxo"
    terms.write_text("1\tfood\n")
    edges.write_text("1\t2\n")
    with pytest.raises(BenchmarkFileError, match="line 1"):
        read_terms_and_edges(terms, edges)


def test_items_without_a_key_are_an_error(tmp_path: Path) -> None:
    items, key = tmp_path / "test.tsv", tmp_path / "key.tsv"
    items.write_text("chug\tverb\tt.1\tto drink a lot\n")
    key.write_text("t.9\tgulp#v#1\tm\n")
    with pytest.raises(BenchmarkFileError, match="none of its items"):
        read_items(items, key)
