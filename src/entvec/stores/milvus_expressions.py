"""Conditions in the language of Milvus: values become literals, and nothing else.

Milvus has templates for that since 2.5, but neither older servers nor the embedded engine know them. So a `{name}`
outside of quotes is replaced here, by a literal of a checked type that cannot end before its value does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from entvec.errors import InvalidInput

QUOTED_OR_NAMED = re.compile(
    r""" "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | \{ \s* (\w+) \s* \} """, re.VERBOSE | re.DOTALL
)
ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
"""What all versions read back; other letters stand for themselves."""
LARGEST = 1 << 63
LENGTH_AT_ONCE = 1 << 18
"""How many letters a list of literals may have: it is parsed anew for each question."""


def bound(where: str, values: Mapping[str, Any] | None) -> str:
    """A condition with the literals of values in the places of their names.

    >>> bound('n > {least} and kind in {kinds} and note != "{least}"', {"least": 3, "kinds": ["a", "b"]})
    'n > 3 and kind in ["a", "b"] and note != "{least}"'
    """
    values = {} if values is None else values
    used = set()

    def literal_of(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return match[0]
        if name not in values:
            raise InvalidInput(f"where is {where!r}, but there is no value {name!r} for its {{{name}}}")
        used.add(name)
        return literal(values[name])

    made = QUOTED_OR_NAMED.sub(literal_of, where)
    if unused := sorted(set(values) - used):
        raise InvalidInput(f"where is {where!r}, without {{{unused[0]}}}, but there is a value {unused[0]!r}")
    return made


def literal(value: Any) -> str:
    """A value as Milvus reads it.

    >>> literal(True), literal(-3), literal(0.5), literal("dog"), literal([1, 2])
    ('true', '-3', '0.5', '"dog"', '[1, 2]')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and -LARGEST <= value < LARGEST:
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if isinstance(value, str) and _writable(value):
        return f'"{value.translate(ESCAPED)}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    raise InvalidInput(
        f"a value of where is {value!r:.80}, which cannot stand in a condition of Milvus, "
        "expected text, a finite number of at most 64 bits, a truth value, or a list of these"
    )


def one_of(field: str, values: Iterable[Any]) -> Iterator[str]:
    """Conditions that a field has one of these values: several where one would be too long."""
    some: list[str] = []
    length = 0
    for value in values:
        some.append(literal(value))
        length += len(some[-1])
        if length >= LENGTH_AT_ONCE:
            yield f"{field} in [{','.join(some)}]"
            some, length = [], 0
    if some:
        yield f"{field} in [{','.join(some)}]"


def begins_with(field: str, start: str) -> str:
    """A condition that a text begins so; `like` would take some letters for wildcards.

    >>> begins_with("word", "do")
    'word >= "do" and word < "dp"'
    """
    after = _after(start)
    least = f"{field} >= {literal(start)}"
    return least if after is None else f"{least} and {field} < {literal(after)}"


def _after(start: str) -> str | None:
    """The first text after all that begin so, in the order of Unicode; None if there is none."""
    for end in range(len(start), 0, -1):
        following = ord(start[end - 1]) + 1
        if 0xD800 <= following < 0xE000:  # surrogates are no letters
            following = 0xE000
        if following <= 0x10FFFF:
            return start[: end - 1] + chr(following)
    return None


def _writable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def all_of(conditions: Sequence[str]) -> str:
    """A condition that is true where all of these are."""
    return conditions[0] if len(conditions) == 1 else " and ".join(f"({each})" for each in conditions)
