"""Benchmarks: labelled pairs of words with their source and licence, and readers for their files.

Three formats are read: the JSON of Weeds et al. (2014), `[[hypo, hyper, label], ...]`; tables with tabs or commas as in
the public hypernymy suites, `word1 word2 label [relation] [fold]`; and graded tables with a `score` column (HyperLex).
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from entvec.bundled import BENCHMARK, PUBLIC, fetch
from entvec.errors import BenchmarkFileError, InvalidInput
from entvec.files import read_whole
from entvec.graphs.formats import headers
from entvec.graphs.formats.headers import HYPER, NARROWER
from entvec.interchange import word_list
from entvec.learn.fitted import FittedMap
from entvec.vectors import Vectors

__all__ = ["HELD_OUT", "Benchmark", "find_benchmark", "find_words", "held_out_count", "read_benchmark"]

HELD_OUT = "held_out"
"""The key of a map's metadata whose value lists the words that the map was not fitted to, one a line."""
CITATION = "WordNet 3.0 (Princeton University, 2006), drawn by tools/build_wordnet_benchmark.py"
LARGEST = 1 << 30
"""The most bytes of a file of pairs or words."""
Kind = Literal["detection", "direction", "graded"]
NAMES = {
    "hypo": (*NARROWER, "w1", "left", "sub"),
    "hyper": (*HYPER, "w2", "right", "super"),
    "label": ("label", "is_hypernym", "entails"),
    "score": ("score", "avg_score", "avg_score_0_10"),
    "relation": ("relation", "rel", "type"),
    "fold": ("fold", "split"),
}
"""The names that a header may give to each column."""
POSITION = ("hypo", "hyper", "label", "relation", "fold")
LABELS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
LABELS |= {text: float(text) for text in ("1", "0", "-1", "1.0", "0.0", "-1.0")}


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Labelled pairs of words, with their source and licence.

    >>> pets = Benchmark("pets", ("dog", "animal"), ("animal", "dog"), np.array([1.0, 0.0]))
    >>> len(pets), pets.positive.tolist()
    (2, [True, False])

    Parameters
    ----------
    name
        The name, for tables.
    hypo, hyper
        The words of each pair: lists, arrays or columns of a DataFrame.
    labels
        1 for an entailment and 0 for none (kind "detection"); also -1 for a pair that is an entailment when
        reversed ("direction", as in BIBLESS); or a number that grows with the degree of entailment ("graded", as in
        HyperLex).
    kind
        "detection", "direction" or "graded".
    relations
        The relation of each pair, if the benchmark has one.
    folds
        The fold of each pair, if the benchmark has them.
    source, licence
        Where the pairs are from, and under which licence.
    """

    name: str
    hypo: tuple[str, ...]
    hyper: tuple[str, ...]
    labels: NDArray[np.float64]
    kind: Kind = "detection"
    relations: tuple[str, ...] | None = None
    folds: tuple[str, ...] | None = None
    source: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        columns: dict[str, Any] = {name: getattr(self, name) for name in ("hypo", "hyper", "relations", "folds")}
        columns = {name: tuple(word_list(words, name)) for name, words in columns.items() if words is not None}
        columns["labels"] = np.asarray(self.labels, dtype=np.float64)
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise InvalidInput(f"columns of different lengths, {lengths}, expected one length for all")
        for name, column in columns.items():
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.hypo)

    @property
    def pairs(self) -> NDArray[Any]:
        """Return the words as an array with a row (hypo, hyper) for each pair."""
        return np.array([self.hypo, self.hyper]).T

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Return which pairs are entailments."""
        return np.asarray(self.labels > 0)

    def covered_by(self, vectors: Vectors) -> Benchmark:
        """Return the pairs whose two words have vectors."""
        return self.take(np.flatnonzero((vectors.rows(self.hypo) >= 0) & (vectors.rows(self.hyper) >= 0)))

    def take(self, rows: NDArray[np.int64]) -> Benchmark:
        """Return the pairs of these rows."""

        def part(column: Sequence[str]) -> tuple[str, ...]:
            return tuple(column[int(row)] for row in rows)

        return replace(
            self,
            hypo=part(self.hypo),
            hyper=part(self.hyper),
            labels=self.labels[rows],
            relations=None if self.relations is None else part(self.relations),
            folds=None if self.folds is None else part(self.folds),
        )


def find_benchmark(name: str | Path, *, folder: str | Path | None = None) -> Benchmark:
    """Return a benchmark by its name or by the path of its file.

    `wordnet` comes with the package. A public benchmark is read from `folder` if it is there, else downloaded.

    >>> wordnet = find_benchmark("wordnet")
    >>> len(wordnet), int(wordnet.positive.sum())
    (1600, 800)
    """
    names = ("wordnet", *PUBLIC)
    if name not in names or Path(name).is_file():
        return read_benchmark(name, otherwise=f"; expected a file, or one of {', '.join(names)}")
    if name == "wordnet":
        return read_benchmark(BENCHMARK, source=CITATION, licence="WordNet 3.0")
    row = PUBLIC[str(name)]
    path = Path(folder or ".") / row.file
    path = path if folder is not None and path.is_file() else fetch(str(name))
    return read_benchmark(path, name=str(name), source=row.citation, licence=row.licence)


def read_benchmark(
    path: str | Path, *, name: str | None = None, source: str = "", licence: str = "", otherwise: str = ""
) -> Benchmark:
    r"""Read labelled pairs from a file.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "pets.tsv"
    >>> _ = path.write_text("word1\tword2\tlabel\ndog\tanimal\tTrue\nanimal\tdog\tFalse\n")
    >>> pets = read_benchmark(path)
    >>> pets.name, len(pets), pets.positive.tolist()
    ('pets', 2, [True, False])

    Parameters
    ----------
    path
        A file in one of the formats that the module describes.
    name, source, licence
        Stored in the benchmark; the name and the source are those of the file by default.
    otherwise
        Text added to the error message if the file cannot be read.
    """
    path = Path(path)
    text = _read_text(path, otherwise)
    if not text.strip():
        raise BenchmarkFileError(path, "expected pairs, found an empty file")
    columns = _json(path, text) if text.lstrip().startswith("[") else _table(path, text)
    given: Any = {"name": name or path.stem, "source": source or str(path), "licence": licence}
    return Benchmark(**columns, **given)


def find_words(name: str | Path) -> list[str]:
    """Return the words of a benchmark (both sides of its pairs), or those of a file with one word a line.

    In such a list, spaces within a name of several words become `_`.

    >>> len(find_words("wordnet"))
    2793
    """
    path = Path(name)
    if path.is_file():
        filled = [line for line in _read_text(path).splitlines() if line.strip()]
        words = [line.strip().replace(" ", "_") for line in filled]
        if words and not words[0].startswith("[") and not any("\t" in line for line in filled):
            return list(dict.fromkeys(words))
    benchmark = find_benchmark(name)
    return list(dict.fromkeys([*benchmark.hypo, *benchmark.hyper]))


def held_out_count(learned: FittedMap | None, words: Iterable[str]) -> int | None:
    """Return how many of the words the map's metadata lists as held out, ignoring case; None if it has no such list."""
    if learned is None or HELD_OUT not in learned.metadata:
        return None
    held = {word.casefold() for word in learned.metadata[HELD_OUT].splitlines()}
    return sum(word.casefold() in held for word in words)


def _read_text(path: Path, otherwise: str = "") -> str:
    try:
        return read_whole(path, LARGEST).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a name with a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        raise BenchmarkFileError(path, f"it cannot be read: {reason}{otherwise}") from error


def _json(path: Path, text: str) -> dict[str, Any]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BenchmarkFileError(path, f"expected JSON, found something else ({error})") from None
    for i, row in enumerate(rows):
        sound = isinstance(row, list) and len(row) == 3 and isinstance(row[0], str) and isinstance(row[1], str)
        if not sound or row[2] not in (0, 1, -1):
            raise BenchmarkFileError(path, f"pair {i + 1}: expected [hypo, hyper, 1 or 0], found {str(row)[:60]}")
    if not rows:
        raise BenchmarkFileError(path, "expected pairs, found none")
    hypo, hyper, labels = zip(*rows, strict=True)
    return {"hypo": hypo, "hyper": hyper, **_labelled(np.array(labels, dtype=np.float64))}


def _labelled(labels: NDArray[np.float64]) -> dict[str, Any]:
    return {"labels": labels, "kind": "direction" if (labels < 0).any() else "detection"}


def _table(path: Path, text: str) -> dict[str, Any]:
    lines = _fields(path, text)
    wanted, first = _columns(path, lines)
    graded = "score" in wanted
    columns: dict[str, list[str]] = {role: [] for role in wanted}
    numbers = []
    for number, fields in enumerate(lines[first - 1 :], first):
        if fields in ([""], []):
            continue
        if len(fields) <= max(wanted.values()):
            expected = max(wanted.values()) + 1
            raise BenchmarkFileError(path, f"expected {expected} columns, found {len(fields)}", line=number)
        for role, at in wanted.items():
            columns[role].append(fields[at])
        if not all(columns[role][-1].strip() for role in ("hypo", "hyper")):
            raise BenchmarkFileError(path, "expected two words, found an empty one", line=number)
        numbers.append(_number(path, columns["score" if graded else "label"][-1], number, graded=graded))
    if not numbers:
        raise BenchmarkFileError(path, "expected pairs, found none")
    labels = np.array(numbers)
    found: dict[str, Any] = {"hypo": tuple(columns["hypo"]), "hyper": tuple(columns["hyper"])}
    found |= {"labels": labels, "kind": "graded"} if graded else _labelled(labels)
    for role, plural in (("relation", "relations"), ("fold", "folds")):
        if role in columns:
            found[plural] = tuple(columns[role])
    return found


def _fields(path: Path, text: str) -> list[list[str]]:
    """Return the fields of each line, between tabs, commas or spaces; a quoted value of CSV stays on its line."""
    first = text.partition("\n")[0]
    if "\t" in text or "," not in first:
        return [line.split("\t" if "\t" in text else None) for line in text.split("\n")]
    found: list[list[str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            found.append(next(csv.reader([line], strict=True), []))
        except csv.Error as error:
            raise BenchmarkFileError(
                path, f"expected comma-separated values, found what is not ({error})", line=number
            ) from None
    return found


def _columns(path: Path, lines: list[list[str]]) -> tuple[dict[str, int], int]:
    """Return the position of each column, and the number of the line on which the pairs begin."""
    heads = {role: _column(lines[0], names) for role, names in NAMES.items()}
    named = heads["hypo"] is not None and heads["hyper"] is not None
    if not named:  # no header: the columns stand in the usual order
        heads = {role: POSITION.index(role) if role in POSITION else None for role in NAMES}
    found = {role: at for role, at in heads.items() if at is not None and at < max(map(len, lines))}
    if not {"hypo", "hyper"} <= found.keys() or not {"label", "score"} & found.keys():
        raise BenchmarkFileError(
            path, f"expected columns word1, word2 and label, found {len(lines[0])} columns", line=1
        )
    return found, 2 if named else 1


def _column(names: list[str], wanted: tuple[str, ...]) -> int | None:
    lowered = [headers.named(name) for name in names]
    return next((lowered.index(name) for name in map(headers.named, wanted) if name in lowered), None)


def _number(path: Path, label: str, line: int, *, graded: bool) -> float:
    try:
        found = float(label) if graded else LABELS[label.strip().lower()]
        if not math.isfinite(found):
            raise ValueError
    except (KeyError, ValueError):
        expected = "a number" if graded else "True or False, or 1, 0, -1"
        raise BenchmarkFileError(path, f"expected {expected} as label, found {label[:40]!r}", line=line) from None
    return found
