"""A real server, a real browser, and what every page must be: quiet, self-sufficient, usable by all."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SETTLED = 5_000  # milliseconds in which a page is usually drawn; tests act on it as people do, once they see it
SCREENSHOTS = Path(os.environ.get("ENTVEC_SCREENSHOTS", "build/screenshots"))
DESKTOP, PHONE = {"width": 1200, "height": 850}, {"width": 390, "height": 844}
PATIENCE = 30_000
"""Milliseconds after which something is taken not to happen: machines are slow at times."""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

Page = Any
CHANGED: dict[str, float] = {}


@pytest.fixture(scope="session")
def address(start: Callable[..., Any]) -> Iterator[str]:
    """Where the explorer of the bundled space is."""
    with start(bundled=True) as served:
        yield f"http://{served.host}:{served.port}"
        told = served.stop()
    assert served.process.returncode == 0
    assert "Traceback" not in told


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for one file of tests: while it is there, no other test of this process can run an event loop."""
    if CHROMIUM is None:
        pytest.skip("no chromium here: apt install chromium")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Opens an address of the explorer; whatever goes wrong on the page fails the test.

    `refusals` tells that the test provokes answers like 422, which browsers report as errors. A screenshot of the last
    page is kept.
    """
    troubles: list[str] = []
    contexts = []

    def opened(
        path: str = "/", *, dark: bool = False, phone: bool = False, refusals: bool = False, **more: Any
    ) -> Page:
        context = browser.new_context(
            viewport=PHONE if phone else DESKTOP,
            has_touch=phone,
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
            reduced_motion="reduce",
            base_url=address,
            **more,
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        playwright.expect.set_options(timeout=PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("console", lambda message: _noted(message, refusals=refusals))
        page.on("request", lambda sent: _own(sent.url))
        page.goto(path)
        with suppress(playwright.TimeoutError):  # what a test holds back is not waited for
            page.wait_for_load_state("networkidle", timeout=SETTLED)
        return page

    def _noted(message: Any, *, refusals: bool) -> None:
        if message.type in ("error", "warning") and not (refusals and "Failed to load resource" in message.text):
            troubles.append(f"{message.type}: {message.text}")

    def _own(url: str) -> None:
        if not url.startswith((address, "blob:", "data:")):
            troubles.append(f"a request to a third party: {url}")

    yield opened
    for context in contexts:
        for page in context.pages:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"\W+", "-", request.node.name)[:100]  # parameters may be addresses
            keep(SCREENSHOTS / f"{request.node.path.stem}-{name}.png", page.screenshot())
        context.close()
    assert not troubles


def keep(path: Path, made: bytes) -> None:
    """Keep a screenshot, and note by how much it differs from the one of the run before."""
    if path.exists() and (share := changed_pixels(path.read_bytes(), made)):
        CHANGED[path.stem] = share
    path.write_bytes(made)


def changed_pixels(before: bytes, after: bytes) -> float:
    """The share of pixels that differ; 1 for pictures of different sizes."""
    image = pytest.importorskip("PIL.Image")
    one, other = (image.open(BytesIO(png)).convert("RGB") for png in (before, after))
    if one.size != other.size:
        return 1.0
    differ = np.any(np.asarray(one) != np.asarray(other), axis=2)
    return float(differ.mean())


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report which screenshots have changed."""
    if CHANGED:
        terminalreporter.section("screenshots that differ from those of the last run")
        for name, share in sorted(CHANGED.items(), key=lambda row: -row[1]):
            terminalreporter.write_line(f"{share:7.2%} of the pixels  {name}")


@pytest.fixture
def accessible() -> Callable[[Page], None]:
    """Checks a page with axe-core: contrast, names, roles, keyboard."""
    source = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

    def check(page: Page) -> None:
        page.evaluate(f"() => {{ {source}\n }}")
        found = page.evaluate("tags => axe.run(document, { runOnly: tags })", WCAG)
        told = [
            f"{rule['id']}: {rule['help']}: {node['html'][:200]} ({node.get('failureSummary', '')})"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]
        assert not told, "\n".join(told)
        assert found["passes"]

    return check
