"""Tables of edges, with and without a header."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.errors import CannotWrite, InvalidInput, TaxonomyFileError, TaxonomyFileWarning
from entvec.graphs import Taxonomy, from_text, left_out, read, to_text, write


def table(tmp_path: Path, text: str, name: str = "edges.tsv") -> Taxonomy:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return read(path)


def edges(taxonomy: Taxonomy) -> list[tuple[str, str]]:
    return [edge[:2] for edge in taxonomy.edges()]


@pytest.mark.parametrize("text", ["dog\tanimal\n#tag\tword\n", "hypo\thyper\ndog\tanimal\r\n\r\n#tag\tword"])
def test_with_or_without_a_header_and_whatever_the_line_ends(tmp_path: Path, text: str) -> None:
    assert edges(table(tmp_path, text)) == [("dog", "animal"), ("#tag", "word")]


@pytest.mark.parametrize("header", ["child\tparent", "Parent\tChild", "hyper\thypo", "hyponym\thypernym"])
def test_headers_that_mean_the_same(tmp_path: Path, header: str) -> None:
    first_is_hypo = header in ("child\tparent", "hyponym\thypernym")
    row = "dog\tanimal" if first_is_hypo else "animal\tdog"
    assert edges(table(tmp_path, f"{header}\n{row}\n")) == [("dog", "animal")]


def test_the_third_column_is_a_probability_and_may_be_empty(tmp_path: Path) -> None:
    found = table(tmp_path, "dog\tanimal\t0.9\ncat\tanimal\ncow\tanimal\t\n")
    np.testing.assert_array_equal(found.probability, [0.9, np.nan, np.nan])


def test_the_third_column_may_be_a_relation(tmp_path: Path) -> None:
    found = table(tmp_path, "dog\tanimal\tentails\ncat\tdog\tnot_entails\n")
    assert edges(found) == [("dog", "animal")]
    assert list(found.denied()) == [("cat", "dog")]


def test_a_line_with_one_column_is_a_term(tmp_path: Path) -> None:
    assert table(tmp_path, "dog\tanimal\nunicorn\n").orphans == ("unicorn",)
    assert table(tmp_path, "dog,animal\nunicorn\n", "edges.csv").orphans == ("unicorn",)
    assert table(tmp_path, "unicorn\nice cream\n").terms == ("unicorn", "ice cream")


def test_spaces_around_a_name_are_not_part_of_it(tmp_path: Path) -> None:
    assert edges(table(tmp_path, "dog, animal\n", "edges.csv")) == [("dog", "animal")]
    with pytest.raises(CannotWrite, match="begins or ends with white space"):
        to_text(Taxonomy.from_edges([(" dog", "animal")]), "csv")


def test_repeated_edges_and_selves_are_remembered(tmp_path: Path) -> None:
    found = table(tmp_path, "a\tb\na\tb\nc\tc\n")
    assert (found.duplicates, found.self_loops) == ((("a", "b"),), ("c",))
    assert found.terms == ("a", "b", "c")


@pytest.mark.parametrize("mark", ["\t", ","])
def test_other_columns_come_back(tmp_path: Path, mark: str) -> None:
    text = "hypo,hyper,probability,source,note\ndog,animal,0.9,WordNet,\ncat,animal,,,seen\n".replace(",", mark)
    name = "edges.tsv" if mark == "\t" else "edges.csv"
    found = table(tmp_path, text, name)
    write(found.with_edges([("cow", "animal")]), tmp_path / name)
    assert (tmp_path / name).read_text() == text + "cow,animal,,,\n".replace(",", mark)
    assert left_out(found, "json") == {"other statements": 2}
    assert left_out(found, "tsv" if mark == "\t" else "csv") == {}


def test_quotes_mean_something_in_csv_only(tmp_path: Path) -> None:
    assert edges(table(tmp_path, '"a,\nb","c ""d"""\n', "edges.csv")) == [("a,\nb", 'c "d"')]
    assert edges(table(tmp_path, '"a\tb"\n')) == [('"a', 'b"')]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dog\tanimal\n\n\tanimal\n", "line 3: expected a hypo, found none before the hyper 'animal'"),
        ("dog\tanimal\t1.5\n", "line 1: expected a probability from 0 to 1.*found '1.5'"),
        ("dog\tanimal\tWordNet\n", "line 1: expected a probability.*found 'WordNet'; .*other columns need a header"),
        ("a\tb\tc\td\te\n", "line 1: expected 2 to 4 columns, or a header.*found 5"),
        ("hypo\thyper\na\tb\tc\n", "line 2: expected at most 2 columns, as in the first line, found 3"),
        ("hypo\thyper\trelation\na\tb\tis\n", "line 2: expected a relation of entails or not_entails, found 'is'"),
        ("hypo\thyper\tx\tx\na\tb\n", "line 1: expected each column once"),
    ],
)
def test_a_line_that_means_nothing_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TaxonomyFileError, match=message):
        table(tmp_path, text)


def test_quotes_that_do_not_end_are_named(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyFileError, match="line 2: expected comma-separated values"):
        table(tmp_path, 'a,b\n"c,d\n', "edges.csv")


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "edges.tsv"
    path.write_text("".join(f"t{i}\ttop\n" for i in range(40_000)))
    told: list[tuple[int, int]] = []
    assert len(read(path, progress=lambda done, total: told.append((done, total))).hypo) == 40_000
    size = path.stat().st_size
    assert {total for _, total in told} == {size}
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1][0] == size
    assert len(told) > 30  # each 1,024 lines


def test_without_a_header_a_third_column_is_a_probability_or_a_relation(tmp_path: Path) -> None:
    path = tmp_path / "pets.tsv"
    path.write_text("dog\tanimal\ncat\tdog\tnot_entails\ncat\tanimal\t0.9\nfox\tanimal\tentails\t0.8\n")
    pets = read(path)
    assert list(pets.denied()) == [("cat", "dog")]
    np.testing.assert_array_equal(pets.probability, [np.nan, 0.9, 0.8])


# Headers and columns


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("Category,Parent Category", "dog,animal"),
        ("term,broader term", "dog,animal"),
        ("Parent,Name", "animal,dog"),
        ("name,parent_id", "dog,animal"),
        ("subClass,superClass", "dog,animal"),
    ],
)
def test_headers_as_people_write_them(tmp_path: Path, header: str, row: str) -> None:
    assert edges(table(tmp_path, f"{header}\n{row}\n", "edges.csv")) == [("dog", "animal")]


def test_identifiers_have_names(tmp_path: Path) -> None:
    found = table(tmp_path, "id,name,parent_id,price\n7,Animals,,\n8,Dogs,7,12\n", "edges.csv")
    assert edges(found) == [("8", "7")]
    assert (found.label("8"), found.roots) == ("Dogs", ("7",))
    assert to_text(found, "csv") == "id,name,parent_id,price\n8,Dogs,7,12\n7,Animals,,\n"


def test_terms_may_come_with_definitions_and_no_parents(tmp_path: Path) -> None:
    found = table(tmp_path, "Term,Description\nhoodie,a sweatshirt with a hood\n", "terms.csv")
    assert (found.orphans, found.definitions["hoodie"]) == (("hoodie",), "a sweatshirt with a hood")


def test_the_title_of_an_only_column_is_no_term(tmp_path: Path) -> None:
    with pytest.warns(TaxonomyFileWarning, match="line 1: 'Category' is taken for the title of the column"):
        assert table(tmp_path, "Category\nhoodie\n").terms == ("hoodie",)


def test_a_header_that_nobody_can_read_is_asked_about(tmp_path: Path) -> None:
    text = "Level 1,Category name\nclothing,hoodie\n"
    with pytest.raises(
        TaxonomyFileError, match=r"line 1: .*found 'Level 1', 'Category name', which looks like another"
    ):
        table(tmp_path, text, "edges.csv")
    found = read(tmp_path / "edges.csv", columns=("Category name", "Level 1"))
    assert edges(found) == [("hoodie", "clothing")]
    assert to_text(found, "csv") == text
    assert edges(read(tmp_path / "edges.csv", columns=(2, 1)))[0] == ("Category name", "Level 1")  # there is no header


def test_a_first_line_of_such_words_is_data_if_they_come_again(tmp_path: Path) -> None:
    assert edges(table(tmp_path, "term,word\nword,language\n", "edges.csv"))[0] == ("term", "word")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("a", "nothing"), "no column 'nothing', expected one of a, b"),
        ((1, 9), "expected columns 1 to 2, found 1,9"),
        ((1, 1), "expected two titles, or two numbers"),
        (("a",), "expected two titles, or two numbers"),
    ],
)
def test_columns_that_are_not_there(tmp_path: Path, columns: tuple[str | int, ...], message: str) -> None:
    (tmp_path / "x.csv").write_text("a,b\nc,d\n")
    with pytest.raises((InvalidInput, TaxonomyFileError), match=message):
        read(tmp_path / "x.csv", columns=columns)


def test_only_tables_have_columns(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(InvalidInput, match="is no table but node-link JSON"):
        read(tmp_path / "x.json", columns=(1, 2))


def test_parents_that_come_first_are_seen_and_said(tmp_path: Path) -> None:
    with pytest.warns(TaxonomyFileWarning, match="the first column has the parents: all 4 terms of the second"):
        found = table(tmp_path, "animal,dog\nanimal,cat\nvehicle,car\nvehicle,bus\n", "edges.csv")
    assert found.children("animal") == ("dog", "cat")
    assert edges(read(tmp_path / "edges.csv", columns=(1, 2)))[0] == ("animal", "dog")
    assert edges(table(tmp_path, "dog,animal\ncat,animal\ncar,vehicle\nbus,vehicle\n", "up.csv"))[0][0] == "dog"


def test_paths_are_read_from_the_top(tmp_path: Path) -> None:
    text = "Animals\nAnimals > Pets\nAnimals > Pets > Dogs, Cats\n"
    with pytest.warns(TaxonomyFileWarning, match="line 2: 2 of the lines are paths with '>'"):
        found = table(tmp_path, text)
    assert found.path("Dogs, Cats", "Animals") == ("Dogs, Cats", "Pets", "Animals")


def test_notes_stay_with_a_term_that_moves_and_with_one_that_has_children(tmp_path: Path) -> None:
    text = "child,parent,note\nanimal,,top\ndog,animal,barks\n"
    found = table(tmp_path, text, "edges.csv")
    moved = found.keeping(found.hypo < 0).with_edges([("dog", "pet"), ("pet", "animal")])
    assert to_text(moved, "csv") == "child,parent,note\ndog,pet,barks\npet,animal,\nanimal,,top\n"
    assert to_text(found.with_edges([("cat", "animal", 0.5)]), "csv").splitlines() == [
        "child,parent,note,probability",
        "dog,animal,barks,",
        "cat,animal,,0.5",
        "animal,,top,",
    ]


titles = st.lists(st.sampled_from(["note", "Preis", "label_de", "code"]), unique=True, max_size=3)
cells = st.text("ab,\"' 12é", max_size=5).map(str.strip)


@pytest.mark.parametrize("name", ["tsv", "csv"])
@given(data=st.data(), others=titles)
@settings(max_examples=40, deadline=None)
def test_export_import_and_export_give_the_same_table(name: str, data: st.DataObject, others: list[str]) -> None:
    terms = ["dog", "cat", "animal", "pet"]
    rows = data.draw(st.lists(st.tuples(st.sampled_from(terms), st.sampled_from(["", "animal", "pet"])), unique=True))
    lines = [["child", "parent", *others]]
    lines += [[*row, *(data.draw(cells) for _ in others)] for row in rows if row[0] != row[1]]
    mark = "\t" if name == "tsv" else ","
    quote = str if name == "tsv" else lambda cell: '"' + cell.replace('"', '""') + '"'
    found = from_text("".join(mark.join(map(quote, line)) + "\n" for line in lines), name)
    once = to_text(found, name)
    assert to_text(from_text(once, name), name) == once
    assert {cell for line in lines[1:] for cell in line[2:]} <= {
        *once.replace('""', '"').split("\n"),
        *_cells(once, name),
    }


def _cells(text: str, name: str) -> set[str]:
    rows = csv.reader(text.splitlines()) if name == "csv" else (line.split("\t") for line in text.splitlines())
    return {cell for row in rows for cell in row} | {""}


@pytest.mark.parametrize(
    ("text", "told", "edges"),
    [
        ("name;parent;price\nsofa;furniture;9,5\n", "semicolons", [("sofa", "furniture")]),
        (
            "sofa;furniture\nbed;furniture;\n".replace(";\n", "\n"),
            "semicolons",
            [("sofa", "furniture"), ("bed", "furniture")],
        ),
        ("sofa|furniture\nbed|furniture\n", "vertical bars", [("sofa", "furniture"), ("bed", "furniture")]),
        ('name;parent\n"arm; chair";furniture\n', "semicolons", [("arm; chair", "furniture")]),
        (
            "child;parent\nsalt, fine;food\nsalt, coarse;food\n",
            "semicolons",
            [("salt, fine", "food"), ("salt, coarse", "food")],
        ),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".txt", ".tsv"])
def test_tables_of_semicolons_and_bars_are_read_and_said(
    tmp_path: Path, suffix: str, text: str, told: str, edges: list[tuple[str, str]]
) -> None:
    path = tmp_path / f"table{suffix}"
    path.write_text(text)
    with pytest.warns(TaxonomyFileWarning, match=f"separated by {told}"):
        found = read(path)
    assert [edge[:2] for edge in found.edges()] == edges


def test_a_semicolon_in_a_name_is_no_separator() -> None:
    found = from_text("hypo,hyper\nsalt; pepper,spice\nsalt; fine,spice\n", "csv")
    assert [edge[0] for edge in found.edges()] == ["salt; pepper", "salt; fine"]


def test_the_separator_of_a_table_with_a_header_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_text('name;parent;price\nsofa;furniture;9,5\n"arm; chair";furniture;\nfurniture;;1\n')
    with pytest.warns(TaxonomyFileWarning):
        found = read(path)
    assert to_text(found, "csv") == path.read_text()


@pytest.mark.filterwarnings("ignore:.*separated by semicolons")
@pytest.mark.parametrize(
    "text",
    [
        "Level 1,Level 2,Level 3\nfurniture,sofa,corner sofa\nfurniture,chair,\n",
        "Level 1;Level 2;Level 3\nfurniture;sofa;corner sofa\n;chair;\n",
        "L1,L2,L3\nfurniture,,\n,sofa,\n,,corner sofa\n,chair,\n",
    ],
)
def test_columns_of_levels_are_ways_from_the_top(text: str) -> None:
    with pytest.warns(TaxonomyFileWarning, match="read as ways from the broadest term to the narrowest"):
        found = from_text(text, "csv")
    assert found.path("corner sofa", "furniture") == ("corner sofa", "sofa", "furniture")
    assert found.parents("chair") == ("furniture",)


def test_other_columns_beside_levels_are_named() -> None:
    with pytest.warns(TaxonomyFileWarning, match="other columns are not kept: price"):
        from_text("level_1,level_2,price\nfurniture,sofa,9\n", "csv")


def test_a_gap_between_levels_is_an_error() -> None:
    with pytest.raises(TaxonomyFileError, match="line 2: expected a term on each level"):
        from_text("Level 1,Level 2,Level 3\nfurniture,,corner sofa\n", "csv")


def test_a_subcategory_is_narrower_than_a_category() -> None:
    found = from_text("Category,Subcategory\nfurniture,sofa\n", "csv")
    assert [edge[:2] for edge in found.edges()] == [("sofa", "furniture")]


def test_lines_with_slashes_are_terms_and_doubted() -> None:
    with pytest.warns(TaxonomyFileWarning, match="most lines have a '/'"):
        assert len(from_text("animal/dog\nanimal/cat\n")) == 2
