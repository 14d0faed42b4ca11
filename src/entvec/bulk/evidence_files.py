"""Files of evidence, added to one: `merge_evidence`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from entvec.bulk.merging import GROUP, TOGETHER, added_rows
from entvec.errors import InvalidInput
from entvec.files import replacing
from entvec.text.extraction.evidence_file import EvidenceFile, evidence_schema, table_of
from entvec.text.extraction.extractor import Evidence
from entvec.vectors.formats.parquet import library


def merge_evidence(files: Sequence[str | Path], output: str | Path) -> int:
    """Write the evidence of several files to one, atomically, and return its number of rows.

    Counts and documents of the same pair and pattern are added, so the files must be of different texts. Only a few
    thousand rows of each file are in memory.

    >>> import tempfile
    >>> from entvec.bulk import extract
    >>> with tempfile.TemporaryDirectory() as name:
    ...     for text in ("Dogs and other pets bark.", "Dogs and other pets sleep. Cats and other pets, too."):
    ...         _ = Path(name, f"{len(text)}.txt").write_text(text)
    ...         _ = extract(Path(name, f"{len(text)}.txt"), Path(name, f"{len(text)}.parquet"))
    ...     _ = merge_evidence(sorted(Path(name).glob("*.parquet")), Path(name, "all.parquet"))
    ...     rows = list(EvidenceFile(Path(name, "all.parquet")).rows())
    >>> [(row.hypo, row.count, row.documents) for row in rows]
    [('cat', 1, 1), ('dog', 2, 2)]

    Parameters
    ----------
    files
        Files that `entvec extract` wrote.
    output
        The Parquet file to write; it may be one of them.
    """
    if not files:
        raise InvalidInput("expected files of evidence, got none")
    if len(files) > TOGETHER:
        raise InvalidInput(f"{len(files):,} files, expected {TOGETHER} or fewer at once; merge some of them first")
    if Path(output).suffix != ".parquet":
        raise InvalidInput(f"the output is {output}, expected a name that ends in .parquet")
    merged = added_rows([_sorted(EvidenceFile(file)) for file in files])
    written = 0
    with (
        replacing(output) as temporary,
        library().parquet.ParquetWriter(temporary, evidence_schema()) as writer,
    ):
        while rows := list(islice(merged, GROUP)):
            writer.write_table(table_of(rows))
            written += len(rows)
    return written


def _sorted(file: EvidenceFile) -> Iterator[Evidence]:
    """Yield the rows of a file; raise an error where they are not sorted."""
    last = ("", "", "")
    for row in file.rows():
        if row.key <= last:
            raise file.error(
                f"its row {' '.join(row.key)!r:.80} comes after {' '.join(last)!r:.80}, so it is not sorted"
            )
        last = row.key
        yield row
