"""Models turn vectors into scores, and scores into probabilities and rankings.

model        `Model`: an operator with an interpretation or a learned map; `choose` puts one together
specificity  the hubness penalty of rankings, and its defaults
hubness      how readily everything entails a word, measured in a vocabulary
description  a model as JSON, for files and databases
fingerprint  a hash of everything that decides the answers of a space
"""

from entvec.model.fingerprint import fingerprint
from entvec.model.hubness import Hubness
from entvec.model.model import OTHER, Model, Side, choose
from entvec.model.specificity import Specificity

__all__ = ["OTHER", "Hubness", "Model", "Side", "Specificity", "choose", "fingerprint"]
