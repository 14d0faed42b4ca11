"""Conditions: what they mean, that both databases agree on it, and that nothing else gets through."""

import operator
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.errors import InvalidInput
from entvec.space import EntailmentSpace
from entvec.stores import open_store
from entvec.stores.conditions import And, Comparison, Condition, Like, Not, OneOf, Or, parse_condition
from entvec.stores.contract import Filter
from entvec.vectors import Vectors

COLUMNS: dict[str, type] = {"word": str, "row": int, "noun": bool, "rank": int, "share": float, "note": str}
NOUN = Comparison("noun", "=", value=True)
COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(condition: Condition, row: Mapping[str, Any]) -> bool:
    """What a condition means."""
    match condition:
        case Not(part):
            return not holds(part, row)
        case And(parts):
            return all(holds(part, row) for part in parts)
        case Or(parts):
            return any(holds(part, row) for part in parts)
        case OneOf(column, values):
            return row[column] in values
        case Like(column, pattern):
            pieces = re.findall(r"(?s)\\(.)|(.)", pattern)
            wild = {"%": ".*", "_": "."}
            expression = "".join(
                re.escape(kept) if kept else wild.get(other, re.escape(other)) for kept, other in pieces
            )
            return re.fullmatch(f"(?s){expression}", row[column]) is not None
        case Comparison(column, sign, value):
            return bool(COMPARE[sign](row[column], value))


# Meaning


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("rank < 1000", Comparison("rank", "<", 1000)),
        ("RANK<>-3", Comparison("rank", "!=", -3)),
        ("rank == 2.0", Comparison("rank", "=", 2)),
        ("rank < 2.5", Comparison("rank", "<", 3)),
        ("rank <= 2.5", Comparison("rank", "<=", 2)),
        ("rank > -2.5", Comparison("rank", ">", -3)),
        ("rank >= -2.5", Comparison("rank", ">=", -2)),
        ("share >= 1", Comparison("share", ">=", 1.0)),
        ("share = .5e1", Comparison("share", "=", 5.0)),
        ("note = 'it''s'", Comparison("note", "=", "it's")),
        ('note = "it\'s \\n ""so"""', Comparison("note", "=", 'it\'s \\n "so"')),
        ("note = '{rank} -- ; %(x)s'", Comparison("note", "=", "{rank} -- ; %(x)s")),
        ("noun", NOUN),
        ("not noun = FALSE", Not(Comparison("noun", "=", value=False))),
        (
            "noun or rank = 1 and share = 2",
            Or((NOUN, And((Comparison("rank", "=", 1), Comparison("share", "=", 2.0))))),
        ),
        ("(noun or rank = 1) and noun", And((Or((NOUN, Comparison("rank", "=", 1))), NOUN))),
        ("note in ('a', 'b')", OneOf("note", ("a", "b"))),
        ("rank not in [1, 2]", Not(OneOf("rank", (1, 2)))),
        ("rank in ()", OneOf("rank", ())),
        (
            "rank between 1 and 2 and noun",
            And((And((Comparison("rank", ">=", 1), Comparison("rank", "<=", 2))), NOUN)),
        ),
        ("word not like '%\\_%'", Not(Like("word", "%\\_%"))),
    ],
)
def test_texts_and_what_they_mean(where: str, expected: Condition) -> None:
    assert parse_condition(where, COLUMNS) == expected


@pytest.mark.parametrize("form", ["{v}", "{ v }", "%(v)s"])
def test_a_placeholder_stands_for_a_value(form: str) -> None:
    for value in (3, np.int32(3), 3.0):
        assert parse_condition(f"rank < {form}", COLUMNS, {"v": value}) == Comparison("rank", "<", 3)
    for several in ([1, 2], (1, 2), np.array([1, 2]), range(1, 3)):
        assert parse_condition(f"rank in {form}", COLUMNS, {"v": several}) == OneOf("rank", (1, 2))
    assert parse_condition(f"rank in ({form}, 4)", COLUMNS, {"v": 3}) == OneOf("rank", (3, 4))
    assert parse_condition(f"note in {form}", COLUMNS, {"v": []}) == OneOf("note", ())


@pytest.mark.parametrize(
    ("where", "values", "text"),
    [
        ("rank <", None, "at position 7, expected a value.*, got the end"),
        ("rank < 'a'", None, "at position 8, expected a whole number of at most 64 bits for rank, got \"'a'\""),
        ("rank = 2.5", None, "expected a whole number"),
        ("rank = 9223372036854775808", None, "expected a whole number"),
        ("rank < 1e400", None, "expected a whole number"),
        ("share = 1e400", None, "expected a finite number"),
        ("noun < true", None, "expected = or != before a value of noun"),
        ("note = true", None, "expected a text for note"),
        ("rank", None, "expected a comparison of rank"),
        ("rank not 3", None, "expected a comparison of rank"),
        ("rank like 'a%'", None, "expected a comparison of rank, which holds a whole number"),
        ("note like 'a\\'", None, "a pattern that does not end in"),
        ("nowhere = 1", None, "at position 1, expected a column, got 'nowhere'.*the columns are word, row, noun"),
        ("3 < rank", None, "expected a column, got '3'"),
        ("rank < row", None, "expected a value.*got 'row'"),
        ("rank = 1 rank = 2", None, "expected 'and', 'or' or the end, got 'rank'"),
        ("(rank = 1", None, r"expected '\)', got the end"),
        ("rank in 1", None, "expected a list of values in parentheses"),
        ("rank in {v}", {"v": 3}, "expected a list of values for {v}, got 3"),
        ("rank in (1, 'a')", None, "at position 13, expected a whole number"),
        ("rank < {v}", {}, r"expected one of the given values, which are \[\]"),
        ("rank < {v}", {"v": 1, "w": 2}, "without {w}, but there is a value 'w'"),
        ("rank < {v}", {"v": object()}, "expected a whole number.*got {v}, which is <object"),
        ("share < {v}", {"v": float("nan")}, "expected a finite number"),
        ("note = {v}", {"v": "\ud800"}, "expected a text"),
        ("note = {v}", {"v": "a\0b"}, "expected a text"),
        ("not " * 60 + "noun", None, "at most 50 parentheses"),
        ("(" * 10_000, None, "at most 50 parentheses"),
        (" ", None, "where is ' ', expected a condition"),
        (3, None, "where is 3, expected a condition"),
        ("rank < 3", [3], "the values of where are"),
    ],
)
def test_texts_that_are_no_conditions(where: Any, values: Any, text: str) -> None:
    with pytest.raises(InvalidInput, match=text) as told:
        parse_condition(where, COLUMNS, values)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "where",
    [
        "pg_sleep(9) IS NOT NULL",
        "rank < 3 and pg_sleep(9) = 1",
        "note = pg_read_file('/etc/passwd')",
        "nextval('ids') = 1",
        "lower(note) = 'a'",
        "exists (select 1 from pg_shadow)",
        "rank in (select usesysid from pg_shadow)",
        "rank < (select 3)",
        "rank = any({v})",
        "rank::text = '3'",
        "cast(rank as text) = '3'",
        "rank = 3 -- comment",
        "rank = 3 /* comment */",
        "rank = 3; drop table words",
        "true); DROP TABLE x; --",
        "'a' = 'a'",
        "1 = 1",
        "true",
        'noun or "rank" = 1',
        "rank + 1 = 3",
        "rank = 1 || 'a'",
        "note = E'a'",
        "note = $$a$$",
        "note = 'a' 'b'",
        "other.rank = 3",
        "rank = :v",
        "rank is null",
        "not",
        "rank = 3\0",
    ],
)
def test_nothing_but_conditions_gets_through(where: str) -> None:
    with pytest.raises(InvalidInput, match=r"where is .* at position .* it has no functions, subqueries, casts or "):
        parse_condition(where, COLUMNS)


@pytest.mark.parametrize(
    "where", ["nextval('x')>0", "not nextval ('x') > 0", "note = nextval('x')", "rank in (nextval('x'))"]
)
def test_a_function_is_told_as_one(where: str) -> None:
    with pytest.raises(
        InvalidInput, match="got the function 'nextval', which is not allowed; a condition compares columns"
    ):
        parse_condition(where, COLUMNS)


def test_a_column_or_a_keyword_before_a_parenthesis_is_no_function() -> None:
    for where in ("rank (3)", "rank = not (3)"):
        with pytest.raises(InvalidInput, match=r"at position") as told:
            parse_condition(where, COLUMNS)
        assert "the function" not in str(told.value)


PIECES = ["rank", "note", "noun", "word", "<", "=", "!=", "(", ")", ",", "and", "or", "not", "in", "like", "between"]
PIECES += ["3", "-1.5", "'a'", '"b"', "'", "true", "{v}", "%(v)s", ";", "--", "::", "\\", "%", "\0", "é", "pg_sleep"]


@given(
    st.one_of(st.text(), st.lists(st.sampled_from(PIECES), min_size=1).map(" ".join)),
    st.one_of(st.integers(), st.text()),
)
def test_any_text_is_parsed_or_refused(where: str, value: Any) -> None:
    for values in (None, {"v": value}):
        with suppress(InvalidInput):
            parse_condition(where, COLUMNS, values)


# Both databases

TEXTS = [
    "",
    "a",
    "ab",
    "a%b",
    "a_b",
    "a\\b",
    "it's",
    'say "so"',
    "B",
    "ß",
    "日本",
    "日",
    "a\nb",
    "\t",
    "{v}",
    "😀",
    "é",
    "z",
]
WHOLES = [0, 1, -1, 7, 2**40, -(2**40), 2**63 - 1, -(2**63) + 1]
NUMBERS = [0.0, 0.5, -0.5, 1.0, 1e-300, 1e300, -2.0, 0.1]
VALUES: dict[type, Any] = {
    bool: st.booleans(),
    int: st.one_of(st.sampled_from(WHOLES), st.integers(-5, 20)),
    float: st.one_of(st.sampled_from(NUMBERS), st.floats(allow_nan=False, allow_infinity=False)),
    str: st.one_of(st.sampled_from(TEXTS), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3)),
}
PATTERNS = st.lists(st.sampled_from(["%", "_", "\\%", "\\_", "\\\\", "a", "b", "日", "'", '"']), max_size=4).map(
    "".join
)


@st.composite
def comparisons(draw: Any) -> Condition:
    column = draw(st.sampled_from(sorted(COLUMNS)))
    kind = COLUMNS[column]
    if draw(st.integers(0, 3)) == 0:
        return OneOf(column, tuple(draw(st.lists(VALUES[kind], max_size=3))))
    if kind is str and draw(st.booleans()):
        return Like(column, draw(PATTERNS))
    sign = draw(st.sampled_from(["=", "!="] if kind is bool else sorted(COMPARE)))
    return Comparison(column, sign, draw(VALUES[kind]))


CONDITIONS = st.recursive(
    comparisons(),
    lambda part: st.one_of(
        part.map(Not),
        st.lists(part, min_size=2, max_size=3).map(tuple).map(And),
        st.lists(part, min_size=2, max_size=3).map(tuple).map(Or),
    ),
    max_leaves=6,
)
N = 48


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """What the columns of the test hold, row by row."""
    words = [f"{text or 'empty'}{i}".replace("\n", "|").replace("\t", "|") for i in range(3) for text in TEXTS][:N]
    return [
        {
            "word": words[i],
            "row": i,
            "noun": i % 3 == 0,
            "rank": WHOLES[i % len(WHOLES)],
            "share": NUMBERS[i * 3 % len(NUMBERS)],
            "note": TEXTS[i * 7 % len(TEXTS)],
        }
        for i in range(N)
    ]


@pytest.fixture(scope="module")
def tables(request: pytest.FixtureRequest, rows: list[dict[str, Any]]) -> Iterator[list[Any]]:
    """The same rows in each database."""
    vectors = Vectors([row["word"] for row in rows], np.random.default_rng(4).normal(size=(N, 3)))
    columns = {name: [row[name] for row in rows] for name in COLUMNS if name not in ("word", "row")}
    stores = []
    for fixture in ("postgres", "milvus_session"):
        place = request.getfixturevalue(fixture)
        EntailmentSpace.from_vectors(vectors).export(place.url, name="conditions", columns=columns, sides=["hyper"])
        stores.append(open_store(place.url, "conditions"))
    yield [store.current() for store in stores]
    for store in stores:
        store.close()


@pytest.mark.server
@settings(max_examples=150)
@given(condition=CONDITIONS)
def test_both_databases_find_the_rows_that_fulfil_a_condition(
    condition: Condition, rows: list[dict[str, Any]], tables: list[Any]
) -> None:
    expected = [i for i, row in enumerate(rows) if holds(condition, row)]
    for each in tables:
        width = each.manifest.widths["hyper"]
        found = each.nearest("hyper", np.zeros((1, width), np.float32), N, 1, Filter(condition=condition))
        assert sorted(found[found >= 0].tolist()) == expected, each
