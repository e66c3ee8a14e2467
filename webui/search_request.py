"""What a search asks for: the parameters of /search, checked, and written back into links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from webui.addresses import quoted
from webui.formats import number
from webui.i18n import gettext as _

MAX_QUERY_CHARS = 1_000
MAX_SIZE_JSON = 1_000
MAX_OFFSET = 100_000
WIDENINGS = ("rocchio", "wordnet", "cooccur", "lsi")
MODELS = (
    "bm25f",
    "cosine",
    "tfidf",
    "boolean",
    "pnorm",
    "fuzzy",
)  # of indexer.search.models; a test compares
_ADDED_WORDS_AT_MOST = 50
SORTS = ("relevance", "newest", "oldest", "url")
VIEWS = ("list", "tree")
PARAMETERS = frozenset(
    "q page size limit offset format sort view open site type lang status from to"
    " facets expand without fold model explain".split()
)
ANY = "\0"  # no text in an address holds it
_OF_PLAIN_SEARCHES = frozenset("q page size limit offset format".split())
# What the parameters are where nothing else is asked for; these are left out of links.
_DEFAULTS = frozenset({"", None, "relevance", "list"})
FILTERS = ("site", "type", "lang", "status", "from", "to")
# A filter becomes part of a query: what could end it there and begin another part has no place in it.
_FILTER_VALUES = {
    "site": re.compile(r"[\w.:\[\]*-]{1,255}"),
    "type": re.compile(r"[\w.+/*-]{1,100}"),
    "lang": re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*|unknown"),
    "status": re.compile(r"[1-9][0-9xX]{2}"),
    "from": re.compile(r"[0-9]{4}(?:-?[0-9]{2}){0,2}"),
    "to": re.compile(r"[0-9]{4}(?:-?[0-9]{2}){0,2}"),
}


@dataclass(frozen=True, slots=True)
class ShorterQuery:
    """A query without one of its words, and what asks for it (`SearchRequest.asked`)."""

    word: str
    query: str
    asked: str


@dataclass(slots=True)  # one that is frozen takes three times as long to make
class SearchRequest:
    """What a search request asks for, checked; `notices` tell what was changed about it. Never changed.

    site, type, lang, status, since, until: filters beside the query; "" for none. opened: the branch of the tree.
    own_size: whether the number of results was asked for here and not by the reader's preferences.
    """

    query: str
    offset: int = 0
    size: int = 10
    notices: tuple[str, ...] = ()
    own_size: bool = False
    sort: str = "relevance"
    view: str = "list"
    opened: str = ""
    site: str = ""
    type: str = ""
    lang: str = ""
    status: str = ""
    since: str = ""
    until: str = ""
    expand: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    fold: bool = True
    model: str = ""
    explain: bool = False
    _has_wishes: bool = field(
        init=False, repr=False, compare=False
    )  # more than a query and a number of results
    _values: dict[str, object] = field(init=False, repr=False, compare=False)
    _written: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values: dict[str, object] = {"q": self.query}
        self._has_wishes = _wishes(self) != _NO_WISHES
        if self._has_wishes:
            values |= {
                "sort": self.sort,
                "view": self.view,
                "site": self.site,
                "type": self.type,
                "lang": self.lang,
                "status": self.status,
                "from": self.since,
                "to": self.until,
                "expand": ",".join(self.expand),
                "without": ",".join(self.without),
                "model": self.model,
                "explain": 1 if self.explain else "",
                "fold": "" if self.fold else 0,
            }
        if self.own_size:
            values["size"] = self.size
        self._values = values
        # how each parameter stands in an address, "" for what is left out
        self._written = _ALL_LEFT_OUT | {name: _as_asked(name, value) for name, value in values.items()}

    @property
    def page(self) -> int:
        return self.offset // self.size + 1

    @property
    def is_narrowed(self) -> bool:
        return bool(self.filters())

    @property
    def is_plain(self) -> bool:
        """Whether nothing but a query and a number of results is asked for, and which of these."""
        return bool(self.query) and not self._has_wishes

    def filters(self) -> str:
        """Return the filters in the query language."""
        if not self._has_wishes:
            return ""
        parts = [
            f"{name}:{value}"
            for name, value in (
                ("site", self.site),
                ("type", self.type),
                ("lang", self.lang),
                ("status", self.status),
            )
            if value
        ]
        if self.since and self.until:
            parts.append(f"from:{self.since}..{self.until}")
        elif self.since or self.until:
            parts.append(f"from:{self.since}" if self.since else f"to:{self.until}")
        return " ".join(parts)

    def shorter(self) -> list[ShorterQuery]:
        """Return the query without each of its words, when it has a few plain ones side by side."""
        words = self.query.split()
        if not 2 <= len(words) <= 5 or not all(word.isalnum() for word in words):
            return []
        return [
            ShorterQuery(word, shorter, self.asked(q=shorter))
            for place, word in enumerate(words)
            for shorter in [" ".join(words[:place] + words[place + 1 :])]
        ]

    def parameters(self, **changes: object) -> dict[str, object]:
        """Return the parameters of /search that ask for this with some changes; defaults are left out.

        Another query, order or filter begins at the first page again.
        """
        values = _ALL_LEFT_OUT | self._values | changes
        return {name: value for name, value in values.items() if not _is_left_out(name, value)}

    def asked(self, **changes: object) -> str:
        """Return `parameters` as they stand behind the ? of an address: a page of results has some forty of them."""
        written = self._written.copy()
        for name, value in changes.items():
            written[name] = _as_asked(name, value)
        return "&".join(filter(None, written.values()))

    def asked_of_any(self, names: Iterable[str]) -> str:
        """Return `asked` with the same value for some parameters, whatever it is: ANY where it stands."""
        written = self._written | {name: f"{name}={ANY}" for name in names}
        return "&".join(filter(None, written.values()))

    def graph_parameters(self) -> dict[str, object]:
        """Return the parameters of /graph that ask for the links between the pages found."""
        return {name: value for name, value in self.parameters().items() if name in ("q", *FILTERS) and value}


# What more than a query and a number of results can be asked for, and what that is where it is not.
_wishes = attrgetter(
    "sort",
    "view",
    "site",
    "type",
    "lang",
    "status",
    "since",
    "until",
    "expand",
    "without",
    "model",
    "explain",
    "fold",
)
_NO_WISHES = ("relevance", "list", "", "", "", "", "", "", (), (), "", False, True)
# The parameters in their order.
_ALL_LEFT_OUT = dict.fromkeys(
    "q sort view site type lang status from to expand without model explain fold size".split(), ""
)


def _is_left_out(name: str, value: object) -> bool:
    return name != "q" and (value in _DEFAULTS or value == 1 and name == "page")


def _as_asked(name: str, value: object) -> str:
    return "" if _is_left_out(name, value) else f"{name}={quoted(str(value))}"


@dataclass(frozen=True, slots=True)
class Pager:
    """The page links below the results; None stands for a gap. previous, next: 0 for none."""

    current: int
    pages: tuple[int | None, ...]
    previous: int
    next: int


def parse_search(arguments: Mapping[str, str], max_size: int, size: int = 10) -> SearchRequest:
    """Read the parameters of a search; raises ValueError for a number that is none, or an unknown order or view.

    size: results on a page when the request does not say. A query that is too long is cut, not refused: its first
    words say what it is about. A filter that cannot be one is left out, with a notice.
    """
    notices: list[str] = []
    query = arguments["q"].replace("\x00", " ").strip() if "q" in arguments else ""
    if len(query) > MAX_QUERY_CHARS:
        cut = query[:MAX_QUERY_CHARS]
        query = cut[: cut.rfind(" ")] if " " in cut[MAX_QUERY_CHARS // 2 :] else cut
        notices.append(
            _(
                "The query is long: only its first %(number)s characters were searched.",
                number=number(len(query)),
            )
        )
    size_name = "limit" if "limit" in arguments else "size"
    asked_size = _number(arguments, size_name, size)
    size = min(max(asked_size, 1), max_size)
    if asked_size > max_size:
        notices.append(_("At most %(number)s results are given at once.", number=number(max_size)))
    page = max(_number(arguments, "page", 1), 1)
    offset = _number(arguments, "offset", 0) if "offset" in arguments else (page - 1) * size
    wishes = {} if _OF_PLAIN_SEARCHES.issuperset(arguments) else _wishes_in(arguments, notices)
    return SearchRequest(
        query,
        min(max(offset, 0), MAX_OFFSET),
        size,
        tuple(notices),
        own_size=size_name in arguments,
        **wishes,
    )


def _wishes_in(arguments: Mapping[str, str], notices: list[str]) -> dict[str, Any]:
    """Return what more is asked for than a query and a number of results; adds to the notices."""
    chosen: dict[str, str] = {}
    for name, pattern in _FILTER_VALUES.items():
        value = arguments.get(name, "").strip()
        if value and not pattern.fullmatch(value):
            notices.append(
                _("%(name)s: %(value)s is left out, it cannot be read.", name=name, value=value[:50])
            )
            value = ""
        chosen[name] = value.replace("-", "") if name in ("from", "to") else value
    return {
        "sort": _one_of(arguments, "sort", SORTS),
        "view": _one_of(arguments, "view", VIEWS),
        "opened": arguments.get("open", "")[:2000],
        "site": chosen["site"].lower(),
        "type": chosen["type"].lower(),
        "lang": chosen["lang"].lower(),
        "status": chosen["status"].lower(),
        "since": chosen["from"],
        "until": chosen["to"],
        "model": _one_of(arguments, "model", ("", *MODELS)),
        "explain": arguments.get("explain", "") == "1",
        "fold": arguments.get("fold", "1") != "0",
        "expand": _several(arguments, "expand", WIDENINGS),
        "without": tuple(word for word in arguments.get("without", "")[:2000].split(",") if word)[
            :_ADDED_WORDS_AT_MOST
        ],
    }


def _number(arguments: Mapping[str, str], name: str, default: int) -> int:
    text = arguments[name].strip() if name in arguments else ""
    if not text:
        return default
    if not (text.isascii() and text.isdigit()):
        raise ValueError(
            _("%(name)s: expected a whole number, found %(found)s.", name=name, found=repr(text[:20]))
        )
    return int(text[:9])


def _one_of(arguments: Mapping[str, str], name: str, known: tuple[str, ...]) -> str:
    text = arguments.get(name, "").strip() or known[0]
    if text not in known:
        names = [value for value in known if value]
        raise ValueError(
            _(
                "%(name)s: expected %(names)s or %(last)s, found %(found)s.",
                name=name,
                names=", ".join(names[:-1]),
                last=names[-1],
                found=repr(text[:20]),
            )
        )
    return text


def _several(arguments: Mapping[str, str], name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    asked = [text.strip() for text in arguments.get(name, "").split(",") if text.strip()]
    for text in asked:
        if text not in known:
            raise ValueError(
                _(
                    "%(name)s: expected some of %(names)s, found %(found)s.",
                    name=name,
                    names=", ".join(known),
                    found=repr(text[:20]),
                )
            )
    return tuple(way for way in known if way in asked)


def make_pager(wanted: SearchRequest, total: int) -> Pager | None:
    """Return the page links, or None when all results stand on one page."""
    last = -(-min(total, MAX_OFFSET + wanted.size) // wanted.size)
    if last <= 1:
        return None
    current = min(wanted.page, last)
    near = [page for page in range(current - 3, current + 4) if 1 <= page <= last]
    pages: list[int | None] = list(near)
    if near[0] > 1:
        pages = [1, *([None] if near[0] > 2 else []), *pages]
    if near[-1] < last:
        pages = [*pages, *([None] if near[-1] < last - 1 else []), last]
    return Pager(current, tuple(pages), current - 1, current + 1 if current < last else 0)
