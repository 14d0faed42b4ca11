"""The MCP server as an agent meets it: through the SDK's own client, over pipes and over HTTP."""

import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp.server.mcpserver", reason="needs mcp 2 or later: pip install 'entvec[mcp]'")

from checking_agent import checked_taxonomy
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import entvec
from entvec.explore.mcp_server import INSTRUCTIONS, make_server
from entvec.explore.mcp_tools import TOOLS

DRAFTS = [
    "violin > string instrument\nstring instrument > musical instrument\nmusical instrument > drum\nbow > violin",
    "- violin > string instrument\n- string instrument > musical instrument\n- drum > musical instrument",
]


def asked(server: Any, ask: Callable[[Client], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with Client(server) as client:
            return await ask(client)

    return anyio.run(main)


@pytest.fixture(scope="module")
def server() -> Any:
    return make_server(entvec.load())


def told(server: Any, name: str, **arguments: Any) -> Any:
    return asked(server, lambda client: client.call_tool(name, arguments))


def test_every_tool_is_described_in_plain_words(server: Any) -> None:
    tools = asked(server, lambda client: client.list_tools()).tools
    assert tuple(tool.name for tool in tools) == TOOLS
    for tool in tools:
        assert 60 < len(tool.description) < 500
        assert tool.annotations.read_only_hint
        assert not any(word in tool.description for word in ("hypo", "entail"))
    assert len(json.dumps([tool.model_dump(exclude_none=True) for tool in tools])) < 12_000


def test_the_server_says_what_it_is_for(server: Any) -> None:
    async def instructions(client: Client) -> Any:
        info: Any = client.server_info
        return client.instructions, info.name

    assert asked(server, instructions) == (INSTRUCTIONS, "entvec")


def test_an_answer_is_one_line_of_json_and_structured(server: Any) -> None:
    found = told(server, "relation", first="poodle", second="dog")
    assert not found.is_error
    [content] = found.content
    assert "\n" not in content.text
    assert json.loads(content.text) == found.structured_content
    assert found.structured_content["relation"] == "narrower"


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("relation", {"first": "", "second": "dog"}, "at least 1 character"),
        ("hypernyms", {"word": "dog", "k": 0}, "greater than or equal to 1"),
        ("hypernyms", {"word": "x" * 201}, "at most 200 characters"),
        ("audit", {"edges": [["dog"]]}, "at least 2 items"),
        ("audit", {"edges": [["dog", " "]]}, "an edge has an empty name"),
        ("relations", {}, "Unknown tool"),
    ],
)
def test_what_makes_no_sense_is_an_error_in_a_sentence(
    server: Any, name: str, arguments: dict[str, Any], problem: str
) -> None:
    found = told(server, name, **arguments)
    assert found.is_error
    assert problem in found.content[0].text
    assert "Traceback" not in found.content[0].text


def test_an_agent_mends_a_taxonomy_that_a_model_wrote(server: Any) -> None:
    prompts: list[str] = []

    def ask_model(prompt: str) -> str:
        prompts.append(prompt)
        return DRAFTS[len(prompts) - 1]

    pairs, left = asked(server, lambda client: checked_taxonomy("musical instruments", ask_model, client))
    assert left == []
    assert ["drum", "musical instrument"] in pairs
    assert len(prompts) == 2
    assert "- musical instrument > drum:" in prompts[1]
    assert "(reverse)" in prompts[1]


@pytest.mark.server
def test_a_program_starts_it_and_asks_over_pipes() -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "entvec", "mcp"])
    found = told(command, "hypernyms", word="poodle", k=1)
    assert found.structured_content["answers"][0]["word"] == "dog"


@pytest.mark.server
def test_it_answers_over_http_and_refuses_other_names() -> None:
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    process = subprocess.Popen(
        [sys.executable, "-m", "entvec", "mcp", "--http", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        url = re.findall(r"http://\S+/mcp", line)[0]
        assert told(url, "relation", first="poodle", second="dog").structured_content["relation"] == "narrower"
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        heads = {"Content-Type": "application/json", "Accept": "application/json", "Host": "evil.example"}
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(url, json.dumps(body).encode(), heads))  # noqa: S310
        assert refused.value.code == 421
        refused.value.close()
    finally:
        process.terminate()
        ended = process.wait(20)
        if process.stderr is not None:
            process.stderr.close()
    assert ended == 0
