"""Captures in the order of their addresses, a piece at a time: what CDX servers, TimeMaps and exports go through."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from archiver.warc import Location, urlkey
from indexer.store.addresses import addresses_between, in_order, with_key
from indexer.store.compact import kept_time, page_number, signed, sort_key
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot, not_hidden

MATCHES = ("exact", "prefix", "host", "domain")
_PIECE = 1000
_COUNTS_KNOWN = 100


@dataclass(frozen=True, slots=True)
class KeyRange:
    """The addresses whose urlkey is `low`, or, with a `high`, lies in low <= key < high.

    page: a sort key, when only the addresses of that page are meant.
    """

    low: str
    high: str = ""
    page: str = ""

    @classmethod
    def everything(cls) -> KeyRange:
        """Return the range of all addresses."""
        return cls("", "\U0010ffff")

    @classmethod
    def of(cls, url: str, match: str = "exact") -> KeyRange:
        """Return the range of an address, of what begins with it, of its host, or of its host and those below.

        As for other CDX servers, an address is what has its urlkey; see `of_page`. Raises ValueError for an unknown
        `match`, and for an address without a host when it has to have one.
        """
        key = urlkey(url)
        host, bracket, _ = key.partition(")")
        if not bracket and (match in ("host", "domain") or key.startswith(("http:", "https:"))):
            raise ValueError(f"no host in {url[:200]!r}")
        if match == "exact":
            return cls(key)
        if match == "prefix":
            return cls(start := _prefix_key(url, key), start + "\U0010ffff")
        if match == "host":
            return cls(f"{host})", f"{host}*")  # * comes behind )
        if match == "domain":
            return cls(
                f"{host})", f"{host}-"
            )  # - comes behind the comma that parts a name below, and behind )
        raise ValueError(f"{match[:40]!r} is no way to match; there are {', '.join(MATCHES)}")

    @classmethod
    def of_page(cls, url: str) -> KeyRange:
        """Return the range of the address itself, in whatever spelling of it, http and https alike."""
        return cls(urlkey(url), page=sort_key(url))


def _prefix_key(url: str, key: str) -> str:
    """Return what the keys of addresses begin with that begin with one."""
    written = url.rstrip()
    if key.endswith(")/") and not written.endswith("/"):
        return key[:-1]  # http://example.org begins everything of the host
    for end in "/?":
        if written.endswith(end) and not key.endswith(end):
            return key + end
    return key


@dataclass(frozen=True, slots=True)
class ListedCapture:
    """A capture as a list shows it. number: parts those of one address and second; the cursor of the next piece.

    file: as it was named when indexed; path: where it is.
    """

    key: str
    url: str
    timestamp: str
    type: str
    status: int
    mime: str
    digest: str
    file: str
    member: str
    offset: int
    length: int
    inner: int
    number: int
    title: str | None
    path: str

    @property
    def location(self) -> Location:
        """Where the record lies."""
        return Location(self.path, self.offset, self.length, self.member, self.inner)

    @property
    def cursor(self) -> tuple[str, str, int]:
        """Where the list goes on behind this capture."""
        return self.key, self.timestamp, self.number


def list_captures(
    snapshot: Snapshot,
    keys: KeyRange,
    *,
    first: str = "",
    last: str = "",
    after: tuple[str, str, int] | None = None,
    newest_first: bool = False,
    limit: int = _PIECE,
    now: Callable[[str], str] = str,
) -> list[ListedCapture]:
    """Return the next captures by urlkey, then time; an empty list when there are no more.

    first, last: timestamps of the earliest and latest capture wanted, "" for no bound. after: the cursor of the
    capture before. newest_first: the whole order turned round. now: from where a file was to where it is.
    """
    # over several indexes a capture is known by its number in its own and the place of that
    several = len(snapshot.members)
    found: list[ListedCapture] = []
    for place, member in enumerate(snapshot.members):
        behind: _Behind | None = None
        if after is not None:
            key, time, number = after
            # floor for >, ceiling for <, so that number * several + place is compared
            own = -((place - number) // several) if newest_first else (number - place) // several
            behind = key, kept_time(time), own
        shown = not_hidden(snapshot, place)
        for row in _rows(member, keys, _during(first, last), shown, behind, newest_first, limit):
            number, title, whole = row[-3:]
            found.append(ListedCapture(*(*row[:-3], number * several + place, title, now(whole))))
    if several > 1:
        found = [
            replace(capture, title=snapshot.title_repeated(capture.url, capture.digest))
            if capture.title is None and capture.type == "revisit"
            else capture
            for capture in found
        ]
        found.sort(key=lambda capture: capture.cursor, reverse=newest_first)
    return found[:limit]


def count_captures(snapshot: Snapshot, keys: KeyRange, *, first: str = "", last: str = "") -> int:
    """Return how many captures `list_captures` gives in all."""
    # clients go from page to page, and for each it has to be known whether there is one
    known: Recent[int] = snapshot.derived.once("counts", lambda: Recent(_COUNTS_KNOWN))
    return known.get((keys, first, last), lambda: _counted(snapshot, keys, first, last))


def _counted(snapshot: Snapshot, keys: KeyRange, first: str, last: str) -> int:
    if keys.high and not keys.page:
        addresses, values = addresses_between(keys.low, keys.high)
    else:
        condition, values = with_key(keys.low)
        if keys.page:
            condition, values = "page = ? AND sort_key = ?", [signed(page_number(keys.page)), keys.page]
        addresses = f"SELECT id FROM urls WHERE {condition}"
    during, times = _during(first, last)
    total = 0
    for place, member in enumerate(snapshot.members):
        row = member.catalogue.connection().execute(
            f"SELECT COUNT(*) FROM ({addresses}) a CROSS JOIN capture_rows c ON c.url = a.id WHERE 1{during}"
            + not_hidden(snapshot, place),
            (*values, *times),
        )
        total += int(row.fetchone()[0])
    return total


_KEYS_AT_ONCE = 100

_Behind = tuple[str, int, int]  # urlkey, time and number of the capture before

_CAPTURES = (
    "SELECT u.urlkey, u.url, c.timestamp, c.type, c.status, c.mime, digest_text(c.payload), f.path, c.member, c.offset,"
    " c.length, c.inner, c.id, v.title, f.whole FROM ({chosen}) w CROSS JOIN captures c ON c.id = w.id"
    " JOIN urls u ON u.id = c.url JOIN files f ON f.id = c.file LEFT JOIN versions v ON v.id = c.version"
    " ORDER BY w.place, c.time{order}, c.id{order}"
)


def _rows(
    member: Snapshot,
    keys: KeyRange,
    during: tuple[str, list[int | str]],
    shown: str,
    behind: _Behind | None,
    newest_first: bool,
    limit: int,
) -> list[tuple[Any, ...]]:
    """Return the next captures of one index, at most `limit`."""
    connection = member.catalogue.connection()
    order = " DESC" if newest_first else ""
    groups = _addresses(connection, keys, behind, newest_first)
    rows: list[tuple[Any, ...]] = []
    while len(rows) < limit and (some := list(islice(groups, _KEYS_AT_ONCE))):
        addresses = [(place, number) for place, (_, numbers) in enumerate(some) for number in numbers]
        values: list[int | str] = [value for address in addresses for value in address]
        beyond = ""
        if behind is not None and some[0][0] == behind[0]:
            beyond = f" AND (g.place > 0 OR (c.time, c.id) {'<' if newest_first else '>'} (?, ?))"
            values += behind[1:]
        chosen = (
            f"WITH g(place, id) AS (VALUES {','.join(['(?, ?)'] * len(addresses))})"
            " SELECT g.place, c.id FROM g CROSS JOIN capture_rows c ON c.url = g.id"
            f" WHERE 1{beyond}{during[0]}{shown} ORDER BY g.place, c.time{order}, c.id{order} LIMIT ?"
        )
        values += [*during[1], limit - len(rows)]
        rows += connection.execute(_CAPTURES.format(chosen=chosen, order=order), values)
    return rows


def _addresses(
    connection: sqlite3.Connection, keys: KeyRange, behind: _Behind | None, newest_first: bool
) -> Iterator[tuple[str, list[int]]]:
    """Yield (urlkey, numbers of its addresses) in order, from the one of the capture before on."""
    low, high = keys.low, keys.high
    if keys.page or not high:
        condition, values = with_key(low)
        if keys.page:
            condition, values = "page = ? AND sort_key = ?", [signed(page_number(keys.page)), keys.page]
        found: dict[str, list[int]] = {}
        for key, number in connection.execute(f"SELECT urlkey, id FROM urls WHERE {condition}", values):
            found.setdefault(key, []).append(number)
        for key in sorted(found, reverse=newest_first):
            if behind is None or (key <= behind[0] if newest_first else key >= behind[0]):
                yield key, found[key]
        return
    if behind is not None:
        low, high = (low, min(high, behind[0] + "\0")) if newest_first else (max(low, behind[0]), high)
    yield from in_order(connection, low, high, descending=newest_first)


def _during(first: str, last: str) -> tuple[str, list[int | str]]:
    """Return the condition that a capture was made in a time, and its values."""
    conditions = ""
    values: list[int | str] = []
    for bound, sign in ((first, ">="), (last, "<=")):
        if len(bound) == 14 and bound.isascii() and bound.isdigit():
            conditions += f" AND c.time {sign} ?"
            values.append(int(bound))
        elif bound:
            conditions += f" AND CASE WHEN c.time < 0 THEN '' ELSE printf('%014d', c.time) END {sign} ?"
            values.append(bound)
    return conditions, values
