"""What several tests share."""

import json
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from entvec.bundled import BENCHMARK, google_news, isa
from entvec.vectors import Vectors

# Timings never decide a test, and what fails once must fail again.
settings.register_profile("entvec", deadline=None, derandomize=True)
settings.load_profile("entvec")
# A shell starts background jobs with SIGINT ignored, nohup with SIGHUP, and so would be the processes that are tested.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
# Nothing that an earlier version of the code has computed may answer a test.
os.environ["ENTVEC_CACHE"] = ""


MARKED = {
    "tests/explore/browser/": "browser",
    "tests/explore/test_server.py": "server",
    "tests/cli/test_export.py": "server",
    "docs/databases.md": "server",
}
"""Folders and files of which every test has a marker."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of some folders and files."""
    for item in items:
        for start, name in MARKED.items():
            if item.nodeid.startswith(start):
                item.add_marker(name)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with copies of public data that may not be part of the project."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ENTVEC_DATA") or beside)
    if not (folder / "weeds-bless.json").is_file():
        pytest.skip("needs copies of the public benchmarks; ENTVEC_DATA names the folder that has them")
    return folder


@pytest.fixture(scope="session")
def small_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sixty pairs under the names of the paper's benchmarks, and vectors of a few hundred words."""
    folder = tmp_path_factory.mktemp("small_world")
    lines = [line.split("\t") for line in BENCHMARK.read_text(encoding="utf-8").splitlines()[1:61]]
    pairs = [(hypo, hyper, int(label)) for hypo, hyper, label, _ in lines]
    (folder / "weeds-bless.json").write_text(json.dumps([*pairs, ("qqqqq", "animal", 1)]))
    table = "".join(f"{hypo}\t{hyper}\t{bool(label)}\n" for hypo, hyper, label in pairs)
    (folder / "baroni2012.tsv").write_text("word1\tword2\tlabel\n" + table)
    words = {word for hypo, hyper, _ in pairs for word in (hypo, hyper)} | set(isa().words[:300])
    news = google_news()
    some = news.subset(sorted(words, key=news.row))
    Vectors(list(some), some.matrix[:, :20]).save(folder / "vectors.safetensors")  # of few dimensions, to be quick
    return folder
