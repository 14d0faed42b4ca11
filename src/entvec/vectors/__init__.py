"""Words with a matrix, and the files that store them.

vectors    Vectors: words, their rows, lookup
vocabulary the interface that a space requires of its words, in memory or in a database
words      a compact list of words with fast lookup
forms      other spellings of a word: case, hyphen, plural
spelling   suggestions for a word that is missing
reading    read: any format, recognised by its content
writing    write: atomically
formats    one module per format, and the table of them
"""

from entvec.vectors.formats import FORMATS
from entvec.vectors.reading import read
from entvec.vectors.vectors import Similar, Vectors
from entvec.vectors.vocabulary import Vocabulary
from entvec.vectors.writing import write

__all__ = ["FORMATS", "Similar", "Vectors", "Vocabulary", "read", "write"]
