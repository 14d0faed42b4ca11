"""A table of pairs in several files, one after the other, as engines that write in parallel leave it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from entvec.bulk.tables import Groups, ParquetTable, Span, Table, open_table
from entvec.errors import InvalidInput, PairsFileError

if TYPE_CHECKING:
    import pyarrow as pa

NOT_DATA = (".", "_")
"""How the names of files begin that engines put beside the parts of a table."""


class Part(NamedTuple):
    """A block of one of the files."""

    file: int
    block: Groups | Span


@dataclass(frozen=True)
class PartedTable:
    """Files whose columns are the same."""

    paths: tuple[str, ...]
    hypo: str
    hyper: str

    @cached_property
    def _opened(self) -> dict[int, Table]:
        return {}

    def _file(self, i: int) -> Table:
        """One of the files, opened when it is needed: there may be thousands, and a worker reads a few of them."""
        if i not in self._opened:
            self._opened[i] = open_table(self.paths[i], self.hypo, self.hyper)
        return self._opened[i]

    @property
    def schema(self) -> pa.Schema:
        """The names and types of its columns."""
        return self._file(0).schema

    @property
    def at_once(self) -> int:
        """How large blocks are."""
        return self._file(0).at_once

    def check(self) -> None:
        """Refuse files that are not parts of one table."""
        first = self._file(0)
        for i, path in enumerate(self.paths):
            file = self._file(i)
            if type(file) is not type(first) or not file.schema.equals(first.schema):
                raise PairsFileError(
                    path, f"expected the columns of {self.paths[0]}, {_told(first)}; found {_told(file)}"
                )

    def blocks(self) -> list[Part]:
        """The blocks of each file; those of files without rows are left out, if there are others."""
        found = [Part(i, block) for i in range(len(self.paths)) for block in self._file(i).blocks()]
        return [part for part in found if self.size(part)] or found[:1]

    def read(self, part: Part) -> pa.Table:
        """The rows of a block."""
        return self._file(part.file).read(part.block)  # type: ignore[arg-type]

    def size(self, part: Part) -> int:
        """For the progress of a job."""
        return self._file(part.file).size(part.block)  # type: ignore[arg-type]


def open_tables(table: str | Path | Sequence[str | Path], hypo: str, hyper: str) -> Table | PartedTable:
    """A table with these two columns of words: a file, several, or a folder of them."""
    paths = files_of(table)
    if len(paths) == 1:
        return open_table(paths[0], hypo, hyper)
    names = [str(path.resolve()) for path in paths]
    if len(set(names)) < len(names):
        twice = next(path for path, name in zip(paths, names, strict=True) if names.count(name) > 1)
        raise PairsFileError(twice, "it is named twice, so that its pairs would be there twice")
    parted = PartedTable(tuple(names), hypo, hyper)
    parted.check()
    return parted


def files_of(table: str | Path | Sequence[str | Path]) -> list[Path]:
    """The files of a table, in the order of its rows; those of a folder by their names."""
    if not isinstance(table, str | Path):
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


def _told(table: Table) -> str:
    kind = "a Parquet file" if isinstance(table, ParquetTable) else "a text"
    return f"{kind} with {', '.join(f'{field.name} ({field.type})' for field in table.schema)}"
