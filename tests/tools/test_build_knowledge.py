"""The build of the bundled knowledge, from a hand-made WordNet and from the real one."""

import os
from pathlib import Path

import pytest

from entvec.bundled.knowledge import BUNDLED
from entvec.knowledge import Knowledge, storage

BUILD = pytest.importorskip("build_knowledge", reason="the scripts come with the repository only")
WORDNET = Path("/usr/share/wordnet")

HEADER = "  1 You may use this.  \n  2   \n  3 So there.  \n"
FILES = {
    "data.noun": HEADER
    + "00000001 03 n 01 animal 0 000 | it lives\n"
    + "00000002 05 n 02 dog 0 Canis_familiaris 0 002 @ 00000001 n 0000 #m 00000004 n 0000 | it barks\n"
    + "00000003 05 n 02 dog 0 cad 0 002 @ 00000001 n 0000 ;u 00000005 n 0201 | a bad man\n"
    + "00000004 14 n 01 pack 0 000 | many dogs\n"
    + "00000005 10 n 01 slang 0 000 | loose talk\n"
    + "00000006 18 n 01 Rex 0 001 @i 00000002 n 0000 | that dog\n",
    "index.noun": HEADER
    + "animal n 1 0 1 0 00000001\ncad n 1 0 1 0 00000003\ncanis_familiaris n 1 0 1 0 00000002\n"
    + "dog n 2 0 2 1 00000002 00000003\npack n 1 0 1 0 00000004\nrex n 1 0 1 0 00000006\nslang n 1 0 1 0 00000005\n",
    "data.verb": HEADER
    + "00000001 29 v 01 sleep 0 000 01 + 01 00 | rest\n"
    + "00000002 29 v 02 snore 0 dog 0 001 * 00000001 v 0000 01 + 01 00 | be loud\n",
    "index.verb": HEADER + "dog v 1 0 1 0 00000002\nsleep v 1 0 1 0 00000001\nsnore v 1 0 1 0 00000002\n",
    "data.adj": HEADER + "00000001 00 a 02 doggy(a) 0 animal 0 000 | like a dog\n",
    "data.adv": HEADER + "00000001 02 r 01 doggedly 0 000 | with force\n",
    "noun.exc": "dice die\noxen ox\n",
    "verb.exc": "slept sleep\n",
    "cntlist.rev": "dog%1:05:00:: 1 42\ndog%1:05:01:: 2 3\ndog%2:29:00:: 1 7\n",
}


@pytest.fixture
def known(tmp_path: Path) -> Knowledge:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    BUILD.main(["--wordnet", str(tmp_path), "--alone", "-o", str(tmp_path / "small.knowledge")])
    return storage.load(tmp_path / "small.knowledge")


def test_senses_are_sorted_by_frequency(known: Knowledge) -> None:
    found = [(str(sense), sense.part_of_speech, sense.frequency) for sense in known.senses("dogs")]
    assert found == [("dog#1", "noun", 42), ("dog#v1", "verb", 7), ("dog#2", "noun", 3)]


def test_pointers(known: Knowledge) -> None:
    animal, dog, cad, pack, slang, rex, sleep, snore = range(8)
    assert known.above(dog) == known.above(cad) == [animal]
    assert known.above(rex) == [dog]
    assert known.part_of.of(dog) == [pack]
    assert known.implies.of(snore) == [sleep]
    assert [(known.terms[term], *marked) for term, *marked in known.marks.tolist()] == [("cad", cad, slang)]


def test_words_identifiers_and_glosses(known: Knowledge) -> None:
    assert [known.name(concept) for concept in range(len(known))] == [
        "animal",
        "dog",
        "dog",
        "pack",
        "slang",
        "Rex",
        "sleep",
        "snore",
    ]
    assert (known.identifiers[1], known.identifiers[7]) == ("00000002-n", "00000002-v")
    assert known.glosses[:2] == ["it lives", "it barks"]
    assert list(known.flat) == ["doggedly", "doggy"]
    assert "slept" in known


def test_the_licence_is_the_header_without_its_numbers(known: Knowledge, tmp_path: Path) -> None:
    assert (tmp_path / "wordnet.LICENSE.txt").read_text() == "You may use this.\n\nSo there.\n"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        SystemExit, match=r"no file .*data\.noun, expected WordNet 3\.0's: apt-get install wordnet-base"
    ):
        BUILD.main(["--wordnet", str(tmp_path), "-o", str(tmp_path / "none")])


@pytest.mark.skipif("ENTVEC_REBUILD" not in os.environ, reason="takes long; ENTVEC_REBUILD=1 runs it (.ci/scheduled)")
@pytest.mark.skipif(not (WORDNET / "data.noun").is_file(), reason="needs WordNet: apt-get install wordnet-base")
def test_the_bundled_file_can_be_built_again(tmp_path: Path) -> None:
    BUILD.main(["-o", str(tmp_path / "bundled.knowledge")])
    assert (tmp_path / "bundled.knowledge").read_bytes() == BUNDLED.read_bytes()
    assert (tmp_path / "wordnet.LICENSE.txt").read_bytes() == BUNDLED.with_name("wordnet.LICENSE.txt").read_bytes()
    assert (tmp_path / "gloss-words.tsv").read_bytes() == BUNDLED.with_name("gloss-words.tsv").read_bytes()
