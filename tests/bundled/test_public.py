"""Public data is fetched once, checked always, and without a network the error says what to do."""

import hashlib
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from entvec.bundled import PUBLIC, fetch
from entvec.bundled.public import Public
from entvec.errors import CannotFetch, InvalidInput


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ENTVEC_DATA", str(tmp_path))
    return tmp_path


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def published(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file on a web server, under the name `pairs`."""
    path = tmp_path_factory.mktemp("published") / "remote.tsv"
    path.write_text("dog\tanimal\n")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(path.parent))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        address = f"http://127.0.0.1:{server.server_port}/remote.tsv"
        monkeypatch.setitem(PUBLIC, "pairs", Public("pairs.tsv", address, sha256, "none", "nobody"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield path
        server.shutdown()


def test_a_file_is_fetched_once(folder: Path, published: Path) -> None:
    assert fetch("pairs").read_text() == "dog\tanimal\n"
    published.unlink()
    assert fetch("pairs") == folder / "pairs.tsv"


def test_a_file_that_has_changed_is_refused_and_not_kept(folder: Path, published: Path) -> None:
    published.write_text("animal\tdog\n")
    with pytest.raises(CannotFetch, match=r"cannot fetch pairs\.tsv"):
        fetch("pairs")
    assert not list(folder.iterdir())


def test_a_missing_folder_is_made(tmp_path: Path, published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTVEC_DATA", str(tmp_path / "deep" / "cache"))
    assert fetch("pairs").is_file()


@pytest.mark.parametrize("name", PUBLIC)
def test_every_row_is_pinned_and_tells_its_licence(name: str) -> None:
    row = PUBLIC[name]
    assert len(row.sha256) == 64
    assert row.address.startswith("https://raw.githubusercontent.com/")
    assert len(row.address.split("/")[5]) == 40  # a commit, not a branch that may move
    assert row.licence
    assert row.citation


@pytest.mark.parametrize("name", PUBLIC)
def test_a_copy_in_the_folder_is_used(name: str, folder: Path, shared_data: Path) -> None:
    copy = shutil.copy(shared_data / PUBLIC[name].file, folder)
    assert fetch(name) == Path(copy)


def test_a_changed_copy_is_refused(folder: Path) -> None:
    (folder / "baroni2012.tsv").write_text("word1\tword2\tlabel\n")
    with pytest.raises(CannotFetch, match=r"baroni2012\.tsv is not the file that was chosen: expected sha256 7db47ff"):
        fetch("baroni2012")


def test_without_a_network_the_error_says_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PUBLIC, "weeds-bless", PUBLIC["weeds-bless"]._replace(address="https://nowhere.invalid/x"))
    with pytest.raises(CannotFetch) as caught:
        fetch("weeds-bless")
    for part in ("weeds-bless.json", "https://nowhere.invalid/x", str(folder), "ENTVEC_DATA", "c191ee02"):
        assert part in str(caught.value)
    assert not list(folder.iterdir())


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="no public data 'bless', expected one of weeds-bless, baroni2012"):
        fetch("bless")
