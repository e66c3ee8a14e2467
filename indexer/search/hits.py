"""What is shown of a page found: the rows of the catalogue that belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from indexer.core import queries
from indexer.search.searcher import Found, FoundAlone
from indexer.store.compact import address
from indexer.store.payloads import holder_of
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot, not_hidden

if TYPE_CHECKING:
    from indexer.core.passages import Snippet
    from indexer.search.explaining import Explanation


class Hit(NamedTuple):
    """One page in a list of results.

    timestamp: 14 digits UTC, of the newest capture of the version that matches (the oldest, where the list is sorted
    by that); "" if the archive gives none.
    file: the archive file as it was named when indexed; path: its whole path; member: the archive inside a WACZ, or "".

    offset, length, inner: of the record in that file (or member). mime, status: of that capture; language: of the
    version, "" when it is not known. captures, versions: of the page in this index; first, last: timestamps of its
    oldest and newest capture, "" if none has one.
    folded: how many near-duplicates of it among the hits asked for are left out.
    explanation: what the score is made of, when it was asked for.
    digest: of the payload, where address and timestamp alone do not name the record: another capture of the same
    second holds other content. Else "".
    """

    url: str
    title: str | None
    timestamp: str
    score: float
    snippet: Snippet
    file: str
    offset: int
    length: int
    member: str
    captures: int
    versions: int
    inner: int = 0
    digest: str = ""
    first: str = ""
    last: str = ""
    language: str = ""
    mime: str = ""
    status: int = 0
    folded: int = 0
    path: str = ""
    explanation: Explanation | None = None


# Versions or pages asked for in one statement: so many at most, and a multiple of the hits of a page, for a statement
# of another length takes longer than what it asks.
_AT_ONCE, _OF_A_PAGE = 200, 10


def _shown(kind: str, holder: str, join: str = "") -> str:
    """Return the statement for the capture that is shown of each version: the newest or the oldest of a kind.

    holder: the name, in the statement, of the capture that holds the bytes.
    """
    return (
        f"SELECT c.version, u.url, v.title, c.timestamp, f.path, f.whole, {holder}.member, {holder}.offset,"
        f" {holder}.length, {holder}.inner, {holder}.mime, {holder}.status,"
        " CASE WHEN EXISTS (SELECT 1 FROM captures o WHERE o.url = c.url AND o.time = c.time"
        " AND o.payload <> c.payload) THEN digest_text(c.payload) ELSE '' END"
        " FROM versions v JOIN urls u ON u.id = v.url JOIN captures c ON c.id = (SELECT c.id FROM captures c"
        f" JOIN files f ON f.id = c.file WHERE c.version = v.id AND c.type {kind}{{visible}}"
        f" ORDER BY {{order}}, f.path, c.member, c.offset, c.inner LIMIT 1){join}"
        f" JOIN files f ON f.id = {holder}.file WHERE v.id IN ({{numbers}})"
    )


_SHOWN = _shown("<> 'revisit'", "c")
# Of versions that only revisits show: what they repeat is a page at another address.
_SHOWN_BY_REVISITS = _shown(
    "= 'revisit'",
    "h",
    f" JOIN captures h ON h.id = ({holder_of('c.payload')})",
)
_NEWEST, _OLDEST = "c.time DESC", "c.time < 0, c.time"
_PAGES = (
    "SELECT c.url, COUNT(*), CASE WHEN MAX(c.time) < 0 THEN '' ELSE"
    " printf('%014d', MIN(CASE WHEN c.time >= 0 THEN c.time END)) END,"
    " CASE WHEN MAX(c.time) < 0 THEN '' ELSE printf('%014d', MAX(c.time)) END FROM capture_rows c"
    " WHERE c.url IN ({numbers}){visible} GROUP BY c.url"
)
_DIGESTS = (
    "SELECT url, digest FROM versions WHERE id IN (SELECT version FROM capture_rows WHERE url IN ({numbers}))"
)

# All that is shown of a version whose page has a single capture, as most have: in one look, without what several need.
# From the path on, in the order of the fields of a hit, where moments and language are missing before the media type.
_CAPTURED_ONCE = (
    "SELECT v.id, v.url, f.prefix || a.name, a.written, v.title, c.time, p.path, c.offset, c.length,"
    " ifnull(m.name, ''), 1, 1, c.inner, '', k.mime, k.status, 0, p.whole, NULL"
    " FROM versions v JOIN capture_rows c ON c.id ="
    " (SELECT o.id FROM capture_rows o WHERE o.version = v.id LIMIT 1) JOIN addresses a ON a.id = v.url"
    " JOIN folders f ON f.id = a.folder JOIN files p ON p.id = c.file JOIN kinds k ON k.id = c.kind"
    " LEFT JOIN members m ON m.id = c.member WHERE v.id IN ({numbers}) AND c.url = v.url AND c.kind & 3 <> 2{visible}"
    " AND NOT EXISTS (SELECT 1 FROM capture_rows o WHERE o.url = v.url AND o.id <> c.id)"
)

_DOCUMENT = itemgetter(queries.FOUND_DOCUMENT)
Place = tuple[int, int]
_Parts = tuple[tuple[Any, ...], tuple[Any, ...]]  # what a hit has before its score, and behind it
_HITS_KNOWN = 4096  # about 3 MB


def describe(snapshot: Snapshot, found: Found, *, oldest: bool = False) -> Hit:
    """Return a page found as it is shown; see describe_all."""
    return describe_all(snapshot, [found], oldest=oldest)[0]


def describe_all(snapshot: Snapshot, pages: Sequence[Found], *, oldest: bool = False) -> list[Hit]:
    """Return pages found as they are shown, still without snippets, in their order.

    oldest: show the oldest capture of each version, not the newest. `file` is "" when a version is not where it was
    any more: a commit came in between, look again. What was said of a page for this state of the index is remembered.
    """
    name = "oldest hits" if oldest else "hits"
    known: Recent[_Parts] = snapshot.derived.get(name) or snapshot.derived.setdefault(
        name, Recent(_HITS_KNOWN)
    )
    rows = pages.rows if isinstance(pages, FoundAlone) else None
    keys = [found.versions for found in pages] if rows is None else list(map(_DOCUMENT, rows))
    parts: list[Any] = known.find_all(keys)
    if None in parts:
        missing = [number for number, one in enumerate(parts) if one is None]
        if isinstance(pages, FoundAlone):
            made = _described_alone(snapshot, pages.only(missing), oldest=oldest)
        else:
            made = _described(snapshot, [pages[number] for number in missing], oldest=oldest)
        found = {}
        for number, own in zip(missing, made, strict=True):
            parts[number] = own
            if own[1][_FILE]:
                found[keys[number]] = own
        known.keep_all(found)
    # sums of tuples: what is written with stars takes nearly twice as long, and this is done for each hit
    if rows is not None:  # what is remembered has no explanation, either
        return [_hit(before + (row[0],) + behind) for (before, behind), row in zip(parts, rows, strict=True)]
    return [
        _hit(before + (found.score,) + behind[:-1] + (found.explanation,))
        for (before, behind), found in zip(parts, pages, strict=True)
    ]


_hit = partial(tuple.__new__, Hit)  # of all fields, without a call in Python
_SCORE, _SNIPPET = map(Hit._fields.index, ("score", "snippet"))
_FILE = Hit._fields[_SCORE + 1 :].index("file")  # of the part behind the score


def _parts(hit: Hit) -> _Parts:
    return hit[:_SCORE], hit[_SCORE + 1 :]


def with_passages(hits: Sequence[Hit], snippets: Sequence[Snippet]) -> list[Hit]:
    """Return hits with their passages."""
    return [
        _hit(hit[:_SNIPPET] + (snippet,) + hit[_SNIPPET + 1 :])
        for hit, snippet in zip(hits, snippets, strict=True)
    ]


def _described_alone(snapshot: Snapshot, pages: FoundAlone, *, oldest: bool) -> list[_Parts]:
    """Return the parts of the hits of pages, as the catalogue says."""
    parts: list[_Parts | None] = [None] * len(pages)
    if len(snapshot.members) == 1:  # of several indexes each may hold a capture of a page
        parts = _captured_once(snapshot, pages.versions(), list(map(_DOCUMENT, pages.rows)))
    return _with_others(snapshot, parts, pages, oldest=oldest, are_alone=True)


def _described(snapshot: Snapshot, pages: Sequence[Found], *, oldest: bool) -> list[_Parts]:
    """Return the same of pages that may have several versions in an index."""
    parts: list[_Parts | None] = [None] * len(pages)
    if len(snapshot.members) == 1:
        single = [number for number, found in enumerate(pages) if len(found.versions) == 1]
        versions = [pages[number].versions[0] for number in single]
        documents = [pages[number].document for number in single]
        for number, own in zip(single, _captured_once(snapshot, versions, documents), strict=True):
            parts[number] = own
    return _with_others(snapshot, parts, pages, oldest=oldest, are_alone=False)


def _with_others(
    snapshot: Snapshot, parts: list[_Parts | None], pages: Sequence[Found], *, oldest: bool, are_alone: bool
) -> list[_Parts]:
    """Return the parts of all pages, by all captures of those whose parts are None."""
    others = [number for number, own in enumerate(parts) if own is None]
    if others:
        with snapshot.reading():
            made = _described_by_all(
                snapshot, [pages[number] for number in others], oldest=oldest, are_alone=are_alone
            )
        for number, hit in zip(others, made, strict=True):
            parts[number] = _parts(hit)
    return cast("list[_Parts]", parts)


def _captured_once(
    snapshot: Snapshot, versions: Sequence[Place], documents: Sequence[int]
) -> list[_Parts | None]:
    """Return the parts of the hits of those pages that have a single capture, None for others.

    versions: (segment number, ordinal) of the version that is shown of each page; documents: the numbers of the pages.
    """
    parts: list[_Parts | None] = [None] * len(versions)
    kept = snapshot.kept_of(versions)
    places = {one[0]: place for place, one in enumerate(kept) if one is not None}
    for row in _rows(snapshot, 0, _CAPTURED_ONCE, list(places)):
        place = places[row[0]]
        if row[1] == documents[place]:
            time = row[5]
            timestamp = f"{time:014d}" if time >= 0 else ""
            parts[place] = (
                (address(row[2], row[3]), row[4], timestamp),
                ((),) + row[6:14] + (timestamp, timestamp, kept[place][1]) + row[14:],  # type: ignore[index]
            )
    return parts


def _described_by_all(
    snapshot: Snapshot, pages: Sequence[Found], *, oldest: bool, are_alone: bool
) -> list[Hit]:
    """Return the hits of pages by all their captures; else as `_described`."""
    places = [place for found in pages for place in found.versions]
    captures = _shown_captures(snapshot, list(dict.fromkeys(places)), oldest=oldest)
    numbers = _numbers_of_pages(
        snapshot,
        list(dict.fromkeys(found.document for found in pages)),
        has_versions=not are_alone or len(snapshot.members) > 1,
    )
    hits = []
    for found in pages:
        shown = [(captures[place], place) for place in found.versions if place in captures]
        if not shown:
            [url] = snapshot.addresses([found.document])
            hits.append(Hit(url, None, "", found.score, (), "", 0, 0, "", 0, 0))
            continue
        capture, place = max(shown, key=lambda item: item[0][2])
        url, title, timestamp, path, whole, member, offset, length, inner, mime, status, digest = capture
        count, first, last, versions = numbers[found.document]
        hits.append(
            Hit(
                url=url,
                title=title,
                timestamp=timestamp,
                score=found.score,
                snippet=(),
                file=path,
                offset=offset,
                length=length,
                member=member,
                captures=count,
                versions=versions,
                inner=inner,
                digest=digest,
                first=first,
                last=last,
                language=snapshot.language_of(*place),
                mime=mime,
                status=status,
                path=whole,
            )
        )
    return hits


def _shown_captures(
    snapshot: Snapshot, places: Sequence[Place], *, oldest: bool
) -> dict[Place, tuple[Any, ...]]:
    """Return of each version the capture that is shown, whichever index holds it."""
    held = snapshot.versions_of(places)
    wanted: dict[int, list[int]] = {}
    for numbers in held.values():
        for member, version in numbers:
            wanted.setdefault(member, []).append(version)
    order = _OLDEST if oldest else _NEWEST
    rows = {
        (member, row[0]): row[1:]
        for member, versions in wanted.items()
        for row in _rows(snapshot, member, _SHOWN, versions, order=order)
    }
    for member, versions in wanted.items():
        left = [version for version in versions if (member, version) not in rows]
        rows.update(
            ((member, row[0]), row[1:])
            for row in _rows(snapshot, member, _SHOWN_BY_REVISITS, left, order=order)
        )
    shown = {}
    for place, numbers in held.items():
        own = [rows[number] for number in numbers if number in rows]
        own.sort(key=lambda row: (row[3], *row[5:7], row[8]))
        if own and oldest:
            shown[place] = min(own, key=lambda row: (row[2] == "", row[2]))
        elif own:
            shown[place] = max(own, key=lambda row: str(row[2]))
    return shown


def _numbers_of_pages(
    snapshot: Snapshot, documents: Sequence[int], *, has_versions: bool
) -> dict[int, tuple[int, str, str, int]]:
    """Return (captures, first timestamp, last timestamp, versions) of each page over all indexes.

    has_versions: whether a page may have several versions.
    """
    held = {document: snapshot.numbers_of(document) for document in documents}
    wanted: dict[int, list[int]] = {}
    for numbers in held.values():
        for member, url in numbers:
            wanted.setdefault(member, []).append(url)
    counted: dict[Place, tuple[Any, ...]] = {}
    digests: dict[Place, set[bytes]] = {}
    for member, urls in wanted.items():
        counted.update(((member, row[0]), row[1:]) for row in _rows(snapshot, member, _PAGES, urls))
        for url, digest in _rows(snapshot, member, _DIGESTS, urls) if has_versions else ():
            digests.setdefault((member, url), set()).add(digest)
    found = {}
    for document, numbers in held.items():
        rows = [counted[number] for number in numbers if number in counted]
        versions = set[bytes]().union(*(digests.get(number, ()) for number in numbers))
        found[document] = (
            sum(row[0] for row in rows),
            min((row[1] for row in rows if row[1]), default=""),
            max((row[2] for row in rows), default=""),
            len(versions) if has_versions else 1,
        )
    return found


def _rows(
    snapshot: Snapshot, member: int, sql: str, numbers: Sequence[int], *, order: str = ""
) -> list[tuple[Any, ...]]:
    """Return the rows of a statement on the catalogue of a member for some numbers, in no order."""
    connection = snapshot.members[member].catalogue.connection()
    visible = not_hidden(snapshot, member)
    rows: list[tuple[Any, ...]] = []
    for start in range(0, len(numbers), _AT_ONCE):
        some = list(numbers[start : start + _AT_ONCE])
        some += some[-1:] * (-len(some) % _OF_A_PAGE)
        rows += connection.execute(_filled_in(sql, order, visible, len(some)), some)
    return rows


@lru_cache(maxsize=16)
def _filled_in(sql: str, order: str, visible: str, numbers: int) -> str:
    """Return a statement for so many numbers."""
    return sql.format(order=order, visible=visible, numbers=",".join("?" * numbers))
