"""The output of a job: a Parquet file, a .csv or .tsv, or a folder of Parquet files; its parts are written in order.

A part of a folder is a Parquet file, compressed by the worker that computed it. A part of a single file is an Arrow
stream, which costs nearly nothing to write and to read; a thread of this process compresses the parts into the file
while workers compute the next ones. It takes new parts from memory: to map their files costs half as much again as to
compress them.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from entvec.bulk.jobs import Content
from entvec.errors import InvalidInput
from entvec.vectors.formats.parquet import library

if TYPE_CHECKING:
    import pyarrow as pa

SETTINGS: dict[str, Any] = {"compression": "zstd", "compression_level": 1, "store_schema": False}
ARROW_SCHEMA = b"ARROW:schema"
JOB = "entvec job"
"""The key of the metadata that says which job has written a file."""
MANIFEST = "_manifest.json"
"""The file that says which job has written a folder; engines skip names that begin with _."""
MOST_WAITING = 8
"""How many parts may wait for compression, so that the progress of a job is that of its output."""
MOST_IN_MEMORY = 2
"""How many of them wait in memory; the others are read from their files."""


class Finished(NamedTuple):
    """What an output says about the job that has written it."""

    job: str
    rows: int


@dataclass(frozen=True)
class Columns:
    """The columns of an output, and how they are encoded.

    Arrays of words may be dictionaries: readers of the output find strings, as the schema says.
    """

    schema: pa.Schema
    words: tuple[str, ...]
    floats: tuple[str, ...]

    def table(self, arrays: Sequence[Any]) -> pa.Table:
        """Return a table of these arrays."""
        fields = [field.with_type(array.type) for field, array in zip(self.schema, arrays, strict=True)]
        return library().Table.from_arrays(list(arrays), schema=library().schema(fields))

    def writer(self, sink: Any, schema: pa.Schema) -> Any:
        """Return a writer of tables with these types to a Parquet file."""
        pyarrow = library()
        empty = pyarrow.BufferOutputStream()
        pyarrow.parquet.ParquetWriter(empty, self.schema).close()
        leaves = pyarrow.parquet.read_metadata(pyarrow.BufferReader(empty.getvalue())).schema
        paths = [leaves.column(i).path for i in range(len(leaves))]
        writer = pyarrow.parquet.ParquetWriter(
            sink,
            schema,
            **SETTINGS,
            # Floats hardly ever repeat, so a dictionary of them only costs time. The minimum and maximum of words take
            # as long as all the rest, and are of little use to a reader.
            use_dictionary=[path for path in paths if path not in self.floats],
            write_statistics=[path for path in paths if path not in self.words],
        )
        # What pyarrow would store by itself, but for dictionaries of words, which shall be read as strings.
        stored = base64.b64encode(self.schema.serialize().to_pybytes())
        writer.add_key_value_metadata({**(self.schema.metadata or {}), ARROW_SCHEMA: stored})
        return writer

    def arrow(self, table: pa.Table) -> pa.Buffer:
        """Return a table as an Arrow stream."""
        sink = library().BufferOutputStream()
        with library().ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        return sink.getvalue()

    def parquet(self, table: pa.Table) -> pa.Buffer:
        """Return a table as a Parquet file of one row group."""
        sink = library().BufferOutputStream()
        with self.writer(sink, table.schema) as writer:
            writer.write_table(table, row_group_size=max(1, len(table)))
        return sink.getvalue()


class FileOutput:
    """A single Parquet file with a row group for each part."""

    format = "arrow"

    def __init__(self, path: Path, columns: Columns, job: str, done: int) -> None:
        self._columns, self._job = columns, job
        self._path = path
        self._file: BinaryIO = path.open("wb")
        self._writer: Any = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="entvec-parquet")
        self._waiting: deque[Future[None]] = deque()
        self._most = max(MOST_WAITING, done)  # parts of earlier runs are compressed while new ones are computed

    def add(self, part: Path, content: Content | None = None) -> None:
        """Compress a part after the others; raise the error of an earlier one. Its content need not be in memory."""
        kept = content if len(self._waiting) < MOST_IN_MEMORY else None
        self._waiting.append(self._thread.submit(self._write, part, kept))
        while self._waiting and (len(self._waiting) > self._most or self._waiting[0].done()):
            self._waiting.popleft().result()

    def _write(self, part: Path, content: Content | None) -> None:
        pyarrow = library()
        with pyarrow.memory_map(str(part)) if content is None else pyarrow.BufferReader(content) as file:
            table = pyarrow.ipc.open_stream(file).read_all()
            if self._writer is None:
                self._writer = self._columns.writer(self._file, table.schema)
            start = self._file.tell()
            self._writer.write_table(table, row_group_size=max(1, len(table)))
        self._file.flush()
        begin_to_write(self._file, start)

    def finish(self, target: Path) -> None:
        """Complete the file and give it its name."""
        while self._waiting:
            self._waiting.popleft().result()
        self._complete()
        self._file.flush()
        os.fsync(self._file.fileno())  # on the disk before it has the name, should the power fail
        if target.exists():
            self._path.chmod(target.stat().st_mode & 0o777)
        self._path.replace(target)

    def _complete(self) -> None:
        """Write the end of the file, which says which job has written it."""
        self._writer.add_key_value_metadata({JOB: self._job})
        self._writer.close()

    def close(self) -> None:
        """Release the file, whether it is finished or not."""
        self._thread.shutdown(cancel_futures=True)
        if self._writer is not None and self._writer.is_open:
            with suppress(OSError):  # a full disk was reported already
                self._writer.close()
            self._writer.is_open = False  # so that its destructor does not try again
        with suppress(OSError):
            self._file.close()

    @staticmethod
    def finished(target: Path) -> Finished | None:
        """Return what the metadata of a file say; None if it is no Parquet file."""
        try:
            found = library().parquet.read_metadata(target)
        except (OSError, ValueError):
            return None
        return Finished((found.metadata or {}).get(JOB.encode(), b"").decode(errors="replace"), int(found.num_rows))


class TextOutput(FileOutput):
    """A .csv or .tsv whose first line names the columns; empty fields are nulls, and numbers have all their digits."""

    def _write(self, part: Path, content: Content | None) -> None:
        pyarrow = library()
        with pyarrow.memory_map(str(part)) if content is None else pyarrow.BufferReader(content) as file:
            table = pyarrow.ipc.open_stream(file).read_all()
        start = self._file.tell()
        if start == 0:
            titles = pyarrow.table({name: [name] for name in table.schema.names})
            self._file.write(self._lines(titles))
        self._file.write(self._lines(table))
        self._file.flush()
        begin_to_write(self._file, start)

    def _lines(self, table: pa.Table) -> bytes:
        """Return a line for each row."""
        raise NotImplementedError

    def _complete(self) -> None:
        """Do nothing: a text has no end that says which job has written it."""

    @staticmethod
    def finished(target: Path) -> Finished | None:  # noqa: ARG004
        """Return None: a text does not say which job has written it."""
        return None


class CsvOutput(TextOutput):
    """Values with commas between, in quotation marks where they need them."""

    def _lines(self, table: pa.Table) -> bytes:
        plain, sink = _plain(table), library().BufferOutputStream()
        if any(_has(column, '[",\n\r]') for column in plain.columns):  # pyarrow would quote all texts
            lines = csv.writer(made := io.StringIO(), lineterminator="\n")
            lines.writerows(zip(*(column.to_pylist() for column in plain.columns), strict=True))
            return made.getvalue().encode()
        texts = import_module("pyarrow.csv")
        texts.write_csv(plain, sink, texts.WriteOptions(include_header=False, quoting_style="none"))
        return bytes(sink.getvalue())


class TsvOutput(TextOutput):
    """Values with tabs between, as they are: without quotation marks, as such tables are read."""

    def _lines(self, table: pa.Table) -> bytes:
        pyarrow, compute = library(), import_module("pyarrow.compute")
        columns = [column.cast(pyarrow.string()) for column in _plain(table).columns]
        for name, column in zip(table.schema.names, columns, strict=True):
            if _has(column, "[\t\n\r]"):
                raise InvalidInput(f"a value of the column {name} has a tab or a line break; write a .csv instead")
        lines = compute.binary_join_element_wise(*columns, "\t", null_handling="replace", null_replacement="")
        return "".join(f"{line}\n" for line in lines.to_pylist()).encode()


def _has(column: Any, pattern: str) -> bool:
    """Return whether a value of a column of texts has one of some characters."""
    pyarrow, compute = library(), import_module("pyarrow.compute")
    is_text = pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)
    return is_text and bool(compute.any(compute.match_substring_regex(column, pattern)).as_py())


def _plain(table: pa.Table) -> pa.Table:
    """Return a table without dictionaries, which the writer of texts does not take."""
    pyarrow = library()
    kinds = [field.type.value_type if pyarrow.types.is_dictionary(field.type) else field.type for field in table.schema]
    return table.cast(pyarrow.schema(list(zip(table.schema.names, kinds, strict=True))))


class FolderOutput:
    """A folder of Parquet files, as engines write them that work in parallel."""

    format = "parquet"

    def __init__(self, path: Path, columns: Columns, job: str, done: int) -> None:  # noqa: ARG002
        self._replaced, self._job = path, job
        self._parts: list[Path] = []

    def add(self, part: Path, content: Content | None = None) -> None:  # noqa: ARG002
        """Add a part to the manifest; its file is in the folder already."""
        self._parts.append(part)
        with part.open("rb") as file:
            begin_to_write(file, 0)

    def finish(self, target: Path) -> None:
        """Write the manifest, and give the folder of parts its name."""
        folder = self._parts[0].parent
        files = {part.name: _rows(part) or 0 for part in self._parts}
        manifest = {"job": self._job, "rows": sum(files.values()), "files": files}
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        for written in (*self._parts, folder / MANIFEST):
            with written.open("rb") as file:
                os.fsync(file.fileno())
        if target.exists():
            target.replace(self._replaced)
        folder.replace(target)

    def close(self) -> None:
        """Do nothing: there is no open file."""

    @staticmethod
    def finished(target: Path) -> Finished | None:
        """Return what the manifest of a folder says; None if it has none, and no job if not all files are there."""
        try:
            found = json.loads((target / MANIFEST).read_text(encoding="utf-8"))
            whole = all(_rows(target / name) == rows for name, rows in found["files"].items())
            return Finished(str(found["job"]) if whole else "", int(found["rows"]))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None


def _rows(file: Path) -> int | None:
    """Return the number of rows of a Parquet file; None if it cannot be read."""
    try:
        return int(library().parquet.read_metadata(file).num_rows)
    except (OSError, ValueError):
        return None


Output = FileOutput | FolderOutput
OUTPUTS: dict[str, type[Output]] = {".parquet": FileOutput, ".csv": CsvOutput, ".tsv": TsvOutput, "": FolderOutput}
"""What makes the output, by the ending of its name."""


def kind_of_output(target: Path) -> type[Output]:
    """Return the kind of output that a name asks for."""
    return OUTPUTS[target.suffix]


def begin_to_write(file: BinaryIO, start: int) -> None:
    """Let the system write to the disk now, while parts are computed, so that the last fsync waits less."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file.fileno(), start, 0, os.POSIX_FADV_DONTNEED)
