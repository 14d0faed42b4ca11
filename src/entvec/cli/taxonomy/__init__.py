"""`entvec taxonomy`: place, review, match, name what words have in common, build, audit and convert."""

import typer

from entvec.cli.taxonomy.audit import audit
from entvec.cli.taxonomy.build import build
from entvec.cli.taxonomy.common import common, group
from entvec.cli.taxonomy.convert import FORMAT_LIST, convert
from entvec.cli.taxonomy.place import place
from entvec.cli.taxonomy.review import apply, match
from entvec.cli.trouble import Check

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Place terms, review suggestions, match vocabularies, name words, build, audit and convert taxonomies.",
)
app.command()(place)
app.command()(apply)
app.command()(match)
app.command()(common)
app.command()(group)
app.command()(build)
app.command(cls=Check)(audit)
app.command(epilog=FORMAT_LIST)(convert)
