"""Candidates above and below names, found without asking about all pairs."""

from entvec.space.default import default_space, held_out_space
from entvec.taxonomy.candidates import Candidates

TERMS = ["clothing", "footwear", "musical instrument", "kitchen appliance", "garden furniture", "qqqqqzz"]


def above(name: str, k: int = 1) -> list[str]:
    [found] = Candidates(default_space(), TERMS).above([name], k)
    return [TERMS[i] for i in found]


def test_ancestors_that_are_known_are_candidates_with_and_without_a_vector() -> None:
    assert "musical instrument" in above("violin")
    assert "footwear" in above("sneaker")


def test_names_that_nobody_knows_are_read_by_the_table() -> None:
    assert "kitchen appliance" in above("countertop pizza oven", 2)


def test_what_is_below_is_found_as_well() -> None:
    terms = ["violin", "rain boots", "memory foam mattress"]
    [found] = Candidates(default_space(), terms).below(["footwear"], 1)
    assert "rain boots" in [terms[i] for i in found]


def test_a_name_is_no_candidate_for_itself_by_the_table() -> None:
    assert above("garden furniture", 6).count("garden furniture") <= 1


def test_a_space_that_reads_nothing_ranks_its_own_words() -> None:
    terms = ["animal", "vehicle"]
    [found] = Candidates(held_out_space(), terms).above(["dog"], 1)
    assert [terms[i] for i in found] == ["animal"]


def test_nonsense_has_no_candidates() -> None:
    assert above("zxqvwk") == []


def test_no_names_have_no_candidates() -> None:
    assert Candidates(default_space(), TERMS).above([], 3) == []
