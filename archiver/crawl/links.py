"""Where a page points: its links, what it needs to look right, and what it asks of robots; used by the crawler."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from bs4 import BeautifulSoup
from bs4.filter import SoupStrainer
from selectolax.lexbor import LexborHTMLParser, LexborNode

from archiver.warc.charsets import UTF_8
from archiver.warc.urls import base_of, canonical_url, in_charset
from indexer.text import sax
from indexer.text.charset import decode_html

MOST_LINKS = 10_000
_SELECTOR = (
    "a[href],area[href],link[href],img,source,script[src],iframe[src],frame[src],embed[src],"
    "object[data],video,audio,track[src],input[src],[background],[style],style,meta[content],image"
)
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
# Every part is bounded: a file full of unclosed url( would else be read to its end at each of them.
_CSS_URL = re.compile(
    r"""url\(\s{0,100}(?:"([^"]{0,4000})"|'([^']{0,4000})'|([^"'()\s][^"'()\s]{0,4000}))"""
    r"""|@import\s{1,100}(?:"([^"]{0,4000})"|'([^']{0,4000})')""",
    re.IGNORECASE,
)
_REFRESH = re.compile(
    r"""^\s*[\d.]*\s*[;,]?\s*url\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*))""", re.IGNORECASE | re.DOTALL
)
_WORD = re.compile(r"[a-z]+")


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
    text, charset = (html, UTF_8) if isinstance(html, str) else decode_html(html, content_type)
    if sax.costs_lexbor_too_much(sax.html_bytes(text)):
        return _read_deep_page(text, base_url, charset, spell)
    tree = LexborHTMLParser(text)
    base = tree.css_first("base[href]", default=None)
    href = base.attributes["href"] if base is not None else None
    found = _Found(base_of(base_url, href, charset), charset, spell)
    parts = PageParts()
    robots: set[str] = set()
    for node in tree.css(_SELECTOR):
        if found.is_cut:
            break
        tag = node.tag
        attributes = node.attributes
        if tag == "a" or tag == "area":
            label = node.text(strip=True)[:500] if with_link_text else ""
            found.add(attributes.get("href"), LinkKind.PAGE, label, _has(attributes.get("rel"), "nofollow"))
        elif tag == "meta":
            _read_meta(attributes, agent, found, robots, parts)
        elif tag == "link":
            _read_link(attributes, found)
        else:
            _read_other(tag, node, attributes, found)
    parts.links, parts.is_cut = list(found.links.values()), found.is_cut
    parts.robots = frozenset(robots)
    if with_text:
        title = tree.css_first("title")
        parts.title = " ".join(title.text().split()) if title else ""
        tree.strip_tags(["script", "style", "template", "noscript", "iframe", "title"])
        parts.text = tree.body.text(separator=" ") if tree.body else ""
    return parts


def css_links(
    css: str, base_url: str, charset: str = UTF_8, *, spell: Callable[[str, str], str] = canonical_url
) -> list[Link]:
    """Return what a style sheet needs: the addresses of url() and @import. charset: what the sheet was written in."""
    found = _Found(base_url, charset, spell)
    for url in _css_urls(css):
        found.add(url, LinkKind.REQUISITE)
    return list(found.links.values())


def sitemap_links(xml: str) -> tuple[list[str], bool]:
    """Return the addresses of a sitemap or feed and whether they are sitemaps themselves; plain lists work too."""
    if "<" not in xml:
        return [
            line.strip() for line in xml.splitlines() if line.strip().startswith(("http://", "https://"))
        ], False
    if _ENDLESS_OPENING.search(xml):
        return [], False  # no sitemap nests like this, and BeautifulSoup would be at it for minutes
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
        self._base = base_url
        self._charset = charset
        self._spell = spell
        self.links: dict[tuple[str, LinkKind], Link] = {}
        self.is_cut = False  # there were more than MOST_LINKS

    def add(self, href: str | None, kind: LinkKind, text: str = "", nofollow: bool = False) -> None:
        href = href.strip() if href else ""
        if not href or href[0] == "#":
            return
        try:
            url = self._spell(in_charset(href, self._charset), self._base)
        except ValueError:
            return
        key = (url, kind)
        known = self.links.get(key)
        if known is None and len(self.links) >= MOST_LINKS:
            self.is_cut = True
        elif known is None or (known.nofollow and not nofollow):
            self.links[key] = Link(url, kind, text, nofollow)


def _read_meta(
    attributes: dict[str, str | None], agent: str, found: _Found, robots: set[str], parts: PageParts
) -> None:
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


def _read_link(attributes: dict[str, str | None], found: _Found) -> None:
    rels = frozenset((attributes.get("rel") or "").lower().split())
    if rels & _NEEDED_RELS:
        found.add(attributes.get("href"), LinkKind.REQUISITE)
        for url in _srcset(attributes.get("imagesrcset")):
            found.add(url, LinkKind.REQUISITE)
    elif rels and not rels & _IGNORED_RELS:
        found.add(attributes.get("href"), LinkKind.PAGE, "", "nofollow" in rels)


def _read_other(tag: str | None, node: LexborNode, attributes: dict[str, str | None], found: _Found) -> None:
    if tag in ("iframe", "frame"):
        found.add(attributes.get("src"), LinkKind.PAGE)
    elif tag == "object":
        found.add(attributes.get("data"), LinkKind.REQUISITE)
    elif tag == "style":
        for url in _css_urls(node.text()):
            found.add(url, LinkKind.REQUISITE)
    elif tag == "image":
        found.add(attributes.get("href") or attributes.get("xlink:href"), LinkKind.REQUISITE)
    else:
        for name in ("src", "poster", "background"):
            if name in attributes:
                found.add(attributes[name], LinkKind.REQUISITE)
        for url in _srcset(attributes.get("srcset")):
            found.add(url, LinkKind.REQUISITE)
    style = attributes.get("style")
    if style and "url(" in style.lower():
        for url in _css_urls(style):
            found.add(url, LinkKind.REQUISITE)


def _srcset(value: str | None) -> Iterator[str]:
    """Yield the addresses of a srcset: an address may hold commas inside, not at its ends."""
    rest = value or ""
    while rest := rest.lstrip(" \t\n\r\f,"):
        url, _, rest = (rest + " ").partition(next((c for c in rest if c in " \t\n\r\f"), " "))
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            rest = rest.partition(",")[2]
        if not url.startswith("data:"):
            yield url


def _css_urls(css: str) -> Iterator[str]:
    for match in _CSS_URL.finditer(_without_comments(css)):
        url = next((g for g in match.groups() if g), "").strip()
        if url and not url.startswith(("data:", "#")):
            yield url


def _without_comments(css: str) -> str:
    kept, place = [], 0
    while (start := css.find("/*", place)) >= 0:
        kept.append(css[place:start])
        end = css.find("*/", start + 2)
        if end < 0:
            return "".join(kept)
        place = end + 2
    return "".join(kept) + css[place:]


def _has(rel: str | None, word: str) -> bool:
    return bool(rel) and word in _WORD.findall((rel or "").lower())


class _LinkHandler:
    """Collects plain links of a page that is nested too deep for Lexbor, and the address in its first base element."""

    tags = frozenset({"a", "area", "base"})

    def __init__(self) -> None:
        self.base: str | None = None
        self.is_cut = False
        self.links: list[tuple[str, bool]] = []  # as written, and whether the page vouches for it

    def start_element(self, tag: str, attributes: dict[str, str]) -> None:
        href = attributes.get("href")
        if tag == "base":
            self.base = href if self.base is None else self.base
        elif href and len(self.links) >= MOST_LINKS:
            self.is_cut = True
        elif href:
            self.links.append((href, _has(attributes.get("rel"), "nofollow")))

    def end_element(self, tag: str) -> None:
        return None

    def part(self) -> None:
        return None

    def characters(self, text: str) -> None:
        return None


def _read_deep_page(text: str, url: str, charset: str, spell: Callable[[str, str], str]) -> PageParts:
    handler = _LinkHandler()
    sax.parse_html(text, handler)
    found = _Found(base_of(url, handler.base, charset), charset, spell)
    for href, nofollow in handler.links:
        found.add(href, LinkKind.PAGE, "", nofollow)
    return PageParts(links=list(found.links.values()), is_cut=handler.is_cut or found.is_cut)
