"""The table of patterns: what stands between a term and a broader one in a sentence.

A template has words, `HYPER` for the broader term, and `HYPO` or `HYPO+` for the narrower one or a list of them. `a|b`
is one of several words, and `?` after a word says that it may be missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from entvec.errors import InvalidInput
from entvec.files import read_whole

HYPO, HYPOS, HYPER = "HYPO", "HYPO+", "HYPER"
SLOTS = (HYPO, HYPOS, HYPER)
NO_SPACE_BEFORE, NO_SPACE_AFTER = ",:;)", "("
CHECKS = {
    "subject": "the phrase on the left begins a clause, and does not point (this, its)",
    "start": "the same, and no comma is before it",
    "direct": "the broader term is not a kind, a sort or a species of something",
    "indefinite": "the broader term has the article a or an, or is a plural without one",
    "name": "the narrower term is a name",
    "relative": "after the broader term comes `that`, `which`, `of` or the like",
    "plural": "the broader term is a plural",
    "bare": "both terms are plurals without an article",
    "plain": "the narrower terms, on the right, have no article or number",
    "noun": "the narrower terms, on the right, do not begin with what may be a verb",
    "no-preposition": "no preposition comes before the phrase on the left",
    "no-comma": "there is no comma after a narrower term that is alone",
}
"""What a pattern may ask of the phrases around it."""
LARGEST_FILE = 1 << 20


@dataclass(frozen=True)
class Element:
    """A slot, or a word with its alternatives."""

    words: tuple[str, ...]
    optional: bool = False

    @property
    def slot(self) -> str:
        """The name of a slot; empty for words."""
        return self.words[0] if self.words[0] in SLOTS else ""


@dataclass(frozen=True)
class Pattern:
    """A row of the table of patterns.

    >>> Pattern("and-other", "HYPO+ ,? and|or other HYPER").needles
    (' and other', ' or other')

    Parameters
    ----------
    name
        The name, as evidence shows it.
    template
        What a sentence must contain: words, alternatives with `|`, optional ones with `?`, and noun phrases HYPO and
        HYPER.
    checks
        Further conditions, names in CHECKS.
    """

    name: str
    template: str
    checks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        slots = [element.slot for element in self.elements if element.slot]
        if sorted(slots) not in ([HYPER, HYPO], [HYPER, HYPOS]):
            raise InvalidInput(
                f"the pattern {self.name!r} has {' '.join(slots) or 'no slots'}, expected HYPER and HYPO or HYPO+"
            )
        if not self.core:
            raise InvalidInput(f"the pattern {self.name!r} has no word that must be there, expected one at least")
        if wrong := next((check for check in self.checks if check not in CHECKS), None):
            raise InvalidInput(
                f"the pattern {self.name!r} has the check {wrong!r}, expected one of {', '.join(CHECKS)}"
            )

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """The parts of the template."""
        return tuple(
            Element(tuple(word.removesuffix("?").split("|")), word.endswith("?")) for word in self.template.split()
        )

    @cached_property
    def core(self) -> range:
        """The run of words that must be there with the most letters: the text is searched for them."""
        runs: list[range] = [range(0)]
        for i, element in enumerate(self.elements):
            if not element.slot and not element.optional:
                last = runs[-1]
                runs.append(range(last.start, i + 1) if last and last.stop == i else range(i, i + 1))
        return max(runs, key=lambda run: sum(min(map(len, self.elements[i].words)) for i in run))

    @cached_property
    def needles(self) -> tuple[str, ...]:
        """The strings for which a text is searched."""
        return tuple(map(_needle, product(*(self.elements[i].words for i in self.core))))

    @cached_property
    def before(self) -> tuple[Element, ...]:
        """What stands before the needle, from right to left."""
        return self.elements[: self.core.start][::-1]

    @cached_property
    def after(self) -> tuple[Element, ...]:
        """What stands after the needle."""
        return self.elements[self.core.stop :]


def _needle(words: Iterable[str]) -> str:
    text = " "
    for word in words:
        if word[0] in NO_SPACE_BEFORE:
            text = text.removesuffix(" ")
        text += word if word[-1] in NO_SPACE_AFTER else word + " "
    return text.rstrip()


PATTERNS: tuple[Pattern, ...] = (
    # Hearst (1992)
    Pattern("such-as", "HYPER ,? such as :? HYPO+"),
    Pattern("such-y-as", "such HYPER as HYPO+", ("plural", "noun")),
    Pattern("and-other", "HYPO+ ,? and|or other HYPER", ("plural", "no-comma")),
    Pattern("including", "HYPER ,? including :? HYPO+", ("plural",)),
    Pattern(
        "especially", "HYPER , especially|particularly|notably|principally|chiefly|mainly|mostly HYPO+", ("plural",)
    ),
    # since then
    Pattern("and-similar", "HYPO+ ,? and|or similar|related HYPER", ("plural", "no-comma")),
    Pattern("is-a", "HYPO is a|an HYPER", ("subject", "direct")),
    Pattern("was-a", "HYPO was a|an HYPER", ("subject", "name", "direct")),
    Pattern("are", "HYPO are HYPER", ("start", "bare")),
    Pattern("one-of", "HYPO is|was one of the HYPER", ("subject", "plural")),
    Pattern(
        "kind-of",
        "HYPO is|was|are a|an|the? kind|kinds|type|types|sort|sorts|species|variety|form|forms|breed|class|genus "
        "of HYPER",
        ("subject",),
    ),
    Pattern("called", "HYPER called|named|termed HYPO", ("indefinite",)),
    Pattern("known-as", "HYPER commonly|also|generally? known as HYPO", ("indefinite",)),
    Pattern("example", "HYPER ,|(? e.g.|(e.g. ,? HYPO+"),
    Pattern("for-example", "HYPER ,|(? for example|instance ,|:? HYPO+", ("plural",)),
    Pattern("namely", "HYPER ,|(? namely|viz. ,|:? HYPO+", ("plural",)),
    Pattern("apposition", "HYPO , a|an HYPER", ("start", "relative")),
    Pattern("kind-apposition", "HYPO ,|( a kind|type|sort|species|breed of HYPER", ("no-preposition",)),
    Pattern("brackets", "HYPER ( HYPO+ )", ("plural", "plain")),
    Pattern("heading", "following HYPER : HYPO+", ("plural",)),
)
"""Patterns of English; a row more is a pattern more."""


def read_patterns(path: str | Path) -> tuple[Pattern, ...]:
    """Return the patterns of a file, which come beside those of the table.

    Each line has a name, a tab and a template, and perhaps another tab and checks with spaces between. Lines that begin
    with `#` are comments.

    Parameters
    ----------
    path
        A text in UTF-8.
    """
    found = []
    try:
        lines = read_whole(Path(path), LARGEST_FILE).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"expected patterns in UTF-8, found {error.reason}", where=str(path)) from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, tab, rest = line.partition("\t")
        template, _, checks = rest.partition("\t")
        where = f"{path}, line {number}"
        if not tab:
            raise InvalidInput("expected a name, a tab and a template like `HYPER such as HYPO+`", where=where)
        try:
            found.append(Pattern(name.strip(), template.strip(), tuple(checks.split())))
        except InvalidInput as error:
            raise InvalidInput(error.what, where=where) from None
    return tuple(found)
