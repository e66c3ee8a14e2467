"""The plain text of an archived page, in paragraphs, with the words of a query marked as data, never as HTML."""

from __future__ import annotations

from dataclasses import dataclass

from archiver.warc import ArchiveError
from indexer import Capture, Index, SnippetPart
from indexer.search.marking import Marker, Span, spans_within
from indexer.search.query import parse_query
from indexer.text.charset import decode_html
from indexer.text.detection import language_of
from indexer.text.elements import PageText
from indexer.text.pages import collect_page
from webui.application import site
from webui.stored import is_text, read_stored

MAX_CHARS = 1_000_000

Paragraph = tuple[SnippetPart, ...]


@dataclass(frozen=True, slots=True)
class MarkedText:
    """The text of a page. problem: "unreadable", "no text" or ""; is_cut: more than MAX_CHARS; language: its code.

    title, description: what the page says of itself. hits: how many parts are marked, at most MOST_SPANS.
    """

    problem: str
    title: str = ""
    description: str = ""
    language: str = ""
    paragraphs: tuple[Paragraph, ...] = ()
    hits: int = 0
    is_cut: bool = False


def text_of_html(html: str) -> PageText:
    """Return the text of a page, a line for each paragraph."""
    return collect_page(html, paragraphs=True)


def plain_text(index: Index, capture: Capture) -> PageText | None:
    """Return the text of a page, or of a text file as one piece; None when it has none.

    Raises ArchiveError or OSError when the archive cannot be read there (any more).
    """
    stored = read_stored(index, capture, for_text=True)
    if stored is None:
        return None
    if stored.is_html:
        return text_of_html(decode_html(stored.body, stored.content_type)[0])
    if not is_text(stored.mime):
        return None
    return PageText(marked=decode_html(stored.body, stored.content_type)[0])


def marked_text(index: Index, capture: Capture, query: str) -> MarkedText:
    """Return the text of a capture for the Text tab."""
    try:
        page = plain_text(index, capture)
    except (ArchiveError, OSError):
        return MarkedText("unreadable")
    if page is None:
        return MarkedText("no text")
    text, language = page.text, language_of(page)
    is_cut = len(text) > MAX_CHARS
    text = text[:MAX_CHARS]
    marker = Marker(parse_query(query, operator=site().settings.search.operator))
    spans = marker.spans(text, language) if query else []
    paragraphs = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            paragraphs.append(_parts(line, spans_within(spans, at, at + len(line))))
        at += len(line) + 1
    return MarkedText("", page.title or "", page.description, language, tuple(paragraphs), len(spans), is_cut)


def _parts(text: str, spans: list[Span]) -> Paragraph:
    parts: list[SnippetPart] = []
    at = 0
    for low, high in spans:
        if low > at:
            parts.append(SnippetPart(text[at:low], False))
        parts.append(SnippetPart(text[low:high], True))
        at = high
    if at < len(text):
        parts.append(SnippetPart(text[at:], False))
    return tuple(parts)
