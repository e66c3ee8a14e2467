"""Writes the small archive files of the web tests; the records stand in the tests as text."""

from __future__ import annotations

import gzip
from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 24
HTML = "text/html; charset=utf-8"


def response(
    url: str,
    body: str | bytes,
    content_type: str = HTML,
    date: str = "2015-05-03T14:02:11Z",
    status: str = "200 OK",
    headers: str = "",
) -> bytes:
    """Return one response record in a gzip member of its own; headers: further lines, each with \\r\\n."""
    payload = body.encode() if isinstance(body, str) else body
    fields = f"HTTP/1.1 {status}\r\n"
    if content_type:
        fields += f"Content-Type: {content_type}\r\n"
    block = f"{fields}{headers}Content-Length: {len(payload)}\r\n\r\n".encode() + payload
    return record("response", url, block, "application/http;msgtype=response", date)


def record(kind: str, url: str, block: bytes, content_type: str, date: str) -> bytes:
    """Return one WARC record in a gzip member of its own."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{abs(hash((kind, url, date))):032x}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: {date}\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


def page(title: str, body: str, head: str = "") -> str:
    """Return a small HTML page."""
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def write_archive(path: Path, *records: bytes) -> Path:
    """Write the records one after the other and return the path."""
    path.write_bytes(b"".join(records))
    return path
