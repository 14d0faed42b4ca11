"""Fit the constants of `entvec.taxonomy` to the tuning trees, which are never measured on, and print them.

    python tools/fit_evidence.py

Evidence: which pairs of a list are entailments, by logistic regression on the log-odds that the space gives, the
standing of the hyper and the nearness of the two, with the prior 1/n as an offset. Lists are the trees as they are, and
forests of parts of three of them; spaces are that of the held-out map and, since most words that people ask about are
words that it knows, the default one. Audit: which edges of spoilt trees are turned round, and which lead astray.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from entvec.evaluate.taxonomy.audit import corrupt
from entvec.evaluate.taxonomy.wordnet_trees import Tree, trees
from entvec.space import EntailmentSpace
from entvec.space.default import default_space, held_out_space
from entvec.taxonomy import vector_findings
from entvec.taxonomy.evidence import Among

FORESTS, TREES_EACH, WORDS_EACH = 40, 3, 20
SEEDS = 3

Floats = NDArray[np.float64]


def forests() -> Iterator[Tree]:
    """Lists without a common root: the roots of three trees, and some of their words."""
    rng = np.random.default_rng(1)
    all_trees = trees("tuning")
    for _ in range(FORESTS):
        words: list[str] = []
        blocks: list[NDArray[np.bool_]] = []
        for number in rng.choice(len(all_trees), TREES_EACH, replace=False):
            tree = all_trees[number]
            others = rng.choice(np.arange(1, len(tree.words)), WORDS_EACH - 1, replace=False)
            chosen = [i for i in [0, *sorted(others.tolist())] if tree.words[i] not in words]
            words += [tree.words[i] for i in chosen]
            blocks.append(tree.ancestors[np.ix_(chosen, chosen)])
        ancestors = np.zeros((len(words), len(words)), dtype=bool)
        first = 0
        for block in blocks:
            ancestors[first : first + len(block), first : first + len(block)] = block
            first += len(block)
        yield Tree(tuple(words), ancestors)


def features(space: EntailmentSpace, tree: Tree) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """For each pair of a list: what is known of it, whether it is an entailment, and its prior log-odds."""
    among = Among(space, space.vocabulary.rows_of_all(tree.words))
    hypo, hyper = np.nonzero(~np.eye(len(tree.words), dtype=bool))
    columns = [among.log_odds(hypo, hyper), among.standing[hyper], among.nearness(hypo, hyper), np.ones(len(hypo))]
    return np.stack(columns, axis=1), tree.ancestors[hypo, hyper], np.full(len(hypo), -np.log(len(tree.words)))


def logistic(x: Floats, y: NDArray[np.bool_], offset: Floats) -> Floats:
    """The weights of a logistic regression, without a penalty."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        z = x @ weights + offset
        return float((np.logaddexp(0, z) - y * z).sum()), x.T @ (1 / (1 + np.exp(-z)) - y)

    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True).x)


def fit_evidence() -> None:
    """Print the weights for each kind of list in each space, and for all of them: those are used, rounded."""
    lists = {"trees": trees("tuning"), "forests": tuple(forests())}
    spaces = {"held-out map": held_out_space(), "default map": default_space()}
    everything = []
    print("PAIR, STANDING, NEAR, CONSTANT")
    for space_name, space in spaces.items():
        for list_name, several in lists.items():
            parts = [features(space, tree) for tree in several]
            everything += parts
            print(f"{space_name}, {list_name}:", *logistic(*map(np.concatenate, zip(*parts, strict=True))).round(2))
    print("all:", *logistic(*map(np.concatenate, zip(*everything, strict=True))).round(2))


def fit_audit() -> None:
    """Print how the witnesses of an edge become the probabilities that it is turned round, or leads astray."""
    turned, far, medians = [], [], []
    for space in (held_out_space(), default_space()):
        for tree in (*trees("tuning"), *forests()):
            for seed in range(SEEDS):
                spoilt = corrupt(tree, seed, misfiled=True)
                found = vector_findings.Evidence(spoilt.taxonomy, space)
                kind = np.array([edge[:2] in spoilt.turned for edge in spoilt.taxonomy.edges()])
                added = np.array([edge[:2] in spoilt.added for edge in spoilt.taxonomy.edges()])
                good = np.array([edge[:2] not in spoilt.wrong for edge in spoilt.taxonomy.edges()])
                ones = np.ones(len(kind))
                columns = np.stack([found.opposite - found.log_odds, -found.shape, -ones, kind], axis=1)
                turned.append(columns[kind | good])
                distance = -vector_findings.PAIR * found.log_odds - vector_findings.NEAR * found.nearness
                medians.append(np.median(distance))
                columns = np.stack([-found.log_odds, -found.nearness, -ones, distance - medians[-1], added], axis=1)
                far.append(columns[added | good])
    x = np.concatenate(turned)
    scale, shape, constant = _fit(x[:, :3], x[:, 3])
    print(f"turned: log-odds weigh {scale:.2f}, SHAPE {shape:.2f}, TURNED {constant:.2f}")
    x = np.concatenate(far)
    pair, near, _ = _fit(x[:, :3], x[:, 4])
    print(f"astray: PAIR {pair:.2f}, NEAR {near:.2f}")
    scale, constant = _fit(x[:, [3, 2]], x[:, 4])
    print(
        f"astray: what is beyond the median weighs {scale:.2f}, ASTRAY {constant:.2f}; TYPICAL {np.mean(medians):.2f}"
    )


def _fit(x: Floats, y: Floats) -> Floats:
    return logistic(x, y > 0, np.zeros(len(y)))


if __name__ == "__main__":
    fit_evidence()
    fit_audit()
