"""What holds for every request: headers, names, methods, addresses; and the files of the page."""

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from entvec.explore import ENDPOINTS, LOOPBACK, Endpoint, static_files
from entvec.explore.handlers.words import hypernyms
from entvec.explore.http_errors import KINDS
from entvec.explore.response_headers import HEADERS
from entvec.explore.schemas import SearchRequest, SearchResponse

FILES = static_files.load()
FOLDER = files("entvec.explore") / "page"


def assert_safe(answer: Any) -> None:
    for name, value in HEADERS.items():
        assert answer.headers[name.lower()] == value


@pytest.mark.parametrize("path", ["/", "/api/health", "/api/openapi.json", "/nowhere", "/api/hypernyms", "/main.js"])
def test_every_answer_tells_browsers_to_run_nothing_else(caller: Any, path: str) -> None:
    assert_safe(caller.get(path))
    assert_safe(caller.get(path, host="evil.example"))
    assert_safe(caller.post(path, b"{"))


def test_the_policy_allows_no_inline_scripts_and_no_other_servers() -> None:
    rules = dict(rule.split(" ", 1) for rule in HEADERS["Content-Security-Policy"].split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert "unsafe" not in HEADERS["Content-Security-Policy"]
    assert "http" not in HEADERS["Content-Security-Policy"]


def test_a_mistake_of_ours_is_told_without_a_traceback(
    caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caller = caller_of()

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret of the inside")

    monkeypatch.setattr(caller.service.space, "hypernyms", broken)
    answer = caller.post("/api/hypernyms", {"words": ["dog"]})
    assert (answer.status, answer.error["kind"]) == (500, "failed")
    assert_safe(answer)
    assert b"secret" not in answer.body
    assert "secret of the inside" in caplog.text  # the log has it
    assert caller.post("/api/hyponyms", {"words": ["dog"]}).status == 200


def test_nobody_writes_lines_of_the_log(
    caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caller = caller_of()

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("of a client:\nERROR forged\x1b]0;title\x07\u2028ERROR forged")

    monkeypatch.setattr(caller.service.space, "hypernyms", broken)
    row = Endpoint("/api/{name}", ("POST",), SearchRequest, SearchResponse, hypernyms)
    caller = caller_of(caller.service.space, endpoints=(row,))
    assert caller.post("/api/a\nERROR forged\x1b[2J", {"words": ["dog"]}).status == 500
    [record] = caplog.records
    first, *lines = record.getMessage().split("\n")
    assert first == r"POST /api/a\nERROR forged\x1b[2J failed"
    assert all(line.startswith("  ") and line.isprintable() for line in lines)


# Names


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8765", "[::1]:8765"])
def test_it_answers_to_the_names_of_this_machine(caller: Any, host: str) -> None:
    assert caller.run(caller.ask("GET", "/api/health", host=host)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io:8765",
        "[::2]",
        "",
        None,
        "evil@localhost",
        "[",
        "\xff",
        "[::1]evil",
        "[::1]:8765evil",
        "localhost:evil",
        "localhost:8765:8765",
        "localhost ",
        "localhost,evil.example",
        "localhost/evil",
        "localhost:123456",
    ],
)
@pytest.mark.parametrize("path", ["/api/health", "/", "/nowhere"])
def test_it_answers_to_no_other_name(caller: Any, host: str | None, path: str) -> None:
    """A page of another site may have its name point at this machine (DNS rebinding)."""
    answer = caller.run(caller.ask("GET", path, host=host))
    assert (answer.status, answer.error["kind"]) == (400, "wrong_host")


@pytest.mark.parametrize("hosts", [LOOPBACK, None])
@pytest.mark.parametrize("second", ["localhost", "evil.example"])
def test_two_names_are_none(caller_of: Callable[..., Any], hosts: frozenset[str] | None, second: str) -> None:
    """A proxy in front might go by the other one."""
    answer = caller_of(hosts=hosts).get("/api/health", host="localhost", Host=second)
    assert (answer.status, answer.error["kind"]) == (400, "wrong_host")


def test_names_can_be_chosen(caller_of: Callable[..., Any]) -> None:
    chosen = caller_of(hosts=frozenset({"entail.example.org"}))
    assert chosen.get("/api/health", host="entail.example.org").status == 200
    assert chosen.get("/api/health", host="localhost").status == 400
    assert caller_of(hosts=None).get("/api/health", host="whatever").status == 200


# Addresses and methods


@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.path)
def test_a_wrong_method_is_told_the_right_one(caller: Any, row: Any) -> None:
    right = {*row.methods, *(["HEAD"] if "GET" in row.methods else [])}
    for method in {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"} - right:
        answer = caller.get(row.path, method)
        assert (answer.status, answer.error["kind"]) == (405, "wrong_method")
        assert set(answer.headers["allow"].split(", ")) == right


@pytest.mark.parametrize("path", ["/nowhere", "/api/health/", "/API/health", "//api/health", "/index.html"])
def test_an_unknown_address(caller: Any, path: str) -> None:
    answer = caller.get(path)
    assert (answer.status, answer.error["kind"]) == (404, "not_found")
    assert path in answer.error["message"]


@pytest.mark.parametrize("media_type", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_of_another_site_is_refused(caller: Any, media_type: str) -> None:
    answer = caller.post("/api/hypernyms", {"words": ["dog"]}, headers={"content-type": media_type})
    assert (answer.status, answer.error["kind"]) == (415, "wrong_type")


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_is_taken_however_it_is_declared(caller: Any, media_type: str) -> None:
    answer = caller.post("/api/hypernyms", {"words": ["dog"]}, headers={"content-type": media_type})
    assert answer.status == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b"[1, 2", b'{"words": ["\\ud800"]}', b"nul", b"[" * 100_000],
    ids=["empty", "brace", "bytes", "torn", "surrogate", "nul", "deep"],
)
def test_what_is_no_json_is_400(caller: Any, body: bytes) -> None:
    answer = caller.post("/api/hypernyms", body)
    assert (answer.status, answer.error["kind"]) == (400, "invalid")
    assert "no JSON" in answer.error["message"]


def test_a_refusal_says_where_and_is_printable(caller: Any) -> None:
    answer = caller.post("/api/hypernyms", {"words": ["dog", 7]})
    assert answer.error["where"] == "words.1"
    assert "found 7" in answer.error["message"]
    answer = caller.post("/api/hypernyms", {"words": ["dog"], "\x1b[31m" + "x" * 5000: 1})
    assert answer.status == 422
    assert len(answer.body) < 2000
    assert answer.error["where"].isprintable()
    assert answer.error["message"].isprintable()
    answer = caller.post("/api/hypernyms", {"words": ["dog\x1b[31m"]})
    assert answer.error["word"].isprintable()


def test_every_kind_of_refusal_is_known() -> None:
    folder = Path(str(files("entvec.explore")))
    used = {
        kind
        for source in folder.glob("*.py")
        for kind in re.findall(r"HttpError\(\s*\d+,\s*\"(\w+)\"", source.read_text(encoding="utf-8"))
    }
    assert used <= set(KINDS)
    assert {"busy", "too_many", "too_large"} <= used


# The page


@pytest.mark.parametrize("path", sorted(FILES))
def test_every_file_of_the_page_is_served(caller: Any, path: str) -> None:
    answer = caller.get(path)
    assert (answer.status, answer.body) == (200, FILES[path].content)
    assert answer.headers["content-type"] == FILES[path].media_type
    tag = answer.headers["etag"]
    for asked in (tag, f"W/{tag}", f'"other", {tag}'):
        again = caller.get(path, if_none_match=asked)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        assert_safe(again)
    assert caller.get(path, if_none_match='"other"').status == 200
    assert caller.get(path, "HEAD").status == 200


def test_everything_that_the_page_refers_to_is_there() -> None:
    n_found = 0
    for path, file in FILES.items():
        if path.startswith("/vendor/") or not file.media_type.startswith("text/"):
            continue
        text = file.content.decode()
        # Not of addresses that a module makes itself, such as `/${view}`.
        named = re.findall(r"""(?:import|from|import\()\s*["'](/[^"']+)["']""", text)
        if file.media_type.startswith("text/html"):
            named += re.findall(r"""(?:href|src)="(/[^"]*)\"""", text)
        for found in named:
            n_found += 1
            assert found in FILES or found.startswith("/api/"), f"{path} refers to {found}"
    assert n_found > 20


def test_the_page_refers_to_no_other_server() -> None:
    for path, file in FILES.items():
        if not path.startswith("/vendor/"):
            others = set(
                re.findall(rb"""(?:src|href|from|import|url|fetch)\s*[=(]?\s*["'](https?:)?//""", file.content)
            )
            assert not others, path


def test_all_views_are_the_same_page() -> None:
    assert {FILES[f"/{view}"].content for view in static_files.VIEWS} == {FILES["/"].content}


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/lib/../../app.py",
        "/..%2fapp.py",
        "/%2e%2e/app.py",
        "/lib/../main.js",
        "/./main.js",
        "//main.js",
        "/main.js/",
        "/lib",
        "/lib/",
        "/etc/passwd",
        "//etc/passwd",
        "/..\\app.py",
        "\\..\\app.py",
        "/main.js\0",
        "/main.js\0.css",
        "/main.js%00",
        "/C:\\Windows\\win.ini",
        "file:///etc/passwd",
        "/lib/dom.js/../../../app.py",
        "/\ud800",
        "",
    ],
)
def test_no_name_in_a_request_reaches_the_disk(caller: Any, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*_: Any, **__: Any) -> Any:
        raise AssertionError("a file was opened")

    monkeypatch.setattr("builtins.open", opened)
    monkeypatch.setattr("io.open", opened)
    monkeypatch.setattr("os.open", opened)
    answer = caller.get(path)
    assert (answer.status, answer.error["kind"]) == (404, "not_found")


def test_a_text_in_a_request_is_never_taken_for_the_name_of_a_file(
    caller: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.tsv"
    secret.write_text("hypo\thyper\ntop\tsecret\n")
    monkeypatch.chdir(tmp_path)
    for named in (str(secret), "secret.tsv", f"<file://{secret}>", f'<!DOCTYPE x SYSTEM "{secret}">'):
        for name in ("tsv", "csv", "json", "skos", "graphml", "obo", "outline", None):
            answer = caller.post(
                "/api/taxonomy/convert", {"taxonomy": {"text": named, "format": name}, "format": "tsv"}
            )
            assert answer.status in {200, 422}
            assert b"top" not in answer.body


def test_a_browser_gets_the_page_at_an_address_that_there_is_not(caller: Any) -> None:
    answer = caller.get("/nope", accept="text/html,application/xhtml+xml")
    assert answer.status == 404
    assert b"/main.js" in answer.body
    assert "default-src 'none'" in answer.headers["content-security-policy"]
