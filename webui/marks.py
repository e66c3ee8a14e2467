"""Marks the words of a query inside an archived page, while it is rewritten; used by `rewrite.py`.

Each place becomes a `mark` element with an id of its own, so that links outside the
frame can lead to it without any script. Marks stand in text that a reader sees: never
in scripts, styles, attributes, titles, form fields or drawings.
"""

from __future__ import annotations

from indexer.search.marking import Marker, Span
from indexer.text.detection import language_of
from indexer.text.elements import PageText
from webui.page_pieces import Pieces

MARK_ID = "finding-aid-hit-"
MAX_MARKS = 1_000
MAX_MARKED_CHARS = 2_000_000
START = '<mark class="finding-aid-hit" style="background:#ffe58a !important;color:#1c1f23 !important"'
SHEET = "<style>mark.finding-aid-hit:target{outline:3px solid #7a4b00 !important;outline-offset:1px}</style>"


def mark_words(pieces: Pieces, declared: str, marker: Marker) -> list[Span]:
    """Return where a page holds what the query looks for, in its visible text. declared: its language, as it says."""
    if not marker:
        return []
    visible = pieces.visible_text(MAX_MARKED_CHARS)
    language = language_of(PageText(language=declared.strip(), marked=visible))
    return marker.spans(visible, language, MAX_MARKS)
