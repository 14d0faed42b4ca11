"""`entvec` and `python -m entvec`: the command line."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


def main() -> None:
    """Run the command line.

    Importing it takes longer than pressing Ctrl-C. Until it is there, Ctrl-C ends the process as it ends a program that
    is not written in Python: at once, without a traceback. A shell may have it ignored, for a job in the background.
    """
    sys.excepthook = _quiet_at_interrupts  # until the module that handles signals is there
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from entvec.cli import main

    main()


def _quiet_at_interrupts(kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, place)


if __name__ == "__main__":
    main()
