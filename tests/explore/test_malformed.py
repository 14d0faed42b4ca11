"""Ten thousand bad requests: each is refused in words, and none is a failure of the server."""

import json
import random
import string
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from entvec.explore import ENDPOINTS
from entvec.explore.http_errors import KINDS

N = 10_000
GOOD: dict[str, dict[str, Any]] = {
    "/api/word": {"word": "dog", "k": 2, "group": True, "context": "the dog barks", "specificity": 1.0},
    "/api/pair": {"first": "dog", "second": "animal", "precision": 0.9, "k": 1},
    "/api/score": {"pairs": [["dog", "animal"], ["cat", "car"]], "precision": 0.9, "missing": "error"},
    "/api/relation": {"pairs": [["dog", "animal"]], "precision": 0.9, "base_rates": {"part": 0.1}, "missing": "nan"},
    "/api/hypernyms": {"words": ["dog", "cat"], "k": 3, "specificity": 1.0, "group": False, "among": ["animal"]},
    "/api/hyponyms": {"words": ["animal"], "k": 3, "group": True, "among": None, "missing": "nan"},
    "/api/explain": {"hypo": "dog", "hyper": "animal", "k": 2},
    "/api/complete": {"start": "d", "k": 3},
    "/api/map": {"words": ["dog"], "above": 2, "below": 2, "specificity": 1.0},
    "/api/taxonomy/build": {"words": ["dog", "animal"], "shape": "tree", "least": 0.1, "entails": [["dog", "animal"]]},
    "/api/taxonomy/audit": {"taxonomy": {"terms": ["dog"], "edges": [{"hypo": "dog", "hyper": "animal"}]}},
    "/api/taxonomy/convert": {"taxonomy": {"text": "animal\n  dog\n", "format": "outline"}, "format": "csv"},
    "/api/taxonomy/place": {"term": "theremin", "like": ["violin"], "entails": ["instrument"], "k": 2},
    "/api/taxonomy/common": {"words": ["apple", "banana"], "k": 2, "share": 1.0},
    "/api/taxonomy/group": {"words": ["apple", "car"], "n": 2, "k": 1},
    "/api/taxonomy/review": {
        "taxonomy": {"text": "animal\n  dog\n", "format": "outline"},
        "rows": [{"decision": "accept", "term": "cat", "relation": "narrower", "target": "animal"}],
    },
    "/api/theory": {"hypo": [1, -1], "hyper": [1, 0]},
}
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    1e308,
    10**30,
    -(10**4000),
    "",
    " ",
    "\0",
    "x" * 300,
    [],
    {},
    [[]],
    [None],
    {"a": {}},
    "NaN",
]
METHODS = ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "post", "\xff"]
TYPES = [
    "",
    "text/plain",
    "application/xml",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "json",
    "\xff/\x00",
]
TEXTS = [
    "@prefix x: <",
    "<graphml>",
    "[Term]",
    "{",
    "[[[[",
    "a\tb\tc\td",
    "\0\0",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "  x\n y",
]

Bad = tuple[str, str, bytes, dict[str, str]]


def dumped(body: Any) -> bytes:
    return json.dumps(body).encode()


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a body."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for step, part in inside for place in places(part, (*path, step)))]


def changed(pick: random.Random, body: Any) -> Any:
    """The body with something odd in one place of it."""
    path = pick.choice(places(body)[1:])
    body = json.loads(json.dumps(body))
    here = body
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = pick.choice(ODD)
    return body


def odd_value(pick: random.Random, path: str, body: Any) -> Bad:
    return "POST", path, dumped(changed(pick, body)), {}


def odd_key(pick: random.Random, path: str, body: Any) -> Bad:
    key = "".join(pick.choices(string.printable + "é\0\u202e", k=pick.choice([1, 5, 500])))
    return "POST", path, dumped(body | {key: pick.choice(ODD)}), {}


def no_key(pick: random.Random, path: str, body: Any) -> Bad:
    left = {key: body[key] for key in body if key not in pick.sample(list(body), pick.randint(1, len(body)))}
    return "POST", path, dumped(left), {}


def not_a_form(pick: random.Random, path: str, _: Any) -> Bad:
    return "POST", path, dumped(pick.choice(ODD)), {}


def torn(pick: random.Random, path: str, body: Any) -> Bad:
    text = dumped(body)
    return "POST", path, text[: pick.randrange(len(text))], {}


def other_bytes(pick: random.Random, path: str, body: Any) -> Bad:
    text = bytearray(dumped(body))
    for _ in range(pick.choice([1, 1, 3])):
        text[pick.randrange(len(text))] = pick.randrange(256)
    return "POST", path, bytes(text), {}


def noise(pick: random.Random, path: str, _: Any) -> Bad:
    return "POST", path, pick.randbytes(pick.choice([1, 10, 1000])), {}


def odd_json(pick: random.Random, path: str, body: Any) -> Bad:
    key = pick.choice(list(body))
    odd = pick.choice(
        [
            "NaN",
            "-Infinity",
            "1e999",
            "9" * 5000,
            "[" * 500 + "]" * 500,
            '{"a":' * 300 + "1" + "}" * 300,
            '"\\ud800"',
            '["\\udfff\\ud800"]',
            "0x10",
            "1_000",
            "'dog'",
            "tru",
            '"\x01"',
            "// no",
        ]
    )
    text = ", ".join(f"{json.dumps(name)}: {odd if name == key else json.dumps(value)}" for name, value in body.items())
    return "POST", path, f"{{{text}}}".encode(), {}


def odd_word(pick: random.Random, path: str, body: Any) -> Bad:
    letters = "\0\x1b\x7f\u202e\u200b\U0010ffff\ufeff\t\n \"'<>&%/\\.~$;|é中"
    word = "".join(pick.choices(letters, k=pick.choice([1, 3, 200, 201, 5000])))
    text = dumped(body).decode()
    there = pick.choice([each for each in ("dog", "animal", "apple", "violin", '"d"', "[1", "outline") if each in text])
    put = json.dumps(word) if there in {'"d"', "[1"} else json.dumps(word)[1:-1]
    return "POST", path, text.replace(there, put).encode(), {}


def odd_text(pick: random.Random, _: str, __: Any) -> Bad:
    text = pick.choice(TEXTS) * pick.choice([1, 2, 200])
    if pick.random() < 0.3:
        text = "".join(pick.choices(string.printable, k=50))
    name = pick.choice([None, "tsv", "csv", "json", "skos", "graphml", "obo", "outline", "dot", "xml"])
    body = {"taxonomy": {"text": text, "format": name}}
    if pick.random() < 0.5:
        return "POST", "/api/taxonomy/audit", dumped(body), {}
    return "POST", "/api/taxonomy/convert", dumped(body | {"format": pick.choice(["tsv", "skos", "obo", "?"])}), {}


def odd_type(pick: random.Random, path: str, body: Any) -> Bad:
    return "POST", path, dumped(body), {"content-type": pick.choice(TYPES)}


def odd_method(pick: random.Random, path: str, body: Any) -> Bad:
    return pick.choice(METHODS), path, dumped(body), {}


def odd_path(pick: random.Random, path: str, body: Any) -> Bad:
    odd = pick.choice(["/", "//", "/..", "\0", "%00", "x", "\u202e", "\\", ";", "/" + "a" * 5000, "\ud800"])
    return pick.choice(["GET", "POST"]), path + odd, dumped(body), {}


def odd_headers(pick: random.Random, path: str, body: Any) -> Bad:
    odd = pick.choice(
        [
            {"host": "evil.example"},
            {"host": "\xff\x00"},
            {"host": "[" * 1000},
            {"content-type": "text/html", "content-length": "-1"},
            {"content-length": "9" * 100},
            {"content-length": "²", "content-type": ""},
            {"host": ""},
            {"expect": "100-continue", "content-length": "99999999999"},
        ]
    )
    return "POST", path, dumped(body), odd


KINDS_OF_BAD: list[tuple[Callable[[random.Random, str, Any], Bad], int]] = [
    (odd_value, 4),
    (odd_key, 2),
    (no_key, 1),
    (not_a_form, 1),
    (torn, 2),
    (other_bytes, 3),
    (noise, 1),
    (odd_json, 3),
    (odd_word, 3),
    (odd_text, 3),
    (odd_type, 1),
    (odd_method, 1),
    (odd_path, 1),
    (odd_headers, 1),
]


def test_the_good_ones_are_good(caller: Any) -> None:
    assert set(GOOD) == {row.path for row in ENDPOINTS if row.request is not None}
    for path, body in GOOD.items():
        assert caller.post(path, body).status == 200, path


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::entvec.errors.TaxonomyFileWarning")  # as the server has it
def test_ten_thousand_bad_requests(caller: Any) -> None:
    """A change may happen to make another good request; those are answered, and not counted."""
    pick = random.Random(0)  # noqa: S311
    makers, weights = zip(*KINDS_OF_BAD, strict=True)
    refused: Counter[str] = Counter()
    statuses: Counter[int] = Counter()

    async def all_of_them() -> None:
        while refused.total() < N:
            make = pick.choices(makers, weights)[0]
            method, path, body, headers = make(pick, *pick.choice(list(GOOD.items())))
            answer = await caller.ask(method, path, body, headers=headers)
            statuses[answer.status] += 1
            said = (make.__name__, method, path[:100], body[:300], answer.body[:500])
            if answer.status == 200:
                assert "error" not in answer.told, said
                continue
            refused[make.__name__] += 1
            assert 400 <= answer.status < 500, said
            assert answer.error["kind"] in KINDS, said
            assert answer.error["message"].strip(), said
            assert answer.error["message"].isprintable(), said
            assert b"Traceback" not in answer.body, said
            assert b"site-packages" not in answer.body, said
            assert b"/src/" not in answer.body, said
            assert len(answer.body) < 4000, said
            assert "content-security-policy" in answer.headers, said

    caller.run(all_of_them())
    assert refused.total() >= N
    assert set(refused) == {make.__name__ for make in makers}
    assert {400, 404, 405, 413, 415, 422} <= set(statuses)
    assert statuses[200] < N / 3
    assert caller.post("/api/hypernyms", {"words": ["dog"]}).status == 200


def garbage(pick: random.Random) -> bytes:
    """Bytes that are not quite a request, or not at all."""
    body = b'{"words": ["dog"]}'
    head = b"POST /api/hypernyms HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    whole = head + b"content-length: %d\r\n\r\n" % len(body) + body
    mutated = bytearray(whole)
    for _ in range(pick.choice([1, 2, 8])):
        mutated[pick.randrange(len(mutated))] = pick.randrange(256)
    return pick.choice(
        [
            bytes(mutated),
            bytes(mutated),
            whole[: pick.randrange(len(whole))],
            pick.randbytes(pick.choice([1, 100, 10_000])),
            b"\r\n" * 1000,
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n",
            b"GET http://evil.example/ HTTP/1.1\r\nhost: evil.example\r\n\r\n",
            b"GET /\xff\xfe HTTP/1.1\r\nhost: localhost\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n",
            head + b"x: " + b"y" * 200_000 + b"\r\n\r\n",
            head + b"x: y\r\n" * 20_000,
            head + b"content-length: -5\r\n\r\n" + body,
            head + b"content-length: 5\r\ncontent-length: 6\r\n\r\n" + body,
            head + b"content-length: 99999999999999999999999\r\n\r\n" + body,
            head + b"content-length: 1000\r\n\r\n" + body,
            head + b"transfer-encoding: chunked\r\n\r\nzz\r\n" + body,
            head + b"transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n5\r\n" + body,
            head + b"transfer-encoding: chunked\r\n\r\n12\r\n" + body + b"\r\n0\r\n\r\n",
            head + b"upgrade: websocket\r\nconnection: upgrade\r\ncontent-length: 0\r\n\r\n",
            head + b"host: second\r\ncontent-length: 0\r\n\r\n",
            whole * 3,
            whole + pick.randbytes(50),
        ]
    )


def test_bytes_that_are_no_requests(start: Callable[..., Any]) -> None:
    pick = random.Random(1)  # noqa: S311
    statuses: Counter[int] = Counter()
    with start() as served:
        for _ in range(300):
            sent = garbage(pick)
            told = served.raw(sent)
            for answer in filter(None, told.split(b"HTTP/1.1 ")):
                statuses[int(answer[:3])] += 1
                head, _, body = answer.partition(b"\r\n\r\n")
                assert b"content-security-policy" in head.lower(), sent[:300]
                assert int(answer[:3]) < 500, (sent[:300], answer[:500])
                if not answer.startswith((b"200", b"100")):
                    assert json.loads(body)["error"]["kind"] in KINDS
            assert b"Traceback" not in told
        for _ in range(50):  # and some that hang up at once
            with served.connected() as connection:
                connection.sendall(garbage(pick)[:50])
        assert served.raw(b"GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")[9:12] == b"200"
        told = served.stop()
    assert served.process.returncode == 0
    assert "Traceback" not in told
    assert {200, 400, 431} <= set(statuses)
    assert statuses[400] > 100
