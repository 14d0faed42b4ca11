import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from entvec.errors import InvalidInput
from entvec.text.extraction.documents import (
    BLOCK,
    FORMATS,
    Unit,
    check_format,
    format_of,
    read_blocks,
    read_documents,
    without_marks,
)
from entvec.text.extraction.extractor import Document
from entvec.text.extraction.html_text import Unreadable, text_of_html

SENTENCE = "Guitars, lutes and other instruments were sold."


def read(path: Path, format_name: str, start: int = 0, stop: int | None = None) -> list[Document]:
    stop = path.stat().st_size if stop is None else stop
    return list(read_documents(Unit(str(path), path.name, format_name, start, stop), "text"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.txt", "text"),
        ("a", "text"),
        ("a.md.zst", "markdown"),
        ("A.HTM", "html"),
        ("a.jsonl.gz", "jsonl"),
        ("a.parquet", "parquet"),
        ("a.gz", "text"),
    ],
)
def test_the_name_of_a_file_says_its_format(name: str, expected: str) -> None:
    assert format_of(Path(name)) == expected


def test_a_format_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected one of text, markdown, html, jsonl, parquet"):
        check_format("docx")
    assert [check_format(name) for name in (None, *FORMATS)] == [None, *FORMATS]


@given(st.lists(st.integers(1, BLOCK), max_size=6), st.sampled_from(["\n\n", "\n", " ", "é"]))
def test_blocks_are_the_same_whoever_reads_them(lengths: list[int], end: str) -> None:
    content = "".join("é" * (length // 2) + end for length in lengths).encode()
    size = len(content)
    whole = list(read_blocks(content, 0, 0, size))
    assert b"".join(block for _, block in whole) == content
    parts: list[tuple[int, bytes]] = []
    for start in range(0, size, BLOCK):
        stop = min(start + BLOCK, size)
        parts += read_blocks(content[start : stop + BLOCK], start, start, stop)
    assert parts == whole
    assert "".join(block.decode() for _, block in whole)[:1] in ("é", end[0], "")


def test_offsets_of_text_are_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"Café.\n\n{SENTENCE}\n", encoding="utf-8")
    (document,) = read(path, "text")
    assert path.read_bytes()[document.place(document.text.index("Guitars")) :].startswith(b"Guitars")


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\x00\x01PNG", "no text"), ("wide".encode("utf-16"), "UTF-16"), ("caf\xe9 ".encode("latin-1") * 100, "UTF-8")],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(Unreadable, match=reason):
        read(path, "text")


def test_a_few_wrong_bytes_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"caf\xe9. " + SENTENCE.encode())
    assert SENTENCE in read(path, "text")[0].text


@given(st.text(st.sampled_from("ab*_`[]()#\n <>"), max_size=80))
def test_markdown_keeps_its_letters_in_place(text: str) -> None:
    assert len(without_marks(text)) == len(text)


def test_markdown_loses_marks_and_code() -> None:
    text = "See **dogs**, [cats](cats.md) and `other` pets.\n\n```\nx is a y\n```\n"
    plain = without_marks(text)
    assert plain.split() == ["See", "dogs", ",", "cats", "and", "other", "pets."]
    assert plain.index("cats") == text.index("cats")


def test_html_becomes_paragraphs() -> None:
    page = "<title>T</title><script>x such as y</script><p>Dogs, <b>cats</b> and other\n pets<p>Two"
    page += "<table><tr><td>hammer<td>a tool</table>"
    assert text_of_html(page).split("\n\n") == ["T", "Dogs, cats and other pets", "Two", "hammer | a tool"]


@pytest.mark.parametrize("page", ["<div>" * 100_000, "".join(f"<font size={i}>" for i in range(3000)) + "<p>" * 10_000])
def test_pages_that_would_keep_a_parser_busy_are_refused(page: str) -> None:
    with pytest.raises(Unreadable, match="deep"):
        text_of_html(page)


def test_json_lines_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"text": text}) for text in (SENTENCE, "é", "")] + ["", '{"text": null}']
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [document.text for document in read(path, "jsonl")] == [SENTENCE, "é", "", ""]
    size = path.stat().st_size
    for at in range(size + 1):
        parts = [*read(path, "jsonl", 0, at), *read(path, "jsonl", at, size)] if at else read(path, "jsonl")
        assert [document.offset for document in parts] == [document.offset for document in read(path, "jsonl")]


@pytest.mark.parametrize(
    ("line", "reason"), [("{", "not JSON"), ("[1]", "without the field"), ('{"text": 1}', "no text")]
)
def test_other_json_is_refused(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line)
    with pytest.raises(Unreadable, match=reason):
        read(path, "jsonl")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_parquet_rows_are_documents(tmp_path: Path, kind: pa.DataType) -> None:
    path = tmp_path / "a.parquet"
    texts = [SENTENCE, None, "é"]
    pq.write_table(pa.table({"text": pa.array(texts, pa.string()).cast(kind)}), path, row_group_size=2)
    found = [*read(path, "parquet", 0, 1), *read(path, "parquet", 1, 2)]
    assert [(document.text, document.offset) for document in found] == [(SENTENCE, 0), ("", 1), ("é", 2)]


def test_other_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for table, reason in (({"words": ["a"]}, "no column 'text', but words"), ({"text": [1]}, "int64")):
        pq.write_table(pa.table(table), path)
        with pytest.raises(Unreadable, match=reason):
            read(path, "parquet", 0, 1)
    path.write_bytes(b"PAR1 broken")
    with pytest.raises(Unreadable, match="no Parquet file"):
        read(path, "parquet", 0, 1)
    with pytest.raises(Unreadable, match="No such file"):
        read(tmp_path / "gone", "text", 0, 1)
