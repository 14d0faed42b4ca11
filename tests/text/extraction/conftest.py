from collections.abc import Callable

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.text.extraction.extractor import Extractor
from entvec.text.extraction.lexicon import Lexicon

Pairs = set[tuple[str, str, str]]


@pytest.fixture(scope="session")
def extractor() -> Extractor:
    return Extractor(wordnet_knowledge(), ["blorp", "Zork engine"])


@pytest.fixture(scope="session")
def lexicon(extractor: Extractor) -> Lexicon:
    return extractor.lexicon


@pytest.fixture(scope="session")
def pairs(extractor: Extractor) -> Callable[[str], Pairs]:
    return lambda text: {(pair.hypo, pair.hyper, pair.pattern) for pair in extractor.find(text)}
