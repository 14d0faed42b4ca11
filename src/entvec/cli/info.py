"""`entvec info`: what is in a space, in a file of vectors, or in a file of knowledge."""

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from entvec.cli.options import KnowledgeFiles, SpaceOptions, takes_options
from entvec.cli.printing import show
from entvec.cli.vectors import ReadOptions, opened_vectors
from entvec.errors import shown
from entvec.vectors.formats import FORMATS

if TYPE_CHECKING:
    from entvec.space import EntailmentSpace
    from entvec.vectors import Vectors

Facts = dict[str, Any]
TOLD = 10
"""How many contradictions are printed."""


@takes_options
def info(
    thing: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE|FOLDER|URL]",
            help="A file of vectors (`google-news` is the bundled one, - what is piped in), of knowledge or of a "
            "taxonomy; or a space. The default space if none.",
        ),
    ] = None,
    reading: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
    knowledge: KnowledgeFiles = None,
    layout: Annotated[Literal["table", "json"], typer.Option("--format", help="How to print.")] = "table",
) -> None:
    """Say what is in a space and what it knows; or what is in a file, and whether it is sound.

    Of a space: its words, how they are scored, the sources of its knowledge, and where these contradict each other.

    The format of a file of vectors is seen from the content; .gz .bz2 .xz .zst .zip are opened on the way. The whole
    file is read and checked: the first thing that is wrong is named with its line or byte. A taxonomy is known by the
    end of its name, such as .obo or .tsv.

    Examples:

    * `entvec info`
    * `entvec info --knowledge products.obo`
    * `entvec info glove.6B.100d.txt`
    * `entvec info GoogleNews-vectors-negative300.bin.gz --limit 100000 --format json`
    """
    from entvec.model_folders import local_path
    from entvec.stores.urls import is_url

    if thing is None or is_url(thing) or local_path(thing).is_dir():
        with SpaceOptions(space=thing, knowledge=knowledge).asked() as space:
            facts = {"space": _place(thing), **_space_facts(space)}
            show(layout, lambda: facts, [], lambda _: _print(_space_rows(facts)))
        return
    if knowledge:
        raise typer.BadParameter(
            "a file is described as it is; leave the option out, or name a space", param_hint="--knowledge"
        )
    if reading.read_as is None and _is_knowledge(Path(thing)):
        facts = _knowledge_facts(Path(thing))
        show(layout, lambda: facts, [], lambda _: _print(_knowledge_rows(facts)))
    else:
        facts = _vectors_facts(Path(thing), reading)
        show(layout, lambda: facts, [], lambda _: _print(_vectors_rows(facts), facts["metadata"]))


def _print(*tables: dict[str, Any]) -> None:
    for key, value in chain.from_iterable(table.items() for table in tables):
        typer.echo(f"{shown(key):<12} {shown(str(value))}")


# Spaces


def _place(thing: str | None) -> str:
    from entvec.stores.urls import is_url, shown_url

    return "the default space" if thing is None else shown_url(thing) if is_url(thing) else thing


def _space_facts(space: "EntailmentSpace") -> Facts:
    from entvec.search.local import LocalBackend

    known = space.knowledge
    return {
        "words": len(space),
        "dimension": space.vocabulary.dimension,
        "operator": space.operator,
        "reading": space.model.interpretation or "mapped",
        "calibrated": space.calibration is not None,
        "specificity": space.specificity._asdict(),
        "backend": str(space.backend) or "exact",
        "fingerprint": space.fingerprint if isinstance(space.backend, LocalBackend) else None,
        "encoder": None if space.encoder is None else space.encoder.name,
        "knowledge": None if known is None else known.summary(),
        "text": None if space.text is None else {"rows": len(space.text), "terms": len(space.text.terms)},
        "contradictions": [] if known is None else list(map(str, known.conflicts())),
    }


def _space_rows(facts: Facts) -> dict[str, Any]:
    hyper, hypo = facts["specificity"].values()
    rows = {
        "space": facts["space"],
        "words": f"{facts['words']:,} x {facts['dimension']:,}",
        "scores": f"{facts['reading']} {facts['operator']}{', calibrated' if facts['calibrated'] else ''}",
        "specificity": f"{hyper:g} of hypernyms, {hypo:g} of hyponyms",
        "search": facts["backend"],
        "fingerprint": facts["fingerprint"],
    }
    if facts["fingerprint"] is None:
        del rows["fingerprint"]
    if facts["encoder"] is not None:
        rows["encoder"] = facts["encoder"]
    found = facts["contradictions"]
    rows |= _knowledge_rows(facts["knowledge"]) if facts["knowledge"] else {"knows": "nothing"}
    if facts["text"]:
        rows["text"] = f"evidence in {facts['text']['rows']:,} rows, of {facts['text']['terms']:,} terms"
    rows |= {f"conflict {at}": text for at, text in enumerate(found[:TOLD], 1)}
    return rows | ({"conflicts": f"{len(found):,} in all"} if len(found) > TOLD else {})


# Knowledge


def _is_knowledge(path: Path) -> bool:
    """Return whether the name of a file is that of knowledge or of a taxonomy, and not of vectors."""
    from entvec.graphs.taxonomy_files import format_of_name
    from entvec.knowledge.lmf import is_wordnet
    from entvec.knowledge.sources import SUFFIX

    if is_wordnet(path):
        return True
    of_vectors = {suffix for row in FORMATS.values() for suffix in row.suffixes}
    return path.suffix == SUFFIX or (path.suffix not in of_vectors and format_of_name(path) is not None)


def _knowledge_facts(path: Path) -> Facts:
    from entvec.files import file_digest
    from entvec.knowledge.sources import gathered
    from entvec.knowledge.statements import empty

    known = gathered(None, [path]) or empty()
    return {"file": str(path), "sha256": file_digest(path), **known.summary()}


def _knowledge_rows(facts: Facts) -> dict[str, Any]:
    from entvec.knowledge.knowledge import COUNTS

    rows = {name: facts[name] for name in ("file", "sha256") if name in facts}
    counts = ", ".join(f"{facts[name]:,} {name.replace('_', '-')}" for name in (*COUNTS, "denials"))
    return rows | {"knows": f"{' + '.join(facts['sources'])}: {counts}"}


# Vectors


def _vectors_facts(file: Path, reading: ReadOptions) -> Facts:
    from entvec.vectors.reading import sniff
    from entvec.vectors.source import Source

    path = opened_vectors(file)
    with Source(path) as source:  # opened once: it may be a pipe
        name = reading.read_as or sniff(source)
        vectors = reading.read(source, format=name)
        vectors.check()
    return {
        "file": str(path),
        "format": name,
        "compression": source.compression,
        "bytes": source.size,
        "limit": reading.limit,
        **_facts(vectors),
    }


def _facts(vectors: "Vectors") -> Facts:
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


def _vectors_rows(facts: Facts) -> dict[str, Any]:
    length = facts["length"]
    packed = f", compressed ({facts['compression']})" if facts["compression"] else ""
    part = "" if facts["limit"] is None else f", the first of them: no more than {facts['limit']:,} were looked at"
    return {
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
