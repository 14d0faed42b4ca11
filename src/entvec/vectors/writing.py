"""Writing vectors to a file in any format that can hold them."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from entvec.errors import CannotWrite, InvalidInput
from entvec.files import replacing
from entvec.vectors.formats import FORMATS, FormatName
from entvec.vectors.formats.base import Unwritable
from entvec.vectors.source import COMPRESSIONS
from entvec.vectors.vectors import Vectors

Progress = Callable[[int, int], None]


def write(
    vectors: Vectors,
    path: str | Path,
    *,
    format: FormatName | None = None,  # noqa: A002
    dtype: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write vectors to a file: whole, or not at all. The old file stays until the new one is finished.

    Parameters
    ----------
    vectors
        What to write.
    path
        The file. Its name tells the format (.safetensors .npz .parquet .bin .vec .txt) and, after that, the
        compression (.gz .bz2 .xz .zst).
    format
        A name of `FORMATS`, if the file is to have another name.
    dtype
        The kind of number to write: float64, float32, float16 or bfloat16; as they are stored if None. word2vec's
        binary format has float32 only, and text has as many digits as bring the same number back.
    progress
        Called with the words written so far and in all.
    """
    name = check_format(path, format)
    writer = FORMATS[name].write
    assert writer is not None  # noqa: S101
    converted = vectors if dtype is None else vectors.astype(dtype)

    def tell(n_words: int) -> None:
        if progress is not None:
            progress(n_words, len(vectors))

    with replacing(path) as temporary, _opened(temporary, Path(path).suffix) as file:
        try:
            writer(converted, file, tell)
        except Unwritable as error:
            raise CannotWrite(path, str(error)) from None


def check_format(path: str | Path, name: FormatName | None = None) -> FormatName:
    """The name of the format to write; refuse one that is not known or cannot be written, before any work is done."""
    path = Path(path)
    if name is None:
        suffix = path.with_suffix("").suffix if path.suffix in COMPRESSIONS else path.suffix
        name = next((name for name, row in FORMATS.items() if suffix in row.suffixes), None)
    writable = {name: row for name, row in FORMATS.items() if row.write is not None}
    if name is not None and name not in FORMATS:
        raise InvalidInput(f"format is {name!r}, expected one of {', '.join(writable)}")
    if name not in writable:
        endings = " ".join(suffix for row in writable.values() for suffix in row.suffixes)
        what = "its name does not tell the format" if name is None else f"entvec does not write {FORMATS[name].title}"
        raise CannotWrite(path, f"{what}; expected a name ending in one of {endings}")
    return name


@contextmanager
def _opened(path: Path, suffix: str) -> Iterator[Any]:
    compression = COMPRESSIONS.get(suffix)
    with path.open("wb") as raw:
        if compression is None:
            yield raw
        elif suffix == ".gz":  # without the time and the name of the temporary file: the same vectors, the same file
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0, **compression.settings) as file:
                yield file
        else:
            with import_module(compression.module).open(raw, "wb", **compression.settings) as file:
                yield file
