"""A taxonomy with decisions about it becomes another one, and files of both."""

from typing import Any

TREE = {"text": "animal\n  dog\n  car\n  fish\n"}
ROWS = [
    {"decision": "accept", "term": "car", "relation": "not narrower", "target": "animal", "id": "improbable-1"},
    {"decision": "reject", "term": "fish", "relation": "not narrower", "target": "animal"},
]


def test_accepted_rows_change_the_taxonomy(caller: Any) -> None:
    told = caller.post("/api/taxonomy/review", {"taxonomy": TREE, "rows": ROWS}).told
    assert told["text"] == "animal\n  dog\n  fish\ncar\n"
    assert told["changes"] == ["- edge car -> animal", "+ denial car is no animal"]
    assert [edge["hypo"] for edge in told["edges"]] == ["dog", "fish"]


def test_the_format_stays_unless_another_is_asked_for(caller: Any) -> None:
    table = {"text": "hypo\thyper\ndog\tanimal\n"}
    assert caller.post("/api/taxonomy/review", {"taxonomy": table, "rows": []}).told["file_name"] == "taxonomy.tsv"
    told = caller.post("/api/taxonomy/review", {"taxonomy": table, "rows": [], "format": "json"}).told
    assert told["file_name"] == "taxonomy.json"


def test_labels_and_names_of_a_file_stay(caller: Any) -> None:
    dog = '[Term]\nid: X:1\nname: dog\nis_a: X:2\nsynonym: "hound" EXACT []\n'
    obo = f"format-version: 1.2\n\n{dog}\n[Term]\nid: X:2\nname: plant\n"
    row = {"decision": "accept", "term": "X:1", "relation": "not narrower", "target": "X:2"}
    told = caller.post("/api/taxonomy/review", {"taxonomy": {"text": obo}, "rows": [row]}).told
    assert told["labels"]["X:1"] == "dog"
    assert "hound" in told["text"]
    assert "is_a" not in told["text"]


def test_the_review_is_a_table_and_mappings(caller: Any) -> None:
    told = caller.post("/api/taxonomy/review", {"taxonomy": TREE, "rows": ROWS}).told
    head, first, _ = told["table"].strip().split("\n")
    assert head.startswith("decision,term,")
    assert first.startswith("accept,car,")
    mappings = [line.split("\t") for line in told["mappings"].split("\n") if line.startswith("entvec:")]
    assert [(row[1], row[2], row[3]) for row in mappings] == [
        ("car", "skos:broadMatch", "Not"),
        ("fish", "skos:broadMatch", ""),
    ]
