"""The NumPy pass computes what PyTorch's own transformer computes, for one text or many."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from entvec.bundled import encoder
from entvec.text.piece_table import Parts, PieceTable
from entvec.text.transformer import HEADS, PIECES_AT_ONCE, Transformer, batches, n_layers, unpacked

TEXTS = ["dog", "running shoes", "PFAS", "labradoodle: a cross between a Labrador and a poodle", "to walk", "a " * 200]


def reference(parts: Parts, pieces: list[list[int]]) -> Any:
    """Vectors by torch.nn.TransformerEncoderLayer, padded and masked, in float64."""
    torch = pytest.importorskip("torch", reason="compares with PyTorch")

    def tensor(name: str) -> Any:
        part = unpacked(parts, name) if f"{name}.scales" in parts else np.array(parts[name])
        return torch.from_numpy(part).double()

    table = torch.from_numpy(PieceTable(parts)(np.arange(len(parts["words"])))).double()
    width = table.shape[1]
    longest = max(map(len, pieces))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in pieces])
    inside = torch.arange(longest) < torch.tensor([[len(row)] for row in pieces])
    x = table[ids] + tensor("positions")[:longest]
    x = torch.nn.functional.layer_norm(x, (width,), tensor("norm.weight"), tensor("norm.bias"), 1e-12)
    gelu = partial(torch.nn.functional.gelu, approximate="tanh")
    for number in range(n_layers(parts)):
        layer = torch.nn.TransformerEncoderLayer(
            width, HEADS, 4 * width, 0.0, gelu, 1e-12, batch_first=True, dtype=torch.float64
        ).eval()
        names = {
            "self_attn.in_proj_": "qkv.", "self_attn.out_proj.": "out.", "linear1.": "up.", "linear2.": "down.",
            "norm1.": "norm1.", "norm2.": "norm2.",
        }  # fmt: skip
        state = {
            theirs + end: tensor(f"{number}.{ours}{end}")
            for theirs, ours in names.items()
            for end in ("weight", "bias")
        }
        layer.load_state_dict(state)
        with torch.no_grad():
            x = layer(x, src_key_padding_mask=~inside)
    total = (x * inside[:, :, None]).sum(dim=1)
    return torch.nn.functional.normalize(total, dim=1).numpy()


def test_vectors_are_those_of_pytorch() -> None:
    small = encoder("small")
    expected = reference(small.parts, [small.pieces(text) for text in TEXTS])
    np.testing.assert_allclose(small(TEXTS), expected, atol=1e-4)


def test_a_batch_equals_a_loop_of_singles() -> None:
    small = encoder("small")
    singles = np.concatenate([small([text]) for text in TEXTS])
    np.testing.assert_allclose(small(TEXTS * 3), np.tile(singles, (3, 1)), atol=1e-5)


def test_vectors_have_unit_length_in_float32() -> None:
    found = encoder("small")(TEXTS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors() -> None:
    assert Transformer(encoder("small").parts)([]).shape == (0, 384)


def test_batches_are_sorted_by_length_and_bounded() -> None:
    lengths = np.random.default_rng(0).integers(3, 128, 500)
    found = list(batches(lengths))
    assert sorted(np.concatenate(found).tolist()) == list(range(500))
    assert all(lengths[some].sum() <= PIECES_AT_ONCE for some in found)
    assert (np.diff(lengths[np.concatenate(found)]) >= 0).all()
