"""Points the addresses in style sheets at the archive; used for whole sheets, style elements and attributes."""

from __future__ import annotations

import re

from archiver.warc.charsets import UTF_8
from archiver.warc.urls import escaped_query
from indexer.text.css import pointed
from webui.rewrite_context import RewriteContext

_UNSAFE: dict[int, str] = {ord(c): f"%{ord(c):02X}" for c in "\"'()<>\\\n\r\f"}
# A place in a sheet that an HTML parser would read as markup, or as the name of a character.
_MARKUP = re.compile(r"<(?=[a-zA-Z/!?])|&(?=[a-zA-Z]|#[0-9]|#[xX][0-9a-fA-F])")


def rewrite_css(css: str, context: RewriteContext, *, in_attribute: bool = False) -> str:
    """Return the style sheet with each url(), @import and image-set() pointing into the archive; see `pointed`.

    As browsers have it, the queries of an @import and of styles in attributes go in UTF-8, whatever the charset.
    """

    def point(link: str, is_import: bool) -> str:
        if is_import or in_attribute:
            link = escaped_query(link, UTF_8)
        address = context.address(link, "cs_" if is_import else "im_") if link else None
        return (address or "data:,").translate(_UNSAFE)

    return pointed(css, point)


def as_element_text(css: str) -> str:
    """Return a sheet that means the same inside a style element, whether a parser reads markup there or not."""
    return _MARKUP.sub(lambda match: f"\\{ord(match[0]):x} ", css)
