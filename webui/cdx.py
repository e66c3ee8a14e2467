"""CDX servers: which captures there are, for other programs, in two dialects.

    /cdx, /web/cdx            as pywb speaks it; its `cdx+http` source finds the records below /web/
    /cdx/search/cdx           as the Internet Archive speaks it

Both read the same parameters and each other's field names. An answer is written as it is read from the
index, and holds at most MOST_LINES lines; a resume key leads on. Captures without a date are left out: no
client can read a line without one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import re2
from flask import Blueprint, Response, make_response, request, stream_with_context

from indexer.listing import MATCHES, KeyRange, ListedCapture
from webui.addresses import replay_address, with_scheme
from webui.application import site
from webui.errors import BusyError
from webui.limits import Place, Slots
from webui.memento import base_url

blueprint = Blueprint("cdx", __name__)

MOST_LINES = 150_000
PAGE_LINES = 3_000  # lines in a block; a page is PAGE_BLOCKS of them unless told otherwise
PAGE_BLOCKS = 10
MOST_BLOCKS = 50
MOST_FILTERS = 10
MOST_CLOSEST = 10_000
SORTS = ("", "default", "reverse", "closest")
_TIMESTAMP = re.compile(r"\d{1,14}")
PYWB_FIELDS = ("urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename")
IA_FIELDS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
_FIELDS: dict[str, Callable[[ListedCapture], str]] = {
    "urlkey": lambda c: c.key,
    "timestamp": lambda c: c.timestamp,
    "url": lambda c: _one_word(c.url),
    "mime": lambda c: "warc/revisit" if c.type == "revisit" else _one_word(c.mime) or "-",
    "status": lambda c: str(c.status) if c.status else "-",
    "digest": lambda c: _one_word(c.digest.removeprefix("sha1:")) or "-",
    "length": lambda c: str(c.length),
    "offset": lambda c: str(c.offset),
    "filename": lambda c: _one_word((c.member or c.file).rpartition("/")[2]) or "-",
}
_ALIASES = {"original": "url", "mimetype": "mime", "statuscode": "status", "file": "filename"}
_long_lists = Slots(3, "long lists")
_FILTER = re.compile(r"(!?)([=~]?)([a-z]+):(.*)", re.DOTALL)


class CdxError(ValueError):
    """A request that cannot be meant; the text says why."""


@dataclass(frozen=True, slots=True)
class CdxQuery:
    """What a CDX request asks for, checked."""

    keys: KeyRange
    dialect: str
    fields: tuple[str, ...]
    output: str
    first: str = ""
    last: str = ""
    after: tuple[str, str, int] | None = None
    newest_first: bool = False
    closest: str = ""
    limit: int = MOST_LINES
    skip: int = 0
    show_resume_key: bool = False
    collapse: tuple[str, int] | None = None
    tests: tuple[Callable[[ListedCapture], bool], ...] = field(default=())
    url: str = ""


@blueprint.get("/cdx")
@blueprint.get("/web/cdx", endpoint="beside_replay")
def pywb() -> Response:
    return _answer("pywb")


@blueprint.get("/cdx/search/cdx")
def internet_archive() -> Response:
    return _answer("ia")


def _answer(dialect: str) -> Response:
    try:
        query = parse_query(request.args.to_dict(flat=False), dialect)
        # long lists leave threads for others; so do their lengths, and the search for the first line of one
        place = _long_lists.take() if query.keys.high else None
    except CdxError as error:
        return _json({"error": str(error)}, 400)
    except BusyError as error:
        refused = _json({"error": str(error)}, 503)
        refused.headers["Retry-After"] = "5"
        return refused
    captures = _matching(query)
    with place or nullcontext():
        try:
            if request.args.get("showNumPages", "").lower() in ("true", "1"):
                return _number_of_pages(query)
            if query.skip and query.skip >= _count(query):
                # clients go from page to page until they hear this
                raise CdxError("page: there is no such page")
        except CdxError as error:
            return _json({"error": str(error)}, 400)
        head = next(captures, None)
        if head is None and dialect == "pywb":
            return _json({"error": f"No Captures found for: {query.url}"}, 404)
        kept = place.pass_on() if place else None
    content_type = {"json": "text/x-ndjson" if dialect == "pywb" else "application/json", "cdxj": "text/x-cdxj",
                    "link": "application/link-format"}.get(query.output, "text/plain")  # fmt: skip
    pieces = _giving_back(_in_pieces(_lines(query, head, captures)), kept)
    response = Response(stream_with_context(pieces), content_type=f"{content_type}; charset=utf-8")
    if kept:
        response.call_on_close(kept.give_back)  # also when the client went away before the first piece
    return response


def _giving_back(pieces: Iterator[bytes], place: Place | None) -> Iterator[bytes]:
    with place or nullcontext():
        yield from pieces


def parse_query(arguments: dict[str, list[str]], dialect: str) -> CdxQuery:
    """Read the parameters of a request; raises CdxError."""
    one = {name: values[-1].strip() for name, values in arguments.items()}
    url = one.get("url", "")
    match = one.get("matchType", "").lower()
    if not url:
        raise CdxError("url: the address to look up is missing")
    if url.startswith("*."):
        url, match = url[2:], match or "domain"
    elif url.endswith("*"):
        url, match = url[:-1], match or "prefix"
    match = match or "exact"
    if match not in MATCHES:
        raise CdxError(f"matchType: {match[:40]!r} is unknown; there are {', '.join(MATCHES)}")
    try:
        keys = KeyRange.of(with_scheme(url), match)
    except ValueError as error:
        raise CdxError(f"url: {error}") from error
    names = one.get("fl") or one.get("fields") or ""
    fields = tuple(_field(name) for name in names.split(",") if name.strip()) if names else ()
    if one.get("sort", "").lower() not in SORTS:
        raise CdxError(f"sort: {one['sort'][:40]!r} is unknown; there are {', '.join(SORTS[1:])}")
    newest_first = one.get("sort", "").lower() == "reverse"
    limit = _number(one, "limit", MOST_LINES, negative=True)
    if limit < 0:
        newest_first, limit = not newest_first, -limit
    closest = one.get("closest", "")
    if closest and not _TIMESTAMP.fullmatch(closest):
        raise CdxError(f"closest: expected up to 14 digits, found {closest[:30]!r}")
    pages = _page(one)
    return CdxQuery(
        keys=keys,
        dialect=dialect,
        fields=fields or (PYWB_FIELDS if dialect == "pywb" else tuple(map(_field, IA_FIELDS))),
        output=_output(one, dialect),
        first=_bound(one, "from", "0"),
        last=_bound(one, "to", "9"),
        after=_resume_key(one.get("resumeKey", "")),
        newest_first=newest_first,
        closest=closest
        if match == "exact" and (closest and one.get("sort", "closest").lower() == "closest")
        else "",
        limit=min(limit, pages[1] if pages else MOST_LINES, MOST_LINES),
        skip=pages[0] if pages else 0,
        show_resume_key=one.get("showResumeKey", "").lower() in ("true", "1"),
        collapse=_collapse(one.get("collapse", "")),
        tests=_tests(arguments.get("filter", []), dialect),
        url=url,
    )


def _output(one: dict[str, str], dialect: str) -> str:
    output = one.get("output", "").lower() or ("cdxj" if dialect == "pywb" else "text")
    allowed = ("cdxj", "json", "text", "link") if dialect == "pywb" else ("text", "json")
    if output not in allowed:
        raise CdxError(f"output: {output[:40]!r} is unknown; there are {', '.join(allowed)}")
    return output


def _field(name: str) -> str:
    name = name.strip().lower()
    known = _ALIASES.get(name, name)
    if known not in _FIELDS:
        raise CdxError(f"field {name[:40]!r} is unknown; there are {', '.join(_FIELDS)}")
    return known


def _number(one: dict[str, str], name: str, default: int, *, negative: bool = False) -> int:
    text = one.get(name, "")
    if not text:
        return default
    if not re.fullmatch(r"-?\d{1,9}" if negative else r"\d{1,9}", text, re.ASCII):
        raise CdxError(f"{name}: expected a whole number, found {text[:30]!r}")
    return int(text)


def _bound(one: dict[str, str], name: str, filling: str) -> str:
    text = one.get(name, "")
    if text and not _TIMESTAMP.fullmatch(text):
        raise CdxError(f"{name}: expected up to 14 digits, found {text[:30]!r}")
    return text.ljust(14, filling) if text else ""


def _page(one: dict[str, str]) -> tuple[int, int] | None:
    """Return (lines to skip, lines) of the page asked for; None when no page is asked for."""
    blocks = _number(one, "pageSize", PAGE_BLOCKS)
    if not 1 <= blocks <= MOST_BLOCKS:
        raise CdxError(f"pageSize: expected 1 to {MOST_BLOCKS}, found {blocks}")
    if "page" not in one:
        return None
    return _number(one, "page", 0) * blocks * PAGE_LINES, blocks * PAGE_LINES


def _collapse(text: str) -> tuple[str, int] | None:
    if not text:
        return None
    name, _, length = text.partition(":")
    if length and not re.fullmatch(r"\d{1,4}", length, re.ASCII):
        raise CdxError(f"collapse: expected FIELD or FIELD:LENGTH, found {text[:40]!r}")
    return _field(name), int(length or 0)


def _resume_key(text: str) -> tuple[str, str, int] | None:
    if not text:
        return None
    key, timestamp, number = (text.rsplit("+", 2) + ["", ""])[:3]
    if not (timestamp.isdigit() or timestamp == "") or not re.fullmatch(r"\d{1,15}", number, re.ASCII):
        raise CdxError("resumeKey: expected one that an answer has given")
    return key, timestamp, int(number)


def _tests(filters: list[str], dialect: str) -> tuple[Callable[[ListedCapture], bool], ...]:
    if len(filters) > MOST_FILTERS:
        raise CdxError(f"filter: at most {MOST_FILTERS}, found {len(filters)}")
    return tuple(_test(text, dialect) for text in filters if text)  # a form sends an empty one


def _test(text: str, dialect: str) -> Callable[[ListedCapture], bool]:
    """Return the test of one filter: [!][=|~]FIELD:VALUE; without a mark pywb means "contains", IA a regex."""
    parts = _FILTER.fullmatch(text)
    if not parts:
        raise CdxError(f"filter: expected [!]FIELD:VALUE, found {text[:60]!r}")
    wanted = not parts[1]
    value_of = _FIELDS[_field(parts[3])]
    expected = parts[4]
    if parts[2] == "=":
        return lambda c: (value_of(c) == expected) == wanted
    if not parts[2] and dialect == "pywb":
        return lambda c: (expected in value_of(c)) == wanted
    try:
        pattern = re2.compile(expected[:1000])
    except re2.error as error:
        raise CdxError(f"filter: {expected[:60]!r} is no regular expression: {error}") from error
    if dialect == "ia":
        return lambda c: bool(pattern.fullmatch(value_of(c))) == wanted
    return lambda c: bool(pattern.match(value_of(c))) == wanted


def _matching(query: CdxQuery) -> Iterator[ListedCapture]:
    """Yield the captures that fit, in order, up to the limit."""
    if query.closest:
        yield from _nearest(query)
        return
    given = skipped = 0
    last_value: str | None = None
    for capture in _all(query):
        if not all(test(capture) for test in query.tests):
            continue
        if query.collapse:
            value = _FIELDS[query.collapse[0]](capture)
            value = value[: query.collapse[1]] if query.collapse[1] else value
            if value == last_value:
                continue
            last_value = value
        if skipped < query.skip:
            skipped += 1
            continue
        yield capture
        given += 1
        if given >= query.limit:
            return


def _all(query: CdxQuery, most: int | None = None) -> Iterator[ListedCapture]:
    after = query.after
    seen = 0
    while most is None or seen < most:
        with site().index_access.lease() as index:
            piece = index.list_captures(
                query.keys, first=query.first, last=query.last, after=after, newest_first=query.newest_first
            )
        if not piece:
            return
        yield from (capture for capture in piece if capture.timestamp)
        seen += len(piece)
        after = piece[-1].cursor


def _nearest(query: CdxQuery) -> Iterator[ListedCapture]:
    wanted = int(query.closest.ljust(14, "0"))
    fitting = [c for c in _all(query, MOST_CLOSEST) if all(test(c) for test in query.tests)]
    fitting.sort(key=lambda c: abs(int(c.timestamp) - wanted))
    yield from fitting[: query.limit]


def _lines(query: CdxQuery, head: ListedCapture | None, rest: Iterator[ListedCapture]) -> Iterator[str]:
    write = _writer(query)
    last = head
    is_table = query.dialect == "ia" and query.output == "json"
    if is_table:
        names = {new: old for old, new in _ALIASES.items() if old in IA_FIELDS}
        yield "[" + (json.dumps([names.get(name, name) for name in query.fields]) if head else "")
    given = 0
    while head is not None:
        yield (",\n" if is_table else "") + write(head)
        last, head, given = head, next(rest, None), given + 1
    if query.show_resume_key and last is not None and given >= query.limit:
        key = "+".join(map(str, last.cursor))
        yield f",\n[],\n{json.dumps([key])}" if is_table else f"\n{key}\n"
    if is_table:
        yield "]\n"


def _writer(query: CdxQuery) -> Callable[[ListedCapture], str]:
    def values(c: ListedCapture) -> list[str]:
        return [_FIELDS[name](c) for name in query.fields]

    if query.output == "json" and query.dialect == "ia":
        return lambda c: json.dumps(values(c), ensure_ascii=False)
    if query.output == "json":
        return lambda c: (
            json.dumps(dict(zip(query.fields, values(c), strict=True)), ensure_ascii=False) + "\n"
        )
    if query.output == "link":
        base = base_url()
        return lambda c: (
            f'<{base}{replay_address(c.url, c.timestamp)}>; rel="memento"; datetime="{c.timestamp}",\n'
        )
    if query.output == "text":
        return lambda c: " ".join(values(c)) + "\n"
    fields = tuple(name for name in query.fields if name not in ("urlkey", "timestamp"))

    def cdxj(c: ListedCapture) -> str:
        block: dict[str, Any] = {name: value for name in fields if (value := _FIELDS[name](c)) != "-"}
        return f"{c.key} {c.timestamp} {json.dumps(block, ensure_ascii=False)}\n"

    return cdxj


def _number_of_pages(query: CdxQuery) -> Response:
    blocks = _number(request.args.to_dict(), "pageSize", PAGE_BLOCKS)
    lines = _count(query)
    pages = -(-lines // (blocks * PAGE_LINES))
    if query.dialect == "ia":
        response = make_response(f"{pages}\n")
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        return response
    return _json({"pages": pages, "pageSize": blocks, "blocks": -(-lines // PAGE_LINES)}, 200)


def _count(query: CdxQuery) -> int:
    with site().index_access.lease() as index:
        return index.count_captures(query.keys, first=query.first, last=query.last)


def _in_pieces(lines: Iterator[str]) -> Iterator[bytes]:
    """Join lines to pieces of about 32 kB."""
    piece: list[str] = []
    size = 0
    for line in lines:
        piece.append(line)
        size += len(line)
        if size > 1 << 15:
            yield "".join(piece).encode("utf-8", "replace")
            piece, size = [], 0
    yield "".join(piece).encode("utf-8", "replace")


def _one_word(text: str) -> str:
    """Return a text that is one field of a line: blanks and controls are percent-encoded."""
    return re.sub(r"[\x00-\x20\x7f-\xa0\u2028\u2029]", lambda found: f"%{ord(found[0]) & 0xFF:02X}", text)


def _json(value: dict[str, Any], status: int) -> Response:
    response = make_response(json.dumps(value, ensure_ascii=False) + "\n", status)
    response.headers["Content-Type"] = "application/json; charset=utf-8"
    return response
