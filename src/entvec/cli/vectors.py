"""`entvec convert`: files of vectors, whatever their format."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from entvec.cli.options import opened, standard_output, takes_options
from entvec.cli.progress import bar
from entvec.cli.trouble import note
from entvec.errors import shown
from entvec.vectors.dtypes import DtypeName
from entvec.vectors.formats import FORMATS
from entvec.vectors.reading import Duplicates, Undecodable

if TYPE_CHECKING:
    from entvec.vectors import Vectors
    from entvec.vectors.source import Source

    VectorFormat: TypeAlias = str
    WritableName: TypeAlias = str
else:  # the rows of the table are the choices
    VectorFormat = Literal[*FORMATS]
    WritableName = Literal[*(name for name, row in FORMATS.items() if row.write)]

ReadAs = Annotated[VectorFormat | None, typer.Option("--from", help="The format, if the content does not show it.")]
Limit = Annotated[int | None, typer.Option(min=0, help="Read only so many words from the beginning.")]
TrustPickle = Annotated[bool, typer.Option("--trust-pickle", help="Open a pickle of gensim's, if you trust its maker.")]
DuplicatesOption = Annotated[
    Duplicates, typer.Option(help="If a word occurs twice: stop, or keep the first or the last.")
]
UndecodableOption = Annotated[
    Undecodable, typer.Option(help="If a word is not UTF-8: stop, or put U+FFFD for the bytes that are not.")
]


@dataclass(frozen=True)
class ReadOptions:
    """The options of reading a file of vectors."""

    limit: Limit = None
    read_as: ReadAs = None
    duplicates: DuplicatesOption = "error"
    undecodable: UndecodableOption = "error"
    trust_pickle: TrustPickle = False

    def read(self, source: "Path | Source", **settings: Any) -> "Vectors":
        """Read a file, and show how far it is."""
        from entvec.vectors import read

        how = {"format": self.read_as, "limit": self.limit, "trust_pickle": self.trust_pickle, **settings}
        with bar("reading") as progress:
            return read(source, duplicates=self.duplicates, undecodable=self.undecodable, progress=progress, **how)


def opened_vectors(path: Path) -> Path:
    """Return the path of a file; `google-news` is the bundled one, and `-` the standard input."""
    from entvec.bundled.news import GOOGLE_NEWS

    return GOOGLE_NEWS if str(path) == "google-news" and not path.exists() else opened(path)


@takes_options
def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            readable=False,
            help="The file to read; `google-news` is the bundled one, - what is piped in.",
        ),
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", readable=False, help="The file to write; - is the standard output.")
    ],
    to: Annotated[
        WritableName | None, typer.Option(help="The format to write, if the name of OUT does not show it.")
    ] = None,
    dtype: Annotated[
        DtypeName | None, typer.Option(help="Kind of number to write, where the format has a choice.")
    ] = None,
    reading: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
) -> None:
    """Read word vectors in any format and write them in another.

    The name of OUT decides the format: .safetensors (our own: opens at once, whatever its size), .npz, .parquet, .bin
    (word2vec binary), .vec (word2vec text, fastText), .txt (GloVe text); .gz .bz2 .xz or .zst after it compresses. OUT
    is written whole or not at all.

    Examples:

    * `entvec convert glove.6B.300d.txt glove.safetensors --dtype bfloat16`
    * `entvec convert crawl-300d-2M.vec.zip crawl.bin --limit 200000`
    * `entvec convert vectors.kv vectors.parquet --trust-pickle`
    """
    from entvec.files import check_writable
    from entvec.vectors import write
    from entvec.vectors.writing import check_format

    if str(target) == "-":
        target = standard_output()
    check_writable(target)
    name = check_format(target, to, dtype)
    vectors = reading.read(opened_vectors(source))
    with bar("writing") as progress:
        write(vectors, target, format=name, dtype=dtype, progress=progress)
    size = f", {target.stat().st_size:,} bytes" if target.is_file() else ""
    note(f"written: {target} ({len(vectors):,} words x {vectors.dimension}{size})")
    if vectors.metadata and not FORMATS[name].keeps_metadata:
        lost = ", ".join(map(shown, vectors.metadata))
        note(f"left behind, because {FORMATS[name].title} has no place for them: {lost}")
