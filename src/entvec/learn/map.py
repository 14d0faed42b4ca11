"""Learned linear maps into entailment space (paper, section 5.3)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from entvec.array_types import AnyFloats
from entvec.errors import InvalidInput, MapFileError
from entvec.learn.fitted import FittedMap
from entvec.learn.objective import LEARNABLE, Pairs, scores
from entvec.theory.elementwise import known, log_known
from entvec.theory.product import product

JITTER = 0.01
SHIFT = {"forward": 2.0}
"""How far the initial map lowers the log-odds: by 1, the constant of the paper, except for operators for which another
value was better on the bundled benchmark."""
CORRECTIONS = 5
DTYPES = [np.float64, np.float32]


class EntailmentMap(ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A linear map of word vectors to log-odds, on which an operator scores entailment.

    It is fitted to labelled pairs of vectors with cross entropy: an entailment has probability
    s(scale * score + intercept), where the score is the operator's on the mapped vectors. The fit starts from the
    interpretation "unk" of the paper: vectors of unit size, shifted down, so that a feature is unknown unless its
    value is large. The regularisation penalises every change of this start, of the bias too.

    >>> vectors = np.array([[1.0, 1.0], [0.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    >>> pairs = vectors[[[0, 1], [1, 0], [0, 2], [2, 0], [3, 1], [1, 3]]]
    >>> learned = EntailmentMap(C=1, random_state=0).fit(pairs, [1, 0, 1, 0, 0, 0])
    >>> learned.predict(pairs)
    array([1, 0, 1, 0, 0, 0])
    >>> learned.transform(vectors).shape
    (4, 2)

    For scikit-learn this is a classifier of pairs, which its tools for cross-validation, search and calibration take.
    Pairs are an array (n, 2, d): hypo, then hyper; every other shape is refused. There are two labels, `classes_`, of
    which the second, the greater one, stands for entailments: 1 of 0 and 1, True of False and True.

    Parameters
    ----------
    operator
        backward, forward, factorised or difference.
    n_components
        The dimension of the entailment space; that of the vectors if None.
    C
        The inverse of the regularisation strength, as in scikit-learn: a smaller value keeps the map nearer to the
        initial one. Vectors are scaled to unit size first, so the value does not depend on theirs.
    max_iter, tol
        When the optimiser (SciPy's L-BFGS) stops: after this many steps, or when a step lowers the loss by less than
        this fraction of it. It computes in the dtype of the vectors.
    random_state
        The seed of the small noise on the initial map, which separates features that start as copies of each other.
    """

    classes_: NDArray[Any]
    scale_: float
    intercept_: float

    def __init__(
        self,
        operator: str = "backward",
        n_components: int | None = None,
        C: float = 0.01,  # noqa: N803
        *,
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.operator = operator
        self.n_components = n_components
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, *, start: EntailmentMap | None = None) -> EntailmentMap:  # noqa: N803
        """Fit the map to labelled pairs of vectors.

        >>> from entvec.bundled import toy_world
        >>> world = toy_world()
        >>> v, (dog, animal) = world.log_odds(), (world.words.index("dog"), world.words.index("animal"))
        >>> pairs = np.stack([v[[dog, animal]], v[[animal, dog]]])
        >>> EntailmentMap().fit(pairs, [1, 0]).predict(pairs)
        array([1, 0])

        Parameters
        ----------
        X
            The pairs, an array (n, 2, d).
        y
            A label for each pair. There are two labels; the greater one marks entailments.
        start
            A fitted map to start from and to stay near; by default the initial map of the class.
        """
        pairs, labels = validate_data(self, X, y, allow_nd=True, dtype=DTYPES)
        pairs = _as_pairs(pairs)
        # Equal vectors count as one word, so that its log-odds are computed once.
        words, rows = np.unique(pairs.reshape(-1, pairs.shape[2]), axis=0, return_inverse=True)
        return self.fit_rows(words, rows.reshape(-1, 2), labels, start=start)

    def fit_rows(
        self, words: ArrayLike, pairs: ArrayLike, labels: ArrayLike, *, start: EntailmentMap | None = None
    ) -> EntailmentMap:
        """Fit the map to labelled pairs of rows: this takes less memory than `fit` for many pairs of few words.

        >>> from entvec.bundled import toy_world
        >>> world = toy_world()
        >>> dog, animal = world.words.index("dog"), world.words.index("animal")
        >>> fitted = EntailmentMap().fit_rows(world.log_odds(), [[dog, animal], [animal, dog]], [1, 0])
        >>> fitted.predict(world.log_odds()[[[dog, animal]]])
        array([1])

        Parameters
        ----------
        words
            The vectors of all words, an array (words, d).
        pairs
            The pairs, an array (n, 2) of rows of `words`.
        labels
            A label for each pair, as for `fit`.
        start
            A fitted map to start from and to stay near; by default the initial map of the class.
        """
        if self.operator not in LEARNABLE:
            raise InvalidInput(f"operator is {self.operator!r}, expected one of {', '.join(LEARNABLE)}")
        if not self.C > 0:
            raise InvalidInput(f"C is {self.C}, expected a positive number")
        table = check_array(words, dtype=DTYPES)
        self.n_features_in_ = table.shape[1]
        pairs, shape = np.asarray(pairs), np.shape(labels)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or shape != (len(pairs),) or not len(pairs):
            raise InvalidInput(f"pairs of shape {pairs.shape}, labels of {shape}, expected (n, 2) and (n,), n > 0")
        self.classes_, entails = _classes(labels)
        sign = np.where(entails, 1.0, -1.0)
        if pairs.dtype.kind not in "iu" or pairs.min() < 0 or pairs.max() >= len(table):
            raise InvalidInput(f"pairs of {pairs.dtype}, expected rows of the table: whole numbers below {len(table)}")
        used, rows = np.unique(pairs, return_inverse=True)
        hypo, hyper = rows.reshape(-1, 2).T
        labelled = Pairs(np.ascontiguousarray(hypo), np.ascontiguousarray(hyper), len(used))
        # Log-odds near zero carry no information, so the map starts from vectors whose root mean square is 1.
        unit = float(np.sqrt(np.mean(np.square(table[used], dtype=np.float64)))) or 1.0
        table = table[used] / table.dtype.type(unit)
        weights, bias = self._initial(table) if start is None else self._continued(start, unit)
        unmoved = product(table, weights.astype(table.dtype)) + bias.astype(table.dtype)
        first, _ = scores(self.operator, unmoved, labelled)
        # The scale is fixed: a free one would grow in place of the weights, which are regularised.
        scale = 1 / (float(first.std()) or 1.0) if start is None else float(start.scale_)
        intercept = -scale * float(first.mean()) if start is None else float(start.intercept_)
        strength = self.C * len(sign)

        def loss(parameters: AnyFloats) -> tuple[float, AnyFloats]:
            moved, by_bias, intercept = _unpacked(parameters, weights.shape)
            z = product(table, moved.astype(table.dtype))
            z += unmoved
            z += by_bias.astype(table.dtype)
            found, back = scores(self.operator, z, labelled)
            margin = sign * (scale * found + intercept)
            penalty = parameters[:-1] / strength
            by_logit = -sign * known(-margin) / len(sign)
            by_z = back(scale * by_logit)
            gradient = np.concatenate(
                [product(table.T, by_z).ravel(), by_z.sum(axis=0), [by_logit.sum()]], dtype=np.float64
            )
            gradient[:-1] += penalty
            # Not `@`: a long inner product wakes all threads of the BLAS, for what one does in less time.
            return float(-log_known(margin).mean() + np.multiply(parameters[:-1], penalty).sum() / 2), gradient

        origin = np.append(np.zeros(weights.size + bias.size), intercept)
        options: Any = {"maxiter": self.max_iter, "ftol": self.tol, "gtol": 0.0, "maxcor": CORRECTIONS}
        found = minimize(loss, origin, jac=True, method="L-BFGS-B", options=options)
        moved, by_bias, self.intercept_ = _unpacked(found.x, weights.shape)
        self.weights_ = (weights + moved) / unit
        self.bias_ = bias + by_bias
        self.scale_ = scale
        self.n_iter_ = int(found.nit)
        if self.n_iter_ >= self.max_iter:
            warnings.warn(
                f"the map did not converge in {self.n_iter_} steps; a larger max_iter or tol, or a smaller C, may help",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.loss_ = float(found.fun)
        return self

    def _initial(self, table: AnyFloats) -> tuple[AnyFloats, AnyFloats]:
        """Return the identity; fewer components are the main directions of the vectors, more are signed copies."""
        d = table.shape[1]
        n = d if self.n_components is None else self.n_components
        if n < 1:
            raise InvalidInput(f"n_components is {n}, expected 1 or more")
        if n < d:
            centred = (table - table.mean(axis=0)).astype(np.float64)
            _, directions = np.linalg.eigh(centred.T @ centred)
            start = directions[:, ::-1][:, :n]
        else:
            copies = [np.eye(d) * (-1) ** i for i in range(-(-n // d))]
            start = np.concatenate(copies, axis=1)[:, :n]
        noise = check_random_state(self.random_state).normal(size=start.shape)
        return start + JITTER / np.sqrt(d) * noise, np.full(n, -SHIFT.get(self.operator, 1.0))

    def _continued(self, start: EntailmentMap, unit: float) -> tuple[AnyFloats, AnyFloats]:
        check_is_fitted(start)
        n = start.weights_.shape[1]
        wanted = (self.operator, self.n_features_in_, n if self.n_components is None else self.n_components)
        if (start.operator, *start.weights_.shape) != wanted:
            raise InvalidInput(
                f"the map to start from is of {start.operator} and shape {start.weights_.shape}, "
                f"expected {self.operator} and {wanted[1:]}"
            )
        return start.weights_ * unit, start.bias_

    def save(self, path: str | Path, *, metadata: Mapping[str, str] | None = None) -> None:
        """Write the fitted map, with texts such as its source as metadata; see `FittedMap.save`."""
        self.fitted(metadata=metadata).save(path)

    @classmethod
    def load(cls, path: str | Path) -> EntailmentMap:
        """Return a map that was saved; `metadata_` has its texts."""
        found = FittedMap.load(path)
        if not found.plain:
            raise MapFileError(path, "a map of two sides or with offsets, expected a plain one; a space can use it")
        learned = cls(found.operator, **found.settings)
        learned.weights_, learned.bias_ = (part.astype(np.float64) for part in (found.hypo_weights, found.hypo_bias))
        learned.scale_, learned.intercept_ = found.scale, found.intercept
        learned.classes_ = np.array([0, 1])
        learned.n_features_in_ = found.dimension
        learned.metadata_ = found.metadata
        return learned

    def fitted(self, *, metadata: Mapping[str, str] | None = None) -> FittedMap:
        """Return the map without its estimator, for a space or a file."""
        check_is_fitted(self)
        return FittedMap(
            self.operator,
            self.weights_,
            self.bias_,
            scale=self.scale_,
            intercept=self.intercept_,
            settings=self.get_params(),
            metadata=dict(metadata or {}),
        )

    def transform(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803
        """Return the log-odds of vectors (n, d), or of pairs of them (n, 2, d)."""
        check_is_fitted(self)
        if np.asarray(X).ndim == 3:
            pairs = _as_pairs(check_array(X, allow_nd=True, dtype=DTYPES))
            return self.transform(pairs.reshape(-1, pairs.shape[2])).reshape(len(pairs), 2, -1)
        vectors = validate_data(self, X, reset=False, dtype=DTYPES)
        return np.asarray(product(vectors, self.weights_.astype(vectors.dtype)) + self.bias_.astype(vectors.dtype))

    def pair_score(self, X: ArrayLike) -> AnyFloats:  # noqa: N803
        """Return the operator's scores of the mapped pairs: log-probabilities, except for `difference`."""
        check_is_fitted(self)
        vectors = _as_pairs(check_array(X, allow_nd=True, dtype=DTYPES))
        z = self.transform(vectors.reshape(-1, vectors.shape[2]))
        rows = np.arange(len(z)).reshape(-1, 2)
        return scores(self.operator, z, Pairs(rows[:, 0], rows[:, 1], len(z)))[0]

    def decision_function(self, X: ArrayLike) -> AnyFloats:  # noqa: N803
        """Return the log-odds that the first of each pair entails the second."""
        check_is_fitted(self)
        return np.asarray(self.scale_ * self.pair_score(X) + self.intercept_)

    def predict_proba(self, X: ArrayLike) -> AnyFloats:  # noqa: N803
        """Return the probabilities of no entailment and of entailment, a row for each pair."""
        entails = known(self.decision_function(X))
        return np.column_stack([1 - entails, entails])

    def predict(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803
        """Return the label of each pair: the second of `classes_` for an entailment."""
        entails = self.decision_function(X) > 0
        return np.asarray(self.classes_[entails.astype(np.intp)])

    @property
    def _n_features_out(self) -> int:
        return int(self.weights_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        return tags


def _as_pairs(vectors: NDArray[Any]) -> AnyFloats:
    if vectors.ndim != 3 or vectors.shape[1] != 2:
        hint = "; stack them, np.stack([hypo, hyper], axis=1)" if vectors.ndim == 2 else ""
        raise InvalidInput(f"pairs of shape {vectors.shape}, expected (n, 2, d): two vectors in each{hint}")
    return vectors


def _classes(labels: ArrayLike) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the two labels, and which of the labels are the second of them."""
    given = np.asarray(labels)
    check_classification_targets(given)
    classes, at = np.unique(given, return_inverse=True)
    if len(classes) > 2:
        kind = type_of_target(given)
        raise InvalidInput(
            f"Only binary classification is supported. The type of the target is {kind}: {len(classes)} labels, "
            "expected two"
        )
    if len(classes) < 2:
        raise InvalidInput(
            f"the labels have one class, {classes.tolist()[0]!r}; expected entailments and others, to learn from"
        )
    return classes, np.asarray(at == 1)


def _unpacked(parameters: AnyFloats, shape: tuple[int, ...]) -> tuple[AnyFloats, AnyFloats, float]:
    size = shape[0] * shape[1]
    return parameters[:size].reshape(shape), parameters[size:-1], float(parameters[-1])
