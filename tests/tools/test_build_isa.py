"""The build of the table of noun relations, from a hand-made WordNet and from the real one."""

import os
from collections.abc import Sequence
from importlib.resources import files
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from entvec.bundled.wordnet import COLUMNS, RELATIONS

BUILD = pytest.importorskip("build_isa", reason="the scripts come with the repository only")
WORDNET = Path("/usr/share/wordnet")

# Offset: the lemmas as they are written, and the pointers.
SYNSETS = {
    1: ("entity", ""),
    2: ("animal beast", "@1"),
    3: ("dog Canis_familiaris", "@2 #m8"),
    4: ("poodle", "@3"),
    5: ("cat", "@2"),
    6: ("dog cad", "@7"),  # the second sense of dog
    7: ("person", "@1"),
    8: ("pack", "@1 %m3"),
    9: ("Rex", "@i3"),
    10: ("poodle rex", "@5"),  # a second sense of poodle, and the first of rex in any case
    11: ("beast", "@7"),  # person -> beast, while its other sense is above dog
    12: ("dog(p) hound", "@3"),  # a dog that is a dog, with an adjective's marker
    13: ("ice_cream", "@1"),
    14: ("Ice", "@13"),
}
INDEX = {"dog": [3, 6, 12], "poodle": [4, 10], "beast": [2, 11], "rex": [10, 9]}
MATCHED = ["cat", "dog", "poodle", "animal", "beast", "person", "Rex", "rex", "pack", "entity", "hound", "ice_cream"]
WORDS = [*MATCHED, "ice", "absent"]  # data.noun writes Ice


def write_wordnet(folder: Path, synsets: dict[int, tuple[str, str]], index: dict[str, list[int]]) -> Path:
    header = "  1 You may use this.  \n  2   \n  3 So there.  \n"
    data = header
    lemmas: dict[str, list[int]] = {}
    for offset, (words, targets) in synsets.items():
        pointers = [
            f"{target.rstrip('0123456789')} {int(target.lstrip('@i#%pms')):08} n 0000" for target in targets.split()
        ]
        pointers.append("+ 00000002 v 0101")  # of another part of speech
        spelled = " ".join(f"{word} 0" for word in words.split())
        data += (
            f"{offset:08} 03 n {len(words.split()):02x} {spelled} {len(pointers):03} {' '.join(pointers)} | a gloss  \n"
        )
        for word in words.split():
            lemmas.setdefault(word.split("(")[0].lower(), []).append(offset)
    (folder / "data.noun").write_text(data)
    senses = (
        f"{lemma} n {len(found)} 2 @ ~ {len(found)} 0 {' '.join(f'{offset:08}' for offset in found)}  \n"
        for lemma, found in (lemmas | index).items()
    )
    (folder / "index.noun").write_text(header + "".join(senses))
    return folder


def run(folder: Path, words: Sequence[str] = WORDS) -> tuple[list[str], set[tuple[str, str, str, int, int, int]]]:
    """The words of the table, and its rows without the depths."""
    (folder / "words.txt").write_text("\n".join(words) + "\n")
    BUILD.main(["--wordnet", str(folder), "--words", str(folder / "words.txt"), "-o", str(folder / "isa.npz")])
    with np.load(folder / "isa.npz", allow_pickle=False) as arrays:
        named = arrays["words"].tolist()
        columns = [arrays[name].tolist() for name in COLUMNS][:6]
    rows = zip(*columns, strict=True)
    return named, {(named[y], named[x], RELATIONS[r], *others) for y, x, r, *others in rows}


def test_a_small_wordnet(tmp_path: Path) -> None:
    words, rows = run(write_wordnet(tmp_path, SYNSETS, INDEX))
    assert words == MATCHED
    assert {row for row in rows if row[0] == "dog"} == {
        ("dog", "animal", "is-a", 1, 1, 1),
        ("dog", "beast", "is-a", 1, 1, 1),
        ("dog", "entity", "is-a", 2, 1, 1),
        ("dog", "person", "is-a", 1, 2, 1),
        ("dog", "entity", "is-a", 2, 2, 1),
        ("dog", "animal", "is-a", 2, 3, 1),  # as a hound, but no dog is a dog
        ("dog", "beast", "is-a", 2, 3, 1),
        ("dog", "entity", "is-a", 3, 3, 1),
        ("dog", "cat", "co-hyponym", 2, 1, 1),
        ("dog", "pack", "part-whole", 1, 1, 1),
    }
    assert {row for row in rows if row[0] == "Rex"} == {
        ("Rex", "dog", "instance", 1, 2, 1),
        ("Rex", "animal", "instance", 2, 2, 1),
        ("Rex", "beast", "instance", 2, 2, 1),
        ("Rex", "entity", "instance", 3, 2, 1),
    }
    assert {row for row in rows if row[2] == "part-whole"} == {("dog", "pack", "part-whole", 1, 1, 1)}
    # Not beast and person: a beast in its second sense is a person.
    alike = [{"cat", "dog"}, {"poodle", "hound"}, {"animal", "person", "pack", "ice_cream"}]
    alike += [{"beast", "pack"}, {"beast", "ice_cream"}]
    assert {row[:2] for row in rows if row[2] == "co-hyponym"} == {
        pair for group in alike for pair in permutations(group, 2)
    }


def test_depths_are_those_of_the_synsets(tmp_path: Path) -> None:
    run(write_wordnet(tmp_path, SYNSETS, INDEX))
    with np.load(tmp_path / "isa.npz") as arrays:
        named = arrays["words"].tolist()
        sides = [
            [arrays[f"{side}{column}"].tolist() for column in ("", "_sense", "_depth")] for side in ("hypo", "hyper")
        ]
    depths = {(named[word], sense, depth) for side in sides for word, sense, depth in zip(*side, strict=True)}
    assert depths >= {("entity", 1, 0), ("dog", 1, 2), ("dog", 2, 2), ("dog", 3, 3), ("poodle", 1, 3), ("Rex", 2, 3)}
    assert len(depths) == len({entry[:2] for entry in depths})


def test_the_shortest_way_counts(tmp_path: Path) -> None:
    synsets = {1: ("a", ""), 2: ("b", "@1"), 3: ("c", "@2"), 4: ("d", "@3 @1")}
    _, rows = run(write_wordnet(tmp_path, synsets, {}), ["a", "b", "c", "d"])
    assert {row[1:4] for row in rows if row[0] == "d" and row[2] == "is-a"} == {
        *[("a", "is-a", 1), ("b", "is-a", 2), ("c", "is-a", 1)],
    }


def test_words_that_mean_the_same_in_some_sense_are_not_merely_alike(tmp_path: Path) -> None:
    synsets = {1: ("a", ""), 2: ("b", "@1"), 3: ("c", "@1"), 4: ("b c", "@1")}
    _, rows = run(write_wordnet(tmp_path, synsets, {}), ["a", "b", "c"])
    assert {row[:3] for row in rows} == {("b", "a", "is-a"), ("c", "a", "is-a")}


def test_a_cycle_does_not_hang(tmp_path: Path) -> None:
    synsets = {1: ("a", ""), 2: ("b", "@1 @3"), 3: ("c", "@2")}
    _, rows = run(write_wordnet(tmp_path, synsets, {}), ["a", "b", "c"])
    assert ("b", "c", "is-a", 1, 1, 1) in rows
    assert not any(row[0] == row[1] for row in rows)
    with pytest.raises(SystemExit, match="no way up from synset 00000002 to a root"):
        run(write_wordnet(tmp_path, synsets | {2: ("b", "@3")}, {}))


def test_the_licence_is_the_header_without_its_numbers(tmp_path: Path) -> None:
    run(write_wordnet(tmp_path, SYNSETS, INDEX))
    assert (tmp_path / "isa.LICENSE.txt").read_text() == "You may use this.\n\nSo there.\n"


def test_two_runs_give_the_same_bytes_and_print_their_checksum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_wordnet(tmp_path, SYNSETS, INDEX)
    run(tmp_path)
    first, printed = (tmp_path / "isa.npz").read_bytes(), capsys.readouterr().out
    run(tmp_path)
    assert (tmp_path / "isa.npz").read_bytes() == first
    assert capsys.readouterr().out == printed
    assert f"{len(first):,} bytes, sha256 " in printed
    assert "12 are WordNet nouns as they are written, 1 without a first sense" in printed


def test_words_that_are_no_nouns_give_an_empty_table(tmp_path: Path) -> None:
    assert run(write_wordnet(tmp_path, SYNSETS, INDEX), ["of", "the"]) == ([], set())


def test_mistakes_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        SystemExit, match=r"no file .*data\.noun, expected WordNet 3\.0's: apt-get install wordnet-base"
    ):
        run(tmp_path)
    with pytest.raises(SystemExit, match=r"does not name synset 00000006 of data\.noun as a sense of 'dog'"):
        run(write_wordnet(tmp_path, SYNSETS, INDEX | {"dog": [3, 12]}))
    with pytest.raises(SystemExit):
        BUILD.main(["--words", str(tmp_path / "none.txt")])
    assert "none.txt, expected one word a line" in capsys.readouterr().err


@pytest.mark.skipif("ENTVEC_REBUILD" not in os.environ, reason="takes long; ENTVEC_REBUILD=1 runs it (.ci/scheduled)")
@pytest.mark.skipif(not (WORDNET / "data.noun").is_file(), reason="needs WordNet: apt-get install wordnet-base")
def test_the_bundled_table_can_be_built_again(tmp_path: Path) -> None:
    BUILD.main(["-o", str(tmp_path / "isa.npz")])
    data = files("entvec.bundled") / "data"
    assert (tmp_path / "isa.LICENSE.txt").read_bytes() == (data / "isa.LICENSE.txt").read_bytes()
    # Not the bytes of the archive: another version of zlib may compress the same table in another way.
    with np.load(tmp_path / "isa.npz") as built, (data / "isa.npz").open("rb") as file, np.load(file) as bundled:
        assert built.files == bundled.files
        for name in built.files:
            np.testing.assert_array_equal(built[name], bundled[name])
