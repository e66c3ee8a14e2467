"""Captures in the order of their addresses, a piece at a time: what CDX servers, TimeMaps and exports go through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from archiver.warc import Location, urlkey
from indexer.store.compact import page_number, signed, sort_key
from indexer.store.snapshot import Snapshot, not_hidden

MATCHES = ("exact", "prefix", "host", "domain")
_PIECE = 1000


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
        beyond = f" AND (u.urlkey, c.timestamp, c.id) {'<' if newest_first else '>'} (?, ?, ?)"
        rows = member.catalogue.connection().execute(
            "SELECT u.urlkey, u.url, c.timestamp, c.type, c.status, c.mime, digest_text(c.payload), f.path,"
            f" c.member, c.offset, c.length, c.inner, c.id * {several} + {place}, v.title, f.whole"
            " FROM urls u JOIN captures c ON c.url = u.id JOIN files f ON f.id = c.file"
            f" LEFT JOIN versions v ON v.id = c.version WHERE {' AND '.join(where)}"
            f"{beyond if behind else ''}{not_hidden(snapshot, place)}"
            f" ORDER BY u.urlkey{order}, c.timestamp{order}, c.id{order} LIMIT ?",
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
    where: list[str] = ["u.urlkey = ?"]
    values: list[str | int] = [keys.low]
    if keys.page:
        where, values = ["u.page = ?", "u.sort_key = ?"], [signed(page_number(keys.page)), keys.page]
    elif keys.high:
        where, values = ["u.urlkey >= ?", "u.urlkey < ?"], [keys.low, keys.high]
    if first:
        where.append("c.timestamp >= ?")
        values.append(first)
    if last:
        where.append("c.timestamp <= ?")
        values.append(last)
    return where, values
