"""Writing vectors to a file in any format that can hold them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from entvec.errors import CannotWrite, InvalidInput
from entvec.files import replacing
from entvec.progress import Progress
from entvec.vectors.dtypes import DtypeLike, check_dtype
from entvec.vectors.formats import FORMATS, FormatName
from entvec.vectors.formats.base import Unwritable
from entvec.vectors.source import COMPRESSIONS
from entvec.vectors.vectors import Vectors


def write(
    vectors: Vectors,
    path: str | Path,
    *,
    format: FormatName | None = None,  # noqa: A002
    dtype: DtypeLike | None = None,
    progress: Progress | None = None,
) -> None:
    """Write vectors to a file, atomically: an existing file stays until the new one is complete.

    >>> write(Vectors(["dog", "cat"], [[1.0, 2.0], [3.0, 4.0]]), "pets.vec")
    >>> print(Path("pets.vec").read_text(), end="")
    2 2
    dog 1.0 2.0
    cat 3.0 4.0

    Parameters
    ----------
    vectors
        The vectors to write.
    path
        The file. Its ending selects the format (.safetensors .npz .parquet .bin .vec .txt) and, if there is a further
        one, the compression (.gz .bz2 .xz .zst).
    format
        A name in `FORMATS`, if the file has another ending.
    dtype
        The number type to write: float64, float32, float16 or bfloat16, if the format can store it. None writes the
        type of the vectors, or the nearest wider one: word2vec's binary format has float32 only, NumPy and Parquet have
        no bfloat16. Text has as many digits as restore the same number.
    progress
        A callback, called with the number of words written so far and in all.
    """
    name = check_format(path, format, dtype)
    writer = FORMATS[name].write
    assert writer is not None  # noqa: S101
    if not isinstance(vectors, Vectors):
        raise InvalidInput(f"expected vectors and then a path, found {type(vectors).__name__} first")
    if vectors.dimension == 0:
        raise CannotWrite(path, "the vectors have no numbers")
    if name != "native":  # a memory-mapped file has not been checked, and other formats require it
        vectors.check()
    converted = vectors if dtype is None else vectors.astype(dtype)

    def tell(n_words: int) -> None:
        if progress is not None:
            progress(n_words, len(vectors))

    with replacing(path) as temporary, opened(temporary, Path(path).suffix.lower()) as file:
        try:
            writer(converted, file, tell)
        except Unwritable as error:
            raise CannotWrite(path, str(error)) from None


def check_format(path: str | Path, name: FormatName | None = None, dtype: DtypeLike | None = None) -> FormatName:
    """Return the name of the format to write; raise an error, before any work is done, if it cannot be written."""
    path = Path(path)
    endings = [suffix.lower() for suffix in path.suffixes]
    if endings and endings[-1] == ".zip":
        raise CannotWrite(path, f"zip archives are only read; expected one of {' '.join(COMPRESSIONS)}")
    if name is None:
        told = [ending for ending in endings[-2:] if ending not in COMPRESSIONS][-1:]
        name = next((name for name, row in FORMATS.items() if set(told) & set(row.suffixes)), None)
    if name is not None and name not in FORMATS:
        raise InvalidInput(
            f"format is {name!r}, expected one of {', '.join(name for name, row in FORMATS.items() if row.write)}"
        )
    if name is None or FORMATS[name].write is None:
        known = [f"{suffix} ({name})" for name, row in FORMATS.items() if row.write for suffix in row.suffixes]
        what = "its name does not tell the format" if name is None else f"entvec does not write {FORMATS[name].title}"
        raise CannotWrite(path, f"{what}; expected a name ending in one of {', '.join(known)}")
    if dtype is not None and check_dtype(dtype) not in FORMATS[name].dtypes:
        held = ", ".join(FORMATS[name].dtypes)
        raise CannotWrite(path, f"{FORMATS[name].title} cannot hold {check_dtype(dtype)}, expected one of {held}")
    FORMATS[name].library()
    return name


@contextmanager
def opened(path: Path, suffix: str) -> Iterator[Any]:
    """Open a file for writing bytes, compressed as its ending says."""
    compression = COMPRESSIONS.get(suffix)
    with path.open("wb") as raw:
        if compression is None:
            yield raw
        elif suffix == ".gz":  # without a time and the name of the temporary file, so that equal content is equal bytes
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0, **compression.settings) as file:
                yield file
        else:
            with import_module(compression.module).open(raw, "wb", **compression.settings) as file:
                yield file
