"""Known words that end like another."""

from functools import cache

import numpy as np

from entvec.evidence.endings import Endings
from entvec.evidence.hierarchy import Hierarchy
from entvec.space import default_space

KNOWN = default_space().judge.evidence.meanings


@cache
def endings() -> Endings:
    return Endings(Hierarchy(KNOWN))


def shared(word: str) -> set[str]:
    return {KNOWN.known.terms[term] for term in endings().sharing(word).tolist()}


def test_the_longest_ending_counts_that_enough_words_share() -> None:
    assert {"bronchitis", "arthritis"} <= shared("sinobronchitis") | shared("zooarthritis")
    assert all(word.endswith("ology") for word in shared("blorpology"))
    assert len(shared("blorpology")) >= 5


def test_short_words_names_and_codes_have_no_ending() -> None:
    for word in ("itis", "cat", "IPhone", "b2b_itis", "ice_cream", ""):
        assert not len(endings().sharing(word))


def test_hidden_words_do_not_vote() -> None:
    hidden = Endings(Hierarchy(KNOWN.hiding(["bronchitis"])))
    terms = {KNOWN.known.terms[term] for term in hidden.sharing("sinobronchitis").tolist()}
    assert "bronchitis" not in terms


def test_an_ending_is_evidence_for_new_words_only() -> None:
    ranker = default_space().judge.ranker.hiding(["geologist"])
    rows, values = ranker.bonuses("hypo", [ranker.query("geologist")], 1.0).of(0)
    scientist = default_space().vocabulary.row("scientist")
    assert values[rows == scientist, 2].sum() > 0
    known = default_space().judge.ranker
    assert not np.any(known.bonuses("hypo", [known.query("geologist")], 1.0).of(0)[1][:, 2])
