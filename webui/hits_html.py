"""The hits and facets of a results page, written as HTML in Python.

A page shows ten hits and some forty facets, each of a dozen values. As templates they were half of the page's work: a
template step for each value, and the reader's language and locale found out anew for each. Here both are found out
once a page, and a hit is one text. `_hits.html` and `_facets.html` call these; what surrounds them stays there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from indexer import Hit
from webui import formats
from webui.formats import breadcrumb, clean, host_of, iso_time, live_address, shorten, type_name
from webui.i18n import language_name
from webui.result_links import FacetGroup, Link
from webui.search_request import SearchRequest
from webui.template_code import written

Call = Callable[..., str]


class HitWriter:
    """Writes the hits of one page. Its calls are those of the page's template, see webui.template_calls."""

    def __init__(
        self,
        wanted: SearchRequest,
        *,
        new_tab: bool,
        gettext: Call,
        ngettext: Call,
        url_for: Call,
        cached_url: Call,
        captures_url: Call,
    ) -> None:
        _ = gettext
        self._wanted = wanted
        self._gettext, self._ngettext, self._url_for = gettext, ngettext, url_for
        self._cached_url, self._captures_url = cached_url, captures_url
        self._tab = ' target="_blank" rel="noopener"' if new_tab else ""
        self._dates = formats.dates()
        self._number = formats.numbers()
        # what is the same in all hits
        self._comma = written(str(_(", ")))
        self._cached, self._live = written(_("Cached")), written(_("Live"))
        self._similar, self._more = written(_("Similar pages")), written(_("More from this site"))

    def hit(self, hit: Hit) -> Markup:
        """Return one hit, but for what explains its score and its end tag."""
        _ = self._gettext
        wanted = self._wanted
        name = shorten(clean(hit.title or ""), 200) or _("(page without a title)")
        shown_name, short_name = written(name), shorten(name, 80)
        cached = written(self._cached_url(hit.url, hit.timestamp, query=wanted.query, digest=hit.digest))
        language = f' lang="{written(hit.language)}"' if hit.language else ""
        out = [
            f'<li class="hit">\n  <h2><a href="{cached}" dir="auto"{language}{self._tab}>{shown_name}</a></h2>\n'
            f'  <p class="where">\n    <bdi class="crumbs" dir="ltr">{_crumbs(hit.url)}</bdi>\n'
            f'    <span class="when">{self._captured(hit.timestamp)}</span>\n'
        ]
        if hit.captures > 1 and hit.first and hit.first[:8] != hit.last[:8]:
            first, last = self._dates(hit.first), self._dates(hit.last)
            seen = _("seen %(first)s to %(last)s", first=first, last=last)
            out.append(f'    <span class="seen">{seen}</span>\n')
        out.append(f'    <span class="kind">{_kind(hit)}</span>\n  </p>\n')
        if hit.snippet:
            passage = "".join(
                f"<mark>{written(clean(part.text))}</mark>" if part.hit else written(clean(part.text))
                for part in hit.snippet
            )
            out.append(f'  <p class="snippet" dir="auto"{language}>{passage}</p>\n')
        if hit.folded:
            out.append(self._folded(hit.folded))
        out.append(self._actions(hit, cached, short_name))
        return Markup("".join(out))  # noqa: S704  each value was escaped where it was put in

    def _captured(self, timestamp: str) -> str:
        moment = iso_time(timestamp)
        if not moment:
            return self._gettext("captured at an unknown date")
        day = written(self._dates(timestamp))
        time = Markup(f'<time datetime="{moment}">{day}</time>')  # noqa: S704  digits, and a text that is escaped
        return self._gettext("captured %(when)s", when=time)

    def _folded(self, count: int) -> str:
        _, ngettext = self._gettext, self._ngettext
        said = ngettext(
            "one near-duplicate is left out",
            "%(count)s near-duplicates are left out",
            count,
            count=self._number(count),
        )
        all_of_them = self._url_for(
            "search.search", **self._wanted.parameters(fold=0, page=self._wanted.page)
        )
        return f'  <p class="folded">{written(said)}:\n    <a href="{written(all_of_them)}">{_("show all")}</a></p>\n'

    def _actions(self, hit: Hit, cached: str, short_name: str) -> str:
        """Return the links below a hit. cached: the address of its cached page, as it stands in HTML."""
        _, ngettext, url_for = self._gettext, self._ngettext, self._url_for
        captures = ngettext(
            "%(count)s capture", "%(count)s captures", hit.captures, count=self._number(hit.captures)
        )
        versions = ngettext(
            "%(count)s version", "%(count)s versions", hit.versions, count=self._number(hit.versions)
        )
        of_page = _("of %(page)s", page=short_name)
        address = written(self._captures_url(hit.url))
        out = [
            '  <p class="actions">\n',
            _action(cached, self._cached, _("copy of %(page)s", page=short_name)),
            _action(address, f"{captures}{self._comma}{versions}", of_page),
        ]
        host = host_of(hit.url)
        if host and host != self._wanted.site:
            address = written(url_for("search.search", **self._wanted.parameters(site=host)))
            out.append(_action(address, self._more, written(host)))
        address = written(url_for("search.similar", url=hit.url))
        out.append(_action(address, self._similar, _("to %(page)s", page=short_name)))
        if live := live_address(hit.url):
            today = _("page on the web today: %(page)s", page=short_name)
            label = f'{self._live} <span class="arrow" aria-hidden="true">↗</span>'
            out.append(_action(written(live), label, today, ' rel="noreferrer noopener external"'))
        out.append("  </p>\n")
        return "".join(out)


def _action(address: str, label: str, of_what: str, more: str = "") -> str:
    """Return a link below a hit; all of it as it stands in HTML. of_what: for who hears the link alone."""
    return f'    <a href="{address}"{more}>{label}<span class="hidden-label"> {of_what}</span></a>\n'


def _crumbs(url: str) -> str:
    return ' <span aria-hidden="true">›</span> '.join(
        f"<span>{written(part)}</span>" for part in breadcrumb(url)
    )


def _kind(hit: Hit) -> str:
    """Return type and language of a hit, and its status where that says something."""
    kind = written(shorten(clean(type_name(hit.mime)), 30)) if hit.mime else ""
    if hit.language:
        kind += f" · {written(clean(language_name(hit.language)))}"
    return kind if hit.status in (0, 200) else f"{kind} · {hit.status}"


def facet_links(group: FacetGroup, *, ngettext: Call, url_for: Call) -> Markup:
    """Return the values of a facet as items of a list, each a link to the pages that have it."""
    number = formats.numbers()
    return Markup("".join(_facet_link(link, group, number, ngettext, url_for) for link in group.links))  # noqa: S704


def _facet_link(
    link: Link, group: FacetGroup, number: Callable[[Any], str], ngettext: Call, url_for: Call
) -> str:
    count = link.count or 0
    pages = ngettext("page", "pages", count)
    current = ' aria-current="true"' if link.is_current else ""
    bar = (
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{round(100 * link.share, 1)}" height="10"></rect></svg>'
        if group.is_bars
        else ""
    )
    return (
        f'      <li><a href="{written(url_for("search.search", **link.parameters))}"{current}>\n'
        f'        <span class="value" dir="auto">{written(shorten(clean(link.label), 60))}</span>\n{bar}'
        f'        <span class="number">{number(count)}<span class="hidden-label"> {pages}</span></span></a></li>\n'
    )
