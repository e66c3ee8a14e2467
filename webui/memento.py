"""Memento (RFC 7089): which captures of a page there are, and the one nearest to a date; the availability call.

/timegate/URL, /web/URL           TimeGate: Accept-Datetime -> 302 to the capture
/timemap/FORMAT/URL               TimeMap; FORMAT is link, json or cdxj; also below /web/
/wayback/available?url=           what browser extensions ask
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from flask import Blueprint, Response, make_response, request

from indexer import Around, Capture, Index
from indexer.listing import KeyRange, ListedCapture
from webui.addresses import archived_url, quote_url, raw_target, replay_address
from webui.application import error_response, redirect_to, site
from webui.errors import BadAddressError
from webui.i18n import gettext as _

blueprint = Blueprint("memento", __name__)

MOST_IN_MAP = 10_000
_FORMATS = {"link": "application/link-format", "json": "application/json", "cdxj": "application/cdxj+ors"}


@blueprint.get("/timegate/<path:rest>")
def timegate(rest: str) -> Response:
    del rest
    return answer_timegate(archived_url(raw_target(request.environ, "/timegate/")))


def answer_timegate(url: str) -> Response:
    """Return the redirect to the capture nearest to Accept-Datetime, to the newest without one."""
    asked = request.headers.get("Accept-Datetime", "").strip()
    wanted = _timestamp_of(asked) if asked else None
    if asked and wanted is None:
        response = error_response(
            400, _("That date cannot be read"),
            _("Accept-Datetime: expected a date such as Thu, 31 May 2007 20:35:00 GMT."),
        )  # fmt: skip
        response.headers["Vary"] = "accept-datetime"
        return response
    with site().index_access.lease() as index:
        found = neighbours(index, url, wanted or "")
    if found is None:
        response = error_response(404, _("Not archived"), _("The archive holds no copy of this address."))
        response.headers["Vary"] = "accept-datetime"
        return response
    redirected = redirect_to(replay_address(found.url, found.timestamp, "mp_", request.script_root), 302)
    redirected.headers["Vary"] = "accept-datetime"
    redirected.headers["Link"] = link_header(found.url, found)
    return redirected


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The capture nearest to a moment, and when else its page was captured."""

    url: str
    timestamp: str
    around: Around


def neighbours(index: Index, url: str, timestamp: str) -> Neighbours | None:
    """Return the capture nearest to a timestamp ("" for the newest) among those of a page; None if there is none."""
    capture = index.closest(url, timestamp or None)
    return neighbours_of(index, capture) if capture is not None else None


def neighbours_of(index: Index, capture: Capture) -> Neighbours | None:
    """Return a capture as the one in the middle; None for one without a date."""
    if not capture.timestamp:
        return None
    return Neighbours(capture.url, capture.timestamp, index.around(capture.url, capture.timestamp))


def link_header(url: str, near: Neighbours | None = None) -> str:
    """Return the Link field of a capture or TimeGate: the original, the doors, and the captures around it."""
    root = base_url()
    links = [
        f'<{quote_url(url)}>; rel="original"',
        f'<{root}/timegate/{quote_url(url)}>; rel="timegate"',
        f'<{root}/timemap/link/{quote_url(url)}>; rel="timemap"; type="application/link-format"',
    ]
    if near is not None:
        relations: dict[str, list[str]] = {}
        there = near.around
        for timestamp, name in ((there.first, "first"), (there.previous, "prev"), (near.timestamp, ""),
                                (there.following, "next"), (there.last, "last")):  # fmt: skip
            if timestamp:
                relations.setdefault(timestamp, []).extend([name] if name else [])
        for timestamp, names in relations.items():
            when = http_date(timestamp)
            if when:
                relation = " ".join([*names, "memento"])
                links.append(f'<{root}{replay_address(url, timestamp)}>; rel="{relation}"; datetime="{when}"')
    return ", ".join(links)


@blueprint.get("/timemap/<path:rest>")
@blueprint.get("/web/timemap/<path:rest>", endpoint="timemap_below_web")
def timemap(rest: str) -> Response:
    del rest
    prefix = "/web/timemap/" if request.path.startswith("/web/") else "/timemap/"
    form, _slash, target = raw_target(request.environ, prefix).partition("/")
    if form not in _FORMATS:
        return error_response(404, _("Nothing here"), _("A time map is link, json or cdxj."))
    start, slash, url = target.partition("/")
    if not (slash and start.isascii() and start.isdigit() and len(start) == 14):
        start, url = "", target
    url = archived_url(url)
    with site().index_access.lease() as index:
        captures = _map(index, index.range_of(url), start)
    if not captures:
        return error_response(404, _("Not archived"), _("The archive holds no copy of this address."))
    more = captures[MOST_IN_MAP].timestamp if len(captures) > MOST_IN_MAP else ""
    captures = captures[:MOST_IN_MAP]
    write = {"link": _as_links, "json": _as_json, "cdxj": _as_cdxj}[form]
    response = make_response("".join(write(url, captures, start, more)))
    response.headers["Content-Type"] = f"{_FORMATS[form]}; charset=utf-8"
    return response


def _map(index: Index, keys: KeyRange, start: str) -> list[ListedCapture]:
    """Return the captures of a page from `start` on, one a second, at most one more than a map holds."""
    found: list[ListedCapture] = []
    after = None
    while len(found) <= MOST_IN_MAP:
        piece = index.list_captures(keys, first=start, after=after)
        if not piece:
            break
        after = piece[-1].cursor
        for capture in piece:
            if capture.timestamp and not (found and found[-1].timestamp == capture.timestamp):
                found.append(capture)
    return found[: MOST_IN_MAP + 1]


def _as_links(url: str, captures: list[ListedCapture], start: str, more: str) -> Iterator[str]:
    root = base_url()
    first, last = captures[0].timestamp, captures[-1].timestamp
    here = f"{root}/timemap/link/{start + '/' if start else ''}{quote_url(url)}"
    yield f'<{quote_url(url)}>; rel="original",\n'
    yield (
        f'<{here}>; rel="self"; type="application/link-format"; from="{http_date(first)}"; until="{http_date(last)}",\n'
    )
    yield f'<{root}/timegate/{quote_url(url)}>; rel="timegate"'
    if more:
        yield f',\n<{root}/timemap/link/{more}/{quote_url(url)}>; rel="timemap"; type="application/link-format"; '
        yield f'from="{http_date(more)}"'
    for number, capture in enumerate(captures):
        names = ["first"] * (number == 0 and not start) + ["last"] * (
            number == len(captures) - 1 and not more
        )
        relation = " ".join([*names, "memento"])
        address = root + replay_address(capture.url, capture.timestamp)
        yield f',\n<{address}>; rel="{relation}"; datetime="{http_date(capture.timestamp)}"'
    yield "\n"


def _as_json(url: str, captures: list[ListedCapture], start: str, more: str) -> Iterator[str]:
    root = base_url()
    entries = [
        {"datetime": iso_date(c.timestamp), "uri": root + replay_address(c.url, c.timestamp)}
        for c in captures
    ]
    maps = {name: f"{root}/timemap/{name}/{quote_url(url)}" for name in _FORMATS}
    value: dict[str, object] = {
        "original_uri": url,
        "timegate_uri": f"{root}/timegate/{quote_url(url)}",
        "timemap_uri": {f"{name}_format": address for name, address in maps.items()},
        "mementos": {"first": entries[0], "last": entries[-1], "list": entries},
    }
    if more:
        value["timemap_index"] = [
            {"from": iso_date(more), "uri": f"{root}/timemap/json/{more}/{quote_url(url)}"}
        ]
    yield json.dumps(value, ensure_ascii=False) + "\n"


def _as_cdxj(url: str, captures: list[ListedCapture], start: str, more: str) -> Iterator[str]:
    root = base_url()
    yield '!context ["http://tools.ietf.org/html/rfc7089"]\n'
    yield (
        "!id "
        + json.dumps({"uri": f"{root}/timemap/cdxj/{start + '/' if start else ''}{quote_url(url)}"})
        + "\n"
    )
    yield '!keys ["memento_datetime_YYYYMMDDhhmmss"]\n'
    yield "!meta " + json.dumps({"original_uri": url}, ensure_ascii=False) + "\n"
    yield "!meta " + json.dumps({"timegate_uri": f"{root}/timegate/{quote_url(url)}"}) + "\n"
    if more:
        yield "!meta " + json.dumps({"next_timemap": f"{root}/timemap/cdxj/{more}/{quote_url(url)}"}) + "\n"
    for number, capture in enumerate(captures):
        names = ["first"] * (number == 0 and not start) + ["last"] * (
            number == len(captures) - 1 and not more
        )
        block = {
            "uri": root + replay_address(capture.url, capture.timestamp),
            "rel": " ".join([*names, "memento"]),
            "datetime": http_date(capture.timestamp),
        }
        yield f"{capture.timestamp} {json.dumps(block)}\n"


@blueprint.get("/wayback/available")
def available() -> Response:
    url = request.args.get("url", "").strip()
    asked = request.args.get("timestamp", "").strip()
    if not url or (asked and not (asked.isascii() and asked.isdigit() and len(asked) <= 14)):
        response = make_response(
            json.dumps({"error": "url and, if given, a timestamp of up to 14 digits"}), 400
        )
        response.headers["Content-Type"] = "application/json; charset=utf-8"
        return response
    found = None
    with suppress(BadAddressError), site().index_access.lease() as index:
        found = index.closest(archived_url(url), asked or None)
    closest: dict[str, object] = {}
    if found is not None:
        closest["closest"] = {
            "available": True,
            "url": base_url() + replay_address(found.url, found.timestamp, ""),
            "timestamp": found.timestamp,
            "status": str(found.status or 200),
        }
    answer = {"url": url, **({"timestamp": asked} if asked else {}), "archived_snapshots": closest}
    response = make_response(json.dumps(answer, ensure_ascii=False))
    response.headers["Content-Type"] = "application/json; charset=utf-8"
    return response


def base_url() -> str:
    """Return what the addresses in answers to programs begin with."""
    configured = site().settings.server.base_url.rstrip("/")
    return configured or request.host_url.rstrip("/") + request.script_root


def http_date(timestamp: str) -> str:
    """Return a timestamp of 14 digits as RFC 9110 writes dates; "" for what is no date."""
    try:
        moment = datetime.strptime(timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return ""
    return format_datetime(moment, usegmt=True)


def iso_date(timestamp: str) -> str:
    """Return a timestamp of 14 digits as RFC 3339 writes dates; "" for what is no date."""
    try:
        return datetime.strptime(timestamp, "%Y%m%d%H%M%S").strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return ""


def _timestamp_of(text: str) -> str | None:
    try:
        moment = parsedate_to_datetime(text[:100])
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        return None  # RFC 7089 wants GMT
    return moment.astimezone(UTC).strftime("%Y%m%d%H%M%S")
