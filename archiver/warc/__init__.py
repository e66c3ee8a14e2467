"""The archive formats (WARC, ARC, WACZ) and nothing else.

Shared by the indexer, the crawler and the web front end, so it stays small and
imports none of our other packages. Public names are listed here.

    for item in read_records("0001.warc.gz"):       # Record or Damage
        ...
    record = read_record_at(location)               # later, one seek
    page = parse_response(record)                   # status, headers, decoded body
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import ArchiveError, LimitError, NotAnArchiveError, RecordError, UnreadableError
    from .httpmessage import HttpResponse, give_body, parse_head, parse_response, payload_sha1
    from .limits import DEFAULT_LIMITS, Limits
    from .mediatype import content_type_of, media_type_of
    from .reader import (
        ArchiveReader,
        find_record,
        read_packed_at,
        read_record_at,
        read_records,
    )
    from .record import Damage, Headers, Location, Record, RecordType, WholeRecord
    from .sniffing import HTML_TYPES, computed_type, may_be_page
    from .urls import base_of, canonical_url, capture_key, in_charset, resolve, surt_key, urlkey

# Imported when first asked for: who needs a media type or a place in a file needs no reader of archives.
_PLACES = {
    "errors": ("ArchiveError", "LimitError", "NotAnArchiveError", "RecordError", "UnreadableError"),
    "httpmessage": ("HttpResponse", "give_body", "parse_head", "parse_response", "payload_sha1"),
    "limits": ("DEFAULT_LIMITS", "Limits"),
    "mediatype": ("content_type_of", "media_type_of"),
    "reader": (
        "ArchiveReader",
        "find_record",
        "read_packed_at",
        "read_record_at",
        "read_records",
    ),
    "record": ("Damage", "Headers", "Location", "Record", "RecordType", "WholeRecord"),
    "sniffing": ("HTML_TYPES", "computed_type", "may_be_page"),
    "urls": ("base_of", "canonical_url", "capture_key", "in_charset", "resolve", "surt_key", "urlkey"),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return value


__all__ = [
    "DEFAULT_LIMITS",
    "HTML_TYPES",
    "ArchiveError",
    "ArchiveReader",
    "Damage",
    "Headers",
    "HttpResponse",
    "LimitError",
    "Limits",
    "Location",
    "NotAnArchiveError",
    "Record",
    "RecordError",
    "RecordType",
    "UnreadableError",
    "WholeRecord",
    "base_of",
    "canonical_url",
    "capture_key",
    "computed_type",
    "content_type_of",
    "find_record",
    "give_body",
    "in_charset",
    "may_be_page",
    "media_type_of",
    "parse_head",
    "parse_response",
    "payload_sha1",
    "read_packed_at",
    "read_record_at",
    "read_records",
    "resolve",
    "surt_key",
    "urlkey",
]
