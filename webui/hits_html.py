"""The hits and facets of a results page, written as HTML in Python.

A page shows ten hits and some forty values of facets. As templates they were half of the page's work: a template step
for each value, and the reader's language and locale found out anew for each. Here both are found out once a page, a hit
is one text, and what does not depend on the search is kept of the hits shown lately. `_hits.html` and
`webui.results_html` call these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from operator import attrgetter, methodcaller
from typing import NamedTuple

from markupsafe import Markup

from indexer import Hit, SnippetPart
from webui import formats
from webui.access import plain_root
from webui.addresses import Extras, quote_url, quoted, short_digest, without_fragment
from webui.formats import breadcrumb, clean, host_of, iso_time, live_address, path_parts, shorten, type_name
from webui.i18n import language_name
from webui.result_links import FacetGroup
from webui.search_request import ANY, SearchRequest
from webui.template_calls import Calls, calls_of_reader
from webui.template_code import escaped, written

Call = Callable[..., str]
_HERE, _THERE = "\0", "\1"  # stand in a text where values go: none that is shown holds them
# Of most addresses nothing has to be escaped, encoded or left out, in whatever they are put. Groups: host, path
_PLAIN_ADDRESS = re.compile(r"https?://([a-z0-9.-]++)(/[A-Za-z0-9_.~!$()*,:@/-]*+)?")


class HitWriter:
    """Writes the hits of one page for the reader of this request."""

    def __init__(self, wanted: SearchRequest) -> None:
        self._wanted = wanted
        self._calls = calls_of_reader()
        self._shapes = _shapes_for(self._calls)
        # what is the same in all hits, and in several
        self._asked = encoded(escaped(str(Extras(wanted.query))))
        self._more_from: dict[str, bytes] = {}
        self._around_site: list[str] | None = None

    def hits_encoded(self, hits: Sequence[Hit]) -> bytes:
        """Return hits without what explains their scores, as they stand in a page that is sent."""
        return b"</li>".join([*map(self._hit, hits), b""])

    def hits(self, hits: Sequence[Hit]) -> Markup:
        """Return hits without what explains their scores."""
        return Markup(self.hits_encoded(hits).decode())  # noqa: S704  of pieces that are safe

    def hit(self, hit: Hit) -> Markup:
        """Return one hit, but for what explains its score and its end tag."""
        return Markup(self._hit(hit).decode())  # noqa: S704  of pieces that are safe

    def _hit(self, hit: Hit) -> bytes:
        begin, head, language, actions, copy, host, end = _shown(self._shapes, *_whatever_is_asked(hit))
        more = self._more_from.get(host)
        if more is None:
            more = self._more_from[host] = encoded(self._link_to_site(host))
        passage = (
            f'  <p class="snippet" dir="auto"{language}>{_passage(hit.snippet)}</p>\n' if hit.snippet else ""
        )
        if hit.folded:
            passage += self._left_out(hit.folded)
        asked = self._asked
        return b"".join((begin, asked, head, encoded(passage), actions, asked, copy, more, end))

    def _left_out(self, count: int) -> str:
        _, ngettext = self._calls.gettext, self._calls.ngettext
        said = ngettext(
            "one near-duplicate is left out",
            "%(count)s near-duplicates are left out",
            count,
            count=self._shapes.number(count),
        )
        searched = self._calls.url_for("search.search")
        all_of_them = f"{searched}?{self._wanted.asked(fold=0, page=self._wanted.page)}"
        return f'  <p class="folded">{written(said)}:\n    <a href="{written(all_of_them)}">{_("show all")}</a></p>\n'

    def _link_to_site(self, host: str) -> str:
        if not host or host == self._wanted.site:
            return ""
        if self._around_site is None:
            self._around_site = _around_value(("site",), self._wanted, self._calls.url_for)
        address = _in_address(host).join(self._around_site)
        return f'    <a href="{address}">{self._shapes.said.more}{_of_what(escaped(host))}</a>\n'


class _Shapes:
    """What is the same in all hits for a reader.

    root: what addresses of our pages begin with; similar: the address of pages like another; tab: what has a copy open
    in a tab of its own, "" where it shall not; said: what stands in every hit.
    """

    def __init__(self, calls: Calls) -> None:
        reader = calls.reader
        self.root, self.similar = escaped(plain_root()), escaped(calls.url_for("search.similar"))
        self.tab = ' target="_blank" rel="noopener"' if reader.preferences.new_tab else ""
        self.number, self.dates = formats.number_in(reader.locale_name), formats.dates_in(reader.locale_name)
        self.ngettext, self.said = calls.ngettext, _labels(calls.gettext)


# Readers who are alike have the same calls.
_shapes_for = lru_cache(maxsize=64)(_Shapes)


# What of a hit is written the same whatever was asked: what `_shown` takes.
_whatever_is_asked = attrgetter(
    "url",
    "title",
    "timestamp",
    "digest",
    "captures",
    "versions",
    "first",
    "last",
    "language",
    "mime",
    "status",
)


# The pages that are found most are found again and again; some 4 MB.
@lru_cache(maxsize=1024)
def _shown(
    shapes: _Shapes,
    url: str,
    title: str | None,
    timestamp: str,
    digest: str,
    captures: int,
    versions: int,
    first: str,
    last: str,
    language: str,
    mime: str,
    status: int,
) -> tuple[bytes, bytes, str, bytes, bytes, str, bytes]:
    """Return a hit in five pieces: between them go the words asked for (twice), passages, more from its host.

    In the order of the page, with two more before what they are for: the attribute that tells the language of the
    passages, and the host.
    """
    said, dates = shapes.said, shapes.dates
    name = shorten(clean(title or ""), 200) or said.untitled
    heading = escaped(name)
    shown = heading if len(name) <= 80 else escaped(shorten(name, 80))
    if plain := _PLAIN_ADDRESS.fullmatch(url):
        page = similar = live = url
        host, path = plain.groups("")
        crumbs = [host, *path_parts(path)]
    else:
        page = escaped(quote_url(without_fragment(url)))
        similar, live = escaped(quoted(url)), escaped(live_address(url))
        host, crumbs = host_of(url), breadcrumb(url)
    copy = f'    <a href="{shapes.root}/cached/{timestamp or "0"}'
    digest = f";d={short}" if digest and (short := short_digest(digest)) else ""
    in_language = f' lang="{escaped(language)}"' if language else ""
    seen = ""
    if captures > 1 and first and first[:8] != last[:8]:
        seen = said.seen.replace(_HERE, escaped(dates(first))).replace(_THERE, escaped(dates(last)))
        seen = f'    <span class="seen">{seen}</span>\n'
    if moment := iso_time(timestamp):
        day = f'<time datetime="{moment}">{escaped(dates(timestamp))}</time>'
        captured = said.captured.replace(_HERE, day)
    else:
        captured = said.captured_some_day
    if live:
        live = (
            f'    <a href="{live}" rel="noreferrer noopener external">{said.live.replace(_HERE, shown)}</a>\n'
        )
    begin = f'<li class="hit">\n  <h2>{copy[4:]}'
    head = (
        f'{digest}/{page}" dir="auto"{in_language}{shapes.tab}>{heading}</a></h2>\n'
        f'  <p class="where">\n    <bdi class="crumbs" dir="ltr">{_crumbs(crumbs)}</bdi>\n'
        f'    <span class="when">{captured}</span>\n{seen}'
        f'    <span class="kind">{_kind(shapes, mime, language, status)}</span>\n  </p>\n'
    )
    cached = (
        f'{digest}/{page}">{said.cached.replace(_HERE, shown)}</a>\n'
        f'    <a href="{shapes.root}/captures/*/{page}">{_counted(shapes, captures, versions)}'
        f"{said.of_page.replace(_HERE, shown)}</a>\n"
    )
    end = f'    <a href="{shapes.similar}?url={similar}">{said.similar.replace(_HERE, shown)}</a>\n{live}  </p>\n'
    actions = f'  <p class="actions">\n{copy}'
    return encoded(begin), encoded(head), in_language, encoded(actions), encoded(cached), host, encoded(end)


# Gives a part of a page as it is sent. A page as a whole is seldom ASCII alone, and takes as long as ten hits.
encoded: Callable[[str], bytes] = methodcaller("encode", "utf-8", "replace")


# Most pages were captured once.
@lru_cache(maxsize=256)
def _counted(shapes: _Shapes, captures: int, versions: int) -> str:
    number, ngettext = shapes.number, shapes.ngettext
    of_captures = ngettext("%(count)s capture", "%(count)s captures", captures, count=number(captures))
    of_versions = ngettext("%(count)s version", "%(count)s versions", versions, count=number(versions))
    return f"{of_captures}{shapes.said.comma}{of_versions}"


class _Labels(NamedTuple):
    """What stands in every hit, in the language of a reader.

    _HERE stands for the page, or the time; _THERE for the second of two.
    """

    untitled: str
    captured: str
    captured_some_day: str
    seen: str
    cached: str
    of_page: str
    similar: str
    more: str
    live: str
    comma: str


@lru_cache(maxsize=16)
def _labels(_: Call) -> _Labels:
    # catalogues are made of calls outside of f-strings alone
    cached, copy, of_page = _("Cached"), _("copy of %(page)s", page=_HERE), _("of %(page)s", page=_HERE)
    similar, to_page = _("Similar pages"), _("to %(page)s", page=_HERE)
    more = str(_("More from this site"))
    live, today = _("Live"), _("page on the web today: %(page)s", page=_HERE)
    return _Labels(
        untitled=str(_("(page without a title)")),
        captured=str(_("captured %(when)s", when=_HERE)),
        captured_some_day=str(_("captured at an unknown date")),
        seen=str(_("seen %(first)s to %(last)s", first=_HERE, last=_THERE)),
        cached=f"{cached}{_of_what(copy)}",
        of_page=_of_what(of_page),
        similar=f"{similar}{_of_what(to_page)}",
        more=more,
        live=f'{live} <span class="arrow" aria-hidden="true">↗</span>{_of_what(today)}',
        comma=str(_(", ")),
    )


def _of_what(text: str) -> str:
    """Return what a link below a hit says beside its label, for who hears the link alone."""
    return f'<span class="hidden-label"> {text}</span>'


def _passage(parts: Sequence[SnippetPart]) -> str:
    texts: Sequence[tuple[str, bool]] = parts
    if not "".join([text for text, _ in parts]).isprintable():
        texts = [(clean(text), is_hit) for text, is_hit in parts]
    # control characters stand for the marks: escaped is all at once
    marked = "".join([f"\1{text}\2" if is_hit else text for text, is_hit in texts])
    return escaped(marked).replace("\1", "<mark>").replace("\2", "</mark>")


def _crumbs(crumbs: Sequence[str]) -> str:
    return f"<span>{escaped(_HERE.join(crumbs)).replace(_HERE, _BETWEEN_CRUMBS)}</span>"


_BETWEEN_CRUMBS = '</span> <span aria-hidden="true">›</span> <span>'


# Most pages are of a few types and languages.
@lru_cache(maxsize=1024)
def _kind(shapes: _Shapes, mime: str, language: str, status: int) -> str:
    """Return type and language of a hit, and its status where that says something."""
    kind = escaped(shorten(clean(type_name(mime)), 30)) if mime else ""
    if language:
        kind += f" · {escaped(clean(language_name(language)))}"
    return kind if status in (0, 200) else f"{kind} · {status}"


def facets(groups: Sequence[FacetGroup], wanted: SearchRequest, calls: Calls) -> str:
    """Return all facets, the first ones open."""
    if not groups:
        return ""
    _, ngettext, _url_for, reader = calls
    title = _("Narrow down")
    pieces = [
        f'<aside class="facets" aria-labelledby="facets-title">\n  <h2 id="facets-title">{title}</h2>\n'
    ]
    for number, group in enumerate(groups):
        more = ""
        if group.more:
            count = formats.number_in(reader.locale_name)(group.more)
            said = ngettext("and one more", "and %(count)s more", group.more, count=count)
            more = f'<p class="quiet">{said}</p>'
        pieces.append(
            f"  <details {'open' if number < _OPEN_FACETS else ''}>\n"
            f"    <summary><h3>{written(group.title)}</h3></summary>\n"
            f"    <ul{_BARS if group.is_bars else ''}>\n{_facet_links(group, wanted, calls)}    </ul>\n"
            f"{more}  </details>\n"
        )
    pieces.append("</aside>\n")
    return "".join(pieces)


def _facet_links(group: FacetGroup, wanted: SearchRequest, calls: Calls) -> str:
    """Return the values of a facet as items of a list, each a link to the pages that have it."""
    values = list(map(attrgetter("value"), group.values))
    counts = list(map(attrgetter("count"), group.values))
    current = [_CURRENT if value == group.chosen else "" for value in values] if group.chosen else repeat("")
    most = max(counts) if group.is_bars else 0
    bars = [_bar(count / most) for count in counts] if most else repeat("")
    pages = map(_pages, counts, repeat(calls.ngettext), repeat(calls.reader.locale_name))
    items = zip(
        _addresses_with(group.names, values, wanted, calls.url_for),
        current,
        map(_label, map(group.name_of, values)),
        bars,
        pages,
        strict=False,
    )
    written_out = [
        f'      <li><a href="{address}"{here}>\n        <span class="value" dir="auto">{label}</span>\n'
        f'{bar}        <span class="number">{number}</span></a></li>\n'
        for address, here, label, bar, number in items
    ]
    return "".join(written_out)


_CURRENT, _BARS, _OPEN_FACETS = ' aria-current="true"', ' class="bars"', 3


def _bar(share: float) -> str:
    """Return a bar as long as a share of the longest."""
    return (
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{100 * share:.1f}" height="10"></rect></svg>'
    )


def _addresses_with(
    names: Sequence[str], values: Sequence[str], wanted: SearchRequest, url_for: Call
) -> Iterable[str]:
    """Give the addresses of the same search with each value for some parameters, as they stand in HTML."""
    return map(str.join, map(_in_address, values), repeat(_around_value(names, wanted, url_for)))


def _around_value(names: Sequence[str], wanted: SearchRequest, url_for: Call) -> list[str]:
    """Return what stands around the value in these addresses: but for the value they are all the same."""
    return escaped(f"{url_for('search.search')}?{wanted.asked_of_any(names)}").split(ANY)


# Most pages count small numbers, and many the same ones.
@lru_cache(maxsize=4096)
def _pages(count: int, ngettext: Call, locale: str) -> str:
    pages = ngettext("page", "pages", count)
    return f'{formats.number_in(locale)(count)}<span class="hidden-label"> {pages}</span>'


# Facets have the same values on page after page.
@lru_cache(maxsize=2048)
def _label(text: str) -> str:
    return escaped(shorten(clean(text), 60))


@lru_cache(maxsize=2048)
def _in_address(value: str) -> str:
    return escaped(quoted(value))
