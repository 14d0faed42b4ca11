"""Folders of spaces, maps and encoders, as the Hugging Face Hub has them: pushed and loaded by name, at a fake hub."""

import base64
import hashlib
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from typer.testing import CliRunner

import entvec
from entvec.bundled import encoder, encoder_map, toy_world
from entvec.cli import app
from entvec.errors import CannotFetch, CannotWrite, EncoderFileError, MapFileError, MissingExtra, SpaceFileError
from entvec.learn import FittedMap
from entvec.model_folders import PLACES
from entvec.space import EntailmentSpace
from entvec.text import EntailmentEncoder, check_same, load_encoder, named_encoder, save_encoder
from entvec.vectors import Vectors

WORLD = toy_world()
SPACE = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()))
MAP = FittedMap("backward", np.eye(2), np.zeros(2))


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


# Folders


def test_a_space_a_map_and_an_encoder_are_folders_of_one_layout(tmp_path: Path) -> None:
    SPACE.save(tmp_path / "space")
    MAP.save(tmp_path / "map")
    save_encoder(encoder("static"), tmp_path / "encoder")
    for folder, tensors in (("space", "vectors"), ("map", "map"), ("encoder", "encoder")):
        assert names(tmp_path / folder) == {"config.json", "README.md", f"{tensors}.safetensors"}
        config = json.loads((tmp_path / folder / "config.json").read_text())
        assert config["entvec"].startswith(f"{folder} ")
        card = (tmp_path / folder / "README.md").read_text()
        assert card.startswith("---\nlibrary_name: entvec\n")
        assert "hub:OWNER/NAME" in card
    assert EntailmentSpace.load(tmp_path / "space").fingerprint == SPACE.fingerprint
    np.testing.assert_array_equal(FittedMap.load(tmp_path / "map").hypo_weights, MAP.hypo_weights)
    check_same(encoder("static"), load_encoder(tmp_path / "encoder"))
    assert entvec.load(vectors=Vectors(["a", "b"], np.eye(2)), map=tmp_path / "map").map is not None


def test_the_card_says_what_is_in_the_folder(tmp_path: Path) -> None:
    SPACE.save(tmp_path / "space")
    card = (tmp_path / "space" / "README.md").read_text()
    assert "| words | 6 |" in card
    assert "| operator | backward |" in card


def test_a_card_that_a_person_wrote_stays(tmp_path: Path) -> None:
    MAP.save(tmp_path / "map")
    card = tmp_path / "map" / "README.md"
    card.write_text(card.read_text() + "changed\n")
    MAP.save(tmp_path / "map")
    assert "changed" not in card.read_text()
    card.write_text("# My map\n")
    MAP.save(tmp_path / "map")
    assert card.read_text() == "# My map\n"


def test_the_folder_of_another_library_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "config.json").write_text('{"model_type": "bert"}')
    for save in (SPACE.save, MAP.save, lambda path: save_encoder(encoder("static"), path)):
        with pytest.raises(CannotWrite, match="bert: it is there already and entvec did not write it"):
            save(tmp_path / "bert")
    assert names(tmp_path / "bert") == {"config.json"}


def test_a_folder_of_another_kind_is_named(tmp_path: Path) -> None:
    SPACE.save(tmp_path / "space")
    MAP.save(tmp_path / "map")
    with pytest.raises(MapFileError, match=r"it is the folder of another thing: expected a map, found 'space 3'"):
        FittedMap.load(tmp_path / "space")
    with pytest.raises(EncoderFileError, match="expected an encoder, found 'map 2'"):
        load_encoder(tmp_path / "map")
    with pytest.raises(SpaceFileError, match=r"expected 'space 3', found 'map 2'"):
        EntailmentSpace.load(tmp_path / "map")


# The hub


class FakeHub:
    """Repositories in memory, with the answers that `huggingface_hub` needs to push a folder and to download it."""

    def __init__(self) -> None:
        self.address = ""
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.downloads = 0

    @staticmethod
    def commit(files: dict[str, bytes]) -> str:
        return hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()  # noqa: S324 - git names commits so

    def get(self, path: str) -> tuple[dict[str, str], bytes] | None:
        """The headers and the body of an answer, None if there is no such thing."""
        *_, owner, name = path.removeprefix("/api/models").split("/")[:3]
        files = self.repositories.get(f"{owner}/{name}")
        rest = path.partition(f"{owner}/{name}")[2].split("/")[1:]
        if files is None:
            return None
        commit = self.commit(files)
        if rest[0] == "resolve":
            content = files.get("/".join(rest[2:]))
            etag = "" if content is None else hashlib.sha1(content).hexdigest()  # noqa: S324 - as above
            return None if content is None else ({"X-Repo-Commit": commit, "ETag": f'"{etag}"'}, content)
        if rest[0] == "tree":
            entries = [
                {"type": "file", "path": path, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}  # noqa: S324 - as above
                for path, content in files.items()
            ]
            return {}, json.dumps(entries).encode()
        siblings = [{"rfilename": file} for file in files]
        about = {"_id": "1", "id": f"{owner}/{name}", "sha": commit, "siblings": siblings, "tags": [], "private": False}
        return {}, json.dumps(about).encode()

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        if path == "/api/repos/create":
            asked = json.loads(body)
            name = "/".join(filter(None, (asked.get("organization"), asked["name"])))
            self.repositories.setdefault(name, {})
            return {"url": f"{self.address}/{name}", "name": name}
        if path == "/api/validate-yaml":
            assert json.loads(body)["content"].startswith("---\nlibrary_name: entvec\n")
            return {"errors": [], "warnings": []}
        owner, name, step, *_ = path.removeprefix("/api/models/").split("/")
        if step == "preupload":
            asked = json.loads(body)["files"]
            return {"files": [{"path": each["path"], "uploadMode": "regular", "shouldIgnore": False} for each in asked]}
        assert step == "commit"
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                content = base64.b64decode(line["value"]["content"])
                self.repositories[f"{owner}/{name}"][line["value"]["path"]] = content
        commit = self.commit(self.repositories[f"{owner}/{name}"])
        return {"commitUrl": f"{self.address}/{owner}/{name}/commit/{commit}", "commitOid": commit}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A hub on this machine, in the place of huggingface.co."""
    constants = pytest.importorskip("huggingface_hub.constants", reason="needs huggingface_hub: entvec[hub]")
    fake = FakeHub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self, headers: dict[str, str], content: bytes, status: int = 200) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def do_GET(self) -> None:
            found = fake.get(unquote(self.path.partition("?")[0]))
            fake.downloads += found is not None and self.command == "GET" and "/resolve/" in self.path
            self.answer(*found) if found else self.answer({"X-Error-Code": "RepoNotFound"}, b"", 404)

        do_HEAD = do_GET  # noqa: N815 - the name that http.server wants

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.answer({"Content-Type": "application/json"}, json.dumps(fake.post(self.path, body)).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    fake.address = address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
    yield fake
    server.shutdown()
    server.server_close()


def push(folder: Path, name: str) -> None:
    """Push a folder as the documentation says."""
    from huggingface_hub import HfApi

    api = HfApi(token="hf_fake")  # noqa: S106 - no secret
    api.create_repo(name, exist_ok=True)
    api.upload_folder(repo_id=name, folder_path=folder)


def test_a_space_is_pushed_and_loaded_by_name(hub: FakeHub, tmp_path: Path) -> None:
    SPACE.save(tmp_path / "space")
    push(tmp_path / "space", "me/toys")
    assert set(hub.repositories["me/toys"]) == names(tmp_path / "space")
    found = entvec.load("hub:me/toys")
    assert found.fingerprint == SPACE.fingerprint
    assert found.hypernyms("dog", k=2).words == SPACE.hypernyms("dog", k=2).words
    assert (hub.downloads, len(entvec.load("hub:me/toys"))) == (3, 6)
    assert hub.downloads == 3  # the second time nothing is downloaded


def test_a_map_and_an_encoder_are_loaded_by_name(hub: FakeHub, tmp_path: Path) -> None:
    MAP.save(tmp_path / "map")
    push(tmp_path / "map", "me/map")
    np.testing.assert_array_equal(FittedMap.load("hub:me/map").hypo_weights, MAP.hypo_weights)
    mine = encoder("static")
    save_encoder(EntailmentEncoder("mine", mine.kind, mine.pieces, mine.parts, {}), tmp_path / "encoder")
    push(tmp_path / "encoder", "me/encoder")
    found = named_encoder("hub:me/encoder")
    check_same(mine, found)
    space = EntailmentSpace.from_encoder(found, ["shoe", "food"], map=encoder_map("static"))
    space.save(tmp_path / "space")
    again = EntailmentSpace.load(tmp_path / "space")  # which opens its encoder by the name at the hub
    assert again.hypernyms("sneaker", k=1).words == ["shoe"]


def test_commands_take_the_name_of_a_space(hub: FakeHub, tmp_path: Path) -> None:
    SPACE.save(tmp_path / "space")
    hub.repositories["me/toys"] = {each.name: each.read_bytes() for each in (tmp_path / "space").iterdir()}
    for command in (["hypernyms", "dog", "--space", "hub:me/toys"], ["info", "hub:me/toys"]):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.stderr
    assert "words        6" in done.stdout


def test_what_the_hub_changed_is_refused(hub: FakeHub, tmp_path: Path) -> None:
    SPACE.save(tmp_path / "space")
    files = {each.name: each.read_bytes() for each in (tmp_path / "space").iterdir()}
    files["vectors.safetensors"] = files["vectors.safetensors"].replace(b"stone", b"brick")
    hub.repositories["me/toys"] = files
    with pytest.raises(SpaceFileError, match="it is damaged"):
        entvec.load("hub:me/toys")


def test_names_that_the_hub_does_not_have_are_named(hub: FakeHub) -> None:
    with pytest.raises(CannotFetch, match=r"hub:me/nothing cannot be fetched from the Hugging Face Hub: .*404"):
        entvec.load("hub:me/nothing")
    with pytest.raises(CannotFetch, match="hub:a/b/c/d cannot be fetched"):
        FittedMap.load("hub:a/b/c/d")
    done = CliRunner().invoke(app, ["hypernyms", "dog", "--space", "hub:me/nothing"])
    assert done.exit_code == 1
    assert "hub:me/nothing cannot be fetched" in done.stderr
    assert hub.downloads == 0


def test_another_place_is_another_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SPACE.save(tmp_path / "toys")
    monkeypatch.setitem(PLACES, "attic", lambda name: tmp_path / name)
    assert entvec.load("attic:toys").fingerprint == SPACE.fingerprint


def test_without_the_library_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"the Hugging Face Hub needs huggingface_hub; .*entvec\[hub\]"):
        entvec.load("hub:me/toys")
