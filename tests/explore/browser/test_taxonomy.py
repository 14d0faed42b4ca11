"""The view Taxonomy, as a person uses it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]

FOOD = "/taxonomy?words=food,fruit,apple,banana,vegetable,carrot,onion,meat,beef"
MISTAKES = "animal\n  dog\n    poodle\n  car\nvehicle\n  truck\n"


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


def test_words_are_pasted_and_built(open_page: Open) -> None:
    page = open_page("/taxonomy")
    page.get_by_role("textbox", name="Words").fill("dog; cat\nanimal, xqzzy\tpoodle\ndog")
    expect(page.get_by_text("5 words;")).to_be_visible()
    page.get_by_role("button", name="Build").click()
    expect(row(page, "poodle", "dog")).to_contain_text("%")
    expect(row(page, "cat", "animal")).to_be_visible()
    expect(row(page, "animal")).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_text("One word is not known and stands at the top: xqzzy.")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("textbox", name="Words")).to_be_empty()
    page.go_forward()
    expect(row(page, "poodle", "dog")).to_be_visible()


def test_options_change_the_hierarchy_and_the_address_keeps_them(open_page: Open) -> None:
    page = open_page(FOOD)
    expect(row(page, "apple", "fruit")).to_be_visible()
    page.get_by_role("textbox", name="One root above all").fill("thing")
    page.get_by_role("textbox", name="One root above all").press("Enter")
    expect(row(page, "food", "thing")).to_be_visible()
    page.get_by_role("checkbox", name="Add concepts").check()
    page.get_by_role("radio", name="several parents").check()
    expect(page.get_by_role("treeitem", name=re.compile("added")).first).to_be_visible()
    expect(page.get_by_role("treeitem", name=re.compile("also here")).first).to_be_visible()
    page.get_by_role("slider", name="Least probability").press("End")
    expect(page.get_by_role("treeitem", name=re.compile(r", ([1-8]?\d|9[0-4])%"))).to_have_count(0)
    page.reload()
    expect(page.get_by_role("radio", name="several parents")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Add concepts")).to_be_checked()
    expect(page.get_by_role("slider", name="Least probability")).to_have_value("95")
    expect(page.get_by_role("textbox", name="One root above all")).to_have_value("thing")
    expect(row(page, "thing")).to_be_visible()


def test_an_option_changed_in_leaving_does_not_follow(open_page: Open) -> None:
    page = open_page(FOOD)
    expect(row(page, "apple", "fruit")).to_be_visible()
    page.get_by_role("slider", name="Least probability").evaluate(
        """range => {
          range.value = 95;
          range.dispatchEvent(new Event("input"));
          document.querySelector("nav a[href='/theory']").click();
          return new Promise((done) => setTimeout(done, 200)); // as long as the slider waits, and begun after it
        }"""
    )
    expect(page).to_have_url("/theory")
    expect(page.get_by_role("heading", level=1)).to_have_text("Entailment with five features")


def test_a_word_is_dragged_and_all_of_it_can_be_undone(open_page: Open) -> None:
    page = open_page(FOOD)
    status = page.get_by_role("status").filter(has_text="carrot")
    drag(page, row(page, "carrot", "vegetable"), row(page, "fruit"))
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()
    expect(row(page, "carrot")).to_have_count(0)
    expect(status).to_contain_text("carrot is under fruit now.")
    said = page.get_by_role("region", name="What you said")
    expect(said.get_by_role("listitem")).to_contain_text("carrot entails fruit")

    row(page, "apple", "fruit").get_by_role("button", name="Forbid that apple entails fruit").click()
    expect(said.get_by_role("listitem")).to_have_count(2)
    expect(row(page, "apple", "fruit")).to_have_count(0)
    page.reload()
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()
    expect(row(page, "apple", "fruit")).to_have_count(0)

    said.get_by_role("button", name="Undo: carrot entails fruit").click()
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(row(page, "carrot", "fruit, you said so")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(row(page, "apple", "fruit")).to_be_visible()
    page.keyboard.press("Control+Shift+z")
    expect(row(page, "apple", "fruit")).to_have_count(0)
    page.get_by_role("button", name="Redo", exact=True).click()
    expect(row(page, "carrot", "vegetable")).to_be_visible()


def test_a_drag_that_is_given_up_changes_nothing(open_page: Open) -> None:
    page = open_page(FOOD)
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    page.mouse.move(*middle(row(page, "carrot", "vegetable")))
    page.mouse.down()
    page.mouse.move(*middle(row(page, "fruit")), steps=4)
    expect(page.get_by_text("carrot entails fruit")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("carrot entails fruit")).to_have_count(0)
    page.mouse.up()
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    expect(page).not_to_have_url(re.compile("said="))


def test_a_row_that_is_gone_is_no_longer_dragged(open_page: Open) -> None:
    page = open_page(f"{FOOD}&add=1&shape=dag&root=thing")
    again = page.get_by_role("treeitem", name=re.compile("also here")).first
    expect(again).to_be_visible()
    slow: list[Any] = []
    page.route("**/api/taxonomy/build", lambda route: slow.append(route), times=1)
    with page.expect_request("**/api/taxonomy/build"):
        page.get_by_role("radio", name="one parent").check()
    page.mouse.move(*middle(again))
    page.mouse.down()
    page.mouse.move(*middle(page.get_by_role("treeitem").first), steps=4)
    ghost = page.locator(".tax-ghost")
    expect(ghost).to_have_text(re.compile("entails thing$"))
    slow[0].continue_()
    expect(again).to_have_count(0)
    page.mouse.move(*middle(page.get_by_role("treeitem").nth(1)))
    expect(ghost).to_have_count(0)
    page.mouse.up()
    expect(page).not_to_have_url(re.compile("said="))


def test_a_finger_drags_by_the_grip(open_page: Open) -> None:
    page = open_page(FOOD, phone=True)
    touch = page.context.new_cdp_session(page)
    row(page, "fruit").scroll_into_view_if_needed()
    x, y = middle(row(page, "carrot", "vegetable").locator(".grip"))
    below = middle(row(page, "fruit"))

    def point(kind: str, *at: tuple[float, float]) -> None:
        points = [{"x": left, "y": top} for left, top in at]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    point("touchStart", (x, y))
    point("touchMove", (x, (y + below[1]) / 2))
    point("touchMove", below)
    expect(row(page, "fruit")).to_have_class(re.compile("target"))
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
    expect(row(page, "carrot", "vegetable")).to_have_count(0)
    expect(page.get_by_role("treeitem", name=re.compile("^carrot"))).to_be_focused()
    page.keyboard.press("Control+z")
    expect(row(page, "carrot", "fruit, you said so")).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("treeitem").last).to_be_focused()


def test_a_correction_that_contradicts_another_is_taken_back(open_page: Open) -> None:
    page = open_page(f"{FOOD}&said=known%09carrot%09onion", refusals=True)
    expect(row(page, "carrot", "onion, you said so")).to_be_visible()
    drag(page, page.get_by_role("treeitem", name=re.compile("^onion, ")), row(page, "carrot", "onion"))
    expect(page.get_by_role("alert").filter(has_text="goes round in a circle")).to_contain_text("was taken back")
    expect(row(page, "carrot", "onion, you said so")).to_be_visible()
    expect(page.get_by_role("region", name="What you said").get_by_role("listitem")).to_have_count(1)


def test_a_moved_word_leaves_its_parent_where_it_may_have_several(open_page: Open) -> None:
    page = open_page(f"{FOOD}&shape=dag")
    fruits = page.get_by_role("treeitem", name=re.compile("^apple, under fruit"))
    expect(fruits).to_have_count(1)
    drag(page, fruits, row(page, "meat", "food"))
    expect(page.get_by_text("apple entails meat, not fruit")).to_be_visible()
    expect(page.get_by_role("treeitem", name=re.compile("^apple, under meat, you said so"))).to_be_visible()
    expect(fruits).to_have_count(0)


def test_lists_that_cannot_be_built_are_told_at_once(open_page: Open) -> None:
    page = open_page("/taxonomy", refusals=True)
    words = page.get_by_role("textbox", name="Words")
    alert = page.get_by_role("alert")
    page.get_by_role("button", name="Build").click()
    expect(alert).to_contain_text("There are no words yet.")
    expect(words).to_have_attribute("aria-invalid", "true")
    words.fill("\n".join(f"word{i}" for i in range(301)))
    expect(alert).to_contain_text("These are 301 words, and a list may have 300")
    words.fill("aplpe")
    page.get_by_role("button", name="Build").click()
    expect(alert.filter(has_text="is not in the vocabulary")).to_be_visible()
    page.get_by_role("button", name="apple", exact=True).click()
    expect(page.get_by_role("treeitem", name="apple")).to_be_visible()
    root = page.get_by_role("textbox", name="One root above all")
    page.goto(f"{FOOD}&root=food")
    expect(alert.filter(has_text="which is one of the words")).to_be_visible()
    root.fill("thing")
    root.blur()
    expect(row(page, "food", "thing")).to_be_visible()
    expect(page.get_by_role("region", name="Export")).to_be_visible()


def test_a_long_list_is_kept_in_the_tab_and_not_in_other_tabs(open_page: Open) -> None:
    page = open_page(FOOD)
    long = ["fruit", "apple", *(f"nothing of that name {i}" for i in range(80))]
    page.get_by_role("textbox", name="Words").fill("\n".join(long))
    page.get_by_role("button", name="Build").click()
    expect(page).to_have_url(re.compile(r"/taxonomy\?kept=\d+$"))
    drag(page, row(page, "fruit"), row(page, "apple", "fruit"))
    expect(row(page, "fruit", "apple, you said so")).to_be_visible()
    page.reload()
    expect(row(page, "fruit", "apple, you said so")).to_be_visible()
    page.go_back()
    expect(row(page, "carrot", "vegetable")).to_be_visible()
    page.go_forward()
    expect(row(page, "fruit", "apple, you said so")).to_be_visible()
    other = open_page(page.url)
    expect(other.get_by_role("alert").filter(has_text="another tab")).to_contain_text("Paste it here again.")


def test_a_hierarchy_is_exported(open_page: Open, tmp_path: Path) -> None:
    page = open_page(
        f"{FOOD}&said=known%09carrot%09fruit", permissions=["clipboard-read", "clipboard-write"], refusals=True
    )
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
    expect(card).to_contain_text("has no place for 7 probabilities")
    card.get_by_role("combobox", name="All formats").select_option("outline")
    card.get_by_role("button", name="Copy").click()
    expect(card).to_contain_text("Copied: 9 lines.")
    assert "  carrot\n" in page.evaluate("navigator.clipboard.readText()")
    missing = {"kind": "missing_extra", "message": "SKOS needs rdflib: pip install 'entvec[taxonomy]'"}
    page.route("**/convert", lambda route: route.fulfill(status=422, json={"error": missing}))
    card.get_by_role("button", name="SKOS").click()
    expect(card.get_by_role("alert")).to_have_text("SKOS needs rdflib: pip install 'entvec[taxonomy]'.")


def test_a_hierarchy_is_audited_and_corrected(open_page: Open) -> None:
    page = open_page("/taxonomy")
    page.get_by_role("link", name="Audit a hierarchy").click()
    page.get_by_role("textbox", name="Hierarchy").fill(MISTAKES)
    page.get_by_role("button", name="Audit").click()
    improbable = page.get_by_role("region", name="Improbable (1)")
    expect(improbable).to_contain_text("Car is a kind of animal with a probability of")
    expect(row(page, "car", "animal")).to_contain_text("improbable?")
    expect(row(page, "poodle", "dog")).to_contain_text("%")
    page.reload()
    expect(page.get_by_role("textbox", name="Hierarchy")).to_have_value(MISTAKES)
    improbable.get_by_role("link", name="car → animal").click()
    expect(page).to_have_url("/pair?hypo=car&hyper=animal")
    page.go_back()
    improbable.get_by_role("checkbox", name="Leave it out").check()
    page.get_by_role("button", name="Correct it in Build").click()
    expect(row(page, "dog", "animal, you said so")).to_be_visible()
    expect(row(page, "car", "vehicle")).to_be_visible()
    expect(page.get_by_text("car does not entail animal")).to_be_visible()
    page.get_by_role("link", name="Audit a hierarchy").click()
    expect(improbable).to_be_visible()


def test_a_file_is_audited_and_a_bad_line_is_pointed_at(open_page: Open, tmp_path: Path) -> None:
    page = open_page("/taxonomy?mode=audit", refusals=True)
    text = page.get_by_role("textbox", name="Hierarchy")
    bad = tmp_path / "animals.txt"
    bad.write_text("animal\n    dog\n  cat\n", encoding="utf-8")
    page.get_by_label("Choose a file").set_input_files(bad)
    expect(text).to_have_value("animal\n    dog\n  cat\n")
    page.get_by_role("button", name="Audit").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 3: expected an indentation")
    expect(text).to_have_attribute("aria-invalid", "true")
    expect(text).to_be_focused()
    assert text.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)") == "  cat"
    text.fill("hypo,hyper\ndog,animal\ncat,animal\n")
    page.get_by_role("button", name="Audit").click()
    expect(page.get_by_role("main")).to_contain_text("Nothing found in 3 terms and 2 edges")
    dropped = page.evaluate_handle(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File([Array.from({ length: 2001 }, (_, i) => `word${i}`).join("\\n")], "words.txt"));
          return data;
        }"""
    )
    text.dispatch_event("drop", {"dataTransfer": dropped})
    expect(text).to_have_value(re.compile("word2000$"))
    page.get_by_role("button", name="Audit").click()
    expect(page.get_by_role("alert")).to_contain_text("These are 2,001 terms, and this page takes 2,000.")


def test_a_hierarchy_of_which_nothing_can_be_said_gets_no_praise(open_page: Open) -> None:
    page = open_page("/taxonomy?mode=audit&text=xqzzy%0A++zzyqx%0A")
    verdict = page.locator(".tax-verdict")
    expect(verdict).to_have_text("None of the 2 terms is in the vocabulary, so no edge could be judged.")
    page.goto("/taxonomy?mode=audit&text=dog")
    expect(verdict).to_have_text("This looks like no hierarchy: there are no edges in it.")


def test_weak_edges_look_weak_and_examples_have_none(open_page: Open) -> None:
    page = open_page("/taxonomy?words=animal,dog,machine,car,boat,plant")
    expect(row(page, "dog", "animal")).to_have_attribute("aria-label", re.compile(r"^dog, under animal, >?[5-9]\d%$"))
    page.get_by_role("slider", name="Least probability").press("Home")
    unsure = page.get_by_role("treeitem", name=re.compile(r", ([1-4]\d|\d)%, unsure$"))
    expect(unsure.first.locator(".bar.weak")).to_be_visible()
    expect(page.get_by_text("take the whole list into account")).to_be_visible()
    for example in ("Animals", "Vehicles", "Food and drink", "People"):
        page.get_by_role("link", name=example, exact=True).click()
        expect(page.get_by_role("treeitem", name=re.compile("%")).first).to_be_visible()
        expect(page.get_by_role("treeitem", name=re.compile("unsure"))).to_have_count(0)
        expect(page.get_by_role("treeitem", level=1)).to_have_count(1)


def test_terms_may_be_called_as_anything(open_page: Open) -> None:
    page = open_page("/taxonomy?mode=audit&format=constructor&text=thing%0A++constructor%0A++__proto__%0A")
    expect(row(page, "constructor", "thing")).to_be_visible()
    expect(page.get_by_label("Format", exact=True)).to_have_value("")


def test_circles_and_unknown_terms_are_told_and_do_not_stop_the_picture(open_page: Open) -> None:
    page = open_page("/taxonomy?mode=audit&text=dog%09animal%0Aanimal%09pet%0Apet%09dog%0Axqzzy%09dog%0A")
    circle = page.get_by_role("region", name="In a circle (1)")
    expect(circle.get_by_role("checkbox")).to_be_checked()
    expect(page.get_by_text("One term is not in the vocabulary")).to_contain_text("xqzzy")
    expect(page.get_by_role("treeitem")).to_have_count(5)
    page.get_by_role("button", name="Correct it in Build").click()
    expect(row(page, "xqzzy", "dog, you said so")).to_be_visible()


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True)])
def test_everybody_can_use_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page(f"{FOOD}&add=1&said=known%09carrot%09fruit", dark=dark, phone=phone)

    def check() -> None:
        accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"

    row(page, "carrot", "fruit, you said so").click()
    expect(page.get_by_role("region", name="Export")).to_be_visible()
    check()
    page.goto("/taxonomy?mode=audit")
    page.get_by_role("link", name="an example").click()
    expect(page.get_by_role("region", name="Turned round")).to_be_visible()
    expect(row(page, "truck", "vehicle")).to_contain_text("%")
    check()
