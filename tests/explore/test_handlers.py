"""What the API says is what the library says, to one and to many at once."""

import asyncio
from collections.abc import Callable
from math import isnan
from typing import Any

import pytest
from encoders import bag_of_words, shop

from entvec import taxonomy
from entvec.bundled import toy_world
from entvec.explore.http_errors import HttpError
from entvec.explore.threads import checkpoint
from entvec.graphs import Edge, Taxonomy
from entvec.space import EntailmentSpace, default_space
from entvec.space.fitting import fit_encoder
from entvec.taxonomy import audit, common, induce, place, to_text
from entvec.vectors import Vectors


def listed(matches: Any) -> list[dict[str, Any]]:
    """The matches as JSON has them; cosines and sums of a batch and of single words differ by rounding."""
    return [
        match._asdict()
        | {"variants": list(match.variants), "evidence": pytest.approx(match.evidence, abs=1e-5)}
        | {"probability": pytest.approx(match.probability, nan_ok=True)}
        | ({"score": None} if isnan(match.score) else {})
        for match in matches
    ]


@pytest.mark.parametrize("which", ["hypernyms", "hyponyms"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"k": 3},
        {"k": 1000},
        {"specificity": 0.0},
        {"group": True},
        {"among": ["animal", "music"], "k": 1},
        {"evidence": "vectors", "k": 3},
        {"context": "she plays the guitar for her dog", "k": 3},
    ],
)
def test_searches(caller: Any, space: EntailmentSpace, which: str, options: dict[str, Any]) -> None:
    words = ["dog", "guitar", "ice cream", "Dog", "dog"]
    answer = caller.post(f"/api/{which}", {"words": words, **options})
    assert answer.status == 200
    expected = getattr(space, which)(words, **options)
    assert [row["word"] for row in answer.told["words"]] == words  # as they were asked
    assert [row["matches"] for row in answer.told["words"]] == list(map(listed, expected))


def test_every_match_has_its_evidence_and_its_reason(caller: Any) -> None:
    [row] = caller.get("/api/hypernyms?words=dog&k=3").told["words"]
    assert row["matches"][0]["reason"] == "dog -> domestic animal -> animal (WordNet 3.0)"
    numbers = [match["evidence"] for match in row["matches"]]
    assert numbers == sorted(numbers, reverse=True)
    [row] = caller.get("/api/hypernyms?words=dog&k=3&evidence=vectors").told["words"]
    assert {(match["evidence"], match["reason"]) for match in row["matches"]} == {(None, None)}
    assert caller.get("/api/hypernyms?words=dog&evidence=some").status == 422


@pytest.mark.parametrize("which", ["hypernyms", "hyponyms"])
def test_known_words_without_a_vector_are_searched_for(caller: Any, space: EntailmentSpace, which: str) -> None:
    word = {"hypernyms": "corgi", "hyponyms": "canine"}[which]
    [row] = caller.get(f"/api/{which}?words={word}&k=2").told["words"]
    assert [match["word"] for match in row["matches"]] == getattr(space, which)(word, 2).words
    assert {match["score"] for match in row["matches"]} == {None}
    refused = caller.get(f"/api/{which}?words={word}&evidence=vectors")
    assert (refused.status, refused.error["word"]) == (422, word)


def test_a_definition_needs_an_encoder(caller: Any) -> None:
    body = {"words": ["theorbo"], "definition": "a lute with a long neck"}
    answers = caller.together(("/api/hypernyms", body), ("/api/hypernyms", {"words": ["dog"]}))
    assert [answer.status for answer in answers] == [422, 200]
    assert answers[0].error["kind"] == "invalid"
    assert "no encoder to read it" in answers[0].error["message"]


def test_an_encoder_of_the_space_reads_definitions(caller_of: Callable[..., Any]) -> None:
    space = fit_encoder(bag_of_words(), shop(), steps=100, hold_out=0).space
    asked: dict[str, Any] = {"k": 2, "definition": "something red that is a shoe"}
    told = caller_of(space).post("/api/hypernyms", {"words": ["espadrille"]} | asked).told
    found = space.hypernyms("espadrille", **asked)
    assert [match["word"] for match in told["words"][0]["matches"]] == found.words
    assert told["unknown"] == []


def test_scores_and_verdicts(caller: Any, space: EntailmentSpace) -> None:
    pairs = [["dog", "animal"], ["animal", "dog"], ["dog", "guitar"], ["dog", "animal"]]
    told = caller.post("/api/score", {"pairs": pairs, "precision": 0.8}).told["pairs"]
    for (hypo, hyper), row in zip(pairs, told, strict=True):
        assert (row["hypo"], row["hyper"]) == (hypo, hyper)
        assert row["score"] == pytest.approx(space.score(hypo, hyper), abs=1e-9)
        assert row["probability"] == pytest.approx(space.probability(hypo, hyper), abs=1e-9)
        assert row["verdict"] == space.verdict(hypo, hyper, precision=0.8)


def test_a_space_that_knows_nothing_has_the_probabilities_of_its_vectors(
    caller_of: Callable[..., Any], space: EntailmentSpace
) -> None:
    unknowing = space.with_knowledge(None)
    caller = caller_of(unknowing)
    [row] = caller.post("/api/score", {"pairs": [["dog", "animal"]]}).told["pairs"]
    assert row["probability"] == pytest.approx(unknowing.probability("dog", "animal"), abs=1e-9)
    error = caller.post("/api/relation", {"pairs": [["dog", "animal"]]}).error
    assert (error["kind"], "knows nothing besides its vectors" in error["message"]) == ("invalid", True)


def test_relations(caller: Any, space: EntailmentSpace) -> None:
    pairs = [["dog", "animal"], ["wheel", "car"], ["Paris", "city"], ["dog", "animal"]]
    body = {"pairs": pairs, "precision": 0.8, "base_rates": {"narrower": 0.5}}
    told = caller.post("/api/relation", body).told
    assert told["base_rates"]["narrower"] == 0.5
    assert sum(told["base_rates"].values()) == pytest.approx(1)
    for pair, row in zip(pairs, told["pairs"], strict=True):
        expected = space.relation(*pair, precision=0.8, base_rates={"narrower": 0.5})
        assert row == pytest.approx(expected.to_dict() | {"sentence": expected.sentence})
    assert told["pairs"][0]["sentence"] == "dog is a kind of animal"


def test_relations_of_an_address_are_those_of_a_body(caller: Any) -> None:
    body = {"pairs": [["dog", "animal"], ["wheel", "car"]], "base_rates": {"narrower": 0.5, "part": 0.1}}
    query = "first=dog&second=animal&first=wheel&second=car&base_rates=narrower=0.5&base_rates=part=0.1"
    assert caller.get(f"/api/relation?{query}").told == caller.post("/api/relation", body).told
    assert [row["relation"] for row in caller.post("/api/relation", body).told["pairs"]] == ["narrower", "part"]


def test_the_probability_of_an_entailment_is_that_of_its_relations(caller: Any) -> None:
    [related] = caller.get("/api/relation?first=poodle&second=dog").told["pairs"]
    [scored] = caller.get("/api/score?hypo=poodle&hyper=dog").told["pairs"]
    assert scored["probability"] == pytest.approx(related["narrower"] + related["same"])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("first=dog&second=animal&second=cat", "first has 1 words and second 2, expected as many of both"),
        ("first=dog&second=animal&base_rates=narrower", "expected RELATION=SHARE, such as narrower=0.5"),
        ("first=dog&second=animal&base_rates=sideways=0.5", "base rate of 'sideways', expected one of narrower"),
        ("first=dog&second=animal&base_rates=part=0.6&base_rates=same=0.6", "the base rates sum to 1.2"),
        ("first=dog&second=animal&precision=0.1", "precision"),
    ],
)
def test_relations_that_cannot_be_asked_for_are_refused(caller: Any, query: str, message: str) -> None:
    answer = caller.get(f"/api/relation?{query}")
    assert (answer.status, answer.error["kind"]) == (422, "invalid")
    assert message in answer.error["message"]


def test_without_evidence_there_is_no_probability(caller_of: Callable[..., Any]) -> None:
    caller = caller_of(default_space())
    [related] = caller.get("/api/relation?first=hot&second=cold").told["pairs"]
    assert (related["relation"], related["probability"], related["narrower"]) == ("unknown", None, None)
    [scored] = caller.get("/api/score?hypo=hot&hyper=cold").told["pairs"]
    assert (scored["verdict"], scored["probability"], scored["score"] < 0) == ("unknown", None, True)


def test_words_without_a_vector_have_a_relation_if_they_are_known(caller: Any) -> None:
    [row] = caller.get("/api/relation?first=corgi&second=dog").told["pairs"]
    assert (row["relation"], row["situation"]) == ("narrower", "both known")


def test_pairs_with_missing_words_have_no_relation_if_that_is_wished(caller: Any) -> None:
    pairs = [["dog", "animal"], ["dog", "xyzzy"]]
    known, missing = caller.post("/api/relation", {"pairs": pairs, "missing": "nan"}).told["pairs"]
    assert known["relation"] == "narrower"
    assert (missing["relation"], missing["probability"], missing["narrower"]) == ("unknown", None, None)


def test_many_pairs_are_weighed_a_few_at_a_time(caller: Any, space: EntailmentSpace) -> None:
    words = list(space.vectors.words)[:40]
    pairs = [[word, "animal"] for word in words] * 2
    told = caller.post("/api/score", {"pairs": pairs}).told["pairs"]
    expected = space.probability(words, "animal").tolist() * 2
    assert [row["probability"] for row in told] == pytest.approx(expected)


def test_pairs_with_unknown_words_have_no_score_if_that_is_wished(caller: Any) -> None:
    pairs = [["dog", "animal"], ["dog", "xyzzy"], ["xyzzy", "dog"]]
    told = caller.post("/api/score", {"pairs": pairs, "missing": "nan"}).told["pairs"]
    assert told[0]["verdict"] == "yes"
    nothing = {"score": None, "probability": None, "verdict": "unknown"}
    assert told[1:] == [{"hypo": "dog", "hyper": "xyzzy", **nothing}, {"hypo": "xyzzy", "hyper": "dog", **nothing}]
    only = caller.post("/api/score", {"pairs": pairs[1:], "missing": "nan"}).told["pairs"]
    assert only == told[1:]


@pytest.mark.parametrize("verb", ["hypernyms", "hyponyms"])
def test_unknown_words_have_no_matches_if_that_is_wished(caller: Any, space: EntailmentSpace, verb: str) -> None:
    body = {"words": ["xyzzy", "dog"], "k": 2, "missing": "nan"}
    told = caller.post(f"/api/{verb}", body).told["words"]
    assert told[0] == {"word": "xyzzy", "matches": []}
    assert [match["word"] for match in told[1]["matches"]] == getattr(space, verb)("dog", 2).words
    [_, among] = caller.post(f"/api/{verb}", {**body, "among": ["animal", "xyzzy"]}).told["words"]
    assert [match["word"] for match in among["matches"]] == ["animal"]


def test_all_unknown_words_of_a_request_are_named(caller: Any) -> None:
    for path, body in (
        ("/api/score", {"pairs": [["dog", "guitarr"], ["piaano", "dog"]]}),
        ("/api/relation", {"pairs": [["dog", "guitarr"], ["piaano", "dog"]]}),
        ("/api/hypernyms", {"words": ["guitarr", "dog", "piaano"]}),
    ):
        error = caller.post(path, body).error
        assert (error["kind"], error["word"]) == ("unknown_word", "guitarr")
        assert "2 words are not among" in error["message"]
        assert "'piaano' (did you mean 'piano'" in error["message"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/score", {"pairs": [["dog", "animal"], ["dog", "guitarr"]]}),
        ("/api/hypernyms", {"words": ["dog", "guitarr"]}),
        ("/api/hyponyms", {"words": ["dog"], "among": ["animal", "guitarr"]}),
        ("/api/explain", {"hypo": "guitarr", "hyper": "animal"}),
        ("/api/map", {"words": ["guitarr"]}),
        ("/api/pair", {"first": "dog", "second": "guitarr"}),
    ],
    ids=range(6),
)
def test_an_unknown_word_is_refused_with_suggestions(caller: Any, path: str, body: Any) -> None:
    answer = caller.post(path, body)
    assert answer.status == 422
    assert answer.error["kind"] == "unknown_word"
    assert answer.error["word"] == "guitarr"
    assert answer.error["suggestions"][0] == "guitar"
    assert "'guitar'" in answer.error["message"]


def test_an_explanation(caller: Any, space: EntailmentSpace) -> None:
    told = caller.post("/api/explain", {"hypo": "dog", "hyper": "animal", "k": 2}).told
    found = space.explain("dog", "animal", 2)
    assert found.reasoning is not None
    assert told["score"] == found.score
    assert told["carrying"] == found.to_dict()["carrying"]
    assert len(told["strip"]["gain"]) == len(told["strip"]["hypo"]) == space.vocabulary.dimension
    assert [row["operator"] for row in told["operators"] if row["used"]] == [space.operator]
    assert told["reasoning"]["headline"] == found.reasoning.headline
    assert told["reasoning"]["reasons"] == found.to_dict()["reasoning"]["reasons"]
    [row] = caller.get("/api/hypernyms?words=dog&k=50").told["words"]
    [evidence] = [match["evidence"] for match in row["matches"] if match["word"] == "animal"]
    assert sum(part["log_odds"] for part in told["reasoning"]["parts"]) == pytest.approx(evidence, abs=1e-5)


def test_an_explanation_without_a_vector_or_without_knowledge(
    caller: Any, caller_of: Callable[..., Any], space: EntailmentSpace
) -> None:
    told = caller.get("/api/explain?hypo=corgi&hyper=dog").told
    assert told["reasoning"]["verdict"] == "yes"
    assert (told["score"], told["carrying"], told["operators"], told["strip"]["gain"]) == (None, [], [], [])
    told = caller_of(space.with_knowledge(None)).get("/api/explain?hypo=dog&hyper=animal").told
    assert (told["reasoning"], told["score"] < 0) == (None, True)


def test_taxonomies(caller: Any, space: EntailmentSpace) -> None:
    words = ["poodle", "dog", "animal", "cat", "xyzzy"]
    told = caller.post(
        "/api/taxonomy/build",
        {"words": words, "entails": [["cat", "animal"]], "not_entails": [["poodle", "animal"]]},
    ).told
    built = induce(words[:-1], space, entails=[("cat", "animal")], not_entails=[("poodle", "animal")])
    assert [(edge["hypo"], edge["hyper"]) for edge in told["edges"]] == [edge[:2] for edge in built.edges()]
    assert [(edge["hypo"], edge["hyper"]) for edge in told["edges"] if edge["known"]] == [("cat", "animal")]
    assert told["denied"] == [["poodle", "animal"]]
    assert set(told["terms"]) == set(words)
    assert [row["word"] for row in told["unknown"]] == ["xyzzy"]
    [unplaced] = [row for row in told["unplaced"] if row["word"] == "xyzzy"]
    assert (unplaced["known"], unplaced["suggestions"][0]) == (False, "dizzy")
    assert unplaced["reason"].startswith("nothing is known of it")

    given = {"terms": ["stone"], "edges": [{"hypo": "dog", "hyper": "animal", "probability": 0.9}]}
    taxonomy = Taxonomy.from_edges([Edge("dog", "animal", 0.9)], terms=["stone"])
    told = caller.post("/api/taxonomy/audit", {"taxonomy": given}).told
    assert told["counts"] == audit(taxonomy, space).to_dict()["counts"]
    assert told["terms"] == list(taxonomy.terms)
    told = caller.post("/api/taxonomy/convert", {"taxonomy": given, "format": "csv"}).told
    assert told["text"] == to_text(taxonomy, "csv")
    assert (told["file_name"], told["media_type"]) == ("taxonomy.csv", "text/csv")


def test_a_taxonomy_is_read_from_a_text_in_any_format(caller: Any) -> None:
    outline = "animal\n  dog\n    poodle\n"
    turtle = caller.post("/api/taxonomy/convert", {"taxonomy": {"text": outline}, "format": "skos"}).told["text"]
    told = caller.post("/api/taxonomy/convert", {"taxonomy": {"text": turtle}, "format": "tsv"}).told["text"]
    rows = [line.split("\t") for line in told.splitlines()]
    assert sorted(row[:2] for row in rows[1:]) == [["dog", "animal"], ["poodle", "dog"]]


def test_a_text_that_is_no_taxonomy_is_told_in_its_own_words(caller: Any) -> None:
    answer = caller.post("/api/taxonomy/audit", {"taxonomy": {"text": "@prefix x: <", "format": "skos"}})
    assert answer.status == 422
    assert "Turtle" in answer.error["message"]
    assert "/" not in answer.error["message"].replace("/api/openapi.json", "")
    answer = caller.post("/api/taxonomy/audit", {"taxonomy": {"text": ""}})
    assert answer.error["where"].endswith("text")
    assert "at least 1" in answer.error["message"]


def test_places_and_what_words_have_in_common(caller: Any, space: EntailmentSpace) -> None:
    told = caller.post("/api/taxonomy/place", {"term": "theremin", "like": ["violin", "piano"], "k": 3}).told
    found = place("theremin", space, like=["violin", "piano"], k=3)
    assert told["parents"] == listed(found.parents)
    assert told["children"] == listed(found.children)
    told = caller.post("/api/taxonomy/common", {"words": ["apple", "banana", "xyzzy"], "k": 2}).told
    [unknown] = told.pop("unknown")
    assert (unknown["word"], unknown["suggestions"][0]) == ("xyzzy", "dizzy")
    assert told == common(["apple", "banana"], space, 2, share=1.0, group=True).to_dict()
    assert caller.post("/api/taxonomy/common", {"words": ["xyzzy"]}).told["names"] == []
    assert caller.post("/api/taxonomy/group", {"words": ["xyzzy"], "n": 2}).told["groups"] == []
    told = caller.post("/api/taxonomy/group", {"words": ["apple", "banana", "car", "truck"], "n": 2}).told
    assert sorted(sorted(group["words"]) for group in told["groups"]) == [["apple", "banana"], ["car", "truck"]]


def test_completion_and_map(caller: Any) -> None:
    assert caller.post("/api/complete", {"start": "Ice"}).told == {"words": ["ice_cream"]}
    told = caller.post("/api/map", {"words": ["dog"], "above": 2, "below": 2}).told
    assert told["centre"] == ["dog"]
    assert {edge["hypo"] for edge in told["edges"]} <= {*told["centre"], *told["below"], *told["above"]}


def test_the_theory(caller: Any) -> None:
    told = caller.post("/api/theory", {"hypo": [4, 4, -4], "hyper": [4, -4, -4]}).told
    scores = {row["operator"]: row for row in told["operators"]}
    assert scores["backward"]["score"] > scores["backward"]["reversed_score"]
    assert sum(scores["backward"]["by_feature"]) == pytest.approx(scores["backward"]["score"])
    assert told["probability"] > 0.9 > told["reversed_probability"]
    assert told["mean_field"]["hypo"] == pytest.approx(told["exact"]["hypo"], abs=0.1)
    added = {name for name, row in scores.items() if row["by_feature"] is not None}
    assert added == {"forward", "backward", "factorised", "dot", "difference"}
    uneven = caller.post("/api/theory", {"hypo": [1, 2], "hyper": [1]})
    assert (uneven.status, uneven.error["where"]) == (422, "hyper")


def test_theory_settles_where_sweeps_would_creep(caller: Any) -> None:
    """Warnings are errors here: one that did not converge would have none of this."""
    body = {"hypo": [50, -50, 3, 4, -3, 2, 1, 0], "hyper": [-50, 50, 1, 2, 0, 0, 3, 1]}
    told = caller.post("/api/theory", body).told
    assert told["steps"] < 100


def test_the_toy_world(caller: Any) -> None:
    world = toy_world()
    told = caller.get("/api/theory/world").told
    assert told["words"] == list(world.words)
    assert told["known"] == world.bits.tolist()


def test_health(caller: Any, space: EntailmentSpace) -> None:
    first, second = caller.get("/api/health").told, caller.get("/api/health").told
    assert first["status"] == "ok"
    assert first["words"] == len(space)
    assert first["knowledge"] == (None if space.knowledge is None else space.knowledge.summary())
    assert second["answered"] == first["answered"] + 1


def test_what_the_space_knows_is_told(caller_of: Callable[..., Any], space: EntailmentSpace) -> None:
    pets = Taxonomy.from_edges([("dog", "pet")], negations=[("dog", "cat")])
    known = caller_of(space.with_knowledge(None, pets, names=["", "pets.tsv"])).get("/api/health").told["knowledge"]
    assert known == {"sources": ["pets.tsv"], "terms": 3, "senses": 3, "concepts": 3, "is_a": 1, "denials": 1}
    assert caller_of(space.with_knowledge(None)).get("/api/health").told["knowledge"] is None


def test_a_space_without_probabilities(caller_of: Callable[..., Any]) -> None:
    world = toy_world()
    toys = EntailmentSpace.from_vectors(Vectors(world.words, world.log_odds()), interpretation="log_odds")
    asking = caller_of(toys)
    [row] = asking.post("/api/score", {"pairs": [["dog", "animal"]]}).told["pairs"]
    assert row["score"] == toys.score("dog", "animal")
    assert row["probability"] is row["verdict"] is None
    [found] = asking.post("/api/hypernyms", {"words": ["poodle"], "k": 2, "specificity": 0}).told["words"]
    assert [match["word"] for match in found["matches"]] == ["unk", "animal"]
    assert {match["probability"] for match in found["matches"]} == {None}
    assert asking.get("/api/health").told["calibrated"] is False
    asking.service.prepare()
    assert asking.post("/api/complete", {"start": "po"}).told == {"words": ["poodle"]}


# Many at once


def products(caller: Any) -> int:
    found: int = caller.get("/api/health").told["products"]
    return found


def test_concurrent_requests_share_a_product(caller: Any, space: EntailmentSpace) -> None:
    words = list(space.vocabulary.words)
    before = products(caller)
    answers = caller.together(*(("/api/hypernyms", {"words": [word], "k": 5}) for word in words))
    assert products(caller) - before <= 2  # the first may find nobody to wait for
    for word, answer in zip(words, answers, strict=True):
        assert answer.told["words"] == [{"word": word, "matches": listed(space.hypernyms(word, k=5))}]


def test_clients_that_ask_again_share_searches_although_reasons_are_found_one_by_one(caller: Any) -> None:
    clients, questions = 20, 4

    async def client(words: list[str]) -> None:
        for word in words:
            answer = await caller.ask("POST", "/api/hypernyms", {"words": [word], "k": 3})
            assert answer.told["words"][0]["matches"][0]["reason"]

    async def all_of_them() -> None:
        words = ["dog", "cat", "guitar", "piano"]
        await asyncio.gather(*(client(words[i % 4 :] + words[: i % 4]) for i in range(clients)))

    before = products(caller)
    caller.run(all_of_them())
    assert products(caller) - before <= clients * questions / 4


def test_different_questions_are_not_mixed_up(caller: Any, space: EntailmentSpace) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        (f"/api/{which}", {"words": [word], "k": k})
        for which in ("hypernyms", "hyponyms")
        for k in (1, 2, 3)
        for word in ("dog", "cat", "guitar")
    ]
    before = products(caller)
    answers = caller.together(*asked, ("/api/score", {"pairs": [["dog", "animal"]]}))
    assert products(caller) - before <= 9
    for (path, body), answer in zip(asked, answers, strict=False):
        expected = getattr(space, path.rpartition("/")[2])(body["words"][0], body["k"])
        assert answer.told["words"][0]["matches"] == listed(expected)
    assert answers[-1].told["pairs"][0]["verdict"] == "yes"


def test_one_bad_request_does_not_spoil_the_others(caller: Any, space: EntailmentSpace) -> None:
    good = ("/api/hypernyms", {"words": ["dog"], "k": 5})
    bad = ("/api/hypernyms", {"words": ["cat", "xyzzy"], "k": 5})
    before = products(caller)
    answers = caller.together(good, bad, good, bad, good)
    assert [answer.status for answer in answers] == [200, 422, 200, 422, 200]
    assert products(caller) - before <= 2  # and costs no product of its own
    assert answers[0].told["words"][0]["matches"] == listed(space.hypernyms("dog", k=5))


def test_clients_that_leave_do_not_block_others(caller: Any, space: EntailmentSpace) -> None:
    async def some_leave() -> Any:
        asked = [
            asyncio.create_task(caller.ask("POST", "/api/hypernyms", {"words": [word], "k": 4}))
            for word in ("dog", "cat", "guitar", "piano")
        ]
        await asyncio.sleep(0)
        for task in asked[::2]:
            task.cancel()
        return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 10)

    first, cat, third, piano = caller.run(some_leave())
    assert isinstance(first, asyncio.CancelledError)
    assert isinstance(third, asyncio.CancelledError)
    assert cat.told["words"][0]["matches"] == listed(space.hypernyms("cat", k=4))
    assert piano.status == 200
    assert caller.post("/api/hypernyms", {"words": ["dog"]}).status == 200


@pytest.mark.parametrize(
    ("name", "path", "body"),
    [
        ("draft", "build", {"words": ["dog"]}),
        ("audit", "audit", {"taxonomy": {"terms": ["dog"]}}),
        ("place", "place", {"term": "x", "like": ["dog"]}),
        ("common", "common", {"words": ["dog"]}),
        ("abstractions", "group", {"words": ["dog"], "n": 1}),
    ],
)
def test_what_reports_its_progress_can_be_stopped(
    caller: Any, monkeypatch: pytest.MonkeyPatch, name: str, path: str, body: Any
) -> None:
    def reporting(*_: Any, progress: Any, **__: Any) -> Any:
        assert progress is checkpoint
        raise HttpError(422, "invalid", "it was given")

    monkeypatch.setattr(taxonomy, name, reporting)
    assert caller.post(f"/api/taxonomy/{path}", body).error["message"] == "it was given"
