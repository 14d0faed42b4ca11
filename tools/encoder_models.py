"""The encoders as PyTorch trains them: a small transformer and a static table, and the recipe of each."""

from typing import Any, NamedTuple

import numpy as np
import torch
from encoder_examples import LONGEST as ROW
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

POSITIONS_APART = 16
"""Positions from the start and the end of a text that a static table tells apart."""
GROUP = 128
"""Numbers of a row of four bits that share a scale, where this divides the row."""


class Recipe(NamedTuple):
    """The numbers that were chosen on validation words."""

    kind: str = "small"
    layers: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    width: int = 384
    bits: int = 4
    head_steps: int = 600
    steps: int = 1400
    queries: int = 2048
    others: int = 2000
    verbs: int = 500
    partners: int = 1024
    head_rate: float = 4e-3
    rate: float = 3e-4
    word_rate: float = 1e-4
    late_head_rate: float = 5e-4
    weight_decay: float = 0.01
    dropout: float = 0.05
    vector_dropout: float = 0.08
    detection: float = 5.0
    hyponyms: float = 0.5
    same: float = 0.3
    temperature: float = 0.05
    glosses: float = 0.3
    plurals: float = 0.12
    spellings: float = 0.05
    splits: float = 0.1
    alone: float = 0.4
    news: float = 0.5


SMALL = Recipe()
STATIC = Recipe(
    kind="static", width=192, bits=8, head_steps=0, steps=1000, others=8000, vector_dropout=0.2, rate=2e-3,
    word_rate=6e-4, weight_decay=0.0,
)  # fmt: skip


class Flat(NamedTuple):
    """Texts in rows of ROW pieces, several in a row: where each piece is, and which text it is of."""

    pieces: Tensor
    positions: Tensor
    segments: Tensor
    place: Tensor
    text: Tensor
    sizes: Tensor


def packed(rows: Tensor, sizes: Tensor) -> Flat:
    """Put texts of equal length together, as many to a row as there is room for."""
    device = rows.device
    per_row = torch.div(ROW, torch.arange(1, ROW + 1, device=device), rounding_mode="floor")
    per_row = torch.cat([per_row.new_ones(1), per_row])
    counts = torch.bincount(sizes, minlength=ROW + 1)
    n_rows = torch.div(counts + per_row - 1, per_row, rounding_mode="floor")
    order = torch.argsort(sizes, stable=True)
    rank = torch.empty_like(order)
    rank[order] = torch.arange(len(order), device=device)
    rank = rank - (torch.cumsum(counts, 0) - counts)[sizes]
    row = (torch.cumsum(n_rows, 0) - n_rows)[sizes] + torch.div(rank, per_row[sizes], rounding_mode="floor")
    offset = rank % per_row[sizes] * sizes
    inside = torch.arange(rows.shape[1], device=device) < sizes[:, None]
    text, at = torch.nonzero(inside, as_tuple=True)
    place = row[text] * ROW + offset[text] + at
    total = int(n_rows.sum()) * ROW
    pieces, positions = (torch.zeros(total, dtype=torch.int64, device=device) for _ in range(2))
    segments = torch.full((total,), -1, dtype=torch.int64, device=device)
    pieces[place], positions[place], segments[place] = rows[text, at], at, text
    rows_of = [part.view(-1, ROW) for part in (pieces, positions, segments)]
    return Flat(rows_of[0], rows_of[1], rows_of[2], place, text, sizes)


def groups(width: int) -> int:
    """How many scales a row of four bits has."""
    return width // GROUP if width % GROUP == 0 else 1


def rounded(words: Tensor) -> Tensor:
    """A table as four bits will hold it; gradients pass as if it were not rounded."""
    with torch.no_grad():
        parts = words.view(len(words), groups(words.shape[1]), -1)
        scales = (parts.abs().amax(2, keepdim=True).clamp(min=1e-6) / 7.5).half().float()
        found = (torch.clamp(torch.floor(parts / scales), -8, 7) + 0.5) * scales
    return words + (found.view_as(words) - words).detach()


def held_in(bits: int, words: Tensor) -> Tensor:
    """A table to compute with: rounding to eight bits changes too little to train with it."""
    return rounded(words) if bits == 4 else words


class Small(nn.Module):
    """A few layers of MiniLM; the mean over the pieces, of unit length."""

    heads = 12
    p: nn.ParameterDict

    def __init__(self, start: dict[str, NDArray[Any]], recipe: Recipe) -> None:
        super().__init__()
        self.layers, self.dropout, self.bits = len(recipe.layers), recipe.dropout, recipe.bits
        names = ["words", "positions", "norm.weight", "norm.bias"]
        found = {name: name for name in names}
        for number, layer in enumerate(recipe.layers):
            own = [name for name in start if name.startswith(f"{layer}.")]
            found |= {name.replace(f"{layer}.", f"{number}.", 1): name for name in own}
        parts = {}
        for new, name in found.items():
            if not name.endswith("scales"):
                part = start[name].astype(np.float32)
                parts[new] = part * start[f"{name}.scales"][:, None] if f"{name}.scales" in start else part
        self.p = nn.ParameterDict({name.replace(".", "_"): torch.from_numpy(part) for name, part in parts.items()})

    def forward(self, rows: Tensor, sizes: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
        """Vectors of unit length, computed in a dtype."""
        flat = packed(rows, sizes)
        p = {
            name: (held_in(self.bits, value) if name == "words" else value).to(dtype) for name, value in self.p.items()
        }
        rate = self.dropout if self.training else 0.0

        def norm(x: Tensor, name: str) -> Tensor:
            return F.layer_norm(x, x.shape[-1:], p[f"{name}_weight"], p[f"{name}_bias"], 1e-12)

        def linear(x: Tensor, name: str) -> Tensor:
            return F.linear(x, p[f"{name}_weight"], p[f"{name}_bias"])

        x = F.embedding(flat.pieces, p["words"]) + F.embedding(flat.positions, p["positions"])
        x = F.dropout(norm(x, "norm"), rate)
        apart = flat.segments[:, None, :, None] != flat.segments[:, None, None, :]
        mask = torch.zeros(apart.shape, dtype=dtype, device=x.device).masked_fill(apart, -torch.inf)
        mask = mask.expand(-1, self.heads, -1, -1)
        n, length, width = x.shape
        for layer in range(self.layers):
            qkv = linear(x, f"{layer}_qkv").view(n, length, 3, self.heads, width // self.heads)
            query, key, value = qkv.permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=rate)
            mixed = mixed.transpose(1, 2).reshape(n, length, width)
            x = norm(x + F.dropout(linear(mixed, f"{layer}_out"), rate), f"{layer}_norm1")
            up = F.gelu(linear(x, f"{layer}_up"), approximate="tanh")
            x = norm(x + F.dropout(linear(up, f"{layer}_down"), rate), f"{layer}_norm2")
        found = x.reshape(-1, width).index_select(0, flat.place).float()
        total = torch.zeros(len(sizes), width, device=x.device).index_add(0, flat.text, found)
        return F.normalize(total, dim=1)


class Static(nn.Module):
    """A vector for each piece, multiplied by gains for its place from the start and from the end; their sum."""

    p: nn.ParameterDict

    def __init__(self, table: Tensor, recipe: Recipe) -> None:
        super().__init__()
        self.bits = recipe.bits
        self.p = nn.ParameterDict({"words": table, "gains": torch.zeros(2, POSITIONS_APART, table.shape[1])})

    def forward(self, rows: Tensor, sizes: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
        """Vectors of unit length; the start and the end of a text do not count."""
        inner = sizes - 2
        inside = torch.arange(rows.shape[1] - 1, device=rows.device) < inner[:, None]
        text, at = torch.nonzero(inside, as_tuple=True)
        found = F.embedding(rows[text, at + 1], held_in(self.bits, self.p["words"]).to(dtype))
        last = POSITIONS_APART - 1
        start, end = self.p["gains"]
        from_end = (inner[text] - 1 - at).clamp(max=last)
        found = found * torch.exp(F.embedding(at.clamp(max=last), start) + F.embedding(from_end, end))
        total = torch.zeros(len(sizes), found.shape[1], device=rows.device).index_add(0, text, found.float())
        return F.normalize(total, dim=1)


Tower = Small | Static
