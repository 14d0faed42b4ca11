"""Is-a pairs out of text of any size: how often each pattern names each pair, with example sentences."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from entvec.bulk.checkpoint import Settings, check_output, fingerprint, open_checkpoint
from entvec.bulk.corpus import PARTITION, STDIN, Inputs, Skipped, corpus_settings, cut, list_files, piped
from entvec.bulk.corpus import Partition as Units
from entvec.bulk.jobs import VERSION, Done, Part, ProgressCallback, Work
from entvec.bulk.merging import MergedOutput, arrow_of, evidence_columns
from entvec.bulk.placement import Placement
from entvec.bulk.runner import done_earlier, run
from entvec.bundled import bundled_knowledge
from entvec.errors import InvalidInput, Remedy
from entvec.knowledge import Knowledge, storage
from entvec.text.extraction.documents import BLOCK, check_format, read_documents
from entvec.text.extraction.extractor import Counts, Extractor
from entvec.text.extraction.html_text import Unreadable
from entvec.text.extraction.patterns import Pattern

KNOWLEDGE = "wordnet"


@dataclass(frozen=True)
class ExtractJob:
    """What is extracted from each partition, for workers."""

    knowledge: str
    """The file of the knowledge; empty for that of the package."""
    terms: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    column: str

    @property
    def needs(self) -> tuple[str, ...]:
        """The files that a worker must be able to read."""
        return (self.knowledge,) if self.knowledge else ()

    def open(self) -> Work:
        """Open the knowledge, and return the function that computes parts."""
        return self.work(storage.load(Path(self.knowledge)) if self.knowledge else bundled_knowledge())

    def work(self, knowledge: Knowledge) -> Work:
        """Return the function that counts the pairs of a partition."""
        extractor = Extractor(knowledge, self.terms, self.patterns)

        def compute(partition: Units) -> Part:
            counts = Counts()
            skipped: list[str] = []
            for unit in partition:
                try:
                    for document in read_documents(unit, self.column):
                        counts.add(extractor, document)
                except Unreadable as error:
                    skipped.append(str(Skipped(unit.name, str(error))))
            rows = counts.rows()
            return Part(arrow_of(rows), len(rows), len(skipped), tuple(skipped))

        return compute


@dataclass(frozen=True)
class Extracted(Done):
    """What an extraction has written.

    >>> Extracted("evidence.parquet", rows=3, size=42, seconds=0.1, skipped=("scan.pdf: no text",)).skipped
    ('scan.pdf: no text',)

    Parameters
    ----------
    path, rows, size, seconds, earlier, unknown, examples
        As in `Done`; a row is a pair with a pattern.
    skipped
        The files that were skipped, with the reasons.
    """

    skipped: tuple[str, ...] = ()


def extract(
    files: Inputs,
    output: str | Path,
    *,
    knowledge: Knowledge | None = None,
    terms: Iterable[str] = (),
    patterns: Sequence[Pattern] = (),
    format: str | None = None,  # noqa: A002
    column: str = "text",
    processes: int | None = None,
    cluster: str | None = None,
    restart: bool = False,
    progress: ProgressCallback | None = None,
    partition_size: int = PARTITION,
) -> Extracted:
    """Extract is-a pairs from files of text, and write how often each pattern names each pair to a Parquet file.

    The columns are hypo, hyper, pattern, count (sentences), documents, and examples: up to three sentences with their
    file and offset. A run that was stopped goes on where it was when it is started again.

    >>> import tempfile
    >>> import pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "notes.txt").write_text("Guitars, lutes and other instruments were sold.")
    ...     done = extract(Path(folder, "notes.txt"), Path(folder, "evidence.parquet"))
    ...     found = pyarrow.parquet.read_table(done.path).to_pylist()
    >>> [(row["hypo"], row["hyper"], row["count"]) for row in found]
    [('guitar', 'instrument', 1), ('lute', 'instrument', 1)]

    Parameters
    ----------
    files
        Files, folders of files, or "-" for the standard input: plain text, Markdown, HTML, JSON Lines and Parquet; .gz,
        .bz2, .xz and .zst are unpacked.
    output
        A name that ends in .parquet.
    knowledge
        What is known of words; WordNet if None.
    terms
        Nouns and noun phrases of your own.
    patterns
        Patterns beside those of the table, as `entvec.text.read_patterns` returns them.
    format
        The format of all files, of `text`, `markdown`, `html`, `jsonl` and `parquet`; what their names say if None.
    column
        The field of JSON Lines, or the column of Parquet, that has the text.
    processes
        How many processes of this machine do the work; one for each processor if None and there is much text.
    cluster
        The address of a Dask scheduler whose workers do the work instead.
    restart
        True forgets what an earlier run has done, and replaces an older output.
    progress
        Is called with a `JobProgress` after each partition.
    partition_size
        Bytes of text that are searched and checkpointed together, at least 65,536.
    """
    begun = time.monotonic()
    placement = Placement(processes, cluster)
    target = check_output(output, texts=False)
    if target.suffix != ".parquet":
        raise InvalidInput(f"the output is {output}, expected a name that ends in .parquet")
    if partition_size < BLOCK:
        raise InvalidInput(f"partition_size is {partition_size}, expected {BLOCK} or more")
    check_format(format)
    terms = tuple(sorted(set(terms)))
    with ExitStack() as stack:
        is_piped = files == STDIN
        entries, skipped = ([stack.enter_context(piped(target))], []) if is_piped else list_files(files, target)
        content = corpus_settings(entries)
        settings: Settings = {
            "job": "extract",
            "entvec": VERSION,
            "knowledge": storage.fingerprint(knowledge) if knowledge is not None else KNOWLEDGE,
            "terms": fingerprint({"terms": "\n".join(terms)}),
            "patterns": repr(patterns),
            "format": format or "",
            "column": column,
            "partition": partition_size,
            **content,
        }
        if (done := done_earlier(output, settings, restart=restart)) is not None:
            return Extracted(**vars(done))
        placement = stack.enter_context(placement.connected())
        checkpoint = stack.enter_context(
            open_checkpoint(output, settings, evidence_columns(), restart=restart, kind=MergedOutput)
        )
        with checkpoint.resumable():
            partitions, sizes, unread = cut(entries, checkpoint.tables, format, column, partition_size)
        placement = placement.or_default(len(partitions))
        job = ExtractJob(_saved(knowledge, checkpoint.space), terms, tuple(patterns), column)
        executor = placement.executor(job, partial(job.work, knowledge or bundled_knowledge()))

        def check_unchanged() -> None:
            if not is_piped and corpus_settings(list_files(files, target)[0]) != content:
                raise InvalidInput("the files have changed while they were read", remedy=Remedy.RESTART)

        done = run(checkpoint, partitions, sizes, executor, progress, begun, check=check_unchanged)
        reasons = [str(each) for each in (*skipped, *unread)]
        reasons += [reason for entry in checkpoint.entries for reason in entry.examples]
        found = MergedOutput.finished(target)
        done = replace(done, rows=found.rows if found else 0, unknown=0, examples=())
        return Extracted(**vars(done), skipped=tuple(dict.fromkeys(reasons)))


def _saved(knowledge: Knowledge | None, path: Path) -> str:
    """Return a file that workers open, or an empty name for the knowledge of the package."""
    if knowledge is None:
        return ""
    path.mkdir(exist_ok=True)
    file = path / "words.knowledge"
    storage.save(knowledge, file)
    return str(file)
