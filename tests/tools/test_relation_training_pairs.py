"""The training pairs of the relations: the file is sound, and shares no word with the everyday pairs."""

from collections import Counter
from pathlib import Path

import pytest

from entvec.bundled import everyday_pairs, google_news
from entvec.bundled.everyday import RELATIONS

TOOLS = Path(__file__).parents[2] / "tools"
COLUMNS = ["first", "second", "part_of_speech", "relation", "also", "doubtful", "stratum"]
STRATA = {
    "relation-training-pairs.tsv": (260, 160, 120, 240, 100, 160, 160),
    "relation-training-things.tsv": (180, 110, 80, 150, 80, 100, 100),
}


@pytest.fixture(scope="module", params=STRATA)
def path(request: pytest.FixtureRequest) -> Path:
    found = TOOLS / str(request.param)
    if not found.is_file():
        pytest.skip(f"no {found}: it comes with the repository only")
    return found


@pytest.fixture(scope="module")
def rows(path: Path) -> list[dict[str, str]]:
    header, *lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    assert header == COLUMNS
    return [dict(zip(COLUMNS, line, strict=True)) for line in lines]


def test_every_label_is_allowed_and_every_relation_occurs(rows: list[dict[str, str]]) -> None:
    assert {row["relation"] for row in rows} == set(RELATIONS)
    assert {row["also"] for row in rows} <= {"", *RELATIONS}
    assert all(row["also"] != row["relation"] for row in rows)
    assert {row["doubtful"] for row in rows} == {"", "yes"}


def test_there_are_as_many_as_the_rule_says(path: Path, rows: list[dict[str, str]]) -> None:
    strata = ("true", "reversed", "same", "sibling", "part", "related", "random")
    assert Counter(row["stratum"] for row in rows) == dict(zip(strata, STRATA[path.name], strict=True))
    verbs = sum(row["part_of_speech"] == "verb" for row in rows)
    assert verbs == (0 if "things" in path.name else 300)


def test_no_two_words_are_paired_twice(rows: list[dict[str, str]]) -> None:
    assert len({frozenset((row["first"], row["second"])) for row in rows}) == len(rows)
    assert len({row["first"] for row in rows}) == len(rows)
    assert max(Counter(row[column] for row in rows for column in ("first", "second")).values()) <= 4


def test_every_word_has_a_vector_and_none_is_in_an_everyday_pair(rows: list[dict[str, str]]) -> None:
    words = {row[column] for row in rows for column in ("first", "second")}
    assert not words & {word for pair in everyday_pairs() for word in pair[:2]}
    assert words <= set(google_news().words)
