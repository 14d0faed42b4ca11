"""`entvec score`: whether one word entails another; for one pair, or for lines and lines of them."""

import math
import shlex
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from entvec.cli.misspelled import note_misspelled
from entvec.cli.options import DEFAULT_ASKING, AskingOptions, Defined, spelled, takes_options
from entvec.cli.pairs import (
    DEFAULT_PAIRS,
    PRECISION,
    PairArguments,
    PairLayout,
    PairOptions,
    answer_stdin,
    answer_table,
)
from entvec.cli.printing import show
from entvec.cli.trouble import note
from entvec.errors import InvalidInput, WordNotFound, shown

if TYPE_CHECKING:
    from entvec.space import EntailmentSpace


@takes_options
def score(
    words: PairArguments,
    space: AskingOptions = DEFAULT_ASKING,
    layout: PairLayout = None,
    definition: Defined = None,
    options: PairOptions = DEFAULT_PAIRS,
) -> None:
    """Does the first word entail the second? A dog is an animal, so dog entails animal.

    The score of two words rests on their vectors alone. Their probability, their verdict and their relation weigh all
    evidence, as `entvec relation` does, which also says why.

    With `-`, each line of the standard input has two words, a tab between, and is written with a tab and its score
    and, if the space has probabilities, a tab and its probability. Further columns are carried along before them. A
    word without a vector leaves these fields empty. A line that is not UTF-8, has no tab or an empty word stops the
    command with the number of the line, or is left out with `--on-error skip`. There may be any number of lines, also
    lines that come slowly from a pipe; stderr shows how many are done. One core does the work.

    With `-o`, a table of any size is scored by several processes, or by a cluster: a Parquet file, or a .csv or .tsv
    whose first line names the columns; or several such files, or a folder of them. The columns of words are those
    called hypo and hyper, child and parent, narrower and broader or the like, unless `--hypo` and `--hyper` name
    others. The output is Parquet, .csv or .tsv, as its name says. All columns are carried along, and score and, if the
    space has probabilities, probability are added; they are null for a pair with a word without a vector. A run that
    was stopped goes on where it was when the same command is given again; until then its parts are in the folder
    OUTPUT.job.

    In lines and tables the probability rests on the vectors alone, where half of the pairs in question are entailments;
    `entvec relation` weighs all evidence.

    Examples:

    * `entvec score dog animal`
    * `entvec score "ice cream" food --format json`
    * `entvec score sofrito sauce --definition "onion and garlic, fried in olive oil"`
    * `entvec score - < pairs.tsv > scored.tsv`
    * `cut -f 2,5 things.tsv | entvec score - --on-error skip > scored.tsv`
    * `entvec score pairs.parquet -o scored.parquet`
    * `entvec score pairs/ -o scored.parquet`
    * `entvec score pairs.csv -o scored.csv`
    * `entvec score pairs.csv -o scored.parquet --hypo product --hyper shelf --processes 4`
    * `entvec score /shared/pairs.parquet -o /shared/scored.parquet --space /shared/news --cluster tcp://head:8786`
    """
    kind = options.kind(words, layout, "scored.parquet", definition)
    if kind != "pair" and space.texts:
        raise typer.BadParameter(
            "in lines and tables the vectors alone score; `entvec relation` takes texts there", param_hint="--evidence"
        )
    if kind == "table":
        from entvec import bulk

        answer_table(partial(bulk.score_table, space.folder or space.in_memory()), words, options)
    elif kind == "lines":
        from entvec.pairs.lines import BYTES_AT_ONCE, score_lines

        opened = space.in_memory()
        read = opened.score if opened.reads else None
        answer_stdin(partial(score_lines, opened.keys, read=read), BYTES_AT_ONCE, options)
    else:
        with space.asked() as asked:
            _score_pair(asked, words, definition, layout or "table")


def _score_pair(space: "EntailmentSpace", words: list[str], definition: str | None, layout: str) -> None:
    from entvec.space.encoding import text_of

    try:
        y, x = spelled(space, words)
    except WordNotFound as error:
        if space.knowledge is not None and space.judge.evidence.has(words).all():
            without = " and ".join(repr(word) for word in words if word not in space)
            raise InvalidInput(
                f"no vector for {without}, so there is no score; "
                f"`entvec relation {' '.join(map(shlex.quote, words))}` answers from what is known"
            ) from error
        raise
    weighed = space.knowledge is not None
    probable = weighed or space.calibration is not None
    asking: Any = {"definition": definition}
    probability = space.probability(y, x, **asking) if probable else math.nan
    told: dict[str, Any] = {
        "hypo": y,
        "hyper": x,
        "score": space.score(y, x, **asking),
        "probability": None if math.isnan(probability) else probability,
        "verdict": space.verdict(y, x, precision=PRECISION, **asking) if probable else None,
        "reversed_score": space.score(x, text_of(space.encoder, y, definition)),
        "relation": space.relation(y, x, precision=PRECISION, **asking).relation if weighed else None,
    }
    told |= {name: None for name in ("score", "reversed_score") if math.isnan(told[name])}
    read_by = dict(zip(words, space.read_by(words), strict=True)) if space.reads else {}
    show(layout, lambda: told, [told, told.values()], lambda _: _print(told, read_by))
    for word, by in read_by.items():
        if by == "nothing":
            note(f"entvec: unknown: {space.judge.objection(word)}")
    note_misspelled(space, words if definition is None else words[1:])


def _print(told: dict[str, Any], read_by: dict[str, str]) -> None:
    y, x, probability = (told[name] for name in ("hypo", "hyper", "probability"))
    rows = {"question": f"does {y} entail {x}?"}
    if told["verdict"] is None:
        rows["verdict"] = "none: scores of this space are not calibrated, so they only rank"
    elif probability is None:
        rows["verdict"] = "unknown (there is no evidence besides the score)"
    else:
        meaning = {
            "yes": f"a probability of {PRECISION} or more",
            "no": f"a probability of {1 - PRECISION:.1f} or less",
            "unknown": f"the probability is between {1 - PRECISION:.1f} and {PRECISION}",
        }
        rows["verdict"] = f"{told['verdict']} ({meaning[told['verdict']]})"
        rows["probability"] = f"{probability:.3f}"
    if told["relation"] is not None:
        rows["relation"] = f"{told['relation']}; `entvec relation` says why"
    if told["score"] is not None:
        rows["score"] = f"{told['score']:.2f}"
        rows["direction"] = _direction(told)
        rows["based on"] = _sources(told, read_by)
    for title, text in rows.items():
        typer.echo(f"{title:<12} {shown(text)}")


def _direction(told: dict[str, Any]) -> str:
    """Say which word is the narrower one: the relation decides, or where it is unknown the scores."""
    y, x, there, back, relation = (told[name] for name in ("hypo", "hyper", "score", "reversed_score", "relation"))
    if relation is not None and told["probability"] is None:
        return f"unknown; the reverse has the score {back:.2f}"
    if relation not in (None, "unknown", "narrower", "broader", "same"):
        return f"neither; the reverse has the score {back:.2f}"
    if relation == "broader" or (relation != "narrower" and there < back):
        return f"rather the reverse: {x} → {y} has the score {back:.2f}"
    if relation != "narrower" and there == back:
        return "neither: the reverse has the same score"
    return f"{y} → {x}; the reverse has the score {back:.2f}"


def _sources(told: dict[str, Any], read_by: dict[str, str]) -> str:
    """Say what each number rests on."""
    if "encoder" in read_by.values() or "facts" in read_by.values():
        new = [word for word, by in read_by.items() if by == "encoder"]
        said = f"score: the encoder, which has read {' and '.join(new)}" if new else "score: the encoder"
        return f"{said}; probability: all evidence, if a quarter of the pairs asked are entailments"
    if told["probability"] is None:
        return "score: the vectors alone"
    if told["relation"] is None:
        return "score and probability: the vectors alone, if half of the pairs asked are entailments"
    return "score: the vectors alone; probability: all evidence, if a quarter of the pairs asked are entailments"
