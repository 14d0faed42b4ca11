"""The checkpoint of a job: a folder beside its output with what is done, so that a job that was stopped can go on.

job.json        the settings of the job
parts           a file for each partition that is done
manifest        a line of JSON for each part: its size, checksum and number of rows
output          the file that the parts become, if the output is a single one
lock            held while a run is at work
space, tables   files that other processes open

A part counts if its line in the manifest is complete and its checksum is right. So nothing needs to be flushed to the
disk on the way: the checksums show which parts a crash of the machine has lost, and these are computed again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from entvec.bulk.jobs import Part
from entvec.bulk.output import OUTPUTS, Columns, Output, kind_of_output
from entvec.errors import CannotWrite, InvalidInput, Remedy
from entvec.files import check_writable

SUFFIX = ".job"
DESCRIPTION, PARTS, MANIFEST, OUTPUT, LOCK = "job.json", "parts", "manifest", "output", "lock"
SPACE, TABLES = "space", "tables"
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
INPUT = ("size", "content")
"""The settings that are different if the table has changed."""

Settings = Mapping[str, str | int | float]
"""What identifies a job, under names that an error message can show."""


class Entry(NamedTuple):
    """A line of the manifest."""

    size: int
    checksum: int
    rows: int
    unknown: int
    examples: tuple[str, ...]


class Checkpoint:
    """The checkpoint of a job that is at work; `open_checkpoint` makes it."""

    def __init__(self, path: Path, target: Path, job: str, columns: Columns, kind: type[Output] | None = None) -> None:
        """Read the manifest up to the first part that is not whole, and begin the output with the parts before it."""
        self.path, self.target = path, target
        self.space, self.tables = path / SPACE, path / TABLES
        self.entries: list[Entry] = []
        kind = kind or kind_of_output(target)
        self._suffix = kind.format
        (path / PARTS).mkdir(exist_ok=True)
        (path / MANIFEST).touch()
        self._manifest = (path / MANIFEST).open("r+b")
        length = 0
        for line in self._manifest:
            entry = _entry(line)
            if entry is None or not _is_whole(self._part(len(self.entries)), entry):
                break
            self.entries.append(entry)
            length += len(line)
        self._manifest.truncate(length)
        self._manifest.seek(length)
        self._output: Output = kind(path / OUTPUT, columns, job, len(self.entries))
        for i in range(len(self.entries)):
            self._output.add(self._part(i))

    def append(self, part: Part) -> None:
        """Write the next part, then its line of the manifest."""
        with self.resumable():
            path = self._part(len(self.entries))
            path.write_bytes(part.content)
            entry = Entry(len(part.content), zlib.crc32(part.content), part.rows, part.unknown, part.examples)
            self._manifest.write(json.dumps(entry).encode() + b"\n")
            self._manifest.flush()
            self.entries.append(entry)
            self._output.add(path, part.content)

    def finish(self) -> None:
        """Make the output of the parts."""
        with self.resumable():
            self._output.finish(self.target)

    def resumable(self) -> AbstractContextManager[None]:
        """Turn an OSError into an error that says how many partitions are done."""
        return _resumable(self.path, self.target, self.entries)

    def close(self) -> None:
        """Close the files; remove the folder if there is nothing to go on from."""
        self._output.close()
        with suppress(OSError):  # reported already
            self._manifest.close()
        if not (self.entries or self.space.exists() or self.tables.exists()):
            shutil.rmtree(self.path, ignore_errors=True)

    def _part(self, i: int) -> Path:
        return self.path / PARTS / f"part-{i:05}.{self._suffix}"


@contextmanager
def _resumable(path: Path, target: Path, entries: Sequence[Entry] = ()) -> Iterator[None]:
    """Turn a full disk, for one, into an error that says what is done and how to go on."""
    try:
        yield
    except OSError as error:
        n = len(entries)
        done = (
            f"{n:,} {'part is' if n == 1 else 'parts are'} done and kept in {path.name}" if n else "nothing is done yet"
        )
        reason = getattr(error, "what", None) or error.strerror or str(error)
        code = error.errno or getattr(error.__cause__, "errno", None)  # of a space or table that could not be saved
        room = "make room, and " if code in DISK_FULL else ""
        raise CannotWrite(target, f"{reason}; {done}: {room}run the same again to go on") from error


def _is_whole(part: Path, entry: Entry) -> bool:
    try:
        content = part.read_bytes()
    except OSError:
        return False
    return (len(content), zlib.crc32(content)) == (entry.size, entry.checksum)


def _entry(line: bytes) -> Entry | None:
    try:
        size, checksum, rows, unknown, examples = json.loads(line)
        entry = Entry(int(size), int(checksum), int(rows), int(unknown), tuple(map(str, examples)))
    except (ValueError, TypeError):
        return None
    return entry if line.endswith(b"\n") else None


@contextmanager
def open_checkpoint(
    output: str | Path,
    settings: Settings,
    columns: Columns,
    *,
    restart: bool = False,
    kind: type[Output] | None = None,
) -> Iterator[Checkpoint]:
    """Take the checkpoint of an earlier run of the same job, or make a new one.

    It is removed when the job is finished. If the job is stopped it stays, unless there is nothing to go on from.
    `kind` is what makes the output of the parts, if that is not what the name of the output asks for.
    """
    target = check_output(output)
    path = target.with_name(target.name + SUFFIX)
    if path.exists() and not (path / DESCRIPTION).is_file() and not _is_new(path):
        raise CannotWrite(output, f"the folder {path} is in the way, and no job has made it; move it away")
    with _resumable(path, target):
        path.mkdir(exist_ok=True)
    with _locked(path):
        if restart:
            _remove_content(path)
        with _resumable(path, target):
            _check_settings(path, settings)
            checkpoint = Checkpoint(path, target, fingerprint(settings), columns, kind)
        with closing(checkpoint):
            yield checkpoint
        shutil.rmtree(path, ignore_errors=True)


def checkpointed_rows(output: str | Path) -> int:
    """Return the number of rows in the checkpoint of a job that was stopped."""
    target = Path(output)
    manifest = target.with_name(target.name + SUFFIX) / MANIFEST
    entries = map(_entry, manifest.read_bytes().splitlines(keepends=True)) if manifest.is_file() else ()
    return sum(entry.rows for entry in entries if entry is not None)


def finished_rows(output: str | Path, settings: Settings) -> int | None:
    """Return the number of rows of the output if this very job has written it; None if there is something to do.

    The output of another job or program may have taken days, so it is an error unless the caller restarts.
    """
    target = check_output(output)
    if not target.exists() or target.with_name(target.name + SUFFIX).exists():
        return None
    found = kind_of_output(target).finished(target)
    if found is None or found.job != fingerprint(settings):
        raise CannotWrite(output, "it is there already, with something else", remedy=Remedy.REPLACE)
    return found.rows


def fingerprint(settings: Settings) -> str:
    """Return what a finished output says about the job that has written it."""
    return hashlib.sha256(json.dumps(dict(settings), sort_keys=True).encode()).hexdigest()[:32]


def check_output(output: str | Path, *, texts: bool = True) -> Path:
    """Return the file or folder that a job may write; with `texts` also a .csv or .tsv."""
    target = Path(output)
    if target.suffix == "" and not target.is_file():
        return _check_folder(target)
    target = check_writable(output)
    if target.suffix not in (OUTPUTS if texts else (".parquet", "")):
        endings = ".parquet, .csv or .tsv" if texts else ".parquet"
        raise CannotWrite(output, f"expected a name that ends in {endings}, or one without an ending for a folder")
    if target.exists() and not target.is_file():
        raise CannotWrite(output, "expected the name of a file")
    return target


def _check_folder(output: Path) -> Path:
    target = output.resolve()
    if not target.parent.is_dir():
        raise CannotWrite(output, f"there is no folder {output.parent}; make it first")
    if target.exists() and kind_of_output(target).finished(target) is None:
        raise CannotWrite(output, "it is there already, and no job has made it; choose another name")
    return target


def _is_new(path: Path) -> bool:
    """Return whether a run was stopped before it had written anything."""
    return path.is_dir() and {file.name for file in path.iterdir()} <= {LOCK, f"{DESCRIPTION}.new"}


def _remove_content(path: Path) -> None:
    for each in path.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        elif each.name != LOCK:
            each.unlink()


def _check_settings(path: Path, settings: Settings) -> None:
    """Write the settings of a new job; refuse to go on with a job that was begun with other settings."""
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
    if different is not None and not _has_parts(path):
        _remove_content(path)
        _check_settings(path, settings)
    elif different in INPUT:
        raise InvalidInput(f"{path} has a job whose table has changed since it was begun", remedy=Remedy.RESTART)
    elif different is not None:
        now = f"{different} {begun.get(different)}, now {settings.get(different)}"
        how = "another space, or other options of it" if different == SPACE else now
        raise InvalidInput(f"{path} has another job, begun with {how}", remedy=Remedy.GO_ON)


def _has_parts(path: Path) -> bool:
    return (path / MANIFEST).exists() and (path / MANIFEST).stat().st_size > 0


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Refuse a second run of the same job; the system releases the lock of a run that was killed."""
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
