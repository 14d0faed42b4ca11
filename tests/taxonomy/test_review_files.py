"""Reviews as tables and as SSSOM: what is written comes back, and SSSOM obeys its schema."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.errors import InvalidInput, TaxonomyFileError
from entvec.taxonomy import Row, read_review, write_review
from entvec.taxonomy.sssom import KNOWN, SSSOM

ROWS = [
    Row(
        "accept", "denim jacket", "narrower", "http://a.org/b#jacket", "", "Jackets", probability=0.9, reason="why, so"
    ),
    Row("reject", "denim jacket", "broader", "GO:0008150", probability=0.25),
    Row("", "http://a.org/b#x", "same", "a\tb", "X", probability=1.0, reason="the same name"),
    Row("", "qqqqq", "none", reason="nothing is known"),
]
CURIE = re.compile(r"([A-Za-z_][\w.-]*):\S+")
JUSTIFICATION = re.compile(r"semapv:(MappingReview|ManualMappingCuration|LexicalMatching|CompositeMatching)")


def sssom_problems(text: str) -> list[str]:
    """Check a mapping set by the rules of the SSSOM schema 1.0: its metadata, required slots and patterns."""
    head = [line[1:] for line in text.splitlines() if line.startswith("#")]
    body = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    found = [f"no {name}" for name in ("curie_map", "license", "mapping_set_id") if not any(name in h for h in head)]
    found += [f"not YAML: {line}" for line in head if not re.fullmatch(r'\s*[\w.-]+:(\s*|\s"[^"\\]*")', line)]
    prefixes = {match[1] for line in head if (match := re.match(r"\s+([\w.-]+):", line))} | set(KNOWN)
    titles = body[0]
    for line in body[1:]:
        if len(line) != len(titles):
            found.append(f"{len(line)} columns in {line}")
        cells = dict(zip(titles, line, strict=False))
        for slot in ("subject_id", "predicate_id", "object_id"):
            match = CURIE.fullmatch(cells[slot])
            if not match or match[1] not in prefixes:
                found.append(f"{slot} {cells[slot]!r}")
        if not JUSTIFICATION.fullmatch(cells["mapping_justification"]):
            found.append(f"justification {cells['mapping_justification']!r}")
        if cells["predicate_modifier"] not in ("", "Not"):
            found.append("modifier")
        if cells["confidence"] and not 0 <= float(cells["confidence"]) <= 1:
            found.append("confidence")
    return found


@pytest.mark.parametrize("name", ["review.csv", "review.tsv"])
def test_a_table_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    rows = [*ROWS, Row("accept", "a", "narrower", "b", "", "", "c > b", 0.5, 0.25, "r", "edge-1", "c", "what it is")]
    rows = [row._replace(target=row.target.replace("\t", " ")) for row in rows]
    write_review(rows, tmp_path / name)
    assert read_review(tmp_path / name) == rows


def test_sssom_keeps_decisions_terms_probabilities_and_reasons(tmp_path: Path) -> None:
    path = tmp_path / f"review{SSSOM}"
    write_review(ROWS, path)
    assert read_review(path) == [ROWS[0], ROWS[1], ROWS[2]._replace(target_label="a b"), ROWS[3]]
    assert sssom_problems(path.read_text()) == []


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cn"]), min_size=1, max_size=9).filter(str.strip)
terms = names | names.map(lambda name: f"http://example.org/{name.strip()}") | st.sampled_from(["GO:1", "skos:x", "a:"])
mappings = st.builds(
    Row,
    st.sampled_from(["accept", "reject", ""]),
    terms,
    st.sampled_from(["narrower", "broader", "same"]),
    terms,
    probability=st.none() | st.sampled_from([0.0, 0.125, 1.0]),
)


@given(st.lists(mappings, max_size=4))
@settings(max_examples=60, deadline=None)
def test_whatever_terms_are_called_sssom_is_valid_and_comes_back(rows: list[Row]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"x{SSSOM}"
        write_review(rows, path)
        assert sssom_problems(path.read_text(encoding="utf-8")) == []
        again = read_review(path)
    assert [row[:4] for row in again] == [row[:4] for row in rows]


def test_sssom_of_others_is_read_and_what_it_has_besides_is_left(tmp_path: Path) -> None:
    path = tmp_path / "theirs.tsv"
    path.write_text(
        "#curie_map:\n#  HP: http://purl.obolibrary.org/obo/HP_\n#  ex: http://ex.org/\n#license: x\n"
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
        "HP:1\tskos:exactMatch\tex:a\tsemapv:ManualMappingCuration\n"
        "HP:2\tskos:relatedMatch\tex:a\tsemapv:LexicalMatching\n"
        "HP:3\trdfs:subClassOf\tex:b\tsemapv:LexicalMatching\n"
    )
    assert [row[:4] for row in read_review(path)] == [
        ("accept", "HP:1", "same", "http://ex.org/a"),
        ("", "HP:3", "narrower", "http://ex.org/b"),
    ]


def test_fixes_of_edges_are_no_mappings(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match="'reverse' is no mapping of SSSOM, which knows broader, narrower and the same"
    ):
        write_review([Row("", "a", "reverse", "b")], tmp_path / f"x{SSSOM}")


def test_people_may_change_the_order_of_columns_and_add_some(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    path.write_text("who,term,decision,target,relation\nme,boot,Yes,footwear,narrower\n")
    assert [row[:4] for row in read_review(path)] == [("accept", "boot", "narrower", "footwear")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nc,d\n", "expected a review with the columns decision, term, relation, target, found none called"),
        ("decision,term,relation,target\nperhaps,a,narrower,b\n", "line 2: the decision is 'perhaps'"),
        ("decision,term,relation,target\n,a,under,b\n", "line 2: the relation is 'under', expected one of narrower"),
        ("decision,term,relation,target\n,,narrower,b\n", "line 2: expected a term, found an empty cell"),
        ("decision,term,relation,target,probability\n,a,none,,2\n", "line 2: the probability is '2', expected 0 to 1"),
        ('decision,term,relation,target\n,"a,none,', "expected a table, found what is none"),
        ("", "expected a review with the columns"),
    ],
)
def test_what_is_no_review_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(TaxonomyFileError, match=message):
        read_review(tmp_path / "x.csv")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"decision,term\xff")
    with pytest.raises(TaxonomyFileError, match="expected text in UTF-8"):
        read_review(tmp_path / "x.csv")


def test_a_table_is_one_that_spreadsheets_read(tmp_path: Path) -> None:
    write_review(ROWS, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["reason"] == "why, so"
