"""gensim's KeyedVectors, as its `save` writes them: a pickle, so they are read only when asked for.

A pickle is a program, and opening one from a stranger runs what the stranger wrote. Even when asked for, ours is not
run by `pickle`: `pickletools` reads its opcodes, and what they do is written here. It knows arrays, words and gensim's
containers, refuses every other name, and needs no gensim. It takes no memory for what a file only claims to have.
"""

import io
import mmap
import pickletools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from entvec.errors import Remedy
from entvec.vectors.formats.base import Block, Wanted, in_blocks
from entvec.vectors.source import Source

MOST_TUPLES = 1000
"""How many tuples may lie within one: if it is a key, its hash takes stack for its depth and time for all of them."""
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
            "a Python pickle, perhaps gensim's KeyedVectors; a pickle from a stranger can run any program, "
            "so it is not opened",
            remedy=Remedy.TRUST_PICKLE,
        )
    # Whatever a broken pickle does to the stack of a small machine made of tables, it is one kind of damage to us.
    with source.converting_errors(Exception, what="not the pickle of gensim's KeyedVectors"):
        holder = _Machine().load(_Content(source))
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


def _named(module: str, name: str) -> Any:
    if (module, name) in PLAIN:
        return PLAIN[module, name]
    if module.partition(".")[0] in ("numpy", "gensim", "builtins", "__builtin__"):
        return NUMPY.get(name, _Holder) if module in ARRAYS else _Holder
    raise ValueError(f"expected arrays, words and gensim's containers, found {module}.{name}")


class _Tuple(tuple[Any, ...]):
    """A tuple that knows how many tuples it is, with those within it."""

    n = 1


def _tuple(*items: Any) -> _Tuple:
    made = _Tuple(items)
    made.n = 1 + sum(item.n for item in items if isinstance(item, _Tuple))
    if made.n > MOST_TUPLES:
        raise ValueError(f"expected at most {MOST_TUPLES:,} tuples within a tuple")
    return made


def _called(function: Callable[..., Any], arguments: tuple[Any, ...], *_: Any) -> Any:
    return function(*arguments)


def _built(made: Any, state: Any) -> Any:
    made.__setstate__(state)
    return made


def _extended(items: Any, *more: Any) -> Any:
    items.extend(more)
    return items


def _updated(items: Any, *more: Any) -> Any:
    items.update(more)
    return items


def _filled(table: Any, *items: Any) -> Any:
    table.update(zip(items[::2], items[1::2], strict=True))
    return table


MARKED, BELOW = -1, -2  # the items since the last mark; these, and the one below the mark
OPCODES: dict[str, tuple[int, Callable[..., Any]]] = {
    "NONE": (0, lambda: None),
    "NEWTRUE": (0, lambda: True),
    "NEWFALSE": (0, lambda: False),
    "EMPTY_LIST": (0, list),
    "EMPTY_DICT": (0, dict),
    "EMPTY_SET": (0, set),
    "EMPTY_TUPLE": (0, tuple),
    "TUPLE1": (1, _tuple),
    "TUPLE2": (2, _tuple),
    "TUPLE3": (3, _tuple),
    "TUPLE": (MARKED, _tuple),
    "LIST": (MARKED, lambda *items: list(items)),
    "DICT": (MARKED, lambda *items: _filled({}, *items)),
    "FROZENSET": (MARKED, lambda *items: frozenset(items)),
    "APPEND": (2, _extended),
    "APPENDS": (BELOW, _extended),
    "SETITEM": (3, _filled),
    "SETITEMS": (BELOW, _filled),
    "ADDITEMS": (BELOW, _updated),
    "STACK_GLOBAL": (2, _named),
    "REDUCE": (2, _called),
    "NEWOBJ": (2, _called),
    "NEWOBJ_EX": (3, _called),
    "BUILD": (2, _built),
}
"""How many items each opcode takes off the stack, and what it puts there in their place."""
VALUES = {"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "BINFLOAT", "BYTEARRAY8"}
VALUES |= {"BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"}
PUTS, GETS = {"MEMOIZE", "BINPUT", "LONG_BINPUT"}, {"BINGET", "LONG_BINGET"}


class _Content:
    """The bytes of a pickle, of which no more are read than there are."""

    def __init__(self, source: Source) -> None:
        self._content: io.BytesIO | mmap.mmap
        if source.plain:
            self._content = mmap.mmap(source.raw.fileno(), 0, access=mmap.ACCESS_READ)
        else:
            self._content = io.BytesIO(source.rest())
        self.read = self._content.read

    def readline(self) -> bytes:
        line = self._content.readline()
        if b"\\" in line:  # only the text opcodes of old protocols have escape sequences, and wrong ones give warnings
            raise ValueError("expected a name, found an escape sequence")
        return line


class _Machine:
    """Makes the object that a pickle describes, of numbers, strings, containers and stand-ins."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []

    def load(self, content: _Content) -> Any:
        memo: dict[int, Any] = {}
        for opcode, value, _ in pickletools.genops(cast("Any", content)):
            name = opcode.name
            if name in VALUES:
                self.stack.append(value)
            elif name in PUTS:
                memo[len(memo) if value is None else value] = self.stack[-1]
            elif name in GETS:
                self.stack.append(memo[cast("int", value)])
            elif name in OPCODES:
                n, made = OPCODES[name]
                items = self._taken(n)
                self.stack.append(made(*items))
            else:
                self._other(name, value)
        return self.stack.pop()

    def _taken(self, n: int) -> list[Any]:
        if n < 0:
            items, self.stack = self.stack, self.below.pop()
            return items if n == MARKED else [self.stack.pop(), *items]
        return [self.stack.pop() for _ in range(n)][::-1]

    def _other(self, name: str, value: Any) -> None:
        match name:
            case "BINSTRING" | "SHORT_BINSTRING":  # those of Python 2 may be text or not
                self.stack.append(value if value.isascii() else value.encode("latin-1"))
            case "GLOBAL":
                self.stack.append(_named(*value.split(" ", 1)))
            case "MARK":
                self.below.append(self.stack)
                self.stack = []
            case "POP" | "POP_MARK":
                self._taken(1 if name == "POP" else MARKED)
            case "PROTO" | "FRAME" | "STOP":
                pass
            case _:
                raise ValueError(f"expected words and numbers, found the opcode {name}")
