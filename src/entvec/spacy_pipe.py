"""A component of spaCy pipelines: what words are kinds of, and entities by what they are.

`nlp.add_pipe("entvec", config={"types": {"FOOD": "food"}})` adds it. `token._.hypernyms` and `span._.hypernyms` then
are the broader terms of a token or a phrase, computed when they are read, and what is a kind of one of `types` is an
entity with that label. Documents remember how their pipe was configured, not the space: they can be serialised, and
other processes open the space themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from entvec.errors import InvalidInput, MissingExtra

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token
    from spacy.util import filter_spans
except ImportError:
    raise MissingExtra("the spaCy pipe", needs="spacy", extra="spacy") from None

if TYPE_CHECKING:
    from entvec.space import EntailmentSpace

KEY = "entvec"
"""The entry of `doc.user_data` that has the configuration, as JSON."""
NAMED = ("NOUN", "PROPN", "VERB")
"""Parts of speech that have hypernyms."""
THINGS = ("NOUN", "PROPN")
DEFAULTS: dict[str, Any] = {"space": None, "knowledge": [], "types": {}, "k": 5, "least": 0.7, "longest": 4}
ANSWERS_KEPT = 1 << 14


class EntvecPipe:
    """Marks documents so that `_.hypernyms` answers, and adds entities.

    >>> import spacy
    >>> nlp = spacy.blank("en")  # a pipeline that tags parts of speech makes fewer mistakes
    >>> pipe = nlp.add_pipe("entvec", config={"types": {"FOOD": "food", "ANIMAL": "animal"}})
    >>> doc = nlp("The poodle ate a cheese sandwich.")
    >>> "dog" in doc[1]._.hypernyms
    True
    >>> [(ent.text, ent.label_) for ent in doc.ents]
    [('poodle', 'ANIMAL'), ('cheese', 'FOOD'), ('sandwich', 'FOOD')]

    Parameters
    ----------
    space
        A folder, `hub:OWNER/NAME` or a URL, as for `entvec.load`; the default space if none.
    knowledge
        Files of knowledge for the space to know, too.
    types
        For each label of entities the term that they are kinds of.
    k
        The most hypernyms of a token.
    least
        The least probability of a hypernym, and of an entity.
    longest
        The most tokens of an entity.
    """

    def __init__(
        self,
        space: str | None = None,
        knowledge: Sequence[str] = (),
        types: Mapping[str, str] | None = None,
        k: int = 5,
        least: float = 0.7,
        longest: int = 4,
    ) -> None:
        if not (0 <= least <= 1 and longest >= 1 and k >= 1):
            raise InvalidInput(
                f"least, longest and k are {least}, {longest} and {k}, expected a probability, 1 or more"
            )
        self.types = dict(types or {})
        self.least, self.longest = least, longest
        self._asking = json.dumps([space, list(knowledge), k, least])

    def __call__(self, doc: Doc) -> Doc:
        """Return the document, with what its hypernyms rest on, and with entities beside those that it has."""
        doc.user_data[KEY] = self._asking
        if self.types:
            taken = {token.i for ent in doc.ents for token in ent}
            found = [span for span in self._entities(doc) if not any(token.i in taken for token in span)]
            doc.set_ents([*doc.ents, *filter_spans(found)])  # of two that overlap the longer one
        return doc

    def _entities(self, doc: Doc) -> Iterator[Span]:
        """Yield the spans that are probably of a type, also ones that overlap."""
        space = _Asked.of(self._asking).space
        spans = list(_candidates(doc, space, self.longest))
        texts = list(dict.fromkeys(span.text for span in spans))
        hypers = list(self.types.values())
        pairs = [(text, hyper) for text in texts for hyper in hypers]
        if not pairs:
            return
        found = space.probability(*map(list, zip(*pairs, strict=True)), missing="nan")
        best = {
            text: max(zip(row, self.types, strict=True))
            for text, row in zip(texts, np.nan_to_num(found).reshape(len(texts), -1).tolist(), strict=True)
        }
        for span in spans:
            probability, label = best[span.text]
            if probability >= self.least:
                yield Span(doc, span.start, span.end, label=label)


def _candidates(doc: Doc, space: EntailmentSpace, longest: int) -> Iterator[Span]:
    """Yield the words of a document that may name a thing, and the phrases that the space knows."""
    for start, first in enumerate(doc):
        for end in range(start + 1, min(start + longest, len(doc)) + 1):
            last = doc[end - 1]
            if not _is_word(last) or (last.is_sent_start and end > start + 1):
                break
            alone = end == start + 1
            if last.pos_ in ("", *THINGS) and not (alone and first.is_stop):
                span = doc[start:end]
                if alone or (space.knowledge is not None and span.text in space.knowledge):
                    yield span


def _is_word(token: Token) -> bool:
    return any(letter.isalpha() for letter in token.text) and not token.like_url


class _Asked:
    """What a document asks for its hypernyms: a space, how many, and how probable."""

    def __init__(self, asking: str) -> None:
        place, knowledge, self._k, self._least = json.loads(asking)
        self.space: EntailmentSpace = _open(place, tuple(knowledge))
        self.hypernyms = lru_cache(ANSWERS_KEPT)(self._hypernyms)

    @staticmethod
    @lru_cache
    def of(asking: str) -> _Asked:
        """Return the same object for the same configuration."""
        return _Asked(asking)

    def _hypernyms(self, text: str) -> list[str]:
        """Return the hypernyms that are probable enough; none of a text that the space does not know."""
        found = self.space.hypernyms([text], self._k, missing="nan")[0]
        return [match.word for match in found if match.probability is None or match.probability >= self._least]


@lru_cache
def _open(place: str | None, knowledge: tuple[str, ...]) -> EntailmentSpace:
    import entvec

    return entvec.load(place, knowledge=knowledge)


def _hypernyms_of_token(token: Token) -> list[str]:
    asked = _asked(token.doc)
    named = token.pos_ in NAMED if token.pos_ else _is_word(token) and not token.is_stop
    return asked.hypernyms(token.text) if asked and named else []


def _hypernyms_of_span(span: Span) -> list[str]:
    asked = _asked(span.doc)
    return asked.hypernyms(span.text) if asked else []


def _asked(doc: Doc) -> _Asked | None:
    return _Asked.of(doc.user_data[KEY]) if KEY in doc.user_data else None


Token.set_extension("hypernyms", getter=_hypernyms_of_token)
Span.set_extension("hypernyms", getter=_hypernyms_of_span)


@Language.factory("entvec", default_config=DEFAULTS)
def make_pipe(
    nlp: Language,  # noqa: ARG001 - what spaCy passes
    name: str,  # noqa: ARG001
    space: str | None,
    knowledge: list[str],
    types: dict[str, str],
    k: int,
    least: float,
    longest: int,
) -> EntvecPipe:
    """Return the component, for `nlp.add_pipe("entvec", config=...)`, whose options are those of `EntvecPipe`."""
    return EntvecPipe(space, knowledge, types, k, least, longest)
