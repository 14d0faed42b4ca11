"""The command line: one thin file a command.

stdout is data, stderr is messages. Exit codes: 0 for success, 1 when something went wrong on the way,
2 for a command line that makes no sense; an audit has 1 for what it found, and 2 for both of these. Errors are one line
unless `--debug` asks for the traceback.
"""

import sys
import warnings
from importlib import import_module
from typing import Annotated, Any

import typer

from entvec import __version__
from entvec.cli.process import run
from entvec.cli.trouble import Commands, note
from entvec.errors import shown
from entvec.progress import tell_once
from entvec.runtime import dedicate_process

COMMANDS: dict[str, str] = {
    "score": "score",
    "relation": "relation",
    "hypernyms": "search",
    "hyponyms": "search",
    "senses": "senses",
    "neighbours": "neighbours",
    "explain": "explain",
    "explore": "explore",
    "mcp": "mcp",
    "tour": "tour",
    "demo": "demo",
    "fit": "fit",
    "space": "space",
    "export": "export",
    "extract": "extract",
    "evidence": "evidence",
    "evaluate": "evaluate",
    "reproduce": "reproduce",
    "info": "info",
    "convert": "vectors",
    "taxonomy": "taxonomy",
    "figure": "figure",
}
"""The module of each command. It has a function of that name, or an `app` with commands of its own."""


class LazyCommands(Commands):
    """Imports the module of a command when the command is run: others may need libraries that take long to import."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: dict[str, Any] = dict.fromkeys(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name; None if there is none."""
        if cmd_name in COMMANDS and self.commands[cmd_name] is None:
            module = import_module(f"entvec.cli.{COMMANDS[cmd_name]}")
            made = getattr(module, "app", None)
            if made is None:
                made = typer.Typer(rich_markup_mode="markdown", add_completion=False)
                made.command(cmd_name)(getattr(module, cmd_name))
            self.commands[cmd_name] = typer.main.get_command(made)
            self.commands[cmd_name].name = cmd_name
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"entvec {__version__}")
        raise typer.Exit


@app.callback()
def entvec(
    version: Annotated[  # noqa: ARG001 - its callback prints it
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[  # noqa: ARG001 - errors of commands read it
        bool, typer.Option("--debug", help="Show the traceback of an error. Comes before the command.")
    ] = False,
) -> None:
    """Entailment in a vector space: does this thing entail that thing?

    A dog entails an animal: all that is known of an animal is known of a dog.

    Examples:

    * `entvec tour`
    * `entvec score dog animal`
    * `entvec relation wheel car`
    * `entvec hypernyms dog guitar`
    * `entvec hyponyms vehicle -k 20`
    * `entvec senses bank`
    * `entvec explain dog animal`
    * `entvec explore --open`
    * `entvec mcp`
    * `entvec score - < pairs.tsv > scored.tsv`
    * `entvec score pairs.parquet -o scored.parquet`
    * `entvec neighbours --all -o hypernyms.parquet`
    * `entvec taxonomy build dog poodle cat animal --add`
    * `entvec fit pairs.tsv --vectors glove.6B.100d.txt -o learned.safetensors`
    * `entvec export postgresql:words`
    * `entvec extract manual.txt -o evidence.parquet`
    * `entvec evidence top evidence.parquet`
    * `entvec demo`
    * `entvec reproduce -o reproduction`
    * `entvec evaluate weeds-bless`
    * `entvec info glove.6B.100d.txt`
    * `entvec convert glove.6B.100d.txt glove.safetensors`
    * `entvec figure gradients -o gradients.png`
    """
    dedicate_process()


_format_warning = warnings.formatwarning


def _in_one_line(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """Return our own warnings in one line, and others as Python shows them."""
    if category.__module__.startswith("entvec."):
        return f"entvec: {shown(str(message))}\n"
    return _format_warning(message, category, filename, lineno, line)


def main() -> None:
    """The entry point of the command `entvec`."""
    warnings.formatwarning = _in_one_line
    if sys.stderr is not None and sys.stderr.isatty():
        tell_once.set(lambda text: note(f"entvec: {text}"))
    run(lambda: typer.main.get_command(app)(prog_name="entvec"))
