"""Captures of addresses, from one index or from several: what a cached page and its timeline are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from archiver.warc import Location
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
