"""Methods that remember their answers, for as long as their object lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Key = TypeVar("Key")
Answer = TypeVar("Answer")
Owner = TypeVar("Owner")


def remembered(most: int) -> Callable[[Callable[[Owner, Key], Answer]], Callable[[Owner, Key], Answer]]:
    """Return a decorator that caches the results of a method with one argument, in the object itself.

    An `lru_cache` of a bound method would refer to the object that holds it. Such a cycle keeps large arrays in
    memory until the garbage collector runs, which it rarely does if there are few objects.

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
        The largest number of cached results; when it is exceeded, the cache is emptied.
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
