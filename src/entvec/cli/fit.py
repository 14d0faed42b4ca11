"""`entvec fit`: a map learned from labelled pairs, or one for an encoder from what is known."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from entvec.cli.fit_encoder import DEFAULT_ENCODER, EncoderOptions, fit_to_knowledge
from entvec.cli.options import EvidenceFiles, VectorsFile, chosen_vectors, opened, takes_options
from entvec.cli.printing import show
from entvec.cli.progress import stages
from entvec.cli.trouble import note
from entvec.errors import InvalidInput
from entvec.learn.objective import LEARNABLE

STRENGTH = 0.01
"""What -C is if it is not given."""

if TYPE_CHECKING:
    from entvec.evaluate.benchmark import Benchmark
    from entvec.vectors import Vectors

    LearnableName = str
else:  # the rows of the table are the choices
    LearnableName = Literal[*LEARNABLE]


@takes_options
def fit(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The file to write the map to, .safetensors; with --encoder a folder, for a space."
        ),
    ],
    pairs: Annotated[
        Path | None,
        typer.Argument(
            metavar="PAIRS",
            readable=False,
            help="Labelled pairs: lines `hypo hyper 1-or-0` with tabs or commas between.",
        ),
    ] = None,
    evidence: EvidenceFiles = None,
    vectors: VectorsFile = None,
    operator: Annotated[
        LearnableName, typer.Option(help="The score of a pair that the map is fitted for.")
    ] = "backward",
    strength: Annotated[
        float, typer.Option("-C", min=0, help="How much the pairs count; less stays nearer to the vectors themselves.")
    ] = STRENGTH,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the initial noise, and of the folds.")] = 0,
    hold_out: Annotated[
        Path | None,
        typer.Option(
            readable=False, help="Words to keep away, a line each, or pairs; no pair with one is learned from."
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(min=0, help="First measure, on so many folds that share no words; 0: do not.")
    ] = 0,
    layout: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How to print what the folds measure.")
    ] = "table",
    options: EncoderOptions = DEFAULT_ENCODER,
) -> None:
    """Learn a map from pairs of words that are labelled as entailments or not; or one for an encoder of texts.

    The map turns vectors into log-odds in which the operator tells which pairs are entailments. Pairs with a word that
    has no vector are left out, and counted. `--folds 10` first says how good such a map is on words that it has not
    seen, which is what to expect: each tenth of the pairs is asked of a map fitted to the others
    that have no word in common with it. To measure on a benchmark of your own, keep its words away with `--hold-out`.

    Files: as for `entvec evaluate`, JSON `[[hypo, hyper, 1 or 0], ...]` too.

    With `--evidence` the pairs are those that texts name, and as many others that are made of them: weak labels, for
    a domain without a taxonomy.

    With `--encoder` the map is one of the encoder's vectors, and what is learned is WordNet, your `--knowledge`, or
    both (`--knowledge none --knowledge FILE` for the file alone). It is measured on terms that are held out with their
    synonyms: the specific MRR of their hypernyms among all that are known, 50% Acc and Dir Acc of labelled pairs. What
    is written is a space that reads any text through its encoder, and refuses another encoder. Nothing is written
    before the end; Ctrl-C leaves everything as it was.

    Examples:

    * `entvec fit pairs.tsv -o learned.safetensors`
    * `entvec fit pairs.tsv --vectors glove.6B.300d.txt --folds 10 -o learned.safetensors`
    * `entvec fit pairs.tsv --hold-out benchmark.tsv --operator factorised -C 0.03 -o learned.safetensors`
    * `entvec fit --evidence evidence.parquet --vectors mine.txt -o learned.safetensors`
    * `entvec fit --encoder sentence-transformers:all-MiniLM-L6-v2 -o minilm`
    * `entvec fit --encoder small --knowledge none --knowledge shop.tsv -o shop`
    * `entvec fit --encoder 'https://api.openai.com/v1/embeddings text-embedding-3-small' --cache vectors -o openai`
    """
    from entvec.evaluate.benchmark import HELD_OUT, find_words, read_benchmark
    from entvec.files import check_writable

    if options.encoder is not None:
        others = (pairs, evidence, vectors, folds or None)
        if any(each is not None for each in others) or operator != "backward" or strength != STRENGTH:
            raise typer.BadParameter(
                "PAIRS, --evidence, --vectors, --operator, -C and --folds are for word vectors; an encoder learns "
                "what is known",
                param_hint="--encoder",
            )
        words = None if hold_out is None else find_words(str(hold_out))
        fit_to_knowledge(options, output, seed, words, layout)
        return
    if (pairs is None) == (not evidence):
        raise typer.BadParameter(
            "expected a file of labelled pairs, --evidence or --encoder, and one of these", param_hint="PAIRS"
        )
    if options.given:
        raise typer.BadParameter(f"{' and '.join(options.given)} need --encoder")
    from entvec.learn import EntailmentMap

    if strength == 0 or folds == 1:
        raise typer.BadParameter(
            "-C is 0, expected more" if strength == 0 else "--folds is 1, expected 0, or 2 or more"
        )
    check_writable(output)
    table = chosen_vectors(vectors).with_lookup(case=True, space=True)
    labelled = _weakly_labelled(evidence, table, seed) if pairs is None else read_benchmark(pairs)
    held = None if hold_out is None else find_words(str(hold_out))
    learned_from = _usable(labelled, table, hold_out, held)
    settings: dict[str, Any] = {"operator": operator, "C": strength, "random_state": seed}
    rows, labels = _rows(learned_from, table), learned_from.positive
    with stages() as tell, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if folds:
            measured = _measured(table, rows, labels, folds, settings, tell)
        tell("fitting to all pairs", folds / (folds + 1))
        learned = EntailmentMap(**settings).fit_rows(*_compact(table, rows), labels)
    if folds:
        show(layout, lambda: measured, [], lambda _: _print(measured))
    for text in {str(each.message) for each in caught if not issubclass(each.category, RuntimeWarning)}:
        note(f"entvec: {text}")
    told = {
        "fitted to": f"{labelled.name}: {len(learned_from):,} pairs, {int(labels.sum()):,} entailments",
        "vectors": "google-news" if vectors is None else vectors.name,
    }
    if held is not None:
        told[HELD_OUT] = "\n".join(held)
    learned.save(output, metadata=told)
    width = "x".join(map(str, learned.weights_.shape))
    note(f"written: {output} ({operator}, {width}, fitted to {told['fitted to']})")
    with_vectors = "" if vectors is None else f" --vectors {vectors}"
    note(f"next: entvec hypernyms WORD{with_vectors} --map {output}")
    note("its probabilities are those of the pairs it was fitted to; on others they may be too sure")


def _weakly_labelled(files: list[str] | None, table: "Vectors", seed: int) -> "Benchmark":
    """The pairs that texts name, and others, as a benchmark."""
    from entvec.evaluate.benchmark import Benchmark
    from entvec.learn.weak_labels import weak_pairs
    from entvec.text import TextEvidence

    paths = [opened(Path(file)) for file in files or ()]
    hypo, hyper, labels = weak_pairs(TextEvidence.of(*paths), table, seed=seed)
    return Benchmark(" + ".join(path.name for path in paths), hypo, hyper, labels.astype(np.float64))


def _usable(labelled: "Benchmark", table: "Vectors", hold_out: Path | None, held: list[str] | None) -> "Benchmark":
    """The pairs to learn from, without held-out words; a message says how many are left out."""
    if labelled.kind == "graded":
        raise InvalidInput(f"{labelled.source} is graded, expected pairs labelled 1 or 0, to learn from")
    covered = labelled.covered_by(table)
    if missing := len(labelled) - len(covered):
        note(f"{missing:,} of {len(labelled):,} pairs left out for want of a vector")
    if held is not None:
        words = {word.casefold() for word in held}
        kept = np.array([words.isdisjoint((a.casefold(), b.casefold())) for a, b in covered.pairs], dtype=bool)
        note(f"{int((~kept).sum()):,} pairs left out because of words in {hold_out}")
        covered = covered.take(np.flatnonzero(kept))
    if not covered.positive.any() or covered.positive.all():
        raise InvalidInput(
            f"{labelled.source}: of {len(covered):,} pairs {int(covered.positive.sum()):,} are entailments, "
            "expected some that are and some that are not, to learn from"
        )
    return covered


def _rows(pairs: "Benchmark", table: "Vectors") -> NDArray[np.int64]:
    return np.stack([table.rows(pairs.hypo), table.rows(pairs.hyper)], axis=1)


def _compact(table: "Vectors", rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The vectors of the words that occur, and the pairs as rows of these."""
    used, at = np.unique(rows, return_inverse=True)
    return table.take(used).matrix, at.reshape(-1, 2)


def _measured(
    table: "Vectors",
    rows: NDArray[np.int64],
    labels: NDArray[np.bool_],
    n: int,
    settings: dict[str, Any],
    tell: Any,
) -> dict[str, Any]:
    """How many pairs a map gets right that was fitted to others, with no word in common."""
    from entvec.learn import EntailmentMap, LexicalKFold

    words, pairs = _compact(table, rows)
    folds = LexicalKFold(n, random_state=settings["random_state"]).split(pairs)
    right, majority = np.zeros(len(pairs), dtype=bool), np.zeros(len(pairs), dtype=bool)
    sizes = []
    for i, (train, test) in enumerate(folds):
        tell(f"fold {i + 1} of {n}", i / (n + 1))
        if not 0 < labels[train].sum() < len(train):
            raise InvalidInput(
                f"{len(pairs):,} pairs are too few for {n} folds: fold {i + 1} leaves {len(train):,} to learn from, "
                "expected entailments and others among them; give more pairs, or --folds 0"
            )
        learned = EntailmentMap(**settings).fit_rows(words, pairs[train], labels[train])
        right[test] = learned.predict(words[pairs[test]]) == labels[test]
        majority[test] = labels[test] == (2 * labels[train].sum() > len(train))
        sizes.append(len(train))
    return {
        "folds": n,
        "pairs": len(pairs),
        "learned_from": float(np.mean(sizes)),
        "accuracy": float(right.mean()),
        "accuracy_of_entailments": float(right[labels].mean()),
        "accuracy_of_others": float(right[~labels].mean()),
        "accuracy_of_the_frequent_answer": float(majority.mean()),
    }


def _print(measured: dict[str, Any]) -> None:
    typer.echo(f"On words that it has not seen, a map fitted to {measured['learned_from']:,.0f} pairs gets right:")
    for title, name in (
        (f"of all {measured['pairs']:,} pairs", "accuracy"),
        ("of the entailments", "accuracy_of_entailments"),
        ("of the others", "accuracy_of_others"),
        ("by the more frequent answer alone", "accuracy_of_the_frequent_answer"),
    ):
        typer.echo(f"  {measured[name]:6.1%}  {title}")
