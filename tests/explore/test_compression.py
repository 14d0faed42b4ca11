"""Responses are compressed for those who take gzip, and the first load of the page is small."""

import gzip
import re
from typing import Any

import pytest

from entvec.explore.compression import LARGE_BYTES, LEAST_BYTES, accepts_gzip, gzipped
from entvec.explore.static_files import PAGE, load

FIRST_LOAD_BYTES = 200_000
"""All that a browser fetches before the first view is there, compressed."""


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("gzip", True),
        ("GZIP, br", True),
        ("deflate, gzip;q=1.0, *;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("*", True),
        ("*;q=0, gzip", True),
        ("identity", False),
        ("", False),
        ("gzip;q=nonsense", True),
    ],
)
def test_who_takes_gzip(header: str, expected: bool) -> None:
    assert accepts_gzip(header) is expected


def test_answers_are_compressed_for_those_who_take_it(caller: Any) -> None:
    body = {"words": ["dog", "cat", "guitar", "piano"], "k": 50}
    plain = caller.post("/api/hypernyms", body)
    packed = caller.post("/api/hypernyms", body, headers={"accept-encoding": "gzip, br"})
    assert len(plain.body) > LEAST_BYTES
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 3
    assert packed.headers["content-length"] == str(len(packed.body))
    assert {plain.headers["vary"], packed.headers["vary"]} == {"Accept-Encoding"}


def test_long_answers_are_compressed_too(caller: Any) -> None:
    body = {"words": ["dog"] * 1000, "k": 20}
    plain = caller.post("/api/hypernyms", body)
    assert len(plain.body) > LARGE_BYTES
    packed = caller.post("/api/hypernyms", body, headers={"accept-encoding": "gzip"})
    assert gzip.decompress(packed.body) == plain.body


def test_short_answers_and_refusals_stay_as_they_are(caller: Any) -> None:
    for answer in (
        caller.get("/api/complete?start=zzz", accept_encoding="gzip"),
        caller.get("/api/hypernyms", accept_encoding="gzip"),
    ):
        assert "content-encoding" not in answer.headers


@pytest.mark.parametrize("address", ["/api/hypernyms?words=dog&k=50", "/", "/main.js", "/api/openapi.json"])
def test_a_client_that_has_an_answer_gets_it_in_neither_form_again(caller: Any, address: str) -> None:
    plain, packed = caller.get(address), caller.get(address, accept_encoding="gzip")
    assert gzip.decompress(packed.body) == plain.body
    assert plain.headers["etag"] != packed.headers["etag"]
    for tag in (plain.headers["etag"], packed.headers["etag"]):
        again = caller.get(address, accept_encoding="gzip", if_none_match=tag)
        assert (again.status, again.body) == (304, b"")
    head = caller.get(address, "HEAD", accept_encoding="gzip")
    assert head.headers["content-length"] == packed.headers["content-length"]


def test_the_first_load_is_small() -> None:
    files, there = load(), {"/"}
    todo = ["/"]
    while todo:
        text = files[todo.pop()].content.decode("utf-8", "replace")
        names = re.findall(r"""(?:from |import |src=|href=|url\()["']?(/[\w./-]+)["')]""", text)
        new = [name for name in dict.fromkeys(names) if name in files and name not in there]
        new = [name for name in new if "." in name]  # addresses of views are the page itself
        there.update(new)
        todo += new
    assert {"/main.js", "/styles/base.css", "/lib/dom.js"} <= there
    sizes = {name: len(files[name].compressed or files[name].content) for name in there}
    assert sum(sizes.values()) < FIRST_LOAD_BYTES, sorted(sizes.items(), key=lambda each: -each[1])[:5]


def test_every_text_of_the_page_is_compressed_once() -> None:
    for name, file in load().items():
        if len(file.content) > LEAST_BYTES and not name.endswith(".woff2"):
            assert file.compressed is not None, name
            assert gzip.decompress(file.compressed) == file.content
    assert gzipped(b"dog" * 999) == gzipped(b"dog" * 999)
    assert any(PAGE.iterdir())
