"""What a page may cost to be parsed: leaves out what would blow up the parser; used by `rewrite.py`."""

from __future__ import annotations

from indexer.text.markup_limits import MarkupLimits, bounded_markup

# An element of the tree takes about 200 bytes, so a page is cut by its tags before its size.
MAX_PAGE_CHARS = 5_000_000
MAX_PAGE_TAGS = 250_000
# Attributes take as much. A tag is left out that has thousands: the parser compares each name with all before it.
MAX_ATTRIBUTES = 300_000
MAX_ATTRIBUTES_OF_TAG = 4_000
# Browsers cut nesting at 512.
MAX_OPEN = 4_000
# All open formatting elements are written again into each new paragraph: 3,000 times `<font id=N><p>` is 40 kB of page
# and 1.5 GB of tree.
MAX_FORMATS = 256
MAX_REPEATED_ELEMENTS = 400_000
# Along open elements and options, a few nanoseconds each.
MAX_STEPS = 200_000_000


def cut(html: str) -> tuple[str, bool]:
    """Return as much of a page as is shown, and whether that is not all of it."""
    is_long = len(html) > MAX_PAGE_CHARS
    html = html[:MAX_PAGE_CHARS]
    if html.count("<") > MAX_PAGE_TAGS:
        at = -1
        for _ in range(MAX_PAGE_TAGS):
            at = html.index("<", at + 1)
        return html[:at], True
    return html, is_long


def bounded(html: str) -> tuple[str, bool]:
    """Return the page without the tags that would cost the parser too much, and whether it ends before its end."""
    return bounded_markup(
        html,
        MarkupLimits(
            open=MAX_OPEN,
            formats=min(MAX_FORMATS, max(8, MAX_REPEATED_ELEMENTS // max(1, html.count("<")))),
            attributes_of_tag=MAX_ATTRIBUTES_OF_TAG,
            attributes=MAX_ATTRIBUTES,
            steps=MAX_STEPS,
        ),
    )
