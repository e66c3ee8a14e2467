"""Points the addresses in style sheets at the archive; used for whole sheets, style elements and attributes.

A scanner by one regular expression, no parser: what it does not know stays as it was
written, and the header set of `security.py` stops what would lead out.
"""

from __future__ import annotations

import re

from webui.rewrite_context import RewriteContext

# A letter may be written as an escape: u\\72l( is url( to a browser.
_URL = r"(?:u|\\0{0,4}[57]5\s?)(?:r|\\0{0,4}[57]2\s?)(?:l|\\0{0,4}[46]c\s?)"
_BETWEEN = r"(?:\s|/\*.{0,200}?\*/)*+"  # bounded: a sheet of open comments must not be read again and again
_QUOTED = r'"(?:\\.|[^"\\\n])*+"|\'(?:\\.|[^\'\\\n])*+\''
_CSS_ADDRESS = re.compile(
    rf"""{_URL}\(\s*(?:(?P<quoted>{_QUOTED})|(?P<bare>(?:\\.|[^"'()\\\s])*+))\s*\)"""
    rf"""|(?P<import>@import{_BETWEEN})(?P<imported>{_QUOTED})"""
    rf"""|(?P<set>(?:-webkit-)?image-set\()(?P<choices>(?:{_QUOTED}|[^"'()]|\((?:{_QUOTED}|[^"'()])*+\))*+)\)""",
    re.IGNORECASE | re.DOTALL,
)
# In image-set() a string is an address, but for the type("image/png") beside it.
_CHOICE = re.compile(rf"(?P<function>[\w-]+\((?:{_QUOTED}|[^\"'()])*+\))|(?P<quoted>{_QUOTED})", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_IMPORT_BEFORE = re.compile(r"@import(?:\s|/\*[^*]*\*/)*$", re.IGNORECASE)
_NAMESPACE_BEFORE = re.compile(r"@namespace\s+(?:[\w-]+\s+)?$", re.IGNORECASE)
_MAY_HOLD_ADDRESS = re.compile(r"\(|@import", re.IGNORECASE)
_LOOK_BACK = 60
_UNSAFE: dict[int, str] = {ord(c): f"%{ord(c):02X}" for c in "\"'()<>\\\n\r\f"}


def rewrite_css(css: str, context: RewriteContext) -> str:
    """Return the style sheet with each url(), @import and image-set() pointing into the archive."""
    if not _MAY_HOLD_ADDRESS.search(css):
        return css

    def replace(match: re.Match[str]) -> str:
        if match["import"] is not None:
            return f'{match["import"]}"{_address(_unquoted(match["imported"]), "cs_", context)}"'
        if match["set"] is not None:
            return f"{match['set']}{_CHOICE.sub(choose, match['choices'])})"
        link = _unquoted(match["quoted"]) if match["quoted"] else _unescaped(match["bare"]).strip()
        before = css[max(0, match.start() - _LOOK_BACK) : match.start()]
        if _stays(link) or _NAMESPACE_BEFORE.search(before):
            return match[0]
        modifier = "cs_" if _IMPORT_BEFORE.search(before) else "im_"
        return f'url("{_address(link, modifier, context)}")'

    def choose(match: re.Match[str]) -> str:
        if match["function"] is not None:
            return _CSS_ADDRESS.sub(replace, match[0])
        link = _unquoted(match["quoted"])
        return match[0] if _stays(link) else f'"{_address(link, "im_", context)}"'

    return _CSS_ADDRESS.sub(replace, css)


def _stays(link: str) -> bool:
    """Tell whether an address is part of the sheet itself."""
    return (
        not link
        or link.startswith("#")
        or link[:20].lower().startswith(("data:image/", "data:font/", "data:application/"))
    )


def _address(link: str, modifier: str, context: RewriteContext) -> str:
    address = context.address(link, modifier) if link else None
    return (address or "data:,").translate(_UNSAFE)


def _unquoted(quoted: str) -> str:
    return _unescaped(quoted[1:-1]).strip()


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            code = int(match[1], 16)
            return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        return "" if match[2] == "\n" else str(match[2])

    return _ESCAPE.sub(character, text) if "\\" in text else text
