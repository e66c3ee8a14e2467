"""Where a page or style sheet came from, and how the addresses in it are pointed at the archive."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from archiver.warc import in_charset, resolve
from archiver.warc.charsets import UTF_8
from webui.addresses import cached_address, quote_url, without_fragment
from webui.page_pieces import PlainLinks

MAX_PARTS = 1_000
_BLANKS = re.compile(r"[\t\n\r]")
# The most common links, where joining them to the base has nothing to put right: whole addresses, and paths
# (from the root, or some folders up) without dot segments and empty ones.
_REST = r"[^\\\[\];?#\x00-\x20]"
_NAMES = r"(?:[^\\\[\];?#/\x00-\x20]+(?:/(?![/.]))?)*+"
_IS_WHOLE = re.compile(rf"https?://[a-z0-9.-]+/{_REST}*(?:\?{_REST}+)?\Z")
_IS_PATH = re.compile(rf"(?P<up>/|(?:\.\./)*+)(?![/.])(?P<names>(?![^/]*:){_NAMES}(?:\?{_REST}+)?)\Z")
_IS_PLACE = re.compile(r"[^\\\x00-\x20]+\Z")  # what stands behind a "#" and is left as it is
_FOLDERS = re.compile(rf"(?P<origin>https?://[a-z0-9.:-]+)/(?![/.])(?P<names>{_NAMES})(?:\?|\Z)")

_STANDS_AS_IT_IS = re.compile(r"[A-Za-z0-9%@!$'()*+,=~._:/-]*")


@lru_cache(maxsize=64)
def _folders(base: str) -> tuple[str, list[str]] | None:
    """Return origin and folders of an address, None when they are not plain."""
    match = _FOLDERS.match(base)
    return (match["origin"], match["names"].split("/")[:-1]) if match else None


def _joined(base: str, link: str) -> str:
    """Return what a plain link means, "" for one that is not plain."""
    if _IS_WHOLE.match(link):
        return link
    match = _IS_PATH.match(link) if link else None
    place = _folders(base) if match else None
    if match is None or place is None or not match["names"]:
        return ""
    origin, folders = place
    if match["up"] == "/":
        return f"{origin}/{match['names']}"
    steps = len(match["up"]) // 3
    if steps > len(folders) or match["names"].startswith("?"):
        return ""
    kept = folders[: len(folders) - steps]
    return "/".join([origin, *kept, match["names"]])


@dataclass
class RewriteContext:
    """Where a page or style sheet came from, and what is found out on the way.

    url: the address of the capture; timestamp: its 14 digits; root: what addresses below /web/ begin with,
        "" for nothing; pages_root: what addresses of our own pages begin with.
    base: what relative addresses are relative to (a base element may change it).
    charset: that the page was read in; the queries of its links go in it.
    is_part: the page is shown in a frame of another archived page, not by itself.
    removed: what was taken out, with its number.
    parts: addresses of what belongs to the page (pictures, styles, frames), in their order, each once.
    hits: how many places of the query were marked.
    srcdocs: how many frames were met whose page lies in an attribute.
    parts_only: nothing but `parts` is wanted, neither links nor the page.
    """

    url: str
    timestamp: str
    root: str = ""
    base: str = ""
    removed: dict[str, int] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    hits: int = 0
    parts_only: bool = False
    pages_root: str = ""
    is_part: bool = False
    charset: str = UTF_8
    srcdocs: int = 0

    def __post_init__(self) -> None:
        self.base = self.base or self.url
        self._start = f"{self.root}/web/{self.timestamp or '0'}"
        self._start_of_pages = f"{self.pages_root}/cached/{self.timestamp or '0'}/"

    def plain_links(self, *, is_whole: bool) -> PlainLinks | None:
        """Return how the core may write the links that `page_address` would be asked for; None for an odd base.

        is_whole: links to places of this address stay in the page.
        """
        place = _folders(self.base)
        if place is None:
            return None
        origin, folders = place
        start = self._start_of_pages.removesuffix("/")
        names = "".join(f"{folder}/" for folder in folders)
        if not _STANDS_AS_IT_IS.fullmatch(f"{start}{origin}{names}"):
            return None
        return PlainLinks(start, origin, names, without_fragment(self.url) if is_whole else "")

    def absolute(self, link: str) -> str | None:
        """Return the absolute http(s) address that `link` means, or None."""
        link = in_charset(link.strip(), self.charset)
        if not link.isprintable():
            link = _BLANKS.sub("", link)
        page, mark, place = link.partition("#")
        if not mark or _IS_PLACE.match(place):
            plain = _joined(self.base, page)
            if plain:
                return plain + mark + place
        try:
            joined = resolve(link, self.base)
        except ValueError:
            return None
        return joined if joined[:7].lower() == "http://" or joined[:8].lower() == "https://" else None

    def address(self, link: str, modifier: str) -> str | None:
        """Return the address in the archive of a part of the page, or None if `link` is no web address."""
        absolute = self.absolute(link)
        if absolute is None:
            return None
        if len(self.parts) < MAX_PARTS:
            self.parts.setdefault(without_fragment(absolute), modifier)
        return self.frame_address(absolute, modifier)

    def frame_address(self, absolute: str, modifier: str) -> str:
        """Return the address in the archive of a web address, for a frame or as a part of the page."""
        return f"{self._start}{modifier}/{quote_url(absolute)}"

    def page_address(self, absolute: str) -> str:
        """Return the address of the cached page of a web address, with its bar."""
        page, _mark, place = absolute.partition("#")
        if not place:  # as cached_address has it, in a third of the time: a page may hold thousands
            return self._start_of_pages + quote_url(page)
        return cached_address(page, self.timestamp, self.pages_root, place=place)

    def count(self, what: str) -> None:
        """Note that something was taken out."""
        self.removed[what] = self.removed.get(what, 0) + 1
