"""`entvec taxonomy audit`: what is wrong with a taxonomy."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.options import DEFAULT_SPACE, Layout, SpaceOptions, takes_options
from entvec.cli.printing import plain_table, show
from entvec.cli.progress import bar
from entvec.cli.taxonomy.command_input import Columns, ReadAs, read_taxonomy
from entvec.cli.trouble import note
from entvec.errors import shown

if TYPE_CHECKING:
    from entvec.graphs import Taxonomy
    from entvec.taxonomy.auditing import Audit, Finding

NONE = "none"
BY_VECTORS = ("reversed", "improbable", "missing")
"""The kinds that need a space."""
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
        bool, typer.Option("--no-missing", help="Do not look for missing edges, which compares all pairs of terms.")
    ] = False,
    read_as: ReadAs = None,
    columns: Columns = None,
    space: SpaceOptions = DEFAULT_SPACE,
    layout: Layout = "table",
) -> None:
    """What is wrong with a taxonomy, or seems to be: the gravest kind first, and in each the surest first.

    Kinds, by its edges: `cycle` (terms that entail each other in a circle), `contradiction` (denied, but it follows),
    `redundant` (follows from other edges), `repeated`, `self` (a term over itself), `orphan` (without any edge). By
    vectors: `reversed` and `improbable` edges, and such as are `missing`. Terms are looked up by their label, or a
    synonym; the number before an edge tells how probably something is wrong.

    The exit code is 1 if there is something of a kind in `--fail-on`, 2 if the audit could not be made, else 0.

    Examples:

    * `entvec taxonomy audit instruments.ttl`
    * `entvec taxonomy audit go.obo --no-vectors --fail-on cycle,redundant --format json`
    * `entvec taxonomy audit tags.tsv --kind reversed,improbable --fail-on none --format tsv`
    """
    from entvec.taxonomy.auditing import KINDS
    from entvec.taxonomy.auditing import audit as audited

    skipped = BY_VECTORS if no_vectors else ("missing",) if no_missing else ()
    listed = _kinds("--kind", kind or list(KINDS), KINDS, skipped if kind else ())
    fatal = _kinds("--fail-on", fail_on, KINDS, skipped)
    if no_vectors and space != DEFAULT_SPACE:
        raise typer.BadParameter("no space is used then; leave the options of one out", param_hint="--no-vectors")
    taxonomy = read_taxonomy(file, read_as, columns)
    chosen = None if no_vectors else space.in_memory()
    with bar("looking") as progress:
        found = audited(taxonomy, chosen, missing=not no_missing, progress=progress)
    failed = [name for name in fatal if found.of(name)]
    limit = IN_A_TABLE if k is None and layout == "table" else k
    findings = [finding for name in KINDS if name in listed for finding in found.of(name)[:limit]]
    show(
        layout,
        lambda: _record(file, found, findings, failed, skipped),
        _lines(findings),
        lambda console: _draw(console, str(file), taxonomy, found, findings, skipped),
    )
    if failed:
        note(f"entvec: found what --fail-on names: {', '.join(failed)}")
        raise typer.Exit(1)


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
    listed = [finding._asdict() | {"path": list(finding.path)} for finding in findings]
    return {"file": str(file), **told, "counts": counts, "findings": listed, "failed": failed}


def _lines(findings: "list[Finding]") -> Iterator[tuple[object, ...]]:
    yield "kind", "severity", "hypo", "hyper", "probability", "reversed_probability", "path", "reason"
    for one in findings:
        probabilities = one.probability, one.reversed_probability
        yield one.kind, one.severity, one.hypo, one.hyper, *probabilities, " => ".join(one.path), one.reason


def _draw(
    console: Console,
    name: str,
    taxonomy: "Taxonomy",
    found: "Audit",
    findings: "list[Finding]",
    skipped: tuple[str, ...],
) -> None:
    from entvec.taxonomy.auditing import KINDS

    console.print(f"{shown(name)}: {found.n_terms:,} terms, {found.n_edges:,} edges", soft_wrap=True)
    if found.without_vector:
        names = ", ".join(shown(taxonomy.label(term)) for term in found.without_vector[:NAMED])
        more = ", ..." if len(found.without_vector) > NAMED else ""
        unknown = f"{len(found.without_vector):,} ({names}{more})"
        console.print(f"Terms without a vector, of whose edges vectors say nothing: {unknown}")
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
