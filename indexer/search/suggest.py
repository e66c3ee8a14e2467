"""Suggestions while a query is typed: words, titles and hosts of this archive."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from indexer.search.lexicon import Lexicon, live_holding
from indexer.search.nodes import And, Node, Or, Word
from indexer.search.searcher import stop_words
from indexer.store.segment import Segment
from indexer.store.snapshot import Snapshot
from indexer.text.analysis import words_of
from indexer.text.elements import TITLE

LONGEST = 200  # characters of what is typed that are looked at
_LOOKED_AT = 40  # words of each segment that are counted exactly
_COMPLETIONS_OF_TITLES = 8


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One suggestion. kind: "word", "title" or "host". text: as it is shown. query: what to search for.

    pages: versions that hold the word, pages of the host; 0 for a title. url: of the page with this title, else "".
    """

    kind: str
    text: str
    query: str
    pages: int = 0
    url: str = ""


def word_suggestions(snapshot: Snapshot, typed: str, limit: int) -> list[Suggestion]:
    """Return what is typed with its last word completed, by falling number of versions that hold the word."""
    begun, last = _last_word(typed)
    return [
        Suggestion("word", begun + word, begun + word, held)
        for word, held in completions(snapshot, last, limit)
        if word != last
    ]


def completions(snapshot: Snapshot, letters: str, limit: int) -> list[tuple[str, int]]:
    """Return (word, live versions that hold it) of the most frequent words that begin with some letters.

    Stop words are left out, and words that only removed pages hold.
    """
    if not letters:
        return []
    stops = stop_words(snapshot)
    most = _LOOKED_AT + limit
    held: dict[str, int] = {}
    for live in snapshot.segments:
        rows = Lexicon.of(live.segment).beginning(letters)
        counts = Lexicon.of(live.segment).held[rows].astype(np.int64)
        if len(rows) > most:
            rows = rows[np.argpartition(-counts, most)[:most]]
        for row in rows.tolist():
            held.setdefault(live.segment.word_at(row), 0)
    for word in held:
        if word not in stops:
            for live in snapshot.segments:
                found = live.segment.find_word(word)
                held[word] += live_holding(live, found) if found is not None else 0
    order = sorted((word for word, count in held.items() if count), key=lambda word: (-held[word], word))
    return [(word, held[word]) for word in order[:limit]]


def title_query(snapshot: Snapshot, typed: str) -> Node | None:
    """Return the query for pages with what is typed in their title, the last word still being written."""
    _, last = _last_word(typed)
    words = words_of(typed)
    if not last or len(typed.strip()) < 2:
        return None
    here = frozenset({TITLE})
    whole = tuple(Word(word, elements=here) for word in words[:-1])
    endings = dict.fromkeys(
        [last, *(word for word, _ in completions(snapshot, last, _COMPLETIONS_OF_TITLES))]
    )
    ending = tuple(Word(word, exact=True, elements=here) for word in endings)
    parts: tuple[Node, ...] = (*whole, Or(ending) if len(ending) > 1 else ending[0])
    return And(parts) if len(parts) > 1 else parts[0]


def host_suggestions(snapshot: Snapshot, typed: str, limit: int) -> list[Suggestion]:
    """Return hosts of which a part begins with what is typed, by falling number of their versions."""
    wanted = typed.strip().lower().removeprefix("site:")
    if not wanted or any(character.isspace() for character in wanted):
        return []
    held: dict[str, int] = {}
    for live in snapshot.segments:
        names = _Hosts.of(live.segment)
        chosen = names.beginning(wanted)
        if not chosen:
            continue
        column = live.segment.host if live.alive is None else live.segment.host[live.alive]
        counts = np.bincount(column, minlength=len(names.names))
        for number in chosen:
            held[names.names[number]] = held.get(names.names[number], 0) + int(counts[number])
    order = sorted((name for name, count in held.items() if count), key=lambda name: (-held[name], name))
    return [Suggestion("host", name, f"site:{name}", held[name]) for name in order[:limit]]


@dataclass(slots=True, weakref_slot=True)
class _Hosts:
    """The hosts of a segment as one text, a line for each, so that they are looked through at once."""

    names: list[str]
    text: str
    starts: list[int]  # of each line

    @classmethod
    def of(cls, segment: Segment) -> _Hosts:
        def made() -> _Hosts:
            names = segment.hosts()
            starts = [0, *accumulate(len(name) + 2 for name in names)]
            return cls(names, "".join(f".{name}\n" for name in names), starts)

        return segment.derived.once("hosts", made)

    def beginning(self, wanted: str) -> list[int]:
        """Return the numbers of the hosts of which a part begins with the letters, rising."""
        found: list[int] = []
        at = self.text.find("." + wanted)
        while at >= 0:
            found.append(bisect_right(self.starts, at) - 1)
            at = self.text.find("." + wanted, self.starts[found[-1] + 1])
        return found


def _last_word(typed: str) -> tuple[str, str]:
    """Return what is typed before its last word, and that word as it is compared; "" when a blank ends the text."""
    typed = typed[:LONGEST]
    if not typed or typed[-1].isspace():
        return typed, ""
    begun, _, last = typed.rpartition(" ")
    letters = last
    while letters and not letters[0].isalnum():
        letters = letters[1:]
    words = words_of(letters)
    before = typed[: len(typed) - len(letters)]
    if not words or len(words) > 1:
        return typed, ""
    return before, words[0]
