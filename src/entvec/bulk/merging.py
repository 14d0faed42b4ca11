"""An output whose parts are merged: sorted rows of counts, of which those with the same key are added."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from entvec.bulk.jobs import Content
from entvec.bulk.output import Columns, FileOutput
from entvec.text.extraction.evidence_file import evidence_schema, rows_of, table_of
from entvec.text.extraction.extractor import Evidence, merged
from entvec.vectors.formats.parquet import library

if TYPE_CHECKING:
    import pyarrow as pa

TOGETHER = 200
"""How many parts are merged at once: each is an open file."""
ROWS = 1 << 13
"""Rows in memory of each part."""
GROUP = 1 << 14
"""Rows of a row group of the output: a reason reads the sentences of a group."""


def evidence_columns() -> Columns:
    """Return the columns of an output of counts."""
    return Columns(evidence_schema(), words=(), floats=("examples.list.element.sentence",))


def arrow_of(rows: Sequence[Evidence]) -> pa.Buffer:
    """Return counts as an Arrow stream, in batches that can be read one by one."""
    sink, table = library().BufferOutputStream(), table_of(rows)
    with library().ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table, max_chunksize=ROWS)
    return sink.getvalue()


class MergedOutput(FileOutput):
    """A single Parquet file of all parts, sorted by their first three columns; equal keys are added."""

    def __init__(self, path: Path, columns: Columns, job: str, done: int) -> None:
        super().__init__(path, columns, job, done)
        self._parts: list[Path] = []

    def add(self, part: Path, content: Content | None = None) -> None:  # noqa: ARG002 - it is read from its file
        """Count a part that is written already."""
        self._parts.append(part)

    def finish(self, target: Path) -> None:
        """Merge the parts into the file, and give it its name."""
        parts, level = self._parts, 0
        while len(parts) > TOGETHER:
            groups = [parts[i : i + TOGETHER] for i in range(0, len(parts), TOGETHER)]
            parts = [self._merge(group, level, number) for number, group in enumerate(groups)]
            level += 1
        rows = added_rows(map(read_rows, parts))
        while True:
            some = list(islice(rows, GROUP))
            if some or self._writer is None:
                self._write(self._path, self._columns.arrow(table_of(some)))
            if len(some) < GROUP:
                break
        super().finish(target)

    def _merge(self, parts: Sequence[Path], level: int, number: int) -> Path:
        target = self._path.with_name(f"merged-{level}-{number}")
        rows = added_rows(map(read_rows, parts))
        with (
            library().OSFile(str(target), "wb") as file,
            library().ipc.new_stream(file, evidence_columns().schema) as out,
        ):
            while some := list(islice(rows, ROWS)):
                out.write_table(table_of(some))
        return target


def read_rows(part: Path) -> Iterator[Evidence]:
    """Yield the rows of a part."""
    with library().memory_map(str(part)) as file:
        for batch in library().ipc.open_stream(file):
            yield from rows_of(batch)


def added_rows(parts: Iterable[Iterator[Evidence]]) -> Iterator[Evidence]:
    """Yield the rows of sorted parts in order, those with the same key added; examples in the order of the parts."""
    key = attrgetter("key")
    for _, same in groupby(heapq.merge(*parts, key=key), key):
        yield reduce(merged, same)
