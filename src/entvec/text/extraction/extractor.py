"""`Extractor`: all pairs that a text names, by patterns and by definitions, and `Counts`: how often each was named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from entvec.errors import InvalidInput
from entvec.knowledge import Knowledge
from entvec.text.extraction import definitions, listings, sentences
from entvec.text.extraction.lexicon import Lexicon
from entvec.text.extraction.matching import Found, PatternMatcher
from entvec.text.extraction.patterns import PATTERNS, Pattern

EXAMPLES = 3
"""How many sentences are kept for each pair and pattern."""
LONGEST_EXAMPLE = 300
"""Characters of them."""


class Example(NamedTuple):
    """A sentence that names a pair.

    >>> Example("Guitars and other instruments were sold.", "catalogue.txt", 120).offset
    120

    Parameters
    ----------
    sentence
        The sentence.
    file
        The file.
    offset
        The position in the file at which the sentence begins.
    """

    sentence: str
    file: str
    offset: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """How often a pattern has named a pair.

    >>> Evidence("guitar", "instrument", "such-as", 3, 2, (Example("...", "a.txt", 0),)).count
    3

    Parameters
    ----------
    hypo, hyper
        The narrower and the broader term.
    pattern
        The name of the pattern.
    count
        The number of sentences that name the pair.
    documents
        The number of documents with such a sentence.
    examples
        The first of these sentences.
    """

    hypo: str
    hyper: str
    pattern: str
    count: int
    documents: int
    examples: tuple[Example, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """What is counted."""
        return self.hypo, self.hyper, self.pattern


class Document(NamedTuple):
    """A text, and where it is from."""

    text: str
    file: str = ""
    offset: int = 0
    in_bytes: bool = False
    """True if offsets are those of bytes in the file, and False if all of the text has the same one."""

    def place(self, at: int) -> int:
        """Return the offset of a character of the text."""
        return self.offset + len(self.text[:at].encode()) if self.in_bytes else self.offset


class Extractor:
    """Finds is-a pairs in texts.

    >>> from entvec.bundled import wordnet_knowledge
    >>> extractor = Extractor(wordnet_knowledge())
    >>> [(pair.hypo, pair.hyper) for pair in extractor.find("We saw dogs, cats and other small mammals.")]
    [('dog', 'mammal'), ('dog', 'small mammal'), ('cat', 'mammal'), ('cat', 'small mammal')]

    Parameters
    ----------
    knowledge
        What is known of words; None for nothing.
    terms
        Additional nouns and noun phrases that are terms.
    patterns
        Patterns beside those of `PATTERNS`; one of the same name replaces it.
    """

    def __init__(
        self, knowledge: Knowledge | None, terms: Iterable[str] = (), patterns: Sequence[Pattern] = ()
    ) -> None:
        self.lexicon = Lexicon.of(knowledge, terms)
        names = {pattern.name for pattern in patterns}
        if taken := names & {definitions.PATTERN, listings.PATTERN}:
            raise InvalidInput(f"a pattern has the name {min(taken)!r}, which a reader of the package has already")
        self._matcher = PatternMatcher([*(row for row in PATTERNS if row.name not in names), *patterns], self.lexicon)

    def find(self, text: str) -> Iterator[Found]:
        """Yield the pairs of a text; a sentence counts once for each pair."""
        seen: set[tuple[str, str, int]] = set()
        readers = (definitions.find(text, self.lexicon), listings.find(text, self.lexicon), self._matcher.find(text))
        for pair in chain(*readers):
            start = pair.start + len(text[pair.start : pair.end]) - len(text[pair.start : pair.end].lstrip())
            if (key := (pair.hypo, pair.hyper, start)) not in seen:
                seen.add(key)
                yield pair._replace(start=start)


class Counts:
    """Counts what documents say."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str], tuple[int, int]] = {}
        self._examples: dict[tuple[str, str, str], list[Example]] = {}

    def add(self, extractor: Extractor, document: Document) -> None:
        """Count the pairs of a document."""
        met: set[tuple[str, str, str]] = set()
        for pair in extractor.find(document.text):
            key = pair[:3]
            count, documents = self._rows.get(key, (0, 0))
            self._rows[key] = count + 1, documents + (key not in met)
            met.add(key)
            examples = self._examples.setdefault(key, [])
            if len(examples) < EXAMPLES:
                examples.append(Example(_excerpt(document.text, pair), document.file, document.place(pair.start)))

    def rows(self) -> list[Evidence]:
        """Return what was counted, sorted by pair and pattern."""
        return [Evidence(*key, *self._rows[key], tuple(self._examples[key])) for key in sorted(self._rows)]


def _excerpt(text: str, pair: Found) -> str:
    """Return the sentence of a pair, or the part of a long one that names it."""
    before, after = (sentences.joined(text[a:b]) for a, b in ((pair.start, pair.at), (pair.at, pair.end)))
    both = f"{before} {after}".strip()
    if len(both) <= LONGEST_EXAMPLE:
        return both
    # The nearest place of each term on either side of the pattern; of a plural the end may differ.
    places = [len(before)]
    for term in (pair.hypo, pair.hyper):
        stem = term[: max(3, len(term) - 3)]
        left, right = before.rfind(stem), after.find(stem)
        found = [left] * (left >= 0) + [len(before) + 1 + right] * (right >= 0)
        places += sorted(found, key=lambda at: abs(at - len(before)))[:1]
    spare = LONGEST_EXAMPLE - (max(places) - min(places))
    begin = max(0, min(min(places) - max(0, spare // 2), len(both) - LONGEST_EXAMPLE))
    begin = both.find(" ", begin) + 1 if begin else 0
    return both[begin : begin + LONGEST_EXAMPLE]


def merged(first: Evidence, second: Evidence) -> Evidence:
    """Return the sum of two counts of the same pair and pattern, of different documents."""
    examples = (first.examples + second.examples)[:EXAMPLES]
    return Evidence(*first.key, first.count + second.count, first.documents + second.documents, examples)


def extract(
    texts: str | Iterable[str],
    knowledge: Knowledge | None,
    *,
    terms: Iterable[str] = (),
    patterns: Sequence[Pattern] = (),
) -> list[Evidence]:
    """Return the is-a pairs that texts name, with how often and in which sentences; sorted by pair and pattern.

    >>> from entvec.bundled import wordnet_knowledge
    >>> text = "Guitars, lutes and other instruments were sold. A theorbo is a kind of lute."
    >>> for row in extract(text, wordnet_knowledge()):
    ...     print(row.hypo, "->", row.hyper, row.pattern, row.count)
    guitar -> instrument and-other 1
    lute -> instrument and-other 1
    theorbo -> lute kind-of 1

    Parameters
    ----------
    texts
        A document, or several; `entvec.bulk.extract` reads files of any size.
    knowledge
        What is known of words, to tell nouns from others and to find known phrases; None for nothing.
    terms
        Nouns and noun phrases of your own.
    patterns
        Patterns beside those of the table, as `read_patterns` returns them.
    """
    extractor, counts = Extractor(knowledge, terms, patterns), Counts()
    for number, text in enumerate([texts] if isinstance(texts, str) else texts):
        if not isinstance(text, str):
            raise InvalidInput(f"text {number} is a {type(text).__name__}, expected a string")
        counts.add(extractor, Document(text, offset=number))
    return counts.rows()
