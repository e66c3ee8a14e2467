"""Everything that is known about one record, for the Details tab of the cached page."""

from __future__ import annotations

from dataclasses import dataclass

from archiver.warc import ArchiveError, Headers, parse_response, read_record_at
from indexer import Capture, Index
from indexer.text.detection import language_of
from webui.limits import takes_much
from webui.stored import CONTROLS

MAX_FIELDS = 200
MAX_VALUE_CHARS = 4_000
MAX_SAME = 50

Field = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RecordDetails:
    """What the Details tab shows.

    problem: why the record cannot be read, "" when it can. record_fields, http_fields: as written, shortened.
    problems: what was not as declared. body_bytes: of the decoded payload. language: code, "" when unknown.
    same: other captures of the same content.
    """

    problem: str
    version: str
    record_fields: tuple[Field, ...]
    http_line: str
    http_fields: tuple[Field, ...]
    problems: tuple[str, ...]
    body_bytes: int
    language: str
    same: tuple[Capture, ...]


def record_details(index: Index, capture: Capture) -> RecordDetails:
    """Return the details of a capture; with `problem` set when its archive cannot be read."""
    # only payloads of the same content are the same page; a revisit and its original share the digest too
    others = index.captures_with_digest(capture.digest, MAX_SAME + 1)
    same = tuple(other for other in others if other.location != capture.location)[:MAX_SAME]
    try:
        with read_record_at(capture.location) as record:
            response = parse_response(record)
            version, fields = record.version, _shown(record.headers)
            truncated = record.truncated
        body_bytes = len(response.body) if response else 0
        problems = response.problems if response else ()
        has_head = response is not None and response.status
        line = (
            f"{response.version} {response.status} {response.reason}".strip() if response and has_head else ""
        )
        http_fields = _shown(response.headers) if response and has_head else ()
        del response  # the body, before the text of the page takes room as well
        takes_much(body_bytes)
        page = index.page_text(capture.original or capture.location)
    except (ArchiveError, OSError):
        return RecordDetails("unreadable", "", (), "", (), (), 0, "", same)
    if truncated:
        problems = (*problems, f"WARC-Truncated: {truncated}")
    return RecordDetails(
        "",
        version,
        fields,
        line,
        http_fields,
        problems,
        body_bytes,
        language_of(page) if page is not None else "",
        same,
    )


def _shown(headers: Headers) -> tuple[Field, ...]:
    shown: list[Field] = []
    for name, value in headers:
        if len(shown) == MAX_FIELDS:
            break
        shown.append((CONTROLS.sub(" ", name)[:200], CONTROLS.sub(" ", value)[:MAX_VALUE_CHARS]))
    return tuple(shown)
