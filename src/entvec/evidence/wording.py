"""How a term is read: one text for all its spellings, as the encoders and the nouns of the knowledge have it."""

from __future__ import annotations

import re

from entvec.evidence.definitions import parts
from entvec.knowledge import Knowledge
from entvec.remembering import remembered
from entvec.vectors import forms

BRITISH = (("our", "or"), ("ise", "ize"), ("isa", "iza"), ("yse", "yze"), ("tre", "ter"), ("bre", "ber"),
           ("ogue", "og"), ("ence", "ense"), ("lled", "led"), ("lling", "ling"), ("ller", "ler"), ("ae", "e"),
           ("oe", "e"), ("grey", "gray"), ("tyre", "tire"), ("aluminium", "aluminum"), ("mme", "m"))  # fmt: skip
"""What British spellings have where American ones have something else."""

PLURAL = 4.0
"""A plural that is a noun itself is one of another noun that is met so many times as often: shoes, but not glasses."""


class Wording:
    """Returns the text of a term.

    >>> from entvec.bundled import wordnet_knowledge
    >>> wording = Wording(wordnet_knowledge())
    >>> wording("The Running-Shoes!"), wording("colour_printer"), wording("pizza stones 🍕"), wording("Crème Brûlée")
    ('running shoe', 'color printer', 'pizza stone', 'creme brulee')

    Parameters
    ----------
    known
        What is known: a plural is one of a known noun, and a British spelling one of a known American one.
    """

    def __init__(self, known: Knowledge) -> None:
        self._known = known

    @remembered(1 << 14)
    def __call__(self, term: str) -> str:
        """Return the text: without marks, symbols, accents and an article, in the singular, in small letters.

        A definition follows as it is, as the encoders have learned it.
        """
        term, definition = parts(term)
        if definition is not None:
            return f"{self(term)}: {definition}"
        words = [self._american(word) for word in forms.read_as(term).split()]
        if words:
            usual = PLURAL * self._meetings(words[-1])
            singulars = [base for base in self._singulars(words[-1]) if self._meetings(base) > usual]
            words[-1] = max(singulars, key=self._meetings, default=words[-1])
        return " ".join(words)

    def _singulars(self, word: str) -> list[str]:
        return [base for base, kind in forms.base_forms(word, self._known.irregular) if kind == forms.NOUN]

    def _meetings(self, word: str) -> float:
        """Return how often a word is met as a noun, as it is spelled and as no form of one."""
        rows = forms.spelled(self._known.terms, word)
        senses = (sense for row in rows for sense in self._known.term_senses(row))
        return float(sum(sense.meetings for sense in senses if sense.part_of_speech == forms.NOUN))

    def _american(self, word: str) -> str:
        """Return the American spelling of a word, if it is known to mean the same."""
        meant = {sense.concept for sense in self._known.senses(word)}
        if not meant:
            return word
        for british, american in BRITISH:
            if british in word and word != american:
                other = re.sub(british, american, word)
                if meant & {sense.concept for sense in self._known.senses(other)}:
                    return other
        return word
