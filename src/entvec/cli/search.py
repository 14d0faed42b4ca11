"""`entvec hypernyms` and `entvec hyponyms`: what a word entails, and what entails it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

from entvec.bundled.knowledge import WORDNET_SOURCE
from entvec.cli.misspelled import note_misspelled
from entvec.cli.options import DEFAULT_RANKING, Defined, Layout, RankingOptions, spelled, takes_options
from entvec.cli.printing import plain_table, show
from entvec.cli.trouble import note
from entvec.cli.word_lists import words_of
from entvec.errors import InvalidInput, shown

if TYPE_CHECKING:
    from entvec.space import BatchMatches, EntailmentSpace, Matches

HYPERNYMS, HYPONYMS = "{} is a kind of", "kinds of {}"
MORE = 20
"""How many more words are searched than are listed, since some are not probable enough."""
LONGEST_PATH = 4
"""Of a longer path only the first two steps and the last are printed; `--format json` and `entvec explain` have all."""
LEAST_SENSE, SENSE_ANSWERS = 0.1, 3
"""How probable a sense must be to be listed, and with how many answers it is."""
COLUMNS = ("query", "word", "score", "probability", "variants", "evidence", "reason", "sense")
Words = Annotated[
    list[str],
    typer.Argument(metavar="WORD...", help="Words, answered in turn; missing ones are skipped, and named on stderr."),
]
HowMany = Annotated[int, typer.Option("-k", min=0, help="How many words to list.")]
Specificity = Annotated[
    float | None, typer.Option(help="How much general words lose; 0: the surest first. That of the space if none.")
]
Where = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="For a space in a database: a condition on words and their columns: rank < 1000 and kind = 'noun'.",
    ),
]
Among = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        readable=False,
        help="Choose answers from the words of this file alone, one a line; - is what is piped in.",
    ),
]
Least = Annotated[
    float,
    typer.Option(min=0, max=1, help="The least probability of an answer; 0 lists all of them."),
]
Context = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="A text in which the words are used; it decides which sense is meant."),
]
Group = Annotated[bool, typer.Option("--group", help="List forms of a word, dog and dogs, as one.")]


@takes_options
def hypernyms(
    words: Words,
    k: HowMany = 10,
    group: Group = False,
    specificity: Specificity = None,
    context: Context = None,
    definition: Defined = None,
    least: Least = 0.5,
    space: RankingOptions = DEFAULT_RANKING,
    where: Where = None,
    among: Among = None,
    layout: Layout = "table",
) -> None:
    """What a word is a kind of: its hypernyms, best first, each with a reason.

    A dog is a kind of animal, so animal is a hypernym of dog. The evidence adds up what is known (WordNet, and your
    `--knowledge`), what is known of words that are used like it, and what the vectors say, in log-odds. The answers are
    in the order of the evidence, in which near and specific ones gain. The probability, that of `entvec score`, says
    how surely an answer is true.

    General answers come first with `--specificity 0`.

    A name of several words is one argument: `"ice cream"` finds `ice_cream`. For a word with several senses, a second
    table lists them; `bank#2` or `bank:institution` picks one, "to bank" the verb, and `--context` what fits a text.

    Any phrase has answers. A new word has better ones with a `--definition`.

    Examples:

    * `entvec hypernyms dog`
    * `entvec hypernyms guitar piano "ice cream" -k 5 --group`
    * `entvec hypernyms bank --context "we sat on the grass by the river"`
    * `entvec hypernyms "to hammer"`
    * `entvec hypernyms theorbo --evidence evidence.parquet`
    * `entvec hypernyms dog --vectors glove.6B.300d.txt --format csv`
    * `entvec hypernyms sneaker "rain coat" --among categories.txt`
    * `entvec hypernyms dog --space postgresql:words --where "rank < 1000"`
    * `entvec hypernyms sofrito --definition "a sauce of onion and garlic in olive oil"`
    """
    with space.asked() as asked, answering(asked, words, space.ranked_by) as names:
        asking: Any = {"context": context, "evidence": space.ranked_by, "definition": _definitions(definition, names)}
        asking |= _choices(asked, among)
        found = asked.hypernyms(names, k + MORE, specificity=specificity, group=group, where=where, **asking)
        _print(asked, found, layout, HYPERNYMS, least, k, senses=context is None)


@takes_options
def hyponyms(
    words: Words,
    k: HowMany = 10,
    group: Group = False,
    specificity: Specificity = None,
    context: Context = None,
    definition: Defined = None,
    least: Least = 0.5,
    space: RankingOptions = DEFAULT_RANKING,
    where: Where = None,
    among: Among = None,
    layout: Layout = "table",
) -> None:
    """What kinds of something there are: its hyponyms, best first, each with a reason.

    A poodle is a kind of dog, so poodle is a hyponym of dog. Evidence and probability are those of `entvec hypernyms`.
    Here `--specificity` says how much words lose that entail anything.

    Examples:

    * `entvec hyponyms dog`
    * `entvec hyponyms instrument vehicle -k 20 --group`
    * `entvec hyponyms dog --space glove-space --format json`
    """
    with space.asked() as asked, answering(asked, words, space.ranked_by) as names:
        asking: Any = {"context": context, "evidence": space.ranked_by, "definition": _definitions(definition, names)}
        asking |= _choices(asked, among)
        found = asked.hyponyms(names, k + MORE, specificity=specificity, group=group, where=where, **asking)
        _print(asked, found, layout, HYPONYMS, least, k)


def _choices(space: "EntailmentSpace", file: Path | None) -> dict[str, Any]:
    """Return the words of a file as those to choose from; say how many of them are unknown and left out."""
    if file is None:
        return {}
    words = words_of(file)
    if not words:
        raise InvalidInput("expected words to choose from, one a line, found none", where=str(file))
    if not space.reads and (missing := [word for word in words if word not in space]):
        if len(missing) == len(words):
            raise space.vocabulary.not_found(missing)
        note(f"entvec: {len(missing):,} of {len(words):,} words of {file} are unknown, and no answers: {missing[0]}")
    return {"among": words, "missing": "nan"}


def _definitions(definition: str | None, words: Sequence[str]) -> list[str] | None:
    if definition is not None and len(words) != 1:
        raise typer.BadParameter(f"a definition of {len(words):,} words, expected one word", param_hint="--definition")
    return None if definition is None else [definition]


@contextmanager
def answering(space: "EntailmentSpace", words: Sequence[str], evidence: str) -> Iterator[list[str]]:
    """Yield the words that can be answered; then say which others were skipped.

    If all are adjectives or adverbs, or missing, nothing is answered, and the command fails.
    """
    from entvec.knowledge.facts import no_hierarchy

    known = space.knowledge
    flat = [] if known is None else [word for word in words if known.is_flat(word)]
    if known is not None and len(flat) == len(words):
        raise InvalidInput(str(no_hierarchy(known, *words)))
    words = [word for word in words if word not in flat]
    if evidence == "all" and space.adds_evidence:  # words that are known need no vector
        there = space.judge.evidence.has([word.strip() for word in words]).tolist()
        names = [word.strip() if found else None for word, found in zip(words, there, strict=True)]
    else:
        names = spelled(space, words, missing="nan")
    missing = [word for word, name in zip(words, names, strict=True) if name is None]
    if space.reads:
        yield [word.strip() for word in words]
        if flat:
            note(f"entvec: skipped {len(flat):,}: {no_hierarchy(space.judge.evidence.meanings.known, *flat)}")
        for word in missing:
            note(f"entvec: unknown: {space.judge.objection(word)}")
        note_misspelled(space, [word.strip() for word in words])
        return
    unfound = space.vocabulary if known is None else space.judge.evidence
    if len(missing) == len(words):
        raise unfound.not_found(missing)
    yield [name for name in names if name is not None]
    if known is not None and flat:
        note(f"entvec: skipped {len(flat):,}: {no_hierarchy(known, *flat)}")
    if missing:
        note(f"entvec: skipped {len(missing):,} of {len(words):,} words; {unfound.not_found(missing)}")


def _print(
    space: "EntailmentSpace",
    found: "BatchMatches",
    layout: str,
    title: str,
    least: float,
    k: int,
    *,
    senses: bool = False,
) -> None:
    answers = [(one if found.weighing is None else one.likely(least)).first(k) for one in found]
    rows = [(one.query, list(one)) for one in answers]
    records = [{"query": query, "matches": [match.to_dict() for match in matches]} for query, matches in rows]
    lines: list[Sequence[object]] = [COLUMNS]
    lines += [(query, *match.to_dict(joined=True).values()) for query, matches in rows for match in matches]
    show(layout, lambda: records, lines, lambda console: _draw(console, answers, title, space if senses else None))


def _draw(console: Console, found: "Sequence[Matches]", title: str, space: "EntailmentSpace | None") -> None:
    for i, one in enumerate(found):
        console.print(("\n" if i else "") + title.format(shown(str(one.query))))
        if not len(one):
            console.print("  nothing that is probable enough; `--least 0` lists what there is")
            continue
        console.print(_table(one))
        if space is not None and one.weighing:
            _draw_senses(console, space, str(one.query))


def _draw_senses(console: Console, space: "EntailmentSpace", word: str) -> None:
    """Print what a word is a kind of in each of its senses, if it has several that people mean."""
    senses = [each for each in space.senses(word) if each.weight >= LEAST_SENSE]
    if len(senses) <= 1:
        return
    table = plain_table(Column("sense", no_wrap=True), "share", Column("meaning"), Column("a kind of"))
    answers = space.hypernyms([str(each.sense) for each in senses], SENSE_ANSWERS).words
    for each, words in zip(senses, answers, strict=True):
        table.add_row(shown(str(each.sense)), f"{each.weight:.0%}", shown(each.definition), shown(", ".join(words)))
    console.print(table)


def _table(one: "Matches") -> Table:
    numbers = {"probability": one.calibrated, "evidence": one.evidence, "score": one.scores}
    titles = [name for name, column in numbers.items() if column is not None][:2]
    also = [Column("also", style="dim")] if one.variants else []
    reason = [Column("reason", style="dim", overflow="fold")] if one.weighing else []
    table = plain_table(Column("word", overflow="fold"), *titles, *also, *reason)
    for match in one:
        cells = [f"{getattr(match, name):.2f}" for name in titles]
        variants = [shown(" ".join(match.variants))] if one.variants else []
        table.add_row(shown(match.word), *cells, *variants, *([shown(_brief(match.reason or ""))] if reason else []))
    return table


def _brief(reason: str) -> str:
    """Return a reason that fits beside the numbers: no source that all have, and no path of more than four terms.

    >>> _brief("bank -> slope -> geological formation -> object -> physical entity -> entity (WordNet 3.0, bank#1)")
    'bank -> slope -> ... -> entity (bank#1)'
    """
    path, bracket, where = reason.partition(f" ({WORDNET_SOURCE}")
    terms = path.split(" -> ")
    if len(terms) > LONGEST_PATH:
        path = " -> ".join([*terms[:2], "...", terms[-1]])
    where = where.removesuffix(")").removeprefix(", ")
    return f"{path} ({where})" if bracket and where else path
