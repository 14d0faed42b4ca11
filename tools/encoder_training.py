"""Trains encoders whose vectors two linear heads turn into log-odds; needs PyTorch, NumPy and a prepared folder.

A step takes a batch of nouns and verbs, some as "lemma: gloss", some in plural or another spelling, and lowers the sum
of the losses of `encoder_losses`.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from encoder_examples import LONGEST, Examples, Ints, Prepared
from encoder_losses import (
    COMPONENTS,
    FIRST_SCALE,
    OF_ALL_PAIRS,
    Batch,
    Parameters,
    drawn,
    initial,
    labelled_pairs,
    losses,
    newspaper,
)
from encoder_measures import Answers, measure_all
from encoder_models import SMALL, STATIC, Recipe, Small, Static, Tower, groups, rounded
from numpy.typing import NDArray
from torch import Tensor, nn

__all__ = [
    "SMALL",
    "STATIC",
    "Examples",
    "Prepared",
    "built",
    "measured",
    "plural_forms",
    "unseen_pairs",
    "whole_texts",
]


NEWS_RATE = 2e-3


def schedule(done: int, steps: int) -> float:
    """Warm up for a twentieth of the steps, then fall along a cosine."""
    return min(1, (done + 1) / (0.05 * steps)) * (1 + math.cos(math.pi * done / steps)) / 2


@torch.no_grad()
def encoded(model: Tower, data: Examples, forms: Tensor, concepts: Tensor | None = None) -> Tensor:
    """Vectors of forms, without dropout."""
    model.eval()
    parts = [
        model(*data.texts(some, None if concepts is None else concepts[at : at + 8192]))
        for at, some in ((at, forms[at : at + 8192]) for at in range(0, len(forms), 8192))
    ]
    model.train()
    return torch.cat(parts)


def train(model: Tower, p: Parameters, data: Examples, recipe: Recipe, log: Callable[[str], None]) -> None:
    """Train the heads on frozen vectors, then everything."""
    torch.backends.cuda.matmul.allow_tf32 = True
    if recipe.head_steps:
        fixed = encoded(model, data, data.base)
        optimiser = torch.optim.Adam(p.values(), lr=recipe.head_rate, fused=True)
        plain = recipe._replace(glosses=0.0, plurals=0.0, spellings=0.0, splits=0.0, same=0.0, partners=0)
        for done in range(recipe.head_steps):
            optimiser.param_groups[0]["lr"] = recipe.head_rate * schedule(done, recipe.head_steps)
            batch = drawn(data, plain)
            vectors = fixed[torch.cat([batch.nodes, batch.candidates])]
            optimiser.zero_grad()
            loss = losses(data, batch, vectors, p, plain)
            torch.autograd.backward(loss)
            optimiser.step()
        log(f"heads: loss {loss.item():.3f}")
        del fixed
    others = [value for name, value in model.p.items() if name != "words"]
    groups = [
        {"params": others, "lr": 0.0, "base": recipe.rate, "weight_decay": recipe.weight_decay},
        {"params": [model.p["words"]], "lr": 0.0, "base": recipe.word_rate, "weight_decay": 0.0},
        {"params": list(p.values()), "lr": 0.0, "base": recipe.late_head_rate, "weight_decay": 0.0},
    ]
    news = torch.randn(recipe.width, data.news.shape[1], device=data.device) / recipe.width**0.5
    groups.append({"params": [news.requires_grad_()], "lr": 0.0, "base": NEWS_RATE, "weight_decay": 0.0})
    optimiser = torch.optim.AdamW(groups, fused=True)
    dtype = torch.bfloat16 if isinstance(model, Small) and data.device == "cuda" else torch.float32
    for done in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = group["base"] * schedule(done, recipe.steps)
        batch = drawn(data, recipe)
        optimiser.zero_grad()
        some = torch.randint(len(data.news), (recipe.partners,), device=data.device)
        texts = (
            data.texts(batch.forms, batch.concepts, batch.alone),
            data.bare(data.news_pieces[some], data.news_sizes[some]),
        )
        rows, sizes = (torch.cat(parts) for parts in zip(*texts, strict=True))
        vectors, read = torch.split(model(rows, sizes, dtype), [len(batch.forms), len(some)])
        loss = losses(data, batch, vectors, p, recipe)
        loss = loss + recipe.news * newspaper(read, news, data.news[some], recipe.temperature)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if (done + 1) % 200 == 0:
            log(f"step {done + 1} of {recipe.steps}: loss {loss.item():.3f}")


def quantised(weight: Tensor) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix in int8, and a scale for each row."""
    matrix = weight.detach().float().cpu().numpy()
    scales = np.maximum(np.abs(matrix).max(axis=1), 1e-12) / np.float32(127)
    return np.round(matrix / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def packed(table: Tensor) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """A rounded table in four bits: the left half of each row in the low bits; and the scales of groups."""
    matrix = table.detach().float().cpu().numpy()
    parts = matrix.reshape(len(matrix), groups(matrix.shape[1]), -1)
    scales = (np.abs(parts).max(axis=2) / np.float32(7.5)).astype(np.float16)
    levels = np.floor(parts / scales[:, :, None].astype(np.float32)).astype(np.int8) + 8
    left, right = np.split(levels.reshape(matrix.shape).astype(np.uint8), 2, axis=1)
    return left | right << 4, scales


def stored(model: Tower, p: Parameters) -> dict[str, NDArray[Any]]:
    """The tensors of a file, and the model changed to what they hold.

    The heads take vectors of unit length, so the square root of their length becomes a part of the weights.
    """
    parts: dict[str, NDArray[Any]] = {}
    for name, weight in model.p.items():
        name = name.replace("_", ".")
        if name == "words" and model.bits == 4:
            weight.data.copy_(rounded(weight))
            parts[name], parts["words.groups"] = packed(weight)
        elif weight.ndim == 2:
            parts[name], parts[f"{name}.scales"] = quantised(weight)
            again = parts[name].astype(np.float32) * parts[f"{name}.scales"][:, None]
            weight.data.copy_(torch.from_numpy(again))
        else:
            parts[name] = weight.detach().float().cpu().numpy()
    width = p["hypo_weights"].shape[0]
    for name, value in p.items():
        numbers = value.detach().float().cpu().numpy().copy()
        if name.endswith("weights"):
            numbers, parts[f"map.{name}.scales"] = quantised(value * width**0.5)
            again = numbers.astype(np.float32) * parts[f"map.{name}.scales"][:, None] / np.float32(width**0.5)
            value.data.copy_(torch.from_numpy(again))
        elif name in ("hypo_offset", "hyper_offset", "generality"):
            numbers[:-1] *= np.float32(width**0.5)
        elif name == "decision":
            numbers = np.array([FIRST_SCALE * np.exp(numbers[0]), numbers[1]])
        parts[f"map.{name}"] = numbers
    return parts


def built(
    data: Prepared,
    examples: Examples,
    seed: int,
    recipe: Recipe,
    log: Callable[[str], None] = print,
    teacher: tuple[Tower, Parameters] | None = None,
) -> tuple[Tower, Parameters, dict[str, NDArray[Any]]]:
    """A trained encoder with its heads, and the tensors of its file.

    Parameters
    ----------
    data, examples
        The prepared folder, and what there is to learn from it.
    seed
        Of all random numbers.
    recipe
        The kind of encoder and the numbers of its training.
    log
        Is called with lines of progress.
    teacher
        An encoder that a static table starts with; MiniLM if there is none.
    """
    torch.manual_seed(seed)
    device = examples.device
    began = time.perf_counter()
    model: Tower
    if recipe.kind == "small":
        model, p = Small(data.start, recipe).to(device), initial(recipe.width, COMPONENTS, device)
    else:
        model, p = static_start(data, examples, recipe, teacher)
    train(model, p, examples, recipe, log)
    torch.backends.cuda.matmul.allow_tf32 = False
    parts = stored(model, p)
    size = sum(part.nbytes for part in parts.values())
    log(f"{recipe.kind}, seed {seed}: {time.perf_counter() - began:.0f} s, {size:,} bytes")
    return model, p, parts


@torch.no_grad()
def static_start(
    data: Prepared, examples: Examples, recipe: Recipe, teacher: tuple[Tower, Parameters] | None
) -> tuple[Tower, Parameters]:
    """A table of what an encoder makes of each piece alone, turned to its main axes."""
    device = examples.device
    source = teacher[0] if teacher else Small(data.start, recipe).to(device)
    source.eval()
    n = len(data.start["words"])
    rows = torch.zeros(n, LONGEST, dtype=torch.int64, device=device)
    start, end, _ = examples.special
    rows[:, 0], rows[:, 1], rows[:, 2] = start, torch.arange(n, device=device), end
    table = torch.cat([source(some, torch.full((len(some),), 3, device=device)) for some in torch.split(rows, 4096)])
    _, _, axes = torch.linalg.svd(table, full_matrices=False)
    turn = axes[: recipe.width].T
    p = initial(recipe.width, COMPONENTS, device)
    if teacher:
        old = teacher[1]
        ratio = (turn.shape[0] / recipe.width) ** 0.5
        for side in ("hypo", "hyper"):
            p[f"{side}_weights"].copy_(turn.T @ old[f"{side}_weights"] * ratio)
            p[f"{side}_bias"].copy_(old[f"{side}_bias"])
        for name in ("hypo_offset", "hyper_offset", "generality"):
            p[name].copy_(torch.cat([turn.T @ old[name][:-1] * ratio, old[name][-1:]]))
        p["decision"].copy_(old["decision"])
    return Static(table @ turn, recipe).to(device), p


# Measuring


def measured(model: Tower, p: Parameters, data: Prepared, examples: Examples, without: str) -> dict[str, float]:
    """The measures of a held-out build, on what it was built without."""
    arrays, device = data.arrays, examples.device

    def vectors(forms: Tensor, concepts: Tensor | None = None) -> NDArray[np.float32]:
        return encoded(model, examples, forms, concepts).cpu().numpy()

    def texts() -> NDArray[np.float32]:
        model.eval()
        with torch.no_grad():
            found: NDArray[np.float32] = model(*whole_texts(data, examples)).cpu().numpy()
        model.train()
        return found

    width = p["hypo_weights"].shape[0] ** 0.5
    heads = {name: value.detach().cpu().numpy() for name, value in p.items()}
    answers = Answers(heads, width)
    found = measure_all(
        answers,
        arrays,
        without,
        nodes=lambda nodes: vectors(examples.base[torch.from_numpy(nodes).to(device)]),
        plurals=lambda nodes: vectors(plural_forms(examples, torch.from_numpy(nodes).to(device))),
        told=lambda nodes, concepts: vectors(
            examples.base[torch.from_numpy(nodes).to(device)], torch.from_numpy(concepts).to(device)
        ),
        texts=texts,
        right=data.right,
    )
    return {name: float(values.mean()) for name, values in found.items()}


def plural_forms(examples: Examples, nodes: Tensor) -> Tensor:
    """The forms of nodes in plural, or as they are."""
    other, there = examples.plural.one(nodes)
    return torch.where(there, other, examples.base[nodes])


def whole_texts(data: Prepared, examples: Examples) -> tuple[Tensor, Tensor]:
    """Pieces of the texts that are no nodes, with their start and end."""
    rows, sizes = (torch.from_numpy(part).to(examples.device) for part in data.pieces("text"))
    return examples.bare(rows, sizes)


def unseen_pairs(examples: Examples, nodes: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """Labelled pairs of some nodes: hypos, hypers and labels, each kind with its share."""
    torch.manual_seed(0)
    units, hypers = torch.from_numpy(nodes), torch.cat([examples.always, examples.verbs])
    place = torch.full((examples.n,), -1)
    place[hypers] = torch.arange(len(hypers))
    empty = units[:0]
    kinds = labelled_pairs(examples, Batch(units, units, hypers, 0, empty, empty, empty, empty), place)
    pairs = {kind: (units[rows], hypers[columns]) for kind, (rows, columns) in kinds.items()}
    pairs["reversed"] = pairs["entailment"][::-1]
    found = []
    for kind, share in OF_ALL_PAIRS.items():
        y, x = pairs[kind]
        some = torch.randperm(len(y))[: int(share * n)]
        found.append(np.stack([y[some].numpy(), x[some].numpy(), np.full(len(some), int(kind == "entailment"))]))
    hypo, hyper, labels = np.concatenate(found, axis=1)
    return hypo, hyper, labels
