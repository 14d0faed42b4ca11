r"""Conditions on the words of a search: `rank < 1000 and kind in ('noun', 'name')`.

A condition is parsed into a small tree whose columns and values are checked. Each database translates the tree:
PostgreSQL into a statement with parameters, Milvus into an expression of checked literals. The text itself never
reaches a database, so conditions from untrusted users are safe.

    condition   = all {"or" all}
    all         = part {"and" part}
    part        = "not" part | "(" condition ")" | column | column comparison value
                | column ["not"] ("in" list | "between" value "and" value | "like" text)
    comparison  = "=" | "!=" | "<" | "<=" | ">" | ">=" | "==" | "<>"
    list        = "(" [value {"," value}] ")" | "[" [value {"," value}] "]" | placeholder
    value       = number | 'text' | "text" | "true" | "false" | placeholder
    placeholder = "{name}" | "%(name)s"

A quote inside a text is doubled. A placeholder stands for a value that is passed beside the text. A
column alone must be of true and false. In a pattern of `like`, % matches any characters, _ matches one, and \ makes
the next character literal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from entvec.errors import InvalidInput

TOKEN = re.compile(
    r"""\s* (?: (?P<number> [+-]? (?: [0-9]+ (?:\.[0-9]*)? | \.[0-9]+ ) (?:[eE][+-]?[0-9]+)? )
      | (?P<text> ' (?:[^']|'')* ' | " (?:[^"]|"")* " )
      | (?P<placeholder> \{ \s* \w+ \s* \} | %\( \s* \w+ \s* \)s )
      | (?P<name> [A-Za-z_][A-Za-z0-9_]* )
      | (?P<sign> <= | >= | <> | != | == | [=<>()\[\],] )
      | (?P<end> \Z ) )""",
    re.VERBOSE,
)
OPERATORS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
"""Comparisons as they may be written, and as the tree stores them."""
LISTS = {"(": ")", "[": "]"}
KEYWORDS = frozenset({"and", "or", "not", "in", "between", "like", "true", "false"})
LITERAL_PREFIX = re.compile(r"((?:[^%_\\]|\\.)*)%", re.DOTALL)
DEEPEST = 50
"""The largest depth of nested parentheses and negations."""
LARGEST = 1 << 63
NAMES = {bool: "true or false", int: "a whole number of at most 64 bits", float: "a finite number", str: "a text"}
GRAMMAR = "a condition compares columns with values; it has no functions, subqueries, casts or comments"


@dataclass(frozen=True)
class Comparison:
    """A column compared with a value of its type, by one of the values of `OPERATORS`."""

    column: str
    operator: str
    value: bool | int | float | str


@dataclass(frozen=True)
class OneOf:
    """A column has one of these values, all of its type."""

    column: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Like:
    """A column of text matches a pattern."""

    column: str
    pattern: str

    @property
    def prefix(self) -> str | None:
        r"""The text with which the column must begin, if the pattern is only a prefix; else None.

        >>> Like("word", r"ice\_cr%").prefix, Like("word", "%cream").prefix
        ('ice_cr', None)
        """
        match = LITERAL_PREFIX.fullmatch(self.pattern)
        return match and re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)


@dataclass(frozen=True)
class Not:
    """True if the condition is false."""

    condition: Condition


@dataclass(frozen=True)
class And:
    """True if all conditions are."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    """True if one of the conditions is."""

    conditions: tuple[Condition, ...]


Condition: TypeAlias = Comparison | OneOf | Like | Not | And | Or


def parse_condition(where: str, columns: Mapping[str, type], values: Mapping[str, Any] | None = None) -> Condition:
    """Parse a condition.

    Parameters
    ----------
    where
        the text of the condition
    columns
        the columns that it may name, each with its type: bool, int, float or str
    values
        what its placeholders stand for, by their names

    Examples
    --------
    >>> parse_condition("rank < {most} and not noun", {"rank": int, "noun": bool}, {"most": 9})
    And(conditions=(Comparison(column='rank', operator='<', value=9), \
Not(condition=Comparison(column='noun', operator='=', value=True))))
    """
    if not isinstance(where, str) or not where.strip():
        raise InvalidInput(f"where is {where!r:.60}, expected a condition such as 'rank < 1000'")
    if values is not None and not isinstance(values, Mapping):
        raise InvalidInput(f"the values of where are {values!r:.60}, expected a dict of them by their names")
    return _Parser(where, columns, values or {}).parse()


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class _Parser:
    """One pass over the tokens of a condition."""

    def __init__(self, where: str, columns: Mapping[str, type], values: Mapping[str, Any]) -> None:
        self._where = where
        self._columns = columns
        self._values = values
        self._unused = set(values)
        self._depth = 0
        self._token = _Token("start", "", 0)
        self._advance()

    def parse(self) -> Condition:
        condition = self._condition()
        if self._token.kind != "end":
            self._refuse("'and', 'or' or the end")
        if self._unused:
            name = min(self._unused, key=str)
            raise InvalidInput(f"where is {self._where!r:.200}, without {{{name}}}, but there is a value {name!r:.60}")
        return condition

    # Tokens

    def _advance(self) -> _Token:
        """Move to the next token, and return the current one."""
        before = self._token
        match = TOKEN.match(self._where, before.at + len(before.text))
        if match is None:
            rest = self._where[before.at + len(before.text) :].lstrip()
            self._token = _Token("other", rest[:20], len(self._where) - len(rest))
            self._refuse("a column, a value or a comparison")
        kind = str(match.lastgroup)
        self._token = _Token(kind, match[kind], match.start(kind))
        return before

    def _take(self, *texts: str) -> str:
        """Return the next token in lower case and consume it, if it is one of these; otherwise return an empty text."""
        token = self._token
        if token.kind not in ("name", "sign") or token.text.lower() not in texts:
            return ""
        return self._advance().text.lower()

    def _need(self, text: str) -> None:
        if not self._take(text):
            self._refuse(repr(text))

    def _refuse(self, expected: str, token: _Token | None = None, got: str = "") -> NoReturn:
        token = token or self._token
        rest = self._where[token.at + len(token.text) :].lstrip()
        if token.kind == "name" and rest.startswith("(") and token.text.lower() not in (*KEYWORDS, *self._columns):
            got = f"the function {token.text[:40]!r}, which is not allowed"
        got = got or ("the end" if token.kind == "end" else repr(token.text[:40]))
        raise InvalidInput(
            f"where is {self._where!r:.200}: at position {token.at + 1}, expected {expected}, got {got}; "
            f"{GRAMMAR}, and the columns are {', '.join(self._columns)}"
        )

    # Rules

    def _condition(self) -> Condition:
        return self._chain("or", Or, lambda: self._chain("and", And, self._part))

    def _chain(self, word: str, kind: type[And | Or], part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self._take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else kind(tuple(parts))

    def _part(self) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"at most {DEEPEST} parentheses and negations inside of each other")
        if self._take("not"):
            found: Condition = Not(self._part())
        elif self._take("("):
            found = self._condition()
            self._need(")")
        else:
            found = self._about_a_column()
        self._depth -= 1
        return found

    def _about_a_column(self) -> Condition:
        column = self._token.text.lower()
        if self._token.kind != "name" or column in KEYWORDS or column not in self._columns:
            self._refuse("a column")
        self._advance()
        if sign := self._take(*OPERATORS):
            return self._compared(column, OPERATORS[sign])
        negated = bool(self._take("not"))
        if self._take("in"):
            found: Condition = OneOf(column, self._several(column))
        elif self._take("between"):
            least = self._compared(column, ">=")
            self._need("and")
            found = And((least, self._compared(column, "<=")))
        elif self._columns[column] is str and self._take("like"):
            found = Like(column, self._pattern(column))
        elif self._columns[column] is bool and not negated:
            return Comparison(column, "=", value=True)
        else:
            self._refuse(f"a comparison of {column}, which holds {NAMES[self._columns[column]]}")
        return Not(found) if negated else found

    def _compared(self, column: str, operator: str) -> Comparison:
        kind, token, value = self._columns[column], self._token, self._value()
        if kind is bool and operator not in ("=", "!="):
            self._refuse(f"= or != before a value of {column}, which holds true or false", token)
        if kind is int and isinstance(value, float) and math.isfinite(value) and operator not in ("=", "!="):
            value = math.ceil(value) if operator in ("<", ">=") else math.floor(value)
        return Comparison(column, operator, self._fitted(column, value, token))

    def _several(self, column: str) -> tuple[Any, ...]:
        start = self._token
        if start.kind == "placeholder":
            several = self._value()
            if not isinstance(several, list | tuple | set | frozenset | range | np.ndarray):
                self._refuse(f"a list of values for {start.text}", start, f"{several!r:.60}")
            return tuple(self._fitted(column, value, start) for value in several)
        closing = LISTS.get(self._take(*LISTS)) or self._refuse("a list of values in parentheses")
        several = []
        while not self._take(closing):
            if several:
                self._need(",")
            token = self._token
            several.append(self._fitted(column, self._value(), token))
        return tuple(several)

    def _pattern(self, column: str) -> str:
        token = self._token
        pattern = str(self._fitted(column, self._value(), token))
        if not re.fullmatch(r"(?s)(?:[^\\]|\\.)*", pattern):
            self._refuse("a pattern that does not end in a single \\", token)
        return pattern

    # Values

    def _value(self) -> Any:
        kind, text, _ = token = self._token
        if kind == "text":
            value: Any = text[1:-1].replace(text[0] * 2, text[0])
        elif kind == "number":
            value = int(text) if re.fullmatch("[+-]?[0-9]{1,20}", text) else float(text)
        elif kind == "name" and text.lower() in ("true", "false"):
            value = text.lower() == "true"
        elif kind == "placeholder":
            name = re.findall(r"\w+", text)[0]
            if name not in self._values:
                self._refuse(f"one of the given values, which are {sorted(map(str, self._values))}", token)
            self._unused.discard(name)
            value = self._values[name]
        else:
            self._refuse("a value: a number, a text in quotes, true, false or a {name}")
        self._advance()
        return value

    def _fitted(self, column: str, value: Any, token: _Token) -> Any:
        """Return the value in the type of a column."""
        kind = self._columns[column]
        found = value.item() if isinstance(value, np.generic) else value
        if (kind, type(found)) in ((float, int), (int, float)) and abs(found) < LARGEST and found == int(found):
            found = kind(found)
        if type(found) is not kind or not SOUND[kind](found):
            got = f"{token.text[:40]}, which is {value!r:.60}" if token.kind == "placeholder" else ""
            self._refuse(f"{NAMES[kind]} for {column}", token, got)
        return found


def storable(text: str) -> bool:
    """Return whether both databases can store a text: UTF-8 without NUL."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


SOUND: dict[type, Callable[[Any], bool]] = {
    bool: lambda _: True,
    int: lambda value: abs(value) < LARGEST,
    float: math.isfinite,
    str: storable,
}
"""Returns whether a value of each type can be stored."""
