"""Snippets of `how-to/` write small files, each page in a folder of its own."""

from pathlib import Path

import pytest

RECIPES = Path(__file__).parent / "how-to"


@pytest.fixture(autouse=True)
def recipe_folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the snippets of a recipe write their files where no other one does."""
    if request.path.is_relative_to(RECIPES):
        monkeypatch.chdir(tmp_path)
