"""A word: its senses, its ladder from general to specific, and which of several things it is."""

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]


def ladder(page: Any) -> Any:
    return page.get_by_role("region", name="From general to specific").locator(".ladder").first


def rung(page: Any, word: str) -> Any:
    return ladder(page).get_by_role("listitem").filter(has=page.get_by_role("link", name=word, exact=True))


def test_a_word_is_asked_for_in_the_box_and_stands_between_the_general_and_the_specific(open_page: Open) -> None:
    page = open_page("/word?word=guitar")
    page.get_by_role("combobox", name="Ask about words").fill("dog")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/word?word=dog")
    expect(page).to_have_title("dog · entvec")
    expect(page.get_by_role("heading", level=1)).to_have_text("dog")
    here = ladder(page).locator("[aria-current]")
    expect(here).to_contain_text(re.compile(r"dogcovers \d+ kinds"))
    at = [rung(page, word).bounding_box()["y"] for word in ("animal", "hound")]
    assert at[0] < here.bounding_box()["y"] < at[1]
    bars = [rung(page, word).locator(".rung-scale > span").bounding_box()["width"] for word in ("animal", "pet")]
    assert bars[0] > bars[1]


def test_each_rung_says_how_sure_it_is_and_what_it_rests_on(open_page: Open) -> None:
    page = open_page("/word?word=tomato")
    expect(rung(page, "fruit")).to_contain_text(re.compile(r">?\d\d%known: tomato → fruit"))
    numbers = [int(text.strip(" <>%")) for text in ladder(page).locator("a.number").all_inner_texts()]
    assert min(numbers) >= 50
    page.get_by_text("less likely").click()
    guess = page.locator(".rung.guess").first
    expect(guess).to_contain_text("a guess by the vectors alone")
    expect(page.get_by_text("if a quarter of the pairs")).to_be_visible()
    rung(page, "fruit").locator("a.number").click()
    expect(page).to_have_url("/pair?first=tomato&second=fruit")


def test_senses_have_glosses_and_one_of_them_can_be_asked_about(open_page: Open) -> None:
    page = open_page("/word?word=bank")
    senses = page.get_by_role("region", name="It means, and how often").get_by_role("listitem")
    expect(senses.first).to_contain_text(re.compile(r"1noun a financial institution.*\d\d%"))
    senses.nth(1).get_by_role("button").click()
    expect(page).to_have_url(re.compile(r"sense=bank%23\d"))
    expect(rung(page, "slope")).to_be_visible()
    expect(rung(page, "institution")).to_have_count(0)
    page.reload()
    expect(rung(page, "slope")).to_be_visible()
    page.get_by_role("button", name="Only sense 2").click()
    expect(rung(page, "institution")).to_be_visible()


def test_a_sentence_tells_which_sense_is_meant(open_page: Open) -> None:
    page = open_page("/word?word=bank")
    page.get_by_label("In a sentence").fill("we sat on the grass by the river")
    page.get_by_role("button", name="Read").click()
    expect(page).to_have_url(re.compile(r"context=we\+sat\+on"))
    expect(rung(page, "slope")).to_be_visible()
    expect(page.get_by_label("In a sentence")).to_have_value("we sat on the grass by the river")


def test_candidates_are_compared_side_by_side(open_page: Open) -> None:
    page = open_page("/word?word=tomato")
    field = page.get_by_label("Candidates")
    field.fill("vehicle | vegetable, fruit")
    page.get_by_role("button", name="Compare").click()
    rows = page.locator(".comparison-rows li")
    expect(rows).to_have_text(
        [re.compile(r"^fruit>?\d\d%"), re.compile(r"^vegetable\d\d%"), re.compile(r"^vehicle<?\d%")]
    )
    expect(page).to_have_url(re.compile(r"against=vehicle%2Cvegetable%2Cfruit"))
    expect(page.locator(".comparison")).to_contain_text("narrower 15%")
    page.reload()
    expect(rows).to_have_count(3)


def test_a_new_word_is_said_to_be_inferred(open_page: Open) -> None:
    page = open_page("/word?word=snowy+owl")
    expect(page.get_by_text("all of this is inferred")).to_be_visible()
    expect(rung(page, "owl")).to_have_class(re.compile("inferred"))
    expect(rung(page, "owl")).to_contain_text("inferred: ")


def test_of_people_only_facts_are_told(open_page: Open) -> None:
    page = open_page("/word?word=Muslim")
    expect(page.get_by_text("A group of people: only what dictionaries say")).to_be_visible()
    expect(page.locator(".rung.inferred, .rung.guess")).to_have_count(0)


def test_what_is_no_word_has_the_reason_and_suggestions_that_work(open_page: Open) -> None:
    page = open_page("/word?word=guqtar")
    expect(page.locator(".notice")).to_contain_text("'guqtar' is no word")
    page.get_by_role("button", name="guitar", exact=True).click()
    expect(rung(page, "instrument")).to_be_visible()


def test_a_click_goes_to_a_word_and_back_comes_back(open_page: Open) -> None:
    page = open_page("/word?word=guitar")
    rung(page, "instrument").get_by_role("link", name="instrument", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("instrument")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("guitar")
    page.get_by_role("button", name="Show more").click()
    expect(page).to_have_url("/word?word=guitar&more=1")
    expect(page.get_by_role("button", name="Show fewer")).to_be_visible()


def test_words_are_text_whatever_they_contain(open_page: Open) -> None:
    page = open_page("/word?word=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&against=%3Cb%3Eb")
    expect(page.get_by_role("heading", level=1)).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.locator("main img, main b")).to_have_count(0)


def test_a_long_word_is_told_in_short(open_page: Open) -> None:
    page = open_page("/word?word=" + "a" * 200, phone=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("a" * 40 + "…")
    expect(page.locator(".waiting")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"


def test_an_address_without_a_word_asks_for_one(open_page: Open) -> None:
    page = open_page("/word")
    expect(page.get_by_role("heading", level=1)).to_have_text("Which word?")


def test_a_busy_server_is_asked_again(open_page: Open) -> None:
    page = open_page("/theory", refusals=True)
    refusal: Any = {"error": {"kind": "too_many", "message": "wait", "where": None, "word": None, "suggestions": []}}
    page.route("**/api/word", lambda route: route.fulfill(status=429, json=refusal), times=1)
    page.goto("/word?word=dog")
    expect(rung(page, "animal")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_server_that_is_gone_is_told_with_a_next_step(open_page: Open) -> None:
    page = open_page("/word?word=dog", refusals=True)
    expect(rung(page, "animal")).to_be_visible()
    page.route("**/api/**", lambda route: route.abort())
    rung(page, "animal").get_by_role("link", name="animal", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="start it again with")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("animal")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_view_that_was_left_writes_nothing_into_the_next_one(open_page: Open) -> None:
    page = open_page("/map")
    slow: list[Any] = []
    page.route("**/api/word", lambda route: slow.append(route))
    page.goto("/word?word=dog")
    expect(page.locator(".waiting")).to_be_visible()
    page.get_by_role("link", name="Map").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Where does a word stand among others?")
    for route in slow:
        route.abort()
    expect(heading).to_have_text("Where does a word stand among others?")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everybody_can_use_it(open_page: Open, accessible: Check, *, dark: bool, phone: bool) -> None:
    page = open_page("/word?word=tomato&against=fruit,vegetable,herb", dark=dark, phone=phone)
    expect(page.locator(".comparison-answer")).to_be_visible()
    page.get_by_text("less likely").click()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
