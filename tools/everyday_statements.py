"""Check `everyday-statements.tsv`: what things are that WordNet does not say, or that it does not know at all.

    python tools/everyday_statements.py

It prints the number of statements, and what is wrong with any. The rules for what may be stated are in
docs/knowledge.md. A line has four columns:

term         a word or phrase. Without a definition it means what WordNet calls so, in the sense that speakers usually
             mean (`usual`); `tea#3` names another sense.
is_a         what it is a kind of: names like those of terms, or terms of the table that have a definition. `, ` is
             between two.
definition   what a term means that WordNet lacks, at all or in this sense; such a term is a new concept.
also         other names of a new concept; `, ` is between two.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from entvec.bundled import wordnet_knowledge
from entvec.knowledge import Knowledge
from entvec.knowledge.sense_names import VERB
from entvec.vectors import forms

STATEMENTS = Path(__file__).parent / "everyday-statements.tsv"
BETWEEN = ", "
LONGEST_DEFINITION = 12
"""In words."""
EXCLUSIVE = ("mammal", "bird", "fish", "reptile", "amphibian#3", "insect", "plant#2")
"""Kinds of which nothing is two: a statement that makes an eagle a mammal names a wrong sense."""


class Statement(NamedTuple):
    """A line of the table."""

    term: str
    is_a: tuple[str, ...]
    definition: str
    also: tuple[str, ...]


def statements(path: Path = STATEMENTS) -> list[Statement]:
    """The lines of the table."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        if (header := tuple(next(rows))) != Statement._fields:
            raise ValueError(f"{path}: expected the columns {Statement._fields}, got {header}")
        return [
            Statement(term, tuple(is_a.split(BETWEEN)), definition, tuple(also.split(BETWEEN)) if also else ())
            for term, is_a, definition, also in rows
        ]


def usual(known: Knowledge, name: str) -> int | None:
    """The noun that speakers usually mean by a name, or that a name such as `tea#3` picks; None if there is none."""
    senses = [sense for sense in known.senses(name) if sense.part_of_speech != VERB]
    return max(senses, key=lambda sense: sense.meetings).concept if senses else None


def order(statement: Statement) -> tuple[str, str]:
    """The place of a line in the table."""
    return statement.term.casefold(), statement.definition


def problems(known: Knowledge, table: Sequence[Statement]) -> Iterator[str]:
    """What is wrong with a table, a sentence for each."""
    for one, other in zip(table, sorted(table, key=order), strict=True):
        if one != other:
            yield f"{one.term}: the lines are not sorted from here"
            break
    for name, count in Counter(each.term for each in table).items():
        if count > 1:
            yield f"{name}: {count} lines"
    new = {each.term for each in table if each.definition}
    links: dict[int | str, set[int | str]] = {}
    for each in table:
        yield from _of_names(each)
        low = each.term if each.definition else usual(known, each.term)
        if low is None:
            yield f"{each.term}: WordNet has no such noun, and there is no definition"
        else:
            yield from _of_kinds(known, each, new, low, links.setdefault(low, set()))
    yield from _against(known, links)


def _of_names(each: Statement) -> Iterator[str]:
    """What is wrong with the names and the definition of a line."""
    if len(each.definition.split()) > LONGEST_DEFINITION:
        yield f"{each.term}: the definition has more than {LONGEST_DEFINITION} words"
    if not each.definition and each.also:
        yield f"{each.term}: only new concepts have other names"
    names = [forms.key(name) for name in (each.term, *each.also)]
    if len(set(names)) < len(names):
        yield f"{each.term}: a name stands twice"


def _of_kinds(known: Knowledge, each: Statement, new: set[str], low: int | str, above: set[int | str]) -> Iterator[str]:
    """What is wrong with what a line says; what it says is added to what is above its concept."""
    for kind in each.is_a:
        high = kind if kind in new else usual(known, kind)
        if kind in new and usual(known, kind) is not None:
            yield f"{each.term}: {kind} is both a new concept and a noun of WordNet; give one another name"
        if high is None:
            yield f"{each.term}: {kind!r} is no noun of WordNet, and no term with a definition"
        elif high in above or high == low:
            yield f"{each.term}: {kind} stands twice, or is the term itself"
        else:
            above.add(high)


def _against(known: Knowledge, links: dict[int | str, set[int | str]]) -> Iterator[str]:
    """What a table says that WordNet has already, or that makes a circle with it."""
    whole: dict[int | str, set[int | str]] = {low: set(high) for low, high in links.items()}
    for low, above in links.items():
        name = known.name(low) if isinstance(low, int) else low
        up = known.ancestors([low]) if isinstance(low, int) else {}
        for high in above & up.keys():
            yield f"{name}: WordNet says already that this is a kind of {known.name(int(high))}"
        for high in above:
            if isinstance(high, int) and low in known.ancestors([high]):
                yield f"{name}: WordNet says that {known.name(high)} is a kind of it"
    for node in [*links, *(high for above in links.values() for high in above)]:
        if isinstance(node, int):
            for each in known.ancestors([node]):
                whole.setdefault(each, set()).update(known.above(each))
    try:
        TopologicalSorter(whole).prepare()
    except CycleError as trouble:
        circle = [known.name(node) if isinstance(node, int) else node for node in trouble.args[1]]
        yield f"the statements go in a circle: {' > '.join(circle)}"
        return
    yield from _two_of_exclusive(known, links, whole)


def _two_of_exclusive(
    known: Knowledge, links: Iterable[int | str], up: dict[int | str, set[int | str]]
) -> Iterator[str]:
    """The concepts of a table that would be two kinds of which nothing is two."""
    exclusive = {usual(known, kind) for kind in EXCLUSIVE}
    for low in links:
        both = sorted(known.name(kind) for kind in exclusive & _reached(up, low) if isinstance(kind, int))
        if len(both) > 1:
            yield f"{known.name(low) if isinstance(low, int) else low}: would be {' and '.join(both)}"


def _reached(up: dict[int | str, set[int | str]], start: int | str) -> set[int | str]:
    """All that is above a concept."""
    found: set[int | str] = set()
    waiting = [start]
    while waiting:
        new = up.get(waiting.pop(), set()) - found
        found |= new
        waiting.extend(new)
    return found


def main() -> None:
    """Print what is wrong."""
    table = statements()
    new = sum(bool(each.definition) for each in table)
    print(f"{len(table):,} terms, {new:,} of them new; {sum(len(each.is_a) for each in table):,} statements")
    if found := list(problems(wordnet_knowledge(), table)):
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
