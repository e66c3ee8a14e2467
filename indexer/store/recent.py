"""What was worked out last, kept as long as there is room for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class Derived(dict[Any, Any]):
    """What is worked out of one state of an index and kept with it, by name. Safe from many threads."""

    def __init__(self) -> None:
        super().__init__()
        self._locks: dict[str, threading.Lock] = {}

    def once(self, name: str, make: Callable[[], V]) -> V:
        """Return a value, made when it is first asked for: by one thread, for which all others that ask wait.

        Without that, the totals of a large index were counted by each of 16 readers who came right after a commit.
        """
        if name not in self:
            with self._locks.setdefault(name, threading.Lock()):
                if name not in self:
                    self[name] = make()
        value: V = self[name]
        return value


class Recent(Generic[V]):
    """Values by key, as many as there is room for; the one not asked for the longest goes first.

    A value is never None. Safe from many threads.
    """

    def __init__(self, most: int, size_of: Callable[[V], int] | None = None) -> None:
        """most: room for all values together. size_of: what a value takes of it, at least 1; without one, 1 each."""
        self._most, self._size_of = most, size_of
        self._size = 0
        self._known: dict[Hashable, V] = {}
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> V | None:
        """Return the value of a key, None when it is not known (any more)."""
        if 4 * self._size < 3 * self._most:
            return self._known.get(key)  # nothing has to go yet: it does not matter which is old
        with self._lock:
            value = self._known.pop(key, None)
            if value is not None:
                self._known[key] = value
            return value

    def find_all(self, keys: Sequence[Hashable]) -> list[V | None]:
        """Return what `find` says of each of some keys."""
        known = self._known
        if 4 * self._size < 3 * self._most:
            return list(map(known.get, keys))
        found = []
        with self._lock:
            for key in keys:
                value = known.pop(key, None)
                if value is not None:
                    known[key] = value
                found.append(value)
        return found

    def keep(self, key: Hashable, value: V) -> None:
        """Remember the value of a key; not one that is greater than all room."""
        known, size_of = self._known, self._size_of
        size = 1 if size_of is None else size_of(value)
        if size > self._most:
            return
        with self._lock:
            count = len(known)
            known.setdefault(key, value)  # a tree as a key takes long to look up: once
            if len(known) > count:
                self._size += size
                if self._size > self._most:
                    self._make_room()

    def keep_all(self, values: Mapping[Any, V]) -> None:
        """Remember the values of some keys; for a key that is known the value may be either."""
        if self._size_of is not None:
            for key, value in values.items():
                self.keep(key, value)
            return
        with self._lock:
            self._known.update(values)
            self._size = len(self._known)
            if self._size > self._most:
                self._make_room()

    def _make_room(self) -> None:
        known, size_of = self._known, self._size_of
        while self._size > self._most:
            oldest = known.pop(next(iter(known)))
            self._size -= 1 if size_of is None else size_of(oldest)

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value of a key, made if it is not known; two threads may make it at once."""
        value = self.find(key)
        if value is None:
            value = make()
            self.keep(key, value)
        return value
