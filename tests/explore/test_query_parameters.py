"""A GET request gets what the POST request with the same fields gets: answers, refusals, limits."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.explore import ENDPOINTS, Limits
from entvec.explore.query_parameters import parameters, to_json
from entvec.explore.schemas import PairRequest, PlaceRequest, ScoreQuery, SearchRequest, TheoryRequest, WordRequest

BODIES: dict[str, list[dict[str, Any]]] = {
    "/api/score": [
        {"pairs": [["dog", "animal"], ["ice cream", "food"]]},
        {"pairs": [["dog", "xyzzy"], ["dog", "animal"]], "precision": 0.97, "missing": "nan"},
    ],
    "/api/relation": [
        {"pairs": [["dog", "animal"], ["wheel", "car"]]},
        {"pairs": [["dog", "xyzzy"]], "precision": 0.97, "base_rates": {"part": 0.1, "same": 0.2}, "missing": "nan"},
    ],
    "/api/hypernyms": [
        {"words": ["dog", "xyzzy"], "missing": "nan"},
        {"words": ["dog", "ice cream", "Paris"], "k": 3, "specificity": 0.5, "group": True, "among": ["city", "food"]},
        {"words": ["corgi"], "evidence": "all", "context": "the corgi of the queen"},
    ],
    "/api/hyponyms": [
        {"words": ["animal"], "k": 1, "evidence": "vectors"},
        {"words": ["animal", "animal"], "specificity": 0, "group": False},
    ],
    "/api/explain": [{"hypo": "dog", "hyper": "animal"}, {"hypo": "ice cream", "hyper": "food", "k": 0}],
    "/api/complete": [{"start": "d"}, {"start": "Ice c", "k": 3}],
    "/api/map": [{"words": ["dog"]}, {"words": ["dog", "guitar"], "above": 2, "below": 0, "specificity": 1.5}],
    "/api/word": [
        {"word": "dog", "k": 3, "specificity": 0.5},
        {"word": "guitar", "context": "she plays the guitar", "group": False},
    ],
    "/api/pair": [{"first": "dog", "second": "animal"}, {"first": "wheel", "second": "car", "precision": 0.97, "k": 0}],
    "/api/taxonomy/build": [
        {"words": ["dog", "animal", "xyzzy"]},
        {"words": ["dog", "cat"], "shape": "dag", "least": 0.1, "add": True, "root": "thing", "roots": ["cat"]},
    ],
    "/api/taxonomy/audit": [
        {"taxonomy": {"text": "animal\n  dog\n"}},
        {"taxonomy": {"text": "a\n b\n"}, "missing": False},
    ],
    "/api/taxonomy/convert": [{"taxonomy": {"text": "hypo,hyper\ndog,animal\n", "format": "csv"}, "format": "tsv"}],
    "/api/taxonomy/place": [
        {"term": "theremin", "like": ["violin", "piano"], "entails": ["instrument"], "k": 2},
        {"term": "dog", "entailed_by": ["poodle"], "not_entails": ["fruit"], "own": False},
    ],
    "/api/taxonomy/common": [
        {"words": ["apple", "banana"]},
        {"words": ["apple", "xyzzy"], "share": 0.5, "k": 2, "group": False},
    ],
    "/api/taxonomy/group": [{"words": ["apple", "banana", "car", "truck"], "n": 2, "k": 1}],
    "/api/theory": [{"hypo": [4, 4.5, -4], "hyper": [4, -4e0, 0]}, {"hypo": [1], "hyper": [-1]}],
}


def query(path: str, body: dict[str, Any]) -> str:
    """The address of a GET request with the fields of a body."""
    fields = dict(body)
    if "pairs" in fields:
        names = ("first", "second") if path == "/api/relation" else ("hypo", "hyper")
        fields |= zip(names, zip(*fields.pop("pairs"), strict=True), strict=True)
    if "base_rates" in fields:
        fields["base_rates"] = [f"{name}={share}" for name, share in fields["base_rates"].items()]
    if "taxonomy" in fields:
        given = fields.pop("taxonomy")
        fields |= {"text": given["text"]} | ({"text_format": given["format"]} if "format" in given else {})
    texts = {
        name: [each if isinstance(each, str) else json.dumps(each) for each in value]
        if isinstance(value, list | tuple)
        else value
        if isinstance(value, str)
        else json.dumps(value)
        for name, value in fields.items()
    }
    return f"{path}?{urlencode(texts, doseq=True)}"


# Answers


@pytest.mark.parametrize("path", BODIES)
def test_get_equals_post(caller: Any, path: str) -> None:
    for body in BODIES[path]:
        posted, got = caller.post(path, body), caller.get(query(path, body))
        assert (got.status, got.body) == (posted.status, posted.body) == (200, posted.body)


def test_every_field_is_tried() -> None:
    assert set(BODIES) == {row.path for row in ENDPOINTS if set(row.methods) == {"GET", "POST"}}
    tried = {path: {name for body in bodies for name in body} for path, bodies in BODIES.items()}
    tried["/api/hyponyms"] |= tried["/api/hypernyms"]  # the same model
    tried["/api/taxonomy/build"] |= {"entails", "not_entails", "text"}  # only in a body
    encoded: dict[str, Any] = {
        "/api/word": WordRequest,
        "/api/pair": PairRequest,
        **dict.fromkeys(("/api/hypernyms", "/api/hyponyms"), SearchRequest),
    }
    for path, model in encoded.items():  # what needs an encoder, or reads a text
        tried[path] |= {"definition", "text"} & set(model.model_fields)
    for row in ENDPOINTS:
        if row.path in BODIES:
            assert row.request is not None
            assert tried[row.path] == set(row.request.model_fields), row.path


def test_letters_of_other_alphabets_arrive_escaped_or_not() -> None:
    expected = '{"words": ["caf\\u00e9 \\u4e2d"]}'
    assert to_json(SearchRequest, b"words=" + quote_plus("café 中").encode()) == expected
    assert to_json(SearchRequest, "words=café+中".encode()) == expected


def test_a_word_stays_a_word_whatever_it_looks_like() -> None:
    expected = '{"words": ["1", "true", "null"], "k": 1, "specificity": 1e1}'
    assert to_json(SearchRequest, b"words=1&words=true&words=null&k=1&specificity=1e1") == expected


@given(st.binary(max_size=40) | st.text('kw=&%+;[]"\\1e-.ords', max_size=40).map(str.encode))
def test_any_query_string_becomes_json(sent: bytes) -> None:
    told = json.loads(to_json(SearchRequest, sent))
    assert set(told) == {name for name, _ in parse_qsl(sent.decode("utf-8", "replace"), keep_blank_values=True)}
    assert all(isinstance(word, str) for word in told.get("words", []))  # never a number or an object


def test_schemas_of_parameters_are_without_null() -> None:
    assert parameters(SearchRequest)["specificity"]["type"] == "number"
    assert parameters(SearchRequest)["among"]["items"]["maxLength"] == 200
    for model in (SearchRequest, ScoreQuery, PlaceRequest, TheoryRequest):
        assert all("type" in schema or "enum" in schema for schema in parameters(model).values())


# Refusals


@pytest.mark.parametrize(
    ("path", "sent", "body"),
    [
        ("hypernyms", "", {}),
        ("hypernyms", "words=", {"words": [""]}),
        ("hypernyms", "words=dog&k=0", {"words": ["dog"], "k": 0}),
        ("hypernyms", "words=dog&k=ten", {"words": ["dog"], "k": "ten"}),
        ("hypernyms", "words=dog&k=1.5", {"words": ["dog"], "k": 1.5}),
        ("hypernyms", "words=dog&k=", {"words": ["dog"], "k": ""}),
        ("hypernyms", "words=dog&k=1&k=2", {"words": ["dog"], "k": [1, 2]}),
        ("hypernyms", "words=dog&k=" + "9" * 5000, {"words": ["dog"], "k": "9" * 5000}),
        ("hypernyms", "words=dog&group=yes", {"words": ["dog"], "group": "yes"}),
        ("hypernyms", "words=dog&group=1", {"words": ["dog"], "group": 1}),
        ("hypernyms", "words=dog&specificity=nan", {"words": ["dog"], "specificity": "nan"}),
        ("hypernyms", "words=dog&specificity=null", {"words": ["dog"], "specificity": "null"}),
        ("hypernyms", "words=dog&specificity=11", {"words": ["dog"], "specificity": 11}),
        ("hypernyms", "words=dog&colour=red", {"words": ["dog"], "colour": "red"}),
        ("hypernyms", "words=dog&words[]=cat", {"words": ["dog"], "words[]": "cat"}),
        ("hypernyms", "words=guitarr", {"words": ["guitarr"]}),
        ("hypernyms", "&".join(["words=dog"] * 1001), {"words": ["dog"] * 1001}),
        ("hypernyms", "&".join(["words=dog"] * 21) + "&k=1000", {"words": ["dog"] * 21, "k": 1000}),
        ("hyponyms", "words=dog&among=guitarr", {"words": ["dog"], "among": ["guitarr"]}),
        ("explain", "hypo=dog", {"hypo": "dog"}),
        ("explain", "hypo=dog&hypo=cat&hyper=x", {"hypo": ["dog", "cat"], "hyper": "x"}),
        ("complete", "start=" + "d" * 201, {"start": "d" * 201}),
        ("map", "words=dog&above=31", {"words": ["dog"], "above": 31}),
        ("taxonomy/group", "words=dog", {"words": ["dog"]}),
        ("theory", "hypo=1&hypo=2&hyper=1", {"hypo": [1, 2], "hyper": [1]}),
        ("theory", "hypo=a&hyper=1", {"hypo": ["a"], "hyper": [1]}),
        ("score", "hypo=dog&hyper=guitarr", {"pairs": [["dog", "guitarr"]]}),
    ],
    ids=range(27),
)
def test_a_bad_parameter_is_refused_as_the_bad_field_is(caller: Any, path: str, sent: str, body: Any) -> None:
    posted, got = caller.post(f"/api/{path}", body), caller.get(f"/api/{path}?{sent}")
    assert got.status == posted.status == 422
    assert got.error == posted.error


def test_pairs_that_do_not_match_up(caller: Any) -> None:
    answer = caller.get("/api/score?hypo=dog&hypo=cat&hyper=animal")
    assert (answer.status, answer.error["where"]) == (422, "hyper")
    assert answer.error["message"] == "hypo has 2 words and hyper 1, expected as many of both"
    assert caller.get("/api/score?hyper=animal").error["message"].startswith("hypo: Field required")


def test_limits_count_both_methods(caller_of: Callable[..., Any]) -> None:
    caller = caller_of(limits=Limits(long_per_client=1))

    async def inside() -> list[Any]:
        return await asyncio.gather(*(caller.ask("GET", "/api/explain?hypo=dog&hyper=animal") for _ in range(3)))

    statuses = sorted(answer.status for answer in caller.run(inside()))
    assert statuses == [200, 429, 429]
    busy = caller_of(limits=Limits(in_flight=0))
    assert busy.get("/api/complete?start=d").status == 503


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("target", ["image", "empty", "iframe", "script", ""])
def test_other_sites_cannot_ask(caller: Any, site: str, target: str) -> None:
    answer = caller.get("/api/explain?hypo=dog&hyper=animal", sec_fetch_site=site, sec_fetch_dest=target)
    assert (answer.status, answer.error["kind"]) == (403, "cross_site")


@pytest.mark.parametrize("sent", [{}, {"site": "same-origin"}, {"site": "none"}, {"site": "cross-site"}], ids=range(4))
def test_programs_the_page_and_links_can_ask(caller: Any, sent: dict[str, str]) -> None:
    headers = {f"sec_fetch_{name}": value for name, value in sent.items()}
    assert caller.get("/api/complete?start=d", sec_fetch_dest="document", **headers).status == 200


# Caches


def test_an_answer_has_a_tag_and_is_not_sent_twice(caller: Any) -> None:
    first = caller.get("/api/hypernyms?words=dog&k=2")
    assert first.headers["cache-control"] == "no-cache"  # another space may answer at this address tomorrow
    again = caller.get("/api/hypernyms?words=dog&k=2", if_none_match=first.headers["etag"])
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    other = caller.get("/api/hypernyms?words=dog&k=3", if_none_match=first.headers["etag"])
    assert (other.status, other.headers["etag"] != first.headers["etag"]) == (200, True)


def test_refusals_and_answers_to_post_have_no_tag(caller: Any) -> None:
    assert "etag" not in caller.get("/api/hypernyms?words=xyzzy").headers
    assert "etag" not in caller.post("/api/hypernyms", {"words": ["dog"]}).headers


def test_head_has_the_status_and_the_headers_of_get(caller: Any) -> None:
    for path in ("/api/hypernyms?words=dog", "/api/hypernyms?words=xyzzy", "/api/hypernyms", "/api/theory/world"):
        got, head = caller.get(path), caller.get(path, "HEAD")
        assert (head.status, head.headers) == (got.status, got.headers)


def test_as_many_parameters_as_a_request_needs(caller: Any) -> None:
    fits = "&".join(["hypo=dog&hyper=animal"] * 1000)
    assert caller.get(f"/api/score?{fits}").status == 200
    answer = caller.get("/api/score?" + "&".join(["a"] * 2100))
    assert (answer.status, answer.error["kind"]) == (422, "invalid")
    assert "POST" in answer.error["message"]
