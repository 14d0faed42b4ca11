"""The errors entvec raises on purpose.

Each one also is the built-in error that a caller would catch anyway, so `except ValueError` keeps
working, and each text says what was given, what is expected and what to do next.
"""


class EntvecError(Exception):
    """Whatever entvec raises because of what it was given."""


class InvalidInput(EntvecError, ValueError):
    """A value that cannot mean anything here: a wrong shape, a NaN, a damping of 2."""


class NotLogOdds(EntvecError, TypeError):
    """An argument that is not an array of real floating-point numbers."""


class NodeNotFound(EntvecError, KeyError):
    """A node name that the graph does not have."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class CannotWrite(EntvecError, OSError):
    """A file that could not be written; the old one, if any, is untouched."""

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")


class MissingExtra(EntvecError, ImportError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, *, needs: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs {needs}; install it with: pip install {needs} (the extra entvec[{extra}] has it too)"
        )
