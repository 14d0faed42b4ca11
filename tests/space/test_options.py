"""`SpaceOptions`: one object for all that choose a space."""

from pathlib import Path

import pytest

import entvec
from entvec.bundled import toy_world
from entvec.errors import InvalidInput
from entvec.graphs import Taxonomy
from entvec.space import EntailmentSpace, SpaceOptions
from entvec.vectors import Vectors

TOYS = Vectors(toy_world().words, toy_world().log_odds())


def test_vectors_with_an_interpretation_make_a_space() -> None:
    space = entvec.load(vectors=TOYS, interpretation="log_odds", operator="forward", specificity=0.25)
    assert (space.model.interpretation, space.operator, space.specificity) == ("log_odds", "forward", (0.25, 0.25))


def test_a_file_of_vectors_is_read(tmp_path: Path) -> None:
    TOYS.save(tmp_path / "toys.safetensors")
    seen: list[tuple[int, int]] = []
    options = SpaceOptions(vectors=tmp_path / "toys.safetensors", dtype="bfloat16")
    space = options.open(lambda *read: seen.append(read))
    assert seen
    assert (len(space), space.backend.dtype) == (len(TOYS), "bfloat16")


def test_a_saved_space_is_opened_and_told_more(tmp_path: Path) -> None:
    EntailmentSpace.from_vectors(TOYS).save(tmp_path / "space")
    space = entvec.load(tmp_path / "space", knowledge=[Taxonomy.from_edges([("dog", "animal")])])
    assert space.relation("dog", "animal").relation == "narrower"


def test_a_saved_space_has_its_own_parts(tmp_path: Path) -> None:
    EntailmentSpace.from_vectors(TOYS).save(tmp_path / "space")
    with pytest.raises(InvalidInput, match="a saved space has its own operator and dtype; leave these out"):
        entvec.load(tmp_path / "space", operator="forward", dtype="float16")


def test_settings_alone_keep_the_default_map() -> None:
    space = entvec.load(specificity=0.0)
    assert space.map is not None
    assert space.specificity == (0.0, 0.0)
