"""What is Milvus's own: how conditions are written, files and servers, and what goes wrong with them."""

import re
import shutil
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.bundled import toy_world
from entvec.errors import InvalidInput, MissingExtra, StoreError
from entvec.model.model import Side
from entvec.space import EntailmentSpace
from entvec.stores import milvus, open_store
from entvec.stores.contract import Filter, KeyBatch, Manifest, RowBatch
from entvec.stores.milvus import connection, loading, tables
from entvec.stores.milvus.tables import begins_with, literal, one_of
from entvec.stores.vocabulary import RemoteVocabulary
from entvec.vectors import Vectors

WORLD = toy_world()
TOY = Vectors(WORLD.words, WORLD.log_odds().astype(np.float32))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NOTHING = Manifest("none", 0, 5, {"hyper": 5}, {}, {})

pytestmark = pytest.mark.skipif(
    find_spec("pymilvus") is None or find_spec("milvus_lite") is None, reason="needs pymilvus and milvus-lite"
)


def toys(**options: Any) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(TOY, **{"interpretation": "log_odds", "specificity": 0, **options})


def collections(url: str) -> list[str]:
    """What is there, without the random part of the names."""
    with closing(open_store(url, "entvec")) as store:
        found = store.connection.call("list_collections") + store.connection.call("list_aliases")["aliases"]  # type: ignore[attr-defined]
    return sorted(re.sub("[0-9a-f]{16}", "TOKEN", each) for each in found)


ONE_SPACE = ["entvec", *(f"entvec_TOKEN_{table}" for table in ("about", "hyper", "hypo", "spellings", "words"))]


def python(script: str, **options: Any) -> "subprocess.Popen[str]":
    """Another process."""
    command = [sys.executable, "-c", textwrap.dedent(script)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)  # noqa: S603


def told_by(script: str, **options: Any) -> str:
    """What another process prints; a traceback or a log of a library would be an error."""
    with python(script, **options) as child:
        out, err = child.communicate(timeout=60)
    assert err == ""
    return out.strip()


# Conditions


@given(TEXTS)
def test_a_text_is_one_literal_whatever_is_in_it(text: str) -> None:
    from milvus_lite.search.filter.tokens import tokenize

    written, end = tokenize(literal(text))
    assert (written.value, end.text) == (text, "")


@given(TEXTS, TEXTS, TEXTS)
def test_texts_that_begin_like_another_are_a_range(start: str, more: str, other: str) -> None:
    condition = begins_with("word", start)
    after = tables._after(start)
    assert condition == f"word >= {literal(start)}" + ("" if after is None else f" and word < {literal(after)}")
    for text in (start + more, other):
        assert (text >= start and (after is None or text < after)) == text.startswith(start)


def test_the_last_letters_of_unicode_have_none_after_them() -> None:
    assert begins_with("word", "a\U0010ffff") == 'word >= "a\U0010ffff" and word < "b"'
    assert begins_with("word", "\U0010ffff") == 'word >= "\U0010ffff"'
    assert begins_with("word", "\ud7ff") == 'word >= "\ud7ff" and word < "\ue000"'


def test_a_long_list_is_asked_for_in_pieces(milvus_lite: Any) -> None:
    assert list(one_of("row", range(5), 2)) == ["row in [0,1]", "row in [2,3]", "row in [4]"]
    rows, queries = np.array([0, 1, 2, 4, 5]), np.random.default_rng(3).normal(size=(3, 5)).astype(np.float32)
    toys().export(milvus_lite.url)
    with closing(open_store(milvus_lite.url, "entvec")) as store:
        version: Any = store.current()
        pieces = replace(version, length_at_once=2)
        width = version.manifest.widths["hyper"]
        queries = np.resize(queries, (3, width))
        in_pieces = pieces.nearest("hyper", queries, 4, 1, Filter(rows))
        np.testing.assert_array_equal(in_pieces, version.nearest("hyper", queries, 4, 1, Filter(rows)))
        assert [each.word for each in pieces.words(np.array([0, 2, 3, 5]))] == [TOY.words[i] for i in (0, 2, 3, 5)]
        found = RemoteVocabulary(pieces).take(np.array([5, 0, 5]))
        assert list(found.words) == [TOY.words[5], TOY.words[0], TOY.words[5]]
        assert (version.nearest("hyper", queries, 4, 1, Filter(rows[:0])) == -1).all()
        assert version.nearest("hyper", queries, 9, 1, Filter(rows))[0].tolist()[5:] == [-1] * 4


# Files


def test_a_space_is_three_collections_and_what_is_known_of_it(milvus_lite: Any) -> None:
    done = toys().export(milvus_lite.url)
    assert done.size > 10_000
    assert collections(milvus_lite.url) == ONE_SPACE
    toys(operator="forward").export(milvus_lite.url)
    assert collections(milvus_lite.url) == ONE_SPACE
    with closing(open_store(milvus_lite.url, "entvec")) as store:
        assert store.names() == ["entvec"]
        store.remove()
        assert (store.names(), store.size(), store.current()) == ([], 0, None)
    assert collections(milvus_lite.url) == []


def test_a_killed_load_is_cleared_away_by_the_next_one(milvus_lite: Any) -> None:
    toys().export(milvus_lite.url)
    killed_while_loading(milvus_lite.url)
    assert "_entvec_loading" in collections(milvus_lite.url)
    with EntailmentSpace.open(milvus_lite.url) as there:
        assert there.hypernyms("poodle", k=2).words == ["unk", "animal"]
    toys(operator="forward").export(milvus_lite.url)
    assert collections(milvus_lite.url) == ONE_SPACE


def killed_while_loading(url: str) -> None:
    script = f"""
        import time
        import numpy as np
        from entvec.space import EntailmentSpace
        from entvec.vectors import Vectors

        def stop(what, part):
            if what == "loading":
                print("loading", flush=True)
                time.sleep(60)

        EntailmentSpace.from_vectors(Vectors(["a", "b"], np.eye(2))).export({url!r}, progress=stop)
    """
    with python(script) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "loading\n"
        child.kill()


def test_a_file_is_made_only_when_something_is_written(tmp_path: Path, milvus_lite: Any) -> None:
    with pytest.raises(StoreError, match="no space was exported"):
        EntailmentSpace.open(milvus_lite.url)
    with closing(open_store(milvus_lite.url, "entvec")) as store:
        assert (store.names(), store.size()) == ([], 0)
        store.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_file_may_have_any_name_and_be_opened_twice_in_a_process(tmp_path: Path) -> None:
    url = f"milvus:{tmp_path / 'some words'}"
    toys().export(url)
    with EntailmentSpace.open(url) as one:
        with EntailmentSpace.open(url) as two:
            assert one.score("dog", "animal") == two.score("dog", "animal")
        assert one.hypernyms("poodle", k=1).words == ["unk"]


def test_only_one_process_has_a_file_open(milvus_lite: Any) -> None:
    toys().export(milvus_lite.url)
    script = f"""
        from entvec.errors import StoreError
        from entvec.space import EntailmentSpace

        try:
            EntailmentSpace.open({milvus_lite.url!r})
        except StoreError as error:
            print(error, flush=True)
        input()
        print(len(EntailmentSpace.open({milvus_lite.url!r})))
    """
    with python(script, stdin=subprocess.PIPE) as child:
        with EntailmentSpace.open(milvus_lite.url):
            told = child.stdout.readline() if child.stdout else ""
        assert told.startswith(f"{milvus_lite.url}: another process has it open; end that one")
        assert child.communicate("\n", timeout=60) == ("6\n", "")


def test_files_that_are_none_of_milvus(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("notes")
    with pytest.raises(StoreError, match=r"notes.db: it is a file of something else"):
        toys().export(f"milvus:{tmp_path / 'notes.db'}")
    assert (tmp_path / "notes.db").read_text() == "notes"
    with pytest.raises(StoreError, match=r"there is no folder '.*nowhere'"):
        toys().export(f"milvus:{tmp_path / 'nowhere' / 'words.db'}")
    with pytest.raises(StoreError, match="there is no folder"):
        toys().export("milvus:")


def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path, milvus_lite: Any) -> None:
    (tmp_path / "mydocs").mkdir()
    (tmp_path / "mydocs" / "LOCK").touch()  # others have such a file too
    for ask in (EntailmentSpace.open, toys().export):
        with pytest.raises(StoreError, match="mydocs: the folder has other things in it"):
            ask(f"milvus:{tmp_path / 'mydocs'}")
    assert [each.name for each in (tmp_path / "mydocs").iterdir()] == ["LOCK"]


@pytest.mark.parametrize("begun", [[], ["collections"], ["collections", "databases"]], ids=len)
def test_an_empty_folder_is_filled_by_an_export_alone(begun: list[str], tmp_path: Path, milvus_lite: Any) -> None:
    folder = tmp_path / "words.db"
    folder.mkdir()
    for each in begun:
        (folder / each).mkdir()
    with pytest.raises(StoreError, match="no space was exported"):
        EntailmentSpace.open(milvus_lite.url)
    assert sorted(each.name for each in folder.iterdir()) == begun
    assert toys().export(milvus_lite.url).loaded


def test_a_space_of_another_layout_is_refused(milvus_lite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "VERSION", "store 0")  # the layout that is written
    toys().export(milvus_lite.url)
    monkeypatch.undo()
    for use in (EntailmentSpace.open, toys(operator="forward").export):
        with pytest.raises(StoreError, match="layout 'store 1', found 'store 0': another version of entvec"):
            use(milvus_lite.url)
    assert toys().export(milvus_lite.url, name="other").loaded  # as the message says


def test_a_damaged_version_is_told_and_the_next_export_takes_its_place(milvus_lite: Any) -> None:
    toys().export(milvus_lite.url)
    with closing(store_of(milvus_lite.url, "entvec")) as store:
        about = f"entvec_{store.serving()}_about"
        store.connection.call("delete", about, filter='piece == "manifest/000000"')
    with pytest.raises(StoreError, match="what is known of the space there is damaged; export it again"):
        EntailmentSpace.open(milvus_lite.url)
    assert toys().export(milvus_lite.url).loaded
    with EntailmentSpace.open(milvus_lite.url) as there:
        assert there.hypernyms("poodle", k=2).words == ["unk", "animal"]
    assert collections(milvus_lite.url) == ONE_SPACE


@pytest.mark.parametrize("table", ["spellings", "hyper"])
def test_collections_that_somebody_has_dropped(table: str, milvus_lite: Any) -> None:
    toys().export(milvus_lite.url)
    with EntailmentSpace.open(milvus_lite.url) as there:
        with closing(store_of(milvus_lite.url, "entvec")) as store:
            store.connection.call("drop_collection", f"entvec_{store.serving()}_{table}")
        for ask in (lambda: there.hypernyms("dog"), lambda: EntailmentSpace.open(milvus_lite.url)):
            with pytest.raises(StoreError) as told:
                ask()
            assert "\n" not in str(told.value)
        assert f"_{table}: somebody has dropped it; export the space again" in str(told.value)
        assert toys().export(milvus_lite.url).loaded
        assert there.hypernyms("poodle", k=2).words == ["unk", "animal"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, StoreError("there", "gone")], ids=["stopped", "cut off"])
def test_a_load_that_ends_right_after_it_took_over_is_not_undone(
    error: Any, milvus_lite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    toys().export(milvus_lite.url)
    drop = milvus.MilvusStore._drop_all_but

    def fail(self: Any, *tokens: str) -> None:
        if self.serving() in tokens and len(tokens) == 1:
            raise error
        drop(self, *tokens)

    monkeypatch.setattr(milvus.MilvusStore, "_drop_all_but", fail)
    with suppress(KeyboardInterrupt):
        toys(operator="forward").export(milvus_lite.url)
    monkeypatch.undo()
    with EntailmentSpace.open(milvus_lite.url) as there:
        assert there.operator == "forward"
        assert there.score("dog", "animal") == toys(operator="forward").score("dog", "animal")
    toys(operator="dot").export(milvus_lite.url)
    assert collections(milvus_lite.url) == ONE_SPACE


def test_an_alias_that_was_changed_though_the_answer_was_lost(
    milvus_lite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    toys().export(milvus_lite.url)
    ask = connection.Connection.call

    def lose(self: Any, method: str, *args: Any, **options: Any) -> Any:
        found = ask(self, method, *args, **options)
        if method == "alter_alias":
            raise StoreError(self.where, "Milvus cannot be reached")
        return found

    monkeypatch.setattr(connection.Connection, "call", lose)
    assert toys(operator="forward").export(milvus_lite.url).loaded
    assert collections(milvus_lite.url) == ONE_SPACE


def test_a_version_that_goes_while_it_is_opened(milvus_lite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    toys().export(milvus_lite.url)
    opened, others = milvus.MilvusStore._tables, [toys(operator="forward")]

    def late(self: Any, token: str) -> Any:
        if others:
            others.pop().export(milvus_lite.url)
        return opened(self, token)

    monkeypatch.setattr(milvus.MilvusStore, "_tables", late)
    with EntailmentSpace.open(milvus_lite.url) as there:
        assert there.operator == "forward"


def test_more_words_than_milvus_finds_are_refused(milvus_lite: Any) -> None:
    toys().export(milvus_lite.url)
    with EntailmentSpace.open(milvus_lite.url) as there:
        there.backend.tables.most = 3  # type: ignore[attr-defined]  # of this backend
        assert len(there.hypernyms("dog", k=2)) == 2  # one more is asked for, since the word itself is left out
        assert len(there.hypernyms("dog", k=9, among=["animal", "cat"])) == 2
        with pytest.raises(InvalidInput, match="a search for 4 words, the word that is asked about counted"):
            there.hypernyms("dog", k=3)
        with pytest.raises(
            InvalidInput, match=r"a search for 4 words, .* this database finds at most 3 for a question"
        ):
            there.hypernyms("dog", k=4, exclude_self=False)


def test_vectors_come_in_messages_that_are_not_too_large(milvus_lite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    toys().export(milvus_lite.url)
    asked = []
    ask = tables.MilvusTables._rows

    def count(self: Any, *args: Any, **options: Any) -> Any:
        asked.append(args)
        return ask(self, *args, **options)

    monkeypatch.setattr(tables.MilvusTables, "_rows", count)
    with closing(store_of(milvus_lite.url, "entvec")) as store:
        vocabulary = RemoteVocabulary(store.current(), bytes_at_once=4 * 5 * 2)
        assert list(vocabulary.take(np.arange(6)).words) == list(TOY)
        assert len(asked) == 3
        assert [first for first, _ in vocabulary.blocks()] == [0, 2, 4]


def test_long_texts_are_sent_in_messages_that_are_not_too_large(
    milvus_lite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    ask = connection.Connection.call

    def note(self: Any, method: str, *args: Any, **options: Any) -> Any:
        if method == "insert" and args[0].endswith("hyper"):
            sent.append(sum(len(row["note"].encode()) for row in args[1]))
        return ask(self, method, *args, **options)

    monkeypatch.setattr(connection.Connection, "call", note)
    words, numbers = list(TOY), np.zeros((6, 5), np.float32)
    keys: dict[Side, KeyBatch] = {"hyper": KeyBatch(numbers, np.zeros(6))}
    manifest = Manifest("none", 6, 5, {"hyper": 5}, {}, {}, {"note": str})
    with closing(store_of(milvus_lite.url, "entvec")) as store, store.loading(manifest) as load:
        load.bytes_at_once = 50_000
        load.write(RowBatch(0, words, words, numbers, keys, {"note": ["ü" * 10_000] * 6}))
    assert (sum(sent), max(sent)) == (120_000, 40_000)


def test_a_file_in_the_home_folder(tmp_path: Path, milvus_lite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    toys().export(milvus_lite.url.replace(str(tmp_path), "~"))
    assert (tmp_path / "words.db").exists()


def test_what_others_keep_under_the_name_is_left_alone(milvus_lite: Any) -> None:
    with closing(open_store(milvus_lite.url, "entvec")) as store:
        ask = store.connection.call  # type: ignore[attr-defined]
        ask("create_collection", "cats", dimension=4)
        with pytest.raises(StoreError, match="there is a collection 'cats', which is none of entvec"):
            toys().export(milvus_lite.url, name="cats")
        ask("create_alias", "cats", "dogs")
        for use in (lambda: toys().export(milvus_lite.url, name="dogs"), store_of(milvus_lite.url, "dogs").current):
            with pytest.raises(StoreError, match="'dogs' is the alias of 'cats', which is none of entvec"):
                use()
        assert ask("list_collections") == ["cats"]
        assert store.names() == []


def store_of(url: str, name: str) -> Any:
    return open_store(url, name)


def test_texts_that_are_too_long_for_milvus(milvus_lite: Any) -> None:
    long = "ü" * 33_000
    with pytest.raises(
        StoreError, match=r"a word has 66,000 bytes, 'ü+'\.\.\., expected fewer than 65,535; leave it out"
    ):
        EntailmentSpace.from_vectors(Vectors(["a", long], np.eye(2))).export(milvus_lite.url)
    with pytest.raises(StoreError, match=r"a value of the column note has 66,000 bytes"):
        toys().export(milvus_lite.url, columns={"note": ["a"] * 5 + [long]})
    assert collections(milvus_lite.url) == []
    EntailmentSpace.from_vectors(Vectors(["a", "ü" * 32_767], np.eye(2))).export(milvus_lite.url)


def test_vectors_of_one_number(milvus_lite: Any) -> None:
    local = EntailmentSpace.from_vectors(Vectors(["a", "b", "c"], [[1.0], [2.0], [-1.0]]), interpretation="log_odds")
    local.export(milvus_lite.url)
    with EntailmentSpace.open(milvus_lite.url) as there:
        assert there.hypernyms("b", k=2).words == local.hypernyms("b", k=2).words
        assert there.score("a", "b") == pytest.approx(local.score("a", "b"))


@pytest.mark.skipif(sys.platform != "linux", reason="the size of files is limited as Linux does it")
def test_a_disk_that_is_full_leaves_the_version_before(milvus_lite: Any) -> None:
    toys().export(milvus_lite.url)
    script = f"""
        import resource, signal
        import numpy as np
        from entvec.errors import StoreError
        from entvec.space import EntailmentSpace
        from entvec.vectors import Vectors

        def limit(what, part):
            if what == "loading":
                resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        space = EntailmentSpace.from_vectors(Vectors([str(i) for i in range(4000)], np.random.rand(4000, 10)))
        try:
            space.export({milvus_lite.url!r}, progress=limit)
        except StoreError as error:
            print(error)
    """
    assert told_by(script).startswith(f"{milvus_lite.url}: there is no space left for Milvus; free some")
    with EntailmentSpace.open(milvus_lite.url) as there:
        assert there.hypernyms("poodle", k=2).words == ["unk", "animal"]


# What is missing


@pytest.mark.parametrize(("module", "needs"), [("pymilvus", "pymilvus"), ("milvus_lite.server_manager", "milvus-lite")])
def test_a_missing_library_is_named(
    module: str, needs: str, milvus_lite: Any, forget_modules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_engines", connection._engines.__wrapped__)
    if module == "pymilvus":
        forget_modules("entvec.stores.milvus")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install {needs} \(the extra entvec\[milvus\]"):
        toys().export(milvus_lite.url)


def test_what_is_used_of_the_packages_is_there() -> None:
    """Names of milvus-lite and pymilvus that are documented nowhere: if one goes, this says which."""
    import milvus_lite
    import pymilvus
    from milvus_lite import exceptions, server_manager

    for owner, name in [
        (server_manager, "server_manager_instance"),
        (server_manager.server_manager_instance, "start_and_get_uri"),
        (server_manager.server_manager_instance, "release_server"),
        (exceptions, "DataDirLockedError"),
        (milvus_lite, "MilvusLite"),
        (pymilvus, "MilvusException"),
    ]:
        assert hasattr(owner, name), f"{owner!r} has no {name} any more"
    assert find_spec("milvus_lite.adapter.grpc") is not None


# URLs


@pytest.mark.parametrize("rest", ["//", "//:19530", "//host:port", "//host:1/a/b", "//host?x=1", "//[::1", "//h:99999"])
def test_urls_that_name_no_server(rest: str) -> None:
    with pytest.raises(InvalidInput, match="is no URL of Milvus, expected milvus://USER:PASSWORD@HOST:PORT/DATABASE"):
        open_store(f"milvus:{rest}", "entvec")


def test_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    start = time.monotonic()
    for url in ("milvus://me:secret@127.0.0.1:1", "milvus+https://me:secret@127.0.0.1:1/words"):
        with pytest.raises(StoreError, match=r"me:\*\*\*@127.0.0.1:1.*: Milvus cannot be reached within 5 s") as told:
            EntailmentSpace.open(url)
        assert "secret" not in repr(told.value)
        assert "\n" not in str(told.value)
    assert time.monotonic() - start < 15
    monkeypatch.delenv("MILVUS_PASSWORD", raising=False)
    with pytest.raises(InvalidInput, match="has a user and no password; set MILVUS_PASSWORD"):
        EntailmentSpace.open("milvus://me@127.0.0.1:1")


def test_credentials_come_from_the_url_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(url: str, **environment: str) -> Any:
        for name in ("TOKEN", "USER", "PASSWORD"):
            monkeypatch.delenv(f"MILVUS_{name}", raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(f"MILVUS_{name}", value)
        return tuple(connection._server(url, secure=url.startswith("milvus+https")))

    assert found("milvus://here") == ("http://here:19530", "", "")
    assert found("milvus+https://here") == ("https://here:443", "", "")
    assert found("milvus://[::1]:7/words") == ("http://[::1]:7", "", "words")
    assert found("milvus://me:a%2Fb@here", TOKEN="t", PASSWORD="p")[1] == "me:a/b"  # noqa: S106
    assert found("milvus://me@here", PASSWORD="p")[1] == "me:p"  # noqa: S106
    assert found("milvus://here", USER="me", PASSWORD="p")[1] == "me:p"  # noqa: S106
    assert found("milvus://here", TOKEN="t", USER="me", PASSWORD="p")[1] == "t"  # noqa: S106
    assert found("milvus://here", USER="me")[1] == ""


# A standalone server


@contextmanager
def standalone(folder: Path) -> Iterator[Any]:
    """A server of Milvus that wants passwords; it is gone afterwards, and so are its half a gigabyte of files."""
    from milvus import MilvusServer, MilvusServerConfig

    folder.mkdir()
    config = MilvusServerConfig()
    config.set("authorization_enabled", True)
    names = [name for name in config.configurable_items if name.endswith("_port")]
    *others, client, peer, health = free_ports(len(names) + 3)
    # The etcd in it would always have the same ports, so that no two servers could run.
    settings = "listen-{0}-urls: http://127.0.0.1:{1}\n{2}advertise-{0}-urls: http://127.0.0.1:{1}\n"
    cluster = f"initial-cluster: default=http://127.0.0.1:{peer}\n"
    (folder / "etcd.yaml").write_text(
        settings.format("client", client, "") + settings.format("peer", peer, "initial-") + cluster
    )
    config.template_text = re.sub(
        "(?m)^  use:$", f"  config:\n    path: {folder / 'etcd.yaml'}\n  use:", config.template_text
    )
    server = MilvusServer(config, wait_for_started=False, data_dir=str(folder), **dict(zip(names, others, strict=True)))
    server.webservice_port = health
    try:
        server.start()
        wait_for(server, health)
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def free_ports(n: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def wait_for(server: Any, port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and server.server_proc.poll() is None:
        with suppress(OSError, HTTPException), closing(HTTPConnection("127.0.0.1", port)) as connection:
            connection.request("GET", "/healthz")
            if b"OK" in connection.getresponse().read():
                return
        time.sleep(0.1)
    raise RuntimeError("the server of Milvus does not start")


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.skipif(find_spec("milvus") is None, reason="needs the wheel milvus, which has a server in it")
def test_a_standalone_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test, because the server starts for seconds, and takes seconds for a load of any size."""
    with standalone(tmp_path / "server") as server:
        url = f"milvus://root:Milvus@127.0.0.1:{server.listen_port}"
        check_that_passwords_are_wanted(server.listen_port, monkeypatch)
        notes = ['a"b', "'", "\\", "ß", "", "日本"]
        columns: dict[str, Any] = {"rank": range(6), "note": notes}
        local, done = toys(), toys().export(url, columns=columns, index="ivf")
        assert (done.loaded, done.size, min(done.recall.values())) == (True, 0, 1.0)
        with EntailmentSpace.open(url) as there:
            check_questions(there, local)
            check_conditions(there, notes)
            assert not toys().export(url, columns=columns, index="ivf").loaded
            check_that_the_last_of_two_loads_is_done(url)
            killed_while_loading(url)
            assert there.hypernyms("poodle", k=2).words == ["unk", "animal"]
            toys(operator="forward").export(url, index="hnsw")
            assert there.operator == "backward"
            assert there.hypernyms("poodle", k=6).words == toys(operator="forward").hypernyms("poodle", k=6).words
            assert collections(url) == ONE_SPACE
            server.stop()
            with pytest.raises(StoreError, match=r"root:\*\*\*@127.0.0.1:\d+: Milvus cannot be reached"):
                there.hypernyms("dog")


def check_that_passwords_are_wanted(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for user in ("", "root:wrong@", "nobody:Milvus@"):
        with pytest.raises(StoreError, match="Milvus refuses the user or the password; give them in the URL") as told:
            EntailmentSpace.open(f"milvus://{user}127.0.0.1:{port}")
        assert "wrong" not in str(told.value)
    with monkeypatch.context() as environment:
        environment.setenv("MILVUS_TOKEN", "root:Milvus")
        with pytest.raises(StoreError, match="no space was exported"):
            EntailmentSpace.open(f"milvus://127.0.0.1:{port}")
        with pytest.raises(StoreError, match="there is no such database"):
            toys().export(f"milvus://127.0.0.1:{port}/nowhere")


def check_questions(there: Any, local: EntailmentSpace) -> None:
    for verb in ("hypernyms", "hyponyms"):
        for word, found in zip(TOY, getattr(there, verb)(list(TOY), k=6), strict=True):
            expected = getattr(local, verb)(word, k=6)
            assert set(found.words) == set(expected.words)
            np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-5, atol=1e-5)
    assert there.hypernyms("poodle", among=["cat", "animal", "dog"]).words == ["animal", "dog", "cat"]
    assert there.score("dog", "animal") == local.score("dog", "animal")
    assert there.spelled("DOG") == "dog"
    assert "dgo" not in there


def check_conditions(there: Any, notes: list[str]) -> None:
    assert sorted(there.hypernyms("cat", where="rank in {some}", values={"some": [0, 1]}).words) == sorted(
        TOY.words[:2]
    )
    for note, word in zip(notes, TOY, strict=True):
        found = there.hypernyms("cat", where="note == {note}", values={"note": note}, exclude_self=False)
        assert found.words == [word]
    assert there.hypernyms("cat", where="word like 'do%' and not rank in ()").words == ["dog"]


def check_that_the_last_of_two_loads_is_done(url: str) -> None:
    here, elsewhere = store_of(url, "entvec"), store_of(url.replace("127.0.0.1", "localhost"), "entvec")
    with closing(here), closing(elsewhere), here.loading(NOTHING) as first:
        with elsewhere.loading(NOTHING), pytest.raises(StoreError, match="another export of 'entvec' has begun"):
            first.serve({})
        assert here.serving() is not None
