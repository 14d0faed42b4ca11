"""The view Pair, as a person uses it."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]

WHY = re.compile(r"Why: \d+ features")
REASONS = "Why: what speaks for it and against it"
ALONG = re.compile("Move along the features")


def test_two_words_are_typed_judged_swapped_and_found_again(open_page: Open) -> None:
    page = open_page("/pair")
    page.get_by_role("combobox", name="Does this").press_sequentially("guit")
    expect(page.get_by_role("option").first).to_have_text("guitar")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="entail this?")).to_be_focused()
    expect(page.get_by_text("Type a word first.")).to_have_count(0)
    page.keyboard.type("instrument")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/pair?hypo=guitar&hyper=instrument")
    expect(page).to_have_title("Does guitar entail instrument? · entvec")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text(
        re.compile(r"guitar entails instrument: yes, >?\d\d%\. The reverse: (no|unknown), [\d<]+%\.")
    )
    expect(page.get_by_role("region", name="guitar entails instrument")).to_have_text(re.compile(r"Yes\s*>?\d\d%$"))
    expect(page.get_by_role("region", name="guitar is a kind of instrument.")).to_be_visible()
    operators = page.get_by_role("region", name="The operators compared")
    expect(operators).to_be_visible()

    swap = page.get_by_role("button", name="Swap the two words")
    swap.press("Enter")
    expect(page).to_have_url("/pair?hypo=instrument&hyper=guitar")
    expect(heading).to_have_text(re.compile(r"instrument entails guitar: (no|unknown), .* The reverse: yes, >?\d\d%"))
    expect(page.get_by_role("combobox", name="Does this")).to_have_value("instrument")
    expect(operators).to_be_visible()
    expect(swap).to_be_focused()
    page.go_back()
    expect(heading).to_have_text(re.compile("^guitar entails instrument"))
    page.reload()
    expect(heading).to_have_text(re.compile("^guitar entails instrument"))
    expect(page.get_by_role("combobox", name="entail this?")).to_have_value("instrument")


def test_a_word_alone_asks_for_the_other_and_examples_are_there(open_page: Open) -> None:
    page = open_page("/pair?hypo=wine")
    other = page.get_by_role("combobox", name="entail this?")
    expect(other).to_be_focused()
    page.get_by_role("button", name="Swap the two words").click()
    expect(other).to_have_value("wine")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("combobox", name="Does this")).to_be_focused()
    expect(page.get_by_role("combobox", name="Does this")).to_have_accessible_description("Type a word first.")
    page.get_by_role("link", name="Paris → city").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(r"Paris entails city: yes, .* The reverse: no, <?\d+%")
    )
    expect(page.get_by_role("region", name="Paris is a kind of city.")).to_be_visible()


def test_the_relation_has_a_bar_for_each_of_seven_and_a_reason(open_page: Open) -> None:
    page = open_page("/pair?hypo=wheel&hyper=car")
    relation = page.get_by_role("region", name="wheel is a part of car.")
    expect(relation).to_contain_text("Why: wheel, a part of wheeled vehicle")
    rows = relation.get_by_role("row")
    expect(rows).to_have_count(1 + 7)
    assert rows.nth(5).inner_text().split("\t")[0] == "part"
    expect(rows.nth(5)).to_have_class("answer")
    expect(relation).to_contain_text("Both words are known. Of all pairs one asks about")


def test_what_is_not_sure_is_unknown_with_the_likeliest_relations(open_page: Open) -> None:
    page = open_page("/pair", refusals=True)

    def unsure(route: Any) -> None:
        answer = json.loads(route.fetch().text())
        answer["pairs"][0] |= {"relation": "unknown", "narrower": 0.5, "same": 0.3, "other": 0.2}
        route.fulfill(json=answer)

    page.route("**/api/relation", unsure)
    page.goto("/pair?hypo=dog&hyper=animal")
    heading = "Unknown: no relation is sure enough. The likeliest: narrower 50%, same 30%, other 20%."
    expect(page.get_by_role("heading", name=heading)).to_be_visible()


def test_without_evidence_there_are_scores_and_no_verdict(open_page: Open) -> None:
    page = open_page("/pair?hypo=hot&hyper=cold")
    relation = page.get_by_role("region", name="Unknown: there is no evidence.")
    expect(relation).to_contain_text("Why: 'hot' is an adjective or adverb")
    expect(relation.get_by_role("table")).to_have_count(0)
    expect(page.get_by_text("Without evidence there is no verdict")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("hot entails cold: score"))


def test_a_known_word_without_a_vector_has_a_relation(open_page: Open) -> None:
    page = open_page("/pair?hypo=corgi&hyper=dog", refusals=True)
    expect(page.get_by_role("region", name="corgi is a kind of dog.")).to_be_visible()
    reasons = page.get_by_role("region", name=REASONS)
    expect(reasons.get_by_role("listitem")).to_have_text(["for itcorgi → dog (WordNet 3.0, first sense)."])
    expect(reasons.get_by_role("row", name="vectors")).to_contain_text("nothing")
    expect(page.get_by_role("region", name=WHY)).to_have_count(0)


def test_reasons_speak_for_and_against_and_add_up(open_page: Open) -> None:
    page = open_page("/pair?hypo=tomato&hyper=vegetable")
    reasons = page.get_by_role("region", name=REASONS)
    expect(reasons.get_by_role("listitem").first).to_contain_text("tomato → solanaceous vegetable → vegetable (WordNet")
    expect(reasons.get_by_role("listitem").filter(has_text="against it")).to_contain_text(re.compile("kinds of fruit"))
    expect(reasons.get_by_role("listitem").last).to_have_text(re.compile(r"would say 0\.\d\d, reversed 0\.\d\d\.$"))
    waterfall = reasons.get_by_role("table", name="What each source adds to the evidence")
    rows = waterfall.locator("tbody").get_by_role("row")
    expect(rows).to_have_count(5 + 1)
    told = [row.get_by_role("cell").last.inner_text().replace("−", "-") for row in rows.all()]
    *parts, total = [0.0 if text == "nothing" else float(text) for text in told]
    assert sum(parts) == pytest.approx(total, abs=0.03)
    for row, part in zip(rows.all(), parts, strict=False):
        expect(row.locator(".step.yes" if part > 0 else ".step.no")).to_have_count(int(part != 0))


def test_a_space_without_knowledge_has_features_and_no_reasons(open_page: Open) -> None:
    page = open_page("/pair")
    page.route(
        "**/api/explain",
        lambda route: route.fulfill(json=json.loads(route.fetch().text()) | {"reasoning": None}),
    )
    page.goto("/pair?hypo=dog&hyper=animal")
    expect(page.get_by_role("region", name=WHY)).to_be_visible()
    expect(page.get_by_role("region", name=REASONS)).to_have_count(0)


def test_a_space_that_knows_nothing_answers_in_a_sentence(open_page: Open) -> None:
    page = open_page("/pair")

    def unknowing(route: Any) -> None:
        route.fulfill(json=json.loads(route.fetch().text()) | {"knowledge": None})

    page.route("**/api/health", unknowing)
    page.goto("/pair?hypo=dog&hyper=animal")
    expect(page.get_by_text("“dog” is the more specific word")).to_be_visible()
    expect(page.get_by_text("rest on the vectors alone")).to_be_visible()


def test_the_strip_tells_each_feature_by_keyboard_and_by_pointer(open_page: Open) -> None:
    page = open_page("/pair?hypo=ice+cream&hyper=dessert")
    why = page.get_by_role("region", name=WHY)
    along = why.get_by_role("slider", name=ALONG)
    told = why.locator(".told")
    expect(told).to_have_text(
        re.compile(r"^Feature \d+ adds \+\d.*Known of ice cream: .*%, of dessert: .*%\. Words that have it most: ")
    )
    first = told.inner_text()
    assert along.get_attribute("aria-valuetext") == first
    along.press("ArrowRight")
    expect(told).not_to_have_text(first)
    along.press("End")
    expect(told).to_have_text(re.compile(r"^Feature \d+ adds −"))
    last = told.inner_text()
    picture = why.locator(".picture")
    box = picture.bounding_box()
    picture.hover(position={"x": box["width"] / 2, "y": 40})
    expect(told).to_have_text(re.compile("weighs too little"))
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 100)
    expect(told).to_have_text(last)
    page.mouse.move(box["x"] + 1, box["y"] + 40)
    expect(told).to_have_text(first)

    carrying = why.get_by_role("table", name="What speaks most for it")
    row = carrying.get_by_role("row").nth(1)
    expect(row).to_contain_text("known of ice cream")
    assert row.get_by_role("cell").first.inner_text().strip() in first
    breaking = why.get_by_role("table", name="What speaks most against it").get_by_role("row").nth(1)
    assert breaking.get_by_role("cell").first.inner_text().strip() in last


def test_the_strip_is_touched_on_a_phone(open_page: Open) -> None:
    page = open_page("/pair?hypo=dog&hyper=animal", phone=True)
    picture = page.locator(".picture")
    picture.scroll_into_view_if_needed()
    told = page.locator(".told")
    expect(told).to_contain_text("adds +")
    box = picture.bounding_box()
    picture.tap(position={"x": box["width"] - 2, "y": 40})
    expect(told).to_contain_text("adds −")


def test_operators_are_compared_in_both_directions(open_page: Open) -> None:
    page = open_page("/pair?hypo=Paris&hyper=city")
    table = page.get_by_role("region", name="The operators compared").get_by_role("table")
    used = table.get_by_role("row").filter(has_text="used here")
    expect(used.get_by_role("rowheader")).to_contain_text("backward s(−Y) · log s(−X)")
    expect(used.get_by_role("cell").first).to_contain_text(">99%")
    expect(used.get_by_role("cell").last).not_to_contain_text(">99%")
    expect(table.locator("tbody").get_by_role("row")).to_have_count(2 + 7)
    expect(page.get_by_text("even similarities differ by direction")).to_be_visible()
    page.get_by_role("link", name="See both words on a map").click()
    expect(page).to_have_url("/map?words=Paris%2Ccity")


def test_what_is_no_word_is_unknown_with_the_reason(open_page: Open) -> None:
    page = open_page("/pair?hypo=guitar&hyper=instrvment", refusals=True)
    unknown = page.get_by_role("region", name="Unknown: there is no evidence.")
    expect(unknown).to_contain_text("'instrvment' is no word: its letters do not follow each other as in English.")
    page.goto("/pair?hypo=guqtar&hyper=instrument")
    expect(unknown).to_contain_text("'guqtar' is no word")


def test_a_busy_server_is_asked_again(open_page: Open) -> None:
    page = open_page("/pair", refusals=True)
    refusal: Any = {"error": {"kind": "too_many", "message": "wait", "where": None, "word": None, "suggestions": []}}
    page.route("**/api/explain", lambda route: route.fulfill(status=429, json=refusal), times=1)
    page.goto("/pair?hypo=dog&hyper=animal")
    expect(page.get_by_role("region", name="The operators compared")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_verdicts_stay_when_an_operator_cannot_be_explained(open_page: Open) -> None:
    page = open_page("/pair", refusals=True)
    message = "weighted_cosine weighs each dimension by all the others, so none has a share of its own"
    refusal: Any = {"error": {"kind": "invalid", "message": message, "where": None, "word": None, "suggestions": []}}
    page.route("**/api/explain", lambda route: route.fulfill(status=422, json=refusal))
    page.goto("/pair?hypo=dog&hyper=animal")
    expect(page.get_by_role("alert")).to_have_text(f"W{message[1:]}.")
    expect(page.get_by_text("with another operator")).to_be_visible()
    expect(page.get_by_role("region", name="dog entails animal")).to_contain_text("Yes")


def test_a_space_without_probabilities_shows_scores_and_ranks(open_page: Open) -> None:
    page = open_page("/pair")

    def uncalibrated(route: Any) -> None:
        answer = json.loads(route.fetch().text())
        for row in answer.get("pairs", [answer]):
            row |= {"probability": None} | ({"verdict": None} if "verdict" in row else {})
        route.fulfill(json=answer)

    page.route("**/api/score", uncalibrated)
    page.route("**/api/explain", uncalibrated)
    page.goto("/pair?hypo=dog&hyper=animal")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(r"dog entails animal: score −\d+\.\d\. The reverse: score −\d+\.\d\.")
    )
    direction = page.get_by_role("region", name="dog entails animal")
    expect(direction).to_contain_text(re.compile(r"A higher score than >?\d+% of other words in the place of dog"))
    expect(page.locator("main")).not_to_contain_text("null")
    expect(page.locator("main")).not_to_contain_text("NaN")


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True)])
def test_everybody_can_use_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page("/pair?hypo=physician&hyper=person", dark=dark, phone=phone)
    expect(page.get_by_role("region", name="The operators compared")).to_be_visible()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
    page.goto("/pair")
    expect(page.get_by_role("combobox", name="Does this")).to_be_focused()
    accessible(page)
