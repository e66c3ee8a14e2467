"""Where a page or style sheet came from, and how the addresses in it are pointed at the archive."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urljoin

from webui.addresses import quote_url, without_fragment

MAX_PARTS = 1_000
_BLANKS = re.compile(r"[\t\n\r]")


@dataclass
class RewriteContext:
    """Where a page or style sheet came from, and what is found out on the way.

    url: the address of the capture; timestamp: its 14 digits; root: the path
        that our whole site lies below, "" for none.
    base: what relative addresses are relative to (a base element may change it).
    removed: what was taken out, with its number.
    parts: addresses of what belongs to the page (pictures, styles, frames), in their order, each once.
    hits: how many places of the query were marked.
    """

    url: str
    timestamp: str
    root: str = ""
    base: str = ""
    removed: dict[str, int] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    hits: int = 0

    def __post_init__(self) -> None:
        self.base = self.base or self.url
        self._start = f"{self.root}/web/{self.timestamp or '0'}"

    def absolute(self, link: str) -> str | None:
        """Return the absolute http(s) address that `link` means, or None."""
        link = _BLANKS.sub("", link.strip())
        if "\\" in link:
            head, mark, query = link.partition("?")
            link = head.replace("\\", "/") + mark + query
        try:
            joined = urljoin(self.base, link)
        except ValueError:
            return None
        return joined if joined[:7].lower() == "http://" or joined[:8].lower() == "https://" else None

    def address(self, link: str, modifier: str) -> str | None:
        """Return the address in the archive of what `link` means, or None if it is no web address."""
        absolute = self.absolute(link)
        if absolute is None:
            return None
        if modifier != "mp_" and len(self.parts) < MAX_PARTS:
            self.parts.setdefault(without_fragment(absolute), modifier)
        return f"{self._start}{modifier}/{quote_url(absolute)}"

    def count(self, what: str) -> None:
        """Note that something was taken out."""
        self.removed[what] = self.removed.get(what, 0) + 1
