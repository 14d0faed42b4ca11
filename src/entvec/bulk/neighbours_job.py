"""The hypernyms or hyponyms of every word of a vocabulary."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from entvec.array_types import Rows
from entvec.bulk.arrow import numbers_of, strings_of
from entvec.bulk.checkpoint import Settings, check_output, open_checkpoint
from entvec.bulk.execution import Executor, in_threads
from entvec.bulk.jobs import VERSION, Done, Part, ProgressCallback, Work, check_partition_size
from entvec.bulk.output import Columns, kind_of_output
from entvec.bulk.placement import Placement
from entvec.bulk.runner import done_earlier, run
from entvec.bulk.spaces import SIDES, SpaceJob, checked_ranking, open_space, prepare, search
from entvec.bulk.table_jobs import evidence_settings
from entvec.errors import InvalidInput
from entvec.knowledge import storage
from entvec.model.model import OTHER
from entvec.space import EntailmentSpace
from entvec.space.matches import BatchMatches
from entvec.space.queries import EvidenceUsed
from entvec.vectors.formats.parquet import library
from entvec.vectors.words import Words

PARTITION_WORDS = 1 << 12
"""A multiple of how many queries are made together, so that the answers are those of larger partitions too."""
DEVICE_THREADS = 3
"""Threads that make the queries of the next partitions while a device answers those of one."""


class WordRange(NamedTuple):
    """The rows of some words of a vocabulary."""

    first: int
    last: int


@dataclass(frozen=True)
class NeighboursJob(SpaceJob):
    """What words entail, or what entails them."""

    direction: str
    k: int
    specificity: float
    by_evidence: bool
    part_format: str

    def work(self, space: EntailmentSpace) -> Work:
        """Return the function that searches for the words of a partition; several threads may call it."""
        columns = output_columns(space, by_evidence=self.by_evidence)
        encode = getattr(columns, self.part_format)

        def compute(partition: WordRange) -> Part:
            rows = np.arange(*partition)
            options = (self.direction, rows, self.k, self.specificity)
            arrays = _arrays(space, rows, search(space, *options, by_evidence=self.by_evidence))
            return Part(encode(columns.table(arrays)), len(arrays[0]))

        return compute


def output_columns(space: EntailmentSpace, *, by_evidence: bool) -> Columns:
    """Return the columns of the output."""
    pa = library()
    types = [("word", pa.string()), ("rank", pa.int32()), ("neighbour", pa.string()), ("score", pa.float64())]
    if space.calibration is not None:
        types.append(("probability", pa.float64()))
    if by_evidence:
        types.append(("evidence", pa.float64()))
    return Columns(pa.schema(types), words=("word", "neighbour"), floats=("score", "probability", "evidence"))


def _arrays(space: EntailmentSpace, rows: Rows, found: BatchMatches) -> list[Any]:
    pa = library()
    there = found.indices >= 0
    query, rank = np.nonzero(there)
    used, at = np.unique(found.indices[there], return_inverse=True)
    words = space.vectors.words
    arrays = [
        pa.DictionaryArray.from_arrays(query.astype(np.int32), strings_of(words.take(rows))),
        numbers_of((rank + 1).astype(np.int32)),
        pa.DictionaryArray.from_arrays(
            at.astype(np.int32), strings_of(Words.of(map(found.vocabulary.__getitem__, used)))
        ),
        numbers_of(found.scores[there]),
    ]
    if found.probabilities is not None:
        arrays.append(numbers_of(found.probabilities[there]))
    if found.weighing is not None:
        arrays.append(numbers_of(found.order[there]))
    return arrays


def neighbours(
    space: EntailmentSpace | str | Path,
    output: str | Path,
    direction: str = "up",
    k: int = 10,
    *,
    specificity: float | None = None,
    evidence: EvidenceUsed = "all",
    processes: int | None = None,
    cluster: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    restart: bool = False,
    progress: ProgressCallback | None = None,
    partition_size: int | None = None,
) -> Done:
    """Write the hypernyms ("up") or hyponyms ("down") of every word, k rows a word.

    The columns are word, rank (1 is the best), neighbour, score and, if the space is calibrated, probability; if all
    evidence counts, evidence, too. A run that was stopped goes on where it was when it is started again.

    >>> import tempfile
    >>> import pyarrow.parquet
    >>> import entvec
    >>> from entvec.bundled import toy_world
    >>> toys = entvec.Vectors(toy_world().words, toy_world().log_odds())
    >>> space = entvec.EntailmentSpace.from_vectors(toys, interpretation="log_odds")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = neighbours(space, Path(folder, "up.parquet"), k=2, specificity=0)
    ...     found = pyarrow.parquet.read_table(done.path).to_pylist()
    >>> [row["neighbour"] for row in found if row["word"] == "poodle"]
    ['unk', 'animal']

    Parameters
    ----------
    space
        A space, or the folder of a saved one.
    output
        A name that ends in .parquet for one file; a name without an ending for a folder of files.
    direction
        "up" for what words entail, "down" for what entails them.
    k
        How many neighbours each word has.
    specificity
        How much general words lose in a ranking; that of the space if None.
    evidence
        "all" for the answers of `space.hypernyms`, which rest on what is known, too; "vectors" for the vectors alone,
        which is many times as fast.
    processes
        How many processes of this machine search; one for each processor if None and there are many words.
    cluster
        The address of a Dask scheduler whose workers search instead.
    device
        A device of PyTorch that searches instead, in this process: "cuda", "cuda:1" or "cpu".
    dtype
        The numbers with which a device looks for candidates: "bfloat16", "tf32" or "float32"; exact scores decide.
    restart
        True forgets what an earlier run has done, and replaces an older output.
    progress
        Is called with a `JobProgress` after each partition.
    partition_size
        The words that are searched and checkpointed together; as many as suit if None.
    """
    begun = time.monotonic()
    placement = Placement(processes, cluster)
    target = check_output(output)
    if direction not in SIDES:
        raise InvalidInput(f"direction is {direction!r}, expected up (what words entail) or down (what entails them)")
    if device is not None and placement.several:
        raise InvalidInput("a device is used by one process, expected no other processes and no cluster")
    partition_size = check_partition_size(partition_size) or PARTITION_WORDS
    opened = open_space(space)
    k, specificity = checked_ranking(opened.space, direction, k, specificity)
    searchers = opened.space.searchers
    by_evidence = evidence == "all" and opened.space.adds_evidence
    settings: Settings = {
        "job": "neighbours",
        "entvec": VERSION,
        "space": opened.space.fingerprint,
        # Approximate searches decide what neighbours are found.
        "backends": repr({side: [each.name, sorted(each.options.items())] for side, each in searchers.items()}),
        "direction": direction,
        "k": k,
        "specificity": specificity,
        "knowledge": storage.fingerprint(known) if by_evidence and (known := opened.space.knowledge) else "",
        "partition": partition_size,
        **(evidence_settings(opened.space) if by_evidence else {}),
    }
    if (done := done_earlier(output, settings, restart=restart)) is not None:
        return done
    words = len(opened.space)
    partitions = [WordRange(i, min(i + partition_size, words)) for i in range(0, words or 1, partition_size)]
    on_device = device is not None or any(each.name == "device" for each in searchers.values())
    on_device = on_device and not placement.several
    if not on_device:
        # Processes need less work than threads of one process, which wait for each other between products: 14 s instead
        # of 19 s of the processor for the words of the default space.
        placement = placement.or_default(len(partitions))
    sides = (OTHER[SIDES[direction]],) if opened.space.model.indexable else ()
    with (
        placement.connected() as placement,
        open_checkpoint(
            output, settings, output_columns(opened.space, by_evidence=by_evidence), restart=restart
        ) as checkpoint,
    ):
        job = NeighboursJob("", direction, k, specificity, by_evidence, kind_of_output(target).format)
        if on_device:
            moved = opened.space if device is None else opened.space.on(device, dtype=dtype, sides=sides)
            for side in sides:
                moved.keys[side]
            executor: AbstractContextManager[Executor] = in_threads(job.work(moved), DEVICE_THREADS)
        else:
            job = replace(job, space=prepare(opened, sides, checkpoint, placement, knowledge=by_evidence))
            executor = placement.executor(job, None if placement.several else partial(job.work, opened.space))
        sizes = [partition.last - partition.first for partition in partitions]
        return run(checkpoint, partitions, sizes, executor, progress, begun)
