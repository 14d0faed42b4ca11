"""Options that several commands have, and what they stand for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from entvec.cli.progress import bar

if TYPE_CHECKING:
    from entvec.vectors import Vectors

VectorsFile = Annotated[Path | None, typer.Option(readable=False, help="A file of vectors; the bundled ones if none.")]
ExtraVectorsFile = Annotated[
    Path | None, typer.Option(readable=False, help="A file with vectors of words that the others lack.")
]


def chosen_vectors(vectors: Path | None, extra_vectors: Path | None) -> "Vectors":
    """The vectors of the file or the bundled ones, and those of words that they lack."""
    from entvec.bundled import google_news
    from entvec.vectors import read

    with bar("reading") as progress:
        table = google_news() if vectors is None else read(vectors, progress=progress)
        return table if extra_vectors is None else table.joined(read(extra_vectors))
