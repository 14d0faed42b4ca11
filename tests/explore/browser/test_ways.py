"""What “Copy as” gives for a list, a hierarchy and the essay does what the page shows."""

import shlex
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

Open = Callable[..., Any]

WAYS = """async () => {
  const [taxonomy, theory] = [await import("/views/taxonomy/ways.js"), await import("/views/theory/ways.js")];
  const pairs = { entails: [["poodle", "dog"]], not_entails: [["it's", "animal"]] };
  return [
    taxonomy.ways({ words: ["dog", "it's", "animal", "poodle"], ...pairs, roots: ["animal"], least: 0.4, add: true }),
    taxonomy.hierarchyWays({ text: 'animal\\n  dog\\n  "car"\\n' }),
    theory.ways({ first: "violin", second: "instrument" }),
  ];
}"""


def test_programs_run_and_commands_are_words_of_a_shell(open_page: Open, capsys: pytest.CaptureFixture[str]) -> None:
    ways = open_page("/theory").evaluate(WAYS)
    told = []
    for way in ways:
        exec(way["python"], {})  # noqa: S102
        told.append(capsys.readouterr().out)
        assert shlex.split(way["curl"])[0] == "curl"
    assert "    poodle" in told[0]
    assert "improbable car animal" in told[1].replace('"', "")
    assert "violin" in told[2]
    first, second = ways[0]["command"].split("\n")
    assert shlex.split(first)[:2] == ["printf", "%s\\n"]
    assert shlex.split(second)[3:7] == ["dog", "it's", "animal", "poodle"]
