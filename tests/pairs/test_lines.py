"""Lines of two words get their scores; the result does not depend on how the text is cut into blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec.bundled import google_news, toy_world
from entvec.errors import InvalidInput
from entvec.learn.calibration import Calibration
from entvec.pairs.formatting import with_scores
from entvec.pairs.lines import LONGEST_LINE, Tally, answer_lines, score_lines, whole_lines
from entvec.pairs.lookup import TextLookup, padded
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds")
CALIBRATED = TOYS.with_calibration(Calibration.platt(0.8, 1.5))


def scored(text: bytes, space: EntailmentSpace = TOYS, size: int = 1 << 20, **options: object) -> tuple[bytes, Tally]:
    written: list[bytes] = []
    blocks = (text[at : at + size] for at in range(0, len(text), size))
    tally = score_lines(space.keys, blocks, written.append, **options)  # type: ignore[arg-type]
    return b"".join(written), tally


def expected(hypo: str, hyper: str) -> str:
    return f"{hypo}\t{hyper}\t{TOYS.score(hypo, hyper):.4f}\n"


# Lines


def test_each_line_has_its_score_after_it() -> None:
    text, tally = scored(b"dog\tanimal\nanimal\tdog\n")
    assert text.decode() == expected("dog", "animal") + expected("animal", "dog")
    assert (tally.lines, tally.pairs, tally.unknown, tally.skipped) == (2, 2, 0, 0)


def test_a_calibrated_space_adds_the_probability() -> None:
    text, _ = scored(b"poodle\tdog\n", CALIBRATED)
    score, probability = text.decode().split("\t")[2:]
    assert float(score) == pytest.approx(CALIBRATED.score("poodle", "dog"), abs=6e-5)
    assert float(probability) == pytest.approx(CALIBRATED.probability("poodle", "dog"), abs=6e-5)


def test_further_columns_are_carried_along() -> None:
    text, _ = scored(b"dog\tanimal\t\tsure\nanimal\tdog\n")
    assert text.decode().splitlines()[0] == expected("dog", "animal").replace("animal\t", "animal\t\tsure\t").rstrip(
        "\n"
    )
    assert text.decode().splitlines()[1] == expected("animal", "dog").rstrip("\n")


def test_ends_of_lines_as_windows_writes_them() -> None:
    assert scored(b"dog\tanimal\r\ncat\tdog\textra\r\n") == scored(b"dog\tanimal\ncat\tdog\textra\n")


def test_the_last_line_needs_no_end() -> None:
    assert scored(b"dog\tanimal\ncat\tdog") == scored(b"dog\tanimal\ncat\tdog\n")


def test_a_mark_at_the_beginning_is_no_part_of_the_first_word() -> None:
    assert scored(b"\xef\xbb\xbfdog\tanimal\n") == scored(b"dog\tanimal\n")
    assert scored(b"\xef\xbb\xbfdog\tanimal") == scored(b"dog\tanimal\n")


def test_nothing_comes_of_nothing() -> None:
    assert scored(b"") == (b"", Tally())


def test_a_word_without_a_vector_leaves_empty_fields() -> None:
    plain, tally = scored(b"dog\tqqq\nzzz\tqqq\ndog\tanimal\n")
    assert plain.decode() == "dog\tqqq\t\nzzz\tqqq\t\n" + expected("dog", "animal")
    assert (tally.pairs, tally.unknown, tally.examples) == (3, 2, ["qqq", "zzz"])
    assert scored(b"dog\tqqq\n", CALIBRATED)[0] == b"dog\tqqq\t\t\n"


def test_words_are_found_as_a_space_finds_them() -> None:
    text, tally = scored(b"Dog\tANIMAL\n")
    assert text.decode() == expected("dog", "animal").replace("dog", "Dog").replace("animal", "ANIMAL")
    assert tally.unknown == 0


def test_the_titles_of_columns_are_carried_along() -> None:
    assert scored(b"hypo\thyper\ndog\tanimal\n", header=True)[0].startswith(b"hypo\thyper\tscore\ndog")
    text, tally = scored(b"hypo\thyper\r\ndog\tanimal\n", CALIBRATED, header=True)
    assert text.startswith(b"hypo\thyper\tscore\tprobability\ndog")
    assert (tally.lines, tally.pairs) == (2, 1)
    assert scored(b"hypo\thyper", header=True)[0] == b"hypo\thyper\tscore\n"
    assert scored(b"", header=True)[0] == b""


BAD = {
    b"": "expected two words with a tab between, found an empty line",
    b"\r": "expected two words with a tab between, found an empty line",
    b"dog animal": "expected two words with a tab between, found no tab in 'dog animal'",
    b"\tanimal": "expected two words with a tab between, found an empty word in '\\tanimal'",
    b"dog\t": "expected two words with a tab between, found an empty word in 'dog\\t'",
    b"dog\t\tanimal": "expected two words with a tab between, found an empty word in 'dog\\t\\tanimal'",
    b"dog\tcaf\xe9": "expected UTF-8, found 'dog\\tcaf\ufffd'",
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("size", [7, 1 << 20])
def test_a_bad_line_is_named_after_what_came_before_is_written(bad: bytes, size: int) -> None:
    written: list[bytes] = []
    text = b"dog\tanimal\ncat\tanimal\n" + bad + b"\ncat\tdog\n"
    blocks = [text[at : at + size] for at in range(0, len(text), size)]
    with pytest.raises(InvalidInput) as error:
        score_lines(TOYS.keys, blocks, written.append)
    assert str(error.value) == f"line 3: {BAD[bad]}; on_error='skip' leaves such lines out"
    assert b"".join(written).decode() == expected("dog", "animal") + expected("cat", "animal")


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_line_may_be_left_out(bad: bytes) -> None:
    text, tally = scored(b"dog\tanimal\n" + bad + b"\ncat\tdog\n" + bad + b"\n", on_error="skip")
    assert text.decode() == expected("dog", "animal") + expected("cat", "dog")
    assert (tally.lines, tally.pairs, tally.skipped) == (4, 2, 2)


def test_titles_count_as_a_line() -> None:
    with pytest.raises(InvalidInput, match=r"^line 3: "):
        scored(b"hypo\thyper\ndog\tanimal\ndog\n", header=True)


def test_a_line_without_end_is_refused_before_it_fills_the_memory() -> None:
    def endless() -> object:
        yield b"dog\tanimal\n"
        while True:
            yield bytes(1 << 16)

    written: list[bytes] = []
    with pytest.raises(InvalidInput, match=f"^line 2: .* found more than {LONGEST_LINE:,} bytes"):
        score_lines(TOYS.keys, endless(), written.append)  # type: ignore[arg-type]
    assert b"".join(written).decode() == expected("dog", "animal")


def test_lines_are_written_before_more_are_asked_for() -> None:
    written: list[bytes] = []

    def asking() -> object:
        yield b"dog\tanimal\ncat"
        assert b"".join(written).decode() == expected("dog", "animal")
        yield b"\tanimal\n"

    score_lines(TOYS.keys, asking(), written.append)  # type: ignore[arg-type]
    assert b"".join(written).decode() == expected("dog", "animal") + expected("cat", "animal")


def test_progress_is_reported() -> None:
    seen = []
    score_lines(TOYS.keys, [b"dog\tanimal\n"] * 5, lambda _: None, progress=lambda tally: seen.append(tally.pairs))
    assert seen == [1, 2, 3, 4, 5]


WORDS = [*WORLD.words, "Dog", "qqq", "é", "ice cream"]
LINES = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map("\t".join).map(str.encode),
        st.sampled_from([*BAD, b"dog\tanimal\tmore", b"dog\tanimal\tmore\tand more\r", b"\x00\tdog", b"dog\x00\tdog"]),
    ),
    max_size=20,
)


@given(LINES, st.integers(1, 40), st.booleans())
@settings(deadline=None, max_examples=60)
def test_pieces_make_no_difference(lines: list[bytes], size: int, calibrated: bool) -> None:
    text = b"".join(line + b"\n" for line in lines)
    space = CALIBRATED if calibrated else TOYS
    whole = scored(text, space, on_error="skip")
    assert scored(text, space, size, on_error="skip") == whole
    n = 2 if calibrated else 1
    rows = [line.rsplit(b"\t", n) for line in whole[0].splitlines()]
    good = [line.removesuffix(b"\r") for line in lines if line not in BAD]
    assert [line for line, *_ in rows] == good
    for line, score, *_ in rows:
        hypo, hyper = line.decode().split("\t")[:2]
        known = hypo in TOYS and hyper in TOYS
        assert (float(score) == pytest.approx(TOYS.score(hypo, hyper), abs=6e-5)) if known else score == b""


@given(st.lists(st.binary(max_size=8)))
def test_whole_lines_are_the_same_text(blocks: list[bytes]) -> None:
    pieces = list(whole_lines(blocks))
    text = b"".join(blocks).removeprefix(b"\xef\xbb\xbf")
    assert b"".join(pieces) == (text + b"\n" if text and not text.endswith(b"\n") else text)
    assert all(piece.endswith(b"\n") for piece in pieces if piece)


# Numbers


@given(
    st.lists(st.floats(-12_000, 12_000) | st.floats(-2, 2), min_size=1, max_size=30),
    st.lists(st.floats(0, 1), min_size=30, max_size=30) | st.none(),
    st.lists(st.booleans(), min_size=30, max_size=30),
)
@settings(deadline=None)
def test_numbers_are_written_to_four_decimals(
    scores: list[float], probabilities: list[float] | None, known: list[bool]
) -> None:
    n = len(scores)
    lines = [f"{i}" * (i % 4) for i in range(n)]
    text = padded("\n".join([*lines, ""]).encode())
    ends = np.flatnonzero(text == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    there = np.array(known[:n])
    columns = [np.where(there, column[:n], np.nan) for column in (scores, probabilities) if column is not None]
    written = with_scores(text, starts, ends - starts, columns[0], columns[1] if probabilities else None)
    rows = [line.split("\t") for line in written.decode().split("\n")[:-1]]
    assert [row[0] for row in rows] == lines
    assert all(row[1:] == [""] * len(columns) for row, is_known in zip(rows, there, strict=True) if not is_known)
    fields = [row[1:] for row, is_known in zip(rows, there, strict=True) if is_known]
    for column, values in zip(columns, zip(*fields, strict=True), strict=False):
        for number, value in zip(column[there], values, strict=True):
            whole, _, decimals = value.partition(".")
            assert float(value) == pytest.approx(number, abs=5.001e-5)
            assert len(decimals) == 4
            assert whole in ("0", "-0") or not whole.lstrip("-").startswith("0")
            assert value != "-0.0000"


def test_numbers_that_are_not_finite_are_written_by_their_names() -> None:
    text = padded(b"a\nb\nc\n")
    at, size = np.array([0, 2, 4]), np.array([1, 1, 1])
    written = with_scores(text, at, size, np.array([-np.inf, np.nan, 1.0]), None)
    assert written == b"a\t-inf\nb\t\nc\t1.0000\n"


# Words


NEWS = google_news()
LONG = ["x" * n for n in (14, 15, 16, 17, 30, 31, 32, 33, 70)]
ODD = Vectors(
    ["é", "É", "ſtone", "straße", "Ice_Cream", "ice cream", "a", "a\x00", "A\x00", "", *LONG], np.zeros((19, 1))
)


def found(vectors: Vectors, words: list[str]) -> list[int]:
    text = padded(b"".join(word.encode() + b"\t" for word in words))
    lengths = np.array([len(word.encode()) for word in words], dtype=np.int64)
    starts = np.cumsum(lengths + 1) - (lengths + 1)
    return [int(row) for row in TextLookup(vectors).rows(text, starts, lengths)]


def test_every_word_of_the_vocabulary_is_found_at_its_row() -> None:
    assert found(NEWS, list(NEWS)) == list(range(len(NEWS)))


@pytest.mark.parametrize(("case", "space"), [(False, False), (True, False), (False, True), (True, True)])
def test_words_in_another_form_are_found_where_the_vectors_find_them(case: bool, space: bool) -> None:
    for vectors in (NEWS, ODD):
        lenient = vectors.with_lookup(case=case, space=space)
        some = list(vectors)[:: max(1, len(vectors) // 500)]
        words = [form(word) for word in some for form in (str.upper, str.title, lambda w: w.replace("_", " "), str)]
        words += ["STRASSE", "ice_cream", "ICE CREAM", "STONE", "a\x00\x00", "x" * 29, "É" * 9, "nothing like it"]
        assert found(lenient, words) == lenient.rows(words).tolist()


@given(st.lists(st.text("aA_ é\x00", max_size=40)))
@settings(deadline=None, max_examples=50)
def test_any_text_is_looked_up_as_the_vectors_would(words: list[str]) -> None:
    lenient = Vectors(["a", "A", "a_a", "aé", "a" * 15, "a" * 16, "a" * 32, "_"], np.zeros((8, 1)))
    lenient = lenient.with_lookup(case=True, space=True)
    assert found(lenient, words) == lenient.rows(words).tolist()


def test_an_empty_vocabulary_has_no_word() -> None:
    none = Vectors([], np.zeros((0, 2))).with_lookup(case=True, space=True)
    assert found(none, ["dog", "", "x" * 40]) == [-1, -1, -1]


def test_the_scores_of_lines_are_those_of_single_pairs_up_to_rounding() -> None:
    space = EntailmentSpace.from_vectors(google_news().head(400))
    words = list(space.vocabulary.words[:400])
    pairs = list(zip(words, words[::-1], strict=True))
    text = "".join(f"{hypo}\t{hyper}\n" for hypo, hyper in pairs).encode()
    lines = scored(text, space)[0].decode().splitlines()
    for (hypo, hyper), line in zip(pairs[::20], lines[::20], strict=True):
        # Computed in float32, and written with four decimals.
        assert float(line.split("\t")[2]) == pytest.approx(space.score(hypo, hyper), rel=1e-5, abs=5.1e-5)


# Other answers


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_a_function_answers_lines_whatever_the_blocks(size: int) -> None:
    def answer(first: list[str], second: list[str]) -> tuple[list[list[str] | None], list[str]]:
        pairs = zip(first, second, strict=True)
        return [None if "?" in one else [one[0], other[0]] for one, other in pairs], [w for w in first if "?" in w]

    text = "a\tb\nöl\tfett\tn\r\n?\tdog\nalone\ndog\tanimal".encode()
    written: list[bytes] = []
    blocks = (text[at : at + size] for at in range(0, len(text), size))
    tally = answer_lines(answer, ["x", "y"], blocks, written.append, on_error="skip", header=True)
    expected = "a\tb\tx\ty\nöl\tfett\tn\tö\tf\n?\tdog\t\t\ndog\tanimal\td\ta\n"
    assert b"".join(written).decode() == expected
    assert (tally.lines, tally.pairs, tally.unknown, tally.skipped, tally.examples) == (5, 3, 1, 1, ["?"])
