"""What is shown of a page found: the rows of the catalogue that belong to it."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.search.explaining import Explanation
from indexer.search.searcher import Found
from indexer.search.snippets import SnippetPart
from indexer.store.snapshot import Snapshot


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
    " WHERE v.segment = ? AND v.ordinal = ? AND c.type <> 'revisit'"
    " ORDER BY {order}, f.path, c.member, c.offset, c.inner LIMIT 1"
)
_NEWEST = _CAPTURE.format(order="c.timestamp DESC")
_OLDEST = _CAPTURE.format(order="c.timestamp = '', c.timestamp")


def describe(snapshot: Snapshot, found: Found, *, oldest: bool = False) -> Hit:
    """Return a page found as it is shown, still without a snippet.

    oldest: show the oldest capture of its version, not the newest. `file` is "" when the version is not where it was
    any more: a commit came in between, look again.
    """
    connection = snapshot.catalogue.connection()
    rows = [
        (row, place)
        for place in found.versions
        if (row := connection.execute(_OLDEST if oldest else _NEWEST, place).fetchone()) is not None
    ]
    if not rows:
        url = connection.execute("SELECT url FROM urls WHERE id = ?", (found.document,)).fetchone()
        return Hit(url[0] if url else "", None, "", found.score, (), "", 0, 0, "", 0, 0)
    best, place = max(rows, key=lambda item: item[0][2])
    url, title, timestamp, path, whole, member, offset, length, inner, mime, status, digest = best
    captures, first, last = connection.execute(
        "SELECT COUNT(*), MIN(NULLIF(timestamp, '')), MAX(timestamp) FROM captures WHERE url = ?",
        (found.document,),
    ).fetchone()
    versions = connection.execute(
        "SELECT COUNT(*) FROM versions WHERE url = ?", (found.document,)
    ).fetchone()[0]
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
        first=first or "",
        last=last or "",
        language=snapshot.language_of(*place),
        mime=mime,
        status=status,
        path=whole,
        explanation=found.explanation,
    )
