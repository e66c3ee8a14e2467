"""Home page and search results, as pages and as JSON.

/                          the search box, or how to fill an empty archive; what there is: /statistics.json
/help                      what can be typed, and the keys
/search?q=&page=&size=     results; format=json, csv or rss gives the same as /search.json, .csv or .rss
   &sort=&view=list|tree&open=&site=&type=&lang=&status=&from=&to=      see webui.search_request
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request

from archiver.crawl import list_jobs
from indexer import Hit, Index, IndexMissingError, Results, Statistics, Tree
from indexer.search.fields import as_address
from webui.application import as_json_response, error_response, site
from webui.asked import asked_format, wants_json
from webui.feeds import results_as_csv, results_as_rss
from webui.i18n import gettext as _
from webui.json_shapes import results_as_json, totals_as_json, web_hit_as_json
from webui.kept_pages import kept_pages
from webui.preferences import SIZES, preferences
from webui.result_links import Link, chips_of, view_links
from webui.results_html import results_page
from webui.search_request import MAX_SIZE_JSON, PARAMETERS, SearchRequest, parse_search
from webui.stored import captures_of
from webui.wacz_door import results_as_wacz

blueprint = Blueprint("search", __name__)

_FORMATS = ("html", "json", "csv", "rss", "wacz")
_NEWEST_SHOWN, _SIMILAR_SHOWN = 5, 20
_LONGEST_ADDRESS, _LONGEST_TYPED = 4000, 200


@blueprint.get("/statistics.json", endpoint="statistics")
@blueprint.get("/")
def home() -> Response:
    statistics, size_bytes = _statistics(), _size_bytes()
    if wants_json():
        return as_json_response(totals_as_json(statistics or Statistics()) | {"bytes": size_bytes})
    newest: tuple[Hit, ...] = ()
    if statistics and statistics.documents:
        with site().index_access.lease() as index:
            newest = index.newest(_NEWEST_SHOWN)
    return make_response(
        render_template(
            "home.html",
            statistics=statistics,
            size_bytes=size_bytes,
            newest=newest,
            crawls=list_jobs(site().settings.jobs_path, running_only=True),
            settings=site().settings,
            wanted=SearchRequest(""),
        )
    )


@blueprint.get("/search.json", endpoint="search_json")
@blueprint.get("/search.csv", endpoint="search_csv")
@blueprint.get("/search.rss", endpoint="search_rss")
@blueprint.get("/search.wacz", endpoint="search_wacz")
@blueprint.get("/search")
def search() -> Response:
    form = asked_format()
    is_json = form != "html"
    if form not in _FORMATS:
        return error_response(400, _("Unknown format"), _("format: expected html, json, csv, rss or wacz."))
    if is_json and (unknown := sorted(set(request.args) - PARAMETERS)):
        names = ", ".join(sorted(PARAMETERS))
        return error_response(
            400,
            _("Unknown parameter"),
            _("%(name)s: no such parameter; there are %(names)s.", name=unknown[0][:50], names=names),
        )
    for name in ("fold", "facets"):
        if is_json and request.args.get(name, "0") not in ("", "0", "1"):
            return error_response(
                400, _("That request cannot be read"), _("%(name)s: expected 0 or 1.", name=name)
            )
    try:
        wanted = parse_search(
            request.args.to_dict(),
            MAX_SIZE_JSON if is_json else SIZES[-1],
            SIZES[0] if is_json else preferences().size,
        )
    except ValueError as error:
        return error_response(400, _("That request cannot be read"), str(error))
    if not is_json and not wanted.query and not wanted.is_narrowed and wanted.view == "list":
        return home()
    if wanted.view == "tree" and form in ("csv", "rss", "wacz"):
        return error_response(400, _("Unknown format"), _("A tree is HTML or JSON."))
    here = site()
    with here.index_access.lease() as index:
        if wanted.view == "tree":
            return _tree_answer(wanted, _tree(index, wanted), is_json)
        kept = kept_pages(index) if not is_json else None
        if kept is not None and (made_before := kept.find()):
            return made_before
        # they cost a tenth of the search
        with_facets = form == "html" or (form == "json" and request.args.get("facets", "") != "0")
        results = index.search(
            wanted.query,
            offset=wanted.offset,
            limit=wanted.size,
            operator=here.settings.search.operator,
            sort=wanted.sort,
            facets=with_facets,
            filters=wanted.filters(),
            expand=wanted.expand,
            without=wanted.without,
            model=wanted.model or None,
            explain=wanted.explain,
            fold=request.args.get("fold") == "1" if is_json else wanted.fold,
            budget_s=here.settings.search.time_limit_s,
        )
        if form == "wacz":
            return results_as_wacz(index, results, wanted)
        shorter = [] if results.total or is_json else _shorter(index, wanted)
    if form == "csv":
        return results_as_csv(results, wanted)
    if form == "rss":
        return results_as_rss(results, wanted)
    if kept is None:
        return _json_answer(results, wanted)
    return kept.keep(_page(results, wanted, shorter), results)


def _shorter(index: Index, wanted: SearchRequest) -> list[Link]:
    """Return the query without each of its words, where that finds something."""
    found = []
    for part in wanted.shorter():
        total = index.search(
            part.query, limit=0, filters=wanted.filters(), budget_s=site().settings.search.time_limit_s
        ).total
        if total:
            found.append(Link(part.query, part.asked, total))
    return found


def _page(results: Results, wanted: SearchRequest, shorter: list[Link]) -> bytes:
    address = address_in(wanted.query)
    return results_page(
        results,
        wanted,
        shorter=shorter,
        address=address,
        address_captures=len(captures_of(address)) if address else 0,
        statistics=_statistics() if not results.total else None,
    )


@blueprint.get("/similar.json", endpoint="similar_json")
@blueprint.get("/similar")
def similar() -> Response:
    """Show pages like another one."""
    url = request.args.get("url", "").strip()[:_LONGEST_ADDRESS]
    if not url:
        return error_response(
            400, _("That request cannot be read"), _("url: the address of a page is missing.")
        )
    with site().index_access.lease() as index:
        results = index.similar(url, limit=_SIMILAR_SHOWN)
    if wants_json():
        return _json_answer(results, SearchRequest(""))
    return make_response(render_template("similar.html", url=url, results=results, wanted=SearchRequest("")))


@blueprint.get("/help")
def help_page() -> Response:
    """Show what can be typed, and the keys."""
    return make_response(render_template("help.html"))


@blueprint.get("/suggest")
def suggest() -> Response:
    """Return suggestions as OpenSearch has them: what was typed, queries, how they are shown, addresses."""
    typed = request.args.get("q", "")[:_LONGEST_TYPED]
    with site().index_access.lease() as index:
        found = index.suggest(typed) if typed.strip() else []
    answer = [typed, [one.query for one in found], [one.text for one in found], []]
    response = make_response(json.dumps(answer, ensure_ascii=True))
    response.headers["Content-Type"] = "application/x-suggestions+json"
    return response


def _tree(index: Index, wanted: SearchRequest) -> Tree:
    return index.tree(
        wanted.query,
        opened=wanted.opened,
        operator=site().settings.search.operator,
        filters=wanted.filters(),
        expand=wanted.expand,
        without=wanted.without,
    )


def _tree_answer(wanted: SearchRequest, tree: Tree, is_json: bool) -> Response:
    if is_json:
        answer = {
            "query": tree.query,
            "total": tree.total,
            "took_ms": round(tree.took_ms, 3),
            "parsed": tree.parsed,
            "notices": [*wanted.notices, *tree.notices],
            "tree": asdict(tree.root),
        }
        return as_json_response(answer)
    return make_response(
        render_template(
            "tree.html",
            results=tree,
            wanted=wanted,
            notices=(*wanted.notices, *tree.notices),
            chips=chips_of(wanted),
            views=view_links(wanted),
            sorts=[],
            statistics=_statistics() if not tree.total else None,
            address="",
            address_captures=0,
            shorter=[],
        )
    )


def _json_answer(results: Results, wanted: SearchRequest) -> Response:
    answer: dict[str, Any] = results_as_json(results)
    answer["parsed"] = results.parsed
    answer["notices"] = [*wanted.notices, *results.notices]
    answer["did_you_mean"] = results.did_you_mean
    answer["timed_out"] = results.timed_out
    answer["added"] = [asdict(word) for word in results.added]
    if results.facets is not None:
        answer["facets"] = asdict(results.facets)
    archives, root = site().settings.archives_path, request.script_root
    answer["hits"] = [web_hit_as_json(hit, archives, root) for hit in results.hits]
    return as_json_response(answer)


def address_in(query: str) -> str:
    """Return the web address that a query is, with http:// where that was left out; "" when it is none."""
    return as_address(query) or ""


def _size_bytes() -> int:
    """Return how much room the index takes on the disk, 0 while there is none."""
    try:
        with site().index_access.lease() as index:
            return index.size_bytes()
    except IndexMissingError:
        return 0


def _statistics() -> Statistics | None:
    """Return what the index holds, None while there is none."""
    try:
        with site().index_access.lease() as index:
            return index.statistics()
    except IndexMissingError:
        return None
