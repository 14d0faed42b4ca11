"""Headers of our own files: what is written is read again, by others too, and whatever is not sound is told."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from entvec import tensors
from entvec.tensors import ALIGNMENT, LAYOUT, LONGEST_HEADER, Expected, Tensor, Unsound

properties = settings(derandomize=True, deadline=None)

VERSION = "toys 1"
EXPECTED = {
    "weights": Expected(frozenset({"F64", "F32"}), 2),
    "bias": Expected(frozenset({"F64"}), 1),
    "counts": Expected(frozenset({"I64"}), 1, needed=False),
}
WEIGHTS = np.array([[0.5, -2.0, 1e300], [4.0, 5.0, -0.0]])
BIAS = np.array([1.0, -1.0, 0.25])
COUNTS = np.array([7, -3])
COLUMNS: dict[str, tuple[str, Any]] = {"weights": ("F64", WEIGHTS), "bias": ("F64", BIAS), "counts": ("I64", COUNTS)}
DATA = b"".join(column.tobytes() for _, column in COLUMNS.values())


def parse(header: Any) -> tuple[dict[str, Tensor], dict[str, str]]:
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    return tensors.parse(encoded, EXPECTED, version=VERSION, what="toys")


def sound_header() -> dict[str, Any]:
    return {
        "__metadata__": {"entvec": VERSION, "made by": "a test"},
        "weights": {"dtype": "F64", "shape": [2, 3], "data_offsets": [0, 48]},
        "bias": {"dtype": "F64", "shape": [3], "data_offsets": [48, 72]},
    }


def encoded(metadata: dict[str, str] | None = None) -> bytes:
    return tensors.encode(COLUMNS, metadata or {}, VERSION)


# What is written is read again


@pytest.mark.parametrize("metadata", [{}, {"made by": "a test", "犬": 'é "\\\n\0'}])
def test_a_header_is_read_as_it_was_written(metadata: dict[str, str]) -> None:
    head = encoded(metadata)
    assert tensors.header_size(head) == len(head) - 8
    found, said = parse(head[8:])
    assert said == metadata
    assert found == {
        "weights": Tensor("F64", (2, 3), 0, 48),
        "bias": Tensor("F64", (3,), 48, 72),
        "counts": Tensor("I64", (2,), 72, 88),
    }
    content = np.frombuffer(DATA, np.uint8)
    for name, (_, column) in COLUMNS.items():
        np.testing.assert_array_equal(found[name].of(content), column)


@given(st.dictionaries(st.text().filter(lambda key: key != "entvec"), st.text()))
@properties
def test_any_text_may_be_said_and_the_tensors_stay_aligned(metadata: dict[str, str]) -> None:
    head = encoded(metadata)
    assert len(head) % ALIGNMENT == 0
    assert parse(head[8:])[1] == metadata


def test_a_tensor_that_need_not_be_there_may_be_missing() -> None:
    found, metadata = parse(sound_header())
    assert set(found) == {"weights", "bias"}
    assert metadata == {"made by": "a test"}


def test_tensors_may_be_named_in_another_order_than_they_lie_in() -> None:
    header = sound_header()
    found, _ = parse({name: header[name] for name in reversed(header)})
    assert found["weights"].start == 0
    assert found["bias"].start == 48


def test_tensors_without_numbers_take_no_bytes() -> None:
    columns: dict[str, tuple[str, Any]] = {"weights": ("F32", np.empty((0, 3))), "bias": ("F64", np.empty(0))}
    found, _ = parse(tensors.encode(columns, {}, VERSION)[8:])
    assert found["weights"] == Tensor("F32", (0, 3), 0, 0)
    assert found["weights"].of(np.empty(0, np.uint8)).shape == (0, 3)


# Others read it, and we read theirs


@pytest.mark.parametrize("kind", LAYOUT)
@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (3, 1)])
def test_the_safetensors_library_reads_every_kind(kind: str, shape: tuple[int, int]) -> None:
    column = np.arange(np.prod(shape)).reshape(shape).astype(LAYOUT[kind])
    head = tensors.encode({"numbers": (kind, column), "bias": ("F64", BIAS)}, {"made by": "a test"}, VERSION)
    theirs = dict(safetensors.deserialize(head + column.tobytes() + BIAS.tobytes()))  # type: ignore[no-untyped-call]
    assert theirs["numbers"]["dtype"] == kind
    assert theirs["numbers"]["shape"] == list(shape)
    assert bytes(theirs["numbers"]["data"]) == column.tobytes()
    assert bytes(theirs["bias"]["data"]) == BIAS.tobytes()


def test_we_read_what_the_safetensors_library_writes() -> None:
    theirs: dict[str, Any] = {"weights": WEIGHTS, "bias": BIAS}
    content = safetensors.numpy.save(theirs, metadata={"entvec": VERSION, "made by": "a test"})
    end = 8 + tensors.header_size(content)
    found, metadata = parse(content[8:end])
    assert metadata == {"made by": "a test"}
    data = np.frombuffer(content, np.uint8)[end:]
    np.testing.assert_array_equal(found["weights"].of(data), WEIGHTS)
    np.testing.assert_array_equal(found["bias"].of(data), BIAS)


# What cannot be written


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ({"entvec": "x"}, "the metadata have an entry 'entvec', which is the mark of the format"),
        ({"a": "\ud800"}, r"the metadata are no text \(surrogates not allowed\)"),
        ({"\ud800": "a"}, r"the metadata are no text \(surrogates not allowed\)"),
        ({"a": "x" * LONGEST_HEADER}, r"the metadata take 1,04\d,\d{3} bytes, expected at most 1,048,576"),
    ],
)
def test_metadata_that_could_not_be_read_again_are_refused(metadata: dict[str, str], problem: str) -> None:
    with pytest.raises(Unsound, match=problem):
        encoded(metadata)


@pytest.mark.parametrize("value", [3, None, ["a"], object()])
def test_metadata_that_are_no_text_are_refused(value: Any) -> None:
    with pytest.raises(Unsound, match="the metadata are no text"):
        encoded({"seed": value})


def test_the_longest_header_that_is_written_is_read() -> None:
    room = LONGEST_HEADER - ALIGNMENT - len(encoded({"a": ""}))
    head = encoded({"a": "x" * room})
    assert LONGEST_HEADER - 2 * ALIGNMENT < tensors.header_size(head) <= LONGEST_HEADER
    assert len(parse(head[8:])[1]["a"]) == room


# What cannot be read


def test_a_header_that_claims_to_be_endless_is_refused() -> None:
    assert tensors.header_size(LONGEST_HEADER.to_bytes(8, "little")) == LONGEST_HEADER
    with pytest.raises(Unsound, match="expected a header of at most 1,048,576 bytes, found 1,048,577") as caught:
        tensors.header_size((LONGEST_HEADER + 1).to_bytes(8, "little"))
    assert caught.value.byte == 0


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{not json}",
        b"\xff\xfe",
        b'{"a": "\xff"}',
        b"[]",
        b"null",
        b"3",
        b"{" * 5000,
        b'{"a":' * 100_000,
        b'{"__metadata__": []}',
        b'{"__metadata__": null}',
        b'{"__metadata__": {"a": "\\ud800"}}',
        b'{"weights": 3}',
        b'{"weights": {}}',
        b'{"weights": {"dtype": "F64", "shape": [1], "data_offsets": [0]}}',
        b'{"weights": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8, 9]}}',
        b'{"weights": {"dtype": "F64", "shape": 1, "data_offsets": [0, 8]}}',
        b'{"weights": {"dtype": "F64", "shape": [' + b"9" * 5000 + b'], "data_offsets": [0, 8]}}',
    ],
)
def test_what_is_no_header_is_told_with_its_place(header: bytes) -> None:
    with pytest.raises(Unsound, match="expected the JSON header of a safetensors file, found none") as caught:
        parse(header)
    assert caught.value.byte == 8


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda header: header.pop("bias"), "weights"),
        (lambda header: (header.pop("bias"), header.pop("weights")), "none"),
        (lambda header: header.update(other=header["bias"]), "bias, other, weights"),
        (lambda header: header.pop("__metadata__"), "bias, weights"),
        (lambda header: header["__metadata__"].pop("entvec"), "bias, weights"),
        (lambda header: header.update({f"t{i:02}": header["bias"] for i in range(30)}), "bias, t00, .*, t06"),
    ],
)
def test_a_file_of_someone_elses_is_told_with_what_it_holds(
    change: Callable[[dict[str, Any]], None], found: str
) -> None:
    header = sound_header()
    change(header)
    with pytest.raises(Unsound, match=f"not one of toys .*: expected the tensors weights and bias, found {found}$"):
        parse(header)


@pytest.mark.parametrize(
    ("version", "shown"), [("toys 2", "'toys 2'"), ("vectors 1", "'vectors 1'"), ("x" * 99, f"'{'x' * 40}'")]
)
def test_another_version_is_told(version: str, shown: str) -> None:
    header = sound_header()
    header["__metadata__"]["entvec"] = version
    with pytest.raises(Unsound, match=f"expected 'toys 1', found {shown}; a newer entvec may have written this file"):
        parse(header)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "I64"},
        {"dtype": "F63"},
        {"dtype": ["F64"]},
        {"dtype": None},
        {"dtype": {}},
        {"shape": [6]},
        {"shape": [2, 3, 1]},
        {"shape": [3, 3]},
        {"shape": [-2, -3]},
        {"shape": [2.0, 3]},
        {"shape": [True, 6]},
        {"shape": ["2", 3]},
        {"shape": {"2": 3, "3": 2}},
        {"shape": [1 << 60, 1 << 60]},
        {"shape": [1 << 60, 0], "data_offsets": [0, 0]},
        {"data_offsets": [48, 0]},
        {"data_offsets": [-48, 0]},
        {"data_offsets": [0, 48.0]},
        {"data_offsets": [False, 48]},
        {"data_offsets": [0, None]},
        {"data_offsets": [0, 47]},
        {"dtype": "F32"},
    ],
)
def test_a_tensor_that_does_not_fill_its_bytes_is_told(entry: dict[str, Any]) -> None:
    header = sound_header()
    header["weights"] |= entry
    with pytest.raises(
        Unsound, match=r"expected the tensor weights to have 2 dimensions of F32/F64 that fill its bytes, found "
    ):
        parse(header)


@pytest.mark.parametrize(
    ("offsets", "problem"),
    [
        ([52, 76], "expected the tensor bias to begin at byte 48 of the data, found 52"),
        ([40, 64], "expected the tensor bias to begin at byte 48 of the data, found 40"),
        ([0, 24], "expected the tensor weights to begin at byte 24 of the data, found 0"),
    ],
)
def test_gaps_and_overlaps_are_told(offsets: list[int], problem: str) -> None:
    header = sound_header()
    header["bias"]["data_offsets"] = offsets
    with pytest.raises(Unsound, match=problem):
        parse(header)


# Whatever anybody may have written

any_text = st.text(st.characters())  # halves of surrogate pairs too
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text | st.sampled_from(["F64", "F32", "U8", VERSION]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
small = st.integers(-1, 9)


def parse_or_refuse(header: bytes) -> None:
    """What is accepted must be sound through and through; all else must be Unsound."""
    try:
        found, metadata = parse(header)
    except Unsound:
        return
    at = 0
    for name, tensor in sorted(found.items(), key=lambda item: item[1][2:]):
        assert tensor.kind in EXPECTED[name].kinds
        assert tensor.start == at
        at = tensor.end
    assert at < 1 << 20
    content = np.zeros(at, np.uint8)
    columns = {name: (tensor.kind, tensor.of(content)) for name, tensor in found.items()}
    assert {name: column.shape for name, (_, column) in columns.items()} == {n: t.shape for n, t in found.items()}
    again = tensors.parse(tensors.encode(columns, metadata, VERSION)[8:], EXPECTED, version=VERSION, what="toys")
    assert again[1] == metadata
    assert again[0].keys() == found.keys()


@given(st.binary() | any_json.map(lambda value: json.dumps(value).encode()))
@properties
def test_arbitrary_bytes_are_unsound(header: bytes) -> None:
    with pytest.raises(Unsound):
        parse(header)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["weights", "bias", "counts", "__metadata__"]),
            st.sampled_from(["", "dtype", "shape", "data_offsets", "entvec"]),
            any_json | st.lists(small, max_size=3),
        ),
        max_size=3,
    )
)
@settings(properties, max_examples=200)
def test_a_changed_header_is_sound_or_refused(changes: list[tuple[str, str, Any]]) -> None:
    header = sound_header()
    for tensor, field, value in changes:
        if field and isinstance(header.get(tensor), dict):
            header[tensor][field] = value
        else:
            header[tensor] = value
    parse_or_refuse(json.dumps(header).encode())


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=3), st.integers(0, 400))
@settings(properties, max_examples=200)
def test_a_damaged_header_is_sound_or_refused(flips: list[tuple[int, int]], cut: int) -> None:
    header = bytearray(json.dumps(sound_header()).encode())
    for at, byte in flips:
        header[at % len(header)] = byte
    parse_or_refuse(bytes(header))
    parse_or_refuse(bytes(header[:cut]))
