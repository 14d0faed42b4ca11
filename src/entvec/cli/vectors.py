"""`entvec info` and `entvec convert`: files of vectors, whatever their format."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np
import typer
from numpy.typing import NDArray

from entvec.cli.options import opened, standard_output, takes_options
from entvec.cli.printing import show
from entvec.cli.progress import bar
from entvec.cli.trouble import note
from entvec.errors import shown
from entvec.vectors.dtypes import DtypeName
from entvec.vectors.formats import FORMATS
from entvec.vectors.reading import Duplicates, Undecodable

if TYPE_CHECKING:
    from entvec.vectors import Vectors
    from entvec.vectors.source import Source

    FormatName: TypeAlias = str
    WritableName: TypeAlias = str
else:  # the rows of the table are the choices
    FormatName = Literal[*FORMATS]
    WritableName = Literal[*(name for name, row in FORMATS.items() if row.write)]

ReadAs = Annotated[
    FormatName | None, typer.Option("--from", help="Format to read, if it is not to be seen from the content.")
]
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


@takes_options
def info(
    file: Annotated[
        Path, typer.Argument(readable=False, help="The file; `google-news` is the bundled one, - what is piped in.")
    ] = Path("google-news"),
    reading: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
    layout: Annotated[Literal["table", "json"], typer.Option("--format", help="How to print.")] = "table",
) -> None:
    """Say what is in a file of word vectors, and whether it is sound.

    The format is seen from the content; .gz .bz2 .xz .zst .zip are opened on the way. The whole file is read and
    checked: the first thing that is wrong is named with its line or byte.

    Examples:

    * `entvec info`
    * `entvec info glove.6B.100d.txt`
    * `entvec info GoogleNews-vectors-negative300.bin.gz --limit 100000 --format json`
    """
    from entvec.vectors.reading import sniff
    from entvec.vectors.source import Source

    path = _opened(file)
    with Source(path) as source:  # opened once: it may be a pipe
        name = reading.read_as or sniff(source)
        vectors = reading.read(source, format=name)
        vectors.check()
    facts = {
        "file": str(path),
        "format": name,
        "compression": source.compression,
        "bytes": source.size,
        "limit": reading.limit,
        **_facts(vectors),
    }
    show(layout, lambda: facts, [], lambda _: _print(facts))


def _opened(path: Path) -> Path:
    """The file that is meant: the bundled one and the standard input have names of their own."""
    from entvec.bundled.news import GOOGLE_NEWS

    return GOOGLE_NEWS if str(path) == "google-news" and not path.exists() else opened(path)


def _facts(vectors: "Vectors") -> dict[str, Any]:
    lengths = np.concatenate([_lengths(block) for _, block in vectors.blocks()] or [np.zeros(0)])
    shortest, median, longest = (float(q) for q in np.quantile(lengths, [0, 0.5, 1])) if len(lengths) else (0.0,) * 3
    return {
        "words": len(vectors),
        "dimension": vectors.dimension,
        "numbers": vectors.dtype,
        "counts": vectors.counts is not None,
        "length": {"shortest": shortest, "median": median, "longest": longest},
        "first": list(vectors.words[:10]),
        "last": list(vectors.words[-3:]),
        "metadata": dict(vectors.metadata),
    }


def _lengths(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Return the lengths of vectors, in a scale in which no square is too large or too small."""
    largest = np.maximum(np.abs(vectors).max(axis=1, initial=0, keepdims=True), np.finfo(np.float64).tiny)
    lengths: NDArray[np.float64] = np.linalg.norm(vectors / largest.astype(np.float64), axis=1) * largest[:, 0]
    return lengths


def _print(facts: dict[str, Any]) -> None:
    length = facts["length"]
    packed = f", compressed ({facts['compression']})" if facts["compression"] else ""
    part = "" if facts["limit"] is None else f", the first of them: no more than {facts['limit']:,} were looked at"
    rows = {
        "file": facts["file"],
        "format": f"{facts['format']}: {FORMATS[facts['format']].title}{packed}",
        "size": f"{facts['bytes']:,} bytes",
        "words": f"{facts['words']:,}{', with counts' if facts['counts'] else ''}{part}",
        "dimension": f"{facts['dimension']:,}",
        "numbers": facts["numbers"],
        "length": f"{length['shortest']:.3g} to {length['longest']:.3g}, median {length['median']:.3g}",
        "sound": "yes: all numbers are finite, all words are different",
        "first words": "  ".join(facts["first"]),
        "last words": "  ".join(facts["last"]),
    }
    for key, value in (*rows.items(), *facts["metadata"].items()):
        typer.echo(f"{shown(key):<12} {shown(value)}")


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
    to: Annotated[WritableName | None, typer.Option(help="Format to write, if OUT does not tell it.")] = None,
    dtype: Annotated[
        DtypeName | None, typer.Option(help="Kind of number to write, where the format has a choice.")
    ] = None,
    reading: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
) -> None:
    """Read word vectors in any format and write them in another.

    The name of OUT tells its format: .safetensors (our own: opens at once, whatever its size), .npz, .parquet, .bin
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
    vectors = reading.read(_opened(source))
    with bar("writing") as progress:
        write(vectors, target, format=name, dtype=dtype, progress=progress)
    size = f", {target.stat().st_size:,} bytes" if target.is_file() else ""
    note(f"written: {target} ({len(vectors):,} words x {vectors.dimension}{size})")
    if vectors.metadata and not FORMATS[name].keeps_metadata:
        lost = ", ".join(map(shown, vectors.metadata))
        note(f"left behind, because {FORMATS[name].title} has no place for them: {lost}")
