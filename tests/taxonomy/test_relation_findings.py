"""What the relation of two ends says of an edge, on taxonomies small enough to check by eye."""

import numpy as np
import pytest

from entvec.graphs import Taxonomy, from_text
from entvec.space.default import default_space
from entvec.taxonomy import Audit, apply, audit, rows_of_audit
from entvec.taxonomy.relation_findings import known_names

SPACE = default_space()


def pairs(found: Audit, kind: str) -> list[tuple[str, str | None]]:
    return [(finding.hypo, finding.hyper) for finding in found.of(kind)]


def audited(*edges: tuple[str, str], **options: object) -> Audit:
    return audit(Taxonomy.from_edges(edges, **options), SPACE)  # type: ignore[arg-type]


def test_a_sound_taxonomy_has_nothing_wrong() -> None:
    assert audited(("dog", "animal"), ("cat", "animal"), ("poodle", "dog")).findings == ()


@pytest.mark.parametrize(
    ("kind", "edge"),
    [
        ("part", ("wheel", "car")),
        ("whole", ("car", "wheel")),
        ("sibling", ("truck", "car")),
        ("reversed", ("animal", "dog")),
        ("improbable", ("poodle", "vehicle")),
        ("improbable", ("espresso", "cheese")),
    ],
)
def test_the_relation_of_the_ends_names_the_error(kind: str, edge: tuple[str, str]) -> None:
    found = audited(edge, ("cat", "mammal"))
    assert pairs(found, kind) == [edge]
    (finding,) = found.of(kind)
    assert finding.probability == pytest.approx(SPACE.probability(*edge), abs=1e-6)
    assert finding.reversed_probability == pytest.approx(SPACE.probability(*edge[::-1]), abs=1e-6)
    assert 0.5 <= finding.severity <= 1
    assert finding.reason


def test_a_parent_that_means_something_else_here_is_named() -> None:
    found = audited(("factory", "plant"), ("plant", "organism"), ("tree", "plant"))
    assert pairs(found, "sense") == [("factory", "plant")]
    (finding,) = found.of("sense")
    assert finding.reason.startswith("here plant is a kind of organism, which factory is with a probability of 0.0")
    assert finding.probability == pytest.approx(SPACE.probability("factory", "plant"), abs=1e-6)


def test_a_better_parent_below_the_present_one_is_too_distant() -> None:
    found = audited(("cheddar", "food"), ("cheese", "food"), ("apple", "food"))
    assert pairs(found, "distant") == [("cheddar", "cheese")]
    (finding,) = found.of("distant")
    assert finding.instead == "food"
    assert finding.reason.endswith("; cheese is below food")


def test_a_parent_that_a_term_lacks_is_missing_unless_it_is_denied() -> None:
    edges = [("cat", "animal"), ("horse", "animal")]
    assert ("dog", "animal") in pairs(audited(*edges, terms=["dog"]), "missing")
    assert ("dog", "animal") not in pairs(audited(*edges, terms=["dog"], negations=[("dog", "animal")]), "missing")


def test_nothing_is_suggested_that_would_close_a_circle() -> None:
    found = audited(("animal", "dog"), ("cat", "animal"))
    assert ("dog", "animal") not in pairs(found, "missing")
    assert pairs(found, "reversed") == [("animal", "dog")]


def test_terms_of_the_same_name_are_duplicates_once() -> None:
    found = audited(("shoe", "footwear"), ("Shoes", "footwear"))
    assert pairs(found, "duplicate") == [("Shoes", "shoe")]
    assert found.of("duplicate")[0].severity == 1


def test_of_terms_that_nobody_knows_nothing_is_said() -> None:
    found = audited(("qqqqqzz", "zzzzzqq"), ("dog", "animal"))
    unknown = [term for term in ("qqqqqzz", "zzzzzqq") if np.isnan(SPACE.probability(term, term, missing="nan"))]
    assert list(found.without_vector) == unknown
    assert not [finding for finding in found.findings if finding.hypo in unknown and finding.kind == "improbable"]


def test_synonyms_are_asked_where_a_label_is_not_known() -> None:
    named = Taxonomy.from_edges(
        [("x:1", "x:2")], labels={"x:1": "qqqqqzz", "x:2": "animal"}, about={"x:1": {"synonym": ("zzzzzqq", "dog")}}
    )
    names = known_names(named, SPACE)
    assert names[1] == "animal"
    assert names[0] == "dog" or not np.isnan(SPACE.probability("qqqqqzz", "animal", missing="nan"))


def test_places_are_searched_for_on_request() -> None:
    edges = [("cheddar", "food"), ("cheese", "food")]
    told: list[tuple[int, int]] = []
    found = audit(Taxonomy.from_edges(edges), SPACE, missing=False, progress=lambda *done: told.append(done))
    assert found.of("distant") == ()
    audit(Taxonomy.from_edges(edges), SPACE, progress=lambda *done: told.append(done))
    assert (3, 3) in told


def test_the_surest_come_first_and_accepted_findings_stay_out() -> None:
    found = audited(("wheel", "car"), ("poodle", "vehicle"), ("truck", "car"))
    ranked = found.by_precision()
    assert [finding.severity for finding in ranked] == sorted((each.severity for each in found.findings), reverse=True)
    assert found.without([ranked[0].id]).by_precision() == ranked[1:]


def test_accepted_fixes_mend_a_taxonomy() -> None:
    shop = from_text("food\n  cheese\n  cheddar\n  espresso\nvehicle\n  car\n    wheel\n    Cars\n")
    rows = [row._replace(decision="accept") for row in rows_of_audit(audit(shop, SPACE), shop)]
    mended = apply(rows, shop).taxonomy
    assert mended.parents("cheddar") == ("cheese",)
    assert ("wheel", "car") in mended.denied()
    assert "Cars" not in mended
    again = {finding.id for finding in audit(mended, SPACE).findings}
    assert not again & {row.id for row in rows}
