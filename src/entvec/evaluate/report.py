"""A reproduction as files: table.json for programs, table.md for a paper, report.html to read, and Figure 1."""

from __future__ import annotations

import base64
import json
import os
import platform
from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Any

from entvec.errors import CannotWrite
from entvec.evaluate import gradients, paper
from entvec.evaluate.detection import DetectionResult
from entvec.evaluate.plotting import new_figure, save_figure
from entvec.evaluate.reproduction import Line, Reproduction, Table
from entvec.files import check_writable, replacing

__all__ = ["as_dict", "check_folder", "html", "markdown", "write"]

TEMPLATES = Path(__file__).parent / "templates"
PAGE, METHOD = TEMPLATES / "report.html", TEMPLATES / "method.txt"
TITLE = "A Vector Space for Distributional Semantics for Entailment, reproduced"
FILES = ("table.json", "table.md", "figure1.png", "figure1.svg", "report.html")
GROUPS = {
    "unsupervised": "Unsupervised",
    "mapped": "Learned maps, tested on words that they have not seen",
    "beyond": "Beyond the paper, still on words that they have not seen",
    "baselines": "Baselines that compare no vectors",
}
MEASURES = {"accuracy_at_half": "50% Acc", "direction_accuracy": "Dir Acc", "average_precision": "AP"}
PAPER_COLUMN = "paper (50% / Dir)"
HALF_A_DIGIT = 0.0005
CHARTED = {"baroni2012": "average_precision"}
LIBRARIES = ("entvec", "numpy", "scipy", "scikit-learn")
PAPERS_PAIRS = (
    f"The paper had vectors for {paper.PAIRS:,}, from all of Google News, so its numbers are not of the same pairs. "
)


def method(found: Reproduction) -> list[str]:
    """Return the paragraphs that say how it was measured."""
    chosen = "which is this one: the learned rows are a little too good." if found.stands_in else "not on these pairs."
    text = Template(METHOD.read_text(encoding="utf-8")).substitute(chosen=chosen)
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def check_folder(folder: str | Path) -> Path:
    """Make the folder if it does not exist; raise an error, before any work is done, if the files cannot be written."""
    path = Path(folder)
    new_figure(1, 1)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "there is a file of that name" if path.is_file() else error.strerror or str(error)
        raise CannotWrite(path, reason) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise CannotWrite(path, "the folder is write-protected")
    for name in FILES:
        check_writable(path / name)
    return path


def write(found: Reproduction, folder: str | Path, *, command: str = "") -> list[Path]:
    """Write all files of a reproduction into a folder, each atomically, and return their paths.

    >>> from entvec.bundled import google_news
    >>> from entvec.evaluate.reproduction import reproduce
    >>> paths = write(reproduce(google_news()), "reproduction")  # doctest: +SKIP

    Parameters
    ----------
    found
        The reproduction.
    folder
        The folder, which is created if it does not exist.
    command
        The command line of the reproduction, to be shown in the files.
    """
    path = check_folder(folder)
    figure = gradients.draw(found.figure)
    for name in ("figure1.png", "figure1.svg"):
        save_figure(figure, path / name)
    texts = {
        "table.json": json.dumps(as_dict(found, command=command), ensure_ascii=False, indent=2) + "\n",
        "table.md": "\n".join(markdown(found)) + "\n",
        "report.html": html(found, (path / "figure1.svg").read_bytes(), command=command),
    }
    for name, text in texts.items():
        with replacing(path / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return [path / name for name in FILES]


def as_dict(found: Reproduction, *, command: str = "") -> dict[str, Any]:
    """Return the rows of `entvec evaluate --format json`, with the paper's numbers and a comment."""
    return {
        "command": command,
        "versions": _versions(),
        "vectors": found.vectors,
        "missing": found.missing,
        "benchmarks": [
            {
                "benchmark": table.benchmark.name,
                "pairs": len(table.benchmark),
                "skipped": table.skipped,
                "source": table.benchmark.source,
                "licence": table.benchmark.licence,
                "rows": [_line_as_dict(line) for line in table.lines],
            }
            for table in found.tables
        ],
        "figure1": {"mismatch": {name: found.figure.mismatch(name) for name in found.figure.interpretations}},
    }


def _line_as_dict(line: Line) -> dict[str, Any]:
    reported = line.reported
    numbers = ("accuracy_at_half", "direction_accuracy")
    theirs = {name: getattr(reported, name) for name in numbers} if reported else None
    extra = {"group": line.group, "paper": theirs, "comment": comment(line), "calibration_error": line.calibration}
    return line.result.as_dict() | extra


def markdown(found: Reproduction) -> Iterator[str]:
    """Yield the lines of the tables in Markdown."""
    yield f"# {TITLE}"
    if found.missing:
        yield f"\n**{what_is_missing(found)}**"
    yield f"\n{summary(found)}"
    for table in found.tables:
        yield f"\n## {heading(table)}\n"
        if note(table):
            yield f"{note(table)}\n"
        columns = ["", *([PAPER_COLUMN] if has_reported(table) else []), *MEASURES.values(), "comment"]
        yield f"| {' | '.join(columns)} |"
        yield f"|{'---|' * len(columns)}"
        for group, lines in groupby(table.lines, key=lambda line: line.group):
            yield f"| **{GROUPS[group]}** |{' |' * (len(columns) - 1)}"
            for line in lines:
                cells = [row_name(line.result), *([reported(line)] if has_reported(table) else [])]
                cells += [f"{value} ({interval})" for value, interval in measured(line.result)]
                yield f"| {' | '.join([*cells, comment(line)])} |"
    yield "\n## How it was measured\n"
    yield "\n\n".join(method(found))


def html(found: Reproduction, figure: bytes, *, command: str = "") -> str:
    """Return the reproduction as one HTML page that needs no other files.

    >>> from entvec.bundled import google_news
    >>> from entvec.evaluate.reproduction import reproduce
    >>> page = html(reproduce(google_news()), Path("figure1.svg").read_bytes())  # doctest: +SKIP

    Parameters
    ----------
    found
        The reproduction.
    figure
        Figure 1 in SVG.
    command
        The command line of the reproduction, to be shown on the page.
    """
    mismatch = {name: found.figure.mismatch(name) for name in found.figure.interpretations}
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=escape(TITLE),
        pairs=f"{len(found.tables[0].benchmark):,}",
        vectors=escape(found.vectors),
        paper_pairs="" if found.stands_in else escape(PAPERS_PAIRS),
        missing=f'<p class="note">{escape(what_is_missing(found))}</p>' if found.missing else "",
        summary=escape(summary(found)),
        tables="\n".join(_table_html(table) for table in found.tables),
        figure=base64.b64encode(figure).decode(),
        mismatches=escape(", ".join(f"{name} {value:.2f}" for name, value in mismatch.items())),
        method="\n".join(f"<p>{escape(text)}</p>" for text in method(found)),
        versions=escape("; ".join([*(f"{name} {value}" for name, value in _versions().items()), command]).rstrip("; ")),
    )


def summary(found: Reproduction) -> str:
    """Return the outcome in a few sentences."""
    lines = found.tables[0].lines

    def best(group: str) -> str:
        line = max((line for line in lines if line.group == group), key=_accuracy)
        return f"{row_name(line.result)} {100 * _accuracy(line):.1f}"

    parts = []
    compared = [line for line in lines if line.reported and line.reported.accuracy_at_half]
    if compared:
        agreeing = sum(_agrees(line, "accuracy_at_half") for line in compared)
        parts.append(f"Of the paper's {len(compared)} accuracies (50% Acc), {agreeing} lie in our intervals.")
    reached = {"without labels": "unsupervised", "with a map": "mapped", "further": "beyond"}
    parts.append(f"The best {'; '.join(f'{how}: {best(group)}' for how, group in reached.items())}.")
    second = next(line for line in lines if line.result.operator == "second word only")
    parts.append(
        f"Know the benchmark: the second word alone, without the first, reaches {100 * _accuracy(second):.1f} "
        "if it has been seen before, which is why maps are tested on words that they have not seen."
        if len(set(found.tables[0].benchmark.hyper)) < len(found.tables[0].benchmark)
        else "In this benchmark no word is seen twice on a side, so the second word alone tells nothing."
    )
    return " ".join(parts)


def _accuracy(line: Line) -> float:
    return line.result.measures["accuracy_at_half"].value


def _agrees(line: Line, name: str) -> bool:
    """Return whether the paper's number lies in our interval, to the digits that the paper gives."""
    reported = getattr(line.reported, name, None)
    _, low, high = line.result.measures[name]
    return reported is None or low - HALF_A_DIGIT <= reported <= high + HALF_A_DIGIT


def _table_html(table: Table) -> str:
    compared = has_reported(table)
    charted = CHARTED.get(table.benchmark.name, "accuracy_at_half")
    heads = ["", *([PAPER_COLUMN] if compared else []), *MEASURES.values(), f"{MEASURES[charted]}, 50 to 100"]
    source = f"{table.benchmark.source}. Licence: {table.benchmark.licence}."
    parts = [f"<h2>{escape(heading(table))}</h2>", f'<p class="key">{escape(source)}</p>']
    parts.append(f"<p>{escape(note(table))}</p>")
    if compared:
        parts.append(
            '<p class="key"><b class="o">●</b> ours, with its interval; <b class="t">◇</b> the paper\'s 50% Acc.</p>'
        )
    parts.append('<div class="scroll"><table><thead><tr>')
    parts += [f"<th>{escape(head)}</th>" for head in heads]
    parts.append("</tr></thead><tbody>")
    for group, lines in groupby(table.lines, key=lambda line: line.group):
        parts.append(f'<tr class="group"><td colspan="{len(heads)}">{escape(GROUPS[group])}</td></tr>')
        parts += [_row_html(line, charted, compared=compared) for line in lines]
    parts.append("</tbody></table></div>")
    return "\n".join(parts)


def _row_html(line: Line, charted: str, *, compared: bool) -> str:
    what = f"{escape(row_name(line.result))}<small>{escape(comment(line))}</small>"
    cells = [f'<td class="what">{what}</td>']
    if compared:
        cells.append(f"<td>{escape(reported(line))}</td>")
    for value, interval in measured(line.result):
        cells.append(f'<td>{value} <span class="interval">{interval}</span></td>')
    cells.append(f"<td>{_strip(line, charted)}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _strip(line: Line, charted: str) -> str:
    """Draw a line from 50% to 100% with our interval, our value and the paper's."""
    width, middle = 160, 8

    def at(value: float) -> float:
        return 6 + (width - 12) * min(1, max(0, (value - 0.5) * 2))

    value, low, high = line.result.measures[charted]
    marks = [
        f'<line class="axis" x1="6" x2="{width - 6}" y1="{middle}" y2="{middle}"/>',
        f'<line class="range" x1="{at(low):.1f}" x2="{at(high):.1f}" y1="{middle}" y2="{middle}"/>',
        f'<circle class="ours" cx="{at(value):.1f}" cy="{middle}" r="4"/>',
    ]
    if line.reported and line.reported.accuracy_at_half:
        x = at(line.reported.accuracy_at_half)
        marks.append(f'<path class="theirs" d="M{x:.1f} {middle - 6}l5 6l-5 6l-5 -6z"/>')
    return f'<svg class="strip" width="{width}" height="16" aria-hidden="true">{"".join(marks)}</svg>'


def comment(line: Line) -> str:
    """Return the comment on a row, and how it compares with the paper."""
    parts = [line.comment]
    if line.reported and line.reported.accuracy_at_half:
        outside = [title for name, title in MEASURES.items() if not _agrees(line, name)]
        if outside:
            parts.append(f"Outside our interval: the paper's {' and '.join(outside)}.")
        else:
            parts.append("The paper's numbers lie in our intervals.")
    if line.calibration:  # only cross-validated rows have one
        fitted, platt = line.calibration["as fitted"], line.calibration["platt"]
        parts.append(f"Calibration error {fitted:.2f}, after Platt's sigmoid {platt:.2f}.")
        n = line.result.repetitions
        parts.append(f"Mean of {n} repetitions." if n > 1 else "One repetition.")
    return " ".join(parts)


def row_name(result: DetectionResult) -> str:
    """Return the title of a row, with the supervision if the paper has none of that kind."""
    usual = {"none", "labels", "cross-entropy"}
    return result.name if result.supervision in usual else f"{result.name} ({result.supervision})"


def note(table: Table) -> str:
    """Return what the paper says of the benchmark outside of its table."""
    if table.benchmark.name != "baroni2012":
        return ""
    return f"The paper reports an average precision of {paper.AVERAGE_PRECISION:.0%} for its best unsupervised model."


def heading(table: Table) -> str:
    """Return the name of the benchmark and its counts of pairs."""
    benchmark = table.benchmark
    true = f"{int(benchmark.positive.sum()):,} of them entailments"
    return f"{benchmark.name}: {len(benchmark):,} pairs, {true}; {table.skipped:,} left out for want of a vector"


def what_is_missing(found: Reproduction) -> str:
    """Return a sentence that says which benchmark of the paper is missing, and what that means."""
    if not found.stands_in:
        return f"One benchmark of the paper is not here, and left out. ({found.missing})"
    return (
        "The paper's benchmarks are not here, so its numbers cannot be compared: the bundled WordNet benchmark stands "
        f"in for them. It is harder: no word is seen twice on a side, and many are rarer. ({found.missing})"
    )


def has_reported(table: Table) -> bool:
    """Return whether the paper has numbers for the rows."""
    return any(line.reported for line in table.lines)


def reported(line: Line) -> str:
    """Return the paper's numbers as text."""
    if line.reported is None or line.reported.accuracy_at_half is None or line.reported.direction_accuracy is None:
        return "-"
    star = "*" if line.reported.starred else ""
    return f"{100 * line.reported.accuracy_at_half:.1f}{star} / {100 * line.reported.direction_accuracy:.1f}"


def measured(result: DetectionResult) -> Iterator[tuple[str, str]]:
    """Yield each measure in percent, the accuracy with its star, and its interval."""
    for name in MEASURES:
        value, interval = result.measures[name].percent.split()
        yield value + (result.star if name == "accuracy_at_half" else ""), interval


def _versions() -> dict[str, str]:
    return {"Python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
