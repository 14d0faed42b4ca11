"""The pictures of the gallery are drawn, and each of them is on the page."""

import re
import runpy
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'entvec[plot]'")

DOCS = Path(__file__).parent.parent / "docs"
GALLERY = runpy.run_path(str(DOCS / "pictures.py"))


def test_the_gallery_shows_every_picture_that_is_drawn(tmp_path: Path) -> None:
    GALLERY["draw"](tmp_path / "made")
    shown = re.findall(r"figures/made/(\w+)\.png", (DOCS / "gallery.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(GALLERY["PICTURES"]) == sorted(path.stem for path in (tmp_path / "made").iterdir())
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in (tmp_path / "made").iterdir())
