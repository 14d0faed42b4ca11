"""Tables of pieces: the rows that were stored come back, from bytes and from halves of bytes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from entvec.errors import EncoderFileError, InvalidInput
from entvec.text import EntailmentEncoder, load_encoder, save_encoder
from entvec.text.piece_table import PieceTable, packed, width

TABLE = np.random.default_rng(0).normal(size=(50, 24)).astype(np.float32)


@pytest.mark.parametrize("groups", [1, 2, 3, 12])
def test_four_bits_are_half_a_level_away_at_most(groups: int) -> None:
    parts = packed(TABLE, groups)
    rows = PieceTable(parts)(np.arange(50))
    level = np.repeat(parts["words.groups"].astype(np.float32), 24 // groups, axis=1)
    assert np.all(np.abs(rows - TABLE) <= level * 0.501)
    assert (parts["words"].nbytes, width(parts)) == (50 * 12, 24)


def test_what_four_bits_hold_is_packed_without_loss() -> None:
    rows = PieceTable(packed(TABLE, 2))(np.arange(50))
    np.testing.assert_array_equal(PieceTable(packed(rows, 2))(np.arange(50)), rows)


def test_a_row_of_zeros_is_nearly_zero() -> None:
    assert np.abs(PieceTable(packed(np.zeros((1, 4), np.float32), 1))(np.array([0]))).max() < 1e-6


def test_rows_come_in_the_order_of_the_pieces() -> None:
    table = PieceTable(packed(TABLE, 3))
    np.testing.assert_array_equal(table(np.array([7, 0, 7])), table(np.arange(50))[[7, 0, 7]])


@pytest.mark.parametrize("kind", ["transformer", "static"])
def test_an_encoder_with_a_packed_table_is_saved_and_loaded(
    kind: str, toy: Callable[[str], EntailmentEncoder], tmp_path: Path
) -> None:
    encoder = toy(kind)
    parts = {name: part for name, part in encoder.parts.items() if name != "words.scales"}
    rows = PieceTable(encoder.parts)(np.arange(10))
    small = EntailmentEncoder("toy", kind, encoder.pieces, parts | packed(rows, 3), {})
    assert small.dimension == encoder.dimension
    assert np.all(np.sum(small(["hot dogs"]) * encoder(["hot dogs"]), axis=1) > 0.98)
    save_encoder(small, tmp_path / "packed.safetensors")
    np.testing.assert_array_equal(load_encoder(tmp_path / "packed.safetensors")(["a cat"]), small(["a cat"]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"words.groups": np.ones((10, 5), np.float16)}, "groups of equal length in rows of 24 numbers, found 5"),
        ({"words.groups": np.ones((9, 3), np.float16)}, r"words.groups to have the shape \(10, 3\), found \(9, 3\)"),
        ({"words.groups": np.full((10, 3), np.inf, np.float16)}, "finite"),
        ({"words.scales": np.ones(10, np.float32)}, r"words.scales to have the shape None, found \(10,\)"),
    ],
)
def test_a_packed_table_that_does_not_fit_is_refused(
    changes: dict[str, np.ndarray], message: str, toy: Callable[[str], EntailmentEncoder], tmp_path: Path
) -> None:
    encoder = toy("static")
    parts = {name: part for name, part in encoder.parts.items() if name != "words.scales"}
    parts |= packed(PieceTable(encoder.parts)(np.arange(10)), 3) | changes
    with pytest.raises(InvalidInput, match=message):
        save_encoder(EntailmentEncoder("toy", "static", encoder.pieces, parts, {}), tmp_path / "broken.safetensors")


def test_a_table_without_its_scales_is_refused(toy: Callable[[str], EntailmentEncoder], tmp_path: Path) -> None:
    save_encoder(toy("static"), tmp_path / "toy.safetensors")
    content = (tmp_path / "toy.safetensors").read_bytes()
    (tmp_path / "toy.safetensors").write_bytes(content.replace(b'"words.scales"', b'"words.groups"'))
    with pytest.raises(EncoderFileError, match=r"words\.groups"):
        load_encoder(tmp_path / "toy.safetensors")
