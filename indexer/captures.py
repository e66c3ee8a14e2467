"""Captures of addresses, from one index or from several: what a cached page and its timeline are made of.

An address is asked for in several ways, one after the other, until there are captures: as it is (http and https, and
whatever a browser takes for the same); as an archive may have written an odd one; then by its urlkey, as other
web-archive tools do: with or without www., the slash at the end, in other letter case.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from archiver.warc import (
    Location,
    Record,
    RecordError,
    UnreadableError,
    canonical_url,
    read_record_at,
    urlkey,
)
from archiver.warc.growing import final_name
from indexer.originals import Now, original_of
from indexer.store.addresses import Condition, with_key
from indexer.store.compact import compact_digest, kept_time, page_number, signed, sort_key
from indexer.store.copies import same_record
from indexer.store.payloads import HAS_PAYLOAD
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


def captures_of(snapshot: Snapshot, url: str, now: Now, *, exact: bool = False) -> list[Capture]:
    """Return all captures of an address, oldest first. exact: of the address itself only, however it is spelled."""
    for condition, values in _ways_to_ask(url, exact=exact):
        where = f"c.url IN (SELECT id FROM urls WHERE {condition})"
        rows = list(_rows(snapshot, where, values, f"c.time, {_PLACE}", -1))
        if rows:
            return _captures(snapshot, sorted(rows, key=lambda row: (row[1], *_place(row))), now)
    return []


def is_held(snapshot: Snapshot, url: str) -> bool:
    """Return whether there is a capture of the address itself, in whatever spelling of it."""
    groups = _groups(snapshot, *_page(url))
    return any(
        catalogue.execute(f"SELECT 1 FROM captures c WHERE {where} LIMIT 1", values).fetchone()
        for catalogue, where, values, _ in groups
    )


def _ways_to_ask(url: str, *, exact: bool = False) -> Iterator[Condition]:
    """Yield how an address is asked for, as a condition on `urls`; the first way that finds captures counts."""
    yield _page(url)
    if exact:
        return
    plain = unquote(url)
    others = [spelling for spelling in (plain, plain.removeprefix("http://")) if spelling not in ("", url)]
    for spelling in dict.fromkeys(others):
        yield _page(spelling)
    with suppress(ValueError):
        others.append(canonical_url(url))
    keys = list(dict.fromkeys(map(urlkey, [url, *others])))
    yield with_key(*keys)


def _page(url: str) -> Condition:
    key = sort_key(url)
    return "page = ? AND sort_key = ?", [signed(page_number(key)), key]


def captures_with_digest(snapshot: Snapshot, digest: str, limit: int, now: Now) -> list[Capture]:
    """Return captures whose payload has this digest, of any address, oldest first; at most `limit`."""
    if not digest:
        return []
    rows = _rows(snapshot, HAS_PAYLOAD, [compact_digest(digest)], f"c.time, u.url, {_PLACE}", limit)
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
    place = present(snapshot, Location(now(whole), offset, length, member, inner), whole, now)
    if original is not None:
        original = present(snapshot, original, "", now)
    return Capture(url, timestamp, kind, status, mime, payload, place, original, title)


_COPIES = (
    "SELECT f.whole, v.offset, v.length, v.member, v.inner FROM files g"
    " JOIN pieces p ON p.file = g.id AND ?3 BETWEEN p.low AND p.high"
    " CROSS JOIN capture_rows c ON c.id BETWEEN p.first AND p.last AND c.file = g.id AND c.offset = ?3 AND c.inner = ?4"
    " AND c.member = ifnull((SELECT m.id FROM members m WHERE m.name = ?2), 0)"
    f" JOIN capture_rows o ON {same_record('c', 'o')} JOIN captures v ON v.id = o.id JOIN files f ON f.id = o.file"
    " WHERE g.whole = ?1 ORDER BY f.path, v.member, v.offset"
)


def present(snapshot: Snapshot, place: Location, whole: str, now: Now) -> Location:
    """Return where a record lies, or a copy of it when its file is gone.

    whole: how the index knows the file; "" when as in `place`.
    """
    if os.path.exists(place.path):
        return place
    for member in snapshot.members:
        for path, *rest in member.catalogue.connection().execute(
            _COPIES, (whole or place.path, place.member, place.offset, place.inner)
        ):
            offset, length, inside, inner = rest
            if os.path.exists(now(path)):
                return Location(now(path), offset, length, inside, inner)
    return place


def closest_capture(
    snapshot: Snapshot, url: str, timestamp: str | None, digest: str, now: Now
) -> Capture | None:
    """Return the capture of an address nearest in time; see Index.closest. None when there is none.

    Only what lies near is looked at where that tells: some home pages were captured a hundred thousand times.
    """
    for condition, values in _ways_to_ask(url):
        groups = _groups(snapshot, condition, values)
        found = _closest_among(snapshot, groups, url, timestamp, digest, now)
        if found is not None:
            return found
    return None


def _closest_among(
    snapshot: Snapshot, groups: list[_Group], url: str, timestamp: str | None, digest: str, now: Now
) -> Capture | None:
    for most in (_NEAR, -1):
        ordered, bound = _rows_near(groups, url, timestamp, digest, most)
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
    for catalogue, where, values, _ in _groups(snapshot, *_page(url)):
        for row in catalogue.execute(
            f"{_COLUMNS} {where} AND c.time = ? AND c.member = ? AND c.offset = ? AND c.inner = ?",
            (*values, kept_time(timestamp), place.member, place.offset, place.inner),
        ).fetchall():
            if place.path in (row[6], now(row[6])):
                return _capture(snapshot, row, {}, now)
    return None


def around(snapshot: Snapshot, url: str, timestamp: str) -> Around:
    """Return when else the page of an address was captured, besides at a timestamp of 14 digits."""
    time = kept_time(timestamp)
    asked = (("MIN", ">= 0"), ("MAX", "BETWEEN 0 AND ? - 1"), ("MIN", "> ?"), ("MAX", ">= 0"))
    found: list[list[str]] = [[], [], [], []]
    for catalogue, where, values, _ in _groups(snapshot, *_page(url)):
        parts = [
            f"(SELECT {which}(c.time) FROM capture_rows c WHERE {where} AND c.time {condition})"
            for which, condition in asked
        ]
        moments = catalogue.execute(
            f"SELECT {', '.join(parts)}", [*values, *values, time, *values, time, *values]
        ).fetchone()
        for times, moment in zip(found, moments, strict=True):
            times += [] if moment is None else [f"{moment:014d}"]
    first, previous, following, last = found
    return Around(
        min(first, default=""), max(previous, default=""), min(following, default=""), max(last, default="")
    )


class _Group(NamedTuple):
    """Captures of a catalogue that fit a condition, which has some values. is_one: they are of one address."""

    catalogue: sqlite3.Connection
    where: str
    values: list[Any]
    is_one: bool = True


def _groups(snapshot: Snapshot, condition: str, values: list[Any]) -> list[_Group]:
    """Return the shown captures of the addresses that fit a condition: by address where few fit, else by catalogue.

    The captures of one address lie by time, those of several have to be sorted; but a group costs two questions.
    """
    groups: list[_Group] = []
    for place, member in enumerate(snapshot.members):
        catalogue, shown = member.catalogue.connection(), not_hidden(snapshot, place)
        addresses = f"SELECT id FROM urls WHERE {condition}"
        numbers = catalogue.execute(f"{addresses} LIMIT {_FEW + 1}", values).fetchall()
        if len(numbers) > _FEW:
            groups.append(_Group(catalogue, f"c.url IN ({addresses}){shown}", values, is_one=False))
        else:
            groups += [_Group(catalogue, f"c.url = ?{shown}", [number]) for (number,) in numbers]
    return groups


_FEW = 16  # spellings of an address
_NEAR = 16  # captures looked at first, on each side of a moment
_Preference = tuple[float, ...]  # the least is taken
_ALL_SEEN: _Preference = (math.inf,)


def _rows_near(
    groups: list[_Group], url: str, timestamp: str | None, digest: str, most: int
) -> tuple[list[tuple[_Preference, Row]], _Preference]:
    """Return the captures nearest to a moment, those to be taken first in front, and a bound.

    most: captures on each side, of each group; -1 for all. Whatever is preferred to the bound is among the captures
    returned.
    """
    wanted = _padded(timestamp) if timestamp else ""
    bound = _ALL_SEEN
    found: list[Row] = []
    for catalogue, where, values, is_one in groups:
        for side, order in (("<", " DESC"), (">=", "")) if wanted else ((">=", " DESC"),):
            rows = catalogue.execute(
                f"{_COLUMNS} {where} AND c.time {side} ? ORDER BY c.time{order} LIMIT ?",
                (*values, kept_time(wanted), most),
            ).fetchall()
            found += rows
            if len(rows) == most:
                last_url, last_time = rows[-1][:2]
                far = abs(_seconds(last_time) - _seconds(wanted))
                is_other = is_one and last_url != url
                bound = min(bound, (far,) if wanted else (is_other, -_seconds(last_time)))
    found.sort(key=lambda row: (row[1], *_place(row)), reverse=not wanted)

    def preference(row: Row) -> _Preference:
        seconds = _seconds(row[1])
        # of one second the page, not the redirect to itself that set a cookie
        is_redirect = 300 <= (row[3] or 0) < 400
        if not wanted:
            return row[0] != url, -seconds, is_redirect
        return abs(seconds - _seconds(wanted)), not _has_digest(row[5], digest), row[0] != url, is_redirect

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
    if not os.path.exists(place.path) and not os.path.exists(final_name(place.path)):
        raise UnreadableError(
            f"{place.path}: this archive is not there any more; put it back, or index the folder in which it lies now"
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
