"""`entvec taxonomy audit`: what is wrong with a taxonomy."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.options import DEFAULT_ASKING, AskingOptions, Layout, takes_options
from entvec.cli.printing import plain_table, show
from entvec.cli.progress import bar
from entvec.cli.taxonomy.command_input import Columns, ReadAs, ReaderOption, read_taxonomy, space_of
from entvec.cli.trouble import note
from entvec.errors import shown

if TYPE_CHECKING:
    from entvec.graphs import Taxonomy
    from entvec.taxonomy.auditing import Audit
    from entvec.taxonomy.findings import Finding

NONE = "none"
SEARCHED = ("missing", "distant", "duplicate")
"""The kinds for which the place of each term is searched for."""
IN_A_TABLE = 10
BESIDE = " " * 5
"""The indentation of a finding that is certain."""
NAMED = 5
"""The number of terms without a vector that a table names."""


@takes_options
def audit(
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="The taxonomy; - is what is piped in.")],
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND,...", help="List only findings of these kinds; all if none.")
    ] = None,
    fail_on: Annotated[
        list[str], typer.Option(metavar="KIND,...", help="Kinds that make the exit code 1; none for never.")
    ] = ["cycle,contradiction"],  # noqa: B006
    k: Annotated[
        int | None, typer.Option("-k", min=0, help="How many to list of each kind; 10 in a table, else all, if none.")
    ] = None,
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="Look at the edges alone: quick, and no vectors are read.")
    ] = False,
    no_missing: Annotated[
        bool, typer.Option("--no-missing", help="Do not search where terms belong: no missing, distant, duplicate.")
    ] = False,
    baseline: Annotated[
        Path | None,
        typer.Option(
            readable=False, help="Findings that are accepted: identifiers, one a line, or a review that rejects them."
        ),
    ] = None,
    review: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what mends each finding, for `entvec taxonomy apply`.")
    ] = None,
    read_as: ReadAs = None,
    columns: Columns = None,
    space: AskingOptions = DEFAULT_ASKING,
    reader: ReaderOption = "small",
    layout: Layout = "table",
) -> None:
    """What is wrong with a taxonomy, or seems to be: the gravest kind first, and in each the surest first.

    Kinds, by its edges: `cycle` (terms that entail each other in a circle), `contradiction` (denied, but it follows),
    `redundant` (follows from other edges), `repeated`, `self` (a term over itself), `orphan` (without any edge). By
    what a space knows: `reversed`, a `part` under its whole or a `whole` under a part, a `sibling` under a sibling, a
    term under a word in another `sense`, `improbable` edges, `duplicate` terms, a `distant` parent (a better one is in
    between), and edges that are `missing`. Terms are looked up by their label, or a synonym; the number before an edge
    tells how probably something is wrong.

    Each finding has an identifier that stays the same in every audit. `--baseline FILE` leaves those out that FILE
    names; `--review FILE` writes what mends them, and a review whose rows are rejected is a baseline.

    The exit code is 0 if there is nothing of a kind in `--fail-on`, 1 if there is, 2 if the audit could not be made.

    Examples:

    * `entvec taxonomy audit instruments.ttl`
    * `entvec taxonomy audit go.obo --no-vectors --fail-on cycle,redundant --format json`
    * `entvec taxonomy audit tags.tsv --kind reversed,improbable --fail-on none --format tsv`
    """
    from entvec.files import check_writable
    from entvec.taxonomy.auditing import audit as audited
    from entvec.taxonomy.findings import BY_RELATIONS, BY_SPACE, KINDS
    from entvec.taxonomy.review_files import write_review
    from entvec.taxonomy.review_rows import rows_of_audit

    skipped = BY_SPACE if no_vectors else SEARCHED if no_missing else ()
    listed = _kinds("--kind", kind or list(KINDS), KINDS, skipped if kind else ())
    fatal = _kinds("--fail-on", fail_on, KINDS, skipped)
    if no_vectors and space != DEFAULT_ASKING:
        raise typer.BadParameter("no space is used then; leave the options of one out", param_hint="--no-vectors")
    if review is not None:
        check_writable(review)
    accepted = [] if baseline is None else _accepted(baseline)
    taxonomy = read_taxonomy(file, read_as, columns)
    chosen = None if no_vectors else space_of(space, reader)
    with bar("looking") as progress:
        all_found = audited(taxonomy, chosen, missing=not no_missing, progress=progress)
    found = all_found.without(accepted)
    if chosen is not None and chosen.knowledge is None:
        skipped = (*skipped, *(kind for kind in BY_RELATIONS if kind not in skipped))
    if baseline is not None:
        known = len(all_found.findings) - len(found.findings)
        gone = len(set(accepted) - {finding.id for finding in all_found.findings})
        note(f"entvec: {known:,} findings are in {baseline}, which names {gone:,} more that are not there")
    failed = [name for name in fatal if found.of(name)]
    limit = IN_A_TABLE if k is None and layout == "table" else k
    findings = [finding for name in KINDS if name in listed for finding in found.of(name)[:limit]]
    show(
        layout,
        lambda: _record(file, found, findings, failed, skipped),
        _lines(findings),
        lambda console: _draw(console, str(file), taxonomy, found, findings, skipped),
    )
    if review is not None:
        rows = [row for row in rows_of_audit(found, taxonomy) if row.id in {finding.id for finding in findings}]
        write_review(rows, review)
        note(f"written: {review} ({len(rows):,} findings)")
    if failed:
        note(f"entvec: found what --fail-on names: {', '.join(failed)}")
        raise typer.Exit(1)


def _accepted(baseline: Path) -> list[str]:
    """Return the identifiers of findings that a file accepts: of rejected rows, or the first word of each line."""
    from entvec.files import read_whole
    from entvec.taxonomy.review_files import LARGEST, read_review
    from entvec.taxonomy.review_rows import REJECT

    lines = read_whole(baseline, LARGEST).decode("utf-8-sig", errors="replace").splitlines()
    if lines and "decision" in lines[0]:
        return [row.id for row in read_review(baseline) if row.decision == REJECT and row.id]
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def _kinds(option: str, given: list[str], known: dict[str, str], skipped: tuple[str, ...]) -> list[str]:
    """Return the kinds of an option, which may be repeated or separated by commas."""
    named = [name.strip() for text in given for name in text.split(",") if name.strip()]
    if option == "--fail-on" and named == [NONE]:
        return []
    for name in named:
        if name not in known:
            raise typer.BadParameter(f"no kind {name!r}, expected some of {', '.join(known)}", param_hint=option)
        if name in skipped:
            raise typer.BadParameter(
                f"{name} is not looked for with --no-vectors or --no-missing; leave it out", param_hint=option
            )
    if not named:
        raise typer.BadParameter(f"nothing is named, expected some of {', '.join(known)}", param_hint=option)
    return list(dict.fromkeys(named))


def _record(
    file: Path, found: "Audit", findings: "list[Finding]", failed: list[str], skipped: tuple[str, ...]
) -> dict[str, Any]:
    """Return the findings for JSON; a kind that was not looked for has no count."""
    told = found.to_dict()
    counts = told["counts"] | dict.fromkeys(skipped)
    listed = [finding.to_dict() for finding in findings]
    return {"file": str(file), **told, "counts": counts, "findings": listed, "failed": failed}


def _lines(findings: "list[Finding]") -> Iterator[tuple[object, ...]]:
    yield "kind", "severity", "hypo", "hyper", "probability", "reversed_probability", "path", "reason", "fix", "id"
    for one in findings:
        probabilities = one.probability, one.reversed_probability
        path = " => ".join(one.path)
        yield one.kind, one.severity, one.hypo, one.hyper, *probabilities, path, one.reason, one.fix, one.id


def _draw(
    console: Console,
    name: str,
    taxonomy: "Taxonomy",
    found: "Audit",
    findings: "list[Finding]",
    skipped: tuple[str, ...],
) -> None:
    from entvec.taxonomy.findings import KINDS

    console.print(f"{shown(name)}: {found.n_terms:,} terms, {found.n_edges:,} edges", soft_wrap=True)
    if found.without_vector:
        names = ", ".join(shown(taxonomy.label(term)) for term in found.without_vector[:NAMED])
        more = ", ..." if len(found.without_vector) > NAMED else ""
        unknown = f"{len(found.without_vector):,} ({names}{more})"
        console.print(f"Terms of which nothing is known, and so of their edges: {unknown}")
    table = plain_table(Column("kind", no_wrap=True), "found", Column("what it is"))
    for kind, meaning in KINDS.items():
        n = len(found.of(kind))
        table.add_row(kind, "-" if kind in skipped else f"{n:,}", meaning, style="" if n else "dim")
    console.print(table)
    for kind in dict.fromkeys(finding.kind for finding in findings):
        some = [finding for finding in findings if finding.kind == kind]
        console.print(f"\n{kind}: {KINDS[kind]}", style="bold")
        for finding in some:
            _print_finding(console, taxonomy, finding)
        rest = len(found.of(kind)) - len(some)
        if rest:
            console.print(f"  … {rest:,} more; -k lists more of them", style="dim")


def _print_finding(console: Console, taxonomy: "Taxonomy", finding: "Finding") -> None:
    ends = [taxonomy.label(term) for term in (finding.hypo, finding.hyper) if term is not None]
    certainty = BESIDE if finding.severity == 1 else f"{finding.severity:.2f}".ljust(len(BESIDE))
    console.print(f"{certainty}{shown(' → '.join(ends))}", soft_wrap=True)
    width = max(console.width, 4 * len(BESIDE))
    told = textwrap.fill(shown(finding.reason), width, initial_indent=BESIDE, subsequent_indent=BESIDE)
    console.print(told, style="dim", soft_wrap=True)
