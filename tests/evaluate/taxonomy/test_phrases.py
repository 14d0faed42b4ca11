"""Phrases: two known words with a vector of their own, which is composed of those of the words."""

import numpy as np

from entvec.array_types import AnyFloats
from entvec.bundled import isa
from entvec.evaluate.taxonomy.candidates import Nouns
from entvec.evaluate.taxonomy.phrases import COMPOSITIONS, phrases
from entvec.space.default import held_out_space

SPACE = held_out_space()
NOUNS = Nouns(SPACE)


def test_phrases_are_two_known_words_with_a_vector_of_their_own() -> None:
    found = phrases(NOUNS)
    table = isa().select(["is-a", "instance"], max_hypo_sense=1)
    assert len({phrase.name for phrase in found}) == len(found) > 100
    for phrase in found:
        assert all(word in SPACE.vocabulary.words for word in (phrase.name, *phrase.words))
        assert phrase.name == "_".join(phrase.words)
        assert phrase.right
        assert not phrase.right & {*phrase.words}
    assert found[0].right <= {*table.hypernyms(found[0].name)}


def test_a_phrase_inferred_from_its_words_is_nearer_to_its_own_vector_than_its_last_word_is() -> None:
    inferred, last = (
        np.stack([COMPOSITIONS[name](NOUNS, phrase) for phrase in phrases(NOUNS)[:20]])
        for name in ("inferred from its words", "its last word")
    )
    own = NOUNS.vectors([phrase.name for phrase in phrases(NOUNS)[:20]])

    def cosines(made: AnyFloats) -> AnyFloats:
        return np.asarray(np.vecdot(made, own) / np.linalg.norm(made, axis=1) / np.linalg.norm(own, axis=1))

    assert cosines(inferred).mean() > cosines(last).mean() > 0.2
