"""The view Theory, as a teacher uses it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]


def known(page: Any) -> Any:
    return page.get_by_role("region", name="What is known")


def test_a_feature_that_is_taken_away_breaks_the_entailment(open_page: Open) -> None:
    page = open_page("/theory")
    expect(known(page)).to_contain_text("dog entails animal P(y ⇒ x)93%")
    expect(known(page)).to_contain_text("animal entails dog P(x ⇒ y)3%")
    expect(known(page)).to_contain_text("No feature breaks it")
    table = page.get_by_role("region", name="What the operators say").get_by_role("table")
    alive = table.get_by_role("row", name=re.compile("^alive"))
    expect(alive).to_have_text("alive−0.02−0.07−0.02")

    page.get_by_role("slider", name="alive, y: dog").press("Home")
    expect(known(page)).to_contain_text(
        "What breaks it most is “alive”: with 98% that is known of animal and not of dog."
    )
    expect(known(page)).to_contain_text("P(y ⇒ x)2%")
    expect(alive).to_have_text("alive−5.89−4.01−3.89")
    expect(page).to_have_url("/theory?hypo=dog&hyper=animal&y=-6_4_-4_-4_-4")
    page.reload()
    expect(alive).to_have_text("alive−5.89−4.01−3.89")
    expect(page.get_by_role("slider", name="alive, y: dog")).to_have_value("-6")
    expect(page.get_by_role("slider", name="alive, y: dog")).to_have_attribute(
        "aria-valuetext", "log-odds −6.00, known with <1%"
    )

    page.get_by_role("button", name="Reset the sliders").click()
    expect(alive).to_have_text("alive−0.02−0.07−0.02")
    expect(page).to_have_url("/theory?hypo=dog&hyper=animal")


def test_things_are_chosen_swapped_and_gone_back_to_by_keyboard(open_page: Open) -> None:
    page = open_page("/theory")
    first, second = page.get_by_label("Does y"), page.get_by_label("entail x?")
    expect(known(page)).to_contain_text("dog entails animal")
    first.focus()
    page.keyboard.type("poodle")
    expect(page).to_have_url("/theory?hypo=poodle&hyper=animal")
    expect(first).to_be_focused()
    expect(known(page)).to_contain_text("poodle entails animal")
    page.get_by_role("slider", name="curly, y: poodle").press("PageDown")
    expect(page).to_have_url(re.compile(r"y=4_4_[\d.]+_-4_-4"))
    curly = page.get_by_role("slider", name="curly, y: poodle").input_value()
    swap = page.get_by_role("button", name="Swap the two things")
    swap.press("Enter")
    expect(known(page)).to_contain_text("animal entails poodle P(y ⇒ x)")
    expect(swap).to_be_focused()
    expect(page.get_by_role("slider", name="curly, x: poodle")).to_have_value(curly)
    second.select_option("stone")
    expect(page).to_have_url("/theory?hypo=animal&hyper=stone")
    expect(page).to_have_title("Theory: animal and stone · entvec")
    expect(known(page)).to_contain_text("What breaks it most is “lifeless”")
    page.go_back()
    expect(page.get_by_role("slider", name="curly, x: poodle")).to_have_value(curly)
    page.go_back()
    expect(page.get_by_role("slider", name="curly, y: poodle")).to_have_value(curly)
    expect(known(page)).to_contain_text("poodle entails animal")


def test_mean_field_is_compared_with_exact(open_page: Open) -> None:
    page = open_page("/theory")
    follows = page.get_by_role("region", name="What follows if y does entail x")
    expect(follows).to_contain_text("Mean-field is as good as exact here")
    page.get_by_role("link", name="nothing is decided").click()
    expect(follows).to_contain_text("Mean-field is off by 4.9 percentage points at most")
    row = follows.get_by_role("table", name="y: dog").get_by_role("row", name=re.compile("^curly"))
    expect(row.get_by_role("cell")).to_have_text(["50%", "67%", "62%"])
    page.get_by_role("link", name="one feature breaks it").click()
    barks = re.compile("off by 38 percentage points at most: barks of (y is 13%|x is 87%) and should be 50%")
    expect(follows).to_contain_text(barks)
    page.go_back()
    expect(follows).to_contain_text("off by 4.9 percentage points")


def test_a_slider_is_dragged_and_the_last_value_is_shown(open_page: Open) -> None:
    page = open_page("/theory?hypo=unk&hyper=unk", phone=True)
    slider = page.get_by_role("slider", name="barks, x: unk")
    expect(known(page)).to_contain_text("No feature breaks it: none is known of x and not of y with more than 2%")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 6 + 5, middle)
    page.mouse.down()
    for step in range(1, 21):
        page.mouse.move(box["x"] + box["width"] * step / 20, middle)
    page.mouse.up()
    expect(slider).to_have_value("6")
    expect(known(page)).to_contain_text("What breaks it most is “barks”: with 98%")
    table = page.get_by_role("region", name="What the operators say").get_by_role("table")
    expect(table.get_by_role("row", name=re.compile("^barks"))).to_contain_text("−4.01")


def test_changes_made_while_an_answer_is_awaited_are_not_lost(open_page: Open) -> None:
    page = open_page("/theory")
    expect(known(page)).to_contain_text("P(y ⇒ x)93%")
    slow: list[Any] = []
    page.route("**/api/theory", lambda route: slow.append(route), times=1)
    slider = page.get_by_role("slider", name="alive, y: dog")
    with page.expect_request("**/api/theory"):
        slider.press("ArrowLeft")
    slider.press("Home")
    expect(page).to_have_url(re.compile("y=-6_"))
    slow[0].continue_()
    expect(known(page)).to_contain_text("P(y ⇒ x)2%")


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


def test_an_address_that_makes_no_sense_is_told_and_mended(open_page: Open) -> None:
    page = open_page("/theory?hypo=unicorn&hyper=animal&x=4_many")
    alerts = page.get_by_role("alert")
    expect(alerts).to_have_count(2)
    expect(alerts.first).to_contain_text("There is no “unicorn” in the toy world, so dog is shown.")
    expect(alerts.last).to_contain_text("The values of x in the address are not 5 numbers from −6 to 6")
    expect(known(page)).to_contain_text("dog entails animal P(y ⇒ x)93%")
    page.get_by_role("slider", name="curly, y: dog").press("ArrowRight")
    expect(page).to_have_url("/theory?hypo=dog&hyper=animal&y=4_4_-3.75_-4_-4")


def test_a_server_that_is_gone_is_told_and_its_return_noticed(open_page: Open) -> None:
    page = open_page("/theory", refusals=True)
    expect(known(page)).to_contain_text("93%")
    page.route("**/api/theory", lambda route: route.abort())
    slider = page.get_by_role("slider", name="alive, y: dog")
    slider.press("ArrowLeft")
    expect(page.get_by_role("alert")).to_contain_text("start it again with")
    page.unroute("**/api/theory")
    slider.press("ArrowRight")
    expect(known(page)).to_contain_text("P(y ⇒ x)93%")
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True)])
def test_everybody_can_use_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page("/theory?hypo=animal&hyper=dog", dark=dark, phone=phone)
    page.get_by_text("Other operators, to compare").click()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
