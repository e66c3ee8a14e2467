"""Captures of addresses, from one index or from several: what a cached page and its timeline are made of."""

from __future__ import annotations

import math
import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from archiver.warc import Location, Record, RecordError, UnreadableError, read_record_at
from indexer.originals import Now, original_of
from indexer.store.compact import HAS_PAYLOAD, compact_digest, sort_key
from indexer.store.snapshot import Snapshot, not_hidden


@dataclass(frozen=True, slots=True)
class Capture:
    """One address at one time. original: for a revisit the place of the record that it repeats, if it is known."""

    url: str
    timestamp: str
    type: str
    status: int
    mime: str
    digest: str
    location: Location
    original: Location | None
    title: str | None


@dataclass(frozen=True, slots=True)
class Around:
    """Timestamps of captures of one page beside one of them: the first and the last of all, which it may be itself, and
    the next ones before and after it; "" for none."""

    first: str
    previous: str
    following: str
    last: str


_COLUMNS = (
    "SELECT u.url, c.timestamp, c.type, c.status, c.mime, digest_text(c.payload), f.whole, c.member, c.offset,"
    " c.length, c.inner, v.title, c.refers_to, f.path FROM captures c JOIN urls u ON u.id = c.url"
    " JOIN files f ON f.id = c.file LEFT JOIN versions v ON v.id = c.version WHERE "
)
_PLACE = "f.path, c.member, c.offset, c.inner"

Row = tuple[Any, ...]


def captures_of(snapshot: Snapshot, url: str, now: Now) -> list[Capture]:
    """Return all captures of an address, oldest first; any spelling of the address, http and https alike."""
    rows = _rows(snapshot, "u.sort_key = ?", [sort_key(url)], f"c.timestamp, {_PLACE}", -1)
    return _captures(snapshot, sorted(rows, key=lambda row: (row[1], *_place(row))), now)


def captures_with_digest(snapshot: Snapshot, digest: str, limit: int, now: Now) -> list[Capture]:
    """Return captures whose payload has this digest, of any address, oldest first; at most `limit`."""
    if not digest:
        return []
    rows = _rows(snapshot, HAS_PAYLOAD, [compact_digest(digest)], f"c.timestamp, u.url, {_PLACE}", limit)
    return _captures(snapshot, sorted(rows, key=lambda row: (row[1], row[0], *_place(row)))[:limit], now)


def _rows(snapshot: Snapshot, where: str, values: list[Any], order: str, limit: int) -> Iterator[Row]:
    for place, member in enumerate(snapshot.members):
        yield from member.catalogue.connection().execute(
            f"{_COLUMNS} {where}{not_hidden(snapshot, place)} ORDER BY {order} LIMIT ?", [*values, limit]
        )


def _place(row: Row) -> tuple[str, str, int, int]:
    return row[13], row[7], row[8], row[10]


def _captures(snapshot: Snapshot, rows: list[Row], now: Now) -> list[Capture]:
    now = cache(now)  # a look at the disk for each file, not for each capture
    # the original of a revisit mostly is one of the same address: then no further look is needed
    at_hand: dict[tuple[str, str], Location] = {}
    for url, _, kind, _, _, payload, whole, member, offset, length, inner, *_ in rows:
        if payload and kind in ("response", "resource"):
            at_hand.setdefault((url, payload), Location(now(whole), offset, length, member, inner))
    return [_capture(snapshot, row, at_hand, now) for row in rows]


def _capture(snapshot: Snapshot, row: Row, at_hand: dict[tuple[str, str], Location], now: Now) -> Capture:
    url, timestamp, kind, status, mime, payload, whole, member, offset, length, inner, title, refers_to, _ = (
        row
    )
    original = None
    if kind == "revisit":
        title = title if title is not None else snapshot.title_repeated(url, payload)
        original = at_hand.get((url, payload)) or original_of(
            snapshot, url, timestamp, payload, refers_to, now
        )
    place = Location(now(whole), offset, length, member, inner)
    return Capture(url, timestamp, kind, status, mime, payload, place, original, title)


def closest_capture(
    snapshot: Snapshot, url: str, timestamp: str | None, digest: str, now: Now
) -> Capture | None:
    """Return the capture of an address nearest in time; see Index.closest. None when there is none.

    Only what lies near is looked at where that tells: some home pages were captured a hundred thousand times.
    """
    for most in (_NEAR, -1):
        ordered, bound = _rows_near(snapshot, url, timestamp, digest, most)
        nearest: Capture | None = None
        for preference, row in ordered:
            if preference >= bound:
                break
            capture = _capture(snapshot, row, {}, now)
            if capture.type != "revisit" or capture.original is not None:
                return capture
            nearest = nearest or capture
        if bound == _ALL_SEEN:
            return nearest
    raise AssertionError("all rows were asked for")


def capture_at(snapshot: Snapshot, url: str, timestamp: str, place: Location, now: Now) -> Capture | None:
    """Return the capture of an address whose record lies at a place; None when it is not known (any more)."""
    for catalogue, number, shown in _addresses(snapshot, url):
        for row in catalogue.execute(
            f"{_COLUMNS} c.url = ? AND c.timestamp = ? AND c.member = ? AND c.offset = ? AND c.inner = ?{shown}",
            (number, timestamp, place.member, place.offset, place.inner),
        ).fetchall():
            if place.path in (row[6], now(row[6])):
                return _capture(snapshot, row, {}, now)
    return None


def around(snapshot: Snapshot, url: str, timestamp: str) -> Around:
    """Return when else the page of an address was captured, besides at a timestamp of 14 digits."""
    asked = (
        ("MIN", "<> ''"),
        ("MAX", "< ?1 AND c.timestamp <> ''"),
        ("MIN", "> ?1"),
        ("MAX", "<> ''"),
    )
    found: list[list[str]] = [[], [], [], []]
    for catalogue, number, shown in _addresses(snapshot, url):
        for times, (which, condition) in zip(found, asked, strict=True):
            time = catalogue.execute(
                f"SELECT {which}(c.timestamp) FROM captures c WHERE c.url = ?2 AND c.timestamp {condition}{shown}",
                (timestamp, number),
            ).fetchone()[0]
            times += [time] if time else []
    first, previous, following, last = found
    return Around(
        min(first, default=""), max(previous, default=""), min(following, default=""), max(last, default="")
    )


def _addresses(snapshot: Snapshot, url: str) -> Iterator[tuple[sqlite3.Connection, int, str]]:
    """Give each spelling of an address in each index: its catalogue, its number, what leaves out hidden captures."""
    for place, member in enumerate(snapshot.members):
        catalogue = member.catalogue.connection()
        for (number,) in catalogue.execute(
            "SELECT id FROM addresses WHERE sort_key = ?", (sort_key(url),)
        ).fetchall():
            yield catalogue, number, not_hidden(snapshot, place)


_NEAR = 16  # captures looked at first, on each side of a moment
_Preference = tuple[float, ...]  # the least is taken
_ALL_SEEN: _Preference = (math.inf,)


def _rows_near(
    snapshot: Snapshot, url: str, timestamp: str | None, digest: str, most: int
) -> tuple[list[tuple[_Preference, Row]], _Preference]:
    """Return the captures of an address nearest to a moment, those to be taken first in front, and a bound.

    most: captures on each side, for each spelling of the address; -1 for all. Whatever is preferred to the bound is
    among the captures returned.
    """
    wanted = _padded(timestamp) if timestamp else ""
    bound = _ALL_SEEN
    found: list[Row] = []
    for catalogue, number, shown in _addresses(snapshot, url):
        for side, order in (("<", " DESC"), (">=", "")) if wanted else ((">=", " DESC"),):
            rows = catalogue.execute(
                f"{_COLUMNS} c.url = ? AND c.timestamp {side} ?{shown} ORDER BY c.timestamp{order} LIMIT ?",
                (number, wanted, most),
            ).fetchall()
            found += rows
            if len(rows) == most:
                last_url, last_time = rows[-1][:2]
                far = abs(_seconds(last_time) - _seconds(wanted))
                bound = min(bound, (far,) if wanted else (last_url != url, -_seconds(last_time)))
    found.sort(key=lambda row: (row[1], *_place(row)), reverse=not wanted)

    def preference(row: Row) -> _Preference:
        seconds = _seconds(row[1])
        if not wanted:
            return row[0] != url, -seconds, 0
        return abs(seconds - _seconds(wanted)), not _has_digest(row[5], digest), row[0] != url

    return sorted(((preference(row), row) for row in found), key=lambda pair: pair[0]), bound


def open_record(capture: Capture) -> Record:
    """Return the record of a capture, opened; see Index.record. Raises ArchiveError, RecordError."""
    place = capture.location
    if capture.type == "revisit":
        if capture.original is None:
            raise RecordError(
                place.path,
                place.offset,
                "a revisit whose original is not in this index; its payload is not held",
            )
        place = capture.original
    if not os.path.exists(place.path):
        raise UnreadableError(
            f"{place.path}: this archive is not there any more; put it back, or tell the index where it lies now:"
            " findingaid index FOLDER"
        )
    return read_record_at(place)


def _has_digest(digest: str, start: str) -> bool:
    return bool(start) and (digest.startswith(start) or digest.partition(":")[2].startswith(start))


def _padded(timestamp: str) -> str:
    """Return the 14 digits of the first moment that a timestamp of 1 to 14 digits may mean; "" for none."""
    digits = re.sub(r"\D", "", timestamp)[:14]
    if 0 < len(digits) < 4:
        digits = digits.ljust(4, "0")
    return digits + "00000101000000"[len(digits) :] if digits else ""


def _seconds(timestamp: str) -> float:
    """Return a timestamp of 1 to 14 digits as a number of seconds that orders and measures; 0 for none."""
    full = _padded(timestamp)
    if not full:
        return 0.0
    year, month, day, hour, minute, second = (
        int(full[a:b]) for a, b in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 12), (12, 14))
    )
    return ((((year * 12 + month) * 31 + day) * 24 + hour) * 60 + minute) * 60.0 + second
