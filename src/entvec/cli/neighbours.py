"""`entvec neighbours`: the hypernyms or hyponyms of every word, to a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from entvec.cli.bulk import Cluster, Processes, Restart, at_work, report
from entvec.cli.options import DEFAULT_RANKING, RankingOptions, takes_options
from entvec.cli.search import Specificity
from entvec.cli.trouble import note


@takes_options
def neighbours(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The file to write, .parquet, .csv or .tsv; a name without an ending: a folder of .parquet.",
        ),
    ],
    every: Annotated[
        bool, typer.Option("--all", help="Of every word of the vocabulary; `entvec hypernyms` answers for some.")
    ] = False,
    direction: Annotated[
        Literal["up", "down"], typer.Option(help="What words entail (up), or what entails them (down).")
    ] = "up",
    k: Annotated[int, typer.Option("-k", min=1, help="How many for each word.")] = 10,
    specificity: Specificity = None,
    space: RankingOptions = DEFAULT_RANKING,
    processes: Processes = None,
    cluster: Cluster = None,
    device: Annotated[
        str | None, typer.Option(help="A device of PyTorch that searches: cuda, cuda:1, cpu; none if not named.")
    ] = None,
    dtype: Annotated[
        Literal["bfloat16", "tf32", "float32"] | None,
        typer.Option(
            "--dtype",
            help="With --device: the numbers with which it looks for candidates; exact scores decide.",
        ),
    ] = None,
    restart: Restart = False,
) -> None:
    """The hypernyms (or hyponyms) of every word, out of every word: a Parquet file with k rows a word.

    Its columns are word, rank (1 is the best), neighbour, score, probability if the space has probabilities, and
    evidence if what is known counts; `--evidence vectors` is many times as fast. A run that was stopped, by Ctrl-C, a
    full disk or a power cut, goes on where it was when the same command is given again; until then its parts are in
    the folder OUTPUT.job beside the output.

    Examples:

    * `entvec neighbours --all -o hypernyms.parquet`
    * `entvec neighbours --all --direction down -k 50 --space glove -o hyponyms.parquet`
    * `entvec neighbours --all --space glove --device cuda -o hypernyms.parquet`
    * `entvec neighbours --all --space /shared/glove --cluster tcp://head:8786 -o /shared/hypernyms.parquet`
    """
    if not every:
        raise typer.BadParameter(
            "expected --all, the whole vocabulary; for some words there are entvec hypernyms and entvec hyponyms",
            param_hint="--all",
        )
    if dtype is not None and device is None:
        raise typer.BadParameter("it is for a device; name one with --device", param_hint="--dtype")
    if device is not None and (cluster is not None or processes is not None):
        raise typer.BadParameter(
            "a device is used by one process; leave --processes and --cluster out", param_hint="--device"
        )
    from entvec import bulk

    with at_work(output, "rows") as tell:
        done = bulk.neighbours(
            space.folder or space.in_memory(),
            output,
            direction,
            k,
            specificity=specificity,
            evidence=space.ranked_by,
            processes=processes,
            cluster=cluster,
            device=device,
            dtype=dtype,
            restart=restart,
            progress=tell,
        )
    report(done, output, "rows")
    note(f"next: python -c \"import pandas; print(pandas.read_parquet('{output}'))\"")
