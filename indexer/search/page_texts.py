"""Texts of pages shown lately, kept for the next search that shows them; they belong to one state of the index."""

from __future__ import annotations

import threading
from collections import OrderedDict

from archiver.warc import Location

_CHARACTERS_AT_MOST = 4_000_000


class PageTexts:
    """A bounded memory of the starts of pages by the place of their record; those used longest ago go first."""

    def __init__(self) -> None:
        self._starts: OrderedDict[Location, str] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def get(self, place: Location) -> str | None:
        with self._lock:
            if place in self._starts:
                self._starts.move_to_end(place)
            return self._starts.get(place)

    def keep(self, place: Location, start: str) -> None:
        with self._lock:
            if place not in self._starts:
                self._starts[place] = start
                self._characters += len(start)
            while self._characters > _CHARACTERS_AT_MOST:
                _, oldest = self._starts.popitem(last=False)
                self._characters -= len(oldest)
