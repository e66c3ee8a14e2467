"""Captures in the order of their addresses, a piece at a time: what CDX servers, TimeMaps and exports go through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from archiver.warc import Location, surt_key
from indexer.store.snapshot import Snapshot, not_hidden

MATCHES = ("exact", "prefix", "host", "domain")
_PIECE = 1000


@dataclass(frozen=True, slots=True)
class KeyRange:
    """The addresses whose sort key is `low`, or, with a `high`, lies in low <= key < high."""

    low: str
    high: str = ""

    @classmethod
    def everything(cls) -> KeyRange:
        """Return the range of all addresses."""
        return cls("", "\U0010ffff")

    @classmethod
    def of(cls, url: str, match: str = "exact") -> KeyRange:
        """Return the range of an address, of what begins with it, of its host, or of its host and those below.

        Raises ValueError for what is no address of a page, and for an unknown `match`.
        """
        key = surt_key(url)
        host, _, path = key.partition(")")
        if match == "exact":
            return cls(key)
        if match == "prefix":
            if path == "/" and not url.rstrip().endswith("/"):
                key = f"{host})"  # http://example.org begins everything of the host
            return cls(key, key + "\U0010ffff")
        if match == "host":
            return cls(f"{host})", f"{host}*")  # * comes behind )
        if match == "domain":
            return cls(
                f"{host})", f"{host}-"
            )  # - comes behind the comma that parts a name below, and behind )
        raise ValueError(f"{match[:40]!r} is no way to match; there are {', '.join(MATCHES)}")


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
    """Return the next captures by sort key, then time; an empty list when there are no more.

    first, last: timestamps of the earliest and latest capture wanted, "" for no bound. after: the cursor of the
    capture before. newest_first: the whole order turned round. now: from where a file was to where it is.
    """
    where, values = _conditions(keys, first, last)
    order = " DESC" if newest_first else ""
    # over several indexes a capture is known by its number in its own and the place of that
    several = len(snapshot.members)
    found: list[ListedCapture] = []
    for place, member in enumerate(snapshot.members):
        behind: list[str | int] = []
        if after is not None:
            key, time, number = after
            # floor for >, ceiling for <, so that number * several + place is compared
            behind = [
                key,
                time,
                -((place - number) // several) if newest_first else (number - place) // several,
            ]
        beyond = f" AND (u.sort_key, c.timestamp, c.id) {'<' if newest_first else '>'} (?, ?, ?)"
        rows = member.catalogue.connection().execute(
            "SELECT u.sort_key, u.url, c.timestamp, c.type, c.status, c.mime, digest_text(c.payload), f.path,"
            f" c.member, c.offset, c.length, c.inner, c.id * {several} + {place}, v.title, f.whole"
            " FROM urls u JOIN captures c ON c.url = u.id JOIN files f ON f.id = c.file"
            f" LEFT JOIN versions v ON v.id = c.version WHERE {' AND '.join(where)}"
            f"{beyond if behind else ''}{not_hidden(snapshot, place)}"
            f" ORDER BY u.sort_key{order}, c.timestamp{order}, c.id{order} LIMIT ?",
            (*values, *behind, limit),
        )
        found += [ListedCapture(*(*row[:-1], now(row[-1]))) for row in rows]
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
    where, values = _conditions(keys, first, last)
    total = 0
    for place, member in enumerate(snapshot.members):
        row = member.catalogue.connection().execute(
            f"SELECT COUNT(*) FROM urls u JOIN captures c ON c.url = u.id WHERE {' AND '.join(where)}"
            + not_hidden(snapshot, place),
            values,
        )
        total += int(row.fetchone()[0])
    return total


def _conditions(keys: KeyRange, first: str, last: str) -> tuple[list[str], list[str | int]]:
    where, values = ["u.sort_key = ?"], [keys.low]
    if keys.high:
        where, values = ["u.sort_key >= ?", "u.sort_key < ?"], [keys.low, keys.high]
    if first:
        where.append("c.timestamp >= ?")
        values.append(first)
    if last:
        where.append("c.timestamp <= ?")
        values.append(last)
    return where, list(values)
