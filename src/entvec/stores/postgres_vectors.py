"""The extension pgvector: where it is, and vectors as the server takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entvec.errors import StoreError

if TYPE_CHECKING:
    from psycopg import Connection

NEWEST_NEEDED = (0, 8)
"""The version with searches that go on until a filter has let enough through."""
CREATE = "CREATE EXTENSION vector"


class Extension(NamedTuple):
    """Where pgvector is."""

    schema: str
    oid: int
    array_oid: int


def extension(connection: Connection[Any], where: str) -> Extension | None:
    """Where pgvector is in this database; None if it is not."""
    row = connection.execute(
        "SELECT e.extversion, n.nspname, t.oid, t.typarray FROM pg_extension e "
        "JOIN pg_namespace n ON n.oid = e.extnamespace "
        "JOIN pg_type t ON t.typnamespace = n.oid AND t.typname = 'vector' WHERE e.extname = 'vector'"
    ).fetchone()
    if row is None:
        return None
    version, *found = row
    if tuple(map(int, version.split(".")[:2])) < NEWEST_NEEDED:
        needed = ".".join(map(str, NEWEST_NEEDED))
        raise StoreError(
            where, f"pgvector is {version}, expected {needed} or newer; update it, then: ALTER EXTENSION vector UPDATE"
        )
    return Extension(*found)


def created(connection: Connection[Any], where: str) -> Extension:
    """Make pgvector known to this database."""
    from psycopg import errors

    try:
        connection.execute(CREATE)
    except errors.InsufficientPrivilege:
        problem = f"this role may not create the extension vector; let an administrator run: {CREATE}"
        raise StoreError(where, problem) from None
    except (errors.FeatureNotSupported, errors.UndefinedFile):
        problem = "the server has no pgvector; install it there, 0.8 or newer (https://github.com/pgvector/pgvector)"
        raise StoreError(where, problem) from None
    found = extension(connection, where)
    if found is None:
        raise StoreError(where, f"the extension vector cannot be seen by this role; let an administrator run: {CREATE}")
    return found


# Vectors as bytes


def binary(rows: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A row of bytes for each vector: its length, two zeros, and the numbers, the highest byte first."""
    n, width = rows.shape
    made = np.zeros((n, 4 + 4 * width), dtype=np.uint8)
    made[:, :2] = np.array([width], dtype=">u2").view(np.uint8)
    made[:, 4:] = rows.astype(">f4").view(np.uint8).reshape(n, -1)
    return made


def pieces(rows: NDArray[Any]) -> list[bytes]:
    """The bytes of each row."""
    whole, step = rows.tobytes(), rows.shape[1] * rows.itemsize
    return [whole[at : at + step] for at in range(0, len(whole), step)]


class _Vectors(bytes):
    """An array of vectors, as the server takes it."""


class Dumpers(NamedTuple):
    """What makes an array of vectors ready to be sent, and tells a connection how vectors are sent."""

    vectors: Callable[[NDArray[np.float32]], _Vectors]
    register: Callable[[Connection[Any]], None]


def dumpers(found: Extension) -> Dumpers:
    """How vectors are sent: as bytes, without a text in between."""
    from psycopg.adapt import Dumper
    from psycopg.pq import Format
    from psycopg.types import TypeInfo

    class Plain(Dumper):
        format = Format.BINARY
        oid = found.oid

        def dump(self, obj: Any) -> bytes:
            return bytes(obj)

    class Several(Plain):
        oid = found.array_oid

    def vectors(rows: NDArray[np.float32]) -> _Vectors:
        body = binary(rows)
        head = np.array([1, 0, found.oid, len(rows), 1], dtype=">i4").tobytes()
        lengths = np.full((len(rows), 1), body.shape[1], dtype=">i4").view(np.uint8)
        return _Vectors(head + np.concatenate([lengths, body], axis=1).tobytes())

    def register(connection: Connection[Any]) -> None:
        if connection.adapters.types.get(found.oid) is None:
            TypeInfo("vector", found.oid, found.array_oid).register(connection)
            connection.adapters.register_dumper(_Vectors, Several)
            connection.adapters.register_dumper(_Vector, Plain)

    return Dumpers(vectors, register)


class _Vector(bytes):
    """A vector, as the server takes it."""
