"""Where a page points: its links, what it needs to look right, and what it asks of robots; used by the crawler."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from archiver.warc.charsets import UTF_8
from archiver.warc.urls import base_of, canonical_url, in_charset
from indexer.text.charset import html_in_utf8
from indexer.text.css import addresses_in
from indexer.text.page_parts import (
    HREF_PARTS,
    MAX_SRCDOC_CHARS,
    MAX_SRCDOC_DEPTH,
    MAX_SRCDOCS,
    PICTURE_STYLES,
    picture_of,
    srcset_of,
)
from indexer.text.pages import Part, collect_parts

MOST_LINKS = 10_000
_SOURCES = frozenset(
    {"audio", "embed", "img", "input", "script", "source", "track", "video"}
)  # src is part of them
_NEEDED_RELS = frozenset(
    {
        "stylesheet",
        "icon",
        "apple-touch-icon",
        "apple-touch-icon-precomposed",
        "mask-icon",
        "manifest",
        "preload",
        "modulepreload",
    }
)
_IGNORED_RELS = frozenset(
    {
        "dns-prefetch",
        "preconnect",
        "pingback",
        "edituri",
        "wlwmanifest",
        "search",
        "profile",
        "shortlink",
        "https://api.w.org/",
    }
)
# Twenty elements opened in a row.
_ENDLESS_OPENING = re.compile(r"(?:<[A-Za-z][^<>]{0,200}>\s{0,50}){20}")
_REFRESH = re.compile(
    r"""^\s*[\d.]*\s*[;,]?\s*url\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*))""", re.IGNORECASE | re.DOTALL
)
_WORD = re.compile(r"[a-z]+")
_STYLES = PICTURE_STYLES | {"style"}


Attributes = Mapping[str, str | None]


class LinkKind(IntEnum):
    """What following a link means: another page, a part of this one, or where this one went."""

    PAGE = 0
    REQUISITE = 1
    REDIRECT = 2


class Link(NamedTuple):
    """A canonical address, what it is for, and the words it is shown with ("" unless they were asked for)."""

    url: str
    kind: LinkKind
    text: str = ""
    nofollow: bool = False


@dataclass(slots=True)
class PageParts:
    """What the crawl needs of a page.

    robots: the directives of its meta elements, lower case. is_cut: it has more links than are taken.
    """

    links: list[Link] = field(default_factory=list)
    robots: frozenset[str] = frozenset()
    title: str = ""
    keywords: str = ""
    text: str = ""
    is_cut: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process with the links as columns, which takes a quarter of the time of rows."""
        columns = tuple(zip(*self.links, strict=True))
        return _parts_of, (columns, self.robots, self.title, self.keywords, self.text, self.is_cut)


def _parts_of(columns: tuple[Any, ...], *rest: Any) -> PageParts:
    return PageParts(list(map(Link._make, zip(*columns, strict=True))), *rest)


def extract_links(html: bytes | str, base_url: str, content_type: str = "") -> list[Link]:
    """Return the links of a page in their order, each address and kind once."""
    return read_page(html, base_url, content_type).links


def read_page(
    html: bytes | str,
    base_url: str,
    content_type: str = "",
    *,
    agent: str = "",
    with_text: bool = False,
    with_link_text: bool = False,
    spell: Callable[[str, str], str] = canonical_url,
) -> PageParts:
    """Return links, robots directives, title and keywords of a page; with_text also the text without markup.

    agent: the crawler's name in lower case; <meta name=AGENT> speaks to it alone.
    spell: gives the one spelling of an address from what was written and the base.
    """
    markup, charset = (html, UTF_8) if isinstance(html, str) else html_in_utf8(html, content_type)
    page = collect_parts(markup, with_labels=with_link_text)
    found = _Found(base_of(base_url, page.base, charset), charset, spell)
    parts = PageParts()
    robots: set[str] = set()
    _read_elements(page.parts, found, parts, robots, agent, with_link_text)
    parts.links, parts.is_cut = list(found.links.values()), found.is_cut or page.is_cut
    parts.robots = frozenset(robots)
    if with_text:
        parts.title, parts.text = page.title, page.text
    return parts


def _read_elements(
    elements: list[Part],
    found: _Found,
    parts: PageParts,
    robots: set[str],
    agent: str,
    with_link_text: bool,
) -> None:
    for tag, attributes, text in elements:
        if found.is_cut:
            break
        if tag == "meta":
            _read_meta(attributes, agent, found, robots, parts)
        elif tag == "style":
            found.add_styles(text)
        _read_element(
            tag, attributes, found, " ".join(text.split())[:500] if with_link_text and tag == "a" else ""
        )


def _read_element(tag: str, attributes: Attributes, found: _Found, label: str = "") -> None:
    """Take in the addresses in the attributes of an element. label: the text of a link."""
    if tag == "a" or tag == "area":
        found.add(attributes.get("href"), LinkKind.PAGE, label, _has(attributes.get("rel"), "nofollow"))
    elif tag == "link":
        _read_link(attributes, found)
    elif tag == "iframe" and "srcdoc" in attributes:
        _read_srcdoc(attributes["srcdoc"] or "", found)
    elif tag in ("iframe", "frame"):
        found.add(attributes.get("src"), LinkKind.PAGE)
    elif tag == "object":
        found.add(attributes.get("data"), LinkKind.REQUISITE)
    elif tag in HREF_PARTS:
        for name in ("href", "xlink:href"):
            found.add(attributes.get(name), LinkKind.REQUISITE)
    else:
        source: str | None = ""
        srcset = ""
        if tag == "img":
            source, srcset = picture_of(attributes)
        elif tag in _SOURCES:
            source, srcset = attributes.get("src"), attributes.get("srcset") or ""
        for url in (source, attributes.get("poster"), attributes.get("background")):
            if url:
                found.add(url, LinkKind.REQUISITE)
        if srcset:
            for url, _size in srcset_of(srcset):
                found.add(url, LinkKind.REQUISITE)
    if not _STYLES.isdisjoint(attributes):
        for name, value in attributes.items():
            if value and name in _STYLES:
                found.add_styles(value, UTF_8)  # as browsers have it, whatever the charset of the page


def _read_srcdoc(html: str, found: _Found) -> None:
    """Read the page that lies in the attribute of a frame; it has the base of the page around it, not its charset."""
    if found.depth == MAX_SRCDOC_DEPTH or found.srcdocs == MAX_SRCDOCS:
        return
    found.srcdocs += 1
    found.depth += 1
    around = found.base, found.charset
    page = collect_parts(html[:MAX_SRCDOC_CHARS])
    found.base, found.charset = base_of(found.base, page.base), UTF_8
    _read_elements(page.parts, found, PageParts(), set(), "", False)
    found.base, found.charset = around
    found.depth -= 1


def css_links(
    css: str, base_url: str, charset: str = UTF_8, *, spell: Callable[[str, str], str] = canonical_url
) -> list[Link]:
    """Return what a style sheet needs: the addresses of url() and @import. charset: what the sheet was written in."""
    found = _Found(base_url, charset, spell)
    found.add_styles(css)
    return list(found.links.values())


def sitemap_links(xml: str) -> tuple[list[str], bool]:
    """Return the addresses of a sitemap or feed and whether they are sitemaps themselves; plain lists work too."""
    if "<" not in xml:
        return [
            line.strip() for line in xml.splitlines() if line.strip().startswith(("http://", "https://"))
        ], False
    if _ENDLESS_OPENING.search(xml):
        return [], False  # no sitemap nests like this, and BeautifulSoup would be at it for minutes
    from bs4 import BeautifulSoup  # here, for it takes 80 ms to import, and most crawls see no sitemap
    from bs4.filter import SoupStrainer

    found = BeautifulSoup(xml, "xml", parse_only=SoupStrainer(["loc", "link"]))
    urls = [node.get_text().strip() for node in found.find_all("loc")]
    if not urls:
        urls = [(node.get_text() or str(node.get("href", ""))).strip() for node in found.find_all("link")]
    return [url for url in urls if url.startswith(("http://", "https://"))], "<sitemapindex" in xml[:5000]


def robots_directives(value: str, agent: str) -> frozenset[str]:
    """Return the directives of an X-Robots-Tag value that speak to everybody or to the agent (lower case)."""
    directives, speaks_to_us = set(), True
    for part in value.lower().split(","):
        name, colon, rest = part.partition(":")
        if colon and name.strip() not in (
            "max-snippet",
            "max-image-preview",
            "max-video-preview",
            "unavailable_after",
        ):
            speaks_to_us = name.strip() in ("*", agent)
            part = rest
        if speaks_to_us:
            directives.add(part.strip())
    return frozenset(directives - {""})


class _Found:
    """Collects links, resolves them, keeps each once."""

    def __init__(self, base_url: str, charset: str, spell: Callable[[str, str], str]) -> None:
        self.base = base_url
        self.charset = charset
        self.depth = self.srcdocs = 0
        self._spell = spell
        self.links: dict[tuple[str, LinkKind], Link] = {}
        self.is_cut = False  # there were more than MOST_LINKS

    def add(
        self, href: str | None, kind: LinkKind, text: str = "", nofollow: bool = False, charset: str = ""
    ) -> None:
        href = href.strip() if href else ""
        if not href or href[0] == "#":
            return
        if not href.isascii():
            href = in_charset(href, charset or self.charset)
        try:
            url = self._spell(href, self.base)
        except ValueError:
            return
        key = (url, kind)
        known = self.links.get(key)
        if known is None and len(self.links) >= MOST_LINKS:
            self.is_cut = True
        elif known is None or (known.nofollow and not nofollow):
            self.links[key] = Link(url, kind, text, nofollow)

    def add_styles(self, css: str, charset: str = "") -> None:
        """Add what a style sheet needs. As browsers have it, its charset counts for url() and not for @import."""
        for url, is_import in addresses_in(css):
            self.add(url, LinkKind.REQUISITE, charset=UTF_8 if is_import else charset)


def _read_meta(attributes: Attributes, agent: str, found: _Found, robots: set[str], parts: PageParts) -> None:
    name = (attributes.get("name") or "").strip().lower()
    content = attributes.get("content") or ""
    if name == "robots" or (agent and name == agent):
        robots.update(d.strip() for d in content.lower().split(","))
    elif name == "keywords":
        parts.keywords = content
    elif (attributes.get("http-equiv") or "").strip().lower() == "refresh":
        match = _REFRESH.match(content)
        if match:
            found.add(next((g for g in match.groups() if g), None), LinkKind.PAGE)


def _read_link(attributes: Attributes, found: _Found) -> None:
    rels = frozenset((attributes.get("rel") or "").lower().split())
    if rels & _NEEDED_RELS:
        found.add(attributes.get("href"), LinkKind.REQUISITE)
        for url, _size in srcset_of(attributes.get("imagesrcset") or ""):
            found.add(url, LinkKind.REQUISITE)
    elif rels and not rels & _IGNORED_RELS:
        found.add(attributes.get("href"), LinkKind.PAGE, "", "nofollow" in rels)


def _has(rel: str | None, word: str) -> bool:
    return bool(rel) and word in _WORD.findall((rel or "").lower())
