"""From an exchange to the WARC records that keep it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from archiver.crawl.duplicates import Original
from archiver.crawl.fetcher import Exchange
from archiver.crawl.job import CrawlJob
from archiver.warc.record import RecordType
from archiver.warc.writer import (
    FIELDS_TYPE,
    HTTP_REQUEST_TYPE,
    HTTP_RESPONSE_TYPE,
    IDENTICAL_PAYLOAD,
    NOT_MODIFIED,
    NewRecord,
    pack_record,
    sha1_of,
    warc_date,
    warc_fields,
    written_digest,
)


@dataclass(frozen=True, slots=True)
class PackedExchange:
    """The gzip members of one exchange, the response (or revisit) first, and what a later revisit must name."""

    members: list[bytes]
    record_id: str
    date: str
    payload_digest: str
    is_revisit: bool


def pack_exchange(
    exchange: Exchange,
    *,
    sha1: bytes = b"",
    original: Original | None = None,
    not_modified: bool = False,
) -> PackedExchange:
    """Return the records of an exchange: response or revisit, and request.

    sha1: that of the body without transfer coding; b"" when it is not known yet.
    original: an earlier capture of the same payload (for not_modified: of the
        same address); the body is then not kept again.
    """
    # The payload is the body without transfer coding (RFC 9110). Some tools, `warcio check` among them, take the
    # stored bytes instead, chunk sizes and all; so a response whose two differ carries no payload digest.
    digest = original.written if original else written_digest(sha1 or sha1_of(exchange.entity))
    fields: list[tuple[str, str]] = []
    if exchange.address:
        fields.append(("WARC-IP-Address", exchange.address))
    if digest and (original or exchange.entity == exchange.body):
        fields.append(("WARC-Payload-Digest", digest))
    if exchange.truncated:
        fields.append(("WARC-Truncated", exchange.truncated))
    if original:
        fields += [
            ("WARC-Profile", NOT_MODIFIED if not_modified else IDENTICAL_PAYLOAD),
            ("WARC-Refers-To", original.record_id),
            ("WARC-Refers-To-Target-URI", original.url),
            ("WARC-Refers-To-Date", original.date),
        ]
        response = NewRecord(
            RecordType.REVISIT,
            exchange.head,
            exchange.started,
            exchange.url,
            HTTP_RESPONSE_TYPE,
            tuple(fields),
        )
    else:
        response = NewRecord(
            RecordType.RESPONSE,
            exchange.head + exchange.body,
            exchange.started,
            exchange.url,
            HTTP_RESPONSE_TYPE,
            tuple(fields),
        )
    together = (("WARC-Concurrent-To", response.record_id),)
    address = (("WARC-IP-Address", exchange.address),) if exchange.address else ()
    request = NewRecord(
        RecordType.REQUEST,
        exchange.request,
        exchange.started,
        exchange.url,
        HTTP_REQUEST_TYPE,
        together + address,
    )
    return PackedExchange(
        [pack_record(response), pack_record(request)],
        response.record_id,
        warc_date(exchange.started),
        digest,
        original is not None,
    )


def pack_notes(exchange: Exchange, record_id: str, notes: tuple[tuple[str, str], ...]) -> bytes:
    """Return a metadata record of what is noted about an exchange. record_id: that of its response."""
    together = (("WARC-Concurrent-To", record_id),)
    block = warc_fields(notes)
    return pack_record(
        NewRecord(RecordType.METADATA, block, exchange.started, exchange.url, FIELDS_TYPE, together)
    )


def warcinfo_of(job: CrawlJob, started: datetime) -> list[tuple[str, str]]:
    """Return what the first record of each file says: who crawled, with what, and which manners were switched off."""

    def manner(obeyed: bool) -> str:
        return "obey" if obeyed else "ignore"

    info = [
        ("software", job.user_agent),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("isPartOf", job.id),
        (
            "description",
            f"crawl started {warc_date(started)}, scope {job.scope}, depth {job.depth}, order {job.order}",
        ),
        ("http-header-user-agent", job.full_user_agent),
        ("robots", manner(job.obey_robots)),
        ("robots-meta", manner(job.obey_meta_robots)),
        ("robots-nofollow", manner(job.obey_nofollow)),
    ]
    if job.contact:
        info.insert(1, ("operator", job.contact))
    if job.topic:
        info.append(("topic", job.topic))
    if job.allow_private:
        info.append(("allow-private", ", ".join(job.allow_private)))
    return info
