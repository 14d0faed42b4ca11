"""Tables of pairs in one file: Parquet, CSV and TSV, cut into partitions that can be read by themselves."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from entvec.errors import PairsFileError, PairsFileNotFound, Remedy
from entvec.graphs.formats.headers import pair_columns
from entvec.vectors.formats.parquet import library

if TYPE_CHECKING:
    import pyarrow as pa

PARTITION_ROWS = 1 << 20
"""Rows of a partition: as many as most writers put into a row group."""
PARTITION_BYTES = 1 << 27
"""Bytes of a partition in memory, if its rows are long."""
PARTITION_TEXT = 1 << 24
"""Bytes of a partition of a text."""
LONGEST = 1 << 27
"""Bytes that a text may have without an end of a line outside of quotation marks."""
BATCH_ROWS = 1 << 16
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
QUOTE = b'"'


class RowGroups(NamedTuple):
    """Some row groups of a Parquet file, or a part of one."""

    first: int
    last: int
    skip: int
    size: int
    """How many rows they have."""


class TextSpan(NamedTuple):
    """A part of a text."""

    start: int
    size: int
    line: int
    """The number of its first line."""


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet file."""

    path: str
    words: tuple[str, ...] = ()
    """Columns whose words are read with their dictionary, if they are plain strings: each is looked up once."""
    partition_size: int = PARTITION_ROWS
    partition_bytes: int = PARTITION_BYTES
    batch_rows: int = BATCH_ROWS

    @cached_property
    def _metadata(self) -> Any:
        return self._opened().metadata

    def _opened(self, **known: Any) -> Any:
        pyarrow = library()
        try:
            return pyarrow.parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=1 << 20, **known)
        except (pyarrow.ArrowException, OSError) as error:
            raise _unreadable(self.path, error, "no Parquet file that can be read") from error

    @cached_property
    def schema(self) -> pa.Schema:
        """The names and types of its columns."""
        return self._opened(metadata=self._metadata).schema_arrow

    def partitions(self) -> list[RowGroups]:
        """Return small row groups together, and parts of large ones."""
        found: list[RowGroups] = []
        for i in range(self._metadata.num_row_groups):
            group = self._metadata.row_group(i)
            rows, size = group.num_rows, group.total_byte_size
            most = max(1, min(self.partition_size, self.partition_bytes * rows // max(size, 1)))
            before = found[-1] if found else None
            if rows == 0:
                continue
            if before and not before.skip and before.last == i and before.size + rows <= most:
                found[-1] = RowGroups(before.first, i + 1, 0, before.size + rows)
            elif rows <= most + most // 2:  # to read the second part of one is to read the first part too
                found.append(RowGroups(i, i + 1, 0, rows))
            else:
                found += [RowGroups(i, i + 1, skip, min(most, rows - skip)) for skip in range(0, rows, most)]
        return found or [RowGroups(0, 0, 0, 0)]

    def read(self, partition: RowGroups) -> pa.Table:
        """Read the rows of a partition."""
        pyarrow = library()
        if partition.size == 0:
            return self.schema.empty_table()
        plain = {name for name in self.words if pyarrow.types.is_string(self.schema.field(name).type)}
        try:
            with self._opened(metadata=self._metadata, read_dictionary=sorted(plain)) as file:
                if not self._is_part(partition):
                    return file.read_row_groups(range(partition.first, partition.last), use_threads=False)
                return pyarrow.Table.from_batches(list(self._part(file, partition)))
        except (pyarrow.ArrowException, OSError) as error:
            raise _unreadable(self.path, error, f"row group {partition.first:,} is damaged") from error

    def _is_part(self, partition: RowGroups) -> bool:
        return (
            partition.last == partition.first + 1
            and partition.size < self._metadata.row_group(partition.first).num_rows
        )

    def _part(self, file: Any, partition: RowGroups) -> Iterator[Any]:
        """Read a part of a row group; the rows before it are read too, a few at a time."""
        at = 0
        for batch in file.iter_batches(batch_size=self.batch_rows, row_groups=[partition.first], use_threads=False):
            start, stop = max(partition.skip - at, 0), min(partition.skip + partition.size - at, len(batch))
            if start < stop:
                yield batch.slice(start, stop - start)
            at += len(batch)
            if at >= partition.skip + partition.size:
                return


@dataclass(frozen=True)
class TextTable:
    """A text with a line for each row; the first one names the columns. All values are carried along as text."""

    path: str
    delimiter: str
    partition_size: int = PARTITION_TEXT
    longest: int = LONGEST
    words: tuple[str, ...] = ()
    """The columns with the words."""

    @property
    def _quoted(self) -> bool:
        return self.delimiter != "\t"  # tab-separated words are taken as they are

    @cached_property
    def _head(self) -> tuple[list[str], TextSpan]:
        """The names of the columns, and where they stand."""
        with Path(self.path).open("rb") as file:
            span = next(self._spans(file, 1, 0, 1), TextSpan(0, 0, 1))
            file.seek(0)
            line = file.read(span.size)
        try:
            text = line.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError:
            raise PairsFileError(self.path, "expected UTF-8; convert the table first", line=1) from None
        names = next(csv.reader([text], delimiter=self.delimiter), []) if self._quoted else text.split("\t")
        if not text:
            raise PairsFileError(self.path, "it is empty, expected a line with the names of its columns")
        return names, span

    @cached_property
    def schema(self) -> pa.Schema:
        """The names of its columns; their values are text."""
        pyarrow = library()
        return pyarrow.schema([(name, pyarrow.string()) for name in self._head[0]])

    def partitions(self) -> list[TextSpan]:
        """Parts of the text that end at ends of lines."""
        head = self._head[1]
        lines = head.line
        with Path(self.path).open("rb") as file:
            lines += file.read(head.size).count(b"\n")
            return list(self._spans(file, self.partition_size, head.size, lines)) or [TextSpan(head.size, 0, lines)]

    def _spans(self, file: Any, size: int, start: int, line: int) -> Iterator[TextSpan]:
        """Cut a text after the first end of a line that comes after so many bytes, and is within no quoted value."""
        text = b""
        while True:
            more = file.read(max(size, 1 << 16))
            text += more
            while len(text) >= size or not more:
                cut = self._cut(text, size)
                if not cut and more:
                    break
                part = text[: cut or len(text)]
                if not part:
                    return
                yield TextSpan(start, len(part), line)
                start, line, text = start + len(part), line + part.count(b"\n"), text[len(part) :]
            if len(text) > self.longest:
                odd = self._quoted and text.count(QUOTE) % 2
                what = "a quotation mark without its end" if odd else f"a line of more than {self.longest:,} bytes"
                raise PairsFileError(self.path, f"{what}, here or in a line after it", line=line)

    def _cut(self, text: bytes, size: int) -> int:
        """Return where a partition may end; 0 if nowhere in this text."""
        at = size - 1
        while (at := text.find(b"\n", at) + 1) > 0:
            if not self._quoted or text.count(QUOTE, 0, at) % 2 == 0:
                return at
        return 0

    def read(self, partition: TextSpan) -> pa.Table:
        """Read the rows of a partition."""
        pyarrow, texts = library(), import_module("pyarrow.csv")
        with Path(self.path).open("rb") as file:
            file.seek(partition.start)
            text = file.read(partition.size)
        if not text.strip():
            return self.schema.empty_table()
        try:
            return texts.read_csv(
                pyarrow.BufferReader(text),
                texts.ReadOptions(use_threads=False, column_names=self._head[0], block_size=len(text)),
                texts.ParseOptions(
                    delimiter=self.delimiter, quote_char='"' if self._quoted else False, newlines_in_values=self._quoted
                ),
                texts.ConvertOptions(column_types=self.schema, strings_can_be_null=False),
            )
        except pyarrow.ArrowException as error:
            raise self._damaged(partition, text, str(error)) from error

    def _damaged(self, partition: TextSpan, text: bytes, problem: str) -> PairsFileError:
        """Return an error with the line of the file; that of pyarrow counts the rows of a partition."""
        try:
            text.decode()
        except UnicodeDecodeError as error:
            line = partition.line + text.count(b"\n", 0, error.start)
            return PairsFileError(self.path, "expected UTF-8; convert the table first", line=line)
        row = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", problem)
        if row is None:
            return PairsFileError(self.path, f"here or in a line after it: {problem[:200]}", line=partition.line)
        at, expected, got = map(int, row.groups())
        return PairsFileError(
            self.path, f"expected {expected} values, as the first line has, found {got}", line=partition.line + at - 1
        )


Table = ParquetTable | TextTable


def open_table(
    path: str | Path,
    hypo: str | None,
    hyper: str | None,
    partition_size: int | tuple[int, int] | None = None,
    taken: tuple[str, ...] = (),
) -> Table:
    """Open a table with these two columns of words, in partitions of so many rows or, of a text, bytes.

    Parameters
    ----------
    path
        The file.
    hypo, hyper
        The columns with the words; those that the header tells if None: hypo and hyper, child and parent, and the like.
    partition_size
        Rows or bytes, one number or one for each; as many as suit if None.
    taken
        Names of columns that are to be added, so that no column may have one of them.
    """
    file = Path(path)
    name = file.name.lower()
    if not file.exists():
        raise PairsFileNotFound(path, "there is no such file")
    if not file.is_file():
        raise PairsFileError(path, "it is a pipe or a device, expected a file: a table is read more than once")
    if name.endswith(PACKED):
        raise PairsFileError(path, "it is packed, so that it cannot be read from the middle; unpack it first")
    delimiter = DELIMITERS.get(file.suffix.lower())
    with file.open("rb") as opened:
        is_parquet = opened.read(4) == b"PAR1"
    if not is_parquet and delimiter is None:
        raise PairsFileError(path, "it is no Parquet file; a text has a name that ends in .csv or .tsv")
    where = str(file.resolve())
    rows, size = partition_size if isinstance(partition_size, tuple) else (partition_size, partition_size)
    table: Table = (
        ParquetTable(where, (), rows or PARTITION_ROWS)
        if is_parquet
        else TextTable(where, str(delimiter), partition_size=size or PARTITION_TEXT)
    )
    words = pair_columns(table.schema.names, hypo, hyper)
    _check_columns(table, path, words, taken)
    return replace(table, words=words)


def _check_columns(table: Table, path: str | Path, words: tuple[str, str], added: tuple[str, ...]) -> None:
    names = table.schema.names
    found = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    if len(set(names)) < len(names):
        raise PairsFileError(path, f"expected a different name for each column, found {found}")
    for name in words:
        if name not in names:
            first = " in its first line" if isinstance(table, TextTable) else ""
            raise PairsFileError(path, f"expected a column {name}{first}, found {found}", remedy=Remedy.NAME_COLUMNS)
        kind = table.schema.field(name).type
        if not is_text(kind):
            raise PairsFileError(path, f"expected words in the column {name}, found {kind}")
    taken = next((name for name in names if name.lower() in added), None)  # many programs take no notice of case
    if taken is not None:
        raise PairsFileError(path, f"it has a column {taken} already, which is to be added; rename or drop it")


def is_text(kind: pa.DataType) -> bool:
    """Whether a column has words, in any of the ways in which Arrow keeps them."""
    types = library().types
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _unreadable(path: str, error: Exception, what: str) -> PairsFileError:
    told = " ".join(str(error).split())
    return PairsFileError(path, f"{what}: {told[:200]}")
