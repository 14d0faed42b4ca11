"""Learns maps of word vectors into entailment space.

map          `EntailmentMap`: fit, transform, predict
fitted       `FittedMap`: the result of a fit, usable without scikit-learn
objective    scores of labelled pairs and their gradient
storage      saves maps to files and loads them, without pickle
calibration  turns scores into probabilities
folds        `LexicalKFold`: folds that share no words
term_graph, ranking_examples, ranking_objective, ranking_map
             a map with two sides and offsets, fitted to what a Knowledge says; for encoders
held_out     measures of such a map on terms that it has not seen
weak_labels  pairs that texts name, to learn from without a taxonomy
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from entvec.errors import MissingExtra
from entvec.learn.calibration import Calibration, calibrate
from entvec.learn.fitted import FittedMap
from entvec.learn.weak_labels import WeakPairs, weak_pairs

if TYPE_CHECKING:
    from entvec.learn.folds import LexicalKFold
    from entvec.learn.map import EntailmentMap

__all__ = ["Calibration", "EntailmentMap", "FittedMap", "LexicalKFold", "WeakPairs", "calibrate", "weak_pairs"]

MODULES = {"LexicalKFold": "folds", "EntailmentMap": "map"}


def __getattr__(name: str) -> Any:
    """Import what needs scikit-learn on first use: it is an extra, and its import takes longer than a search."""
    if name not in MODULES:
        raise AttributeError(f"module 'entvec.learn' has no attribute {name!r}")
    try:
        module = import_module(f"entvec.learn.{MODULES[name]}")
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith(("sklearn", "joblib", "threadpoolctl")):
            raise
        raise MissingExtra("learning", needs="scikit-learn", extra="learn") from error
    return getattr(module, name)
