"""Home page and search results, as pages and as JSON.

/                          the search box, or how to fill an empty archive
/search?q=&page=&size=     results; format=json gives the same as /search.json
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request

from indexer import IndexMissingError, Results, Statistics
from webui.addresses import cached_address
from webui.application import error_response, site, wants_json
from webui.json_shapes import results_as_json
from webui.preferences import SIZES, preferences
from webui.stored import captures_of

blueprint = Blueprint("search", __name__)

MAX_QUERY_CHARS = 1_000
MAX_SIZE_JSON = 1_000
MAX_OFFSET = 100_000
_PARAMETERS = frozenset({"q", "page", "size", "limit", "offset", "format"})


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What a search request asks for, checked; `notices` tell what was changed about it."""

    query: str
    offset: int
    size: int
    notices: tuple[str, ...]

    @property
    def page(self) -> int:
        return self.offset // self.size + 1


@dataclass(frozen=True, slots=True)
class Pager:
    """The page links below the results; None stands for a gap. previous, next: 0 for none."""

    current: int
    pages: tuple[int | None, ...]
    previous: int
    next: int


@blueprint.get("/")
def home() -> Response:
    statistics = _statistics()
    return make_response(render_template("home.html", statistics=statistics, settings=site().settings))


@blueprint.get("/search.json", endpoint="search_json")
@blueprint.get("/search")
def search() -> Response:
    is_json = wants_json()
    if request.args.get("format", "html") not in ("html", "json"):
        return error_response(400, "Unknown format", 'format: expected "html" or "json".')
    unknown = sorted(set(request.args) - _PARAMETERS)
    if is_json and unknown:
        names = ", ".join(sorted(_PARAMETERS))
        return error_response(
            400, "Unknown parameter", f"{unknown[0][:50]}: no such parameter; there are {names}."
        )
    try:
        wanted = parse_search(
            request.args.to_dict(),
            MAX_SIZE_JSON if is_json else SIZES[-1],
            SIZES[0] if is_json else preferences().size,
        )
    except ValueError as error:
        return error_response(400, "That request cannot be read", str(error))
    if not is_json and not wanted.query:
        return home()
    with site().index_access.lease() as index:
        results = index.search(
            wanted.query, offset=wanted.offset, limit=wanted.size, operator=site().settings.search.operator
        )
    notices = (*wanted.notices, *results.notices)
    if is_json:
        return _json_answer(results, notices)
    address = _looks_like_address(wanted.query)
    return make_response(
        render_template(
            "results.html",
            results=results,
            wanted=wanted,
            notices=notices,
            pager=make_pager(wanted, results.total),
            address=address,
            address_captures=len(captures_of(address)) if address else 0,
            statistics=_statistics() if not results.total else None,
        )
    )


def parse_search(arguments: dict[str, str], max_size: int, usual_size: int = SIZES[0]) -> SearchRequest:
    """Read the parameters of a search; raises ValueError for a number that is none.

    A query that is too long is cut, not refused: its first words say what it is about.
    """
    notices = []
    query = arguments.get("q", "").replace("\x00", " ").strip()
    if len(query) > MAX_QUERY_CHARS:
        cut = query[:MAX_QUERY_CHARS]
        query = cut[: cut.rfind(" ")] if " " in cut[MAX_QUERY_CHARS // 2 :] else cut
        notices.append(f"The query is long: only its first {len(query):,} characters were searched.")
    asked_size = _number(arguments, "limit" if "limit" in arguments else "size", usual_size)
    size = min(max(asked_size, 1), max_size)
    if asked_size > max_size:
        notices.append(f"At most {max_size:,} results are given at once.")
    if "offset" in arguments:
        offset = _number(arguments, "offset", 0)
    else:
        offset = (max(_number(arguments, "page", 1), 1) - 1) * size
    return SearchRequest(query, min(max(offset, 0), MAX_OFFSET), size, tuple(notices))


def _number(arguments: dict[str, str], name: str, default: int) -> int:
    text = arguments.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{name}: expected a whole number, found {text[:20]!r}.")
    return int(text[:9])


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


def _json_answer(results: Results, notices: tuple[str, ...]) -> Response:
    answer: dict[str, Any] = results_as_json(results)
    answer["parsed"] = results.parsed
    answer["notices"] = list(notices)
    for shown, hit in zip(answer["hits"], results.hits, strict=True):
        shown["snippet_parts"] = [{"t": part.text, "hit": part.hit} for part in hit.snippet]
        shown["cached_url"] = cached_address(hit.url, hit.timestamp, request.script_root, digest=hit.digest)
        if hit.member:
            shown["member"] = hit.member
    # Escaped so that even a program that takes the answer for HTML meets no markup in it.
    text = json.dumps(answer, ensure_ascii=True)
    for character in "<>&'":
        text = text.replace(character, f"\\u{ord(character):04x}")
    response = make_response(text + "\n")
    response.headers["Content-Type"] = "application/json"
    return response


def _looks_like_address(query: str) -> str:
    """Return the query if it is a web address, else ""."""
    text = query.strip()
    return (
        text
        if text.lower().startswith(("http://", "https://")) and not any(c.isspace() for c in text)
        else ""
    )


def _statistics() -> Statistics | None:
    """Return what the index holds, None while there is none."""
    try:
        with site().index_access.lease() as index:
            return index.statistics()
    except IndexMissingError:
        return None
