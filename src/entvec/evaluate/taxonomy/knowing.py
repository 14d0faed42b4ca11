"""The worlds of the studies that know something: WordNet, without the words that are asked about.

new words  the words without children in a tree are hidden, with their synonyms; the concepts above them are known
strict     no word of any tree is known

The map has seen neither. The weights of evidence were fitted on other pairs, of which some share a word with the trees.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from entvec.bundled import bundled_knowledge
from entvec.evaluate.taxonomy.wordnet_trees import Tree, trees, words_of
from entvec.space import EntailmentSpace

NEW, STRICT = "new words", "strict"


def knowing(space: EntailmentSpace, hidden: Collection[str]) -> EntailmentSpace:
    """Return the space with WordNet and everyday statements, without some words.

    >>> from entvec.space.default import held_out_space
    >>> found = knowing(held_out_space(), ["poodle"])
    >>> found.relation("poodle", "dog").situation
    'new word'

    Parameters
    ----------
    space
        A space that knows nothing.
    hidden
        The words that it does not know then, either.
    """
    return space.with_knowledge(bundled_knowledge()).hiding(list(hidden))


def hidden_words(tree: Tree, world: str) -> set[str]:
    """Return the words that a world does not know when a tree is asked about."""
    if world == STRICT:
        return words_of(trees())
    childless = np.flatnonzero(~tree.ancestors.any(axis=0))
    return {tree.words[i] for i in childless.tolist()}
