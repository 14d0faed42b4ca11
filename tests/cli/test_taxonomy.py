"""`entvec taxonomy place`, `common`, `group`, `build` and `audit`."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import entvec
from entvec.bundled import google_news
from entvec.cli import app
from entvec.graphs import read
from entvec.space import EntailmentSpace
from entvec.space.default import default_space
from entvec.taxonomy.findings import BY_SPACE, KINDS

FRUIT = ("apple", "banana", "cherry")
MIXED = ("dog", "cat", "horse", "car", "truck", "bus")
THINGS = ("dog", "cat", "animal", "car", "truck", "vehicle")
SURE = ("--least", "0.5")
TREE = {("dog", "animal"), ("cat", "animal"), ("car", "vehicle"), ("truck", "vehicle")}


@pytest.fixture(scope="module", autouse=True)
def _one_space() -> Iterator[None]:
    """The default space is made once, not for each command."""
    space = default_space()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entvec, "load", lambda path=None: EntailmentSpace.load(path) if path else space)
        yield


def ask(*arguments: str | Path, piped: str | bytes | None = None) -> Result:
    told = ["taxonomy", *map(str, arguments)]
    return CliRunner().invoke(app, told, input=piped, env={"COLUMNS": "80", "TERM": "dumb"})


def asked(*arguments: str | Path, piped: str | None = None) -> Any:
    """What programs are told."""
    done = ask(*arguments, "--format", "json", piped=piped)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def columns(*arguments: str | Path) -> list[list[str]]:
    done = ask(*arguments, "--format", "tsv")
    assert done.exit_code == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def plain(text: str) -> str:
    """A message without the frame around it."""
    return " ".join(text.replace("│", " ").split())


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of a few words, in a space without probabilities."""
    path = tmp_path_factory.mktemp("news") / "news.safetensors"
    google_news().subset([*FRUIT, *THINGS, "poodle", "fruit", "fruits", "stone"]).save(path)
    return path


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    path = tmp_path / "pets.tsv"
    path.write_text("hypo\thyper\nspaniel\tdog\ndog\tanimal\ncat\tanimal\n")
    return path


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """Terms whose identifiers are no words."""
    path = tmp_path / "named.obo"
    terms = {"X:1": ("animal", ""), "X:2": ("dog", "is_a: X:1\n"), "X:3": ("cat", "is_a: X:1\n")}
    stanzas = (f"[Term]\nid: {term}\nname: {name}\n{edges}" for term, (name, edges) in terms.items())
    path.write_text("format-version: 1.2\n\n" + "\n".join(stanzas))
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A taxonomy with something of every kind but a contradiction."""
    path = tmp_path / "broken.tsv"
    lines = ["hypo\thyper", "poodle\tdog", "dog\tanimal", "cat\tanimal", "poodle\tanimal", "dog\tanimal", "dog\tdog"]
    lines += ["car\tvehicle", "truck\tvehicle", "horse\tvehicle", "horse\tpiano", "animal\tcat", "qzqz\tanimal"]
    path.write_text("\n".join([*lines, "unicorn\t"]) + "\n")
    return path


# Placing a term


def test_a_term_is_placed_among_parents_and_children() -> None:
    told = asked("place", "theremin", "--like", "violin", "--like", "piano", "-k", "4")
    assert list(told) == ["term", "facts", "not_entails", "parents", "children"]
    assert [(fact["word"], fact["relation"]) for fact in told["facts"]] == [("violin", "like"), ("piano", "like")]
    assert "instrument" in [match["word"] for match in told["parents"]]
    assert "cello" in [match["word"] for match in told["children"]]
    assert all(0 < match["probability"] < 1 for match in told["parents"] + told["children"])
    assert len(told["parents"]) == len(told["children"]) == 4


def test_each_option_of_place_is_a_kind_of_fact() -> None:
    facts = ("--entails", "instrument", "--entailed-by", "guitar", "--like", "violin", "--not-entails", "tool")
    told = asked("place", "cello", *facts, "-k", "1")
    assert [(fact["word"], fact["relation"]) for fact in told["facts"]] == [
        ("cello", "own"),
        ("instrument", "entails"),
        ("guitar", "entailed_by"),
        ("violin", "like"),
    ]
    assert told["not_entails"] == ["tool"]
    without = asked("place", "cello", *facts, "-k", "1", "--no-own")
    assert [fact["relation"] for fact in without["facts"]] == ["entails", "entailed_by", "like"]


def test_the_facts_are_told_in_plain_words() -> None:
    facts = ("--entails", "instrument", "--entailed-by", "viola", "--like", "violin", "--not-entails", "tool")
    lines = ask("place", "bass guitar", *facts, "-k", "1").stdout.splitlines()
    assert lines[:6] == [
        "What is known of bass guitar:",
        "  its name is composed of bass (counts 0.3), guitar (counts 0.7)",
        "  it entails instrument",
        "  it is entailed by viola",
        "  it is like violin",
        "  it does not entail tool",
    ]
    assert "bass guitar entails" in lines
    assert "bass guitar is entailed by" in lines
    assert "  it has a vector" in ask("place", "cello", "-k", "1").stdout.splitlines()


def test_a_placement_as_lines() -> None:
    lines = columns("place", "theremin", "--like", "violin", "-k", "2")
    assert lines[0] == ["term", "relation", "word", "probability", "score"]
    assert [line[:2] for line in lines[1:]] == [["theremin", "parent"]] * 2 + [["theremin", "child"]] * 2
    assert all(0 < float(line[3]) < 1 and float(line[4]) < 0 for line in lines[1:])


def test_parents_and_children_may_be_those_of_a_taxonomy(named: Path) -> None:
    told = asked("place", "poodle", "--taxonomy", named)
    assert {match["word"] for match in told["parents"]} == {"animal", "dog", "cat"}
    assert told["parents"][0]["word"] == "dog"


def test_facts_that_contradict_the_taxonomy_are_refused(pets: Path) -> None:
    done = ask("place", "beagle", "--entails", "dog", "--not-entails", "animal", "--taxonomy", pets)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "beagle => dog => animal" in done.stderr


def test_what_entails_a_term_must_agree_with_the_taxonomy_too(pets: Path) -> None:
    done = ask("place", "dog", "--entailed-by", "animal", "--taxonomy", pets)
    assert done.exit_code == 1
    assert "dog => animal" in done.stderr


def test_the_vector_is_only_told_on_request() -> None:
    told = asked("place", "theremin", "--like", "violin", "--vector", "-k", "0")
    assert len(told["vector"]) == default_space().vocabulary.dimension
    assert (told["parents"], told["children"]) == ([], [])
    assert "nothing that was found" in ask("place", "theremin", "--like", "violin", "-k", "0").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["qzqz"], 1, "nothing is known of 'qzqz'"),
        ([" "], 1, "a name that is not empty"),
        (["dog", "--like", "dgo"], 1, "no word 'dgo'"),
        (["dog", "--entails", "cat", "--like", "cat"], 1, "contradict each other"),
        (["dog", "--vector"], 2, "--format json"),
        (["dog", "-k", "-1"], 2, "-k"),
        (["dog", "--taxonomy", "none.tsv"], 1, "none.tsv: there is no such file"),
        ([], 2, "Missing argument"),
    ],
)
def test_what_cannot_be_placed_is_told(arguments: list[str], code: int, message: str) -> None:
    done = ask("place", *arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in plain(done.stderr)


# What words have in common


def test_words_have_a_name_in_common() -> None:
    told = asked("common", *FRUIT, "-k", "2")
    assert told["words"] == list(FRUIT)
    assert [name["word"] for name in told["names"]] == ["fruit", "berry"]


def test_the_table_says_how_many_of_the_words_entail_a_name() -> None:
    lines = [line.split() for line in ask("common", *FRUIT, "-k", "1").stdout.splitlines()]
    assert lines[0] == ["apple,", "banana", "and", "cherry", "entail"]
    [row] = [line for line in lines if line[:1] == ["fruit"]]
    assert row[2:] == ["3", "of", "3"]
    assert ask("common", "apple", "-k", "1").stdout.startswith("apple entails\n")
    assert "apple and 2 more entail\n" in ask("common", *MIXED, *MIXED, *FRUIT, "-k", "1").stdout


def test_names_as_lines() -> None:
    lines = columns("common", *FRUIT, "-k", "2")
    assert lines[0] == ["name", "probability", "entailed_by", "words"]
    assert [line[0] for line in lines[1:]] == ["fruit", "berry"]
    assert [line[2:] for line in lines[1:]] == [["3", "3"], ["3", "3"]]
    assert 0.9 < float(lines[1][1]) < 1


def test_strays_count_less_with_a_share() -> None:
    strayed = (*FRUIT, "piano")
    assert asked("common", *strayed, "--share", "0.75", "-k", "1")["names"][0]["word"] == "fruit"
    assert asked("common", *strayed, "-k", "1") != asked("common", *strayed, "-k", "1", "--share", "0.75")


def test_forms_of_a_word_are_one_unless_told(news: Path) -> None:
    def names(*options: str) -> set[str]:
        return {name["word"] for name in asked("common", "apple", "banana", "--vectors", news, *options)["names"]}

    assert len(names() & {"fruit", "fruits"}) == 1
    assert names("--no-group") >= {"fruit", "fruits"}


def test_a_space_without_probabilities_leaves_them_out(news: Path) -> None:
    options = ("common", *FRUIT, "--vectors", news, "-k", "1")
    assert columns(*options)[1][1:] == ["", "", "3"]
    assert "probability" not in ask(*options).stdout
    assert ask("place", "theremin", "--like", "dog", "--vectors", news, "-k", "1").exit_code == 0
    assert columns("place", "theremin", "--like", "dog", "--vectors", news, "-k", "1")[1][3] == ""


def test_groups_have_names() -> None:
    told = asked("group", *MIXED, "-n", "2", "-k", "1")
    assert [one["words"] for one in told] == [list(MIXED[:3]), list(MIXED[3:])]
    assert [one["names"][0]["word"] for one in told] == ["animal", "vehicle"]
    assert all(len(one["names"]) == 1 for one in told)


def test_groups_as_lines_have_a_word_each() -> None:
    lines = columns("group", *MIXED, "-n", "2", "-k", "2")
    assert lines[0] == ["word", "group", "names", "why_unplaced"]
    assert [line[:2] for line in lines[1:]] == [[word, "1" if word in MIXED[:3] else "2"] for word in MIXED]
    assert lines[1][2].split()[0] == "animal"
    assert len(lines[1][2].split()) == 2


def test_groups_as_tables() -> None:
    told = ask("group", *MIXED, "-n", "2", "-k", "1").stdout
    assert "dog, cat, horse\n" in told
    assert "\n\ncar, truck, bus\n" in told
    assert told.index("animal") < told.index("car, truck") < told.index("vehicle")


def test_groups_are_as_many_as_the_root_of_the_words_unless_said() -> None:
    done = ask("group", *MIXED, "--format", "json")
    assert len(json.loads(done.stdout)) == round(len(MIXED) ** 0.5)


def test_no_more_groups_than_words_with_a_vector_of_their_own() -> None:
    done = ask("group", "dog", "Dog", "dog ", "-n", "2")
    assert done.exit_code == 1
    assert "expected 1 to 1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["group", *MIXED, "-n", "0"], 2, "-n"),
        (["group", *MIXED, "-n", "7"], 1, "n is 7, expected 1 to 6"),
        (["common", *FRUIT, "-k", "0"], 2, "-k"),
        (["common", *FRUIT, "--share", "0"], 2, "--share"),
        (["common", *FRUIT, "--share", "1.5"], 2, "--share"),
        (["common", "dgo", "qzqz"], 1, "2 words are not among 31,530: 'dgo'"),
        (["common", ""], 2, "an empty word"),
        (["common", "--file", "none.txt"], 1, "none.txt: No such file or directory"),
        (["build", "--least", "2"], 2, "--least"),
        (["build", "dog", "--shape", "ring"], 2, "--shape"),
        (["build", "dog", "cat", "--root", "cat"], 1, "root is 'cat', which is one of the words"),
        (["build", "dog", "--format", "xls"], 2, "--format"),
        (["build", "dog", "--edges", "none.tsv"], 1, "none.tsv: there is no such file"),
        (["build", "dog", "-o", "new.xls"], 1, "its name does not tell the format"),
        (["build", "dog", "-o", "new.tsv", "--format", "table"], 2, "a drawn tree is not written to a file"),
    ],
)
def test_what_makes_no_sense_is_told(arguments: list[str], code: int, message: str) -> None:
    done = ask(*arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in plain(done.stderr)


def test_probabilities_are_needed_to_build(news: Path) -> None:
    done = ask("build", "dog", "animal", "--vectors", news)
    assert done.exit_code == 1
    assert done.stderr.startswith("entvec: this space has no probabilities")


# Where words come from


@pytest.mark.parametrize("command", [("common",), ("group", "-n", "1")])
def test_no_words_are_told(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n  \n")
    for done in (
        ask(*command, piped=""),
        ask(*command, "-", piped="\n"),
        ask(*command, "--file", tmp_path / "empty.txt"),
    ):
        assert (done.exit_code, done.stdout) == (2, "")
        assert "no words, expected some" in plain(done.stderr)


def test_words_come_from_arguments_a_file_and_a_pipe(tmp_path: Path) -> None:
    def words(*arguments: str | Path, piped: str | None = None) -> list[str]:
        return list(asked("common", *arguments, "-k", "1", piped=piped)["words"])

    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbfapple\r\n\r\n  ice cream \r\ncherry")
    assert words("--file", path) == ["apple", "ice cream", "cherry"]
    assert words("dog", "--file", path, piped="cat\n") == ["dog", "apple", "ice cream", "cherry"]
    assert words(piped="dog\ncat\ndog\n") == ["dog", "cat"]
    assert words("horse", "-", piped="dog\ncat\n") == ["horse", "dog", "cat"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"dog\ncat\tanimal\n", "line 2: expected one word, found several columns"),
        (b"dog\ncat\ncaf\xe9\n", "line 3: expected text in UTF-8"),
    ],
)
def test_what_is_no_list_of_words_is_told_with_its_line(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_bytes(content)
    for done, name in (
        (ask("build", piped=content), "the standard input"),
        (ask("build", "--file", tmp_path / "odd.txt"), str(tmp_path / "odd.txt")),
    ):
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.startswith(f"entvec: {name}, {message}")


@pytest.mark.parametrize("command", [("common",), ("group", "-n", "1")])
def test_unknown_words_are_unplaced_with_the_reason(command: tuple[str, ...]) -> None:
    done = ask(*command, "dog", "qzqz", "cat")
    assert done.exit_code == 0
    assert "dog" in done.stdout
    assert "unplaced: qzqz: nothing is known of it" in done.stderr
    told = json.loads(ask(*command, "dog", "qzqz", "cat", "--format", "json").stdout)
    assert "qzqz" in (told if isinstance(told, dict) else told[-1])["unplaced"]


def test_every_word_of_a_list_is_in_the_table_of_groups() -> None:
    words = ["dog", "qzqz", "Dog", "cat", "car"]
    done = ask("group", *words, "-n", "2", "--format", "tsv")
    assert {line.split("\t")[0] for line in done.stdout.splitlines()[1:]} == {*words}


def test_columns_are_no_words_and_titles_are_said(tmp_path: Path) -> None:
    words = tmp_path / "words.csv"
    words.write_text("name;parent\nsofa;furniture\n")
    done = ask("build", "--file", words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "found columns (name, parent)" in done.stderr
    words.write_text("Category\nanimal\n  dog\n")
    done = ask("build", "--file", words)
    assert {line.split()[0] for line in done.stdout.replace("└── ", "").splitlines()} == {"animal", "dog"}
    assert "'Category' is taken for the title" in done.stderr
    assert "are indented" in done.stderr


# Building


def test_every_word_is_in_the_draft_and_those_on_top_have_a_reason(tmp_path: Path) -> None:
    review = tmp_path / "guesses.csv"
    done = ask("build", "dog", "qzqz", "animal", "piano", "--review", review)
    assert done.exit_code == 0
    assert {line.split()[0] for line in done.stdout.splitlines()} >= {"animal", "qzqz", "piano"}
    assert "on top: piano: no word of the list is its parent" in done.stderr
    assert "on top: qzqz: " in done.stderr
    assert {line.split(",")[1] for line in review.read_text().splitlines()} >= {"term", "qzqz", "piano"}


def test_what_is_imported_is_marked_and_its_roots_and_lone_terms_stay(tmp_path: Path) -> None:
    path = tmp_path / "known.csv"
    path.write_text("hypo,hyper\nanimal,merchandise\nhouse,\n")
    done = ask("build", "dog", "--edges", path)
    assert done.stdout.splitlines()[:2] == ["merchandise", "└── animal = 1.00"]
    assert done.stdout.splitlines()[2].startswith("    └── dog 0.9")
    assert "house" in done.stdout.splitlines()
    assert "= marks terms whose parent was imported: 1" in done.stderr


def edges(text: str) -> set[tuple[str, str]]:
    rows = [line.split("\t") for line in text.splitlines()]
    assert rows[0][:2] == ["hypo", "hyper"]
    return {(row[0], row[1]) for row in rows[1:] if row[1]}


def test_words_become_a_tree_for_people() -> None:
    done = ask("build", *THINGS, *SURE)
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert {"animal", "vehicle"} <= set(lines)
    assert len(lines) == len(THINGS)
    [cat] = [line for line in lines if "cat" in line]
    assert cat.startswith("└── cat ")
    assert float(cat.split()[-1]) > 0.9


def test_words_become_edges_for_programs() -> None:
    assert edges(ask("build", *THINGS, *SURE, "--format", "tsv").stdout) == TREE
    told = asked("build", *THINGS, *SURE)
    assert {(edge["source"], edge["target"]) for edge in told["edges"]} == TREE
    assert all(0.5 < edge["probability"] <= 1 for edge in told["edges"])


def test_words_become_an_indented_list() -> None:
    assert ask("build", "dog", "animal", "--format", "outline").stdout == "animal\n  dog\n"


def test_words_become_pictures() -> None:
    assert ask("build", "dog", "animal", "--format", "mermaid").stdout.startswith("flowchart ")
    assert '"dog" -> "animal"' in ask("build", "dog", "animal", "--format", "dot").stdout


def test_concepts_that_were_added_are_marked() -> None:
    done = ask("build", *MIXED, "--add")
    words = [line.lstrip("├└│─ ").split() for line in done.stdout.splitlines()]
    added = {word for word, *rest in words if "+" in rest}
    assert added == {word for word, *_ in words} - set(MIXED) != set()
    assert done.stderr == f"entvec: + marks concepts that were added: {len(added)}\n"
    assert "+" not in ask("build", *MIXED, "--add", "--format", "tsv").stdout
    assert "+" not in ask("build", *MIXED).stdout


def test_a_root_is_over_all_that_would_stay_on_top() -> None:
    lines = ask("build", *THINGS, *SURE, "--root", "my things").stdout.splitlines()
    assert lines[0] == "my things"
    assert {line[4:] for line in lines if line[:1] in "├└"} == {"animal", "vehicle"}


def test_an_edge_must_be_as_probable_as_is_asked_for() -> None:
    assert edges(ask("build", *THINGS, "--least", "1", "--format", "tsv").stdout) == set()
    assert edges(ask("build", *THINGS, "--least", "0", "--format", "tsv").stdout) >= TREE


def test_a_dag_may_have_several_parents() -> None:
    words = ("queen", "woman", "ruler", "leader", "king", "person", "actress")
    tree, dag = (edges(ask("build", *words, "--shape", shape, "--format", "tsv").stdout) for shape in ("tree", "dag"))
    assert len({hypo for hypo, _ in tree}) == len(tree)
    assert len({hypo for hypo, _ in dag}) < len(dag)


def test_what_is_known_holds_and_what_is_denied_does_not(tmp_path: Path) -> None:
    path = tmp_path / "known.tsv"
    path.write_text("hypo\thyper\trelation\ncat\tvehicle\tentails\ndog\tanimal\tnot_entails\n")
    told = asked("build", *THINGS, "--edges", path)["edges"]
    found = {(edge["source"], edge["target"]) for edge in told}
    assert ("cat", "vehicle") in found
    assert ("cat", "animal") not in found
    assert ("dog", "animal") not in found


def test_what_is_known_is_enough_to_build_from(named: Path) -> None:
    done = ask("build", "--edges", named, "--format", "tsv", piped="")
    assert edges(done.stdout) == {("dog", "animal"), ("cat", "animal")}


def test_words_of_known_edges_need_no_vector(tmp_path: Path) -> None:
    (tmp_path / "known.tsv").write_text("dog\tqzqz\ncat\tanimal\n")
    done = ask("build", "dog", "--edges", tmp_path / "known.tsv", "--format", "tsv")
    assert {("cat", "animal"), ("dog", "qzqz")} <= edges(done.stdout)


@pytest.mark.parametrize("ending", ["tsv", "outline", "ttl", "obo", "graphml", "json", "csv.gz"])
def test_a_file_is_written_in_any_format(ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"things.{ending}"
    done = ask("build", *THINGS, *SURE, "-o", target)
    assert (done.exit_code, done.stdout) == (0, "")
    assert f"written: {target} (6 terms, 4 edges)" in done.stderr
    assert ("cannot hold 4 probabilities: left out" in done.stderr) == (ending in ("ttl", "obo", "outline"))
    found = read(target)
    assert {(found.label(edge.hypo), found.label(edge.hyper)) for edge in found.edges()} == TREE


def test_the_format_of_a_file_may_be_named(tmp_path: Path) -> None:
    ask("build", "dog", "animal", "-o", tmp_path / "picture", "--format", "dot")
    assert (tmp_path / "picture").read_text() == ask("build", "dog", "animal", "--format", "dot").stdout


# Auditing


def test_findings_for_programs(broken: Path) -> None:
    done = ask("audit", broken, "--format", "json")
    told = json.loads(done.stdout)
    assert list(told) == ["file", "terms", "edges", "without_vector", "counts", "findings", "failed"]
    assert (told["file"], told["failed"], told["without_vector"]) == (str(broken), ["cycle"], ["qzqz"])
    assert list(told["counts"]) == list(KINDS)
    assert {kind for kind, n in told["counts"].items() if n} >= {"cycle", "redundant", "repeated", "self", "orphan"}
    assert sum(told["counts"].values()) == len(told["findings"])
    [cycle] = [one for one in told["findings"] if one["kind"] == "cycle"]
    assert list(cycle) == [
        "id",
        "kind",
        "hypo",
        "hyper",
        "reason",
        "severity",
        "probability",
        "reversed_probability",
        "path",
        "instead",
        "fix",
    ]
    assert cycle["path"] == ["cat", "animal", "cat"]


def test_findings_for_people(broken: Path) -> None:
    lines = ask("audit", broken).stdout.splitlines()
    assert lines[0] == f"{broken}: 11 terms, 10 edges"
    assert "Terms of which nothing is known, and so of their edges: 1 (qzqz)" in lines
    assert [line.split()[:2] for line in lines if line.startswith(" cycle ")] == [["cycle", "1"]]
    assert "redundant: edges that follow from others" in lines
    after = lines[lines.index("redundant: edges that follow from others") + 1 :]
    assert after[:2] == ["     poodle → animal", "     follows from poodle => dog => animal"]
    assert max(map(len, lines[1:])) <= 80


def test_findings_as_lines(broken: Path) -> None:
    lines = columns("audit", broken, "--fail-on", "none")
    assert lines[0] == [
        "kind",
        "severity",
        "hypo",
        "hyper",
        "probability",
        "reversed_probability",
        "path",
        "reason",
        "fix",
        "id",
    ]
    assert lines[1][:7] == ["cycle", "1.0000", "animal", "cat", "", "", "cat => animal => cat"]
    assert {len(line) for line in lines} == {10}
    [orphan] = [line for line in lines if line[0] == "orphan"]
    assert orphan[2:4] == ["unicorn", ""]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((), 1, "entvec: found what --fail-on names: cycle\n"),
        (("--fail-on", "cycle,orphan"), 1, "entvec: found what --fail-on names: cycle, orphan\n"),
        (("--fail-on", "self", "--fail-on", " orphan "), 1, "entvec: found what --fail-on names: self, orphan\n"),
        (("--fail-on", "contradiction"), 0, ""),
        (("--fail-on", "none"), 0, ""),
    ],
)
def test_the_exit_code_tells_programs_of_grave_findings(
    broken: Path, options: tuple[str, ...], code: int, message: str
) -> None:
    done = ask("audit", broken, "--no-vectors", *options)
    assert (done.exit_code, done.stderr) == (code, message)


def test_a_contradiction_is_grave(tmp_path: Path) -> None:
    path = tmp_path / "denied.tsv"
    path.write_text("hypo\thyper\trelation\npoodle\tdog\t\ndog\tanimal\t\npoodle\tanimal\tnot_entails\n")
    done = ask("audit", path, "--no-vectors", "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)["failed"]) == (1, ["contradiction"])


def test_a_sound_taxonomy_has_nothing_to_list(pets: Path) -> None:
    done = ask("audit", pets, "--no-vectors", "--fail-on", "cycle,contradiction,redundant,repeated,self,orphan")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "→" not in done.stdout


def test_without_vectors_what_they_would_tell_has_no_count(broken: Path) -> None:
    told = json.loads(ask("audit", broken, "--no-vectors", "--format", "json").stdout)
    assert {kind for kind, n in told["counts"].items() if n is None} == set(BY_SPACE)
    assert told["counts"]["cycle"] == 1
    rows = [line.split() for line in ask("audit", broken, "--no-vectors").stdout.splitlines()]
    assert ["reversed", "-"] in [row[:2] for row in rows]


def test_missing_edges_are_not_looked_for_if_that_is_not_wanted(broken: Path) -> None:
    counts = json.loads(ask("audit", broken, "--no-missing", "--format", "json").stdout)["counts"]
    assert counts["missing"] is None
    assert counts["improbable"]


def test_findings_may_be_of_some_kinds_and_few(broken: Path) -> None:
    def kinds(*options: str) -> list[str]:
        return [row[0] for row in columns("audit", broken, "--no-vectors", "--fail-on", "none", *options)[1:]]

    assert kinds("--kind", "orphan,cycle") == ["cycle", "orphan"]
    assert kinds("--kind", "orphan", "--kind", "self") == ["self", "orphan"]
    assert kinds("-k", "0") == []
    assert ask("audit", broken, "--no-vectors", "--kind", "orphan").exit_code == 1  # the cycle is there all the same


def test_a_table_lists_ten_of_a_kind_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "alone.tsv"
    path.write_text("dog\tanimal\n" + "".join(f"thing{i}\tthing{i}\n" for i in range(12)))
    few, more = ask("audit", path, "--no-vectors").stdout, ask("audit", path, "--no-vectors", "-k", "11").stdout
    assert (few.count("everything entails itself"), more.count("everything entails itself")) == (10, 11)
    assert "  … 2 more; -k lists more of them" in few
    assert len(columns("audit", path, "--no-vectors", "--kind", "self")) == 13


def test_terms_are_shown_by_their_labels(named: Path) -> None:
    named.write_text(named.read_text().replace("name: animal\n", "name: animal\nis_a: X:3\n"))
    assert "animal → cat" in ask("audit", named, "--no-vectors").stdout.replace("cat → animal", "animal → cat")


def test_reasons_have_labels_in_them(named: Path) -> None:
    named.write_text(named.read_text().replace("name: animal\n", "name: animal\nis_a: X:3\n"))
    assert "X:" not in ask("audit", named, "--no-vectors").stdout


def test_what_is_denied_is_not_missing(tmp_path: Path) -> None:
    path = tmp_path / "denied.tsv"
    path.write_text("hypo\thyper\trelation\ndog\tanimal\tnot_entails\ncat\tanimal\tentails\nhorse\tanimal\tentails\n")
    assert "dog" not in [row[2] for row in columns("audit", path, "--kind", "missing")]


def test_a_taxonomy_may_be_piped_in(broken: Path) -> None:
    done = run("audit", "-", "--no-vectors", "--format", "json", piped=broken.read_text())
    assert done.returncode == 1
    assert json.loads(done.stdout)["terms"] == 11


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.txt"
    path.write_text("food\n  cheese\n    espresso\n    cheddar\nvehicle\n  car\n    wheel\n    Cars\n")
    return path


def test_findings_that_are_accepted_stay_out(shop: Path, tmp_path: Path) -> None:
    strict = ("--fail-on", "improbable,part,duplicate")
    lines = columns("audit", shop, "--fail-on", "none")[1:]
    assert {(line[0], line[2], line[3]) for line in lines} >= {
        ("improbable", "espresso", "cheese"),
        ("part", "wheel", "car"),
        ("duplicate", "Cars", "car"),
    }
    known = tmp_path / "accepted.txt"
    known.write_text("# accepted\n" + "".join(f"{line[9]} because\n" for line in lines) + "orphan-00000000\n")
    assert ask("audit", shop, *strict).exit_code == 1
    done = ask("audit", shop, *strict, "--baseline", known)
    assert done.exit_code == 0
    assert f"{len(lines)} findings are in {known}, which names 1 more that are not there" in done.stderr
    assert ask("audit", shop, "--baseline", tmp_path / "none.txt").exit_code == 2


def test_fixes_are_a_review_that_is_applied_and_rejected_ones_a_baseline(shop: Path, tmp_path: Path) -> None:
    review = tmp_path / "fixes.csv"
    done = ask("audit", shop, "--review", review, "--fail-on", "none", "--kind", "improbable,part,duplicate")
    assert f"written: {review} (3 findings)" in done.stderr
    lines = review.read_text().splitlines()
    decided = [f"{'reject' if 'wheel' in line else 'accept'}{line}" for line in lines[1:]]
    review.write_text("\n".join([lines[0], *decided]) + "\n")
    done = ask("apply", review, "--taxonomy", shop, "-o", tmp_path / "mended.csv")
    assert {*done.stdout.splitlines()} == {
        "- term Cars",
        "- edge espresso -> cheese",
        "- edge Cars -> car",
        "+ denial espresso is no cheese",
        "+ synonym car: Cars",
    }
    mended = ask("audit", tmp_path / "mended.csv", "--fail-on", "improbable,part,duplicate", "--baseline", review)
    assert mended.exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.tsv"], "none.tsv: there is no such file"),
        (["{folder}"], "it is a folder"),
        (["{pets}", "--from", "obo"], "pets.tsv"),
        (["{pets}", "--kind", "sickle"], "no kind 'sickle', expected some of cycle, contradiction"),
        (["{pets}", "--kind", ","], "nothing is named"),
        (["{pets}", "--fail-on", "none,cycle"], "no kind 'none'"),
        (["{pets}", "--no-vectors", "--fail-on", "missing"], "missing is not looked for"),
        (["{pets}", "--no-vectors", "--kind", "improbable"], "improbable is not looked for"),
        (["{pets}", "--no-missing", "--kind", "missing"], "missing is not looked for"),
        (["{pets}", "--no-vectors", "--operator", "dot"], "no space is used then"),
        (["{pets}", "--vectors", "{news}"], "this space has no probabilities"),
        ([], "Missing argument"),
    ],
)
def test_an_audit_that_cannot_be_made_is_exit_code_2(
    arguments: list[str], message: str, pets: Path, news: Path, tmp_path: Path
) -> None:
    names = {"pets": str(pets), "news": str(news), "folder": str(tmp_path)}
    done = ask("audit", *(text.format(**names) for text in arguments))
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in plain(done.stderr)


# As a person runs it


def run(*arguments: str | Path, piped: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "entvec", "taxonomy", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        input=piped,
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        check=False,
    )


def test_unknown_words_are_one_line_on_stderr() -> None:
    done = run("common", "-k", "1", "--format", "tsv", piped="apple\nqz\x1bqz\nbanana\n")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1].startswith("fruit\t")
    assert done.stderr.startswith("unplaced: qz\\x1bqz: nothing is known of it")
    assert done.stderr.count("\n") == 1


def test_our_own_warnings_are_one_line_and_others_as_python_shows_them() -> None:
    script = (
        "import warnings\n"
        "from entvec import cli\n"
        "from entvec.errors import TaxonomyFileWarning\n"
        "def run(command):\n"
        "    warnings.warn('odd', TaxonomyFileWarning)\n"
        "    warnings.warn('odd', UserWarning)\n"
        "cli.run = run\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    ours, others = done.stderr.split("\n", 1)
    assert ours == "entvec: odd"
    assert "UserWarning: odd" in others


def test_a_pipe_of_words_that_nobody_writes_to_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("entvec.files.WRITER_SECONDS", 0.01)
    told = ask("common", "--file", tmp_path / "pipe")
    assert told.exit_code == 1
    assert "it is a pipe that nobody writes to" in told.stderr


def test_debug_shows_the_traceback_of_an_audit() -> None:
    done = CliRunner().invoke(app, ["--debug", "taxonomy", "audit", "none.tsv"])
    assert isinstance(done.exception, FileNotFoundError)


@pytest.mark.parametrize("command", ["place", "common", "group", "build", "audit"])
def test_help_has_examples(command: str) -> None:
    told = ask(command, "--help").stdout
    assert f"entvec taxonomy {command} " in told.split("Examples:")[1]
    assert max(map(len, told.splitlines())) <= 80
