"""Files of knowledge: what is written is read, and what is damaged is refused."""

from pathlib import Path

import numpy as np
import pytest

from entvec.bundled.knowledge import WORDNET
from entvec.errors import KnowledgeFileError, KnowledgeFileNotFound
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
        except (KnowledgeFileError, UnicodeDecodeError):
            continue


def test_the_bundled_file_is_small() -> None:
    assert WORDNET.stat().st_size < 7_500_000
