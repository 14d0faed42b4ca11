"""The documentation of the API is a page that people read, made from what the server does."""

import json
import shlex
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from entvec.explore import ENDPOINTS
from entvec.explore.documentation import ADDRESS, examples, page
from entvec.explore.openapi import description

DOCUMENT = description()
EXAMPLES = {path: (curl, program) for path, curl, program in examples(DOCUMENT)}


class Links(HTMLParser):
    """The anchors and links of a page, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.ids |= {found[name] for name in ("id",) if name in found}
        if tag == "a":
            self.links.add(found["href"])
        elif "href" in found or "src" in found:
            self.loaded.add(found.get("href") or found["src"])


def test_it_is_served_as_a_page_of_its_own(caller: Any) -> None:
    for address in ("/api", "/api/"):
        answer = caller.get(address)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.body == page(DOCUMENT)


def test_it_names_every_address_and_every_parameter() -> None:
    text = page(DOCUMENT).decode()
    for row in ENDPOINTS:
        assert f"<code>{row.path}</code>" in text
        for model in filter(None, (row.request, row.query)):
            for name in model.model_fields:
                assert f"<code>{name}</code>" in text


@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.path)
def test_every_parameter_is_described(row: Any) -> None:
    for model in filter(None, (row.request, row.query)):
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"


def test_links_lead_somewhere_and_nothing_comes_from_elsewhere(caller: Any) -> None:
    found = Links(page(DOCUMENT).decode())
    assert "script" not in found.tags
    for link in found.links:
        assert link.startswith("/") or link[1:] in found.ids, link
    for address in found.loaded | {link for link in found.links if link.startswith("/")}:
        assert caller.get(address).status == 200, address


@pytest.mark.parametrize("path", EXAMPLES)
def test_the_curl_examples_are_answered(caller: Any, path: str) -> None:
    words = shlex.split(EXAMPLES[path][0])
    address = next(word for word in words if word.startswith(ADDRESS)).removeprefix(ADDRESS)
    body = words[words.index("-d") + 1].encode() if "-d" in words else b""
    answer = caller.run(caller.ask("POST" if body else "GET", address, body))
    assert answer.status == 200, answer.body
    assert json.loads(answer.body)


def test_the_python_examples_run(start: Callable[..., Any]) -> None:
    with start() as served:
        for path, (_, program) in EXAMPLES.items():
            names: dict[str, Any] = {}
            exec(program.replace(ADDRESS, f"http://{served.host}:{served.port}"), names)  # noqa: S102
            assert names["answer"], path
