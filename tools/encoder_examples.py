"""What an encoder learns from, as tensors; needs PyTorch, NumPy and a folder that `encoder_data` prepared."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

Ints = NDArray[np.int64]

STEEPNESS, INSTANCE = 2.5, 0.3
SHALLOW = {1: 4, 2: 1}  # nouns and verbs at a smaller depth are general,
GENERAL = 0.1  # and weigh a tenth
FARTHEST, RAREST_SENSE = 6, 2  # of labelled pairs
LONGEST = 64
"""The most pieces of a text."""
VERB = 2
BASE, PLURAL, SPELLING, SPLIT = 0, 1, 2, 3


class Lists:
    """For each owner a list of numbers, with a value or two for each."""

    def __init__(self, n: int, owners: Ints, *columns: NDArray[Any]) -> None:
        order = np.argsort(owners, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=n))])
        self.starts = torch.from_numpy(starts)
        self.columns = [torch.from_numpy(np.ascontiguousarray(column[order])) for column in columns]

    def to(self, device: str) -> "Lists":
        """The same on a device."""
        self.starts, self.columns = self.starts.to(device), [column.to(device) for column in self.columns]
        return self

    def of(self, owners: Tensor) -> list[Tensor]:
        """All entries of some owners: the owners' places, then the columns."""
        sizes = self.starts[owners + 1] - self.starts[owners]
        place = torch.repeat_interleave(torch.arange(len(owners), device=sizes.device), sizes)
        at = (
            torch.arange(len(place), device=sizes.device)
            + (self.starts[owners] - torch.cumsum(sizes, 0) + sizes)[place]
        )
        return [place, *(column[at] for column in self.columns)]

    def one(self, owners: Tensor) -> tuple[Tensor, Tensor]:
        """One entry of each owner by chance, and whether there is any."""
        sizes = self.starts[owners + 1] - self.starts[owners]
        at = self.starts[owners] + (torch.rand(len(owners), device=sizes.device) * sizes).long()
        return self.columns[0][at.clamp(max=len(self.columns[0]) - 1)], sizes > 0


def joined(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Places (i, j) of all pairs with left[i] == right[j]."""
    order = np.argsort(right, kind="stable")
    first = np.searchsorted(right[order], left, side="left")
    sizes = np.searchsorted(right[order], left, side="right") - first
    i = np.repeat(np.arange(len(left)), sizes)
    j = np.arange(len(i)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
    return i, order[j]


def closure(edges: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """All pairs of a concept and one above it, with the fewest steps between them."""
    seen = np.empty(0, np.int64)
    steps = np.empty(0, np.int64)
    ring = np.unique(edges[:, 0] * n + edges[:, 1])
    distance = 1
    while len(ring):
        seen, steps = np.concatenate([seen, ring]), np.concatenate([steps, np.full(len(ring), distance)])
        i, j = joined(ring % n, edges[:, 0])
        ring = np.setdiff1d(np.unique(ring[i] // n * n + edges[j, 1]), seen)
        distance += 1
    return seen // n, seen % n, steps


def depths(edges: Ints, n: int) -> Ints:
    """The fewest steps from each concept up to a root."""
    depth = np.full(n, 1 << 20)
    depth[np.setdiff1d(np.arange(n), edges[:, 0])] = 0
    while True:
        nearer = depth.copy()
        np.minimum.at(nearer, edges[:, 0], depth[edges[:, 1]] + 1)
        if (nearer == depth).all():
            return depth
        depth = nearer


class Prepared:
    """The arrays of a prepared folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with np.load(folder / "examples.npz") as arrays:
            self.arrays = dict(arrays)
        self.start = load_file(folder / "start.safetensors")
        self.n_nodes = len(self.arrays["node.kind"])
        self.n_concepts = len(self.arrays["gloss.pieces.sizes"])
        edges = np.concatenate([self.arrays["is_a"], self.arrays["instance_of"]]).astype(np.int64)
        self.low, self.high, self.steps = closure(edges, self.n_concepts)
        self.depth = depths(edges, self.n_concepts)

    def pieces(self, name: str) -> tuple[Ints, Ints]:
        """Numbers of pieces in rows of equal length, and how many there are in each."""
        flat, sizes = (
            self.arrays[f"{name}.pieces"].astype(np.int64),
            self.arrays[f"{name}.pieces.sizes"].astype(np.int64),
        )
        rows = np.zeros((len(sizes), int(sizes.max(initial=1))), np.int64)
        rows[np.arange(rows.shape[1]) < sizes[:, None]] = flat
        return rows, sizes

    def right(self, name: str) -> list[Ints]:
        """The right answers of some questions."""
        ends = np.cumsum(self.arrays[f"right.{name}.sizes"])
        return np.split(self.arrays[f"right.{name}"].astype(np.int64), ends[:-1])


class Examples:
    """What there is to learn; no held-out node is among it. A unit is a node, or n plus a concept: one sense alone."""

    def __init__(self, data: Prepared, held: Ints, device: str) -> None:
        arrays, n, n_concepts = data.arrays, data.n_nodes, data.n_concepts
        self.device, self.n = device, n
        free = np.ones(n, dtype=bool)
        free[held] = False
        kinds = arrays["node.kind"]
        node, concept, number = arrays["senses"].astype(np.int64).T
        # What each concept says of the nodes above it
        i, j = joined(data.high, concept)
        low, hyper, sense, steps = data.low[i], node[j], number[j], data.steps[i]
        says = steps**-STEEPNESS / sense.astype(np.float64) ** 2
        shallow = np.vectorize(SHALLOW.get)(kinds[hyper])
        says[data.depth[data.high[i]] < shallow] *= GENERAL
        says[np.isin(low, arrays["instance_of"][:, 0])] *= INSTANCE
        pair = (steps <= FARTHEST) & (sense <= RAREST_SENSE)
        # and what each node says by all its senses.
        s, t = joined(concept, low)
        unit = np.concatenate([node[s], n + low])
        hyper = np.concatenate([hyper[t], hyper])
        weight = np.concatenate([says[t] / number[s], says])
        labelled = np.concatenate([pair[t] & (number[s] <= RAREST_SENSE), pair])
        self.entailed = np.unique(unit * n + hyper)
        ok = free[hyper] & (unit != hyper) & ((unit >= n) | free[np.minimum(unit, n - 1)])
        codes, of_code = np.unique(unit[ok] * n + hyper[ok], return_inverse=True)
        share: NDArray[np.float64] = np.bincount(of_code, weights=weight[ok]).astype(np.float64)
        owner = codes // n
        share /= np.bincount(owner, weights=share, minlength=n + n_concepts)[owner]
        self.hypernyms = Lists(n + n_concepts, owner, codes % n, share.astype(np.float32)).to(device)
        codes = np.unique((unit * n + hyper)[ok & labelled])
        self.positive = Lists(n + n_concepts, codes // n, codes % n).to(device)
        self.codes = torch.from_numpy(self.entailed).to(device)

        has = np.diff(self.hypernyms.starts.cpu().numpy()) > 0
        self.queries = torch.from_numpy(np.flatnonzero(has[:n] & free)).to(device)
        is_hyper = np.zeros(n, dtype=bool)
        is_hyper[hyper] = True
        always = np.zeros(n, dtype=bool)
        always[arrays["candidates"]] = True
        self.always = torch.from_numpy(np.flatnonzero(always & free)).to(device)
        verb = kinds == VERB
        self.others = torch.from_numpy(np.flatnonzero(is_hyper & ~always & free & ~verb)).to(device)
        self.verbs = torch.from_numpy(np.flatnonzero(is_hyper & free & verb)).to(device)

        # Synonyms, siblings and parts
        i, j = joined(concept, concept)
        near = (node[i] != node[j]) & free[node[i]] & free[node[j]]
        often = near & (number[i] <= RAREST_SENSE) & (number[j] <= RAREST_SENSE)
        self.synonyms = Lists(n, node[i][often], node[j][often]).to(device)
        self.same = Lists(n, node[i][near], node[j][near]).to(device)
        self.first_sense = self._by_first(node, concept, number, n)
        self.senses = Lists(n, node[free[node]], concept[free[node]]).to(device)
        up = arrays["is_a"].astype(np.int64)
        self.above = Lists(n_concepts, up[:, 0], up[:, 1]).to(device)
        self.below = Lists(n_concepts, up[:, 1], up[:, 0]).to(device)
        member = free[node] & (number <= RAREST_SENSE)
        self.members = Lists(n_concepts, concept[member], node[member]).to(device)
        parts = arrays["part_of"].astype(np.int64)
        both = np.concatenate([parts, parts[:, ::-1]])
        self.parts = Lists(n_concepts, both[:, 0], both[:, 1]).to(device)

        form_node, form_kind = arrays["form.node"].astype(np.int64), arrays["form.kind"]
        self.base = torch.from_numpy(np.flatnonzero(form_kind == BASE)).to(device)
        self.plural, self.spelling, self.split = (
            Lists(n, form_node[form_kind == kind], np.flatnonzero(form_kind == kind)).to(device)
            for kind in (PLURAL, SPELLING, SPLIT)
        )
        self.news = F.normalize(torch.from_numpy(arrays["news"].astype(np.float32)), dim=1).to(device)
        self.news_pieces, self.news_sizes = (torch.from_numpy(part).to(device) for part in data.pieces("news"))
        self.forms, self.form_sizes = (torch.from_numpy(part).to(device) for part in data.pieces("form"))
        self.glosses, self.gloss_sizes = (torch.from_numpy(part).to(device) for part in data.pieces("gloss"))
        self.special = [int(number) for number in arrays["special"]]

    def _by_first(self, node: Ints, concept: Ints, number: Ints, n: int) -> Tensor:
        first = np.zeros(n, np.int64)
        order = np.lexsort([-number])
        first[node[order]] = concept[order]
        return torch.from_numpy(first).to(self.device)

    def entails(self, hypo: Tensor, hyper: Tensor) -> Tensor:
        """Whether pairs of units and nodes are entailments in any sense."""
        codes = hypo * self.n + hyper
        at = torch.searchsorted(self.codes, codes).clamp(max=len(self.codes) - 1)
        return self.codes[at] == codes

    def bare(self, pieces: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        """Pieces between their start and end."""
        rows = torch.zeros(len(sizes), LONGEST, dtype=torch.int64, device=self.device)
        rows[:, 0] = self.special[0]
        rows[:, 1 : 1 + pieces.shape[1]] = pieces
        rows[torch.arange(len(sizes), device=self.device), 1 + sizes] = self.special[1]
        return rows, sizes + 2

    def texts(
        self, forms: Tensor, concepts: Tensor | None = None, alone: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Pieces of forms, with their start and end; a concept of 0 or more adds its gloss, or stands alone."""
        start, end, colon = self.special
        sizes = self.form_sizes[forms]
        rows = torch.zeros(len(forms), LONGEST, dtype=torch.int64, device=self.device)
        rows[:, 0] = start
        width = self.forms.shape[1]
        rows[:, 1 : 1 + width] = self.forms[forms]
        if concepts is not None:
            told = torch.nonzero(concepts >= 0)[:, 0]
            gloss, more = self.glosses[concepts[told]], self.gloss_sizes[concepts[told]]
            after = torch.ones_like(told) if alone is None else 1 - alone[told].long()  # of a colon
            at = 1 + sizes[told] * after
            rows[told, at] = colon
            place = (at + after)[:, None] + torch.arange(gloss.shape[1], device=self.device)
            inside = (torch.arange(gloss.shape[1], device=self.device) < more[:, None]) & (place < LONGEST - 1)
            which = told[:, None].expand_as(place)
            rows[which[inside], place[inside]] = gloss[inside]
            sizes = sizes.clone()
            sizes[told] = torch.minimum(at - 1 + after + more, torch.tensor(LONGEST - 2, device=self.device))
        rows[torch.arange(len(forms), device=self.device), 1 + sizes] = end
        return rows, sizes + 2
