"""gensim's KeyedVectors, as its `save` writes them. They are pickles, so they are read only if the user asks for it.

A pickle is a program: opening a file from a stranger runs code that the stranger wrote. Even if the user trusts the
file, its program is restricted. It may use arrays, strings and gensim's containers, for which there are stand-ins, and
nothing else. The opcodes are checked first, so that a small file cannot allocate much memory or take much time. gensim
itself is not needed.
"""

import io
import mmap
import pickle
import pickletools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from entvec.errors import Remedy
from entvec.vectors.formats import npz
from entvec.vectors.formats.base import Block, Wanted, in_blocks
from entvec.vectors.source import Source

MOST_TUPLES = 1000
"""The largest number of nested tuples: hashing a key recurses into them and visits all of them."""
TUPLES = {"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"}
PUTS, GETS = {"MEMOIZE", "BINPUT", "LONG_BINPUT"}, {"BINGET", "LONG_BINGET"}
RESERVING = {"LONG_BINPUT", "FRAME"}
"""Opcodes that reserve memory for a given number of bytes or of objects, each of which takes at least a byte."""
LINES = {"GLOBAL": re.compile(rb".*\n.*\n"), "INT": re.compile(rb".*\n"), "LONG": re.compile(rb".*\n")}
"""Arguments that are text."""
REFUSED = {"DUP", "GET", "PUT", "STRING", "UNICODE", "FLOAT", "INST", "OBJ", "PERSID", "BINPERSID"}
"""Opcodes that these pickles never have."""
REFUSED |= {"EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"}
"""Opcodes that these pickles never have."""
NOT_ASCII = "surrogateescape"
"""How to decode the strings of Python 2, which may be text or bytes."""
KINDS = re.compile(r"[fiuU]\d{1,9}")
MODULES = {"builtins", "__builtin__", "collections", "_codecs", "numpy"}
"""The modules whose containers and arrays a pickle may use."""
MODULES |= {f"numpy.{core}.{part}" for core in ("core", "_core") for part in ("multiarray", "numeric")}
"""Those whose containers and arrays a pickle may have."""


def matches(head: bytes) -> bool:
    """Return whether the file is a pickle, with any content."""
    return head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05" and len(head) > 2


def blocks(source: Source, wanted: Wanted) -> Iterator[Block]:
    """Yield the words with their rows."""
    if not wanted.trust_pickle:
        raise source.error(
            "a Python pickle, perhaps gensim's KeyedVectors; a pickle from a stranger can run any program, "
            "so it is not opened",
            remedy=Remedy.TRUST_PICKLE,
        )
    # A damaged pickle may raise any exception inside the unpickler; all of them mean that the file is damaged.
    with source.converting_errors(Exception, what="not the pickle of gensim's KeyedVectors"):
        content = mmap.mmap(source.raw.fileno(), 0, access=mmap.ACCESS_READ) if source.plain else source.rest()
        _check(content)
        file = io.BufferedReader(cast("Any", io.BytesIO(content))) if isinstance(content, bytes) else source.seekable()
        holder = _Unpickler(file, encoding="ascii", errors=NOT_ASCII).load()
        words, matrix, counts = _contents(source, getattr(holder, "__dict__", {}))
    yield from in_blocks(source, words, matrix, counts)


def _contents(source: Source, state: dict[str, Any]) -> tuple[list[bytes], NDArray[Any], NDArray[Any] | None]:
    """Return the words, the matrix and the counts, from files of any version of gensim."""
    if isinstance(inner := state.get("wv"), _Holder):  # a whole model: Word2Vec, FastText
        state = inner.__dict__
        beside = f"{source.path}.wv"
    else:
        beside = str(source.path)
    words: Any = state.get("index_to_key", state.get("index2word", state.get("index2entity")))
    matrix = state.get("vectors", state.get("syn0"))
    for name in {"vectors", "syn0"}.intersection(state.get("__numpys", [])):  # large arrays are in files of their own
        matrix = _matrix_beside(source, f"{beside}.{name}")
    try:
        spelled = [str.encode(word) for word in list.__iter__(words)]  # TypeError: no list, or not of strings
    except (TypeError, UnicodeEncodeError):
        found = ", ".join(map(str, list(state)[:8])) or "none"
        raise source.error(f"expected the words of KeyedVectors, found {found}") from None
    if isinstance(matrix, _Array):
        matrix = matrix.value
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind != "f":
        known = (*state, *state.get("__numpys", []))
        fasttext = "; this is a FastText model: let gensim write it with wv.save_word2vec_format and read that"
        raise source.error(
            f"expected the matrix of KeyedVectors, found none{fasttext if 'vectors_vocab' in known else ''}"
        )
    if len(matrix) < len(words):
        raise source.error(f"expected {len(words):,} rows of numbers, one for each word, found {len(matrix):,}")
    return spelled, matrix[: len(words)], _counts(state, words)


def _matrix_beside(source: Source, beside: str) -> NDArray[Any]:
    """Return the matrix from its own file, which is an .npz archive if gensim compressed it."""
    for path in (Path(f"{beside}.npy"), Path(f"{beside}.npz")):
        if path.exists():
            with Source(path) as file:
                if path.suffix == ".npz":
                    return npz.member(file, "val")
                with file.converting_errors(Exception, what="a damaged array"):
                    return np.lib.format.open_memmap(path, mode="r")
    raise source.error(f"the numbers are in a file of their own, {beside}.npy, which is not there; put it beside")


def _counts(state: dict[str, Any], words: list[str]) -> NDArray[Any] | None:
    counts: Any = None
    if isinstance(extra := state.get("expandos"), dict) and isinstance(extra.get("count"), _Array):
        counts = extra["count"].value
    elif isinstance(vocabulary := state.get("vocab"), dict):
        counts = np.array([getattr(vocabulary.get(word), "count", 0) for word in words])
    if not isinstance(counts, np.ndarray) or counts.shape != (len(words),) or counts.dtype.kind not in "iu":
        return None
    if np.array_equal(counts, np.arange(len(words), 0, -1)):  # gensim's placeholder for unknown counts
        return None
    return counts.astype(np.int64)


class _Holder:
    """A stand-in for any object of gensim: it stores the attributes and has no behaviour."""

    def __init__(self, *_: Any) -> None: ...

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.__dict__.update(state)


class _Dtype:
    """A stand-in for numpy.dtype."""

    name = ""
    order: Literal["<", ">", "="] = "<"

    def __init__(self, name: str, *_: Any) -> None:
        self.name = name

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1] if state[1] in ("<", ">") else "="

    def numbers(self, data: Any) -> NDArray[Any]:
        if not KINDS.fullmatch(self.name):
            raise ValueError(f"expected numbers and strings, found {self.name!r}")
        raw = data.encode("ascii", NOT_ASCII) if isinstance(data, str) else data
        return np.frombuffer(raw, np.dtype(self.name).newbyteorder(self.order))


class _Array:
    """A stand-in for numpy.ndarray. It is made of the bytes in the file, so it is never larger than those."""

    value: NDArray[Any] | None = None

    def __init__(self, *_: Any) -> None: ...

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, fortran, data = state
        self.value = dtype.numbers(data).reshape(shape, order="F" if fortran else "C")


class _Unpickler(pickle.Unpickler):
    """An unpickler that makes only numbers, strings, containers and stand-ins, whatever names a pickle uses."""

    # These are methods, because a pickle can set attributes of a function or class, such as its defaults.

    def _table(self, *_: Any) -> dict[Any, Any]:
        return {}

    def _scalar(self, dtype: _Dtype, data: Any = b"") -> Any:
        return dtype.numbers(data)[0].item()

    def _encoded(self, text: str, encoding: str) -> bytes:
        if encoding != "latin1":
            raise ValueError(f"expected latin1, found {encoding!r}")
        return text.encode(encoding)

    def _from_buffer(self, data: Any, dtype: _Dtype, shape: Any, order: Any, *_: Any) -> _Array:
        """Return an array as pickle protocol 5 stores it."""
        array = _Array()
        array.__setstate__((1, shape, dtype, order == "F", bytes(data)))
        return array

    def find_class(self, module: str, name: str) -> Any:
        known: dict[str, Any] = {
            "set": set,
            "defaultdict": self._table,
            "OrderedDict": dict,
            "encode": self._encoded,
            "_reconstruct": _Array,
            "ndarray": _Array,
            "dtype": _Dtype,
            "scalar": self._scalar,
            "_frombuffer": self._from_buffer,
        }
        if module in MODULES and name in known:
            return known[name]
        if module.partition(".")[0] in ("numpy", "gensim", "builtins", "__builtin__"):
            return _Holder
        raise ValueError(f"expected arrays, words and gensim's containers, found {module}.{name}")


def _steps() -> Iterator[tuple[int, tuple[str, int, bool, bool, int, int]]]:
    """Yield the name of each opcode, the size of its argument or (True) of its argument's length, and its effect on the
    stack.

    The effect is how many items it takes, whether it takes the items down to a mark (True), and how many it pushes.
    """
    lengths = {
        pickletools.UP_TO_NEWLINE: 0,
        pickletools.TAKEN_FROM_ARGUMENT1: 1,
        pickletools.TAKEN_FROM_ARGUMENT4: 4,
        pickletools.TAKEN_FROM_ARGUMENT4U: 4,
        pickletools.TAKEN_FROM_ARGUMENT8U: 8,
    }
    for opcode in pickletools.opcodes:
        size = opcode.arg.n if opcode.arg else 0
        before = opcode.stack_before
        marked = pickletools.markobject in before
        n_taken = before.index(pickletools.markobject) if marked else len(before)
        if opcode.name not in REFUSED:
            effect = marked, n_taken, len(opcode.stack_after)
            yield ord(opcode.code), (opcode.name, lengths.get(size, size), size in lengths, *effect)


STEPS = dict(_steps())


def _check(content: bytes | mmap.mmap) -> None:
    """Check all opcodes before any of them is executed, because Python's unpickler trusts every number."""
    at, name = 0, ""
    stack: list[int] = []  # for each item the number of its nested tuples
    marks: list[int] = []
    memo: dict[int, int] = {}
    while name != "STOP":
        if content[at] not in STEPS:
            raise ValueError(f"expected words and numbers, found the opcode {chr(content[at])!r}")
        name, size, counted, marked, n_taken, n_made = STEPS[content[at]]
        argument = int.from_bytes(content[at + 1 : at + 1 + size], "little") if size else 0
        at += 1 + size + (argument if counted else 0)
        if name in RESERVING and argument > len(content):
            raise ValueError(f"expected the size of something in {len(content):,} bytes, found {argument:,}")
        if name in LINES:
            at = cast("re.Match[bytes]", LINES[name].match(content, at)).end()
        if name in GETS:
            stack.append(memo[argument])
        elif name in PUTS:
            memo[argument if size else len(memo)] = stack[-1]
        elif name == "MARK":
            marks.append(len(stack))
        else:
            kept = (marks.pop() if marked else len(stack)) - n_taken
            if kept < (marks[-1] if marks else 0):
                raise ValueError(f"expected something for {name} to work on, found nothing")
            n_tuples = 1 + sum(stack[kept:]) if name in TUPLES else 0
            if n_tuples > MOST_TUPLES:
                raise ValueError(f"expected at most {MOST_TUPLES:,} tuples within a tuple")
            stack[kept:] = [n_tuples] * n_made
