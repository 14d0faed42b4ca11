"""An encoder that was saved is loaded as it was; damaged and foreign files are refused."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from entvec.errors import EncoderFileError, EncoderFileNotFound, InvalidInput
from entvec.text import EntailmentEncoder, load_encoder, save_encoder

KINDS = ["transformer", "static"]
Make = Callable[[str], EntailmentEncoder]


@pytest.fixture(params=KINDS)
def saved(request: pytest.FixtureRequest, toy: Make, tmp_path: Path) -> tuple[EntailmentEncoder, Path]:
    encoder = toy(request.param)
    save_encoder(encoder, tmp_path / "toy.safetensors")
    return encoder, tmp_path / "toy.safetensors"


def test_saving_and_loading_changes_nothing(saved: tuple[EntailmentEncoder, Path], tmp_path: Path) -> None:
    encoder, path = saved
    again = load_encoder(path)
    assert (again.name, again.kind, again.metadata) == (encoder.name, encoder.kind, encoder.metadata)
    assert again.pieces.vocabulary == encoder.pieces.vocabulary
    np.testing.assert_array_equal(again(["dog", "hot dogs"]), encoder(["dog", "hot dogs"]))
    save_encoder(again, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


def test_the_library_safetensors_reads_the_file(saved: tuple[EntailmentEncoder, Path]) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    encoder, path = saved
    np.testing.assert_array_equal(numpy.load_file(path)["words"], encoder.parts["words"])


def test_a_changed_byte_is_noticed(saved: tuple[EntailmentEncoder, Path]) -> None:
    _, path = saved
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[:8], "little")
    rng = np.random.default_rng(0)
    for at in rng.integers(8 + size, len(content), 20).tolist():
        damaged = content.copy()
        damaged[at] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(EncoderFileError, match="damaged"):
            load_encoder(path)


def test_damage_anywhere_raises_our_error_or_none(saved: tuple[EntailmentEncoder, Path]) -> None:
    _, path = saved
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    rng = np.random.default_rng(1)
    for at in rng.integers(0, 8 + size, 200).tolist():
        damaged = bytearray(content)
        damaged[at] = int(rng.integers(256))
        path.write_bytes(damaged)
        with suppress(EncoderFileError):  # a changed letter of the metadata is no damage
            load_encoder(path)


@pytest.mark.parametrize("length", [0, 5, 100, -1])
def test_a_file_that_ends_too_early_is_refused(saved: tuple[EntailmentEncoder, Path], length: int) -> None:
    _, path = saved
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(EncoderFileError):
        load_encoder(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EncoderFileNotFound, match=r"none\.safetensors: there is no such file"):
        load_encoder(tmp_path / "none.safetensors")


def test_other_safetensors_files_are_refused(tmp_path: Path) -> None:
    from entvec.bundled.maps import DEFAULT_MAP

    with pytest.raises(EncoderFileError, match="not one of an encoder as entvec writes them"):
        load_encoder(DEFAULT_MAP)


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_whose_parts_do_not_fit_is_not_saved(kind: str, toy: Make, tmp_path: Path) -> None:
    encoder = toy(kind)
    for name, part in {
        "map.hyper_bias": np.zeros(3, np.float32),
        "words.scales": np.full(10, np.nan, np.float32),
    }.items():
        broken = EntailmentEncoder("toy", kind, encoder.pieces, {**encoder.parts, name: part}, {})
        with pytest.raises(InvalidInput, match=r"hyper_bias|finite"):
            save_encoder(broken, tmp_path / "broken.safetensors")
    unknown = EntailmentEncoder("toy", "other", encoder.pieces, encoder.parts, {})
    with pytest.raises(InvalidInput, match="of the kind transformer or static, found 'other'"):
        save_encoder(unknown, tmp_path / "broken.safetensors")
