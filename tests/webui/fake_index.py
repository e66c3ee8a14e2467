"""A small index in memory for the tests of the web front end: what the contract of `Index` says, and no more.

It reads real archive files, so that cached pages are tested on real records; its
search is a loop over all pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from archiver.warc import Damage, Location, Record, parse_response, read_record_at, read_records
from archiver.warc.urls import canonical_url
from indexer import (
    Around,
    Capture,
    Hit,
    IndexMissingError,
    PageLinks,
    Ranking,
    Results,
    SnippetPart,
    Statistics,
)
from indexer.text.charset import decode_html
from indexer.text.elements import PageText
from indexer.text.pages import collect_page
from webui import create_app
from webui.settings import Settings

_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_UNSEEN = re.compile(
    r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->|<[a-zA-Z/!?][^>]*>", re.IGNORECASE | re.DOTALL
)


class FakeIndex:
    """Answers like `indexer.Index` over the given archive files."""

    def __init__(self, paths: list[Path | str], ranking: Ranking | None = None) -> None:
        self.ranking = ranking or Ranking()
        self.closed = False
        self._derived: dict[Any, Any] = {}
        self._captures: list[Capture] = []
        self._texts: dict[Location, str] = {}
        self._by_url: dict[str, list[Capture]] = {}
        for path in paths:
            for record in read_records(str(path)):
                if not isinstance(record, Damage):
                    self._add(record)
        originals = {
            capture.digest: capture.location for capture in self._captures if capture.type != "revisit"
        }
        self._captures = [
            replace(capture, original=originals.get(capture.digest)) if capture.type == "revisit" else capture
            for capture in self._captures
        ]
        self._captures.sort(key=lambda capture: capture.timestamp)
        for capture in self._captures:
            self._by_url.setdefault(_key(capture.url), []).append(capture)

    def derived(self) -> dict[Any, Any]:
        return self._derived

    def _add(self, record: Record) -> None:
        if record.type_name not in ("response", "resource", "revisit") or not record.url.startswith("http"):
            return
        response = parse_response(record)
        if response is None:
            return
        title = None
        text = ""
        mime = response.headers.get("Content-Type").partition(";")[0].strip().lower()
        if mime in ("text/html", "application/xhtml+xml") and response.status in (0, 200):
            html, _ = decode_html(response.body, response.headers.get("Content-Type"))
            found = _TITLE.search(html)
            title = " ".join(_plain(found[1]).split()) or None if found else None
            text = f"{title or ''} {_plain(_UNSEEN.sub(' ', html))}"
        capture = Capture(
            url=record.url,
            timestamp=record.timestamp,
            status=response.status,
            mime=mime,
            type=record.type_name,
            digest=record.headers.get("WARC-Payload-Digest") or response.raw_body_sha1.hex(),
            location=record.location,
            original=None,
            title=title,
        )
        self._captures.append(capture)
        if text:
            self._texts[capture.location] = text

    def statistics(self) -> Statistics:
        pages = {capture.url for capture in self._captures if capture.location in self._texts}
        times = [capture.timestamp for capture in self._captures if capture.timestamp]
        return Statistics(
            files=1,
            records=len(self._captures),
            captures=len(self._captures),
            documents=len(pages),
            versions=len(pages),
            skipped={},
            damaged=(),
            first=min(times, default=""),
            last=max(times, default=""),
            sites=len({url.split("/")[2] for url in pages}),
        )

    def search(
        self,
        query: str,
        *,
        offset: int = 0,
        limit: int = 10,
        with_snippets: bool = True,
        operator: str = "and",
        sort: str = "relevance",
        facets: bool = False,
        filters: str = "",
        budget_s: float | None = None,
        expand: Sequence[str] = (),
        without: Sequence[str] = (),
        fold: bool = False,
        model: str | None = None,
        explain: bool = False,
    ) -> Results:
        words = [word.lower() for word in re.findall(r"\w+", query)]
        hits: dict[str, Hit] = {}
        for capture in self._captures:
            text = self._texts.get(capture.location, "")
            lowered = set(re.findall(r"\w+", text.lower()))
            needed = any if operator == "or" else all
            if words and needed(word in lowered for word in words):
                hits[capture.url] = self._hit(capture, text, words)
        found = sorted(hits.values(), key=lambda hit: (-hit.score, hit.url))
        return Results(
            query, " AND ".join(words), (), len(found), 0.25, tuple(found[offset : offset + limit])
        )

    def newest(self, limit: int) -> tuple[Hit, ...]:
        pages = [capture for capture in reversed(self._captures) if capture.location in self._texts]
        return tuple(self._hit(capture, self._texts[capture.location], [""]) for capture in pages[:limit])

    def _hit(self, capture: Capture, text: str, words: list[str]) -> Hit:
        others = self.captures(capture.url)
        parts: list[SnippetPart] = []
        at = text.lower().find(words[0])
        for piece in re.split(r"(\w+)", " ".join(text[max(0, at - 80) : at + 200].split())):
            if piece:
                parts.append(SnippetPart(piece, piece.lower() in words))
        return Hit(
            url=capture.url,
            title=capture.title,
            timestamp=capture.timestamp,
            score=float(sum(text.lower().count(word) for word in words)),
            snippet=tuple(parts),
            file=capture.location.path,
            offset=capture.location.offset,
            length=capture.location.length,
            member=capture.location.member,
            captures=len(others),
            versions=len({other.digest for other in others}),
        )

    def captures(self, url: str) -> list[Capture]:
        try:
            return list(self._by_url.get(_key(url), []))
        except ValueError:
            return []

    def around(self, url: str, timestamp: str) -> Around:
        times = [capture.timestamp for capture in self.captures(url) if capture.timestamp]
        before = [time for time in times if time < timestamp]
        behind = [time for time in times if time > timestamp]
        return Around(
            min(times, default=""), max(before, default=""), min(behind, default=""), max(times, default="")
        )

    def closest(self, url: str, timestamp: str | None = None, digest: str = "") -> Capture | None:
        found = self.captures(url)
        if not found:
            return None
        if timestamp is None:
            return found[-1]
        wanted = int(timestamp.ljust(14, "0"))
        return min(
            found,
            key=lambda capture: (
                abs(int(capture.timestamp or "0") - wanted),
                not (digest and digest in capture.digest),
                300 <= capture.status < 400,
            ),
        )

    def suggest(self, typed: str, *, limit: int = 8) -> list[object]:
        return []

    def captures_with_digest(self, digest: str, limit: int) -> list[Capture]:
        return [capture for capture in self._captures if capture.digest == digest][:limit]

    def page_text(self, location: Location) -> PageText | None:
        with read_record_at(location) as record:
            response = parse_response(record)
        return collect_page(decode_html(response.body, "")[0]) if response else None

    def record(self, capture: Capture) -> Record:
        return read_record_at(capture.original or capture.location)

    def links(self, url: str, timestamp: str | None = None, *, limit: int = 100) -> PageLinks:
        return PageLinks(url, (), (), 0, 0, False)

    def size_bytes(self) -> int:
        return 0

    def close(self) -> None:
        self.closed = True


class FakeOpener:
    """Stands in for `indexer.open_index`; `indexes` maps the end of an index folder's path to archive files."""

    def __init__(self, indexes: dict[str, list[Path]]) -> None:
        self.indexes = indexes
        self.opened: list[FakeIndex] = []

    def __call__(self, paths: Sequence[str], ranking: Ranking) -> FakeIndex:
        [path] = paths
        for end, files in self.indexes.items():
            if path.endswith(end):
                self.opened.append(FakeIndex(list(files), ranking))
                return self.opened[-1]
        raise IndexMissingError(f"{path}: there is no index")


def client_for(settings: Settings, *files: Path) -> FlaskClient:
    """Return a client for a site over the given archive files."""
    return create_app(settings, FakeOpener({"Index/MyIndex": list(files)})).test_client()


def moved_away(capture: Capture) -> Capture:
    """Return the capture as it is when its archive file is gone."""
    return replace(capture, location=capture.location._replace(path="/no/such/file.warc.gz"))


def _key(url: str) -> str:
    return canonical_url(url).partition("://")[2]


def _plain(text: str) -> str:
    import html

    return html.unescape(text)
