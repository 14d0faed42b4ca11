"""The forward pass of BERT in plain NumPy: pieces in, vectors of unit length out.

A text attends to itself alone, so texts of one length are computed together and nothing is padded: linear layers run
over the pieces of all texts of a batch at once, attention over those of equal length. Weights are stored in int8 with a
scale for each row, and computed with in float32. The table of pieces stays packed.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Float32s
from entvec.text.piece_table import Parts, PieceTable

HEADS = 12
PIECES_AT_ONCE = 1024
"""Of a batch: enough for fast matrix products, few enough for the caches."""
EPSILON = np.float32(1e-12)
GELU = np.float32(math.sqrt(2 / math.pi))
CUBIC = np.float32(0.044715)
LAYER = {"qkv": (3, 1), "out": (1, 1), "up": (4, 1), "down": (1, 4)}
"""The matrices of a layer and their shapes, in units of the width."""


class Norm(NamedTuple):
    """A layer norm."""

    weight: Float32s
    bias: Float32s

    def __call__(self, x: Float32s) -> Float32s:
        """Normalise each row, in place."""
        x -= x.mean(axis=1, keepdims=True)
        x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[1]) + EPSILON)
        x *= self.weight
        x += self.bias
        return x


class Linear(NamedTuple):
    """A linear function of rows."""

    weight: Float32s
    bias: Float32s

    def __call__(self, x: Float32s) -> Float32s:
        """Apply it to each row."""
        found = x @ self.weight
        found += self.bias
        return found


class Layer(NamedTuple):
    """Attention, then two linear functions with a GELU between them; each with a residual and a norm."""

    qkv: Linear
    out: Linear
    norm1: Norm
    up: Linear
    down: Linear
    norm2: Norm

    def __call__(self, x: Float32s, groups: Sequence[tuple[int, int]]) -> Float32s:
        """Apply the layer to pieces that are sorted by the length of their texts."""
        attended = self.out(_attention(self.qkv(x), groups))
        attended += x
        attended = self.norm1(attended)
        found = self.down(_gelu(self.up(attended)))
        found += attended
        return self.norm2(found)


class Transformer:
    """The layers of a BERT, and the mean over the pieces of a text.

    Parameters
    ----------
    parts
        `words` and `positions`, `norm.weight` and `norm.bias`; for each layer, by its number, weights and biases of
        `qkv`, `out`, `norm1`, `up`, `down` and `norm2`. A matrix in int8 has its scales beside it: `positions.scales`.
    """

    def __init__(self, parts: Parts) -> None:
        self.words = PieceTable(parts)
        self.positions = unpacked(parts, "positions")
        self.norm = Norm(parts["norm.weight"], parts["norm.bias"])
        self.layers = [_layer(parts, number) for number in range(n_layers(parts))]

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self.words.width

    def __call__(self, texts: Sequence[Sequence[int]]) -> Float32s:
        """Return the vectors of texts that are given as pieces."""
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        found = np.empty((len(texts), self.dimension), np.float32)
        for some in batches(lengths):
            found[some] = self._vectors([texts[at] for at in some.tolist()], lengths[some])
        return found

    def _vectors(self, texts: Sequence[Sequence[int]], lengths: NDArray[np.int64]) -> Float32s:
        pieces = np.concatenate([np.asarray(text) for text in texts])
        place = np.concatenate([np.arange(length) for length in lengths])
        x = self.words(pieces)
        x += self.positions[place]
        x = self.norm(x)
        sizes, counts = np.unique(lengths, return_counts=True)
        groups = list(zip(counts.tolist(), sizes.tolist(), strict=True))
        for layer in self.layers:
            x = layer(x, groups)
        means = np.concatenate([part.mean(axis=1) for part in _split(x, groups)])
        return unit(means)


def unit(vectors: Float32s) -> Float32s:
    """Return vectors of unit length; a zero vector stays as it is."""
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    vectors /= np.where(norms > 0, norms, 1)[:, None].astype(np.float32)
    return vectors


def batches(lengths: NDArray[np.int64], pieces_at_once: int = PIECES_AT_ONCE) -> Iterator[NDArray[np.int64]]:
    """Yield the places of texts sorted by length, as many at a time as have some pieces together."""
    order = np.argsort(lengths, kind="stable")
    first = total = 0
    for at, length in enumerate(lengths[order].tolist()):
        if total and total + length > pieces_at_once:
            yield order[first:at]
            first, total = at, 0
        total += length
    if len(order):
        yield order[first:]


def unpacked(parts: Parts, name: str) -> Float32s:
    """Return a matrix in float32."""
    return np.asarray(parts[name].astype(np.float32) * parts[f"{name}.scales"][:, None])


def n_layers(parts: Parts) -> int:
    """Return how many layers there are."""
    return sum(name.endswith(".qkv.weight") for name in parts)


def _layer(parts: Parts, number: int) -> Layer:
    def linear(name: str) -> Linear:
        weight = unpacked(parts, f"{number}.{name}.weight")
        return Linear(np.ascontiguousarray(weight.T), parts[f"{number}.{name}.bias"])

    def norm(name: str) -> Norm:
        return Norm(parts[f"{number}.{name}.weight"], parts[f"{number}.{name}.bias"])

    return Layer(linear("qkv"), linear("out"), norm("norm1"), linear("up"), linear("down"), norm("norm2"))


def _split(x: Float32s, groups: Sequence[tuple[int, int]]) -> Iterator[Float32s]:
    """Yield the texts of each length as an array (texts, pieces, numbers)."""
    first = 0
    for count, size in groups:
        yield x[first : first + count * size].reshape(count, size, -1)
        first += count * size


def _attention(qkv: Float32s, groups: Sequence[tuple[int, int]]) -> Float32s:
    """Return what each piece reads from the pieces of its text."""
    width = qkv.shape[1] // 3
    found = np.empty((len(qkv), width), np.float32)
    scale = np.float32(1 / math.sqrt(width // HEADS))
    for part, into in zip(_split(qkv, groups), _split(found, groups), strict=True):
        count, size, _ = part.shape
        query, key, value = part.reshape(count, size, 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
        weights = query @ key.transpose(0, 1, 3, 2)
        weights *= scale
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        into.reshape(count, size, HEADS, -1)[:] = (weights @ value).transpose(0, 2, 1, 3)
    return found


def _gelu(x: Float32s) -> Float32s:
    """Return x times the probability that a normal number is below x, in the approximation by tanh, in place."""
    inner = x * x
    inner *= CUBIC
    inner += 1
    inner *= x
    inner *= GELU
    np.tanh(inner, out=inner)
    inner += 1
    x *= inner
    x *= np.float32(0.5)
    return x
