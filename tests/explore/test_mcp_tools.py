"""What agents may ask: small answers, with reasons, that say where nothing is known."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

import entvec
from entvec.bundled import toy_world
from entvec.cli import app
from entvec.errors import InvalidInput
from entvec.explore.mcp_tools import TOOLS, Tools
from entvec.graphs import Taxonomy
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

NONSENSE = "xqzzv"


@pytest.fixture(scope="module")
def tools() -> Tools:
    return Tools(entvec.load())


def test_a_relation_has_its_probability_and_its_reason(tools: Tools) -> None:
    told = tools.relation("poodle", "dog")
    assert (told["relation"], told["reason"]) == ("narrower", "poodle -> dog (WordNet 3.0)")
    assert told["probability"] > 0.9
    assert tools.relation("dog", "poodle")["relation"] == "broader"


def test_an_unsure_relation_is_unknown_and_has_a_guess(tools: Tools) -> None:
    told = tools.relation("whale", "fish", precision=0.99)
    assert told["relation"] == "unknown"
    assert told["likeliest"] in ("other", "narrower", "sibling")


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("relation", (NONSENSE, "dog")),
        ("hypernyms", (NONSENSE,)),
        ("hyponyms", (NONSENSE,)),
        ("place", (NONSENSE,)),
        ("explain", ("dog", NONSENSE)),
    ],
)
def test_of_what_is_no_word_nothing_is_guessed(tools: Tools, tool: str, asked: tuple[str, ...]) -> None:
    told: dict[str, Any] = getattr(tools, tool)(*asked)
    assert told["unknown"] == f"{NONSENSE!r} is no word: its letters do not follow each other as in English"
    assert not any(told.get(name) for name in ("answers", "parents", "children", "probability"))


def test_adverbs_have_nothing_above_them(tools: Tools) -> None:
    assert "is an adjective or adverb, which has no hierarchy" in tools.hypernyms("quickly")["unknown"]
    assert "is an adjective or adverb" in tools.relation("quickly", "dog")["unknown"]


def test_hypernyms_and_hyponyms_are_probable_words_with_reasons(tools: Tools) -> None:
    told = tools.hypernyms("guitar", k=3)
    assert len(told["answers"]) == 3
    assert all(row["probability"] >= 0.5 and row["reason"] for row in told["answers"])
    assert "poodle" in [row["word"] for row in tools.hyponyms("dog", k=50)["answers"]]


def test_a_context_tells_the_sense(tools: Tools) -> None:
    words = [row["word"] for row in tools.hypernyms("crane", 5, "wading through the marsh")["answers"]]
    assert "bird" in words


def test_a_definition_tells_what_a_new_word_means(tools: Tools) -> None:
    definition = "a sauce of onion and garlic in olive oil"
    assert tools.hypernyms("sofrito", 2, definition=definition)["answers"][0]["word"] == "sauce"
    assert tools.relation("sofrito", "sauce", definition=definition)["relation"] == "narrower"
    told = tools.hyponyms("bank", 2, definition="a slope beside a river")
    assert "riverbank" in [row["word"] for row in told["answers"]]


def test_a_term_is_placed_by_its_definition(tools: Tools) -> None:
    definition = "a sauce of onion and garlic in olive oil"
    kitchen = [["pesto", "sauce"], ["sauce", "food"], ["shirt", "clothing"]]
    assert tools.place("sofrito", kitchen)["unplaced"]
    assert tools.place("sofrito", kitchen, definition=definition)["parents"][0]["word"] == "sauce"
    assert tools.place("sofrito", definition=definition)["parents"][0]["word"] == "sauce"
    other = tools.place("sofrito", like=["pesto"], definition=definition)
    assert other["parents"] != tools.place("sofrito", like=["pesto"])["parents"]


@pytest.mark.parametrize("tool", ["hypernyms", "hyponyms", "place"])
def test_a_blank_definition_says_nothing(tools: Tools, tool: str) -> None:
    asked = getattr(tools, tool)
    assert asked(NONSENSE, definition=" ") == asked(NONSENSE)
    assert asked("dog", definition="") == asked("dog")


def test_a_term_is_placed_in_a_taxonomy(tools: Tools) -> None:
    shop = [["shoe", "footwear"], ["shirt", "clothing"]]
    assert tools.place("sneaker", shop)["parents"][0]["word"] == "shoe"
    assert tools.place("shoes", shop)["same"] == "shoe"
    assert "is no word" in tools.place(NONSENSE, shop)["unplaced"]
    assert tools.place("theology", shop)["unplaced"]


def test_a_term_is_placed_among_all_words(tools: Tools) -> None:
    assert "dog" in [row["word"] for row in tools.place("poodle", k=5)["parents"]]
    assert "instrument" in [row["word"] for row in tools.place("theremin", like=["violin", "piano"], k=5)["parents"]]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_list_is_named_and_strangers_are_told(tools: Tools) -> None:
    told = tools.common(["apple", "cherry", NONSENSE])
    assert told["names"][0]["word"] == "fruit"
    assert list(told["unknown"]) == [NONSENSE]


def test_an_audit_has_the_surest_findings_first(tools: Tools) -> None:
    edges = [["dog", "animal"], ["vehicle", "car"], ["wheel", "car"]]
    told = tools.audit(edges)
    assert [(row["kind"], row["fix"]) for row in told["findings"]] == [
        ("reversed", "reverse"),
        ("part", "not narrower"),
    ]
    assert tools.audit(edges, limit=1)["more"] == 1
    assert tools.audit([["dog", "animal"]])["findings"] == []


def test_an_edge_without_a_name_makes_no_sense(tools: Tools) -> None:
    with pytest.raises(InvalidInput, match="an edge has an empty name"):
        tools.audit([["dog", " "]])


def test_reasons_stand_on_both_sides(tools: Tools) -> None:
    told = tools.explain("dog", "animal")
    assert told["verdict"] == "yes"
    assert {"side", "text"} == set(told["reasons"][0])


def test_answers_are_small(tools: Tools) -> None:
    asked = {"relation": ("poodle", "dog"), "hypernyms": ("dog",), "explain": ("dog", "animal")}
    assert all(len(json.dumps(getattr(tools, name)(*words))) < 1000 for name, words in asked.items())
    assert set(TOOLS) == {name for name in vars(Tools) if not name.startswith("_") and name != "why_unknown"}


def test_a_space_that_knows_a_little_answers_from_that() -> None:
    world = toy_world()
    space = EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
    tools = Tools(space.with_knowledge(Taxonomy.from_edges([("dog", "animal")])))
    assert tools.relation("dog", "animal")["relation"] == "narrower"
    assert "'newt'" in tools.relation("newt", "animal")["unknown"]


def test_without_the_sdk_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.cli.mcp.find_spec", lambda _: None)
    told = CliRunner().invoke(app, ["mcp"])
    assert told.exit_code == 1
    assert "the MCP server needs 'mcp>=2'" in told.stderr
    assert "entvec[mcp]" in told.stderr
