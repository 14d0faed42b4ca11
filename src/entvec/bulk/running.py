"""A job from its beginning, or from where it was stopped, to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from entvec.bulk.executors import Executor, pieces
from entvec.bulk.folder import JobFolder, Settings, check_output, rows_there
from entvec.bulk.pieces import Block, Done, Progress, some_of

Tell = Callable[[Progress], object]


def there_already(output: str | Path, settings: Settings, *, restart: bool) -> Done | None:
    """What there is to tell of a job that was finished before; None if it is to be done."""
    rows = None if restart else rows_there(output, settings)
    if rows is None:
        return None
    return Done(str(check_output(output)), rows, Path(output).stat().st_size, 0.0, earlier=rows)


def run(
    folder: JobFolder,
    blocks: Sequence[Block],
    executor: AbstractContextManager[Executor],
    *,
    size: Callable[[Block], int],
    progress: Tell | None,
    begun: float,
    check: Callable[[], object] = lambda: None,
) -> Done:
    """Do the blocks that are not done yet, write their pieces in order, and finish the file if a last check allows."""
    done = len(folder.entries)
    earlier = rows = sum(entry.rows for entry in folder.entries)
    sizes = [size(block) for block in blocks]
    all_of_it, so_far = max(1, sum(sizes)), sum(sizes[:done])
    tell = progress or (lambda _: None)
    tell(Progress(so_far / all_of_it, rows, earlier))
    if done < len(blocks):
        with executor as at_work:
            for piece, its_size in zip(pieces(at_work, blocks[done:]), sizes[done:], strict=True):
                folder.append(piece)
                so_far, rows = so_far + its_size, rows + piece.rows
                tell(Progress(so_far / all_of_it, rows, earlier))
    check()
    folder.finish()
    return Done(
        str(folder.target),
        rows,
        folder.target.stat().st_size,
        time.monotonic() - begun,
        earlier,
        sum(entry.unknown for entry in folder.entries),
        some_of(*(entry.examples for entry in folder.entries)),
    )
