"""`entvec fit --encoder`: a map for an encoder, learned from what is known."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column

from entvec.cli.options import FORGET, opened
from entvec.cli.printing import plain_table, show
from entvec.cli.progress import stages
from entvec.cli.trouble import INTERRUPTED, note
from entvec.files import check_replaceable
from entvec.model_folders import is_ours

if TYPE_CHECKING:
    from entvec.knowledge.sources import KnowledgeSource
    from entvec.space import EncoderFit


@dataclass(frozen=True)
class EncoderOptions:
    """The options of a map for an encoder."""

    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Learn a map for this encoder instead: small, static, sentence-transformers:NAME, model2vec:NAME, "
            "onnx:MODEL.onnx, file:ENCODER.safetensors, or 'https://HOST/PATH MODEL' for a service, whose key is read "
            "from OPENAI_API_KEY.",
        ),
    ] = None
    knowledge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="With --encoder: a taxonomy, or a file `*.knowledge`, to learn beside WordNet; may be repeated. "
            "`none` forgets what comes before it, WordNet too.",
        ),
    ] = None
    definitions: Annotated[
        int | None,
        typer.Option(min=0, help="With --encoder: how many terms to learn with a definition, too; 8000 if none."),
    ] = None
    steps: Annotated[
        int | None, typer.Option(min=1, help="With --encoder: how many batches to learn; as many as suit if none.")
    ] = None
    held: Annotated[
        int | None,
        typer.Option(
            "--held", min=0, help="With --encoder: how many terms to measure with and not to learn; 500 if none."
        ),
    ] = None
    cache: Annotated[
        Path | None,
        typer.Option(readable=False, help="With a service: a folder that keeps the vectors that were received."),
    ] = None

    @property
    def given(self) -> list[str]:
        """The names of the options that were given, but for --encoder."""
        values = {name: getattr(self, name) for name in ("knowledge", "definitions", "steps", "held", "cache")}
        return [f"--{name}" for name, value in values.items() if value is not None]

    def sources(self) -> "list[KnowledgeSource]":
        """Return what to learn from: WordNet and the files, or what comes after `none`."""
        from entvec.bundled import bundled_knowledge

        return [bundled_knowledge(), *(None if file == FORGET else opened(Path(file)) for file in self.knowledge or ())]


DEFAULT_ENCODER = EncoderOptions()


def fit_to_knowledge(
    options: EncoderOptions, output: Path, seed: int, hold_out: "list[str] | None", layout: str
) -> None:
    """Fit the map, write the space, and print what was measured.

    Parameters
    ----------
    options
        Those of the command line.
    output
        The folder to write.
    seed
        Of all draws.
    hold_out
        Words to measure with; by default some are drawn.
    layout
        How to print the measures.
    """
    from entvec.bundled import named_encoder
    from entvec.space import fit_encoder
    from entvec.space.fitting import DEFINITIONS

    check_replaceable(output, ours=is_ours)
    encoder = named_encoder(str(options.encoder), cache=options.cache)
    settings: dict[str, Any] = {"definitions": DEFINITIONS if options.definitions is None else options.definitions}
    settings["hold_out"] = options.held if hold_out is None else hold_out
    try:
        with stages() as tell:
            fit = fit_encoder(encoder, *options.sources(), steps=options.steps, seed=seed, progress=tell, **settings)
            tell("writing", 0.99)
            fit.space.keys["hyper"]
            fit.space.save(output)
    except KeyboardInterrupt:
        note(f"entvec: stopped; nothing was written to {output}")
        raise typer.Exit(INTERRUPTED) from None
    records = [measure._asdict() for measure in fit.measures]
    lines = [("name", "mean", "low", "high", "n"), *fit.measures]
    show(layout, lambda: records, lines, partial(_draw, fit))
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    note(f"written: {output} ({fit.space!r}, {size / 1e6:,.0f} MB)")
    note(f'next: entvec hypernyms "running shoes" --space {output}')


def _draw(fit: "EncoderFit", console: Console) -> None:
    console.print(f"Learned from {fit.n_terms:,} terms; {fit.n_held:,} others were held out:")
    if not fit.measures:
        console.print("  nothing was measured, since no held-out term has a hypernym to find")
        return
    table = plain_table(Column("measure"), "mean", "95% interval", "of")
    for name, mean, low, high, n in fit.measures:
        table.add_row(name, f"{mean:.3f}", f"{low:.3f} to {high:.3f}", f"{n:,}")
    console.print(table)
    if fit.learned_before:
        console.print("The encoder itself was trained with WordNet, so its terms are not new to it.")
