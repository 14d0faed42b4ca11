"""`entvec reproduce`: the paper's experiments, run again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from entvec.cli.options import ExtraVectorsFile, VectorsFile, chosen_vectors
from entvec.cli.printing import number_table
from entvec.cli.progress import stages

if TYPE_CHECKING:
    from entvec.evaluate.reproduction import Reproduction


def reproduce(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the report; made if need be.")],
    vectors: VectorsFile = None,
    extra_vectors: ExtraVectorsFile = None,
    benchmark_dir: Annotated[
        Path | None, typer.Option(help="A folder with weeds-bless.json and baroni2012.tsv; else they are fetched.")
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option(min=1, help="How often cross-validation is repeated; 10 if none, 3 without network.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; as many as there are processors if none.")] = None,
) -> None:
    """Run the paper's experiments again, and write a report with its numbers beside ours.

    All rows of its table (hyponymy detection on the pairs of Weeds et al. 2014), the average precision on those of
    Baroni et al. 2012, Figure 1, and what goes beyond the paper. Where the two files are neither in the folder nor can
    be fetched, the bundled WordNet benchmark stands in for them, and the report says so. It takes one or two minutes.

    Written: report.html, table.md, table.json, figure1.png, figure1.svg.

    Examples:

    * `entvec reproduce -o reproduction`
    * `entvec reproduce -o reproduction --benchmark-dir benchmarks --extra-vectors more.txt`
    * `entvec reproduce -o glove --vectors glove.6B.300d.txt`
    """
    from entvec.evaluate import report
    from entvec.evaluate.reproduction import reproduce as run

    report.check_folder(output)
    if benchmark_dir is not None and not benchmark_dir.is_dir():
        raise typer.BadParameter(f"{benchmark_dir} is not a folder", param_hint="--benchmark-dir")
    table = chosen_vectors(vectors, extra_vectors)
    with stages() as progress:
        found = run(table, folder=benchmark_dir, repetitions=repetitions, jobs=jobs, progress=progress)
    _print(found)
    given = {
        "-o": output,
        "--vectors": vectors,
        "--extra-vectors": extra_vectors,
        "--benchmark-dir": benchmark_dir,
        "--repetitions": repetitions,
    }
    options = [f"{name} {value}" for name, value in given.items() if value is not None]
    report.write(found, output, command=" ".join(["entvec reproduce", *options]))
    typer.echo(f"Intervals, comments and figures: {output / 'report.html'}")


def _print(found: "Reproduction") -> None:
    from entvec.evaluate import report

    console = Console(highlight=False, markup=False)
    if found.missing:
        console.print(f"{report.what_is_missing(found)}\n")
    for one in found.tables:
        console.print(report.heading(one))
        if report.note(one):
            console.print(report.note(one))
        compared = report.has_reported(one)
        table = number_table("", [*(["paper"] if compared else []), *report.MEASURES.values()])
        for line in one.lines:
            cells = [f"{100 * line.result.measures[name].value:.1f}" for name in report.MEASURES]
            cells[0] += line.result.star or " "
            style = {"baselines": "dim", "beyond": "bold"}.get(line.group, "")
            cells = [report.reported(line), *cells] if compared else cells
            table.add_row(report.row_name(line.result), *cells, style=style)
        console.print(table)
