"""Benchmarks: labelled pairs of words, with where they come from.

Read: the JSON of Weeds et al. (2014), `[[hypo, hyper, label], ...]`; tables with tabs in the style of the public
hypernymy suites, `word1 word2 label [relation] [fold]`; and graded tables with a `score` for a label (HyperLex).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from entvec.bundled import BENCHMARK, PUBLIC, fetch
from entvec.errors import BenchmarkFileError
from entvec.vectors import Vectors

CITATION = "WordNet 3.0 (Princeton University, 2006), drawn by tools/build_wordnet_benchmark.py"
Kind = Literal["detection", "direction", "graded"]
NAMES = {
    "hypo": ("hypo", "word1", "w1", "left", "sub"),
    "hyper": ("hyper", "word2", "w2", "right", "super"),
    "label": ("label", "is_hypernym", "entails"),
    "score": ("score", "avg_score", "avg_score_0_10"),
    "relation": ("relation", "rel", "type"),
    "fold": ("fold", "split"),
}
POSITION = ("hypo", "hyper", "label", "relation", "fold")
LABELS = {
    "true": 1.0,
    "false": 0.0,
    "1": 1.0,
    "0": 0.0,
    "-1": -1.0,
    "1.0": 1.0,
    "0.0": 0.0,
    "-1.0": -1.0,
    "yes": 1.0,
    "no": 0.0,
}


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Pairs of words and what is known of them.

    Labels are 1 for an entailment and 0 for none (detection); -1 where the pair is an entailment the other way round
    (direction, as in BIBLESS); or any number, more for more (graded, as in HyperLex).
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

    def __len__(self) -> int:
        return len(self.hypo)

    @property
    def pairs(self) -> NDArray[Any]:
        """The words, a row for each pair: hypo, hyper."""
        return np.array([self.hypo, self.hyper]).T

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Which pairs are entailments."""
        return np.asarray(self.labels > 0)

    def covered_by(self, vectors: Vectors) -> Benchmark:
        """The pairs whose two words have vectors."""
        return self.take(np.flatnonzero((vectors.rows(self.hypo) >= 0) & (vectors.rows(self.hyper) >= 0)))

    def take(self, rows: NDArray[np.int64]) -> Benchmark:
        """The pairs of these rows."""

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
    """A benchmark by its name, or that of a file.

    `wordnet` comes with the package. Public ones are read from `folder`, if it has them, or fetched and kept.

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
    r"""Read a benchmark from a file of labelled pairs.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "pets.tsv"
    >>> _ = path.write_text("word1\tword2\tlabel\ndog\tanimal\tTrue\nanimal\tdog\tFalse\n")
    >>> pets = read_benchmark(path)
    >>> pets.name, len(pets), pets.positive.tolist()
    ('pets', 2, [True, False])
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a name with a zero byte
        reason = getattr(error, "strerror", None) or str(error)
        raise BenchmarkFileError(path, f"it cannot be read: {reason}{otherwise}") from error
    if not text.strip():
        raise BenchmarkFileError(path, "expected pairs, found an empty file")
    columns = _json(path, text) if text.lstrip().startswith("[") else _table(path, text)
    given: Any = {"name": name or path.stem, "source": source or str(path), "licence": licence}
    return Benchmark(**columns, **given)


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
    lines = [line.rstrip("\r").split("\t" if "\t" in text else None) for line in text.split("\n")]
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


def _columns(path: Path, lines: list[list[str]]) -> tuple[dict[str, int], int]:
    """Where each column is, and on which line the pairs begin."""
    heads = {role: _column(lines[0], names) for role, names in NAMES.items()}
    named = heads["hypo"] is not None and heads["hyper"] is not None
    if not named:  # the columns stand in the usual order
        heads = {role: POSITION.index(role) if role in POSITION else None for role in NAMES}
    found = {role: at for role, at in heads.items() if at is not None and at < max(map(len, lines))}
    if not {"hypo", "hyper"} <= found.keys() or not {"label", "score"} & found.keys():
        raise BenchmarkFileError(
            path, f"expected columns word1, word2 and label, found {len(lines[0])} columns", line=1
        )
    return found, 2 if named else 1


def _column(names: list[str], wanted: tuple[str, ...]) -> int | None:
    lowered = [name.strip().lower() for name in names]
    return next((lowered.index(name) for name in wanted if name in lowered), None)


def _number(path: Path, label: str, line: int, *, graded: bool) -> float:
    try:
        found = float(label) if graded else LABELS[label.strip().lower()]
        if not math.isfinite(found):
            raise ValueError
    except (KeyError, ValueError):
        expected = "a number" if graded else "True or False, or 1, 0, -1"
        raise BenchmarkFileError(path, f"expected {expected} as label, found {label[:40]!r}", line=line) from None
    return found
