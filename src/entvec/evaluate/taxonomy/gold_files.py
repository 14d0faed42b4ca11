"""Readers for the files of public benchmarks of taxonomies.

gold edges (TExEval, TaxoRL)           lines `id TAB term TAB hypernym`, or `term TAB hypernym`
trees (Bansal et al. 2014)             a tree in brackets a line, `(explosion airburst (blast bomb_$_blast))`
terms and edges (TaxoExpan, TMN, QEN)  `id TAB name`; `id of the parent TAB id of the child`
items and key (SemEval-2016 Task 14)   `lemma TAB pos TAB id TAB definition`; `id TAB lemma#pos#number TAB operation`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from entvec.errors import BenchmarkFileError
from entvec.files import read_whole

LARGEST = 1 << 28
"""The most bytes of a file."""
SPACE = "_$_"
"""What stands for a space in the names of trees in brackets."""


class Gold(NamedTuple):
    """The terms of a taxonomy, and its edges as pairs (hypo, hyper)."""

    name: str
    terms: tuple[str, ...]
    edges: frozenset[tuple[str, str]]


class Item(NamedTuple):
    """A new word sense of SemEval-2016 Task 14, and the sense that it is under or the same as."""

    lemma: str
    part_of_speech: str
    definition: str
    sense: str
    """As `lemma#pos#number`."""
    operation: str
    """attach or merge."""


def lines_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not empty."""
    try:
        text = read_whole(path, LARGEST).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BenchmarkFileError(path, f"it cannot be read: {reason}") from error
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, [cell.strip() for cell in line.split("\t")]


def gold_of(name: str, edges: list[tuple[str, str]], path: Path) -> Gold:
    """Return the terms and edges of a taxonomy, without edges from a term to itself."""
    kept = [edge for edge in edges if edge[0] != edge[1]]
    if not kept:
        raise BenchmarkFileError(path, "expected edges, found none")
    return Gold(name, tuple(dict.fromkeys(term for edge in kept for term in edge)), frozenset(kept))


def read_gold_edges(path: Path) -> list[Gold]:
    r"""Read one taxonomy of lines `id TAB term TAB hypernym`, or without the id.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "pets.taxo"
    >>> _ = path.write_text("0\tpoodle\tdog\n1\tdog\tanimal\n")
    >>> read_gold_edges(path)[0].terms
    ('poodle', 'dog', 'animal')
    """
    edges = []
    for number, cells in lines_of(path):
        if len(cells) not in (2, 3) or not all(cells):
            raise BenchmarkFileError(path, f"line {number}: expected id, term and hypernym with tabs between")
        edges.append((cells[-2], cells[-1]))
    return [gold_of(path.stem, edges, path)]


def read_trees(path: Path) -> list[Gold]:
    r"""Read trees in brackets, one a line.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "trees.ptb"
    >>> _ = path.write_text("(explosion airburst (blast bomb_$_blast))\n")
    >>> sorted(read_trees(path)[0].edges)
    [('airburst', 'explosion'), ('blast', 'explosion'), ('bomb blast', 'blast')]
    """
    found = []
    for number, cells in lines_of(path):
        edges: list[tuple[str, str]] = []
        above: list[str] = []
        opened = False
        for piece in re.findall(r"[()]|[^()\s]+", " ".join(cells)):
            if piece == ")":
                if opened or not above:
                    raise BenchmarkFileError(
                        path, f"line {number}: a bracket is closed that has no name, or none is open"
                    )
                above.pop()
            elif piece != "(":
                name = piece.replace(SPACE, " ").replace("_", " ")
                edges += [(name, above[-1])] if above else []
                above += [name] if opened else []
            opened = piece == "("
        if above:
            raise BenchmarkFileError(path, f"line {number}: a bracket is not closed")
        found.append(gold_of(f"{path.stem} {number}", edges, path))
    if not found:
        raise BenchmarkFileError(path, "expected trees, found none")
    return found


def read_terms_and_edges(terms: Path, edges: Path) -> Gold:
    r"""Read a taxonomy whose edges are pairs (parent, child) of identifiers.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> _ = (folder / "pets.terms").write_text("1\tdog\n2\tanimal\n")
    >>> _ = (folder / "pets.taxo").write_text("2\t1\n")
    >>> read_terms_and_edges(folder / "pets.terms", folder / "pets.taxo").edges
    frozenset({('dog', 'animal')})

    Parameters
    ----------
    terms, edges
        The files.
    """
    names: dict[str, str] = {}
    for number, cells in lines_of(terms):
        if len(cells) < 2 or not cells[1]:
            raise BenchmarkFileError(terms, f"line {number}: expected id and name with a tab between")
        names[cells[0]] = cells[1].split("@@@")[0].split("||")[0].replace("_", " ")
    pairs = []
    for number, cells in lines_of(edges):
        if len(cells) < 2 or cells[0] not in names or cells[1] not in names:
            raise BenchmarkFileError(edges, f"line {number}: expected the ids of a parent and a child among the terms")
        pairs.append((names[cells[1]], names[cells[0]]))
    return gold_of(edges.stem, pairs, edges)


def read_items(items: Path, key: Path) -> list[Item]:
    r"""Read new word senses with definitions, and their key.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> _ = (folder / "items.tsv").write_text("selfie\tnoun\tt.1\ta photograph of oneself\thttps://example.org\n")
    >>> _ = (folder / "key.tsv").write_text("t.1\tphotograph#n#1\tattach\n")
    >>> read_items(folder / "items.tsv", folder / "key.tsv")[0].sense
    'photograph#n#1'

    Parameters
    ----------
    items, key
        The files.
    """
    right: dict[str, tuple[str, str]] = {}
    for number, cells in lines_of(key):
        if len(cells) < 2 or cells[1].count("#") < 2:
            raise BenchmarkFileError(key, f"line {number}: expected id, lemma#pos#number and attach or merge")
        operation = cells[2] if len(cells) > 2 else "attach"
        right[cells[0]] = cells[1], "merge" if operation.lower().startswith("m") else "attach"
    found = []
    for number, cells in lines_of(items):
        if len(cells) < 4:
            raise BenchmarkFileError(items, f"line {number}: expected lemma, part of speech, id and definition")
        if cells[2] in right:
            found.append(Item(cells[0].replace("_", " "), cells[1][:1].lower(), cells[3], *right[cells[2]]))
    if not found:
        raise BenchmarkFileError(items, f"none of its items is in {key.name}")
    return found
