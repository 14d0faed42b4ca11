"""Runs a job from its beginning, or from its checkpoint, to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from entvec.bulk.checkpoint import Checkpoint, Settings, check_output, finished_rows
from entvec.bulk.execution import Executor, parts_in_order
from entvec.bulk.jobs import Done, JobProgress, Partition, ProgressCallback, first_examples


def done_earlier(output: str | Path, settings: Settings, *, restart: bool) -> Done | None:
    """Return the outcome of a job that was finished before; None if there is something to do."""
    rows = None if restart else finished_rows(output, settings)
    if rows is None:
        return None
    target = check_output(output)
    return Done(str(target), rows, _size(target), 0.0, earlier=rows)


def run(
    checkpoint: Checkpoint,
    partitions: Sequence[Partition],
    sizes: Sequence[int],
    executor: AbstractContextManager[Executor],
    progress: ProgressCallback | None,
    begun: float,
    *,
    check: Callable[[], object] = lambda: None,
) -> Done:
    """Compute the partitions that are not done yet, write their parts in order, and finish the output.

    `sizes` say how much work each partition is, for the progress; `begun` is the time of `time.monotonic` at which the
    job began; `check` raises an error if the output must not be finished.
    """
    done = len(checkpoint.entries)
    earlier = rows = sum(entry.rows for entry in checkpoint.entries)
    total, so_far = max(1, sum(sizes)), sum(sizes[:done])
    tell = progress or (lambda _: None)
    tell(JobProgress(so_far / total, rows, earlier))
    if done < len(partitions):
        with executor as at_work:
            for part, its_size in zip(parts_in_order(at_work, partitions[done:]), sizes[done:], strict=True):
                checkpoint.append(part)
                so_far, rows = so_far + its_size, rows + part.rows
                tell(JobProgress(so_far / total, rows, earlier))
    check()
    checkpoint.finish()
    return Done(
        str(checkpoint.target),
        rows,
        _size(checkpoint.target),
        time.monotonic() - begun,
        earlier,
        sum(entry.unknown for entry in checkpoint.entries),
        first_examples(*(entry.examples for entry in checkpoint.entries)),
    )


def _size(target: Path) -> int:
    return sum(file.stat().st_size for file in ([target] if target.is_file() else target.iterdir()))
