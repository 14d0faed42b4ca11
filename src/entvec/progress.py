"""Types of progress callbacks: functions that a long job calls to report how far it is."""

from collections.abc import Callable

__all__ = ["Progress", "StageProgress"]

Progress = Callable[[int, int], None]
"""Called with the amount that is done and the total; the total is 0 while it is not known."""
StageProgress = Callable[[str, float], None]
"""Called with the name of the current stage and the fraction of all work that is done."""
