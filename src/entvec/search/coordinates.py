"""Coordinates in which an approximate index reaches a high recall.

Indexes are made for queries that lie among the keys. Here they do not: query maps are positive, key maps are negative,
and this common offset hides the small differences between keys. So keys and queries get other coordinates that keep
every ranking. Let m be the mean of the keys k, C their covariance, and R the mean of q q' over a sample of queries q.
Subtracting m from the keys keeps the ranking of each query. With R = U W U' and W^1/2 U' C U W^1/2 = V S V',

    key   (k - m) U W^1/2 V        query   q U W^-1/2 V

have the same inner products. In these coordinates queries vary equally in all directions. The squared distance of two
keys is the mean squared difference of their scores, and S is the part of that variance on each coordinate, so the last
coordinates can be dropped. There are two forms. Both divide keys by a power of S and multiply queries by it, so that a
coordinate with nearly all of the variance does not hide the others.

    inner product  S^1/4: keys and queries have the same spread
    euclidean      S^1/8, and one more coordinate, (longest^2 - |key|^2)^1/2 - b for keys and -b for queries: this puts
                   the keys on a sphere, so that the nearest key of a query has the largest inner product with it.
                   Subtracting b, the mean of the root, from both changes no distance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from entvec import tensors
from entvec.array_types import AnyFloats
from entvec.errors import InvalidInput, SpaceFileError
from entvec.files import replacing
from entvec.runtime import blocks, in_threads
from entvec.search.keys import Keys
from entvec.tensors import Expected, Unsound
from entvec.theory.product import product

Form = Literal["euclidean", "inner product"]
FORMS: tuple[Form, ...] = get_args(Form)

POWER: dict[Form, float] = {"inner product": 1 / 4, "euclidean": 1 / 8}
"""The power of S. For GloVe in a graph index, 1/8 has a higher recall in the euclidean form than 0 or 1/4."""
DROPPED = 1e-3
"""The last coordinates are dropped if they have at most this part of the variance of scores. The first coordinate is
not counted in it: it may have nearly all of the variance while the others decide rankings. Candidates get exact scores
anyway."""
OTHER_DIRECTIONS = 1e-4
"""The part of that variance added to all directions, since a query may point where no query of the sample does."""
SPECIFICITY = 1e-2
"""The part added to hubness, since a query may have another specificity than the sample."""
NEARLY_NOTHING = 1e-12
MULTIPLE = 16
"""Indexes compute fastest if the number of coordinates is a multiple of this."""
ROWS_AT_ONCE = 4096
VERSION = "coordinates 1"
TENSORS = {
    "mean": Expected(frozenset({"F64"}), 1),
    "for_keys": Expected(frozenset({"F64"}), 2),
    "for_queries": Expected(frozenset({"F64"}), 2),
    "sphere": Expected(frozenset({"F64"}), 1),
}


@dataclass(frozen=True, eq=False)
class Coordinates:
    """A change of coordinates: one matrix for keys, after their mean is subtracted, and one for queries."""

    mean: NDArray[np.float64]
    for_keys: NDArray[np.float64]
    for_queries: NDArray[np.float64]
    sphere: NDArray[np.float64]
    """The squared length of the longest key, and b, in the euclidean form; else empty."""

    @property
    def form(self) -> Form:
        """How an index compares keys and queries."""
        return "euclidean" if len(self.sphere) else "inner product"

    @property
    def width(self) -> int:
        """The number of coordinates, with the zeros that fill the last ones."""
        used = int(self.for_keys.shape[1]) + (self.form == "euclidean")
        return used if used < MULTIPLE else -(-used // MULTIPLE) * MULTIPLE

    def keys(self, keys: Keys) -> NDArray[np.float32]:
        """Return the keys in these coordinates."""
        rows = np.zeros((len(keys), self.width), dtype=np.float32)
        n, matrix = self.for_keys.shape[1], self.for_keys.astype(np.float32)

        def fill(block: slice) -> None:
            changed = product((keys.decoded(block) - self.mean).astype(np.float32), matrix)
            rows[block, :n] = changed
            if self.form == "euclidean":
                rows[block, n] = _root(self.sphere[0], changed) - self.sphere[1]

        in_threads(fill, blocks(len(keys), ROWS_AT_ONCE))
        return rows

    def queries(self, queries: AnyFloats) -> NDArray[np.float32]:
        """Return the queries in these coordinates."""
        rows = np.zeros((len(queries), self.width), dtype=np.float32)
        n = self.for_queries.shape[1]
        rows[:, :n] = queries @ self.for_queries
        if self.form == "euclidean":
            rows[:, n] = -self.sphere[1]
        return rows

    @property
    def digest(self) -> str:
        """A hash of all numbers."""
        return hashlib.sha256(b"".join(column.tobytes() for _, column in self._columns().values())).hexdigest()

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write the coordinates and some metadata to a safetensors file."""
        columns = self._columns()
        with replacing(path) as temporary, temporary.open("wb") as file:
            file.write(tensors.encode(columns, metadata, VERSION))
            for _, column in columns.values():
                file.write(column.data)

    def _columns(self) -> dict[str, tuple[str, NDArray[np.float64]]]:
        return {field.name: ("F64", np.ascontiguousarray(getattr(self, field.name), "<f8")) for field in fields(self)}

    @classmethod
    def load(cls, path: Path) -> tuple[Coordinates, dict[str, str]]:
        """Return the coordinates and the metadata of a file; raise SpaceFileError if it is damaged."""
        try:
            content = path.read_bytes()
            size = tensors.header_size(content)
            header, metadata = tensors.parse(content[8 : 8 + size], TENSORS, version=VERSION, what="coordinates")
            data = np.frombuffer(content, np.uint8)[8 + size :]
            if len(data) != max(tensor.end for tensor in header.values()):
                raise Unsound("expected as many bytes as the header promises")
            coordinates = cls(**{name: tensor.of(data) for name, tensor in header.items()})
        except FileNotFoundError:
            raise SpaceFileError(path, "the file is missing, expected it beside the index") from None
        except OSError as error:
            raise SpaceFileError(path, error.strerror or str(error)) from error
        except Unsound as problem:
            raise SpaceFileError(path, str(problem), byte=problem.byte) from None
        shape, sphere = coordinates.for_keys.shape, coordinates.sphere
        if coordinates.for_queries.shape != shape or coordinates.mean.shape != shape[:1] or len(sphere) not in (0, 2):
            raise SpaceFileError(path, "expected two matrices of the same shape, and a mean for each of their rows")
        return coordinates, metadata


def fit(
    keys: Keys, queries: AnyFloats, form: Form, *, dropped: float = DROPPED, at_most: int | None = None
) -> Coordinates:
    """Return coordinates for an index of these keys, searched by queries like these.

    >>> rng = np.random.default_rng(0)
    >>> keys = Keys(rng.normal(size=(100, 5)).astype(np.float32), "float32", 10.0)
    >>> fit(keys, rng.normal(size=(20, 5)), "euclidean").keys(keys).shape  # one coordinate more than a key has columns
    (100, 6)

    Parameters
    ----------
    keys
        The keys to index.
    queries
        A sample of queries. The last column of a query is minus its specificity.
    form
        How the index compares keys and queries.
    dropped
        The part of the variance of scores that dropped coordinates may have.
    at_most
        The largest number of coordinates that the index takes.
    """
    mean, covariance = moments(keys)
    spread = queries.T @ queries / max(1, len(queries))
    if not (np.isfinite(covariance).all() and np.isfinite(spread).all()):
        raise InvalidInput(f"keys as long as {keys.longest:.2g} are too long for an index; search exactly")
    spread += _other_directions(spread, covariance)
    weights, directions = np.linalg.eigh(spread)
    root = np.sqrt(np.maximum(weights, NEARLY_NOTHING * weights[-1]))
    variances, rotation = np.linalg.eigh((root[:, None] * (directions.T @ covariance @ directions)) * root)
    n = _count(variances[::-1], dropped)
    if at_most is not None:
        n = max(1, min(n, at_most // MULTIPLE * MULTIPLE - (form == "euclidean")))
    rotation = rotation[:, ::-1][:, :n]
    balance = np.maximum(variances[::-1][:n], NEARLY_NOTHING * variances[-1] or 1.0) ** POWER[form]
    for_keys, for_queries = directions * root @ rotation / balance, directions / root @ rotation * balance
    plain = Coordinates(mean, for_keys, for_queries, np.empty(0))
    return plain if form == "inner product" else replace(plain, sphere=_sphere(plain.keys(keys)))


def _other_directions(spread: AnyFloats, covariance: AnyFloats) -> AnyFloats:
    """Return what to add to R for queries unlike the sample, in proportion to the variance of scores."""
    variances = np.linalg.eigvals(spread @ covariance).real
    variance = float(variances.sum() - variances.max()) or float(variances.sum())
    if not variance > 0:  # all scores are equal
        return np.eye(len(spread))
    added = np.eye(len(spread)) * (OTHER_DIRECTIONS * variance / np.trace(covariance))
    if covariance[-1, -1] > 0:
        added[-1, -1] += SPECIFICITY * variance / covariance[-1, -1]
    return np.asarray(added)


def _count(variances: AnyFloats, dropped: float) -> int:
    """Return how many coordinates to keep, given their parts of the variance, the largest first."""
    rest = np.cumsum(np.maximum(variances[::-1], 0.0))[::-1]  # the variance of each coordinate and all after it
    return max(1, int((rest > dropped * (rest[0] - variances[0])).sum()))


def _root(longest: float, rows: AnyFloats) -> AnyFloats:
    """Return (longest - |row|^2)^1/2 for each row, with the squared length of the longest."""
    return np.asarray(np.sqrt(np.maximum(longest - np.einsum("ij,ij->i", rows, rows, dtype=np.float64), 0.0)))


def _sphere(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    longest = float(np.einsum("ij,ij->i", rows, rows, dtype=np.float64).max())
    return np.array([longest, _root(longest, rows).mean()])


def moments(keys: Keys) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the covariance of the keys."""
    parts = blocks(len(keys), ROWS_AT_ONCE)
    n = max(1, len(keys))
    mean = np.sum(in_threads(lambda rows: keys.decoded(rows).sum(axis=0, dtype=np.float64), parts), axis=0) / n

    def square(rows: slice) -> NDArray[np.float64]:
        centred = (keys.decoded(rows) - mean).astype(np.float32)
        return np.asarray(centred.T @ centred, dtype=np.float64)

    return np.asarray(mean), np.asarray(np.sum(in_threads(square, parts), axis=0) / n)
