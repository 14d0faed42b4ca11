"""The files of a corpus: found in folders, unpacked where they are packed, and cut into partitions."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from entvec.bulk.checkpoint import SUFFIX
from entvec.errors import InvalidInput, VectorFileError
from entvec.text.extraction.documents import BLOCK, FORMATS, Unit, format_of, open_parquet
from entvec.text.extraction.html_text import Unreadable
from entvec.vectors.source import COMPRESSIONS, Source

PARTITION = 1 << 23
"""Bytes of text that are searched and checkpointed together; a multiple of BLOCK."""
MOST_FILES = 4096
"""Files of a partition."""
COPIED = 1 << 22
HIDDEN = (".", "_")
STDIN = "-"
Inputs = str | Path | Sequence[str | Path]
Partition = tuple[Unit, ...]


class Entry(NamedTuple):
    """A file of the corpus, with its name as it was given."""

    path: str
    name: str
    size: int
    changed: int
    """When it was changed, in nanoseconds."""


class Skipped(NamedTuple):
    """A file that is left out, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def list_files(inputs: Inputs, output: Path | None = None) -> tuple[list[Entry], list[Skipped]]:
    """Return the files that were named, and those of folders at any depth, in the order of their names.

    Files and folders whose names begin with `.` or `_` are left out of folders. A file that was named but is not there
    or is a pipe is an error; what cannot be read in a folder is skipped. The output, and what a job has made beside it,
    are no texts.
    """
    named = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    if not named:
        raise InvalidInput("expected files of text, got none")
    own = None if output is None else os.path.abspath(output)  # noqa: PTH100
    found: list[Entry] = []
    skipped: list[Skipped] = []
    for one in named:
        if output is not None and Path(one).resolve() == output.resolve():
            raise InvalidInput(f"{output} is one of the texts; choose another name for the output")
        for file in _files(one, skipped):
            try:
                entry = _entry(file)
            except (Unreadable, OSError) as error:
                skipped.append(_skipped(file, error))
                continue
            if not (own is not None and (entry.path == own or entry.path.startswith(f"{own}{SUFFIX}{os.sep}"))):
                found.append(entry)
    seen: set[str] = set()
    for entry in found:
        if entry.path in seen:
            raise InvalidInput(f"{entry.path} is named twice, so that its sentences would count twice")
        seen.add(entry.path)
    return found, skipped


def _files(named: str | Path, skipped: list[Skipped]) -> Iterator[str]:
    """Yield a file, or those of a folder at any depth; add folders that cannot be read to what is skipped."""
    if not Path(named).exists():
        raise InvalidInput(f"there is no file {named}")
    if Path(named).is_file():
        yield str(named)
        return
    if not Path(named).is_dir():
        raise InvalidInput(f"{named} is a pipe or a device, expected a file or a folder; pipe text into `-` instead")

    def skip(error: OSError) -> None:
        skipped.append(_skipped(str(error.filename), error))

    for path, folders, files in os.walk(str(named), onerror=skip):
        folders[:] = sorted(name for name in folders if not name.startswith(HIDDEN))
        yield from (os.path.join(path, name) for name in sorted(files) if not name.startswith(HIDDEN))  # noqa: PTH118


def _entry(file: str) -> Entry:
    status = os.stat(file)  # noqa: PTH116 - a Path for each of a million files takes seconds
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("it is a pipe or a device, not a file")
    return Entry(os.path.abspath(file), file, status.st_size, status.st_mtime_ns)  # noqa: PTH100


def _skipped(name: str, error: Exception) -> Skipped:
    return Skipped(name, getattr(error, "strerror", None) or str(error))


def corpus_settings(files: Iterable[Entry]) -> dict[str, str | int]:
    """Return what tells a corpus from another: the names, sizes and times of its files."""
    digest, size, number = hashlib.sha256(), 0, 0
    for file in files:
        digest.update(repr((file.name, file.size, file.changed)).encode(errors="surrogateescape"))
        size, number = size + file.size, number + 1
    return {"files": number, "size": size, "content": digest.hexdigest()[:32]}


@contextmanager
def piped(target: Path, source: BinaryIO | None = None) -> Iterator[Entry]:
    """Copy the standard input to a file beside the output, so that a job can go on with it; remove it afterwards."""
    path = target.with_name(f".{target.name}.stdin")
    digest, size = hashlib.sha256(), 0
    source = source or sys.stdin.buffer
    with path.open("wb") as file:
        while data := source.read(COPIED):
            digest.update(data)
            file.write(data)
            size += len(data)
    try:
        yield Entry(str(path), STDIN, size, int(digest.hexdigest()[:15], 16))
    finally:
        path.unlink(missing_ok=True)


def cut(
    files: Sequence[Entry], folder: Path, format_name: str | None, column: str, size: int
) -> tuple[list[Partition], list[int], list[Skipped]]:
    """Return the partitions of a corpus, how many bytes each has, and the files that are skipped.

    Parameters
    ----------
    files
        The files.
    folder
        Where packed files are unpacked; one that was unpacked before is taken as it is.
    format_name
        The format of all files; what their names say if None.
    column
        The field or column that has the text.
    size
        Bytes of a partition.
    """
    partitions: list[Partition] = []
    sizes: list[int] = []
    skipped: list[Skipped] = []
    units: list[Unit] = []
    room = size
    for number, file in enumerate(files):
        try:
            cut_file = _units(_unpacked(file, folder, number), format_name or format_of(Path(file.name)), column, size)
        except (Unreadable, OSError) as error:
            skipped.append(_skipped(file.name, error))
            continue
        for unit, its_size in cut_file:
            units.append(unit)
            room -= its_size
            if room <= 0 or len(units) >= MOST_FILES:
                partitions.append(tuple(units))
                sizes.append(size - room)
                units, room = [], size
    if units:
        partitions.append(tuple(units))
        sizes.append(size - room)
    return partitions, sizes, skipped


def _units(file: Entry, format_name: str, column: str, size: int) -> Iterator[tuple[Unit, int]]:
    """Return the units of a file, and how many bytes each has."""
    name, path = file.name, file.path
    how = FORMATS[format_name].cut
    if how == "rows":
        with open_parquet(path, column) as parquet:
            groups = [parquet.metadata.row_group(i).total_byte_size for i in range(parquet.num_row_groups)]
        return ((Unit(path, name, format_name, i, i + 1), bytes_) for i, bytes_ in enumerate(groups))
    if how == "no":
        return iter([(Unit(path, name, format_name, 0, file.size), file.size)])
    step = max(BLOCK, size // BLOCK * BLOCK)
    starts = range(0, file.size, step)
    stops = (min(start + step, file.size) for start in starts)
    return ((Unit(path, name, format_name, i, stop), stop - i) for i, stop in zip(starts, stops, strict=True))


def _unpacked(file: Entry, folder: Path, number: int) -> Entry:
    """Return a file, or what a packed file becomes when it is unpacked into a folder."""
    with open(file.path, "rb") as opened:  # noqa: PTH123
        head = opened.read(8)
    if not any(head.startswith(each.magic) for each in COMPRESSIONS.values()):
        return file
    target = folder / f"{number:07}"
    if not target.exists():
        folder.mkdir(exist_ok=True)
        begun = target.with_suffix(".begun")
        try:
            with Source(file.path) as source, begun.open("wb") as unpacked:
                while data := source.read(COPIED):
                    unpacked.write(data)
        except VectorFileError as error:
            begun.unlink(missing_ok=True)
            raise Unreadable(error.what) from None
        shutil.move(begun, target)
    return file._replace(path=str(target), size=target.stat().st_size)
