"""The process of a command: its standard streams, its signals, and its last words, which are never a traceback.

Signals raise exceptions, so that temporary files are removed on the way out. Python raises them wherever it is, also
where nobody can catch them: in a destructor, in a callback of the import system, or after the end of the command. Hooks
of Python see these.
"""

import atexit
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from types import TracebackType
from typing import Any

from entvec.cli.trouble import INTERRUPTED, message, note

TERMINATED = 143
SOON = 0.01
"""Seconds after which a signal is sent again."""
DEFECT = "this is a defect of entvec; `entvec --debug` and the same again shows where"


def run(command: Callable[[], object]) -> None:
    """Run a command as the only purpose of this process."""
    _open_streams()
    debug = "--debug" in sys.argv
    if not debug:
        sys.excepthook = _say_last_words
        threading.excepthook = lambda failed: _say_last_words(failed.exc_type, failed.exc_value, None)
        sys.unraisablehook = _raise_again
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's: results that are not finite are refused by name
    stopped: list[int] = []
    handled = _catch_signals(stopped)
    ended: list[int] = []
    atexit.register(_leave_at_once, ended)  # as the first, so that it is called as the last
    try:
        try:
            command()
        except SystemExit as error:
            if error.code or not stopped:
                raise
        if stopped:  # the command came to its end: the exception was lost, and so was the signal that was sent again
            sys.exit(stopped[0])
    except SystemExit as error:
        ended += [code for code in (INTERRUPTED, TERMINATED) if code == error.code]
        raise
    finally:  # nothing is left to be tidied up, so that signals may end the process at once
        for number in handled:
            signal.signal(number, signal.SIG_DFL)
        try:
            sys.stdout.flush()
        except OSError:  # reported already: commands flush what they print
            sys.stdout = None  # or Python would flush it again, and change the exit code


def _leave_at_once(ended: Sequence[int]) -> None:
    """End a process that a signal has stopped, before Python takes itself apart.

    Threads that nobody waits for may still be inside a library then, which can crash and change the exit code.
    """
    if ended:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # closed, full, or not there
                stream.flush()
        os._exit(ended[0])


def _open_streams() -> None:
    """Give standard streams that are closed something to fail on, so that no other file takes their place.

    Reading a closed input and writing to a closed output are errors, as they are in other programs; messages to a
    closed stderr are lost.
    """
    for number, (name, mode, opened) in enumerate(
        (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    ):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, opened)  # takes the lowest number that is free, this one
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            setattr(sys, name, os.fdopen(number, mode, closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ✓ gets a question mark, not a traceback


def _catch_signals(stopped: list[int]) -> list[int]:
    """Let signals raise exceptions; those that are ignored, as after nohup or in the background, stay ignored.

    `stopped` gets the exit code of each signal, because an exception may be lost where it is raised.
    """

    def interrupt(number: int, frame: Any) -> None:
        stopped.append(INTERRUPTED)
        signal.default_int_handler(number, frame)

    def terminate(*_: object) -> None:
        stopped.append(TERMINATED)
        sys.exit(TERMINATED)

    handlers: dict[str, Callable[..., object]] = {
        "SIGINT": interrupt,
        "SIGTERM": terminate,
        "SIGHUP": lambda *_: signal.raise_signal(signal.SIGTERM),  # and so what a command does at SIGTERM
    }
    handled = [getattr(signal, name) for name in handlers if hasattr(signal, name)]  # Windows has no SIGHUP
    handled = [number for number in handled if signal.getsignal(number) is not signal.SIG_IGN]
    for number in handled:
        signal.signal(number, handlers[number.name])
    return handled


def _say_last_words(kind: type[BaseException], error: BaseException | None, _: TracebackType | None) -> None:
    """Print one line about an error that nobody has caught; nothing about Ctrl-C."""
    if isinstance(error, KeyboardInterrupt | BrokenPipeError):
        return
    if isinstance(error, OSError):
        note(f"entvec: {message(error)}")
    else:
        said = "".join(traceback.format_exception_only(kind, error)).strip()
        note(f"entvec: {said}; {DEFECT}")


def _raise_again(lost: Any) -> None:
    """Send a signal again whose exception could not be raised, when this place has been left."""
    numbers = {KeyboardInterrupt: signal.SIGINT, SystemExit: signal.SIGTERM}
    if lost.exc_type in numbers:
        again = threading.Timer(SOON, os.kill, (os.getpid(), numbers[lost.exc_type]))
        again.daemon = True
        again.start()
