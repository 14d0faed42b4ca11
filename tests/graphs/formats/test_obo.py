"""OBO ontologies: is_a is an edge, and every other clause comes back."""

from pathlib import Path

import pytest

from entvec.errors import CannotWrite, TaxonomyFileError, TaxonomyFileWarning
from entvec.graphs import Taxonomy, left_out, read, to_text, write

CELLS = """\
format-version: 1.2
ontology: cells
remark: made by hand

[Term]
id: C:1
name: cell
namespace: parts
def: "The \\"unit\\" of life." [PMID:1]
xref: WIKI:cell "cell"

[Term]
id: C:2
name: neuron
synonym: "nerve cell" EXACT [] {source="X:1"}
is_a: C:1 {since="1891"} ! cell
relationship: part_of C:1

[Term]
id: C:3
name: old cell
is_obsolete: true
replaced_by: C:1

[Typedef]
id: part_of
name: part of
is_a: related_to

[Instance]
id: HeLa
instance_of: C:1

"""


@pytest.fixture
def cells(tmp_path: Path) -> Taxonomy:
    path = tmp_path / "cells.obo"
    path.write_text(CELLS)
    return read(path)


def test_is_a_is_an_edge_and_the_name_a_label(cells: Taxonomy) -> None:
    assert cells.terms == ("C:1", "C:2")
    assert [edge[:2] for edge in cells.edges()] == [("C:2", "C:1")]
    assert dict(cells.labels) == {"C:1": "cell", "C:2": "neuron"}
    assert cells.about["C:2"] == {"synonym": ("nerve cell",)}
    assert cells.about["C:1"] == {"definition": ('The "unit" of life.',)}


def test_every_clause_comes_back(cells: Taxonomy) -> None:
    assert to_text(cells, "obo").split() == CELLS.split()
    assert left_out(cells, "obo") == {}


def test_what_another_format_loses_is_counted(cells: Taxonomy) -> None:
    # remark; namespace, xref; relationship; 4 of the obsolete term, 3 of the relation, 2 of the instance
    assert left_out(cells, "json") == {"other statements": 13}


def test_what_has_changed_is_changed_and_nothing_else(cells: Taxonomy, tmp_path: Path) -> None:
    changed = cells.keeping(cells.hypo < 0).with_edges([("C:1", "C:9"), ("C:2", "C:9")])
    changed = changed.replaced(labels={"C:1": "cell", "C:2": "nerve", "C:9": "thing"}, about={})
    write(changed, tmp_path / "new.obo")
    assert read(tmp_path / "new.obo").equals(changed)
    text = (tmp_path / "new.obo").read_text()
    assert "name: neuron" not in text
    assert "is_a: C:1" not in text
    for kept in ("namespace: parts", "relationship: part_of C:1", "id: C:3", "id: part_of", "id: HeLa"):
        assert kept in text


def test_a_term_that_is_gone_has_no_stanza(cells: Taxonomy) -> None:
    fewer = Taxonomy.from_edges([], terms=["C:1"], labels={"C:1": "cell"}, about={"C:1": cells.about["C:1"]})
    text = to_text(fewer.replaced(rest=cells.rest), "obo")
    assert "id: C:2" not in text
    assert "xref: WIKI:cell" in text


def test_an_obsolete_parent_and_a_second_stanza_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "odd.obo"
    path.write_text(
        'format-version: 1.2\n\n[Term]\nid: A:1\nsynonym: "a" EXACT []\nis_a: A:2\n\n'
        '[Term]\nid: A:1\nsynonym: "b" EXACT []\n\n[Term]\nid: A:2\nname: old\nis_obsolete: true\n\n'
    )
    found = read(path)
    assert found.about["A:1"] == {"synonym": ("a", "b")}
    assert found.parents("A:1") == ("A:2",)
    again = to_text(found, "obo")
    assert "name: old" in again
    (tmp_path / "again.obo").write_text(again)
    assert read(tmp_path / "again.obo").equals(found)


def test_comments_of_their_own_line_come_back(tmp_path: Path) -> None:
    path = tmp_path / "comments.obo"
    path.write_text("format-version: 1.2\n\n[Term]\nid: A:1\n! two\nname: a\n\n")
    assert to_text(read(path), "obo") == path.read_text()


def test_a_line_that_is_a_comment_is_no_clause(tmp_path: Path) -> None:
    path = tmp_path / "comments.obo"
    path.write_text("format-version: 1.2\n! one\n\n[Term]\nid: A:1\n! two\nis_a: A:2\n\n[Term]\nid: A:2\nbad\n")
    with pytest.raises(TaxonomyFileError, match="line 11: expected OBO"):
        read(path)
    path.write_text(path.read_text().replace("bad\n", ""))
    assert read(path).parents("A:1") == ("A:2",)


def test_a_parent_that_is_nowhere_is_a_term_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "slim.obo"
    path.write_text("format-version: 1.2\n\n[Term]\nid: A:1\nname: a\nis_a: B:7\n\n")
    with pytest.warns(TaxonomyFileWarning, match=r"1 parents after is_a have no \[Term\] of their own \('B:7'\)"):
        slim = read(path)
    assert slim.terms == ("A:1", "B:7")
    assert to_text(slim, "obo") == path.read_text()


@pytest.mark.parametrize(
    ("text", "line"),
    [("format-version: 1.2\n\n[Term]\nid C:1\n", 4), ("[Term]\nname: a\n", 2), ("[Term]\nid: a\nfoo: b\n", 3)],
)
def test_the_line_of_a_mistake_is_named(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "bad.obo"
    path.write_text(text)
    with pytest.raises(TaxonomyFileError, match=f"line {line}: expected OBO, found what is not"):
        read(path)


def test_several_definitions_become_one(tmp_path: Path) -> None:
    two = Taxonomy.from_edges([("a", "b")], about={"a": {"definition": ("one", "two")}})
    write(two, tmp_path / "two.obo")
    assert read(tmp_path / "two.obo").about["a"]["definition"] == ("one\ntwo",)


def test_an_identifier_that_obo_cannot_hold_is_refused() -> None:
    with pytest.raises(CannotWrite, match="cannot be an identifier of OBO"):
        to_text(Taxonomy.from_edges([("a{b}", "c")]), "obo")


def test_a_second_name_of_a_term_does_not_replace_the_first(tmp_path: Path) -> None:
    path = tmp_path / "pets.obo"
    path.write_text("format-version: 1.4\n\n[Term]\nid: X:1\nname: apple\n\n[Term]\nid: X:1\nname: apple again\n")
    with pytest.warns(TaxonomyFileWarning, match="another name to a term that has one \\('X:1'\\)"):
        assert read(path).label("X:1") == "apple"
