"""`entvec space`: a space made once and kept, so that each question opens it in no time."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from entvec.cli.options import (
    DEFAULT_NEW,
    SIDES,
    AskingOptions,
    EvidenceFiles,
    NewSpaceOptions,
    takes_options,
)
from entvec.cli.progress import stages
from entvec.cli.taxonomy.command_input import chosen_words
from entvec.cli.trouble import note
from entvec.search.local import EXACT, SEARCHERS
from entvec.vectors.dtypes import DtypeName

if TYPE_CHECKING:
    BackendName: TypeAlias = str
else:
    BackendName = Literal[EXACT, *(name for name in SEARCHERS if name != "device")]  # a device is not saved
TRIED = 256
"""Words on which the recall of a backend is measured."""


@takes_options
def space(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")],
    made_of: NewSpaceOptions = DEFAULT_NEW,
    evidence: EvidenceFiles = None,
    terms: Annotated[
        Path | None,
        typer.Option(help="A file of words and phrases, one a line, to add: they are searched like all others."),
    ] = None,
    specificity: Annotated[
        float | None, typer.Option(help="How much general words lose, of both rankings; values that suit if none.")
    ] = None,
    dtype: Annotated[
        DtypeName, typer.Option(help="Kind of number of the keys; 16 bits take half the room, and lose digits.")
    ] = "float32",
    keys: Annotated[
        Literal["both", "hypernyms", "hyponyms", "none"],
        typer.Option(help="What to compute beforehand: keys of a search for hypernyms, for hyponyms."),
    ] = "both",
    backend: Annotated[
        BackendName,
        typer.Option(
            "--backend",
            help="How to search; faiss and usearch are approximate, for large ones; scan asks the operator itself.",
        ),
    ] = "exact",
) -> None:
    """Make a space and write it to a folder: vectors, how they are read, what is known, and all that a search needs.

    `entvec hypernyms --space FOLDER` then opens it by memory map, without reading a file of vectors again. The folder
    is written whole or not at all; one that is no space is never replaced.

    Examples:

    * `entvec space -o news`
    * `entvec space -o glove --vectors glove.6B.300d.txt --keys hypernyms --dtype float16`
    * `entvec space -o mine --vectors crawl-300d-2M.vec --map learned.safetensors --backend faiss`
    * `entvec space -o shop --knowledge products.obo --evidence evidence.parquet`
    * `entvec space -o shop --terms products.txt`
    """
    sides = SIDES[keys]
    if backend != "exact" and not sides:
        raise typer.BadParameter("a backend searches keys; choose some with --keys", param_hint="--backend")
    settings = {"dtype": dtype} | ({} if specificity is None else {"specificity": specificity})
    made = AskingOptions(**vars(made_of), evidence=evidence).in_memory(**settings)
    if terms is not None:
        made = made.with_terms(chosen_words([], terms))
    if not made.model.indexable:
        note(f"entvec: {made.operator} has no keys to compute; its words are scanned for each question")
        sides = ()
    with stages() as tell:
        for i, side in enumerate(sides):
            tell(f"keys of {side}s", i / 3)
            made.keys[side]
        if backend != "exact":
            tell(f"{backend}: building and trying", 2 / 3)
            made = made.with_backend(backend, sides=sides)
            step = max(1, len(made) // TRIED)
            tried = list(made.vocabulary.words[::step])[:TRIED]
            recalls = {side: made.recall(tried, side=side) for side in sides}
        tell("writing", 0.9)
        made.save(output)
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    note(f"written: {output} ({made!r}, {size / 1e6:,.0f} MB)")
    if backend != "exact":
        for side, recall in recalls.items():
            note(f"{backend} finds {recall:.1%} of the ten best {side}nyms of {len(tried):,} words")
    note(f"next: entvec hypernyms WORD --space {output}")
