"""A pair: what the first word is to the second, and the evidence that adds up to the answer."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]
ALONG = "Move along the features, from the most for it to the most against it"


def heading(page: Any) -> Any:
    return page.get_by_role("heading", level=1)


def test_two_words_are_typed_answered_swapped_and_found_again(open_page: Open) -> None:
    page = open_page("/word?word=dog")
    page.get_by_role("combobox", name="Ask about words").fill("tomato -> fruit")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/pair?first=tomato&second=fruit")
    expect(heading(page)).to_have_text("tomato is a kind of fruit.")
    expect(page.locator(".pair-sure")).to_have_text(re.compile(r"^>?\d\d% sure. Known: tomato → fruit \(everyday\)\.$"))
    page.get_by_role("link", name="Swap").click()
    expect(page).to_have_url("/pair?first=fruit&second=tomato")
    expect(heading(page)).to_have_text("tomato is a kind of fruit.")
    page.go_back()
    page.reload()
    expect(heading(page)).to_have_text("tomato is a kind of fruit.")
    heading(page).get_by_role("link", name="fruit").click()
    expect(page).to_have_url("/word?word=fruit")


RELATIONS = [
    ("car", "automobile", r"car is the same as automobile\."),
    ("cat", "dog", r"cat and dog are siblings, both a kind of \w+\."),
    ("car", "wheel", r"wheel is a part of car\."),
    ("piano", "banana", r"piano and banana have nothing of that kind to do with each other\."),
]


def test_a_question_that_has_it_the_wrong_way_round_is_told_so(open_page: Open) -> None:
    page = open_page("/pair?first=fruit&second=tomato&asked=narrower")
    expect(heading(page)).to_have_text("Nothe other way round: tomato is a kind of fruit.")


@pytest.mark.parametrize(("first", "second", "sentence"), RELATIONS)
def test_the_relation_is_told_in_words(open_page: Open, first: str, second: str, sentence: str) -> None:
    page = open_page(f"/pair?first={first}&second={second}")
    expect(heading(page)).to_have_text(re.compile(f"^{sentence}$"))
    rows = page.locator(".relations").get_by_role("row")
    expect(rows).to_have_count(7)
    expect(page.locator(".relations")).to_contain_text("narrower 15%, broader 15%, same 10%")


@pytest.mark.parametrize(("asked", "said"), [("narrower", "No"), ("part", "Yes"), ("whole", "No"), ("nonsense", "")])
def test_a_question_is_answered_by_the_relation_that_it_is_about(open_page: Open, asked: str, said: str) -> None:
    page = open_page(f"/pair?first=wheel&second=car&asked={asked}")
    expect(heading(page)).to_have_text(f"{said}wheel is a part of car.")


@pytest.mark.parametrize("second", ["fruit", "vegetable", "herb", "vehicle"])
def test_the_waterfall_adds_up_to_the_answer(open_page: Open, second: str) -> None:
    page = open_page(f"/pair?first=tomato&second={second}")
    rows = page.locator(".waterfall tbody").get_by_role("row")
    expect(rows.first).to_contain_text("at first")
    numbers = [float(text.replace("−", "-")) for text in rows.locator("td.number").all_inner_texts()]
    *parts, total = numbers
    assert sum(parts) == pytest.approx(total, abs=0.03)
    for row, part in zip(rows.all(), parts, strict=False):
        expect(row.locator(".step.yes" if part >= 0 else ".step.no")).to_have_count(1)
    answer = page.locator(".pair-sure .number").inner_text()
    expect(rows.last).to_contain_text(answer)


def test_reasons_and_known_pairs_like_it_are_told(open_page: Open) -> None:
    page = open_page("/pair?first=tomato&second=fruit")
    reasons = page.locator(".reasons").get_by_role("listitem")
    expect(reasons.first).to_have_text("for ittomato → fruit (everyday).")
    expect(reasons.filter(has_text="against it")).to_have_count(1)
    alike = page.get_by_role("region", name="Known pairs like it").get_by_role("link")
    expect(alike.first).to_have_text(re.compile(r"^\w+ is a kind of fruit$"))
    alike.first.click()
    expect(heading(page)).to_have_text(re.compile("is a kind of fruit"))


def test_an_answer_that_rests_on_vectors_alone_is_marked(open_page: Open) -> None:
    page = open_page("/map")

    def guessing(route: Any) -> None:
        route.fulfill(json=json.loads(route.fetch().text()) | {"rests_on": ["vectors"]})

    page.route("**/api/pair", guessing)
    page.goto("/pair?first=dog&second=idea")
    expect(page.locator(".notice")).to_have_text(re.compile("^A guess: it rests on vectors alone"))


def test_without_evidence_it_cannot_tell_and_says_why(open_page: Open) -> None:
    page = open_page("/pair?first=guqtar&second=instrument&asked=narrower")
    expect(heading(page)).to_have_text("I cannot tell whether guqtar is a kind of instrument.")
    expect(page.locator(".pair-answer")).to_contain_text("'guqtar' is no word")
    page.get_by_role("link", name="guitar", exact=True).click()
    expect(page).to_have_url("/pair?first=guitar&second=instrument")


def test_what_is_not_sure_is_not_said_and_the_likeliest_is_named(open_page: Open) -> None:
    page = open_page("/map")

    def unsure(route: Any) -> None:
        told = json.loads(route.fetch().text())
        told["relation"] |= {"relation": "unknown", "probability": 0.45, "narrower": 0.45, "sibling": 0.4}
        route.fulfill(json=told | {"probability": 0.5})

    page.route("**/api/pair", unsure)
    page.goto("/pair?first=dog&second=animal")
    expect(heading(page)).to_have_text("dog and animal: I cannot tell.")
    likeliest = "No answer is sure enough. The likeliest has 45%: dog is a kind of animal."
    expect(page.locator(".pair-sure")).to_contain_text(likeliest)
    page.goto("/pair?first=dog&second=animal&asked=narrower")
    expect(heading(page)).to_have_text("I cannot tell whether dog is a kind of animal.")


def test_a_space_without_probabilities_shows_scores(open_page: Open) -> None:
    page = open_page("/map")
    nothing = {"relation": "unknown", "probability": None} | dict.fromkeys(
        ["narrower", "broader", "same", "sibling", "part", "whole", "other"]
    )

    def uncalibrated(route: Any) -> None:
        told = json.loads(route.fetch().text())
        told["relation"] |= nothing
        none = {"probability": None, "reversed_probability": None, "waterfall": None, "reasoning": None}
        route.fulfill(json=told | none)

    page.route("**/api/pair", uncalibrated)
    page.goto("/pair?first=dog&second=animal")
    expect(page.get_by_text(re.compile(r"dog to animal −\d+\.\d\d, animal to dog −\d+"))).to_be_visible()
    for text in ("null", "NaN", "undefined"):
        expect(page.locator("main")).not_to_contain_text(text)


def test_the_dimensions_are_behind_details_and_told_by_keyboard_and_pointer(open_page: Open) -> None:
    page = open_page("/pair?first=ice+cream&second=dessert")
    expect(page.locator(".strip")).to_have_count(0)
    page.get_by_text("Details: every dimension").click()
    along, told = page.get_by_role("slider", name=ALONG), page.locator(".told")
    expect(told).to_have_text(re.compile(r"^Feature \d+ adds \+\d.*Words that have it most: "))
    first = told.inner_text()
    assert along.get_attribute("aria-valuetext") == first
    along.press("End")
    expect(told).to_have_text(re.compile(r"^Feature \d+ adds −"))
    picture = page.locator(".picture")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + 40)
    expect(told).to_have_text(first)
    used = page.get_by_role("region", name="The operators compared").get_by_role("row").filter(has_text="used here")
    expect(used.get_by_role("rowheader")).to_contain_text("backward")


def test_a_word_without_a_vector_has_no_dimensions(open_page: Open) -> None:
    page = open_page("/pair?first=corgi&second=dog")
    page.get_by_text("Details: every dimension").click()
    expect(page.get_by_text("has no vector of its own")).to_be_visible()


def test_old_addresses_still_lead_there(open_page: Open) -> None:
    page = open_page("/pair?hypo=dog&hyper=animal")
    expect(heading(page)).to_have_text("dog is a kind of animal.")


def test_an_address_without_words_asks_for_them_and_comes_back_to_those_that_were_left(open_page: Open) -> None:
    page = open_page("/pair")
    expect(heading(page)).to_have_text("Which two words?")
    page.goto("/pair?first=dog&second=animal")
    expect(heading(page)).to_have_text("dog is a kind of animal.")
    page.goto("/pair")
    expect(heading(page)).to_have_text("dog is a kind of animal.")


def test_words_are_text_whatever_they_contain(open_page: Open) -> None:
    page = open_page("/pair?first=%3Cimg%20src%3Dx%3E&second=%3Cb%3Eb")
    expect(heading(page)).to_have_text("<img src=x> and <b>b: I cannot tell.")


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everybody_can_use_it(open_page: Open, accessible: Check, *, dark: bool, phone: bool) -> None:
    page = open_page("/pair?first=physician&second=person&asked=narrower", dark=dark, phone=phone)
    page.get_by_text("Details: every dimension").click()
    expect(page.get_by_role("region", name="The operators compared")).to_be_visible()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
