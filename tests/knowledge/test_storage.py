"""Files of knowledge: what is written is read, and what is damaged is refused."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from entvec.bundled.knowledge import BUNDLED, BUNDLED_SHA256, wordnet_knowledge
from entvec.errors import KnowledgeFileError, KnowledgeFileNotFound
from entvec.files import file_digest
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge import storage
from entvec.knowledge.statements import empty, with_taxonomy


@pytest.fixture
def path(tmp_path: Path) -> Path:
    taxonomy = Taxonomy.from_edges([("dog", "animal"), ("cat", "animal")], about={"cat": {"definition": ("it purrs",)}})
    storage.save(with_taxonomy(empty(), taxonomy, "animals"), tmp_path / "animals.knowledge")
    return tmp_path / "animals.knowledge"


def test_round_trip(path: Path) -> None:
    known = storage.load(path)
    (cat,) = known.senses("cats")
    assert (str(known), known.glosses[cat.concept], known.identifiers[cat.concept]) == (
        "animals: 3 terms, 3 senses, 3 concepts, 2 is-a",
        "it purrs",
        "cat",
    )
    assert [known.name(at) for at in known.above(cat.concept)] == ["animal"]
    storage.save(known, path.with_name("again"))
    assert path.with_name("again").read_bytes() == path.read_bytes()


def test_statements_beside_a_file_are_written_with_it(tmp_path: Path) -> None:
    mine = Taxonomy.from_edges([("hoodie", "garment")], negations=[("dog", "pet")])
    known = with_taxonomy(wordnet_knowledge(), mine, "mine")
    storage.save(known, tmp_path / "both")
    for again in (storage.load(tmp_path / "both"), pickle.loads(pickle.dumps(known))):  # noqa: S301
        assert (again.sources, str(again)) == (("WordNet 3.0", "mine"), str(known))
        assert (again.origins == known.origins).all()
        assert (again.denials == known.denials).all()
        assert (again.guesses == known.guesses).all()
        assert [again.identifiers[at] for at in (0, -1)] == [known.identifiers[0], "hoodie"]
        assert again.glosses[again.senses("dog")[0].concept] == known.glosses[known.senses("dog")[0].concept]


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeFileNotFound, match="there is no such file"):
        storage.load(tmp_path / "none")


@pytest.mark.parametrize("size", [0, 7, 100, -1])
def test_a_cut_file_is_refused(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(KnowledgeFileError, match=r"animals\.knowledge"):
        storage.load(path)


def test_flipped_bits_are_refused_or_do_no_harm(path: Path) -> None:
    sound = path.read_bytes()
    rng = np.random.default_rng(0)
    for at in rng.integers(len(sound), size=300).tolist():
        damaged = bytearray(sound)
        damaged[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            known = storage.load(path)
            for concept in range(len(known)):
                known.ancestors([concept]), known.synonyms(concept), known.glosses[concept], known.identifiers[concept]
            known.senses("dogs")
        except UnicodeDecodeError:
            continue
        except KnowledgeFileError as error:
            assert str(error).startswith(str(path))  # noqa: PT017


def test_the_bundled_file_is_small() -> None:
    assert BUNDLED.stat().st_size < 7_800_000
    assert file_digest(BUNDLED) == BUNDLED_SHA256
