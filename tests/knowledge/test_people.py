"""Which words are groups of people, which terms offend, and what may be said of people."""

import re

import numpy as np
import pytest

from entvec.bundled import google_news, wordnet_knowledge
from entvec.graphs.taxonomy import Taxonomy
from entvec.knowledge import people_lists
from entvec.knowledge.people import (
    answering_senses,
    answers,
    head_senses,
    is_offensive,
    is_people,
    names,
    offensive_rows,
    people_rows,
)
from entvec.knowledge.people_rules import rules
from entvec.knowledge.statements import empty, with_taxonomy
from entvec.vectors.words import Words

SAMPLE = 200
OFFENSIVE = "ethnic slur|offensive|obscene|vulgar|derogatory|disparaging|pejorative|insulting|contemptuous|dismissive"
SAYS_SO = re.compile(
    rf"""\((?:sometimes\ |often\ )?(?:{OFFENSIVE})\b   # (ethnic slur) offensive term for a person of ... descent
    |\b(?:{OFFENSIVE})\)?(?:\ [\w-]+){{0,3}}\ (?:terms?|names?|words?|slang|expression|reference)\ (?:for|of|to|used)
    |\bterm\b.*\b(?:considered|regarded\ as)\ offensive
    |\bterms?\ of\ abuse|\bnegative\ term\ for""",
    re.VERBOSE,
)
"""What a gloss says of a term that offends."""

EVERYDAY = "bull tool queen boy suit dirt name oath euphemism taco Tom Guinea craps dog"
GROUPS = (
    "Muslim Jew Christian Catholic Hindu Sikh Mormon atheist African-American German French Chinese Polish Pole Poles "
    "Turkish Arab Hispanic Latina Gypsy Roma Irishman woman Women men gay lesbians transgender immigrant refugees "
    "asylum_seeker foreigner blacks White whites Kurd Maori Jewish Islamic kike mestizo"
)
NO_GROUPS = "dog teacher leader terrorist pole wasp swede turkey same northern prior taco person guitar blorp"


def marked() -> list[tuple[int, int]]:
    """Return the terms and concepts that the knowledge marks as slurs, as disparaging or as obscene."""
    known = wordnet_knowledge()
    return [
        (term, concept)
        for term, concept, mark in known.marks.tolist()
        if known.identifiers[mark] in people_lists.OFFENSIVE_MARKS
    ]


def sampled() -> list[str]:
    """Return terms for groups of people, drawn from the knowledge."""
    known = wordnet_knowledge()
    terms, concepts = known.senses_of.pairs()
    has_sense = np.zeros(len(known.terms), bool)
    has_sense[terms[rules(known).people[concepts]]] = True
    rows = np.flatnonzero(people_rows(known, known.terms) & has_sense)
    return list(known.terms.take(np.sort(np.random.default_rng(0).choice(rows, SAMPLE, replace=False))))


# The tables


@pytest.mark.parametrize(
    "table", ["PEOPLE", "INSULTS", "INSULTING_GROUPS", "OFFENSIVE_MARKS", "OFFENSIVE_CONCEPTS"], ids=str.lower
)
def test_each_identifier_is_that_of_the_term_beside_it(table: str) -> None:
    known = wordnet_knowledge()
    concepts = {identifier: concept for concept, identifier in enumerate(known.identifiers)}
    for identifier, remark in getattr(people_lists, table).items():
        term = re.split("[:,]", remark)[0]
        assert concepts[identifier] in [sense.concept for sense in known.senses(term)]


def test_every_gloss_that_says_a_term_offends_is_heeded() -> None:
    known = wordnet_knowledge()
    _, concepts = known.senses_of.pairs()
    heeded = set(concepts[rules(known).offensive_senses].tolist())
    definitions = (re.sub('"[^"]*"?', "", gloss) for gloss in known.glosses)
    saying_so = {concept for concept, gloss in enumerate(definitions) if SAYS_SO.search(gloss)}
    assert len(saying_so) > 60
    assert [known.name(concept) for concept in saying_so - heeded] == []


def test_every_mark_is_heeded() -> None:
    known = wordnet_knowledge()
    terms, concepts = known.senses_of.pairs()
    offensive = rules(known).offensive_senses
    assert set(marked()) <= set(zip(terms[offensive].tolist(), concepts[offensive].tolist(), strict=True))


# Terms that offend


def phrase_with(word: str) -> list[str]:
    return [] if re.search("[_-]", word) else [f"big {word}", f"{word}_thing"]


def test_a_slur_is_recognised_in_all_spellings() -> None:
    known = wordnet_knowledge()
    slurs = [known.terms[row] for row in np.flatnonzero(offensive_rows(known, known.terms)).tolist()]
    assert len(slurs) > 150
    for slur in slurs:
        spaced = slur.replace("_", " ")
        for spelled in (spaced, spaced.replace(" ", "-"), spaced.upper(), spaced.title(), *phrase_with(slur)):
            assert is_offensive(known, spelled) or slur == "Nip", spelled  # who nips is not meant
        assert is_offensive(known, f"{slur}s") or f"{slur}s" in known.terms


@pytest.mark.parametrize("word", ["fucked", "Faggots", "chinks", "white trash", "stupid cunts", "Jewess", "sluts"])
def test_slurs_that_are_rare_forms_or_unmarked_are_recognised(word: str) -> None:
    assert is_offensive(wordnet_knowledge(), word)


@pytest.mark.parametrize("word", [*EVERYDAY.split(), "pussy willow", "brightly colored"])
def test_everyday_words_and_known_phrases_do_not_offend(word: str) -> None:
    assert not is_offensive(wordnet_knowledge(), word)


def test_a_concept_is_named_without_the_terms_that_offend_in_this_sense() -> None:
    known = wordnet_knowledge()
    homosexual, black = (known.senses(word)[0].concept for word in ("homosexual", "Black person"))
    assert "gay" in names(known, homosexual)
    assert "homo" not in names(known, homosexual)
    assert names(known, black) == ["Black", "Black_person"]


# Groups of people


@pytest.mark.parametrize(
    "word",
    [
        *GROUPS.split(),
        *[
            "Kazakh",
            "Latino",
            "Xhosa",
            "Muslim woman",
            "young Jews",
            "women from Iran",
            "gay teachers",
            "African Americans",
            "muslim_leaders",
        ],
    ],
)
def test_groups_of_people_are_recognised(word: str) -> None:
    assert is_people(wordnet_knowledge(), word)


@pytest.mark.parametrize(
    "word",
    [
        *NO_GROUPS.split(),
        *["German car", "Chinese restaurant", "French fries", "African elephant", "young teachers"],
    ],
)
def test_other_words_are_no_groups_of_people(word: str) -> None:
    assert not is_people(wordnet_knowledge(), word)


def test_what_you_say_to_be_below_a_group_is_one() -> None:
    known = with_taxonomy(wordnet_knowledge(), Taxonomy.from_edges([("zorpist", "Muslim")]), "mine")
    assert is_people(known, "zorpists")


def test_without_wordnet_only_listed_words_are_known_to_be_people_or_to_offend() -> None:
    known = with_taxonomy(empty(), Taxonomy.from_edges([("woman", "person"), ("spoon", "tool")]), "mine")
    assert [is_people(known, word) for word in ("woman", "spoon", "Rohingya")] == [False, False, True]
    assert [is_offensive(known, word) for word in ("spoon", "whore")] == [False, True]


@pytest.mark.parametrize(
    ("phrase", "head"),
    [("Muslim woman", "woman"), ("young Jews", "Jew"), ("old African Americans", "African_American"), ("jews", "Jew")],
)
def test_of_a_phrase_the_head_is_asked(phrase: str, head: str) -> None:
    assert {sense.term for sense in head_senses(wordnet_knowledge(), phrase)} == {head}


def test_a_phrase_without_a_known_word_has_no_senses() -> None:
    assert head_senses(wordnet_knowledge(), "blorp zorp") == answering_senses(wordnet_knowledge(), "blorp") == []


# What may be said of them


@pytest.mark.parametrize(
    ("word", "answer", "no_answer"),
    [
        ("Muslim", "religious_person", "animal"),
        ("Arab", "Semite", "horse"),
        ("bisexual", "person", "sensualist"),
        ("foreigner", "traveler", "intruder"),
        ("untouchable", "person", "outcast"),
        ("woman", "female", "charwoman"),
        ("kike", "Jew", "kike"),
        ("boy", "male", "Black_man"),
        ("lesbian", "homosexual", "Greek"),
        ("blacks", "person", "actress"),
        ("prostitute", "woman", "prostitute"),
        ("Jewish teachers", "educator", "Jew"),
    ],
)
def test_known_facts_answer_for_people_unless_they_insult(word: str, answer: str, no_answer: str) -> None:
    known = wordnet_knowledge()
    said = {name for concept in answers(known, word) for name in names(known, concept)}
    assert answer in said
    assert no_answer not in said


def test_of_200_groups_of_people_nothing_is_said_that_insults_them() -> None:
    known = wordnet_knowledge()
    forbidden = set(marked())
    groups, animal = set(people_lists.PEOPLE), "00015388-n"
    for word in sampled():
        found = answers(known, word)
        assert found, word
        for concept in found:
            shown = names(known, concept)
            assert shown
            assert not any(is_offensive(known, name) for name in shown)
            pairs = {(row, concept) for row in known.members.of(concept) if known.terms[row] in shown}
            assert forbidden.isdisjoint(pairs)
            above = {known.identifiers[at] for at in known.ancestors([concept])}
            assert animal not in above, (word, known.name(concept))
            assert above.isdisjoint(people_lists.INSULTING_GROUPS), (word, known.name(concept))
            assert above.isdisjoint(people_lists.INSULTS) or not above.isdisjoint(groups), (word, known.name(concept))


# Many words at once


@pytest.mark.parametrize(("rows", "question"), [(people_rows, is_people), (offensive_rows, is_offensive)])
def test_many_words_are_judged_as_one_by_one(rows, question) -> None:  # type: ignore[no-untyped-def]
    known, words = wordnet_knowledge(), Words.of(list(google_news().words)[::7])
    assert rows(known, words).tolist() == [question(known, word) for word in words]
    assert rows(known, words).any()
