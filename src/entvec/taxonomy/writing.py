"""Writing a taxonomy in any format."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from entvec.errors import CannotWrite, InvalidInput
from entvec.files import replacing
from entvec.taxonomy.formats import FORMATS, FormatName, Unwritable
from entvec.taxonomy.formats.base import Part
from entvec.taxonomy.reading import told_by
from entvec.taxonomy.taxonomy import DEFINITION, SYNONYM, Taxonomy
from entvec.vectors.source import COMPRESSIONS
from entvec.vectors.writing import opened


def write(taxonomy: Taxonomy, path: str | Path, *, format: FormatName | None = None) -> None:  # noqa: A002
    """Write a taxonomy to a file: whole, or not at all. The old file stays until the new one is finished.

    The name tells the format (.tsv .csv .outline .ttl .obo .graphml .json .mmd .dot), unless `format` does, and after
    that the compression (.gz .bz2 .xz .zst). What the format has no place for is left out; `left_out` says what that
    is.
    """
    name = check_format(path, format)
    if not isinstance(taxonomy, Taxonomy):
        raise InvalidInput(f"expected a taxonomy and then a path, found {type(taxonomy).__name__} first")
    with replacing(path) as temporary, opened(temporary, Path(path).suffix.lower()) as file:
        try:
            for text in FORMATS[name].write(taxonomy):
                file.write(text.encode())
        except Unwritable as error:
            raise CannotWrite(path, str(error)) from None


def to_text(taxonomy: Taxonomy, format: FormatName) -> str:  # noqa: A002
    """What `write` would write; `entvec.taxonomy.from_text` reads it.

    >>> print(to_text(Taxonomy.from_edges([("dog", "animal", 0.9)]), "csv"), end="")
    hypo,hyper,probability
    dog,animal,0.9
    """
    name = check_format("text", format)
    try:
        return "".join(FORMATS[name].write(taxonomy))
    except Unwritable as error:
        raise CannotWrite("text", str(error)) from None


def check_format(path: str | Path, name: FormatName | None = None) -> FormatName:
    """The name of the format to write; refuse what is not known, before any work is done."""
    path = Path(path)
    if name is not None and name not in FORMATS:
        raise InvalidInput(f"format is {name!r}, expected one of {', '.join(FORMATS)}")
    if path.suffix.lower() == ".zip":
        raise CannotWrite(path, f"zip archives are only read; expected one of {' '.join(COMPRESSIONS)}")
    name = name or told_by(path)
    if name is None:
        known = ", ".join(f"{row.suffixes[0]} ({name})" for name, row in FORMATS.items())
        raise CannotWrite(path, f"its name does not tell the format; expected a name ending in one of {known}")
    FORMATS[name].library()
    return name


def left_out(taxonomy: Taxonomy, format: FormatName) -> dict[str, int]:  # noqa: A002
    """What of the taxonomy the format has no place for, and how much of each.

    >>> left_out(Taxonomy.from_edges([("dog", "animal", 0.9)], negations=[("cat", "dog")]), "obo")
    {'probabilities': 1, 'negated entailments': 1}
    """
    row = FORMATS[format]

    def fields(name: str) -> int:
        return sum(len(found.get(name, ())) for found in taxonomy.about.values())

    counts: dict[Part, tuple[str, int]] = {
        "probability": ("probabilities", int((~np.isnan(taxonomy.probability)).sum())),
        "negation": ("negated entailments", len(taxonomy.negations)),
        "label": ("labels", len(taxonomy.labels)),
        "synonym": ("synonyms", fields(SYNONYM)),
        "definition": ("definitions", fields(DEFINITION)),
    }
    found = {name: n for part, (name, n) in counts.items() if n and part not in row.holds}
    if taxonomy.rest is not None and taxonomy.rest.format != row.rest and taxonomy.rest.n:
        found["other statements"] = taxonomy.rest.n
    return found
