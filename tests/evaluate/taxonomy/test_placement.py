"""Terms to place: what is known of them, what is right, and what is no answer."""

from entvec.bundled import isa
from entvec.evaluate.taxonomy.placement import FACTS, Term, of_terms, terms
from entvec.evaluate.taxonomy.wordnet_trees import trees, words_of
from entvec.space.default import held_out_space

WORDS = words_of(trees())
TERMS = terms(WORDS)


def test_terms_are_words_of_the_list_each_once_and_drawn_anew_the_same() -> None:
    assert len(TERMS) == 500
    assert {term.word for term in TERMS} <= WORDS
    assert len({term.word for term in TERMS}) == 500
    assert terms(WORDS, n=7) == TERMS[:7]
    assert terms(WORDS, n=7, seed=1) != TERMS[:7]


def test_answers_are_hypernyms_farther_up_than_the_parent_and_its_synonyms() -> None:
    near = isa().select("is-a", max_hypo_sense=1)
    steps: dict[tuple[str, str], int] = {}
    for y, x, distance in zip(near.hypo.tolist(), near.hyper.tolist(), near.distance.tolist(), strict=True):
        pair = near.words[y], near.words[x]
        steps[pair] = min(distance, steps.get(pair, distance))
    for term in TERMS:
        to_parent = steps[term.word, term.parent]
        assert term.right
        assert all(to_parent < steps[term.word, word] <= 4 for word in term.right)
        assert term.right <= term.hypernyms
        assert term.parent in term.hypernyms


def test_siblings_share_a_parent_with_the_term_and_are_no_answers() -> None:
    beside = isa().select("co-hyponym")
    pairs = {
        (beside.words[y], beside.words[x]) for y, x in zip(beside.hypo.tolist(), beside.hyper.tolist(), strict=True)
    }
    for term in TERMS:
        first, second = term.siblings
        assert first != second
        for sibling in term.siblings:
            assert (term.word, sibling) in pairs
            assert sibling not in term.right | {term.word, term.parent}


def test_what_is_told_is_no_candidate() -> None:
    term = Term("poodle", "dog", ("pooch", "puppy"), frozenset({"animal"}), frozenset({"dog", "animal"}))
    assert term.left_out == ("poodle", "dog", "pooch", "puppy")
    relations = {name: [(fact.word, fact.relation) for fact in known(term)] for name, known in FACTS.items()}
    assert relations["a parent"] == [("dog", "entails")]
    assert relations["two siblings"] == [("pooch", "like"), ("puppy", "like")]
    assert relations["all of these"] == [
        ("poodle", "own"),
        ("dog", "entails"),
        ("pooch", "like"),
        ("puppy", "like"),
    ]
    for name, facts in relations.items():
        assert (("poodle", "own") in facts) == ("vector" in name or "all" in name)


def test_facts_help() -> None:
    rows = {row.name: row for row in of_terms(held_out_space(), TERMS[:6])}
    assert list(rows) == ["nothing", *FACTS, "all evidence, new words", "all evidence, strict"]
    assert [name for name, row in rows.items() if row.baseline] == ["nothing"]
    mrr = {name: row.measures["mrr"].value for name, row in rows.items()}
    assert all(mrr[name] > mrr["nothing"] for name in FACTS)
    assert {row.n for row in rows.values()} == {6}
