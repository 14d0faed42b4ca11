"""URLs of databases: no message shows a password, however the URL is written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.errors import InvalidInput, SpaceFileError
from entvec.space import EntailmentSpace
from entvec.stores import check_place, open_store
from entvec.stores.urls import STORES, is_url, shown_url, url_without_password
from entvec.vectors import Vectors

SECRET = "Tr0ub4dor&3"  # noqa: S105


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:secret@host:5432/words", "postgresql://me:***@host:5432/words"),
        ("postgres://:secret@/words", "postgres://:***@/words"),
        ("postgresql://me@host/words", "postgresql://me@host/words"),
        ("postgresql://host/words?user=me&password=secret", "postgresql://host/words?user=me&password=***"),
        ("postgresql://h/w?sslpassword=secret&sslmode=require", "postgresql://h/w?sslpassword=***&sslmode=require"),
        ("postgresql://me:se@cr:et/@host/words", "postgresql://me:***@host/words"),
        ("milvus+https://me:secret@host:19530/words", "milvus+https://me:***@host:19530/words"),
        ("milvus://host?TOKEN=secret", "milvus://host?TOKEN=***"),
        ("postgresql:words", "postgresql:words"),
        ("milvus:words.db", "milvus:words.db"),
        ("postgresql:me:secret@host:5432/words", "postgresql:me:***@host:5432/words"),
        ("http:/me:secret@host", "http:/me:***@host"),
        ("me:secret@host:5432/words", "me:***@host:5432/words"),
        (":se:cr@et@host", ":***@host"),
        ("postgresql//me:secret@host/words", "postgresql//me:***@host/words"),
        ("postgresql:me@host/words", "postgresql:me@host/words"),
        ("postgresql+psycopg://me:secret@host/words", "postgresql+psycopg://me:***@host/words"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20), st.sampled_from(sorted(STORES)))
def test_whatever_a_password_has_in_it_is_hidden(around: str, scheme: str) -> None:
    for password in (around + SECRET, SECRET + around):
        assert SECRET not in shown_url(f"{scheme}://me:{password}@host/words")
        assert SECRET not in shown_url(f"{scheme}://host/words?password={SECRET}&user=me")


@pytest.mark.parametrize(
    "text", ["words", "/home/words", "C:\\words", "http://host", "mysql://host/words", "", "postgresqlx:words"]
)
def test_what_is_no_url_of_a_database(text: str) -> None:
    assert not is_url(text)
    with pytest.raises(InvalidInput, match="no URL of a database, expected postgresql://"):
        EntailmentSpace.open(text)


@pytest.mark.parametrize(
    ("url", "left"),
    [
        ("postgresql://me:secret@host/words#glove", "postgresql://me@host/words#glove"),
        ("postgresql://me@host/words", "postgresql://me@host/words"),
        ("postgresql://host/words?user=me&password=secret", "postgresql://host/words?user=me"),
        ("postgresql://host/words?password=secret", "postgresql://host/words"),
        ("postgresql://host/words?password=secret&sslmode=require", "postgresql://host/words?sslmode=require"),
        ("milvus:words.db", "milvus:words.db"),
    ],
)
def test_a_url_that_can_be_used_again_has_no_password(url: str, left: str) -> None:
    assert url_without_password(url) == left


@pytest.mark.parametrize("kind", ["postgresql+psycopg", "mysql", "http"])
@pytest.mark.parametrize("given", [str, Path])
def test_no_folder_is_looked_for_at_a_url(kind: str, given: type) -> None:
    with pytest.raises(InvalidInput) as told:
        EntailmentSpace.load(given(f"{kind}://root:{SECRET}@127.0.0.1/words"))
    assert str(told.value).startswith(f"'{kind}://root:***@127.0.0.1/words': there is no kind of database {kind!r}")
    assert "expected postgresql://" in str(told.value)


@pytest.mark.parametrize("given", [str, Path])
def test_a_database_says_of_which_kind_it_is(given: type) -> None:
    with pytest.raises(InvalidInput) as told:
        EntailmentSpace.load(given(f"me:{SECRET}@127.0.0.1:1/words"))
    assert str(told.value).startswith(
        "'me:***@127.0.0.1:1/words' is no folder, and does not say which kind of database"
    )
    with pytest.raises(InvalidInput) as told:
        EntailmentSpace.open(f"me:{SECRET}@127.0.0.1:1/words")
    assert SECRET not in str(told.value)


def test_a_drive_is_no_url() -> None:
    with pytest.raises(SpaceFileError, match="C:/words: there is no space"):
        EntailmentSpace.load("C:/words")


@pytest.mark.parametrize("url", [f"postgresql://me:{SECRET}@host/words", "milvus:words.db"])
def test_a_database_is_no_folder(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"is a database, expected a folder; EntailmentSpace\.open") as told:
        EntailmentSpace.load(url)
    assert SECRET not in str(told.value)


def test_a_folder_may_be_called_like_a_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes:").mkdir()
    EntailmentSpace.from_vectors(Vectors(["a"], [[1.0, 2.0]])).save(Path("notes:/space"))
    assert len(EntailmentSpace.load(Path("notes:/space"))) == 1


@pytest.mark.parametrize(
    "place",
    [f"me:{SECRET}@127.0.0.1:1/words", f"me:{SECRET}@host", f"/me:{SECRET}@host/words", f"{SECRET}@host/words"],
)
@pytest.mark.parametrize("kind", ["postgresql", "milvus"])
def test_a_server_without_its_slashes_is_no_folder(
    kind: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=f"a server is {kind}://") as told:
        open_store(f"{kind}:{place}", "entvec")
    assert SECRET not in str(told.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rest", ["a.txt", "vectors.vec.gz", "~/a.tsv", "my.folder/a.csv"])
def test_a_file_of_another_kind_is_no_database(rest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        InvalidInput,
        match=r"would be a database in a file of another kind, expected milvus://HOST:PORT or milvus:FILE.db",
    ):
        check_place(f"milvus:{rest}", "entvec")


def test_a_folder_that_is_there_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    for url in (f"milvus:{tmp_path}/a.txt", f"milvus:{tmp_path}/some words", f"postgresql:{tmp_path}/words.18"):
        check_place(url, "entvec")


def test_a_folder_that_is_there_may_have_an_at_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "me@home").mkdir()
    check_place(f"postgresql:{tmp_path}/me@home/words", "entvec")


@pytest.mark.parametrize("name", ["", "Words", "1a", "a-b", "a b", 'a"', "a" * 41, "日本"])
def test_names_that_a_space_cannot_have(name: str) -> None:
    with pytest.raises(InvalidInput, match="the name of a space is"):
        open_store("postgresql:words", name)
