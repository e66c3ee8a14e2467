"""/openapi.json: all doors for programs as an OpenAPI 3.1 description, for clients, test generators and people.

The description is put together here, beside the doors; tests/webui/test_openapi.py holds that no door is missing
and that real answers are as they are described.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from webui.application import as_json_response
from webui.cdx import IA_FIELDS, MOST_BLOCKS, PYWB_FIELDS
from webui.cdx import SORTS as CDX_SORTS
from webui.graph_files import FILES
from webui.link_graph import DEPTHS, LEVELS
from webui.memento import base_url
from webui.search_request import FILTERS, SORTS, VIEWS

blueprint = Blueprint("openapi", __name__)

Node = dict[str, Any]

_TEXT: Node = {"type": "string"}
_COUNT: Node = {"type": "integer", "minimum": 0}
_COUNT_OR_NONE: Node = {"anyOf": [_COUNT, {"type": "string", "pattern": r"^\s*[0-9]*\s*$"}]}
_NUMBER: Node = {"type": "number"}
_TRUTH: Node = {"type": "boolean"}
_MAYBE_TEXT: Node = {"type": ["string", "null"]}
_TIMESTAMP: Node = {
    "type": "string",
    "pattern": "^([0-9]{14})?$",
    "description": "14 digits, UTC; empty if unknown",
}
_ANY: Node = {}
# Digits of a timestamp, from the year to the second.
_MOMENT: Node = {"type": "string", "pattern": "^[0-9]{1,14}$"}
_MOMENT_OR_NONE: Node = {"type": "string", "pattern": "^([0-9]{1,14})?$"}
_WHOLE: Node = {"type": "integer", "minimum": 0, "maximum": 999_999_999}


def _array(items: Node) -> Node:
    return {"type": "array", "items": items}


def _object(**properties: Node) -> Node:
    """Return the schema of an object that has all of these, and may have more in later versions."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _ref(name: str) -> Node:
    return {"$ref": f"#/components/schemas/{name}"}


_PLACE: Node = {
    "file": {**_TEXT, "description": "archive file, below the job's archives or by its name alone"},
    "offset": _COUNT,
    "length": _COUNT,
    "inner": _COUNT,
    "cached_url": _TEXT,
    "raw_url": _TEXT,
    "record_url": _TEXT,
}
_SCHEMAS: dict[str, Node] = {
    "Error": _object(ok={"const": False}, error=_TEXT, errors=_array(_TEXT), status={"type": "integer"}),
    "Hit": _object(
        url=_TEXT, title=_MAYBE_TEXT, timestamp=_TIMESTAMP, score=_NUMBER, snippet=_TEXT,
        snippet_parts=_array(_object(t=_TEXT, hit=_TRUTH)), **_PLACE, captures=_COUNT, versions=_COUNT,
        first=_TIMESTAMP, last=_TIMESTAMP, language=_TEXT, mime=_TEXT, status=_COUNT,
    ),
    "Results": {
        "type": "object",
        "properties": {
            "query": _TEXT, "parsed": _TEXT, "total": {**_COUNT, "description": "pages found, exact"},
            "took_ms": _NUMBER, "notices": _array(_TEXT), "hits": _array({"$ref": "#/components/schemas/Hit"}),
            "did_you_mean": _MAYBE_TEXT, "timed_out": _TRUTH, "added": _array({"type": "object"}),
            "facets": {"type": "object"}, "tree": {"type": "object", "description": "in place of hits: view=tree"},
        },
        "required": ["query", "parsed", "total", "took_ms", "notices"],
        "anyOf": [{"required": ["hits"]}, {"required": ["tree"]}],
    },
    "Capture": _object(
        url=_TEXT, timestamp=_TIMESTAMP, title=_MAYBE_TEXT, type=_TEXT, status=_COUNT, mime=_TEXT, digest=_TEXT,
        member=_TEXT, **_PLACE,
    ),
    "Captures": _object(
        url=_TEXT, when=_TEXT, other_spellings=_array(_TEXT), total=_COUNT, chosen=_COUNT,
        captures=_array(_ref("Capture")),
    ),
    "Details": {
        "allOf": [
            _ref("Capture"),
            _object(
                asked_url=_TEXT, captures=_COUNT, versions=_COUNT, language=_TEXT, body_bytes=_COUNT,
                problems=_array(_TEXT),
                record_fields=_array(_array(_TEXT)), http_line=_TEXT, http_fields=_array(_array(_TEXT)),
                total_links_in=_COUNT, total_links_out=_COUNT, links_in=_array(_ref("Link")),
                links_out=_array(_ref("Link")), same_content=_array(_ref("Capture")),
                previous={"anyOf": [_ref("Capture"), {"type": "null"}]},
                next={"anyOf": [_ref("Capture"), {"type": "null"}]},
            ),
        ]
    },
    "Link": _object(url=_TEXT, title=_MAYBE_TEXT, timestamp=_TIMESTAMP, texts=_array(_TEXT), is_archived=_TRUTH,
                    cached_url=_MAYBE_TEXT),
    "Graph": _object(
        level={"enum": ["pages", "hosts"]}, total=_COUNT, total_links=_COUNT, is_whole=_TRUTH, heaviest=_COUNT,
        nodes=_array(_object(
            id=_COUNT, label=_TEXT, href=_TEXT, weight=_COUNT, groups={"type": "object"}, about=_TEXT, around=_TEXT,
            links_in=_COUNT, links_out=_COUNT,
        )),
        edges=_array(_object(source=_COUNT, target=_COUNT, weight=_COUNT)),
    ),
    "Comparison": _object(
        url=_TEXT, a=_ref("Capture"), b=_ref("Capture"), gone_words=_COUNT, new_words=_COUNT, is_coarse=_TRUTH,
        changes=_array(_object(old=_array(_ref("Change")), new=_array(_ref("Change")))),
        links_gone=_array(_TEXT), links_new=_array(_TEXT), phrase={"type": ["object", "null"]},
    ),
    "Change": _object(t=_TEXT, kind={"enum": ["same", "gone", "new"]}),
    "Job": _object(
        id=_TEXT, state=_TEXT, reason=_TEXT, fetched=_COUNT, queued=_COUNT, pages_per_s=_NUMBER, is_running=_TRUTH
    ),
    "Totals": _object(
        files=_COUNT, records=_COUNT, captures=_COUNT, copies=_COUNT, documents=_COUNT, versions=_COUNT, sites=_COUNT,
        first=_TIMESTAMP, last=_TIMESTAMP, bytes=_COUNT, skipped={"type": "object", "additionalProperties": _COUNT},
    ),
    "Setting": _object(
        key=_TEXT, value=_ANY, default=_ANY, origin={"enum": ["default", "file", "environment", "option"]},
        unit=_TEXT, allowed=_TEXT, editable=_TRUTH, help=_TEXT,
    ),
    "Available": _object(url=_TEXT, archived_snapshots={"type": "object", "properties": {"closest": _object(
        available=_TRUTH, url=_TEXT, timestamp=_TIMESTAMP, status=_TEXT)}}),
    "CdxError": _object(error=_TEXT),
    "CdxPages": _object(pages=_COUNT, pageSize=_COUNT, blocks=_COUNT),
}  # fmt: skip


def _query(
    name: str, schema: Node = _TEXT, about: str = "", *, required: bool = False, example: Any = None
) -> Node:
    node: Node = {"name": name, "in": "query", "schema": schema}
    if about:
        node["description"] = about
    if required:
        node["required"] = True
    if example is not None:
        node["example"] = example
    return node


def _path(name: str, schema: Node, about: str, example: str) -> Node:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": schema,
        "description": about,
        "example": example,
    }


_PAGE = _path("url", {"type": "string", "minLength": 1},
              "address of an archived page, as it is or percent-encoded; a query belongs to it",
              "http://example.org/")  # fmt: skip
_JOB = _path("job", {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,60}$"}, "name of a crawl job", "01")
_SEARCH: list[Node] = [
    _query("q", about="query in the query language", example="archive"),
    _query("page", _COUNT_OR_NONE),
    _query("size", _COUNT_OR_NONE, "at most 1,000 are given"),
    _query("offset", _COUNT_OR_NONE, "in place of page"),
    _query("sort", {"enum": ["", *SORTS]}),
    _query("site", about="host, with those below it"),
    _query("type", about="media type"),
    _query("lang", about="language code"),
    _query("status", about="HTTP status"),
    _query("from", about="captured from then on: 2015, 201505, 20150503"),
    _query("to", about="captured up to then"),
    _query("fold", {"enum": ["", "0", "1"]}, "fold near-duplicates"),
]
_CDX: list[Node] = [
    _query("url", about="address, or example.org/* or *.example.org", required=True, example="example.org/*"),
    _query("matchType", {"enum": ["exact", "prefix", "host", "domain"]}),
    _query("from", _MOMENT_OR_NONE),
    _query("to", _MOMENT_OR_NONE),
    _query(
        "limit",
        {"type": "integer", "minimum": -999_999_999, "maximum": 999_999_999},
        "negative: the last ones",
    ),
    _query("sort", {"enum": list(CDX_SORTS)}),
    _query("closest", _MOMENT_OR_NONE, "with sort=closest"),
    _query("filter", _array(_TEXT) | {"maxItems": 10}, "[!][=~]FIELD:VALUE; expressions are RE2's"),
    _query("fl", about="fields, separated by commas"),
    _query("collapse", about="FIELD or FIELD:LENGTH"),
    _query("page", _WHOLE),
    _query("pageSize", {"type": "integer", "minimum": 1, "maximum": MOST_BLOCKS}, "in blocks of 3,000 lines"),
    _query("showNumPages", {"enum": ["true", "false"]}),
    _query("resumeKey", about="as an answer has given it"),
    _query("showResumeKey", {"enum": ["true", "false"]}),
]


def _answers(kind: str, schema: Node, about: str, *errors: int, error: str = "Error") -> Node:
    answers: Node = {"200": {"description": about, "content": {kind: {"schema": schema}}}}
    for status in errors:
        answers[str(status)] = {
            "description": _ERRORS[status],
            "content": {"application/json": {"schema": _ref(error)}},
        }
    return answers


_ERRORS = {400: "The request cannot be read", 404: "Not there", 414: "The address is too long",
           503: "There is no index, or it cannot be read now"}  # fmt: skip
_PLAIN = "text/plain"


def _door(summary: str, responses: Node, parameters: list[Node] | None = None, tag: str = "search") -> Node:
    # 401 comes from any door while a password is set
    refused = {"401": {"description": "A password is set, and none or a wrong one was sent"}}
    return {
        "get": {
            "summary": summary,
            "tags": [tag],
            "parameters": parameters or [],
            "responses": responses | refused,
        }
    }


def _doors() -> dict[str, Node]:
    json, xml = "application/json", "application/rss+xml"
    html_error: Node = {"description": "A page for people, or JSON for who accepts it"}
    size = _query("size", {"type": "integer", "minimum": 1, "maximum": 100})
    tree = [
        _query("view", {"enum": ["", *VIEWS]}),
        _query("facets", {"enum": ["", "0", "1"]}, "0: without facets"),
        _query("open"),
    ]
    graph = [
        *(parameter for parameter in _SEARCH if parameter["name"] in ("q", *FILTERS)),
        _query("url", about="the page in the middle; a query then only marks pages"),
        _query("depth", {"enum": ["", *DEPTHS]}, "how many links away pages may be; 1 with a url, else 0"),
        _query("level", {"enum": list(LEVELS)}),
    ]
    kind = _path("kind", {"enum": list(FILES)}, "form of the file", "gexf")
    files: Node = {
        "200": {"description": "as the address says", "content": {
            "application/gexf+xml": {"schema": _TEXT}, "text/csv": {"schema": _TEXT}, json: {"schema": _ref("Graph")},
        }},
        "400": html_error, "404": html_error, "414": html_error, "503": html_error,
    }  # fmt: skip
    when = _path(
        "when", {"type": "string", "pattern": r"^(\*|[0-9]{1,14})$"}, "* or how the timestamp begins", "*"
    )
    at = _path("timestamp", _MOMENT, "the capture nearest to it", "2015")
    form = _path("form", {"enum": ["link", "json", "cdxj"]}, "form of the TimeMap", "link")
    date = {"name": "Accept-Datetime", "in": "header", "schema": _TEXT, "description": "RFC 9110 date, GMT"}
    moved: Node = {"302": {"description": "Location is that of the capture"}}
    cdx = _answers("text/x-cdxj", _TEXT, "one line a capture", 400, 404, 503, error="CdxError")
    cdx["200"]["content"] |= {
        "text/x-ndjson": {"schema": _ANY}, "text/plain": {"schema": _TEXT}, json: {"schema": _ref("CdxPages")},
        "application/link-format": {"schema": _TEXT},
    }  # fmt: skip
    ia = _answers(_PLAIN, _TEXT, "one line a capture", 400, 503, error="CdxError")
    ia["200"]["content"][json] = {"schema": _array(_array(_TEXT))}
    timemaps = {
        "200": {"description": "all captures of the page", "content": {
            "application/link-format": {"schema": _TEXT}, json: {"schema": {"type": "object"}},
            "application/cdxj+ors": {"schema": _TEXT}}},
        "400": html_error, "404": html_error, "414": html_error,
    }  # fmt: skip
    timegate = {**moved, "400": html_error, "404": html_error, "414": html_error}
    captures = _answers(json, _ref("Captures"), "the captures of a page, oldest first", 400, 404, 414)
    details = _answers(json, _ref("Details"), "all about one capture", 400, 404, 414)
    payload: Node = {"200": {"description": "the stored payload, untouched", "content": {"*/*": {"schema": _ANY}}},
                     "206": {"description": "a range of it", "content": {"*/*": {"schema": _ANY}}},
                     "302": {"description": "to the exact time of the capture"},
                     "400": html_error, "404": html_error, "414": html_error}  # fmt: skip
    for status in ("301", "303", "307", "308", "403", "410", "416", "500"):
        payload[status] = {
            "description": "as the archived server answered",
            "content": {"*/*": {"schema": _ANY}},
        }
    output = _query("output", {"enum": ["cdxj", "json", "text", "link"]})
    return {
        "/search.json": _door("Search", _answers(json, _ref("Results"), "the best pages", 400, 503), _SEARCH + tree),
        "/search.csv": _door("Search, as a table", _answers("text/csv", _TEXT, "RFC 4180", 400, 503), _SEARCH),
        "/search.rss": _door("Search, as a feed", _answers(xml, _TEXT, "RSS 2.0", 400, 503), _SEARCH),
        "/search.wacz": _door(
            "Search, as a web archive with all that the pages need",
            _answers("application/wacz", {"type": "string", "format": "binary"}, "WACZ 1.1.1", 400, 404, 503)
            | {"413": {"description": "More than 300 MB"}, "403": {"description": "Asked for by another site"}},
            _SEARCH,
        ),
        "/similar.json": _door(
            "Pages like another one", _answers(json, _ref("Results"), "the best pages", 400, 503),
            [_query("url", required=True, example="http://example.org/")],
        ),
        "/graph.json": _door(
            "Links between the pages found, or around one page",
            _answers(json, _ref("Graph"), "up to 2,000 nodes and 20,000 links", 400, 414, 503), graph,
        ),
        "/graph-{kind}": _door(
            "The same as a file, up to 20,000 nodes and 200,000 links", files, [kind, *graph]
        ),
        "/compare.json": _door(
            "Two captures of a page", _answers(json, _ref("Comparison"), "what came and went", 400, 404, 414, 503),
            [
                _query("url", required=True, example="http://example.org/"),
                _query("a", about="TIMESTAMP or TIMESTAMP;d=DIGEST; the first capture by default"),
                _query("b", about="the last capture by default"),
                _query("phrase", about="the versions that hold it"),
                _query("view", {"enum": ["inline", "side"]}),
            ],
        ),
        "/suggest": _door(
            "Suggestions while typing",
            _answers("application/x-suggestions+json", {"type": "array", "minItems": 4, "maxItems": 4},
                     "what was typed, queries, what to show, addresses", 503),
            [_query("q", example="arch")],
        ),
        "/newest.json": _door(
            "Pages captured last", _answers(json, _object(hits=_array(_ref("Hit"))), "newest first", 400, 503), [size]
        ),
        "/newest.rss": _door("Pages captured last", _answers(xml, _TEXT, "RSS 2.0", 400, 503), [size]),
        "/opensearch.xml": _door(
            "OpenSearch description",
            _answers("application/opensearchdescription+xml", _TEXT, "how to search here"),
        ),
        "/statistics.json": _door("What the index holds", _answers(json, _ref("Totals"), "totals", 503)),
        "/captures/{when};view=json/{url}": _door("Captures of a page", captures, [when, _PAGE], "captures"),
        "/cached/{timestamp};view=json/{url}": _door("One capture", details, [at, _PAGE], "captures"),
        "/web/{timestamp}id_/{url}": _door("Stored payload", payload, [at, _PAGE], "captures"),
        "/cdx": _door(f"CDX server as pywb has it: {' '.join(PYWB_FIELDS)}", cdx, [*_CDX, output], "captures"),
        "/web/cdx": _door("The same, beside replay", cdx, [*_CDX, output], "captures"),
        "/cdx/search/cdx": _door(
            f"CDX server as the Internet Archive has it: {' '.join(IA_FIELDS)}",
            ia, [*_CDX, _query("output", {"enum": ["text", "json"]})], "captures",
        ),
        "/timegate/{url}": _door("Memento TimeGate", timegate, [_PAGE, date], "captures"),
        "/timemap/{form}/{url}": _door("Memento TimeMap", timemaps, [form, _PAGE], "captures"),
        "/wayback/available": _door(
            "The nearest capture",
            _answers(json, _ref("Available"), "archived_snapshots is empty if there is none", 400, error="CdxError"),
            [_query("url", required=True, example="http://example.org/"), _query("timestamp", _MOMENT_OR_NONE)],
            "captures",
        ),
        "/settings.json": _door(
            "Settings in force",
            _answers(json, _object(settings=_array(_ref("Setting"))), "without secrets"),
            tag="server",
        ),
        "/crawl.json": _door(
            "Crawl jobs", _answers(json, _object(jobs=_array(_ref("Job"))), "all jobs", 400),
            [_query("running", {"enum": ["", "0", "1"]}, "1: those that a process works on")], tag="crawls",
        ),
        "/crawl/{job}.json": _door(
            "One crawl, live", _answers(json, {"type": "object"}, "counts and rates", 404, 503), [_JOB], "crawls"
        ),
        "/crawl/{job}/graph.json": _door(
            "Graph of a crawl", _answers(json, _ref("Graph"), "nodes and links", 404),
            [_JOB, _query("level", {"enum": ["pages", "hosts"]})], "crawls",
        ),
        "/healthz": _door("Is the process there", _answers(_PLAIN, _TEXT, "ok"), tag="server"),
        "/readyz": _door(
            "Can it answer", _answers(_PLAIN, _TEXT, "ok")
            | {"503": {"description": "not now", "content": {_PLAIN: {"schema": _TEXT}}}}, tag="server",
        ),
        "/metrics": _door(
            "Counters for Prometheus", _answers(_PLAIN, _TEXT, "text format 0.0.4") | {"403": html_error}, tag="server"
        ),
        "/openapi.json": _door("This description", _answers(json, {"type": "object"}, "OpenAPI 3.1"), tag="server"),
    }  # fmt: skip


def describe() -> Node:
    """Return the whole description, without `servers`."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Finding Aid",
            "version": "1",
            "summary": "Full-text search and captures of a web archive",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "tags": [{"name": name} for name in ("search", "captures", "crawls", "server")],
        "paths": _doors(),
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {
                "password": {"type": "http", "scheme": "basic", "description": "if one is set"}
            },
        },
        "security": [{}, {"password": []}],
    }


@blueprint.get("/openapi.json")
@blueprint.get("/api/openapi.json", endpoint="below_api")
def show() -> Response:
    """Return the description, with the address that this server is reached by."""
    return as_json_response({**describe(), "servers": [{"url": base_url()}]})
