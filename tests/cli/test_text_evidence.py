"""`--evidence FILE`: what texts say, for commands that ask."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from entvec.cli import app
from entvec.space import EntailmentSpace
from entvec.text import Evidence, Example
from entvec.text.extraction.evidence_file import table_of

ROWS = [
    Evidence("theorbo", "lute", "is-a", 3, 2, (Example("A theorbo is a lute.", "music.txt", 0),)),
    Evidence("bomb", "weapon", "and-other", 1, 1, (Example("Bombs and other weapons.", "war.txt", 0),)),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("text") / "evidence.parquet"
    pq.write_table(table_of(ROWS), path)
    return str(path)


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200", "TERM": "dumb"})


def test_a_word_of_the_texts_is_answered_with_its_sentence(file: str) -> None:
    [found] = json.loads(ask("hypernyms", "theorbo", "--evidence", file, "--format", "json").stdout)
    assert found["matches"][0]["word"] == "lute"
    assert found["matches"][0]["reason"] == "3 sentences say so, for example: 'A theorbo is a lute.' (music.txt)"
    assert "theorbo" in ask("hyponyms", "lute", "-k", "30", "--evidence", file).stdout


def test_relation_and_explain_weigh_texts(file: str) -> None:
    assert json.loads(ask("relation", "theorbo", "lute", "--evidence", file, "--format", "json").stdout)[
        "relation"
    ] == ("narrower")
    told = ask("explain", "bomb", "weapon", "--evidence", file).stdout
    assert "one sentence says so: 'Bombs and other weapons.' (war.txt)" in told
    assert "text" in told


def test_the_vectors_alone_are_asked_without_texts(file: str) -> None:
    assert ask("hypernyms", "dog", "--evidence", "vectors").exit_code == 0
    both = ask("hypernyms", "dog", "--evidence", "vectors", "--evidence", file)
    assert both.exit_code == 2
    assert "ranks by the vectors alone" in both.stderr
    no_ranking = ask("relation", "dog", "animal", "--evidence", "vectors")
    assert no_ranking.exit_code == 2
    assert "expected a file that" in no_ranking.stderr


def test_all_is_what_the_space_knows(file: str) -> None:
    plain, all_ = (ask("hypernyms", "dog", *more).stdout for more in ((), ("--evidence", "all")))
    assert plain == all_


def test_a_space_is_saved_with_its_texts(file: str, tmp_path: Path) -> None:
    folder = str(tmp_path / "space")
    assert ask("space", "-o", folder, "--keys", "none", "--evidence", file).exit_code == 0
    assert len(EntailmentSpace.load(folder).text or ()) == 2
    assert "narrower" in ask("relation", "theorbo", "lute", "--space", folder).stdout
    assert "evidence in 2 rows, of 4 terms" in ask("info", folder).stdout


def test_terms_are_placed_in_a_taxonomy_by_texts(file: str, tmp_path: Path) -> None:
    (tmp_path / "instruments.tsv").write_text("lute\tinstrument\nviolin\tinstrument\n")
    (tmp_path / "new.txt").write_text("theorbo\n")
    names = [str(tmp_path / name) for name in ("new.txt", "instruments.tsv", "review.csv")]
    placed = ask("taxonomy", "place", names[0], "--taxonomy", names[1], "-o", names[2], "--evidence", file)
    assert placed.exit_code == 0, placed.output
    assert "theorbo,,narrower,lute" in Path(names[2]).read_text()


def test_where_texts_do_not_count_the_option_is_refused(file: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("hypo,hyper\ndog,animal\n")
    table = ask("score", str(tmp_path / "pairs.csv"), "-o", str(tmp_path / "scored.parquet"), "--evidence", file)
    assert table.exit_code == 2
    assert "in lines and tables the vectors alone score" in table.stderr
    alone = ask("taxonomy", "place", "theorbo", "--evidence", file)
    assert alone.exit_code == 2
    assert "is placed by its vector" in alone.stderr
    for command in (["export", "postgresql:words"], ["taxonomy", "common", "dog", "cat"], ["senses", "dog"]):
        assert "No such option: --evidence" in ask(*command, "--evidence", file).stderr


def test_what_is_no_evidence_is_refused(tmp_path: Path) -> None:
    found = ask("hypernyms", "dog", "--evidence", str(tmp_path / "none.parquet"))
    assert found.exit_code == 1
    assert (
        "there is no such file of evidence; `entvec extract TEXT -o evidence.parquet` writes one"
        in str(found.exception) + found.stderr
    )
