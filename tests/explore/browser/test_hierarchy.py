"""A hierarchy that is there already: what is found in it is accepted or rejected, and files lead out and in again."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]

MISTAKES = "animal\n  dog\n    poodle\n  car\n  eagle\n    bird\nvehicle\n  truck\n"


def at(text: str) -> str:
    return f"/hierarchy?text={quote(text)}"


def row(page: Any, term: str, parent: str | None = None) -> Any:
    """The row of a term, under that parent or on top."""
    start = rf"^{term}, under {parent}\b" if parent else rf"^{term}(?!, under)"
    return page.get_by_role("treeitem", name=re.compile(start))


def review(page: Any) -> Any:
    return page.get_by_role("region", name="The review")


def saved(page: Any, button: str, folder: Path) -> str:
    with page.expect_download() as waiting:
        review(page).get_by_role("button", name=button).click()
    path = folder / str(waiting.value.suggested_filename)
    waiting.value.save_as(path)
    return path.read_text(encoding="utf-8")


def test_findings_are_decided_by_mouse_and_undone(open_page: Open) -> None:
    page = open_page("/hierarchy")
    page.get_by_role("textbox", name="Hierarchy").fill(MISTAKES)
    page.get_by_role("button", name="Check it").click()
    car = row(page, "car", "animal")
    expect(car).to_contain_text("improbable?")
    expect(row(page, "poodle", "dog")).to_contain_text("%")
    expect(row(page, "car", "vehicle")).to_contain_text("suggested")
    car.get_by_role("button", name="Accept: take it away").click()
    expect(review(page)).to_contain_text("1 accepted, 0 rejected")
    expect(review(page)).to_contain_text("− edge car → animal")
    expect(car).to_contain_text("✓ goes")
    row(page, "car", "vehicle").get_by_role("button", name="Accept: add it").click()
    expect(review(page)).to_contain_text("+ edge car → vehicle")
    row(page, "bird", "eagle").get_by_role("button", name="Reject: it is right").click()
    expect(review(page)).to_contain_text("2 accepted, 1 rejected")
    page.keyboard.press("Control+z")
    expect(review(page)).to_contain_text("2 accepted, 0 rejected")
    expect(page).not_to_have_url(re.compile("reject="))
    page.reload()
    expect(review(page)).to_contain_text("2 accepted, 0 rejected")
    car.get_by_role("button", name="Open again").click()
    expect(review(page)).to_contain_text("1 accepted, 0 rejected")
    expect(page.locator(".tax-chosen")).not_to_contain_text("null")


def test_findings_are_decided_by_keyboard(open_page: Open) -> None:
    page = open_page(at(MISTAKES))
    row(page, "animal").focus()
    page.keyboard.press("PageDown")
    first = page.locator(":focus")
    expect(first).to_have_attribute("role", "treeitem")
    name = first.get_attribute("data-row")
    page.keyboard.press("+")
    expect(review(page)).to_contain_text("1 accepted")
    expect(page.locator(":focus")).not_to_have_attribute("data-row", name or "")
    expect(page.locator(":focus")).to_have_attribute("role", "treeitem")
    page.keyboard.press("-")
    expect(review(page)).to_contain_text("1 accepted, 1 rejected")
    page.keyboard.press("Enter")
    expect(page.locator(":focus")).to_have_text(re.compile("^✓ Accept: "))
    page.keyboard.press("Enter")
    expect(review(page)).to_contain_text("2 accepted, 1 rejected")
    expect(page.locator(":focus")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.locator(":focus")).to_have_attribute("role", "treeitem")
    page.keyboard.press("Control+z")
    expect(review(page)).to_contain_text("1 accepted, 1 rejected")


def test_why_is_told_beside_and_leads_to_the_pair(open_page: Open) -> None:
    page = open_page(at(MISTAKES))
    row(page, "bird", "eagle").click()
    panel = page.get_by_role("region", name="bird", exact=True)
    expect(panel).to_contain_text("The edge seems to lead the wrong way.")
    expect(panel).to_contain_text("Eagle is a kind of bird")
    expect(panel.get_by_role("link", name="bird → eagle")).to_have_attribute("href", "/pair?first=bird&second=eagle")
    page.get_by_role("button", name=re.compile("^improbable")).click()
    expect(row(page, "car", "animal")).to_be_focused()


def test_a_review_leads_out_and_in_again(open_page: Open, tmp_path: Path) -> None:
    page = open_page(at(MISTAKES))
    row(page, "car", "animal").get_by_role("button", name="Accept").click()
    row(page, "bird", "eagle").get_by_role("button", name="Accept: turn it round").click()
    row(page, "car", "vehicle").get_by_role("button", name="Accept").click()
    expect(review(page)).to_contain_text("3 accepted")
    table = saved(page, "Review as CSV", tmp_path)
    accepted = [line for line in csv.DictReader(io.StringIO(table)) if line["decision"] == "accept"]
    assert {(line["term"], line["relation"], line["target"]) for line in accepted} == {
        ("car", "not narrower", "animal"),
        ("bird", "reverse", "eagle"),
        ("car", "narrower", "vehicle"),
    }
    mappings = saved(page, "Review as SSSOM", tmp_path)
    assert "entvec:car\tcar\tskos:broadMatch\t\tentvec:vehicle" in mappings
    corrected = saved(page, "Save the corrected hierarchy", tmp_path)
    assert corrected.startswith("animal\n")
    assert "  car\n" in corrected.partition("vehicle\n")[2]

    again = open_page(at(MISTAKES))  # of another browser: nothing is decided there
    expect(review(again)).to_contain_text("0 accepted")
    again.get_by_label("Open a review", exact=True).set_input_files(tmp_path / "review.csv")
    expect(review(again)).to_contain_text("3 accepted")

    page.goto("/hierarchy?text=")
    page.get_by_label("Choose a file").set_input_files(next(tmp_path.glob("taxonomy.*")))
    page.get_by_role("button", name="Check it").click()
    expect(row(page, "car", "vehicle")).to_contain_text("%")
    expect(row(page, "eagle", "bird")).to_be_visible()
    expect(page.get_by_role("treeitem", name=re.compile("improbable|turned round"))).to_have_count(0)


def test_it_goes_on_as_a_list_with_its_roots(open_page: Open) -> None:
    page = open_page(at("thing we sell\n  shoe\n    sandal\n  hat\nvehicle\n  car\n"))
    expect(row(page, "hat", "thing we sell")).to_be_visible()
    page.get_by_role("button", name="Go on as a list").click()
    expect(row(page, "sandal", "shoe, you said so")).to_be_visible()
    expect(row(page, "vehicle")).to_be_visible()
    expect(row(page, "thing we sell")).to_be_visible()
    page.go_back()
    expect(row(page, "hat", "thing we sell")).to_be_visible()


def test_a_file_is_checked_and_a_bad_line_is_pointed_at(open_page: Open, tmp_path: Path) -> None:
    page = open_page("/hierarchy", refusals=True)
    text = page.get_by_role("textbox", name="Hierarchy")
    bad = tmp_path / "animals.txt"
    bad.write_text("animal\n    dog\n  cat\n", encoding="utf-8")
    page.get_by_label("Choose a file").set_input_files(bad)
    expect(text).to_have_value("animal\n    dog\n  cat\n")
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 3: expected an indentation")
    expect(text).to_have_attribute("aria-invalid", "true")
    expect(text).to_be_focused()
    assert text.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)") == "  cat"
    text.fill("hypo,hyper\ndog,animal\ncat,animal\n")
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("main")).to_contain_text("Nothing found in 3 terms and 2 edges")
    dropped = page.evaluate_handle(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File([Array.from({ length: 2001 }, (_, i) => `word${i}`).join("\\n")], "words.txt"));
          return data;
        }"""
    )
    page.get_by_text("Text and options").click()
    text.dispatch_event("drop", {"dataTransfer": dropped})
    expect(text).to_have_value(re.compile("word2000$"))
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("alert")).to_contain_text("These are 2,001 terms, and this page takes 2,000.")


def test_a_hierarchy_of_which_nothing_can_be_said_gets_no_praise(open_page: Open) -> None:
    page = open_page(at("xqzzy\n  zzyqx\n"))
    verdict = page.locator(".tax-verdict")
    expect(verdict).to_have_text("None of the 2 terms is known, so no edge could be judged.")
    page.goto(at("dog"))
    expect(verdict).to_have_text("This looks like no hierarchy: there are no edges in it.")


def test_circles_and_unknown_terms_are_told_and_do_not_stop_the_picture(open_page: Open) -> None:
    page = open_page(at("dog\tanimal\nanimal\tpet\npet\tdog\nxqzzy\tdog\n"))
    expect(page.get_by_text("One term is not known")).to_contain_text("xqzzy")
    expect(page.get_by_role("treeitem", name=re.compile("in a circle"))).to_have_count(1)
    page.get_by_role("treeitem", name=re.compile("in a circle")).get_by_role("button", name="Accept").click()
    expect(review(page)).to_contain_text("1 accepted")


def test_labels_may_be_anything_and_nothing_of_them_is_markup(open_page: Open, tmp_path: Path) -> None:
    bad = '<img src=x onerror="boom()">'
    terms = f"thing\n  constructor\n  __proto__\n  {bad}\n"
    page = open_page(f"{at(terms)}&format=constructor&accept=__proto__")
    expect(row(page, "constructor", "thing")).to_be_visible()
    expect(row(page, re.escape(bad), "thing")).to_be_visible()
    assert page.locator("main img").count() == 0
    page.get_by_text("Text and options").click()
    expect(page.get_by_label("Format", exact=True)).to_have_value("")
    odd = tmp_path / "review.csv"
    odd.write_text(f'decision,term,id\naccept,"{bad.replace(chr(34), chr(34) * 2)}",<script>\n"', encoding="utf-8")
    page.get_by_label("Open a review", exact=True).set_input_files(odd)
    expect(review(page)).to_contain_text("0 decisions taken over.")
    odd.write_text("no review", encoding="utf-8")
    page.get_by_label("Open a review", exact=True).set_input_files(odd)
    expect(review(page)).to_contain_text("This is no review")


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True), (True, False), (False, True)])
def test_everybody_can_use_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page("/hierarchy", dark=dark, phone=phone)
    accessible(page)
    page.get_by_role("button", name="an example").click()
    bird = row(page, "bird", "eagle")
    expect(row(page, "truck", "vehicle")).to_contain_text("%")
    bird.get_by_role("button", name="Accept").click()
    bird.click()
    row(page, "car", "mammal").get_by_role("button", name="Reject").click()
    expect(review(page)).to_contain_text("1 accepted, 1 rejected")
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
