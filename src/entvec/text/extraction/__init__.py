"""Text to counted evidence: is-a pairs that patterns and definitions of a text name.

evidence_file  `TextEvidence`: a file of counted evidence, opened to be asked
extractor    `extract`, `Extractor` and `Counts`: pairs of a text, and how often they are named
matching     patterns found in sentences, with negation and known traps
definitions  dictionaries and glossaries: the genus of a definition
listings     lists with a heading
patterns     the table of patterns, and files of them
phrases      noun phrases and lists of them
sentences    where sentences begin
lexicon      the part of speech and the base form of words
word_lists   words of English that the others need
documents    files of text, Markdown, HTML, JSON Lines and Parquet, cut into documents
"""

from entvec.text.extraction.definitions import Definition, read_definitions
from entvec.text.extraction.evidence_file import TextEvidence
from entvec.text.extraction.extractor import Evidence, Example, Extractor, extract
from entvec.text.extraction.lexicon import Lexicon
from entvec.text.extraction.patterns import PATTERNS, Pattern, read_patterns

__all__ = [
    "PATTERNS",
    "Definition",
    "Evidence",
    "Example",
    "Extractor",
    "Lexicon",
    "Pattern",
    "TextEvidence",
    "extract",
    "read_definitions",
    "read_patterns",
]
