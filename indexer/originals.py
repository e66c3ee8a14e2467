"""Which record a revisit repeats, in one index or over several."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from archiver.warc import Location
from indexer.store.compact import compact_digest, kept_page
from indexer.store.payloads import HAS_PAYLOAD
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot

Now = Callable[[str], str]  # from where a file was to where it is
Row = tuple[Any, ...]  # file, offset, length, member, place inside, address, timestamp, file as it was named

_ORIGINAL = (
    "SELECT f.whole, c.offset, c.length, c.member, c.inner, u.url, c.timestamp, f.path FROM captures c"
    " JOIN urls u ON u.id = c.url JOIN files f ON f.id = c.file WHERE c.type IN ('response', 'resource') AND "
)
_PLACE = "f.path, c.member, c.offset, c.inner"
_NONE: Row = ()


class _Known:
    """What was looked up: of ten thousand revisits of one picture each would look through all the others.

    same: the response with a digest, by (digest, address, address named); _NONE where none is held.
    earlier: the responses of an address without a digest (or all of them), by (address, whether all), as rising
    timestamps and a row for each.
    """

    def __init__(self) -> None:
        self.same: Recent[Row] = Recent(10_000)
        self.earlier: Recent[tuple[list[str], list[Row]]] = Recent(100_000, lambda found: 1 + len(found[0]))


def original_of(
    snapshot: Snapshot, url: str, timestamp: str, payload: str, refers_to: str | None, now: Now
) -> Location | None:
    """Return the record that a revisit repeats: same digest; the same address, then the named one, then any.

    Where the revisit or the response has no digest (an answer of 304; a chunked body), it is the last
    response before it from the address that it names, else from its own.
    """
    known: _Known = snapshot.derived.get("originals") or snapshot.derived.setdefault("originals", _Known())
    row = _NONE
    if payload:
        key = payload, url, refers_to or ""
        row = known.same.get(key, lambda: _with_digest(snapshot, *key))
    if not row:
        asked = refers_to or url
        times, rows = known.earlier.get(
            (asked, not payload), lambda: _responses(snapshot, asked, every=not payload)
        )
        place = bisect_right(times, timestamp)
        row = rows[place - 1] if place else _NONE
    if not row:
        return None
    whole, offset, length, member, inner = row[:5]
    return Location(now(whole), offset, length, member, inner)


def _with_digest(snapshot: Snapshot, payload: str, url: str, refers_to: str) -> Row:
    found: list[Row] = []
    for member in snapshot.members:
        found += member.catalogue.connection().execute(
            f"{_ORIGINAL} {HAS_PAYLOAD} ORDER BY u.url <> ?2, u.url <> ?3, c.timestamp, {_PLACE} LIMIT 1",
            (compact_digest(payload), url, refers_to),
        )
    return min(
        found, key=lambda row: (row[5] != url, row[5] != refers_to, row[6], row[7], *row[3:5]), default=_NONE
    )


def _responses(snapshot: Snapshot, url: str, *, every: bool) -> tuple[list[str], list[Row]]:
    """Return the responses of an address, by time, one for each second. every: those with a digest, too."""
    found: dict[str, Row] = {}
    for member in snapshot.members:
        for row in member.catalogue.connection().execute(
            f"{_ORIGINAL} u.page = ? AND u.url = ? AND (? OR c.payload = '') AND c.status <> 304"
            f" ORDER BY c.timestamp, {_PLACE}",
            (kept_page(url), url, every),
        ):
            found.setdefault(row[6], row)
    times = sorted(found)
    return times, [found[time] for time in times]
