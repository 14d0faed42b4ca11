"""Scores of the pairs of a table of any size: the same columns, and the score and the probability of each pair."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.bulk.arrow import LOOKED_AT, examples, numbers_of, rows_of
from entvec.bulk.checkpoint import Checkpoint
from entvec.bulk.dataset import Dataset
from entvec.bulk.jobs import Done, Part, Partition, ProgressCallback, Work, first_examples
from entvec.bulk.placement import Placement
from entvec.bulk.spaces import in_enough_digits, open_scorer, open_space, prepare
from entvec.bulk.table_jobs import (
    Question,
    TableFiles,
    TableJob,
    answer_table,
    definitions_of,
    space_settings,
    with_columns,
)
from entvec.model.model import OTHER
from entvec.space import EntailmentSpace
from entvec.vectors.formats.parquet import library

ADDED = ("score", "probability")


@dataclass(frozen=True)
class ScoreJob(TableJob):
    """The scores of the pairs of a table."""

    tables: str | None = None
    """The folder with tables of all words, if the keys of the space are not enough."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The files and folders that a worker must be able to read."""
        return (*super().needs, *([] if self.tables is None else [self.tables]))

    def work(self, space: EntailmentSpace) -> Work:
        """Return the function that scores partitions; several threads may call it."""
        lookup, scorer = open_scorer(space, None if self.tables is None else Path(self.tables))
        columns = with_columns(self.table, _added(space))
        encode = getattr(columns, self.part_format)

        def score(partition: Partition) -> Part:
            table = self.table.read(partition)
            words = [table[self.table.hypo], table[self.table.hyper]]
            rows = [rows_of(lookup, column) for column in words]
            known = (rows[0] >= 0) & (rows[1] >= 0)
            scores = np.full(len(known), np.nan)
            scores[known] = scorer.score(*(side[known] for side in rows))
            if space.reads_texts:
                known |= _read(space, scores, words, definitions_of(table), known)
            unknown = None if known.all() else ~known
            numbers = (scores, space.probabilities(scores))
            added = [numbers_of(column, unknown=unknown) for column in numbers if column is not None]
            content = encode(columns.table([*table.columns, *added]))
            named: tuple[str, ...] = () if space.reads_texts else examples(words, rows)
            if space.reads:
                named = _unread(space, words, known)
            return Part(content, len(known), int((~known).sum()), named)

        return score


def _read(
    space: EntailmentSpace, scores: Any, words: list[Any], definitions: list[str | None], known: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Score the pairs that an encoder must read, and return where they are; pairs with an empty word are none."""
    hypo, hyper = ([word or "" for word in column.to_pylist()] for column in words)
    whole = np.array([bool(y.strip() and x.strip()) for y, x in zip(hypo, hyper, strict=True)], dtype=bool)
    defined = np.array([told is not None for told in definitions], dtype=bool)
    todo: NDArray[np.bool_] = whole & (~known | defined)
    at = np.flatnonzero(todo).tolist()
    if at:
        told = [definitions[i] for i in at]
        scores[todo] = space.score([hypo[i] for i in at], [hyper[i] for i in at], definition=told)
    return np.asarray(todo & ~np.isnan(scores))


def _unread(space: EntailmentSpace, words: list[Any], known: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return some words for which pairs have no score."""
    at = np.flatnonzero(~known)[:LOOKED_AT].tolist()
    asked = [str(column[i].as_py() or "") for i in at for column in words]
    return first_examples([word for word in asked if not word.strip() or space.read_by(word) == "nothing"])


def _added(space: EntailmentSpace) -> list[tuple[str, Any]]:
    """Return the names and types of the columns that are added."""
    return [(name, library().float64()) for name in ADDED[: 1 if space.calibration is None else 2]]


def score_table(
    space: EntailmentSpace | str | Path,
    table: TableFiles,
    output: str | Path,
    *,
    hypo: str | None = None,
    hyper: str | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    restart: bool = False,
    progress: ProgressCallback | None = None,
    partition_size: int | None = None,
) -> Done:
    r"""Score the pairs of a table of any size, and write a Parquet file, a .csv or .tsv, or a folder of Parquet files.

    The output has all columns of the table, and `score` and, if the space is calibrated, `probability`; both are null
    for a pair with a word that has no vector. It has the same bytes wherever and however often the job runs. A run that
    was stopped goes on where it was when it is started again. The default space, and one with an encoder, read words
    that have no vector, and a column `definition` with what the hypos mean.

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

    Parameters
    ----------
    space
        A space, or the folder of a saved one.
    table
        A Parquet file, or a .csv or .tsv whose first line names the columns; or several such files, or a folder of
        them, which are taken one after the other.
    output
        A name that ends in .parquet, .csv or .tsv for one file; a name without an ending for a folder of Parquet files.
        A text does not say which job has written it, so that it is replaced with `restart` alone.
    hypo, hyper
        The columns with the words; if None those that the header tells, hypo and hyper, child and parent, and the like.
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
    """

    def question() -> Question:
        opened = in_enough_digits(open_space(space))

        def job(checkpoint: Checkpoint, placement: Placement, dataset: Dataset, part_format: str) -> ScoreJob:
            exact = opened.space.model.operator.maps == "exact"  # the product of two keys is the score of a pair
            folder = prepare(opened, tuple(OTHER) if exact else (), checkpoint, placement, tables=not exact)
            return ScoreJob(folder, dataset, part_format, None if exact else str(checkpoint.tables))

        return Question("score", space_settings(opened.space), opened.space, _added(opened.space), job)

    return answer_table(
        question,
        table,
        output,
        hypo=hypo,
        hyper=hyper,
        taken=ADDED,
        processes=processes,
        cluster=cluster,
        restart=restart,
        progress=progress,
        partition_size=partition_size,
    )
