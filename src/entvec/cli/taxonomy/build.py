"""`entvec taxonomy build`: a first taxonomy of a list of words."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from entvec.cli.options import DEFAULT_SPACE, SpaceOptions, takes_options
from entvec.cli.progress import bar
from entvec.cli.taxonomy.command_input import Words, WordsFile, choice, chosen_words, read_taxonomy
from entvec.cli.taxonomy.convert import write_taxonomy
from entvec.cli.trouble import note
from entvec.graphs.formats import FORMATS

if TYPE_CHECKING:
    from entvec.graphs import Taxonomy

TREE = "table"
"""The layout that draws a tree instead of writing a format."""
ADDED = "+"
"""The mark after a concept that `--add` put in, in a drawn tree."""


@takes_options
def build(
    words: Words = None,
    file: WordsFile = None,
    shape: Annotated[
        Literal["tree", "dag"], typer.Option(help="tree: a word has one parent at most; dag: it may have several.")
    ] = "tree",
    least: Annotated[float, typer.Option(min=0.0, max=1.0, help="How probable an edge must be.")] = 0.1,
    add: Annotated[
        bool, typer.Option("--add", help="Put in concepts that are missing, where two words or more hang under one.")
    ] = False,
    root: Annotated[
        str | None, typer.Option(metavar="NAME", help="A term over all that would stay on top; it needs no vector.")
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Option(
            readable=False, help="A file of a taxonomy that is known: all its edges hold, what it denies does not."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file to write, as `entvec taxonomy convert` does; its name tells how."
        ),
    ] = None,
    space: SpaceOptions = DEFAULT_SPACE,
    layout: Annotated[
        str | None,
        choice(
            "--format",
            names=lambda: [TREE, *FORMATS],
            help="How to print: table, a drawn tree, if none; or how to write.",
        ),
    ] = None,
) -> None:
    """A taxonomy of words: each under the one that it most probably entails, with the probability of that.

    It is a draft for people to correct: what is known already goes into `--edges`, what is wrong is denied there (the
    relation `not_entails` of a table), and the next draft respects it. Every edge of that file is taken as certain,
    whatever its probability. Words without a vector are left out, and said, unless the file has them.

    Examples:

    * `entvec taxonomy build dog poodle cat animal car vehicle`
    * `entvec taxonomy build --file tags.txt --add --root things -o tags.ttl`
    * `entvec taxonomy build --file tags.txt --edges corrected.tsv --format tsv > draft.tsv`
    * `cat tags.txt | entvec taxonomy build --shape dag --format dot | dot -Tsvg > tags.svg`
    """
    from entvec.files import check_writable
    from entvec.graphs.taxonomy_files import check_format
    from entvec.taxonomy.inducing import induce

    wanted = None if layout == TREE else layout
    if output is not None:
        if layout == TREE:
            raise typer.BadParameter("a drawn tree is not written to a file; leave it out", param_hint="--format")
        check_writable(output)
    if output is not None or wanted is not None:
        wanted = check_format(output or "text", wanted)
    entails, not_entails = _known(edges)
    known = [word for pair in entails for word in pair]
    asked = chosen_words(words, file, known)
    there = {*asked, *known, root}
    chosen = space.in_memory()
    with bar("building"):
        found = induce(
            asked, chosen, shape=shape, least=least, entails=entails, not_entails=not_entails, add=add, root=root
        )
    lost = len(not_entails) - len(found.negations)
    if lost:
        note(f"entvec: {lost:,} of what is denied is about words that are not here; it stays in {edges}")
    if wanted is None:
        _draw(found, there)
    else:
        write_taxonomy(found, output, wanted)


def _known(edges: Path | None) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the edges and the negations of a file, by the names of their terms."""
    if edges is None:
        return [], []
    known = read_taxonomy(edges)
    if known.labels or known.about:
        note(f"entvec: of {edges} names and edges are used; its identifiers and descriptions are not kept")
    entails = [(known.label(edge.hypo), known.label(edge.hyper)) for edge in known.edges()]
    return entails, [(known.label(hypo), known.label(hyper)) for hypo, hyper in known.denied()]


def _draw(found: "Taxonomy", asked: set[str | None]) -> None:
    from entvec.graphs import draw

    added = [term for term in found.terms if term not in asked]
    width = Console().width if sys.stdout.isatty() else None
    typer.echo(draw(found.replaced(labels={term: f"{term} {ADDED}" for term in added}), width=width))
    if added:
        note(f"entvec: {ADDED} marks concepts that were added: {len(added):,}")
    doubtful = int((found.probability < 0.5).sum())
    if 2 * doubtful > len(found.hypo):
        note(
            f"entvec: {doubtful:,} of {len(found.hypo):,} edges have a probability below 0.5: few of these words are "
            "kinds of others; --add puts in concepts over them, --least 0.5 leaves such edges out"
        )
