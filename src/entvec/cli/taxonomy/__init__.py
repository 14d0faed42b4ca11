"""`entvec taxonomy`: place a term, name what words have in common, build a taxonomy, audit one, convert one."""

import typer

from entvec.cli.taxonomy.audit import audit
from entvec.cli.taxonomy.build import build
from entvec.cli.taxonomy.common import common, group
from entvec.cli.taxonomy.convert import FORMAT_LIST, convert
from entvec.cli.taxonomy.place import place
from entvec.cli.trouble import Check

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Place a term, name what words have in common, build a taxonomy, audit or convert one.",
)
app.command()(place)
app.command()(common)
app.command()(group)
app.command()(build)
app.command(cls=Check)(audit)
app.command(epilog=FORMAT_LIST)(convert)
