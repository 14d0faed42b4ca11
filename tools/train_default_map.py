"""Train the default map, `entvec/bundled/data/default-map.safetensors`, from the bundled vectors and WordNet's nouns.

    python tools/train_default_map.py [--hold-out NAME...] [--validate] [--seed N] [--steps N] [-o FILE]

Needs PyTorch and scikit-learn, and three to four minutes on one core. What is learned are two linear maps, of a word as
a hypo and as a hyper, and three offsets that are affine functions of its vector: `hypo_offset`, `hyper_offset` and
`generality`. A step takes a batch of nouns and lowers the sum of three losses:

hypernyms  all nouns and some other words compete to be the hypernyms of each noun, by the score less generality; near
           hypernyms, specific ones and those of frequent senses weigh more
hyponyms   the nouns of the batch and some other words compete to be a hyponym of each hypernym, by the score less its
           mean over all hypers, which is how a space ranks hyponyms
detection  cross entropy of the labelled pairs of each noun: entailments against pairs reversed, co-hyponyms, parts and
           wholes, and random ones

`--hold-out` keeps the words of benchmarks or lists (one word a line) out of training: in any spelling of case, and with
their plurals, they are neither hypo nor hyper, neither right nor wrong. `trees` are the words that `entvec evaluate
taxonomy` measures with; its map, held-out-map.safetensors beside the default one, was made with `--hold-out trees`.
`--validate` also holds out 490 nouns, prints how well the map does on their pairs, and fits the probabilities; SCALE
and INTERCEPT come from there. The same seed
gives the same bytes on the same machine with the same versions, which the file records.
"""

import argparse
import hashlib
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, dropout, softplus

from entvec.bundled import RELATIONS, IsA, google_news, isa, labelled_pairs
from entvec.bundled.training_pairs import KINDS
from entvec.evaluate.benchmark import find_words
from entvec.evaluate.discovery import answer_ranks, ask
from entvec.evaluate.metrics import accuracy_at_half, direction_accuracy, expected_calibration_error
from entvec.evaluate.taxonomy.wordnet_trees import words_held_out
from entvec.learn import calibrate
from entvec.learn.fitted import FittedMap
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

TARGET = Path(__file__).parents[1] / "src/entvec/bundled/data/default-map.safetensors"
ENTAILING = ["is-a", "instance"]
SCALE, INTERCEPT = 0.2425, 14.159
"""Platt's sigmoid for the scores of words that the map has not seen, as `--validate` finds it."""
VALIDATION_HYPERS, VALIDATION_HYPOS = 70, 420
METHODS: tuple[Literal["platt", "isotonic"], ...] = ("platt", "isotonic")

STEPS = 500
WARM_UP = 20
QUERIES = 512
OTHER_HYPERS, OTHER_HYPOS = 4000, 512  # words that are no nouns, drawn anew in each step
LEARNING_RATE = 4e-3
DECAY = 0.3  # how fast everything returns to where it began
DROPOUT = 0.15
JITTER = 0.01
DETECTION, HYPONYMS = 30.0, 0.5  # weights of these losses; that of the hypernyms is 1
FIRST_SCALE = 1 / 8
STEEPNESS = 2.5  # a hypernym at distance n weighs 1 / n^2.5
SHALLOW, GENERAL = 4, 0.1  # one at a depth under 4 weighs a tenth
INSTANCE = 0.3  # and that of a name a third: Paris -> city
OF_ALL_PAIRS = {"entailment": 0.5, "reversed": 0.08, "co-hyponym": 0.09, "part": 0.03, "random": 0.3}

Rows = NDArray[np.int64]
Parameters = dict[str, Tensor]


class Lists:
    """For each word a list of others with a number or two for each."""

    def __init__(self, n_words: int, owners: Rows, *columns: NDArray[np.generic]) -> None:
        order = np.argsort(owners, kind="stable")
        ends = np.cumsum(np.bincount(owners, minlength=n_words))
        self.starts = torch.from_numpy(np.concatenate([[0], ends]))
        self.columns = [torch.from_numpy(column[order]) for column in columns]

    def of(self, words: Tensor) -> list[Tensor]:
        """The entries of some words: their owners' places among these words, then the columns."""
        sizes = self.starts[words + 1] - self.starts[words]
        owner = torch.repeat_interleave(torch.arange(len(words)), sizes)
        at = torch.arange(len(owner)) + (self.starts[words] - torch.cumsum(sizes, 0) + sizes)[owner]
        return [owner, *(column[at] for column in self.columns)]


class Examples(NamedTuple):
    """What there is to learn, in rows of the vectors; no held-out word is among them."""

    vectors: Tensor
    """Scaled so that the numbers of nouns have mean square 1."""
    unit: float
    nouns: Tensor
    others: Tensor
    queries: Tensor
    """The nouns that have hypernyms."""
    hypernyms: Lists
    """Each with its share of what its hypo says."""
    neutral: Lists
    """Words that are no wrong answers: the noun itself, and forms of it and of its hypernyms."""
    pairs: Lists
    """Hyper, label and weight."""


def lemmas(word: str) -> Iterator[str]:
    """What a word may be a form of: itself in lower case, and singulars."""
    lower = word.casefold()
    yield lower
    for ending, instead in (("s", ""), ("es", ""), ("ies", "y"), ("men", "man")):
        if lower.endswith(ending):
            yield lower.removesuffix(ending) + instead


def is_held(words: Sequence[str], hold_out: Collection[str]) -> NDArray[np.bool_]:
    """Which of the words are forms of held-out ones."""
    held = {word.casefold() for word in hold_out}
    return np.array([not held.isdisjoint(lemmas(word)) for word in words])


def examples(vectors: Vectors, table: IsA, hold_out: Collection[str], seed: int) -> Examples:
    """What the table says of words that are not held out."""
    n = len(vectors)
    row = vectors.rows(table.words)
    held = is_held(vectors.words, hold_out)
    noun = np.zeros(n, dtype=bool)
    noun[row] = True

    found = table.select(ENTAILING)
    says = found.distance.astype(np.float64) ** -STEEPNESS / found.hypo_sense
    says /= found.hyper_sense.astype(np.float64) ** 2
    says[found.hyper_depth < SHALLOW] *= GENERAL
    says[found.relation == RELATIONS.index("instance")] *= INSTANCE
    free = ~held[row[found.hypo]] & ~held[row[found.hyper]]
    codes, of_code = np.unique(row[found.hypo[free]] * n + row[found.hyper[free]], return_inverse=True)
    hypo, hyper = codes // n, codes % n
    share: NDArray[np.float64] = np.bincount(of_code, weights=says[free]).astype(np.float64)
    share /= np.bincount(hypo, weights=share, minlength=n)[hypo]

    forms = defaultdict(list)
    for at in np.flatnonzero(~held).tolist():
        for lemma in lemmas(vectors.words[at]):
            forms[lemma].append(at)
    right = set(zip(hypo.tolist(), hyper.tolist(), strict=True))
    answers = right | {(y, y) for y, _ in right}
    alike = {(y, form) for y, x in answers for form in forms[vectors.words[x].casefold()]}
    neutral = np.array(sorted(alike - right))

    known = [word for word, out in zip(table.words, held[row], strict=True) if out]
    pairs = labelled_pairs(table, hold_out=known, seed=seed)
    counts = np.bincount(pairs.kinds, minlength=len(KINDS))
    by_kind = (np.array([OF_ALL_PAIRS[kind] for kind in KINDS]) * counts.sum() / counts).astype(np.float32)
    labels = pairs.labels.astype(np.float32)

    nouns = np.flatnonzero(noun & ~held)
    matrix = np.asarray(vectors.matrix, dtype=np.float32)
    unit = float(1 / np.sqrt(np.mean(matrix[nouns] ** 2)))
    return Examples(
        vectors=torch.from_numpy(matrix * np.float32(unit)),
        unit=unit,
        nouns=torch.from_numpy(nouns),
        others=torch.from_numpy(np.flatnonzero(~noun & ~held)),
        queries=torch.from_numpy(np.unique(hypo)),
        hypernyms=Lists(n, hypo, hyper, share.astype(np.float32)),
        neutral=Lists(n, neutral[:, 0], neutral[:, 1]),
        pairs=Lists(n, row[pairs.hypo], row[pairs.hyper], labels, by_kind[pairs.kinds]),
    )


def initial(dimension: int) -> Parameters:
    """Both maps begin as the interpretation "unk", with a little noise, and the offsets with nothing."""
    weights = torch.eye(dimension) + JITTER / dimension**0.5 * torch.randn(dimension, dimension)
    start = {"decision": torch.zeros(2)}
    for side in ("hypo", "hyper"):
        start |= {f"{side}_weights": weights.clone(), f"{side}_bias": -torch.ones(dimension)}
    return start | {name: torch.zeros(dimension + 1) for name in ("hypo_offset", "hyper_offset", "generality")}


def drawn(rows: Tensor, size: int) -> Tensor:
    """Some of the rows, by chance."""
    return rows[torch.randperm(len(rows))[:size]]


def log_odds(p: Parameters, side: str, vectors: Tensor) -> Tensor:
    """What a map makes of vectors."""
    return torch.addmm(p[f"{side}_bias"], vectors, p[f"{side}_weights"])


def offsets(p: Parameters, vectors: Tensor, *names: str) -> list[Tensor]:
    """Affine functions of each vector."""
    functions = torch.stack([p[name] for name in names], dim=1)
    return list(torch.addmm(functions[-1], vectors, functions[:-1]).unbind(1))


def step(data: Examples, p: Parameters, place: Tensor) -> float:
    """Add the gradient of one batch to the parameters; `place` is room for a number a word."""
    queries = drawn(data.queries, QUERIES)
    candidates = torch.cat([data.nouns, drawn(data.others, OTHER_HYPERS)])
    place.fill_(-1)[candidates] = torch.arange(len(candidates))
    y = dropout(data.vectors[torch.cat([queries, drawn(data.others, OTHER_HYPOS)])], DROPOUT)
    x = dropout(data.vectors.index_select(0, candidates), DROPOUT)
    # The score is s(-Y) . log s(-X); both signs are turned, which saves a pass over the many hypers.
    q, k = -torch.sigmoid(-log_odds(p, "hypo", y)), softplus(log_odds(p, "hyper", x))
    (hypo_offset,) = offsets(p, y, "hypo_offset")
    hyper_offset, generality = offsets(p, x, "hyper_offset", "generality")
    # Those of the other words that were drawn stand for all of them.
    n, n_others = len(data.nouns), len(data.others)
    drawn_for = torch.ones(len(candidates)).index_fill(0, torch.arange(n, len(candidates)), n_others / OTHER_HYPERS)
    scores = torch.addmm(hyper_offset - generality + drawn_for.log(), q[: len(queries)], k.T)

    # The scores are many, and losses look at few of them: their gradient is written down rather than traced.
    owner, hyper, share = data.hypernyms.of(queries)
    right = place[hyper]
    same, form = data.neutral.of(queries)
    same, form = same[place[form] >= 0], place[form[place[form] >= 0]]
    with torch.no_grad():
        gradient = scores.index_put((same, form), torch.tensor(-torch.inf))
        highest = gradient.amax(dim=1, keepdim=True)
        total = gradient.sub_(highest).exp_().sum(dim=1, keepdim=True)
        hypernyms = torch.sum(share * ((highest + total.log())[owner, 0] - scores[owner, right])) / len(queries)
        gradient.div_(total * len(queries)).index_put_((owner, right), -share / len(queries), accumulate=True)
    entropy, by_score = detection(
        data.pairs.of(queries), scores.detach(), generality, hypo_offset, p["decision"], place
    )
    gradient.index_put_(*by_score, accumulate=True)

    # Hyponyms of the hypernyms in the batch, less the mean of their scores over all words as hypers.
    asked, column = torch.unique(right, return_inverse=True)
    below = q @ (k[asked] - (n * k[:n].mean(0) + n_others * k[n:].mean(0)) / (n + n_others)).T
    wrong = torch.ones_like(below, dtype=torch.bool)
    wrong[owner, column] = False
    at = torch.full((len(candidates),), -1).index_put((asked,), torch.arange(len(asked)))[form]
    wrong[same[at >= 0], at[at >= 0]] = False
    others = torch.logsumexp(below.masked_fill(~wrong, -torch.inf), dim=0)
    share = share / torch.zeros(len(asked)).index_add(0, column, share)[column]
    hyponyms = torch.sum(share * softplus(others[column] - below[owner, column])) / len(asked)

    torch.autograd.backward([DETECTION * entropy + HYPONYMS * hyponyms, scores], [None, gradient])
    return hypernyms.item() + DETECTION * entropy.item() + HYPONYMS * hyponyms.item()


def detection(
    pairs: list[Tensor], scores: Tensor, generality: Tensor, hypo_offset: Tensor, decision: Tensor, place: Tensor
) -> tuple[Tensor, tuple[tuple[Tensor, Tensor], Tensor]]:
    """The cross entropy of labelled pairs, and what it adds to the gradient of the scores, where."""
    hypo, hyper, label, weight = pairs
    hyper = place[hyper]
    ranked = scores[hypo, hyper].requires_grad_()
    found = FIRST_SCALE * torch.exp(decision[0]) * (ranked + generality[hyper] + hypo_offset[hypo])
    if not decision[1]:  # begin in the middle
        decision.data[1] = -found.detach().mean()
    entropy = binary_cross_entropy_with_logits(found + decision[1], label, weight)
    (by_pair,) = torch.autograd.grad(entropy, ranked, retain_graph=True)
    return entropy, ((hypo, hyper), DETECTION * by_pair)


def train(data: Examples, seed: int, steps: int) -> dict[str, NDArray[np.float32]]:
    """Maps and offsets for vectors as they are bundled."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(mode=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    start = initial(data.vectors.shape[1])
    p = {name: value.clone().requires_grad_() for name, value in start.items()}
    optimiser = torch.optim.Adam(p.values(), lr=LEARNING_RATE)
    place = torch.empty(len(data.vectors), dtype=torch.int64)
    for done in range(steps):
        rate = LEARNING_RATE * min(1, (done + 1) / WARM_UP) * (1 + np.cos(np.pi * done / steps)) / 2
        optimiser.param_groups[0]["lr"] = rate
        optimiser.zero_grad()
        loss = step(data, p, place)
        optimiser.step()
        with torch.no_grad():
            for name in p.keys() - {"decision"}:
                p[name].lerp_(start[name], rate * DECAY)
        if sys.stderr.isatty() or (done + 1) % 100 == 0:
            print(f"step {done + 1} of {steps}: loss {loss:.3f}", file=sys.stderr)
    found = {name: value.detach().numpy() for name, value in p.items() if name != "decision"}
    for name, value in found.items():  # the unit becomes part of the map; biases and constants have none
        if name.endswith("weights"):
            value *= np.float32(data.unit)
        elif not name.endswith("bias"):
            value[:-1] *= np.float32(data.unit)
    return found


def build(hold_out: Collection[str], *, seed: int = 0, steps: int = STEPS) -> FittedMap:
    """The map of the bundled vectors, trained without some words, and what there is to say of it."""
    vectors, table = google_news(), isa()
    torch.set_num_threads(1)  # how a sum is divided shows in its last digits
    found: dict[str, Any] = train(examples(vectors, table, hold_out, seed), seed, steps)
    metadata = {
        "made_by": "tools/train_default_map.py",
        "model_card": "docs/default-map.md",
        "licence": "Apache-2.0 (Google News vectors), WordNet 3.0",
        "seed": str(seed),
        "steps": str(steps),
        "held_out": "\n".join(sorted(hold_out)),
        **{f"version_{name}": version(name) for name in ("entvec", "numpy", "torch")},
        **{f"sha256_{name}": sha256(name) for name in ("google-news.safetensors", "isa.npz")},
    }
    return FittedMap("backward", **found, scale=SCALE, intercept=INTERCEPT, metadata=metadata)


def sha256(name: str) -> str:
    """The hash of a bundled file."""
    return hashlib.sha256(files("entvec.bundled").joinpath("data", name).read_bytes()).hexdigest()


def held_words(name: str) -> Collection[str]:
    """The words of a benchmark or a list, or those of the trees that taxonomies are measured with."""
    return words_held_out() if name == "trees" else find_words(name)


def validation_words(table: IsA, hold_out: Collection[str]) -> tuple[list[str], list[str]]:
    """Hypers and some of their hypos, drawn like those of Weeds et al. (2014): common nouns in their first sense."""
    rng = np.random.default_rng(0)
    near = table.select(max_distance=6, max_hypo_sense=1, max_hyper_sense=2, min_depth=2)
    usual = ~is_held(table.words, hold_out) & np.array([word.isalpha() and word.islower() for word in table.words])
    pairs = np.unique(np.stack([near.hypo, near.hyper], axis=1), axis=0)
    pairs = pairs[usual[pairs].all(axis=1)]
    hypos_of = np.bincount(pairs[:, 1])
    hypers = rng.permutation(np.flatnonzero((hypos_of >= 12) & (hypos_of <= 600)))[:VALIDATION_HYPERS]
    below = np.setdiff1d(pairs[np.isin(pairs[:, 1], hypers), 0], hypers)
    hypos = rng.permutation(below)[:VALIDATION_HYPOS]
    return [table.words[i] for i in hypers], [table.words[i] for i in hypos]


def validate(learned: FittedMap, hypers: list[str], hypos: list[str]) -> Iterator[str]:
    """How well the map does on words that it has not seen, a line a measure."""
    table, space = isa(), EntailmentSpace.from_vectors(google_news(), map=learned)
    unseen = {*hypers, *hypos}
    pairs = labelled_pairs(table, hold_out=set(table.words) - unseen)
    hypo, hyper = ([table.words[i] for i in side] for side in (pairs.hypo, pairs.hyper))
    scores, back = space.score(hypo, hyper), space.score(hyper, hypo)
    yield f"{len(scores):,} pairs of {len(unseen)} words: 50% Acc {100 * accuracy_at_half(scores, pairs.labels):.1f}"
    yield f"Dir Acc {100 * direction_accuracy(scores, back, pairs.labels):.1f}"
    questions = ask([*hypers, *hypos], space.vectors)
    place = answer_ranks(space, questions, [1.0])[0]["specific"]
    place = place[~np.isnan(place)]
    yield f"specific hypernyms of {len(place)} words: MRR {np.mean(1 / place):.3f}, hit@10 {np.mean(place <= 10):.3f}"
    right = [
        [table.entails(word, x) for word in hits.words if word in table.words]
        for x, hits in zip(hypers, space.hyponyms(hypers, k=10), strict=True)
    ]
    yield f"hyponyms of {len(hypers)} words among all words: precision@10 {sum(map(sum, right)) / 10 / len(hypers):.3f}"
    half = np.isin(hypo, hypos[::2])
    for method in METHODS:
        expected = np.empty(len(scores))
        for part in (half, ~half):
            expected[part] = calibrate(scores[~part], pairs.labels[~part], method).probability(scores[part])
        error = expected_calibration_error(expected, pairs.labels)
        yield f"calibration error, {method}, fitted on other hypos: {error:.3f}"
    platt = calibrate(scores, pairs.labels, "platt")
    surely = np.abs(platt.probability(scores) - 0.5) + 0.5
    right = (platt.probability(scores) > 0.5) == (pairs.labels > 0)
    for precision in (0.7, 0.8, 0.9):
        told = surely >= precision
        yield f"verdicts at a precision of {precision}: {100 * told.mean():.0f}%, right {100 * right[told].mean():.1f}%"
    yield f"SCALE, INTERCEPT = {platt.x[0]:.4f}, {platt.y[0]:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the map and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--hold-out", nargs="+", default=[], metavar="NAME", help="benchmarks, lists of words, or trees"
    )
    parser.add_argument("--validate", action="store_true", help="hold out more words, and measure with them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("-o", dest="output", type=Path, default=TARGET, metavar="FILE")
    options = parser.parse_args(arguments)
    if (options.validate or options.hold_out) and options.output == TARGET:
        parser.error("a build without some words is not the one to ship; name another file with -o")
    hold_out = {word for name in options.hold_out for word in held_words(name)}
    hypers, hypos = validation_words(isa(), hold_out) if options.validate else ([], [])
    learned = build({*hold_out, *hypers, *hypos}, seed=options.seed, steps=options.steps)
    learned.save(options.output)
    print(f"{options.output}: {options.output.stat().st_size:,} bytes, {len(hold_out):,} words held out")
    if options.validate:
        print(*validate(learned, hypers, hypos), sep="\n")


if __name__ == "__main__":
    main()
