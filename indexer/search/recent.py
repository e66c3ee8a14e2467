"""What was worked out last, kept as long as there is room for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """At most so many values by key; the one not asked for the longest goes first. Safe from many threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[Hashable, V] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value of a key, made if it is not known; two threads may make it at once."""
        with self._lock:
            if key in self._known:
                value = self._known[key] = self._known.pop(key)
                return value
        value = make()
        with self._lock:
            self._known[key] = value
            if len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return value
