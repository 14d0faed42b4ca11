"""What a space knows, and that nothing it is turned into forgets it."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import entvec
from entvec.bundled import bundled_knowledge, toy_world
from entvec.errors import InvalidInput, KnowledgeWarning, SpaceFileError
from entvec.graphs import Taxonomy, write
from entvec.knowledge import Knowledge, storage
from entvec.learn.calibration import Calibration
from entvec.model.model import Model
from entvec.search.request import Backend
from entvec.space import EntailmentSpace
from entvec.space.saved_config import digest_of
from entvec.vectors import Vectors
from entvec.vectors.vocabulary import Vocabulary

WORLD = toy_world()
VECTORS = Vectors(WORLD.words, WORLD.log_odds())
PETS = Taxonomy.from_edges([("dog", "pet"), ("cat", "pet")])
SHOP = Taxonomy.from_edges([("hoodie", "garment")], negations=[("hoodie", "pet")])


@pytest.fixture
def space() -> EntailmentSpace:
    return EntailmentSpace.from_vectors(VECTORS, interpretation="log_odds")


def sources(space: EntailmentSpace) -> tuple[str, ...]:
    return () if space.knowledge is None else space.knowledge.sources


def test_the_default_space_knows_wordnet_and_others_know_nothing(space: EntailmentSpace) -> None:
    assert entvec.load().knowledge is bundled_knowledge()
    assert space.knowledge is None


def test_later_sources_are_added_to_earlier_ones(space: EntailmentSpace) -> None:
    knowing = space.with_knowledge(PETS, names=["pets"]).with_knowledge(SHOP, PETS, names=["shop", "again"])
    assert sources(knowing) == ("pets", "shop", "again")
    assert space.knowledge is None


def test_a_file_is_named_by_its_name(space: EntailmentSpace, tmp_path: Path) -> None:
    write(PETS, tmp_path / "pets.obo")
    assert sources(space.with_knowledge(tmp_path / "pets.obo", str(tmp_path / "pets.obo"))) == ("pets.obo", "pets.obo")


def test_a_knowledge_takes_the_place_of_what_was_known(space: EntailmentSpace, tmp_path: Path) -> None:
    pets = space.with_knowledge(PETS, names=["pets"])
    assert isinstance(pets.knowledge, Knowledge)
    storage.save(pets.knowledge, tmp_path / "pets.knowledge")
    wordnet = pets.with_knowledge(bundled_knowledge())
    assert sources(wordnet) == ("WordNet 3.0", "everyday")
    assert sources(wordnet.with_knowledge(tmp_path / "pets.knowledge", SHOP)) == ("pets", "your taxonomy")


def test_none_forgets_what_was_known_before_it(space: EntailmentSpace) -> None:
    knowing = space.with_knowledge(PETS)
    assert knowing.with_knowledge(None).knowledge is None
    assert sources(knowing.with_knowledge(None, SHOP, names=["", "shop"])) == ("shop",)


def test_what_is_no_knowledge_is_refused(space: EntailmentSpace) -> None:
    with pytest.raises(InvalidInput, match="knowledge is 3, expected a Taxonomy"):
        space.with_knowledge(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="1 names of 2 sources, expected one for each"):
        space.with_knowledge(PETS, SHOP, names=["pets"])


CHANGES: dict[str, Callable[[EntailmentSpace], EntailmentSpace]] = {
    "calibration": lambda space: space.with_calibration(Calibration.platt(1.0, 0.0)),
    "specificity": lambda space: space.with_specificity(0.5),
    "dtype": lambda space: space.with_dtype("float16"),
    "vocabulary": lambda space: space.with_vocabulary(VECTORS),
    "exact search": lambda space: space.with_backend("exact"),
    "a scan": lambda space: space.with_backend("scan"),
    "memory": lambda space: space.in_memory(),
    "a version": lambda space: space.pinned(),
    "another process": lambda space: pickle.loads(pickle.dumps(space)),  # noqa: S301
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_space_knows_the_same(change: str, space: EntailmentSpace) -> None:
    assert sources(CHANGES[change](space.with_knowledge(PETS, names=["pets"]))) == ("pets",)


class Served:
    """A remote whose versions have the parts of a space in memory."""

    def __init__(self, space: EntailmentSpace) -> None:
        self.space = space

    def current(self) -> tuple[Vocabulary, Model, Backend]:
        return self.space.vocabulary, self.space.model, self.space.backend

    def close(self) -> None:
        pass


def test_a_new_version_in_a_database_knows_what_the_one_before_did(space: EntailmentSpace) -> None:
    remote = Served(space)
    knowing = EntailmentSpace(*remote.current(), remote=remote).with_knowledge(PETS, names=["pets"])
    remote.space = space.with_specificity(0.5)
    knowing.follow()
    assert (sources(knowing), knowing.model) == (("pets",), remote.space.model)


# Folders


def test_a_folder_has_what_the_space_knows(space: EntailmentSpace, tmp_path: Path) -> None:
    space.with_knowledge(PETS, SHOP, names=["pets", "shop"]).save(tmp_path / "space")
    found = EntailmentSpace.load(tmp_path / "space").knowledge
    assert found is not None
    assert str(found) == "pets + shop: 5 terms, 5 senses, 5 concepts, 3 is-a"
    assert [found.name(at) for at in found.denials[0, :2]] == ["hoodie", "pet"]
    assert sorted(found.origins.tolist()) == [0, 0, 1]


def test_wordnet_is_not_copied(space: EntailmentSpace, tmp_path: Path) -> None:
    space.with_knowledge(bundled_knowledge()).save(tmp_path / "space")
    assert not (tmp_path / "space" / "knowledge.safetensors").exists()
    assert EntailmentSpace.load(tmp_path / "space").knowledge is bundled_knowledge()


def test_a_space_that_knows_nothing_says_nothing(space: EntailmentSpace, tmp_path: Path) -> None:
    space.save(tmp_path / "space")
    assert "knowledge" not in json.loads((tmp_path / "space" / "config.json").read_text())
    assert EntailmentSpace.load(tmp_path / "space").knowledge is None


def test_damaged_knowledge_is_told_by_its_name(space: EntailmentSpace, tmp_path: Path) -> None:
    space.with_knowledge(PETS).save(tmp_path / "space")
    file = tmp_path / "space" / "knowledge.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(SpaceFileError, match=r"knowledge\.safetensors: it is damaged"):
        EntailmentSpace.load(tmp_path / "space")


def changed(folder: Path, knowledge: object) -> None:
    description = json.loads((folder / "config.json").read_text())
    description["knowledge"] = knowledge
    description["digest"] = digest_of(description)
    (folder / "config.json").write_text(json.dumps(description))


def test_another_edition_of_wordnet_is_told(space: EntailmentSpace, tmp_path: Path) -> None:
    space.with_knowledge(bundled_knowledge()).save(tmp_path / "space")
    changed(tmp_path / "space", {"sources": ["WordNet 2.1"], "sha256": "0"})
    with pytest.warns(KnowledgeWarning, match=r"another edition of WordNet 2\.1 than the one here, which is used now"):
        assert EntailmentSpace.load(tmp_path / "space").knowledge is bundled_knowledge()


@pytest.mark.parametrize("entry", [3, [], {}, {"sources": [3]}, {"sources": [], "sha256": None}, {"sources": "pets"}])
def test_a_wrong_entry_is_told(entry: object, space: EntailmentSpace, tmp_path: Path) -> None:
    space.save(tmp_path / "space")
    changed(tmp_path / "space", entry)
    with pytest.raises(SpaceFileError, match="expected a sound entry 'knowledge'"):
        EntailmentSpace.load(tmp_path / "space")
