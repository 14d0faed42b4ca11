"""The picture in the README is one of this page."""

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

from playwright.sync_api import expect

PICTURE = "docs/figures/explore.png"
ROOT = Path(__file__).parents[3]


def size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def palette(png: bytes) -> bytes:
    """The same picture with 128 colours."""
    image = pytest.importorskip("PIL.Image")
    reduced = image.open(BytesIO(png)).convert("RGB").quantize(128, dither=image.Dither.NONE)
    written = BytesIO()
    reduced.save(written, "PNG", optimize=True)
    return written.getvalue()


def test_the_picture_of_the_readme_is_made_here(open_page: Callable[..., Any]) -> None:
    """With ENTVEC_FIGURES=1 it is written anew."""
    page = open_page("/?words=labradoodle&beside=labradoodle")
    expect(page.locator(".start-evidence")).to_contain_text("labradoodle is")
    expect(page.locator("#beside .rung").first).to_be_visible()
    made = page.screenshot(clip={"x": 0, "y": 0, "width": 1200, "height": 850})
    if os.environ.get("ENTVEC_FIGURES"):
        (ROOT / PICTURE).write_bytes(palette(made))
    assert PICTURE in (ROOT / "README.md").read_text(encoding="utf-8")
    assert size((ROOT / PICTURE).read_bytes()) == size(made)
