"""A real server, a real browser, and what every page must be: quiet, self-sufficient, usable by all."""

import os
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install 'entvec[test]'")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SCREENSHOTS = Path(os.environ.get("ENTVEC_SCREENSHOTS", "build/screenshots"))
DESKTOP, PHONE = {"width": 1200, "height": 850}, {"width": 390, "height": 844}
PATIENCE = 30_000
"""Milliseconds after which something is taken not to happen: machines are slow at times."""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

Page = Any


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
            page.screenshot(path=SCREENSHOTS / f"{request.node.path.stem}-{request.node.name}.png")
        context.close()
    assert not troubles


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
