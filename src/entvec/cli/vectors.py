"""`entvec info` and `entvec convert`: files of vectors, whatever their format."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from entvec.cli.progress import bar
from entvec.vectors.dtypes import DtypeName
from entvec.vectors.formats import FormatName
from entvec.vectors.reading import Duplicates, Undecodable

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


def info(
    file: Annotated[Path | None, typer.Argument(help="The file; the bundled vectors if none is given.")] = None,
    limit: Limit = None,
    read_as: ReadAs = None,
    duplicates: DuplicatesOption = "error",
    undecodable: UndecodableOption = "error",
    trust_pickle: TrustPickle = False,
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
    from entvec.bundled.news import PATH
    from entvec.vectors.reading import read, sniff
    from entvec.vectors.source import Source

    path = file or PATH
    with Source(path) as source:
        name = read_as or sniff(source)
        size, compression = source.size, source.compression
    with bar("reading") as progress:
        vectors = read(
            path,
            format=name,
            limit=limit,
            duplicates=duplicates,
            undecodable=undecodable,
            trust_pickle=trust_pickle,
            progress=progress,
        )
        vectors.check()
    told = {"file": str(path), "format": name, "compression": compression, "bytes": size, **_facts(vectors)}
    if layout == "json":
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        Console(highlight=False).print(_info_table(told))


def _facts(vectors: Any) -> dict[str, Any]:
    import numpy as np

    lengths = np.concatenate([np.linalg.norm(block, axis=1) for _, block in vectors.blocks()] or [np.zeros(0)])
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


def _info_table(told: dict[str, Any]) -> Table:
    from entvec.vectors import FORMATS

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    length = told["length"]
    packed = f", compressed ({told['compression']})" if told["compression"] else ""
    rows = {
        "file": told["file"],
        "format": f"{told['format']}: {FORMATS[told['format']].title}{packed}",
        "size": f"{told['bytes']:,} bytes",
        "words": f"{told['words']:,}{', with counts' if told['counts'] else ''}",
        "dimension": f"{told['dimension']:,}",
        "numbers": told["numbers"],
        "length": f"{length['shortest']:.3g} to {length['longest']:.3g}, median {length['median']:.3g}",
        "first words": " ".join(told["first"]),
        "last words": " ".join(told["last"]),
        **told["metadata"],
    }
    for name, value in rows.items():
        table.add_row(name, value.replace("[", "\\["))
    return table


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file to read; `google-news` is the bundled one.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    to: Annotated[FormatName | None, typer.Option(help="Format to write, if OUT does not tell it.")] = None,
    read_as: ReadAs = None,
    limit: Limit = None,
    dtype: Annotated[
        DtypeName | None, typer.Option(help="Kind of number to write, where the format has a choice.")
    ] = None,
    duplicates: DuplicatesOption = "error",
    undecodable: UndecodableOption = "error",
    trust_pickle: TrustPickle = False,
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
    from entvec.bundled.news import PATH
    from entvec.files import check_writable
    from entvec.vectors import read, write
    from entvec.vectors.writing import check_format

    check_writable(target)
    name = check_format(target, to)
    if str(source) == "google-news" and not source.exists():
        source = PATH
    with bar("reading") as progress:
        vectors = read(
            source,
            format=read_as,
            limit=limit,
            duplicates=duplicates,
            undecodable=undecodable,
            trust_pickle=trust_pickle,
            progress=progress,
        )
    with bar("writing") as progress:
        write(vectors, target, format=name, dtype=dtype, progress=progress)
    said = f"{len(vectors):,} words x {vectors.dimension}, {target.stat().st_size:,} bytes"
    typer.echo(f"written: {target} ({said})", err=True)
