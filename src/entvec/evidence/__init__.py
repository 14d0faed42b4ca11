"""Which relation holds between two words: all that speaks for and against it, added in log-odds.

features        the numbers that describe a pair, by source: facts, vectors, neighbours
meanings        the senses of a word, with their weights
facts           what is known of two words
neighbours      what is known of words that are used like them
vectors         what the map says, both ways, and the cosine
context         which sense of a word fits the words around it
gathering       the evidence of pairs from all sources
relation_model  weights of the evidence, and probabilities
reasons         what is known of a pair, in a line
relations       answers: a relation, its probabilities and its reason
senses          the senses of a word, described for people
similar         what the words are that are used like a word
judge           decides, from all evidence that a space has
text_facts      what texts say of pairs, and terms that only texts have
text_ranking    what they add to rankings
text_relations  what they add to the probabilities of relations
text_reasons    how many sentences say so, and one of them
waterfall       what each source adds to the evidence by which rankings order words
"""

from entvec.evidence.context import Contexts
from entvec.evidence.features import RELATIONS, SOURCES
from entvec.evidence.gathering import SITUATIONS, Evidence
from entvec.evidence.relation_model import RelationModel
from entvec.evidence.relations import Relation, Relations
from entvec.evidence.senses import DescribedSense, described
from entvec.evidence.similar import Similar
from entvec.evidence.waterfall import Part

__all__ = [
    "RELATIONS",
    "SITUATIONS",
    "SOURCES",
    "Contexts",
    "DescribedSense",
    "Evidence",
    "Part",
    "Relation",
    "RelationModel",
    "Relations",
    "Similar",
    "described",
]
