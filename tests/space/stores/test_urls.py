"""URLs of databases: no message shows a password, however the URL is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace
from entvec.space.stores import open_store
from entvec.space.stores.urls import STORES, is_url, shown_url

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


@pytest.mark.parametrize("name", ["", "Words", "1a", "a-b", "a b", 'a"', "a" * 41, "日本"])
def test_names_that_a_space_cannot_have(name: str) -> None:
    with pytest.raises(InvalidInput, match="the name of a space is"):
        open_store("postgresql:words", name)
