"""What is wrong with a taxonomy: each kind of finding on taxonomies small enough to check by eye."""

import json
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bundled import default_map, google_news
from entvec.errors import InvalidInput
from entvec.graphs.structure import Reachability
from entvec.space import EntailmentSpace
from entvec.taxonomy import KINDS, Audit, Taxonomy, audit
from entvec.taxonomy.evidence import Among
from entvec.vectors import Vectors

WORDS = [
    "dog", "cat", "horse", "rabbit", "animal", "mammal", "pet", "poodle", "car", "truck", "bus", "vehicle", "piano",
    "guitar", "violin", "instrument", "thing", "ice_cream", "food", "harvest", "sodium", "tractor",
]  # fmt: skip
SPACE = EntailmentSpace.from_vectors(google_news().subset(WORDS), map=default_map())  # few words, to be quick
SOUND = [("cat", "animal"), ("horse", "animal"), ("rabbit", "animal"), ("dog", "animal")]
Pairs = list[tuple[str, str]]


def found(edges: Pairs, kind: str, space: EntailmentSpace | None = None, **options: object) -> Pairs:
    told = audit(Taxonomy.from_edges(edges, **options), space)  # type: ignore[arg-type]
    return [(finding.hypo, str(finding.hyper)) for finding in told.of(kind)]


def test_a_sound_taxonomy_has_nothing_wrong() -> None:
    told = audit(Taxonomy.from_edges(SOUND), SPACE)
    assert told.findings == ()
    assert (told.n_terms, told.n_edges, told.without_vector) == (5, 4, ())


# What the edges tell


def test_a_cycle_is_named_edge_by_edge() -> None:
    (cycle,) = audit(Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])).findings
    assert cycle.kind == "cycle"
    assert cycle.path == ("a", "b", "c", "a")
    assert (cycle.hypo, cycle.hyper) == ("c", "a")
    assert cycle.reason == "a => b => c => a"
    assert cycle.severity == 1.0


def test_two_cycles_that_share_an_edge_are_both_named() -> None:
    told = audit(Taxonomy.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("b", "d"), ("d", "a")])).of("cycle")
    assert {frozenset(finding.path) for finding in told} == {frozenset("abc"), frozenset("abd")}
    # Here one edge, a => b, breaks both: the other cycle is named all the same.
    told = audit(Taxonomy.from_edges([("b", "c"), ("c", "a"), ("b", "d"), ("d", "a"), ("a", "b")])).of("cycle")
    assert {frozenset(finding.path) for finding in told} == {frozenset("abc"), frozenset("abd")}


edges_of = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(lambda pair: pair[0] != pair[1]),
    unique=True,
    min_size=1,
)


@given(edges_of)
def test_every_edge_in_a_circle_is_a_step_of_a_cycle_that_is_named(edges: Pairs) -> None:
    taxonomy = Taxonomy.from_edges(edges)
    told = audit(taxonomy).of("cycle")
    for finding in told:
        assert finding.path[0] == finding.path[-1]
        assert len({*finding.path}) == len(finding.path) - 1
        assert {*pairwise(finding.path)} <= {*edges}
        assert (finding.hypo, finding.hyper) == finding.path[-2:]
    steps = {step for finding in told for step in pairwise(finding.path)}
    assert steps == {(hypo, hyper) for hypo, hyper in edges if taxonomy.entails(hyper, hypo)}


def test_the_weakest_step_of_a_cycle_is_the_last() -> None:
    (cycle,) = audit(Taxonomy.from_edges([("animal", "poodle"), *SOUND, ("poodle", "dog")]), SPACE).of("cycle")
    assert cycle.path == ("poodle", "dog", "animal", "poodle")
    assert cycle.reason == "poodle => dog => animal => poodle; the last step is the weakest: animal => poodle"


def test_nothing_is_said_of_the_weakest_step_where_vectors_are_missing() -> None:
    (cycle,) = audit(Taxonomy.from_edges([("qqqqq", "zzzzz"), ("zzzzz", "qqqqq")]), SPACE).of("cycle")
    assert cycle.reason == "qqqqq => zzzzz => qqqqq"


def test_what_is_denied_and_follows_is_a_contradiction_with_its_path() -> None:
    taxonomy = Taxonomy.from_edges(
        [("poodle", "x:1"), ("x:1", "animal")],
        negations=[("poodle", "animal"), ("animal", "poodle")],
        labels={"x:1": "dog"},
    )
    (finding,) = audit(taxonomy).of("contradiction")
    assert (finding.hypo, finding.hyper, finding.path) == ("poodle", "animal", ("poodle", "x:1", "animal"))
    assert finding.reason == "denied, but poodle => dog => animal"


def test_an_edge_that_follows_from_others_is_redundant_with_the_way() -> None:
    (finding,) = audit(Taxonomy.from_edges([("a", "c"), ("a", "b"), ("b", "c")])).findings
    assert finding.kind == "redundant"
    assert (finding.hypo, finding.hyper, finding.path) == ("a", "c", ("a", "b", "c"))
    assert finding.reason == "follows from a => b => c"


def test_a_redundant_edge_is_not_explained_by_another_redundant_edge() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    told = audit(Taxonomy.from_edges([*chain, ("a", "c"), ("a", "d")])).of("redundant")
    assert {finding.path for finding in told} == {("a", "b", "c"), ("a", "b", "c", "d")}


def test_edges_said_twice_selves_and_orphans() -> None:
    edges = [("a", "b"), ("a", "b"), ("a", "b"), ("b", "b"), ("b", "b")]
    assert found(edges, "repeated") == [("a", "b")]
    assert found(edges, "self") == [("b", "b")]
    assert found(edges, "orphan", terms=["c"]) == [("c", "None")]


def test_the_gravest_comes_first() -> None:
    edges = [("a", "b"), ("b", "a"), ("c", "a"), ("c", "d"), ("d", "a"), ("c", "d"), ("e", "e")]
    told = audit(Taxonomy.from_edges(edges, terms=["f"], negations=[("d", "a")]))
    kinds = [finding.kind for finding in told.findings]
    assert kinds == ["cycle", "contradiction", "redundant", "repeated", "self", "orphan", "orphan"]
    assert kinds == sorted(kinds, key=list(KINDS).index)


# What the vectors tell


def test_an_edge_turned_round_is_called_reversed() -> None:
    edges = [*SOUND[:3], ("animal", "dog")]
    told = audit(Taxonomy.from_edges(edges), SPACE)
    (finding,) = told.of("reversed")
    assert (finding.hypo, finding.hyper) == ("animal", "dog")
    assert finding.probability == pytest.approx(SPACE.probability("animal", "dog"), abs=1e-4)
    assert finding.reversed_probability == pytest.approx(SPACE.probability("dog", "animal"), abs=1e-4)
    numbers = f"probability of {finding.probability:.2f}, the reverse of {finding.reversed_probability:.2f}"
    assert finding.reason.startswith(f"animal => dog has a {numbers}")
    assert finding.reason.endswith("; dog has 0 other children, animal has 3")


def test_an_edge_to_something_else_is_improbable() -> None:
    told = audit(Taxonomy.from_edges([*SOUND, ("poodle", "harvest")]), SPACE)
    (finding,) = told.of("improbable")
    assert (finding.hypo, finding.hyper) == ("poodle", "harvest")
    assert 0.3 <= finding.severity <= 1
    assert told.of("reversed") == ()


def test_the_surest_of_a_kind_comes_first() -> None:
    wrong = [("sodium", "tractor"), ("poodle", "harvest")]
    told = audit(Taxonomy.from_edges([*SOUND, *wrong, *(pair[::-1] for pair in wrong)]), SPACE)
    severities = [finding.severity for finding in told.of("improbable")]
    assert len({*severities}) >= 2
    assert severities == sorted(severities, reverse=True)


def test_a_parent_that_is_missing_is_suggested() -> None:
    assert found(SOUND[:3], "missing", SPACE, terms=["dog"]) == [("dog", "animal")]
    (finding,) = audit(Taxonomy.from_edges(SOUND[:3], terms=["dog"]), SPACE).of("missing")
    assert finding.probability == pytest.approx(SPACE.probability("dog", "animal"), abs=1e-4)
    assert finding.severity >= 0.9
    assert "more evidence than what is above now" in finding.reason


def test_nothing_is_missing_that_is_denied_or_follows_or_would_close_a_cycle() -> None:
    assert found(SOUND[:3], "missing", SPACE, terms=["dog"], negations=[("dog", "animal")]) == []
    dog = ("dog", "animal")
    assert dog in found([*SOUND[:3], ("dog", "piano")], "missing", SPACE)
    assert dog not in found([*SOUND[:3], ("dog", "piano"), ("piano", "animal")], "missing", SPACE)
    assert dog in found([*SOUND[:3], ("piano", "dog")], "missing", SPACE)
    assert dog not in found([*SOUND[:3], ("piano", "dog"), ("animal", "piano")], "missing", SPACE)


def test_a_denial_elsewhere_leaves_the_rest_missing() -> None:
    words = ["dog", "poodle"]
    both = {("dog", "animal"), ("poodle", "dog")}
    assert {*found(SOUND[:3], "missing", SPACE, terms=words)} == both
    assert {*found(SOUND[:3], "missing", SPACE, terms=words, negations=[("animal", "dog")])} == both
    assert found(SOUND[:3], "missing", SPACE, terms=words, negations=[("dog", "animal")]) == [("poodle", "dog")]


@pytest.mark.parametrize(
    ("edges", "denied"),
    [
        ([("cat", "animal"), ("horse", "animal"), ("animal", "thing"), ("dog", "piano")], ("dog", "thing")),
        ([("cat", "animal"), ("horse", "animal"), ("poodle", "dog")], ("poodle", "animal")),
    ],
)
def test_nothing_is_missing_that_would_contradict_a_denial(edges: Pairs, denied: tuple[str, str]) -> None:
    assert ("dog", "animal") in found(edges, "missing", SPACE)
    assert ("dog", "animal") not in found(edges, "missing", SPACE, negations=[denied])


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).filter(lambda p: p[0] != p[1]), min_size=1))
def test_what_is_suggested_is_new(edges: Pairs) -> None:
    taxonomy = Taxonomy.from_edges(edges, terms=WORDS)
    told = audit(taxonomy, SPACE)
    for finding in told.of("missing"):
        assert finding.hyper is not None
        assert not taxonomy.entails(finding.hypo, finding.hyper)
        assert not taxonomy.entails(finding.hyper, finding.hypo)
    hypos = [finding.hypo for finding in told.of("missing")]
    assert len({*hypos}) == len(hypos)
    there = {(edge.hypo, edge.hyper) for edge in taxonomy.edges()}
    doubted = [(finding.hypo, finding.hyper) for kind in ("reversed", "improbable") for finding in told.of(kind)]
    assert {*doubted} <= there
    assert len({*doubted}) == len(doubted)


def test_missing_edges_are_looked_for_on_request_and_progress_is_told() -> None:
    taxonomy = Taxonomy.from_edges(SOUND[:3], terms=["dog"])
    told: list[tuple[int, int]] = []
    assert audit(taxonomy, SPACE, missing=False, progress=lambda *done: told.append(done)).of("missing") == ()
    assert {done for done, _ in told} == {0}
    audit(taxonomy, SPACE, progress=lambda *done: told.append(done))
    assert told[-1] == (5, 5)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    taxonomy = Taxonomy.from_edges(SOUND[:2], terms=WORDS, negations=[("poodle", "animal"), ("car", "vehicle")])
    at_once = audit(taxonomy, SPACE).of("missing")
    assert len(at_once) > 2
    monkeypatch.setattr("entvec.taxonomy.vector_findings.Among", partial(Among, block=4))
    told: list[tuple[int, int]] = []
    in_blocks = audit(taxonomy, SPACE, progress=lambda *done: told.append(done)).of("missing")
    assert {(each.hypo, each.hyper) for each in in_blocks} == {(each.hypo, each.hyper) for each in at_once}
    assert [done for done in told if done[0]] == [(4, 22), (8, 22), (12, 22), (16, 22), (20, 22), (22, 22)]


def test_labels_and_synonyms_are_looked_up() -> None:
    taxonomy = Taxonomy.from_edges(
        [("x:1", "x:2"), ("x:3", "x:2"), ("x:4", "x:2")], labels={"x:1": "Dog", "x:2": "animal", "x:3": "qqqqq"}
    ).replaced(about={"x:3": {"synonym": ("zzzzz", "cat")}, "x:1": {"synonym": ("piano",)}})
    told = audit(taxonomy, SPACE)
    assert told.without_vector == ("x:4",)
    assert told.of("improbable") == ()
    turned = taxonomy.replaced(hypo=taxonomy.hyper[:1], hyper=taxonomy.hypo[:1], probability=taxonomy.probability[:1])
    (finding,) = audit(turned, SPACE).of("reversed")
    assert (finding.hypo, finding.hyper) == ("x:2", "x:1")
    assert finding.reason.startswith("animal => Dog has a probability")
    assert finding.probability == pytest.approx(SPACE.probability("animal", "dog"), abs=1e-4)


def test_without_a_space_only_the_edges_tell() -> None:
    edges = [*SOUND[:3], ("animal", "dog"), ("rabbit", "dog")]
    bare, full = (audit(Taxonomy.from_edges(edges), space) for space in (None, SPACE))
    assert {finding.kind for finding in bare.findings} == {"redundant"}
    assert {finding.kind for finding in full.findings} > {"redundant"}
    assert bare.without_vector == ()


def test_of_unknown_terms_only_the_edges_tell() -> None:
    edges = [("qqa", "qqb"), ("qqb", "qqc"), ("qqa", "qqc"), ("qqc", "dog")]
    told = audit(Taxonomy.from_edges(edges), SPACE)
    assert [finding.kind for finding in told.findings] == ["redundant"]
    assert told.without_vector == ("qqa", "qqb", "qqc")
    assert audit(Taxonomy.from_edges(edges[:3]), SPACE).without_vector == ("qqa", "qqb", "qqc")


def test_an_edge_with_a_vector_on_one_end_only_is_not_judged() -> None:
    edges = [*SOUND[:3], ("animal", "qqqqq"), ("qqqqq", "dog"), ("animal", "dog")]
    judged = audit(Taxonomy.from_edges(edges), SPACE)
    assert {(each.hypo, each.hyper) for each in judged.of("reversed")} == {("animal", "dog")}
    assert judged.of("improbable") == ()


# All of it


def test_an_empty_taxonomy_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the taxonomy is empty, expected at least one term"):
        audit(Taxonomy.from_edges([]))


def test_probabilities_are_needed_in_a_space() -> None:
    with pytest.raises(InvalidInput, match="this space has no probabilities, expected a calibrated one"):
        audit(Taxonomy.from_edges(SOUND), SPACE.with_calibration(None))


def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no kind 'odd', expected one of cycle, contradiction"):
        Audit((), 0, 0, ()).of("odd")


def test_an_audit_is_plain_enough_for_json() -> None:
    edges = [*SOUND[:3], ("animal", "dog"), ("dog", "animal"), ("qqqqq", "animal"), ("poodle", "harvest")]
    told = audit(Taxonomy.from_edges(edges, terms=["piano"]), SPACE)
    plain = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert (plain["terms"], plain["edges"], plain["without_vector"]) == (9, 7, ["qqqqq"])
    assert plain["counts"] == {kind: len(told.of(kind)) for kind in KINDS}
    assert plain["findings"][0]["kind"] == "cycle"
    assert plain["findings"][0]["path"] == list(told.findings[0].path)
    assert len(plain["findings"]) == len(told.findings) == sum(plain["counts"].values())


def test_twenty_thousand_terms_are_audited() -> None:
    n = 20_000
    rng = np.random.default_rng(0)
    hypo = np.arange(1, n)
    hyper = (hypo * rng.random(n - 1)).astype(int)  # each under one before it
    names = [f"term {i}" for i in range(n)]
    edges = [(names[y], names[x]) for y, x in zip(hypo.tolist(), hyper.tolist(), strict=True)]
    tree = Taxonomy.from_edges(edges)
    assert audit(tree).findings == ()
    top = next(y for y, x in zip(hypo.tolist(), hyper.tolist(), strict=True) if x == 0)
    deep = next(i for i in range(n - 1, 0, -1) if tree.entails(names[i], names[top]) and i != top)
    spoilt = audit(tree.with_edges([(names[0], names[deep])], negations=[(names[deep], names[0])]))
    assert len(spoilt.of("contradiction")) == 1
    (cycle,) = spoilt.of("cycle")
    assert (cycle.hypo, cycle.hyper) == (names[0], names[deep])
    assert cycle.path == (*tree.path(names[deep], names[0]), names[deep])


def test_the_parent_that_is_missing_is_the_specific_one() -> None:
    misfiled = Taxonomy.from_edges(
        [("truck", "fruit"), ("car", "vehicle"), ("vehicle", "artifact"), ("banana", "fruit")]
    )
    space = EntailmentSpace.from_vectors(google_news(), map=default_map())
    assert ("truck", "vehicle") in [(each.hypo, each.hyper) for each in audit(misfiled, space).of("missing")]


def test_what_is_no_taxonomy_is_refused() -> None:
    with pytest.raises(InvalidInput, match="is no Taxonomy"):
        audit([("dog", "animal")])  # type: ignore[arg-type]


# Time grows with the taxonomy, whatever its shape


def test_findings_beyond_the_steps_are_told_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 60
    chain = [(f"c{i}", f"c{i + 1}") for i in range(n)]
    shapes = {
        "redundant": Taxonomy.from_edges([*chain, *((f"c{i}", f"c{n}") for i in range(n - 1))]),
        "contradiction": Taxonomy.from_edges(chain, negations=[(f"c{i}", f"c{n}") for i in range(n)]),
        "cycle": Taxonomy.from_edges([*chain, *((f"c{i}", "c0") for i in range(1, n))]),
    }
    whole = {kind: audit(taxonomy).of(kind) for kind, taxonomy in shapes.items()}
    monkeypatch.setattr("entvec.taxonomy.auditing.PATH_STEPS", 200)
    monkeypatch.setattr("entvec.taxonomy.auditing.PATH_STEPS_EACH", 0)
    for kind, taxonomy in shapes.items():
        told = audit(taxonomy).of(kind)
        assert [each[:3] for each in told][:2] == [each[:3] for each in whole[kind]][:2]
        assert {(each.hypo, each.hyper) for each in told} >= {(each.hypo, each.hyper) for each in whole[kind]}
        assert sum(len(each.path) for each in told) < 400 < sum(len(each.path) for each in whole[kind])
        assert all("long" in each.reason for each in told if not each.path)


@pytest.mark.parametrize("n", [200, 400])
def test_a_chain_of_words_is_walked_a_few_times_for_each_block(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"w{i}" for i in range(n)]
    vectors = Vectors(words, np.random.default_rng(0).normal(size=(n, 300)))
    space = EntailmentSpace.from_vectors(vectors, map=default_map())
    walks: list[int] = []
    masks = Reachability._masks

    def counted(self: Reachability, block: list[int]) -> tuple[list[int], list[int]]:
        walks.append(len(block))
        return masks(self, block)

    monkeypatch.setattr(Reachability, "_masks", counted)
    denied = [(words[i], words[i // 2]) for i in range(1, n)]
    audit(Taxonomy.from_edges(pairwise(words), negations=denied), space)
    assert len(walks) <= 4  # up, down, and what is denied; all words are one block
