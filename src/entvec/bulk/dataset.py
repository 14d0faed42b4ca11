"""A table of pairs in one or several files, as engines that write in parallel leave it, and its fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from entvec.bulk.tables import ParquetTable, RowGroups, Table, TextSpan, open_table
from entvec.errors import InvalidInput, PairsFileError
from entvec.runtime import in_threads

if TYPE_CHECKING:
    import pyarrow as pa

NOT_DATA = (".", "_")
"""How the names of files begin that engines put beside the parts of a table."""


class FilePartition(NamedTuple):
    """A partition of one of the files."""

    file: int
    partition: RowGroups | TextSpan


@dataclass(frozen=True)
class Dataset:
    """One or several files whose columns are the same."""

    paths: tuple[str, ...]
    hypo: str
    hyper: str
    partition_size: int | tuple[int, int] | None = None
    """The rows of a partition, or bytes of a text, or both; as many as suit if None."""
    taken: tuple[str, ...] = ()
    """Names that no column may have, since columns with these names are added."""

    @cached_property
    def opened(self) -> dict[int, Table]:
        """The files that were opened so far."""
        return {}

    def file(self, i: int) -> Table:
        """One of the files, opened when it is needed: there may be thousands, and a worker reads a few of them."""
        if i not in self.opened:
            self.opened[i] = open_table(self.paths[i], self.hypo, self.hyper, self.partition_size, self.taken)
        return self.opened[i]

    @property
    def schema(self) -> pa.Schema:
        """The names and types of its columns."""
        return self.file(0).schema

    def check(self) -> None:
        """Refuse files that are not parts of one table."""
        first = self.file(0)
        for i, path in enumerate(self.paths):
            file = self.file(i)
            if type(file) is not type(first) or not file.schema.equals(first.schema):
                raise PairsFileError(
                    path, f"expected the columns of {self.paths[0]}, {_described(first)}; found {_described(file)}"
                )

    def partitions(self) -> list[FilePartition]:
        """Return the partitions of each file; those without rows are left out, if there are others."""
        found = [FilePartition(i, partition) for i in range(len(self.paths)) for partition in self.file(i).partitions()]
        return [part for part in found if part.partition.size] or found[:1]

    def read(self, part: FilePartition) -> pa.Table:
        """Read the rows of a partition."""
        return self.file(part.file).read(part.partition)  # type: ignore[arg-type]


def open_dataset(
    table: str | Path | Sequence[str | Path],
    hypo: str | None,
    hyper: str | None,
    partition_size: int | tuple[int, int] | None = None,
    taken: tuple[str, ...] = (),
) -> Dataset:
    """Open a table with these two columns of words: a file, several, or a folder of them.

    Parameters
    ----------
    table
        A file, several, or a folder of them.
    hypo, hyper, partition_size, taken
        As for `open_table`.
    """
    paths = files_of(table)
    names = [str(path.resolve()) for path in paths]
    if len(set(names)) < len(names):
        twice = next(path for path, name in zip(paths, names, strict=True) if names.count(name) > 1)
        raise PairsFileError(twice, "it is named twice, so that its pairs would be there twice")
    opened = [open_table(path, hypo, hyper, partition_size, taken) for path in paths]
    first, second = opened[0].words
    dataset = Dataset(tuple(names), first, second, partition_size, taken)
    dataset.opened.update(enumerate(opened))
    dataset.check()
    return dataset


def files_of(table: str | Path | Sequence[str | Path]) -> list[Path]:
    """The files of a table, in the order of its rows; those of a folder by their names."""
    if not isinstance(table, str | Path):
        if not isinstance(table, Sequence):
            kind = type(table).__name__
            raise InvalidInput(f"the table is a {kind}, expected a file; `space.score` scores columns in memory")
        if not table:
            raise InvalidInput("expected a table of pairs, got none")
        return [file for one in table for file in files_of(one)]
    path = Path(table)
    if not path.is_dir():
        return [path]
    inside = sorted(each for each in path.iterdir() if not each.name.startswith(NOT_DATA))
    if folder := next((each for each in inside if each.is_dir()), None):
        raise PairsFileError(path, f"expected files only, found the folder {folder.name}; score each folder by itself")
    if not inside:
        raise PairsFileError(path, "it is an empty folder, expected a table: Parquet, .csv or .tsv")
    return inside


def _described(table: Table) -> str:
    kind = "a Parquet file" if isinstance(table, ParquetTable) else "a text"
    return f"{kind} with {', '.join(f'{field.name} ({field.type})' for field in table.schema)}"


# Fingerprint


def input_settings(paths: Sequence[Path]) -> dict[str, str | int]:
    """Return the names, the size and a hash of the content of files.

    All content is read: that takes 0.8 s for each gigabyte, of pairs that take a minute to score. Times of modification
    do not count, so that a copy of a table is the same table.
    """
    names = [str(path.resolve()) for path in paths]
    contents = in_threads(lambda i: _content_hash(paths[i]), range(len(paths)))
    others = hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()[:16]
    return {
        "table": names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} others ({others})",
        "size": sum(path.stat().st_size for path in paths),
        "content": hashlib.sha256(b"".join(contents)).hexdigest()[:32],
    }


def _content_hash(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def file_stats(paths: Sequence[Path]) -> list[tuple[int, ...]]:
    """Return numbers that are different after a file was written to, also if its size and date were restored."""
    stats = [path.stat() for path in paths]
    return [(stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns) for stat in stats]
