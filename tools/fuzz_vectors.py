"""Damage files of vectors in many ways, and see that `entvec.vectors.read` refuses them in order.

    python tools/fuzz_vectors.py [--format NAME ...] [--mutations N] [--seed N] [--jobs N] [--keep DIR] [-o LOG]

Small sound files of each format are mutated at random and read. Either that works, and all of the result can be
looked at, or it is a VectorFileError; whatever else happens is a failure: another exception or warning, a crash of the
interpreter, a case that takes too long, or one that needs much memory. A failing file is kept, with what was done to
it. The same seed makes the same files, on the same versions of the libraries that write the sound ones.

Each format is read in a process of its own, whose address space is limited.
"""

from __future__ import annotations

import argparse
import gzip
import io
import multiprocessing
import os
import pickle
import random
import re
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from entvec.errors import VectorFileError, VectorFileWarning
from entvec.vectors import FORMATS, Vectors, read, write
from entvec.vectors.source import COMPRESSIONS

ADDRESS_SPACE = 4 << 30  # pyarrow and gensim reserve far more than they use
MEMORY_BOUND = 300 << 20
SECONDS_A_CASE = 10
KEPT_OF_EACH = 3
LONGEST_MESSAGE = 2000
WORDS = ("the", "dog", "Dog", "ice_cream", "caf\u00e9", "\u72ac", "x" * 40, "a", "42", "end")
NUMBERS = (
    *("0", "1", "-1", "2", "7", "255", "65536", "99999", "100001", "2147483647", "2147483648", "4294967296"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "1" + "0" * 30, "1" * 5000),
    *("1.5", "1e9", "1e400", "-0.0", "nan", "inf", "0x10", "1_000", "007", "\u0663", "", "null", "[]", '"3"'),
)
TOKENS = (
    *(b"\0", b"\xff", b"\n", b"\r\n", b" ", b"\t", b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"9", b"-"),
    *(b"{", b"[", b'"', b"PK\x03\x04", b"PK\x01\x02", b"\x93NUMPY", b"PAR1", b"nan", b"1e999", b"\n\n", b"."),
    *(b"\\ud800", b"\\u0000", b"\x96\0\0\0\0\1\0\0\0", b"\x85", b"(" * 5000, b"[" * 5000),
)


class Sample(NamedTuple):
    """A sound file; one that is packed also as the pieces in it, and the way to pack them again."""

    data: bytes
    pieces: tuple[bytes, ...] = ()
    pack: Callable[[Sequence[bytes]], bytes] | None = None


class Case(NamedTuple):
    """A file to read, the options to read it with, and what was done to it."""

    number: int
    data: bytes
    options: dict[str, Any]
    story: str


class Outcome(NamedTuple):
    """What became of a case: fine, refused or failed, with what was said."""

    number: int
    kind: str
    message: str = ""
    detail: str = ""
    n_warnings: int = 0
    memory: int = 0
    seconds: float = 0


NOTHING = Outcome(-1, "fine")


class TooSlow(BaseException):
    """A case ran out of time; no Exception, so that nobody takes it for damage."""


# Sound files


def _vectors(dimension: int = 3, n: int = len(WORDS), dtype: type[Any] = np.float32, **columns: Any) -> Vectors:
    values = np.random.default_rng(7).normal(size=(n, dimension)).astype(dtype)
    return Vectors(WORDS[:n], values, **columns)


def _columns() -> dict[str, Any]:
    return {
        "counts": range(1000, 1000 - len(WORDS), -1),
        "ranks": range(5, 5 + len(WORDS)),
        "metadata": {"made by": "fuzz"},
    }


def _written(vectors: Vectors, name: Any, **options: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(vectors, path, format=name, **options)
        return path.read_bytes()


def _saved(save: Callable[[str], Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        save(str(path))
        return path.read_bytes()


def _native() -> list[Sample]:
    made = [(_vectors(**_columns()), None), (_vectors(2, 4), "bfloat16"), (_vectors(4, 6), "float16")]
    made += [(_vectors(2, 3, np.float64), None), (_vectors(1, 1), None)]
    return [Sample(_written(vectors, "native", dtype=dtype)) for vectors, dtype in made]


def _zipped(names: Sequence[str], method: int, pieces: Sequence[bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, piece in zip(names, pieces, strict=True):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), piece, method)
    return packed.getvalue()


def _archive(data: bytes, method: int) -> Sample:
    """An archive, also as its members: those can be damaged under a checksum that is right."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        pieces = tuple(archive.read(name) for name in names)
    pack = partial(_zipped, names, method)
    return Sample(pack(pieces), pieces, pack)


def _npz() -> list[Sample]:
    words, values = np.array(WORDS), _vectors().matrix
    others: list[dict[str, Any]] = [
        {"words": words, "vectors": values},
        {"words": np.array([word.encode() for word in WORDS]), "vectors": np.asfortranarray(values)},
        {"terms": words, "m": values.astype(">f8"), "counts": np.arange(len(WORDS), dtype=np.uint16)},
    ]
    archives = [_written(_vectors(**_columns()), "npz")]
    for arrays in others:
        np.savez(buffer := io.BytesIO(), **arrays)
        archives.append(buffer.getvalue())
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2)
    return [Sample(archives[0]), *map(_archive, archives, methods)]


def _parquet() -> list[Sample]:
    pa: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    values = _vectors().matrix
    tables: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"word": WORDS, "vector": values.tolist()}, {"compression": "none", "use_dictionary": False}),
        ({"word": WORDS, "vector": values.tolist(), "count": range(10)}, {"compression": "snappy"}),
        ({"term": WORDS, "d0": values[:, 0], "d1": values[:, 1]}, {"compression": "none", "row_group_size": 4}),
        ({"word": WORDS, "d0": values[:, 0]}, {"compression": "gzip", "data_page_version": "2.0"}),
    ]
    samples = [Sample(_written(_vectors(**_columns()), "parquet"))]
    for columns, options in tables:
        table = pa.table({name: pa.array(list(column)) for name, column in columns.items()})
        samples.append(Sample(_saved(partial(parquet.write_table, table, **options))))
    return samples


def _gensim() -> list[Sample]:
    models: Any = import_module("gensim.models")
    kept: Any = import_module("gensim.models.keyedvectors")
    vectors = kept.KeyedVectors(3)
    vectors.lifecycle_events = None  # they hold the time of day
    vectors.add_vectors(WORDS, _vectors().matrix)
    for i, word in enumerate(WORDS):
        vectors.set_vecattr(word, "count", 100 - i)
    model = models.Word2Vec(vector_size=3, min_count=1, negative=1, seed=1)
    model.lifecycle_events = None
    model.build_vocab([list(WORDS), list(WORDS[:3])])
    old = kept.KeyedVectors(3)
    vocabulary = {word: kept.CompatVocab(count=i, index=i) for i, word in enumerate(WORDS)}
    old.__dict__ = {"index2word": list(WORDS), "syn0": _vectors().matrix.copy(), "vocab": vocabulary}
    return [
        Sample(_saved(vectors.save)),
        Sample(_saved(partial(vectors.save, pickle_protocol=2))),
        Sample(_saved(model.save)),
        Sample(pickle.dumps(old, protocol=3)),
        Sample(pickle.dumps(old, protocol=4)),
    ]


def _fasttext() -> list[Sample]:
    fasttext: Any = import_module("gensim.models.fasttext")
    samples = []
    for sizes in ({"bucket": 5, "min_n": 2, "max_n": 3}, {"bucket": 0, "min_n": 0, "max_n": 0}, {"bucket": 9, "hs": 1}):
        model = fasttext.FastText(vector_size=3, min_count=1, seed=1, **sizes)
        model.build_vocab([list(WORDS), list(WORDS[:3])])
        samples.append(Sample(_saved(partial(fasttext.save_facebook_model, model))))
    return samples


def _plain(name: str) -> list[Sample]:
    made = [_vectors(), _vectors(1), _vectors(5, 4, np.float64), _vectors(30, 2)]
    return [Sample(_written(vectors, name)) for vectors in made]


def _glove() -> list[Sample]:
    spaced = b". . . 0.5 -1e-3 2\nat name@domain.com 1 2 3\n\tx 1 2 3\r\nthe 1 2 3 \n"
    return [*_plain("glove"), Sample(spaced), Sample(spaced.replace(b" ", b"\t"))]


def _squeezed(suffix: str, pieces: Sequence[bytes]) -> bytes:
    options = {"mtime": 0} if suffix == ".gz" else {}
    compress = import_module(COMPRESSIONS[suffix].module).compress
    return b"".join(compress(piece, **options) for piece in pieces)


def _compressed(suffix: str) -> list[Sample]:
    glove, text, native = (_written(_vectors(), name) for name in ("glove", "word2vec-text", "native"))
    pack = partial(_squeezed, suffix)
    parts = [(glove,), (text,), (native,), (glove[:100], glove[100:])]  # the last in two streams, one after the other
    return [Sample(pack(pieces), pieces, pack) for pieces in parts]


def _zip() -> list[Sample]:
    glove, text, native = (_written(_vectors(), name) for name in ("glove", "word2vec-text", "native"))
    made = ((glove, zipfile.ZIP_STORED), (text, zipfile.ZIP_DEFLATED), (native, zipfile.ZIP_LZMA))
    return [_archive(_zipped(["vectors.txt"], method, [data]), method) for data, method in made]


TARGETS: dict[str, Callable[[], list[Sample]]] = {
    "native": _native,
    "npz": _npz,
    "parquet": _parquet,
    "gensim": _gensim,
    "fasttext": _fasttext,
    "word2vec": partial(_plain, "word2vec"),
    "word2vec-text": partial(_plain, "word2vec-text"),
    "glove": _glove,
    **{suffix: partial(_compressed, suffix) for suffix in COMPRESSIONS},
    ".zip": _zip,
}


@cache
def samples(name: str) -> list[Sample]:
    """The sound files of a format."""
    return TARGETS[name]()


# Mutations: each takes the bytes, a generator of random numbers and other bytes to take parts from


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    """A slice of the data, short ones more often."""
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + int(2 ** rng.uniform(0, max(1, len(data).bit_length()))))


def _flip(data: bytes, rng: random.Random, _: bytes) -> bytes:
    changed = bytearray(data or b"\0")
    for _i in range(rng.choice((1, 1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _integer(rng: random.Random) -> bytes:
    layout = rng.choice(("<i", "<q", ">i", "<h", "<q"))
    bits = 8 * struct.calcsize(layout)
    high = 1 << (bits - 1)
    value = rng.choice((0, 1, -1, high - 1, -high, high >> 1, 1 << 20 & high - 1, rng.randrange(-high, high), 3))
    return struct.pack(layout, value)


def _overwrite(data: bytes, rng: random.Random, _: bytes) -> bytes:
    new = rng.choice((_integer(rng), rng.choice(TOKENS), rng.randbytes(rng.choice((1, 2, 4, 8)))))
    at = rng.randrange(len(data) + 1)
    return data[:at] + new + data[at + len(new) :]


def _insert(data: bytes, rng: random.Random, _: bytes) -> bytes:
    token = rng.choice(TOKENS)
    many = token * (1 + rng.choice((2, 100, 300_000)) // len(token))  # also more than the longest word may have
    new = rng.choice((_integer(rng), token, many))
    at = rng.randrange(len(data) + 1)
    return data[:at] + new + data[at:]


def _delete(data: bytes, rng: random.Random, _: bytes) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def _duplicate(data: bytes, rng: random.Random, _: bytes) -> bytes:
    start, end = _span(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 20)) + data[end:]


def _move(data: bytes, rng: random.Random, _: bytes) -> bytes:
    start, end = _span(data, rng)
    rest = data[:start] + data[end:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + data[start:end] + rest[at:]


def _truncate(data: bytes, rng: random.Random, _: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _splice(data: bytes, rng: random.Random, other: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + other[rng.choice((min(at, len(other)), rng.randrange(len(other) + 1))) :]


def _borrow(data: bytes, rng: random.Random, other: bytes) -> bytes:
    (start, end), (first, last) = _span(data, rng), _span(other, rng)
    return data[:start] + other[first:last] + data[end:]


def _renumber(data: bytes, rng: random.Random, _: bytes) -> bytes:
    """Another number in place of one in text; those of a header, at the beginning, half of the time."""
    found = [match.span() for match in re.finditer(rb"-?\d+(?:\.\d+)?", data)]
    if not found:
        return _overwrite(data, rng, b"")
    start, end = found[rng.randrange(len(found) if rng.random() < 0.5 else min(8, len(found)))]
    return data[:start] + rng.choice(NUMBERS).encode() + data[end:]


def _respell(data: bytes, rng: random.Random, _: bytes) -> bytes:
    """Another name in place of one in text: what a header calls its parts."""
    found = [match.span() for match in re.finditer(rb"[A-Za-z_<>|]\w+", data)]
    if len(found) < 2:
        return _overwrite(data, rng, b"")
    (start, end), (first, last) = (found[rng.randrange(len(found))] for _i in range(2))
    return data[:start] + data[first:last] + data[end:]


OFTEN = (_flip, _overwrite, _renumber)
MUTATIONS = (*OFTEN, *OFTEN, _insert, _delete, _duplicate, _move, _truncate, _splice, _borrow, _respell)


def _mutated(data: bytes, rng: random.Random, other: bytes) -> tuple[bytes, str]:
    told = []
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        mutation = rng.choice(MUTATIONS)
        data = mutation(data, rng, other)
        told.append(mutation.__name__.strip("_"))
    return data, "+".join(told)


def _options(rng: random.Random, name: str) -> dict[str, Any]:
    """What to ask of `read`: mostly nothing, so that the content decides."""
    chosen: dict[str, Any] = {"trust_pickle": True}
    if name in FORMATS and rng.random() < 0.4:
        chosen["format"] = name  # damage to the mark of the format is no way out
    elif rng.random() < 0.05:
        chosen["format"] = rng.choice(list(FORMATS))
    if rng.random() < 0.5:
        chosen["duplicates"] = rng.choice(("error", "first", "last"))
        chosen["undecodable"] = rng.choice(("error", "replace"))
        chosen["limit"] = rng.choice((None, None, 0, 1, 4, 1000))
        chosen["dtype"] = rng.choice((None, None, "float16", "bfloat16", "float32", "float64"))
    return chosen


def case(name: str, seed: int, index: int) -> Case:
    """One damaged file of a format; always the same for the same numbers."""
    rng = random.Random(f"{name} {seed} {index}")  # noqa: S311
    sample, other = rng.choice(samples(name)), rng.choice(samples(name))
    if sample.pack is not None and rng.random() < 0.6:
        pieces = list(sample.pieces)
        i = rng.randrange(len(pieces))
        pieces[i], story = _mutated(pieces[i], rng, rng.choice(other.pieces or (other.data,)))
        data, story = sample.pack(pieces), f"piece {i}: {story}"
        if rng.random() < 0.1:
            data, more = _mutated(data, rng, other.data)
            story += f", then {more}"
    else:
        data, story = _mutated(sample.data, rng, other.data)
    if name in FORMATS and rng.random() < 0.1:  # what is not at random access goes other ways
        data, story = gzip.compress(data, mtime=0), f"{story}, compressed"
    return Case(index, data, _options(rng, name), story)


def cases(name: str, seed: int, n: int) -> Iterator[Case]:
    """The first damaged files of a format."""
    return (case(name, seed, index) for index in range(n))


# Reading


def touch(vectors: Vectors) -> None:
    """Look at all there is: a file may be opened long before it is read."""
    words = list(vectors)
    matrix = vectors.matrix
    if matrix.shape != (len(words), vectors.dimension) or len(words) != len(vectors):
        raise AssertionError(f"{len(words)} words, {len(vectors)} vectors, a matrix of {matrix.shape}")
    with np.errstate(all="ignore"):  # our own sum may overflow
        matrix.sum(dtype=np.float64)
    for column in (vectors.ranks, vectors.counts):
        if column is not None and column.shape != (len(words),):
            raise AssertionError(f"a column of {column.shape} for {len(words)} words")
    for word in words[:3] + words[-3:]:
        if words[vectors.row(word)] != word or vectors[word].shape != (vectors.dimension,):
            raise AssertionError(f"{word!r} is not found where it is")
        if word not in vectors.with_lookup(case=True, space=True):
            raise AssertionError(f"{word!r} is not found in any case")
    if not all(map(_printable, (repr(vectors), *vectors.metadata, *vectors.metadata.values()))):
        raise AssertionError("metadata that could not be written again")
    vectors.check()


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"more than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(damaged: Case, path: Path, seconds: float = SECONDS_A_CASE) -> Outcome:
    """Write the file, read it, and tell what came of it."""
    path.unlink(missing_ok=True)  # a file that is still mapped must not change
    path.write_bytes(damaged.data)
    kind, message, detail, began = "fine", "", "", time.monotonic()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with _time_limit(seconds):
                touch(read(path, **damaged.options))
        except VectorFileError as error:
            kind, message = "refused", normalised(str(error).replace(str(path), "FILE"))
            if fault := _fault(error):
                kind, message, detail = "failed", f"{fault}: {message}", traceback.format_exc()
        except (Exception, TooSlow) as error:  # noqa: BLE001
            where = [frame for frame in traceback.extract_tb(error.__traceback__) if "entvec" in frame.filename]
            place = f"{Path(where[-1].filename).name}:{where[-1].lineno}" if where else "?"
            kind, message = "failed", f"{type(error).__name__} at {place}: {normalised(str(error))}"
            detail = traceback.format_exc()
    odd = next((each for each in caught if not issubclass(each.category, VectorFileWarning)), None)
    if odd is not None and kind != "failed":
        place = f"{Path(odd.filename).name}:{odd.lineno}"
        kind, message = "failed", f"{odd.category.__name__} at {place}: {normalised(str(odd.message))}"
    return Outcome(damaged.number, kind, message, detail, len(caught), _peak(), time.monotonic() - began)


def _fault(refusal: VectorFileError) -> str:
    """What is wrong with a refusal: it came from a lack of memory, or its text is not fit to be shown."""
    error: BaseException | None = refusal
    while error is not None:
        if isinstance(error, MemoryError):
            return "refused for want of memory"
        error = error.__cause__ or error.__context__
    if len(str(refusal)) > LONGEST_MESSAGE:
        return f"a message of more than {LONGEST_MESSAGE:,} characters"
    return "" if _printable(str(refusal)) else "a message that cannot be printed"


def _printable(text: str) -> bool:
    """Whether there is no half of a surrogate pair in it."""
    return text == text.encode(errors="replace").decode()


def normalised(message: str) -> str:
    """A message without what is different in each file."""
    message = re.sub(r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*\"""", "'...'", message)
    message = re.sub(r"0x[0-9a-f]+|-?\d[\d,.]*(?:e[+-]?\d+)?", "N", message)
    return re.sub(r"[^\x20-\x7e]+", "?", message)[:160]


def _peak() -> int:
    """The most memory this process ever had, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage tells, a new process inherits from the one that started it
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


# A process for each format


def _work(name: str, seed: int, indices: range, path: Path, pipe: Connection) -> None:
    """Tell the peak of memory after all sound files were read, then the outcome of each case."""
    for library in ("pyarrow.parquet", "gensim.models.fasttext"):  # any case may be read as any format
        import_module(library)
    for i, sample in enumerate(samples(name)):
        outcome = attempt(Case(i, sample.data, {"trust_pickle": True}, ""), path)
        if outcome.kind != "fine":
            raise AssertionError(f"a sound file of {name} is not read: {outcome.message}\n{outcome.detail}")
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    pipe.send(_peak())
    for index in indices:
        pipe.send(attempt(case(name, seed, index), path))
    pipe.close()
    os._exit(0)  # what damaged files left behind in libraries must not be torn down


@dataclass
class Tally:
    """What became of the files of a format."""

    name: str
    seed: int
    folder: Path
    kinds: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[Outcome]] = field(default_factory=dict)
    n_warnings: int = 0
    seconds: float = 0
    growth: int = 0
    slowest: Outcome = NOTHING

    def add(self, outcome: Outcome) -> None:
        """Count a case, and keep its file if it failed."""
        self.kinds[outcome.kind] += 1
        self.n_warnings += outcome.n_warnings
        self.slowest = max(self.slowest, outcome, key=lambda each: each.seconds)
        if outcome.kind == "refused":
            self.messages[outcome.message] += 1
        if outcome.kind == "failed":
            same = self.failures.setdefault(outcome.message, [])
            same.append(outcome)
            if len(same) <= KEPT_OF_EACH:
                self._keep(outcome)

    def _keep(self, outcome: Outcome) -> None:
        damaged = case(self.name, self.seed, outcome.number)
        kept = self.folder / f"{self.name.lstrip('.')}-{self.seed}-{outcome.number}"
        kept.with_suffix(".bin").write_bytes(damaged.data)
        kept.with_suffix(".txt").write_text(f"{outcome.message}\n{damaged.story}\n{damaged.options}\n{outcome.detail}")

    def row(self) -> str:
        """A row of the table."""
        n = sum(self.kinds.values())
        return (
            f"| {self.name} | {n:,} | {self.kinds['fine']:,} | {self.kinds['refused']:,} | {self.n_warnings:,} | "
            f"{self.kinds['failed']:,} | {len(self.messages):,} | {self.seconds:.0f} | {self.growth >> 20:,} MB |"
        )

    def report(self) -> str:
        """The failures, and all the messages."""
        lines = [f"\n## {self.name}, seed {self.seed}\n"]
        lines.append(f"- slowest: case {self.slowest.number}, {self.slowest.seconds:.2f} seconds")
        for message, same in sorted(self.failures.items()):
            cases = ", ".join(str(outcome.number) for outcome in same[:5])
            lines.append(f"- FAILED {len(same):,} times (case {cases}): {message}")
        lines += [f"- {n:,} x {message}" for message, n in self.messages.most_common()]
        return "\n".join(lines)


HEADER = """\
| format | mutations | read fine | refused | warnings | failures | distinct messages | seconds | memory growth |
|---|---|---|---|---|---|---|---|---|"""


def fuzz(name: str, seed: int, mutations: int, folder: Path, progress: Callable[[int], None]) -> Tally:
    """Read that many damaged files of a format; a process that dies is replaced by one that goes on after it."""
    tally, began = Tally(name, seed, folder), time.monotonic()
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "case"
        done = 0
        while done < mutations:
            for outcome in _outcomes(tally, range(done, mutations), path):
                tally.add(outcome)
                done = outcome.number + 1
                progress(done)
    tally.seconds = time.monotonic() - began
    return tally


def _outcomes(tally: Tally, indices: range, path: Path) -> Iterator[Outcome]:
    """The outcomes of a process, until it is through, or dead, or has grown too large to go on."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(tally.name, tally.seed, indices, path, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        start: int = ours.recv()
        for index in indices:
            outcome = _awaited(ours, index, process)
            growth = outcome.memory - start
            tally.growth = max(tally.growth, growth)
            if growth > MEMORY_BOUND:
                told = f"memory grew by more than {MEMORY_BOUND >> 20} MB"
                outcome = outcome._replace(kind="failed", message=told, detail=f"{growth:,} bytes; {outcome.message}")
            yield outcome
            if outcome.detail == DEAD or growth > MEMORY_BOUND:
                return
    except EOFError:
        raise SystemExit(f"{tally.name}: the process could not begin, see above") from None
    finally:
        process.kill()
        process.join()
        ours.close()


DEAD = "the process ended"


def _awaited(pipe: Connection, index: int, process: Any) -> Outcome:
    """What the process tells of this case; if it tells nothing, that it is dead or hangs where no signal is seen."""
    try:
        if pipe.poll(3 * SECONDS_A_CASE):
            found: Outcome = pipe.recv()
            return found
        message = "hangs, and does not hear the alarm"
    except (EOFError, OSError):
        process.join()
        message = f"the process died with exit code {process.exitcode}"
    process.kill()
    process.join()
    return Outcome(index, "failed", message, DEAD)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each format; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--format", nargs="+", choices=TARGETS, default=list(TARGETS), help="only these")
    parser.add_argument("--mutations", type=int, default=20_000, help="damaged files of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="formats at a time")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "fuzz_vectors", metavar="DIR")
    parser.add_argument("-o", "--output", type=Path, metavar="LOG", help="the table and every message")
    chosen = parser.parse_args(arguments)
    chosen.keep.mkdir(parents=True, exist_ok=True)
    tallies = []
    print(HEADER)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        one = partial(_with_progress, seed=chosen.seed, mutations=chosen.mutations, folder=chosen.keep)
        for tally in pool.map(one, chosen.format):
            print(tally.row(), flush=True)
            tallies.append(tally)
            if chosen.output is not None:
                rows, reports = ([made(each) for each in tallies] for made in (Tally.row, Tally.report))
                chosen.output.write_text("\n".join([HEADER, *rows, *reports]) + "\n")
    failures = sum(tally.kinds["failed"] for tally in tallies)
    for tally in tallies:
        for message, same in tally.failures.items():
            print(f"{tally.name}: {len(same):,} x {message} (seed {tally.seed}, case {same[0].number})")
    if failures:
        print(f"{failures:,} failures; the files are in {chosen.keep}")
    return int(failures > 0)


def _with_progress(name: str, *, seed: int, mutations: int, folder: Path) -> Tally:
    def tell(done: int) -> None:
        if sys.stderr.isatty() and (done % 100 == 0 or done == mutations):
            print(f"\r{name} {done:,} of {mutations:,} ", end="", file=sys.stderr)

    return fuzz(name, seed, mutations, folder, tell)


if __name__ == "__main__":
    sys.exit(main())
