"""Writes files and folders atomically: the old one stays until the new one is complete."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from entvec.errors import CannotWrite


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


@contextmanager
def replacing_folder(path: str | Path, *, marked_by: str) -> Iterator[Path]:
    """Yield a temporary folder beside `path`, which takes the place of `path` if the block succeeds.

    An older folder is replaced only if it has the file `marked_by`, so that a mistyped path removes nothing.
    """
    target = Path(path).resolve()
    if target.exists() and not (target / marked_by).is_file() and not _empty_folder(target):
        raise CannotWrite(path, f"it is there already and has no {marked_by}; choose another name or remove it")
    if not target.parent.is_dir():
        raise CannotWrite(path, f"there is no folder {Path(path).parent}; make it first")
    temporary = None
    try:
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
        new, old = temporary / "new", temporary / "old"
        new.mkdir()
        yield new
        if target.exists():
            target.replace(old)
        new.replace(target)
    except CannotWrite as error:  # it names a file in the temporary folder, which the caller does not know
        raise CannotWrite(path, error.what, remedy=error.remedy) from error
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error
    finally:
        if temporary is not None:
            if (
                temporary / "old"
            ).exists() and not target.exists():  # interrupted between the two renames: restore the old folder
                (temporary / "old").replace(target)
            shutil.rmtree(temporary, ignore_errors=True)


def _empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


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
    temporary = target.parent / f".{target.stem}-{secrets.token_urlsafe(6)}{target.suffix}"
    try:
        # The system applies its umask to a new file. Asking for the umask would change it for all threads.
        temporary.touch(mode=0o600 if target.exists() else 0o666, exist_ok=False)
        permissions = (target if target.exists() else temporary).stat().st_mode & 0o777
        temporary.chmod(0o600)  # only its owner may read it until it is complete
        yield temporary
        with temporary.open("rb") as written:  # write to the disk before the rename, in case the power fails
            temporary.chmod(permissions)
            os.fsync(written.fileno())
        temporary.replace(target)
    except CannotWrite:  # its text is right already
        raise
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error
    finally:
        temporary.unlink(missing_ok=True)
