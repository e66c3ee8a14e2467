"""The links of one page: which pages of the index point to it, and where a capture of it points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from archiver.warc import base_of, canonical_url, in_charset, urlkey
from indexer.search.link_table import Numbers, last_captured, links_of
from indexer.store.addresses import with_key
from indexer.store.compact import page_number, signed, sort_key
from indexer.store.snapshot import Snapshot, not_hidden
from indexer.text.elements import PageText

_TEXTS_AT_MOST = 5  # of the links between two pages
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page at the other end of links. texts: what the links say, different ones, at most 5; "" for a picture.

    title: None for a page without one, and for what is not archived. timestamp: 14 digits, of its newest capture (of
    a version that links, for links in); "" if the archive holds no capture, or has no date of it.
    """

    url: str
    title: str | None
    timestamp: str
    texts: tuple[str, ...]
    is_archived: bool = True


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Links of a page. incoming: pages of this index, other sites first, then by address; without the page itself.

    outgoing: as they stand in the page, each address once. total_in, total_out: how many there are of each; fewer may
    be listed. is_read: False when no capture of the page could be read, so that nothing is known of links out.
    """

    url: str
    incoming: tuple[PageLink, ...]
    outgoing: tuple[PageLink, ...]
    total_in: int
    total_out: int
    is_read: bool


def links_in(snapshot: Snapshot, url: str, limit: int) -> tuple[list[PageLink], int]:
    """Return the pages that link to an address, at most `limit`, and how many there are; by address, not spelling.

    The address itself need not be in the index. Removed versions do not count.
    """
    found = _linking(snapshot, url)
    documents, first = np.unique(found.document, return_index=True)
    order = np.lexsort((documents, found.is_own[first]))[:limit]
    chosen = documents[order]
    links = [
        (bool(found.is_own[first[at]]), link)
        for at, link in zip(order.tolist(), _described(snapshot, found, chosen), strict=True)
        if link.url
    ]
    links.sort(key=lambda item: (item[0], item[1].url))
    return [link for _, link in links], len(documents)


@dataclass(slots=True)
class _Linking:
    """Links to one address, a row a link. is_own: from the same site; segment, ordinal: the version that links."""

    document: Numbers
    segment: Numbers
    ordinal: Numbers
    text: Numbers
    captured: Numbers
    is_own: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def _linking(snapshot: Snapshot, url: str) -> _Linking:
    own_key = sort_key(url)
    own_site = site_of(own_key)
    key = np.asarray([page_number(own_key)], dtype=np.uint64)
    columns: list[tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]] = []
    for number, (live, links) in enumerate(zip(snapshot.segments, links_of(snapshot), strict=True)):
        edges = links.edges_to(key)
        kept = np.ones(len(edges.source), dtype=bool) if live.alive is None else live.alive[edges.source]
        ordinal, text = edges.source[kept], edges.text[kept]
        segment = live.segment
        is_own = np.asarray(
            [name.removeprefix("www.") == own_site for name in segment.hosts()], dtype=np.int64
        )
        columns.append(
            (
                segment.document[ordinal].astype(np.int64),
                np.full(len(ordinal), number),
                ordinal,
                text,
                last_captured(live)[ordinal],
                is_own[segment.host[ordinal]],
            )
        )
    columns.append((np.zeros(0, dtype=np.int64),) * 6)
    document, segment_number, ordinal, text, captured, own = (
        np.concatenate(c) for c in zip(*columns, strict=True)
    )
    return _Linking(document, segment_number, ordinal, text, captured, own.astype(bool))


def site_of(key: str) -> str:
    """Return the host of a sort key, without www."""
    names = key.partition(")")[0].split(":")[0].split(",")
    return ".".join(reversed(names)).removeprefix("www.")


def _described(snapshot: Snapshot, found: _Linking, documents: Numbers) -> list[PageLink]:
    links = links_of(snapshot)
    addresses = snapshot.addresses(documents.tolist())
    described = []
    for document, address in zip(documents.tolist(), addresses, strict=True):
        rows = np.flatnonzero(found.document == document)
        newest = rows[np.argmax(found.captured[rows])]
        live = snapshot.segments[int(found.segment[newest])]
        texts = dict.fromkeys(
            _shown(links[segment].text_at(text))
            for segment, text in zip(found.segment[rows].tolist(), found.text[rows].tolist(), strict=True)
        )
        captured = int(found.captured[newest])
        described.append(
            PageLink(
                address,
                snapshot.title_of(live.number, int(found.ordinal[newest])),
                f"{captured:014d}" if captured else "",
                tuple(sorted(texts, key=lambda text: text == ""))[:_TEXTS_AT_MOST],
            )
        )
    return described


def links_out(snapshot: Snapshot, url: str, page: PageText, limit: int) -> tuple[list[PageLink], int]:
    """Return where a page points, at most `limit` addresses, and how many there are; without the page itself."""
    base = base_of(url, page.base, page.charset)
    own = sort_key(url)
    texts: dict[str, dict[str, None]] = {}
    for written, text in page.links:
        href = in_charset(written, page.charset).partition("#")[0]
        try:
            target = canonical_url(href, base) if href else ""
        except ValueError:
            continue  # mailto: and the like
        if target and sort_key(target) != own:
            texts.setdefault(target, {})[_shown(text)] = None
    listed = [
        PageLink(target, None, "", tuple(sorted(said, key=lambda text: text == ""))[:_TEXTS_AT_MOST], False)
        for target, said in list(texts.items())[:limit]
    ]
    return _archived(snapshot, listed), len(texts)


def _archived(snapshot: Snapshot, links: Sequence[PageLink]) -> list[PageLink]:
    """Return the links with title and time of the newest capture of each that is archived."""
    found = []
    for link in links:
        key = sort_key(link.url)
        rows = _newest(snapshot, "u.page = ? AND u.sort_key = ?", signed(page_number(key)), key)
        condition, values = with_key(urlkey(link.url))
        rows = rows or _newest(snapshot, f"u.{condition}", *values)
        if rows:
            timestamp, title = max(rows, key=lambda row: row[0])
            link = replace(link, timestamp=timestamp, title=title, is_archived=True)
        found.append(link)
    return found


def _newest(snapshot: Snapshot, condition: str, *values: Any) -> list[tuple[str, str | None]]:
    """Return the newest capture in each index of the addresses that fit a condition, as (timestamp, title)."""
    rows: list[tuple[str, str | None]] = []
    for place, member in enumerate(snapshot.members):
        rows += member.catalogue.connection().execute(
            "SELECT c.timestamp, v.title FROM urls u JOIN captures c ON c.url = u.id"
            f" LEFT JOIN versions v ON v.id = c.version WHERE {condition}"
            f"{not_hidden(snapshot, place)} ORDER BY c.time DESC LIMIT 1",
            values,
        )
    return rows


def _shown(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
