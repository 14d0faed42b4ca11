"""One row of the table is an endpoint: its route, its methods, its limits, its description, its line in the docs."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from inspect import getdoc
from pathlib import Path
from typing import Any

import pytest

import entvec
from entvec.explore import ENDPOINTS, Endpoint, Limits, application
from entvec.explore.schemas import RequestModel, ResponseModel, Word
from entvec.explore.service import Service

DOCS = (Path(__file__).parents[2] / "docs" / "explore.md").read_text(encoding="utf-8")


class SpellRequest(RequestModel):
    """Words to spell."""

    words: list[Word]
    upper: bool = False


class SpellResponse(ResponseModel):
    """The letters of each word."""

    letters: list[list[str]]


def spell(service: Service, request: SpellRequest) -> dict[str, Any]:
    """The letters of each word of the space."""
    service.check_known(request.words)
    return {"letters": [list(word.upper() if request.upper else word) for word in request.words]}


ROW = Endpoint("/api/spell", ("GET", "POST"), SpellRequest, SpellResponse, spell, long=True)


def table(endpoints: Sequence[Endpoint]) -> list[str]:
    """The lines of the list in the docs."""
    lines = ["| address | methods | parameters, *optional ones* | answer |", "|---|---|---|---|"]
    for row in endpoints:
        fields = row.request.model_fields if row.request is not None else {}
        named = [f"`{name}`" if field.is_required() else f"*`{name}`*" for name, field in fields.items()]
        if row.query is not None and row.request is not None:
            others = [f"`{name}`" for name in row.query.model_fields if name not in row.request.model_fields]
            left_out = [f"`{name}`" for name in row.request.model_fields if name not in row.query.model_fields]
            told = {"in an address: ": others, "not in an address: ": [] if others else left_out}
            named += [words + ", ".join(each) for words, each in told.items() if each]
        summary = (getdoc(row.handler) or "").rstrip(".")
        lines.append(f"| `{row.path}` | {', '.join(row.methods)} | {', '.join(named)} | {summary} |")
    return lines


def test_a_new_row_is_a_new_endpoint(caller_of: Callable[..., Any]) -> None:
    caller = caller_of(endpoints=(*ENDPOINTS, ROW), limits=Limits(long_in_flight=1))
    expected = {"letters": [["D", "O", "G"]]}
    assert caller.post("/api/spell", {"words": ["dog"], "upper": True}).told == expected
    assert caller.get("/api/spell?words=dog&upper=true").told == expected
    assert caller.get("/api/spell?words=dogg").error["suggestions"][0] == "dog"
    assert caller.get("/api/spell?word=dog").status == 422
    assert caller.get("/api/spell", "PUT").headers["allow"]
    assert caller.post("/api/hypernyms", {"words": ["dog"]}).status == 200
    none = caller_of(endpoints=(ROW,), limits=Limits(long_in_flight=0))
    assert none.get("/api/spell?words=dog").status == 503  # the limit of long requests
    assert none.get("/api/health").status == 404

    described = caller.get("/api/openapi.json").told["paths"]["/api/spell"]
    assert described["get"]["summary"] == described["post"]["summary"] == "The letters of each word of the space."
    assert [each["name"] for each in described["get"]["parameters"] if each["required"]] == ["words"]
    expected_line = "| `/api/spell` | GET, POST | `words`, *`upper`* | The letters of each word of the space |"
    assert table([ROW])[-1] == expected_line


# The docs


def test_the_docs_list_the_endpoints() -> None:
    expected = "\n".join(table(ENDPOINTS))
    assert expected in DOCS, f"docs/explore.md should have this list:\n{expected}"


CONSOLE = "".join(re.findall(r"```console\n(.*?)```", DOCS, re.DOTALL))
EXAMPLES: list[tuple[str, str]] = re.findall(r"^\$ (curl .*)\n((?!\$).*)$", CONSOLE, re.MULTILINE)
"""Each curl command of the docs, and the line below it."""


@pytest.fixture(scope="module")
def bundled(caller: Any) -> Iterator[Any]:
    """Asks the bundled space."""
    found = type(caller)(application(entvec.load()))
    yield found
    found.close()


@pytest.mark.parametrize(("command", "told"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_curl_examples_of_the_docs(bundled: Any, command: str, told: str) -> None:
    address, body, headers = "", "", {}
    words = iter(shlex.split(command)[1:])
    for word in words:
        if word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        elif word in ("-d", "--json"):
            body = next(words)
            headers |= {"Content-Type": "application/json"} if word == "--json" else {}
        elif word not in ("-s", "-g"):
            address = word
    assert address.startswith("localhost:8765/")
    path = address.removeprefix("localhost:8765")
    answer = bundled.run(bundled.ask("POST" if body else "GET", path, body.encode(), headers=headers))
    # The last digits differ from machine to machine.
    assert json.loads(answer.body) == json.loads(
        told, parse_float=lambda number: pytest.approx(float(number), rel=1e-4)
    )


def test_there_are_curl_examples_of_both_methods() -> None:
    commands = [command for command, _ in EXAMPLES]
    assert len(commands) >= 5
    assert {" -d " in command or " --json " in command for command in commands} == {True, False}
