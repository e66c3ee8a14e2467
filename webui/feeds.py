"""Search results for other programs: CSV for tables, RSS for readers of feeds, and how a browser adds the search box.

/search.csv, /search.rss    as /search, with the same parameters
/newest.rss, /newest.json   the pages captured last
/opensearch.xml             OpenSearch 1.1 description document; every page of ours names it
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterable
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request, url_for

from archiver.cells import as_text_cell
from indexer import Hit, IndexMissingError, Results
from webui.addresses import cached_address
from webui.application import as_json_response, error_response, site
from webui.formats import clean
from webui.i18n import gettext as _
from webui.json_shapes import web_hit_as_json
from webui.memento import base_url, http_date
from webui.search_request import SearchRequest

blueprint = Blueprint("feeds", __name__)

COLUMNS = ("rank", "url", "title", "timestamp", "score", "language", "type", "status", "captures", "versions",
           "first", "last", "snippet", "cached_url")  # fmt: skip
_MOST_NEWEST = 100
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


# ---------------------------------------------------------------- CSV


def results_as_csv(results: Results, wanted: SearchRequest) -> Response:
    """Return the hits as a table (RFC 4180, UTF-8) in which no cell is a formula."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(COLUMNS)
    for rank, hit in enumerate(results.hits, start=wanted.offset + 1):
        table.writerow([as_cell(value) for value in _row(rank, hit)])
    response = make_response(text.getvalue().encode("utf-8", "replace"))
    response.headers["Content-Type"] = "text/csv; charset=utf-8; header=present"
    response.headers["Content-Disposition"] = 'attachment; filename="results.csv"'
    return response


def _row(rank: int, hit: Hit) -> tuple[object, ...]:
    return (
        rank, hit.url, hit.title or "", hit.timestamp, f"{hit.score:.4f}", hit.language, hit.mime, hit.status or "",
        hit.captures, hit.versions, hit.first, hit.last, plain_snippet(hit), base_url() + _cached(hit),
    )  # fmt: skip


def as_cell(value: object) -> str:
    """Return a number or a text as a cell of a table; no text is a formula there."""
    return str(value) if isinstance(value, (int, float)) else as_text_cell(clean(str(value)))


def plain_snippet(hit: Hit) -> str:
    """Return the snippet of a hit without marks."""
    return "".join(part.text for part in hit.snippet)


def _cached(hit: Hit) -> str:
    return cached_address(hit.url, hit.timestamp, digest=hit.digest)


# ---------------------------------------------------------------- RSS


def results_as_rss(results: Results, wanted: SearchRequest) -> Response:
    """Return the hits as an RSS 2.0 feed with the numbers that OpenSearch has for lists."""
    parameters: dict[str, Any] = wanted.parameters()
    return _feed(
        title=f"Finding Aid: {wanted.query or wanted.filters()}",
        page=base_url() + _plain(url_for("search.search", **parameters)),
        self_address=base_url() + _plain(url_for("search.search_rss", **parameters)),
        description=_("Pages found in the archive"),
        hits=results.hits,
        results=results,
        wanted=wanted,
    )


@blueprint.get("/newest.rss", endpoint="newest_rss")
@blueprint.get("/newest.json", endpoint="newest_json")
def newest() -> Response:
    """Return the pages captured last."""
    asked = request.args.get("size", "20")
    if not (asked.isascii() and asked.isdigit() and 1 <= int(asked[:9]) <= _MOST_NEWEST):
        return error_response(
            400, _("That request cannot be read"),
            _("size: expected a number from 1 to %(most)s.", most=_MOST_NEWEST),
        )  # fmt: skip
    hits: tuple[Hit, ...] = ()
    try:
        with site().index_access.lease() as index:
            hits = index.newest(int(asked))
    except IndexMissingError:
        pass  # an archive without pages has no newest ones
    if request.path.endswith(".json"):
        shown = [web_hit_as_json(hit, site().settings.archives_path, request.script_root) for hit in hits]
        return as_json_response({"hits": shown})
    return _feed(
        title=_("Finding Aid: newest captures"),
        page=base_url() + "/",
        self_address=base_url() + "/newest.rss",
        description=_("Pages captured last"),
        hits=hits,
        results=None,
        wanted=None,
    )


def _feed(
    *,
    title: str,
    page: str,
    self_address: str,
    description: str,
    hits: Iterable[Hit],
    results: Results | None,
    wanted: SearchRequest | None,
) -> Response:
    items = [
        {
            "title": as_xml(hit.title or hit.url),
            "link": as_xml(base_url() + _cached(hit)),
            "guid": as_xml(f"{hit.timestamp} {hit.url}"),
            "date": http_date(hit.timestamp),
            "text": as_xml(html.escape(plain_snippet(hit))),  # readers take a description for HTML
        }
        for hit in hits
    ]
    body = render_template(
        "feed.xml", title=as_xml(title), page=as_xml(page), self_address=as_xml(self_address), items=items,
        description=description, results=results, wanted=wanted, base=base_url(),
        query=as_xml(wanted.query) if wanted else "",
    )  # fmt: skip
    response = make_response(body.encode("utf-8", "replace"))
    response.headers["Content-Type"] = "application/rss+xml; charset=utf-8"
    return response


def as_xml(text: str) -> str:
    """Return a text without the characters that cannot stand in XML, however they are written."""
    return _NO_XML.sub("", clean(text))


def _plain(address: str) -> str:
    """Return an address of ours without the root that `base_url` has already."""
    return address.removeprefix(request.script_root)


# ---------------------------------------------------------------- OpenSearch


@blueprint.get("/opensearch.xml")
def description() -> Response:
    """Return what a browser or an aggregator needs to know to search here."""
    response = make_response(render_template("opensearch.xml", base=base_url()))
    response.headers["Content-Type"] = "application/opensearchdescription+xml; charset=utf-8"
    return response
