"""What is around every state: the panel, undo, versions, copies, and an address for each."""

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]
TREE = "animal\n  dog\n  cat\n"


def panel(page: Any) -> Any:
    return page.get_by_role("complementary", name="Beside the picture")


def test_words_and_pairs_of_a_picture_open_beside_it_and_nothing_is_lost(open_page: Open) -> None:
    page = open_page("/map?words=dog")
    page.get_by_role("combobox", name="Ask about words").fill("tomato: fruit | herb")
    page.keyboard.press("Enter")
    expect(panel(page).get_by_role("heading", level=1)).to_have_text("tomato")
    expect(panel(page).locator(".comparison-rows li")).to_have_count(2)
    expect(page.get_by_role("heading", name="Around dog")).to_be_visible()
    panel(page).get_by_role("link", name="Open alone").click()
    expect(page).to_have_url(re.compile(r"/word\?word=tomato&against=fruit%2Cherb"))
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.get_by_role("heading", name="Around dog")).to_be_visible()


def test_on_a_phone_the_panel_covers_the_picture_until_it_is_closed(open_page: Open) -> None:
    page = open_page("/map?words=dog&beside=poodle", phone=True)
    expect(panel(page).get_by_role("heading", level=1)).to_have_text("poodle")
    assert page.locator("main").evaluate("main => main.inert")
    panel(page).press("Escape")
    expect(panel(page)).to_be_hidden()
    assert not page.locator("main").evaluate("main => main.inert")
    expect(page).to_have_url("/map?words=dog")


@pytest.mark.parametrize(
    ("path", "command", "python"),
    [
        ("/word?word=ice+cream", "entvec hypernyms 'ice cream'", 'space.hypernyms("ice cream")'),
        ("/word?word=tomato&against=fruit,herb", "entvec relation tomato herb", 'in ["fruit", "herb"]'),
        ("/pair?first=wheel&second=it%27s", "entvec relation wheel 'it'\\''s'", 'relation("wheel", "it\'s")'),
        ("/", "entvec taxonomy build --shape dag instrument", "induce("),
        ("/map?words=dog&below=4", None, 'neighbourhood(["dog"], space, below=4)'),
    ],
)
def test_every_state_is_copied_as_a_link_a_command_python_and_curl(
    open_page: Open, path: str, command: str | None, python: str
) -> None:
    page = open_page(path)
    page.wait_for_load_state("networkidle")  # a picture is announced when it is there
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as", exact=True).click()
    ways = page.locator(".way")
    expect(ways.first).to_contain_text("Link")
    expect(ways.first).to_contain_text(page.url)
    if command is not None:
        expect(ways.filter(has_text="Command line")).to_contain_text(command)
    expect(ways.filter(has_text="Python")).to_contain_text(python)
    curl = ways.filter(has_text="curl").locator("code").inner_text()
    found = re.search(r"curl -s (\S+) -H .* -d '?(\{.*\})'?$", curl.replace("'\\''", "'"))
    assert found
    assert page.request.post(found[1].strip("'"), data=json.loads(found[2])).ok
    page.get_by_role("button", name="Copy as Python").click()
    expect(page.get_by_role("status").first).to_contain_text("Python copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    compile(copied, "copied", "exec")


def test_versions_are_kept_restored_and_compared(open_page: Open, tmp_path: Path) -> None:
    page = open_page("/map?words=dog")
    versions = page.get_by_role("button", name="Versions", exact=True)
    versions.click()
    page.get_by_label("Name", exact=True).fill("dogs")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".versions").get_by_text("Kept as “dogs”.")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / "document.json"
    saved.value.save_as(file)
    assert json.loads(file.read_text())["states"]["map"]["words"] == ["dog"]
    page.goto("/map?words=wine")
    expect(page.get_by_role("heading", name="Around wine")).to_be_visible()
    versions.click()
    expect(page.locator(".versions li")).to_contain_text("Nothing has changed in lists since then.")
    page.get_by_role("button", name="Go back to dogs").click()
    expect(page.get_by_role("heading", name="Around dog")).to_be_visible()
    expect(page).to_have_url("/map?words=dog")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("heading", name="Around wine")).to_be_visible()
    page.keyboard.press("Control+Shift+z")
    expect(page.get_by_role("heading", name="Around dog")).to_be_visible()
    versions.click()
    page.get_by_role("button", name="Delete dogs").click()
    expect(page.locator(".versions li")).to_have_count(0)
    page.locator(".versions input[type=file]").set_input_files(file)
    expect(page.locator(".versions")).to_be_hidden()
    versions.click()
    page.locator(".versions input[type=file]").set_input_files(
        {"name": "other.json", "mimeType": "application/json", "buffer": b"[]"}
    )
    expect(page.locator(".versions").get_by_text("This file is not a document of this page.")).to_be_visible()


def test_a_document_that_anyone_wrote_is_text_and_no_code(open_page: Open) -> None:
    page = open_page("/")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    evil = "<img src=x onerror=alert(1)>"
    states = {
        "start": {"kind": "start", "words": [evil]},
        "word": {"kind": "word", "word": evil, "against": [evil, "__proto__"], "sense": evil},
        "pair": {"kind": "pair", "first": evil, "second": "constructor", "asked": "toString"},
        "list": {"kind": "list", "words": [evil, "__proto__", "dog"]},
        "hierarchy": {"kind": "hierarchy", "text": f"{evil}\n  {evil}"},
    }
    document = {"at": "start", "beside": states["pair"], "states": states, "__proto__": {"at": "word"}}
    buffer = json.dumps(document).encode()
    for kind in ("start", "word", "pair"):
        page.get_by_role("button", name="Versions", exact=True).click()
        file = {
            "name": "d.json",
            "mimeType": "application/json",
            "buffer": buffer.replace(b'"start"', f'"{kind}"'.encode(), 1),
        }
        page.locator(".versions input[type=file]").set_input_files(file)
        expect(page.locator(".versions")).to_be_hidden()
        expect(page.locator("body")).to_have_attribute("data-at", kind)
        expect(page.locator("main").get_by_text(evil).first).to_be_visible()
        expect(page.locator("img[onerror]")).to_have_count(0)


def test_what_changed_since_a_version_is_counted(open_page: Open) -> None:
    page = open_page("/map")
    before = {"kind": "list", "words": ["dog", "cat"], "parents": {"dog": [], "cat": []}}
    after = {
        "kind": "list",
        "words": ["dog", "cat", "animal"],
        "parents": {"dog": ["animal"], "cat": ["animal"], "animal": []},
        "entails": [["dog", "animal"]],
    }
    told = page.evaluate(
        "async ([before, after]) => { const { changes } = await import('/lib/versions.js');"
        "return changes({ states: { list: before } }, { states: { list: after } }); }",
        [before, after],
    )
    assert told == "Since then: List: you moved 1, the model moved 1, 1 word more."


def test_a_document_is_there_again_after_a_reload_and_after_the_server_was_killed(
    browser: Any, start: Callable[..., Any]
) -> None:
    context = browser.new_context()
    page = context.new_page()
    with start() as served:
        port = served.port
        page.goto(f"http://{served.host}:{port}/pair?first=dog&second=animal")
        expect(page.get_by_role("heading", level=1)).to_have_text("dog is a kind of animal.")
        page.goto(f"http://{served.host}:{port}/map?words=dog,guitar")
        expect(page.get_by_role("heading", name="Around 2 words")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="Around 2 words")).to_be_visible()
        served.process.send_signal(signal.SIGKILL)
        served.process.wait(timeout=30)
        page.get_by_role("combobox", name="Ask about words").fill("cat")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert").first).to_contain_text("start it again")
    with start("--port", str(port)) as served:
        page.goto(f"http://{served.host}:{port}/theory")
        page.get_by_role("link", name="Map", exact=True).click()
        expect(page.get_by_role("heading", name="Around 2 words")).to_be_visible()
        page.goto(f"http://{served.host}:{port}/pair")
        expect(page.get_by_role("heading", level=1)).to_have_text("dog is a kind of animal.")
    context.close()


def test_an_address_at_which_there_is_nothing_shows_the_ways_back(open_page: Open, accessible: Check) -> None:
    page = open_page("/constructor", refusals=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing at this address.")
    expect(page).to_have_title("Nothing here · entvec")
    accessible(page)
    page.get_by_role("main").get_by_role("link", name="Start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What is a kind of what?")


def test_the_way_past_the_navigation_keeps_what_was_typed(open_page: Open) -> None:
    page = open_page("/map")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("combobox", name="Ask about words").fill("guitar")
    page.get_by_role("link", name="Skip to the content").press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    expect(page.get_by_role("combobox", name="Ask about words")).to_have_value("guitar")
    expect(page).to_have_url("/map")


def test_menus_can_be_used_by_all(open_page: Open, accessible: Check) -> None:
    page = open_page("/pair?first=dog&second=animal", phone=True)
    page.get_by_role("button", name="Copy as", exact=True).click()
    expect(page.locator(".way")).to_have_count(4)
    accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Versions", exact=True).click()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
