"""Relations of the pairs of a table of any size: the same columns, and what the first word of each is to the second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from entvec.bulk.arrow import numbers_of
from entvec.bulk.checkpoint import Checkpoint, Settings
from entvec.bulk.dataset import Dataset
from entvec.bulk.jobs import Done, Part, Partition, ProgressCallback, Work, first_examples
from entvec.bulk.placement import Placement
from entvec.bulk.spaces import open_space, prepare
from entvec.bulk.table_jobs import (
    Question,
    TableFiles,
    TableJob,
    answer_table,
    definitions_of,
    evidence_settings,
    space_settings,
    with_columns,
)
from entvec.evidence.definitions import word_of
from entvec.evidence.features import RELATIONS
from entvec.evidence.judge import DECIDED
from entvec.evidence.relations import COLUMNS
from entvec.knowledge import storage
from entvec.space import EntailmentSpace
from entvec.space.encoding import ReadPairs
from entvec.space.relating import answers_to, assumed_rates, check_precision
from entvec.vectors.formats.parquet import library

NUMBERS = ("probability", *RELATIONS)
PARTITION = (1 << 12, 1 << 16)
"""Rows of a Parquet table, or bytes of a text: a few seconds of work."""


@dataclass(frozen=True)
class RelationJob(TableJob):
    """The relations of the pairs of a table."""

    precision: float
    base_rates: tuple[tuple[str, float], ...]

    def work(self, space: EntailmentSpace) -> Work:
        """Return the function that answers partitions; several threads may call it."""
        columns = with_columns(self.table, _added())
        encode = getattr(columns, self.part_format)

        def relate(partition: Partition) -> Part:
            table = self.table.read(partition)
            first, second = (table[name].to_pylist() for name in (self.table.hypo, self.table.hyper))
            judge = space.judge
            definitions = definitions_of(table)
            if space.encoder is not None or (space.reads and any(definitions)):
                first, second = ([word or "" for word in side] for side in (first, second))
                read = ReadPairs(judge, space.encoder, first, second, definitions)
                judge, first, second = read.judge, read.first, read.second
            found, there, missing = answers_to(judge, first, second, self.precision, dict(self.base_rates))
            silent = np.isnan(found.probabilities[:, 0])
            numbers = (found.probabilities.max(axis=1, initial=-np.inf), *found.probabilities.T)
            texts = (found.relations.tolist(), found.situations, found.shared, found.reasons)
            missing = [word_of(word) for word in missing]
            relation, *others = (_texts(column, there) for column in texts)
            added = [relation, *(numbers_of(column, unknown=silent) for column in numbers), *others]
            content = encode(columns.table([*table.columns, *added]))
            return Part(content, len(there), int((~there).sum()), first_examples(missing))

        return relate


def _texts(column: Sequence[str | None], there: NDArray[np.bool_]) -> Any:
    """Return texts as a column, with nulls for pairs with a missing word."""
    values = [text if whole else None for text, whole in zip(column, there.tolist(), strict=True)]
    return library().array(values, library().string())


def _added() -> list[tuple[str, Any]]:
    """Return the names and types of the columns that are added."""
    pyarrow = library()
    return [(name, pyarrow.float64() if name in NUMBERS else pyarrow.string()) for name in COLUMNS]


def relate_table(
    space: EntailmentSpace | str | Path,
    table: TableFiles,
    output: str | Path,
    *,
    precision: float = DECIDED,
    base_rates: Mapping[str, float] | None = None,
    hypo: str | None = None,
    hyper: str | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    restart: bool = False,
    progress: ProgressCallback | None = None,
    partition_size: int | None = None,
) -> Done:
    r"""Find the relations of the pairs of a table of any size, and write them as `score_table` writes scores.

    The output has all columns of the table, and those of `Relations.to_frame`: relation, probability, a column for each
    of the seven relations, situation, shared, reason. All are null for a pair with a word that is neither known nor in
    the vocabulary, and probabilities are null where there is no evidence. A run that was stopped goes on where it was
    when it is started again. The default space, and one with an encoder, read words that have no vector, and a column
    `definition` with what the first words mean.

    >>> import tempfile
    >>> import pyarrow.parquet
    >>> import entvec
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "pairs.csv").write_text("hypo,hyper\npoodle,dog\nwheel,car\n")
    ...     done = relate_table(entvec.load(), Path(folder, "pairs.csv"), Path(folder, "related.parquet"))
    ...     related = pyarrow.parquet.read_table(done.path).to_pylist()
    >>> [row["relation"] for row in related]
    ['narrower', 'part']

    Parameters
    ----------
    space
        A space that knows something, or the folder of a saved one.
    precision, base_rates
        As for `EntailmentSpace.relation`.
    table, output, hypo, hyper, processes, cluster, restart, progress, partition_size
        As for `score_table`.
    """
    check_precision(precision)

    def question() -> Question:
        opened = open_space(space)
        rates = tuple(assumed_rates(opened.space.judge, base_rates).items())
        known = opened.space.judge.evidence.meanings.known
        settings: Settings = {
            **space_settings(opened.space),
            "knowledge": storage.fingerprint(known),
            **evidence_settings(opened.space),
            "precision": precision,
            "base rates": " ".join(f"{name}={rate:g}" for name, rate in rates),
        }

        def job(checkpoint: Checkpoint, placement: Placement, dataset: Dataset, part_format: str) -> RelationJob:
            folder = prepare(opened, (), checkpoint, placement, knowledge=True)
            return RelationJob(folder, dataset, part_format, precision, rates)

        return Question("relation", settings, opened.space, _added(), job)

    return answer_table(
        question,
        table,
        output,
        hypo=hypo,
        hyper=hyper,
        taken=COLUMNS,
        processes=processes,
        cluster=cluster,
        restart=restart,
        progress=progress,
        partition_size=partition_size or PARTITION,
    )
