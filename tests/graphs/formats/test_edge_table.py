"""Tables of edges, with and without a header."""

from pathlib import Path

import numpy as np
import pytest

from entvec.errors import CannotWrite, TaxonomyFileError
from entvec.graphs import Taxonomy, left_out, read, to_text, write


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
