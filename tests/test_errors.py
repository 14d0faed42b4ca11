"""Errors are also the built-in errors that callers catch."""

import pytest

from entvec.errors import CannotWrite, EntvecError, InvalidInput, MissingExtra, NodeNotFound, NotLogOdds


@pytest.mark.parametrize(
    ("error", "built_in"),
    [
        (InvalidInput, ValueError),
        (NotLogOdds, TypeError),
        (NodeNotFound, KeyError),
        (MissingExtra, ImportError),
        (CannotWrite, OSError),
    ],
)
def test_each_error_is_a_built_in_one_too(error: type[Exception], built_in: type[Exception]) -> None:
    assert issubclass(error, built_in)
    assert issubclass(error, EntvecError)


def test_a_missing_node_reads_as_a_sentence_and_not_as_a_repr() -> None:
    assert str(NodeNotFound("no node 'dgo'; did you mean dog?")) == "no node 'dgo'; did you mean dog?"


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtra("drawing figures", needs="matplotlib", extra="plot")
    assert str(error).startswith("drawing figures needs matplotlib; install it with: pip install matplotlib")


def test_what_cannot_be_written_is_named() -> None:
    assert str(CannotWrite("ro/x.png", "Permission denied")) == "cannot write ro/x.png: Permission denied"
