"""Captures of addresses, from one index or from several: what a cached page and its timeline are made of."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from archiver.warc import Location, Record, RecordError, UnreadableError, read_record_at
from indexer.store.compact import HAS_PAYLOAD, compact_digest, doc_id, sort_key
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


_COLUMNS = (
    "SELECT u.url, c.timestamp, c.type, c.status, c.mime, digest_text(c.payload), f.whole, c.member, c.offset,"
    " c.length, c.inner, v.title, c.refers_to, f.path FROM captures c JOIN urls u ON u.id = c.url"
    " JOIN files f ON f.id = c.file LEFT JOIN versions v ON v.id = c.version WHERE "
)
_ORIGINAL = (
    "SELECT f.whole, c.offset, c.length, c.member, c.inner, u.url, c.timestamp, f.path FROM captures c"
    " JOIN urls u ON u.id = c.url JOIN files f ON f.id = c.file WHERE c.type IN ('response', 'resource') AND "
)
_PLACE = "f.path, c.member, c.offset, c.inner"

Row = tuple[Any, ...]
Now = Callable[[str], str]  # from where a file was to where it is


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
        original = at_hand.get((url, payload)) or _original(snapshot, url, timestamp, payload, refers_to, now)
    place = Location(now(whole), offset, length, member, inner)
    return Capture(url, timestamp, kind, status, mime, payload, place, original, title)


def _original(
    snapshot: Snapshot, url: str, timestamp: str, payload: str, refers_to: str | None, now: Now
) -> Location | None:
    """Return the record that a revisit repeats: same digest; the same address, then the named one, then any.

    Where the revisit or the response has no digest (an answer of 304; a chunked body), it is the last
    response before it from the address that it names, else from its own.
    """
    found: list[Row] = []
    if payload:
        for member in snapshot.members:
            found += member.catalogue.connection().execute(
                f"{_ORIGINAL} {HAS_PAYLOAD} ORDER BY u.url <> ?2, u.url <> ?3, c.timestamp, {_PLACE} LIMIT 1",
                (compact_digest(payload), url, refers_to or ""),
            )
        found.sort(key=lambda row: (row[5] != url, row[5] != (refers_to or ""), row[6], row[7], *row[3:5]))
    if not found:
        for member in snapshot.members:
            found += member.catalogue.connection().execute(
                f"{_ORIGINAL} u.doc_id = ? AND u.url = ? AND c.timestamp <= ? AND (? = '' OR c.payload = '')"
                f" AND c.status <> 304 ORDER BY c.timestamp DESC, {_PLACE} LIMIT 1",
                (doc_id(refers_to or url), refers_to or url, timestamp, payload),
            )
        found.sort(key=lambda row: row[6], reverse=True)
    if not found:
        return None
    whole, offset, length, member_name, inner = found[0][:5]
    return Location(now(whole), offset, length, member_name, inner)


def closest_of(
    found: Sequence[Capture], url: str, timestamp: str | None = None, digest: str = ""
) -> Capture | None:
    """Return of the captures of an address the nearest in time; see Index.closest. None when there is none."""
    if not found:
        return None
    usable = [c for c in found if c.type != "revisit" or c.original is not None] or found
    exact = [c for c in usable if c.url == url] or usable
    if not timestamp:
        return exact[-1]
    wanted = _seconds(timestamp)
    return min(
        usable, key=lambda c: (abs(_seconds(c.timestamp) - wanted), not _has_digest(c, digest), c.url != url)
    )


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


def _has_digest(capture: Capture, start: str) -> bool:
    return bool(start) and (
        capture.digest.startswith(start) or capture.digest.partition(":")[2].startswith(start)
    )


def _seconds(timestamp: str) -> float:
    """Return a timestamp of 1 to 14 digits as a number of seconds that orders and measures; 0 for none."""
    digits = re.sub(r"\D", "", timestamp)[:14]
    if not digits:
        return 0.0
    full = (
        digits + "00000101000000"[len(digits) :] if len(digits) >= 4 else digits.ljust(4, "0") + "0101000000"
    )
    year, month, day, hour, minute, second = (
        int(full[a:b]) for a, b in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 12), (12, 14))
    )
    return ((((year * 12 + month) * 31 + day) * 24 + hour) * 60 + minute) * 60.0 + second
