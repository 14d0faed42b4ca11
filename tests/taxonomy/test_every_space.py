"""Every verb answers in every calibrated space: whatever the operator, and however wide the range of the log-odds."""

import numpy as np
import pytest

from entvec.bundled import toy_world
from entvec.graphs import Taxonomy
from entvec.graphs.structure import levels
from entvec.learn.calibration import Calibration
from entvec.space import EntailmentSpace
from entvec.taxonomy import abstractions, audit, common, induce, neighbourhood, place
from entvec.theory import OPERATORS
from entvec.vectors import Vectors

WORLD = toy_world()
WORDS = [word for word in WORLD.words if word != "unk"]


@pytest.fixture(params=[2.0, 7.0, 30.0], ids=lambda largest: f"{largest:g}", scope="module")
def largest(request: pytest.FixtureRequest) -> float:
    """The largest of the log-odds: factorised maps of the operator hold to 4, and beyond 20 there are none."""
    return float(request.param)


@pytest.fixture(params=OPERATORS, scope="module")
def space(request: pytest.FixtureRequest, largest: float) -> EntailmentSpace:
    log_odds = WORLD.log_odds() / np.abs(WORLD.log_odds()).max() * largest
    vectors = Vectors(WORLD.words, log_odds)
    made = EntailmentSpace.from_vectors(vectors, interpretation="log_odds", operator=request.param)
    return made.with_calibration(Calibration.platt(1.0, 0.5))


def test_common_and_abstractions(space: EntailmentSpace) -> None:
    assert len(common(["dog", "cat"], space).names) == len(WORLD.words) - 2
    for n in range(1, len(WORDS) + 1):  # with many groups, some are empty
        groups = abstractions(WORDS, space, n)
        assert sorted(word for group in groups for word in group.words) == sorted(WORDS)


def test_place(space: EntailmentSpace) -> None:
    found = place("wolf", space, like=["dog", "cat"])
    assert np.isfinite([*found.parents.scores, *found.children.scores]).all()
    assert len(found.parents) == len(WORLD.words) - 2


def test_induce_and_audit(space: EntailmentSpace) -> None:
    found = induce(WORDS, space, shape="dag", least=0.01)
    levels(len(found), found.hypo, found.hyper)  # raises if there is a cycle
    assert ((found.probability >= 0.01) & (found.probability <= 1)).all()
    told = audit(Taxonomy.from_edges([("animal", "dog"), ("dog", "cat")], terms=WORDS), space)
    assert told.without_vector == ()
    for finding in told.findings:
        if finding.probability is not None and finding.hyper is not None:
            assert finding.probability == pytest.approx(space.probability(finding.hypo, finding.hyper), abs=0.01)


def test_neighbourhood(space: EntailmentSpace) -> None:
    found = neighbourhood(["dog", "animal"], space).taxonomy
    levels(len(found), found.hypo, found.hyper)
    for hypo, hyper, probability in found.edges():
        assert probability == pytest.approx(space.probability(hypo, hyper), abs=1e-6)
