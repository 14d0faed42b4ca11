"""A progress callback that raises ends the work: at every entry point, soon, and with its own error."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from entvec import taxonomy
from entvec.graphs import Taxonomy, from_text, read, to_text, write
from entvec.graphs.formats import FORMATS, readable_formats
from entvec.progress import Progress
from entvec.space.default import default_space

SPACE = default_space()
WORDS = [word for word in SPACE.vocabulary.words[1000:1400] if word.isalpha()][:200]
CHAIN = Taxonomy.from_edges([(f"c{i}", f"c{i + 1}") for i in range(4000)])
WORD_CHAIN = Taxonomy.from_edges(pairwise(WORDS), negations=[(WORDS[0], WORDS[9])])


class Cancelled(ValueError):
    """What parsers of others would take for an error of their own."""


WORK: dict[str, Callable[[Progress], Any]] = {
    "induce": lambda progress: taxonomy.induce(WORDS, SPACE, add=True, progress=progress),
    "audit": lambda progress: taxonomy.audit(WORD_CHAIN, SPACE, progress=progress),
    "audit without vectors": lambda progress: taxonomy.audit(
        Taxonomy.from_edges([(f"c{i}", f"c{i + 1 + i % 2}") for i in range(99)] + [("c2", "c50")]), progress=progress
    ),
    "common": lambda progress: taxonomy.common(WORDS[:9], SPACE, progress=progress),
    "abstractions": lambda progress: taxonomy.abstractions(WORDS, SPACE, 20, progress=progress),
    "neighbourhood": lambda progress: taxonomy.neighbourhood("dog", SPACE, progress=progress),
    "place": lambda progress: taxonomy.place("theremin", SPACE, like=["violin"], progress=progress),
}


def reading(name: str) -> Callable[[Progress], Any]:
    text = to_text(CHAIN, name)
    return lambda progress: from_text(text, name, progress=progress)


def writing(name: str) -> Callable[[Progress], Any]:
    return lambda progress: to_text(CHAIN, name, progress=progress)


WORK |= {f"from {name}": reading(name) for name in readable_formats()}
WORK |= {f"to {name}": writing(name) for name in FORMATS}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_what_the_callback_raises_ends_the_work(work: Callable[[Progress], Any]) -> None:
    told: list[tuple[int, int]] = []
    work(lambda *done: told.append(done))
    assert told

    def cancel(*_: int) -> None:
        told.append((0, 0))
        raise Cancelled

    for at in {0, len(told) // 2, len(told) - 1}:
        calls: list[tuple[int, int]] = []

        def later(*done: int, calls: list[Any] = calls, at: int = at) -> None:
            calls.append(done)
            if len(calls) > at:
                cancel()

        with pytest.raises(Cancelled):
            work(later)
        assert len(calls) == at + 1


def test_files_are_read_and_written_with_a_callback_too(tmp_path: Any) -> None:
    def cancel(*_: int) -> None:
        raise Cancelled

    write(CHAIN, tmp_path / "chain.tsv")
    with pytest.raises(Cancelled):
        read(tmp_path / "chain.tsv", progress=cancel)
    before = (tmp_path / "chain.tsv").read_bytes()
    with pytest.raises(Cancelled):
        write(CHAIN, tmp_path / "chain.tsv", progress=cancel)
    assert (tmp_path / "chain.tsv").read_bytes() == before


def test_a_list_without_an_end_is_reported_while_it_is_read() -> None:
    text = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n<u:a> s:member ("
    told: list[int] = []
    from_text(text + "<u:b> " * 20_000 + ").", "skos", progress=lambda *_: told.append(0))
    assert len(told) > 20
