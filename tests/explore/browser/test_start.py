"""The first screen: a finished picture, one sentence, one box."""

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]
PICTURE = "Familiar words, the more general the higher"


def box(page: Any) -> Any:
    return page.get_by_role("combobox", name="Ask or paste anything")


def picture(page: Any) -> Any:
    return page.get_by_role("group", name=PICTURE)


def height(page: Any, word: str) -> float:
    found = picture(page).get_by_role("link", name=word, exact=True).bounding_box()
    return float(found["y"])


def asked(page: Any, text: str) -> None:
    box(page).fill(text)
    page.keyboard.press("Enter")


def test_a_picture_of_familiar_words_is_there_with_its_evidence(open_page: Open) -> None:
    page = open_page("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("What is a kind of what?")
    expect(picture(page).get_by_role("link")).to_have_count(13)
    assert height(page, "animal") < height(page, "dog") < height(page, "poodle")
    evidence = page.locator(".start-evidence")
    expect(evidence).to_contain_text("tomato is")
    expect(evidence).to_contain_text(re.compile(r"a kind of fruit>?\d\d%known: tomato → fruit"))
    expect(evidence).to_contain_text("a kind of vegetable")
    picture(page).get_by_role("link", name="snowy owl").hover()
    expect(evidence).to_contain_text("inferred from similar words")


def test_a_word_finds_its_place_and_its_panel_slides_in_beside_the_picture(open_page: Open) -> None:
    page = open_page("/")
    asked(page, "labradoodle")
    panel = page.get_by_role("complementary", name="Beside the picture")
    expect(panel.get_by_role("heading", level=1)).to_have_text("labradoodle")
    expect(page).to_have_url("/?words=labradoodle&beside=labradoodle")
    expect(picture(page).get_by_role("link", name="labradoodle")).to_be_visible()
    assert height(page, "dog") < height(page, "labradoodle")
    page.reload()
    expect(picture(page).get_by_role("link", name="labradoodle")).to_be_visible()
    panel.get_by_role("link", name="dog", exact=True).click()
    expect(panel.get_by_role("heading", level=1)).to_have_text("dog")
    page.go_back()
    expect(panel.get_by_role("heading", level=1)).to_have_text("labradoodle")
    panel.get_by_role("button", name="Close the panel").click()
    expect(panel).to_be_hidden()
    expect(page).to_have_url("/?words=labradoodle")


def test_a_question_a_pair_and_candidates_are_answered_beside_it(open_page: Open) -> None:
    page = open_page("/")
    name = page.get_by_role("complementary", name="Beside the picture").get_by_role("heading", level=1)
    asked(page, "is a tomato a fruit?")
    expect(name).to_have_text("Yestomato is a kind of fruit.")
    asked(page, "is a wheel part of a car?")
    expect(name).to_have_text("Yeswheel is a part of car.")
    asked(page, "is a wheel a car?")
    expect(name).to_have_text("Nowheel is a part of car.")
    asked(page, "dog, cat")
    expect(name).to_have_text(re.compile(r"^dog and cat are siblings, both a kind of \w+\.$"))
    asked(page, "tomato: fruit | vegetable | vehicle")
    answer = page.locator(".comparison-answer")
    expect(answer).to_have_text("tomato is a kind of fruit and of vegetable.")
    page.reload()
    expect(answer).to_have_text("tomato is a kind of fruit and of vegetable.")


def test_lists_and_hierarchies_are_opened_typed_or_pasted(open_page: Open) -> None:
    page = open_page("/")
    box(page).fill("violin, piano, instrument")
    expect(page.locator(".start .box-hint")).to_have_text("a list of 3 words: make a taxonomy")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/(list|taxonomy)\?"))
    page.goto("/")
    pasting = (
        "(input, text) => { const data = new DataTransfer(); data.setData('text/plain', text);"
        "input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); }"
    )
    box(page).evaluate(pasting, "animal\n  dog\n  cat\n")
    expect(page).to_have_url(re.compile(r"/(hierarchy|taxonomy)\?"))


def test_words_are_completed_also_the_last_of_several(open_page: Open) -> None:
    page = open_page("/")
    box(page).press_sequentially("dog, anim")
    option = page.get_by_role("option", name="animal", exact=True)
    expect(option).to_be_visible()
    option.click()
    expect(box(page)).to_have_value("dog, animal")
    box(page).fill("")
    box(page).press_sequentially("guit")
    expect(page.get_by_role("option").first).to_have_text("guitar")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary").get_by_role("heading", level=1)).to_have_text("guitar")


def test_nothing_is_asked_for_by_an_empty_box(open_page: Open) -> None:
    page = open_page("/")
    asked(page, "  ")
    expect(page.locator(".start .box-hint")).to_have_text("Type something first.")
    expect(box(page)).to_be_focused()


def test_examples_lead_to_states(open_page: Open) -> None:
    page = open_page("/")
    page.get_by_role("button", name="wheel : car").click()
    expect(page.get_by_role("complementary").get_by_role("heading", level=1)).to_contain_text("wheel is a part of car")


def test_it_says_what_it_is_biased_by(open_page: Open) -> None:
    page = open_page("/", phone=True)
    expect(page.locator("#bias")).to_contain_text("prejudices")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_first_screen_can_be_used_by_all(open_page: Open, accessible: Check, *, dark: bool, phone: bool) -> None:
    page = open_page("/", dark=dark, phone=phone)
    expect(page.locator(".start-evidence")).to_contain_text("tomato is")
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto("/?words=labradoodle&beside=labradoodle,dog")
    expect(page.locator("#beside").get_by_role("heading", level=1)).to_contain_text("labradoodle is a kind of dog")
    accessible(page)


def test_without_javascript_it_says_what_else_there_is(open_page: Open) -> None:
    page = open_page("/", java_script_enabled=False)
    assert "which needs JavaScript" in page.inner_html("noscript")


def test_first_load_is_small_and_the_picture_is_one_request(open_page: Open) -> None:
    page = open_page("/")
    expect(page.locator(".start-evidence")).to_contain_text("tomato is")
    sizes = page.evaluate(
        "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
        ".map(each => [new URL(each.name).pathname, each.encodedBodySize])"
    )
    assert sum(size for _, size in sizes) < 200_000
    assert [path for path, _ in sizes if path.startswith("/api/taxonomy")] == ["/api/taxonomy/build"]
