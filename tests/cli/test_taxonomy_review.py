"""`entvec taxonomy place -o`, `apply` and `match`: a file of terms, a review, a new taxonomy."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import entvec
from entvec.cli import app
from entvec.graphs import read
from entvec.space.default import default_space


@pytest.fixture(scope="module", autouse=True)
def _one_space() -> Iterator[None]:
    space = default_space()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entvec, "load", lambda path=None: space)
        yield


def ask(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["taxonomy", *map(str, arguments)], env={"COLUMNS": "200", "TERM": "dumb"})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.txt"
    path.write_text("clothing\n  shoe\n  shirt\nfood\n  fruit\n    apple\n")
    return path


@pytest.fixture
def review(tmp_path: Path, shop: Path) -> Path:
    (tmp_path / "new.csv").write_text("name,description\nsneaker,a soft shoe\nShirts,\nedible fruit,\nqqqqqqq,\n")
    done = ask("place", tmp_path / "new.csv", "--taxonomy", shop, "-o", tmp_path / "review.csv")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "4 terms: 2 placed, 1 the same as a term that is there, 1 unplaced" in done.stderr
    assert "unplaced: qqqqqqq: " in done.stderr
    return tmp_path / "review.csv"


def decide(review: Path, **decisions: str) -> None:
    """Write decisions, by term and relation."""
    with review.open(newline="") as file:
        rows = list(csv.DictReader(file))
    seen = set()
    for row in rows:
        key = f"{row['term']} {row['relation']}"
        if key in decisions and key not in seen:
            row["decision"] = decisions[key]
            seen.add(key)
    assert seen == set(decisions)
    with review.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_every_term_of_the_file_is_in_the_review(review: Path) -> None:
    with review.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["term"] for row in rows} == {"sneaker", "Shirts", "edible fruit", "qqqqqqq"}
    assert (rows[0]["relation"], rows[0]["target"], rows[0]["path"]) == ("narrower", "shoe", "clothing > shoe")
    assert rows[0]["definition"] == "a soft shoe"


def test_decisions_change_the_taxonomy_and_the_diff_says_how(review: Path, shop: Path, tmp_path: Path) -> None:
    said = {
        "sneaker narrower": "y",
        "Shirts same": "accept",
        "edible fruit narrower": "x",
        "edible fruit broader": "ok",
    }
    decide(review, **said, **{"qqqqqqq none": "reject"})
    new, decided = tmp_path / "new.ttl", tmp_path / "decided.tsv"
    done = ask("apply", review, "--taxonomy", shop, "-o", new, "--decisions", decided, "--undecided", "top")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "+ term sneaker",
        "+ term edible fruit",
        "+ term qqqqqqq",
        "- edge apple -> fruit",
        "+ edge sneaker -> shoe",
        "+ edge edible fruit -> fruit",
        "+ edge apple -> edible fruit",
        "+ synonym shirt: Shirts",
        "+ definition sneaker: a soft shoe",
    ]
    found = read(new)
    assert found.path("apple", "food") == ("apple", "edible fruit", "fruit", "food")
    assert "qqqqqqq" in found.orphans
    assert read(decided).entails("sneaker", "shoe")


def test_what_is_left_is_placed_again_with_the_decisions_as_knowledge(review: Path, shop: Path, tmp_path: Path) -> None:
    decide(review, **{"sneaker narrower": "reject"})
    done = ask("apply", review, "--taxonomy", shop, "--again", tmp_path / "left.csv")
    assert done.exit_code == 0
    assert "~ sneaker: shoe before, " in done.stdout
    assert "4 (sneaker, Shirts, edible fruit, qqqqqqq) new terms without a decision are left" in done.stderr
    assert "sneaker,,narrower,shoe" not in (tmp_path / "left.csv").read_text()


def test_probable_suggestions_are_accepted_together(review: Path, shop: Path, tmp_path: Path) -> None:
    done = ask("apply", review, "--taxonomy", shop, "--accept-above", "0.8", "-o", tmp_path / "new.csv")
    assert "+ edge sneaker -> shoe" in done.stdout
    assert read(tmp_path / "new.csv").parents("sneaker") == ("shoe",)


def test_two_vocabularies_are_matched(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "ours.txt").write_text("Apples\nsneaker\nqqqqqqq\n")
    done = ask("match", tmp_path / "ours.txt", shop, "-o", tmp_path / "m.sssom.tsv")
    assert done.exit_code == 0
    assert "(3 terms: 1 the same, 1 with a broader term, 1 with none)" in done.stderr
    assert "entvec:Apples\tApples\tskos:exactMatch\t\tentvec:apple" in (tmp_path / "m.sssom.tsv").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--entails", "dog"), "not with -o, which places a file: --entails"),
        (("-k", "0"), "expected a --taxonomy to place them in, and -k of 1 or more"),
    ],
)
def test_options_of_one_term_are_refused_for_a_file(
    shop: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    done = ask("place", "x.csv", "--taxonomy", shop, "-o", tmp_path / "r.csv", *options)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_file_that_is_no_review_is_named(shop: Path) -> None:
    done = ask("apply", shop, "--taxonomy", shop)
    assert done.exit_code == 1
    assert "expected a review with the columns decision, term, relation, target" in done.stderr
