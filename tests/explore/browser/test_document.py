"""The document and its store, in the browser: plain data, pure transitions, and a storage that may be full."""

import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

Open = Callable[..., Any]
Run = Callable[..., Any]

LIST = {"kind": "list", "words": ["dog", "animal", "cat"]}
TOMATO = {"kind": "word", "word": "tomato"}


@pytest.fixture
def run(open_page: Open) -> Run:
    """Runs the body of a function in the page, which has `documents`, `Store` and `given`."""
    page = open_page("/theory")

    def running(body: str, given: Any = None) -> Any:
        code = (
            "async given => { const documents = await import('/lib/document.js');"
            "const { Store } = await import('/lib/store.js');"
            "const memory = () => { const all = new Map(); return {"
            " getItem: name => all.get(name) ?? null, setItem: (name, text) => all.set(name, String(text)),"
            " removeItem: name => all.delete(name), key: i => [...all.keys()][i],"
            " get length() { return all.size; } }; };"
            "const full = () => { throw new DOMException('', 'QuotaExceededError'); };"
            f"{body} }}"
        )
        return page.evaluate(code, given)

    return running


def test_moving_between_states_loses_none_of_them(run: Run) -> None:
    found = run(
        "let d = documents.opened(documents.empty(), given[0]); d = documents.opened(d, given[1]);"
        "return [d.at, d.states.list, documents.current(d), documents.opened(d, d.states.list).states.word]",
        [LIST, TOMATO],
    )
    assert found == ["word", LIST, TOMATO, TOMATO]


def test_transitions_leave_the_document_before_them_as_it_was(run: Run) -> None:
    same = run(
        "const before = documents.opened(documents.empty(), given); const text = JSON.stringify(before);"
        "documents.changed(before, { words: ['owl'] }); documents.opened(before, { kind: 'start' });"
        "return text === JSON.stringify(before)",
        LIST,
    )
    assert same


def test_work_is_undone_and_redone_and_moving_about_is_no_step(run: Run) -> None:
    told = run(
        "const store = new Store(memory()); const seen = []; store.subscribe((_, why) => seen.push(why));"
        "store.open(given[0]); store.change({ words: ['dog', 'animal'] }); store.open(given[1]);"
        "const story = []; const words = () => store.document.states.list?.words;"
        "const note = () => story.push([words(), store.document.at]);"
        "note(); store.undo(); note(); store.redo(); note();"
        "store.undo(); store.open({ ...given[0], words: ['owl'] }); story.push([words(), store.canRedo]);"
        "return [story, seen]",
        [LIST, TOMATO],
    )
    whole, less = LIST["words"], ["dog", "animal"]
    assert told[0] == [[less, "word"], [whole, "list"], [less, "list"], [["owl"], False]]
    assert told[1] == ["open", "change", "open", "undo", "redo", "undo", "open"]


def test_undo_leads_back_to_where_the_work_was_before_it(run: Run) -> None:
    told = run(
        "const store = new Store(memory()); store.open(given); store.change({ words: ['a'] });"
        "store.undo(); const canUndo = store.canUndo; store.undo(); store.undo();"
        "return [canUndo, store.state]",
        LIST,
    )
    assert told == [False, LIST]


def test_what_follows_from_a_list_is_no_step(run: Run) -> None:
    told = run(
        "const store = new Store(memory()); store.open(given); store.change({ words: ['a'] }); store.undo();"
        "store.change({ parents: { dog: [] } }); const kept = [store.canUndo, store.canRedo];"
        "store.redo(); return [...kept, store.state.words]",
        LIST,
    )
    assert told == [False, True, ["a"]]


def test_what_changes_nothing_is_told_to_nobody(run: Run) -> None:
    assert not run(
        "const store = new Store(memory()); store.open(given); let told = 0; store.subscribe(() => (told += 1));"
        "store.open({ words: given.words, kind: 'list' }); store.change({ words: given.words }); return told",
        LIST,
    )


def test_a_document_is_there_again_after_a_reload(run: Run) -> None:
    found = run(
        "const storage = memory(); const store = new Store(storage); store.open(given[0]); store.open(given[1]);"
        "store.save(); return new Store(storage).document",
        [LIST, TOMATO],
    )
    assert found == {"at": "word", "beside": None, "states": {"start": {"kind": "start"}, "list": LIST, "word": TOMATO}}


def test_a_full_storage_is_told_and_loses_nothing_that_is_open(run: Run) -> None:
    told = run(
        "const storage = memory(); const setItem = storage.setItem; let room = false;"
        "storage.setItem = (...both) => { if (!room) full(); setItem(...both); };"
        "const store = new Store(storage); store.open(given);"
        "const first = [store.save(), store.full, store.state.words.length, store.keepVersion('v'), store.keep(given)];"
        "room = true; return [...first, store.save(), store.full]",
        LIST,
    )
    assert told == [False, True, 3, False, None, True, False]


def test_states_kept_for_addresses_make_room_for_the_document(run: Run) -> None:
    told = run(
        "const storage = memory(); const store = new Store(storage); const key = store.keep(given); store.open(given);"
        "const setItem = storage.setItem;"
        "storage.setItem = (...both) => { if (storage.length) full(); setItem(...both); };"
        "const found = store.kept(key); return [found, store.save(), store.kept(key)]",
        LIST,
    )
    assert told == [LIST, True, None]


def test_versions_have_names_and_can_be_restored_and_that_undone(run: Run) -> None:
    told = run(
        "const storage = memory(); const store = new Store(storage); store.open(given); store.keepVersion('first', 1);"
        "store.change({ words: ['owl'] }); store.keepVersion('second', 2); store.keepVersion('first', 3);"
        "const names = store.versions.map(({ name, time }) => [name, time]);"
        "const [version] = store.versions; store.change({ words: ['ant'] }); store.restore(version.document);"
        "const restored = store.state.words; store.undo(); const undone = store.state.words;"
        "store.dropVersion('second'); return [names, restored, undone, store.versions.length]",
        LIST,
    )
    assert told == [[["first", 3], ["second", 2]], ["owl"], ["ant"], 1]


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "null", "[]", '"start"', '{"states": 3}', '{"at": "word"}', "[" * 100_000],
    ids=["empty", "text", "null", "list", "string", "no states", "nothing", "deep"],
)
def test_what_is_no_document_is_none(run: Run, text: str) -> None:
    assert run("return documents.parsed(given)", text) is None


def test_of_a_document_that_anyone_wrote_only_states_are_taken(run: Run) -> None:
    text = json.dumps(
        {
            "at": "pair",
            "beside": {"kind": "word", "word": 3},
            "states": {
                "word": {"kind": "word", "word": "x", "against": 3},
                "start": {"kind": "start", "words": [["x"]]},
                "pair": {"kind": "word", "word": "x"},
                "list": {"kind": "list", "words": ["a", 3]},
                "hierarchy": {"kind": "hierarchy", "text": "a\n  b"},
                "__proto__": {"kind": "word"},
                "elsewhere": {"kind": "elsewhere"},
            },
        }
    )
    found = run("return documents.parsed(given)", text)
    hierarchy = {"kind": "hierarchy", "text": "a\n  b"}
    assert found == {"at": "start", "beside": None, "states": {"start": {"kind": "start"}, "hierarchy": hierarchy}}


def test_a_difference_tells_who_moved_what(run: Run) -> None:
    before = {
        "kind": "list",
        "words": ["dog", "cat", "animal", "stone"],
        "parents": {"dog": ["animal"], "cat": ["stone"], "animal": [], "stone": []},
        "entails": [],
    }
    after = {
        "kind": "list",
        "words": ["dog", "cat", "animal", "owl"],
        "parents": {"dog": ["owl"], "cat": ["animal"], "animal": [], "owl": []},
        "entails": [["cat", "animal"]],
    }
    found = run(
        "return [documents.difference(given[0], given[1]), documents.difference(given[1], given[1])]", [before, after]
    )
    assert found[0] == {"added": ["owl"], "removed": ["stone"], "byYou": ["cat"], "byModel": ["dog"]}
    rooted = run("return documents.difference(given[0], { ...given[1], roots: ['dog'] })", [before, after])
    assert rooted["byYou"] == ["dog", "cat"]
    assert found[1] == {"added": [], "removed": [], "byYou": [], "byModel": []}
