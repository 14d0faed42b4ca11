"""The view Word, as a person uses it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]


def test_a_word_is_typed_completed_and_shown(open_page: Open) -> None:
    page = open_page("/")
    page.get_by_role("combobox", name="A word").press_sequentially("guit")
    options = page.get_by_role("option")
    expect(options.first).to_have_text("guitar")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/word?word=guitar")
    expect(page).to_have_title("guitar · entvec")
    entails = page.get_by_role("region", name="guitar entails")
    row = entails.get_by_role("listitem").filter(has_text="instrument").first
    expect(row).to_contain_text("%")
    expect(row.locator(".reason")).to_have_text(
        re.compile(r"guitar → stringed instrument.*\(WordNet 3\.0.*\) · evidence [+−]\d\.\d\d")
    )


def test_a_known_word_without_a_vector_is_answered_by_facts(open_page: Open) -> None:
    page = open_page("/word?word=corgi")
    row = page.get_by_role("region", name="corgi entails").get_by_role("listitem").first
    expect(row.locator(".reason")).to_contain_text("corgi → dog (WordNet 3.0")
    expect(page.locator("main")).not_to_contain_text("null")


def test_answers_that_are_hardly_right_are_folded_away(open_page: Open, accessible: Check) -> None:
    page = open_page("/word?word=chair")
    entails = page.get_by_role("region", name="chair entails")
    expect(entails.get_by_role("listitem").first).to_be_visible()
    shown = [int(text.strip(" <%")) for text in entails.locator(":scope > ol .number").all_inner_texts()]
    assert min(shown) >= 50
    likely = entails.get_by_role("listitem").count()
    entails.get_by_text("less likely").click()
    expect(entails.get_by_role("listitem")).to_have_count(12)
    assert likely < 12
    accessible(page)


def test_a_sentence_tells_which_sense_is_meant(open_page: Open, accessible: Check) -> None:
    page = open_page("/word?word=bank")
    page.get_by_label("In a sentence, optional").fill("we sat on the grass by the river")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page).to_have_url(re.compile(r"context=we\+sat\+on"))
    first = page.get_by_role("region", name="bank entails").get_by_role("listitem").first
    expect(first).to_contain_text("slope")
    expect(page.get_by_label("In a sentence, optional")).to_have_value("we sat on the grass by the river")
    accessible(page)


def test_a_click_goes_to_a_word_and_back_comes_back(open_page: Open) -> None:
    page = open_page("/word?word=guitar")
    page.get_by_role("region", name="guitar entails").get_by_role("link", name="instrument", exact=True).click()
    expect(page.get_by_role("heading", name="instrument", exact=True, level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="guitar", exact=True, level=1)).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("region", name="instrument entails")).to_be_visible()
    page.reload()
    expect(page.get_by_role("region", name="instrument entails").locator("li")).to_have_count(12)


def test_the_slider_asks_for_general_or_specific_words_and_the_address_keeps_it(open_page: Open) -> None:
    page = open_page("/word?word=piano")
    words = page.get_by_role("region", name="piano entails").locator(".to")
    expect(words).to_have_count(12)
    usual = words.all_text_contents()
    page.get_by_role("slider", name="Generality").press("End")
    expect(words).not_to_have_text(usual)
    general = words.all_text_contents()
    assert "specificity=0" in page.url
    page.reload()
    expect(words).to_have_text(general)


def test_an_answer_that_is_no_longer_wanted_is_not_waited_for(open_page: Open) -> None:
    page = open_page("/word?word=piano")
    words = page.get_by_role("region", name="piano entails").locator(".to")
    expect(words).to_have_count(12)
    usual = words.all_text_contents()
    slow: list[Any] = []
    page.route("**/api/hypernyms", lambda route: slow.append(route), times=1)
    slider = page.get_by_role("slider", name="Generality")
    with page.expect_request("**/api/hypernyms"):
        slider.press("End")
    with page.expect_event("requestfailed") as given_up:
        slider.press("Home")
    assert given_up.value == slow[0].request
    expect(words).not_to_have_text(usual)
    expect(page.get_by_role("status").last).to_have_text("more specific words")


def test_a_view_that_was_left_writes_nothing_into_the_next_one(open_page: Open) -> None:
    page = open_page("/theory")
    slow: list[Any] = []
    page.route("**/api/health", lambda route: slow.append(route))
    page.goto("/word?word=dog")
    page.get_by_role("link", name="Theory").click()
    headings = page.get_by_role("heading", level=1)
    expect(headings).to_have_text(["Entailment with five features"])
    for route in slow:
        route.continue_()
    expect(page.get_by_role("contentinfo")).to_contain_text("words")
    expect(headings).to_have_text(["Entailment with five features"])


def test_the_way_past_the_navigation_keeps_what_was_typed(open_page: Open) -> None:
    page = open_page("/")
    page.get_by_role("combobox", name="A word").fill("guitar")
    page.get_by_role("link", name="Skip to the content").press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    expect(page.get_by_role("combobox", name="A word")).to_have_value("guitar")
    expect(page).to_have_url("/")


def test_more_words_and_the_ways_to_the_other_views(open_page: Open) -> None:
    page = open_page("/word?word=wine")
    rows = page.get_by_role("region", name="wine entails").locator("li")
    page.get_by_role("button", name="Show 40 on each side").click()
    expect(rows).to_have_count(40)
    expect(page).to_have_url("/word?word=wine&k=40")
    page.reload()
    page.get_by_role("slider", name="Generality").press("End")
    expect(page.get_by_text("Best first, by all evidence.")).to_have_count(2)
    expect(rows).to_have_count(40)
    page.get_by_role("button", name="Show 12 on each side").click()
    expect(rows).to_have_count(12)
    expect(page).to_have_url("/word?word=wine&specificity=0")
    page.get_by_role("link", name="Does wine entail").first.click()
    expect(page).to_have_url(re.compile(r"/pair\?hypo=wine&hyper="))
    page.go_back()
    page.get_by_role("link", name="See them as a map").click()
    expect(page).to_have_url("/map?words=wine")


def test_a_word_that_is_not_there_gets_suggestions_that_work(open_page: Open) -> None:
    page = open_page("/word?word=guqtar", refusals=True)
    expect(page.get_by_role("alert")).to_contain_text("“guqtar” is not in the vocabulary")
    expect(page.get_by_role("heading", level=1)).to_have_text("guqtar")
    page.get_by_role("button", name="guitar", exact=True).click()
    expect(page.get_by_role("region", name="guitar entails")).to_be_visible()


def test_a_long_word_is_told_in_short(open_page: Open) -> None:
    page = open_page("/word?word=" + "a" * 200, refusals=True, phone=True)
    expect(page.get_by_role("alert")).to_contain_text("“" + "a" * 40 + "…” is not in the vocabulary")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"


def test_short_words_are_not_broken_on_a_phone(open_page: Open) -> None:
    page = open_page("/word?word=instrument", phone=True)
    word = page.get_by_role("link", name="instrumentation", exact=True)
    expect(word).to_be_visible()
    assert word.evaluate("link => link.getClientRects().length") == 1


def test_nothing_typed_is_told_until_something_is(open_page: Open) -> None:
    page = open_page("/")
    page.get_by_role("button", name="Show").click()
    told, field = page.get_by_role("alert"), page.get_by_role("combobox", name="A word")
    expect(told).to_have_text("Type a word first.")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    page.keyboard.type("d")
    expect(told).to_have_count(0)
    expect(field).to_have_attribute("aria-invalid", "false")


def test_an_address_at_which_there_is_nothing_shows_the_ways_back(open_page: Open, accessible: Check) -> None:
    page = open_page("/constructor", refusals=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing at this address.")
    expect(page).to_have_title("Nothing here · entvec")
    ways = page.get_by_role("main").get_by_role("link")
    expect(ways).to_have_text(["Word", "Pair", "Map", "Taxonomy", "Theory"])
    accessible(page)
    ways.last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Entailment with five features")


def test_words_are_text_whatever_they_contain(open_page: Open) -> None:
    page = open_page("/word?word=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", refusals=True)
    expect(page.get_by_role("alert")).to_contain_text("<img src=x onerror=alert(1)>")


def test_a_specificity_that_there_is_not_is_passed_over(open_page: Open) -> None:
    page = open_page("/word?word=dog&specificity=99")
    expect(page.get_by_role("region", name="dog entails").locator("li")).to_have_count(12)
    expect(page.get_by_text("as usual", exact=True)).to_be_visible()


def test_what_was_refused_once_is_asked_again_by_the_slider(open_page: Open) -> None:
    page = open_page("/word?word=dog", refusals=True)
    entails = page.get_by_role("region", name="dog entails")
    expect(entails).to_be_visible()
    busy: Any = {"error": {"kind": "busy", "message": "wait", "where": None, "word": None, "suggestions": []}}
    page.route("**/api/hypernyms", lambda route: route.fulfill(status=503, json=busy), times=1)
    page.get_by_role("slider", name="Generality").press("End")
    expect(page.get_by_role("alert")).to_have_text("Wait.")
    page.get_by_role("slider", name="Generality").press("Home")
    expect(entails).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_server_that_is_gone_is_told_with_a_next_step(open_page: Open) -> None:
    page = open_page("/word?word=dog", refusals=True)
    expect(page.get_by_role("region", name="dog entails")).to_be_visible()
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_role("link", name="animal", exact=True).first.click()
    expect(page.get_by_role("alert").filter(has_text="start it again with")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("region", name="animal entails")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True)])
def test_everybody_can_use_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page("/word?word=dog", dark=dark, phone=phone)
    expect(page.get_by_role("region", name="dog entails")).to_be_visible()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
    page.goto("/")
    expect(page.get_by_role("combobox")).to_be_focused()
    accessible(page)
