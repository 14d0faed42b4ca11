"""The HTTP adapter asks in batches, tries again where that helps, keeps what it received, and never shows the key."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from entvec.errors import EncoderError, InvalidInput
from entvec.text import HttpEncoder

KEY = "sk-very-secret"
pytestmark = pytest.mark.server


class Service:
    """A server that answers with lengths of texts, after the failures that were planned."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.failures: list[tuple[int, dict[str, str], str]] = []
        self.answer: Any = None
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.requests.append(body)
                service.keys.append(self.headers.get("Authorization"))
                if service.failures:
                    code, headers, text = service.failures.pop(0)
                    if code == 0:  # hang up
                        self.close_connection = True
                        return
                else:
                    code, headers, text = 200, {}, service.content(body["input"])
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: Any) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1/embeddings"

    def content(self, texts: list[str]) -> str:
        rows = [{"index": at, "embedding": [len(text), 1.0]} for at, text in enumerate(texts)]
        return json.dumps({"data": rows[::-1]} if self.answer is None else self.answer)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    found = Service()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


def encoder(service: Service, **options: Any) -> tuple[HttpEncoder, list[float]]:
    """An encoder that notes its pauses and does not wait."""
    pauses: list[float] = []
    made = HttpEncoder(service.address, "lengths", **options)
    made._sleep = pauses.append
    return made, pauses


def test_texts_travel_in_batches_each_once(service: Service) -> None:
    ask, _ = encoder(service, batch_size=2)
    found = ask(["dog", "cattle", "dog", "ox"])
    assert found.tolist() == [[3, 1], [6, 1], [3, 1], [2, 1]]
    assert [request["input"] for request in service.requests] == [["dog", "cattle"], ["ox"]]
    assert service.requests[0]["model"] == "lengths"


def test_the_key_comes_from_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder(service)[0](["dog"])
    monkeypatch.delenv("OPENAI_API_KEY")
    encoder(service)[0](["dog"])
    assert service.keys == [f"Bearer {KEY}", None]


def test_white_space_around_the_key_is_dropped(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    encoder(service)[0](["dog"])
    assert service.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("key", ["one\ntwo", "clé", "\x1b[31m"])
def test_a_key_that_no_header_holds_is_refused_without_showing_it(
    service: Service, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(EncoderError, match="the key in OPENAI_API_KEY has a line break") as caught:
        encoder(service)[0](["dog"])
    assert key not in str(caught.value)


@pytest.mark.parametrize("code", [429, 500, 503, 0])
def test_passing_failures_are_tried_again_after_growing_pauses(service: Service, code: int) -> None:
    service.failures = [(code, {}, "busy")] * 3
    ask, pauses = encoder(service, pause=0.5)
    assert ask(["dog"]).tolist() == [[3, 1]]
    assert pauses == [0.5, 1.0, 2.0]


def test_the_service_may_ask_for_a_longer_pause(service: Service) -> None:
    service.failures = [(429, {"Retry-After": "7"}, "busy"), (429, {"Retry-After": "9999"}, "busy")]
    ask, pauses = encoder(service)
    ask(["dog"])
    assert pauses == [7.0, 60.0]


def test_after_the_last_try_the_error_says_what_the_service_said(service: Service) -> None:
    service.failures = [(503, {}, "overloaded")] * 2
    ask, pauses = encoder(service, tries=2)
    with pytest.raises(EncoderError, match="the service refused with 503: overloaded"):
        ask(["dog"])
    assert len(pauses) == 1


def test_a_refusal_that_stays_is_not_tried_again_and_hides_the_key(service: Service) -> None:
    service.failures = [(401, {}, f"wrong key {KEY}")]
    ask, pauses = encoder(service)
    with pytest.raises(EncoderError, match=r"401: wrong key \*\*\* \(the key is read from OPENAI_API_KEY\)") as caught:
        ask(["dog"])
    assert not pauses
    assert KEY not in str(caught.value)
    assert KEY not in repr(ask)
    assert KEY not in str(vars(ask))


def test_a_redirect_does_not_carry_the_key_elsewhere(service: Service) -> None:
    service.failures = [(302, {"Location": "http://127.0.0.1:9/"}, "")]
    with pytest.raises(EncoderError, match="refused with 302"):
        encoder(service)[0](["dog"])


def test_nobody_there_is_said_after_all_tries() -> None:
    ask = HttpEncoder("http://127.0.0.1:9/v1/embeddings", "lengths", tries=2, pause=0.0)
    with pytest.raises(EncoderError, match=r"no answer after 2 tries .*; is the service running\?"):
        ask(["dog"])


@pytest.mark.parametrize(
    "answer",
    [{}, [], {"data": []}, {"data": [{"index": 1, "embedding": [1.0]}]}, {"data": [{"index": 0, "embedding": ["x"]}]}],
)
def test_other_answers_are_refused(service: Service, answer: Any) -> None:
    service.answer = answer
    with pytest.raises(EncoderError, match="for 1 texts, found another answer"):
        encoder(service)[0](["dog"])


def test_received_vectors_are_kept(service: Service, tmp_path: Path) -> None:
    first, _ = encoder(service, cache=tmp_path / "vectors")
    first(["dog", "ox"])
    second, _ = encoder(service, cache=tmp_path / "vectors")
    assert second(["ox", "dog", "cattle"]).tolist() == [[2, 1], [3, 1], [6, 1]]
    assert [request["input"] for request in service.requests] == [["dog", "ox"], ["cattle"]]


def test_batches_before_a_failure_are_kept(service: Service, tmp_path: Path) -> None:
    ask, _ = encoder(service, cache=tmp_path, batch_size=1)
    service.failures = []
    ask(["dog"])
    service.failures = [(400, {}, "no")]
    with pytest.raises(EncoderError):
        ask(["dog", "ox"])
    assert ask(["dog", "ox"]).tolist() == [[3, 1], [2, 1]]
    assert [request["input"] for request in service.requests] == [["dog"], ["ox"], ["ox"]]


def test_damaged_files_of_the_cache_are_asked_for_again(service: Service, tmp_path: Path) -> None:
    ask, _ = encoder(service, cache=tmp_path)
    ask(["dog"])
    (kept,) = tmp_path.rglob("*.f4")
    kept.write_bytes(b"\x00")
    assert ask(["dog"]).tolist() == [[3, 1]]
    assert len(service.requests) == 2


@pytest.mark.parametrize(
    ("address", "options"),
    [("ftp://example.com", {}), ("example.com", {}), ("https://me:secret@example.com/", {}),
     ("https://example.com", {"batch_size": 0})],
)  # fmt: skip
def test_wrong_settings_are_refused(address: str, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"expected|password") as caught:
        HttpEncoder(address, "model", **options)
    assert "secret" not in str(caught.value)
