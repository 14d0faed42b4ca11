"""Words that are hidden from the knowledge, as a held-out measurement needs it."""

from entvec.evidence import Evidence
from entvec.space import default_space

SPACE = default_space()
EVIDENCE = Evidence(SPACE.vocabulary, SPACE.model, SPACE.knowledge)  # type: ignore[arg-type]


def test_a_hidden_word_is_new_in_every_spelling_and_with_its_synonyms() -> None:
    hidden = EVIDENCE.hiding(["cars"])
    for word in ("car", "Cars", "automobile", "auto"):
        assert EVIDENCE.meanings.of(word)
        assert not hidden.meanings.of(word)
    assert hidden.meanings.of("truck")
    assert EVIDENCE.hiding(["cars"], synonyms=False).meanings.of("automobile")


def test_hiding_changes_the_situation_and_leaves_only_vectors_and_neighbours() -> None:
    pairs = ["car", "dog"], ["vehicle", "animal"]
    assert EVIDENCE.of(*pairs).situations == ("both known", "both known")
    hidden = EVIDENCE.hiding(["car"]).of(*pairs)
    assert hidden.situations == ("new word", "both known")
    assert hidden.sources[0] == ("vectors", "neighbours")
    assert not hidden.known[0].facts


def test_a_hidden_word_is_nobodys_neighbour() -> None:
    assert EVIDENCE.neighbours is not None
    assert "cat" in dict(EVIDENCE.neighbours.of("dog"))
    hidden = EVIDENCE.hiding(["cat"]).neighbours
    assert hidden is not None
    near = dict(hidden.of("dog"))
    assert not {"cat", "cats"} & near.keys()
    assert abs(sum(near.values()) - 1) < 1e-9


def test_neighbours_are_no_forms_of_the_word_itself() -> None:
    assert EVIDENCE.neighbours is not None
    near = {word.casefold() for word, _ in EVIDENCE.neighbours.of("dog")}
    assert not {"dog", "dogs"} & near
