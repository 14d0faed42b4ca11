"""The bundled vectors are Google's: the file is the one that was checked, and known vectors are in it."""

import hashlib
from importlib.resources import files

import numpy as np
import pytest

from entvec.bundled import google_news
from entvec.bundled.maps import DEFAULT_MAP, DEFAULT_MAP_SHA256
from entvec.bundled.news import GOOGLE_NEWS, SHA256

DATA = files("entvec.bundled") / "data"
# The first four numbers in the file that Google published, which two of the three words below come from directly.
KNOWN = {
    "dog": [0.05126953125, -0.0223388671875, -0.1728515625, 0.1611328125],
    "king": [0.1259765625, 0.02978515625, 0.008605957031, 0.1396484375],
    "computer": [0.107421875, -0.201171875, 0.123046875, 0.2119140625],
}


def test_the_file_is_the_one_that_was_checked() -> None:
    assert hashlib.sha256((DATA / "google-news.safetensors").read_bytes()).hexdigest() == SHA256


def test_it_is_mapped_and_sound() -> None:
    vectors = google_news()
    assert repr(vectors) == "Vectors(31,530 words x 300, bfloat16, memory-mapped)"
    vectors.check()


@pytest.mark.parametrize("word", KNOWN)
def test_known_vectors(word: str) -> None:
    np.testing.assert_allclose(google_news()[word][:4], KNOWN[word], rtol=1e-6)


def test_frequent_words_come_first() -> None:
    vectors = google_news()
    assert "the" in vectors.head(20)
    assert vectors.row("dog") < vectors.row("poodle")


def test_lengths_are_those_of_raw_vectors_not_of_unit_vectors() -> None:
    lengths = np.linalg.norm(google_news().matrix, axis=1)
    assert 3.0 < np.median(lengths) < 3.4
    assert lengths.std() > 0.5


def test_it_tells_where_it_comes_from() -> None:
    metadata = google_news().metadata
    assert metadata["licence"] == "Apache-2.0"
    assert "word2vec" in metadata["source"]
    assert "Apache License" in (DATA / "google-news.LICENSE.txt").read_text(encoding="utf-8")


def test_the_hashes_of_the_data_are_those_of_the_files() -> None:
    for path, expected in ((GOOGLE_NEWS, SHA256), (DEFAULT_MAP, DEFAULT_MAP_SHA256)):
        assert hashlib.sha256(path.read_bytes()).hexdigest() == expected
