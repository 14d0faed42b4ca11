"""gensim's KeyedVectors, as its `save` writes them: a pickle, so they are read only when asked for.

A pickle is a program, and opening one from a stranger runs what the stranger wrote. Even when asked for, ours is not
Python's usual one: it knows arrays, words and gensim's containers, refuses every other name, and needs no gensim.
"""

import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from entvec.vectors.formats.base import Block, Wanted, in_blocks
from entvec.vectors.source import Source

TUPLES = (pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3)
DEEPEST = 100
KINDS = re.compile(r"[fiuU]\d{1,9}")
ARRAYS = (
    "numpy",
    "numpy.core.multiarray",
    "numpy._core.multiarray",
    "numpy.core.numeric",
    "numpy._core.numeric",
)


def matches(head: bytes) -> bool:
    """A pickle, whatever it holds."""
    return head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05" and len(head) > 2


def blocks(source: Source, wanted: Wanted) -> Iterator[Block]:
    """The words with their rows."""
    if not wanted.trust_pickle:
        raise source.error(
            "a Python pickle, perhaps gensim's KeyedVectors; a pickle from a stranger can run any program, so it is "
            "not opened. If you made this file or trust who did, read it with trust_pickle=True (--trust-pickle), or "
            "have gensim write it with save_word2vec_format and read that"
        )
    # Whatever a broken pickle does to the stack of a small machine made of tables, it is one kind of damage to us.
    with source.converting_errors(Exception, what="not the pickle of gensim's KeyedVectors"):
        holder = _Unpickler(_Bounded(source.seekable(), source.size)).load()
        words, matrix, counts = _contents(source, getattr(holder, "__dict__", {}))
    yield from in_blocks(source, words, matrix, counts)


def _contents(source: Source, state: dict[str, Any]) -> tuple[list[bytes], NDArray[Any], NDArray[Any] | None]:
    """The words, the matrix and the counts, whichever version of gensim wrote them."""
    if isinstance(inner := state.get("wv"), _Holder):  # a whole model: Word2Vec, FastText
        state = inner.__dict__
        beside = f"{source.path}.wv"
    else:
        beside = str(source.path)
    words = state.get("index_to_key", state.get("index2word", state.get("index2entity")))
    matrix = state.get("vectors", state.get("syn0"))
    for name in {"vectors", "syn0"}.intersection(state.get("__numpys", [])):  # large arrays lie in files of their own
        matrix = _matrix_beside(source, f"{beside}.{name}")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise source.error(
            f"expected the words of KeyedVectors, found {', '.join(map(str, list(state)[:8])) or 'none'}"
        )
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
    return [word.encode() for word in words], matrix[: len(words)], _counts(state, words)


def _matrix_beside(source: Source, beside: str) -> NDArray[Any]:
    """The matrix from its own file, which is an archive if gensim was asked to compress."""
    for path in (Path(f"{beside}.npy"), Path(f"{beside}.npz")):
        if path.exists():
            found: Any = np.load(path, mmap_mode="r", allow_pickle=False)
            return np.asarray(found["val"] if path.suffix == ".npz" else found)
    raise source.error(f"the numbers are in a file of their own, {beside}.npy, which is not there; put it beside")


def _counts(state: dict[str, Any], words: list[str]) -> NDArray[Any] | None:
    counts: Any = None
    if isinstance(extra := state.get("expandos"), dict) and isinstance(extra.get("count"), _Array):
        counts = extra["count"].value
    elif isinstance(vocabulary := state.get("vocab"), dict):
        counts = np.array([getattr(vocabulary.get(word), "count", 0) for word in words])
    if not isinstance(counts, np.ndarray) or counts.shape != (len(words),) or counts.dtype.kind not in "iu":
        return None
    if np.array_equal(counts, np.arange(len(words), 0, -1)):  # gensim's stopgap for counts that it does not know
        return None
    return counts.astype(np.int64)


class _Holder:
    """Stands in for any object of gensim's: it has the attributes, and can do nothing."""

    def __init__(self, *_: Any) -> None: ...

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.__dict__.update(state)


class _Dtype:
    """Stands in for numpy.dtype."""

    def __init__(self, name: str = "", *_: Any) -> None:
        self.name = name
        self.order: Literal["<", ">", "="] = "<"

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1] if state[1] in ("<", ">") else "="

    def resolved(self) -> np.dtype[Any]:
        if not KINDS.fullmatch(self.name):
            raise ValueError(f"expected numbers and strings, found {self.name!r}")
        return np.dtype(self.name).newbyteorder(self.order)


class _Array:
    """Stands in for numpy.ndarray; it is made of bytes that are there, never of a shape that is only claimed."""

    def __init__(self, *_: Any) -> None:
        self.value: NDArray[Any] | None = None

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, fortran, data = state
        raw = data.encode("latin-1") if isinstance(data, str) else data
        self.value = np.frombuffer(raw, dtype.resolved()).reshape(shape, order="F" if fortran else "C")


def _scalar(dtype: _Dtype, data: Any = b"") -> Any:
    raw = data.encode("latin-1") if isinstance(data, str) else data
    return np.frombuffer(raw, dtype.resolved())[0].item()


def _encoded(text: str, encoding: str) -> bytes:
    if encoding != "latin1":
        raise ValueError(f"expected latin1, found {encoding!r}")
    return text.encode(encoding)


def _from_buffer(data: Any, dtype: _Dtype, shape: Any, order: Any, *_: Any) -> _Array:
    """An array as protocol 5 writes it."""
    array = _Array()
    array.__setstate__((1, shape, dtype, order == "F", bytes(data)))
    return array


NUMPY = {"_reconstruct": _Array, "ndarray": _Array, "dtype": _Dtype, "scalar": _scalar, "_frombuffer": _from_buffer}
PLAIN = {
    ("builtins", "set"): set,
    ("__builtin__", "set"): set,
    ("collections", "defaultdict"): lambda *_: {},
    ("collections", "OrderedDict"): dict,
    ("_codecs", "encode"): _encoded,
}


class _Tuple(tuple[Any, ...]):
    """A tuple that knows how deep it is."""

    depth = 1


def _shallow(load: Callable[[Any], None]) -> Callable[[Any], None]:
    """Tuples in tuples in tuples, as a key, would overflow the stack of the interpreter: it takes their hash."""

    def checked(unpickler: Any) -> None:
        load(unpickler)
        made = unpickler.stack[-1] = _Tuple(unpickler.stack[-1])
        made.depth = 1 + max((item.depth for item in made if isinstance(item, _Tuple)), default=0)
        if made.depth > DEEPEST:
            raise pickle.UnpicklingError(f"expected tuples at most {DEEPEST} deep")

    return checked


class _Unpickler(pickle._Unpickler):
    """The one written in Python: the one in C reserves memory for any number that the file claims."""

    # A bytearray is made before it is read, as long as the file claims; the same as bytes is not.
    dispatch: ClassVar[dict[int, Any]] = {
        **pickle._Unpickler.dispatch,
        pickle.BYTEARRAY8[0]: pickle._Unpickler.dispatch[pickle.BINBYTES8[0]],
        **{code[0]: _shallow(pickle._Unpickler.dispatch[code[0]]) for code in TUPLES},
    }

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in PLAIN:
            return PLAIN[module, name]
        if module.partition(".")[0] in ("numpy", "gensim", "builtins", "__builtin__"):
            return NUMPY.get(name, _Holder) if module in ARRAYS else _Holder
        raise pickle.UnpicklingError(f"expected arrays, words and gensim's containers, found {module}.{name}")


class _Bounded:
    """A file that never promises more bytes than it has."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, max(size, 1 << 16)
        self.readline = file.readline

    def read(self, size: int = -1) -> bytes:
        return self._file.read(min(size, self._size) if size >= 0 else self._size)

    def readinto(self, buffer: bytearray) -> int:
        return self._file.readinto(buffer)  # type: ignore[attr-defined, no-any-return]
