"""Measure what texts add to answers about words that nothing was built with: a learning curve.

    python tools/measure_text.py TEXT [OTHER...] [--words NAME] [--folder FOLDER]

The protocols are those of `measure_held_out.py`, which makes FOLDER: strict knows no word of the benchmark, new word
not the one that is asked about. A text is no knowledge of the benchmark: what it says of a hidden word stays. TEXT is
cut into 30 parts; a tenth is three of them, a third ten, from all over the text. Other texts are measured alone and
with TEXT. The evidence of each is extracted into FOLDER. Differences are paired: the same words with and without text,
with 95% intervals.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measure_held_out import Held, interval, log_odds, prepare, ranks_of, told
from numpy.typing import NDArray

from entvec import bulk
from entvec.bundled import bundled_knowledge
from entvec.evaluate.discovery import Questions, answer_ranks, ask
from entvec.evaluate.metrics import mean_interval, right_at_half
from entvec.evidence import RELATIONS, Evidence
from entvec.evidence.judge import Judge
from entvec.space import EntailmentSpace
from entvec.text import TextEvidence
from entvec.vectors.source import Source

PARTS = 30
WHOLE = "all"
SHARES = {"a tenth": 10, "a third": 3, WHOLE: 1}
"""Every which part of the text is taken."""


def extracted(text: Path, folder: Path, name: str, every: int) -> Path:
    """The file with the evidence of every so many parts of a text."""
    output = folder / f"evidence-{text.stem}-{name.replace(' ', '-')}.parquet"
    if not output.exists():
        with Source(str(text)) as source:
            lines = source.rest().split(b"\n")
        bounds = np.linspace(0, len(lines), PARTS + 1).astype(int)
        parts = [b"\n".join(lines[bounds[i] : bounds[i + 1]]) for i in range(0, PARTS, every)]
        piece = folder / f"{name.replace(' ', '-')}.txt"
        piece.write_bytes(b"\n".join(parts))
        bulk.extract(piece, output, processes=1)
        words = sum(len(part.split()) for part in parts)
        print(f"{text.name}, {name}: {words / 1e6:.2f}M words")
    return output


def discovered(
    held: Held,
    space: EntailmentSpace,
    text: TextEvidence | None,
    questions: Questions,
    kept: Sequence[int],
    protocol: str,
) -> NDArray[np.float64]:
    """The rank of the first specific hypernym of each word."""
    judge = Judge(Evidence(held.vectors, space.model, bundled_knowledge(), text))
    if protocol == "strict":
        return ranks_of(space, judge.hiding(held.without), questions, kept)
    return np.concatenate([ranks_of(space, judge.hiding([questions.words[i]]), questions, [i]) for i in kept])


def detected(held: Held, space: EntailmentSpace, text: TextEvidence | None) -> tuple[Any, Any]:
    """Whether each pair is right at half, and whether each entailment is told from its reverse, strictly."""
    judge = Judge(Evidence(held.vectors, space.model, bundled_knowledge(), text), held.model).hiding(held.without)
    p = log_odds(judge.probabilities(held.benchmark.hypo, held.benchmark.hyper))
    labels = held.benchmark.labels > 0
    there, back = (p[:, RELATIONS.index(name)] for name in ("narrower", "broader"))
    return right_at_half(there, labels), np.where(there == back, 0.5, there > back)[labels]


def curve(
    held: Held,
    space: EntailmentSpace,
    texts: Mapping[str, TextEvidence],
    questions: Questions,
    kept: Sequence[int],
    protocol: str,
) -> None:
    """Print how well words are answered without and with each text."""
    without = discovered(held, space, None, questions, kept, protocol)
    print(
        f"\n{protocol}: {len(kept)} words, specific hypernyms; MRR without text {told(mean_interval(1 / without))}",
        flush=True,
    )
    for name, text in texts.items():
        ranks = discovered(held, space, text, questions, kept, protocol)
        named = {text.terms[row].casefold() for row in np.unique(text.hypo).tolist()}
        of_text = sum(questions.words[i].casefold() in named for i in kept)
        gain = mean_interval(1 / ranks - 1 / without)
        hits = ", ".join(f"hit@{k} {100 * np.mean(ranks <= k):.1f}" for k in (1, 10))
        print(
            f"  {name:<12} {len(text):6,} rows, {of_text} words named: MRR {told(mean_interval(1 / ranks))}, {hits}; "
            f"more by {told(gain)}",
            flush=True,
        )


def detection(held: Held, space: EntailmentSpace, texts: Mapping[str, TextEvidence]) -> None:
    """Print how well pairs are told apart without and with each text."""
    groups = held.benchmark.hyper
    true = np.array(groups)[held.benchmark.labels > 0]
    plain = detected(held, space, None)
    print("\ndetection, strict")
    print(f"  without      50% Acc {told(interval(plain[0], groups))}   Dir Acc {told(interval(plain[1], true))}")
    for name, text in texts.items():
        right, direction = detected(held, space, text)
        measures = told(interval(right, groups)), told(interval(direction, true))
        more = told(interval(right - plain[0], groups)), told(interval(direction - plain[1], true))
        print(f"  {name:<12} 50% Acc {measures[0]}   Dir Acc {measures[1]}; more by {more[0]}, {more[1]}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("others", type=Path, nargs="*", metavar="OTHER")
    parser.add_argument("--words", default="weeds-bless")
    parser.add_argument("--folder", type=Path, default=Path("build/held-out"))
    options = parser.parse_args(arguments)
    held = prepare(options.words, options.folder, None)
    files = {name: [extracted(options.text, options.folder, name, every)] for name, every in SHARES.items()}
    for other in options.others:
        files[other.stem] = [extracted(other, options.folder, WHOLE, 1)]
        files[f"with {other.stem}"] = [*files[WHOLE], *files[other.stem]]
    texts = {name: TextEvidence.of(*each) for name, each in files.items()}
    space = EntailmentSpace.from_vectors(held.vectors, map=held.learned)
    questions = ask([*held.benchmark.hypo, *held.benchmark.hyper], space.vectors)
    kept = np.flatnonzero(~np.isnan(answer_ranks(space, questions, [1.0])[0]["specific"])).tolist()
    curve(held, space, texts, questions, kept, "strict")
    others = {name: text for name, text in texts.items() if name not in SHARES or name == WHOLE}
    detection(held, space, others)
    curve(held, space, others, questions, kept, "new word")


if __name__ == "__main__":
    main()
