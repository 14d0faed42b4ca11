"""Writing files so that nothing is ever lost: the old file stays until the new one is whole."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from entvec.errors import InvalidInput


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it takes the place of `path` if the block succeeds.

    A crash, a full disk or Ctrl-C in the block leaves `path` as it was and removes the temporary file.
    The file name ends as `path` does, for writers that choose a format by it.
    """
    target = Path(path)
    if target.is_dir():
        raise InvalidInput(f"{target} is a folder, expected the name of a file to write")
    if not target.parent.is_dir():
        raise InvalidInput(f"there is no folder {target.parent} to write {target.name} in; make it first")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}-", suffix=target.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files for the owner alone; a finished file gets what any new file would.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
