"""Scores of the pairs of a table of any size: the same columns, and the score and the probability of each pair."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from entvec.bulk.arrow import examples, numbers_of, rows_of
from entvec.bulk.checkpoint import Settings, check_output, open_checkpoint
from entvec.bulk.dataset import Dataset, file_stats, files_of, input_settings, open_dataset
from entvec.bulk.jobs import VERSION, Done, Part, Partition, ProgressCallback, Work, check_partition_size
from entvec.bulk.output import Columns, kind_of_output
from entvec.bulk.placement import Placement
from entvec.bulk.runner import done_earlier, run
from entvec.bulk.spaces import SpaceJob, in_enough_digits, open_scorer, open_space, prepare
from entvec.bulk.tables import ADDED
from entvec.errors import InvalidInput, PairsFileError, Remedy
from entvec.model.model import OTHER
from entvec.space import EntailmentSpace
from entvec.vectors.formats.parquet import library


@dataclass(frozen=True)
class ScoreJob(SpaceJob):
    """The scores of the pairs of a table."""

    table: Dataset
    part_format: str
    tables: str | None = None
    """The folder with tables of all words, if the keys of the space are not enough."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The files and folders that a worker must be able to read."""
        return (self.space, *self.table.paths, *([] if self.tables is None else [self.tables]))

    def work(self, space: EntailmentSpace) -> Work:
        """Return the function that scores partitions; several threads may call it."""
        lookup, scorer = open_scorer(space, None if self.tables is None else Path(self.tables))
        columns = output_columns(self.table, space)
        encode = getattr(columns, self.part_format)

        def score(partition: Partition) -> Part:
            table = self.table.read(partition)
            words = [table[self.table.hypo], table[self.table.hyper]]
            rows = [rows_of(lookup, column) for column in words]
            known = (rows[0] >= 0) & (rows[1] >= 0)
            scores = np.full(len(known), np.nan)
            scores[known] = scorer.score(*(side[known] for side in rows))
            unknown = None if known.all() else ~known
            numbers = (scores, space.probabilities(scores))
            added = [numbers_of(column, unknown=unknown) for column in numbers if column is not None]
            content = encode(columns.table([*table.columns, *added]))
            return Part(content, len(known), int((~known).sum()), examples(words, rows))

        return score


def output_columns(table: Dataset, space: EntailmentSpace) -> Columns:
    """Return the columns of a table with those that are added to it."""
    schema, pyarrow = table.schema, library()
    added = ADDED[: 1 if space.calibration is None else 2]
    for name in added:
        schema = schema.append(pyarrow.field(name, pyarrow.float64()))
    return Columns(schema, words=(table.hypo, table.hyper), floats=added)


def score_table(
    space: EntailmentSpace | str | Path,
    table: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    hypo: str = "hypo",
    hyper: str = "hyper",
    processes: int | None = None,
    cluster: str | None = None,
    restart: bool = False,
    progress: ProgressCallback | None = None,
    partition_size: int | None = None,
) -> Done:
    r"""Score the pairs of a table of any size, and write a Parquet file or a folder of Parquet files.

    The output has all columns of the table, and `score` and, if the space is calibrated, `probability`; both are null
    for a pair with a word that has no vector. It has the same bytes wherever and however often the job runs. A run that
    was stopped goes on where it was when it is started again.

    Parameters
    ----------
    space
        A space, or the folder of a saved one.
    table
        A Parquet file, or a .csv or .tsv whose first line names the columns; or several such files, or a folder of
        them, which are taken one after the other.
    output
        A name that ends in .parquet for one file; a name without an ending for a folder of files.
    hypo, hyper
        The columns with the words.
    processes
        How many processes of this machine compute; one for each processor if None and the table is large.
    cluster
        The address of a Dask scheduler whose workers compute instead.
    restart
        True forgets what an earlier run has done, and replaces an older output.
    progress
        Is called with a `JobProgress` after each partition.
    partition_size
        The rows of a Parquet table, or the bytes of a text, that are computed and checkpointed together; as many as
        suit if None.

    >>> import tempfile
    >>> import pyarrow.parquet
    >>> import entvec
    >>> from entvec.bundled import toy_world
    >>> toys = entvec.Vectors(toy_world().words, toy_world().log_odds())
    >>> space = entvec.EntailmentSpace.from_vectors(toys, interpretation="log_odds")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "pairs.csv").write_text("hypo,hyper\ndog,animal\nanimal,dog\n")
    ...     done = score_table(space, Path(folder, "pairs.csv"), Path(folder, "scored.parquet"))
    ...     scored = pyarrow.parquet.read_table(done.path).to_pylist()
    >>> scored[0]["hyper"], scored[0]["score"] > scored[1]["score"]
    ('animal', True)

    """
    begun = time.monotonic()
    placement = Placement(processes, cluster)
    target = check_output(output)
    files = files_of(table)
    _check_apart(output, table, files)
    dataset = open_dataset(table, hypo, hyper, check_partition_size(partition_size))
    opened = in_enough_digits(open_space(space))
    stats, content = file_stats(files), input_settings(files)
    settings: Settings = {
        "job": "score",
        "entvec": VERSION,
        "space": opened.space.fingerprint,
        **content,
        "hypo": hypo,
        "hyper": hyper,
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
        open_checkpoint(output, settings, output_columns(dataset, opened.space), restart=restart) as checkpoint,
    ):
        exact = opened.space.model.operator.maps == "exact"  # the product of two keys is the score of a pair
        folder = prepare(opened, tuple(OTHER) if exact else (), checkpoint, placement, tables=not exact)
        tables = None if exact else str(checkpoint.tables)
        # A copy of the dataset has no open files, so that it is small when it is sent to other processes.
        job = ScoreJob(folder, replace(dataset), kind_of_output(target).format, tables)
        executor = placement.executor(job, partial(job.work, opened.space))
        sizes = [part.partition.size for part in partitions]
        return run(checkpoint, partitions, sizes, executor, progress, begun, check=check_unchanged)


def _check_apart(output: str | Path, table: str | Path | Sequence[str | Path], files: Sequence[Path]) -> None:
    """Refuse to write over the table, or into its folder, where the output would be a part of it the next time."""
    target = Path(output).resolve()
    inputs = [Path(one).resolve() for one in ([table] if isinstance(table, str | Path) else table)]
    if target.exists() and any(file.exists() and target.samefile(file) for file in (*files, *inputs)):
        raise InvalidInput(f"{output} is the table itself; choose another name for the output")
    if target.parent in inputs:
        raise InvalidInput(f"{output} is in the folder of the table; choose another place for the output")
