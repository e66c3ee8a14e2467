"""How much is done at once: what takes much (exports, long lists, large pages) leaves threads for others."""

from __future__ import annotations

import threading

from flask import Flask, current_app, g, has_request_context

from archiver.memory import give_memory_back
from archiver.notices import Notice
from webui.errors import BusyError

_LARGE_PAGES = Notice("large pages")


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


class LargePages:
    """One large page at a time: its tree, its text and the answer made of it take up to 40 times its size.

    A request that reads a large page keeps the others out until it is answered. A few wait; more of them are told
    to come again, so that threads are left for requests that take little.
    """

    LARGE_BYTES = 500_000
    LONGEST_WAIT_S = 20.0

    def __init__(self, threads: int) -> None:
        self._one = threading.Lock()
        self.most_waiting = max(2, threads - 1)  # with the one that has it
        self._waiting = Slots(self.most_waiting, _LARGE_PAGES)

    def enter(self) -> None:
        """Have large pages to oneself for the rest of the request; raises BusyError when too many want that."""
        if "large_page_place" in g:
            return
        place = self._waiting.take()
        if not self._one.acquire(timeout=self.LONGEST_WAIT_S):
            place.give_back()
            raise BusyError(_LARGE_PAGES)
        g.large_page_place = place

    def leave(self) -> None:
        """Let others in, if they were kept out."""
        place: Place | None = g.pop("large_page_place", None)
        if place is not None:
            give_memory_back()  # else the next large page comes on top of what this one took
            self._one.release()
            place.give_back()


def add_limits(app: Flask, threads: int) -> None:
    """Have the application keep to one large page at a time."""
    large_pages = app.extensions["findingaid.large_pages"] = LargePages(threads)
    app.teardown_request(lambda error: large_pages.leave())


def takes_much(size_bytes: int) -> None:
    """Say that the request goes on with a page of this size; raises BusyError. Outside of a request nothing happens."""
    if size_bytes > LargePages.LARGE_BYTES and has_request_context():
        current_app.extensions["findingaid.large_pages"].enter()


def done_with_page() -> None:
    """Say that the page is done with, in a request that goes on to others."""
    if has_request_context():
        current_app.extensions["findingaid.large_pages"].leave()
