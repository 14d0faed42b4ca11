"""How far mean-field inference is from the exact posterior, on graphs small enough to enumerate.

Every node has random prior log-odds. The probabilities that features are known are inferred by mean-field, enumerated
exactly, and compared. The distance of the prior from the exact posterior is the error without any inference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from entvec.evaluate.plotting import new_figure
from entvec.theory import EntailmentGraph, binary, known, priors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CASES", "Case", "Distance", "distance", "draw"]

NodePairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Case:
    """A small graph: entailments between numbered nodes, negated ones, and pairs of exclusive features.

    >>> Case("one entailment", n_nodes=2, n_features=1, entailments=[(0, 1)]).n_nodes
    2

    Parameters
    ----------
    name
        The title of the case.
    n_nodes, n_features
        The size of the graph.
    entailments, negated
        Pairs (hypo, hyper) of node numbers that are entailments, and that are not.
    exclusive
        Pairs of features that are never known together.
    """

    name: str
    n_nodes: int
    n_features: int
    entailments: NodePairs = ()
    negated: NodePairs = ()
    exclusive: NodePairs = ()


CASES = (
    Case("one entailment", 2, 1, [(0, 1)]),
    Case("chain of four", 4, 1, [(0, 1), (1, 2), (2, 3)]),
    Case("one with three hyponyms", 4, 1, [(1, 0), (2, 0), (3, 0)]),
    Case("one with three hypernyms", 4, 1, [(0, 1), (0, 2), (0, 3)]),
    Case("diamond", 4, 1, [(0, 1), (0, 2), (1, 3), (2, 3)]),
    Case("cycle of three", 3, 1, [(0, 1), (1, 2), (2, 0)]),
    Case("entails, but not the reverse", 2, 4, [(0, 1)], [(1, 0)]),
    Case("entails, features exclusive", 2, 2, [(0, 1)], exclusive=[(0, 1)]),
)
"""The graphs of `entvec figure meanfield`."""


@dataclass(frozen=True, eq=False)
class Distance:
    """Differences of inferred from exact probabilities over all nodes, features and trials of a case.

    >>> found = distance(CASES[0], trials=10)
    >>> found.mean <= found.largest
    True

    Parameters
    ----------
    case
        The graph.
    mean, largest, bias
        The mean and the largest size of the differences, and the mean of their signed values.
    prior_mean
        The mean size of the differences without inference.
    exact, inferred
        All probabilities.
    """

    case: Case
    mean: float
    largest: float
    bias: float
    prior_mean: float
    exact: NDArray[np.float64]
    inferred: NDArray[np.float64]

    @property
    def too_sure(self) -> float:
        """Return, of the probabilities that are wrong by more than 0.1, the share that are too far from one half."""
        wrong = np.abs(self.inferred - self.exact) > 0.1
        too_far = np.abs(self.inferred - 0.5) > np.abs(self.exact - 0.5)
        return float((wrong & too_far).sum()) / max(1.0, float(wrong.sum()))


def distance(case: Case, *, trials: int = 200, spread: float = 2.0, seed: int = 0) -> Distance:
    """Compare mean-field inference with the exact posterior under random priors.

    >>> found = distance(CASES[0], trials=10)
    >>> found.mean < found.prior_mean
    True

    Parameters
    ----------
    case
        The graph.
    trials, spread, seed
        The number of random priors, the standard deviation of their log-odds, and the seed of the random numbers.
    """
    rng = np.random.default_rng(seed)
    theta = rng.normal(scale=spread, size=(trials, case.n_nodes, case.n_features))
    exact = np.array([_exact(case, t) for t in theta])
    inferred = known(_graph(case, theta).infer("sequential", damping=0.5, max_iter=10_000).log_odds).reshape(
        theta.shape
    )
    error = inferred - exact
    return Distance(
        case=case,
        mean=float(np.abs(error).mean()),
        largest=float(np.abs(error).max()),
        bias=float(error.mean()),
        prior_mean=float(np.abs(known(theta) - exact).mean()),
        exact=exact.ravel(),
        inferred=inferred.ravel(),
    )


def draw(distances: Sequence[Distance]) -> "Figure":
    """Draw one panel a case: inferred against exact probabilities, on the diagonal where they agree."""
    columns = 4
    rows = -(-len(distances) // columns)
    figure = new_figure(3 * columns, 3.2 * rows)
    for i, d in enumerate(distances, start=1):
        axes: Any = figure.add_subplot(rows, columns, i)
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1)
        axes.scatter(d.exact, d.inferred, s=4, alpha=0.4, rasterized=True)
        axes.set(title=f"{d.case.name}\nmean distance {d.mean:.3f}", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        axes.title.set_fontsize("small")
    figure.supxlabel("exact probability that a feature is known")
    figure.supylabel("by mean-field inference")
    return figure


def _graph(case: Case, theta: NDArray[np.float64]) -> EntailmentGraph:
    """Return one graph with all trials, without an edge between them."""
    prior = priors.mutual_exclusion(case.exclusive) if case.exclusive else priors.independent
    trials = range(len(theta))
    graph = EntailmentGraph(case.n_features, prior=prior)
    graph.add_nodes([f"{t}.{node}" for t in trials for node in range(case.n_nodes)], np.concatenate(theta))
    for edges, add in ((case.entailments, graph.add_entailments), (case.negated, graph.add_negations)):
        hypos, hypers = ([f"{t}.{edge[end]}" for t in trials for edge in edges] for end in (0, 1))
        add(hypos, hypers)
    return graph


def _exact(case: Case, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    first, second = (np.array([pair[end] for pair in case.exclusive], dtype=int) for end in (0, 1))

    def allowed(bits: NDArray[np.bool_]) -> NDArray[np.float64]:
        both = bits[..., first] & bits[..., second]
        return np.where(both.any(axis=(1, 2)), -np.inf, 0.0)

    return binary.graph_posterior(theta, case.entailments, case.negated, allowed)
