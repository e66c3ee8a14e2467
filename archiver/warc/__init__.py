"""The archive formats (WARC, ARC, WACZ) and nothing else.

Shared by the indexer, the crawler and the web front end, so it stays small and
imports none of our other packages. Public names are listed here.

    for item in read_records("0001.warc.gz"):       # Record or Damage
        ...
    record = read_record_at(location)               # later, one seek
    page = parse_response(record)                   # status, headers, decoded body
"""

from .errors import ArchiveError, LimitError, NotAnArchiveError, RecordError, UnreadableError
from .httpmessage import HttpResponse, give_body, parse_head, parse_response, payload_sha1
from .limits import DEFAULT_LIMITS, Limits
from .mediatype import content_type_of, media_type_of
from .reader import ArchiveReader, find_record, read_record_at, read_records
from .record import Damage, Headers, Location, Record, RecordType, WholeRecord
from .sniffing import HTML_TYPES, computed_type, may_be_page
from .urls import base_of, canonical_url, capture_key, in_charset, resolve, surt_key, urlkey

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
    "read_record_at",
    "read_records",
    "resolve",
    "surt_key",
    "urlkey",
]
