"""The table of noun relations: facts that anyone can check, and the laws that the whole of it obeys."""

import hashlib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from entvec.bundled.wordnet import COLUMNS, RELATIONS, IsA, isa
from entvec.errors import BenchmarkFileError, InvalidInput, WordNotFound

SHA256 = "579fc18eb42877b3032945268e1cc0b2bc8a56a7f22b7b3f7832db41c92dd931"
TABLE = isa()
DATA = files("entvec.bundled") / "data"


def rows(hypo: str, hyper: str, relation: str) -> list[dict[str, int]]:
    chosen = TABLE.select(relation)
    found = np.flatnonzero((chosen.hypo == TABLE.words.index(hypo)) & (chosen.hyper == TABLE.words.index(hyper)))
    return [{name: int(getattr(chosen, name)[row]) for name in COLUMNS} for row in found]


def senses_of(table: IsA) -> tuple[np.ndarray, np.ndarray]:
    """A number for each word in each sense, of the hypos and of the hypers."""
    return table.hypo * 64 + table.hypo_sense, table.hyper * 64 + table.hyper_sense


def test_the_file_is_the_one_that_was_checked() -> None:
    content = (DATA / "isa.npz").read_bytes()
    assert hashlib.sha256(content).hexdigest() == SHA256
    assert len(content) < 1_500_000


def test_the_licence_is_beside_it() -> None:
    licence = (DATA / "isa.LICENSE.txt").read_text(encoding="utf-8")
    assert licence.startswith("This software and database is being provided to you, the LICENSEE, by\n")
    assert "\nWordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.\n" in licence
    assert licence.endswith("\nPrinceton University and LICENSEE agrees to preserve same.\n")


@pytest.mark.parametrize(
    ("hypo", "hyper", "relation", "distance"),
    [
        ("dog", "canine", "is-a", 1),
        ("dog", "animal", "is-a", 2),  # by way of domestic animal
        ("dog", "entity", "is-a", 8),
        ("poodle", "dog", "is-a", 1),
        ("car", "vehicle", "is-a", 4),  # motor vehicle, self-propelled vehicle, wheeled vehicle
        ("guitar", "instrument", "is-a", 2),  # a stringed instrument
        ("cancer", "disease", "is-a", 3),
        ("Chicago", "city", "instance", 1),
        ("Paris", "city", "instance", 2),  # a national capital
        ("Africa", "continent", "instance", 1),
        ("dog", "fox", "co-hyponym", 2),
        ("guitar", "piano", "co-hyponym", 2),
        ("dog", "pack", "part-whole", 1),
        ("beard", "face", "part-whole", 1),
        ("Ireland", "Europe", "part-whole", 1),
    ],
)
def test_known_facts(hypo: str, hyper: str, relation: str, distance: int) -> None:
    assert distance in [row["distance"] for row in rows(hypo, hyper, relation)]
    swapped = rows(hyper, hypo, relation)
    assert bool(swapped) is (relation == "co-hyponym")  # the only relation that holds both ways


def test_a_row_tells_senses_and_depths() -> None:
    first, *others = rows("dog", "animal", "is-a")
    assert first["hypo_sense"] == first["hyper_sense"] == 1
    assert (first["hypo_depth"], first["hyper_depth"]) == (8, 6)  # entity, physical entity, object, ..., animal
    assert not others  # no other sense of dog is an animal
    assert {row["hypo_sense"] for row in rows("dog", "entity", "is-a")} == {1, 2, 3, 4, 5, 6, 7}  # all senses are kept
    assert {row["hyper_depth"] for row in rows("dog", "entity", "is-a")} == {0}


def test_spellings_share_the_numbers_of_senses() -> None:
    assert {row["hypo_sense"] for row in rows("China", "entity", "instance")} >= {1}
    assert 1 not in {row["hypo_sense"] for row in rows("china", "entity", "is-a")}


def test_no_word_is_its_own_hyper_and_no_row_is_there_twice() -> None:
    assert np.all(TABLE.hypo != TABLE.hyper)
    keys = np.stack([TABLE.hypo, TABLE.hyper, TABLE.relation, TABLE.hypo_sense, TABLE.hyper_sense])
    assert np.unique(keys, axis=1).shape[1] == len(TABLE)
    assert len(set(TABLE.words)) == len(TABLE.words)
    assert set(np.union1d(TABLE.hypo, TABLE.hyper).tolist()) == set(range(len(TABLE.words)))


@pytest.mark.parametrize("relation", ["is-a", "instance"])
def test_what_is_above_the_hyper_is_above_the_hypo(relation: str) -> None:
    up = TABLE.select("is-a")
    first = TABLE.select(relation)
    size = 64 * len(TABLE.words)
    step, steps = (
        sparse.csr_array((np.ones(len(table), dtype=np.int32), senses_of(table)), shape=(size, size))
        for table in (first, up)
    )
    below, above = (step @ steps).nonzero()
    known = set(zip(*(side.tolist() for side in senses_of(first)), strict=True))
    # A word may be above itself in another sense, which is no row.
    implied = {(b, a) for b, a in zip(below.tolist(), above.tolist(), strict=True) if b // 64 != a // 64}
    assert implied
    assert implied <= known


def test_distances_and_depths_agree() -> None:
    table = TABLE.select(["is-a", "instance"])
    assert table.distance.min() == 1
    assert np.all(table.hypo_depth <= table.hyper_depth.astype(int) + table.distance)  # depth is a shortest way
    assert np.all(TABLE.select("part-whole").distance == 1)
    assert np.all(TABLE.select("co-hyponym").distance == 2)
    roots = table.hyper[table.hyper_depth == 0]
    assert {TABLE.words[root] for root in roots.tolist()} == {"entity"}
    assert np.all(table.hypo_depth > 0)


def test_a_sense_has_one_depth() -> None:
    senses = np.concatenate(senses_of(TABLE))
    depths = np.concatenate([TABLE.hypo_depth, TABLE.hyper_depth])
    both = np.unique(np.stack([senses, depths]), axis=1)
    assert both.shape[1] == len(np.unique(senses))


def test_of_first_senses_no_pair_holds_both_ways() -> None:
    pairs = set(TABLE.select(["is-a", "instance"], max_hypo_sense=1, max_hyper_sense=1).pairs())
    assert not any(pair[::-1] in pairs for pair in pairs)


def test_co_hyponyms_are_not_each_other_in_any_sense() -> None:
    alike = set(TABLE.select("co-hyponym").pairs())
    assert alike
    assert alike == {pair[::-1] for pair in alike}
    assert not alike & set(TABLE.select(["is-a", "instance"]).pairs())
    assert np.all(TABLE.select("co-hyponym").hypo_sense == 1)
    assert np.all(TABLE.select("co-hyponym").hyper_sense == 1)


def test_select_keeps_exactly_the_rows_that_fit() -> None:
    chosen = TABLE.select(["is-a", "instance"], max_distance=3, max_hypo_sense=2, max_hyper_sense=3, min_depth=4)
    columns = zip(*(getattr(TABLE, name).tolist() for name in COLUMNS), strict=True)
    expected = [
        row for row in columns if row[2] in (0, 1) and row[3] <= 3 and row[4] <= 2 and row[5] <= 3 and row[7] >= 4
    ]
    assert list(zip(*(getattr(chosen, name).tolist() for name in COLUMNS), strict=True)) == expected
    assert 0 < len(chosen) < len(TABLE)
    assert chosen.words == TABLE.words
    assert len(TABLE.select(RELATIONS)) == len(TABLE)
    assert len(TABLE.select("is-a", min_depth=0)) == len(TABLE.select())


def test_pairs_are_named_once() -> None:
    pairs = TABLE.select().pairs()
    assert len(set(pairs)) == len(pairs) < len(TABLE.select())
    assert ("dog", "animal") in pairs
    assert ("animal", "dog") not in pairs


def test_hypernyms_come_by_sense_and_then_by_distance() -> None:
    above = TABLE.hypernyms("dog")
    assert above[:2] == ["canine", "animal"]
    assert above.index("animal") < above.index("organism") < above.index("entity")
    assert above.index("entity") < above.index("person")  # an unattractive one is the second sense
    assert "fox" not in above  # alike
    assert "pack" not in above  # its whole
    assert TABLE.hypernyms("bank")[0] == "slope"
    assert TABLE.hypernyms("Paris")[:2] == ["city", "metropolis"]
    assert TABLE.hypernyms("entity") == []


def test_hyponyms_are_the_other_direction() -> None:
    assert TABLE.hyponyms("guitar") == ["acoustic_guitar", "electric_guitar"]
    assert {"puppy", "poodle", "hound"} <= set(TABLE.hyponyms("dog"))
    assert "Paris" in TABLE.hyponyms("city")
    for word in ("dog", "city", "disease"):
        assert all(word in TABLE.hypernyms(below) for below in TABLE.hyponyms(word))


def test_it_reads_well() -> None:
    assert str(TABLE.select("part-whole")) == "3,447 rows among 11,873 nouns: 3,447 part-whole"
    assert str(TABLE.select("instance", max_distance=1, min_depth=99)) == "0 rows among 11,873 nouns: none"


def test_the_shared_table_cannot_be_changed() -> None:
    assert isa() is TABLE
    for table in (TABLE, TABLE.select()):
        for name, dtype in COLUMNS.items():
            column = getattr(table, name)
            assert column.dtype == dtype
            assert len(column) == len(table)
            with pytest.raises(ValueError, match="read-only"):
                column[0] = 0


def test_mistakes_are_told() -> None:
    with pytest.raises(WordNotFound, match=r"no word 'guitarr' among 11,873; did you mean 'guitar'"):
        TABLE.hypernyms("guitarr")
    with pytest.raises(WordNotFound, match="no word 'qqqqqqqq' among 11,873, and none that looks like it"):
        TABLE.hyponyms("qqqqqqqq")
    with pytest.raises(InvalidInput, match="no relation 'isa', expected one of is-a, instance, co-hyponym, part-whole"):
        TABLE.select("isa")
    with pytest.raises(InvalidInput, match="max_distance is 0, expected 1 or more"):
        TABLE.select(max_distance=0)
    with pytest.raises(InvalidInput, match="max_hypo_sense is 0, expected 1 or more"):
        TABLE.select(max_hypo_sense=0)
    with pytest.raises(InvalidInput, match="min_depth is -1, expected 0 or more"):
        TABLE.select(min_depth=-1)


# Files

FEW = replace(TABLE, **{name: getattr(TABLE, name)[:9] for name in COLUMNS})


def columns_of(table: IsA) -> dict[str, Any]:
    return {"words": np.array(table.words), **{name: getattr(table, name) for name in COLUMNS}}


def test_a_table_for_other_words_comes_from_a_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "few.npz", **columns_of(FEW))
    read = IsA.load(tmp_path / "few.npz")
    assert read.words == FEW.words
    assert read.pairs() == FEW.pairs()


@pytest.mark.parametrize(
    "changed",
    [
        {"hyper": np.full(len(FEW), len(FEW.words))},
        {"hypo": np.full(len(FEW), -1)},
        {"relation": np.full(len(FEW), len(RELATIONS))},
        {"distance": np.ones(len(FEW) - 1)},
        {"words": np.arange(len(FEW.words))},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_table_whose_columns_do_not_fit_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    np.savez(tmp_path / "bad.npz", **{**columns_of(FEW), **changed})
    with pytest.raises(BenchmarkFileError, match="its columns do not fit"):
        IsA.load(tmp_path / "bad.npz")


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("dog animal")
    np.savez(tmp_path / "other.npz", words=np.array(["dog"]))
    for name, reason in {"text": "", "other.npz": "hypo", "none.npz": "No such file", ".": "directory"}.items():
        with pytest.raises(BenchmarkFileError, match=f"expected a table that tools/build_isa.py wrote: .*{reason}"):
            IsA.load(tmp_path / name)
