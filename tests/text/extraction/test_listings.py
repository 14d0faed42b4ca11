import pytest

from entvec.text.extraction.lexicon import Lexicon
from entvec.text.extraction.listings import find


@pytest.mark.parametrize("head", ["We sell these fruits:", "## Fruits", "Fruits:\n"])
@pytest.mark.parametrize("mark", ["- ", "* ", "1. ", "  • "])
def test_items_are_kinds_of_what_the_heading_names(lexicon: Lexicon, head: str, mark: str) -> None:
    text = f"Before.\n\n{head}\n{mark}apples\n{mark}pears (ripe)\n{mark}we also swap\n\nAfter."
    assert [(pair.hypo, pair.hyper) for pair in find(text, lexicon)] == [("apple", "fruit"), ("pear", "fruit")]


@pytest.mark.parametrize(
    "text",
    [
        "Fruit:\n- apples\n- pears\n",
        "Fruits:\n- apples\n",
        "## What we do\n- apples\n- pears\n",
        "Parts:\n- a wheel\n- a saddle\n",
    ],
)
def test_other_lists_say_nothing(lexicon: Lexicon, text: str) -> None:
    assert list(find(text, lexicon)) == []
