"""How much is done at once: what takes long (exports, long lists) never takes all threads of the server."""

from __future__ import annotations

import threading

from webui.errors import BusyError


class Place:
    """A place that was taken; given back once, however often that is asked for."""

    def __init__(self, free: threading.BoundedSemaphore) -> None:
        self._free: threading.BoundedSemaphore | None = free
        self._lock = threading.Lock()

    def give_back(self) -> None:
        """Let another one in."""
        with self._lock:
            free, self._free = self._free, None
        if free is not None:
            free.release()

    def pass_on(self) -> Place:
        """Return the place anew, for who holds it from here on; this one has nothing to give back any more."""
        with self._lock:
            free, self._free = self._free, None
        assert free is not None
        return Place(free)

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *exc: object) -> None:
        self.give_back()


class Slots:
    """So many places; who finds none is told to come again, at once, not held in a queue."""

    def __init__(self, most: int, what: str) -> None:
        self._free = threading.BoundedSemaphore(most)
        self._what = what

    def take(self) -> Place:
        """Return a place, to be given back; raises BusyError when none is free."""
        if not self._free.acquire(blocking=False):
            raise BusyError(self._what)
        return Place(self._free)
