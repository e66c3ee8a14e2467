"""The captures of one address, as a calendar and as a list.

/captures/*/URL       all: years and months, then the captures
/captures/2015/URL    those of a year, a month (201505), a day
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, make_response, render_template, request

from indexer import Capture
from webui.addresses import cached_address, parse_dated, raw_target
from webui.stored import can_be_crawled, captures_of
from webui.timeline import calendar_of

blueprint = Blueprint("captures", __name__)

MAX_CAPTURES_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list. version: a number that equal contents share. is_first: the first time it was seen."""

    capture: Capture
    address: str
    version: int
    is_first: bool


@blueprint.get("/captures/<path:rest>")
def captures(rest: str) -> Response:
    target = parse_dated(raw_target(request.environ, "/captures/"))
    when, url = target.timestamp, target.url
    found = captures_of(url)
    if not found:
        page = render_template(
            "not_archived.html", url=url, when="", captures=[], can_be_crawled=can_be_crawled(url)
        )
        return make_response(page, 404)
    rows = _rows(found, target.extras.query)
    chosen = [row for row in rows if when == "*" or row.capture.timestamp.startswith(when)]
    statuses: dict[int, int] = {}
    for row in chosen:
        statuses[row.capture.status] = statuses.get(row.capture.status, 0) + 1
    page = render_template(
        "captures.html",
        url=url,
        when=when,
        rows=chosen[:MAX_CAPTURES_SHOWN],
        chosen=len(chosen),
        total=len(found),
        versions=len({row.version for row in rows}),
        years=calendar_of(found),
        statuses=sorted(statuses.items()),
    )
    return make_response(page, 200 if chosen else 404)


def _rows(found: list[Capture], query: str) -> list[Row]:
    numbers: dict[str, int] = {}
    of_second: dict[str, set[str]] = {}
    for capture in found:
        of_second.setdefault(capture.timestamp, set()).add(capture.digest)
    rows = []
    for capture in found:
        is_first = capture.digest not in numbers
        number = numbers.setdefault(capture.digest, len(numbers) + 1)
        digest = capture.digest if len(of_second[capture.timestamp]) > 1 else ""
        address = cached_address(
            capture.url, capture.timestamp, request.script_root, query=query, digest=digest
        )
        rows.append(Row(capture, address, number, is_first))
    return rows
