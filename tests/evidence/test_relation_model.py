"""The weights of evidence: files, and what they are made of."""

import json
from pathlib import Path

import numpy as np
import pytest

from entvec.bundled import RELATION_MODEL
from entvec.errors import RelationFileError
from entvec.evidence import RELATIONS, SITUATIONS, RelationModel
from entvec.evidence.features import FEATURES, MIRRORED, MIRRORED_FEATURES, SOURCES


def test_the_bundled_weights_cover_every_situation_and_say_what_they_were_fitted_without() -> None:
    model = RelationModel.load(RELATION_MODEL)
    assert {case.split(":")[0] for case in model.weights} == set(SITUATIONS)
    assert model.base_rates.sum() == pytest.approx(1)
    assert "aardvark" not in model.metadata["held_out"]
    assert {"alligator", "vehicle"} <= set(model.metadata["held_out"])


def test_weights_are_those_of_the_mirrored_features_for_the_mirrored_relations() -> None:
    for weights in RelationModel.load(RELATION_MODEL).weights.values():
        mirrored = weights[[*MIRRORED_FEATURES, len(FEATURES)]][:, MIRRORED]
        np.testing.assert_allclose(mirrored, weights, rtol=1e-4, atol=1e-6)


def test_every_feature_has_a_source_and_a_mirror() -> None:
    names = [feature.name for feature in FEATURES]
    assert len(set(names)) == len(names)
    for feature in FEATURES:
        assert feature.source in SOURCES
        assert FEATURES[names.index(feature.mirrored)].mirrored == feature.name


def test_a_model_is_the_same_after_a_round_trip(tmp_path: Path) -> None:
    model = RelationModel.load(RELATION_MODEL)
    model.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == RELATION_MODEL.read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": "relations 9"}, "expected 'relations 1'"),
        ({"relations": ["narrower"]}, "expected 'relations 1' with the relations"),
        ({"base_rates": dict.fromkeys(RELATIONS, 0)}, "above 0"),
        ({"weights": {"both new: vectors": {"colour": [0] * 7}}}, "no feature 'colour'"),
        ({"weights": {"both new: vectors": {"map": [1, 2]}}}, "no relation model"),
        ({"weights": {"both new: vectors": {"map": [1e999] * 7}}}, "finite"),
        ({"weights": []}, "no relation model"),
        ({"metadata": 3}, "no relation model"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(json.loads(RELATION_MODEL.read_text()) | change))
    with pytest.raises(RelationFileError, match=message) as caught:
        RelationModel.load(path)
    assert "weights.json" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null", b'{"version": []}'])
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "weights.json"
    path.write_bytes(content)
    with pytest.raises(RelationFileError, match=r"weights\.json"):
        RelationModel.load(path)
    with pytest.raises(RelationFileError, match=r"none\.json"):
        RelationModel.load(tmp_path / "none.json")
