"""How terms without a vector are read: one text for all spellings, heads and modifiers, words and nonsense."""

from __future__ import annotations

import pytest

from entvec.bundled import wordnet_knowledge
from entvec.evidence.meanings import Meanings
from entvec.evidence.phrase_heads import heads_of, is_about_people
from entvec.evidence.plausible import Plausibility
from entvec.evidence.reader import Reader
from entvec.evidence.wording import Wording

KNOWN = wordnet_knowledge()
MEANINGS = Meanings(KNOWN)
WORDING = Wording(KNOWN)
PLAUSIBILITY = Plausibility(KNOWN)


@pytest.mark.parametrize(
    "spelling",
    ["garden gnome", "Garden Gnome", "GARDEN GNOMES", "garden-gnome", "garden_gnome", "the garden gnome",
     "a garden gnome", "garden gnome!", '"garden gnome"', "(garden gnome)", "garden gnome 🧙", "  garden   gnome ",
     "gárden gnome", "Garden-Gnomes."],
)  # fmt: skip
def test_all_spellings_of_a_term_are_one_text(spelling: str) -> None:
    assert WORDING(spelling) == "garden gnome"


@pytest.mark.parametrize(
    ("british", "american"),
    [("colour printer", "color printer"), ("grey whale calf", "gray whale calf"), ("car tyre", "car tire"),
     ("labour camp guard", "labor camp guard"), ("theatre seat", "theater seat"), ("catalogue cover", "catalog cover"),
     ("aluminium ladder", "aluminum ladder")],
)  # fmt: skip
def test_british_and_american_spellings_are_one_text(british: str, american: str) -> None:
    assert WORDING(british) == WORDING(american) == american


@pytest.mark.parametrize(
    ("phrase", "text"),
    [("ski pants", "ski pants"), ("evening news", "evening news"), ("kitchen scissors", "kitchen scissors"),
     ("hiking boots", "hiking boot"), ("bread knives", "bread knife"), ("spring rolls", "spring roll"),
     ("small claims court", "small claims court"), ("flour mill", "flour mill"), ("pizza stone", "pizza stone")],
)  # fmt: skip
def test_plurals_become_singulars_and_other_words_stay(phrase: str, text: str) -> None:
    assert WORDING(phrase) == text


@pytest.mark.parametrize(
    ("phrase", "head", "modifiers"),
    [
        ("knee replacement surgery", "surgery", {"knee", "replacement"}),
        ("forklift operator", "operator", {"forklift"}),
        ("jar of honey", "jar", {"honey"}),
        ("letter to the editor in chief", "letter", {"editor in chief", "editor", "chief"}),
        ("blorpy thing of iron", "thing", {"iron"}),
        ("hiking boots", "boots", set()),
    ],
)
def test_a_phrase_has_a_head_and_modifiers(phrase: str, head: str, modifiers: set[str]) -> None:
    found = heads_of(MEANINGS, phrase)
    assert found.head == head
    assert modifiers <= set(found.modifiers)


def test_a_word_may_end_in_its_head() -> None:
    assert heads_of(MEANINGS, "toolshelf").tail == "shelf"
    assert heads_of(MEANINGS, "hammer").tail is None


def test_phrases_with_groups_of_people_are_told() -> None:
    assert is_about_people(MEANINGS, "young Muslim women")
    assert not is_about_people(MEANINGS, "garden gnome")


@pytest.mark.parametrize("word", ["hoodie", "kombucha", "selfie", "bluetooth", "kubernetes", "semaglutide", "nginx",
                                  "garden gnome", "type 2 diabetes", "iPhone 15", "blorp"])  # fmt: skip
def test_words_that_nobody_knows_are_plausible(word: str) -> None:
    assert PLAUSIBILITY.objection(word) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [("asdfgh", "letters do not follow"), ("qwertyuiop", "letters do not follow"), ("zxcvbnm", "letters do not follow"),
     ("€€€", "no word in it"), ("12345", "no word in it"), ("4821-99-A", "no word in it"), ("🍕", "no word in it"),
     ("B07XJ8C8F5", "letters do not follow"), ("word " * 400, "is no term"), ("x" * 2000, "is no term")],
)  # fmt: skip
def test_nonsense_has_a_reason(text: str, reason: str) -> None:
    assert reason in str(PLAUSIBILITY.objection(text))


def test_a_known_word_is_plausible_however_it_is_spelled() -> None:
    assert PLAUSIBILITY.probability("rhythm") == PLAUSIBILITY.probability("Rhythms") == 1.0
    assert PLAUSIBILITY.probability("asdfgh") < 0.1 < PLAUSIBILITY.probability("gadgetry")


def test_near_nouns_are_sorted_and_other_knowledge_adds_its_own() -> None:
    reader = Reader(KNOWN)
    [near] = reader.near(["memory foam mattress"])
    assert (near.cosines[:-1] >= near.cosines[1:]).all()
    assert "mattress" in {KNOWN.terms[term] for term in near.terms[:10].tolist()}
