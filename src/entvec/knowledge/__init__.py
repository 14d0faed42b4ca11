"""What is known: terms, their senses, and what holds between senses.

knowledge    Knowledge: terms, senses, is-a, instances, parts, marks and glosses, all in arrays
sense_names  Sense: one meaning of a term, and the names that pick it: bank#2, bank:institution
routes       ways up from a concept that no denial closes
facts        which relations hold between two words, and by which path
people       which words are groups of people, which terms offend, and what may answer
people_rules the same, from tables and what is known
people_lists these tables, of WordNet's concepts and of words
statements   what a taxonomy of your own says
lmf          wordnets of other languages, in WN-LMF or in the database of the `wn` package
sources      what is known from several files together
storage      the file of a Knowledge, which is memory-mapped
texts        many texts, compressed
"""

from entvec.knowledge.knowledge import Conflict, Knowledge
from entvec.knowledge.sense_names import PARTS_OF_SPEECH, Sense

__all__ = ["PARTS_OF_SPEECH", "Conflict", "Knowledge", "Sense"]
