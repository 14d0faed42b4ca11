"""The essay on the paper, as a reader plays with it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]


def figure(page: Any, number: int) -> Any:
    return page.get_by_role("figure", name=f"Figure {number}")


def test_it_can_be_read_without_touching_anything(open_page: Open) -> None:
    page = open_page("/theory")
    article = page.get_by_role("article")
    paper = article.get_by_role("link").first
    expect(paper).to_have_text("A Vector Space for Distributional Semantics for Entailment")
    expect(paper).to_have_attribute("href", "https://aclanthology.org/P16-1193/")
    expect(page.get_by_role("figure")).to_have_count(5)
    expect(figure(page, 1)).to_contain_text("dog entails animal: all that is known of animal is known of dog.")
    expect(figure(page, 2)).to_contain_text("dog entails animal P(y ⇒ x)93%")
    expect(figure(page, 2)).to_contain_text("animal entails dog P(x ⇒ y)3%")
    expect(figure(page, 3).get_by_role("row", name=re.compile("^alive")).first).to_have_text("alive−0.02−0.07−0.02")
    expect(figure(page, 4)).to_contain_text("Mean-field is as good as exact here")
    expect(figure(page, 5)).to_contain_text("violin is a kind of instrument with 9")
    expect(page).to_have_url("/theory")


def test_a_block_that_is_taken_away_breaks_the_entailment(open_page: Open) -> None:
    page = open_page("/theory")
    first = figure(page, 1)
    below = first.get_by_role("group", name="What is known of dog").get_by_role("button", name="alive is known of dog")
    expect(below).to_have_attribute("aria-pressed", "true")
    below.press("Enter")
    expect(below).to_have_attribute("aria-pressed", "false")
    expect(first).to_contain_text("dog does not entail animal: “alive” is known of animal and not of dog.")
    first.get_by_label("Below").select_option("poodle")
    expect(first).to_contain_text("poodle entails animal")
    first.get_by_label("Above").select_option("stone")
    expect(first).to_contain_text("“lifeless” is known of stone and not of poodle")


def test_a_slider_changes_the_figures_below_it_and_the_address(open_page: Open) -> None:
    page = open_page("/theory")
    alive = figure(page, 3).get_by_role("row", name=re.compile("^alive"))
    expect(alive.first).to_have_text("alive−0.02−0.07−0.02")
    page.get_by_role("slider", name="alive, y: dog").press("Home")
    expect(figure(page, 2)).to_contain_text("What breaks it most is “alive”: with 98%")
    expect(figure(page, 2)).to_contain_text("P(y ⇒ x)2%")
    expect(alive.first).to_have_text("alive−5.89−4.01−3.89")
    expect(page).to_have_url("/theory?hypo=dog&hyper=animal&y=-6_4_-4_-4_-4")
    page.reload()
    expect(alive.first).to_have_text("alive−5.89−4.01−3.89")
    expect(page.get_by_role("slider", name="alive, y: dog")).to_have_value("-6")
    expect(page.get_by_role("slider", name="alive, y: dog")).to_have_attribute(
        "aria-valuetext", "log-odds −6.00, known with <1%"
    )
    page.get_by_role("button", name="Reset").click()
    expect(alive.first).to_have_text("alive−0.02−0.07−0.02")
    expect(page).to_have_url("/theory?hypo=dog&hyper=animal")


def test_things_are_chosen_and_swapped_by_keyboard(open_page: Open) -> None:
    page = open_page("/theory")
    below = page.get_by_label("Below, y")
    below.focus()
    page.keyboard.type("poodle")
    expect(page).to_have_url("/theory?hypo=poodle&hyper=animal")
    expect(below).to_be_focused()
    expect(figure(page, 2)).to_contain_text("poodle entails animal")
    page.get_by_role("slider", name="curly, y: poodle").press("PageDown")
    curly = page.get_by_role("slider", name="curly, y: poodle").input_value()
    swap = page.get_by_role("button", name="Swap the two things")
    swap.press("Enter")
    expect(figure(page, 2)).to_contain_text("animal entails poodle P(y ⇒ x)")
    expect(swap).to_be_focused()
    expect(page.get_by_role("slider", name="curly, x: poodle")).to_have_value(curly)


def test_mean_field_is_compared_with_exact(open_page: Open) -> None:
    page = open_page("/theory?y=0_0_0_0_0&x=0_0_0_0_0")
    follows = figure(page, 4)
    expect(follows).to_contain_text("Mean-field is off by 4.9 percentage points at most")
    row = follows.get_by_role("table", name="y: dog").get_by_role("row", name=re.compile("^curly"))
    expect(row.get_by_role("cell")).to_have_text(["50%", "67%", "62%"])


def test_changes_made_while_an_answer_is_awaited_are_not_lost(open_page: Open) -> None:
    page = open_page("/theory")
    expect(figure(page, 2)).to_contain_text("P(y ⇒ x)93%")
    slow: list[Any] = []
    page.route("**/api/theory", lambda route: slow.append(route), times=1)
    slider = page.get_by_role("slider", name="alive, y: dog")
    with page.expect_request("**/api/theory"):
        slider.press("ArrowLeft")
    slider.press("Home")
    expect(page).to_have_url(re.compile("y=-6_"))
    slow[0].continue_()
    expect(figure(page, 2)).to_contain_text("P(y ⇒ x)2%")


def test_other_operators_are_folded_away_and_stay_open_once_opened(open_page: Open) -> None:
    page = open_page("/theory")
    cosine = page.get_by_role("columnheader", name="cosine", exact=True)
    page.get_by_text("Other operators, to compare").click()
    expect(cosine).to_be_visible()
    total = page.locator("details").get_by_role("row", name=re.compile("^y ⇒ x"))
    expect(total).to_have_text("y ⇒ x+48.00+0.60+8.00+0.65")
    page.get_by_role("slider", name="barks, y: dog").press("Home")
    expect(total).not_to_have_text("y ⇒ x+48.00+0.60+8.00+0.65")
    expect(cosine).to_be_visible()


def test_ones_own_two_words_are_in_the_same_diagram(open_page: Open) -> None:
    page = open_page("/theory", refusals=True)
    own = figure(page, 5)
    expect(own.get_by_role("img")).to_have_count(2)
    own.get_by_label("Above", exact=True).fill("fruit")
    own.get_by_label("Below", exact=True).fill("tomato")
    own.get_by_role("button", name="Show them").click()
    expect(own).to_contain_text("tomato is a kind of fruit with")
    expect(own.get_by_role("img", name=re.compile("fruit above, tomato below"))).to_be_visible()
    expect(page).to_have_url("/theory?first=tomato&second=fruit")
    own.get_by_label("Below", exact=True).fill('<img src=x onerror="boom()">')
    own.get_by_role("button", name="Show them").click()
    expect(own.get_by_role("img", name=re.compile("fruit above, tomato"))).to_have_count(0)
    assert page.locator("main img").count() == 0
    own.get_by_label("Below", exact=True).fill("")
    own.get_by_role("button", name="Show them").click()
    expect(own.get_by_role("alert").filter(has_text="Type a word first")).to_be_visible()


def test_an_address_that_makes_no_sense_is_told_and_mended(open_page: Open) -> None:
    page = open_page("/theory?hypo=unicorn&hyper=animal&x=4_many")
    alerts = page.get_by_role("alert").filter(has_text=re.compile("toy world"))
    expect(alerts).to_have_count(2)
    expect(alerts.first).to_contain_text("There is no “unicorn” in the toy world, so dog is shown.")
    expect(alerts.last).to_contain_text("The values of x in the address are not 5 numbers from −6 to 6")
    expect(figure(page, 2)).to_contain_text("dog entails animal P(y ⇒ x)93%")
    page.get_by_role("slider", name="curly, y: dog").press("ArrowRight")
    expect(page).to_have_url("/theory?hypo=dog&hyper=animal&y=4_4_-3.75_-4_-4")


def test_a_server_that_is_gone_is_told_and_its_return_noticed(open_page: Open) -> None:
    page = open_page("/theory", refusals=True)
    expect(figure(page, 2)).to_contain_text("93%")
    page.route("**/api/theory", lambda route: route.abort())
    slider = page.get_by_role("slider", name="alive, y: dog")
    slider.press("ArrowLeft")
    gone = page.get_by_role("alert").filter(has_text="start it again with")
    expect(gone).to_be_visible()
    page.unroute("**/api/theory")
    slider.press("ArrowRight")
    expect(figure(page, 2)).to_contain_text("P(y ⇒ x)93%")
    expect(gone).to_have_count(0)


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True), (True, False), (False, True)])
def test_everybody_can_use_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page("/theory?hypo=animal&hyper=dog", dark=dark, phone=phone)
    page.get_by_text("Other operators, to compare").click()
    expect(figure(page, 5).get_by_role("img")).to_have_count(2)
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
