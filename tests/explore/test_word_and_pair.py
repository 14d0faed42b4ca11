"""All that the page shows of a word, and of a pair, in one answer each; and what is said of nonsense."""

import math
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote_plus

import pytest

import entvec
from entvec.explore import application

NONSENSE = "qzqzx"


@pytest.fixture(scope="module")
def bundled(caller: Any) -> Iterator[Any]:
    """Asks the bundled space."""
    found = type(caller)(application(entvec.load()))
    yield found
    found.close()


# Words


def test_the_ladder_lists_what_searches_list(bundled: Any) -> None:
    told = bundled.get("/api/word?word=guitar&k=4&specificity=0.5").told
    for side, path in (("above", "hypernyms"), ("below", "hyponyms")):
        [row] = bundled.get(f"/api/{path}?words=guitar&k=4&group=true&specificity=0.5").told["words"]
        numbers = ("word", "reason", "sense")
        assert [[rung[name] for name in numbers] for rung in told[side]] == [
            [match[name] for name in numbers] for match in row["matches"]
        ]


def test_what_is_inferred_is_told_from_what_is_known(bundled: Any) -> None:
    assert {rung["source"] for rung in bundled.get("/api/word?word=biker&k=8").told["above"]} == {"neighbours"}
    assert {rung["source"] for rung in bundled.get("/api/word?word=dog&k=3").told["above"]} == {"facts"}


def test_a_context_tells_the_sense(bundled: Any) -> None:
    told = bundled.get("/api/word?word=bank&context=we+sat+on+the+grass+by+the+river").told
    assert told["senses"][0]["sense"] == "bank#1"


def test_an_infinitive_asks_about_the_verb(bundled: Any) -> None:
    told = bundled.get("/api/word?word=to+hammer&k=2").told
    assert [rung["word"] for rung in told["above"]] == ["beat", "strike"]
    [row] = bundled.get("/api/hypernyms?words=to+hammer&k=2").told["words"]
    assert [match["word"] for match in row["matches"]] == ["beat", "strike"]


def test_a_misspelled_word_is_read_and_the_right_one_is_offered(bundled: Any) -> None:
    told = bundled.get("/api/word?word=guitr&k=2").told
    assert (told["read_by"], told["suggestions"][0]) == ("encoder", "guitar")


@pytest.mark.parametrize(
    "question",
    [
        "hypernyms?words=dog&words=guitr",
        "hyponyms?words=guitr",
        "score?hypo=guitr&hyper=instrument",
        "relation?first=guitr&second=instrument",
        "pair?first=guitr&second=instrument",
        "explain?hypo=guitr&hyper=instrument",
    ],
)
def test_beside_every_answer_about_a_misspelled_word_is_the_right_one(bundled: Any, question: str) -> None:
    told = bundled.get(f"/api/{question}").told
    assert [(row["word"], row["suggestions"][0]) for row in told["misspelled"]] == [("guitr", "guitar")]
    assert bundled.get(f"/api/{question.replace('guitr', 'guitar')}").told["misspelled"] == []


def test_of_a_word_that_is_nonsense_it_says_so(bundled: Any) -> None:
    told = bundled.get(f"/api/word?word={NONSENSE}").told
    assert (told["read_by"], told["above"], told["below"]) == ("nothing", [], [])
    assert "is no word" in told["objection"]


def test_a_definition_tells_searches_what_it_tells_of_a_word(bundled: Any) -> None:
    asked: dict[str, Any] = {"k": 4, "group": True, "definition": "a sauce of onion and garlic in olive oil"}
    told = bundled.post("/api/word", {"word": "sofrito"} | asked).told
    assert told["above"][0]["word"] == "sauce"
    for side, path in (("above", "/api/hypernyms"), ("below", "/api/hyponyms")):
        answer = bundled.post(path, {"words": ["sofrito"]} | asked)
        [row] = answer.told["words"]
        assert row["word"] == "sofrito"
        assert [match["word"] for match in row["matches"]] == [rung["word"] for rung in told[side]]
        definition = quote_plus(asked["definition"])
        got = bundled.get(f"{path}?words=sofrito&k=4&group=true&definition={definition}")
        assert got.body == answer.body


def test_a_definition_says_what_nonsense_is(bundled: Any) -> None:
    asked = {"words": [NONSENSE], "k": 3, "definition": "a drink of hops and malt"}
    told = bundled.post("/api/hypernyms", asked).told
    assert "drink" in [match["word"] for match in told["words"][0]["matches"]]
    assert (told["unknown"], told["misspelled"]) == ([], [])
    told = bundled.post("/api/hypernyms", asked | {"definition": " "}).told
    assert [row["word"] for row in told["unknown"]] == [NONSENSE]


def test_a_definition_is_read_for_the_vectors_alone_and_among_some_words(bundled: Any) -> None:
    asked = {"words": ["guitr"], "definition": "a drink of hops and malt", "among": ["drink", "car"], "k": 1}
    for evidence in ("all", "vectors"):
        told = bundled.post("/api/hypernyms", asked | {"evidence": evidence}).told
        assert [match["word"] for match in told["words"][0]["matches"]] == ["drink"]
        assert told["misspelled"] == []


def test_words_of_one_definition_are_not_mixed_up(bundled: Any) -> None:
    bodies = [
        {"words": [word], "k": 3, "definition": definition}
        for definition in ("a drink of hops and malt", "a vehicle with two wheels")
        for word in ("zorbel", "frimble", "zorbel")
    ]
    together = bundled.together(*(("/api/hypernyms", body) for body in bodies))
    for body, answer in zip(bodies, together, strict=True):
        alone = bundled.post("/api/hypernyms", body).told["words"][0]
        assert [match["word"] for match in answer.told["words"][0]["matches"]] == [
            match["word"] for match in alone["matches"]
        ]


@pytest.mark.parametrize("path", ["/api/hypernyms", "/api/hyponyms"])
def test_a_definition_is_of_one_word(bundled: Any, path: str) -> None:
    answer = bundled.post(path, {"words": ["sofrito", "dog"], "definition": "a sauce"})
    assert answer.status == 422
    assert (answer.error["kind"], answer.error["where"]) == ("invalid", "definition")
    assert answer.error["message"] == "a definition of 2 words, expected one word"
    answer = bundled.post(path, {"words": ["sofrito"], "definition": ["a sauce"]})
    assert (answer.status, answer.error["where"]) == (422, "definition")


# Pairs


def test_a_pair_has_everything_in_one_answer(bundled: Any) -> None:
    told = bundled.get("/api/pair?first=tomato&second=fruit").told
    assert told["relation"]["sentence"] == "tomato is a kind of fruit"
    assert (told["verdict"], told["reversed_verdict"]) == ("yes", "no")
    assert told["probability"] == pytest.approx(told["relation"]["narrower"] + told["relation"]["same"])
    assert told["reasoning"]["reasons"]
    assert {"facts", "vectors"} <= set(told["rests_on"])
    assert told["analogous"][0]["second"] == "fruit"
    assert len({pair["first"] for pair in told["analogous"]}) == len(told["analogous"]) >= 3


@pytest.mark.parametrize(
    "pair", ["first=tomato&second=fruit", "first=cat&second=dog", "first=zorbing+ball&second=ball"]
)
def test_the_waterfall_adds_up_to_the_answer(bundled: Any, pair: str) -> None:
    told = bundled.get(f"/api/pair?{pair}").told
    fall = told["waterfall"]
    total = sum(part["log_odds"] for part in fall["parts"])
    assert fall["log_odds"] == pytest.approx(total)
    assert 1 / (1 + math.exp(-total)) == pytest.approx(told["relation"]["probability"])
    assert fall["parts"][0]["source"] == "constant"


def test_the_reversed_pair_is_the_other_way_round(bundled: Any) -> None:
    there, back = (
        bundled.get(f"/api/pair?{query}").told for query in ("first=poodle&second=dog", "first=dog&second=poodle")
    )
    assert there["probability"] == pytest.approx(back["reversed_probability"])
    assert (there["relation"]["relation"], back["relation"]["relation"]) == ("narrower", "broader")


def test_a_text_is_evidence(bundled: Any) -> None:
    body = {"first": "theorbo", "second": "lute"}
    without = bundled.post("/api/pair", body).told
    told = bundled.post("/api/pair", body | {"text": "A theorbo is a kind of lute."}).told
    assert told["probability"] > without["probability"]
    assert "text" in told["rests_on"]
    assert any("one sentence says so" in reason["text"] for reason in told["reasoning"]["reasons"])


# Nonsense


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/pair", {"first": "dog", "second": NONSENSE}),
        ("/api/score", {"pairs": [["dog", "animal"], [NONSENSE, "dog"]]}),
        ("/api/relation", {"pairs": [["dog", "animal"], [NONSENSE, "dog"]]}),
        ("/api/hypernyms", {"words": ["dog", NONSENSE], "k": 2}),
        ("/api/hyponyms", {"words": [NONSENSE]}),
        ("/api/hyponyms", {"words": ["animal"], "among": ["dog", NONSENSE]}),
        ("/api/explain", {"hypo": NONSENSE, "hyper": "dog", "k": 0}),
        ("/api/map", {"words": [NONSENSE]}),
        ("/api/map", {"words": ["dog", NONSENSE], "above": 2, "below": 2}),
        ("/api/taxonomy/build", {"words": ["dog", "animal", NONSENSE]}),
        ("/api/taxonomy/common", {"words": ["dog", "cat", NONSENSE]}),
        ("/api/taxonomy/group", {"words": [NONSENSE], "n": 1}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nonsense_is_unknown_and_no_error(bundled: Any, path: str, body: Any) -> None:
    answer = bundled.post(path, body)
    assert answer.status == 200
    [unknown] = answer.told["unknown"]
    assert unknown["word"] == NONSENSE
    assert "is no word" in unknown["reason"]


def test_nonsense_has_no_verdict(bundled: Any) -> None:
    assert bundled.get(f"/api/score?hypo={NONSENSE}&hyper=dog").told["pairs"][0]["verdict"] == "unknown"
    told = bundled.get(f"/api/pair?first={NONSENSE}&second=dog").told
    assert (told["verdict"], told["relation"]["relation"], told["waterfall"]) == ("unknown", "unknown", None)


# Lists and hierarchies


def test_every_word_of_a_list_is_kept_and_the_unplaced_say_why(bundled: Any) -> None:
    words = ["dog", "cat", "animal", "guitr", "piano", NONSENSE]
    told = bundled.post("/api/taxonomy/build", {"words": words}).told
    assert set(told["terms"]) == set(words)
    placed = {edge["hypo"] for edge in told["edges"]} | {edge["hyper"] for edge in told["edges"]}
    unplaced = {row["word"]: row for row in told["unplaced"]}
    assert placed | unplaced.keys() == set(words)
    assert (unplaced[NONSENSE]["known"], unplaced["piano"]["known"]) == (False, True)
    assert "did you mean" not in unplaced[NONSENSE]["reason"]
    assert {"word": "guitr", "suggestions": told["misspelled"][0]["suggestions"]} in told["misspelled"]
    assert told["misspelled"][0]["suggestions"][0] == "guitar"


def test_roots_of_a_list_stay_on_top(bundled: Any) -> None:
    told = bundled.post("/api/taxonomy/build", {"words": ["dog", "animal", "organism"], "roots": ["animal"]}).told
    assert [(edge["hypo"], edge["hyper"]) for edge in told["edges"]] == [("dog", "animal")]


def test_edges_of_a_list_say_what_they_rest_on_and_terms_how_general_they_are(bundled: Any) -> None:
    told = bundled.post("/api/taxonomy/build", {"words": ["poodle", "dog", "snowy owl", "owl"]}).told
    facts = {edge["hypo"]: edge["fact"] for edge in told["edges"]}
    assert facts["poodle"].startswith("poodle -> dog (WordNet")
    assert facts["snowy owl"] is None  # read by an encoder
    assert told["generality"]["dog"] > told["generality"]["poodle"]
    assert "snowy owl" not in told["generality"]
