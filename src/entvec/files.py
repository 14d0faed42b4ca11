"""Writing files so that nothing is ever lost: the old file stays until the new one is whole."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from entvec.errors import CannotWrite


def check_writable(path: str | Path) -> Path:
    """The file that writing to `path` would replace, links followed; refuse what cannot be written."""
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
    """A temporary folder beside `path` to fill; it takes the place of `path` if the block succeeds.

    An older folder is replaced only if it has the file `marked_by`, so that a slip of the hand removes no other folder.
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
    except CannotWrite as error:  # a file in the folder: its name is a temporary one, of no use to the caller
        raise CannotWrite(path, error.what, remedy=error.remedy) from error
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error
    finally:
        if temporary is not None:
            if (temporary / "old").exists() and not target.exists():  # stopped between the two: put it back
                (temporary / "old").replace(target)
            shutil.rmtree(temporary, ignore_errors=True)


def _empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it takes the place of `path` if the block succeeds.

    A crash, a full disk or Ctrl-C in the block leaves `path` as it was and removes the temporary file.
    The file name ends as `path` does, for writers that choose a format by it.
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
        temporary.chmod(0o600)  # for its owner alone until it is whole
        yield temporary
        with temporary.open("rb") as written:  # on the disk before it has the name, should the power fail
            temporary.chmod(permissions)
            os.fsync(written.fileno())
        temporary.replace(target)
    except CannotWrite:  # it says already what is wrong
        raise
    except OSError as error:
        raise CannotWrite(path, error.strerror or str(error)) from error
    finally:
        temporary.unlink(missing_ok=True)
