"""Addresses and digests as the catalogue keeps them: in fewer bytes, and exactly as they were.

An address and its sort key mostly say the same, so only the sort key is kept with the scheme as a number; an
address that is not what the sort key gives is kept as it is. SHA-1 is kept as 20 bytes.
"""

from __future__ import annotations

import base64
import hashlib
import sqlite3
from functools import lru_cache

from archiver.warc import capture_key, surt_key

_SCHEMES = ("http", "https")
_SHA1 = "sha1:"
# The digest of a capture is looked up by its end, which tells apart whatever kind it is of and keeps the index small.
PAYLOAD_END = "substr({}, -8)"
HAS_PAYLOAD = (
    f"{PAYLOAD_END.format('c.payload')} = {PAYLOAD_END.format('?1')} AND c.payload = ?1 AND c.payload <> ''"
)


def sort_key(url: str) -> str:
    """Return the key that all spellings of an address share and that puts the pages of a site together."""
    try:
        return surt_key(url)
    except ValueError:
        return capture_key(url)


def doc_id(url: str) -> int:
    """Return the MD5-8 id of an address; two addresses may share one, so lookups by it give a list."""
    return int.from_bytes(_url_md5(url)[:4], "big")


def doc_key(url: str) -> int:
    """Return 64 bits of the MD5 of an address, which order pages of equal score."""
    return int.from_bytes(_url_md5(url)[:8], "big")


def _url_md5(url: str) -> bytes:
    return hashlib.md5(url.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


def compact_address(url: str) -> tuple[str, int | str]:
    """Return (sort key, what is written beside it): 0 for http, 1 for https, or the address when it says more."""
    key = sort_key(url)
    scheme = int(url.startswith("https:"))
    return key, scheme if address(key, scheme) == url else url


def address(key: str, written: int | str) -> str:
    """Return the address that compact_address was given."""
    if isinstance(written, str):
        return written
    host, _, path = key.partition(")")
    if "," in host:
        name, colon, port = host.partition(":")
        host = ".".join(reversed(name.split(","))) + colon + port
    return f"{_SCHEMES[written]}://{host}{path}"


def compact_digest(payload: str) -> bytes | str:
    """Return a payload digest as the catalogue keeps it: SHA-1 as 20 bytes, any other as it is."""
    if len(payload) == 37 and payload.startswith(_SHA1):
        try:
            digest = base64.b32decode(payload[5:])
        except ValueError:
            return payload
        if digest_text(digest) == payload:
            return digest
    return payload


@lru_cache(maxsize=4096)  # captures of a page often hold the same bytes
def digest_text(kept: bytes | str) -> str:
    """Return the payload digest that compact_digest was given."""
    return kept if isinstance(kept, str) else _SHA1 + base64.b32encode(kept).decode("ascii")


def add_functions(connection: sqlite3.Connection) -> None:
    """Let SQL on a connection read what is kept: address(sort_key, written) and digest_text(payload)."""
    connection.create_function("address", 2, address, deterministic=True)
    connection.create_function("digest_text", 1, digest_text, deterministic=True)
