"""`entvec taxonomy apply` and `match`: what people decide about suggestions, and the terms of two vocabularies."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from entvec.cli.options import DEFAULT_ASKING, AskingOptions, takes_options
from entvec.cli.progress import bar
from entvec.cli.taxonomy.command_input import Columns, ReaderOption, read_taxonomy, space_of
from entvec.cli.taxonomy.convert import write_taxonomy
from entvec.cli.trouble import note
from entvec.errors import shown

if TYPE_CHECKING:
    from entvec.graphs import Taxonomy
    from entvec.space import EntailmentSpace
    from entvec.taxonomy.review_rows import Row

MOST_SHOWN = 200
"""The most changes that are printed."""
NAMED = 5
"""How many terms a message names."""


@takes_options
def apply(
    review: Annotated[Path, typer.Argument(metavar="REVIEW", readable=False, help="A review: .csv, .tsv or SSSOM.")],
    taxonomy: Annotated[Path, typer.Option(readable=False, help="The file of the taxonomy that was reviewed.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write, in the format of its name. Without it, only the differences are printed.",
        ),
    ] = None,
    columns: Columns = None,
    accept_above: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, metavar="P", help="Accept the first undecided suggestion of this probability."),
    ] = None,
    undecided: Annotated[
        Literal["leave", "top"],
        typer.Option(help="New terms without a decision: leave them in the review, or put them at the top."),
    ] = "leave",
    decided: Annotated[
        Path | None,
        typer.Option("--decisions", metavar="FILE", help="Write what was decided as a table that --knowledge takes."),
    ] = None,
    again: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Place what is left anew, with the decisions as knowledge, into a review."),
    ] = None,
    space: AskingOptions = DEFAULT_ASKING,
    reader: ReaderOption = "small",
) -> None:
    """Change a taxonomy as a review says, and print what changed: + for what came, - for what went.

    Write `accept` or `reject` (or y, n, x) into the column `decision` of a review of `place`, `match` or `audit`. What
    is accepted is done: `narrower` adds a parent, `broader` puts the term above another one, `same` makes it another
    name, `none` puts it at the top. A rejected parent becomes a denial. `--again` says what the decisions change for
    the suggestions that are left.

    Examples:

    * `entvec taxonomy apply review.csv --taxonomy shop.ttl -o shop2.ttl`
    * `entvec taxonomy apply matches.sssom.tsv --taxonomy shop.csv --accept-above 0.9 -o shop2.csv`
    * `entvec taxonomy apply review.csv --taxonomy shop.ttl --decisions decided.tsv --again left.csv -o shop2.ttl`
    """
    from entvec.files import check_writable
    from entvec.graphs.taxonomy_files import check_format, format_of_origin, write
    from entvec.taxonomy.review import accepted_above, decisions
    from entvec.taxonomy.review import apply as applied
    from entvec.taxonomy.review_files import read_review

    for path in (output, decided, again):
        if path is not None:
            check_writable(path)
    name = None if output is None else check_format(output)
    before = read_taxonomy(taxonomy, columns=columns)
    rows = read_review(review)
    if accept_above is not None:
        rows = accepted_above(rows, accept_above)
    done = applied(rows, before, undecided=undecided)
    for change in done.changes[:MOST_SHOWN]:
        typer.echo(shown(str(change)))
    if len(done.changes) > MOST_SHOWN:
        note(f"entvec: {len(done.changes) - MOST_SHOWN:,} more changes are not shown")
    counts = Counter(row.decision or "undecided" for row in rows)
    note("entvec: " + ", ".join(f"{n:,} {what}" for what, n in counts.items()))
    if done.undecided:
        where = "under no other term" if undecided == "top" else f"left in {review}; --undecided top puts them in"
        note(f"entvec: {_named(done.undecided)} new terms without a decision are {where}")
    if output is not None and name is not None:
        write_taxonomy(done.taxonomy, output, format_of_origin(done.taxonomy, output) or name)
    known = decisions(rows, before)
    if decided is not None:
        write(known, decided)
        note(f"written: {decided} ({len(known.hypo):,} edges, {len(known.negations):,} denials)")
    if again is not None:
        _place_again(rows, done.open, before, done.taxonomy, space_of(space, reader), again)


def _place_again(
    rows: "Sequence[Row]",
    left: "Sequence[Row]",
    before: "Taxonomy",
    taxonomy: "Taxonomy",
    space: "EntailmentSpace",
    path: Path,
) -> None:
    """Place the terms that are left, and say whose first suggestion has changed."""
    from entvec.taxonomy.placing_many import place_all
    from entvec.taxonomy.review import decisions
    from entvec.taxonomy.review_files import write_review
    from entvec.taxonomy.review_rows import REJECT, rows_of

    names = {row.term: row.term_label or row.term for row in left if row.term not in taxonomy or row.relation == "none"}
    if not names:
        note("entvec: nothing is left to place")
        return
    # What is denied of an open term is no suggestion. As knowledge it would make the term a known one, of which nothing
    # else is known.
    refused = [pair for pair in decisions(rows, before).denied() if pair[0] in names.values()]
    known = decisions([row for row in rows if row.decision != REJECT or row.term not in names], before)
    told = len(known.hypo) or len(known.negations)
    informed = space.with_knowledge(known, names=["decisions"]) if told else space
    definitions = {row.term: row.definition for row in rows if row.definition}
    with bar("placing") as progress:
        options: Any = {"definitions": definitions, "not_entails": refused}
        placed = place_all(list(names.values()), taxonomy, informed, **options, progress=progress)
    new = list(rows_of(placed, definitions))
    identifiers = {name: term for term, name in names.items()}
    new = [row._replace(term=identifiers[row.term], term_label=names[identifiers[row.term]]) for row in new]
    new = [row if row.term != row.term_label else row._replace(term_label="") for row in new]
    old, now = _first(rows), _first(new)
    changed = [term for term in names if old.get(term) != now.get(term)]
    for term in changed[:MOST_SHOWN]:
        typer.echo(shown(f"~ {names[term]}: {old.get(term, 'none')} before, {now.get(term, 'none')} now"))
    write_review(new, path)
    note(f"written: {path} ({len(names):,} terms, {len(changed):,} of them with another first suggestion than before)")


def _first(rows: "Iterable[Row]") -> dict[str, str]:
    found: dict[str, str] = {}
    for row in rows:
        if row.relation in ("narrower", "same"):
            found.setdefault(row.term, row.target_label or row.target)
    return found


@takes_options
def match(
    first: Annotated[Path, typer.Argument(metavar="A", readable=False, help="The vocabulary whose terms are matched.")],
    second: Annotated[Path, typer.Argument(metavar="B", readable=False, help="The vocabulary to find them in.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write: SSSOM for .sssom.tsv, else a review in .csv.")
    ],
    columns: Columns = None,
    space: AskingOptions = DEFAULT_ASKING,
    reader: ReaderOption = "small",
) -> None:
    """For each term of A the same, a broader or a narrower term of B, or none, with its probability and reason.

    Examples:

    * `entvec taxonomy match ours.ttl theirs.obo -o matches.sssom.tsv`
    * `entvec taxonomy match categories.csv google.txt -o matches.csv`
    """
    from entvec.files import check_writable
    from entvec.taxonomy.matching import match as matched
    from entvec.taxonomy.review_files import write_review

    check_writable(output)
    ours, theirs = (read_taxonomy(path, columns=columns) for path in (first, second))
    with bar("matching") as progress:
        rows = matched(ours, theirs, space_of(space, reader), progress=progress)
    write_review(rows, output)
    counts = Counter(row.relation for row in rows)
    told = ", ".join(f"{counts[relation]:,} {what}" for relation, what in MEANT.items() if counts[relation])
    note(f"written: {output} ({len(rows):,} terms: {told})")


MEANT = {"same": "the same", "narrower": "with a broader term", "broader": "with a narrower term", "none": "with none"}
"""What is said of the relations of a term to its match."""


def place_file(
    source: Path,
    taxonomy: Path,
    output: Path,
    space: "EntailmentSpace",
    *,
    k: int,
    columns: str | None,
) -> None:
    """Place all terms of a file, and write the review."""
    from entvec.taxonomy.placing_many import place_all
    from entvec.taxonomy.review_files import write_review
    from entvec.taxonomy.review_rows import rows_of

    new, there = read_taxonomy(source), read_taxonomy(taxonomy, columns=columns)
    names = {new.labels.get(term, term): term for term in new.terms}
    if len(names) < len(new):
        same = len(new) - len(names)
        note(f"entvec: {same:,} terms of {source} have the name of another one, of which the last is placed")
    definitions = {new.label(term): text for term, text in new.definitions.items()}
    with bar("placing") as progress:
        placed = place_all(list(names), there, space, k=k, definitions=definitions, progress=progress)
    rows = [
        row._replace(term=names[row.term], term_label="" if names[row.term] == row.term else row.term)
        for row in rows_of(placed, definitions)
    ]
    write_review(rows, output)
    same = int((placed.same >= 0).sum())
    lost = placed.unplaced
    n_placed = len(placed) - same - len(lost)
    told = f"{n_placed:,} placed, {same:,} the same as a term that is there, {len(lost):,} unplaced"
    note(f"written: {output} ({len(placed):,} terms: {told})")
    for i in lost[:NAMED]:
        note(f"unplaced: {placed.terms[i]}: {placed.why_unplaced(i)}")
    if len(lost) > NAMED:
        note(f"unplaced: {len(lost) - NAMED:,} more; their rows say why")


def _named(terms: Sequence[str]) -> str:
    """Return how many terms there are, and some of them."""
    more = ", ..." if len(terms) > NAMED else ""
    return f"{len(terms):,} ({', '.join(terms[:NAMED])}{more})"
