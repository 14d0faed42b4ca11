"""A hand-written corpus whose right pairs are obvious, and sentences that must give none."""

import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.text.extraction.extractor import Extractor
from entvec.text.extraction.patterns import CHECKS, PATTERNS

Find = Callable[[str], set[tuple[str, str, str]]]

RIGHT = {
    "such-as": [
        ("Animals such as dogs, cats and horses live here.", {"dog animal", "cat animal", "horse animal"}),
        ("He likes fruit, such as apples.", {"apple fruit"}),
        ("Diseases of the skin such as eczema are common.", {"eczema disease"}),
        ("Many species of birds such as finches sing.", {"finch bird"}),
        ("We keep animals such as dogs, which bark.", {"dog animal"}),
        ("There are salts such as sulphate of potash.", {"sulphate of potash>salt"}),
    ],
    "such-y-as": [
        (
            "Read such authors as Herrick, Goldsmith, and Shelley.",
            {"Herrick author", "Goldsmith author", "Shelley author"},
        )
    ],
    "and-other": [
        (
            "We saw dogs, cats and other small mammals.",
            {"dog mammal", "cat mammal", "dog>small mammal", "cat>small mammal"},
        ),
        ("Bruises, wounds or other injuries are treated.", {"bruise injury", "wound injury"}),
        ("In the forest, geese, oxen, mice, and other animals lived.", {"goose animal", "ox animal", "mouse animal"}),
        ("Silk and other fabrics are sold.", {"silk fabric"}),
        ("Hoodies, shirts and other garments are sold.", {"hoodie garment", "shirt garment"}),
        ("Kubernetes, Zabbix and other programs run.", {"Kubernetes program", "Zabbix program"}),
        ("They sell blorps and other machines.", {"blorp machine"}),
        ("They sell Zork engines and other machines.", {"Zork engine>machine"}),
        ("We met ani-\nmals: dogs and other\nmammals.", {"dog mammal"}),
    ],
    "including": [("All countries, including Canada and England, agree.", {"Canada country", "England country"})],
    "especially": [("Most countries, especially France, object.", {"France country"})],
    "and-similar": [("Lutes and similar instruments were sold.", {"lute instrument"})],
    "is-a": [
        ("COVID-19 is a disease.", {"COVID-19 disease"}),
        ("A kalimba is a musical instrument.", {"kalimba>musical instrument"}),
        ("The pancreas is a gland of considerable size.", {"pancreas gland"}),
    ],
    "was-a": [("Plato was a philosopher.", {"Plato philosopher"})],
    "are": [
        ("Whales are mammals that live in the sea.", {"whale mammal"}),
        ("Labradoodles are dogs.", {"labradoodle dog"}),
    ],
    "one-of": [("Iron is one of the metals.", {"iron metal"})],
    "kind-of": [("A sonnet is a kind of poem.", {"sonnet poem"}), ("Finches are a type of bird.", {"finch bird"})],
    "called": [("We bought a device called Quuxotron.", {"Quuxotron device"})],
    "known-as": [("It is a plant commonly known as yarrow.", {"yarrow plant"})],
    "example": [
        ("They used tools, e.g. hammers and saws.", {"hammer tool", "saw tool"}),
        ("They used tools (e.g., hammers and saws).", {"hammer tool", "saw tool"}),
    ],
    "for-example": [("Some metals, for example, iron and zinc, conduct.", {"iron metal", "zinc metal"})],
    "namely": [("It has two metals, namely iron and zinc.", {"iron metal", "zinc metal"})],
    "apposition": [("The quokka, a marsupial that lives in Australia, smiles.", {"quokka marsupial"})],
    "kind-apposition": [
        ("They drank kvass, a kind of beer, at noon.", {"kvass beer"}),
        ("We sell theorbos (a sort of lute).", {"theorbo lute"}),
    ],
    "brackets": [("All metals (iron, copper and zinc) conduct.", {"iron metal", "copper metal", "zinc metal"})],
    "heading": [("We sell the following fruits: apples and pears.", {"apple fruit", "pear fruit"})],
}
NOTHING = [
    "A whale is not a fish.",
    "Dogs, unlike other animals, bark.",
    "No dogs or other pets are allowed.",
    "Neither wine nor other drinks were served.",
    "The cat of Anna is a city.",
    "He spoke to animals other than dogs.",
    "Is a whale a fish or other animal?",
    "Fret, in heraldry, a kind of knot, is old.",
    "He ate bread, and other people drank.",
    "They are such as are found here.",
    "It is a part of the body.",
    "Its device is a sieve.",
    "A toll is paid by such vessels as pass through.",
    "The town has a church, a market of corn, and a school.",
    "He is a man. This is a dog. There is a cat.",
]


def split(pair: str) -> tuple[str, str]:
    hypo, _, hyper = pair.partition(">" if ">" in pair else " ")
    return hypo, hyper


@pytest.mark.parametrize(("name", "text", "expected"), [(name, *row) for name, rows in RIGHT.items() for row in rows])
def test_a_pattern_finds_its_pairs_and_no_others(pairs: Find, name: str, text: str, expected: set[str]) -> None:
    assert pairs(text) == {(*split(pair), name) for pair in expected}


@pytest.mark.parametrize("text", NOTHING)
def test_negation_and_known_traps_give_nothing(pairs: Find, text: str) -> None:
    assert pairs(text) == set()


def test_every_pattern_has_an_example_here() -> None:
    assert set(RIGHT) == {pattern.name for pattern in PATTERNS}
    assert {check for pattern in PATTERNS for check in pattern.checks} == set(CHECKS)


def test_lists_may_be_long(pairs: Find) -> None:
    names = [f"Q{letter}{other}x" for letter in string.ascii_lowercase for other in "aeiou"]
    found = pairs(f"There are cities such as {', '.join(names)} and Paris.")
    assert {hypo for hypo, _, _ in found} == {*names, "Paris"}


@pytest.mark.parametrize(
    "text",
    [
        "a, " * 33_000 + "and other a",
        "a, and other " * 8_000,
        "is a " * 20_000,
        "dogs such as " * 8_000,
        "dog, " * 20_000 + "and other animals",
        "(" * 100_000,
        "dogs (" * 16_000,
        ", a " * 25_000,
        "A: a\n" * 20_000,
        "# A\n- a\n" * 12_000,
        "**a** " * 16_000,
        "\n" * 100_000,
        "x" * 100_000,
        "a-" * 50_000,
        "." * 100_000,
    ],
)
def test_a_hundred_kilobytes_of_anything_end(extractor: Extractor, text: str) -> None:
    assert len(list(extractor.find(text))) <= len(text)


@given(
    st.lists(
        st.sampled_from([*"ab ,.()-\n:*#", " such as ", " and other ", " is a ", "dogs", "Animals", "é", "’"]),
        max_size=60,
    ).map("".join)
)
def test_any_text_gives_terms_that_are_different_and_not_empty(extractor: Extractor, text: str) -> None:
    for pair in extractor.find(text):
        assert pair.hypo.strip()
        assert pair.hyper.strip()
        assert pair.hypo != pair.hyper
        assert 0 <= pair.start < pair.end <= len(text)


NOUNS = st.lists(
    st.sampled_from(["dog", "guitar", "river", "quilt", "tiger", "ladder"]), min_size=2, max_size=5, unique=True
)


@given(NOUNS)
def test_a_list_names_each_of_its_items(extractor: Extractor, nouns: list[str]) -> None:
    text = f"They sell {', '.join(noun + 's' for noun in nouns)} and other things of old, and other tools."
    listed = f"They sell tools such as {', '.join(noun + 's' for noun in nouns[:-1])} and {nouns[-1]}s."
    assert {pair.hypo for pair in extractor.find(listed)} == set(nouns)
    assert "thing" not in {pair.hyper for pair in extractor.find(text)}
