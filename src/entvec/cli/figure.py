"""`entvec figure`: the paper's Figure 1, how good mean-field inference is, and how specific hypernyms should be."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from entvec.cli.printing import number_table
from entvec.cli.progress import track
from entvec.cli.trouble import note

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Draw a figure and print its numbers.",
)

Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write: .png, .svg or .pdf.")]


@app.command()
def gradients(
    output: Output,
    limit: Annotated[
        float, typer.Option("--range", min=0.01, max=50.0, help="Draw values from minus this to this.")
    ] = 2.0,
) -> None:
    """Figure 1 of the paper: which reading of Word2Vec vectors explains how they were trained.

    Prints, for each interpretation, how much of Word2Vec's training gradient the best multiple of its own leaves
    unexplained (mismatch, 0 is perfect), and which constant in place of the paper's 1 would match best.

    Examples:

    * `entvec figure gradients -o gradients.png --range 1`
    """
    from entvec.evaluate import gradients as study
    from entvec.evaluate.plotting import check_drawable

    check_drawable(output)
    found = study.gradients(limit)
    best = study.best_shift(limit)
    table = number_table("interpretation", ["mismatch", "correlation"])
    for name in found.interpretations:
        table.add_row(name, f"{found.mismatch(name):.3f}", f"{found.correlation(name):.3f}")
    table.add_row(f"unk_dup, shift {best:g}", f"{study.mismatch_of_shift(best, limit):.3f}", "")
    _finish(
        study.draw(found), output, table, f"For values up to {limit:g} the best shift is {best:g}; the paper has 1."
    )


@app.command()
def meanfield(
    output: Output,
    trials: Annotated[int, typer.Option(min=1, max=2000, help="Random priors for each graph.")] = 200,
) -> None:
    """How far mean-field inference is from the exact posterior, on graphs small enough to enumerate.

    Prints, for each graph, the difference of the inferred probabilities from the exact ones; how many of those that
    are off by more than 0.1 are too far from one half; and the difference of the prior's probabilities from the exact
    ones: what one would be wrong by without inference.

    Examples:

    * `entvec figure meanfield -o meanfield.png`
    """
    from entvec.evaluate import meanfield_error as study
    from entvec.evaluate.plotting import check_drawable

    check_drawable(output)
    found = [study.distance(case, trials=trials) for case in track(study.CASES, "measuring")]
    table = number_table("graph", ["mean", "largest", "bias", "too sure", "prior"])
    for d in found:
        numbers = (
            f"{d.mean:.3f}",
            f"{d.largest:.3f}",
            f"{round(d.bias, 3) + 0.0:+.3f}",
            f"{d.too_sure:.0%}" if d.largest > 0.1 else "-",
            f"{d.prior_mean:.3f}",
        )
        table.add_row(d.case.name, *numbers)
    _finish(study.draw(found), output, table)


@app.command()
def specificity(
    output: Output,
    without: Annotated[
        list[str] | None,
        typer.Option(help="A benchmark, or a file with one word a line, whose words are not used; may be repeated."),
    ] = None,
    words: Annotated[int, typer.Option(min=1, help="How many nouns to ask about.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Which nouns are drawn.")] = 0,
    learned: Annotated[
        bool, typer.Option("--learned", help="Fit a map to WordNet's other words as well: takes a minute or two.")
    ] = False,
) -> None:
    """How much general words should lose when hypernyms are ranked, by interpretation and operator.

    Prints the specificity with the best MRR on nouns drawn from WordNet (`entvec evaluate discovery`, specific
    hypernyms), and what it reaches; and what similarity alone does.

    Examples:

    * `entvec figure specificity -o specificity.png`
    * `entvec figure specificity -o specificity.png --without weeds-bless --without baroni2012 --learned`
    """
    from entvec.bundled import google_news
    from entvec.evaluate import specificity_curve as study
    from entvec.evaluate.benchmark import find_words
    from entvec.evaluate.discovery import ask
    from entvec.evaluate.plotting import check_drawable

    check_drawable(output)
    chosen = study.draw_words(words, without=[word for name in without or [] for word in find_words(name)], seed=seed)
    questions = ask(chosen, google_news())
    curves = [study.curve(study.unsupervised(*row), questions) for row in track(study.COMBINATIONS, "ranking")]
    if learned:
        curves += [study.curve(study.learned_without(chosen), questions) for _ in track([0], "learning")]
    similar = study.cosine(questions)
    table = number_table("", ["best", "MRR", "hit@10", "MRR at 0", "MRR at 1"])
    for found in curves:
        best = found.best
        values = (found.at(best), found.at(best, "hit_at_10"), found.at(0.0), found.at(1.0))
        table.add_row(found.name, f"{best:g}", *(f"{reached.value:.3f}" for reached in values))
    table.add_row("similarity only", "", *(f"{similar[kind].value:.3f}" for kind in study.MEASURES))
    _finish(study.draw(curves, similar), output, table)


def _finish(figure: Any, path: Path, table: Table, *lines: str) -> None:
    """Save the figure, and print its numbers."""
    from entvec.evaluate.plotting import save_figure

    save_figure(figure, path)
    console = Console(highlight=False)
    for each in (table, *lines):
        console.print(each)
    note(f"written: {path}")
