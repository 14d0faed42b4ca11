"""Denials: a row for each way to use them."""

from entvec.evaluate.taxonomy.negations import DENIALS, KNOWN, of_terms
from entvec.evaluate.taxonomy.placement import terms
from entvec.evaluate.taxonomy.wordnet_trees import trees, words_of
from entvec.space.default import held_out_space


def test_denials_have_a_row_for_each_way_to_tell_them() -> None:
    rows = {row.name: row for row in of_terms(held_out_space(), terms(words_of(trees()), n=3), [2])}
    for known in KNOWN:
        mrr = {way: rows[f"{known}, 2 denied, {way}"].measures["mrr"].value for way in DENIALS}
        assert mrr["left out"] >= rows[f"{known}, none denied"].measures["mrr"].value  # two wrong answers fewer
    assert len(rows) == len(KNOWN) * (1 + len(DENIALS))
    assert {row.study for row in rows.values()} == {"negations"}
