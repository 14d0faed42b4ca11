"""Types of progress callbacks: functions that a long job calls to report how far it is."""

from collections.abc import Callable
from contextvars import ContextVar

__all__ = ["Progress", "StageProgress", "tell_once"]

Progress = Callable[[int, int], None]
"""Called with the amount that is done and the total; the total is 0 while it is not known."""
StageProgress = Callable[[str, float], None]
"""Called with the name of the current stage and the fraction of all work that is done."""

tell_once: ContextVar[Callable[[str], None]] = ContextVar("tell_once", default=lambda _: None)
"""Called with what takes seconds now and will not again, because its result is kept; commands print it."""
