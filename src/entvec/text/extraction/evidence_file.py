"""`TextEvidence`: what `entvec extract` has counted, opened to be asked; example sentences stay in the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from entvec.array_types import Ints
from entvec.errors import EvidenceFileError, EvidenceFileNotFound, InvalidInput
from entvec.files import replacing
from entvec.tensors import MARK
from entvec.text.extraction.extractor import Evidence, Example
from entvec.vectors.formats.parquet import library
from entvec.vectors.words import Words

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = "evidence 1"
"""What the metadata of a file have under `entvec`; files that were written before it have nothing there."""
COLUMNS = tuple(field.name for field in fields(Evidence))
COPIED = 1 << 20
EvidenceSource: TypeAlias = "str | Path | Sequence[Evidence] | TextEvidence | EvidenceFile"
"""A file that `entvec extract` wrote, the rows that `extract` returns, or what is opened already."""


def evidence_schema() -> pa.Schema:
    """Return the columns of a file of evidence."""
    pa = library()
    example = pa.struct([("sentence", pa.string()), ("file", pa.string()), ("offset", pa.int64())])
    names = [(name, pa.string()) for name in COLUMNS[:3]]
    numbers = [(name, pa.int64()) for name in COLUMNS[3:5]]
    return pa.schema([*names, *numbers, (COLUMNS[5], pa.list_(example))], metadata={MARK: VERSION})


def table_of(rows: Sequence[Evidence]) -> pa.Table:
    """Return counts as a table."""
    schema = evidence_schema()
    columns: list[list[Any]] = [[getattr(row, name) for row in rows] for name in schema.names]
    columns[-1] = [[each._asdict() for each in examples] for examples in columns[-1]]
    arrays = [library().array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return library().Table.from_arrays(arrays, schema=schema)


def rows_of(batch: pa.RecordBatch) -> Iterator[Evidence]:
    """Yield the counts of a part of a table."""
    for row in batch.to_pylist():
        yield Evidence(**row | {"examples": tuple(Example(**each) for each in row["examples"] or ())})


class EvidenceFile:
    """A file of evidence that stays open, so that it can be replaced meanwhile; several threads may read it.

    Parameters
    ----------
    source
        A path, or the bytes of a file.
    """

    def __init__(self, source: str | Path | bytes) -> None:
        pa = library()
        self.name = "" if isinstance(source, bytes) else str(source)
        self._lock = Lock()
        try:
            self._content = pa.BufferReader(source) if isinstance(source, bytes) else pa.OSFile(str(source))
            self.parquet = pa.parquet.ParquetFile(self._content, pre_buffer=False)
        except FileNotFoundError:
            remedy = "`entvec extract TEXT -o evidence.parquet` writes one"
            raise EvidenceFileNotFound(source, "there is no such file of evidence", remedy=remedy) from None
        except OSError as error:
            raise self.error(f"it cannot be read: {error.strerror or error}") from None
        except (pa.ArrowException, ValueError):
            raise self.error("it is no Parquet file") from None
        if missing := [name for name in COLUMNS if name not in self.parquet.schema_arrow.names]:
            raise self.error(f"it has no column {missing[0]!r}")
        version = (
            (self.parquet.schema_arrow.metadata or {}).get(MARK.encode(), VERSION.encode()).decode(errors="replace")
        )
        if version != VERSION:
            raise self.error(f"it has the version {version[:40]!r}, which a newer entvec may have written")

    def error(self, what: str) -> EvidenceFileError:
        """Return the error that the file is not what it should be."""
        return EvidenceFileError(
            self.name or "evidence", f"{what}, expected a file that `entvec extract` wrote, with {', '.join(COLUMNS)}"
        )

    def read(self, names: Sequence[str]) -> pa.Table:
        """Return some columns of names and counts."""
        pa = library()
        try:
            with self._lock:
                table = self.parquet.read(list(names), use_threads=False)
            wanted = pa.schema([evidence_schema().field(name) for name in names])
            table = table.cast(wanted)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self.error(f"its columns cannot be read ({error!s:.80})") from None
        for name in names:
            if table[name].null_count:
                raise self.error(f"its column {name} has empty cells")
            if pa.types.is_integer(wanted.field(name).type) and len(table):
                least = np.asarray(table[name]).min()
                if least < 1:
                    raise self.error(f"its column {name} has {least}, and counts begin at 1")
        return table

    def rows(self) -> Iterator[Evidence]:
        """Yield all rows in their order; a few thousand are in memory at once."""
        pa = library()
        batches = self.parquet.iter_batches(batch_size=1 << 13, columns=list(COLUMNS), use_threads=False)
        try:
            for batch in batches:
                yield from rows_of(batch)
        except (pa.ArrowException, OSError, ValueError, TypeError) as error:
            raise self.error(f"its rows cannot be read ({error!s:.80})") from None

    def examples(self, row: int) -> list[Example]:
        """Return the example sentences of a row."""
        group = 0
        while row >= (size := self.parquet.metadata.row_group(group).num_rows):
            row, group = row - size, group + 1
        with self._lock:
            found = self.parquet.read_row_group(group, columns=[COLUMNS[5]], use_threads=False)[COLUMNS[5]][row].as_py()
        return [Example(**each) for each in found or ()]

    def copy(self, target: Path) -> None:
        """Write the file to another place."""
        with replacing(target) as temporary, temporary.open("wb") as file:
            for data in self._bytes():
                file.write(data)

    def _bytes(self) -> Iterator[bytes]:
        for start in range(0, self._content.size(), COPIED):
            yield self._content.read_at(min(COPIED, self._content.size() - start), start)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        found = hashlib.sha256()
        for data in self._bytes():
            found.update(data)
        return found.hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class TextEvidence:
    """How often texts name pairs: a row for each pair and pattern of all files, in their order.

    >>> from entvec.bundled import wordnet_knowledge
    >>> from entvec.text import extract
    >>> text = "Guitars, lutes and other instruments were sold."
    >>> found = TextEvidence.of(extract(text, wordnet_knowledge()))
    >>> found, found.examples(0)[0].sentence
    (TextEvidence(2 rows, 3 terms), 'Guitars, lutes and other instruments were sold.')

    Parameters
    ----------
    files
        The files of evidence.
    terms
        All terms, sorted.
    patterns
        The names of all patterns.
    hypo, hyper
        The narrower and the broader term of each row, as positions in `terms`.
    pattern
        The pattern of each row, as a position in `patterns`.
    count
        The number of sentences that name the pair.
    documents
        The number of documents with such a sentence.
    """

    files: tuple[EvidenceFile, ...]
    terms: Words
    patterns: tuple[str, ...]
    hypo: Ints
    hyper: Ints
    pattern: Ints
    count: Ints
    documents: Ints

    @classmethod
    def of(cls, *sources: EvidenceSource) -> TextEvidence:
        """Open files, or take rows that were counted in memory; what several of them count is added.

        Parameters
        ----------
        sources
            Files that `entvec extract` wrote, lists that `entvec.text.extract` returned, or what is opened already.
        """
        files = tuple(file for source in sources for file in _files(source))
        tables = [file.read(COLUMNS[:5]) for file in files]
        pa = library()
        table = pa.concat_tables(tables) if tables else table_of([]).select(COLUMNS[:5])
        coded = [table[name].combine_chunks().dictionary_encode() for name in COLUMNS[:3]]
        known = [each.dictionary.to_pylist() for each in coded]
        if broken := next((term for each in known for term in each if "\n" in term or not term.strip()), None):
            raise InvalidInput(f"the term {broken!r:.60} of the evidence is empty or has a line break in it")
        terms = sorted({*known[0], *known[1]})
        at = {term: row for row, term in enumerate(terms)}
        places = [np.array([at[term] for term in each], np.int64) for each in known[:2]]
        codes = [np.asarray(each.indices, np.int64) for each in coded]
        counts = [np.asarray(table[name], np.int64) for name in COLUMNS[3:5]]
        return cls(files, Words.of(terms), tuple(known[2]), places[0][codes[0]], places[1][codes[1]], codes[2], *counts)

    def __len__(self) -> int:
        return len(self.hypo)

    def __repr__(self) -> str:
        return f"TextEvidence({len(self):,} rows, {len(self.terms):,} terms)"

    def examples(self, row: int) -> list[Example]:
        """Return the example sentences of a row."""
        for file in self.files:
            if row < (size := file.parquet.metadata.num_rows):
                return file.examples(row)
            row -= size
        raise IndexError(row)

    @property
    def digest(self) -> str:
        """What identifies the content: spaces with other evidence give other answers."""
        return hashlib.sha256(" ".join(file.digest for file in self.files).encode()).hexdigest()


def _files(source: EvidenceSource) -> Sequence[EvidenceFile]:
    if isinstance(source, TextEvidence):
        return source.files
    if isinstance(source, EvidenceFile):
        return [source]
    if isinstance(source, str | Path):
        return [EvidenceFile(source)]
    rows: Any = source
    if not (isinstance(rows, Sequence) and all(isinstance(row, Evidence) for row in rows)):
        expected = "the name of a file that `entvec extract` wrote, or what `entvec.text.extract` returns"
        raise InvalidInput(f"evidence is {source!r:.60}, expected {expected}")
    written = library().BufferOutputStream()
    library().parquet.write_table(table_of(rows), written)
    return [EvidenceFile(written.getvalue().to_pybytes())]
