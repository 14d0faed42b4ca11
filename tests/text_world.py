"""A space with evidence from a small text, for tests."""

from functools import cache

from entvec.bundled import bundled_knowledge
from entvec.space import EntailmentSpace, default_space
from entvec.text import Evidence, Example

SENTENCES = {
    ("theorbo", "lute"): "A theorbo is a kind of lute.",
    ("theorbo", "instrument"): "They sold theorboes and other instruments.",
    ("xylorimba", "theorbo"): "A xylorimba is a kind of theorbo.",
    ("bomb", "weapon"): "They had bombs and other weapons.",
    ("cat", "gadget"): "They sold cats and other gadgets.",
    ("violin", "viol"): "Violins and other viols were played.",
    ("Jew", "merchant"): "They met Jews and other merchants.",
}


def rows(**counts: int) -> list[Evidence]:
    """Return the pairs above, each said once in a document of its own, or as often as the hypo's name says."""
    return [
        Evidence(hypo, hyper, "such-as", n, n, (Example(text, "book.txt", 7),))
        for (hypo, hyper), text in sorted(SENTENCES.items())
        if (n := counts.get(hypo, 1))
    ]


@cache
def read_space() -> EntailmentSpace:
    """Return the default space with this evidence; theorbo is said five times to be what it is."""
    return default_space().with_knowledge(bundled_knowledge()).with_evidence(rows(theorbo=5))
