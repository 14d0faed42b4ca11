"""Says which words may be misspelled although they are answered."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from entvec.cli.trouble import note

if TYPE_CHECKING:
    from entvec.space import EntailmentSpace

MOST, NAMED = 10, 3
"""For how many words similar spellings are looked for, and how many are named."""


def note_misspelled(space: "EntailmentSpace", words: Sequence[str]) -> None:
    """Say which words are read by an encoder although they look like known ones: the first few of them."""
    if not space.reads:
        return
    read = [word for word, by in zip(words, space.read_by(words), strict=True) if by == "encoder"]
    for word in read[:MOST]:
        if like := space.suggestions(word):
            meant = ", ".join(map(repr, like[:NAMED]))
            note(f"entvec: {word!r:.60} is not known, so the answer is by its letters; did you mean {meant}?")
