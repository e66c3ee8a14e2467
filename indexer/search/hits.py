"""What is shown of a page found: the rows of the catalogue that belong to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from indexer.search.explaining import Explanation
from indexer.search.searcher import Found
from indexer.search.snippets import SnippetPart
from indexer.store.snapshot import Snapshot, not_hidden


@dataclass(frozen=True, slots=True)
class Hit:
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
    snippet: tuple[SnippetPart, ...]
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


_CAPTURE = (
    "SELECT u.url, v.title, c.timestamp, f.path, f.whole, c.member, c.offset, c.length, c.inner, c.mime,"
    " c.status,"
    " CASE WHEN EXISTS (SELECT 1 FROM captures o WHERE o.url = c.url AND o.timestamp = c.timestamp"
    " AND o.payload <> c.payload) THEN c.payload ELSE '' END FROM versions v"
    " JOIN urls u ON u.id = v.url JOIN captures c ON c.version = v.id JOIN files f ON f.id = c.file"
    " WHERE v.id = ? AND c.type <> 'revisit'{visible}"
    " ORDER BY {order}, f.path, c.member, c.offset, c.inner LIMIT 1"
)
_NEWEST, _OLDEST = "c.timestamp DESC", "c.timestamp = '', c.timestamp"


def describe(snapshot: Snapshot, found: Found, *, oldest: bool = False) -> Hit:
    """Return a page found as it is shown, still without a snippet.

    oldest: show the oldest capture of its version, not the newest. `file` is "" when the version is not where it was
    any more: a commit came in between, look again.
    """
    rows = [
        (row, place)
        for place in found.versions
        if (row := _shown_capture(snapshot, *place, oldest=oldest)) is not None
    ]
    if not rows:
        [url] = snapshot.addresses([found.document])
        return Hit(url, None, "", found.score, (), "", 0, 0, "", 0, 0)
    best, place = max(rows, key=lambda item: item[0][2])
    url, title, timestamp, path, whole, member, offset, length, inner, mime, status, digest = best
    captures, first, last, versions = _of_page(snapshot, found.document)
    return Hit(
        url=url,
        title=title,
        timestamp=timestamp,
        score=found.score,
        snippet=(),
        file=path,
        offset=offset,
        length=length,
        member=member,
        captures=captures,
        versions=versions,
        inner=inner,
        digest=digest,
        first=first,
        last=last,
        language=snapshot.language_of(*place),
        mime=mime,
        status=status,
        path=whole,
        explanation=found.explanation,
    )


def _shown_capture(snapshot: Snapshot, number: int, ordinal: int, *, oldest: bool) -> tuple[Any, ...] | None:
    """Return the capture of a version that is shown, whichever index holds it."""
    rows: list[tuple[Any, ...]] = []
    for place, version in snapshot.versions_at(number, ordinal):
        sql = _CAPTURE.format(order=_OLDEST if oldest else _NEWEST, visible=not_hidden(snapshot, place))
        rows += snapshot.members[place].catalogue.connection().execute(sql, (version,))
    rows.sort(key=lambda row: (row[3], *row[5:7], row[8]))
    if oldest:
        return min(rows, key=lambda row: (row[2] == "", row[2]), default=None)
    return max(rows, key=lambda row: str(row[2]), default=None)


def _of_page(snapshot: Snapshot, document: int) -> tuple[int, str, str, int]:
    """Return (captures, first timestamp, last timestamp, versions) of a page over all indexes."""
    captures, times, digests = 0, [], set[bytes]()
    for place, number in snapshot.numbers_of(document):
        connection = snapshot.members[place].catalogue.connection()
        count, first, last = connection.execute(
            "SELECT COUNT(*), MIN(NULLIF(timestamp, '')), MAX(timestamp) FROM captures c WHERE url = ?"
            + not_hidden(snapshot, place),
            (number,),
        ).fetchone()
        captures += count
        times += [time for time in (first, last) if time]
        digests.update(
            row[0] for row in connection.execute("SELECT digest FROM versions WHERE url = ?", (number,))
        )
    return captures, min(times, default=""), max(times, default=""), len(digests)
