"""The view Map, as a person uses it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]
SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"(-?[\d.]+)"


def node(page: Any, label: str) -> Any:
    """A word of the map, by how its label begins: “dog”, “animal, above dog”."""
    return page.locator(".node").and_(page.get_by_role("button", name=re.compile(rf"^{label}(,|$)")))


def drawing(page: Any) -> Any:
    return page.get_by_role("group", name="Map of")


def moved(page: Any) -> tuple[float, float, float]:
    """How far the map is moved, and how much it is enlarged."""
    transform = page.locator(".layered").get_attribute("transform")
    found = re.fullmatch(rf"translate\({NUMBER} {NUMBER}\) scale\({NUMBER}\)", transform)
    assert found
    x, y, scale = map(float, found.groups())
    return x, y, scale


def middle(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def boxes(locator: Any) -> Any:
    """Left, top, right and bottom of each element."""
    return locator.evaluate_all(
        "all => all.map(each => each.getBoundingClientRect()).map(box => [box.left, box.top, box.right, box.bottom])"
    )


def test_a_word_is_typed_and_shown_among_others_the_general_above_the_specific_below(open_page: Open) -> None:
    page = open_page("/map")
    page.get_by_role("combobox", name="A word").press_sequentially("do")
    expect(page.get_by_role("option").first).to_be_visible()
    page.get_by_role("combobox", name="A word").press_sequentially("g")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/map?words=dog")
    expect(page).to_have_title("Map of dog · entvec")
    expect(node(page, "animal, above dog")).to_have_attribute("aria-label", re.compile(r"^animal, above dog, >?\d\d%$"))
    above, asked, below = (middle(node(page, word))[1] for word in ("animal", "dog", "poodle"))
    assert above < asked < below
    frame = page.locator(".chart").bounding_box()
    for left, top, right, bottom in boxes(page.locator(".node")):
        assert frame["x"] <= left < right <= frame["x"] + frame["width"]
        assert frame["y"] <= top < bottom <= frame["y"] + frame["height"]


def test_a_word_is_expanded_and_back_reload_and_taking_out_keep_the_rest(open_page: Open) -> None:
    page = open_page("/map?words=dog")
    expect(node(page, "bird")).to_have_count(0)
    node(page, "animal").click()
    card = page.get_by_role("dialog", name="animal")
    expect(card).to_contain_text(re.compile(r"dog is a kind of animal: >?\d\d%"))
    card.get_by_role("button", name="Expand here").click()
    expect(page).to_have_url("/map?words=dog%2Canimal")
    expect(node(page, "animal")).to_have_class(re.compile("centre"))
    expect(page.get_by_role("heading", name="Around 2 words")).to_be_visible()
    page.go_back()
    expect(node(page, "animal")).to_have_class(re.compile("above"))
    page.go_forward()
    page.reload()
    expect(node(page, "animal")).to_have_class(re.compile("centre"))
    page.get_by_role("combobox", name="Another word").fill("wine, piano")
    page.get_by_role("button", name="Add to this map").click()
    expect(page.get_by_role("heading", name="Around 4 words")).to_be_visible()
    expect(node(page, "piano")).to_have_class(re.compile("centre"))
    page.get_by_role("button", name="Take animal out of the map").click()
    expect(page).to_have_url("/map?words=dog%2Cwine%2Cpiano")
    expect(page.get_by_role("button", name="Take animal out of the map")).to_have_count(0)


def test_a_card_leads_to_the_other_views(open_page: Open) -> None:
    page = open_page("/map?words=dog")
    node(page, "poodle").click()
    card = page.get_by_role("dialog", name="poodle")
    expect(card.get_by_role("link", name="As a word")).to_have_attribute("href", "/word?word=poodle")
    expect(card.get_by_role("link", name="Why?")).to_have_attribute("href", "/pair?first=poodle&second=dog")
    node(page, "animal").click()
    expect(card).to_have_count(0)
    expect(page.get_by_role("link", name="Why?")).to_have_attribute("href", "/pair?first=dog&second=animal")
    page.get_by_role("heading", name="Around dog").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    node(page, "animal").click()
    page.get_by_role("button", name="Its own map").click()
    expect(page).to_have_url("/map?words=animal")


def test_the_pointer_on_a_word_shows_its_paths_and_probabilities(open_page: Open) -> None:
    page = open_page("/map?words=dog&below=4")
    node(page, "dog").hover()
    numbers = page.locator(".numbers text")
    expect(numbers.first).to_have_text(re.compile(r"^\d\d%$"))
    assert numbers.count() >= 5
    lower = page.locator(".node.below")
    lower.first.hover()
    expect(numbers).to_have_count(1)
    on = re.compile(r"\bon\b")
    expect(node(page, "dog")).to_have_class(on)
    expect(node(page, "animal")).to_have_class(on)
    expect(lower.last).not_to_have_class(on)
    page.get_by_role("heading", name="Around dog").hover()
    expect(numbers).to_have_count(0)


def test_the_map_is_dragged_and_enlarged_and_a_drag_is_no_click(open_page: Open) -> None:
    page = open_page("/map?words=dog")
    x, y = middle(node(page, "dog"))
    before = moved(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y - 30, steps=4)
    page.mouse.up()
    assert moved(page) == pytest.approx((before[0] + 40, before[1] - 30, before[2]), abs=1)
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.mouse.wheel(0, -200)
    expect(page.locator(".layered")).not_to_have_attribute("transform", re.compile(rf"scale\({before[2]:.4f}\)"))
    assert middle(node(page, "dog")) == pytest.approx((x + 40, y - 30), abs=2), "what is under the pointer stays there"
    page.get_by_role("button", name="Show the whole map").click()
    assert moved(page) == pytest.approx(before, abs=0.1)
    page.get_by_role("button", name="Enlarge").click()
    assert moved(page)[2] == pytest.approx(1.3 * before[2], rel=1e-3)
    page.get_by_role("button", name="Make smaller").click()
    page.get_by_role("button", name="Make smaller").click()
    assert moved(page)[2] == pytest.approx(before[2], rel=1e-3), "smaller than the whole there is nothing to see"


def test_two_fingers_enlarge_it(open_page: Open) -> None:
    page = open_page("/map?words=dog", phone=True)
    expect(node(page, "dog")).to_be_visible()
    expect(drawing(page)).to_have_css("touch-action", "pan-y")
    expect(page.get_by_text("keys: arrows").last).to_be_hidden()
    scale = moved(page)[2]
    x, y = middle(node(page, "dog"))
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, *apart: float) -> None:
        points = [{"x": x, "y": y + side * gap, "id": i} for gap in apart for i, side in enumerate((-1, 1))]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 20)
    for gap in range(24, 64, 4):
        touch("touchMove", gap)
    touch("touchEnd")
    assert moved(page)[2] > 1.8 * scale
    assert middle(node(page, "dog")) == pytest.approx((x, y), abs=8)
    expect(drawing(page)).to_have_css("touch-action", "none")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Show the whole map").tap()
    node(page, "animal").tap()
    expect(page.get_by_role("dialog", name="animal")).to_be_visible()


def test_it_needs_no_mouse(open_page: Open) -> None:
    page = open_page("/map?words=dog")
    expect(page.get_by_text("keys: arrows").last).to_be_visible()
    drawing(page).focus()
    x, y, scale = moved(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert moved(page) == pytest.approx((x + 60, y - 60, scale), abs=0.1)
    page.keyboard.press("+")
    assert moved(page)[2] > scale
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert moved(page) == pytest.approx((x, y, scale), abs=0.1)

    page.keyboard.press("Tab")
    expect(node(page, "dog")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".node.above:focus")).to_have_count(1)
    assert moved(page) == pytest.approx((x, y, scale), abs=0.1), "on a word, arrows go to another one"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    found = page.locator(".node.below:focus")
    word = found.get_attribute("data-id")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Expand here")).to_be_focused()
    page.keyboard.press("Escape")
    expect(found).to_have_attribute("data-id", word)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"/map?words=dog%2C{word}")
    expect(page.locator(".node.centre:focus")).to_have_attribute("data-id", word)


def test_choices_are_kept_in_the_address_and_the_map_is_told_in_words(open_page: Open) -> None:
    page = open_page("/map?words=dog")
    expect(page.locator(".node.below")).to_have_count(8)
    choice = page.get_by_label("Words below", exact=True)
    choice.focus()
    choice.select_option("4")
    expect(page.locator(".node.below")).to_have_count(4)
    expect(choice).to_be_focused()
    expect(page).to_have_url("/map?words=dog&below=4")
    page.get_by_label("Generality", exact=True).select_option("the surest, however general")
    expect(page).to_have_url("/map?words=dog&below=4&specificity=0")
    page.reload()
    expect(choice).to_have_value("4")
    expect(page.get_by_label("Generality", exact=True)).to_have_value("0")
    page.get_by_text("The same in words").click()
    sentence = page.get_by_role("link", name=re.compile(r"^\w+ is a kind of dog \(\d\d%\)\.$")).first
    expect(sentence).to_be_visible()
    sentence.click()
    expect(page).to_have_url(re.compile(r"beside=\w+%2Cdog$"))


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_is_saved_and_looks_the_same_elsewhere(open_page: Open, tmp_path: Path, dark: bool) -> None:
    page = open_page("/map?words=dog", dark=dark)
    expect(node(page, "dog")).to_be_visible()
    words = page.locator(".node").all_text_contents()
    page.get_by_role("button", name="Enlarge").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as SVG").click()
    assert saved.value.suggested_filename == "map-dog.svg"
    file = tmp_path / "map.svg"
    saved.value.save_as(file)
    root = ET.parse(file).getroot()  # noqa: S314  # our own file
    assert root.tag == f"{SVG}svg"
    assert [each.text for each in root.iter(f"{SVG}text")] == words
    assert "poodle is a kind of dog" in (root.findtext(f"{SVG}desc") or "")
    text = file.read_text(encoding="utf-8")
    assert "var(" not in text
    assert not {"class", "style", "role", "tabindex"} & {name for each in root.iter() for name in each.attrib}
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width} {height}"

    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as PNG").click()
    assert saved.value.suggested_filename == "map-dog.png"
    picture = Path(saved.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    size = int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")
    assert size == pytest.approx((2 * width, 2 * height), abs=2)

    colours = "all => all.map(each => getComputedStyle(each)).map(({ fill, stroke }) => [fill, stroke])"
    on_the_page = page.locator(".node rect").evaluate_all(colours)
    elsewhere = page.context.browser.new_page()
    elsewhere.goto(file.as_uri())
    assert elsewhere.locator("g rect").evaluate_all(colours) == on_the_page
    rects, labels = boxes(elsewhere.locator("g rect")), boxes(elsewhere.locator("g text"))
    for rect, label in zip(rects, labels, strict=True):
        assert rect[0] < label[0] < label[2] < rect[2]
        assert rect[1] < label[1] < label[3] < rect[3]
    elsewhere.close()


def test_a_word_that_is_not_there_gets_suggestions_that_work(open_page: Open) -> None:
    page = open_page("/map?words=guqtar", refusals=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("No map of guqtar")
    page.goto("/map?words=dog,guqtar,xqzzy")
    expect(page.get_by_text("“guqtar” is not in the vocabulary and was left out.")).to_be_visible()
    expect(page.get_by_text("“xqzzy” is not in the vocabulary and was left out.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Around dog")
    expect(node(page, "dog")).to_be_visible()
    page.get_by_role("button", name="Take xqzzy out of the map").click()
    page.get_by_role("button", name="guitar", exact=True).click()
    expect(page).to_have_url("/map?words=dog%2Cguitar")
    expect(node(page, "guitar")).to_be_visible()


def test_fewer_words_than_asked_for_are_explained(open_page: Open) -> None:
    page = open_page("/map?words=dog&above=0&below=4")
    why = page.get_by_text("Only words that are probable enough are drawn.")
    expect(node(page, "dog")).to_be_visible()
    expect(why).to_have_count(0)
    page.get_by_label("Words below", exact=True).select_option("30")
    expect(why).to_be_visible()


def test_nothing_typed_is_told(open_page: Open) -> None:
    page = open_page("/map")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("alert")).to_have_text("Type a word first.")


def test_more_words_than_there_is_room_for_are_told_with_a_next_step(open_page: Open) -> None:
    words = ["dog", "cat", "horse", "cow", "pig", "sheep", "goat", "bird", "fish", "snake", "frog", "lion", "tiger"]
    page = open_page("/map?words=" + ",".join(words))
    expect(page.get_by_role("alert")).to_contain_text("room for 12 words")
    page.get_by_role("button", name="Take tiger out of the map").click()
    expect(node(page, "lion")).to_have_class(re.compile("centre"))
    page.locator(".node.above").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Take one out")
    expect(page.get_by_role("button", name="Expand here")).to_have_count(0)


def test_a_server_that_is_gone_is_told_with_a_next_step(open_page: Open) -> None:
    page = open_page("/map?words=dog", refusals=True)
    expect(node(page, "dog")).to_be_visible()
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_label("Words above", exact=True).select_option("4")
    expect(page.get_by_role("alert")).to_contain_text("start it again with")


def test_words_are_text_and_commas_can_be_part_of_them(open_page: Open) -> None:
    page = open_page(r"/map?words=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%5C,b", refusals=True)
    expect(page.get_by_role("alert")).to_contain_text("“<img src=x onerror=alert(1)>,b”")


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True)])
def test_everybody_can_use_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page("/map?words=dog,animal", dark=dark, phone=phone)
    expect(node(page, "dog")).to_be_visible()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
    page.get_by_text("The same in words").click()
    node(page, "dog").click()
    expect(page.get_by_role("dialog", name="dog")).to_be_visible()
    accessible(page)


def test_an_empty_map_asks_for_a_word(open_page: Open, accessible: Check) -> None:
    page = open_page("/map")
    expect(page.get_by_role("combobox", name="A word")).to_be_focused()
    accessible(page)
