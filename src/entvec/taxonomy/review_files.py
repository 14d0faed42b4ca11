"""Files of reviews: a table for people, `review.csv`, and mappings for machines, SSSOM in TSV (`sssom`)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from entvec.errors import InvalidInput, TaxonomyFileError
from entvec.files import read_whole, replacing
from entvec.taxonomy.review_actions import ACTIONS
from entvec.taxonomy.review_rows import Row, decision_of, share_of
from entvec.taxonomy.sssom import SSSOM, as_sssom, of_sssom

LARGEST = 1 << 30
"""The most bytes of a review that are read."""
COLUMNS = (
    "decision", "term", "term_label", "relation", "target", "target_label", "path", "probability", "runner_up",
    "reason", "instead", "id", "definition",
)  # fmt: skip
NEEDED = ("decision", "term", "relation", "target")
NUMBERS = ("probability", "runner_up")


def read_review(path: str | Path) -> list[Row]:
    """Read the rows of a review, from a table or from SSSOM; the content decides.

    Parameters
    ----------
    path
        A file of `write_review`, perhaps changed by people, or any SSSOM file.
    """
    path = Path(path)
    try:
        text = read_whole(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaxonomyFileError(path, f"expected text in UTF-8, found a byte that is none ({error.reason})") from None
    lines = text.split("\n")
    first = next((line for line in lines if not line.startswith("#")), "")
    if "subject_id" in first.split("\t"):
        return list(of_sssom(path, lines))
    return list(_of_table(path, text, "\t" if "\t" in first else ","))


def write_review(rows: Sequence[Row], path: str | Path) -> None:
    """Write the rows of a review: SSSOM if the name ends with `.sssom.tsv`, else a table with commas, or tabs for .tsv.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_review([Row("accept", "sandal", "narrower", "footwear", probability=0.97)], f"{folder}/r.sssom.tsv")
    ...     read_review(f"{folder}/r.sssom.tsv")[0][:4]
    ('accept', 'sandal', 'narrower', 'footwear')

    Parameters
    ----------
    rows
        What is suggested.
    path
        The file to write or replace.
    """
    path = Path(path)
    text = review_text(rows, "sssom" if path.name.endswith(SSSOM) else path.suffix[1:])
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def review_text(rows: Sequence[Row], format: str = "csv") -> str:  # noqa: A002
    r"""Return a review as the text of a file: a table with commas, tsv with tabs, or sssom.

    >>> review_text([Row("accept", "sandal", "narrower", "footwear")], "tsv").split("\n")[1].split("\t")[:5]
    ['accept', 'sandal', '', 'narrower', 'footwear']

    Parameters
    ----------
    rows
        What is suggested.
    format
        csv, tsv or sssom.
    """
    return "".join(as_sssom(rows)) if format == "sssom" else _as_table(rows, f".{format}")


def _as_table(rows: Sequence[Row], suffix: str) -> str:
    made = io.StringIO()
    writer = csv.writer(made, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(["" if (cell := getattr(row, column)) is None else cell for column in COLUMNS])
    return made.getvalue()


def _of_table(path: Path, text: str, mark: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text), delimiter=mark, strict=True)
    try:
        titles = [title.strip() for title in reader.fieldnames or ()]
        if lost := [name for name in NEEDED if name not in titles]:
            raise TaxonomyFileError(
                path,
                f"expected a review with the columns {', '.join(NEEDED)}, found none called {', '.join(lost)}; "
                "`entvec taxonomy place NEW --taxonomy T -o review.csv` makes one",
            )
        reader.fieldnames = titles
        for cells in reader:
            yield _row(path, cells, reader.line_num)
    except csv.Error as error:
        raise TaxonomyFileError(path, f"expected a table, found what is none ({error})", line=reader.line_num) from None


def _row(path: Path, cells: Mapping[str, str | None], line: int) -> Row:
    told = {name: (cells.get(name) or "").strip() for name in COLUMNS}
    try:
        decision = decision_of(told.pop("decision"))
        if not told["term"]:
            raise InvalidInput("expected a term, found an empty cell")
        if told["relation"] not in ACTIONS:
            raise InvalidInput(f"the relation is {told['relation']!r}, expected one of {', '.join(ACTIONS)}")
        numbers = {name: share_of(told.pop(name), name) for name in NUMBERS}
    except InvalidInput as error:
        raise TaxonomyFileError(path, error.what, line=line) from None
    return Row(decision, **told, **numbers)  # type: ignore[arg-type]
