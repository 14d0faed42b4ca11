"""What several tests share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with copies of public data that may not be part of the project."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ENTVEC_DATA") or beside)
    if not (folder / "weeds-bless.json").is_file():
        pytest.skip("needs copies of the public benchmarks; ENTVEC_DATA names the folder that has them")
    return folder
