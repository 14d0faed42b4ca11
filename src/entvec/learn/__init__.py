"""Learning: maps of word vectors into entailment space.

map        EntailmentMap: fit, transform, predict
objective  the loss of labelled pairs and its gradient
storage    maps in files, without pickle
calibration  scores to probabilities
folds      LexicalKFold: folds that share no words
"""

from importlib.util import find_spec

from entvec.errors import MissingExtra

if find_spec("sklearn") is None:
    raise MissingExtra("learning", needs="scikit-learn", extra="learn")

from entvec.learn.calibration import Calibration, calibrate
from entvec.learn.folds import LexicalKFold
from entvec.learn.map import EntailmentMap

__all__ = ["Calibration", "EntailmentMap", "LexicalKFold", "calibrate"]
