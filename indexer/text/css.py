"""The addresses in a style sheet; used by the crawl, which fetches them, and by replay, which points them elsewhere.

One regular expression steps from one token that matters to the next (CSS Syntax, section 4): comments and strings, so
that what only looks like an address inside of them is left alone; names of functions with their escapes, for `u\\72l(`
is `url(` to a browser; brackets, to know which function a string stands in. All else stays as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Point = Callable[[str, bool], str]
"""Gives what to write for an address; told whether it is that of an @import."""

_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\n\r\f])?|[^\n\r\f0-9a-fA-F]))++"
# A string ends at its quote, before an end of line (it is bad then), or with the sheet.
_PAIR = r"\\(?:\r\n|[\s\S]|\Z)"
_STRING = rf'"(?:{_PAIR}|[^"\\\n\r\f])*+"?|\'(?:{_PAIR}|[^\'\\\n\r\f])*+\'?'
_BLANKS = r"[ \t\n\r\f]*+"
_TOKENS = (
    rf"(?P<comment>/\*[\s\S]*?(?:\*/|\Z))|(?P<string>{_STRING})|(?P<html><!--|-->)"
    rf"|@(?P<at>{_NAME})?|(?P<call>{_NAME})\(|(?P<mark>[(){{}};\[\]])"
)


def _steps(passed_over: str) -> re.Pattern[str]:
    """Return what finds the next token; passed_over: marks that do not matter."""
    plain = (
        rf"(?!-->){_NAME}(?!\()|[^\w\-\\\"'@<(\[/)\]{{}};\x80-\U0010ffff]|/(?!\*)|<(?!!--)|\\(?=[\n\r\f]|\Z)"
    )
    return re.compile(rf"(?:{plain}{passed_over})*+(?:{_TOKENS})")


_NEXT = _steps(r"|[)\]{};]")  # nothing is open
_NEXT_INSIDE = _steps("")
# What follows `url(`, when it is no string: up to the bracket or the end of the sheet, blanks around it.
_BARE_URL = re.compile(rf"{_BLANKS}((?:\\(?:\r\n|[\s\S])|[^()\"'\\\x00-\x20\x7f])*+){_BLANKS}(?:\)|\Z)")
_BAD_URL = re.compile(r"(?:\\[\s\S]|[^)\\])*+\)?")
_QUOTED_URL = re.compile(rf"{_BLANKS}({_STRING})")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\s\S])|\Z)")
_ABSOLUTE = re.compile(r"[\x00-\x20]*(?:[a-z][a-z0-9+.\-\t\n\r]*:|[/\\][\t\n\r]*[/\\])", re.IGNORECASE)
# What is said by these properties is read, not loaded.
_TEXT_BEFORE = re.compile(r"(?:\A|[;{\s])(?:content|quotes)\s*:\s*\Z", re.IGNORECASE)
_LOOK_BACK = 60
_MAY_HOLD_ADDRESS = re.compile(r"[(@\"']|<!--|-->")
# In these a string is an address, too.
_ADDRESS_FUNCTIONS = frozenset(
    {"src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade"}
)


def pointed(css: str, point: Point) -> str:
    """Return the style sheet with each address of url(), @import and image-set() replaced by what `point` gives for it.

    What `point` gives must be fit to stand in double quotes. The marks `<!--` and `-->`, which mean nothing in a sheet,
    are blanks afterwards.
    """
    return _Sheet(css, point).rewritten() if _MAY_HOLD_ADDRESS.search(css) else css


def addresses_in(css: str) -> list[tuple[str, bool]]:
    """Return the addresses in a style sheet as written, without escapes, and whether each is that of an @import."""
    found: list[tuple[str, bool]] = []

    def note(link: str, is_import: bool) -> str:
        found.append((link, is_import))
        return ""

    pointed(css, note)
    return found


class _Sheet:
    """Reads one sheet from its beginning to its end.

    open: the functions and brackets that a place stands in, innermost last. rule: the at-rule whose beginning is read.
    """

    def __init__(self, css: str, point: Point) -> None:
        self._css, self._point = css, point
        self._written: list[str] = []
        self._done = 0
        self._open: list[str] = []
        self._rule = ""

    def rewritten(self) -> str:
        at = 0
        while match := (_NEXT_INSIDE if self._open or self._rule else _NEXT).match(self._css, at):
            at = match.end()
            kind = match.lastgroup
            if kind == "string":
                self._string(*match.span("string"))
            elif kind == "call":
                at = self._call(match.start("call"), match.end())
            elif kind == "mark":
                self._mark(match["mark"])
            elif kind == "at":
                self._rule = _unescaped(match["at"]).lower()
            elif kind == "html":
                self._replace(*match.span("html"), " ")
        self._written.append(self._css[self._done :])
        return "".join(self._written)

    def _replace(self, start: int, end: int, text: str) -> None:
        self._written += (self._css[self._done : start], text)
        self._done = end

    def _string(self, start: int, end: int) -> None:
        link = _unquoted(self._css[start:end])
        if self._rule == "import" and not self._open:
            self._replace(start, end, f'"{self._point(link, True)}"')
            self._rule = ""  # the rest of it, such as layer(x), holds no address
        elif not _stays(link) and self._is_address(link, start):
            self._replace(start, end, f'"{self._point(link, False)}"')

    def _is_address(self, link: str, start: int) -> bool:
        """Tell whether a string is an address, or may become one: var() and if() carry strings into image-set()."""
        if self._open and self._open[-1] in _ADDRESS_FUNCTIONS:
            return True
        if not _ABSOLUTE.match(link) or self._rule == "namespace":
            return False
        if not _ADDRESS_FUNCTIONS.isdisjoint(self._open):
            return True
        is_text = _TEXT_BEFORE.search(self._css, max(0, start - _LOOK_BACK), start) is not None
        return not is_text and not (self._open and self._open[-1] == "[")

    def _call(self, start: int, end: int) -> int:
        """Read what follows `NAME(` and return where to go on."""
        name = _unescaped(self._css[start : end - 1]).lower()
        if name != "url":
            self._open.append(name)
            return end
        quoted = _QUOTED_URL.match(self._css, end)
        if quoted:
            self._url(end, quoted.end(), _unquoted(quoted[1]), "")
            self._open.append(name)
            return quoted.end()
        bare = _BARE_URL.match(self._css, end)
        if bare:
            self._url(end, bare.end(), _unescaped(bare[1]), ")")
            return bare.end()
        bad = _BAD_URL.match(self._css, end)
        assert bad is not None  # it matches anything
        self._replace(end, bad.end(), "()")  # still none, and without the address
        return bad.end()

    def _url(self, start: int, end: int, link: str, closing: str) -> None:
        link = link.strip()
        if _stays(link) or self._rule == "namespace":
            return
        is_import = self._rule == "import" and not self._open
        self._replace(start, end, f'"{self._point(link, is_import)}"{closing}')
        if is_import:
            self._rule = ""

    def _mark(self, mark: str) -> None:
        if mark in "([":
            self._open.append(mark)
        elif mark in ")]":
            if self._open:
                self._open.pop()
        elif mark != ";" or "if" not in self._open:
            # brackets that a sheet forgot to close do not hide the rest
            self._open.clear()
            self._rule = ""


def _stays(link: str) -> bool:
    """Tell whether an address is part of the sheet itself."""
    return (
        not link
        or link.startswith("#")
        or link[:20].lower().startswith(("data:image/", "data:font/", "data:application/"))
    )


def _unquoted(quoted: str) -> str:
    closed = len(quoted) > 1 and quoted[-1] == quoted[0]
    return _unescaped(quoted[1:-1] if closed else quoted[1:]).strip()


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            code = int(match[1], 16)
            return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        return "" if not match[2] or match[2] in ("\n", "\r", "\f", "\r\n") else match[2]

    return _ESCAPE.sub(character, text) if "\\" in text else text
