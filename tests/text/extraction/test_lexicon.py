import pytest

from entvec.text.extraction.lexicon import ADJECTIVE, ADVERB, NOUNS, PARTICIPLE, STOP, UNKNOWN, VERBS, Lexicon


@pytest.mark.parametrize(
    ("token", "kind", "base", "plural"),
    [
        ("geese", NOUNS, "goose", True),
        ("Dogs", NOUNS, "dog", True),
        ("species", NOUNS, "species", False),
        ("Paris", NOUNS, "Paris", False),
        ("China", NOUNS, "China", False),
        ("china", NOUNS, "china", False),
        ("glass", NOUNS, "glass", False),
        ("physics", NOUNS, "physics", False),
        ("fabrics", NOUNS, "fabric", True),
        ("kiwis", NOUNS, "kiwi", True),
        ("blorps", NOUNS, "blorp", True),
        ("hick-ory", NOUNS, "hickory", False),
        ("florpies", UNKNOWN, "florpy", True),
        ("selfies", UNKNOWN, "selfie", True),
        ("GPUs", UNKNOWN, "GPU", True),
        ("GPT-4", UNKNOWN, "GPT-4", False),
        ("CRAVANT", UNKNOWN, "Cravant", False),
        ("walked", PARTICIPLE, "walked", False),
        ("quickly", ADVERB, "quickly", False),
        ("largest", ADJECTIVE, "largest", False),
        ("goes", STOP, "goes", False),
        ("devours", VERBS, "devours", False),
    ],
)
def test_words_and_their_forms(lexicon: Lexicon, token: str, kind: str, base: str, *, plural: bool) -> None:
    word = lexicon[token]
    assert (word.kind, word.base, word.plural) == (kind, base, plural)


def test_terms_are_found_in_the_plural(lexicon: Lexicon) -> None:
    assert lexicon.term(["musical", "instruments"]) == "musical instrument"
    assert lexicon.term(["Zork", "engines"]) == "Zork engine"
    assert lexicon.term(["zork", "wheels"]) is None


def test_nothing_is_known_without_knowledge() -> None:
    lexicon = Lexicon.of(None, ["dog"])
    assert lexicon["dogs"].base == "dog"
    assert lexicon["cats"].kind == UNKNOWN
