"""What a page may cost to be parsed: cuts off what would blow up the parser; used by `rewrite.py`."""

from __future__ import annotations

import re

# An element of the tree takes about 200 bytes, so a page is cut by its tags before its size.
MAX_PAGE_CHARS = 5_000_000
MAX_PAGE_TAGS = 250_000
# Two costs that grow with the square of what a page leaves open: the parser walks its stack of open blocks
# for each new one, and writes all open formatting elements again into each new paragraph
# (3,000 times `<font id=N><p>` is 40 kB of page and 1.5 GB of tree). Browsers cut nesting at 512 as well.
MAX_BLOCK_DEPTH = 2_000
MAX_REPEATED_ELEMENTS = 400_000
# The parser compares each attribute name of a tag with all before it: 200,000 of them take a minute.
MAX_ATTRIBUTES = 4_000

_NESTING_TAG = re.compile(
    r"<(/?)(?:(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)"
    r"|(?:address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figure|footer"
    r"|header|hgroup|main|menu|nav|ol|section|summary|ul))(?=[\s/>])[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"""<([a-zA-Z][^\s/>]*)(?:[^"'>]|"[^"]*"|'[^']*')*+>?""")


def without_deep_nesting(html: str) -> str:
    """Return the page without the opening tags of elements nested absurdly deep; their text stays."""
    tags = html.count("<")
    if tags < 1_000:
        return html
    limits = (min(512, max(8, MAX_REPEATED_ELEMENTS // tags)), MAX_BLOCK_DEPTH)
    depths = [0, 0]

    def keep_or_drop(match: re.Match[str]) -> str:
        kind = 0 if match[2] else 1
        if match[1]:
            depths[kind] = max(0, depths[kind] - 1)
        elif depths[kind] >= limits[kind]:
            return ""
        else:
            depths[kind] += 1
        return match[0]

    return _NESTING_TAG.sub(keep_or_drop, html)


def without_attribute_floods(html: str) -> str:
    """Return the page without the attributes of tags that have thousands of them."""
    if len(html) < 3 * MAX_ATTRIBUTES:
        return html

    def keep_or_empty(match: re.Match[str]) -> str:
        tag = match[0]
        if len(tag) > 3 * MAX_ATTRIBUTES and len(re.findall(r"[\s/]+[^\s/=]", tag)) > MAX_ATTRIBUTES:
            return f"<{match[1][:50]}>"
        return tag

    return _TAG.sub(keep_or_empty, html)


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
