"""What a job has done so far, in a folder beside its output, so that it can go on after whatever stopped it.

job.json        what the job is
partial         the pieces that are done, one after the other
journal         a line for each of them: where it is, and its checksum
lock            held as long as a run is at work
space, tables   what other processes open

A piece counts when its line in the journal is whole and its checksum is right. So nothing needs to be flushed to the
disk on the way: what a crash of the machine loses is seen by its checksum, and done again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from entvec.bulk.footer import ENDING, joined
from entvec.bulk.pieces import Piece
from entvec.errors import CannotWrite, InvalidInput, Remedy
from entvec.files import check_writable
from entvec.vectors.formats.parquet import library

SUFFIX = ".job"
DESCRIPTION, PARTIAL, JOURNAL, LOCK = "job.json", "partial", "journal", "lock"
SPACE, TABLES = "space", "tables"
BYTES_AT_ONCE = 1 << 22
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MARK = "entvec job"
"""The metadata of a finished file that tell which job has written it."""
TABLE_CHANGED = ("size", "modified")

Settings = Mapping[str, str | int | float]
"""What makes a job the same job, in words that an error can use."""


class Entry(NamedTuple):
    """A line of the journal."""

    offset: int
    length: int
    checksum: int
    rows: int
    unknown: int
    examples: tuple[str, ...]


class JobFolder:
    """The folder of a job that is at work; `open_folder` makes it."""

    def __init__(self, path: Path, target: Path, mark: str) -> None:
        self.path = path
        self.target = target
        self.mark = mark
        self.entries: list[Entry] = []
        self._partial: BinaryIO
        self._journal: BinaryIO

    @property
    def space(self) -> Path:
        """Where a space for other processes is kept."""
        return self.path / SPACE

    @property
    def tables(self) -> Path:
        """Where tables of all words are kept."""
        return self.path / TABLES

    @property
    def kept(self) -> str:
        """What an error says about what is done."""
        n = len(self.entries)
        return f"{n:,} {'block is' if n == 1 else 'blocks are'} done and kept in {self.path.name}"

    def append(self, piece: Piece) -> None:
        """Write a piece after the others."""
        with self.going_on_later():
            entry = Entry(
                self._end, len(piece.content), zlib.crc32(piece.content), piece.rows, piece.unknown, piece.examples
            )
            self._partial.write(piece.content)
            self._partial.flush()
            _begin_to_write(self._partial, entry)
            self._journal.write(json.dumps(entry).encode() + b"\n")
            self._journal.flush()
            self.entries.append(entry)

    def finish(self) -> None:
        """Make one Parquet file of the pieces, and give it its name."""
        with self.going_on_later():
            end = joined(((entry.offset, self._footer(entry)) for entry in self.entries), {MARK: self.mark})
            self._partial.seek(self._end)
            self._partial.write(end)
            self._partial.flush()
            os.fsync(self._partial.fileno())  # on the disk before it has the name, should the power fail
            if self.target.exists():
                (self.path / PARTIAL).chmod(self.target.stat().st_mode & 0o777)
            (self.path / PARTIAL).replace(self.target)

    @contextmanager
    def going_on_later(self) -> Iterator[None]:
        """A full disk, for one, stops a job; what it has done stays."""
        try:
            yield
        except OSError as error:
            reason = getattr(error, "what", None) or error.strerror or str(error)
            room = "make room, and " if error.errno in FULL else ""
            raise CannotWrite(self.target, f"{reason}; {self.kept}: {room}run the same again to go on") from error

    @property
    def _end(self) -> int:
        return self.entries[-1].offset + self.entries[-1].length if self.entries else 0

    def _footer(self, entry: Entry) -> bytes:
        end = entry.offset + entry.length
        self._partial.seek(end - ENDING)
        size = int.from_bytes(self._partial.read(4), "little")
        self._partial.seek(end - ENDING - size)
        return self._partial.read(size)

    def _open(self) -> None:
        """Open both files, and cut off whatever is not whole."""
        for name in (PARTIAL, JOURNAL):
            (self.path / name).touch()
        self._partial = (self.path / PARTIAL).open("r+b")
        self._journal = (self.path / JOURNAL).open("r+b")
        sound = 0
        for line in self._journal:
            entry = _entry(line)
            if entry is None or entry.offset != self._end or not self._is_whole(entry):
                break
            self.entries.append(entry)
            sound += len(line)
        for file, size in ((self._partial, self._end), (self._journal, sound)):
            file.truncate(size)
            file.seek(size)

    def _is_whole(self, entry: Entry) -> bool:
        checksum, left = 0, entry.length
        while left and (content := self._partial.read(min(left, BYTES_AT_ONCE))):
            checksum = zlib.crc32(content, checksum)
            left -= len(content)
        return left == 0 and checksum == entry.checksum

    def _close(self) -> None:
        for file in (self._partial, self._journal):
            with suppress(OSError):  # what could not be written was told already
                file.close()


def _begin_to_write(file: BinaryIO, entry: Entry) -> None:
    """Let the system write a piece to the disk while others are made, so that the end has less to wait for."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file.fileno(), entry.offset, entry.length, os.POSIX_FADV_DONTNEED)


def _entry(line: bytes) -> Entry | None:
    try:
        offset, length, checksum, rows, unknown, examples = json.loads(line)
        entry = Entry(int(offset), int(length), int(checksum), int(rows), int(unknown), tuple(map(str, examples)))
    except (ValueError, TypeError):
        return None
    return entry if line.endswith(b"\n") else None


@contextmanager
def open_folder(output: str | Path, settings: Settings, *, restart: bool = False) -> Iterator[JobFolder]:
    """The folder of the job that writes this file: that of an earlier run, if it was the same job, or a new one.

    It is removed when the job is finished, and stays when it is not and has anything to go on from.
    """
    target = check_output(output)
    path = target.with_name(target.name + SUFFIX)
    if path.exists() and not (path / DESCRIPTION).is_file() and not _new(path):
        raise CannotWrite(output, f"the folder {path} is in the way, and no job has made it; move it away")
    folder = JobFolder(path, target, _mark(settings))
    with folder.going_on_later():
        path.mkdir(exist_ok=True)
    with _locked(path):
        if restart:
            _empty(path)
        with folder.going_on_later():
            _check_settings(path, settings)
            folder._open()
        finished = False
        try:
            yield folder
            finished = True
        finally:
            folder._close()
            if finished or not (folder.entries or folder.space.exists() or folder.tables.exists()):
                shutil.rmtree(path, ignore_errors=True)


def rows_there(output: str | Path, settings: Settings) -> int | None:
    """How many rows the output has if this very job has written it already; None if there is something to do.

    A file of another job, or of another program, may have taken days, so it is replaced only by who says so.
    """
    target = check_output(output)
    if not target.exists() or target.with_name(target.name + SUFFIX).exists():
        return None
    try:
        found = library().parquet.read_metadata(target)
        mark = (found.metadata or {}).get(MARK.encode(), b"").decode(errors="replace")
    except (OSError, ValueError):
        mark = ""
    if mark != _mark(settings):
        raise CannotWrite(output, "it is there already, with something else", remedy=Remedy.REPLACE)
    return int(found.num_rows)


def _mark(settings: Settings) -> str:
    """What a finished file says of the job that has written it."""
    return hashlib.sha256(json.dumps(dict(settings), sort_keys=True).encode()).hexdigest()[:32]


def check_output(output: str | Path) -> Path:
    """The file that a job may write."""
    target = check_writable(output)
    if target.suffix != ".parquet":
        raise CannotWrite(output, "expected a name that ends in .parquet")
    if target.exists() and not target.is_file():
        raise CannotWrite(output, "expected the name of a file")
    return target


def _new(path: Path) -> bool:
    """Whether a run was stopped before it had written anything."""
    return path.is_dir() and {file.name for file in path.iterdir()} <= {LOCK, f"{DESCRIPTION}.new"}


def _empty(path: Path) -> None:
    for each in path.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        elif each.name != LOCK:
            each.unlink()


def _check_settings(path: Path, settings: Settings) -> None:
    """Write down what the job is; or, if that is done, whether it is the same one."""
    description = path / DESCRIPTION
    if not description.exists():
        new = description.with_name(f"{DESCRIPTION}.new")
        new.write_text(json.dumps(dict(settings), indent=2) + "\n", encoding="utf-8")
        new.replace(description)
        return
    try:
        begun: dict[str, Any] = json.loads(description.read_text(encoding="utf-8"))
        different = next((name for name in (*begun, *settings) if begun.get(name) != settings.get(name)), None)
    except (ValueError, TypeError, AttributeError):
        raise InvalidInput(f"{description} is damaged", remedy=Remedy.RESTART) from None
    if different is not None and not _has_blocks(path):
        _empty(path)
        _check_settings(path, settings)
    elif different in TABLE_CHANGED:
        raise InvalidInput(f"{path} has a job whose table has changed since it was begun", remedy=Remedy.RESTART)
    elif different is not None:
        now = f"{different} {begun.get(different)}, now {settings.get(different)}"
        how = "another space, or other options of it" if different == SPACE else now
        raise InvalidInput(f"{path} has another job, begun with {how}", remedy=Remedy.GO_ON)


def _has_blocks(path: Path) -> bool:
    return (path / JOURNAL).exists() and (path / JOURNAL).stat().st_size > 0


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Refuse a second run of the same job at the same time; the system takes the lock back from one that was killed."""
    with (path / LOCK).open("a+b") as file:
        try:
            _lock(file)
            still_there = os.path.samestat(os.fstat(file.fileno()), (path / LOCK).stat())
        except OSError:
            still_there = False
        if not still_there:  # it is held, or another run has just finished and removed it
            raise CannotWrite(path.with_suffix(""), "another run of this job is at work; wait until it is done")
        yield


def _lock(file: BinaryIO) -> None:
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
