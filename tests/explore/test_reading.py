"""Large bodies: read by another process, with the same answers; and that process can be stopped."""

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from entvec.explore import Endpoint, Limits, reading, schemas
from entvec.explore.reading import LARGE_BYTES, Readers

EDGES = [{"hypo": "dog", "hyper": "animal"}, {"hypo": "animal", "hyper": "dog"}]
SAME = [
    ("score", {"pairs": [["dog", "animal"]] * 3}),
    ("score", {"pairs": [["dog", "unheard"]]}),
    ("score", {"pairs": [["dog"]]}),
    ("score", {"pairs": [["dog", "animal"]], "more": 1}),
    ("hypernyms", {"words": ["dog", "cat"], "k": 3, "among": ["animal", "fruit"]}),
    ("taxonomy/build", {"words": ["dog", "cat", "animal"], "entails": [["dog", "animal"]]}),
    ("taxonomy/audit", {"taxonomy": {"edges": EDGES}}),
    ("taxonomy/audit", {"taxonomy": {"text": "animal\n  dog\n  cat\n", "format": "outline"}}),
    ("taxonomy/audit", {"taxonomy": {"text": "{", "format": "json"}}),
    ("taxonomy/audit", {"taxonomy": {"terms": ["dog"] * (2001)}}),
    ("taxonomy/convert", {"taxonomy": {"edges": EDGES}, "format": "skos"}),
    ("taxonomy/convert", {"taxonomy": {"text": "[Term]\nid: a\nxref: b\n", "format": "obo"}, "format": "tsv"}),
]


def padded(body: Any) -> bytes:
    """The same body with spaces, which make it large."""
    return json.dumps(body).encode().ljust(LARGE_BYTES + 1)


@pytest.mark.filterwarnings("ignore::entvec.errors.TaxonomyFileWarning")
@pytest.mark.parametrize(("path", "body"), SAME)
def test_the_answer_is_that_of_a_small_body(caller: Any, path: str, body: Any) -> None:
    small, large = caller.post(f"/api/{path}", body), caller.post(f"/api/{path}", padded(body))
    assert (large.status, large.told) == (small.status, small.told)


def test_it_is_not_parsed_in_this_process(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Extra fields, for instance, take more than a second in which the interpreter does nothing else."""
    caller = caller_of()
    extra = json.dumps({f"a{i}": 1 for i in range(60_000)}).encode()
    assert len(extra) > 10 * LARGE_BYTES

    def parsed(*_: Any, **__: Any) -> Any:
        raise AssertionError("parsed here")

    monkeypatch.setattr(BaseModel, "model_validate_json", classmethod(parsed))
    for path in ("hypernyms", "taxonomy/audit"):
        answer = caller.post(f"/api/{path}", extra)
        assert (answer.status, answer.error["kind"]) == (422, "invalid")
        assert "(and 59" in answer.error["message"]


def test_what_an_audit_does_not_need_stays_in_the_other_process() -> None:
    """A text may have much besides its terms, and to send it from process to process takes as long as to read it."""
    prefix = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://x/> . "
    text = f"{prefix} :m a skos:Collection; skos:member {', '.join(f':a{i}' for i in range(100))} ."
    asked = schemas.AuditRequest(taxonomy=schemas.TaxonomyText(text=text, format="skos"))
    found = reading.prepared(asked).taxonomy
    assert (found.rest, dict(found.about)) == (None, {})
    assert reading.prepared(reading.prepared(asked)).taxonomy is not None


@pytest.mark.parametrize("line", ["a\tb\n", "a\ta\n"], ids=["duplicates", "self loops"])
def test_edges_that_do_not_count_in_a_taxonomy_count_here(caller: Any, line: str) -> None:
    text = "hypo\thyper\n" + line * 10_001
    answer = caller.post("/api/taxonomy/audit", {"taxonomy": {"text": text, "format": "tsv"}})
    assert (answer.status, answer.error["kind"]) == (422, "invalid")


class SpellRequest(schemas.RequestModel):
    words: list[str]


async def spell(_: Any, request: SpellRequest) -> dict[str, Any]:
    """Letters."""
    return {"words": [list(word) for word in request.words]}


def test_a_model_that_another_process_may_not_find(caller_of: Callable[..., Any]) -> None:
    caller = caller_of(endpoints=(Endpoint("/api/spell", ("POST",), SpellRequest, schemas.ResponseModel, spell),))
    assert caller.post("/api/spell", padded({"words": ["ab"]})).told == {"words": [["a", "b"]]}
    assert caller.post("/api/spell", padded({"words": [1]})).status == 422


# Its end


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("path", ["taxonomy/audit", "score"])
def test_it_is_stopped_when_its_client_leaves(
    caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(reading, "START", "import time; time.sleep(1000)")
    caller = caller_of()
    service = caller.service
    lane = service.large if path == "score" else service.long

    async def leaving() -> tuple[int, int]:
        left = asyncio.Event()
        asked = asyncio.create_task(caller.ask("POST", f"/api/{path}", padded({}), left=left))
        while not (service.readers._all and service.readers._all[0]._process):
            await asyncio.sleep(0.001)
        pid = service.readers._all[0]._process.pid
        left.set()
        status = (await asked).status
        while lane.slots.taken:  # until the process has ended
            await asyncio.sleep(0.001)
        return status, pid

    status, pid = caller.run(leaving())
    assert status == 400
    assert not alive(pid)


def test_it_has_a_time_limit(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "START", "import time; time.sleep(1000)")
    caller = caller_of(limits=Limits(long_seconds=0.1))
    assert caller.post("/api/taxonomy/audit", padded({})).error["kind"] == "too_long"
    monkeypatch.undo()
    caller.service.limits = Limits()
    assert caller.post("/api/taxonomy/audit", padded({"taxonomy": {"edges": EDGES}})).status == 200  # a new process


def test_a_process_that_dies_costs_one_request(caller_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "START", "raise SystemExit")
    caller = caller_of()
    answer = caller.post("/api/score", padded({"pairs": [["dog", "cat"]]}))
    assert (answer.status, answer.error["kind"]) == (413, "too_large")
    monkeypatch.undo()
    assert caller.post("/api/score", padded({"pairs": [["dog", "cat"]]})).status == 200


def test_no_process_is_left() -> None:
    readers = Readers()
    assert readers.read(schemas.CompleteRequest, padded({"start": "d"})).start == "d"
    [reader] = readers._all
    pid = reader._process.pid  # type: ignore[union-attr]
    assert readers.read(schemas.CompleteRequest, padded({"start": "e"})).start == "e"
    assert [each._process.pid for each in readers._all] == [pid]  # type: ignore[union-attr]
    readers.close()
    assert not alive(pid)
    readers.close()
