"""A value that is worked out when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """Holds how to get a value; gets it once, and lets go of what it took. Safe from many threads."""

    def __init__(self, get: Callable[[], T]) -> None:
        self._get: Callable[[], T] | None = get
        self._found: list[T] = []
        self._lock = threading.Lock()

    def value(self) -> T:
        """Return the value; raises what getting it raises, each time anew."""
        if not self._found:
            with self._lock:
                if self._get is not None:
                    self._found.append(self._get())
                    self._get = None
        return self._found[0]
