"""A list of words that becomes a taxonomy and is corrected, as a person does it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]

FOOD = "/list?words=food,fruit,apple,banana,vegetable,carrot,onion,meat,beef"
CATEGORIES = (
    "Food, Fruit, Vegetables, Cheese, Furniture, Sofas, Armchairs, Coffee tables, Beds, Clothing, Shirts, T-shirts, "
    "Trousers, Jeans, Dresses, Footwear, Sneakers, Boots, Sandals, Electronics, Laptops, Smartphones, Headphones, "
    "Cameras, Toys, Puzzles, Board games, Tools, Hammers, Drills"
)


def row(page: Any, term: str, parent: str | None = None) -> Any:
    """The row of a term, under that parent or on top."""
    start = rf"^{term}, under {parent}\b" if parent else rf"^{term}(?!, under)"
    return page.get_by_role("treeitem", name=re.compile(start))


def middle(row: Any) -> tuple[float, float]:
    row.scroll_into_view_if_needed()
    box = row.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, word: Any, target: Any) -> None:
    target.scroll_into_view_if_needed()
    page.mouse.move(*middle(word))
    page.mouse.down()
    page.mouse.move(*middle(target), steps=4)
    expect(target).to_have_class(re.compile("target"))
    page.mouse.up()


def unplaced(page: Any) -> Any:
    return page.get_by_role("region", name=re.compile("^(Unplaced|Nothing is unplaced)"))


def options(page: Any) -> None:
    """Unfold the words and options."""
    page.get_by_text("Words and options").click()


def test_words_are_pasted_and_every_one_of_them_is_there(open_page: Open) -> None:
    page = open_page("/list")
    page.get_by_role("textbox", name="Words").fill("dog; cat\nanimal, xqzzy\tpoodle\ndog")
    expect(page.get_by_text("5 words;")).to_be_visible()
    page.get_by_role("button", name="Make a taxonomy").click()
    expect(row(page, "poodle", "dog")).to_contain_text("%")
    expect(row(page, "cat", "animal")).to_be_visible()
    expect(row(page, "animal")).to_have_attribute("aria-expanded", "true")
    expect(row(page, "xqzzy")).to_have_count(0)
    expect(unplaced(page)).to_contain_text("Nothing is known of it")
    expect(page).to_have_url("/list?words=dog%2Ccat%2Canimal%2Cxqzzy%2Cpoodle")
    page.reload()
    expect(row(page, "poodle", "dog")).to_be_visible()
    page.goto("/theory")
    page.goto("/list")
    expect(row(page, "poodle", "dog")).to_be_visible()


def test_what_is_unplaced_is_mended_from_the_tray(open_page: Open) -> None:
    page = open_page("/list?words=instrument,guitr,violin,sofa,wardrobe,xqzzy")
    tray = unplaced(page)
    tray.get_by_role("button", name="Read guitr as guitar").click()
    expect(row(page, "guitar", "instrument")).to_be_visible()
    tray.get_by_role("button", name="Add “furniture” for 2 words").click()
    expect(row(page, "sofa", "furniture")).to_be_visible()
    expect(row(page, "wardrobe", "furniture")).to_be_visible()
    tray.get_by_role("button", name="Leave xqzzy out of the list").click()
    expect(tray).to_contain_text("Nothing is unplaced")
    page.keyboard.press("Control+z")
    expect(tray).to_contain_text("xqzzy")
    drag(
        page, tray.get_by_role("listitem").filter(has_text="xqzzy").locator(".grip"), row(page, "wardrobe", "furniture")
    )
    expect(row(page, "xqzzy", "wardrobe, you said so")).to_be_visible()
    drag(page, row(page, "sofa", "furniture"), tray)
    expect(tray).to_contain_text("You want it under nothing.")
    tray.get_by_role("button", name="sofa: place it again").click()
    expect(row(page, "sofa", "furniture")).to_be_visible()


def test_thirty_categories_are_pasted_and_none_is_lost(open_page: Open) -> None:
    page = open_page("/list")
    page.get_by_role("textbox", name="Words").fill(CATEGORIES)
    page.get_by_role("button", name="Make a taxonomy").click()
    expect(row(page, "Jeans", "Trousers")).to_be_visible()
    there = page.get_by_role("treeitem").count() + unplaced(page).locator(".tray-word").count()
    assert there == 30


def test_options_change_the_taxonomy_and_the_address_keeps_them(open_page: Open) -> None:
    page = open_page(FOOD)
    expect(row(page, "apple", "fruit")).to_be_visible()
    options(page)
    page.get_by_role("textbox", name="One root above all").fill("thing")
    page.get_by_role("textbox", name="One root above all").press("Enter")
    expect(row(page, "food", "thing")).to_be_visible()
    page.get_by_role("checkbox", name="Add concepts").check()
    page.get_by_role("radio", name="several parents").check()
    expect(page.get_by_role("treeitem", name=re.compile("added")).first).to_be_visible()
    expect(page.get_by_role("treeitem", name=re.compile("also here")).first).to_be_visible()
    page.get_by_role("slider", name="Least probability").press("End")
    expect(page.get_by_role("treeitem", name=re.compile(r", ([1-8]?\d|9[0-4])%"))).to_have_count(0)
    expect(page).to_have_url(re.compile("least=0.95"))
    page.reload()
    options(page)
    expect(page.get_by_role("radio", name="several parents")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Add concepts")).to_be_checked()
    expect(page.get_by_role("slider", name="Least probability")).to_have_value("95")
    expect(page.get_by_role("textbox", name="One root above all")).to_have_value("thing")
    expect(row(page, "thing")).to_be_visible()


def test_an_option_changed_in_leaving_does_not_follow(open_page: Open) -> None:
    page = open_page(FOOD)
    expect(row(page, "apple", "fruit")).to_be_visible()
    options(page)
    page.get_by_role("slider", name="Least probability").evaluate(
        """range => {
          range.value = 95;
          range.dispatchEvent(new Event("input"));
          document.querySelector("nav a[href='/theory']").click();
          return new Promise((done) => setTimeout(done, 200)); // as long as the slider waits, and begun after it
        }"""
    )
    expect(page).to_have_url("/theory")
    expect(page.get_by_role("tree")).to_have_count(0)


def test_a_word_is_dragged_and_all_of_it_can_be_undone(open_page: Open) -> None:
    page = open_page(FOOD)
    status = page.get_by_role("status").filter(has_text="carrot")
    drag(page, row(page, "carrot", "vegetable"), row(page, "fruit", "food"))
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()
    expect(row(page, "carrot")).to_have_count(0)
    expect(status).to_contain_text("carrot is under fruit now.")
    said = page.get_by_role("region", name="What you said")
    decided = said.locator(".tax-said").get_by_role("listitem")
    expect(decided).to_contain_text("carrot is a kind of fruit")
    expect(said).to_contain_text("you moved 1, the model moved 0")

    row(page, "apple", "fruit").get_by_role("button", name="Forbid that apple is a kind of fruit").click()
    expect(decided).to_have_count(2)
    expect(row(page, "apple", "fruit")).to_have_count(0)
    expect(page).to_have_url(re.compile("not_entails=apple"))
    page.reload()
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()
    expect(row(page, "apple", "fruit")).to_have_count(0)

    said.get_by_role("button", name="Take back: carrot is a kind of fruit").click()
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()
    page.get_by_role("button", name="Redo", exact=True).click()
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()
    page.keyboard.press("Control+Shift+z")
    expect(row(page, "carrot", "vegetable")).to_be_visible()


def test_a_drag_that_is_given_up_changes_nothing(open_page: Open) -> None:
    page = open_page(FOOD)
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    page.mouse.move(*middle(row(page, "carrot", "vegetable")))
    page.mouse.down()
    page.mouse.move(*middle(row(page, "fruit", "food")), steps=4)
    expect(page.get_by_text("carrot is a kind of fruit")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("carrot is a kind of fruit")).to_have_count(0)
    page.mouse.up()
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    expect(page).not_to_have_url(re.compile("entails="))


def test_a_row_that_is_gone_is_no_longer_dragged(open_page: Open) -> None:
    page = open_page(f"{FOOD}&add=1&shape=dag&root=thing")
    again = page.get_by_role("treeitem", name=re.compile("also here")).first
    expect(again).to_be_visible()
    options(page)
    slow: list[Any] = []
    page.route("**/api/taxonomy/build", lambda route: slow.append(route), times=1)
    with page.expect_request("**/api/taxonomy/build"):
        page.get_by_role("radio", name="one parent").check()
    page.mouse.move(*middle(again))
    page.mouse.down()
    page.mouse.move(*middle(page.get_by_role("treeitem").first), steps=4)
    ghost = page.locator(".tax-ghost")
    expect(ghost).to_have_text(re.compile("is a kind of thing$"))
    slow[0].continue_()
    expect(again).to_have_count(0)
    page.mouse.move(*middle(page.get_by_role("treeitem").nth(1)))
    expect(ghost).to_have_count(0)
    page.mouse.up()
    expect(page).not_to_have_url(re.compile("entails="))


def test_a_finger_drags_by_the_grip(open_page: Open) -> None:
    page = open_page(FOOD, phone=True)
    touch = page.context.new_cdp_session(page)
    row(page, "fruit", "food").scroll_into_view_if_needed()
    x, y = middle(row(page, "carrot", "vegetable").locator(".grip"))
    below = middle(row(page, "fruit", "food"))

    def point(kind: str, *at: tuple[float, float]) -> None:
        points = [{"x": left, "y": top} for left, top in at]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    point("touchStart", (x, y))
    point("touchMove", (x, (y + below[1]) / 2))
    point("touchMove", below)
    expect(row(page, "fruit", "food")).to_have_class(re.compile("target"))
    point("touchEnd")
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()


def test_everything_can_be_done_with_the_keyboard(open_page: Open) -> None:
    page = open_page(FOOD)
    row(page, "food").focus()
    page.keyboard.press("c")
    expect(row(page, "carrot", "vegetable")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(row(page, "vegetable", "food")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(row(page, "carrot", "vegetable")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    chooser = page.get_by_role("combobox", name="Move under")
    expect(chooser).to_be_focused()
    page.keyboard.type("fru")
    expect(chooser).to_have_value("fruit")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(row(page, "carrot", "fruit, you said so")).to_be_focused()
    page.keyboard.press("Delete")
    expect(row(page, "carrot", "fruit")).to_have_count(0)
    expect(page.get_by_role("treeitem", name=re.compile("^carrot"))).to_be_focused()
    page.keyboard.press("Control+z")
    expect(row(page, "carrot", "fruit, you said so")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Put it under nothing").press("Enter")
    expect(unplaced(page)).to_contain_text("You want it under nothing.")
    page.keyboard.press("Control+z")
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()
    row(page, "food").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("treeitem").last).to_be_focused()


def test_parents_are_suggested_beside_a_word(open_page: Open) -> None:
    page = open_page("/list?words=animal,mammal,dog,pet,vehicle")
    page.get_by_role("treeitem", name=re.compile("^dog, under")).click()
    chosen = page.get_by_role("region", name="dog", exact=True)
    other = chosen.get_by_role("button", name=re.compile(r"^Move dog under \w+, "))
    expect(other).to_have_count(1)
    name = re.search(r"under (\w+),", other.get_attribute("aria-label") or "")
    assert name
    other.click()
    expect(row(page, "dog", f"{name[1]}, you said so")).to_be_visible()


def test_a_decision_that_contradicts_another_is_taken_back(open_page: Open) -> None:
    page = open_page(f"{FOOD}&entails=carrot,onion", refusals=True)
    expect(row(page, "carrot", "onion, you said so")).to_be_visible()
    drag(page, page.get_by_role("treeitem", name=re.compile("^onion, ")), row(page, "carrot", "onion"))
    expect(page.get_by_role("alert").filter(has_text="goes round in a circle")).to_contain_text("was taken back")
    expect(row(page, "carrot", "onion, you said so")).to_be_visible()
    expect(page.locator(".tax-said").get_by_role("listitem")).to_have_count(1)


def test_a_moved_word_leaves_its_parent_where_it_may_have_several(open_page: Open) -> None:
    page = open_page(f"{FOOD}&shape=dag")
    fruits = page.get_by_role("treeitem", name=re.compile("^apple, under fruit"))
    expect(fruits).to_have_count(1)
    drag(page, fruits, row(page, "meat", "food"))
    expect(page.get_by_text("apple is no kind of fruit")).to_be_visible()
    expect(page.get_by_role("treeitem", name=re.compile("^apple, under meat, you said so"))).to_be_visible()
    expect(fruits).to_have_count(0)


def test_lists_that_cannot_be_built_are_told_at_once(open_page: Open) -> None:
    page = open_page("/list", refusals=True)
    words = page.get_by_role("textbox", name="Words")
    alert = page.get_by_role("alert")
    page.get_by_role("button", name="Make a taxonomy").click()
    expect(alert).to_contain_text("There are no words yet.")
    expect(words).to_have_attribute("aria-invalid", "true")
    words.fill("\n".join(f"word{i}" for i in range(301)))
    expect(alert).to_contain_text("These are 301 words, and a list may have 300")
    page.goto(f"{FOOD}&root=food")
    expect(alert.filter(has_text="which is one of the words")).to_be_visible()
    options(page)
    root = page.get_by_role("textbox", name="One root above all")
    root.fill("thing")
    root.blur()
    expect(row(page, "food", "thing")).to_be_visible()
    expect(page.get_by_role("region", name="Export")).to_be_visible()


def test_a_long_list_is_kept_by_the_browser_and_lost_in_others(open_page: Open) -> None:
    page = open_page(FOOD)
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    options(page)
    long = ["fruit", "apple", *(f"{'xqzzy' * 36}{i}" for i in range(9))]
    page.get_by_role("textbox", name="Words").fill("\n".join(long))
    page.get_by_role("button", name="Make a taxonomy").click()
    expect(page).to_have_url(re.compile(r"/list\?kept=\w+$"))
    before = page.url
    drag(page, row(page, "fruit"), row(page, "apple", "fruit"))
    expect(row(page, "fruit", "apple, you said so")).to_be_visible()
    expect(page).not_to_have_url(before)
    page.reload()
    expect(row(page, "fruit", "apple, you said so")).to_be_visible()
    other = open_page(page.url)
    expect(other.get_by_role("alert").filter(has_text="another browser")).to_contain_text("Paste it here again.")


def test_a_taxonomy_is_exported(open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"{FOOD}&entails=carrot,fruit", permissions=["clipboard-read", "clipboard-write"], refusals=True)
    card = page.get_by_role("region", name="Export")

    def saved(button: str) -> str:
        with page.expect_download() as waiting:
            card.get_by_role("button", name=button, exact=True).click()
        path = tmp_path / str(waiting.value.suggested_filename)
        waiting.value.save_as(path)
        expect(card).to_contain_text(f"Saved as {path.name}.")
        return path.read_text(encoding="utf-8")

    assert "carrot\tfruit\t1" in saved("TSV")
    assert saved("Mermaid").startswith("flowchart")
    assert "skos:broader" in saved("SKOS")
    expect(card).to_contain_text(re.compile(r"has no place for \d probabilities"))
    card.get_by_role("combobox", name="All formats").select_option("outline")
    card.get_by_role("button", name="Copy").click()
    expect(card).to_contain_text("Copied: 9 lines.")
    assert "  carrot\n" in page.evaluate("navigator.clipboard.readText()")
    missing = {"kind": "missing_extra", "message": "SKOS needs rdflib: pip install 'entvec[taxonomy]'"}
    page.route("**/convert", lambda route: route.fulfill(status=422, json={"error": missing}))
    card.get_by_role("button", name="SKOS").click()
    expect(card.get_by_role("alert")).to_have_text("SKOS needs rdflib: pip install 'entvec[taxonomy]'.")


def test_weak_edges_look_weak_and_examples_have_none(open_page: Open) -> None:
    page = open_page("/list?words=animal,dog,machine,car,boat,plant")
    expect(row(page, "dog", "animal")).to_have_attribute("aria-label", re.compile(r"^dog, under animal, >?[5-9]\d%$"))
    options(page)
    page.get_by_role("slider", name="Least probability").press("Home")
    unsure = page.get_by_role("treeitem", name=re.compile(r", ([1-4]\d|\d)%, (inferred, )?unsure"))
    expect(unsure.first.locator(".bar.weak")).to_be_visible()
    expect(page.get_by_text("with the whole list taken into account")).to_be_visible()
    page.goto("/theory")
    for example in ("Animals", "Vehicles", "Food and drink", "People"):
        page.goto("/list?words=thing")
        options(page)
        page.get_by_role("button", name=example, exact=True).click()
        expect(page.get_by_role("treeitem", name=re.compile("%")).first).to_be_visible()
        expect(page.get_by_role("treeitem", name=re.compile("unsure"))).to_have_count(0)
        expect(page.get_by_role("treeitem", level=1)).to_have_count(1)


def test_words_may_be_anything_and_nothing_of_them_is_markup(open_page: Open) -> None:
    bad = ['<img src=x onerror="boom()">', "constructor", "__proto__", "a\\,b", "‮evil", "']--", "fruit", "apple"]
    page = open_page("/list")
    page.get_by_role("textbox", name="Words").fill("\n".join(bad))
    page.get_by_role("button", name="Make a taxonomy").click()
    expect(row(page, "apple", "fruit")).to_be_visible()
    assert page.locator("main img").count() == 0
    there = page.get_by_role("treeitem").count() + unplaced(page).locator(".tray-word").count()
    assert there == 9  # the comma divides one
    held = {"kind": "list", "words": ["a", "b"], "entails": [["a"], 3, ["a", "b"]], "roots": [{}, "a"], "parents": 7}
    document = {"at": "list", "beside": None, "states": {"list": held}}
    page.evaluate("text => localStorage.setItem('entvec.document', text)", json.dumps(document))
    page.evaluate("addEventListener('pagehide', (event) => event.stopImmediatePropagation(), true)")
    page.goto("/list")
    expect(page.get_by_role("heading", level=1)).to_contain_text("A list of")


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True), (True, False), (False, True)])
def test_everybody_can_use_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page(f"{FOOD},xqzzy,guitr,sofa&entails=carrot,fruit", dark=dark, phone=phone)
    row(page, "carrot", "fruit, you said so").click()
    expect(page.get_by_role("region", name="Export")).to_be_visible()
    expect(unplaced(page)).to_contain_text("furniture")
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
    options(page)
    accessible(page)
