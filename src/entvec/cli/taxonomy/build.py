"""`entvec taxonomy build`: a first taxonomy of a list of words."""

import sys
from itertools import chain
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from entvec.cli.options import DEFAULT_ASKING, AskingOptions, takes_options
from entvec.cli.progress import bar
from entvec.cli.taxonomy.command_input import (
    ReaderOption,
    Words,
    WordsFile,
    choice,
    chosen_words,
    read_taxonomy,
    space_of,
)
from entvec.cli.taxonomy.convert import write_taxonomy
from entvec.cli.trouble import note
from entvec.graphs.formats import FORMATS

if TYPE_CHECKING:
    from entvec.graphs import Taxonomy
    from entvec.taxonomy.inducing import Draft

TREE = "table"
"""The layout that draws a tree instead of writing a format."""
IMPORTED = "="
"""The mark after a term whose parent comes from `--edges`, in a drawn tree."""
NAMED = 5
"""How many words without an edge are named."""
ADDED = "+"
"""The mark after a concept that `--add` put in, in a drawn tree."""


@takes_options
def build(
    words: Words = None,
    file: WordsFile = None,
    shape: Annotated[
        Literal["tree", "dag"], typer.Option(help="tree: a word has one parent at most; dag: it may have several.")
    ] = "tree",
    least: Annotated[float, typer.Option(min=0.0, max=1.0, help="How probable an edge must be.")] = 0.5,
    add: Annotated[
        bool, typer.Option("--add", help="Put in concepts that are missing, where two words or more hang under one.")
    ] = False,
    root: Annotated[
        str | None, typer.Option(metavar="NAME", help="A term over all that would stay on top; it needs no vector.")
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Option(
            readable=False,
            help="A file of a taxonomy that is known: its edges hold, what it denies does not, its roots stay on top.",
        ),
    ] = None,
    review: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write guesses for words on top as a review, for `entvec taxonomy apply`."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file to write, as `entvec taxonomy convert` does; its name tells how."
        ),
    ] = None,
    space: AskingOptions = DEFAULT_ASKING,
    reader: ReaderOption = "small",
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
    relation `not_entails` of a table), and the next draft respects it. Every edge of that file is taken as certain, and
    is marked as imported; its roots stay on top unless they are among the words. Every word is in the draft: a word
    without a parent of the probability `--least` stays on top, and `--review` writes the guesses for it.

    Examples:

    * `entvec taxonomy build dog poodle cat animal car vehicle`
    * `entvec taxonomy build --file tags.txt --add --root things -o tags.ttl`
    * `entvec taxonomy build --file tags.txt --edges corrected.tsv --format tsv > draft.tsv`
    * `cat tags.txt | entvec taxonomy build --shape dag --format dot | dot -Tsvg > tags.svg`
    """
    from entvec.files import check_writable
    from entvec.graphs.taxonomy_files import check_format
    from entvec.taxonomy.inducing import draft
    from entvec.taxonomy.review_files import write_review
    from entvec.taxonomy.review_rows import rows_of_draft

    wanted = None if layout == TREE else layout
    if output is not None:
        if layout == TREE:
            raise typer.BadParameter("a drawn tree is not written to a file; leave it out", param_hint="--format")
        check_writable(output)
    if output is not None or wanted is not None:
        wanted = check_format(output or "text", wanted)
    if review is not None:
        check_writable(review)
    given = _known(edges)
    entails, not_entails = [edge[:2] for edge in given.edges()], list(given.denied())
    asked = chosen_words(words, file, given.terms)
    denied = {*chain(*not_entails)}
    alone = [term for term in given.orphans if term not in denied and term != root]
    tops = [term for term in (*given.roots, *alone) if term not in asked]
    asked = list(dict.fromkeys([*asked, *alone]))
    there = {*asked, *given.terms, root}
    chosen = space_of(space, reader)
    options: Any = {"shape": shape, "least": least, "add": add, "root": root, "roots": tops}
    with bar("building"):
        drafted = draft(asked, chosen, entails=entails, not_entails=not_entails, **options)
    found = drafted.taxonomy
    lost = len(not_entails) - len(found.negations)
    if lost:
        note(f"entvec: {lost:,} of what is denied is about words that are not here; it stays in {edges}")
    _tell(drafted)
    if review is not None:
        rows = list(rows_of_draft(drafted))
        write_review(rows, review)
        note(f"written: {review} ({len(rows):,} rows)")
    if wanted is None:
        _draw(drafted, there)
    else:
        write_taxonomy(found, output, wanted)


def _known(edges: Path | None) -> "Taxonomy":
    """Return the edges and the negations of a file, by the names of their terms."""
    from entvec.graphs import Taxonomy

    if edges is None:
        return Taxonomy.from_edges([])
    known = read_taxonomy(edges)
    if known.labels or known.about:
        note(f"entvec: of {edges} names and edges are used; its identifiers and descriptions are not kept")
    entails = [(known.label(edge.hypo), known.label(edge.hyper)) for edge in known.edges()]
    denied = [(known.label(hypo), known.label(hyper)) for hypo, hyper in known.denied()]
    return Taxonomy.from_edges(entails, negations=denied, terms=map(known.label, known.terms))


def _tell(found: "Draft") -> None:
    """Say which words stay on top though parents were guessed for them, and which nobody knows."""
    best = {guess.hypo: guess for guess in reversed(found.guesses)}
    for word, why in list(found.unplaced.items())[:NAMED]:
        guess = best.get(word)
        number = "" if guess is None or isnan(guess.probability) else f" ({guess.probability:.2f})"
        note(f"on top: {word}: {why}" + ("" if guess is None else f"; a guess is {guess.hyper}{number}"))
    if len(found.unplaced) > NAMED:
        note(f"on top: {len(found.unplaced) - NAMED:,} more words without an edge; --review FILE lists all of them")


def _draw(found: "Draft", asked: set[str | None]) -> None:
    from entvec.graphs import draw

    made = found.taxonomy
    added = [term for term in made.terms if term not in asked]
    labels = {term: f"{term} {ADDED}" for term in added}
    labels |= {hypo: f"{hypo} {IMPORTED}" for hypo, _ in found.imported}
    width = Console().width if sys.stdout.isatty() else None
    typer.echo(draw(made.replaced(labels=labels), width=width))
    if added:
        note(f"entvec: {ADDED} marks concepts that were added: {len(added):,}")
    if found.imported:
        note(f"entvec: {IMPORTED} marks terms whose parent was imported: {len({low for low, _ in found.imported}):,}")
