"""Addresses and digests as the catalogue keeps them: in fewer bytes, and exactly as they were.

An address and its urlkey mostly say the same, so only the urlkey is kept with a number for what it leaves out; an
address that is not what these give is kept as it is. SHA-1 is kept as 20 bytes.
"""

from __future__ import annotations

import base64
import hashlib
import sqlite3
from functools import lru_cache

from archiver.warc import capture_key, surt_key, urlkey

_HTTPS, _WWW, _SLASH = 1, 2, 4  # bits of what is written beside a urlkey
_SHA1 = "sha1:"
# The digest of a capture is looked up by its end, which tells apart whatever kind it is of and keeps the index small.
PAYLOAD_END = "substr({}, -8)"
HAS_PAYLOAD = (
    f"{PAYLOAD_END.format('c.payload')} = {PAYLOAD_END.format('?1')} AND c.payload = ?1 AND c.payload <> ''"
)


def sort_key(url: str) -> str:
    """Return the key that all spellings of the address of one page share, http and https alike."""
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


def page_number(sort_key: str) -> int:
    """Return the 64 bits of the MD5 of a sort key by which links and the catalogue know a page.

    Whoever wants the page itself compares the sort key as well.
    """
    digest = hashlib.md5(sort_key.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "big")


def signed(number: int) -> int:
    """Return 64 bits as SQLite keeps them."""
    return number - (1 << 64) if number >> 63 else number


def unsigned(kept: int) -> int:
    """Return the number that `signed` was given."""
    return kept & ((1 << 64) - 1)


def compact_address(url: str) -> tuple[str, int | str]:
    """Return (urlkey, what is written beside it): bits for https, www. and a slash at the end, or the address."""
    key = urlkey(url)
    rest = url.partition("://")[2]
    bits = _HTTPS * url.startswith("https:") | _WWW * rest.startswith("www.")
    bits |= _SLASH * (url.endswith("/") and not key.endswith(")/"))
    return key, bits if address(key, bits) == url else url


def address(key: str, written: int | str) -> str:
    """Return the address that compact_address was given."""
    if isinstance(written, str):
        return written
    host, _, path = key.partition(")")
    if "," in host:
        name, colon, port = host.partition(":")
        host = ".".join(reversed(name.split(","))) + colon + port
    return (
        f"{'https' if written & _HTTPS else 'http'}://{'www.' if written & _WWW else ''}{host}{path}"
        f"{'/' if written & _SLASH else ''}"
    )


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
    """Let SQL on a connection read what is kept: address(urlkey, written), sort_key(address), digest_text(payload)."""
    connection.create_function("address", 2, address, deterministic=True)
    connection.create_function("sort_key", 1, sort_key, deterministic=True)
    connection.create_function("digest_text", 1, digest_text, deterministic=True)
