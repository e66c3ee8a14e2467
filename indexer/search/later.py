"""A value that is worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """Holds how to get a value; gets it once, and lets go of what it took.

    Safe from many threads: two that ask at once may both get it, which costs less than a lock with each answer.
    """

    __slots__ = ("_found", "_get")
    _found: T

    def __init__(self, get: Callable[[], T]) -> None:
        self._get: Callable[[], T] | None = get

    def value(self) -> T:
        """Return the value; raises what getting it raises, each time anew."""
        get = self._get
        if get is not None:
            self._found = get()
            self._get = None
        return self._found
