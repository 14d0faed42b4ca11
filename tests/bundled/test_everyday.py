"""Everyday pairs: the counts, the labels, the splits, and the draw again."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from entvec.bundled import everyday_pairs, google_news
from entvec.bundled.everyday import EVERYDAY_PAIRS, RELATIONS, SPLITS
from entvec.errors import InvalidInput

TOOLS = Path(__file__).parents[2] / "tools"
WORDNET = Path("/usr/share/wordnet")
PAIRS = everyday_pairs()
STRATA = {"true": 110, "reversed": 80, "same": 50, "sibling": 100, "part": 50, "related": 50, "random": 60}


def test_there_are_as_many_as_the_rule_says() -> None:
    assert Counter(pair.stratum for pair in PAIRS) == STRATA
    assert Counter(pair.split for pair in PAIRS) == {"development": 150, "test": 350}
    for stratum, n in STRATA.items():
        assert sum(pair.split == "development" and pair.stratum == stratum for pair in PAIRS) == n * 3 // 10
    assert {pair.part_of_speech for pair in PAIRS} == {"noun", "verb"}


def test_every_relation_is_allowed_and_occurs() -> None:
    assert {pair.relation for pair in PAIRS} == set(RELATIONS)
    assert {pair.also for pair in PAIRS} <= {None, *RELATIONS}
    assert all(pair.also != pair.relation for pair in PAIRS)
    assert 0 < sum(pair.doubtful for pair in PAIRS) < 50


def test_no_two_words_are_paired_twice_and_no_word_is_in_more_than_four_pairs() -> None:
    assert len({frozenset(pair[:2]) for pair in PAIRS}) == len(PAIRS)
    uses = Counter(word for pair in PAIRS for word in pair[:2])
    assert max(uses.values()) <= 4
    assert set(uses) <= set(google_news().words)


def test_the_splits_share_no_word() -> None:
    words = [{word for pair in everyday_pairs(split) for word in pair[:2]} for split in SPLITS]
    assert not words[0] & words[1]
    assert len(everyday_pairs("development")) + len(everyday_pairs("test")) == len(PAIRS)


def test_the_also_relation_is_a_right_answer() -> None:
    for pair in PAIRS:
        right = {relation for relation in RELATIONS if pair.accepts(relation)}
        assert right == {pair.relation, pair.also} - {None}
        assert not pair.accepts("unknown")


def test_the_direction_is_the_one_people_would_give() -> None:
    relations = {pair[:2]: pair.relation for pair in PAIRS}
    assert relations["bench", "furniture"] == "narrower"
    assert relations["weapon", "gun"] == "broader"
    assert relations["wing", "plane"] == "part"
    assert relations["hospital", "ward"] == "whole"
    assert relations["car", "truck"] == "sibling"


def test_an_unknown_split_is_refused() -> None:
    split: Any = "train"
    with pytest.raises(InvalidInput, match="no split 'train', expected one of development, test"):
        everyday_pairs(split)


def test_the_licence_is_beside_them() -> None:
    licence = EVERYDAY_PAIRS.with_suffix(".LICENSE.txt").read_text(encoding="utf-8")
    assert "Apache-2.0" in licence
    assert "\nWordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.\n" in licence


# The scripts


def script(name: str) -> Any:
    return pytest.importorskip(name, reason="the scripts come with the repository only")


@pytest.mark.slow
@pytest.mark.skipif(not (WORDNET / "data.noun").is_file(), reason="needs WordNet: apt-get install wordnet-base")
def test_they_are_drawn_again(tmp_path: Path) -> None:
    draw = script("draw_everyday_pairs")
    draw.main(["-o", str(tmp_path / "drawn.tsv")])
    header, *drawn = (line.split("\t") for line in (tmp_path / "drawn.tsv").read_text().splitlines())
    assert drawn == [[*pair[:3], pair.stratum, pair.split] for pair in PAIRS]
    assert header == ["first", "second", "part_of_speech", "stratum", "split"]
    draw.main(["--blind", "3", "-o", str(tmp_path / "sheet.tsv")])
    header, *sheet = (line.split("\t") for line in (tmp_path / "sheet.tsv").read_text().splitlines())
    assert header == ["first", "second", "part_of_speech"]
    assert sorted(sheet) == sorted(row[:3] for row in drawn)
    assert sheet != [row[:3] for row in drawn]


@pytest.mark.skipif(not (WORDNET / "data.noun").is_file(), reason="needs WordNet: apt-get install wordnet-base")
def test_the_words_are_base_forms_of_nouns_and_verbs() -> None:
    draw = script("draw_everyday_pairs")
    wordnet, vocabulary = draw.WordNet(WORDNET), set(google_news().words)
    chosen = {"dog": "noun", "meeting": "noun", "news": "noun", "say": "verb"}
    left_out = ["making", "dogs", "children", "said", "says", "left", "could", "quick", "ox"]
    for word in [*chosen, *left_out]:
        assert draw.part_of_speech(word, wordnet, vocabulary) == chosen.get(word), word


def test_without_wordnet_the_draw_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no file .*cntlist\.rev, expected WordNet 3\.0's: apt-get install"):
        script("draw_everyday_pairs").main(["--wordnet", str(tmp_path)])


def test_the_agreement_of_two_annotators(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agree = script("agree_everyday_pairs")
    agree.main([])
    assert "250 pairs: the same relation for 231 (92.4%)\nCohen's kappa 0.901\n" in capsys.readouterr().out
    # Cohen's own measure: 0.6 observed, 0.5 by chance.
    assert agree.kappa(list("aaaaabbbbb"), list("aaabbbbbaa")) == pytest.approx(0.2)
    assert agree.kappa(list("aa"), list("aa")) == 1


def test_both_annotators_labelled_pairs_that_exist() -> None:
    path = TOOLS / "everyday-pairs-passes.tsv"
    if not path.is_file():
        pytest.skip(f"no {path}: it comes with the repository only")
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    assert len(rows) == 250
    assert {(row[0], row[1]) for row in rows} <= {pair[:2] for pair in PAIRS}
    assert {row[2] for row in rows} | {row[4] for row in rows} <= set(RELATIONS)
