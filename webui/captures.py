"""The captures of one address, as a calendar and as a list.

/captures/*/URL       all: years and months, then the captures
/captures/2015/URL    those of a year, a month (201505), a day
/captures/*;view=json/URL    the same for programs
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, make_response, render_template, request

from indexer import Capture
from webui.addresses import cached_address, parse_dated, raw_target
from webui.application import as_json_response, json_error, site
from webui.asked import wants_json_by_field
from webui.i18n import gettext as _
from webui.json_shapes import capture_as_json
from webui.next_steps import next_steps
from webui.stored import captures_of, is_other_spelling
from webui.timeline import calendar_of

blueprint = Blueprint("captures", __name__)

MAX_CAPTURES_SHOWN = 500
MAX_SPELLINGS = 20
MAX_CAPTURES_TOLD = 10_000  # to programs; those that want more ask the CDX server


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list. version: a number that equal contents share. is_first: the first time it was seen.

    digest: of the payload, where address and time alone do not name the capture; else "".
    """

    capture: Capture
    address: str
    version: int
    is_first: bool
    digest: str


@blueprint.get("/captures/<path:rest>")
def captures(rest: str) -> Response:
    target = parse_dated(raw_target(request.environ, "/captures/"))
    when, url = target.timestamp, target.url
    found = captures_of(url)
    if not found and (target.extras.view == "json" or wants_json_by_field()):
        return json_error(404, _("The archive holds no copy of this address."))
    if not found:
        page = render_template("not_archived.html", url=url, when="", captures=[], steps=next_steps(url))
        return make_response(page, 404)
    rows = _rows(found, target.extras.query)
    chosen = [row for row in rows if when == "*" or row.capture.timestamp.startswith(when)]
    if target.extras.view == "json" or wants_json_by_field():
        return _as_json(url, when, chosen, found)
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
        spellings=_other_spellings(url, found)[:MAX_SPELLINGS],
        years=calendar_of(found),
        statuses=sorted(statuses.items()),
    )
    return make_response(page, 200 if chosen else 404)


def _other_spellings(url: str, found: list[Capture]) -> list[str]:
    """Return the addresses of the captures when they are of other spellings than the one asked for."""
    if not is_other_spelling(url, found[0].url):
        return []
    return list(dict.fromkeys(capture.url for capture in found))


def _as_json(url: str, when: str, chosen: list[Row], found: list[Capture]) -> Response:
    archives, root = site().settings.archives_path, request.script_root
    answer = {
        "url": url,
        "when": when,
        "other_spellings": _other_spellings(url, found)[:MAX_SPELLINGS],
        "total": len(found),
        "chosen": len(chosen),
        "captures": [
            capture_as_json(row.capture, archives, root, row.digest) | {"version": row.version}
            for row in chosen[:MAX_CAPTURES_TOLD]
        ],
    }
    return as_json_response(answer)


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
        rows.append(Row(capture, address, number, is_first, digest))
    return rows
