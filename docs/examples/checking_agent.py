"""An agent that has a language model write a taxonomy, and has entvec check it until nothing is wrong.

`ask_model` is any function from a prompt to a text; the example needs no particular model or service.
"""

import json
from collections.abc import Callable
from typing import Any

from mcp import Client

PROMPT = """Write a taxonomy of {topic}: one pair `narrower > broader` on each line, and nothing else."""
AGAIN = """A check of your taxonomy has found this:
{findings}
Write the whole taxonomy again, with these mended, one pair `narrower > broader` on each line."""


def pairs_of(text: str) -> list[list[str]]:
    """The pairs in what a model wrote; lines that are none are left out."""
    found = [[side.strip(" -*`") for side in line.split(">", 1)] for line in text.splitlines() if ">" in line]
    return [pair for pair in found if all(pair)]


async def checked_taxonomy(
    topic: str, ask_model: Callable[[str], str], client: Client, rounds: int = 3, sure: float = 0.5
) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Return the pairs of a taxonomy, and the findings that are left after some rounds of mending."""
    pairs = pairs_of(ask_model(PROMPT.format(topic=topic)))
    findings: list[dict[str, Any]] = []
    for last in range(rounds):
        found = await client.call_tool("audit", {"edges": pairs})
        answer = json.loads(found.content[0].text)  # type: ignore[union-attr]
        findings = [each for each in answer["findings"] if each["severity"] >= sure]
        if not findings or last == rounds - 1:
            break
        lines = [f"- {each['narrower']} > {each['broader']}: {each['reason']} ({each['fix']})" for each in findings]
        pairs = pairs_of(ask_model(AGAIN.format(findings="\n".join(lines))))
    return pairs, findings
