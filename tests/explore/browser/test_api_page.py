"""The documentation of the API, as a programmer reads it."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

Open = Callable[..., Any]
Check = Callable[[Any], None]


def test_it_is_found_from_the_page_and_an_answer_opened_from_it(open_page: Open) -> None:
    page = open_page("/theory", refusals=True)  # a browser that shows JSON asks for an icon that is not there
    page.get_by_role("link", name="API", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The API")
    page.get_by_role("navigation", name="Addresses").get_by_role("link", name="/api/relation").click()
    section = page.locator("#relation")
    expect(section).to_contain_text("curl -s 'http://localhost:8765/api/relation?first=wheel&second=car'")
    section.get_by_role("link", name="Open this answer").click()
    expect(page.locator("body")).to_contain_text('"relation":"part"')


@pytest.mark.parametrize(("dark", "phone"), [(False, False), (True, True)])
def test_everybody_can_read_it(open_page: Open, accessible: Check, dark: bool, phone: bool) -> None:
    page = open_page("/api/", dark=dark, phone=phone)
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it must not scroll sideways"
