"""Fitted maps: what they make of vectors, and their files, with two sides and offsets or without."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec import tensors
from entvec.errors import InvalidInput, MapFileError, MapFileNotFound
from entvec.learn import EntailmentMap, FittedMap, storage
from entvec.learn.objective import LEARNABLE

RANDOM = np.random.default_rng(4)
VECTORS = RANDOM.normal(size=(7, 3))
SHAPES = {
    "hypo_weights": (3, 2),
    "hypo_bias": (2,),
    "hyper_weights": (3, 2),
    "hyper_bias": (2,),
    "hypo_offset": (4,),
    "hyper_offset": (4,),
    "generality": (4,),
}
NUMBERS = {name: RANDOM.normal(size=shape) for name, shape in SHAPES.items()}
PLAIN = ("hypo_weights", "hypo_bias")
SIDES = (*PLAIN, "hyper_weights", "hyper_bias")
OFFSETS = ("hypo_offset", "hyper_offset", "generality")


def map_of(*parts: str, operator: str = "backward", dtype: Any = np.float64, **options: Any) -> FittedMap:
    chosen: dict[str, Any] = {name: NUMBERS[name].astype(dtype) for name in parts or SHAPES}
    return FittedMap(operator, **(chosen | options))


KINDS = {
    "plain": PLAIN,
    "two sides": SIDES,
    "offsets": (*PLAIN, *OFFSETS),
    "one offset": (*PLAIN, "hyper_offset"),
    "generality": (*PLAIN, "generality"),
    "everything": tuple(SHAPES),
}


# What a map makes of vectors


def test_a_word_has_other_log_odds_on_either_side() -> None:
    both = map_of(*SIDES)
    np.testing.assert_allclose(both.hypo(VECTORS), VECTORS @ NUMBERS["hypo_weights"] + NUMBERS["hypo_bias"])
    np.testing.assert_allclose(both.hyper(VECTORS), VECTORS @ NUMBERS["hyper_weights"] + NUMBERS["hyper_bias"])
    one = map_of(*PLAIN)
    np.testing.assert_array_equal(one.hyper(VECTORS), one.hypo(VECTORS))


@pytest.mark.parametrize("name", OFFSETS)
def test_an_offset_is_an_affine_function_whose_last_number_is_the_constant(name: str) -> None:
    found = map_of().offset(name, VECTORS)
    np.testing.assert_allclose(found, VECTORS @ NUMBERS[name][:3] + NUMBERS[name][3])
    assert found.shape == (7,)
    np.testing.assert_array_equal(map_of(*PLAIN).offset(name, VECTORS), np.zeros(7))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weights", [np.float32, np.float64])
def test_the_precision_is_that_of_the_vectors(dtype: Any, weights: Any) -> None:
    learned = map_of(dtype=weights)
    vectors = VECTORS.astype(dtype)
    for found in (learned.hypo(vectors), learned.hyper(vectors), *(learned.offset(name, vectors) for name in OFFSETS)):
        assert found.dtype == dtype


@pytest.mark.parametrize("name", KINDS)
def test_a_map_with_nothing_added_is_plain(name: str) -> None:
    learned = map_of(*KINDS[name])
    assert learned.plain == (name == "plain")
    assert (learned.dimension, learned.n_components) == (3, 2)


def test_a_fit_leaves_a_map_that_needs_no_estimator() -> None:
    pairs = RANDOM.normal(size=(30, 2, 3))
    labels = np.arange(30) % 2
    learned = EntailmentMap("forward", random_state=0).fit(pairs, labels)
    fitted = learned.fitted(metadata={"from": "noise"})
    assert fitted.plain
    assert (fitted.operator, fitted.metadata) == ("forward", {"from": "noise"})
    assert (fitted.scale, fitted.intercept) == (learned.scale_, learned.intercept_)
    np.testing.assert_allclose(fitted.hypo(pairs[:, 0]), learned.transform(pairs[:, 0]))


def test_a_map_is_used_without_scikit_learn() -> None:
    code = (
        "import sys; from entvec.learn import FittedMap; assert not {'sklearn', 'joblib', 'scipy'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


# Files


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", KINDS)
def test_a_map_is_loaded_as_it_was_saved(name: str, dtype: Any, tmp_path: Path) -> None:
    learned = map_of(*KINDS[name], dtype=dtype, scale=0.25, intercept=-3.5, metadata={"held_out": "dog\ncat"})
    learned.save(tmp_path / "a.map")
    again = FittedMap.load(tmp_path / "a.map")
    assert (again.operator, again.scale, again.intercept) == ("backward", 0.25, -3.5)
    assert again.metadata == {"held_out": "dog\ncat"}
    for part in SHAPES:
        one, two = getattr(again, part), getattr(learned, part)
        assert (one is None) == (two is None) == (part not in KINDS[name])
        if one is not None:
            assert one.dtype == dtype
            np.testing.assert_array_equal(one, two)
    assert again.plain == learned.plain
    np.testing.assert_array_equal(again.hyper(VECTORS), learned.hyper(VECTORS))


@pytest.mark.parametrize("dtype", [np.float16, np.dtype(">f4"), np.int64])
def test_other_numbers_are_kept_as_float64(dtype: Any, tmp_path: Path) -> None:
    learned = map_of(*PLAIN, hypo_weights=np.arange(6).reshape(3, 2).astype(dtype))
    learned.save(tmp_path / "a.map")
    again = FittedMap.load(tmp_path / "a.map")
    assert again.hypo_weights.dtype == np.float64
    np.testing.assert_array_equal(again.hypo_weights, np.arange(6).reshape(3, 2))


def test_the_safetensors_library_reads_it(tmp_path: Path) -> None:
    map_of(dtype=np.float32).save(tmp_path / "a.map")
    theirs = safetensors.numpy.load_file(tmp_path / "a.map")
    assert set(theirs) == {"weights", "bias", "decision", "hyper_weights", "hyper_bias", *OFFSETS}
    np.testing.assert_array_equal(theirs["generality"], NUMBERS["generality"].astype(np.float32))


@pytest.mark.parametrize("name", [name for name in KINDS if name != "plain"])
def test_an_estimator_takes_plain_maps_only(name: str, tmp_path: Path) -> None:
    map_of(*KINDS[name]).save(tmp_path / "a.map")
    with pytest.raises(MapFileError, match=r"a\.map: a map of two sides or with offsets, expected a plain one"):
        EntailmentMap.load(tmp_path / "a.map")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_estimator_takes_a_plain_map_of_any_precision(dtype: Any, tmp_path: Path) -> None:
    map_of(*PLAIN, dtype=dtype, settings={"C": 2.0, "max_iter": 7}).save(tmp_path / "a.map")
    again = EntailmentMap.load(tmp_path / "a.map")
    assert again.weights_.dtype == again.bias_.dtype == np.float64
    assert (again.C, again.max_iter) == (2.0, 7)
    np.testing.assert_allclose(again.transform(VECTORS), map_of(*PLAIN, dtype=dtype).hypo(VECTORS))


def test_a_path_without_a_map_is_told(tmp_path: Path) -> None:
    with pytest.raises(MapFileNotFound, match="there is no such file"):
        FittedMap.load(tmp_path / "none.map")
    with pytest.raises(FileNotFoundError):
        FittedMap.load(str(tmp_path / "none.map"))


UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "weights without a bias": ({"hyper_bias": None}, "expected hyper_weights and hyper_bias together"),
    "a bias without weights": ({"hyper_weights": None}, "expected hyper_weights and hyper_bias together"),
    "an offset that is too short": ({"hypo_offset": np.zeros(3)}, r"offsets \(d \+ 1\), found"),
    "an offset that is too long": ({"generality": np.zeros(5)}, r"offsets \(d \+ 1\), found"),
    "a hyper of another width": ({"hyper_weights": np.zeros((3, 4))}, r"expected weights \(d, n\)"),
    "a hyper of other vectors": ({"hyper_weights": np.zeros((4, 2))}, r"expected weights \(d, n\)"),
    "a bias of another width": ({"hyper_bias": np.zeros(3)}, r"expected weights \(d, n\)"),
    "NaN in an offset": ({"hyper_offset": np.array([1, np.nan, 2, 3])}, "expected numbers, found NaN or infinity"),
    "a scale of nothing": ({"scale": 0.0}, r"expected a positive scale, found 0\.0"),
    "a negative scale": ({"scale": -1.0}, r"expected a positive scale, found -1\.0"),
    "an intercept that is none": ({"intercept": float("nan")}, "expected numbers, found NaN or infinity"),
    "an operator that no map has": ({"operator": "cosine"}, "expected one of the operators .*, found 'cosine'"),
    "settings that do not fit": ({"settings": {"n_components": 9}}, "expected n_components to be null or 2, found '9'"),
    "a strength that is none": ({"settings": {"C": -1.0}}, "expected C to be a positive number"),
    "metadata in the way": ({"metadata": {"settings": "x"}}, "an entry 'settings'"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_map_that_could_not_be_read_again_is_not_written(name: str, tmp_path: Path) -> None:
    changes, problem = UNFIT[name]
    (tmp_path / "a.map").write_text("old")
    with pytest.raises(InvalidInput, match=problem):
        map_of(**changes).save(tmp_path / "a.map")
    assert (tmp_path / "a.map").read_text() == "old"


def file_of(operator: str = "backward", **changes: Any) -> bytes:
    """A file as it is written, with other tensors in it; None leaves one out."""
    parts = {name.removeprefix("hypo_") if name in PLAIN else name: value for name, value in NUMBERS.items()}
    parts |= {"decision": np.array([1.0, 0.0]), **changes}
    columns = {name: ("F64", np.asarray(part, dtype="<f8")) for name, part in parts.items() if part is not None}
    head = tensors.encode(columns, {"settings": json.dumps({"operator": operator})}, storage.UNVERIFIED)
    return head + b"".join(column.tobytes() for _, column in columns.values())


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "weights of one side alone": ({"hyper_bias": None}, "expected hyper_weights and hyper_bias together, found one"),
    "an offset that is too short": ({"hypo_offset": np.zeros(3)}, r"offsets \(d \+ 1\), found"),
    "a table of offsets": ({"generality": np.zeros((2, 2))}, "the tensor generality to have 1 dimensions of F32/F64"),
    "infinity in an offset": ({"generality": np.full(4, np.inf)}, "expected numbers, found NaN or infinity"),
    "a scale that turns scores around": ({"decision": np.array([-1.0, 0.0])}, "expected a positive scale"),
    "another tensor": ({"surprise": np.zeros(3)}, "not one of maps as entvec writes them"),
    "no weights": ({"weights": None}, "expected the tensors weights, bias and decision, found"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_map_is_told(name: str, tmp_path: Path) -> None:
    changes, problem = BAD[name]
    (tmp_path / "a.map").write_bytes(file_of(**changes))
    with pytest.raises(MapFileError, match=problem):
        FittedMap.load(tmp_path / "a.map")


GOOD = file_of()


@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=6), st.integers(0, 6))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_any_damage_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, at: int, put: bytes, cut: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.map"
    path.write_bytes(GOOD[:at] + put + GOOD[at + cut :])
    try:
        learned = FittedMap.load(path)
    except MapFileError:
        return
    assert learned.operator in LEARNABLE
    assert learned.scale > 0
    assert np.isfinite(learned.hypo(np.ones((1, learned.dimension)))).all()
    assert np.isfinite(learned.offset("generality", np.ones((1, learned.dimension)))).all()
