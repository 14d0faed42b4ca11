"""What every store of spaces does, whichever database it is."""

import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from entvec.bundled import toy_world, wordnet_knowledge
from entvec.errors import InvalidInput, StoreError, WordNotFound, WordsNotFound
from entvec.space import BatchMatches, EntailmentSpace
from entvec.stores import backend
from entvec.vectors import Vectors

BELOW = "length < {most}"

WORLD = toy_world()
TOY = Vectors(WORLD.words, WORLD.log_odds().astype(np.float32))


def toys(**options: Any) -> EntailmentSpace:
    return EntailmentSpace.from_vectors(TOY, **{"interpretation": "log_odds", "specificity": 0, **options})


def version(space: Any) -> str:
    """The version of a space in a database that serves."""
    return str(space.backend.version)


@contextmanager
def exported(space: EntailmentSpace, place: Any, name: str, **options: Any) -> Iterator[Any]:
    """The space, as the database has it."""
    space.export(place.url, name=name, **options)
    with EntailmentSpace.open(place.url, name) as there:
        yield there


def check_alike(local: Any, stored: Any) -> None:
    """The same words in the same order, with the same scores."""
    assert stored.words == local.words
    if isinstance(local, BatchMatches):
        for one, two in zip(local, stored, strict=True):
            check_alike(one, two)
        return
    np.testing.assert_array_equal(stored.indices, local.indices)
    np.testing.assert_allclose(stored.scores, local.scores, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(stored.order, local.order, rtol=1e-5, atol=1e-4)
    if local.probabilities is not None:
        np.testing.assert_allclose(stored.probabilities, local.probabilities, atol=1e-4)


# Questions


def test_the_toy_world_answers_from_the_database(place: Any, name: str) -> None:
    with exported(toys(), place, name) as there:
        assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]
        assert there.hyponyms("animal", k=2).words == toys().hyponyms("animal", k=2).words
        assert there.score("dog", "animal") == toys().score("dog", "animal")
        assert there.direction("animal", "dog").hypo == "dog"
        assert (len(there), there.operator, "dog" in there, "qqqq" in there) == (6, "backward", True, False)
        with pytest.raises(InvalidInput, match="not calibrated"):
            there.probability("dog", "animal")


def test_searches_and_scores_are_those_of_the_space(news: EntailmentSpace, kept: Any) -> None:
    there = kept.there
    words = list(news.vocabulary.words[::40])
    for verb in ("hypernyms", "hyponyms"):
        for options in ({}, {"specificity": 0}, {"specificity": 0.3}, {"exclude_self": False}, {"group": True}):
            local, stored = (getattr(each, verb)(words, k=7, **options) for each in (news, there))
            check_alike(local, stored)
            assert stored.variants == local.variants
        check_alike(getattr(news, verb)(words[0]), getattr(there, verb)(words[0]))
    others = words[::-1]
    for ask in ("score", "probability"):
        np.testing.assert_allclose(getattr(there, ask)(words, others), getattr(news, ask)(words, others), rtol=1e-9)
    assert there.score(words[0], words[1]) == news.score(words[0], words[1])
    assert there.verdict(words, words[3]).tolist() == news.verdict(words, words[3]).tolist()


def test_rankings_by_all_evidence_are_those_of_the_space(news: EntailmentSpace, kept: Any) -> None:
    known = wordnet_knowledge()
    here, there = news.with_knowledge(known), kept.there.with_knowledge(known)
    words = [*news.vocabulary.words[3:290:57], "man", "country", "poodle_dog", "man#1"]
    for verb in ("hypernyms", "hyponyms"):
        for options in ({}, {"specificity": 0}, {"group": True}, {"among": list(news.vocabulary.words[:80])}):
            local, stored = (getattr(each, verb)(words, k=5, **options) for each in (here, there))
            assert stored.words == local.words
            np.testing.assert_allclose(stored.order, local.order, rtol=1e-5, atol=1e-4)
    assert [match.reason for match in there.hypernyms("man")] == [match.reason for match in here.hypernyms("man")]
    limited = there.hypernyms(words, k=5, where=BELOW.format(most=6))
    assert all(len(word) < 6 for found in limited.words for word in found)
    assert limited.words[-3], "facts count under a condition, too"


def test_vectors_can_be_asked_for_too(news: EntailmentSpace, kept: Any) -> None:
    there = kept.there
    some = news.vectors.matrix[:3] * 0.9
    check_alike(news.hypernyms(some), there.hypernyms(some))
    check_alike(news.hypernyms(some[0]), there.hypernyms(some[0]))
    np.testing.assert_allclose(there.score(some, "man"), news.score(some, "man"), rtol=1e-9)
    assert len(there.hypernyms([])) == 0
    assert there.score([], "man").shape == (0,)
    with pytest.raises(InvalidInput, match="shape"):
        there.hypernyms(some[:, :5])


def test_a_batch_answers_as_its_questions_do(news: EntailmentSpace, kept: Any) -> None:
    there = kept.there
    words = list(news.vocabulary.words[3:290:57])
    together = there.hypernyms(words, k=4)
    for word, found in zip(words, together, strict=True):
        check_alike(there.hypernyms(word, k=4), found)


def test_any_number_of_words_can_be_wanted(place: Any, name: str) -> None:
    with exported(toys(), place, name) as there:
        assert there.hypernyms("dog", k=0).words == []
        assert len(there.hypernyms("dog", k=100)) == 5
        assert len(there.hypernyms("dog", k=100, exclude_self=False)) == 6
        with pytest.raises(InvalidInput, match="k is -1"):
            there.hypernyms("dog", k=-1)


def test_words_are_found_as_in_a_local_space(place: Any, name: str) -> None:
    words = ["dog", "Dog", "ice_cream", "New_York", "o'clock", 'a"b', "100%", "日本", "ＤＯＧ", "ß", "x\\y", "w" * 3000]
    vectors = Vectors(words, np.random.default_rng(2).normal(size=(len(words), 4)).astype(np.float32))
    local = EntailmentSpace.from_vectors(vectors)
    with exported(local, place, name) as there:
        for word in [*words, "DOG", "Ice Cream", "ice cream", "new york", "NEW_YORK", 'A"B', "SS", "W" * 3000]:
            assert there.spelled(word) == local.vocabulary.words[local.vocabulary.row(word)]
        for word in ["cat", "do", "dog ", "a\nb", "a\0b", "\ud800", "%", "_", "' OR 1=1 --"]:
            assert word not in local
            assert word not in there
            with pytest.raises(WordNotFound):
                there.hypernyms(word)
        with pytest.raises(WordNotFound, match=r"no word 'dgo' among 12"):
            there.score("dgo", "dog")
        with pytest.raises(InvalidInput, match="empty word"):
            there.score("", "dog")
        with pytest.raises(InvalidInput, match=r"hypo\[1\] is 5, expected a string"):
            there.score(["dog", 5], "dog")


def test_a_misspelled_word_has_suggestions(kept: Any) -> None:
    with pytest.raises(WordNotFound, match=r"did you mean '\w+'") as told:
        kept.there.hypernyms("peolpe")
    assert "people" in told.value.suggestions


def test_suggestions_begin_with_forms_of_the_word(place: Any, name: str) -> None:
    words = ["peaple", "person", "PEOPLE", "goose", "e-mail", "ice_cream", "stop"]
    local = EntailmentSpace.from_vectors(Vectors(words, np.random.default_rng(2).normal(size=(len(words), 4))))
    with exported(local, place, name) as there:
        for asked, form in {"peoples": "PEOPLE", "geese": "goose", "emails": "e-mail", "icecream": "ice_cream"}.items():
            assert there.vocabulary.not_found([asked]).suggestions[0] == form
        assert there.vocabulary.not_found(["stopping", "qqqq"]).suggestions == ["stop"]


def test_missing_words_are_told_together_or_left_without_an_answer(news: EntailmentSpace, kept: Any) -> None:
    there, some, known = kept.there, ["man", "peolpe", "people", "qqqq"], ["man", "people"]
    for ask in (there.hypernyms, lambda words: there.score(words, "man")):
        with pytest.raises(WordsNotFound, match=r"^2 words are not among 300: 'peolpe' \(did you mean .*'qqqq';"):
            ask(some)
    found = there.score(some, "man", missing="nan")
    assert np.isnan(found).tolist() == [False, True, False, True]
    np.testing.assert_allclose(found[[0, 2]], news.score(known, "man"), rtol=1e-9)
    assert there.hypernyms(some, 3, missing="nan").words[1::2] == [[], []]
    assert there.hypernyms(some, 3, missing="nan").words[::2] == there.hypernyms(known, 3).words


def test_suggestions_outlive_the_space_that_was_asked(news: EntailmentSpace, place: Any, name: str) -> None:
    with pytest.raises(WordNotFound) as told, exported(news, place, name) as there:
        there.hypernyms("peolpe")
    assert "people" in told.value.suggestions
    there = EntailmentSpace.open(place.url, name)
    with pytest.raises(WordNotFound) as told:
        there.hypernyms("peolpe")
    there.close()
    assert told.value.suggestions == []
    assert str(told.value) == "no word 'peolpe' among 300"


def test_a_search_may_be_limited_to_words(news: EntailmentSpace, kept: Any) -> None:
    there = kept.there
    some = list(news.vocabulary.words[5:290:3])
    for verb in ("hypernyms", "hyponyms"):
        check_alike(getattr(news, verb)("man", among=some), getattr(there, verb)("man", among=some))
    assert there.hypernyms("man", among=some[:2], k=10).words == news.hypernyms("man", among=some[:2], k=10).words
    assert there.hypernyms("man", among=[]).words == []
    with pytest.raises(WordNotFound):
        there.hypernyms("man", among=["qqqq"])


# Conditions


def check_conditions(news: EntailmentSpace, there: Any) -> None:
    for most in (4, 6, 100, 0):
        short = [word for word in news.vocabulary.words if len(word) < most]
        found = there.hypernyms(["man", "year"], where=BELOW, values={"most": most})
        check_alike(news.hypernyms(["man", "year"], among=short), found)
    both = there.hypernyms("man", among=["year", "people", "day"], where="length < 5 AND NOT length = 99")
    assert sorted(both.words) == ["day", "year"]


def test_a_search_may_be_limited_by_a_condition(news: EntailmentSpace, kept: Any) -> None:
    assert kept.there.backend.columns == {"length": int, "kind": str}
    check_conditions(news, kept.there)


def test_so_may_one_by_an_index(news: EntailmentSpace, lengths: Any, place: Any, name: str) -> None:
    with exported(news, place, name, columns=lengths, index="hnsw", sides=["hyper"]) as there:
        check_conditions(news, there)


@pytest.mark.parametrize("where", ["kind = {kind}", "kind = %(kind)s"], ids=["braces", "percent"])
def test_values_of_a_condition_are_bound_and_never_written_into_it(where: str, kept: Any) -> None:
    found = kept.there.hypernyms("man", where=where, values={"kind": "kind 1"}, k=50)
    assert len(found) == 50
    assert {len(word) % 3 for word in found.words} == {1}
    for odd in ("' OR 1=1 --", '" or true or "', "kind 1' OR 'a'='a", "{kind}", "%(kind)s", "%", "\\"):
        assert kept.there.hypernyms("man", where=where, values={"kind": odd}).words == []


def test_a_condition_with_an_error_in_it_is_refused_in_one_line(news: EntailmentSpace, kept: Any) -> None:
    for where, values in [("length <", None), (BELOW, {}), (BELOW, {"most": object()}), (BELOW, [3]), (" ", None)]:
        with pytest.raises(InvalidInput, match=r"^[^\n]*\bwhere\b[^\n]*$"):
            kept.there.hypernyms("man", where=where, values=values)
    with pytest.raises(InvalidInput, match="values without `where`"):
        kept.there.hypernyms("man", values={"most": 3})
    with pytest.raises(InvalidInput, match=r"expected a column, got 'nowhere'.* the columns are word, row, "):
        kept.there.hypernyms("man", where="nowhere < 3")
    assert kept.there.hypernyms("man").words == news.hypernyms("man").words  # and questions go on


def test_columns_of_the_version_before_that_are_lost_are_told(place: Any, name: str) -> None:
    columns = {"pos": ["noun"] * 6, "rank": range(6)}
    assert list(toys().export(place.url, name=name, columns=columns).lost) == []
    assert list(toys().export(place.url, name=name, columns=columns).lost) == []
    assert list(toys().export(place.url, name=name, columns={"rank": range(6)}).lost) == ["pos"]
    assert list(toys().export(place.url, name=name).lost) == ["rank"]
    assert list(toys().export(place.url, name=name).lost) == []


def test_columns_of_all_types(place: Any, name: str) -> None:
    columns: dict[str, Any] = {
        "noun": [True, True, True, True, False, False],
        "rank": np.arange(6),
        "share": np.linspace(0, 1, 6, dtype=np.float32),
        "note": ["a", "ß", "", "'", '"', "日本"],
        "array": np.array(["a", "b", "c", "d", "e", "f"]),
    }
    with exported(toys(), place, name, columns=columns) as there:
        assert there.backend.columns == {"noun": bool, "rank": int, "share": float, "note": str, "array": str}


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"rank": [1, 2]}, "expected a value for each"),
        ({"Rank": range(6)}, "a column is called 'Rank'"),
        ({"word": ["a"] * 6}, "a column is called 'word'"),
        ({"rank; drop": range(6)}, "a column is called"),
        ({"rank": [1, 2, 3, 4, 5, None]}, "expected bool, int, float or str"),
        ({"rank": [1, 2, 3, 4, 5, "six"]}, "expected bool, int, float or str"),
        ({"rank": [1.0, 2, 3, 4, 5, np.nan]}, "NaN"),
        ({"rank": [2**64 - 1] * 6}, "expected bool, int, float or str"),
        ({"note": ["a\0b"] * 6}, "NUL"),
    ],
)
def test_columns_that_cannot_be_kept(columns: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=text):
        toys().export(f"postgresql:{tmp_path / 'data'}", columns=columns)
    assert list(tmp_path.iterdir()) == []


# Indexes


def test_every_index_finds_what_it_promises(news: EntailmentSpace, place: Any, name: str) -> None:
    words = list(news.vocabulary.words[::7])
    exact = news.hypernyms(words).words
    for kind in place.kinds:
        done = news.export(place.url, name=name, index=kind)
        assert done.recall.keys() == {"hypo", "hyper"}
        assert min(done.recall.values()) >= 0.98
        with EntailmentSpace.open(place.url, name) as there:
            stored: Any = there.backend
            assert stored.recall == done.recall
            found = there.hypernyms(words).words
        right = [len(set(one) & set(two)) / 10 for one, two in zip(exact, found, strict=True)]
        assert np.mean(right) >= 0.97


def test_what_cannot_be_built_is_told(place: Any, name: str) -> None:
    with pytest.raises(InvalidInput, match=f"no index 'qqq', expected one of {place.kinds[0]}"):
        toys().export(place.url, name=name, index="qqq")
    with pytest.raises(InvalidInput, match="recall is 2"):
        toys().export(place.url, name=name, recall=2)
    with pytest.raises(InvalidInput, match="expected some of hypo and hyper"):
        toys().export(place.url, name=name, sides=["hypers"])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="no words"):
        EntailmentSpace.from_vectors(TOY.head(0)).export(place.url, name=name)
    with pytest.raises(InvalidInput, match="NUL"):
        EntailmentSpace.from_vectors(Vectors(["a\0b"], np.ones((1, 3)))).export(place.url, name=name)
    with pytest.raises(InvalidInput, match="the name of a space is"):
        toys().export(place.url, name='x"; DROP')


# Kinds of spaces


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"operator": "factorised"}, "postgres"),
        ({"operator": "forward", "specificity": 0.5}, "milvus_lite"),
        ({"operator": "cosine", "interpretation": "dup"}, "postgres"),
        ({"dtype": "float16"}, "milvus_lite"),
        ({"dtype": "float64"}, "postgres"),
    ],
    ids=["factorised", "forward", "cosine", "float16", "float64"],
    indirect=["place"],
)
def test_spaces_of_all_kinds(options: Any, place: Any, name: str) -> None:
    local = toys(**options)
    with exported(local, place, name) as there:
        for word in TOY:
            local_found, found = local.hypernyms(word, k=6), there.hypernyms(word, k=6)
            np.testing.assert_allclose(found.scores, local_found.scores, rtol=1e-2, atol=1e-2)
            assert set(found.words) == set(local_found.words)
            np.testing.assert_allclose(there.score(word, list(TOY)), local.score(word, list(TOY)), rtol=1e-6)
        assert there.specificity == local.specificity


def test_a_space_that_cannot_be_searched_is_scored(place: Any, name: str) -> None:
    local = toys(operator="weighted_cosine")
    with exported(local, place, name) as there:
        assert there.score("dog", "animal") == pytest.approx(local.score("dog", "animal"), rel=1e-6)
        with pytest.raises(InvalidInput, match="weighted_cosine is no inner product here"):
            there.hypernyms("dog")
    with pytest.raises(InvalidInput, match="weighted_cosine is no inner product here"):
        local.export(place.url, name=name, sides=["hyper"])


def test_a_vector_that_low_rank_maps_cannot_tell(place: Any, name: str) -> None:
    with (
        exported(toys(operator="factorised"), place, name) as there,
        pytest.raises(InvalidInput, match="1 of 1 vectors have log-odds outside"),
    ):
        there.hypernyms(np.full(5, 1e4))


def test_one_side_only(place: Any, name: str) -> None:
    with exported(toys(), place, name, sides=["hyper"]) as there:
        assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]
        with pytest.raises(InvalidInput, match="without what hyponyms need"):
            there.hyponyms("dog")


# Versions


def test_the_same_space_is_loaded_once(place: Any, name: str) -> None:
    first = toys().export(place.url, name=name)
    again = toys().export(place.url, name=name)
    assert (first.loaded, again.loaded) == (True, False)
    assert (first.version, first.n_words, first.recall) == (again.version, again.n_words, again.recall)
    with EntailmentSpace.open(place.url, name) as there:
        assert version(there) == first.version


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"columns": {"rank": range(6)}}, "postgres"),
        ({"sides": ["hyper"]}, "milvus_lite"),
        ({"index": "hnsw"}, "postgres"),
        ({"recall": 0.5}, "milvus_lite"),
    ],
    ids=["columns", "sides", "index", "recall"],
    indirect=["place"],
)
def test_another_export_is_another_version(change: Any, place: Any, name: str) -> None:
    first = toys().export(place.url, name=name)
    second = toys().export(place.url, name=name, **change)
    assert second.loaded
    assert second.version != first.version


def test_an_open_space_goes_over_to_the_next_version(place: Any, name: str) -> None:
    with exported(toys(), place, name) as there:
        assert there.hypernyms("poodle", k=1).words == ["unk"]
        renamed = Vectors(["pug" if word == "poodle" else word for word in TOY], TOY.matrix)
        toys().with_vocabulary(renamed).export(place.url, name=name)
        assert there.hypernyms("pug", k=1).words == ["unk"]
        assert "poodle" not in there
        assert there.score("pug", "dog") == toys().score("poodle", "dog")


def test_an_answer_is_of_one_version(place: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    local, score = toys(operator="forward"), EntailmentSpace.score
    others = [local]

    def and_another_version_comes(self: Any, hypo: Any, hyper: Any, **options: Any) -> Any:
        found = score(self, hypo, hyper, **options)
        if others:
            others.pop().export(place.url, name=name)
        return found

    expected = local.direction("animal", "dog")
    with exported(toys(), place, name) as there:
        assert toys().direction("animal", "dog").score != expected.score
        monkeypatch.setattr(EntailmentSpace, "score", and_another_version_comes)
        assert there.direction("animal", "dog") == expected
    assert not others


def test_threads_may_ask_while_versions_change(place: Any, name: str) -> None:
    spaces = {operator: toys(operator=operator) for operator in ("backward", "forward")}
    right = {each.score("dog", "animal"): each.hypernyms("dog", k=5).scores.tolist() for each in spaces.values()}
    wrong: list[Any] = []
    done = threading.Event()

    def keep_asking(there: Any) -> None:
        while not done.is_set():
            scores = there.hypernyms("dog", k=5).scores.tolist()
            if not any(np.allclose(scores, each, rtol=1e-5) for each in right.values()):
                wrong.append(scores)
            if not np.isclose(score := there.score("dog", "animal"), list(right)).any():
                wrong.append(score)

    with exported(toys(), place, name) as there, ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(keep_asking, there) for _ in range(2)]
        try:
            for operator in ("forward", "backward"):
                spaces[operator].export(place.url, name=name)
        finally:
            done.set()
        for each in asking:
            each.result()
    assert wrong == []


def test_many_candidates_are_ranked_a_few_queries_at_a_time(
    news: EntailmentSpace, kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, sizes, rank = list(news.vocabulary.words[:9]), [], backend.RemoteBackend._rank

    def note(self: Any, side: Any, vectors: Any, queries: Any, candidates: Any, found: Any) -> None:
        sizes.append(candidates.size)
        rank(self, side, vectors, queries, candidates, found)

    monkeypatch.setattr(backend.RemoteBackend, "_rank", note)
    some = replace(kept.there.backend, candidates_at_once=200)
    there = EntailmentSpace(kept.there.vocabulary, kept.there.model, some)
    check_alike(news.hypernyms(words, k=20), there.hypernyms(words, k=20))
    assert len(sizes) > 1
    assert max(sizes) <= 200


def test_spaces_of_other_names_are_left_alone(place: Any, name: str) -> None:
    toys().export(place.url, name=name)
    toys(operator="forward").export(place.url, name=f"{name}_other")
    with EntailmentSpace.open(place.url, name) as one, EntailmentSpace.open(place.url, f"{name}_other") as two:
        assert (one.operator, two.operator) == ("backward", "forward")
    with pytest.raises(StoreError, match=f"no space was exported under the name '{name}_none'; there are \\w+"):
        EntailmentSpace.open(place.url, f"{name}_none")


def test_a_load_that_is_interrupted_leaves_what_was_there(place: Any, name: str) -> None:
    other = toys(operator="forward")
    with exported(toys(), place, name) as there:
        for moment in ("loading", "building", "trying", "taking over"):

            def stop(what: str, _: float, moment: str = moment) -> None:
                if what.startswith(moment):
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                other.export(place.url, name=name, progress=stop)
            assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]
            with EntailmentSpace.open(place.url, name) as again:
                assert again.operator == "backward"
        assert other.export(place.url, name=name).loaded
        assert there.score("dog", "animal") == other.score("dog", "animal")


@pytest.mark.parametrize("moment", ["loading", "taking over"])
def test_a_killed_load_leaves_what_was_there(moment: str, place: Any, name: str) -> None:
    first = toys().export(place.url, name=name)
    script = f"""
        import sys, time
        import numpy as np
        from entvec.bundled import toy_world, wordnet_knowledge
        from entvec.space import EntailmentSpace
        from entvec.vectors import Vectors

        def stop(what, _):
            if what.startswith({moment!r}):
                print("ready", flush=True)
                time.sleep(60)

        vectors = Vectors(["a", "b", "c"], np.eye(3))
        EntailmentSpace.from_vectors(vectors).export({place.url!r}, name={name!r}, progress=stop)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:  # noqa: S603
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.kill()
    with EntailmentSpace.open(place.url, name) as there:
        assert version(there) == first.version
        assert there.hypernyms("poodle", k=3).words == ["unk", "animal", "dog"]
    assert toys(operator="forward").export(place.url, name=name).loaded  # nothing of the load is in the way


def test_a_closed_space_and_its_description(place: Any, name: str) -> None:
    toys().export(place.url, name=name)
    with EntailmentSpace.open(place.url, name) as there:
        shown = repr(there)
    assert shown == f"EntailmentSpace(6 words x 5, log_odds backward, {name} in {place.url})"
    there.close()  # again does no harm


def test_a_closed_space_says_so(place: Any, name: str) -> None:
    toys().export(place.url, name=name)
    with EntailmentSpace.open(place.url, name) as there:
        assert there.score("dog", "animal") == toys().score("dog", "animal")
    for ask in (lambda: there.hypernyms("cat"), lambda: there.spelled("CAT"), there.follow, there.in_memory):
        with pytest.raises(StoreError, match=r"it was closed; open the space again$"):
            ask()
    with EntailmentSpace.open(place.url, name) as again:
        assert again.spelled("CAT") == "cat"
