"""gensim's KeyedVectors: pickles, read without gensim, and never run."""

import gzip
import os
import pickle
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors, Word2Vec

from entvec.errors import VectorFileError
from entvec.vectors import read

WORDS = ["dog", "ice cream", "\u72ac"]
MATRIX = np.array([[0.1, -2], [1e-7, 3e20], [0, 1]], dtype=np.float32)
SENTENCES = [["dog", "cat", "dog"], ["dog", "bird"]]


def keyed_vectors(dtype: Any = np.float32) -> KeyedVectors:
    vectors = KeyedVectors(2, dtype=dtype)
    vectors.add_vectors(WORDS, MATRIX.astype(dtype))
    for word, count in zip(WORDS, (30, 20, 10), strict=True):
        vectors.set_vecattr(word, "count", count)
    return vectors


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("sep_limit", [0, 10**9], ids=["matrix beside it", "all in one"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_keyed_vectors_are_read_as_gensim_saves_them(
    tmp_path: Path, protocol: int, sep_limit: int, suffix: str
) -> None:
    path = tmp_path / f"vectors.kv{suffix}"
    keyed_vectors().save(str(path), pickle_protocol=protocol, sep_limit=sep_limit)
    vectors = read(path, trust_pickle=True)
    assert list(vectors) == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert vectors.counts is not None
    np.testing.assert_array_equal(vectors.counts, [30, 20, 10])
    assert list(read(path, trust_pickle=True, limit=2)) == WORDS[:2]
    assert list(read(path, trust_pickle=True, format="gensim", limit=0)) == []


@pytest.mark.parametrize("dtype", [np.float64, np.float16, ">f4"])
def test_numbers_are_of_the_kind_they_were_saved_in(tmp_path: Path, dtype: Any) -> None:
    with np.errstate(over="ignore"):
        vectors = KeyedVectors(2, dtype=dtype)
        vectors.add_vectors(["a", "b"], np.array([[1, 2], [3, 0.1]], dtype=dtype))
        vectors.vectors = vectors.vectors.astype(dtype)
    vectors.save(str(tmp_path / "vectors.kv"))
    again = read(tmp_path / "vectors.kv", trust_pickle=True)
    assert again.dtype == np.dtype(dtype).name
    np.testing.assert_array_equal(again.matrix, np.array([[1, 2], [3, 0.1]], dtype=dtype).astype(again.matrix.dtype))


@pytest.mark.parametrize("sep_limit", [0, 10**9], ids=["matrix beside it", "all in one"])
def test_a_whole_word2vec_model_is_read_for_its_vectors(tmp_path: Path, sep_limit: int) -> None:
    model = Word2Vec(SENTENCES, vector_size=4, min_count=1, workers=1)
    model.save(str(tmp_path / "vectors.model"), sep_limit=sep_limit)
    vectors = read(tmp_path / "vectors.model", trust_pickle=True)
    assert list(vectors) == model.wv.index_to_key
    np.testing.assert_array_equal(vectors.matrix, model.wv.vectors)
    assert vectors.counts is not None
    assert vectors.counts[0] == 3


class Old:
    """An object of a class that gensim had once."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


@pytest.mark.parametrize("names", [("index2word", "syn0"), ("index2entity", "vectors"), ("index2word", "vectors")])
def test_the_names_that_older_versions_of_gensim_gave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str]
) -> None:
    monkeypatch.setattr(Old, "__module__", "gensim.models.keyedvectors")
    monkeypatch.setattr("gensim.models.keyedvectors.Old", Old, raising=False)
    vocabulary = {word: Old(count=10 * i, index=i) for i, word in enumerate(WORDS)}
    old = Old(**{names[0]: WORDS, names[1]: MATRIX, "vocab": vocabulary, "vector_size": 2})
    (tmp_path / "old.kv").write_bytes(pickle.dumps(old, protocol=2))
    vectors = read(tmp_path / "old.kv", trust_pickle=True)
    assert list(vectors) == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert vectors.counts is not None
    np.testing.assert_array_equal(vectors.counts, [0, 10, 20])


def test_a_matrix_beside_the_file_under_the_name_that_it_once_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Old, "__module__", "gensim.models.keyedvectors")
    monkeypatch.setattr("gensim.models.keyedvectors.Old", Old, raising=False)
    old = Old(index2word=WORDS, __numpys=["syn0"])
    (tmp_path / "old.kv").write_bytes(pickle.dumps(old, protocol=2))
    np.save(tmp_path / "old.kv.syn0.npy", MATRIX)
    vectors = read(tmp_path / "old.kv", trust_pickle=True)
    assert list(vectors) == WORDS
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


def test_a_pickle_is_not_opened_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "vectors.kv"
    keyed_vectors().save(str(path))
    with pytest.raises(VectorFileError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: a Python pickle, perhaps gensim's KeyedVectors; a pickle from a stranger can run any program, "
        "so it is not opened; if you made this file or trust who did, read it with trust_pickle=True, "
        "or have gensim write it with save_word2vec_format and read that"
    )
    with pytest.raises(VectorFileError, match="a Python pickle"):
        read(path, format="gensim")


class Calls:
    """Unpickled, it calls the function."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize(
    "attack",
    [
        lambda sentinel: Calls(os.system, f"touch {sentinel}"),
        lambda sentinel: Calls(eval, f"open({str(sentinel)!r}, 'w')"),
        lambda sentinel: Calls(exec, f"open({str(sentinel)!r}, 'w')"),
        lambda sentinel: Calls(open, str(sentinel), "w"),
        lambda sentinel: Calls(subprocess.check_call, ["touch", str(sentinel)]),
        lambda sentinel: Calls(subprocess.Popen, ["touch", str(sentinel)]),
        lambda sentinel: Calls(Path.touch, sentinel),
        lambda sentinel: Calls(np.save, str(sentinel), np.eye(2)),
        lambda sentinel: Calls(np.ndarray.tofile, np.eye(2), str(sentinel)),
        lambda sentinel: Calls(os.mkdir, str(sentinel)),
    ],
    ids=["os.system", "eval", "exec", "open", "check_call", "Popen", "touch", "np.save", "tofile", "mkdir"],
)
def test_a_malicious_pickle_does_not_run_even_when_trusted(
    tmp_path: Path, attack: Callable[[Path], Any], protocol: int
) -> None:
    sentinel, path = tmp_path / "sentinel", tmp_path / "evil.kv"
    path.write_bytes(pickle.dumps(attack(sentinel), protocol))
    with pytest.raises(VectorFileError, match=r"evil\.kv: "):
        read(path, trust_pickle=True)
    vectors = keyed_vectors()
    vectors.more = attack(sentinel)
    vectors.save(str(path), pickle_protocol=protocol)
    with suppress(VectorFileError):  # what is harmless may be read past
        read(path, trust_pickle=True)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "module", ["os", "posix", "subprocess", "shutil", "importlib", "codecs", "functools", "copyreg"]
)
def test_names_of_other_modules_are_refused_by_name(tmp_path: Path, module: str) -> None:
    (tmp_path / "evil.kv").write_bytes(b"\x80\x02c" + module.encode() + b"\nsystem\nX\x04\x00\x00\x00echo\x85R.")
    with pytest.raises(VectorFileError, match=f"expected arrays, words and gensim's containers, found {module}.system"):
        read(tmp_path / "evil.kv", trust_pickle=True)


@pytest.mark.parametrize("name", ["f2py.capi_maps\nload_f2cmap_file", "\nload", "testing._private.utils\nrundocs"])
def test_even_functions_of_numpy_are_not_called(tmp_path: Path, name: str) -> None:
    module = f"numpy.{name}" if not name.startswith("\n") else f"numpy{name}"
    (tmp_path / "evil.kv").write_bytes(b"\x80\x02c" + module.encode() + b"\nX\x04\x00\x00\x00fileR.")
    with pytest.raises(VectorFileError, match=r"evil\.kv: "):
        read(tmp_path / "evil.kv", trust_pickle=True)


@pytest.mark.parametrize("sep_limit", [0, 10**9], ids=["matrix beside it", "all in one"])
@pytest.mark.parametrize("whole", [False, True])
def test_gensims_fasttext_models_keep_no_vectors_of_words_and_that_is_told(
    tmp_path: Path, sep_limit: int, whole: bool
) -> None:
    model = FastText(SENTENCES, vector_size=4, min_count=1, workers=1, bucket=50)
    (model if whole else model.wv).save(str(tmp_path / "fasttext.model"), sep_limit=sep_limit)
    with pytest.raises(
        VectorFileError, match=r"this is a FastText model: let gensim write it with wv\.save_word2vec_format"
    ):
        read(tmp_path / "fasttext.model", trust_pickle=True)


def test_a_missing_file_of_the_matrix_is_named(tmp_path: Path) -> None:
    path = tmp_path / "vectors.kv"
    keyed_vectors().save(str(path), sep_limit=0)
    (tmp_path / "vectors.kv.vectors.npy").unlink()
    with pytest.raises(VectorFileError) as caught:
        read(path, trust_pickle=True)
    assert "vectors.kv.vectors.npy" in str(caught.value)
    assert "not the pickle of gensim's KeyedVectors" not in str(caught.value)


def test_a_matrix_beside_the_file_that_holds_objects_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "vectors.kv"
    keyed_vectors().save(str(path), sep_limit=0)
    np.save(tmp_path / "vectors.kv.vectors.npy", np.array([["a", 1]], dtype=object))
    with pytest.raises(VectorFileError, match=r"vectors\.kv\.vectors\.npy: a damaged array \(.*Python objects"):
        read(path, trust_pickle=True)


def test_a_matrix_beside_the_file_that_would_explode_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors.kv"
    keyed_vectors().save(str(path), sep_limit=0)
    (tmp_path / "vectors.kv.vectors.npy").unlink()
    np.savez_compressed(tmp_path / "vectors.kv.vectors.npz", val=np.zeros((3, 10_000_000), np.float32))
    with pytest.raises(
        VectorFileError, match=r"\.vectors\.npz: val\.npy: its [\d,]+ bytes would become 120,000,128 or"
    ):
        read(path, trust_pickle=True)


@pytest.mark.parametrize("suffix", ["npy", "npz"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"<html>"])
def test_a_damaged_matrix_beside_the_file_is_named(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / "vectors.kv"
    keyed_vectors().save(str(path), sep_limit=0)
    (tmp_path / "vectors.kv.vectors.npy").unlink()
    (tmp_path / f"vectors.kv.vectors.{suffix}").write_bytes(content)
    with pytest.raises(VectorFileError, match=rf"vectors\.kv\.vectors\.{suffix}: "):
        read(path, trust_pickle=True)


def test_a_pipe_beside_the_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entvec.files.WRITER_SECONDS", 0.01)
    path = tmp_path / "vectors.kv"
    keyed_vectors().save(str(path), sep_limit=0)
    (tmp_path / "vectors.kv.vectors.npy").unlink()
    os.mkfifo(tmp_path / "vectors.kv.vectors.npy")
    with pytest.raises(VectorFileError, match="it is a pipe that nobody writes to"):
        read(path, trust_pickle=True)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (pickle.dumps({"dog": [1.0, 2.0]}), "expected the words of KeyedVectors, found none"),
        (pickle.dumps(["dog"]), "expected the words of KeyedVectors, found none"),
        (pickle.dumps(np.eye(2)), "expected the words of KeyedVectors"),
        (b"\x80\x04", "."),
        (b"\x80\x04.", "not the pickle of gensim's KeyedVectors"),
        (b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x00.", "not the pickle of gensim's KeyedVectors"),
        (b"\x80\x04\x96\x00\x00\x00\x00\x00\x01\x00\x00.", "not the pickle of gensim's KeyedVectors"),
        (
            b"\x80\x04\x95\x00\x00\x00\x00\x00\x01\x00\x00N.",
            "not the pickle of gensim's KeyedVectors .expected the size of something",
        ),
        (b"\x80\x02" + b"(" * 100_000, "not the pickle of gensim's KeyedVectors"),
        (b"\x80\x02Nr\xff\xff\xff\x7f.", "not the pickle of gensim's KeyedVectors .expected the size of something"),
    ],
)
def test_other_pickles_are_told(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "other.pkl").write_bytes(content)
    with pytest.raises(VectorFileError, match=rf"other\.pkl.*: {problem}"):
        read(tmp_path / "other.pkl", trust_pickle=True)


def test_deep_tuples_are_refused_before_they_are_hashed(tmp_path: Path) -> None:
    (tmp_path / "evil.kv").write_bytes(b"\x80\x04})" + b"\x85" * 100_000 + b"K\x01s.")
    with pytest.raises(VectorFileError, match="expected at most 1,000 tuples within a tuple"):
        read(tmp_path / "evil.kv", trust_pickle=True)


def test_tuples_that_hold_themselves_twice_are_refused_before_they_are_hashed(tmp_path: Path) -> None:
    pairs: Any = ()
    for _ in range(60):
        pairs = (pairs, pairs)
    (tmp_path / "evil.kv").write_bytes(b"\x80\x04}" + pickle.dumps(pairs, 4)[2:-1] + b"K\x01s.")
    with pytest.raises(VectorFileError, match="expected at most 1,000 tuples within a tuple"):
        read(tmp_path / "evil.kv", trust_pickle=True)


def test_tuples_are_counted_even_if_a_mark_is_taken_for_an_item(tmp_path: Path) -> None:
    deep = b"\x85" * 900  # below the limit; taking the mark back would hide it from the count
    (tmp_path / "evil.kv").write_bytes(b"\x80\x04})" + (deep + b"(0") * 100 + b"K\x01s.")
    with pytest.raises(VectorFileError, match="expected something for POP to work on"):
        read(tmp_path / "evil.kv", trust_pickle=True)


@pytest.mark.parametrize(
    "name", [b"_codecs\nencode", b"numpy\nscalar", b"numpy\n_frombuffer", b"numpy\ndtype", b"collections\ndefaultdict"]
)
def test_a_pickle_cannot_change_the_stand_ins(tmp_path: Path, name: bytes) -> None:
    build = b"N}X\x0c\x00\x00\x00__defaults__)s\x86b"  # a state of the form (None, {attribute: value})
    (tmp_path / "evil.kv").write_bytes(b"\x80\x02c" + name + b"\n" + build + b".")
    with pytest.raises(VectorFileError, match="not the pickle of gensim's KeyedVectors"):
        read(tmp_path / "evil.kv", trust_pickle=True)


def test_the_strings_of_python_2_may_be_bytes(tmp_path: Path) -> None:
    """The numbers of an array are; words that are not text in Unicode are refused rather than guessed."""
    state = b"}(U\x0aindex2wordq\x01]q\x02(X\x03\x00\x00\x00dogeU\x04syn0cnumpy.core.multiarray\n_reconstruct\n)R"
    array = b"(K\x01K\x01K\x02\x86cnumpy\ndtype\nU\x02f4\x85R(K\x03U\x01<tb\x89U\x08\x00\x00\x80?\x00\x00\x00@tb"
    path = tmp_path / "python2.kv"
    path.write_bytes(b"\x80\x02cgensim.models.keyedvectors\nKeyedVectors\n)\x81" + state + array + b"ub.")
    vectors = read(path, trust_pickle=True)
    assert list(vectors) == ["dog"]
    np.testing.assert_array_equal(vectors.matrix, [[1, 2]])
    path.write_bytes(path.read_bytes().replace(b"X\x03\x00\x00\x00dog", b"U\x03d\xf6g"))
    with pytest.raises(VectorFileError, match="expected the words of KeyedVectors"):
        read(path, trust_pickle=True)


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_pickle_that_is_cut_off_is_told(tmp_path: Path, fraction: float, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "vectors.kv"
    keyed_vectors().save(str(path))
    content = path.read_bytes()
    path.write_bytes(compress(content[: int(len(content) * fraction)]))
    with pytest.raises(VectorFileError, match=r"vectors\.kv.*: not the pickle of gensim's KeyedVectors \("):
        read(path, trust_pickle=True)


def test_fewer_rows_than_words_are_told(tmp_path: Path) -> None:
    vectors = keyed_vectors()
    vectors.vectors = vectors.vectors[:2]
    vectors.save(str(tmp_path / "vectors.kv"))
    with pytest.raises(VectorFileError, match="expected 3 rows of numbers, one for each word, found 2"):
        read(tmp_path / "vectors.kv", trust_pickle=True)
