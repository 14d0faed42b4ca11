"""Extraction from files: the same bytes whoever does the work, nothing lost by a kill, bad files skipped and named."""

import gzip
import io
import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from entvec import bulk
from entvec.bulk import JobProgress
from entvec.errors import CannotWrite, InvalidInput
from entvec.graphs import Taxonomy
from entvec.knowledge.sources import gathered
from entvec.text import Pattern
from entvec.text.extraction.documents import BLOCK
from entvec.vectors.source import COMPRESSIONS

SENTENCE = "Guitars, lutes and other instruments were sold. "
extract = partial(bulk.extract, partition_size=BLOCK)


def rows(path: str | Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Several blocks of text, and other formats."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    paragraphs = (f"In year {i}, dogs and other animals such as cats and cows lived in towns.\n\n" for i in range(3000))
    (folder / "long.txt").write_text("".join(paragraphs), encoding="utf-8")
    (folder / "page.html").write_text(f"<p>{SENTENCE}</p>", encoding="utf-8")
    (folder / "notes.md").write_text(f"# Notes\n\n{SENTENCE.replace('lutes', '**lutes**')}\n", encoding="utf-8")
    (folder / "rows.jsonl").write_text(json.dumps({"text": SENTENCE}) + "\n", encoding="utf-8")
    pq.write_table(pa.table({"text": [SENTENCE, None]}), folder / "rows.parquet")
    (folder / "packed.txt.gz").write_bytes(gzip.compress(SENTENCE.encode()))
    return folder


def test_all_formats_are_counted(corpus: Path, tmp_path: Path) -> None:
    done = extract(corpus, tmp_path / "out.parquet")
    found = {(row["hypo"], row["hyper"], row["pattern"]): row for row in rows(done.path)}
    lute, dog = found["lute", "instrument", "and-other"], found["dog", "animal", "and-other"]
    assert (lute["count"], lute["documents"], done.skipped) == (5, 5, ())
    assert (dog["count"], len(found)) == (3000, done.rows)
    assert 1 < dog["documents"] < 20
    assert [Path(example["file"]).name for example in lute["examples"]] == ["notes.md", "packed.txt.gz", "page.html"]
    text = (corpus / "long.txt").read_bytes()
    for example in dog["examples"]:
        assert text[example["offset"] :].startswith(example["sentence"].encode())
    assert not list(tmp_path.glob("*.job"))


def test_the_same_bytes_with_any_number_of_processes(corpus: Path, tmp_path: Path) -> None:
    for n in (1, 3):
        extract(corpus, tmp_path / f"{n}.parquet", processes=n)
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "3.parquet").read_bytes()


def test_a_run_that_is_killed_goes_on(corpus: Path, tmp_path: Path) -> None:
    script = f"""
import os, signal
from entvec import bulk
def kill(progress):
    if progress.part > 0.4:
        os.kill(os.getpid(), signal.SIGKILL)
bulk.extract({str(corpus)!r}, {str(tmp_path / "out.parquet")!r}, partition_size={BLOCK}, processes=1, progress=kill)
"""
    killed = subprocess.run([sys.executable, "-c", script], check=False)  # noqa: S603
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / "out.parquet.job").exists()
    told: list[JobProgress] = []
    extract(corpus, tmp_path / "out.parquet", progress=told.append)
    assert told[0].part > 0.3
    extract(corpus, tmp_path / "again.parquet")
    assert (tmp_path / "out.parquet").read_bytes() == (tmp_path / "again.parquet").read_bytes()
    assert extract(corpus, tmp_path / "out.parquet").seconds == 0


def test_another_job_is_not_overwritten(corpus: Path, tmp_path: Path) -> None:
    extract(corpus, tmp_path / "out.parquet")
    with pytest.raises(CannotWrite, match="already, with something else"):
        extract(corpus, tmp_path / "out.parquet", terms=["blorp"])
    extract(corpus, tmp_path / "out.parquet", terms=["blorp"], restart=True)


@pytest.mark.parametrize("suffix", list(COMPRESSIONS))
def test_packed_files(tmp_path: Path, suffix: str) -> None:
    from importlib import import_module

    path = tmp_path / f"a.txt{suffix}"
    with import_module(COMPRESSIONS[suffix].module).open(path, "wb") as file:
        file.write(SENTENCE.encode())
    assert extract(path, tmp_path / "out.parquet").rows == 2


def test_bad_files_are_skipped_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    bad = {
        "a.png": b"\x89PNG\0\0",
        "b.txt": "wide".encode("utf-16"),
        "c.jsonl": b"{",
        "d.parquet": b"PAR1",
        "e.gz": b"\x1f\x8b broken",
        "f.txt": "é ".encode("latin-1") * 100,
        "g.html": b"<div>" * 9000,
    }
    for name, content in bad.items():
        (folder / name).write_bytes(content)
    (folder / "good.txt").write_text(SENTENCE)
    (folder / "empty.txt").write_text("")
    done = extract(folder, tmp_path / "out.parquet")
    assert done.rows == 2
    assert sorted(Path(each.partition(": ")[0]).name for each in done.skipped) == sorted(bad)


def test_a_text_without_pairs_and_a_line_without_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a, " * 60_000 + b"and other a")
    assert extract(tmp_path / "a.txt", tmp_path / "out.parquet").rows == 0
    assert pq.read_table(tmp_path / "out.parquet").column_names[:3] == ["hypo", "hyper", "pattern"]


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(SENTENCE.encode()))))
    done = extract("-", tmp_path / "out.parquet")
    assert {example["file"] for row in rows(done.path) for example in row["examples"]} == {"-"}
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


def test_own_knowledge_and_patterns_reach_the_workers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Zork mills rank among machines. " + "Nothing here. \n\n" * 9000)
    known = gathered(None, [Taxonomy.from_edges([("zork mill", "machine")])])
    patterns = [Pattern("rank", "HYPO rank among HYPER")]
    done = extract(tmp_path / "a.txt", tmp_path / "out.parquet", knowledge=known, patterns=patterns, processes=2)
    assert [(row["hypo"], row["hyper"]) for row in rows(done.path)] == [("zork mill", "machine")]


def test_the_output_may_be_in_the_folder_of_the_texts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(SENTENCE)
    for restart in (False, True):
        assert extract(tmp_path, tmp_path / "out.parquet", restart=restart).rows == 2


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(SENTENCE)
    with pytest.raises(InvalidInput, match="expected a name that ends in"):
        extract(tmp_path / "a.txt", tmp_path / "out")
    with pytest.raises(InvalidInput, match="partition_size is 1"):
        bulk.extract(tmp_path / "a.txt", tmp_path / "out.parquet", partition_size=1)
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "in.parquet")
    with pytest.raises(InvalidInput, match="one of the texts"):
        extract(tmp_path / "in.parquet", tmp_path / "in.parquet")
