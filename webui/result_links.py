"""The links beside a list of results: filters that are on, facets, years as bars, orders. Data for the templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexer import AddedWord, Facets, FacetValue
from webui.formats import date_in_words, type_name
from webui.i18n import gettext as _
from webui.i18n import language_name, language_names
from webui.search_request import SORTS, SearchRequest
from webui.template_calls import Calls


@dataclass(slots=True)  # one that is frozen takes three times as long to make, and a page has a dozen
class Link:
    """A link of the results page to another one.

    asked: what it asks for, as it stands behind the ? of its address. count: pages it leads to, None where that is not
    known.
    """

    label: str
    asked: str
    count: int | None = None
    is_current: bool = False


@dataclass(slots=True)
class FacetGroup:
    """A facet with its values, each a link to the pages that have it.

    names: the parameters that ask for a value. chosen: the value that is asked for, "" for none. name_of: says how a
    value is named to readers. is_bars: each has a bar as long as its share of the greatest. more: how many values are
    not listed.
    """

    title: str
    names: tuple[str, ...]
    values: tuple[FacetValue, ...]
    chosen: str
    name_of: Callable[[str], str] = str
    is_bars: bool = False
    more: int = 0


def chips_of(wanted: SearchRequest) -> list[Link]:
    """Return the filters that are on; each links to the same search without it."""
    chips = []
    if wanted.site:
        chips.append(Link(_("site: %(value)s", value=wanted.site), wanted.asked(site="")))
    if wanted.type:
        chips.append(Link(_("type: %(value)s", value=type_name(wanted.type)), wanted.asked(type="")))
    if wanted.lang:
        language = language_name(wanted.lang)
        chips.append(Link(_("language: %(value)s", value=language), wanted.asked(lang="")))
    if wanted.status:
        chips.append(Link(_("status: %(value)s", value=wanted.status), wanted.asked(status="")))
    if wanted.since or wanted.until:
        chips.append(Link(_period(wanted.since, wanted.until), wanted.asked(**{"from": "", "to": ""})))
    return chips


def _period(since: str, until: str) -> str:
    first, last = date_in_words(since), date_in_words(until)
    if since == until:
        return _("captured in %(when)s", when=first)
    if not until:
        return _("captured from %(first)s on", first=first)
    if not since:
        return _("captured up to %(last)s", last=last)
    return _("captured %(first)s to %(last)s", first=first, last=last)


def facet_groups(facets: Facets, wanted: SearchRequest, calls: Calls) -> list[FacetGroup]:
    """Return the facets as links; those with a single value that would change nothing are left out."""
    _ = calls.gettext
    year = wanted.since[:4] if wanted.since[:4] == wanted.until[:4] else ""
    more = max(0, facets.sites - len(facets.site))
    groups = [
        FacetGroup(_("Site"), ("site",), facets.site, wanted.site, more=more),
        FacetGroup(_("Year"), ("from", "to"), facets.year, year, is_bars=True),
        FacetGroup(_("Type"), ("type",), facets.type, wanted.type, type_name),
        FacetGroup(
            _("Language"), ("lang",), facets.language, wanted.lang, language_names(calls.reader.locale_name)
        ),
        FacetGroup(_("Status"), ("status",), facets.status, wanted.status),
    ]
    return [group for group in groups if len(group.values) > 1]


def sort_links(wanted: SearchRequest) -> list[Link]:
    """Return the orders a list can have."""
    labels = {
        "relevance": _("relevance"),
        "newest": _("newest"),
        "oldest": _("oldest"),
        "url": _("address"),
    }
    return [Link(labels[sort], wanted.asked(sort=sort), is_current=sort == wanted.sort) for sort in SORTS]


def view_links(wanted: SearchRequest) -> list[Link]:
    """Return the two views of the pages found."""
    return [
        Link(_("List"), wanted.asked(view="list"), is_current=wanted.view == "list"),
        Link(_("Tree by site"), wanted.asked(view="tree"), is_current=wanted.view == "tree"),
    ]


def widening_links(wanted: SearchRequest) -> list[Link]:
    """Return the ways to widen a query, each to be switched on or off; none for a search without words."""
    if not wanted.query:
        return []
    labels = {
        "rocchio": _("words of the best pages"),
        "wordnet": _("synonyms"),
        "cooccur": _("words that go together here"),
    }
    links = []
    for way, label in labels.items():
        is_on = way in wanted.expand
        ways = [other for other in wanted.expand if other != way] + ([] if is_on else [way])
        links.append(Link(label, wanted.asked(expand=",".join(ways), without=""), is_current=is_on))
    return links


def added_links(added: Sequence[AddedWord], wanted: SearchRequest) -> list[Link]:
    """Return the words that a query was widened by; each links to the same search without it."""
    return [
        Link(word.text, wanted.asked(without=",".join([*wanted.without, word.text])))
        for word in sorted(added, key=lambda word: -word.weight)
    ]
