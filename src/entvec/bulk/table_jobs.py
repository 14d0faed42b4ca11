"""Jobs over the pairs of a table: each partition is written as it was, with the columns that the job adds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from entvec.bulk.checkpoint import Checkpoint, Settings, check_output, open_checkpoint
from entvec.bulk.dataset import Dataset, file_stats, files_of, input_settings, open_dataset
from entvec.bulk.jobs import VERSION, Done, ProgressCallback, check_partition_size
from entvec.bulk.output import Columns, kind_of_output
from entvec.bulk.placement import Placement
from entvec.bulk.runner import done_earlier, run
from entvec.bulk.spaces import SpaceJob
from entvec.bundled.encoders import ENCODERS
from entvec.errors import InvalidInput, PairsFileError, Remedy
from entvec.space import EntailmentSpace
from entvec.vectors.formats.parquet import library

DEFINITION = "definition"
"""The column that an encoder reads with the first words."""
TableFiles = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class TableJob(SpaceJob):
    """What is asked of the pairs of a table, for workers."""

    table: Dataset
    part_format: str

    @property
    def needs(self) -> tuple[str, ...]:
        """The files and folders that a worker must be able to read."""
        return (self.space, *self.table.paths)


class Question(NamedTuple):
    """What is asked of the pairs of a table."""

    name: str
    settings: Settings
    """What decides about the answers, besides the table."""
    space: EntailmentSpace
    added: Sequence[tuple[str, Any]]
    """The names and types of the columns that are added."""
    job: Callable[[Checkpoint, Placement, Dataset, str], TableJob]
    """Prepares what workers need, and returns the job."""


def space_settings(space: EntailmentSpace) -> Settings:
    """Return what decides about the answers of a space: its words, vectors and model, and what reads other texts."""
    read_by: Settings = {} if space.encoder is None else {"encoder": space.encoder.fingerprint}
    if space.reads:
        read_by = {"reads": " ".join(str(path.stat().st_size) for path in ENCODERS.values())}
    return {"space": space.fingerprint, **read_by}


def evidence_settings(space: EntailmentSpace) -> Settings:
    """Return what texts say of words, if the space has such evidence, as a setting."""
    return {} if space.text is None else {"evidence": space.text.digest}


def definitions_of(table: Any) -> list[str | None]:
    """Return the definition of each row of a table, None where it has none."""
    if DEFINITION not in table.column_names:
        return [None] * len(table)
    found = (str(text).strip() if text is not None else "" for text in table[DEFINITION].to_pylist())
    return [text or None for text in found]


def with_columns(table: Dataset, added: Sequence[tuple[str, Any]]) -> Columns:
    """Return the columns of a table with those that are added to it."""
    schema, pyarrow = table.schema, library()
    for name, kind in added:
        schema = schema.append(pyarrow.field(name, kind))
    floats = tuple(name for name, kind in added if pyarrow.types.is_floating(kind))
    return Columns(schema, words=(table.hypo, table.hyper), floats=floats)


def answer_table(
    question: Callable[[], Question],
    table: TableFiles,
    output: str | Path,
    *,
    hypo: str | None,
    hyper: str | None,
    taken: tuple[str, ...],
    processes: int | None,
    cluster: str | None,
    restart: bool,
    progress: ProgressCallback | None,
    partition_size: int | tuple[int, int] | None,
) -> Done:
    """Answer the pairs of a table of any size, or go on with a run that was stopped.

    Parameters
    ----------
    question
        Returns what is asked; called once the table is found to be one.
    table, output, hypo, hyper, processes, cluster, restart, progress
        As for `score_job.score_table`.
    taken
        Names that no column of the table may have.
    partition_size
        The rows of a Parquet table, or the bytes of a text, that are computed together; one number or one for each.
    """
    begun = time.monotonic()
    placement = Placement(processes, cluster)
    target = check_output(output)
    files = files_of(table)
    _check_apart(output, table, files)
    sizes_of = partition_size if isinstance(partition_size, tuple) else check_partition_size(partition_size)
    dataset = open_dataset(table, hypo, hyper, sizes_of, taken)
    asked = question()
    stats, content = file_stats(files), input_settings(files)
    settings: Settings = {
        "job": asked.name,
        "entvec": VERSION,
        **asked.settings,
        **content,
        "hypo": dataset.hypo,
        "hyper": dataset.hyper,
        "partition": dataset.file(0).partition_size,
    }

    def check_unchanged() -> None:
        now = files_of(table)
        if now != files or (file_stats(files) != stats and input_settings(files) != content):
            raise PairsFileError(
                files[0].parent if len(files) > 1 else files[0],
                "it has changed while it was scored",
                remedy=Remedy.RESTART,
            )

    if (done := done_earlier(output, settings, restart=restart)) is not None:
        return done
    partitions = dataset.partitions()
    with (
        placement.or_default(len(partitions)).connected() as placement,
        open_checkpoint(output, settings, with_columns(dataset, asked.added), restart=restart) as checkpoint,
    ):
        # A copy of the dataset has no open files, so that it is small when it is sent to other processes.
        job = asked.job(checkpoint, placement, replace(dataset), kind_of_output(target).format)
        executor = placement.executor(job, partial(job.work, asked.space))
        sizes = [part.partition.size for part in partitions]
        return run(checkpoint, partitions, sizes, executor, progress, begun, check=check_unchanged)


def _check_apart(output: str | Path, table: TableFiles, files: Sequence[Path]) -> None:
    """Refuse to write over the table, or into its folder, where the output would be a part of it the next time."""
    target = Path(output).resolve()
    inputs = [Path(one).resolve() for one in ([table] if isinstance(table, str | Path) else table)]
    if target.exists() and any(file.exists() and target.samefile(file) for file in (*files, *inputs)):
        raise InvalidInput(f"{output} is the table itself; choose another name for the output")
    if target.parent in inputs:
        raise InvalidInput(f"{output} is in the folder of the table; choose another place for the output")
