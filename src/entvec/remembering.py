"""Methods that remember their answers, for as long as their object lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Key = TypeVar("Key")
Answer = TypeVar("Answer")
Owner = TypeVar("Owner")


def remembered(most: int) -> Callable[[Callable[[Owner, Key], Answer]], Callable[[Owner, Key], Answer]]:
    """Return a decorator of methods with one argument that remember their answers.

    The answers are in the object itself. An `lru_cache` of a bound method would hold the object that holds it, so that
    large arrays stay in memory until the garbage collector looks for cycles, which it hardly does for few objects.

    >>> class Doubling:
    ...     @remembered(100)
    ...     def of(self, number: int) -> int:
    ...         print("computed")
    ...         return 2 * number
    >>> doubling = Doubling()
    >>> doubling.of(4), doubling.of(4)
    computed
    (8, 8)

    Parameters
    ----------
    most
        How many answers an object remembers; with one more it forgets all others.
    """

    def decorate(method: Callable[[Owner, Key], Answer]) -> Callable[[Owner, Key], Answer]:
        name = f"_answers_of_{method.__name__}"

        @wraps(method)
        def asked(self: Owner, key: Key) -> Answer:
            answers: dict[Any, Any] | None = self.__dict__.get(name)
            if answers is None:
                answers = self.__dict__.setdefault(name, {})  # the same for all threads
            try:
                found: Answer = answers[key]
            except KeyError:
                found = method(self, key)
                if len(answers) >= most:
                    answers.clear()
                answers[key] = found
            return found

        return asked

    return decorate
