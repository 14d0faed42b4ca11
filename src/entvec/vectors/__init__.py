"""Words with a matrix, and the files that hold them.

vectors    Vectors: words, their rows, lookup
vocabulary what a space needs of its words, wherever they are
words      a compact list of words with fast lookup
forms      a word in another spelling: case, hyphen, plural
spelling   suggestions for a word that is missing
reading    read: any format, seen from the content
writing    write: whole or not at all
formats    one module a format, and the table of them
"""

from entvec.vectors.formats import FORMATS
from entvec.vectors.reading import read
from entvec.vectors.vectors import Similar, Vectors
from entvec.vectors.vocabulary import Vocabulary
from entvec.vectors.writing import write

__all__ = ["FORMATS", "Similar", "Vectors", "Vocabulary", "read", "write"]
