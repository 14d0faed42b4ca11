"""Writes files and folders atomically: the old one stays until the new one is complete.

A file or folder is written beside its target, under a name that begins with a dot, and then takes the place of the
target in one step. The writer holds a lock on what it writes. The system ends the lock with the process, so a
temporary file that nobody has locked is litter of a process that was killed; the next write to the same target
removes it.
"""

import ctypes
import hashlib
import io
import os
import re
import secrets
import select
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO, cast

from entvec.errors import CannotWrite

if sys.platform != "win32":
    import fcntl

MARK = ".entvec-"
"""A part of the name of every temporary file and folder."""
UNREADABLE = {
    stat.S_IFDIR: "a folder",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
WRITER_SECONDS = 3.0
"""How long to wait for a program to open a named pipe for writing; after that it may take any time."""
MOMENT = 0.01
"""Seconds to wait for a writer that is about to put a folder in its place."""


def check_writable(path: str | Path) -> Path:
    """Return the file that writing to `path` replaces, with links followed; raise CannotWrite if it is not writable."""
    target = Path(path)
    if not target.exists() or target.is_file():
        target = target.resolve()
    if target.is_dir():
        raise CannotWrite(path, "it is a folder, expected the name of a file")
    if not target.parent.is_dir():
        raise CannotWrite(path, f"there is no folder {Path(path).parent}; make it first")
    if target.exists() and not os.access(target, os.W_OK):
        raise CannotWrite(path, "the file is write-protected")
    return target


def file_digest(path: Path) -> str:
    """Return the SHA-256 hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_to_read(path: Path, expected: str = "a file") -> BinaryIO:
    """Open a file or pipe; raise OSError for a folder, a socket, a device, and a pipe that nobody writes to.

    Parameters
    ----------
    path
        The file.
    expected
        What it should be, in the words of the error.
    """
    kind = stat.S_IFMT(path.stat().st_mode)
    if kind in UNREADABLE:
        raise OSError(f"it is {UNREADABLE[kind]}, expected {expected}")
    return _open_pipe(path) if kind == stat.S_IFIFO else path.open("rb")


def _open_pipe(path: Path) -> BinaryIO:
    """Open a pipe. If no program ever writes to a named one, opening it as a file would block for ever."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
    try:
        poll = select.poll()
        poll.register(file, select.POLLIN)
        first: bytes | None = None
        if not poll.poll(1000 * WRITER_SECONDS):
            with suppress(BlockingIOError):  # a program is about to write
                first = os.read(file.fileno(), 8)
            if first == b"":
                raise OSError("it is a pipe that nobody writes to; start the program that does, and try again")
        os.set_blocking(file.fileno(), True)
    except BaseException:
        file.close()
        raise
    return cast("BinaryIO", io.BufferedReader(Rejoined(first, file))) if first else file


class Rejoined(io.RawIOBase):
    """The bytes already read from a pipe, then the rest of it."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._first, self._rest = first, rest
        self.n_bytes = 0
        """How many of them were read."""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read into a buffer, and return how many bytes were read."""
        data = self._first or self._rest.read(len(buffer))
        part, self._first = data[: len(buffer)], (data[len(buffer) :] if self._first else b"")
        buffer[: len(part)] = part
        self.n_bytes += len(part)
        return len(part)


def read_whole(path: Path, largest: int) -> bytes:
    """Return the content of a file or pipe; raise OSError for what `open_to_read` refuses, and for too much.

    Parameters
    ----------
    path
        The file.
    largest
        The most bytes that are read.
    """
    with open_to_read(path) as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(f"it has more than {largest:,} bytes, expected at most these")
    return content


def check_replaceable(path: str | Path, *, ours: Callable[[Path], bool]) -> None:
    """Raise CannotWrite if `path` is taken by something that is none of `ours`, or if there is no folder around it.

    Parameters
    ----------
    path
        Where a folder shall be.
    ours
        Returns whether a folder may be replaced.
    """
    target = Path(path).resolve()
    if target.exists() and not ours(target) and not _empty_folder(target):
        raise CannotWrite(path, "it is there already and entvec did not write it; choose another name or remove it")
    if not target.parent.is_dir():
        raise CannotWrite(path, f"there is no folder {Path(path).parent}; make it first")


@contextmanager
def replacing_folder(path: str | Path, *, ours: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield a temporary folder beside `path`, which takes the place of `path` if the block succeeds.

    An older folder is replaced only if it is one of `ours`, so that a mistyped path removes nothing. There is a folder
    at `path` at any time, except on systems that cannot exchange two folders in one step; `restore_folder` mends what
    a kill in that moment leaves.

    Parameters
    ----------
    path
        The folder.
    ours
        Returns whether a folder may be replaced.
    """
    target = Path(path).resolve()
    try:
        _sweep(target)
        check_replaceable(path, ours=ours)
        with _temporary(target, lambda temporary: temporary.mkdir(mode=0o700)) as temporary:
            new, old = temporary / "new", temporary / "old"
            new.mkdir()
            try:
                yield new
                _sync(new)
                if not _exchange(new, target):
                    if target.exists():
                        target.replace(old)
                    new.replace(target)
            finally:
                _put_back(old, target)
    except CannotWrite as error:  # it names a file in the temporary folder, which the caller does not know
        raise CannotWrite(path, error.what, remedy=error.remedy) from error
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error


def restore_folder(path: str | Path) -> bool:
    """Undo an interrupted replacement of the folder `path`; return whether the folder may exist now.

    It also returns True if another process is just putting a folder in its place.
    """
    target = Path(path).resolve()
    interrupted = any(os.path.exists(each / "old") for each in _temporaries(target))  # noqa: PTH110 - False if forbidden
    with suppress(OSError):  # without the permission to write, this process can only wait
        _sweep(target)
    if interrupted and not target.exists():
        time.sleep(MOMENT)
    return interrupted


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; the file written there replaces `path` if the block succeeds.

    A crash, a full disk or Ctrl-C in the block leaves `path` as it was and removes the temporary file.
    The temporary name has the same suffix, for writers that choose a format by it.
    """
    target = check_writable(path)
    if target.exists() and not target.is_file():  # a pipe or a device has no old content to keep
        yield target
        return
    permissions = 0

    def make(temporary: Path) -> None:
        nonlocal permissions
        # The system applies its umask to a new file. Asking for the umask would change it for all threads.
        temporary.touch(mode=0o600 if target.exists() else 0o666, exist_ok=False)
        permissions = (target if target.exists() else temporary).stat().st_mode & 0o777
        temporary.chmod(0o600)  # readable by its owner only until it is complete

    try:
        _sweep(target)
        with _temporary(target, make) as temporary:
            yield temporary
            with temporary.open("rb") as written:  # write to the disk before the rename, in case the power fails
                temporary.chmod(permissions)
                os.fsync(written.fileno())
            temporary.replace(target)
    except CannotWrite:  # it has the right text already
        raise
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error


@contextmanager
def _temporary(target: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    """Yield what `make` makes beside the target, locked while the block runs and removed after it.

    Before it is locked, another writer may take it for litter; then there is another try.
    """
    while True:
        temporary = target.parent / f".{target.stem}{MARK}{secrets.token_hex(8)}{target.suffix}"
        lock = None
        try:
            with suppress(FileNotFoundError) if target.parent.is_dir() else nullcontext():
                make(temporary)
                lock = _locked(temporary, wait=True)
            if temporary.exists():
                yield temporary
                return
        finally:
            _remove(temporary)
            if lock is not None:
                os.close(lock)


def _sync(folder: Path) -> None:
    """Write all files of a folder to the disk: it may be full, or the power may fail after the folder is replaced."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


def _sweep(target: Path) -> None:
    """Remove what killed writers of the target left beside it, and put back a folder that one of them had moved."""
    for each in _temporaries(target):
        if (lock := _locked(each)) is not None:
            try:
                _put_back(each / "old", target)
                _remove(each)
            finally:
                os.close(lock)


def _temporaries(target: Path) -> list[Path]:
    name = re.compile(rf"\.{re.escape(target.stem)}{re.escape(MARK)}[0-9a-f]{{16}}{re.escape(target.suffix)}")
    try:
        return [target.parent / each for each in os.listdir(target.parent) if name.fullmatch(each)]  # noqa: PTH208 - half the time of iterdir
    except OSError:
        return []


def _put_back(old: Path, target: Path) -> None:
    if old.exists() and not target.exists():
        old.replace(target)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _locked(path: Path, *, wait: bool = False) -> int | None:
    """Return a descriptor that locks a file or folder until it is closed; None if that cannot be had."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), path.stat()):  # else it was removed, and the name used again
            return descriptor
    except OSError:  # another process has locked it, or the file system has no locks
        pass
    os.close(descriptor)
    return None


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, where the system can; return whether it did."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())
