"""Benchmarks are read from the files that people publish, and broken ones are named with their line."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from entvec.bundled import PUBLIC, google_news
from entvec.bundled.public import Public
from entvec.errors import BenchmarkFileError, CannotFetch
from entvec.evaluate.benchmark import (
    LABELS,
    NAMES,
    Benchmark,
    find_benchmark,
    find_words,
    held_out_count,
    read_benchmark,
)
from entvec.learn.fitted import FittedMap
from entvec.vectors import Vectors

PAIRS = "dog\tanimal\t1\nanimal\tdog\t0\n"
FUZZED = settings(max_examples=100, deadline=None, derandomize=True)
WORDS = st.sampled_from(["", " ", "dog", "ice cream", "-1", "é", "[", '"']) | st.text(max_size=4)
NUMBERS = [0, 1, -1, 0.5, 1e308, -0.0, True, None]


def written(folder: Path, text: str, name: str = "pairs.tsv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_weeds_json(tmp_path: Path) -> None:
    found = read_benchmark(written(tmp_path, '[["dog", "animal", 1], ["animal", "dog", 0]]', "weeds.json"))
    assert (found.name, found.kind, len(found)) == ("weeds", "detection", 2)
    assert found.pairs.tolist() == [["dog", "animal"], ["animal", "dog"]]
    assert found.positive.tolist() == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "word1\tword2\tlabel\trelation\tfold\ndog\tanimal\tTrue\thyper\ttest\ncat\tdog\tFalse\tcoord\tval\n",
        "dog\tanimal\t1\thyper\ttest\ncat\tdog\t0\tcoord\tval\n",
        "\ufeffword1\tword2\tlabel\trelation\tfold\r\ndog\tanimal\tTrue\thyper\ttest\r\ncat\tdog\tFalse\tcoord\tval\r\n",
        "relation\tfold\tlabel\tword1\tword2\nhyper\ttest\t1\tdog\tanimal\ncoord\tval\t0\tcat\tdog",
    ],
    ids=["names", "no names", "Windows", "another order"],
)
def test_tables_of_the_suites(tmp_path: Path, text: str) -> None:
    found = read_benchmark(written(tmp_path, text))
    assert found.pairs.tolist() == [["dog", "animal"], ["cat", "dog"]]
    assert found.labels.tolist() == [1, 0]
    assert found.relations == ("hyper", "coord")
    assert found.folds == ("test", "val")


def test_a_table_of_three_columns(tmp_path: Path) -> None:
    found = read_benchmark(written(tmp_path, "word1\tword2\tlabel\ndog\tanimal\tTrue\n"))
    assert (found.relations, found.folds) == (None, None)


def test_three_way_labels_are_a_benchmark_of_direction(tmp_path: Path) -> None:
    assert read_benchmark(written(tmp_path, "dog\tanimal\t1\nanimal\tdog\t-1\ndog\tcat\t0\n")).kind == "direction"


def test_scores_are_a_graded_benchmark(tmp_path: Path) -> None:
    found = read_benchmark(written(tmp_path, "WORD1 WORD2 AVG_SCORE\ndog animal 5.5\ncat dog 1.25\n", "hyperlex.txt"))
    assert (found.kind, found.labels.tolist()) == ("graded", [5.5, 1.25])


def test_pairs_without_vectors_are_left_out() -> None:
    vectors = Vectors(["dog", "animal"], np.eye(2))
    benchmark = Benchmark(
        "b", ("dog", "dog", "elf"), ("animal", "elf", "dog"), np.array([1.0, 0, 0]), folds=("a", "b", "c")
    )
    covered = benchmark.covered_by(vectors)
    assert (covered.pairs.tolist(), covered.labels.tolist(), covered.folds) == ([["dog", "animal"]], [1], ("a",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected pairs, found an empty file"),
        ("word1\tword2\tlabel\n", "expected pairs, found none"),
        ("dog\tanimal\t1\ncat\tanimal\n", "line 2: expected 3 columns, found 2"),
        ("dog\tanimal\tmaybe\n", "line 1: expected True or False, or 1, 0, -1 as label, found 'maybe'"),
        ("word1\tword2\tscore\ndog\tanimal\thigh\n", "line 2: expected a number as label, found 'high'"),
        ("[1, 2", "expected JSON, found something else"),
        ('[["dog", "animal"]]', r"pair 1: expected \[hypo, hyper, 1 or 0\], found \['dog', 'animal'\]"),
        ("[]", "expected pairs, found none"),
    ],
)
def test_broken_files_are_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BenchmarkFileError, match=message):
        read_benchmark(written(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkFileError, match="it cannot be read: No such file"):
        read_benchmark(tmp_path / "none.tsv")


@pytest.mark.parametrize(
    ("file", "pairs", "positive", "covered"),
    [("weeds-bless.json", 1668, 834, 1219), ("baroni2012.tsv", 2770, 1385, 2029)],
)
def test_the_real_ones(shared_data: Path, file: str, pairs: int, positive: int, covered: int) -> None:
    found = read_benchmark(shared_data / file)
    assert (len(found), found.positive.sum(), len(found.covered_by(google_news()))) == (pairs, positive, covered)


def test_wordnet_is_bundled() -> None:
    found = find_benchmark("wordnet")
    assert (found.name, found.kind, len(found), found.positive.sum()) == ("wordnet", "detection", 1600, 800)
    assert found.source.startswith("WordNet 3.0")
    assert found.licence == "WordNet 3.0"


def test_a_file_is_found_by_its_path(tmp_path: Path) -> None:
    path = written(tmp_path, PAIRS)
    for given_as in (path, str(path)):
        found = find_benchmark(given_as)
        assert (found.name, len(found), found.source) == ("pairs", 2, str(path))


def test_a_file_here_comes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, PAIRS, "wordnet")
    monkeypatch.chdir(tmp_path)
    assert len(find_benchmark("wordnet")) == 2


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The name of a public benchmark whose file, `pairs-of-2014.tsv`, is in no folder yet, nor at its address."""
    row = Public(
        "pairs-of-2014.tsv",
        "https://nowhere.invalid/x",
        hashlib.sha256(PAIRS.encode()).hexdigest(),
        "CC0",
        "Nobody (2014), Pairs",
    )
    monkeypatch.setitem(PUBLIC, "public-pairs", row)
    monkeypatch.setenv("ENTVEC_DATA", str(tmp_path / "cache"))
    return "public-pairs"


def check_public(found: Benchmark) -> None:
    assert (found.name, found.source, found.licence) == ("public-pairs", "Nobody (2014), Pairs", "CC0")
    assert found.pairs.tolist() == [["dog", "animal"], ["animal", "dog"]]


def test_a_public_name_is_read_from_the_folder(tmp_path: Path, public: str) -> None:
    written(tmp_path, PAIRS, "pairs-of-2014.tsv")
    check_public(find_benchmark(public, folder=tmp_path))
    check_public(find_benchmark(public, folder=str(tmp_path)))


def test_a_public_name_is_read_from_where_the_environment_says(tmp_path: Path, public: str) -> None:
    (tmp_path / "cache").mkdir()
    written(tmp_path / "cache", PAIRS, "pairs-of-2014.tsv")
    check_public(find_benchmark(public))
    check_public(find_benchmark(public, folder=tmp_path / "without"))


def test_a_public_name_in_no_folder_is_fetched(tmp_path: Path, public: str) -> None:
    with pytest.raises(CannotFetch, match=r"cannot fetch pairs-of-2014\.tsv from https://nowhere\.invalid/x"):
        find_benchmark(public, folder=tmp_path)


@pytest.mark.parametrize("name", ["wordnet2", "no/such/file.tsv", "", "."])
def test_an_unknown_name_is_a_file_that_cannot_be_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BenchmarkFileError, match="it cannot be read"):
        find_benchmark(name)


def read_whatever(path: Path, content: bytes) -> Benchmark | None:
    """What is read from a file with this content, which is sound; None if it is refused."""
    path.write_bytes(content)
    try:
        found = read_benchmark(path)
    except BenchmarkFileError:
        return None
    assert len(found) == len(found.hypo) == len(found.hyper) == len(found.labels) > 0
    assert found.relations is None or len(found.relations) == len(found)
    assert found.folds is None or len(found.folds) == len(found)
    assert {*map(type, found.hypo), *map(type, found.hyper)} == {str}
    assert found.labels.dtype == np.float64
    assert np.isfinite(found.labels).all()
    assert found.kind == "graded" or set(found.labels) <= {1, 0, -1}
    assert found.kind == "graded" or (found.kind == "direction") == (-1 in found.labels)
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzzed") / "pairs"


@FUZZED
@given(content=st.binary(max_size=60) | st.text().map(str.encode))
@example(content=b"\xef\xbb\xbfdog\tanimal\t1")
@example(content="dog\tanimal\t1".encode("utf-16"))
@example(content=b"dog\tanimal\t1\0\n")
@example(content=b"dog\tani\xffmal\t1\n")
def test_any_bytes_are_pairs_or_refused(path: Path, content: bytes) -> None:
    read_whatever(path, content)


@FUZZED
@given(
    header=st.none()
    | st.permutations([names[0] for names in NAMES.values()]).flatmap(
        lambda names: st.integers(0, len(names)).map(lambda n: names[:n])
    ),
    rows=st.lists(
        st.lists(WORDS | st.sampled_from([*LABELS, "TRUE", " 1", "2.5", "1e-9", "x"]), min_size=2, max_size=6),
        max_size=4,
    ),
    between=st.sampled_from(["\t", " ", "\t\t"]),
    end=st.sampled_from(["\n", "\r\n", "\n\n", "\r"]),
)
def test_any_table_is_pairs_or_refused(
    path: Path, header: list[str] | None, rows: list[list[str]], between: str, end: str
) -> None:
    lines = [between.join(row) for row in ([] if header is None else [header]) + rows]
    read_whatever(path, end.join(lines).encode())


@FUZZED
@given(
    roles=st.permutations(list(NAMES)),
    score=st.booleans(),
    rows=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from("10")), min_size=1),
)
def test_a_table_is_read_whatever_the_order_of_its_columns(
    path: Path, roles: list[str], score: bool, rows: list[tuple[str, str, str]]
) -> None:
    roles = [role for role in roles if role != ("label" if score else "score")]
    told = [
        dict(zip(("hypo", "hyper", "label"), row, strict=True)) | {"score": row[2] + ".5", "relation": "r", "fold": "f"}
        for row in rows
    ]
    lines = [[NAMES[role][-1] for role in roles], *([row[role] for role in roles] for row in told)]
    found = read_whatever(path, "\n".join("\t".join(line) for line in lines).encode())
    assert found is not None
    assert found.pairs.tolist() == [[hypo, hyper] for hypo, hyper, _ in rows]
    assert found.labels.tolist() == [float(label) + score / 2 for _, _, label in rows]
    assert found.kind == ("graded" if score else "detection")
    assert (found.relations, found.folds) == (("r",) * len(rows), ("f",) * len(rows))


@FUZZED
@given(
    st.recursive(
        st.sampled_from(NUMBERS) | WORDS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=2),
    )
    | st.lists(st.tuples(WORDS, WORDS, st.sampled_from(NUMBERS)) | st.just(("dog", "animal", 1)), max_size=4)
)
@example([["dog", "animal", float("nan")]])
@example([["dog", "animal", float("inf")]])
@example([["dog", "animal", 10**400]])
@example([["dog", "animal", "1"]])
@example([["dog", "animal", [1]]])
@example([["dog", 1, 1]])
@example([])
@example([[]])
def test_any_json_is_pairs_or_refused(path: Path, content: object) -> None:
    found = read_whatever(path, json.dumps(content).encode())
    if found is not None and isinstance(content, list):
        assert list(zip(found.hypo, found.hyper, found.labels, strict=True)) == [tuple(row) for row in content]


@pytest.mark.parametrize("grade", ["nan", "inf", "-inf", "1e999"])
def test_grades_are_finite(path: Path, grade: str) -> None:
    assert read_whatever(path, f"word1\tword2\tscore\ndog\tanimal\t{grade}\n".encode()) is None


def test_deep_json_is_refused(path: Path) -> None:
    assert read_whatever(path, b"[" * 100_000) is None


# Words


def test_the_words_of_a_benchmark_are_those_of_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("word1\tword2\tlabel\ndog\tanimal\t1\ndog\tcat\t0\n")
    assert find_words(path) == ["dog", "animal", "cat"]
    path.write_text(json.dumps([["dog", "animal", 1], ["stone", "dog", 0]]))
    assert find_words(path) == ["dog", "stone", "animal"]


def test_a_list_has_one_word_a_line(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\ufeffdog\r\n\nnew_york \ndog\n", encoding="utf-8")
    assert find_words(path) == ["dog", "new_york"]


def test_a_name_of_several_words_in_a_list_may_have_spaces(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("dog\nice cream\n", encoding="utf-8")
    assert find_words(path) == ["dog", "ice_cream"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected pairs, found an empty file"),
        (b"dog\tanimal\n", "expected columns word1, word2 and label"),
        (b"\xff\xfe\xff", "it cannot be read"),
        (None, "expected a file, or one of wordnet"),
    ],
)
def test_files_with_other_things_are_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "words.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BenchmarkFileError, match=message):
        find_words(path)


def test_a_map_tells_which_words_it_has_not_seen() -> None:
    plain = FittedMap("backward", np.eye(2), np.zeros(2))
    told = FittedMap("backward", np.eye(2), np.zeros(2), metadata={"held_out": "dog\nParis"})
    assert held_out_count(None, ["dog"]) is None
    assert held_out_count(plain, ["dog"]) is None
    assert held_out_count(told, ["dog", "paris", "cat"]) == 2
    assert held_out_count(FittedMap("backward", np.eye(2), np.zeros(2), metadata={"held_out": ""}), ["dog", ""]) == 0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_on_any_system(tmp_path: Path, end: str) -> None:
    (tmp_path / "pairs.tsv").write_bytes(f"dog\tanimal\t1{end}cat\tstone\t0{end}".encode())
    assert read_benchmark(tmp_path / "pairs.tsv").hyper == ("animal", "stone")


def test_a_device_or_a_pipe_without_a_writer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.files.WRITER_SECONDS", 0.01)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BenchmarkFileError, match=r"pipe: it cannot be read: it is a pipe that nobody writes to"):
        read_benchmark(tmp_path / "pipe")
    with pytest.raises(BenchmarkFileError, match=r"/dev/zero: it cannot be read: it is a device"):
        read_benchmark("/dev/zero")


@pytest.mark.parametrize(
    "text",
    [
        'child,parent,label\ndog,animal,1\n"ice cream, cone",food,0\n',
        "label\tnarrower\tbroader\n1\tdog\tanimal\n0\tice cream, cone\tfood\n",
        'entails;x,Hyponym,Hypernym,label\n,dog,animal,yes\n,"ice cream, cone",food,no\n',
    ],
)
def test_commas_and_other_names_of_columns_are_known(tmp_path: Path, text: str) -> None:
    (tmp_path / "pairs.csv").write_text(text)
    found = read_benchmark(tmp_path / "pairs.csv")
    assert (found.hypo, found.hyper) == (("dog", "ice cream, cone"), ("animal", "food"))
    assert found.positive.tolist() == [True, False]


def test_commas_without_a_header_are_known_too(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("dog,animal,1\nanimal,dog,0\n")
    assert read_benchmark(tmp_path / "pairs.csv").positive.tolist() == [True, False]
    (tmp_path / "pairs.csv").write_text('dog,animal,1\n"animal,dog,0\n')
    with pytest.raises(BenchmarkFileError, match="line 2: expected comma-separated values"):
        read_benchmark(tmp_path / "pairs.csv")
