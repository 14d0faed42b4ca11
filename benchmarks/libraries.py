"""Do all array libraries and devices on this machine give the same scores?

    python benchmarks/libraries.py

Prints, for PyTorch, JAX and CuPy where they are installed, and for a GPU where there is one, the largest
difference of each operator from NumPy on the processor, relative for scores beyond 1, and its time for a
million pairs beside the bare product `(y * x).sum(-1)`.
"""

import importlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from entvec.theory import OPERATORS

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or JAX takes the memory from the others
PAIRS, FEATURES = 1_000_000, 300


@dataclass(frozen=True)
class Place:
    """How to send an array to a library and device, fetch it back, and wait until it is computed."""

    name: str
    send: Callable[[Any], Any]
    fetch: Callable[[Any], Any]
    wait: Callable[[Any], Any]


def places() -> Iterator[Place]:
    if torch := optional("torch"):
        name = f"torch {torch.__version__}"
        yield Place(f"{name} cpu", torch.tensor, np.asarray, id)
        if torch.cuda.is_available():
            yield Place(
                f"{name} cuda",
                lambda a: torch.tensor(a).cuda(),
                lambda a: a.cpu().numpy(),
                lambda _: torch.cuda.synchronize(),
            )
    if jax := optional("jax"):
        jax.config.update("jax_enable_x64", val=True)
        name = f"jax {jax.__version__} {jax.devices()[0].platform}"
        yield Place(name, jax.numpy.asarray, np.asarray, jax.block_until_ready)
    if cupy := optional("cupy"):
        name = f"cupy {cupy.__version__}"
        yield Place(name, cupy.asarray, cupy.asnumpy, lambda _: cupy.cuda.Device().synchronize())


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def seconds(function: Callable[[], Any], wait: Callable[[Any], Any]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        wait(function())
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=(50, 1, 40)), rng.normal(size=(30, 40))
    y[0], x[0] = -1e4, 1e4
    many = rng.normal(size=(PAIRS, FEATURES)).astype(np.float32)
    print("| library | operator | float32 | float64 | time for a million pairs, ms | bare product, ms |")
    print("|---|---|---|---|---|---|")
    for place in places():
        measure(place, y, x, many)


def measure(place: Place, y: Any, x: Any, many: Any) -> None:
    one, other = place.send(many), place.send(many[::-1].copy())
    bare = seconds(lambda: (one * other).sum(-1), place.wait) * 1e3
    for operator, row in OPERATORS.items():
        errors = []
        for dtype in (np.float32, np.float64):
            here = row.score(y.astype(dtype), x.astype(dtype))
            there = place.fetch(row.score(place.send(y.astype(dtype)), place.send(x.astype(dtype))))
            errors.append((np.abs(here - there) / np.maximum(1, np.abs(here))).max())
        taken = seconds(partial(row.score, one, other), place.wait) * 1e3
        print(f"| {place.name} | {operator} | {errors[0]:.0e} | {errors[1]:.0e} | {taken:.1f} | {bare:.1f} |")


if __name__ == "__main__":
    main()
