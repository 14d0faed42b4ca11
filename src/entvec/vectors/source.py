"""Files opened for reading and decompressed, with a guard against decompression bombs."""

from __future__ import annotations

import io
import sys
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from entvec.errors import Remedy, VectorFileError, VectorFileNotFound
from entvec.files import Rejoined, open_to_read


class Compression(NamedTuple):
    """A compression: the first bytes of its files, and the module whose `open` reads and writes them."""

    magic: bytes
    module: str
    settings: dict[str, Any] = {}  # noqa: RUF012
    """Options for writing."""


CHECKED = {"options": {201: 1}}  # ZSTD_c_checksumFlag: detects damage, as the other three formats do
COMPRESSIONS = {
    ".gz": Compression(b"\x1f\x8b", "gzip", {"compresslevel": 6}),  # 9, Python's default, takes four times as long
    ".bz2": Compression(b"BZh", "bz2"),
    ".xz": Compression(b"\xfd7zXZ\0", "lzma", {"preset": 1}),  # likewise 6
    ".zst": Compression(
        b"\x28\xb5\x2f\xfd", "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", CHECKED
    ),
}
ZIP = b"PK\x03\x04"
BZIP2_BLOCKS = b"1AY&", b"\x17rE8"
"""The bytes after BZh and a digit: the beginning of a block, or the end of an empty file."""

HEAD = 1 << 16
LARGEST_RATIO = 200
"""Vectors compress by a factor of 2 to 20. Anything above this factor is treated as an attack on the memory."""
HARMLESS = 1 << 24
LONGEST_MESSAGE = 1000


class Source:
    """The content of a file, decompressed, to be read in order."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.raw = open_to_read(self.path, "a file of vectors")
        except FileNotFoundError:
            raise VectorFileNotFound(path, "there is no such file") from None
        except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
            reason = getattr(error, "strerror", None)
            refused = isinstance(error, OSError) and reason is None  # an error of Python's, with a text of its own
            raise self.error(str(error) if refused else f"it cannot be opened: {reason or error}") from error
        self.size = self.path.stat().st_size  # 0 for a pipe
        self.offset = 0
        self.compression = ""
        self._head = b""
        try:
            self._content = self._decompressed()
            if self.peek(len(BOM_UTF8)) == BOM_UTF8:  # Windows writes it before text
                self.read(len(BOM_UTF8))
        except BaseException:
            self.raw.close()
            raise

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._content.close()
        self.raw.close()

    def _decompressed(self) -> BinaryIO:
        # A pipe cannot seek back, so the bytes read for recognition are put before the rest.
        with self.converting_errors():
            magic = self.raw.read(8)
            rest = self.raw
            if rest.seekable():
                rest.seek(0)
            else:
                self._piped = Rejoined(magic, rest)
                rest = cast("BinaryIO", io.BufferedReader(self._piped))
            for suffix, compression in COMPRESSIONS.items():
                if magic.startswith(compression.magic) and not (suffix == ".bz2" and _is_word(magic)):
                    self.compression = suffix
                    return cast("BinaryIO", import_module(compression.module).open(rest, "rb"))
            if magic.startswith(ZIP) and self.raw.seekable():
                with self.converting_errors(
                    Exception, what="a zip archive that is damaged or cut off"
                ):  # zipfile itself checks little
                    return self._unzipped()
            return rest

    def _unzipped(self) -> BinaryIO:
        """Open the only member of a zip archive, or the archive itself if it is one of NumPy's (.npz)."""
        archive = zipfile.ZipFile(self.raw)
        members = [member for member in archive.infolist() if not member.is_dir()]
        if any(member.filename.endswith(".npy") for member in members):
            self.raw.seek(0)
            return self.raw
        if len(members) != 1:
            names = ", ".join(member.filename for member in members[:8]) or "nothing"
            raise self.error(
                f"a zip archive with {len(members)} files ({names}); unpack the one you want and read that"
            )
        self.compression = ".zip"
        return cast("BinaryIO", archive.open(members[0]))

    @property
    def plain(self) -> bool:
        """Whether the file is uncompressed and allows random access."""
        return not self.compression and self.raw.seekable()

    def peek(self, size: int = HEAD) -> bytes:
        """Return the next bytes without consuming them."""
        self._head += self._read(size - len(self._head))
        return self._head[:size]

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end of the file."""
        head, self._head = self._head[:size], self._head[size:]
        data = head + self._read(size - len(head))
        self.offset += len(data)
        if self.compression:
            remedy = "; if you trust the file, decompress it and read the result"
            self.refuse_growth(self.offset, self.done(), remedy=remedy)
        return data

    def refuse_growth(self, size: int, packed: int | None = None, *, of: str = "", remedy: str = "") -> None:
        """Raise an error if something decompresses by a larger factor than vectors do. All readers call it against
        bombs.

        Parameters
        ----------
        size
            The decompressed size in bytes.
        packed
            The compressed size in bytes, as far as it can be trusted; the size of the whole file if None.
        of
            A description of the part of the file.
        remedy
            What the user can do, for the error message.
        """
        there = self.size or self.done()
        packed = there if packed is None else min(packed, there)
        if size > HARMLESS and size > LARGEST_RATIO * packed:
            grows = f"{of}its {packed:,} bytes would become {size:,} or more"
            raise self.error(f"{grows}; vectors and texts never compress more than {LARGEST_RATIO} times{remedy}")

    def _read(self, size: int) -> bytes:
        with self.converting_errors():
            return self._content.read(size) if size > 0 else b""

    def seekable(self) -> BinaryIO:
        """Return the content as a file with random access; a compressed file is decompressed into memory."""
        if self.plain:
            self.raw.seek(0)
            return self.raw
        return io.BytesIO(self.rest())

    def rest(self) -> bytes:
        """Return the rest of the content."""
        content = bytearray()
        while data := self.read(HARMLESS):
            content += data
        return bytes(content)

    def done(self) -> int:
        """Return how many bytes of the file itself have been read."""
        return self.raw.tell() if self.raw.seekable() else self._piped.n_bytes

    def error(
        self, problem: str, *, line: int | None = None, byte: int | None = None, remedy: Remedy | None = None
    ) -> VectorFileError:
        """Return an error for this file, to be raised by the caller."""
        # The problem may quote the file, for example a name of a megabyte.
        return VectorFileError(self.path, problem[:LONGEST_MESSAGE], line=line, byte=byte, remedy=remedy)

    @contextmanager
    def converting_errors(self, *others: type[Exception], what: str = "") -> Iterator[None]:
        """Convert errors of the system, of decompression and `others` to VectorFileError."""
        expected: tuple[type[Exception], ...] = (
            OSError,
            EOFError,
            zlib.error,
            zipfile.BadZipFile,
            NotImplementedError,
            MemoryError,  # an .xz may claim a window of 4 GiB
            *others,
        )
        try:
            yield
        except VectorFileError:
            raise
        except Exception as error:
            # Each compression has its own error class, which exists only after its module is imported.
            if not isinstance(error, expected) and type(error).__name__ not in ("LZMAError", "ZstdError"):
                raise
            told = what or (f"the {self.compression} data is damaged or cut off" if self.compression else "unreadable")
            byte = self.raw.tell() if self.raw.seekable() and self.compression else None
            raise self.error(f"{told} ({str(error) or type(error).__name__})", byte=byte) from error


def _is_word(magic: bytes) -> bool:
    """Return whether a file that begins with BZh is text and not compressed by bzip2."""
    return not any(block.startswith(magic[4:8]) for block in BZIP2_BLOCKS)
