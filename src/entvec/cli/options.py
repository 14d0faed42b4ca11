"""Options that several commands have, and what they stand for."""

import errno
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

import typer

from entvec.cli.progress import bar
from entvec.cli.trouble import note
from entvec.theory import INTERPRETATIONS, OPERATORS

if TYPE_CHECKING:
    from entvec.knowledge.sources import KnowledgeSource
    from entvec.space import EntailmentSpace
    from entvec.space.queries import EvidenceUsed
    from entvec.vectors import Vectors

if TYPE_CHECKING:
    InterpretationName: TypeAlias = str
    OperatorName: TypeAlias = str
else:  # the rows of the tables are the choices
    InterpretationName, OperatorName = Literal[*INTERPRETATIONS], Literal[*OPERATORS]

PANEL = "Which space"
"""What help calls the options that choose a space, the same for all commands."""
SpaceOption: Any = partial(typer.Option, rich_help_panel=PANEL)
VectorsFile = Annotated[Path | None, SpaceOption(readable=False, help="A file of vectors; the bundled ones if none.")]
ExtraVectorsFile = Annotated[
    Path | None, SpaceOption(readable=False, help="A file with vectors of words that the others lack.")
]
SpacePlace = Annotated[
    str | None,
    SpaceOption(
        "--space",
        metavar="PLACE",
        help="A folder that `entvec space` wrote, hub:OWNER/NAME for one of the Hugging Face Hub, or URL[#NAME] of the "
        "database of `entvec export`; the default space if none.",
    ),
]
MapFile = Annotated[Path | None, SpaceOption("--map", readable=False, help="A learned map, as `entvec fit` writes it.")]
Interpretation = Annotated[
    InterpretationName | None, SpaceOption(help="How vectors are read as log-odds, if there is no map.")
]
OperatorOption = Annotated[
    OperatorName | None, SpaceOption("--operator", help="The score of a pair; a map has its own.")
]
KnowledgeFiles = Annotated[
    list[str] | None,
    SpaceOption(
        "--knowledge",
        metavar="FILE",
        help="A taxonomy, for the space to know beside WordNet; may be repeated, and later files outrank earlier ones. "
        "A file `*.knowledge`, or a wordnet in WN-LMF (`*.xml`, `wn:NAME`), takes the place of WordNet; `none` forgets "
        "what comes before it.",
    ),
]
Defined = Annotated[
    str | None,
    typer.Option(
        "--definition",
        metavar="TEXT",
        help="What the (first) word means, in a sentence: an encoder reads both, and the word counts as new.",
    ),
]
FROM_TEXT = "What texts say, a file that `entvec extract` wrote; may be repeated."
EvidenceFiles = Annotated[list[str] | None, SpaceOption("--evidence", metavar="FILE", help=FROM_TEXT)]
RankingEvidence = Annotated[
    list[str] | None,
    SpaceOption(
        "--evidence",
        metavar="FILE|vectors",
        help=f"{FROM_TEXT} Or `vectors`: these alone rank all words, also fragments, and carry the insults of news. "
        "All that the space knows if none.",
    ),
]
Layout = Annotated[Literal["table", "tsv", "csv", "json"], typer.Option("--format", help="How to print.")]

SIDES: dict[str, tuple[Any, ...]] = {
    "both": ("hyper", "hypo"),
    "hypernyms": ("hyper",),
    "hyponyms": ("hypo",),
    "none": (),
}
"""The sides whose keys are computed, for each value of `--keys`."""
FORGET = "none"
"""The value of `--knowledge` that forgets what comes before it."""
ALL, VECTORS = "all", "vectors"
"""Values of `--evidence` of rankings that are no files."""
PIPE = "-"
"""What is piped in, in the place of a file."""


def chosen_vectors(vectors: Path | None, extra_vectors: Path | None = None) -> "Vectors":
    """The vectors of the file or the bundled ones, and those of words that they lack."""
    from entvec.bundled.news import google_news
    from entvec.vectors import read

    with bar("reading") as progress:
        table = google_news() if vectors is None else read(vectors, progress=progress)
        return table if extra_vectors is None else table.joined(read(extra_vectors))


@dataclass(frozen=True)
class NewSpaceOptions:
    """The options that make a space: vectors with a map, or with an interpretation and an operator; and what it knows.

    Every command that makes or opens a space takes these, `SpaceOptions` with a place of a space besides.
    """

    vectors: VectorsFile = None
    map_file: MapFile = None
    interpretation: Interpretation = None
    operator: OperatorOption = None
    knowledge: KnowledgeFiles = None


@dataclass(frozen=True)
class SpaceOptions(NewSpaceOptions):
    """The options that choose a space: a saved one, or what one is made of."""

    space: SpacePlace = None

    @property
    def named(self) -> list[str]:
        """The options that make a space of vectors, as far as they were given."""
        given = {"vectors": self.vectors, "map": self.map_file, "interpretation": self.interpretation}
        return [f"--{name}" for name, value in (given | {"operator": self.operator}).items() if value is not None]

    @property
    def folder(self) -> Path | None:
        """The folder of the space, if it is in one and nothing is added to it."""
        added = self.knowledge or self.texts
        from entvec.model_folders import local_path
        from entvec.stores.urls import is_url

        if self.space is None or added or is_url(self.space):
            return None
        path = local_path(self.space)
        return path if path.is_dir() else None

    @contextmanager
    def asked(self, **settings: Any) -> "Iterator[EntailmentSpace]":
        """Yield the space, the default one if none is named, with the knowledge that is asked for.

        A space that knows nothing by itself knows WordNet. A space in a database is asked there.
        """
        with self._opened(**settings) as opened:
            if any(vars(self).values()) or settings:
                opened = opened.with_knowledge(*self._sources(opened))
            # Otherwise it knows WordNet, and opens it when it is needed.
            yield opened.with_evidence(*self.texts) if self.texts else opened

    @property
    def texts(self) -> list[Path]:
        """The files of text evidence."""
        return []

    def _sources(self, space: "EntailmentSpace") -> "Iterator[KnowledgeSource]":
        """Yield what the space shall know besides what it knows."""
        from entvec.bundled import bundled_knowledge
        from entvec.knowledge.lmf import is_wordnet

        if space.knowledge is None:
            yield bundled_knowledge()
        yield from (
            None if file == FORGET else file if is_wordnet(file) else opened(Path(file))
            for file in self.knowledge or ()
        )

    @contextmanager
    def _opened(self, **settings: Any) -> "Iterator[EntailmentSpace]":
        from entvec.space.options import SpaceOptions as Chosen

        if self.space is not None:
            if self.named:
                raise typer.BadParameter(
                    f"a saved space has its own; leave {' and '.join(self.named)} out", param_hint="--space"
                )
            with Chosen(self.space).open() as opened:
                yield opened
            return
        if self.map_file is not None and (self.interpretation or self.operator):
            raise typer.BadParameter("a map has its own; leave --interpretation and --operator out", param_hint="--map")
        if self.named and self.vectors is None and self.map_file is None:
            note("entvec: the default map is not used, since another way to read the vectors is named")
        how: Any = {"map": self.map_file, "interpretation": self.interpretation, "operator": self.operator}
        with bar("reading") as progress:
            opened = Chosen(vectors=self.vectors, **how, **settings).open(progress)
        yield opened

    def in_memory(self, **settings: Any) -> "EntailmentSpace":
        """Return the space with all words in memory, for commands that look at all of them."""
        with self.asked(**settings) as asked:
            return asked.in_memory()


@dataclass(frozen=True)
class AskingOptions(SpaceOptions):
    """The options of commands whose answers rest on what texts say, too."""

    evidence: EvidenceFiles = None

    ranks: ClassVar[bool] = False

    @property
    def ranked_by(self) -> "EvidenceUsed":
        """Return "vectors" if these alone rank, "all" if all evidence does."""
        return "vectors" if VECTORS in (self.evidence or ()) else "all"

    @property
    def texts(self) -> list[Path]:
        """The files of text evidence."""
        given = [each for each in self.evidence or () if each != ALL or Path(each).exists()]
        if VECTORS not in given:
            return [opened(Path(file)) for file in given]
        if not self.ranks:
            raise typer.BadParameter(
                "`vectors` is for what ranks words: entvec hypernyms, hyponyms and neighbours; expected a file that "
                "`entvec extract` wrote",
                param_hint="--evidence",
            )
        if len(given) > 1:
            raise typer.BadParameter(
                "`vectors` ranks by the vectors alone; leave it or the files out", param_hint="--evidence"
            )
        return []


@dataclass(frozen=True)
class RankingOptions(AskingOptions):
    """The options of commands that rank words, which can also do so by the vectors alone."""

    evidence: RankingEvidence = None

    ranks: ClassVar[bool] = True


DEFAULT_NEW, DEFAULT_SPACE, DEFAULT_ASKING, DEFAULT_RANKING = (
    NewSpaceOptions(),
    SpaceOptions(),
    AskingOptions(),
    RankingOptions(),
)


def takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of dataclasses in the places of the parameters that have their types."""
    signature = inspect.signature(command)
    found = signature.parameters.values()
    taken: dict[str, Any] = {each.name: each.annotation for each in found if is_dataclass(each.annotation)}
    parameters = [
        other.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for each in found
        for other in (_options(each.annotation) if each.name in taken else [each])
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        chosen = {
            name: options(**{each.name: given.pop(each.name) for each in _options(options)})
            for name, options in taken.items()
        }
        command(**chosen, **given)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _options(options: Any) -> list[inspect.Parameter]:
    """Return the fields of a dataclass as parameters."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter(each.name, kind, default=each.default, annotation=each.type) for each in fields(options)]


def spelled(space: "EntailmentSpace", words: Sequence[str], **options: Any) -> list[Any]:
    """Each word as the vocabulary has it: in its case, and with `_` in names of several words."""
    if not all(word.strip() for word in words):
        raise typer.BadParameter("an empty word, expected one of the vocabulary")
    found: list[Any] = space.spelled(words, **options)
    return found


def opened(path: Path) -> Path:
    """Return the path of a file; `-` is the standard input unless a file has this name."""
    return standard_input() if str(path) == PIPE and not path.exists() else path


def standard_input() -> Path:
    """Return the path of the standard input; raise an error if it cannot be read."""
    with _named("the standard input"):
        os.read(0, 0)
    return Path("/dev/stdin")


def standard_output() -> Path:
    """Return the path of the standard output; raise an error if it cannot be written to."""
    with _named("the standard output"):
        os.write(1, b"")
    return Path("/dev/stdout")


@contextmanager
def _named(stream: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = "it is closed" if error.errno == errno.EBADF else error.strerror
        raise OSError(error.errno, why, stream) from None
