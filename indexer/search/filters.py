"""Which versions of a segment a filter means: hosts, languages, and what stands in the capture columns.

Captures: filters on date, status and type that stand side by side ask for one capture that fits them all, so
each is first a mask over the captures of the segment.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from indexer.search.nodes import (
    And,
    Captured,
    CaptureFilter,
    Group,
    Language,
    Node,
    Or,
    Status,
    Type,
)
from indexer.store.segment import Segment
from indexer.store.snapshot import LiveSegment
from indexer.store.timeline import CaptureColumns

Mask = NDArray[np.bool_]

_TYPES = {
    "text": ("text/plain",),
    "pdf": ("application/pdf", "application/x-pdf"),
    "xml": ("text/xml", "application/xml"),
    "feed": ("application/rss+xml", "application/atom+xml"),
    "js": ("text/javascript", "application/javascript", "application/x-javascript"),
    "json": ("application/json", "application/ld+json"),
    "word": (
        "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    "excel": (
        "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    "powerpoint": (
        "application/vnd.ms-powerpoint",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
}
_FAMILIES = frozenset({"image", "audio", "video", "font", "application", "message", "multipart", "model"})


def site_mask(host: str, segment: Segment) -> Mask:
    """Return for each version whether its host is `host` or lies below it."""
    hosts = {host, _in_ascii(host)}
    ends = tuple("." + name for name in hosts)
    wanted = [name in hosts or name.endswith(ends) for name in segment.hosts()]
    mask: Mask = np.asarray(wanted, dtype=bool)[segment.host]
    return mask


def _in_ascii(host: str) -> str:
    """Return a host as addresses spell it: bücher.example is xn--bcher-kva.example there."""
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def language_mask(node: Language, segment: Segment) -> Mask:
    """Return for each version whether it is in a language."""
    wanted = [name == node.code for name in segment.languages]
    mask: Mask = np.asarray(wanted, dtype=bool)[segment.language]
    return mask


# ---------------------------------------------------------------- captures


def is_about_captures(node: Node) -> bool:
    """Tell whether a part of a query asks for nothing but captures of a date, status or type."""
    if isinstance(node, Group):
        return all(is_about_captures(part) for part in node.parts)
    return isinstance(node, CaptureFilter)


def captures_mask(nodes: list[Node], live: LiveSegment) -> Mask:
    """Return for each version whether one of its captures fits all of these nodes, each about captures."""
    columns = live.captures
    rows = np.ones(len(columns), dtype=bool)
    for node in nodes:
        rows &= _rows(node, columns)
    return any_row(rows, columns)


def any_row(rows: Mask, columns: CaptureColumns) -> Mask:
    """Return for each version whether one of its rows is marked."""
    before = np.append(0, np.cumsum(rows))
    ends = columns.ends.astype(np.int64)
    marked: Mask = before[ends] > before[np.append(0, ends)[: len(ends)]]
    return marked


def _rows(node: Node, columns: CaptureColumns) -> Mask:
    match node:
        case And() | Or():
            join = np.logical_and if isinstance(node, And) else np.logical_or
            rows = _rows(node.parts[0], columns)
            for part in node.parts[1:]:
                join(rows, _rows(part, columns), out=rows)
            return rows
        case Captured():
            # an unknown date, 0, is in no period
            moments = columns.timestamp
            inside: Mask = (moments >= np.uint64(max(node.first, 1))) & (moments <= np.uint64(node.last))
            return inside
        case Status():
            fits = _statuses(node.digits)
            status = columns.status
            known: Mask = (status < 1000) & fits[np.minimum(status, 999)]
            return known
        case Type():
            of_mime = np.array([is_type(node.name, mime) for mime in columns.mimes], dtype=bool)
            typed: Mask = of_mime[columns.mime]
            return typed
        case _:
            raise TypeError(f"{node!r} is not about captures")


@lru_cache(maxsize=64)
def _statuses(digits: str) -> Mask:
    """Return for each number below 1000 whether it is one of the statuses that `status:` names."""
    return np.array([_is_status(digits, number) for number in range(1000)])


def _is_status(digits: str, status: int) -> bool:
    # a capture without a status has none that could be asked for
    return status > 0 and all(d in ("x", s) for d, s in zip(digits, f"{status:03}", strict=True))


def is_type(name: str, mime: str) -> bool:
    """Tell whether a media type is what `type:` names: html, image, a subtype, a media type, or the start of one."""
    mime = mime.partition(";")[0].strip().lower()
    if name in _TYPES:
        return mime in _TYPES[name]
    if name == "html":
        from archiver.warc import HTML_TYPES

        return mime in HTML_TYPES
    if "/" in name:
        return mime.startswith(name[:-1]) if name.endswith("*") else mime == name
    main, _, sub = mime.partition("/")
    return main == name if name in _FAMILIES else sub.removeprefix("x-") == name
