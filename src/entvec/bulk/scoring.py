"""Tables of pairs of any size, scored: the same columns, and the score and the probability of each pair."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from entvec.bulk.arrow import examples, numbers_of, rows_of
from entvec.bulk.executors import here
from entvec.bulk.folder import JobFolder, Settings, check_output, open_folder
from entvec.bulk.parquet import Encoder
from entvec.bulk.parted import PartedTable, files_of, open_tables
from entvec.bulk.pieces import VERSION, Block, Done, Piece, Work
from entvec.bulk.running import Tell, run, there_already
from entvec.bulk.spaces import Given, digest, file_settings, given, open_whole, prepare, with_keys, write_tables
from entvec.bulk.tables import ADDED, Table
from entvec.bulk.where import Where
from entvec.errors import InvalidInput, PairsFileError, Remedy
from entvec.model.model import OTHER
from entvec.pairs.lookup import Lookup
from entvec.pairs.scorer import Scorer
from entvec.space import EntailmentSpace
from entvec.vectors.formats.parquet import library


@dataclass(frozen=True)
class ScoreJob:
    """Scores of the pairs of a table."""

    space: str
    tables: str | None
    """The folder with tables of all words, if the keys of the space are not enough."""
    table: Table | PartedTable
    hypo: str
    hyper: str

    @property
    def needs(self) -> tuple[str, ...]:
        """What must be seen where it is done."""
        files = self.table.paths if isinstance(self.table, PartedTable) else (self.table.path,)
        return (self.space, *files, *([] if self.tables is None else [self.tables]))

    def open(self) -> Work:
        """Get ready, from what lies in files."""
        return self.work(EntailmentSpace.load(self.space))

    def work(self, space: EntailmentSpace) -> Work:
        """Get ready, with a space that is there already."""
        return _Scoring(space, self)


class _Scoring:
    """Scores blocks; several threads may use it."""

    def __init__(self, space: EntailmentSpace, job: ScoreJob) -> None:
        self._job = job
        self._space = space
        self._lookup = Lookup(space.vectors)
        self._scorer = Scorer(space, whole=open_whole(space, None if job.tables is None else Path(job.tables)))
        pyarrow = library()
        schema = job.table.schema
        added = ADDED[: 1 if space.calibration is None else 2]
        for name in added:
            schema = schema.append(pyarrow.field(name, pyarrow.float64()))
        self._encoder = Encoder(schema, words=(job.hypo, job.hyper), floats=added)

    def __call__(self, block: Block) -> Piece:
        table = self._job.table.read(block)
        words = [table[self._job.hypo], table[self._job.hyper]]
        rows = [rows_of(self._lookup, column) for column in words]
        known = (rows[0] >= 0) & (rows[1] >= 0)
        scores = np.full(len(known), np.nan)
        scores[known] = self._scorer.score(*(of_side[known] for of_side in rows))
        columns = [scores, self._space.probabilities(scores)]
        unknown = None if known.all() else ~known
        added = [numbers_of(column, unknown=unknown) for column in columns if column is not None]
        content = self._encoder([*table.columns, *added])
        return Piece(content, len(known), int((~known).sum()), examples(words, rows))


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
    progress: Tell | None = None,
) -> Done:
    r"""Score the pairs of a table of any size: Parquet, .csv or .tsv with a line of names, to a Parquet file.

    A table may be in several files, or in a folder of them, which are taken one after the other. Columns `hypo` and
    `hyper` have the words; all columns are carried along, and `score` and, if the space is calibrated, `probability`
    are added: null for a pair with a word without a vector. `space` is one, or the folder of one. The work is done by
    `processes` of this machine, one for each processor if none are named and the table is large, or by the workers of
    the Dask `cluster` at an address. A run that was stopped goes on where it was when it is started again, unless
    `restart` is true. The file is the same, to the last bit, wherever and however often.

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
    where = Where(processes, cluster)
    check_output(output)
    files = files_of(table)
    _check_apart(output, table, files)
    opened = open_tables(files, hypo, hyper)
    found = given(space)
    if found.space.dtype not in ("float32", "float64"):  # keys of 16 bits have lost digits
        found = Given(found.space.replaced(dtype="float32"), None)
    file = file_settings(files)
    settings: Settings = {
        "job": "score",
        "entvec": VERSION,
        "space": digest(found.space),
        **file,
        "hypo": hypo,
        "hyper": hyper,
        "block": opened.at_once,
    }

    def is_the_same() -> None:
        if file_settings(files_of(table)) != file:
            raise PairsFileError(
                files[0].parent if len(files) > 1 else files[0],
                "it has changed while it was scored",
                remedy=Remedy.RESTART,
            )

    if (done := there_already(output, settings, restart=restart)) is not None:
        return done
    blocks = opened.blocks()
    with where.unless_told(len(blocks)).reached() as where, open_folder(output, settings, restart=restart) as folder:
        job = _job(found, opened, hypo, hyper, folder, elsewhere=where.elsewhere)
        ready = partial(job.work, found.space)
        executor = where.executor(job, ready) if where.elsewhere else here(ready())
        return run(folder, blocks, executor, size=opened.size, progress=progress, begun=begun, check=is_the_same)


def _check_apart(output: str | Path, table: str | Path | Sequence[str | Path], files: Sequence[Path]) -> None:
    """Refuse to write over the table, or into its folder, where the output would be a part of it the next time."""
    target = Path(output).resolve()
    if target.exists() and any(file.exists() and target.samefile(file) for file in files):
        raise InvalidInput(f"{output} is the table itself; choose another name for the output")
    if target.parent in (Path(one).resolve() for one in ([table] if isinstance(table, str | Path) else table)):
        raise InvalidInput(f"{output} is in the folder of the table; choose another place for the output")


def _job(
    found: Given, table: Table | PartedTable, hypo: str, hyper: str, folder: JobFolder, *, elsewhere: bool
) -> ScoreJob:
    """The job, and in files what it needs if it is done elsewhere."""
    exact = found.space.model.operator.maps == "exact"
    tables = None if exact else str(write_tables(found.space, folder))
    path = with_keys(found, tuple(OTHER) if exact else (), folder) if elsewhere else found.path
    if exact:
        prepare(found.space, tuple(OTHER))
    return ScoreJob(str(path), tables, replace(table), hypo, hyper)  # without what the table has kept
