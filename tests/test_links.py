"""Links in README, docs and other pages lead to files and headings that are there; the reference names all commands."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from entvec.cli import COMMANDS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)])
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
MADE = DOCS / "figures" / "made"
"""The pictures that are drawn when the pages are built."""


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub and MyST name them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles]
    return {re.sub(r"[^\w\- ]", "", title.replace(".", "")).strip().replace(" ", "-") for title in plain}


def links(page: Path) -> Iterator[str]:
    """The links of a page that stay in the project."""
    for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z]+:", link):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    lost = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        there = target.exists() or target.parent == MADE
        if not there or (anchor and anchor not in anchors(target)):
            lost.append(link)
    assert not lost


def test_every_page_is_in_the_index() -> None:
    listed: set[Path] = set()
    for index in (DOCS / "index.md", DOCS / "how-to" / "index.md"):
        for tree in re.findall(
            r"^```{toctree}\n(.*?)^```", index.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            names = [line for line in tree.split() if not line.startswith(":")]
            listed |= {(index.parent / f"{name}.md").resolve() for name in names}
    assert {path for path in PAGES if path.is_relative_to(DOCS)} - {DOCS / "index.md"} <= listed


def test_every_command_is_in_the_reference() -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"entvec {name}" not in text] == []
