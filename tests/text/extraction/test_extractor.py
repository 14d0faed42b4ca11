import pytest

from entvec.bundled import wordnet_knowledge
from entvec.errors import InvalidInput
from entvec.text import extract
from entvec.text.extraction.extractor import (
    EXAMPLES,
    LONGEST_EXAMPLE,
    Counts,
    Document,
    Evidence,
    Example,
    Extractor,
    merged,
)

TEXT = "Guitars, lutes and other instruments were sold."


def test_sentences_and_documents_are_counted() -> None:
    found = {row.key: row for row in extract([TEXT, f"{TEXT} {TEXT}", "Nothing."], wordnet_knowledge())}
    lute = found["lute", "instrument", "and-other"]
    assert (lute.count, lute.documents) == (3, 2)
    assert [example.offset for example in lute.examples] == [0, 1, 1]
    assert lute.examples[0].sentence == TEXT


def test_a_sentence_counts_once_for_each_pair() -> None:
    (row,) = extract("HAMMER, a tool that drives nails.", wordnet_knowledge())
    assert (row.pattern, row.count) == ("definition", 1)


def test_own_terms_are_found_as_phrases() -> None:
    text = "They sell left handed screws and other goods for houses."
    assert {row.hypo for row in extract(text, wordnet_knowledge(), terms=["left handed screw"])} == {
        "left handed screw"
    }


def test_of_a_long_sentence_the_example_is_the_part_that_names_the_pair() -> None:
    rest = "and so it went on from year to year with no end, " * 20
    (row,) = extract(f"He said so {rest}he sold lutes\nand other instruments, {rest}and died.", wordnet_knowledge())
    (example,) = row.examples
    assert "lutes and other instruments" in example.sentence
    assert len(example.sentence) <= LONGEST_EXAMPLE
    assert example.offset == 0


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match="text 1 is a bytes"):
        extract([TEXT, b""], None)  # type: ignore[list-item]


def test_counts_add_up_whatever_the_parts() -> None:
    extractor = Extractor(wordnet_knowledge())
    documents = [Document(TEXT, f"{i}.txt", i) for i in range(5)]
    whole, first, second = Counts(), Counts(), Counts()
    for document in documents:
        whole.add(extractor, document)
    for counts, some in ((first, documents[:2]), (second, documents[2:])):
        for document in some:
            counts.add(extractor, document)
    assert [merged(a, b) for a, b in zip(first.rows(), second.rows(), strict=True)] == whole.rows()
    assert all(len(row.examples) == EXAMPLES for row in whole.rows())


def test_merged_rows_keep_the_first_examples() -> None:
    rows = [Evidence("a", "b", "is-a", 2, 1, tuple(Example(s, "f", 0) for s in pair)) for pair in ("xy", "zw")]
    both = merged(*rows)
    assert (both.count, both.documents, [each.sentence for each in both.examples]) == (4, 2, ["x", "y", "z"])
