"""Coordinates in which an index finds what it is asked for.

Indexes are made for points that are asked for their neighbours. Here a query is no neighbour of anything: the maps of
queries are positive, those of keys negative, and what all of them share hides the little that tells keys apart. So keys
and queries get other coordinates, with the same rankings. Let m be the mean of the keys k, C their covariance, and R
the mean of q q' over a sample of queries q. A ranking by q . k is one by q . (k - m). With R = U W U' and
W^1/2 U' C U W^1/2 = V S V',

    key   (k - m) U W^1/2 V        query   q U W^-1/2 V

have the same inner products. Queries now ask for all directions alike, the squared distance of two keys is the mean
square of the difference of their scores, and S is how much of that each coordinate bears: the last ones can be left
out. Two forms are made of this, in which keys are divided by a power of S, and queries multiplied by it, so that a
coordinate that bears nearly everything does not hide the others.

    inner product  S^1/4: keys and queries are equally spread
    euclidean      S^1/8, and one more coordinate, (longest^2 - |key|^2)^1/2 - b for keys and -b for queries: keys are
                   on a sphere around the origin, moved by b, the mean of that root, and the nearest to a query is the
                   one with the largest inner product
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
from entvec.errors import SpaceFileError
from entvec.files import replacing
from entvec.model.model import Floats
from entvec.runtime import in_threads
from entvec.search.keys import Keys
from entvec.tensors import Expected, Unsound

Form = Literal["euclidean", "inner product"]
FORMS: tuple[Form, ...] = get_args(Form)

POWER: dict[Form, float] = {"inner product": 1 / 4, "euclidean": 1 / 8}
"""Of what a coordinate bears. In a graph of GloVe's words 1/8 finds more in the euclidean form than 0 or 1/4."""
LEFT_OUT = 1e-3
"""How much of the scores' variance the last coordinates may bear and be left out. The first is not counted: it may bear
nearly everything, and rankings still be decided by the others. What is found is ranked again by exact scores."""
UNASKED = 1e-4
"""The part of that variance that directions get which the sample does not ask for, because another query may."""
SPECIFICITY = 1e-2
"""The part that hubness gets: a query may have another specificity than the sample."""
NEARLY_NOTHING = 1e-12
MULTIPLE = 16
"""Indexes compute fastest with multiples of so many coordinates."""
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
    """A change of coordinates: of keys, less their mean, by one matrix, of queries by another."""

    mean: NDArray[np.float64]
    for_keys: NDArray[np.float64]
    for_queries: NDArray[np.float64]
    sphere: NDArray[np.float64]
    """The square of the longest key's length, and b, if the form is euclidean; else nothing."""

    @property
    def form(self) -> Form:
        """What an index is to compare keys and queries by."""
        return "euclidean" if len(self.sphere) else "inner product"

    @property
    def width(self) -> int:
        """How many coordinates there are, zeros at the end included."""
        used = int(self.for_keys.shape[1]) + (self.form == "euclidean")
        return used if used < MULTIPLE else -(-used // MULTIPLE) * MULTIPLE

    def keys(self, keys: Keys) -> NDArray[np.float32]:
        """Keys to be indexed."""
        made = np.zeros((len(keys), self.width), dtype=np.float32)
        n, matrix = self.for_keys.shape[1], self.for_keys.astype(np.float32)

        def fill(first: int) -> None:
            rows = slice(first, first + ROWS_AT_ONCE)
            block = (keys.decoded(rows) - self.mean).astype(np.float32) @ matrix
            made[rows, :n] = block
            if self.form == "euclidean":
                made[rows, n] = _root(self.sphere[0], block) - self.sphere[1]

        in_threads(fill, range(0, len(keys), ROWS_AT_ONCE))
        return made

    def queries(self, queries: Floats) -> NDArray[np.float32]:
        """Queries to ask the index."""
        made = np.zeros((len(queries), self.width), dtype=np.float32)
        n = self.for_queries.shape[1]
        made[:, :n] = queries @ self.for_queries
        if self.form == "euclidean":
            made[:, n] = -self.sphere[1]
        return made

    @property
    def digest(self) -> str:
        """A text that only the same numbers have."""
        return hashlib.sha256(b"".join(column.tobytes() for _, column in self._columns().values())).hexdigest()

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write them to a file (safetensors)."""
        columns = self._columns()
        with replacing(path) as temporary, temporary.open("wb") as file:
            file.write(tensors.encode(columns, metadata, VERSION))
            for _, column in columns.values():
                file.write(column.data)

    def _columns(self) -> dict[str, tuple[str, NDArray[np.float64]]]:
        return {field.name: ("F64", np.ascontiguousarray(getattr(self, field.name), "<f8")) for field in fields(self)}

    @classmethod
    def load(cls, path: Path) -> tuple[Coordinates, dict[str, str]]:
        """Coordinates that were saved, and the metadata beside them."""
        try:
            content = path.read_bytes()
            size = tensors.header_size(content)
            found, metadata = tensors.parse(content[8 : 8 + size], TENSORS, version=VERSION, what="coordinates")
            data = np.frombuffer(content, np.uint8)[8 + size :]
            if len(data) != max(tensor.end for tensor in found.values()):
                raise Unsound("expected as many bytes as the header promises")
            made = cls(**{name: tensor.of(data) for name, tensor in found.items()})
        except FileNotFoundError:
            raise SpaceFileError(path, "the file is missing, expected it beside the index") from None
        except OSError as error:
            raise SpaceFileError(path, error.strerror or str(error)) from error
        except Unsound as problem:
            raise SpaceFileError(path, str(problem), byte=problem.byte) from None
        shape = made.for_keys.shape
        if made.for_queries.shape != shape or made.mean.shape != shape[:1] or len(made.sphere) not in (0, 2):
            raise SpaceFileError(path, "expected two matrices of the same shape, and a mean for each of their rows")
        return made, metadata


def fit(
    keys: Keys, queries: Floats, form: Form, *, left_out: float = LEFT_OUT, at_most: int | None = None
) -> Coordinates:
    """The coordinates of these keys for queries like these; the last number of a query is minus its specificity.

    `at_most` is how many coordinates an index takes; those that bear least are left out.
    """
    mean, covariance = moments(keys)
    asked = queries.T @ queries / max(1, len(queries))
    asked += _unasked(asked, covariance)
    weights, directions = np.linalg.eigh(asked)
    root = np.sqrt(np.maximum(weights, NEARLY_NOTHING * weights[-1]))
    borne, turned = np.linalg.eigh((root[:, None] * (directions.T @ covariance @ directions)) * root)
    n = _kept(borne[::-1], left_out)
    if at_most is not None:
        n = max(1, min(n, at_most // MULTIPLE * MULTIPLE - (form == "euclidean")))
    borne, turned = np.maximum(borne[::-1][:n], NEARLY_NOTHING * borne[-1] or 1.0), turned[:, ::-1][:, :n]
    balance = borne ** POWER[form]
    for_keys, for_queries = directions * root @ turned / balance, directions / root @ turned * balance
    plain = Coordinates(mean, for_keys, for_queries, np.empty(0))
    return plain if form == "inner product" else replace(plain, sphere=_sphere(plain.keys(keys)))


def _unasked(asked: Floats, covariance: Floats) -> Floats:
    """What is added for queries that the sample has none of, in proportion to the variance of scores."""
    borne = np.linalg.eigvals(asked @ covariance).real
    spread = float(borne.sum() - borne.max()) or float(borne.sum())
    if not spread > 0:  # all scores are the same
        return np.eye(len(asked))
    added = np.eye(len(asked)) * (UNASKED * spread / np.trace(covariance))
    if covariance[-1, -1] > 0:
        added[-1, -1] += SPECIFICITY * spread / covariance[-1, -1]
    return np.asarray(added)


def _kept(borne: Floats, left_out: float) -> int:
    """How many coordinates are kept, of those that bear these parts of the variance, the largest first."""
    left = np.cumsum(np.maximum(borne[::-1], 0.0))[::-1]  # without this one and all that follow
    return max(1, int((left > left_out * (left[0] - borne[0])).sum()))


def _root(longest: float, rows: Floats) -> Floats:
    """What these rows lack to be as long as the longest."""
    return np.asarray(np.sqrt(np.maximum(longest - np.einsum("ij,ij->i", rows, rows, dtype=np.float64), 0.0)))


def _sphere(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    longest = float(np.einsum("ij,ij->i", rows, rows, dtype=np.float64).max())
    return np.array([longest, _root(longest, rows).mean()])


def moments(keys: Keys) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean and the covariance of keys."""
    blocks = range(0, len(keys), ROWS_AT_ONCE)
    n = max(1, len(keys))

    def block(first: int) -> Floats:
        return keys.decoded(slice(first, first + ROWS_AT_ONCE))

    mean = np.sum(in_threads(lambda first: block(first).sum(axis=0, dtype=np.float64), blocks), axis=0) / n

    def square(first: int) -> NDArray[np.float64]:
        centred = (block(first) - mean).astype(np.float32)
        return np.asarray(centred.T @ centred, dtype=np.float64)

    return np.asarray(mean), np.asarray(np.sum(in_threads(square, blocks), axis=0) / n)
