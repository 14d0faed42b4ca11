"""The bundled encoders: what they are made of, and that they answer about words and phrases."""

import numpy as np
import pytest

from entvec.bundled import encoder, encoder_map
from entvec.bundled.encoders import ENCODERS
from entvec.errors import InvalidInput
from entvec.model.model import choose
from entvec.text import agree
from entvec.vectors import Vectors

LARGEST = {"small": 17_000_000, "static": 7_000_000}
CANDIDATES = ["footwear", "disease", "animal", "vehicle", "furniture", "food", "musical instrument", "idea", "building"]
PHRASES = {
    "running shoes": "footwear",
    "gestational diabetes": "disease",
    "Siberian husky": "animal",
    "electric scooter: a small motorised vehicle to stand on": "vehicle",
    "rocking chair": "furniture",
    "pad thai: a dish of stir-fried rice noodles": "food",
}


@pytest.fixture(params=ENCODERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_files_are_as_small_as_promised(name: str) -> None:
    assert ENCODERS[name].stat().st_size <= LARGEST[name]


def test_the_file_says_how_it_was_made(name: str) -> None:
    about = encoder(name).metadata
    assert about["without"] == "nothing"
    assert "all-MiniLM-L6-v2" in about["made_from"]
    assert {"seed", "recipe", "versions", "made_from_sha256", "knowledge_sha256"} <= about.keys()


def test_the_map_knows_its_encoder(name: str) -> None:
    heads = encoder_map(name)
    assert heads.dimension == encoder(name).dimension
    assert agree(heads.metadata["fingerprint"], encoder(name).fingerprint)


def test_phrases_find_their_hypernyms(name: str) -> None:
    trained = encoder(name)
    phrases = list(PHRASES)
    vectors = Vectors([*phrases, *CANDIDATES], trained([*phrases, *CANDIDATES]))
    model = choose(vectors, map=encoder_map(name))
    matrix = np.asarray(vectors.matrix)
    for at, (phrase, expected) in enumerate(PHRASES.items()):
        hypers = matrix[len(phrases) :]
        scores = model.score(np.repeat(matrix[at : at + 1], len(hypers), axis=0), hypers)
        assert CANDIDATES[int(scores.argmax())] == expected, phrase


def test_entailments_have_a_direction(name: str) -> None:
    trained, words = encoder(name), ["poodle", "dog", "animal"]
    vectors = trained(words)
    model = choose(Vectors(words, vectors), map=encoder_map(name))
    up, down = model.score(vectors[:2], vectors[1:]), model.score(vectors[1:], vectors[:2])
    assert (up > down).all()


def test_synonyms_are_more_the_same_than_siblings() -> None:
    small = encoder("small")
    words = small(["car", "sofa", "physician"])
    synonyms, siblings = small(["automobile", "couch", "doctor"]), small(["bus", "bed", "nurse"])
    assert (small.sameness(words, synonyms) > small.sameness(words, siblings)).all()


def test_an_unknown_encoder_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no encoder 'large', expected one of small, static"):
        encoder("large")
