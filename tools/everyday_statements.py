"""Check `everyday-statements.tsv` and `everyday-parts.tsv`: what WordNet does not say of things, or does not know.

    python tools/everyday_statements.py

It prints the number of statements, and what is wrong with any. The rules for what may be stated are in
docs/knowledge.md. A line has four columns:

term         a word or phrase. Without a definition it means what WordNet calls so, in the sense that speakers usually
             mean (`usual`); `tea#3` names another sense.
is_a         what it is a kind of: names like those of terms, or terms of the table that have a definition. `, ` is
             between two.
definition   what a term means that WordNet lacks, at all or in this sense; such a term is a new concept.
also         other names of a new concept; `, ` is between two.

A line of everyday-parts.tsv has a part, and what it is a part, member, stage or material of: names like those above.
"""

import csv
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from entvec.bundled import wordnet_knowledge
from entvec.knowledge import Knowledge
from entvec.knowledge.sense_names import VERB
from entvec.vectors import forms

STATEMENTS = Path(__file__).parent / "everyday-statements.tsv"
PARTS = STATEMENTS.with_name("everyday-parts.tsv")
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


class Part(NamedTuple):
    """A line of the table of parts."""

    part: str
    whole: tuple[str, ...]


def statements(path: Path = STATEMENTS) -> list[Statement]:
    """The lines of the table."""
    return [
        Statement(term, tuple(is_a.split(BETWEEN)), definition, tuple(also.split(BETWEEN)) if also else ())
        for term, is_a, definition, also in rows(path, Statement._fields)
    ]


def parts(path: Path = PARTS) -> list[Part]:
    """The lines of the table of parts."""
    return [Part(part, tuple(whole.split(BETWEEN))) for part, whole in rows(path, Part._fields)]


def rows(path: Path, columns: tuple[str, ...]) -> list[list[str]]:
    """The lines of a file below its header."""
    with path.open(encoding="utf-8", newline="") as file:
        found = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        if (header := tuple(next(found))) != columns:
            raise ValueError(f"{path}: expected the columns {columns}, got {header}")
        return list(found)


def usual(known: Knowledge, name: str) -> int | None:
    """The noun that speakers usually mean by a name, or that a name such as `tea#3` picks; None if there is none."""
    senses = [sense for sense in known.senses(name) if sense.part_of_speech != VERB]
    return max(senses, key=lambda sense: sense.meetings).concept if senses else None


def order(statement: Statement) -> tuple[str, str]:
    """The place of a line in the table."""
    return statement.term.casefold(), statement.definition


def problems(known: Knowledge, table: Sequence[Statement]) -> Iterator[str]:
    """What is wrong with a table, a sentence for each."""
    yield from _of_lines([(each.term, order(each)) for each in table])
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


def _of_lines(lines: Sequence[tuple[str, tuple[str, str]]]) -> Iterator[str]:
    """What is wrong with the order of lines, given by name and place, and whether one name has several."""
    for one, other in zip(lines, sorted(lines, key=lambda line: line[1]), strict=True):
        if one != other:
            yield f"{one[0]}: the lines are not sorted from here"
            break
    for name, count in Counter(name for name, _ in lines).items():
        if count > 1:
            yield f"{name}: {count} lines"


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


def problems_of_parts(known: Knowledge, new: Collection[str], table: Sequence[Part]) -> Iterator[str]:
    """What is wrong with a table of parts; `new` has the terms that everyday statements bring."""
    yield from _of_lines([(each.part, (each.part.casefold(), "")) for each in table])
    for each in table:
        low = each.part if each.part in new else usual(known, each.part)
        if low is None:
            yield f"{each.part}: neither WordNet nor a statement has such a noun"
        found: set[int | str] = set()
        for name in each.whole:
            high = name if name in new else usual(known, name)
            if high is None:
                yield f"{each.part}: {name!r} is no noun of WordNet, and no new term"
            elif high in found or high == low:
                yield f"{each.part}: {name} stands twice, or is the part itself"
            elif isinstance(low, int) and isinstance(high, int):
                yield from _of_part(known, low, high)
            found.add(high or name)


def _of_part(known: Knowledge, part: int, whole: int) -> Iterator[str]:
    """What is wrong with a part and a whole that WordNet knows."""
    said = f"{known.name(part)}: {known.name(whole)}"
    if not known.part_of.links.reached(part).keys().isdisjoint(known.ancestors([whole])):
        yield f"{said} has this part for WordNet already"
    if part in known.ancestors([whole]) or whole in known.ancestors([part]):
        yield f"{said} and it are kinds of each other"
    if part in known.part_of.links.reached(whole):
        yield f"{said} is a part of it"


def main() -> None:
    """Print what is wrong."""
    table, of_parts = statements(), parts()
    new = {each.term for each in table if each.definition}
    print(f"{len(table):,} terms, {len(new):,} of them new; {sum(len(each.is_a) for each in table):,} statements")
    print(f"{len(of_parts):,} parts; {sum(len(each.whole) for each in of_parts):,} statements")
    known = wordnet_knowledge()
    if found := [*problems(known, table), *problems_of_parts(known, new, of_parts)]:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
